//! Schemas as the crate that evaluates them takes them.

use crate::pattern::Pattern;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What is known of the schemas after they were walked over. It points into them.
#[derive(Default)]
pub struct Walked {
    /// The subschemas that can be reached, with their numbers.
    pub known: HashMap<*const Value, usize>,
    /// Their patterns, for the engine.
    pub patterns: HashMap<String, Pattern>,
}

impl Walked {
    /// The same value with all patterns translated. A `$ref` to the whole schema is written as `#`: an empty one, which
    /// means the same, the crate leaves out.
    pub fn prepared(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(|item| self.prepared(item)).collect()),
            Value::Object(object) => {
                let mut copy: Map<String, Value> =
                    object.iter().map(|(name, value)| (name.clone(), self.prepared(value))).collect();
                if self.known.contains_key(&core::ptr::from_ref(value)) {
                    self.prepare(&mut copy);
                }
                Value::Object(copy)
            }
            other => other.clone(),
        }
    }

    fn prepare(&self, schema: &mut Map<String, Value>) {
        if let Some(reference) = schema.get_mut("$ref").filter(|value| value.is_string()) {
            if reference == "" {
                *reference = "#".into();
            }
            return;
        }
        if let Some(Value::String(pattern)) = schema.get_mut("pattern")
            && let Some(translated) = self.patterns.get(pattern)
        {
            pattern.clone_from(&translated.text);
        }
        if let Some(Value::Object(named)) = schema.get_mut("patternProperties") {
            let mut translated = Map::new();
            for (pattern, value) in core::mem::take(named) {
                let mut name = self.patterns.get(&pattern).map_or(pattern, |pattern| pattern.text.clone());
                while translated.contains_key(&name) {
                    name.push_str("(?:)"); // two that mean the same are two
                }
                translated.insert(name, value);
            }
            *named = translated;
        }
    }

    /// The patterns as they were written, by what they became.
    pub fn written(&self) -> HashMap<String, String> {
        let changed = self.patterns.iter().filter(|(written, pattern)| **written != pattern.text);
        changed.map(|(written, pattern)| (pattern.text.clone(), written.clone())).collect()
    }
}
