//! Whether an agreement is complete: which signatures count, who is missing.

use super::field::{Agreement, agent_of, check_name};
use super::sign::is_over;
use super::terms::{CONTEXT, QUESTION};
use crate::error::{Code, Error, Result};
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value, object};
use crate::ring::Ring;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

/// An agreement that was read and waits for the keys of its signers.
pub struct AgreementCheck {
    field: String,
    /// Or why it cannot be read.
    agreement: Result<Agreement>,
}

/// A signature that counts.
struct Signed<'a> {
    date: &'a str,
    bytes: Vec<u8>,
    key_id: &'a str,
    algorithm: &'static str,
}

/// The parties by their ids, each with its place.
struct Parties(Vec<(String, Value)>);

impl Parties {
    fn of(agreement: &Agreement) -> Self {
        let ids = agreement.terms.parties().iter().filter_map(Value::as_str);
        let mut parties: Vec<_> = ids.enumerate().map(|(at, id)| (id.into(), count(at))).collect();
        json::sort_members(&mut parties);
        Self(parties)
    }

    fn place(&self, id: &str) -> Option<usize> {
        let at = self.0.binary_search_by(|(other, _)| other.as_str().cmp(id)).ok()?;
        self.0.get(at)?.1.as_f64().map(|place| place as usize)
    }
}

fn read(text: &[u8], limits: &Limits, field: &str) -> Result<Object> {
    match json::parse(text, limits)? {
        Value::Object(document) if document.contains(field) => Ok(document),
        _ => Err(Code::NoAgreement.into()),
    }
}

impl AgreementCheck {
    /// Reads the agreement in `field` of a document. What is wrong with it is said by [`finish`](Self::finish). Of the
    /// document's own signature nothing is said: those of the parties cover what it says.
    ///
    /// Errors: those of the reader; `NoAgreement`; `ReservedField` and `InvalidOption` for the name of the field.
    pub fn start(text: &[u8], field: &str, limits: &Limits) -> Result<Self> {
        check_name(field)?;
        let document = read(text, limits, field)?;
        Ok(Self { field: field.into(), agreement: Agreement::of(&document, field) })
    }

    /// Adds the signatures of another copy of the document with the same agreement.
    ///
    /// Errors: those of [`start`](Self::start); `InvalidOption` for another agreement.
    pub fn add(&mut self, text: &[u8], limits: &Limits) -> Result<()> {
        let document = read(text, limits, &self.field)?;
        let other = Agreement::of(&document, &self.field);
        match (&mut self.agreement, other) {
            (Ok(one), Ok(other)) if one.hash == other.hash => {
                // Both are about the same document, or one of them was changed, and then none of its signatures counts.
                one.fault = one.fault.or(other.fault);
                one.fits &= other.fits;
                one.signatures.extend(other.signatures);
                Ok(())
            }
            _ => Err(Error::new(Code::InvalidOption, "The documents do not have the same agreement.")),
        }
    }

    /// The parties that have signed, each once, in their order: their keys are needed.
    pub fn signer_ids(&self) -> Vec<&str> {
        let Ok(agreement) = &self.agreement else { return Vec::new() };
        let parties = Parties::of(agreement);
        let mut has_signed = vec![false; parties.0.len()];
        for place in agreement.signatures.iter().filter_map(agent_of).filter_map(|id| parties.place(id)) {
            if let Some(has_signed) = has_signed.get_mut(place) {
                *has_signed = true;
            }
        }
        let signed = agreement.terms.parties().iter().zip(has_signed).filter(|(_, has_signed)| *has_signed);
        signed.filter_map(|(id, _)| id.as_str()).collect()
    }

    /// Whether a signature of this agent counts.
    pub fn has_signed(&self, ring: &Ring, agent_id: &str) -> bool {
        let Ok(agreement) = &self.agreement else { return false };
        let parties = Parties::of(agreement);
        let mut own = agreement.signatures.iter().filter(|entry| agent_of(entry) == Some(agent_id));
        own.any(|entry| agreement.judge(entry, |id| parties.place(id).is_some(), ring).is_ok())
    }

    /// Decides, at this time (Unix milliseconds). The status as every API shows it, as JSON.
    pub fn finish(&self, ring: &Ring, now: u64) -> String {
        let known = match &self.agreement {
            Ok(agreement) => status(agreement, ring, now),
            Err(error) => unread(error),
        };
        let mut status = object(known);
        status.insert("field".into(), self.field.as_str().into());
        json::write(&status.into())
    }
}

fn list<'a>(values: impl Iterator<Item = &'a Value>) -> Value {
    Value::Array(values.cloned().collect())
}

fn count(n: usize) -> Value {
    Value::Number(n as f64)
}

