//! Agent documents: who an agent is, with its public key inside (protocol, section 7).

use crate::agent_keys::{self, AgentKeys, Rotation};
use crate::document::{self, AGENT_TYPE, Author, Canonical, Header, Made, Making, field};
use crate::error::{Code, Error, Result};
use crate::former_keys::{FormerKeys, Line};
use crate::ids::check_uuid;
use crate::json::{self, Limits, Object, Value};
use crate::keys::{Algorithm, PublicKey, SecretKey};
use crate::known_key::{KnownKey, Revocation};
use crate::limits::of_sources;
use crate::moment::Moment;
pub use crate::profile::Profile;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

/// Allowed values of `sxAgentType`.
pub const TYPES: &[&str] = &["human", "human-org", "hybrid", "ai"];
/// `sxAgentType` where none is given.
pub const DEFAULT_TYPE: &str = "ai";
/// Longest name of an agent, in characters.
const NAME_LIMIT: usize = 256;

/// A well-formed agent document. Its signature has not been looked at.
pub struct Agent {
    /// `sxId`.
    pub id: String,
    /// `sxVersion`.
    pub version: String,
    /// `sxOriginalVersion`.
    pub original: String,
    /// `sxPreviousVersion`.
    pub previous: Option<String>,
    /// `sxVersionDate`.
    pub date: String,
    /// `name`.
    pub name: String,
    /// The current key, which is the one that signed.
    pub key: KnownKey,
    /// The keys of the document, oldest first; the current one is the last.
    pub keys: Vec<KnownKey>,
    /// Those before them, which the document no longer holds.
    pub former: FormerKeys,
}

fn invalid(what: &str) -> Error {
    Error::new(Code::InvalidAgent, what)
}

impl Agent {
    /// Checks what an agent document is beyond a document: its members, its keys, that the current
    /// one is named as having signed and may sign, and that all of them are the agent's. The
    /// document's own signature is not looked at.
    ///
    /// Errors: `InvalidAgent`, `InvalidKey`, `WeakPublicKey`, `KeyMismatch`, `KeyRevoked`, and
    /// `BadSignature` for a key that is not shown to be the agent's.
    pub fn of(document: &Object, header: &Header<'_>) -> Result<Self> {
        if header.document_type != AGENT_TYPE {
            return Err(Code::InvalidAgent.into());
        }
        check_profile(document)?;
        let keys = AgentKeys::of(document)?;
        if header.signature.agent_id != header.id || header.signature.agent_version != header.version {
            return Err(invalid("The agent document is not signed by its own agent."));
        }
        if header.signature.check_names(keys.current()?).is_err() {
            return Err(Error::new(Code::KeyMismatch, "The agent document is not signed with its last key."));
        }
        keys.current()?.check_usable(header.signature.date)?;
        keys.check(header.id, header.version_date)?;
        let (key, keys, former) = keys.split()?;
        Ok(Self {
            id: header.id.into(),
            version: header.version.into(),
            original: header.original_version.into(),
            previous: header.previous_version.map(Into::into),
            date: header.version_date.into(),
            name: document.get("name").and_then(Value::as_str).unwrap_or_default().into(),
            key,
            keys,
            former,
        })
    }

    /// Reads an agent document and verifies it under the key it carries: it is what its agent
    /// wrote, whoever that may be.
    ///
    /// Errors: `InvalidId` for an `sxId` that is none; those of the reader, of [`Header::of`], of
    /// [`Agent::of`]; `BadSignature`, `HashMismatch`.
    pub fn verify(text: &[u8], limits: &Limits) -> Result<Self> {
        let document = json::parse(text, limits)?;
        let id = document.as_object().and_then(|object| object.get(field::ID)).and_then(Value::as_str);
        id.map_or(Ok(""), check_uuid)?;
        let header = Header::of(&document)?;
        let object = document.as_object().ok_or(Code::InvalidDocument)?;
        let agent = Self::of(object, &header)?;
        document::check(object, &mut Canonical::of(object), &header, &agent.key)?;
        Ok(agent)
    }

