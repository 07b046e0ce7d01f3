//! What is held of an agent: its document, perhaps with revocations next to it that the document does not contain
//! (protocol, section 7).

use crate::agent::{Agent, damaged};
use crate::error::{Code, Result};
use crate::json::{self, Limits, Object, Value};
use crate::known_key::KnownKey;
use crate::limits::of_sources;
use crate::revocation::{self, Statement};
use crate::trust_mark;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// `type` of what holds an agent document with statements beside it.
const HELD: &str = "sx-revoked-agent-v1";
/// How that begins.
const HELD_BEGIN: &[u8] = br#"{"document":""#;

/// An agent document with statements beside it that it does not contain itself.
pub struct Held {
    /// The text of the agent document, as it was handed in.
    pub document: String,
    /// About its keys.
    pub revocations: Vec<Statement>,
}

impl Held {
    /// Reads what holds a document with statements; `None` for anything else, such as the document itself. Only the
    /// form is looked at.
    pub fn read(text: &[u8], limits: &Limits) -> Option<Self> {
        if !text.starts_with(HELD_BEGIN) {
            return None;
        }
        // The document stands in it as a text, in which each byte may be escaped.
        let bytes =
            limits.bytes.saturating_mul(6).saturating_add(revocation::LIMITS.bytes.saturating_mul(64));
        let value = json::parse(text, &Limits { bytes, ..*limits }).ok()?;
        let object = value.as_object().filter(|object| object.len() == 3)?;
        if object.get("type")?.as_str()? != HELD {
            return None;
        }
        let statements = object.get("revocations")?.as_array().filter(|all| !all.is_empty())?;
        let revocations = statements.iter().map(|one| Statement::of_held(one).ok()).collect::<Option<_>>()?;
        Some(Self { document: object.get("document")?.as_str()?.into(), revocations })
    }

    fn write(&self) -> String {
        let statements = self.revocations.iter().map(|one| Value::Object(one.object())).collect();
        json::write(&Value::Object(Object::from([
            ("document", self.document.as_str().into()),
            ("revocations", Value::Array(statements)),
            ("type", HELD.into()),
        ])))
    }
}

/// Verifies what is held of an agent, in a store or under a name of the caller's choice.
/// The caller's `limits` are about what is offered, so here they only raise; see [`of_sources`].
///
/// Errors: `CorruptStore`; `LimitExceeded`.
pub fn verify(text: &[u8], limits: &Limits) -> Result<Agent> {
    let limits = of_sources(limits);
    let Some(held) = Held::read(text, &limits) else {
        return Agent::verify(text, &limits).map_err(damaged);
    };
    let mut agent = Agent::verify(held.document.as_bytes(), &limits).map_err(damaged)?;
    for statement in &held.revocations {
        statement.check(&agent).map_err(damaged)?;
        agent.revoke(&statement.key_id, &statement.revocation());
    }
    Ok(agent)
}

/// The keys of an agent, oldest first, each with its revocation as it counts, as JSON.
///
/// Errors: those of [`verify`].
pub fn keys(held: &[u8], limits: &Limits) -> Result<String> {
    let agent = verify(held, limits)?;
    Ok(json::write(&Value::Array(agent.keys.iter().map(KnownKey::to_value).collect())))
}

/// The agent document in what is held of an agent.
pub fn document_of(held: &[u8], limits: &Limits) -> Option<String> {
    Held::read(held, &of_sources(limits)).map(|held| held.document)
}

/// What is held of an agent, with one more statement beside its document; `None` if the key is revoked as much already.
///
/// Errors: `NotFound` where nothing is held (`known` is a tombstone); those of [`Statement::check`] and of
/// [`verify`].
pub fn add(known: &[u8], statement: &Statement, limits: &Limits) -> Result<Option<String>> {
    if trust_mark::is_mark(known) {
        return Err(Code::NotFound.into());
    }
    let agent = verify(known, limits)?;
    statement.check(&agent)?;
    let is_news = agent.keys.iter().filter(|known| known.key.key_id() == statement.key_id).any(|known| {
        let mut revoked = known.clone();
        revoked.revoke(statement.revocation());
        known.is_less_revoked_than(&revoked)
    });
    if !is_news {
        return Ok(None);
    }
    let held = Held::read(known, &of_sources(limits));
    let mut held = match held {
        Some(held) => held,
        None => Held {
            document: core::str::from_utf8(known).map_err(|_| Code::CorruptStore)?.to_string(),
            revocations: Vec::new(),
        },
    };
    held.revocations.push(statement.clone());
    Ok(Some(held.write()))
}
