//! Documents: their header, how they are made, and whether a given key signed one (protocol, section 6).

mod canonical;
mod check;
pub mod field;
mod header;
mod make;
mod making;

pub use canonical::Within;
pub use check::SignatureField;
pub use header::{Header, Signature, check_schema_id};
pub use make::{create, update};
pub use making::{Author, Kind, Made, Making};

pub(crate) use canonical::Canonical;
pub(crate) use check::{check, check_signature};
pub(crate) use make::{countersign, create_claim, create_of, first_version, later, next_version, revise};

use crate::error::Result;
use crate::json::{self, Limits};
use crate::limits::{CEILING, of_sources};
use alloc::string::String;

/// Where the schemas of the library are named. An identifier, never fetched (protocol, section 6).
pub const SCHEMA_BASE: &str = "urn:sx-agent:schemas";
/// `$schema` of a document without a custom schema.
pub const HEADER_SCHEMA: &str = "urn:sx-agent:schemas/header/v1/header.schema.json";

/// `sxType` of what `signMessage` makes.
pub const MESSAGE_TYPE: &str = "message";
/// `sxType` of an agent document.
pub const AGENT_TYPE: &str = "agent";
/// Allowed values of `sxLevel`.
pub const LEVELS: &[&str] = &["raw", "config", "artifact", "derived"];

/// What a stored text says it is: `{id, version, previous, type}` as JSON. Its shape is checked,
/// its signature is not. The caller's `limits` are about what is handed in, so here they only raise; see [`of_sources`].
///
/// Errors: those of the reader and of [`Header::of`].
pub fn identity(text: &[u8], limits: &Limits) -> Result<String> {
    let document = json::parse(text, &of_sources(limits))?;
    let header = Header::of(&document)?;
    Ok(identity_json(header.id, header.version, header.previous_version, header.document_type))
}

/// Who signed a stored text, by which key and when: `{agentId, date, keyId}` as JSON. Its shape is checked, its signature
/// is not. What is stored was within the limits of whoever stored it, so it is read with the largest ones.
///
/// Errors: those of the reader and of [`Header::of`].
pub fn signing(text: &[u8]) -> Result<String> {
    let document = json::parse(text, &CEILING)?;
    let signature = Header::of(&document)?.signature;
    Ok(json::Members::with_capacity(160)
        .text("agentId", signature.agent_id)
        .text("date", signature.date)
        .text("keyId", signature.key_id)
        .end())
}

/// What a document says of itself: `{agentId, documentId, timestamp, type, version}` as JSON. Its shape is checked, its
/// signature is not: anybody can write that.
///
/// Errors: those of the reader and of [`Header::of`].
pub fn claims(text: &[u8], limits: &Limits) -> Result<String> {
    let document = json::parse(text, limits)?;
    let header = Header::of(&document)?;
    Ok(json::Members::with_capacity(240)
        .text("agentId", header.signature.agent_id)
        .text("documentId", header.id)
        .text("timestamp", header.signature.date)
        .text("type", header.document_type)
        .text("version", header.version)
        .end())
}

pub(crate) fn identity_json(id: &str, version: &str, previous: Option<&str>, document_type: &str) -> String {
    json::Members::with_capacity(160)
        .text("id", id)
        .text("previous", previous)
        .text("type", document_type)
        .text("version", version)
        .end()
}