fn quorum(need: usize, have: usize) -> Value {
    object(Vec::from([("need", count(need)), ("have", count(have))])).into()
}

/// What is said of an agreement that cannot be read.
fn unread(error: &Error) -> Vec<(&'static str, Value)> {
    let none = || Value::Array(Vec::new());
    Vec::from([
        ("valid", false.into()),
        ("status", "invalid".into()),
        ("complete", false.into()),
        ("documentHashValid", false.into()),
        ("agreementHash", "".into()),
        ("question", "".into()),
        ("context", "".into()),
        ("required", none()),
        ("quorum", quorum(0, 0)),
        ("signed", none()),
        ("missing", none()),
        ("invalid", none()),
        ("signBy", Value::Null),
        ("errors", Vec::from([error.to_string().into()]).into()),
    ])
}

fn status(agreement: &Agreement, ring: &Ring, now: u64) -> Vec<(&'static str, Value)> {
    let Agreement { terms, hash, fits, fault, signatures, .. } = agreement;
    let (signed, refused) = judged(agreement, signatures, ring);
    let (need, have) = (terms.need(), signed.iter().flatten().count());
    let is_complete = fault.is_none() && have >= need;
    let name = match (fault, is_complete, have) {
        (Some(_), _, _) => "invalid",
        (None, true, _) => "complete",
        (None, false, _) if is_over(terms.sign_by(), now) => "expired",
        (None, false, 0) => "pending",
        (None, false, _) => "partial",
    };
    let with_party = || terms.parties().iter().zip(&signed);
    let counted = with_party().filter_map(|(id, signed)| {
        let Signed { date, key_id, algorithm, .. } = signed.as_ref()?;
        let (agent, date) = (id.as_str()?, *date);
        let members = [("agentId", agent), ("keyId", *key_id), ("algorithm", *algorithm), ("signedAt", date)];
        Some(texts(Vec::from(members)).into())
    });
    let errors = fault.iter().map(|code| Error::from(*code).to_string().into()).collect::<Vec<Value>>();
    Vec::from([
        ("valid", fault.is_none().into()),
        ("status", name.into()),
        ("complete", is_complete.into()),
        ("documentHashValid", (*fits).into()),
        ("agreementHash", hash.as_str().into()),
        ("question", terms.member(QUESTION)),
        ("context", terms.member(CONTEXT)),
        ("required", list(terms.parties().iter())),
        ("quorum", quorum(need, have)),
        ("signed", Value::Array(counted.collect())),
        ("missing", list(with_party().filter(|(_, signed)| signed.is_none()).map(|(id, _)| id))),
        ("invalid", Value::Array(refused.into_iter().map(|(_, one)| one).collect())),
        ("signBy", terms.sign_by().map_or(Value::Null, Value::from)),
        ("errors", errors.into()),
    ])
}

/// What each party has signed, the first signature that counts; and all that do not, each with a text by which they are
/// ordered. Their order in the field does not matter.
fn judged<'a>(
    agreement: &'a Agreement,
    signatures: &'a [Value],
    ring: &'a Ring,
) -> (Vec<Option<Signed<'a>>>, Vec<(String, Value)>) {
    let parties = Parties::of(agreement);
    let mut signed: Vec<Option<Signed<'_>>> = Vec::new();
    signed.resize_with(parties.0.len(), || None);
    let mut refused = Vec::new();
    for entry in signatures {
        match agreement.judge(entry, |id| parties.place(id).is_some(), ring) {
            Ok((signature, key)) => {
                let place = parties.place(signature.agent_id).and_then(|at| signed.get_mut(at));
                let Some(place) = place else { continue };
                let algorithm = key.key.algorithm().name();
                let (date, key_id, bytes) = (signature.date, signature.key_id, signature.bytes);
                let earlier = |other: &Signed<'_>| (date, &bytes) < (other.date, &other.bytes);
                if place.as_ref().is_none_or(earlier) {
                    *place = Some(Signed { date, bytes, key_id, algorithm });
                }
            }
            Err(error) => refused.push(shown(agent_of(entry), &error)),
        }
    }
    json::sort_members(&mut refused);
    refused.dedup_by(|(one, _), (other, _)| one == other); // copies of one document have the same ones
    (signed, refused)
}

/// A signature that does not count.
fn shown(agent_id: Option<&str>, error: &Error) -> (String, Value) {
    let (agent_id, message) = (agent_id.filter(|id| is_uuid(id)).unwrap_or_default(), error.message());
    let members = Vec::from([("agentId", agent_id), ("code", error.code.name()), ("message", &message)]);
    let place = [agent_id, error.code.name(), &message].concat();
    (place, texts(members).into())
}

fn texts(members: Vec<(&str, &str)>) -> Object {
    object(members.into_iter().map(|(name, text)| (name, text.into())).collect())
}
