//! An agent's keys over time: how they stand in its document, and what shows that they are its own
//! (protocol, section 7). Oldest first; the last one is current.

use crate::base64;
use crate::document::field;
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::former_keys::FormerKeys;
use crate::json::{self, Object, Value};
use crate::keys::{PublicKey, SecretKey};
use crate::known_key::{KnownKey, Reason, Revocation};
use crate::statement::{Context, pae};
use crate::time;
use alloc::string::String;
use alloc::vec::Vec;

/// How many keys an agent document holds at most: every one costs a verifier two signatures.
const MOST_KEYS: usize = 64;

const ENTRY: &str = "An entry of 'sxPublicKeys' must have keyId, algorithm, publicKey, validFrom, optionally revoked and, with several keys, proof.";
const ROTATION: &str = "'sxKeyRotation' must have fromKeyId, toKeyId, date and signature for each key after the first, in order.";

fn invalid(what: &str) -> Error {
    Error::new(Code::InvalidAgent, what)
}

/// The keys of an agent document, and what is signed about them.
pub(crate) struct AgentKeys {
    keys: Vec<KnownKey>,
    /// Each key's signature that it is the agent's; none where there is one key.
    proofs: Vec<Vec<u8>>,
    /// `date` and `signature` of each rotation.
    rotations: Vec<(String, Vec<u8>)>,
    former: FormerKeys,
}

impl AgentKeys {
    /// Reads the keys of an agent document. No signature is looked at.
    ///
    /// Errors: `InvalidAgent`, `InvalidKey`, `WeakPublicKey`.
    pub(crate) fn of(document: &Object) -> Result<Self> {
        let entries = document.get(field::PUBLIC_KEYS).and_then(Value::as_array).unwrap_or_default();
        if !(1..=MOST_KEYS).contains(&entries.len()) {
            return Err(invalid("'sxPublicKeys' must have 1 to 64 keys."));
        }
        let several = entries.len() > 1;
        let mut read = Vec::new();
        for entry in entries {
            read.push(Entry::of(entry, several).ok_or_else(|| invalid(ENTRY))?);
        }
        let is_again = |(at, entry): (usize, &Entry<'_>)| {
            read.iter().take(at).any(|before| before.key_id == entry.key_id)
        };
        if read.iter().enumerate().any(is_again) {
            return Err(invalid("'sxPublicKeys' has a key twice."));
        }
        let rotations = rotations(document, &read).ok_or_else(|| invalid(ROTATION))?;
        let former = FormerKeys::of(document)?;
        if former.count > 0 && !several {
            return Err(invalid("'sxFormerKeys' is not allowed with a single key."));
        }
        let (mut keys, mut proofs) = (Vec::new(), Vec::new());
        for entry in read {
            keys.push(entry.key()?);
            proofs.extend(entry.proof);
        }
        Ok(Self { keys, proofs, rotations, former })
    }

    /// The current key, all keys, and what is said of those before them.
    pub(crate) fn split(self) -> Result<(KnownKey, Vec<KnownKey>, FormerKeys)> {
        let current = self.keys.last().cloned().ok_or(Code::InvalidAgent)?;
        Ok((current, self.keys, self.former))
    }

    /// The key that signs now.
    pub(crate) fn current(&self) -> Result<&KnownKey> {
        self.keys.last().ok_or_else(|| Code::InvalidAgent.into())
    }

