//! Signing a text.

use super::block::{self, Claim};
use super::content::{Content, claim_of};
use super::layout::{Layout, Span};
use super::{DOCUMENT_TYPE, MAX_BLOCKS, check_size, text_of};
use crate::document::{Author, create_claim, field};
use crate::error::{Code, Error, Result};
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value, object};
use crate::moment::Moment;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// How a text becomes a signed one: the bytes from `from` to `to` are replaced by `insert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The first byte that is replaced.
    pub from: usize,
    /// The first one after it that is kept.
    pub to: usize,
    /// What stands there then.
    pub insert: String,
    /// Bytes of the text that was signed.
    pub length: usize,
    /// Hexadecimal SHA-256 of that text.
    pub sha256: String,
}

impl Splice {
    /// `{from, to, insert, length, sha256}`, as JSON.
    pub fn to_json(&self) -> String {
        let number = |n: usize| Value::Number(n as f64);
        json::write(&Value::Object(object(vec![
            ("from", number(self.from)),
            ("to", number(self.to)),
            ("insert", self.insert.as_str().into()),
            ("length", number(self.length)),
            ("sha256", self.sha256.as_str().into()),
        ])))
    }
}

/// A block that is there already.
struct Present<'a> {
    span: Span<'a>,
    signer: String,
    claim: Claim,
}

/// Signs a text: adds a block after those of others, or replaces the signer's own.
///
/// Errors: `NotText`; `MarkerCollision` for a marker line that is not part of a block as the library writes
/// it, and where something else than such blocks follows the first one; `LimitExceeded`, also for what
/// would be too large with the signature.
pub fn sign(author: &Author<'_>, bytes: &[u8], moment: &Moment) -> Result<Splice> {
    let limits = &author.limits;
    check_size(bytes.len(), limits)?;
    text_of(bytes)?;
    let layout = Layout::of(bytes)?;
    if let Some(fault) = layout.fault {
        return Err(Error::new(Code::MarkerCollision, fault.found));
    }
    let present = read_all(layout.blocks)?;
    let claim = Content::of(layout.text).to_sign(present.iter().map(|block| &block.claim));
    let claim = if present.is_empty() { claim_of(bytes) } else { claim };

    let made = create_claim(author, DOCUMENT_TYPE, claim.content(), moment)?;
    let document = json::parse(made.raw.as_bytes(), &Limits::default())?;
    let block = document.as_object().and_then(block::write).ok_or(Code::Internal)?;

    let splice = |from: usize, to: usize, insert: String| Splice {
        from,
        to,
        insert,
        length: claim.length,
        sha256: claim.sha256.clone(),
    };
    let own = present.iter().find(|present| present.signer == author.agent_id);
    let splice = match (own, present.last()) {
        (Some(own), _) => splice(own.span.from, own.span.to, block),
        (None, Some(_)) if present.len() >= MAX_BLOCKS => {
            return Err(Error::new(
                Code::LimitExceeded,
                format!("The text already has {MAX_BLOCKS} signatures."),
            ));
        }
        (None, Some(last)) => splice(last.span.to, last.span.to, format!("\n{block}")),
        (None, None) => {
            let gap = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
            splice(bytes.len(), bytes.len(), format!("{gap}{block}\n"))
        }
    };
    let kept = bytes.len().saturating_sub(splice.to.saturating_sub(splice.from));
    check_size(kept.saturating_add(splice.insert.len()), limits)?;
    Ok(splice)
}

/// The blocks that are there, each of another signer.
fn read_all(spans: Vec<Span<'_>>) -> Result<Vec<Present<'_>>> {
    let mut present: Vec<Present<'_>> = Vec::new();
    for span in spans {
        let line = span.line;
        let collision = |what: &str| Error::new(Code::MarkerCollision, format!("Line {line} {what}."));
        let document = core::str::from_utf8(span.bytes).ok().and_then(block::read);
        let document = document.ok_or_else(|| collision("begins a malformed signature"))?;
        let signer = signer_of(&document).ok_or_else(|| collision("begins a malformed signature"))?;
        let claim = Claim::of(&document).map_err(|_| collision("begins a signature of another kind"))?;
        if present.iter().any(|other| other.signer == signer) {
            return Err(collision("begins a second signature by one signer"));
        }
        present.push(Present { span, signer, claim });
    }
    Ok(present)
}

/// The agent that a document names as its signer.
pub fn signer_of(document: &Object) -> Option<String> {
    let id = document.get(field::SIGNATURE)?.as_object()?.get("agentID")?.as_str()?;
    is_uuid(id).then(|| id.into())
}
