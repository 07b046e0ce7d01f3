//! The shape of a document: which header fields there are and what they may hold.

use super::{AGENT_TYPE, HEADER_SCHEMA, LEVELS, SCHEMA_BASE, field};
use crate::base64;
use crate::error::{Code, Error, Result};
use crate::files;
use crate::hash::is_sha256_hex;
use crate::ids::is_uuid;
use crate::json::{Object, Value};
use crate::time;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The header of a well-formed signed document, borrowed from it.
#[derive(Debug)]
pub struct Header<'a> {
    /// `sxId`.
    pub id: &'a str,
    /// `sxVersion`.
    pub version: &'a str,
    /// `sxOriginalVersion`.
    pub original_version: &'a str,
    /// `sxPreviousVersion`, absent on a first version.
    pub previous_version: Option<&'a str>,
    /// `sxVersionDate`.
    pub version_date: &'a str,
    /// `sxOriginalDate`.
    pub original_date: &'a str,
    /// `sxType`.
    pub document_type: &'a str,
    /// `sxLevel`.
    pub level: &'a str,
    /// `sxSha256`.
    pub sha256: &'a str,
    /// `sxSignature`.
    pub signature: Signature<'a>,
    /// `sxRegistration`, where another agent countersigned.
    pub registration: Option<Signature<'a>>,
}

/// A signature object, borrowed from its document.
#[derive(Debug)]
pub struct Signature<'a> {
    /// `agentID`: the signer.
    pub agent_id: &'a str,
    /// `agentVersion`: the version of the signer's agent document.
    pub agent_version: &'a str,
    /// `keyId`: RFC 7638 thumbprint of the signer's key.
    pub key_id: &'a str,
    /// `signingAlgorithm`, compared with the resolved key's and never used to choose.
    pub algorithm: &'a str,
    /// `date`: when it was signed.
    pub date: &'a str,
    /// `signature`, decoded.
    pub bytes: Vec<u8>,
}

fn malformed(name: &str, what: &str) -> Error {
    Error::new(Code::InvalidDocument, format!("The field '{name}' {what}."))
}

fn text<'a>(object: &'a Object, name: &str) -> Result<&'a str> {
    match object.get(name) {
        None => Err(malformed(name, "is missing")),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(malformed(name, "is not a string")),
    }
}

fn uuid<'a>(object: &'a Object, name: &str) -> Result<&'a str> {
    let found = text(object, name)?;
    if is_uuid(found) { Ok(found) } else { Err(malformed(name, "is not a UUID of version 4 or 7")) }
}

fn date<'a>(object: &'a Object, name: &str) -> Result<&'a str> {
    let found = text(object, name)?;
    time::parse(found)
        .map(|_| found)
        .ok_or_else(|| malformed(name, "is not an RFC 3339 date in UTC with milliseconds"))
}

impl<'a> Header<'a> {
    /// Checks the shape of a document.
    ///
    /// Errors: `UnsupportedFormat`, `MissingSignature`, `InvalidDocument`.
    pub fn of(document: &'a Value) -> Result<Self> {
        let Some(document) = document.as_object() else {
            return Err(Error::new(Code::InvalidDocument, "The document is not a JSON object."));
        };
        recognise(document)?;
        let signature = match document.get(field::SIGNATURE) {
            None => return Err(Code::MissingSignature.into()),
            Some(value) => Signature::of(field::SIGNATURE, value)?,
        };
        let registration = document.get(field::REGISTRATION);
        let registration = registration.map(|value| Signature::of(field::REGISTRATION, value)).transpose()?;
        let previous_version = document.get(field::PREVIOUS_VERSION);
        let header = Self {
            id: uuid(document, field::ID)?,
            version: uuid(document, field::VERSION)?,
            original_version: uuid(document, field::ORIGINAL_VERSION)?,
            previous_version: previous_version
                .map(|_| uuid(document, field::PREVIOUS_VERSION))
                .transpose()?,
            version_date: date(document, field::VERSION_DATE)?,
            original_date: date(document, field::ORIGINAL_DATE)?,
            document_type: text(document, field::TYPE)?,
            level: text(document, field::LEVEL)?,
            sha256: text(document, field::HASH)?,
            signature,
            registration,
        };
        header.check(document)?;
        Ok(header)
    }

    /// The rules that span several fields.
    fn check(&self, document: &Object) -> Result<()> {
        check_type(self.document_type)?;
        if !LEVELS.contains(&self.level) {
            return Err(malformed(field::LEVEL, "is not one of raw, config, artifact, derived"));
        }
        if !is_sha256_hex(self.sha256) {
            return Err(malformed(field::HASH, "is not 64 lower-case hexadecimal digits"));
        }
        if document.get(field::FILES).is_some_and(|files| !files::has_shape(files)) {
            return Err(malformed(field::FILES, "is not a list of files as the protocol describes them"));
        }
        if document.get(field::AGREEMENT).is_some_and(|agreement| agreement.as_object().is_none()) {
            return Err(malformed(field::AGREEMENT, "is not an object"));
        }
        if self.signature.date != self.version_date {
            return Err(malformed(field::SIGNATURE, "has a different date than the version"));
        }
        // Dates have one form and a fixed width, so their order is the order of their text.
        let first = self.version == self.original_version;
        let fits = match self.previous_version {
            None => first && self.version_date == self.original_date,
            Some(previous) => !first && previous != self.version && self.version_date >= self.original_date,
        };
        if !fits {
            return Err(malformed(field::PREVIOUS_VERSION, "does not match the version of its document"));
        }
        if self.document_type != AGENT_TYPE
            && let Some(name) = field::AGENT.iter().find(|name| document.contains(name))
        {
            return Err(malformed(name, "is only allowed in agent documents"));
        }
        Ok(())
    }
}

