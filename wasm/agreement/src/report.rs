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

/// Members of an answer.
trait Answer {
    /// A date in milliseconds; `null` for none.
    fn date(&mut self, name: &str, ms: Option<u64>) -> &mut Self;
    fn ids(&mut self, name: &str, ids: &[Id]) -> &mut Self;
    fn id<'a>(&mut self, name: &str, id: impl Into<Option<&'a Id>>) -> &mut Self;
    fn flag(&mut self, name: &str, is_so: bool) -> &mut Self;
    fn count(&mut self, name: &str, count: u64) -> &mut Self;
    fn need_and_have(&mut self, name: &str, counts: (u32, u32)) -> &mut Self;
}

impl Answer for Members {
    #[inline(never)]
    fn date(&mut self, name: &str, ms: Option<u64>) -> &mut Self {
        let text = ms.and_then(|ms| time::format(ms).ok());
        self.text(name, text.as_deref())
    }

    #[inline(never)]
    fn ids(&mut self, name: &str, ids: &[Id]) -> &mut Self {
        let mut list = List::default();
        for id in ids {
            list.add_text(&id.text());
        }
        self.json(name, &list.end())
    }

    fn id<'a>(&mut self, name: &str, id: impl Into<Option<&'a Id>>) -> &mut Self {
        self.text(name, id.into().map(Id::text).as_deref())
    }

    fn flag(&mut self, name: &str, is_so: bool) -> &mut Self {
        self.json(name, if is_so { "true" } else { "false" })
    }

    #[inline(never)]
    fn count(&mut self, name: &str, count: u64) -> &mut Self {
        self.json(name, &write_whole(count))
    }

    #[inline(never)]
    fn need_and_have(&mut self, name: &str, (need, have): (u32, u32)) -> &mut Self {
        self.json(name, &object().count("have", u64::from(have)).count("need", u64::from(need)).end())
    }
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
            .id("agreementHash", self.terms.map(|terms| &terms.hash))
            .json("blocked", &blocked.end())
            .json("byParty", &by_party.end())
            .json("certificate", certificate.as_deref().unwrap_or("null"))
            .flag("complete", self.is_complete)
            .date("completeAt", self.complete_at)
            .ids("contested", &self.contested)
            .date("effectiveFrom", policy.and_then(|policy| policy.effective_from))
            .json("errors", &errors.end())
            .json("events", &self.events())
            .date("expiresAt", policy.and_then(|policy| policy.expires_at))
            .count("have", self.quorum.1)
            .ids("heads", &self.heads)
            .ids("missing", &self.missing)
            .count("need", self.quorum.0)
            .need_and_have("notaries", self.notaries)
            .date("signBy", policy.and_then(|policy| policy.sign_by))
            .text("status", self.state.name())
            .text("sxId", self.terms.map(|terms| terms.id.as_str()))
            .flag("valid", self.state != State::Invalid && self.missing.is_empty())
            .need_and_have("witnesses", self.witnesses)
            .end()
    }

    fn events(&self) -> String {
        let mut ignored = List::default();
        for (event, code) in &self.ignored {
            ignored.add(&object().text("code", code.name()).id("eventId", event.as_ref()).end());
        }
        object().ids("counted", &self.counted).json("ignored", &ignored.end()).end()
    }

    fn certificate(&self, terms: &Terms) -> String {
        let mut lines = List::default();
        for entry in &self.lines {
            if let Some(party) = terms.parties.get(entry.party) {
                lines.add(&line(party, entry));
            }
        }
        object()
            .id("agreementHash", &terms.hash)
            .date("completeAt", self.complete_at)
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
        .date("at", by.map(|by| by.at))
        .text("by", by.map(|by| by.agent.as_str()))
        .id("eventId", by.map(|by| &by.id))
        .text("partyId", party.id.as_str())
        .text("role", party.role.name())
        .text("state", standing.stand.name())
        .date("timeProof", by.and_then(|by| by.proof))
        .end()
}

fn line(party: &Party, line: &Line) -> String {
    object()
        .text("agentId", party.agent.as_str())
        .text("algorithm", line.algorithm)
        .date("at", Some(line.at))
        .text("by", line.by.as_str())
        .text("displayName", party.display_name.as_deref())
        .id("eventId", &line.id)
        .text("keyId", line.key_id.as_str())
        .text("partyId", party.id.as_str())
        .text("role", party.role.name())
        .date("timeProof", line.proof)
        .end()
}

/// The answer to what cannot be answered.
pub(crate) fn refusal(problem: &Problem) -> String {
    object().text("error", problem.code).text("message", problem.message.as_str()).end()
}
