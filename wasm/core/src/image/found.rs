//! What was found in an image: the answers of `sx_media`, and what they mean for who signs or extracts.

use super::claim::Claim;
use crate::base64;
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Object, Value};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// So large an answer may be: a payload has 65,000 characters at most, and a text in pixels 2^20.
const LIMITS: Limits = Limits { depth: 8, members: 100_000, bytes: 16 << 20 };

/// What the metadata of an image hold and, where that was looked at, its pixels.
pub struct Found {
    scan: Object,
    pixels: Option<Object>,
}

/// A signature, or what is left of one.
pub enum Mark {
    /// There is none; what was found that resembles one.
    None(Option<Error>),
    /// One that was altered.
    Damaged(Error),
    /// The text of a document, and what it has to claim; in pixels, whether these are as they were written.
    Signed { text: Vec<u8>, found: Claim, is_exact: bool },
}

impl Found {
    /// Reads the answer of a scan and that about pixels, which is empty where nobody has looked at them.
    ///
    /// Errors: `Internal` for anything else.
    pub fn read(scan: &str, pixels: &str) -> Result<Self> {
        let pixels = if pixels.is_empty() { None } else { Some(answer(pixels)?) };
        Ok(Self { scan: answer(scan)?, pixels })
    }

    /// The signature that counts: that in the metadata, and in the pixels only where the metadata hold nothing.
    /// `sha256` is that of the content that the scan names.
    ///
    /// Errors: `Internal` for answers that are none.
    pub fn mark(&self, sha256: &str) -> Result<Mark> {
        match text(&self.scan, "status")? {
            "damaged" => Ok(Mark::Damaged(problem(&self.scan)?)),
            "signed" => {
                let Some(text) = base64::decode_url(text(&self.scan, "payload")?) else {
                    return Ok(Mark::Damaged(not_as_written()));
                };
                let length = self.scan.get("length").and_then(Value::as_f64).ok_or(Code::Internal)?;
                Ok(Mark::Signed {
                    text,
                    found: Claim::File { sha256: sha256.into(), length },
                    is_exact: true,
                })
            }
            "none" => match self.pixels.as_ref().map_or(Ok(Mark::None(None)), in_pixels)? {
                Mark::None(None) if self.scan.contains("cut") => Ok(Mark::None(Some(not_whole()))),
                mark => Ok(mark),
            },
            _ => Err(Code::Internal.into()),
        }
    }

    /// Whether there is a C2PA store, which no signature of ours covers.
    pub fn has_c2pa(&self) -> bool {
        self.scan.contains("c2pa")
    }

    /// Whether the image may be signed.
    ///
    /// Errors: `AlreadySigned`, `C2paPresent`. What is left of a damaged signature is replaced like a whole one.
    pub fn admit(&self, refuse_overwrite: bool, ignore_c2pa: bool) -> Result<()> {
        let mark = self.mark("")?;
        if refuse_overwrite && !matches!(mark, Mark::None(_)) {
            return Err(Code::AlreadySigned.into());
        }
        if self.has_c2pa() && !ignore_c2pa {
            return Err(Code::C2paPresent.into());
        }
        Ok(())
    }

    /// The document that the image carries, as base64url; nobody has verified it.
    ///
    /// Errors: `MissingSignature`; what is wrong with a damaged signature.
    pub fn payload(&self) -> Result<String> {
        match self.mark("")? {
            Mark::None(_) => Err(missing(None)),
            Mark::Damaged(error) => Err(error),
            Mark::Signed { text, .. } => Ok(base64::encode_url(&text)),
        }
    }
}

fn in_pixels(pixels: &Object) -> Result<Mark> {
    match text(pixels, "status")? {
        "none" => Ok(Mark::None(None)),
        "damaged" => Ok(Mark::None(Some(problem(pixels)?))),
        "signed" => {
            let display = pixels.get("display").and_then(Value::as_object).ok_or(Code::Internal)?.clone();
            let found = Claim::Pixels { sha256: text(pixels, "sha256")?.into(), display };
            let is_exact = pixels.get("exact") == Some(&Value::Bool(true));
            Ok(Mark::Signed { text: text(pixels, "payload")?.as_bytes().to_vec(), found, is_exact })
        }
        _ => Err(Code::Internal.into()),
    }
}

/// The canonical JSON of a document in base64url, as [`Found::payload`] gives it.
///
/// Errors: those of the reader.
pub fn document(payload: &str) -> Result<String> {
    let text = base64::decode_url(payload).ok_or_else(not_as_written)?;
    json::canonical(&text)
}

pub fn missing(rest: Option<Error>) -> Error {
    let found = rest.map(|error| error.found).unwrap_or_default();
    let none = "The image has no signature.";
    let found = if found.is_empty() { none.to_string() } else { [none, " ", &found].concat() };
    Error::new(Code::MissingSignature, found)
}

fn not_whole() -> Error {
    let found = "It is incomplete. If it is still being written, wait; otherwise get it again.";
    Error::new(Code::MissingSignature, found)
}

pub fn not_as_written() -> Error {
    Error::new(Code::InvalidDocument, "The signature in the image is malformed.")
}

fn answer(json_text: &str) -> Result<Object> {
    match json::parse(json_text.as_bytes(), &LIMITS) {
        Ok(Value::Object(answer)) => Ok(answer),
        _ => Err(Code::Internal.into()),
    }
}

fn text<'a>(answer: &'a Object, name: &str) -> Result<&'a str> {
    Ok(answer.get(name).and_then(Value::as_str).ok_or(Code::Internal)?)
}

/// `[name, code, sentence]`
fn problem(answer: &Object) -> Result<Error> {
    let parts = match answer.get("problem") {
        Some(Value::Array(parts)) => parts.as_slice(),
        _ => &[],
    };
    let mut texts = parts.iter().skip(1).filter_map(Value::as_str);
    let (Some(code), Some(found)) = (texts.next(), texts.next()) else { return Err(Code::Internal.into()) };
    Ok(Error::new(Code::parse(code).unwrap_or(Code::Internal), found))
}
