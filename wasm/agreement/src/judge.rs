//! One history in, one answer out, both as JSON (`INTERFACE.md`).

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Limits, Value};
use sx_core::time;

use crate::id::Id;
use crate::input::{Input, Verdict};
use crate::outcome::{self, Outcome};
use crate::problem::Problem;
use crate::report;
use crate::shape::{self, Fault, Shape};
use crate::sorting::unique;
use crate::terms::Terms;

/// A history comes from the library itself, after it was read within the limits of documents.
const LIMITS: Limits = Limits { depth: 130, members: 50_000_000, bytes: 1024 * 1024 * 1024 };

/// Answers a line.
pub fn line(text: &[u8]) -> String {
    let answer = json::parse(text, &LIMITS).map_err(Problem::from).and_then(|value| {
        Question::of(&value)
            .map_err(|fault| Problem::new("InvalidOption", fault.message))
            .map(Question::answer)
    });
    answer.unwrap_or_else(|problem| report::refusal(&problem))
}

/// Answers a line as [`line`] does, with what the caller has beside it: `{added?, successors?}`. `added` is the text of an
/// event whose signature counts as valid; `successors` are the terms of complete agreements.
pub fn beside(text: &[u8], more: &[u8]) -> String {
    let answer = || {
        let (value, more) = (json::parse(text, &LIMITS)?, json::parse(more, &LIMITS)?);
        let fault = |fault: Fault| Problem::new("InvalidOption", fault.message);
        let mut question = Question::of(&value).map_err(fault)?;
        let more = Shape::of(&more, "what stands beside", &["added", "successors"]).map_err(fault)?;
        if let Some(added) = more.optional("added", shape::is_any).map_err(fault)? {
            let event = json::parse(added.as_bytes(), &LIMITS)?;
            question.events.push(Input::new(&event, Verdict::Valid { revoked: None, has_successor: false }));
        }
        question.follow(more.items("successors").map_err(fault)?.unwrap_or_default());
        Ok(question.answer())
    };
    answer().unwrap_or_else(|problem| report::refusal(&problem))
}

/// The events of a line that are about its terms and have valid signatures: `{entries}`, the id and the canonical text of
/// each, ascending. Of several texts of one event only the first is there.
pub fn genuine(text: &[u8]) -> String {
    let answer = || {
        let value = json::parse(text, &LIMITS)?;
        let question = Question::of(&value).map_err(|fault| Problem::new("InvalidOption", fault.message))?;
        let hash = Terms::of(question.terms)?.hash;
        let genuine = question.events.into_iter().filter_map(|Input { text, event, verdict }| {
            let is_valid = matches!(verdict, Verdict::Valid { .. });
            event.filter(|event| is_valid && event.agreement == hash).map(|event| (event.id, text))
        });
        let mut genuine: Vec<(Id, String)> = genuine.collect();
        unique(&mut genuine);
        genuine.dedup_by_key(|(id, _)| *id);
        let entries: Vec<String> = genuine.into_iter().flat_map(|(id, text)| [id.text(), text]).collect();
        Ok(json::write(&report::object(alloc::vec![("entries", report::texts(&entries))])))
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
    fn of(value: &'a Value) -> Result<Self, Fault> {
        let shape = Shape::of(value, "the history", &["agreementHash", "events", "now", "terms"])?;
        let hash = shape.get("agreementHash").map(|_| shape.digest("agreementHash")).transpose()?;
        let now = time::parse(shape.text("now", shape::is_date)?).ok_or_else(|| shape.wrong("now"))?;
        let events = shape.items("events")?.ok_or_else(|| shape.wrong("events"))?;
        let events = events.iter().map(input).collect::<Result<_, _>>()?;
        Ok(Self { terms: shape.need("terms")?, hash, events, now })
    }

    /// Notes which events name a successor that is complete and links to this agreement.
    fn follow(&mut self, successors: &[Value]) {
        let Ok(terms) = Terms::of(self.terms) else { return };
        let successors: Vec<Terms> = successors
            .iter()
            .filter_map(|successor| Terms::of(successor).ok())
            .filter(|successor| successor.supersedes(&terms.id, &terms.hash))
            .collect();
        for input in &mut self.events {
            let named = input.event.as_ref().and_then(|event| event.successor.as_ref());
            let Some((id, hash)) = named else { continue };
            if let Verdict::Valid { has_successor, .. } = &mut input.verdict {
                *has_successor |= successors.iter().any(|terms| terms.id == *id && terms.hash == *hash);
            }
        }
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

fn input(value: &Value) -> Result<Input, Fault> {
    let shape = Shape::of(value, "an entry", &["event", "verdict"])?;
    Ok(Input::new(shape.need("event")?, Verdict::of(shape.need("verdict")?)?))
}