    /// Counts a key as revoked, as it has stated itself.
    pub(crate) fn revoke(&mut self, key_id: &str, revocation: &Revocation) {
        for known in self.keys.iter_mut().filter(|known| known.key.key_id() == key_id) {
            known.revoke(revocation.clone());
        }
        if let Some(current) = self.keys.last() {
            self.key = current.clone();
        }
    }

    /// How many keys it has had.
    pub fn key_count(&self) -> u64 {
        self.line().count()
    }

    pub(crate) fn line(&self) -> Line<'_> {
        Line { agent_id: &self.id, former: &self.former, keys: &self.keys }
    }

    /// Whether this is one of the agent's keys.
    pub fn has(&self, key: &PublicKey) -> bool {
        self.keys.iter().any(|known| known.key == *key)
    }

    /// The key id of the key that signed.
    pub fn key_id(&self) -> &str {
        self.key.key.key_id()
    }

    /// What the document says, as JSON: who the agent is, the key that signed, and, with spaces between them, the ids of all
    /// keys.
    pub fn to_json(&self) -> String {
        let key = &self.key.key;
        let keys: Vec<&str> = self.keys.iter().map(|known| known.key.key_id()).collect();
        json::texts(&[
            ("id", Some(&self.id)),
            ("version", Some(&self.version)),
            ("previous", self.previous.as_deref()),
            ("name", Some(&self.name)),
            ("keyId", Some(key.key_id())),
            ("keyIds", Some(&keys.join(" "))),
            ("keyCount", Some(&self.key_count().to_string())),
            ("revokedAt", self.key.revoked.as_ref().map(|revoked| revoked.at.as_str())),
            ("algorithm", Some(key.algorithm().name())),
            ("publicKey", Some(&key.to_spki_pem())),
        ])
    }
}

/// What a damaged document of an agent that is held is called.
pub(crate) fn damaged(error: Error) -> Error {
    match error.code {
        Code::LimitExceeded => {
            Error::new(error.code, format!("The stored agent document is too large. {}", error.found))
        }
        code => {
            Error::new(Code::CorruptStore, format!("The stored agent document is damaged ({}).", code.name()))
        }
    }
}

fn check_profile(agent: &Object) -> Result<()> {
    let text = |name: &str| match agent.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(invalid(&format!("The field '{name}' of the agent document is not a string."))),
    };
    let name = text("name")?.unwrap_or_default();
    if name.trim().is_empty() || name.chars().count() > NAME_LIMIT {
        return Err(invalid("The agent's 'name' must have 1 to 256 characters."));
    }
    if !text(field::AGENT_TYPE)?.is_some_and(|kind| TYPES.contains(&kind)) {
        return Err(invalid("The agent's type ('sxAgentType') is not one of human, human-org, hybrid, ai."));
    }
    if text(field::AGENT_DOMAIN)?.is_some_and(|domain| !is_domain(domain)) {
        return Err(invalid("The agent's domain ('sxAgentDomain') is not a host name such as example.com."));
    }
    text("description").map(|_| ())
}

/// A host name (RFC 1123): labels of letters, digits and hyphens, at most 253 characters.
pub(crate) fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Makes a new agent's document, signed with its own key, within the default limits.
///
/// Errors: `InvalidOption` for a profile that is not allowed.
pub fn create(profile: &Profile, key: &SecretKey, moment: &Moment) -> Result<Made> {
    let entry = agent_keys::entry(key.public_key(), &moment.date()?);
    let mut agent = Object::from_iter([
        ("name".into(), profile.name.as_str().into()),
        (field::AGENT_TYPE.into(), profile.agent_type.as_deref().unwrap_or(DEFAULT_TYPE).into()),
        (field::TYPE.into(), AGENT_TYPE.into()),
        (field::LEVEL.into(), "config".into()),
        (field::PUBLIC_KEYS.into(), Value::Array(vec![Value::Object(entry)])),
    ]);
    for (name, value) in [(field::AGENT_DOMAIN, &profile.domain), ("description", &profile.description)] {
        if let Some(value) = value {
            agent.insert(name.into(), value.as_str().into());
        }
    }
    check_profile(&agent).map_err(|error| Error::new(Code::InvalidOption, error.found))?;
    // The agent's first version signs itself, so its version has to be known to the signer.
    let (id, version) = (moment.id(), moment.version());
    let author = Author { agent_id: &id, agent_version: &version, key, limits: Limits::default() };
    document::first_version(&author, agent, &Making::default(), moment)
}

