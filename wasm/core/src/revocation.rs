//! Revocations that are made in advance: a key states, while it is there to sign, that it is revoked. The statement is
//! kept offline and counts once somebody applies it, without the key (protocol, section 7).

use crate::agent::{Agent, Own};
use crate::agent_keys::{self, read_reason, texts};
use crate::base64;
use crate::document::Made;
use crate::error::{Code, Error, Result};
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value};
use crate::keys::SecretKey;
use crate::known_key::{Reason, Revocation};
use crate::layout;
use crate::moment::Moment;
use crate::statement::Context;
use crate::time;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// A statement is small: one signature and five short texts.
pub(crate) const LIMITS: Limits = Limits { depth: 16, members: 1000, bytes: 16 * 1024 };

/// A key's statement that it is revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Whose key it is.
    pub agent_id: String,
    /// The key that is revoked, which has signed.
    pub key_id: String,
    /// Why.
    pub reason: Reason,
    /// When it was made. But for a compromised key it counts from then on.
    pub date: String,
    signature: Vec<u8>,
    /// When it was applied, if that is before its date: then it counts from then on. Not signed.
    applied: Option<String>,
}

const APPLIED: &str = "applied";

fn malformed(what: &str) -> Error {
    Error::new(Code::InvalidDocument, format!("The revocation is not valid: {what}."))
}

impl Statement {
    /// Has the current key of an agent revoke itself.
    ///
    /// Errors: `InvalidOption` for a reason that is none.
    fn make(agent: &Agent, key: &SecretKey, reason: &str, moment: &Moment) -> Result<String> {
        let now = moment.date()?;
        let mut made = Self {
            agent_id: agent.id.clone(),
            key_id: agent.key_id().into(),
            reason: read_reason(reason)?,
            date: if now < agent.key.since { agent.key.since.clone() } else { now }, // clocks go back
            signature: Vec::new(),
            applied: None,
        };
        made.signature = key.sign(&made.signed(), &moment.hedge())?;
        Ok(made.to_text())
    }

