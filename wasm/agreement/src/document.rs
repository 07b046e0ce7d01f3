//! An agreement as it travels: one JSON document with the terms and all events that its sender has.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Limits, Value};
use sx_core::time;

use crate::event::id_of;
use crate::id::Id;
use crate::input;
use crate::problem::Problem;
use crate::report::{List, object, texts};
use crate::shape::{Faults, Shape, is_uuid};
use crate::sorting::{sort, unique};
use crate::terms::Terms;
use crate::terms::loosened as loosened_in;

/// `$schema` of an agreement.
pub const SCHEMA: &str = "urn:sx-agent:schemas/agreement/v2/agreement.schema.json";
/// `sxType` of an agreement.
pub const TYPE: &str = "sx-agreement";

/// 32 MiB, and as many members as fit.
const LIMITS: Limits = Limits { depth: 130, members: 16_000_000, bytes: 32 << 20 };

const MEMBERS: &[&str] = &["$schema", "events", "sxType", "terms"];

/// An agreement: terms, and events by (id, canonical text).
pub struct Document {
    terms: Terms,
    events: Vec<(Id, String)>,
    signers: Vec<String>,
    successors: Vec<String>,
}

/// Terms that cannot be used make an agreement that is none, whatever is wrong with them.
fn unusable(problem: Problem) -> Problem {
    Problem::new("InvalidAgreement", problem.message)
}

impl Document {
    /// An agreement without events.
    ///
    /// Errors: those of [`Terms::check_new`]; `ReservedField` for terms that have an id already; `LimitExceeded`.
    pub fn create(terms: &str, id: &str, now: &str) -> Result<Self, Problem> {
        let mut value = input::parse(terms, &LIMITS)?;
        let object = value
            .as_object_mut()
            .ok_or_else(|| Problem::new("InvalidTerms", "The terms are not an object."))?;
        if object.insert("sxId".into(), id.into()).is_some() {
            return Err(Problem::new(
                "ReservedField",
                "The terms have a member 'sxId', which the library sets.",
            ));
        }
        let now = time::parse(now).unwrap_or_default();
        let terms = Terms::check_new(&json::write(&value), now)?;
        Self { terms, events: Vec::new(), signers: Vec::new(), successors: Vec::new() }.readable()
    }

    /// Copies as one, whatever their order.
    ///
    /// Errors: those of the reader; `InvalidAgreement`; `WrongAgreement` for other terms; `LimitExceeded`.
    pub fn open(copies: &[String]) -> Result<Self, Problem> {
        let mut merged: Option<Self> = None;
        for copy in copies {
            let read = Self::parse(copy)?;
            match &mut merged {
                None => merged = Some(read),
                Some(merged) if merged.terms.hash == read.terms.hash => {
                    merged.events.extend(read.events);
                    merged.signers.extend(read.signers);
                    merged.successors.extend(read.successors);
                }
                Some(_) => return Err(Problem::new("WrongAgreement", "The copies have different terms.")),
            }
        }
        let mut merged = merged.ok_or_else(|| Problem::new("InvalidAgreement", "No copy was passed."))?;
        unique(&mut merged.events);
        for list in [&mut merged.signers, &mut merged.successors] {
            sort(list, &|a, b| a.cmp(b));
            list.dedup();
        }
        merged.readable()
    }

    /// Refuses what is longer than what can be read.
    fn readable(self) -> Result<Self, Problem> {
        if self.to_json().len() > LIMITS.bytes {
            return Err(Problem::new("LimitExceeded", "The agreement with its events has more than 32 MiB."));
        }
        Ok(self)
    }

    fn parse(text: &str) -> Result<Self, Problem> {
        let value = input::parse(text, &LIMITS)?;
        let faults = Faults::default();
        let shape = Shape::of(Some(&value), "the agreement", MEMBERS, &faults);
        for (name, expected) in [("$schema", SCHEMA), ("sxType", TYPE)] {
            if shape.get(name).is_some_and(|value| value.as_str() != Some(expected)) {
                shape.wrong(name);
            }
        }
        let terms = shape.need("terms").unwrap_or(&Value::Null);
        let terms =
            faults.end(terms, "InvalidAgreement").and_then(|terms| Terms::of(terms).map_err(unusable))?;
        let items = shape.list("events");
        let mut read = Self {
            terms,
            events: Vec::with_capacity(items.len()),
            signers: Vec::new(),
            successors: Vec::new(),
        };
        for item in items {
            let Some(event) = item.as_object() else {
                faults.add(&["An event of the agreement is not an object."]);
                break;
            };
            let member = |path: &[&str]| {
                let found = path.iter().try_fold(item, |value, name| value.as_object()?.get(name));
                found.and_then(Value::as_str).filter(|text| is_uuid(text)).map(String::from)
            };
            read.events.push((id_of(event), json::write(item)));
            read.signers.extend(member(&["actor", "agentId"]));
            read.successors.extend(member(&["data", "successor", "sxId"]));
        }
        faults.end(read, "InvalidAgreement")
    }

    /// The canonical text.
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\"$schema\":\"");
        text.push_str(SCHEMA);
        text.push_str("\",\"events\":[");
        for (at, (_, event)) in self.events.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(event);
        }
        for part in ["],\"sxType\":\"", TYPE, "\",\"terms\":", self.terms.canonical(), "}"] {
            text.push_str(part);
        }
        text
    }

    /// `{events, hash, id, raw, signers, successors, terms}`, see `INTERFACE.md`.
    pub fn answer(&self) -> String {
        let mut ids = List::default();
        for (id, _) in &self.events {
            ids.add_text(&id.text());
        }
        object()
            .json("events", &ids.end())
            .text("hash", self.terms.hash.text().as_str())
            .text("id", self.terms.id.as_str())
            .text("raw", self.to_json().as_str())
            .json("signers", &texts(&self.signers))
            .json("successors", &texts(&self.successors))
            .text("terms", self.terms.canonical())
            .end()
    }
}

/// `{loosened}`: where terms are less strict than others, by name.
///
/// Errors: those of [`Terms::parse`].
pub fn loosened(before: &str, terms: &str) -> Result<String, Problem> {
    let names = loosened_in(&Terms::parse(before)?, &Terms::parse(terms)?);
    Ok(object().json("loosened", &texts(&names)).end())
}
