//! What a signature says of an image: the `content` of its document.

use crate::document::{HEADER_SCHEMA, LEVELS, field};
use crate::error::{Code, Error, Result};
use crate::json::{Object, Value, object};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

/// `sxType` of the document in an image. Types that begin with `sx-` are made by the library alone, so
/// nobody is brought to sign an image who is only asked to sign a document.
pub const DOCUMENT_TYPE: &str = "sx-image";
/// How `content` describes a file.
pub const FILE_SCHEME: &str = "sx-image-v1";
/// How `content` describes a picture.
pub const PIXELS_SCHEME: &str = "sx-pixels-v1";

/// The member of `display` that says in which order the pieces of its kinds stand in the file: it is no kind itself.
const ORDER: &str = "order";

/// What is claimed, or was found, of an image.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// Its file without the signature: hexadecimal SHA-256, and how many bytes these are.
    File { sha256: String, length: f64 },
    /// Its picture: hexadecimal SHA-256, and what else changes how it looks.
    Pixels { sha256: String, display: Object },
}

impl Claim {
    /// Reads the claim of a document that covers what `found` describes.
    ///
    /// Errors: `UnsupportedFormat` for another scheme, `InvalidDocument` for what is no document of an image.
    pub fn of(document: &Object, found: &Self) -> Result<Self> {
        let none =
            || Error::new(Code::InvalidDocument, "The document in the image is not an image signature.");
        let content = document.get(field::CONTENT).and_then(Value::as_object).ok_or_else(none)?;
        let scheme = content.get("scheme").and_then(Value::as_str).ok_or_else(none)?;
        if scheme != found.scheme() {
            return Err(Error::new(
                Code::UnsupportedFormat,
                "The signature uses a scheme that this version does not support here.",
            ));
        }
        let is_ours = document.get(field::TYPE).and_then(Value::as_str) == Some(DOCUMENT_TYPE)
            && document.get(field::SCHEMA).and_then(Value::as_str) == Some(HEADER_SCHEMA)
            && document.get(field::LEVEL).and_then(Value::as_str) == LEVELS.first().copied()
            && document.iter().map(|(name, _)| name).eq(field::ALONE)
            && content.len() == 3;
        let sha256 =
            content.get("sha256").and_then(Value::as_str).filter(|_| is_ours).ok_or_else(none)?.into();
        Ok(match found {
            Self::File { .. } => {
                let length = content.get("length").and_then(Value::as_f64).ok_or_else(none)?;
                Self::File { sha256, length }
            }
            Self::Pixels { .. } => {
                let display = content.get("display").and_then(Value::as_object);
                let is_of_texts =
                    |display: &&Object| display.iter().all(|(_, value)| value.as_str().is_some());
                let display = display.filter(is_of_texts).ok_or_else(none)?;
                Self::Pixels { sha256, display: display.clone() }
            }
        })
    }

    /// What was recorded of the display and is not there any more, by its names.
    pub fn lost(&self, found: &Self) -> Vec<String> {
        match (self, found) {
            (Self::Pixels { display, .. }, Self::Pixels { display: shown, .. }) => {
                let is_gone = |name: &&str| *name != ORDER && shown.get(name).is_none();
                display.iter().map(|(name, _)| name).filter(is_gone).map(ToOwned::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    const fn scheme(&self) -> &'static str {
        match self {
            Self::File { .. } => FILE_SCHEME,
            Self::Pixels { .. } => PIXELS_SCHEME,
        }
    }

    /// The members of `content`.
    pub fn content(&self) -> Object {
        let (sha256, name, value) = match self {
            Self::File { sha256, length } => (sha256, "length", Value::Number(*length)),
            Self::Pixels { sha256, display } => (sha256, "display", display.clone().into()),
        };
        object(vec![("scheme", self.scheme().into()), ("sha256", sha256.as_str().into()), (name, value)])
    }

    /// Whether what was found is what is claimed. Kinds of what changes the display may have gone, but nothing may have
    /// come, changed or moved.
    ///
    /// Errors: `HashMismatch`, `DisplayMetadataChanged`; `Internal` for claims of two kinds.
    pub fn check(&self, found: &Self) -> Result<()> {
        let (is_same, display) = match (self, found) {
            (Self::File { sha256, length }, Self::File { sha256: hash, length: size }) => {
                (sha256 == hash && length == size, None)
            }
            (Self::Pixels { sha256, display }, Self::Pixels { sha256: hash, display: shown }) => {
                (sha256 == hash, Some((display, shown)))
            }
            _ => return Err(Code::Internal.into()),
        };
        if !is_same {
            return Err(Error::new(Code::HashMismatch, "The image was changed after it was signed."));
        }
        match display {
            Some((display, shown)) if !is_kept(display, shown) => Err(Code::DisplayMetadataChanged.into()),
            _ => Ok(()),
        }
    }
}

/// Whether everything that is `shown` was recorded as it is there, and the pieces stand in the order that is left of the
/// one that was recorded.
fn is_kept(display: &Object, shown: &Object) -> bool {
    let order = |of: &Object| {
        of.get(ORDER).and_then(Value::as_str).map_or_else(String::new, |text| left_of(text, shown))
    };
    let is_same = |(name, value): (&str, &Value)| name == ORDER || display.get(name) == Some(value);
    shown.iter().all(is_same) && order(display) == order(shown)
}

/// What is left of an order where only the kinds in `shown` are: nothing where they are fewer than two.
fn left_of(order: &str, shown: &Object) -> String {
    let mut runs: Vec<(&str, u32)> = Vec::new();
    for run in order.split(' ') {
        // As it was written by the signer, who could make nobody but himself believe anything else.
        let (kind, count) =
            run.split_once('*').map_or((run, 1), |(kind, count)| (kind, count.parse().unwrap_or(0)));
        match runs.last_mut() {
            _ if !shown.contains(kind) => {}
            Some((last, sum)) if *last == kind => *sum = sum.saturating_add(count),
            _ => runs.push((kind, count)),
        }
    }
    if runs.len() < 2 {
        return String::new();
    }
    runs.into_iter().map(|(kind, count)| [kind, "*", &count.to_string(), " "].concat()).collect()
}
