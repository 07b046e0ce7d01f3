//! What JavaScript calls: texts in, one JSON text out. A refusal is an answer, too (`INTERFACE.md`).

use alloc::string::String;

use crate::codes::Code;
use crate::document::Document;
use crate::problem::Problem;
use crate::report::{object, refusal};
use crate::sorting::sort;

fn answer(outcome: Result<String, Problem>) -> String {
    outcome.unwrap_or_else(|problem| refusal(&problem))
}

/// Judges a history with what the caller has beside it; see [`beside`](crate::judge::beside).
pub fn judge_beside(line: &str, more: &str) -> String {
    crate::judge::beside(line, more)
}

/// A new agreement with these terms; see [`Document::create`].
pub fn create(terms: &str, id: &str, now: &str) -> String {
    answer(Document::create(terms, id, now).map(|document| document.answer()))
}

/// Copies as one; see [`Document::open`].
pub fn open(copies: &[String]) -> String {
    answer(Document::open(copies).map(|document| document.answer()))
}

/// The events of a line that can be stored; see [`genuine`](crate::judge::genuine).
pub fn genuine(line: &str) -> String {
    crate::judge::genuine(line)
}

/// Where terms are less strict than those before; see [`loosened`](crate::document::loosened).
pub fn loosened(before: &str, terms: &str) -> String {
    answer(crate::document::loosened(before, terms))
}

/// What the codes of ignored events say: `{reasons}`, sentences by code.
pub fn reasons() -> String {
    let mut rows = Code::TABLE.to_vec();
    sort(&mut rows, &|(a, _), (b, _)| a.cmp(b));
    let mut reasons = object();
    for (name, what) in rows {
        reasons.text(name, what);
    }
    object().json("reasons", &reasons.end()).end()
}