/// Reads the stored document of the agent that is being opened.
///
/// Errors: `BadSignature` and `HashMismatch`, since somebody has changed it; `LimitExceeded`; `CorruptStore` for
/// whatever else is wrong with it.
pub fn stored(text: &[u8], limits: &Limits) -> Result<Agent> {
    Agent::verify(text, &of_sources(limits)).map_err(|error| match error.code {
        Code::BadSignature | Code::HashMismatch => error,
        _ => damaged(error),
    })
}

/// Verifies an agent's document and that `key`, from an encrypted key file, is the one it signs with.
///
/// A damaged file can open to a key that nobody made, since the encryption carries no integrity.
/// Only if `public_pem`, the public key file beside it (empty if there is none), holds the same
/// key is it certain that the file is whole and another agent's. It may still hold an earlier key
/// of the agent: it is brought up to date after the document.
///
/// Errors: `CorruptStore` for what is no valid agent document, `BadSignature` and `HashMismatch` for
/// one that was changed; `LimitExceeded`; `KeyMismatch` for another agent's key; `WrongPassword` for
/// one that may be a damaged one; `KeyRevoked`; `InvalidKey` for a public key file that is damaged.
pub fn open(text: &[u8], key: &SecretKey, public_pem: &str, limits: &Limits) -> Result<Agent> {
    let agent = stored(text, limits)?;
    let public = key.public_key();
    if agent.key.key != *public {
        return Err(match PublicKey::from_spki_pem(public_pem) {
            Ok(beside) if beside == *public => Error::new(
                Code::KeyMismatch,
                "The key files belong to another agent, or to a later version of this one.",
            ),
            _ => Code::WrongPassword.into(),
        });
    }
    if agent.key.revoked.is_some() {
        return Err(Code::KeyRevoked.into());
    }
    if !public_pem.is_empty() && !agent.has(&PublicKey::from_spki_pem(public_pem)?) {
        return Err(Error::new(Code::KeyMismatch, "The public key file does not match the private key."));
    }
    Ok(agent)
}

/// The loaded agent's own document, of which a next version is made.
#[derive(Clone, Copy)]
pub struct Own<'a> {
    /// The current version.
    pub text: &'a [u8],
    /// Its key.
    pub key: &'a SecretKey,
    /// Those of the next version.
    pub limits: Limits,
}

impl Own<'_> {
    /// The document, and what it says.
    pub(crate) fn read(&self) -> Result<(Value, Agent)> {
        let current = json::parse(self.text, &of_sources(&self.limits))?;
        let header = Header::of(&current)?;
        let agent = Agent::of(current.as_object().ok_or(Code::InvalidDocument)?, &header)?;
        Ok((current, agent))
    }

    /// Signs the version after `current` that has these members.
    pub(crate) fn next(
        &self,
        (current, known): (&Value, &Agent),
        members: Object,
        moment: &Moment,
    ) -> Result<Made> {
        let Self { key, limits, .. } = *self;
        let author = Author { agent_id: &known.id, agent_version: &known.version, key, limits };
        document::next_version(&author, current, members, &Making::default(), moment)
    }
}

