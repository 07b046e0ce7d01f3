//! What a document breaks, and what is wrong with a schema, in words.

use crate::source::shown;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use std::collections::HashMap;
use sx_core::error::{Code, Error};
use sx_core::json::{self, Object};

/// No more are told than these.
const MOST: usize = 100;

/// A rule of a schema that a document breaks.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where in the document: a JSON pointer (RFC 6901), the empty text for all of it.
    pub path: String,
    /// The keyword of the schema.
    pub keyword: String,
    /// What is wrong there, without a full stop.
    pub message: String,
}

/// Why a document is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The code, and what was found.
    pub error: Error,
    /// Of `SchemaViolation` all that is wrong, at most 100.
    pub violations: Vec<Violation>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, violations: Vec::new() }
    }
}

impl Refusal {
    /// The violations as JSON.
    pub fn details(&self) -> String {
        let members = |violation: &Violation| {
            json::Value::Object(Object::from([
                ("path", violation.path.as_str().into()),
                ("keyword", violation.keyword.as_str().into()),
                ("message", violation.message.as_str().into()),
            ]))
        };
        json::write(&json::Value::Array(self.violations.iter().map(members).collect()))
    }
}

/// What is wrong with a document that is not valid.
///
/// `written`: the patterns as they were written, by those that the engine has.
pub fn of_document(validator: &Validator, document: &Value, written: &HashMap<String, String>) -> Refusal {
    let violations: Vec<Violation> =
        validator.iter_errors(document).take(MOST).map(|error| violation(&error, written)).collect();
    let mut found = String::from("The document does not match its schema");
    if let Some(first) = violations.first() {
        let place = if first.path.is_empty() { String::new() } else { format!(" at {}", first.path) };
        found = format!("{found}{place}: {} ({})", first.message, first.keyword);
    }
    let more = violations.len().saturating_sub(1);
    if more > 0 {
        found = format!("{found}, and {more} more");
    }
    Refusal { error: Error::new(Code::SchemaViolation, format!("{found}.")), violations }
}

fn violation(error: &ValidationError<'_>, written: &HashMap<String, String>) -> Violation {
    // What stands in the place of `false` is a keyword that allows nothing there.
    let keyword = match error.kind() {
        ValidationErrorKind::FalseSchema => last(error.schema_path().as_str()),
        kind => kind.keyword(),
    };
    let message = match error.kind() {
        ValidationErrorKind::Pattern { pattern } => {
            format!("does not match the pattern {}", written.get(pattern).unwrap_or(pattern))
        }
        _ => message(error),
    };
    Violation {
        path: shown(error.instance_path().as_str()),
        keyword: keyword.into(),
        message: shown(&message),
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("false")
}

fn listed(names: &[String]) -> String {
    names.iter().take(10).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn message(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("has members that are not allowed: {}", listed(unexpected))
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            "matches none of the alternatives".into()
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => "matches more than one of the alternatives".into(),
        ValidationErrorKind::Constant { expected_value } => format!("is not {expected_value}"),
        ValidationErrorKind::Contains => "has no item that matches the required schema".into(),
        ValidationErrorKind::Enum { options } => format!("is not one of {options}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("is not less than {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("is not greater than {limit}"),
        ValidationErrorKind::FalseSchema => "is not allowed".into(),
        ValidationErrorKind::Format { format } => format!("is not of the format {format}"),
        ValidationErrorKind::MaxItems { limit } => format!("has more than {limit} items"),
        ValidationErrorKind::MinItems { limit } => format!("has fewer than {limit} items"),
        ValidationErrorKind::Maximum { limit } => format!("is greater than {limit}"),
        ValidationErrorKind::Minimum { limit } => format!("is less than {limit}"),
        ValidationErrorKind::MaxLength { limit } => format!("has more than {limit} characters"),
        ValidationErrorKind::MinLength { limit } => format!("has fewer than {limit} characters"),
        ValidationErrorKind::Not { .. } => "matches an excluded schema".into(),
        ValidationErrorKind::PropertyNames { .. } => "has a member whose name is not allowed".into(),
        ValidationErrorKind::Required { property } => format!("lacks the member {property}"),
        ValidationErrorKind::Type { kind } => format!("is not of the type {}", types(kind)),
        ValidationErrorKind::UniqueItems => "has duplicate items".into(),
        _ => error.masked().to_string(),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

/// Why the crate does not take a schema, or a subschema that is at this place.
pub fn of_schema(error: &ValidationError<'_>, place: &str) -> Error {
    let path = shown(&format!("{place}{}", error.instance_path().as_str()));
    match error.kind() {
        ValidationErrorKind::Referencing(error) => crate::source::reference(error),
        ValidationErrorKind::Format { format } if format == "regex" => {
            let found = format!("A pattern of the schema is not valid, or too large (at '{path}').");
            Error::new(Code::UnsafePattern, found)
        }
        kind => {
            let found = format!(
                "The schema is not valid draft-07: the value at '{path}' {} ({}).",
                shown(&message(error)),
                kind.keyword()
            );
            Error::new(Code::InvalidSchema, found)
        }
    }
}
