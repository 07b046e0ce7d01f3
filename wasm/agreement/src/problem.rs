//! Why something is refused as a whole.

use alloc::string::String;

/// A refusal: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `InvalidTerms`, `NoParties`, `ReservedField`, `AgreementHash`, `BadEvent`, `WrongAgreement`, `UnknownSigner`, or a
    /// code of the core.
    pub code: &'static str,
    /// What was found.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
