//! Standalone agreements: immutable terms, a set of signed events, and a status that everybody computes alike from
//! terms, events, verdicts on their signatures, and the time.
//!
//! Nothing here makes or verifies a signature: the core says which events are genuine, this crate says what follows.
//! `INTERFACE.md` states the rules, `DECISIONS.md` says what was chosen where the design is silent. No function panics,
//! whatever the input.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod after;
pub mod answers;
mod bits;
mod certificate;
mod codes;
mod completion;
pub mod document;
pub mod event;
mod graph;
mod holding;
mod id;
mod input;
pub mod judge;
mod outcome;
mod over;
mod problem;
mod report;
mod shape;
mod sorting;
mod standing;
pub mod table;
mod tally;
pub mod terms;

pub use certificate::Line;
pub use codes::Code;
pub use id::Id;
pub use input::{Input, Revocation, Verdict};
pub use outcome::{Outcome, judge as judge_history};
pub use problem::Problem;
pub use standing::{By, Stand, Standing};
