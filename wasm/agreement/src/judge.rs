//! One history in, one answer out, both as JSON (`INTERFACE.md`).

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{Limits, Value};

use crate::event::Event;
use crate::id::Id;
use crate::input::{self, Input, Verdict};
use crate::outcome::{self, Outcome};
use crate::problem::Problem;
use crate::report::{self, List, object};
use crate::shape::{Faults, Shape, is_any};
use crate::sorting::unique;
use crate::terms::Terms;

/// A history comes from the library itself, after it was read within the limits of documents.
const LIMITS: Limits = Limits { depth: 130, members: 50_000_000, bytes: 1024 * 1024 * 1024 };

/// Answers a line.
pub fn line(text: &str) -> String {
    match input::parse(text, &LIMITS).and_then(|value| Question::of(&value).map(Question::answer)) {
        Ok(answer) => answer,
        Err(problem) => report::refusal(&problem),
    }
}

/// Answers a line as [`line`] does, with what the caller has beside it: `{added?, successors?}`. `added` is the text of an
/// event whose signature counts as valid; `successors` are complete agreements, each `{signed, terms}`.
pub fn beside(text: &str, more: &str) -> String {
    let answer = || {
        let (value, more) = (input::parse(text, &LIMITS)?, input::parse(more, &LIMITS)?);
        let mut question = Question::of(&value)?;
        let faults = Faults::default();
        let more = Shape::of(Some(&more), "what stands beside", &["added", "successors"], &faults);
        let added = more.optional("added", is_any);
        let (added, successors) = faults.end((added, more.items("successors")), "InvalidOption")?;
        if let Some(added) = added {
            let event = input::parse(added, &LIMITS)?;
            // What is signed has the form of an event: anything else would be listed without an effect, and never go away.
            Event::of(&event).map_err(|problem| Problem::new("InvalidOption", problem.message))?;
            question.events.push(Input::new(&event, Verdict::Valid { revoked: None, has_successor: false }));
        }
        question.follow(successors)?;
        Ok(question.answer())
    };
    answer().unwrap_or_else(|problem| report::refusal(&problem))
}

/// The events of a line that are about its terms and have valid signatures: `{entries}`, the id and the canonical text of
/// each, ascending. Of several texts of one event only the first is there.
pub fn genuine(text: &str) -> String {
    let answer = || {
        let value = input::parse(text, &LIMITS)?;
        let question = Question::of(&value)?;
        let hash = Terms::of(question.terms)?.hash;
        let mut genuine: Vec<(Id, String)> = Vec::new();
        for Input { text, event, verdict } in question.events {
            if let (Some(event), Verdict::Valid { .. }) = (event, verdict)
                && event.agreement == hash
            {
                genuine.push((event.id, text));
            }
        }
        unique(&mut genuine);
        genuine.dedup_by_key(|(id, _)| *id);
        let mut entries = List::default();
        for (id, text) in &genuine {
            entries.add_text(&id.text());
            entries.add_text(text);
        }
        Ok(object().json("entries", &entries.end()).end())
    };
    answer().unwrap_or_else(|problem| report::refusal(&problem))
}

struct Question<'a> {
    terms: &'a Value,
    hash: Option<Id>,
    events: Vec<Input>,
    now: u64,
}

impl<'a> Question<'a> {
    fn of(value: &'a Value) -> Result<Self, Problem> {
        let faults = Faults::default();
        let names = ["agreementHash", "events", "now", "terms"];
        let shape = Shape::of(Some(value), "the history", &names, &faults);
        let hash = shape.get("agreementHash").map(|_| shape.digest("agreementHash"));
        shape.need("now");
        let now = shape.moment("now");
        let mut events = Vec::new();
        for entry in shape.list("events") {
            let entry = Shape::of(Some(entry), "an entry", &["event", "verdict"], &faults);
            let event = entry.need("event");
            let verdict = Verdict::of(entry.need("verdict"), &faults);
            events.extend(event.map(|event| Input::new(event, verdict)));
        }
        let terms = shape.need("terms").unwrap_or(&Value::Null);
        faults.end(Self { terms, hash, events, now }, "InvalidOption")
    }

    /// Notes which events name a complete agreement that takes the place of this one.
    fn follow(&mut self, complete: &[Value]) -> Result<(), Problem> {
        let Ok(terms) = Terms::of(self.terms) else { return Ok(()) };
        let faults = Faults::default();
        let mut successors: Vec<Terms> = Vec::new();
        for one in complete {
            let shape = Shape::of(Some(one), "a successor", &["signed", "terms"], &faults);
            let signed = shape.list("signed").iter().filter_map(Value::as_str).collect();
            let others = shape.need("terms").and_then(|terms| Terms::of(terms).ok());
            successors.extend(others.filter(|others| others.supersedes(&terms, signed)));
        }
        for input in &mut self.events {
            let named = input.event.as_ref().and_then(|event| event.successor.as_ref());
            let Some((id, hash)) = named else { continue };
            if let Verdict::Valid { has_successor, .. } = &mut input.verdict {
                *has_successor |= successors.iter().any(|terms| terms.id == *id && terms.hash == *hash);
            }
        }
        faults.end((), "InvalidOption")
    }

    fn answer(self) -> String {
        match Terms::of(self.terms) {
            Err(problem) => Outcome::invalid(problem).to_json(),
            Ok(terms) if self.hash.is_some_and(|hash| hash != terms.hash) => {
                let mut outcome = Outcome::invalid(Problem::new(
                    "AgreementHash",
                    "The terms do not have the expected hash.",
                ));
                outcome.terms = Some(&terms);
                outcome.to_json()
            }
            Ok(terms) => outcome::judge(&terms, self.events, self.now).to_json(),
        }
    }
}
