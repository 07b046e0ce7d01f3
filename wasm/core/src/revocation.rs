//! Revocations that are made in advance: a key states, while it is there to sign, that it is revoked. The statement is
//! kept offline and counts once somebody applies it, without the key (protocol, section 7).

use crate::agent::Agent;
use crate::agent_keys::{COMPROMISED, check_reason, statement, texts};
use crate::base64;
use crate::error::{Code, Error, Result};
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value};
use crate::keys::SecretKey;
use crate::known_key::Revocation;
use crate::statement::Context;
use crate::time;
use crate::trust_mark;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// A statement is small: one signature and five short texts.
const LIMITS: Limits = Limits { depth: 16, members: 1000, bytes: 16 * 1024 };

/// `type` of what holds an agent document with statements beside it.
const HELD: &str = "sx-revoked-agent-v1";
/// How that begins.
const HELD_BEGIN: &[u8] = br#"{"document":""#;

/// A key's statement that it is revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Whose key it is.
    pub agent_id: String,
    /// The key that is revoked, which has signed.
    pub key_id: String,
    /// `superseded`, `compromised` or `unspecified`.
    pub reason: String,
    /// When it was made. But for a compromised key it counts from then on.
    pub date: String,
    signature: Vec<u8>,
}

fn malformed(what: &str) -> Error {
    Error::new(
        Code::InvalidDocument,
        format!("This is not a revocation that createRevocation has made: {what}."),
    )
}

impl Statement {
    /// Has the current key of an agent revoke itself.
    ///
    /// Errors: `InvalidOption` for a reason that is none.
    pub(crate) fn make(
        agent: &Agent,
        key: &SecretKey,
        reason: &str,
        now: u64,
        hedge: &[u8; 32],
    ) -> Result<String> {
        check_reason(reason)?;
        let now = time::format(now)?;
        let mut made = Self {
            agent_id: agent.id.clone(),
            key_id: agent.key_id().into(),
            reason: reason.into(),
            date: if now < agent.key.since { agent.key.since.clone() } else { now }, // clocks go back
            signature: Vec::new(),
        };
        made.signature = key.sign(&made.signed(), hedge)?;
        Ok(made.to_text())
    }

    /// Reads a statement. Its signature is not looked at.
    ///
    /// Errors: `NotJson` and the like; `InvalidDocument`; `InvalidOption` for a reason that is none.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let value = json::parse(text, &LIMITS).map_err(|error| match error.code {
            Code::LimitExceeded => malformed("it is larger than any"), // higher limits would not help
            _ => error,
        })?;
        Self::of(&value)
    }

    fn of(value: &Value) -> Result<Self> {
        let object = value.as_object().ok_or_else(|| malformed("it is no object"))?;
        let text = |name: &str| {
            let text = object.get(name).and_then(Value::as_str);
            text.ok_or_else(|| malformed(&format!("it has no text '{name}'")))
        };
        if text("type")? != Context::KeyRevocation.text() {
            return Err(malformed("its 'type' is another one"));
        }
        let (agent_id, key_id, date) = (text("agentId")?, text("keyId")?, text("date")?);
        let reason = text("reason")?;
        check_reason(reason)?;
        let signature =
            base64::decode(text("signature")?).ok_or_else(|| malformed("its signature is not base64"))?;
        if object.len() != 6 {
            return Err(malformed("it has a member that does not belong there"));
        }
        if !is_uuid(agent_id) || time::parse(date).is_none() {
            return Err(malformed("its 'agentId' or its 'date' is none"));
        }
        let [agent_id, key_id, date, reason] = [agent_id, key_id, date, reason].map(String::from);
        Ok(Self { agent_id, key_id, reason, date, signature })
    }

    /// What is signed: the statement of `sx-key-revocation-v1` and the four texts.
    fn signed(&self) -> Vec<u8> {
        statement(Context::KeyRevocation, &self.texts())
    }

    fn texts(&self) -> [(&str, &str); 4] {
        [("agentId", &self.agent_id), ("date", &self.date), ("keyId", &self.key_id), ("reason", &self.reason)]
    }

    fn object(&self) -> Object {
        let mut object = texts(&self.texts());
        object.insert("signature".into(), base64::encode(&self.signature).into());
        object.insert("type".into(), Context::KeyRevocation.text().into());
        object
    }

    /// Its canonical text.
    pub fn to_text(&self) -> String {
        json::write(&Value::Object(self.object()))
    }

    /// What it says of the key.
    pub(crate) fn revocation(&self) -> Revocation {
        Revocation { at: self.date.clone(), compromised: self.reason == COMPROMISED }
    }

    /// Whether it is about a key of this agent, by that key.
    ///
    /// Errors: `KeyMismatch` for another agent or key, `BadSignature`, `InvalidDocument` for a date before the key was
    /// the agent's.
    pub fn check(&self, agent: &Agent) -> Result<()> {
        if self.agent_id != agent.id {
            let found = format!("This revocation is about another agent, {}.", self.agent_id);
            return Err(Error::new(Code::KeyMismatch, found));
        }
        let Some(known) = agent.keys.iter().find(|known| known.key.key_id() == self.key_id) else {
            return Err(Error::new(
                Code::KeyMismatch,
                "This revocation is about a key that the agent is not known to have. Trust its newest document first.",
            ));
        };
        if !known.key.verify(&self.signed(), &self.signature) {
            return Err(Error::new(
                Code::BadSignature,
                "This revocation is damaged, or the key that it is about did not sign it.",
            ));
        }
        if self.date < known.since {
            return Err(Error::new(
                Code::InvalidDocument,
                "This revocation is older than the key that it is about.",
            ));
        }
        Ok(())
    }
}

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
        let bytes = limits.bytes.saturating_mul(6).saturating_add(LIMITS.bytes.saturating_mul(64));
        let value = json::parse(text, &Limits { bytes, ..*limits }).ok()?;
        let object = value.as_object().filter(|object| object.len() == 3)?;
        if object.get("type")?.as_str()? != HELD {
            return None;
        }
        let statements = object.get("revocations")?.as_array().filter(|all| !all.is_empty())?;
        let revocations = statements.iter().map(|one| Statement::of(one).ok()).collect::<Option<_>>()?;
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

/// The agent document in what is held of an agent.
pub fn document_of(held: &[u8], limits: &Limits) -> Option<String> {
    Held::read(held, &crate::limits::of_sources(limits)).map(|held| held.document)
}

/// What is held of an agent, with one more statement beside its document; `None` if the key is revoked as much already.
///
/// Errors: `NotFound` where nothing is held (`known` is a removal mark); those of [`Statement::check`] and of
/// [`Agent::verify_held`].
pub fn add(known: &[u8], statement: &Statement, limits: &Limits) -> Result<Option<String>> {
    if trust_mark::is_mark(known) {
        return Err(Code::NotFound.into());
    }
    let agent = Agent::verify_held(known, limits)?;
    statement.check(&agent)?;
    let is_news = agent.keys.iter().filter(|known| known.key.key_id() == statement.key_id).any(|known| {
        let mut revoked = known.clone();
        revoked.revoke(statement.revocation());
        known.is_less_revoked_than(&revoked)
    });
    if !is_news {
        return Ok(None);
    }
    let held = Held::read(known, &crate::limits::of_sources(limits));
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
