//! The answer as JSON.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Object, Value};
use sx_core::time;

use crate::certificate::Line;
use crate::id::Id;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::standing::Standing;
use crate::table::State;
use crate::terms::{Party, Terms};

/// An object of members in any order. Not generic over their number: this is downloaded.
pub(crate) fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect::<Object>())
}

/// A list of texts.
pub(crate) fn texts(list: &[String]) -> Value {
    list.iter().map(|text| Value::from(text.as_str())).collect::<Vec<_>>().into()
}

fn date(ms: Option<u64>) -> Value {
    ms.and_then(|ms| time::format(ms).ok()).map_or(Value::Null, Value::from)
}

fn id(id: Option<&Id>) -> Value {
    id.map_or(Value::Null, |id| id.text().into())
}

fn ids(list: &[Id]) -> Value {
    list.iter().map(|one| id(Some(one))).collect::<Vec<_>>().into()
}

fn text(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

fn number(number: impl Into<f64>) -> Value {
    Value::Number(number.into())
}

fn need_and_have((need, have): (u32, u32)) -> Value {
    object(alloc::vec![("have", number(have)), ("need", number(need))])
}

impl Outcome<'_> {
    /// The answer as `INTERFACE.md` describes it.
    pub fn to_json(&self) -> String {
        json::write(&self.value())
    }

    fn value(&self) -> Value {
        let policy = self.terms.map(|terms| &terms.policy);
        let parties = self.terms.map(|terms| terms.parties.as_slice()).unwrap_or_default();
        let standings = parties.iter().zip(&self.standings).map(|(party, stands)| standing(party, stands));
        let ignored = self.ignored.iter().map(|(event, code)| {
            object(alloc::vec![("code", code.name().into()), ("eventId", id(event.as_ref()))])
        });
        let events =
            alloc::vec![("counted", ids(&self.counted)), ("ignored", ignored.collect::<Vec<_>>().into())];
        let blocked: Vec<Value> = self.blocked.iter().map(|reason| reason.as_str().into()).collect();
        let certificate = self.terms.filter(|_| self.is_complete).map(|terms| self.certificate(terms));
        object(alloc::vec![
            ("agreementHash", id(self.terms.map(|terms| &terms.hash))),
            ("blocked", blocked.into()),
            ("byParty", standings.collect::<Vec<_>>().into()),
            ("certificate", certificate.unwrap_or(Value::Null)),
            ("complete", self.is_complete.into()),
            ("completeAt", date(self.complete_at)),
            ("contested", ids(&self.contested)),
            ("effectiveFrom", date(policy.and_then(|policy| policy.effective_from))),
            ("errors", self.errors.iter().map(problem).collect::<Vec<_>>().into()),
            ("events", object(events)),
            ("expiresAt", date(policy.and_then(|policy| policy.expires_at))),
            ("have", Value::Number(self.quorum.1 as f64)),
            ("heads", ids(&self.heads)),
            ("missing", ids(&self.missing)),
            ("need", Value::Number(self.quorum.0 as f64)),
            ("notaries", need_and_have(self.notaries)),
            ("signBy", date(policy.and_then(|policy| policy.sign_by))),
            ("status", self.state.name().into()),
            ("sxId", text(self.terms.map(|terms| terms.id.as_str()))),
            ("valid", (self.state != State::Invalid && self.missing.is_empty()).into()),
            ("witnesses", need_and_have(self.witnesses)),
        ])
    }

    fn certificate(&self, terms: &Terms) -> Value {
        let lines = self.lines.iter().filter_map(|entry| Some(line(terms.parties.get(entry.party)?, entry)));
        object(alloc::vec![
            ("agreementHash", id(Some(&terms.hash))),
            ("completeAt", date(self.complete_at)),
            ("lines", lines.collect::<Vec<_>>().into()),
            ("sxId", terms.id.as_str().into()),
            ("title", terms.title.as_str().into()),
        ])
    }
}

fn standing(party: &Party, standing: &Standing) -> Value {
    let by = standing.by.as_ref();
    object(alloc::vec![
        ("agentId", party.agent.as_str().into()),
        ("at", date(by.map(|by| by.at))),
        ("by", text(by.map(|by| by.agent.as_str()))),
        ("eventId", id(by.map(|by| &by.id))),
        ("partyId", party.id.as_str().into()),
        ("role", party.role.name().into()),
        ("state", standing.stand.name().into()),
        ("timeProof", date(by.and_then(|by| by.proof))),
    ])
}

fn line(party: &Party, line: &Line) -> Value {
    object(alloc::vec![
        ("agentId", party.agent.as_str().into()),
        ("algorithm", line.algorithm.into()),
        ("at", date(Some(line.at))),
        ("by", line.by.as_str().into()),
        ("displayName", text(party.display_name.as_deref())),
        ("eventId", id(Some(&line.id))),
        ("keyId", line.key_id.as_str().into()),
        ("partyId", party.id.as_str().into()),
        ("role", party.role.name().into()),
        ("timeProof", date(line.proof)),
    ])
}

fn problem(problem: &Problem) -> Value {
    object(alloc::vec![("code", problem.code.into()), ("message", problem.message.as_str().into())])
}

/// The answer to what cannot be judged at all.
pub(crate) fn refusal(problem: &Problem) -> String {
    json::write(&object(alloc::vec![
        ("error", problem.code.into()),
        ("message", problem.message.as_str().into())
    ]))
}
