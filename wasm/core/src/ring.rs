//! Which keys an agent is known to have, and from where (protocol, section 8).

use crate::error::{Code, Error, Result};
use crate::former_keys::{FormerKeys, Line};
use crate::held;
use crate::json::Limits;
use crate::keys::PublicKey;
use crate::known_key::KnownKey;
use crate::trust_mark;
use alloc::string::String;
use alloc::vec::Vec;

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
            _ => Err(Error::new(Code::InvalidOption, "The key source is unknown.")),
        }
    }
}

/// The keys of known agents, and the limits of the documents that are verified with them. A source that holds something
/// unusable counts as such: its agent resolves to that error, never to the key of the other sources alone.
#[derive(Default)]
pub struct Ring {
    agents: Vec<(String, Sources)>,
    limits: Limits,
}

/// What is held of one agent, in the order of the sources.
type Sources = Vec<(Source, Result<Known>)>;

/// What a source holds of an agent.
struct Known {
    /// Oldest first.
    keys: Vec<KnownKey>,
    /// Those before them, which the document no longer holds.
    former: FormerKeys,
    /// Whether they come from its document, and so are all that there were.
    is_document: bool,
    /// From its document; empty where the source holds none.
    name: String,
}

impl Known {
    fn find(&self, key_id: &str) -> Option<&KnownKey> {
        self.keys.iter().find(|known| known.key.key_id() == key_id)
    }

    fn line<'a>(&'a self, agent_id: &'a str) -> Line<'a> {
        Line { agent_id, former: &self.former, keys: &self.keys }
    }

    /// How many keys the agent has had, as far as this source knows.
    fn count(&self) -> u64 {
        self.line("").count()
    }

    /// The key of this id, unless it is so old that a later document does not hold it any more: what became of it
    /// afterwards nobody can say then.
    fn find_since(&self, former: u64, key_id: &str) -> Option<&KnownKey> {
        let gone = former.saturating_sub(self.former.count);
        self.find(key_id).filter(|found| {
            !self.is_document || !self.keys.iter().take(gone as usize).any(|old| old.key == found.key)
        })
    }

    /// Whether this source says nothing else than one that holds at least as many keys.
    fn fits(&self, agent_id: &str, longest: &Self) -> bool {
        if self.is_document {
            self.line(agent_id).shared(longest.line(agent_id)).is_some()
        } else {
            self.keys.iter().all(|own| longest.find(own.key.key_id()).is_some())
        }
    }
}

/// The key of one agent.
pub struct SignerKey<'a> {
    /// The key.
    pub key: &'a KnownKey,
    /// Whether the agent is the loaded one, or in its trust store with this key.
    pub trusted: bool,
    /// What the agent calls itself in the document that is known of it; empty if none is.
    pub name: &'a str,
}

impl Ring {
    /// A ring of no keys yet.
    pub fn new(limits: Limits) -> Self {
        Self { agents: Vec::new(), limits }
    }

    /// Those of documents to verify.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets what a source holds for an agent: an agent document, for the last two a PEM,
    /// or nothing. An empty text is something: what a truncated file holds.
    ///
    /// A tombstone in the trust store says that nothing is held there.
    ///
    /// What cannot be used is remembered as such. An agent document must be valid and the agent's.
    /// The ring's limits are about documents to verify, so here they only raise; see
    /// [`of_sources`](crate::limits::of_sources).
    pub fn set(&mut self, agent_id: &str, source: Source, text: Option<&[u8]>) {
        let is_removed = |text: &[u8]| source == Source::Trust && trust_mark::is_mark(text);
        let held = text.filter(|text| !is_removed(text)).map(|text| match source {
            Source::Directory | Source::Named => public_key(text),
            _ => document_key(agent_id, text, &self.limits),
        });
        let at = self.position(agent_id).unwrap_or_else(|at| {
            self.agents.insert(at, (agent_id.into(), Vec::new()));
            at
        });
        let Some((_, sources)) = self.agents.get_mut(at) else { return };
        sources.retain(|(other, _)| *other != source);
        if let Some(held) = held {
            let after = sources.partition_point(|(other, _)| *other < source);
            sources.insert(after, (source, held));
        }
    }

    /// Where an agent stands, or would.
    fn position(&self, agent_id: &str) -> core::result::Result<usize, usize> {
        self.agents.binary_search_by(|(id, _)| id.as_str().cmp(agent_id))
    }

    /// Whether a signature of this date by one of an agent's keys may count, as far as the key's revocation goes.
    ///
    /// Errors: those of [`resolve`](Self::resolve).
    pub fn counts(&self, agent_id: &str, key_id: &str, date: &str) -> Result<bool> {
        Ok(self.resolve(agent_id, key_id)?.key.check_usable(date).is_ok())
    }

    /// One of an agent's keys.
    ///
    /// Errors: `UnknownSigner`; `KeyConflict` if sources disagree; the error of a source that
    /// holds something unusable; `KeyMismatch` if this is none of the keys.
    pub fn resolve(&self, agent_id: &str, key_id: &str) -> Result<SignerKey<'_>> {
        let mut sources = Vec::new();
        let held = self.position(agent_id).ok().and_then(|at| self.agents.get(at));
        for (source, found) in held.map(|(_, held)| held).into_iter().flatten() {
            sources.push((*source, found.as_ref().map_err(Clone::clone)?));
            if *source == Source::Own {
                break; // it decides alone
            }
        }
        let (_, first) = sources.first().ok_or(Code::UnknownSigner)?;
        // Documents come before single keys, so of as many keys the longest is a document's.
        let longest = sources
            .iter()
            .fold(first, |longest, (_, known)| if known.count() > longest.count() { known } else { longest });
        if !sources.iter().all(|(_, known)| known.fits(agent_id, longest)) {
            return Err(Code::KeyConflict.into());
        }
        let mut resolved: Option<SignerKey<'_>> = None;
        for (source, known) in &sources {
            let Some(key) = known.find_since(longest.former.count, key_id) else { continue };
            let trusted = matches!(source, Source::Own | Source::Trust);
            match &mut resolved {
                None => resolved = Some(SignerKey { key, trusted, name: &first.name }),
                // A revocation that any document states counts: an older copy does not know of it.
                Some(resolved) if resolved.key.is_less_revoked_than(key) => resolved.key = key,
                Some(_) => {}
            }
        }
        resolved
            .ok_or_else(|| Error::new(Code::KeyMismatch, "The document names a different key than expected."))
    }
}

fn public_key(text: &[u8]) -> Result<Known> {
    let text = core::str::from_utf8(text).map_err(|_| Code::InvalidKey)?;
    let key = KnownKey { key: PublicKey::from_spki_pem(text)?, since: String::new(), revoked: None };
    Ok(Known {
        keys: Vec::from([key]),
        former: FormerKeys::default(),
        is_document: false,
        name: String::new(),
    })
}

fn document_key(agent_id: &str, text: &[u8], limits: &Limits) -> Result<Known> {
    // Parsing alone would do for the key, but a store that was tampered with must not go unnoticed.
    let agent = held::verify(text, limits)?;
    if agent.id != agent_id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document belongs to another agent."));
    }
    Ok(Known { keys: agent.keys, former: agent.former, is_document: true, name: agent.name })
}
