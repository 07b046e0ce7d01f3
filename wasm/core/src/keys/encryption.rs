//! Private keys at rest: PKCS#8 encrypted by PBES2 (RFC 8018, RFC 7914).

use alloc::{format, vec::Vec};
use core::ops::RangeInclusive;

use aes::Aes256;
use cbc::cipher::{BlockModeDecrypt as _, BlockModeEncrypt as _, KeyIvInit as _, block_padding::Pkcs7};
use der::{Decode, Encode, ErrorKind, Reader, SliceReader, Tag, asn1::OctetStringRef};
use pkcs5::pbes2::{EncryptionScheme, Kdf, PBES2_OID, Parameters, Pbkdf2Prf, Salt, ScryptParams};
use pkcs8::{AlgorithmIdentifierRef, EncryptedPrivateKeyInfoRef, ObjectIdentifier};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::invalid;
use crate::error::{Code, Error, Result};

/// What is written: the strongest scrypt of the OWASP list that `openssl` opens, whose memory
/// limit is 32 MiB.
pub(super) const SCRYPT_N: u64 = 1 << 14;
pub(super) const SCRYPT_R: u16 = 8;
pub(super) const SCRYPT_P: u16 = 5;

/// What is read. The floors are `openssl pkcs8 -scrypt` (N = 2^14, r = 8, p = 1) and the OWASP
/// number for PBKDF2-SHA256: a file below them was weakened or never protected its key. The
/// ceilings keep a hostile file from taking the memory of a page (64 MiB) or holding its
/// thread for more than some seconds.
const SCRYPT_N_MIN: u64 = 1 << 14;
const SCRYPT_R_RANGE: RangeInclusive<u16> = 8..=32;
const SCRYPT_P_RANGE: RangeInclusive<u16> = 1..=16;
const SCRYPT_MEMORY_MAX: u64 = 64 << 20;
const PBKDF2_RANGE: RangeInclusive<u32> = 600_000..=10_000_000;

/// Encrypts a PKCS#8 key into an EncryptedPrivateKeyInfo in DER.
pub(super) fn encrypt(plain: &[u8], password: &[u8], salt: &[u8; 16], iv: &[u8; 16]) -> Result<Vec<u8>> {
    let kdf = Kdf::Scrypt(ScryptParams {
        salt: Salt::new(salt).map_err(internal)?,
        cost_parameter: SCRYPT_N,
        block_size: SCRYPT_R,
        parallelization: SCRYPT_P,
        key_length: None,
    });
    let parameters = Parameters { kdf, encryption: EncryptionScheme::Aes256Cbc { iv: *iv } };
    let key = derive(&parameters.kdf, password)?;
    encrypt_with(parameters, plain, &key, iv)
}

pub(super) fn encrypt_with(
    parameters: Parameters,
    plain: &[u8],
    key: &[u8; 32],
    iv: &[u8; 16],
) -> Result<Vec<u8>> {
    let encrypted = cbc::Encryptor::<Aes256>::new(key.into(), iv.into()).encrypt_padded_vec::<Pkcs7>(plain);
    let encrypted_data = OctetStringRef::new(&encrypted).map_err(internal)?;
    EncryptedPrivateKeyInfoRef { encryption_algorithm: parameters.into(), encrypted_data }
        .to_der()
        .map_err(internal)
}

/// The checked parameters, the initialization vector and the ciphertext of a key file.
pub(super) fn parts(der: &[u8]) -> Result<(Parameters, [u8; 16], &[u8])> {
    let (scheme, encrypted) = read(der).map_err(unreadable)?;
    let parameters = match scheme.parameters {
        Some(parameters) if scheme.oid == PBES2_OID => {
            Parameters::try_from(parameters).map_err(unreadable)?
        }
        _ => return Err(unsupported(scheme.oid)),
    };
    let iv = check(&parameters)?;
    Ok((parameters, iv, encrypted))
}

/// Decrypts an EncryptedPrivateKeyInfo in DER. That the result is a key remains to be seen:
/// one wrong password in 256 gives a valid padding.
///
/// Errors: `InvalidKey` or `KdfOutOfRange` before any derivation, then only `WrongPassword`.
pub(super) fn decrypt(der: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let (parameters, iv, encrypted) = parts(der)?;
    let key = derive(&parameters.kdf, password)?;
    decrypt_with(encrypted, &key, &iv)
}

