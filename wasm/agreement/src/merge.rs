//! Copies of an agreement: set union, whatever the order and however often.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Limits};

use crate::event::id_of;
use crate::id::Id;
use crate::problem::Problem;
use crate::shape::Shape;
use crate::sorting::unique;
use crate::terms::Terms;

/// A copy: the terms, and events by (id, text).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    terms: String,
    events: Vec<(Id, String)>,
}

impl Copy {
    /// Reads `{terms, events}`.
    ///
    /// Errors: those of the reader and of [`Terms::parse`]; `BadEvent` for what is no object.
    pub fn parse(text: &[u8]) -> Result<Self, Problem> {
        let value = json::parse(text, &Limits::default())?;
        let invalid = |fault: crate::shape::Fault| Problem::new("InvalidTerms", fault.message);
        let shape = Shape::of(&value, "the copy", &["events", "terms"]).map_err(invalid)?;
        let terms = Terms::of(shape.need("terms").map_err(invalid)?)?;
        let items = shape.items("events").map_err(invalid)?.ok_or_else(|| invalid(shape.wrong("events")))?;
        let mut events = Vec::with_capacity(items.len());
        for item in items {
            let object =
                item.as_object().ok_or_else(|| Problem::new("BadEvent", "An event is not an object."))?;
            events.push((id_of(object), json::write(item)));
        }
        unique(&mut events);
        Ok(Self { terms: terms.canonical().into(), events })
    }

    /// What both have together.
    ///
    /// Errors: `WrongAgreement` for other terms.
    pub fn merge(mut self, other: Self) -> Result<Self, Problem> {
        if self.terms != other.terms {
            return Err(Problem::new("WrongAgreement", "The copies have different terms."));
        }
        self.events.extend(other.events);
        unique(&mut self.events);
        Ok(self)
    }

    /// The canonical text.
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\"events\":[");
        for (at, (_, event)) in self.events.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(event);
        }
        text.push_str("],\"terms\":");
        text.push_str(&self.terms);
        text.push('}');
        text
    }

    /// The ids of the events, ascending; one that has several texts comes several times.
    pub fn ids(&self) -> impl Iterator<Item = &Id> {
        self.events.iter().map(|(id, _)| id)
    }
}
