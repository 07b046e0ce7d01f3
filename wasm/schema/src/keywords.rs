//! Whether subschemas are valid by the meta-schema of draft-07, each by itself.

use crate::violations;
use jsonschema::error::ValidationErrorKind;
use jsonschema::meta::MetaValidator;
use serde_json::{Map, Value};
use sx_core::error::{Code, Error, Result};

thread_local! {
    /// The crate compiles the meta-schema anew each time it is asked for it.
    static META: MetaValidator<'static> = jsonschema::draft7::meta::validator();
}

/// Checks a whole schema: all that the meta-schema knows, reached or not.
///
/// Errors: `InvalidSchema`.
pub fn check_whole(schema: &Value) -> Result<()> {
    held_against(schema, "")
}

/// Checks the keywords of a subschema, but not what is below it: where that is, the meta-schema may not know.
///
/// Errors: `InvalidSchema`.
pub fn check(schema: &Map<String, Value>, place: &str) -> Result<()> {
    let alone = schema.iter().map(|(name, value)| (name.clone(), shallow(name, value)));
    held_against(&Value::Object(alone.collect()), place)
}

fn held_against(schema: &Value, place: &str) -> Result<()> {
    // Patterns and references are looked at elsewhere.
    let is_other = |error: &jsonschema::ValidationError<'_>| !matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex" || format == "uri-reference");
    META.with(|meta| match meta.iter_errors(schema).find(is_other) {
        Some(error) => Err(violations::of_schema(&error, place)),
        None => Ok(()),
    })
}

/// What is no schema at all.
pub fn no_schema(place: &str) -> Error {
    let found = format!(
        "The value at '{}' is not a schema: it is not an object, true or false.",
        crate::source::shown(place)
    );
    Error::new(Code::InvalidSchema, found)
}

/// The value of a keyword, without what is below its subschemas.
fn shallow(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("const" | "default", _) | ("enum" | "examples", Value::Array(_)) => Value::Array(Vec::new()),
        (
            "additionalItems"
            | "additionalProperties"
            | "contains"
            | "else"
            | "if"
            | "items"
            | "not"
            | "propertyNames"
            | "then",
            Value::Object(_),
        ) => Value::Bool(true),
        ("allOf" | "anyOf" | "oneOf" | "items", Value::Array(schemas)) => {
            Value::Array(schemas.iter().map(empty).collect())
        }
        ("definitions" | "dependencies" | "patternProperties" | "properties", Value::Object(schemas)) => {
            Value::Object(schemas.iter().map(|(name, value)| (name.clone(), empty(value))).collect())
        }
        _ => value.clone(),
    }
}

fn empty(value: &Value) -> Value {
    if value.is_object() { Value::Bool(true) } else { value.clone() }
}