    /// What holds of several keys: the current one alone is not revoked, the others are since they
    /// were rotated at the latest, rotations are in order, and each key and rotation has its signature.
    ///
    /// `date` is that of the document.
    ///
    /// Errors: `KeyRevoked`, `InvalidAgent`, `BadSignature`.
    pub(crate) fn check(&self, agent_id: &str, date: &str) -> Result<()> {
        if self.keys.len() > 1 && self.current()?.revoked.is_some() {
            return Err(Code::KeyRevoked.into());
        }
        let mut before = "";
        for (key, (at, _)) in self.keys.iter().zip(&self.rotations) {
            if key.revoked.as_ref().is_none_or(|revoked| revoked.at > *at) {
                return Err(invalid("A rotated key must be revoked at the date of its rotation."));
            }
            if at.as_str() < before || at.as_str() > date {
                return Err(invalid("The key rotations are not in order of date."));
            }
            before = at;
        }
        for (known, proof) in self.keys.iter().zip(&self.proofs) {
            if !known.key.verify(&proof_of(agent_id, &known.key), proof) {
                return unproven("A key of the agent document has no valid proof.");
            }
        }
        for ((from, to), (at, signature)) in
            self.keys.iter().zip(self.keys.iter().skip(1)).zip(&self.rotations)
        {
            if !from.key.verify(&rotation_of(agent_id, &from.key, &to.key, at), signature) {
                return unproven("A key of the agent document is not signed by the key before it.");
            }
        }
        Ok(())
    }
}

fn unproven(what: &str) -> Result<()> {
    Err(Error::new(Code::BadSignature, what))
}

/// An entry of `sxPublicKeys`, read but for the key itself.
struct Entry<'a> {
    key_id: &'a str,
    since: &'a str,
    algorithm: &'a str,
    public_key: &'a str,
    revoked: Option<Revocation>,
    proof: Option<Vec<u8>>,
}

impl<'a> Entry<'a> {
    fn of(entry: &'a Value, several: bool) -> Option<Self> {
        let entry = entry.as_object()?;
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let since = text("validFrom")?;
        time::parse(since)?;
        let revoked = match entry.get("revoked") {
            None => None,
            Some(value) => Some(revocation(value)?),
        };
        let proof = if several { Some(base64::decode(text("proof")?)?) } else { None };
        let members =
            4_usize.saturating_add(usize::from(revoked.is_some())).saturating_add(usize::from(several));
        if entry.len() != members {
            return None;
        }
        Some(Self {
            key_id: text("keyId")?,
            since,
            algorithm: text("algorithm")?,
            public_key: text("publicKey")?,
            revoked,
            proof,
        })
    }

    fn key(&self) -> Result<KnownKey> {
        let key = PublicKey::from_spki_pem(self.public_key)?;
        if key.algorithm().name() != self.algorithm || key.key_id() != self.key_id {
            return Err(invalid("An entry of 'sxPublicKeys' has a 'keyId' that does not match its key."));
        }
        Ok(KnownKey { key, since: self.since.into(), revoked: self.revoked.clone() })
    }
}

fn revocation(value: &Value) -> Option<Revocation> {
    let value = value.as_object()?;
    let at = value.get("at")?.as_str()?;
    let reason = value.get("reason")?.as_str()?;
    time::parse(at)?;
    let reason = Reason::of(reason).filter(|_| value.len() == 2)?;
    Some(Revocation { at: at.into(), reason })
}

/// The reason that takes all that a key has ever signed away.
const COMPROMISED: &str = Reason::Compromised.name();

