//! Why something is refused.

use alloc::string::String;

use crate::codes::Code;

/// A refusal: a code, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of failure.
    pub code: Code,
    /// What was found, as a sentence.
    pub message: String,
}

impl From<Code> for Problem {
    fn from(code: Code) -> Self {
        Self { code, message: code.what().into() }
    }
}

impl Problem {
    /// A refusal with its own message.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
