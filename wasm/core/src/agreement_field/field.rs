//! The field of a document that holds an agreement.

use super::terms::Terms;
use crate::document::{Canonical, Signature, field};
use crate::error::{Code, Error, Result};
use crate::json::{self, Object, Value};
use crate::known_key::KnownKey;
use crate::ring::Ring;
use crate::statement::{Context, pae};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const VERSION: &str = "v";
const DOCUMENT_HASH: &str = "documentHash";
const AGREEMENT_HASH: &str = "agreementHash";
const SIGNATURES: &str = "signatures";
pub(super) const RESPONSE: &str = "response";
pub(super) const AGREE: &str = "agree";

/// Members of a signature beside those that every signature has.
const MORE: usize = 1;

/// What of a document an agreement does not cover: what a new version changes, and the agreement itself.
const VERSIONED: [&str; 6] = [
    field::VERSION,
    field::VERSION_DATE,
    field::PREVIOUS_VERSION,
    field::SIGNATURE,
    field::REGISTRATION,
    field::HASH,
];

/// Where an agreement stands, or is to stand.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    /// The text of a verified document.
    pub document: &'a [u8],
    /// The name of the member.
    pub name: &'a str,
}

/// An agreement, and whether it is about the document that it stands in.
pub(super) struct Agreement {
    pub(super) terms: Terms,
    /// `documentHash`, as it stands in the field.
    document_hash: String,
    /// `agreementHash`, likewise.
    pub(super) hash: String,
    /// Whether that is the hash of the document that it stands in.
    pub(super) fits: bool,
    /// What was changed since the agreement was made: then no signature counts.
    pub(super) fault: Option<Code>,
    /// As they stand in the field.
    pub(super) signatures: Vec<Value>,
}

/// A name that an agreement can stand under: `sxAgreement`, or one that is free.
///
/// Errors: `InvalidOption`; `ReservedField` for a name of the header.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if name == field::SCHEMA || (field::is_reserved(name) && name != field::AGREEMENT) {
        return Err(Error::new(Code::ReservedField, "The field of the agreement is one of the header."));
    }
    if (1..=64).contains(&name.len()) && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidOption,
        "The field name of the agreement is not 1 to 64 letters, digits, hyphens or underscores.",
    ))
}

/// The hash of what an agreement is about.
pub(super) fn document_hash(document: &Object, name: &str) -> String {
    let mut skip = VERSIONED.to_vec();
    skip.push(name);
    Canonical::of(document).hash_without(&skip)
}

fn id(document: &Object) -> &str {
    document.get(field::ID).and_then(Value::as_str).unwrap_or_default()
}

fn malformed(what: &str) -> Error {
    Error::new(Code::InvalidDocument, format!("The agreement is malformed. {what}"))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl Agreement {
    /// A new one about a document, without signatures.
    pub(super) fn new(document: &Object, name: &str, terms: Terms) -> Self {
        let document_hash = document_hash(document, name);
        let hash = terms.hash(id(document), name, &document_hash);
        Self { terms, document_hash, hash, fits: true, fault: None, signatures: Vec::new() }
    }

    /// Reads the one under this name.
    ///
    /// Errors: `NoAgreement` if there is no such member; `InvalidDocument`, `UnsupportedFormat`.
    pub(super) fn of(document: &Object, name: &str) -> Result<Self> {
        let value = document.get(name).ok_or(Code::NoAgreement)?;
        let no_object = || malformed(&format!("The field is {}, not an object.", kind(value)));
        let mut terms = value.as_object().ok_or_else(no_object)?.clone();
        match terms.remove(VERSION) {
            Some(Value::Number(1.0)) => {}
            Some(Value::Number(_)) => {
                let found = "The agreement was made by a later version.";
                return Err(Error::new(Code::UnsupportedFormat, found));
            }
            _ => return Err(malformed("It has no version.")),
        }
        let hashes = (terms.remove(DOCUMENT_HASH), terms.remove(AGREEMENT_HASH));
        let (Some(Value::String(of_document)), Some(Value::String(hash))) = hashes else {
            return Err(malformed("It has no hash."));
        };
        let Some(Value::Array(signatures)) = terms.remove(SIGNATURES) else {
            return Err(malformed("It has no list of signatures."));
        };
        let terms = Terms::of(terms).map_err(|error| {
            malformed(if error.found.is_empty() { error.code.what() } else { &error.found })
        })?;
        let fits = document_hash(document, name) == of_document;
        let fault = if terms.hash(id(document), name, &of_document) != hash {
            Some(Code::AgreementHash)
        } else {
            (!fits).then_some(Code::HashMismatch)
        };
        Ok(Self { terms, document_hash: of_document, hash, fits, fault, signatures })
    }

    /// The bytes that a party signs: its entry without the signature, and what it agrees to.
    pub(super) fn statement(&self, mut entry: Object) -> Vec<u8> {
        entry.remove("signature");
        entry.insert(AGREEMENT_HASH.into(), self.hash.as_str().into());
        pae(Context::AgreementSign, json::write(&entry.into()).as_bytes())
    }

    /// The entry's signature, and the key that made it, if it counts.
    ///
    /// Errors: why it does not.
    pub(super) fn judge<'a>(
        &self,
        entry: &'a Value,
        is_party: impl FnOnce(&str) -> bool,
        ring: &'a Ring,
    ) -> Result<(Signature<'a>, &'a KnownKey)> {
        let agrees = entry.as_object().filter(|entry| entry.get(RESPONSE) == Some(&AGREE.into()));
        let object = agrees.ok_or(Code::InvalidDocument)?;
        let signature = Signature::with_more("signatures", entry, MORE)?;
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        if !is_party(signature.agent_id) {
            return Err(Code::NotAParty.into());
        }
        let key = ring.resolve(signature.agent_id, signature.key_id)?.key;
        signature.check_names(key)?;
        key.check_usable(signature.date)?;
        if !key.key.verify(&self.statement(object.clone()), &signature.bytes) {
            return Err(Code::BadSignature.into());
        }
        if !self.terms.accepts(key.key.algorithm()) {
            return Err(Code::TooWeak.into());
        }
        // Dates have one form and a fixed width.
        if self.terms.sign_by().is_some_and(|until| signature.date > until) {
            return Err(Code::TooLate.into());
        }
        Ok((signature, key))
    }

    /// The value of the field.
    pub(super) fn into_value(self) -> Value {
        let mut object = self.terms.into_object();
        object.insert(VERSION.into(), Value::Number(1.0));
        object.insert(DOCUMENT_HASH.into(), self.document_hash.into());
        object.insert(AGREEMENT_HASH.into(), self.hash.into());
        object.insert(SIGNATURES.into(), Value::Array(self.signatures));
        object.into()
    }
}

/// Whom an entry names, if that can be read.
pub(super) fn agent_of(entry: &Value) -> Option<&str> {
    entry.as_object()?.get("agentID")?.as_str()
}
