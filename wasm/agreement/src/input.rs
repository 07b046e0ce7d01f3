//! What the core hands over: events with verdicts on their signatures.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use sx_core::error::Code;
use sx_core::json::{self, Limits, Value};
use sx_json::Kind;

use crate::event::Event;
use crate::problem::Problem;
use crate::shape::{Faults, Shape, is_any};

/// Reads a JSON text.
///
/// Errors: those of the reader.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Value, Problem> {
    sx_json::parse_showing(text, limits, quoted).map_err(|error| Problem {
        code: match error.kind {
            Kind::NotJson => const { Code::NotJson.name() },
            Kind::DuplicateKey => const { Code::DuplicateKey.name() },
            Kind::LossyNumber => const { Code::LossyNumber.name() },
            Kind::LimitExceeded => const { Code::LimitExceeded.name() },
        },
        message: error.found,
    })
}

/// A name as the reader's messages show it: in quotes, and so that it cannot pass for anything else.
fn quoted(name: &str) -> String {
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            ' '..='~' => quoted.push(character),
            _ => quoted.push('?'),
        }
    }
    quoted.push('"');
    quoted
}

/// What is known of the revocation of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revocation {
    /// Whether it is only that the key is no longer used, and not that somebody else may have it.
    pub is_harmless: bool,
    /// From when on it counts, in milliseconds.
    pub at: u64,
}

/// What the core says of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It verifies under a key that a source has for this agent.
    Valid {
        /// What is known of the revocation of that key.
        revoked: Option<Revocation>,
        /// Of a `supersede`: the successor is there, is complete and links to this agreement.
        has_successor: bool,
    },
    /// It does not, or nobody knows.
    Invalid(String),
}

/// An event as it is handed in.
#[derive(Debug)]
pub struct Input {
    /// The canonical text.
    pub text: String,
    /// What was read from it; `None` for what is no event.
    pub event: Option<Event>,
    /// What is known of its signature.
    pub verdict: Verdict,
}

impl Input {
    /// An event and the verdict on it.
    pub fn new(event: &Value, verdict: Verdict) -> Self {
        Self { text: json::write(event), event: Event::of(event).ok(), verdict }
    }
}

impl Verdict {
    /// Which of several verdicts on one text is taken: the smallest.
    pub(crate) fn rank(&self) -> (bool, bool, Option<&Revocation>, bool, Option<&str>) {
        match self {
            Self::Valid { revoked, has_successor } => {
                (false, revoked.is_none(), revoked.as_ref(), !has_successor, None)
            }
            Self::Invalid(code) => (true, true, None, true, Some(code)),
        }
    }

    pub(crate) fn of(value: Option<&Value>, faults: &Faults) -> Self {
        let shape = Shape::of(value, "the verdict", &["code", "revoked", "successor", "valid"], faults);
        if shape.there("valid").flag("valid") == Some(true) {
            let revoked = shape.get("revoked").map(|value| revocation(value, faults));
            return Self::Valid { revoked, has_successor: shape.flag("successor").unwrap_or(false) };
        }
        let is_code =
            |text: &str| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic());
        Self::Invalid(shape.text("code", is_code).to_owned())
    }
}

fn revocation(value: &Value, faults: &Faults) -> Revocation {
    let shape = Shape::of(Some(value), "the revocation", &["at", "reason"], faults);
    let reason = shape.text("reason", is_any);
    if !matches!(reason, "compromised" | "superseded" | "unspecified") {
        faults.add(&["The reason of the revocation is unknown."]);
    }
    Revocation { is_harmless: reason != "compromised", at: shape.moment("at") }
}
