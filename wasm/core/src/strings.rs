//! `signString` and `verifyString`: bare signatures over the caller's bytes, which other programs
//! such as `openssl` can check.

use crate::base64;
use crate::error::Result;
use crate::keys::{Algorithm, PublicKey, SecretKey};
use crate::statement;
use alloc::string::String;

/// Most bytes of a signature as base64: that of ML-DSA-87.
pub const MAX_SIGNATURE_LEN: usize = 6172;

/// Signs the UTF-8 bytes of `text`; gives plain base64.
///
/// Errors: `ReservedPrefix` for a text that could pass for a statement of the library.
pub fn sign(key: &SecretKey, text: &str, hedge: &[u8; 32]) -> Result<String> {
    Ok(base64::encode(&key.sign(statement::string(text)?, hedge)?))
}

/// Whether `signature` (canonical base64) is one of `text` under `public_key`: SPKI PEM, SPKI DER
/// or raw bytes, of the named algorithm (protocol, section 4). Whatever does not fit gives `false`.
pub fn verify(text: &str, signature: &str, public_key: &[u8], algorithm: &str) -> bool {
    let verified = || {
        let algorithm = Algorithm::parse(algorithm)?;
        let signature = base64::decode_len(signature, algorithm.signature_len())?;
        let key = PublicKey::from_any(public_key, algorithm).ok()?;
        Some(key.verify(statement::string(text).ok()?, &signature))
    };
    verified().unwrap_or(false)
}
