//! What the core hands over: events with verdicts on their signatures.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use sx_core::json::{self, Value};

use crate::event::Event;
use crate::shape::{Fault, Result, Shape, is_any};

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

    pub(crate) fn of(value: &Value) -> Result<Self> {
        let shape = Shape::of(value, "the verdict", &["code", "revoked", "successor", "valid"])?;
        if shape.flag("valid")?.ok_or_else(|| shape.wrong("valid"))? {
            let revoked = shape.get("revoked").map(revocation).transpose()?;
            return Ok(Self::Valid { revoked, has_successor: shape.flag("successor")?.unwrap_or(false) });
        }
        let is_code =
            |text: &str| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic());
        Ok(Self::Invalid(shape.text("code", is_code)?.to_owned()))
    }
}

fn revocation(value: &Value) -> Result<Revocation> {
    let shape = Shape::of(value, "the revocation", &["at", "reason"])?;
    let is_harmless = match shape.text("reason", is_any)? {
        "compromised" => false,
        "superseded" | "unspecified" => true,
        _ => return Err(Fault::new("The reason of the revocation is not known.")),
    };
    Ok(Revocation { is_harmless, at: shape.date("at")?.ok_or_else(|| shape.wrong("at"))? })
}
