//! A schema as a graph: its subschemas, and which of them are applied to the same value or to a part of it.

use crate::prepare::Walked;
use crate::source::{self, shown};
use crate::{ABSENT, DRAFT, MAX_SUBSCHEMAS, keywords, pattern};
use referencing::{Draft, Resolver, ResourceRef};
use serde_json::{Map, Value};
use sx_core::document::HEADER_SCHEMA;
use sx_core::error::{Code, Error, Result};

/// Of a subschema that is applied after each other to one value so many; each takes some stack.
const MAX_CHAIN: usize = 256;

/// The size of a pattern, and of all together; see [`pattern::Pattern`].
const MAX_PATTERN: u64 = 100_000;
const MAX_PATTERNS: u64 = 500_000;

/// Formats that are checked.
const FORMATS: &[&str] = &["date", "date-time", "email", "uuid"];

/// A subschema.
#[derive(Default)]
pub struct Node {
    /// Its `default`.
    pub default: Option<Value>,
    /// Members of `allOf`, or the target of `$ref`: applied to the same value, whatever it is.
    pub applied: Vec<usize>,
    /// Others that are applied to the same value: conditions and alternatives.
    pub conditional: Vec<usize>,
    /// Of members, by name.
    pub properties: Vec<(String, usize)>,
    /// Of items by their place; where that is missing, of all others.
    pub items: Vec<usize>,
    pub other_items: Vec<usize>,
    /// Of further members, whatever their names.
    pub members: Vec<usize>,
    /// Of the names of members.
    pub names: Vec<usize>,
    /// What its own keywords cost.
    pub costs: Costs,
}

/// What the keywords of a subschema cost that are not done in one step.
#[derive(Default)]
pub struct Costs {
    /// Of a byte of a text: the steps of `pattern`.
    pub text: u64,
    /// Of a byte of a name: those of `patternProperties`.
    pub name: u64,
    /// Of any value: the options of `enum`.
    pub options: u64,
    /// Of a list or an object: all that is in `enum` and `const`.
    pub compared: u64,
    /// Of an object: the names that are looked for.
    pub looked_for: u64,
    /// Whether all that is in a list is compared.
    pub is_unique: bool,
}

impl Node {
    /// What is applied to the same value.
    pub fn in_place(&self) -> impl Iterator<Item = usize> {
        self.applied.iter().chain(&self.conditional).copied()
    }
}

/// All subschemas that can be reached; the first one is the schema itself.
pub struct Graph {
    pub nodes: Vec<Node>,
    /// `$id`s that are referred to and not there.
    pub missing: Vec<String>,
}

struct Builder<'r> {
    nodes: Vec<Node>,
    missing: Vec<String>,
    walked: Walked,
    size: u64,
    waiting: Vec<Waiting<'r>>,
}

/// A subschema that is visited later.
struct Waiting<'r> {
    at: usize,
    value: &'r Value,
    resolver: Resolver<'r>,
    /// Where it is, for people.
    place: String,
}

