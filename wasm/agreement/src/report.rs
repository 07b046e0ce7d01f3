//! The answer as JSON. Members are written in the order of their names, which makes the text canonical.

use alloc::string::String;
use sx_core::json::Members;
use sx_core::time;
use sx_json::write_whole;

use crate::certificate::Line;
use crate::id::Id;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::standing::Standing;
use crate::table::State;
use crate::terms::{Party, Terms};

/// An object that is written member by member.
pub(crate) fn object() -> Members {
    Members::with_capacity(256)
}

fn date(ms: Option<u64>) -> Option<String> {
    time::format(ms?).ok()
}

/// A list of JSON texts.
#[derive(Default)]
pub(crate) struct List(String);

impl List {
    pub fn add(&mut self, json: &str) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push_str(json);
    }

    pub fn add_text(&mut self, text: &str) {
        let mut json = String::new();
        sx_json::write_string_into(text, &mut json);
        self.add(&json);
    }

    pub fn end(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "[]" } else { "]" });
        self.0
    }
}

/// A list of texts.
pub(crate) fn texts(list: &[String]) -> String {
    let mut texts = List::default();
    for text in list {
        texts.add_text(text);
    }
    texts.end()
}

fn ids(list: &[Id]) -> String {
    let mut ids = List::default();
    for id in list {
        ids.add_text(&id.text());
    }
    ids.end()
}

fn need_and_have((need, have): (u32, u32)) -> String {
    let (have, need) = (write_whole(u64::from(have)), write_whole(u64::from(need)));
    object().json("have", &have).json("need", &need).end()
}

fn flag(is_so: bool) -> &'static str {
    if is_so { "true" } else { "false" }
}

impl Outcome<'_> {
    /// The answer as `INTERFACE.md` describes it.
    pub fn to_json(&self) -> String {
        let policy = self.terms.map(|terms| &terms.policy);
        let parties = self.terms.map(|terms| terms.parties.as_slice()).unwrap_or_default();
        let (mut blocked, mut by_party, mut errors) = (List::default(), List::default(), List::default());
        for reason in &self.blocked {
            blocked.add_text(reason);
        }
        for (party, stands) in parties.iter().zip(&self.standings) {
            by_party.add(&standing(party, stands));
        }
        for Problem { code, message } in &self.errors {
            errors.add(&object().text("code", *code).text("message", message.as_str()).end());
        }
        let certificate = self.terms.filter(|_| self.is_complete).map(|terms| self.certificate(terms));
        object()
            .text("agreementHash", self.terms.map(|terms| terms.hash.text()).as_deref())
            .json("blocked", &blocked.end())
            .json("byParty", &by_party.end())
            .json("certificate", certificate.as_deref().unwrap_or("null"))
            .json("complete", flag(self.is_complete))
            .text("completeAt", date(self.complete_at).as_deref())
            .json("contested", &ids(&self.contested))
            .text("effectiveFrom", date(policy.and_then(|policy| policy.effective_from)).as_deref())
            .json("errors", &errors.end())
            .json("events", &self.events())
            .text("expiresAt", date(policy.and_then(|policy| policy.expires_at)).as_deref())
            .json("have", &write_whole(self.quorum.1))
            .json("heads", &ids(&self.heads))
            .json("missing", &ids(&self.missing))
            .json("need", &write_whole(self.quorum.0))
            .json("notaries", &need_and_have(self.notaries))
            .text("signBy", date(policy.and_then(|policy| policy.sign_by)).as_deref())
            .text("status", self.state.name())
            .text("sxId", self.terms.map(|terms| terms.id.as_str()))
            .json("valid", flag(self.state != State::Invalid && self.missing.is_empty()))
            .json("witnesses", &need_and_have(self.witnesses))
            .end()
    }

    fn events(&self) -> String {
        let mut ignored = List::default();
        for (event, code) in &self.ignored {
            let id = event.map(|event| event.text());
            ignored.add(&object().text("code", code.name()).text("eventId", id.as_deref()).end());
        }
        object().json("counted", &ids(&self.counted)).json("ignored", &ignored.end()).end()
    }

    fn certificate(&self, terms: &Terms) -> String {
        let mut lines = List::default();
        for entry in &self.lines {
            if let Some(party) = terms.parties.get(entry.party) {
                lines.add(&line(party, entry));
            }
        }
        object()
            .text("agreementHash", terms.hash.text().as_str())
            .text("completeAt", date(self.complete_at).as_deref())
            .json("lines", &lines.end())
            .text("sxId", terms.id.as_str())
            .text("title", terms.title.as_str())
            .end()
    }
}

fn standing(party: &Party, standing: &Standing) -> String {
    let by = standing.by.as_ref();
    object()
        .text("agentId", party.agent.as_str())
        .text("at", date(by.map(|by| by.at)).as_deref())
        .text("by", by.map(|by| by.agent.as_str()))
        .text("eventId", by.map(|by| by.id.text()).as_deref())
        .text("partyId", party.id.as_str())
        .text("role", party.role.name())
        .text("state", standing.stand.name())
        .text("timeProof", date(by.and_then(|by| by.proof)).as_deref())
        .end()
}

fn line(party: &Party, line: &Line) -> String {
    object()
        .text("agentId", party.agent.as_str())
        .text("algorithm", line.algorithm)
        .text("at", date(Some(line.at)).as_deref())
        .text("by", line.by.as_str())
        .text("displayName", party.display_name.as_deref())
        .text("eventId", line.id.text().as_str())
        .text("keyId", line.key_id.as_str())
        .text("partyId", party.id.as_str())
        .text("role", party.role.name())
        .text("timeProof", date(line.proof).as_deref())
        .end()
}

/// The answer to what cannot be answered.
pub(crate) fn refusal(problem: &Problem) -> String {
    object().text("error", problem.code).text("message", problem.message.as_str()).end()
}