    /// Reads a statement. Its signature is not looked at.
    ///
    /// Errors: `NotJson` and the like; `InvalidDocument`; `InvalidOption` for a reason that is none.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let value = json::parse(text, &LIMITS).map_err(|error| match error.code {
            Code::LimitExceeded => malformed("it is too large"), // higher limits would not help
            _ => error,
        })?;
        Self::of(value.as_object().ok_or_else(|| malformed("it is not an object"))?)
    }

    /// Reads a statement that is applied now, or at an earlier time.
    ///
    /// Errors: those of [`parse`](Self::parse) and [`applied_at`](Self::applied_at).
    pub fn parse_applied(text: &str, applied: Option<&str>) -> Result<Self> {
        let statement = Self::parse(text.as_bytes())?;
        match applied {
            None => Ok(statement),
            Some(at) => statement.applied_at(at),
        }
    }

    /// Reads a statement as it is held: perhaps with the time at which it was applied.
    pub(crate) fn of_held(value: &Value) -> Result<Self> {
        let mut object = value.as_object().ok_or_else(|| malformed("it is not an object"))?.clone();
        let applied = object.remove(APPLIED);
        let statement = Self::of(&object)?;
        match applied.as_ref().map(Value::as_str) {
            None => Ok(statement),
            Some(Some(at)) if at < statement.date.as_str() => statement.applied_at(at),
            Some(_) => Err(malformed("its 'applied' is not an earlier date")),
        }
    }

    /// The same, applied at a time. That counts only if it is before the date of the statement: the clock by which it was
    /// made was ahead then.
    ///
    /// Errors: `InvalidDocument` for a text that is no date.
    pub fn applied_at(mut self, at: &str) -> Result<Self> {
        time::parse(at).ok_or_else(|| malformed("the time at which it was applied is not a date"))?;
        self.applied = (at < self.date.as_str()).then(|| at.into());
        Ok(self)
    }

    fn of(object: &Object) -> Result<Self> {
        let text = |name: &str| {
            let text = object.get(name).and_then(Value::as_str);
            text.ok_or_else(|| malformed(&format!("it has no string '{name}'")))
        };
        if text("type")? != Context::KeyRevocation.text() {
            return Err(malformed("its 'type' is wrong"));
        }
        let (agent_id, key_id, date) = (text("agentId")?, text("keyId")?, text("date")?);
        let reason = read_reason(text("reason")?)?;
        let signature =
            base64::decode(text("signature")?).ok_or_else(|| malformed("its signature is not base64"))?;
        if object.len() != 6 {
            return Err(malformed("it has an unknown member"));
        }
        if !is_uuid(agent_id) || time::parse(date).is_none() {
            return Err(malformed("its 'agentId' or 'date' is not valid"));
        }
        let [agent_id, key_id, date] = [agent_id, key_id, date].map(String::from);
        Ok(Self { agent_id, key_id, reason, date, signature, applied: None })
    }

    /// What is signed: the statement of `sx-key-revocation-v1` and the four texts.
    fn signed(&self) -> Vec<u8> {
        agent_keys::statement(Context::KeyRevocation, &self.texts())
    }

    fn texts(&self) -> [(&str, &str); 4] {
        let reason = self.reason.name();
        [("agentId", &self.agent_id), ("date", &self.date), ("keyId", &self.key_id), ("reason", reason)]
    }

    pub(crate) fn object(&self) -> Object {
        let mut object = texts(&self.texts());
        object.insert("signature".into(), base64::encode(&self.signature).into());
        object.insert("type".into(), Context::KeyRevocation.text().into());
        if let Some(applied) = &self.applied {
            object.insert(APPLIED.into(), applied.as_str().into());
        }
        object
    }

    /// Its canonical text.
    pub fn to_text(&self) -> String {
        json::write(&Value::Object(self.object()))
    }

    /// Whose key it is about, which, why and from when on; and its text; as JSON.
    pub fn to_json(&self) -> String {
        self.described(&self.to_text(), &[])
    }

    fn described(&self, text: &str, more: &[(&str, Option<&str>)]) -> String {
        let mut members = Vec::from(self.texts().map(|(name, text)| (name, Some(text))));
        members.push(("text", Some(text)));
        members.extend(more);
        json::texts(&members)
    }

    /// What it says of the key.
    pub(crate) fn revocation(&self) -> Revocation {
        let at = self.applied.as_ref().unwrap_or(&self.date);
        Revocation { at: at.clone(), reason: self.reason }
    }

    /// Whether it is about a key of this agent, by that key.
    ///
    /// Errors: `KeyMismatch` for another agent or key, `BadSignature`, `InvalidDocument` for a date before the key was
    /// the agent's.
    pub fn check(&self, agent: &Agent) -> Result<()> {
        if self.agent_id != agent.id {
            let found = format!("The revocation is for another agent, {}.", self.agent_id);
            return Err(Error::new(Code::KeyMismatch, found));
        }
        let Some(known) = agent.keys.iter().find(|known| known.key.key_id() == self.key_id) else {
            return Err(Error::new(
                Code::KeyMismatch,
                "The revocation is for an unknown key of the agent. Trust its newest document first.",
            ));
        };
        if !known.key.verify(&self.signed(), &self.signature) {
            return Err(Error::new(
                Code::BadSignature,
                "The revocation is damaged, or was not signed by the key that it revokes.",
            ));
        }
        if self.date < known.since {
            return Err(Error::new(
                Code::InvalidDocument,
                "The revocation is older than the key that it revokes.",
            ));
        }
        Ok(())
    }
}

/// Makes the version of the loaded agent's document in which an earlier key is revoked as it has stated itself;
/// `None` if it is already.
///
/// Errors: those of [`Statement::check`]; `InvalidOption` for the current key.
pub fn apply(own: &Own<'_>, statement: &Statement, moment: &Moment) -> Result<Option<Made>> {
    let (current, known) = own.read()?;
    statement.check(&known)?;
    if statement.key_id == known.key_id() {
        return Err(Error::new(Code::InvalidOption, "This statement revokes the agent's current key."));
    }
    let mut members = current.as_object().cloned().ok_or(Code::InvalidDocument)?;
    let from = statement.revocation().at;
    if !agent_keys::revoke_as_stated(&mut members, &statement.key_id, &from, statement.reason.name())? {
        return Ok(None);
    }
    own.next((&current, &known), members, moment).map(Some)
}