impl Graph {
    /// Walks over a schema and all that it refers to.
    ///
    /// Errors: `InvalidSchema`, `SchemaLimit`, `RefNotAllowed`, `UnsafePattern`.
    pub fn of<'r>(schema: &'r Value, resolver: &Resolver<'r>) -> Result<(Self, Walked)> {
        let mut builder = Builder {
            nodes: Vec::new(),
            missing: Vec::new(),
            walked: Walked::default(),
            size: 0,
            waiting: Vec::new(),
        };
        builder.node(schema, resolver, "")?;
        while let Some(Waiting { at, value, resolver, place }) = builder.waiting.pop() {
            let node = builder.visit(value, &resolver, &place, at == 0)?;
            if let Some(slot) = builder.nodes.get_mut(at) {
                *slot = node;
            }
        }
        Ok((Self { nodes: builder.nodes, missing: builder.missing }, builder.walked))
    }

    /// Refuses what never ends or takes too long.
    ///
    /// Errors: `SchemaLimit`.
    pub fn judge(&self) -> Result<()> {
        let in_place = self.measure();
        if in_place.has_cycle {
            return Err(Error::new(Code::SchemaLimit, "A $ref of the schema recurses without end."));
        }
        if in_place.size > MAX_SUBSCHEMAS {
            let found = format!("The schema applies more than {MAX_SUBSCHEMAS} subschemas to one value.");
            return Err(Error::new(Code::SchemaLimit, found));
        }
        if in_place.depth > MAX_CHAIN {
            let found = format!("A chain of references has more than {MAX_CHAIN} subschemas.");
            return Err(Error::new(Code::SchemaLimit, found));
        }
        Ok(())
    }

    /// What is applied to one value, each counted as often as it is.
    fn measure(&self) -> Measure {
        let mut done: Vec<Option<(usize, usize)>> = vec![None; self.nodes.len()];
        let mut open = vec![false; self.nodes.len()];
        let mut all = Measure { size: 0, depth: 0, has_cycle: false };
        for start in 0..self.nodes.len() {
            let mut stack = vec![(start, false)];
            while let Some((at, is_left)) = stack.pop() {
                let Some(node) = self.nodes.get(at) else { continue };
                if done.get(at).is_some_and(Option::is_some) {
                    continue;
                }
                let next: Vec<usize> = node.in_place().collect();
                if is_left {
                    let measured = next.iter().filter_map(|&to| done.get(to).copied().flatten());
                    let (size, depth) = measured.fold((1_usize, 0_usize), |(size, depth), (more, deeper)| {
                        (size.saturating_add(more), depth.max(deeper))
                    });
                    let found = (size, depth.saturating_add(1));
                    set(&mut done, at, Some(found));
                    set(&mut open, at, false);
                    all.size = all.size.max(found.0);
                    all.depth = all.depth.max(found.1);
                } else if open.get(at) == Some(&true) {
                    all.has_cycle = true;
                } else {
                    set(&mut open, at, true);
                    stack.push((at, true));
                    stack.extend(next.into_iter().map(|to| (to, false)));
                }
            }
        }
        all
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

struct Measure {
    size: usize,
    depth: usize,
    has_cycle: bool,
}

impl<'r> Builder<'r> {
    /// The number of a subschema; it is visited later if it is new.
    fn node(&mut self, value: &'r Value, resolver: &Resolver<'r>, place: &str) -> Result<usize> {
        if !value.is_object() && !value.is_boolean() {
            return Err(keywords::no_schema(place));
        }
        if let Some(&known) = self.walked.known.get(&core::ptr::from_ref(value)) {
            return Ok(known);
        }
        let at = self.nodes.len();
        if at >= MAX_SUBSCHEMAS {
            let found = format!("The schema has more than {MAX_SUBSCHEMAS} subschemas.");
            return Err(Error::new(Code::SchemaLimit, found));
        }
        self.walked.known.insert(core::ptr::from_ref(value), at);
        self.nodes.push(Node::default());
        let inner = resolver.in_subresource(ResourceRef::new(value, Draft::Draft7));
        let resolver = inner.map_err(|error| source::reference(&error))?;
        self.waiting.push(Waiting { at, value, resolver, place: shown(place) });
        Ok(at)
    }

    /// The subschemas of a keyword: one, or a list.
    fn nodes(
        &mut self,
        schema: &'r Map<String, Value>,
        keyword: &str,
        resolver: &Resolver<'r>,
        place: &str,
    ) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        match schema.get(keyword) {
            None => {}
            Some(Value::Array(values)) => {
                for (at, value) in values.iter().enumerate() {
                    found.push(self.node(value, resolver, &format!("{place}/{keyword}/{at}"))?);
                }
            }
            Some(value) => found.push(self.node(value, resolver, &format!("{place}/{keyword}"))?),
        }
        Ok(found)
    }

    fn visit(
        &mut self,
        value: &'r Value,
        resolver: &Resolver<'r>,
        place: &str,
        is_root: bool,
    ) -> Result<Node> {
        let Value::Object(schema) = value else { return Ok(Node::default()) };
        if !is_root {
            self.check_draft(schema)?;
        }
        keywords::check(schema, place)?;
        let mut node = Node { default: schema.get("default").cloned(), ..Node::default() };
        if let Some(Value::String(reference)) = schema.get("$ref") {
            node.default = None; // draft-07: whatever stands beside a `$ref` is ignored
            node.applied.extend(self.target(reference, resolver)?);
            return Ok(node);
        }
        check_format(schema)?;
        node.costs = costs(schema);
        if let Some(Value::String(pattern)) = schema.get("pattern") {
            node.costs.text = self.pattern(pattern)?;
        }
        node.applied = self.nodes(schema, "allOf", resolver, place)?;
        for keyword in ["anyOf", "oneOf", "not", "if", "then", "else"] {
            node.conditional.extend(self.nodes(schema, keyword, resolver, place)?);
        }
        for (name, value) in object(schema, "properties") {
            node.properties
                .push((name.clone(), self.node(value, resolver, &format!("{place}/properties/{name}"))?));
        }
        for (name, value) in object(schema, "patternProperties") {
            node.costs.name = node.costs.name.saturating_add(self.pattern(name)?);
            node.members.push(self.node(value, resolver, &format!("{place}/patternProperties/{name}"))?);
        }
        node.members.extend(self.nodes(schema, "additionalProperties", resolver, place)?);
        node.names = self.nodes(schema, "propertyNames", resolver, place)?;
        for (name, value) in object(schema, "dependencies") {
            if !value.is_array() {
                node.conditional.push(self.node(value, resolver, &format!("{place}/dependencies/{name}"))?);
            }
        }
        let items = self.nodes(schema, "items", resolver, place)?;
        let others = self.nodes(schema, "additionalItems", resolver, place)?;
        if schema.get("items").is_some_and(Value::is_array) {
            node.items = items;
            node.other_items = others;
        } else {
            node.other_items = items;
        }
        // Each item is looked at by `contains` too.
        node.members.extend(self.nodes(schema, "contains", resolver, place)?);
        // Definitions count, whether something refers to them or not: they are compiled, or may be.
        for keyword in ["definitions", "$defs"] {
            for (name, value) in object(schema, keyword) {
                self.node(value, resolver, &format!("{place}/{keyword}/{name}"))?;
            }
        }
        Ok(node)
    }

    /// Translates a pattern; its steps.
    fn pattern(&mut self, pattern: &str) -> Result<u64> {
        let steps = match self.walked.patterns.get(pattern) {
            Some(known) => (known.steps, known.size),
            None => {
                let translated = pattern::translate(pattern)?;
                if translated.size > MAX_PATTERN {
                    let found = format!("The pattern '{}' is too large.", shown(pattern));
                    return Err(Error::new(Code::UnsafePattern, found));
                }
                let found = (translated.steps, translated.size);
                self.walked.patterns.insert(pattern.to_owned(), translated);
                found
            }
        };
        self.size = self.size.saturating_add(steps.1);
        if self.size > MAX_PATTERNS {
            return Err(Error::new(Code::SchemaLimit, "The patterns of the schema are too large in total."));
        }
        Ok(steps.0)
    }

    /// A subschema of another draft would be understood as what it is not.
    fn check_draft(&self, schema: &Map<String, Value>) -> Result<()> {
        match schema.get("$schema") {
            Some(Value::String(draft)) if !source::is_draft_07(draft) => {
                let found = format!("A subschema uses '{}' instead of draft-07 ({DRAFT}#).", shown(draft));
                Err(Error::new(Code::InvalidSchema, found))
            }
            _ => Ok(()),
        }
    }

    fn target(&mut self, reference: &str, resolver: &Resolver<'r>) -> Result<Option<usize>> {
        let wrong = |error| source::reference(&error);
        let base = resolver.base_uri();
        let uri = resolver.resolve_uri(&base.borrow(), reference).map_err(wrong)?;
        let whole = uri.as_str();
        let document = whole.split_once('#').map_or(whole, |(document, _)| document);
        if META_SCHEMAS.iter().any(|base| document.starts_with(base)) {
            let found = format!("The schema refers to '{}', which was not passed.", shown(document));
            return Err(Error::new(Code::RefNotAllowed, found));
        }
        // The library's own schemas are these, and no others.
        let is_absent = |value: &Value| value.as_str() == Some(ABSENT);
        let found = resolver.lookup(document).map_err(wrong)?;
        if is_absent(found.contents()) {
            if document.starts_with(sx_core::document::SCHEMA_BASE) && document != HEADER_SCHEMA {
                let found = format!("The library has no schema '{}'.", shown(document));
                return Err(Error::new(Code::RefNotAllowed, found));
            }
            self.missing.push(document.to_owned());
            return Ok(None);
        }
        let (target, resolver, _) = resolver.lookup(reference).map_err(wrong)?.into_inner();
        Ok(Some(self.node(target, &resolver, reference)?))
    }
}