/// Dates and signatures of the rotations: one from each entry to the next one, and no others.
fn rotations(document: &Object, entries: &[Entry<'_>]) -> Option<Vec<(String, Vec<u8>)>> {
    let Some(value) = document.get(field::KEY_ROTATION) else {
        return (entries.len() == 1).then(Vec::new);
    };
    let rotations = value
        .as_array()
        .filter(|rotations| entries.len() > 1 && rotations.len().saturating_add(1) == entries.len())?;
    let mut read = Vec::new();
    for ((from, to), rotation) in entries.iter().zip(entries.iter().skip(1)).zip(rotations) {
        let rotation = rotation.as_object().filter(|rotation| rotation.len() == 4)?;
        let text = |name: &str| rotation.get(name).and_then(Value::as_str);
        let (date, signature) = (text("date")?, base64::decode(text("signature")?)?);
        time::parse(date)?;
        let named = text("fromKeyId")? == from.key_id && text("toKeyId")? == to.key_id;
        if !named || from.key_id == to.key_id {
            return None;
        }
        read.push((date.into(), signature));
    }
    Some(read)
}

/// The bytes by which a key shows that it is this agent's.
fn proof_of(agent_id: &str, key: &PublicKey) -> Vec<u8> {
    statement(Context::KeyProof, &[("agentId", agent_id), ("keyId", key.key_id())])
}

/// The bytes by which a key vouches for the next one of this agent.
fn rotation_of(agent_id: &str, from: &PublicKey, to: &PublicKey, date: &str) -> Vec<u8> {
    let names =
        [("agentId", agent_id), ("fromKeyId", from.key_id()), ("toKeyId", to.key_id()), ("date", date)];
    statement(Context::KeyRotation, &names)
}

pub(crate) fn statement(context: Context, payload: &[(&str, &str)]) -> Vec<u8> {
    pae(context, json::write(&Value::Object(texts(payload))).as_bytes())
}

/// An object of texts.
pub(crate) fn texts(members: &[(&str, &str)]) -> Object {
    let mut object = Object::new();
    for (name, text) in members {
        object.insert((*name).into(), (*text).into());
    }
    object
}

/// An entry of `sxPublicKeys` for a key that is valid from now on.
pub(crate) fn entry(key: &PublicKey, date: &str) -> Object {
    texts(&[
        ("keyId", key.key_id()),
        ("algorithm", key.algorithm().name()),
        ("publicKey", &key.to_spki_pem()),
        ("validFrom", date),
    ])
}

/// Another key of an agent, which follows the current one.
pub(crate) struct Rotation<'a> {
    pub agent_id: &'a str,
    pub old: &'a SecretKey,
    pub new: &'a SecretKey,
    pub reason: &'a str,
    /// From when on the current key is revoked. Not later than `date`.
    pub at: &'a str,
    /// That of the new version.
    pub date: &'a str,
}

/// Puts another key after the current one of an agent document, and has the current one vouch for it. The oldest
/// key goes where there are too many.
///
/// Errors: `InvalidOption` for a reason that is none, `KeyConflict` for a key that the agent has
/// already.
pub(crate) fn rotate(document: &mut Object, rotation: &Rotation<'_>, entropy: &Entropy) -> Result<()> {
    let Rotation { agent_id, old, new, reason, at, date } = *rotation;
    let mut entries = entries_of(document)?;
    let mut rotations =
        document.get(field::KEY_ROTATION).and_then(Value::as_array).unwrap_or_default().to_vec();
    let (from, to) = (old.public_key(), new.public_key());
    if from.key_id() == to.key_id() {
        return Err(Error::new(Code::KeyConflict, "The new key is the current key of this agent."));
    }
    if entries.iter().any(|entry| names(entry, to.key_id())) {
        return Err(Error::new(Code::KeyConflict, "The new key is a former key of this agent."));
    }
    let sign = |key: &SecretKey, statement: &[u8], purpose: &str| {
        key.sign(statement, &entropy.draw32(purpose)).map(|signature| base64::encode(&signature))
    };
    let mut successor = entry(to, date);
    successor.insert("proof".into(), sign(new, &proof_of(agent_id, to), "proof")?.into());
    if let Some(current) = entries.last_mut() {
        current.insert("proof".into(), sign(old, &proof_of(agent_id, from), "earlier proof")?.into());
        current.insert("revoked".into(), revoked(at, reason)?);
    }
    rotations.push(Value::Object(texts(&[
        ("fromKeyId", from.key_id()),
        ("toKeyId", to.key_id()),
        ("date", date),
        ("signature", &sign(old, &rotation_of(agent_id, from, to, date), "rotation")?),
    ])));
    entries.push(successor);
    let mut former = FormerKeys::of(document)?;
    while entries.len() > MOST_KEYS {
        let oldest = entries.remove(0);
        rotations.remove(0);
        former = former.and(agent_id, oldest.get("keyId").and_then(Value::as_str).unwrap_or_default());
    }
    if former.count > 0 {
        document.insert(field::FORMER_KEYS.into(), former.value());
    }
    set(document, entries);
    document.insert(field::KEY_ROTATION.into(), Value::Array(rotations));
    Ok(())
}