/// `sxType`: 1 to 64 letters, digits, hyphens, underscores, and dots between them.
///
/// Errors: `InvalidDocument`.
pub(super) fn check_type(text: &str) -> Result<()> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let parts = || text.split('.').all(|part| !part.is_empty() && part.bytes().all(allowed));
    if text.len() <= 64 && parts() {
        return Ok(());
    }
    Err(malformed(
        field::TYPE,
        "is not 1 to 64 letters, digits, hyphens or underscores, or dots between them",
    ))
}

/// The `$id` of a custom schema, as it becomes the `$schema` of documents that are made: an absolute URI (RFC 3986) of at
/// most 1,000 characters, without a fragment, and none of the library's own.
///
/// Errors: `InvalidSchema`.
pub fn check_schema_id(id: &str) -> Result<()> {
    let invalid = |found: &str| Err(Error::new(Code::InvalidSchema, found));
    let scheme = id.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let allowed = |b: u8| b.is_ascii_graphic() && !b"\"#<>[\\]^`{|}".contains(&b);
    if id.len() > MAX_SCHEMA_ID || !has_scheme || !id.bytes().all(allowed) {
        return invalid(
            "The $id of the schema is not an absolute URI without a fragment, or is longer than 1,000 characters.",
        );
    }
    if id.starts_with(SCHEMA_BASE) {
        return invalid("The $id of the schema is reserved for the library.");
    }
    Ok(())
}

/// Characters of the `$id` of a custom schema.
const MAX_SCHEMA_ID: usize = 1_000;

/// Tells documents of this format from those of others, before anything else is said of them.
fn recognise(document: &Object) -> Result<()> {
    let unsupported = |what: &str, found: &str| {
        // Of a text that nobody vouches for only so much is repeated.
        let shown: String = found.chars().take(80).filter(|c| c.is_ascii_graphic() && *c != '\'').collect();
        let found = format!("This document {what} that this version does not know: '{shown}'.");
        Err(Error::new(Code::UnsupportedFormat, found))
    };
    match document.get(field::SCHEMA) {
        Some(Value::String(schema)) if schema == HEADER_SCHEMA => {}
        Some(Value::String(schema)) if schema.starts_with(SCHEMA_BASE) => {
            return unsupported("names a header schema", schema);
        }
        Some(Value::String(_)) => {}
        Some(_) => return Err(malformed(field::SCHEMA, "is not a string")),
        None => {}
    }
    if !document.contains(field::SIGNATURE) && !document.contains(field::ID) {
        return Err(foreign(document));
    }
    let known = |name: &str| field::is_header(name) || field::AGENT.contains(&name);
    if let Some((name, _)) = document.iter().find(|(name, _)| field::is_reserved(name) && !known(name)) {
        return unsupported("has a header field", name);
    }
    if !document.contains(field::SCHEMA) {
        return Err(malformed(field::SCHEMA, "is missing"));
    }
    Ok(())
}

/// What a document is that carries no mark of this library. Ours may have members of these names.
fn foreign(document: &Object) -> Error {
    let has = |name| document.contains(name);
    let format = if has("jacsId") || has("jacsSignature") {
        "a JACS document"
    } else if has("proof") && has("@context") {
        "a W3C Verifiable Credential or Data Integrity document"
    } else if has("payload") && (has("signatures") || has("protected")) {
        "a JSON Web Signature or a DSSE envelope"
    } else {
        return Error::new(Code::MissingSignature, "The document has neither an 'sxId' nor a signature.");
    };
    Error::new(Code::UnsupportedFormat, format!("This document is {format}."))
}

impl<'a> Signature<'a> {
    /// Members of a signature object: all of them, and no others.
    const MEMBERS: &'static [&'static str] =
        &["agentID", "agentVersion", "date", "keyId", "nonce", "signature", "signingAlgorithm"];

    fn of(name: &str, value: &'a Value) -> Result<Self> {
        Self::with_more(name, value, 0)
    }

    /// Reads a signature object with so many members more, which are the caller's to look at.
    ///
    /// Errors: `InvalidDocument`.
    pub(crate) fn with_more(name: &str, value: &'a Value, more: usize) -> Result<Self> {
        let Some(object) = value.as_object() else { return Err(malformed(name, "is not an object")) };
        if let Some(missing) = Self::MEMBERS.iter().find(|member| !object.contains(member)) {
            return Err(malformed(name, &format!("has no member '{missing}'")));
        }
        if object.len() != Self::MEMBERS.len().saturating_add(more) {
            return Err(malformed(name, "has an unknown member"));
        }
        let key_id = text(object, "keyId")?;
        if !decodes_to(32, key_id) {
            return Err(malformed("keyId", "is not a SHA-256 thumbprint in base64url"));
        }
        if !decodes_to(16, text(object, "nonce")?) {
            return Err(malformed("nonce", "is not 16 bytes in base64url"));
        }
        let bytes = base64::decode(text(object, "signature")?);
        Ok(Self {
            agent_id: uuid(object, "agentID")?,
            agent_version: uuid(object, "agentVersion")?,
            key_id,
            algorithm: text(object, "signingAlgorithm")?,
            date: date(object, "date")?,
            bytes: bytes.ok_or_else(|| malformed("signature", "is not canonical base64"))?,
        })
    }
}

fn decodes_to(len: usize, text: &str) -> bool {
    base64::decode_url(text).is_some_and(|bytes| bytes.len() == len)
}