pub(super) fn decrypt_with(encrypted: &[u8], key: &[u8; 32], iv: &[u8; 16]) -> Result<Zeroizing<Vec<u8>>> {
    let mut buffer = Zeroizing::new(encrypted.to_vec());
    let plain = cbc::Decryptor::<Aes256>::new(key.into(), iv.into())
        .decrypt_padded::<Pkcs7>(&mut buffer)
        .map_err(|_| Code::WrongPassword)?;
    Ok(Zeroizing::new(plain.to_vec()))
}

/// Derives the key of AES-256 from a password, with parameters that [`check`] has let pass.
pub(super) fn derive(kdf: &Kdf, password: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
    let mut key = Zeroizing::new([0; 32]);
    match kdf {
        Kdf::Scrypt(scrypt) => {
            let log_n = u8::try_from(scrypt.cost_parameter.ilog2()).map_err(internal)?;
            let (r, p) = (scrypt.block_size.into(), scrypt.parallelization.into());
            let parameters = scrypt::Params::new(log_n, r, p).map_err(internal)?;
            scrypt::scrypt(password, scrypt.salt.as_ref(), &parameters, &mut *key).map_err(internal)?;
        }
        Kdf::Pbkdf2(pbkdf2) => {
            pbkdf2::pbkdf2_hmac::<Sha256>(password, pbkdf2.salt.as_ref(), pbkdf2.iteration_count, &mut *key);
        }
        other => return Err(unsupported(other.oid())),
    }
    Ok(key)
}

/// The scheme and the ciphertext of an EncryptedPrivateKeyInfo. The type of the crate does not
/// tell which other scheme it found.
fn read(der: &[u8]) -> der::Result<(AlgorithmIdentifierRef<'_>, &[u8])> {
    let mut reader = SliceReader::new(der)?;
    let info = reader.sequence(|reader| {
        let scheme = AlgorithmIdentifierRef::decode(reader)?;
        let encrypted = <&OctetStringRef>::decode(reader)?;
        Ok::<_, der::Error>((scheme, encrypted.as_bytes()))
    })?;
    reader.finish()?;
    Ok(info)
}

/// Everything that can be wrong with the parameters, so that no derivation begins in vain. Gives
/// the cipher's initialization vector.
pub(super) fn check(parameters: &Parameters) -> Result<[u8; 16]> {
    let EncryptionScheme::Aes256Cbc { iv } = &parameters.encryption else {
        return Err(unsupported(parameters.encryption.oid()));
    };
    if parameters.kdf.key_length().is_some_and(|len| len != 32) {
        return Err(invalid("The key file derives a key of a length that its cipher does not have."));
    }
    let within = match &parameters.kdf {
        Kdf::Pbkdf2(pbkdf2) if pbkdf2.prf != Pbkdf2Prf::HmacWithSha256 => {
            return Err(unsupported(pbkdf2.prf.oid()));
        }
        Kdf::Pbkdf2(pbkdf2) => PBKDF2_RANGE.contains(&pbkdf2.iteration_count),
        Kdf::Scrypt(scrypt) => {
            let n = scrypt.cost_parameter;
            let memory = n.saturating_mul(128).saturating_mul(scrypt.block_size.into());
            n.is_power_of_two()
                && n >= SCRYPT_N_MIN
                && SCRYPT_R_RANGE.contains(&scrypt.block_size)
                && SCRYPT_P_RANGE.contains(&scrypt.parallelization)
                && memory <= SCRYPT_MEMORY_MAX
        }
        other => return Err(unsupported(other.oid())),
    };
    if within { Ok(*iv) } else { Err(Code::KdfOutOfRange.into()) }
}

fn unreadable(error: der::Error) -> Error {
    match error.kind() {
        ErrorKind::OidUnknown { oid } => unsupported(oid),
        // The integers of this structure are the cost of the derivation; one that does not fit
        // its type is out of every range.
        ErrorKind::Length { tag: Tag::Integer }
        | ErrorKind::Noncanonical { tag: Tag::Integer }
        | ErrorKind::Value { tag: Tag::Integer } => Code::KdfOutOfRange.into(),
        _ => invalid("The private key is not an encrypted PKCS#8 key in DER."),
    }
}

fn unsupported(oid: ObjectIdentifier) -> Error {
    invalid(format!(
        "The key file is encrypted by {oid}; only scrypt or PBKDF2 with HMAC-SHA-256, and AES-256-CBC, are supported."
    ))
}

fn internal<E>(_: E) -> Error {
    Code::Internal.into()
}