/// Says of an earlier key why it was revoked; and from `end` on, if there is one and the key is revoked from a later date.
/// Nothing is taken back, so there may be nothing to change.
///
/// Returns whether there was.
///
/// Errors: `InvalidOption` for a reason that is none, and for the current key; `KeyMismatch` for a
/// key that the agent never had; `KeyRevoked` for a compromised one that is to be less.
pub(crate) fn revoke(document: &mut Object, key_id: &str, reason: &str, end: Option<&str>) -> Result<bool> {
    let mut entries = entries_of(document)?;
    if entries.last().is_some_and(|current| names(current, key_id)) {
        return Err(Error::new(
            Code::InvalidOption,
            "This is the agent's current key. Rotate it instead, with this reason.",
        ));
    }
    let Some(entry) = entries.iter_mut().find(|entry| names(entry, key_id)) else {
        return unknown_key();
    };
    let before = entry.get("revoked").and_then(Value::as_object).ok_or(Code::InvalidAgent)?;
    let text = |name: &str| before.get(name).and_then(Value::as_str).unwrap_or_default();
    let (at, stated) = (text("at"), text("reason"));
    let from = end.map_or(at, |end| end.min(at));
    let stricter = revoked(from, reason)?;
    if stated == reason && from == at {
        return Ok(false);
    }
    if stated == COMPROMISED && reason != COMPROMISED {
        return Err(Error::new(
            Code::KeyRevoked,
            "The key is revoked as compromised, which cannot be undone.",
        ));
    }
    entry.insert("revoked".into(), stricter);
    set(document, entries);
    Ok(true)
}

/// Revokes an earlier key as it has stated itself. Only what that makes stricter changes.
///
/// Returns whether anything did.
///
/// Errors: `KeyMismatch` for a key that the agent never had; `InvalidAgent` for the current one.
pub(crate) fn revoke_as_stated(
    document: &mut Object,
    key_id: &str,
    date: &str,
    reason: &str,
) -> Result<bool> {
    let mut entries = entries_of(document)?;
    let Some(entry) = entries.iter_mut().find(|entry| names(entry, key_id)) else { return unknown_key() };
    let before = entry.get("revoked").and_then(Value::as_object).ok_or(Code::InvalidAgent)?;
    let text = |name: &str| before.get(name).and_then(Value::as_str).unwrap_or_default();
    let (at, stated) = (text("at"), text("reason"));
    let is_taken = reason == COMPROMISED && stated != COMPROMISED;
    if date >= at && !is_taken {
        return Ok(false);
    }
    let reason = if stated == COMPROMISED { COMPROMISED } else { reason };
    let stricter = revoked(date.min(at), reason)?;
    entry.insert("revoked".into(), stricter);
    set(document, entries);
    Ok(true)
}

fn unknown_key<T>() -> Result<T> {
    Err(Error::new(Code::KeyMismatch, "The agent never had this key, or its document no longer contains it."))
}

fn revoked(at: &str, reason: &str) -> Result<Value> {
    read_reason(reason)?;
    Ok(Value::Object(texts(&[("at", at), ("reason", reason)])))
}

/// Errors: `InvalidOption`.
pub(crate) fn read_reason(reason: &str) -> Result<Reason> {
    let found = "The revocation reason is not one of superseded, compromised, unspecified.";
    Reason::of(reason).ok_or_else(|| Error::new(Code::InvalidOption, found))
}

fn entries_of(document: &Object) -> Result<Vec<Object>> {
    let entries = document.get(field::PUBLIC_KEYS).and_then(Value::as_array).unwrap_or_default();
    Ok(entries.iter().filter_map(Value::as_object).cloned().collect())
}

fn names(entry: &Object, key_id: &str) -> bool {
    entry.get("keyId").and_then(Value::as_str) == Some(key_id)
}

fn set(document: &mut Object, entries: Vec<Object>) {
    document
        .insert(field::PUBLIC_KEYS.into(), Value::Array(entries.into_iter().map(Value::Object).collect()));
}
