//! Between the core's values and those of the crate that evaluates schemas.

use serde_json::{Map, Number, Value};
use sx_core::document::field;
use sx_core::json::{self, Object};

/// Whole numbers below 2^53 become integers, as their canonical text has no point either.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A value of the core.
pub fn to_serde(value: &json::Value) -> Value {
    match value {
        json::Value::Null => Value::Null,
        json::Value::Bool(value) => Value::Bool(*value),
        json::Value::Number(value) if value.abs() < WHOLE && value.fract() == 0.0 => {
            Value::Number(Number::from(*value as i64))
        }
        json::Value::Number(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        json::Value::String(text) => Value::String(text.clone()),
        json::Value::Array(items) => Value::Array(items.iter().map(to_serde).collect()),
        json::Value::Object(object) => {
            Value::Object(object.iter().map(|(name, value)| (name.to_owned(), to_serde(value))).collect())
        }
    }
}

fn from_serde(value: &Value) -> json::Value {
    match value {
        Value::Null => json::Value::Null,
        Value::Bool(value) => json::Value::Bool(*value),
        Value::Number(number) => json::Value::Number(number.as_f64().unwrap_or_default()),
        Value::String(text) => json::Value::String(text.clone()),
        Value::Array(items) => json::Value::Array(items.iter().map(from_serde).collect()),
        Value::Object(object) => json::Value::Object(members(object, |_| true)),
    }
}

fn members(object: &Map<String, Value>, wanted: impl Fn(&str) -> bool) -> Object {
    let wanted = object.iter().filter(|(name, _)| wanted(name));
    wanted.map(|(name, value)| (name.clone(), from_serde(value))).collect()
}

/// A document without its header, but for the members in `kept`.
pub fn body(document: &Value, kept: &[&str]) -> json::Value {
    match document {
        Value::Object(object) => {
            json::Value::Object(members(object, |name| !is_header(name) || kept.contains(&name)))
        }
        other => from_serde(other),
    }
}

/// Whether the library sets this member of a document.
pub fn is_header(name: &str) -> bool {
    field::HEADER.contains(&name) || field::is_reserved(name)
}
