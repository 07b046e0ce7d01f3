//! Checking a document's signature and hash under one given key (protocol, section 9, steps 5 to 8).

use super::{Canonical, Header, Signature, field};
use crate::error::{Code, Error, Result};
use crate::files;
use crate::json::{Object, Value};
use crate::known_key::KnownKey;
use crate::statement::Context;
use alloc::vec::Vec;

/// Which of a document's signatures is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureField {
    /// `sxSignature`: the agent that made this version.
    Document,
    /// `sxRegistration`: the agent that countersigned it.
    Registration,
}

impl SignatureField {
    /// Reads the name of a signature field.
    ///
    /// Errors: `InvalidOption`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            field::SIGNATURE => Ok(Self::Document),
            field::REGISTRATION => Ok(Self::Registration),
            _ => Err(Error::new(
                Code::InvalidOption,
                "The signature field is neither 'sxSignature' nor 'sxRegistration'.",
            )),
        }
    }

    /// The member's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => field::SIGNATURE,
            Self::Registration => field::REGISTRATION,
        }
    }

    /// The bytes that the signature is over. `members` lose its `signature` on the way.
    fn statement(self, document: &Object, members: &mut Canonical<'_>) -> Result<Vec<u8>> {
        let mut unsigned =
            document.get(self.name()).and_then(Value::as_object).cloned().ok_or(Code::InvalidDocument)?;
        unsigned.remove("signature");
        members.set(self.name(), &Value::Object(unsigned));
        let skip: &[&str] = match self {
            Self::Document => &[field::REGISTRATION],
            Self::Registration => &[],
        };
        Ok(members.statement_without(skip, self.context()))
    }

    /// What its bytes are signed as.
    pub(super) const fn context(self) -> Context {
        match self {
            Self::Document => Context::Document,
            Self::Registration => Context::Registration,
        }
    }
}

impl Signature<'_> {
    /// Whether the signature names this key, by its id and by its algorithm.
    ///
    /// Errors: `KeyMismatch`.
    pub(crate) fn check_names(&self, key: &KnownKey) -> Result<()> {
        let mismatch = |found: &str| Err(Error::new(Code::KeyMismatch, found));
        if key.key.key_id() != self.key_id {
            return mismatch("The document names a different key than expected.");
        }
        if key.key.algorithm().name() != self.algorithm {
            return mismatch("The document does not name the algorithm of its key.");
        }
        Ok(())
    }
}

/// Checks one signature of a document under `key`, whatever the hash says. `members` are those of
/// `document`, `signature` is the one that `which` names.
///
/// Errors: `KeyMismatch`, `KeyRevoked`, `BadSignature`.
pub(crate) fn check_signature(
    document: &Object,
    members: &mut Canonical<'_>,
    signature: &Signature<'_>,
    which: SignatureField,
    key: &KnownKey,
) -> Result<()> {
    signature.check_names(key)?;
    key.check_usable(signature.date)?;
    if key.key.verify(&which.statement(document, members)?, &signature.bytes) {
        Ok(())
    } else {
        Err(Code::BadSignature.into())
    }
}

/// Checks a document's own signature under `key`, its hash, and the files that it holds. `members` are those of
/// `document`, and lose the value of its signature on the way.
///
/// Errors: those of [`check_signature`]; `HashMismatch`.
pub(crate) fn check(
    document: &Object,
    members: &mut Canonical<'_>,
    header: &Header<'_>,
    key: &KnownKey,
) -> Result<()> {
    check_signature(document, members, &header.signature, SignatureField::Document, key)?;
    if members.hash_without(&[field::HASH, field::SIGNATURE, field::REGISTRATION]) != header.sha256 {
        return Err(Code::HashMismatch.into());
    }
    files::check_contents(document.get(field::FILES))
}
