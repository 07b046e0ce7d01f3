//! Why a text is not read.

use alloc::string::String;

/// What a text that is not read has against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not UTF-8, a byte order mark, not the grammar of RFC 8259, half a surrogate pair.
    NotJson,
    /// A member name that stands twice in one object, after unescaping.
    DuplicateKey,
    /// A number that a double cannot hold.
    LossyNumber,
    /// More than the limits allow.
    LimitExceeded,
}

/// A text that is not read: why, and where that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of refusal.
    pub kind: Kind,
    /// What was found, a whole sentence.
    pub found: String,
}

/// Result of reading.
pub type Result<T> = core::result::Result<T, Error>;
