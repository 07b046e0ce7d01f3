//! Strict JSON: one reader and one writer (RFC 8785) for everything that is signed.

pub(crate) use sx_json::compare_names;
pub use sx_json::{Limits, MAX_DEPTH, Members, Object, Place, Value, places, utf16, write, write_into};
pub(crate) use sx_json::{write_member, write_string_into};

use crate::error::{Code, Error, Result};
use sx_json::Kind;

/// Reads one JSON text, with white space around it and nothing else; see [`sx_json::parse`].
///
/// # Errors
/// `NotJson`, `DuplicateKey`, `LossyNumber`, `LimitExceeded`.
pub fn parse(text: &[u8], limits: &Limits) -> Result<Value> {
    Ok(sx_json::parse(text, limits)?)
}

impl From<sx_json::Error> for Error {
    fn from(error: sx_json::Error) -> Self {
        let code = match error.kind {
            Kind::NotJson => Code::NotJson,
            Kind::DuplicateKey => Code::DuplicateKey,
            Kind::LossyNumber => Code::LossyNumber,
            Kind::LimitExceeded => Code::LimitExceeded,
        };
        Self { code, found: error.found }
    }
}