/// Makes the next version of the loaded agent's document.
///
/// `text` is the complete document with its profile changed; its keys and header fields must be
/// those of the current version.
///
/// Errors: `InvalidAgent` for a partial document, `KeyConflict` for other keys, `ReservedField`.
pub fn update(own: &Own<'_>, text: &[u8], moment: &Moment) -> Result<Made> {
    let (current, known) = own.read()?;
    let kept = current.as_object().ok_or(Code::InvalidDocument)?;
    let Value::Object(members) = json::parse(text, &own.limits)? else {
        return Err(Code::InvalidAgent.into());
    };
    let complete = [field::ID, field::VERSION, field::TYPE, field::AGENT_TYPE, field::PUBLIC_KEYS, "name"];
    if let Some(missing) = complete.iter().find(|name| !members.contains(name)) {
        return Err(invalid(&format!("The agent document has no field '{missing}'.")));
    }
    if members.get(field::ID).and_then(Value::as_str) != Some(&known.id) {
        return Err(Error::new(Code::KeyMismatch, "The document belongs to another agent."));
    }
    if [field::PUBLIC_KEYS, field::KEY_ROTATION, field::FORMER_KEYS]
        .iter()
        .any(|name| members.get(name) != kept.get(name))
    {
        return Err(Error::new(Code::KeyConflict, "An update cannot change the agent's keys."));
    }
    check_profile(&members)?;
    own.next((&current, &known), members, moment)
}

/// Makes the version of the loaded agent's document in which another key follows the current one:
/// the old one vouches for the new one, and is revoked from `now` on; the new one signs. The version's own date is later
/// where the version before it is dated ahead of `now`: that must not give the old key more time.
///
/// Errors: `InvalidOption` for a reason that is none; `KeyConflict` for a key that the agent has had
/// already; `LimitExceeded` for too many.
pub fn rotate(own: &Own<'_>, new: &SecretKey, reason: &str, moment: &Moment) -> Result<Made> {
    let (current, known) = own.read()?;
    let mut members = current.as_object().cloned().ok_or(Code::InvalidDocument)?;
    let (at, date) = (moment.date()?, document::later(&known.date, moment.now)?);
    let rotation = Rotation { agent_id: &known.id, old: own.key, new, reason, at: &at, date: &date };
    agent_keys::rotate(&mut members, &rotation, &moment.entropy)?;
    Own { key: new, ..*own }.next((&current, &known), members, moment)
}

/// Makes the version of the loaded agent's document that says of an earlier key why it was revoked;
/// `None` if it says so already. `ends_now`: the key ends `now`, if it is revoked from a later date.
///
/// Errors: `InvalidOption` for a reason that is none, and for the current key; `KeyMismatch` for a key
/// that is none of the agent's; `KeyRevoked` for a revocation that would be taken back.
pub fn revoke(
    own: &Own<'_>,
    key_id: &str,
    reason: &str,
    ends_now: bool,
    moment: &Moment,
) -> Result<Option<Made>> {
    let (current, known) = own.read()?;
    let mut members = current.as_object().cloned().ok_or(Code::InvalidDocument)?;
    let end = if ends_now { Some(moment.date()?) } else { None };
    if !agent_keys::revoke(&mut members, key_id, reason, end.as_deref())? {
        return Ok(None);
    }
    own.next((&current, &known), members, moment).map(Some)
}

/// Countersigns an agent document (`signAgent`). A registration that is there already is replaced.
///
/// `public_key` is SPKI PEM, SPKI DER or raw, of the algorithm that is named.
///
/// Errors: those of [`Agent::verify`]; `InvalidOption` for an algorithm that is none; `InvalidKey` and
/// `WeakPublicKey`; `KeyMismatch` for a key that is none of the document's; `LimitExceeded`.
pub fn register(
    author: &Author<'_>,
    text: &[u8],
    public_key: &[u8],
    algorithm: &str,
    moment: &Moment,
) -> Result<String> {
    let agent = Agent::verify(text, &author.limits)?;
    let unknown = || {
        Error::new(
            Code::InvalidOption,
            "The key's type is neither 'pq2025' (ML-DSA-87) nor 'ed25519' (Ed25519).",
        )
    };
    let algorithm = Algorithm::parse(algorithm).ok_or_else(unknown)?;
    if !agent.has(&PublicKey::from_any(public_key, algorithm)?) {
        return Err(Error::new(Code::KeyMismatch, "The agent does not have this key."));
    }
    let Value::Object(mut document) = json::parse(text, &author.limits)? else {
        return Err(Code::InvalidDocument.into());
    };
    document::countersign(author, &mut document, moment)
}
