//! Strict JSON: one reader and one writer (RFC 8785) for everything that is signed.

pub use sx_json::{Limits, MAX_DEPTH, Members, Object, Place, Value, places, utf16, write, write_into};
pub(crate) use sx_json::{compare_names, sort_members};
pub(crate) use sx_json::{write_member, write_string_into};

use crate::error::{Code, Error, Result};
use alloc::string::String;
use alloc::vec::Vec;
use sx_json::Kind;

/// Reads one JSON text, with white space around it and nothing else; see [`sx_json::parse`].
///
/// # Errors
/// `NotJson`, `DuplicateKey`, `LossyNumber`, `LimitExceeded`.
pub fn parse(text: &[u8], limits: &Limits) -> Result<Value> {
    Ok(sx_json::parse(text, limits)?)
}

/// The canonical text of a JSON text that is within the default limits.
///
/// Errors: those of [`parse`].
pub fn canonical(text: &[u8]) -> Result<String> {
    Ok(write(&parse(text, &Limits::default())?))
}

/// An object of these members. Not generic over their number, unlike `Object::from`: the core is downloaded.
pub(crate) fn object(members: Vec<(&str, Value)>) -> Object {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name.into(), value);
    }
    object
}

/// The text of an object of texts; `None` is `null`.
pub(crate) fn texts(members: &[(&str, Option<&str>)]) -> String {
    let members = members.iter().map(|(name, text)| ((*name).into(), text.map_or(Value::Null, Value::from)));
    write(&Value::Object(members.collect()))
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
