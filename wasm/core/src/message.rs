//! Detached signatures: of events, requests, responses, messages of MCP. What these say is decided by the modules for them,
//! which have no cryptography.

use crate::base64;
use crate::document::Author;
use crate::error::{Code, Error, Result};
use crate::json::Members;
use crate::moment::Moment;
use crate::ring::{Ring, SignerKey};
use crate::statement::{Context, pae};
use alloc::string::String;
use alloc::vec::Vec;

/// Who is said to have signed something, and when.
pub(crate) struct Claimed<'a> {
    pub agent_id: &'a str,
    pub key_id: &'a str,
    pub algorithm: &'a str,
    /// `None` where a revocation is told, not judged.
    pub date: Option<&'a str>,
    pub signature: Vec<u8>,
}

impl Claimed<'_> {
    /// Whether a key of this agent has signed a statement.
    ///
    /// Errors: those of [`Ring::resolve`]; `KeyMismatch`, `KeyRevoked`, `BadSignature`.
    pub(crate) fn check<'a>(&self, ring: &'a Ring, statement: &[u8]) -> Result<SignerKey<'a>> {
        let signer = ring.resolve(self.agent_id, self.key_id)?;
        let key = &signer.key.key;
        if key.algorithm().name() != self.algorithm {
            return Err(Code::KeyMismatch.into());
        }
        if let Some(date) = self.date {
            signer.key.check_usable(date)?;
        }
        if key.verify(statement, &self.signature) { Ok(signer) } else { Err(Code::BadSignature.into()) }
    }
}

/// The contexts of messages, by their text.
///
/// Errors: `InvalidOption`.
fn context(text: &str) -> Result<Context> {
    let of_messages = [Context::Request, Context::Response, Context::Mcp];
    let unknown = || Error::new(Code::InvalidOption, "The context is not one of messages.");
    of_messages.into_iter().find(|context| context.text() == text).ok_or_else(unknown)
}

/// Signs the text of a message; base64.
pub(crate) fn sign(author: &Author<'_>, name: &str, payload: &str, moment: &Moment) -> Result<String> {
    let signature = author.key.sign(&pae(context(name)?, payload.as_bytes()), &moment.hedge())?;
    Ok(base64::encode(&signature))
}

/// Verifies the text of a message, and returns what is known of its signer, `{name, trusted}`. `claimed` has a line each for
/// context, agent, key, algorithm, date, and signature in base64.
///
/// Errors: those of [`Ring::resolve`]; `KeyMismatch`, `KeyRevoked`, `BadSignature`.
pub fn judge(ring: &Ring, claimed: &str, payload: &str) -> Result<String> {
    let mut lines = claimed.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let statement = pae(context(line())?, payload.as_bytes());
    let (agent_id, key_id, algorithm, date) = (line(), line(), line(), Some(line()));
    let signature = base64::decode(line()).ok_or(Code::BadSignature)?;
    let signer = Claimed { agent_id, key_id, algorithm, date, signature }.check(ring, &statement)?;
    let trusted = if signer.trusted { "true" } else { "false" };
    Ok(Members::with_capacity(64).text("name", signer.name).json("trusted", trusted).end())
}
