//! Filling in defaults: through `properties`, `items`, `allOf` and `$ref`, and never under a condition.

use crate::budget::{MAX_LEVELS, too_deep};
use crate::convert::is_header;
use crate::graph::{Graph, Node, values};
use serde_json::Value;
use sx_core::error::{Code, Error, Result};
use sx_core::json::{Limits, MAX_DEPTH};

/// Visits of values by subschemas, and names that are looked for.
const MAX_STEPS: usize = 10_000_000;

/// Fills in what is missing; whether there was anything. The header of the document is left as it is. `bytes` is the size
/// of the document, which stays within the limits.
///
/// Errors: `SchemaLimit` where defaults make room for further ones without end; `LimitExceeded`.
pub fn fill(graph: &Graph, document: &mut Value, limits: &Limits, bytes: usize) -> Result<bool> {
    if graph.nodes.iter().all(|node| node.default.is_none()) {
        return Ok(false);
    }
    let members = values(document).saturating_sub(1);
    let known = vec![None; graph.nodes.len()];
    let mut filling = Filling { graph, limits, known, steps: 0, bytes, members, is_filled: false };
    filling.visit(0, document, 0, 0)?;
    Ok(filling.is_filled)
}

struct Filling<'a> {
    graph: &'a Graph,
    limits: &'a Limits,
    /// The default of each subschema, once it was looked for.
    known: Vec<Option<Option<Default<'a>>>>,
    steps: usize,
    bytes: usize,
    members: usize,
    is_filled: bool,
}

/// A default, and what it takes.
#[derive(Clone, Copy)]
struct Default<'a> {
    value: &'a Value,
    bytes: usize,
    values: usize,
}

impl<'a> Filling<'a> {
    fn step(&mut self) -> Result<()> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MAX_STEPS {
            return Err(endless());
        }
        Ok(())
    }

    /// `depth` is that of the document, `level` counts the subschemas one in another.
    fn visit(&mut self, at: usize, value: &mut Value, depth: usize, level: usize) -> Result<()> {
        self.step()?;
        if depth > MAX_DEPTH {
            return Err(endless());
        }
        if level > MAX_LEVELS {
            return Err(too_deep());
        }
        let graph = self.graph;
        let Some(node) = graph.nodes.get(at) else { return Ok(()) };
        let below = (depth.saturating_add(1), level.saturating_add(1));
        match value {
            Value::Object(object) => {
                for (name, next) in &node.properties {
                    self.step()?;
                    if depth == 0 && is_header(name) {
                        continue;
                    }
                    if !object.contains_key(name)
                        && let Some(default) = self.default_of(*next)?
                    {
                        self.grow(name, default)?;
                        object.insert(name.clone(), default.value.clone());
                        self.is_filled = true;
                    }
                    if let Some(part) = object.get_mut(name) {
                        self.visit(*next, part, below.0, below.1)?;
                    }
                }
            }
            Value::Array(items) => self.visit_items(node, items, below)?,
            _ => {}
        }
        // Of two defaults the later one counts: what extends a schema stands after it.
        for next in node.applied.iter().rev() {
            self.visit(*next, value, depth, below.1)?;
        }
        Ok(())
    }

    fn visit_items(&mut self, node: &Node, items: &mut [Value], below: (usize, usize)) -> Result<()> {
        for (at, item) in items.iter_mut().enumerate() {
            // Beyond a list of subschemas stands `additionalItems`, which is not among what always applies.
            let next = if node.items.is_empty() { node.other_items.first() } else { node.items.get(at) };
            if let Some(next) = next {
                self.visit(*next, item, below.0, below.1)?;
            }
        }
        Ok(())
    }

    /// Counts a default that is filled in, before it takes memory.
    fn grow(&mut self, name: &str, default: Default<'a>) -> Result<()> {
        self.bytes = self.bytes.saturating_add(default.bytes).saturating_add(name.len());
        self.members = self.members.saturating_add(default.values);
        if self.bytes > self.limits.bytes || self.members > self.limits.members {
            return Err(Error::new(
                Code::LimitExceeded,
                "The defaults of the schema make the document too large.",
            ));
        }
        Ok(())
    }

    /// The default of a subschema: its own, else the last one of what it refers to. There are no cycles.
    fn default_of(&mut self, at: usize) -> Result<Option<Default<'a>>> {
        if let Some(Some(known)) = self.known.get(at) {
            return Ok(*known);
        }
        self.step()?;
        let graph = self.graph;
        let Some(node) = graph.nodes.get(at) else { return Ok(None) };
        let mut found = node.default.as_ref().map(|value| Default {
            value,
            bytes: value.to_string().len(),
            values: values(value),
        });
        for next in node.applied.iter().rev() {
            if found.is_some() {
                break;
            }
            found = self.default_of(*next)?;
        }
        if let Some(slot) = self.known.get_mut(at) {
            *slot = Some(found);
        }
        Ok(found)
    }
}

fn endless() -> Error {
    Error::new(Code::SchemaLimit, "The defaults of the schema recurse without end.")
}
