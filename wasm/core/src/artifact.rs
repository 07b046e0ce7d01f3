//! Artifacts: what an agent has made, with the signed artifacts that it was made from (protocol, section 6).

use crate::document::{Author, Header, Made, Making, create_of, field};
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Object, Value, write_string_into};
use crate::moment::Moment;
use alloc::string::String;

/// `sxLevel` of an artifact.
pub const LEVEL: &str = "artifact";
/// The member that holds the artifacts it was made from, whole.
pub const PARENTS: &str = "parentSignatures";

fn invalid(what: &str) -> Error {
    Error::new(Code::InvalidDocument, what)
}

/// Wraps and signs an artifact, any JSON value. Its parents are not looked at: whoever signs has
/// verified each of what [`parents`] gives.
///
/// `parents`: an array of signed artifacts; none if it is empty.
///
/// Errors: those of the reader; `InvalidDocument` for a type that is none, and for parents that are no
/// array; `ReservedField` for a type that only the library gives; `LimitExceeded`.
pub fn create(
    author: &Author<'_>,
    artifact: &[u8],
    artifact_type: &str,
    parents: Option<&[u8]>,
    moment: &Moment,
) -> Result<Made> {
    let limits = &author.limits;
    let mut document = Object::new();
    document.insert(field::TYPE.into(), artifact_type.into());
    document.insert(field::LEVEL.into(), LEVEL.into());
    document.insert(field::CONTENT.into(), json::parse(artifact, limits)?);
    if let Some(parents) = parents {
        let parents = json::parse(parents, limits)?;
        if !list(&parents)?.is_empty() {
            document.insert(PARENTS.into(), parents);
        }
    }
    create_of(author, document, &Making::default(), moment)
}

fn list(parents: &Value) -> Result<&[Value]> {
    parents.as_array().ok_or_else(|| invalid("The parents of an artifact are not an array."))
}

/// The parents of an artifact, or the items of an array of parents, each as canonical text, in an array of
/// JSON. No signature is looked at.
///
/// Errors: those of the reader and of [`Header::of`]; `InvalidDocument` for what is no artifact: one has
/// the level, `content`, and parents that are an array, if any.
pub fn parents(text: &[u8], is_list: bool, limits: &Limits) -> Result<String> {
    let value = json::parse(text, limits)?;
    let parents = if is_list { Some(&value) } else { parents_of(&value)? };
    let mut texts = String::from("[");
    for (at, parent) in parents.map_or(Ok(&[][..]), list)?.iter().enumerate() {
        if at > 0 {
            texts.push(',');
        }
        write_string_into(&json::write(parent), &mut texts);
    }
    texts.push(']');
    Ok(texts)
}

fn parents_of(document: &Value) -> Result<Option<&Value>> {
    let header = Header::of(document)?;
    match document.as_object() {
        Some(object) if header.level == LEVEL && object.contains(field::CONTENT) => Ok(object.get(PARENTS)),
        _ => Err(invalid(
            "The document is not an artifact: its 'sxLevel' is different, or it has no 'content'.",
        )),
    }
}
