//! Private keys.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

use zeroize::Zeroizing;

use super::{Algorithm, KeyPair, PublicKey, SEED_LEN, Signer, encryption, invalid, pem, pkcs8};
use crate::error::{Code, Result};

const PLAIN_LABEL: &str = "PRIVATE KEY";
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// Whether this is a PEM block with an encrypted PKCS#8 key.
pub fn is_encrypted_pem(text: &str) -> bool {
    pem::label(text) == Some(ENCRYPTED_LABEL)
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
        Self::new(algorithm, algorithm.scheme().key_pair_from_seed(seed))
    }

    /// Reads an unencrypted PKCS#8 key, version 1 or 2 (RFC 5958): Ed25519 (RFC 8410), or
    /// ML-DSA-87 as seed, expanded key or both (RFC 9881).
    ///
    /// Errors: `InvalidKey`; `KeyMismatch` if a public key or a second form in the file is not
    /// the one that is derived.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self> {
        let info = pkcs8::decode(der)?;
        let key = Self::new(info.algorithm, info.algorithm.scheme().key_pair(info.private_key)?)?;
        if info.public_key.is_some_and(|public| public != key.public.to_raw()) {
            return Err(Code::KeyMismatch.into());
        }
        Ok(key)
    }

    /// Reads a PKCS#8 PEM block, encrypted or plain. Whether a plain one is acceptable is the
    /// caller's decision ([`is_encrypted_pem`]); a password is not used for it.
    ///
    /// AES-CBC carries no integrity: damage that hits nothing but the seed gives another, valid
    /// key. Where the public key is known, use [`from_pem_for`](Self::from_pem_for).
    ///
    /// Errors: `PasswordRequired` without a password or with an empty one; `KdfOutOfRange`
    /// before any derivation; `WrongPassword`, and nothing more, for whatever fails after it;
    /// `InvalidKey`, `KeyMismatch`.
    pub fn from_pem(text: &str, password: Option<&[u8]>) -> Result<Self> {
        let (label, der) = pem::decode(text)?;
        match label {
            PLAIN_LABEL => Self::from_pkcs8_der(&der),
            ENCRYPTED_LABEL => {
                let password = password.filter(|password| !password.is_empty());
                let plain = encryption::decrypt(&der, password.ok_or(Code::PasswordRequired)?)?;
                Self::from_pkcs8_der(&plain).map_err(|error| {
                    if pkcs8::is_of_other_kind(&plain) { error } else { Code::WrongPassword.into() }
                })
            }
            _ => Err(invalid("The PEM block is not a PRIVATE KEY or ENCRYPTED PRIVATE KEY block.")),
        }
    }

    /// Reads a PKCS#8 PEM block as [`from_pem`](Self::from_pem) does; it must hold the private
    /// key of `public`.
    ///
    /// Errors: those of `from_pem`. Another key is `WrongPassword` in an encrypted block, where
    /// it cannot be told from damage, and `KeyMismatch` in a plain one.
    pub fn from_pem_for(text: &str, password: Option<&[u8]>, public: &PublicKey) -> Result<Self> {
        let key = Self::from_pem(text, password)?;
        if key.public == *public {
            Ok(key)
        } else if is_encrypted_pem(text) {
            Err(Code::WrongPassword.into())
        } else {
            Err(Code::KeyMismatch.into())
        }
    }

    /// The unencrypted PKCS#8 DER, version 1: the seed where it is known, else the expanded key.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.signer.to_pkcs8()
    }

    /// The key as PKCS#8 PEM encrypted by PBES2 (RFC 8018): scrypt with N = 2^14, r = 8, p = 5,
    /// and AES-256-CBC. `salt` and `iv` are fresh random bytes for every call.
    ///
    /// Errors: `PasswordRequired` for an empty password.
    pub fn to_encrypted_pem(&self, password: &[u8], salt: &[u8; 16], iv: &[u8; 16]) -> Result<String> {
        if password.is_empty() {
            return Err(Code::PasswordRequired.into());
        }
        let encrypted = encryption::encrypt(&self.to_pkcs8_der(), password, salt, iv)?;
        Ok(pem::encode(ENCRYPTED_LABEL, &encrypted))
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

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {:?}", self.public)
    }
}
