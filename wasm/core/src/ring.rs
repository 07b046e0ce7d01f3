//! Which keys an agent is known to have, and from where.

use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::json::Limits;
use crate::keys::PublicKey;
use crate::trust_mark;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A public key that an agent is known to have.
#[derive(Clone)]
pub struct Held {
    /// The key.
    pub key: PublicKey,
    /// When and why it was revoked.
    pub revoked: Option<Revocation>,
}

/// A key's revocation, as the agent document states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// From when on it counts (RFC 3339).
    pub at: String,
    /// A compromised key's signatures do not count whatever their date: the thief writes dates.
    pub compromised: bool,
}

impl Held {
    /// How much of what the key signed a revocation takes away, to be compared.
    fn severity(&self) -> (bool, bool, Reverse<&str>) {
        let revoked = self.revoked.as_ref();
        let at = revoked.map_or("", |revoked| revoked.at.as_str());
        (revoked.is_some_and(|revoked| revoked.compromised), revoked.is_some(), Reverse(at))
    }

    /// Whether this revocation takes away less than the other one.
    pub(crate) fn is_less_revoked_than(&self, other: &Self) -> bool {
        self.severity() < other.severity()
    }

    /// Whether a signature of this date by this key may count.
    ///
    /// Errors: `KeyRevoked`.
    pub fn check_usable(&self, date: &str) -> Result<()> {
        match &self.revoked {
            Some(revoked) if revoked.compromised || date >= revoked.at.as_str() => {
                Err(Code::KeyRevoked.into())
            }
            _ => Ok(()),
        }
    }
}

/// Where an agent's keys come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The loaded agent's own document.
    Own,
    /// The trust store.
    Trust,
    /// An agent document that is stored but not trusted.
    Document,
    /// A PEM file of the key directory.
    Directory,
}

impl Source {
    /// Reads the name of a source: `own`, `trust`, `document`, `directory`.
    ///
    /// Errors: `InvalidOption`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "own" => Ok(Self::Own),
            "trust" => Ok(Self::Trust),
            "document" => Ok(Self::Document),
            "directory" => Ok(Self::Directory),
            _ => Err(Error::new(Code::InvalidOption, "There is no such source of keys.")),
        }
    }
}

/// The keys of known agents. A source that holds something unreadable counts as such: its agent
/// resolves to that error, never to the keys of the other sources alone.
#[derive(Default)]
pub struct Ring(BTreeMap<String, BTreeMap<Source, Result<Vec<Held>>>>);

/// The keys of one agent.
pub struct Keys<'a> {
    held: Vec<&'a Held>,
    /// Whether the agent is the loaded one or in its trust store.
    pub trusted: bool,
}

impl<'a> Keys<'a> {
    /// The key of this id.
    pub fn find(&self, key_id: &str) -> Option<&'a Held> {
        self.held.iter().find(|held| held.key.key_id() == key_id).copied()
    }
}

impl Ring {
    /// Sets what a source holds for an agent: an agent document, for [`Source::Directory`] a PEM,
    /// or nothing. An empty text is something: what a truncated file holds.
    ///
    /// A removal mark in the trust store says that nothing is held there.
    ///
    /// What cannot be used is remembered as such. An agent document must be valid and the agent's.
    pub fn set(&mut self, agent_id: &str, source: Source, text: Option<&[u8]>, limits: &Limits) {
        let is_removed = |text: &[u8]| source == Source::Trust && trust_mark::is_mark(text);
        let Some(text) = text.filter(|text| !is_removed(text)) else {
            if let Some(sources) = self.0.get_mut(agent_id) {
                sources.remove(&source);
            }
            return;
        };
        let keys = match source {
            Source::Directory => public_key(text).map(|key| vec![Held { key, revoked: None }]),
            _ => document_keys(agent_id, text, limits),
        };
        self.set_keys(agent_id, source, keys);
    }

    pub(crate) fn set_keys(&mut self, agent_id: &str, source: Source, keys: Result<Vec<Held>>) {
        self.0.entry(agent_id.into()).or_default().insert(source, keys);
    }

    /// The keys of an agent.
    ///
    /// Errors: `UnknownSigner`; `KeyConflict` if sources disagree; the error of a source that
    /// holds something unusable.
    pub fn resolve(&self, agent_id: &str) -> Result<Keys<'_>> {
        let unknown = || Error::from(Code::UnknownSigner);
        let sources = self.0.get(agent_id).ok_or_else(unknown)?;
        for found in sources.values() {
            if let Err(error) = found {
                return Err(error.clone());
            }
        }
        // Agent documents come first: they hold all keys of the agent, a key directory one of them.
        let mut held = sources.iter().filter_map(|(source, keys)| Some((source, keys.as_ref().ok()?)));
        let (first, keys) = held.next().ok_or_else(unknown)?;
        let mut keys: Vec<&Held> = keys.iter().collect();
        for (source, others) in held {
            if *source != Source::Directory && others.len() != keys.len() {
                return Err(Code::KeyConflict.into());
            }
            for other in others {
                let known = keys.iter_mut().find(|held| held.key == other.key);
                let known = known.ok_or(Code::KeyConflict)?;
                // A revocation that any document states counts: an older copy does not know of it.
                if known.is_less_revoked_than(other) {
                    *known = other;
                }
            }
        }
        Ok(Keys { held: keys, trusted: matches!(first, Source::Own | Source::Trust) })
    }
}

fn public_key(text: &[u8]) -> Result<PublicKey> {
    let text = core::str::from_utf8(text).map_err(|_| Code::InvalidKey)?;
    PublicKey::from_spki_pem(text)
}

fn document_keys(agent_id: &str, text: &[u8], limits: &Limits) -> Result<Vec<Held>> {
    let damaged = |_| Error::new(Code::CorruptStore, "The stored agent document of this signer is damaged.");
    // Parsing alone would do for keys, but a store that was tampered with must not go unnoticed.
    let agent = Agent::verify(text, limits).map_err(damaged)?;
    if agent.id != agent_id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document is that of another agent."));
    }
    Ok(agent.keys)
}
