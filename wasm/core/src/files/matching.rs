//! Which of a document's attachments a file is (protocol, section 6).

use super::name;
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Value};

/// The position of the attachment that a file is.
///
/// A file that has the name of an attachment has to be that one: a draft that is attached too must not pass
/// for the contract. Any other file may be any of them, for people rename what they save.
///
/// `attachments` are those of a verdict, as JSON. `name` is the file's own, or with `is_asked` the one that the
/// attachment must have; empty for none.
///
/// Errors: `FileMismatch`; `NotFound` if there are no attachments, or none of the name that was asked for.
pub fn find(attachments: &str, name: &str, is_asked: bool, size: f64, sha256: &str) -> Result<usize> {
    let limits = Limits { bytes: usize::MAX, members: usize::MAX, ..Limits::default() };
    let attachments = json::parse(attachments.as_bytes(), &limits)?;
    let attachments = attachments.as_array().unwrap_or_default();
    if attachments.is_empty() {
        return Err(Error::new(Code::NotFound, "No file is attached to the document."));
    }
    let name = if name.is_empty() { None } else { Some(Value::from(name::safe(name))) };
    let (mut named, mut found) = (false, None);
    for (at, file) in attachments.iter().enumerate() {
        let member = |name| file.as_object().and_then(|file| file.get(name));
        let is_named = name.is_some() && member("filename") == name.as_ref();
        let is_it = member("hash").and_then(Value::as_str) == Some(sha256)
            && member("size") == Some(&Value::Number(size));
        if is_named && is_it {
            return Ok(at);
        }
        named |= is_named;
        if is_it {
            found = found.or(Some(at));
        }
    }
    if is_asked && !named {
        return Err(Error::new(Code::NotFound, "No file with this name is attached to the document."));
    }
    let why = match found {
        Some(at) if !named => return Ok(at),
        Some(_) => "The file is attached to the document under another name.",
        None if named => "The file is not the signed file with this name.",
        None => "The file is not attached to the document.",
    };
    Err(Error::new(Code::FileMismatch, why))
}
