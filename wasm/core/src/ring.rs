//! Which key an agent is known to have, and from where (protocol, section 8).

use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::json::Limits;
use crate::keys::PublicKey;
use crate::known_key::KnownKey;
use crate::trust_mark;
use alloc::collections::BTreeMap;
use alloc::string::String;

/// Where an agent's key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The loaded agent's own document. It alone counts for that agent.
    Own,
    /// The trust store.
    Trust,
    /// An agent document that is stored but not trusted.
    Document,
    /// A PEM file of the key directory.
    Directory,
    /// A PEM that the caller names for one verification.
    Named,
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
            "named" => Ok(Self::Named),
            _ => Err(Error::new(Code::InvalidOption, "There is no such source of keys.")),
        }
    }
}

/// The keys of known agents. A source that holds something unusable counts as such: its agent
/// resolves to that error, never to the key of the other sources alone.
#[derive(Default)]
pub struct Ring(BTreeMap<String, BTreeMap<Source, Result<Known>>>);

/// What a source holds of an agent.
struct Known {
    key: KnownKey,
    /// From its document; empty where the source holds none.
    name: String,
}

/// The key of one agent.
pub struct SignerKey<'a> {
    /// The key.
    pub key: &'a KnownKey,
    /// Whether the agent is the loaded one or in its trust store.
    pub trusted: bool,
    /// What the agent calls itself in the document that is known of it; empty if none is.
    pub name: &'a str,
}

impl Ring {
    /// Sets what a source holds for an agent: an agent document, for the last two a PEM,
    /// or nothing. An empty text is something: what a truncated file holds.
    ///
    /// A removal mark in the trust store says that nothing is held there.
    ///
    /// What cannot be used is remembered as such. An agent document must be valid and the agent's.
    /// `limits` are the caller's, which are about documents to verify; see [`of_sources`](crate::limits::of_sources).
    pub fn set(&mut self, agent_id: &str, source: Source, text: Option<&[u8]>, limits: &Limits) {
        let is_removed = |text: &[u8]| source == Source::Trust && trust_mark::is_mark(text);
        let Some(text) = text.filter(|text| !is_removed(text)) else {
            if let Some(sources) = self.0.get_mut(agent_id) {
                sources.remove(&source);
            }
            return;
        };
        let known = match source {
            Source::Directory | Source::Named => public_key(text),
            _ => document_key(agent_id, text, limits),
        };
        self.0.entry(agent_id.into()).or_default().insert(source, known);
    }

    /// The key of an agent.
    ///
    /// Errors: `UnknownSigner`; `KeyConflict` if sources disagree; the error of a source that
    /// holds something unusable.
    pub fn resolve(&self, agent_id: &str) -> Result<SignerKey<'_>> {
        let sources = self.0.get(agent_id).into_iter().flatten();
        let mut resolved: Option<SignerKey<'_>> = None;
        let mut agree = true;
        for (source, found) in sources {
            let Known { key, name } = found.as_ref().map_err(Clone::clone)?;
            if *source == Source::Own {
                return Ok(SignerKey { key, trusted: true, name });
            }
            match &mut resolved {
                None => {
                    resolved = Some(SignerKey { key, trusted: *source == Source::Trust, name });
                }
                Some(first) => {
                    agree = agree && first.key.key == key.key;
                    // A revocation that any document states counts: an older copy does not know of it.
                    if first.key.is_less_revoked_than(key) {
                        first.key = key;
                    }
                }
            }
        }
        if agree { resolved.ok_or_else(|| Code::UnknownSigner.into()) } else { Err(Code::KeyConflict.into()) }
    }
}

fn public_key(text: &[u8]) -> Result<Known> {
    let text = core::str::from_utf8(text).map_err(|_| Code::InvalidKey)?;
    let key = KnownKey { key: PublicKey::from_spki_pem(text)?, revoked: None };
    Ok(Known { key, name: String::new() })
}

fn document_key(agent_id: &str, text: &[u8], limits: &Limits) -> Result<Known> {
    // Parsing alone would do for the key, but a store that was tampered with must not go unnoticed.
    let agent = Agent::verify_held(text, limits)?;
    if agent.id != agent_id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document is that of another agent."));
    }
    Ok(Known { key: agent.key, name: agent.name })
}
