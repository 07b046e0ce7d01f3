//! Signing an image: the document that it is to carry.

use super::claim::{Claim, DOCUMENT_TYPE};
use crate::base64;
use crate::document::{Author, create_claim};
use crate::error::{Code, Result};
use crate::json::{self, Limits, Value};
use crate::moment::Moment;
use alloc::string::String;

/// The payload for the metadata of a file whose content has this hash and length: base64url.
///
/// Errors: those of signing.
pub fn sign_file(author: &Author<'_>, sha256: &str, length: f64, moment: &Moment) -> Result<String> {
    let raw = sign(author, &Claim::File { sha256: sha256.into(), length }, moment)?;
    Ok(base64::encode_url(raw.as_bytes()))
}

/// The payload for the pixels of a picture that has this hash; `display` is what else changes how it looks, a
/// JSON object of texts. It is the text of the document, whose length the hash does not change.
///
/// Errors: `Internal` for another `display`; those of signing.
pub fn sign_pixels(author: &Author<'_>, sha256: &str, display: &str, moment: &Moment) -> Result<String> {
    let Ok(Value::Object(display)) = json::parse(display.as_bytes(), &Limits::default()) else {
        return Err(Code::Internal.into());
    };
    sign(author, &Claim::Pixels { sha256: sha256.into(), display }, moment)
}

fn sign(author: &Author<'_>, claim: &Claim, moment: &Moment) -> Result<String> {
    Ok(create_claim(author, DOCUMENT_TYPE, claim.content(), moment)?.raw)
}
