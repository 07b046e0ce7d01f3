//! What the evaluation of a document takes, counted beforehand: time and stack.

use crate::graph::{self, Graph, Node};
use serde_json::Value;
use sx_core::error::{Code, Error, Result};

/// Steps: a second or two.
const MAX_STEPS: u64 = 10_000_000;
/// A large document may take more: so many for each of its values, and for each byte of its text.
const STEPS_OF_VALUE: u64 = 20;
const STEPS_OF_BYTE: u64 = 3;
/// Subschemas that are looked at one in another. An engine of JavaScript has a stack for some times as many.
pub const MAX_LEVELS: usize = 1_200;

/// So many bytes of a text at one place of a pattern are a step.
const MATCHED: u64 = 8;
/// So many bytes of a text that is read otherwise, as to count its characters.
const READ: u64 = 1024;

/// Refuses what would take too long or too deep before anything is evaluated. Patterns of names are not matched: all
/// members count.
///
/// `bytes`: of the text of the document.
///
/// Errors: `SchemaLimit`.
pub fn check(graph: &Graph, document: &Value, bytes: usize) -> Result<()> {
    let of_values = (graph::values(document) as u64).saturating_mul(STEPS_OF_VALUE);
    let most = MAX_STEPS.max(of_values.saturating_add((bytes as u64).saturating_mul(STEPS_OF_BYTE)));
    Count { graph, steps: 0, most }.visit(0, document, 0)
}

pub fn too_deep() -> Error {
    let found = format!("Validation passes through more than {MAX_LEVELS} nested subschemas.");
    Error::new(Code::SchemaLimit, found)
}

struct Count<'a> {
    graph: &'a Graph,
    steps: u64,
    most: u64,
}

impl Count<'_> {
    fn add(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.most {
            return Err(Error::new(
                Code::SchemaLimit,
                "Validating the document against its schema would take too long.",
            ));
        }
        Ok(())
    }

    fn visit(&mut self, at: usize, value: &Value, level: usize) -> Result<()> {
        if level > MAX_LEVELS {
            return Err(too_deep());
        }
        let graph = self.graph;
        let Some(node) = graph.nodes.get(at) else { return Ok(()) };
        self.add_own(node, value)?;
        let level = level.saturating_add(1);
        for next in node.in_place() {
            self.visit(next, value, level)?;
        }
        match value {
            Value::Object(object) => {
                for (name, next) in &node.properties {
                    if let Some(part) = object.get(name) {
                        self.visit(*next, part, level)?;
                    }
                }
                for next in &node.members {
                    for part in object.values() {
                        self.visit(*next, part, level)?;
                    }
                }
                for next in &node.names {
                    for name in object.keys() {
                        self.visit(*next, &Value::String(name.clone()), level)?;
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    match node.items.get(at) {
                        Some(next) => self.visit(*next, item, level)?,
                        None => {
                            for next in &node.other_items {
                                self.visit(*next, item, level)?;
                            }
                        }
                    }
                    for next in &node.members {
                        self.visit(*next, item, level)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What the keywords of a subschema itself take.
    fn add_own(&mut self, node: &Node, value: &Value) -> Result<()> {
        let costs = &node.costs;
        let matched = |bytes: usize, places: u64| {
            let bytes = bytes as u64;
            (bytes.saturating_mul(places) / MATCHED).saturating_add(bytes / READ)
        };
        let own = match value {
            Value::String(text) => matched(text.len(), costs.text).saturating_add(costs.options),
            Value::Object(object) => {
                let names: usize = if costs.name > 0 {
                    object.keys().map(|name| name.len().saturating_add(1)).sum()
                } else {
                    0
                };
                matched(names, costs.name).saturating_add(costs.compared).saturating_add(costs.looked_for)
            }
            Value::Array(_) if costs.is_unique => {
                costs.compared.saturating_add(graph::weight(value, self.most))
            }
            Value::Array(_) => costs.compared,
            _ => costs.options,
        };
        self.add(own.saturating_add(1))
    }
}
