//! Manifests of backups: what is signed of them (protocol, section 19).

use crate::document::{LEVELS, Made, Signer, field, first_version};
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::ids::uuid_v4;
use crate::json::{Limits, Object, Value};

/// `sxType` of a manifest. No caller can have a document of this type signed: it would pass for a backup.
pub const MANIFEST_TYPE: &str = "sx-backup";

/// Signs what is in a backup.
///
/// `entries`: how many there are; `sha256`: the hexadecimal hash over their hashes.
///
/// Errors: `InvalidDocument` for what is no such hash.
pub fn manifest(
    signer: &Signer<'_>,
    entries: u32,
    sha256: &str,
    now: u64,
    entropy: &Entropy,
    limits: &Limits,
) -> Result<Made> {
    if sha256.len() != 64 || !sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(Error::new(Code::InvalidDocument, "The hash of the entries is not one in hexadecimal."));
    }
    let document = Object::from_iter([
        ("entries".into(), Value::Number(f64::from(entries))),
        ("sha256".into(), sha256.into()),
        (field::TYPE.into(), MANIFEST_TYPE.into()),
        (field::LEVEL.into(), LEVELS.first().copied().unwrap_or_default().into()),
    ]);
    first_version(signer, document, uuid_v4(entropy.draw16("id")), now, entropy, limits)
}
