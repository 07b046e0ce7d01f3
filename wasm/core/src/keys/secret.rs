//! Private keys.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

use zeroize::Zeroizing;

use super::derivation::Derivation;
use super::encryption::{self, Encrypted};
use super::external::External;
use super::pkcs8::Info;
use super::{Algorithm, KeyPair, PublicKey, SEED_LEN, Signer, invalid, pem, wipe_stack, wiping_stack};
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};

const PLAIN_LABEL: &str = "PRIVATE KEY";
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// A PEM block with a private key, in DER.
enum Block {
    Plain(Zeroizing<Vec<u8>>),
    Encrypted(Zeroizing<Vec<u8>>),
}

impl Block {
    fn decode(pem: &str) -> Result<Self> {
        match pem::decode(pem)? {
            (PLAIN_LABEL, der) => Ok(Self::Plain(der)),
            (ENCRYPTED_LABEL, der) => Ok(Self::Encrypted(der)),
            _ => Err(invalid("The PEM block is not a PRIVATE KEY or ENCRYPTED PRIVATE KEY block.")),
        }
    }
}

/// With what parameters the key of an encrypted PEM is derived from its password, as canonical
/// JSON: `{"kdf":"scrypt","n":16384,"p":5,"r":8,"salt":"<base64>"}` or
/// `{"iterations":600000,"kdf":"pbkdf2","salt":"<base64>"}`. Nothing for a plain PEM.
///
/// Errors: `InvalidKey` for what no password opens, then `KdfOutOfRange`.
pub fn key_derivation(pem: &str) -> Result<Option<String>> {
    match Block::decode(pem)? {
        Block::Plain(_) => Ok(None),
        Block::Encrypted(der) => Ok(Some(Encrypted::read(&der)?.derivation.to_json())),
    }
}

/// A private key, expanded for signing. It is wiped when dropped and never printed.
pub struct SecretKey {
    signer: Box<dyn Signer>,
    public: PublicKey,
}

impl SecretKey {
    fn new(algorithm: Algorithm, (signer, public): KeyPair) -> Result<Self> {
        Ok(Self { signer, public: PublicKey::from_raw(algorithm, &public)? })
    }

    /// Derives the key of a seed of 32 random bytes.
    ///
    /// Errors: `WeakPublicKey` if the derived key is weak, which no random seed leads to.
    pub fn from_seed(algorithm: Algorithm, seed: &[u8; SEED_LEN]) -> Result<Self> {
        wiping_stack(|| Self::new(algorithm, algorithm.scheme().key_pair_from_seed(seed)))
    }

    /// Makes a new key.
    ///
    /// Errors: those of [`from_seed`](Self::from_seed).
    pub fn generate(algorithm: Algorithm, entropy: &Entropy) -> Result<Self> {
        Self::from_seed(algorithm, &entropy.draw32("seed"))
    }

    /// A private key that is somewhere else, by its public key (SPKI PEM, SPKI DER or raw bytes). Where
    /// it would sign, [`sign`](Self::sign) fails with `Internal`, and [`asked`](Self::asked) gives the
    /// bytes; once they are [answered](Self::answer), the same call succeeds.
    ///
    /// Errors: `InvalidKey`, `WeakPublicKey`.
    pub fn external(algorithm: Algorithm, public_key: &[u8]) -> Result<Self> {
        let public = PublicKey::from_any(public_key, algorithm)?;
        Ok(Self { signer: Box::new(External::new(public.clone())), public })
    }

    /// The bytes that an external key is to sign, if that is why signing has failed just now.
    pub fn asked(&self) -> Option<Vec<u8>> {
        self.signer.asked()
    }

    /// Takes the signature of what was [asked](Self::asked) for; it is used once.
    ///
    /// Errors: `KeyMismatch` if it does not verify under the public key.
    pub fn answer(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.signer.answer(message, signature)
    }

