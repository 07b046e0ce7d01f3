//! Custom schemas: JSON Schema draft-07 with narrow bounds (protocol, section 22).
//!
//! A schema is read, looked at as a whole ([`graph`]), and only then handed to the crate that evaluates it: what refers
//! to elsewhere, never ends, or would take too long is refused before.

mod budget;
mod convert;
mod defaults;
mod graph;
mod ids;
mod keywords;
mod pattern;
mod prepare;
mod source;
mod violations;

pub use violations::{Refusal, Violation};

use graph::Graph;
use jsonschema::{PatternOptions, Validator};
use prepare::Walked;
use referencing::{Registry, Resolver, Retrieve, Uri};
use serde_json::{Value, json};
use source::Source;
use std::collections::HashMap;
use sx_core::document::HEADER_SCHEMA;
use sx_core::error::{Code, Error, Result};
use sx_core::json::{self, Limits};

/// Bytes of a schema.
pub const MAX_BYTES: usize = 1 << 20;
/// Subschemas that can be reached from a schema, and that are applied to one value.
pub const MAX_SUBSCHEMAS: usize = 10_000;
/// Schemas that are handed in together.
pub const MAX_SCHEMAS: usize = 1_000;
/// Bytes that a compiled pattern may take: what the largest one that is let through needs, and more.
const MAX_PATTERN: usize = 16 << 20;

const HEADER_TEXT: &str = include_str!("../../../schemas/header/v1/header.schema.json");
const DRAFT: &str = "http://json-schema.org/draft-07/schema";

/// A schema, ready to be applied.
pub struct Schema {
    id: String,
    validator: Validator,
    graph: Graph,
    /// Its patterns as they were written, by those of the engine.
    written: HashMap<String, String>,
}

/// Stands where a schema is referred to that nobody has handed in. Nothing is ever retrieved.
struct Absent;

/// What is found in the place of such a schema.
const ABSENT: &str = "absent";

impl Retrieve for Absent {
    fn retrieve(
        &self,
        _: &Uri<String>,
    ) -> core::result::Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Value::String(ABSENT.into()))
    }
}

/// What a schema is made of: itself, and those that it can refer to.
struct Sources {
    main: Source,
    others: Vec<Source>,
    header: Value,
}

impl Sources {
    fn read(main: &str, others: &[&str]) -> Result<Self> {
        if others.len() > MAX_SCHEMAS {
            let found = format!("There are {} schemas; the limit is {MAX_SCHEMAS}.", others.len());
            return Err(Error::new(Code::SchemaLimit, found));
        }
        let main = source::read(main)?;
        let mut kept: Vec<Source> = Vec::new();
        for text in others {
            let other = source::read(text)?;
            let same = core::iter::once(&main).chain(&kept).find(|known| known.id == other.id);
            match same {
                None => kept.push(other),
                Some(known) if known.value == other.value => {}
                Some(_) => {
                    let found = format!("Two different schemas have the $id '{}'.", source::shown(&other.id));
                    return Err(Error::new(Code::InvalidSchema, found));
                }
            }
        }
        let header = json::parse(HEADER_TEXT.as_bytes(), &Limits::default())?;
        Ok(Self { main, others: kept, header: convert::to_serde(&header) })
    }

    /// The same as the crate that evaluates them takes them.
    fn prepared(&self, walked: &Walked) -> Self {
        let source =
            |source: &Source| Source { id: source.id.clone(), value: walked.prepared(&source.value) };
        let others = self.others.iter().map(source).collect();
        Self { main: source(&self.main), others, header: walked.prepared(&self.header) }
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        let given = core::iter::once(&self.main).chain(&self.others);
        given.map(|source| (source.id.as_str(), &source.value)).chain([(HEADER_SCHEMA, &self.header)])
    }

    /// All of them, to be referred to by `$id`.
    fn registry(&self) -> Result<Registry<'_>> {
        let mut builder = Registry::new().draft(referencing::Draft::Draft7).retriever(Absent);
        for (id, value) in self.all() {
            builder = builder.add(id, value).map_err(|error| source::reference(&error))?;
        }
        let registry = builder.prepare().map_err(|error| source::reference(&error))?;
        // A subschema can have a `$id` of its own. None may take the place of a schema that was handed in.
        for (id, value) in self.all() {
            let found = resolver(&registry, id)?.lookup(id).map_err(|error| source::reference(&error))?;
            if !core::ptr::eq(found.contents(), value) {
                let found = format!("A subschema has the $id '{}' of another schema.", source::shown(id));
                return Err(Error::new(Code::InvalidSchema, found));
            }
        }
        ids::check(self.all(), &registry)?;
        Ok(registry)
    }
}

