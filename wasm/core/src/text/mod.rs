//! Signed texts: blocks of signatures after a text (protocol, section 20).

mod block;
mod content;
mod layout;
mod looks;
mod sign;
mod verify;
mod warnings;

pub use block::{BEGIN, DOCUMENT_TYPE, END, SCHEME};
pub use sign::{Splice, sign};
pub use verify::TextVerification;
pub use warnings::{Kind, MAX_WARNINGS, Warning};

use crate::error::{Code, Error, Result};
use crate::json::Limits;
use alloc::format;

/// So many signatures a text may have.
pub const MAX_BLOCKS: usize = 500;

/// A line is not where, or not as, the library would have written it.
fn malformed(line: usize, what: &str) -> Error {
    Error::new(Code::MalformedText, format!("Line {line} {what}."))
}

/// Errors: `LimitExceeded`.
fn check_size(bytes: usize, limits: &Limits) -> Result<()> {
    if bytes <= limits.bytes {
        return Ok(());
    }
    let found = format!("The text has {bytes} bytes; the limit is {}.", limits.bytes);
    Err(Error::new(Code::LimitExceeded, found))
}

/// The text that bytes are.
///
/// Errors: `NotText`.
fn text_of(bytes: &[u8]) -> Result<&str> {
    let not = |found: &str| Error::new(Code::NotText, found);
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(not("The bytes are UTF-16 text."));
    }
    let text = core::str::from_utf8(bytes)
        .map_err(|error| not(&format!("The text is not UTF-8 at byte {}.", error.valid_up_to())))?;
    match bytes.iter().position(|b| *b == 0) {
        Some(at) => Err(not(&format!("There is a NUL at byte {at}, as in UTF-16 and binary files."))),
        None => Ok(text),
    }
}