    /// Reads an unencrypted PKCS#8 key, version 1 or 2 (RFC 5958): Ed25519 (RFC 8410), or
    /// ML-DSA-87 as seed, expanded key or both (RFC 9881).
    ///
    /// Errors: `InvalidKey`; `KeyMismatch` if a public key or a second form in the file is not
    /// the one that is derived.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self> {
        let info = Info::read(der).ok_or_else(|| invalid("The private key is not PKCS#8 in DER."))?;
        wiping_stack(|| Self::from_info(&info))
    }

    fn from_info(info: &Info<'_>) -> Result<Self> {
        let algorithm = info.algorithm()?;
        let key = Self::new(algorithm, algorithm.scheme().key_pair(info.private_key)?)?;
        if info.public_key.is_some_and(|public| public != key.public.to_raw()) {
            return Err(Code::KeyMismatch.into());
        }
        Ok(key)
    }

    /// Opens an encrypted PEM with the key that [`derive_key`](super::derive_key) has derived with
    /// the parameters of [`key_derivation`].
    ///
    /// AES-CBC carries no integrity: damage that hits nothing but the seed gives another, valid
    /// key. Whoever opens a file compares the public key with the one that is expected.
    ///
    /// Errors: those of `key_derivation`, and `InvalidKey` for a plain PEM; then
    /// `WrongPassword`, and nothing more, for whatever fails with this derived key, one that does
    /// not have 32 bytes included; but `InvalidKey` for a whole key of a known kind that is not
    /// supported.
    pub fn open(pem: &str, derived: &[u8]) -> Result<Self> {
        match Block::decode(pem)? {
            Block::Encrypted(der) => Self::decrypt(&der, derived),
            Block::Plain(_) => Err(invalid("The private key file does not contain an encrypted PKCS#8 key.")),
        }
    }

    /// Reads a PEM that may be plain, for which no derived key is used, or encrypted, which is
    /// [opened](Self::open).
    ///
    /// Errors: those of `open`, `PasswordRequired` for an encrypted PEM without a derived key,
    /// those of [`from_pkcs8_der`](Self::from_pkcs8_der) for a plain PEM.
    pub fn import(pem: &str, derived: Option<&[u8]>) -> Result<Self> {
        match Block::decode(pem)? {
            Block::Encrypted(der) => Self::decrypt(&der, derived.ok_or(Code::PasswordRequired)?),
            Block::Plain(der) => Self::from_pkcs8_der(&der),
        }
    }

    fn decrypt(der: &[u8], derived: &[u8]) -> Result<Self> {
        let encrypted = Encrypted::read(der)?;
        let plain = wiping_stack(|| encrypted.decrypt(derived))?;
        Self::from_pkcs8_der(&plain).map_err(|error| {
            if Info::read(&plain).is_some_and(|info| info.is_of_other_kind()) {
                error
            } else {
                Code::WrongPassword.into()
            }
        })
    }

    /// The unencrypted PKCS#8 DER, version 1: the seed where it is known, else the expanded key. Nothing
    /// of an external key.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.signer.to_pkcs8()
    }

    /// The key as PKCS#8 PEM encrypted by PBES2 (RFC 8018) and AES-256-CBC, with the key that was
    /// derived with `parameters`, those of [`new_key_derivation`](super::new_key_derivation), and
    /// an initialisation vector of `entropy`. That the two belong together cannot be seen here.
    ///
    /// Errors: `InvalidKey` and `KdfOutOfRange` for the parameters, `InvalidOption` for a derived
    /// key that does not have 32 bytes, `Unsupported` for an external key.
    pub fn encrypt(&self, parameters: &str, derived: &[u8], entropy: &Entropy) -> Result<String> {
        let derivation = Derivation::from_json(parameters)?;
        let der = self.to_pkcs8_der();
        if der.is_empty() {
            return Err(Error::new(
                Code::Unsupported,
                "The private key is held by an external signer and cannot be read.",
            ));
        }
        let encrypt = || encryption::encrypt(&der, &derivation, derived, &entropy.draw16("iv"));
        Ok(pem::encode(ENCRYPTED_LABEL, &wiping_stack(encrypt)?))
    }

    /// The public key of this key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Signs exactly these bytes. `hedge` is 32 fresh random bytes, which ML-DSA mixes in and
    /// Ed25519, being deterministic, does not use.
    ///
    /// Errors: `Internal` if ML-DSA finds no signature within its bound of attempts, which
    /// happens with a probability below 2^-256; `InvalidKey` if an expanded ML-DSA key turns out
    /// to be damaged.
    pub fn sign(&self, message: &[u8], hedge: &[u8; 32]) -> Result<Vec<u8>> {
        self.signer.sign(message, hedge)
    }
}

impl Drop for SecretKey {
    /// The signer wipes itself; what signing has left on the stack is wiped here.
    fn drop(&mut self) {
        wipe_stack();
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {:?}", self.public)
    }
}