/// Resolves references from a schema of this `$id`.
fn resolver<'r>(registry: &'r Registry<'r>, id: &str) -> Result<Resolver<'r>> {
    let base = referencing::uri::from_str(id).map_err(|error| source::reference(&error))?;
    Ok(registry.resolver(base))
}

/// The `$id`s that a schema needs, itself or through others, and that are not among `others`.
///
/// Errors: those of [`Schema::load`], but for what is missing.
pub fn missing(main: &str, others: &[&str]) -> Result<Vec<String>> {
    let sources = Sources::read(main, others)?;
    let registry = sources.registry()?;
    let (found, _) = Graph::of(&sources.main.value, &resolver(&registry, &sources.main.id)?)?;
    let mut missing = found.missing;
    if let Some(id) = chain(&sources, &registry)? {
        missing.push(id);
    }
    missing.sort();
    missing.dedup();
    Ok(missing)
}

/// Follows the first members of `allOf` to the header; a schema on the way that is missing.
///
/// Errors: `InvalidSchema`, `SchemaLimit`.
fn chain(sources: &Sources, registry: &Registry<'_>) -> Result<Option<String>> {
    let mut seen = vec![sources.main.id.clone()];
    let mut at = &sources.main;
    loop {
        let next = source::base(at, registry)?;
        if next == HEADER_SCHEMA {
            return Ok(None);
        }
        if seen.contains(&next) {
            return Err(Error::new(Code::SchemaLimit, "The schemas extend each other in a cycle."));
        }
        match sources.others.iter().find(|other| other.id == next) {
            None => return Ok(Some(next)),
            Some(other) => at = other,
        }
        seen.push(next);
    }
}

/// The format `uuid`, which draft-07 does not have: 32 hexadecimal digits in five groups (RFC 4122), in either case.
fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let is_group = |(group, length): (&str, usize)| {
        group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit())
    };
    text.split('-').count() == lengths.len() && text.split('-').zip(lengths).all(is_group)
}

impl Schema {
    /// Loads a schema: JSON texts, its own and those that it can refer to by `$id`.
    ///
    /// Errors: `InvalidSchema`, `SchemaLimit`, `RefNotAllowed`, `UnsafePattern`.
    pub fn load(main: &str, others: &[&str]) -> Result<Self> {
        let sources = Sources::read(main, others)?;
        let registry = sources.registry()?;
        let (graph, walked) = Graph::of(&sources.main.value, &resolver(&registry, &sources.main.id)?)?;
        let absent = match chain(&sources, &registry)? {
            None => graph.missing.first().cloned(),
            some => some,
        };
        if let Some(id) = absent {
            let found = format!("The schema refers to '{}', which was not passed.", source::shown(&id));
            return Err(Error::new(Code::RefNotAllowed, found));
        }
        graph.judge()?;
        let prepared = sources.prepared(&walked);
        let registry = prepared.registry()?;
        // Referred to and not handed over: the crate holds a schema against the meta-schema, with patterns of ECMA 262.
        let reference = json!({ "$ref": prepared.main.id });
        let validator = jsonschema::draft7::options()
            .with_registry(&registry)
            .with_retriever(Absent)
            .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN))
            .with_format("uuid", is_uuid)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false)
            .build(&reference)
            .map_err(|error| violations::of_schema(&error, ""))?;
        Ok(Self { id: sources.main.id.clone(), validator, graph, written: walked.written() })
    }

    /// Its `$id`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Fills the defaults into a document and checks it. Gives the body as it is then, as JSON text, with those members of
    /// the header that are named in `kept`; nothing if there was nothing to fill in.
    ///
    /// Errors: those of the reader; `SchemaViolation`, `SchemaLimit`, `LimitExceeded` for defaults too.
    pub fn complete(
        &self,
        document: &str,
        limits: &Limits,
        kept: &[&str],
    ) -> core::result::Result<Option<String>, Refusal> {
        let mut value = self.read(document, limits)?;
        let is_filled = defaults::fill(&self.graph, &mut value, limits, document.len())?;
        self.validate(&value, document.len())?;
        if !is_filled {
            return Ok(None);
        }
        Ok(Some(json::write(&convert::body(&value, kept))))
    }

    /// Checks a document as it is.
    ///
    /// Errors: as [`Schema::complete`].
    pub fn check(&self, document: &str, limits: &Limits) -> core::result::Result<(), Refusal> {
        self.validate(&self.read(document, limits)?, document.len())
    }

    fn read(&self, document: &str, limits: &Limits) -> Result<Value> {
        Ok(convert::to_serde(&json::parse(document.as_bytes(), limits)?))
    }

    fn validate(&self, value: &Value, bytes: usize) -> core::result::Result<(), Refusal> {
        budget::check(&self.graph, value, bytes)?;
        if self.validator.is_valid(value) {
            return Ok(());
        }
        Err(violations::of_document(&self.validator, value, &self.written))
    }
}
