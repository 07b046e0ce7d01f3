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
