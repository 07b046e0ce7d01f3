//! Files that are attached to a document, in `sxFiles`: their entries, and how results name them
//! (protocol, section 6).

mod matching;
mod name;

pub use matching::find;
pub use name::safe as safe_name;

use crate::base64;
use crate::error::{Code, Error, Result};
use crate::hash::{is_sha256_hex, sha256_hex};
use crate::json::{self, Limits, Object, Value};
use alloc::string::String;
use alloc::vec::Vec;

const FILENAME: &str = "filename";
const MIME_TYPE: &str = "mimeType";
const SIZE: &str = "size";
const HASH: &str = "sha256";
const EMBEDDED: &str = "embedded";
const CONTENTS: &str = "contents";

/// An entry of `sxFiles`, borrowed from its document.
struct Entry<'a> {
    filename: &'a str,
    mime_type: &'a str,
    size: f64,
    sha256: &'a str,
    /// Base64, where the document holds the file.
    contents: Option<&'a str>,
}

fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

impl<'a> Entry<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let object = value.as_object()?;
        let contents = text(object, CONTENTS);
        let members = if contents.is_some() { 6 } else { 5 };
        let entry = Self {
            filename: text(object, FILENAME)?,
            mime_type: text(object, MIME_TYPE)?,
            size: object.get(SIZE)?.as_f64()?,
            sha256: text(object, HASH)?,
            contents,
        };
        let is_sound = object.len() == members
            && object.get(EMBEDDED)?.as_bool()? == contents.is_some()
            && is_mime_type(entry.mime_type)
            && is_size(entry.size)
            && is_sha256_hex(entry.sha256);
        is_sound.then_some(entry)
    }

    /// Whether what is embedded is the file that is described.
    fn is_whole(&self) -> bool {
        let Some(contents) = self.contents else { return true };
        let bytes = base64::decode_len(contents, self.size as usize); // saturates; no text is that long
        bytes.is_some_and(|bytes| sha256_hex(&bytes) == self.sha256)
    }
}

/// A whole number of bytes below 2^53.
fn is_size(number: f64) -> bool {
    let size = number as u64; // saturates; the comparison refuses fractions and what is out of range
    size as f64 == number && size < 1 << 53
}

/// Two names of RFC 6838 section 4.2, in lower case and without parameters.
fn is_mime_type(text: &str) -> bool {
    let is_letter = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_allowed = |b: &u8| is_letter(b) || b"!#$&-^_.+".contains(b);
    text.bytes().filter(|b| *b == b'/').count() == 1
        && text.as_bytes().split(|b| *b == b'/').all(|name| {
            name.len() <= 127 && name.first().is_some_and(is_letter) && name.iter().all(is_allowed)
        })
}

/// Whether a value has the form of `sxFiles`: an array of at least one entry. What is embedded is not looked at.
pub(crate) fn has_shape(files: &Value) -> bool {
    files
        .as_array()
        .is_some_and(|files| !files.is_empty() && files.iter().all(|file| Entry::of(file).is_some()))
}

/// The entries of a document's `sxFiles`, whose shape was checked.
fn known(files: Option<&Value>) -> impl Iterator<Item = Entry<'_>> {
    files.and_then(Value::as_array).unwrap_or_default().iter().filter_map(Entry::of)
}

/// Checks that what is embedded are the files that are described. The shape was checked.
///
/// Errors: `HashMismatch`.
pub(crate) fn check_contents(files: Option<&Value>) -> Result<()> {
    if known(files).all(|entry| entry.is_whole()) {
        return Ok(());
    }
    Err(Error::new(Code::HashMismatch, "An embedded file does not match its hash and size."))
}

/// `sxFiles` of the files that are to be attached: its JSON text, in which names may hold folders and whatever
/// else. `None` if there are none.
///
/// Errors: `LimitExceeded`; `InvalidOption`.
pub(crate) fn make(text: &str, limits: &Limits) -> Result<Option<Value>> {
    let mut files = json::parse(text.as_bytes(), limits)?;
    if files.as_array().is_some_and(<[Value]>::is_empty) {
        return Ok(None);
    }
    for file in files.as_array_mut().into_iter().flatten() {
        let Some(Value::String(filename)) = file.as_object_mut().and_then(|file| file.get_mut(FILENAME))
        else {
            continue;
        };
        *filename = name::safe(filename);
    }
    if !has_shape(&files) {
        let found =
            "An attachment needs a name, a size, a SHA-256 and a MIME type in lower case without parameters.";
        return Err(Error::new(Code::InvalidOption, found));
    }
    check_contents(Some(&files))?;
    Ok(Some(files))
}

/// The attachments as results show them, by safe names; and what there is to warn of.
pub(crate) fn shown(files: Option<&Value>) -> (Vec<Value>, Vec<Value>) {
    let mut attachments = Vec::new();
    let mut warnings = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (at, entry) in known(files).enumerate() {
        let filename = name::safe(entry.filename);
        let mut warn = |code: &str, message: &str| {
            let warning = [
                ("code", code.into()),
                ("attachment", Value::Number(at as f64)),
                ("message", message.into()),
            ];
            warnings.push(Object::from(warning).into());
        };
        if filename != entry.filename {
            warn("UnsafeFilename", "The signed name of this file contains folders or unsafe characters.");
        }
        let lower = filename.to_ascii_lowercase();
        if names.contains(&lower) {
            warn("SameFilename", "On some systems, an earlier file has the same name.");
        }
        names.push(lower);
        let mut object = Object::from([
            (FILENAME, filename.into()),
            (MIME_TYPE, entry.mime_type.into()),
            (SIZE, Value::Number(entry.size)),
            ("hash", entry.sha256.into()),
            (EMBEDDED, entry.contents.is_some().into()),
        ]);
        if let Some(contents) = entry.contents {
            object.insert("content".into(), contents.into());
        }
        attachments.push(object.into());
    }
    (attachments, warnings)
}