/// Has the current key of the loaded agent revoke itself, in a statement to be kept until it is needed.
///
/// Errors: `InvalidOption` for a reason that is none, and for an earlier key, which is not at hand;
/// `KeyMismatch` for a key that is none of the agent's.
pub fn make(own: &Own<'_>, key_id: Option<&str>, reason: &str, moment: &Moment) -> Result<String> {
    let (_, known) = own.read()?;
    match key_id {
        Some(id) if !known.keys.iter().any(|known| known.key.key_id() == id) => {
            return Err(Error::new(
                Code::KeyMismatch,
                "The agent never had this key, or its document no longer contains it.",
            ));
        }
        Some(id) if id != known.key_id() => {
            return Err(Error::new(
                Code::InvalidOption,
                "A revocation statement is signed by the key that it revokes, and only the current private key is stored. Revoke an earlier key with revokeKey.",
            ));
        }
        _ => {}
    }
    Statement::make(&known, own.key, reason, moment)
}

/// Longer than any entry, however much of its statement is escaped.
const STORED_LIMITS: Limits = Limits { depth: 2, members: 10, bytes: 8 * LIMITS.bytes };

/// A revocation as it is stored beside the agent document (protocol, section 12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStatement {
    /// The number of the latest version of the agent document when it was applied.
    pub number: u64,
    /// What the key has stated.
    pub statement: Statement,
}

impl StoredStatement {
    const MEMBERS: usize = 2;

    /// A statement that is applied now, or from an earlier date on than its own.
    ///
    /// Errors: `InvalidId` for a number that is none; those of [`Statement::parse`] and [`Statement::applied_at`].
    pub fn new(number: f64, statement: &str, applied: Option<&str>) -> Result<Self> {
        let number = layout::check_number(number, 1)?;
        Ok(Self { number, statement: Statement::parse_applied(statement, applied)? })
    }

