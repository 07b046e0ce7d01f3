//! Private keys.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

use pkcs5::pbes2::{EncryptionScheme, Kdf, Parameters, Pbkdf2Params, Pbkdf2Prf, Salt, ScryptParams};
use zeroize::Zeroizing;

use super::{Algorithm, KeyPair, PublicKey, SEED_LEN, Signer, encryption, invalid, pem, pkcs8};
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::json::{self, Object, Value};

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

// Derivation apart from opening and encrypting.

/// The KDF parameters of an encrypted PEM block as JSON; nothing for a plain one.
///
/// Errors: `InvalidKey`, `KdfOutOfRange`.
pub fn key_derivation(pem: &str) -> Result<Option<String>> {
    let (label, der) = pem::decode(pem)?;
    match label {
        PLAIN_LABEL => Ok(None),
        ENCRYPTED_LABEL => write_kdf(&encryption::parts(&der)?.0.kdf).map(Some),
        _ => Err(invalid("The PEM block is not a PRIVATE KEY or ENCRYPTED PRIVATE KEY block.")),
    }
}

/// Parameters for a new password: scrypt with a fresh salt.
///
/// Errors: `Internal`.
pub fn new_key_derivation(entropy: &Entropy) -> Result<String> {
    write_kdf(&Kdf::Scrypt(ScryptParams {
        salt: Salt::new(entropy.draw16("salt")).map_err(|_| Code::Internal)?,
        cost_parameter: encryption::SCRYPT_N,
        block_size: encryption::SCRYPT_R,
        parallelization: encryption::SCRYPT_P,
        key_length: None,
    }))
}

/// Derives the key that encrypts a private key.
///
/// Errors: `PasswordRequired` for an empty password; `KdfOutOfRange`, `InvalidKey`.
pub fn derive_key(parameters: &str, password: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
    let parameters = read_kdf(parameters, [0; 16])?;
    if password.is_empty() {
        return Err(Code::PasswordRequired.into());
    }
    encryption::derive(&parameters.kdf, password)
}

fn write_kdf(kdf: &Kdf) -> Result<String> {
    let number = |n: u64| Value::Number(n as f64);
    let object = match kdf {
        Kdf::Scrypt(scrypt) => Object::from([
            ("kdf", "scrypt".into()),
            ("n", number(scrypt.cost_parameter)),
            ("p", number(scrypt.parallelization.into())),
            ("r", number(scrypt.block_size.into())),
            ("salt", crate::base64::encode(scrypt.salt.as_ref()).into()),
        ]),
        Kdf::Pbkdf2(pbkdf2) => Object::from([
            ("iterations", number(pbkdf2.iteration_count.into())),
            ("kdf", "pbkdf2".into()),
            ("salt", crate::base64::encode(pbkdf2.salt.as_ref()).into()),
        ]),
        _ => return Err(Code::InvalidKey.into()),
    };
    Ok(json::write(&Value::Object(object)))
}

/// Reads and checks parameters.
fn read_kdf(text: &str, iv: [u8; 16]) -> Result<Parameters> {
    let malformed = || invalid("The parameters of the key derivation are malformed.");
    let value = json::parse(text.as_bytes(), &json::Limits::default()).map_err(|_| malformed())?;
    let object = value.as_object().ok_or_else(malformed)?;
    let salt = object.get("salt").and_then(Value::as_str).and_then(crate::base64::decode);
    let salt = Salt::new(salt.ok_or_else(malformed)?).map_err(|_| malformed())?;
    let number = |name: &str| {
        let n = object.get(name).and_then(Value::as_f64).ok_or_else(malformed)?;
        let whole = n as u32; // saturates; the comparison refuses what does not fit
        if f64::from(whole) == n { Ok(whole) } else { Err(Error::from(Code::KdfOutOfRange)) }
    };
    let small = |name: &str| u16::try_from(number(name)?).map_err(|_| Error::from(Code::KdfOutOfRange));
    let kdf = match object.get("kdf").and_then(Value::as_str) {
        Some("scrypt") if object.len() == 5 => Kdf::Scrypt(ScryptParams {
            salt,
            cost_parameter: number("n")?.into(),
            block_size: small("r")?,
            parallelization: small("p")?,
            key_length: None,
        }),
        Some("pbkdf2") if object.len() == 3 => Kdf::Pbkdf2(Pbkdf2Params {
            salt,
            iteration_count: number("iterations")?,
            key_length: None,
            prf: Pbkdf2Prf::HmacWithSha256,
        }),
        _ => return Err(malformed()),
    };
    let parameters = Parameters { kdf, encryption: EncryptionScheme::Aes256Cbc { iv } };
    encryption::check(&parameters)?;
    Ok(parameters)
}

fn derived(key: &[u8]) -> Result<&[u8; 32]> {
    key.try_into().map_err(|_| invalid("A derived key has 32 bytes."))
}

impl SecretKey {
    /// Opens an encrypted PEM block with the key derived from its password.
    ///
    /// Errors: `InvalidKey`, `KdfOutOfRange`; `WrongPassword`; `KeyMismatch`.
    pub fn open(pem: &str, key: &[u8]) -> Result<Self> {
        if !is_encrypted_pem(pem) {
            return Err(invalid("The private key file does not hold an encrypted PKCS#8 key."));
        }
        Self::import(pem, Some(key))
    }

    /// Reads a PEM block, encrypted or plain.
    ///
    /// Errors: those of [`open`](Self::open); `PasswordRequired` for an encrypted one without a key.
    pub fn import(pem: &str, key: Option<&[u8]>) -> Result<Self> {
        let (label, der) = pem::decode(pem)?;
        if label != ENCRYPTED_LABEL {
            return Self::from_pem(pem, None);
        }
        let (_, iv, encrypted) = encryption::parts(&der)?;
        let plain = encryption::decrypt_with(encrypted, derived(key.ok_or(Code::PasswordRequired)?)?, &iv)?;
        Self::from_pkcs8_der(&plain)
            .map_err(|error| if pkcs8::is_of_other_kind(&plain) { error } else { Code::WrongPassword.into() })
    }

    /// The key as PEM, encrypted with a key derived by these parameters.
    ///
    /// Errors: those of [`derive_key`].
    pub fn encrypt(&self, parameters: &str, key: &[u8], entropy: &Entropy) -> Result<String> {
        let iv = entropy.draw16("iv");
        let parameters = read_kdf(parameters, iv)?;
        let encrypted = encryption::encrypt_with(parameters, &self.to_pkcs8_der(), derived(key)?, &iv)?;
        Ok(pem::encode(ENCRYPTED_LABEL, &encrypted))
    }
}