/// Where the meta-schemas are, which the crate knows: of other vocabularies, and with formats that are not checked.
const META_SCHEMAS: [&str; 2] = ["http://json-schema.org/", "https://json-schema.org/"];

fn object<'r>(
    schema: &'r Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'r String, &'r Value)> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

fn check_format(schema: &Map<String, Value>) -> Result<()> {
    match schema.get("format") {
        Some(Value::String(format)) if !FORMATS.contains(&format.as_str()) => {
            let known = FORMATS.join(", ");
            let found =
                format!("The format '{}' is not one of the supported formats: {known}.", shown(format));
            Err(Error::new(Code::InvalidSchema, found))
        }
        _ => Ok(()),
    }
}

/// What takes more than a step.
fn costs(schema: &Map<String, Value>) -> Costs {
    let options = schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // Strings alone, or whole numbers alone, are not compared one by one.
    let is_quick = options.iter().all(|option| option.is_string() || option.is_null())
        || options.iter().all(|option| option.as_i64().is_some() || option.is_null());
    let compared = |value: Option<&Value>| value.map_or(0, |value| weight(value, u64::MAX));
    let count = |keyword: &str| match schema.get(keyword) {
        Some(Value::Array(names)) => names.len() as u64,
        Some(Value::Object(names)) => names.len() as u64,
        _ => 0,
    };
    Costs {
        options: if is_quick { 0 } else { options.len() as u64 },
        compared: compared(schema.get("enum").filter(|_| !is_quick))
            .saturating_add(compared(schema.get("const"))),
        looked_for: count("properties")
            .saturating_add(count("required"))
            .saturating_add(count("dependencies")),
        is_unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        ..Costs::default()
    }
}

/// The values in a value, and its texts by their length; no more is counted than `most`.
pub fn weight(value: &Value, most: u64) -> u64 {
    let length = |text: &str| text.len() as u64 / 64;
    let mut sum = 1_u64;
    match value {
        Value::String(text) => sum = sum.saturating_add(length(text)),
        Value::Array(items) => {
            for item in items {
                if sum > most {
                    break;
                }
                sum = sum.saturating_add(weight(item, most.saturating_sub(sum)));
            }
        }
        Value::Object(members) => {
            for (name, part) in members {
                if sum > most {
                    break;
                }
                sum = sum.saturating_add(length(name)).saturating_add(weight(part, most.saturating_sub(sum)));
            }
        }
        _ => {}
    }
    sum
}

/// The values in a value, itself included.
pub fn values(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>().saturating_add(1),
        Value::Object(members) => members.values().map(values).sum::<usize>().saturating_add(1),
        _ => 1,
    }
}
