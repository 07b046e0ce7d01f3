//! What the parties of an agreement agree on, next to the document.

use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value};
use crate::keys::Algorithm;
use crate::statement::{Context, pae};
use crate::time;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const AGENT_IDS: &str = "agentIDs";
pub(super) const QUESTION: &str = "question";
pub(super) const CONTEXT: &str = "context";
const QUORUM: &str = "quorum";
const SIGN_BY: &str = "signBy";
const ALGORITHMS: &str = "algorithms";
const MIN_STRENGTH: &str = "minStrength";
const POST_QUANTUM: &str = "pq";

const MEMBERS: [&str; 7] = [AGENT_IDS, QUESTION, CONTEXT, QUORUM, SIGN_BY, ALGORITHMS, MIN_STRENGTH];

/// Parties, question, context and policy, as they stand in the field: all of them are what they have to be.
pub struct Terms(Object);

fn invalid<T>(found: &str) -> Result<T> {
    Err(Error::new(Code::InvalidOption, found))
}

impl Terms {
    /// Reads what a caller asks for: JSON of `field`, the name of the member that the agreement is to be, and of the
    /// terms, of which only the parties are required. Algorithms may have other names.
    ///
    /// Errors: `NoParties`, `InvalidId`, `InvalidOption`; those of the reader; `Internal` without a field.
    pub fn read(text: &str, limits: &Limits) -> Result<(String, Self)> {
        let Value::Object(mut terms) = json::parse(text.as_bytes(), limits)? else {
            return Err(Code::Internal.into());
        };
        let field = terms.remove("field");
        for name in [QUESTION, CONTEXT] {
            if !terms.contains(name) {
                terms.insert(name.into(), "".into());
            }
        }
        for algorithm in terms.get_mut(ALGORITHMS).and_then(Value::as_array_mut).into_iter().flatten() {
            *algorithm = Algorithm::named(algorithm.as_str().unwrap_or_default())?.name().into();
        }
        let terms = Self::of(terms)?;
        let Some(Value::String(field)) = field else { return Err(Code::Internal.into()) };
        Ok((field, terms))
    }

    /// Takes members that stand in a document.
    ///
    /// Errors: `NoParties`, `InvalidId`, `InvalidOption`.
    pub(super) fn of(terms: Object) -> Result<Self> {
        check_parties(terms.get(AGENT_IDS).and_then(Value::as_array).unwrap_or_default())?;
        let terms = Self(terms);
        terms.check()?;
        Ok(terms)
    }

    /// All but the parties.
    fn check(&self) -> Result<()> {
        let terms = &self.0;
        if terms.iter().any(|(name, _)| !MEMBERS.contains(&name)) {
            return invalid("The agreement has an unknown member.");
        }
        if [QUESTION, CONTEXT].iter().any(|name| self.text(name).is_none()) {
            return invalid("The question or the context of the agreement is not a string.");
        }
        if terms.contains(QUORUM) && !(1..=self.parties().len()).contains(&self.need()) {
            return invalid("The quorum is not a whole number from 1 to the number of parties.");
        }
        if terms.contains(SIGN_BY) && self.text(SIGN_BY).and_then(time::parse).is_none() {
            return invalid("`signBy` is not an RFC 3339 date in UTC with milliseconds.");
        }
        if let Some(algorithms) = terms.get(ALGORITHMS) {
            let names: Vec<_> = algorithms.as_array().unwrap_or_default().iter().map(Value::as_str).collect();
            let is_known =
                |name: &Option<&str>| name.and_then(Algorithm::parse).map(Algorithm::name) == *name;
            let is_once = names.len() < 2 || names.first() != names.last();
            if names.is_empty() || names.len() > 2 || !is_once || !names.iter().all(is_known) {
                return invalid("`algorithms` is not a list of 'pq2025' or 'ed25519', each at most once.");
            }
        }
        if terms.contains(MIN_STRENGTH)
            && !matches!(self.text(MIN_STRENGTH), Some("classical" | POST_QUANTUM))
        {
            return invalid("`minStrength` is neither 'classical' nor 'pq'.");
        }
        if !self.accepts(Algorithm::Ed25519) && !self.accepts(Algorithm::Pq2025) {
            return invalid("`algorithms` has none that is as strong as `minStrength` demands.");
        }
        Ok(())
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The agents that are to sign, in the order in which they were named.
    pub(super) fn parties(&self) -> &[Value] {
        self.0.get(AGENT_IDS).and_then(Value::as_array).unwrap_or_default()
    }

    /// How many of them have to.
    pub(super) fn need(&self) -> usize {
        let Some(quorum) = self.0.get(QUORUM) else { return self.parties().len() };
        let need = quorum.as_f64().unwrap_or_default() as usize; // saturates; what is no whole number is no quorum
        if Some(need as f64) == quorum.as_f64() { need } else { 0 }
    }

    /// Until when.
    pub(super) fn sign_by(&self) -> Option<&str> {
        self.text(SIGN_BY)
    }

    /// Whether a signature by a key of this algorithm counts.
    pub(super) fn accepts(&self, algorithm: Algorithm) -> bool {
        let listed = self.0.get(ALGORITHMS).and_then(Value::as_array);
        let is_listed = listed.is_none_or(|names| names.contains(&algorithm.name().into()));
        is_listed && (self.text(MIN_STRENGTH) != Some(POST_QUANTUM) || algorithm == Algorithm::Pq2025)
    }

    /// A member as it stands in the field.
    pub(super) fn member(&self, name: &str) -> Value {
        self.0.get(name).cloned().unwrap_or(Value::Null)
    }

    /// `agreementHash`: of all that a signer was shown, in the place where it stands.
    pub(super) fn hash(&self, document_id: &str, field: &str, document_hash: &str) -> String {
        let mut shown = self.0.clone();
        for (name, value) in [("sxId", document_id), ("field", field), ("documentHash", document_hash)] {
            shown.insert(name.into(), value.into());
        }
        sha256_hex(&pae(Context::Agreement, json::write(&shown.into()).as_bytes()))
    }

    /// The members, as they stand in the field.
    pub(super) fn into_object(self) -> Object {
        self.0
    }
}

fn check_parties(parties: &[Value]) -> Result<()> {
    if parties.is_empty() {
        return Err(Code::NoParties.into());
    }
    let ids = || parties.iter().map(|id| id.as_str().unwrap_or_default());
    if !ids().all(is_uuid) {
        return Err(Error::new(Code::InvalidId, "The id of a party is not a UUID of version 4 or 7."));
    }
    let mut names: Vec<_> = ids().map(|id| (id.into(), Value::Null)).collect();
    if json::sort_members(&mut names).is_some() {
        return invalid("The agreement names a party twice.");
    }
    Ok(())
}