    /// Reads an entry.
    ///
    /// Errors: `CorruptStore` unless it is an object of exactly `number`, `statement` and perhaps `applied`.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let damaged = || Error::new(Code::CorruptStore, "The stored revocation is damaged.");
        let value = json::parse(text, &STORED_LIMITS).map_err(|_| damaged())?;
        let object = value.as_object().ok_or_else(damaged)?;
        let number = object.get("number").and_then(Value::as_f64).ok_or_else(damaged)?;
        let statement = object.get("statement").and_then(Value::as_str).ok_or_else(damaged)?;
        let applied = object.get(APPLIED).map(|at| at.as_str().ok_or_else(damaged)).transpose()?;
        let found = Self::new(number, statement, applied).map_err(|_| damaged())?;
        let is_exact = found.statement.applied.as_deref() == applied
            && object.len() == Self::MEMBERS.saturating_add(usize::from(applied.is_some()));
        is_exact.then_some(found).ok_or_else(damaged)
    }

    /// From when on it counts, if that is before its date.
    pub fn applied(&self) -> Option<&str> {
        self.statement.applied.as_deref()
    }

    /// The statement itself, as its key has signed it.
    pub fn stated(&self) -> String {
        Statement { applied: None, ..self.statement.clone() }.to_text()
    }

    /// What [`Statement::to_json`] says, and the number, and from when on it counts if that is before its date.
    pub fn to_json(&self) -> String {
        let more = [("number", Some(&*self.number.to_string())), ("applied", self.applied())];
        self.statement.described(&self.stated(), &more)
    }

    /// The canonical text of the entry.
    pub fn write(&self) -> String {
        let mut object = Object::from([
            ("number", Value::Number(self.number as f64)),
            ("statement", self.stated().as_str().into()),
        ]);
        if let Some(applied) = self.applied() {
            object.insert(APPLIED.into(), applied.into());
        }
        json::write(&Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATEMENT: &str = r#"{"agentId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","date":"2026-01-02T03:04:05.678Z","keyId":"k","reason":"compromised","signature":"AAAA","type":"sx-key-revocation-v1"}"#;

    #[test]
    fn a_stored_revocation_is_read_as_it_was_written() {
        let stored = StoredStatement::new(3.0, STATEMENT, None).unwrap();
        assert!(stored.write().starts_with(r#"{"number":3,"statement":"{\"agentId\":\""#));
        assert_eq!(StoredStatement::parse(stored.write().as_bytes()), Ok(stored));
    }

    #[test]
    fn a_stored_revocation_keeps_when_it_was_applied_if_that_is_before_its_date() {
        const EARLIER: &str = "2025-01-02T03:04:05.678Z";
        let stored = StoredStatement::new(3.0, STATEMENT, Some(EARLIER)).unwrap();
        assert_eq!((stored.applied(), stored.stated().as_str()), (Some(EARLIER), STATEMENT));
        assert_eq!(StoredStatement::parse(stored.write().as_bytes()), Ok(stored));
        let later = StoredStatement::new(3.0, STATEMENT, Some("2027-01-02T03:04:05.678Z")).unwrap();
        assert_eq!(later, StoredStatement::new(3.0, STATEMENT, None).unwrap());
    }

    #[test]
    fn what_a_revocation_says_is_handed_out() {
        let said = |json: &str| json::parse(json.as_bytes(), &Limits::default()).unwrap();
        let statement = said(&Statement::parse(STATEMENT.as_bytes()).unwrap().to_json());
        let stored = said(&StoredStatement::new(3.0, STATEMENT, None).unwrap().to_json());
        let text = |value: &Value, name: &str| value.as_object().unwrap().get(name).cloned();
        for (name, expected) in [
            ("agentId", "6fa459ea-ee8a-4ca4-894e-db77e160355e"),
            ("date", "2026-01-02T03:04:05.678Z"),
            ("keyId", "k"),
            ("reason", "compromised"),
            ("text", STATEMENT),
        ] {
            assert_eq!(text(&statement, name), Some(expected.into()), "{name}");
            assert_eq!(text(&stored, name), Some(expected.into()), "{name}");
        }
        assert_eq!((statement.as_object().unwrap().len(), stored.as_object().unwrap().len()), (5, 7));
        assert_eq!(text(&stored, "number"), Some("3".into()));
        assert_eq!(text(&stored, "applied"), Some(Value::Null));
        const EARLIER: &str = "2025-01-02T03:04:05.678Z";
        let applied = said(&StoredStatement::new(3.0, STATEMENT, Some(EARLIER)).unwrap().to_json());
        assert_eq!(text(&applied, "applied"), Some(EARLIER.into()));
        assert_eq!(text(&applied, "text"), Some(STATEMENT.into()));
    }

    #[test]
    fn bad_input_nothing_else_is_a_stored_revocation() {
        let text = StoredStatement::new(3.0, STATEMENT, None).unwrap().write();
        for (from, to) in [
            (r#""number":3"#, r#""number":"3""#),
            (r#""number":3"#, r#""number":0"#),
            (r#""number":3"#, r#""number":1.5"#),
            (r#""number":3"#, r#""number":9007199254740992"#),
            (r#""number":3"#, r#""number":3,"number":3"#),
            (r#""number":3"#, r#""more":1,"number":3"#),
            (r#""number":3,"#, ""),
            (r#""statement":"{"#, r#""statement":" "#),
            (r#""statement":"{"#, r#""statement":{"#),
            (r#"{"number""#, r#"[{"number""#),
            ("compromised", "forgotten"),
            ("{", r#"{"applied":null,"#),
            ("{", r#"{"applied":"now","#),
            ("{", r#"{"applied":"2026-01-02T03:04:05.678Z","#),
            ("{", r#"{"applied":"2027-01-02T03:04:05.678Z","#),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert_eq!(
                StoredStatement::parse(changed.as_bytes()).unwrap_err().code,
                Code::CorruptStore,
                "{changed}"
            );
        }
    }
}
