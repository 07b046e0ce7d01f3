//! Reading the text of a schema, and what it says of itself.

use crate::{DRAFT, MAX_BYTES, convert, keywords};
use referencing::Registry;
use serde_json::Value;
use sx_core::document::check_schema_id;
use sx_core::error::{Code, Error, Result};
use sx_core::json::{self, Limits};

/// A schema that was handed in.
pub struct Source {
    /// Its `$id`, without an empty fragment.
    pub id: String,
    pub value: Value,
}

/// Of a text that nobody vouches for so much is repeated.
pub fn shown(text: &str) -> String {
    text.chars().take(200).filter(|c| !c.is_control() && *c != '\'').collect()
}

fn invalid(found: &str) -> Error {
    Error::new(Code::InvalidSchema, found)
}

/// Reads a schema.
///
/// Errors: `SchemaLimit` for more than 1 MiB; `InvalidSchema`.
pub fn read(text: &str) -> Result<Source> {
    if text.len() > MAX_BYTES {
        let found = format!("The schema has {} bytes; the limit is {MAX_BYTES}.", text.len());
        return Err(Error::new(Code::SchemaLimit, found));
    }
    let parsed = json::parse(text.as_bytes(), &Limits::default()).map_err(|error| match error.code {
        Code::LimitExceeded => {
            Error::new(Code::SchemaLimit, "The schema is nested too deeply, or has too many members.")
        }
        code => Error::new(Code::InvalidSchema, format!("The schema is not strict JSON ({}).", code.name())),
    })?;
    let value = convert::to_serde(&parsed);
    let Value::Object(schema) = &value else { return Err(invalid("The schema is not a JSON object.")) };
    match schema.get("$schema") {
        Some(Value::String(draft)) if is_draft_07(draft) => {}
        Some(Value::String(other)) => {
            let found = format!("The schema uses '{}' instead of draft-07 ({DRAFT}#).", shown(other));
            return Err(invalid(&found));
        }
        _ => return Err(invalid(&format!("The schema has no $schema. It must be {DRAFT}#."))),
    }
    let Some(Value::String(id)) = schema.get("$id") else { return Err(invalid("The schema has no $id.")) };
    let id = id.strip_suffix('#').unwrap_or(id).to_owned();
    check_schema_id(&id)?;
    keywords::check_whole(&value)?;
    Ok(Source { id, value })
}

/// Whether a `$schema` is the one that is known.
pub fn is_draft_07(draft: &str) -> bool {
    let draft = draft.strip_suffix('#').unwrap_or(draft);
    draft == DRAFT || draft.strip_prefix("https") == DRAFT.strip_prefix("http")
}

/// The `$id` of what a custom schema extends.
///
/// Errors: `InvalidSchema` if it extends nothing.
pub fn base(schema: &Source, registry: &Registry<'_>) -> Result<String> {
    if schema.value.get("$ref").is_some() {
        let found = format!("'{}' has a $ref next to allOf, which draft-07 then ignores.", shown(&schema.id));
        return Err(invalid(&found));
    }
    let first = schema.value.get("allOf").and_then(|all| all.get(0)).and_then(|first| first.get("$ref"));
    let Some(Value::String(first)) = first else {
        let found = format!(
            "The first item of allOf in '{}' is not a $ref to the header schema or a custom schema.",
            shown(&schema.id)
        );
        return Err(invalid(&found));
    };
    let resolver = crate::resolver(registry, &schema.id)?;
    let base = resolver.base_uri();
    let uri = resolver.resolve_uri(&base.borrow(), first).map_err(|error| reference(&error))?;
    let uri = uri.as_str();
    Ok(uri.strip_suffix('#').unwrap_or(uri).to_owned())
}

/// What is wrong with a reference, or with an `$id`.
pub fn reference(error: &referencing::Error) -> Error {
    let found = format!(
        "A $ref of the schema cannot be resolved: {}.",
        shown(&error.to_string()).trim_end_matches('.')
    );
    Error::new(Code::RefNotAllowed, found)
}
