//! No two subschemas have one `$id`: which of them a reference meant would be anyone's guess.

use crate::source::{reference, shown};
use referencing::{Draft, Registry, Resolver, ResourceRef};
use serde_json::Value;
use std::collections::HashMap;
use sx_core::error::{Code, Error, Result};

/// Looks through schemas, each with its `$id`.
///
/// Errors: `InvalidSchema`, `RefNotAllowed` for a `$id` that is no URI.
pub fn check<'r>(schemas: impl Iterator<Item = (&'r str, &'r Value)>, registry: &Registry<'_>) -> Result<()> {
    let mut seen = HashMap::new();
    for (id, schema) in schemas {
        visit(schema, &crate::resolver(registry, id)?, &mut seen)?;
    }
    Ok(())
}

fn visit<'r>(schema: &'r Value, outer: &Resolver<'_>, seen: &mut HashMap<String, &'r Value>) -> Result<()> {
    if let Some(Value::String(id)) = schema.get("$id")
        && schema.get("$ref").is_none()
    {
        let base = outer.base_uri();
        let uri = outer.resolve_uri(&base.borrow(), id).map_err(|error| reference(&error))?;
        let uri = uri.as_str();
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        if seen.insert(uri.to_owned(), schema).is_some_and(|other| other != schema) {
            let found = format!("Two different subschemas have the $id '{}'.", shown(uri));
            return Err(Error::new(Code::InvalidSchema, found));
        }
    }
    let inner =
        outer.in_subresource(ResourceRef::new(schema, Draft::Draft7)).map_err(|error| reference(&error))?;
    let definitions =
        schema.get("$defs").and_then(Value::as_object).into_iter().flatten().map(|(_, value)| value);
    for part in Draft::Draft7.subresources_of(schema).chain(definitions) {
        visit(part, &inner, seen)?;
    }
    Ok(())
}
