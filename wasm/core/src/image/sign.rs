//! Signing an image: the document that it is to carry.

use super::claim::{Claim, DOCUMENT_TYPE};
use crate::base64;
use crate::document::{LEVELS, Signer, field, first_version};
use crate::entropy::Entropy;
use crate::error::{Code, Result};
use crate::ids::uuid_v4;
use crate::json::{self, Limits, Value};
use crate::text::object;
use alloc::string::String;
use alloc::vec;

/// The payload for the metadata of a file whose content has this hash and length: base64url.
///
/// Errors: those of signing.
pub fn sign_file(
    signer: &Signer<'_>,
    sha256: &str,
    length: f64,
    now: u64,
    entropy: &Entropy,
) -> Result<String> {
    let raw = sign(signer, &Claim::File { sha256: sha256.into(), length }, now, entropy)?;
    Ok(base64::encode_url(raw.as_bytes()))
}

/// The payload for the pixels of a picture that has this hash; `display` is what else changes how it looks, a
/// JSON object of texts. It is the text of the document, whose length the hash does not change.
///
/// Errors: `Internal` for another `display`; those of signing.
pub fn sign_pixels(
    signer: &Signer<'_>,
    sha256: &str,
    display: &str,
    now: u64,
    entropy: &Entropy,
) -> Result<String> {
    let Ok(Value::Object(display)) = json::parse(display.as_bytes(), &Limits::default()) else {
        return Err(Code::Internal.into());
    };
    sign(signer, &Claim::Pixels { sha256: sha256.into(), display }, now, entropy)
}

fn sign(signer: &Signer<'_>, claim: &Claim, now: u64, entropy: &Entropy) -> Result<String> {
    let document = object(vec![
        (field::CONTENT, claim.content().into()),
        (field::TYPE, DOCUMENT_TYPE.into()),
        (field::LEVEL, LEVELS.first().copied().unwrap_or_default().into()),
    ]);
    let id = uuid_v4(entropy.draw16("id"));
    Ok(first_version(signer, document, id, now, entropy, &Limits::default())?.raw)
}
