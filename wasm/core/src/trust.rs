//! Which agent documents the trust store takes (protocol, section 11).

use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::held::{self, Held};
use crate::json::{self, Limits};
use crate::limits::of_sources;
use crate::revocation::Statement;
use crate::trust_mark;
use alloc::format;

/// Decides whether an offered agent document may be stored as trusted, given the one that is
/// stored for the same agent (`known`). After a tombstone nothing is known: admission begins anew.
///
/// Errors: those of [`Agent::verify`]; of [`held::verify`] for the stored one; `CorruptStore`
/// if that is another agent's; `KeyConflict` if its keys do not continue the known ones; `KeyRevoked` if
/// it takes back a revocation, as the thief of a key would; `Rollback` if it is not newer than the
/// known one; `VersionConflict` if it is another document of the same version or of another history.
pub fn admit(offered: &[u8], known: Option<&[u8]>, limits: &Limits) -> Result<Agent> {
    let agent = Agent::verify(offered, limits)?;
    let Some(stored) = known.filter(|known| !trust_mark::is_mark(known)) else { return Ok(agent) };
    check(agent, offered, (stored, Stated::Replaced), limits)
}

/// Decides the same about a document of the loaded agent, given what is held of it. What its keys have
/// stated is kept next to each version, so a version that does not repeat it takes nothing back.
///
/// Errors: as of [`admit`].
pub fn admit_own(offered: &[u8], held: &[u8], limits: &Limits) -> Result<Agent> {
    check(Agent::verify(offered, limits)?, offered, (held, Stated::Kept), limits)
}

/// What becomes of the statements next to the stored document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stated {
    /// The offered document takes the place of all that is stored.
    Replaced,
    /// They stay next to the offered one.
    Kept,
}

impl Stated {
    /// What the offered document is compared with.
    const fn document(self) -> &'static str {
        match self {
            Self::Replaced => "the trusted document",
            Self::Kept => "the agent's own document",
        }
    }
}

fn check(agent: Agent, offered: &[u8], (stored, stated): (&[u8], Stated), limits: &Limits) -> Result<Agent> {
    let held = Held::read(stored, &of_sources(limits));
    let text = held.as_ref().map_or(stored, |held| held.document.as_bytes());
    // With what was stated of its keys since, where that would be lost.
    let known = held::verify(if stated == Stated::Kept { text } else { stored }, limits)?;
    if known.id != agent.id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document belongs to another agent."));
    }
    let revocations = held.as_ref().map(|held| held.revocations.as_slice()).unwrap_or_default();
    check_keys(&agent, (&known, revocations), stated)?;
    // Dates grow from version to version and have one textual form. Other writers may let two
    // versions share one; then the link to the predecessor decides. A rotation comes after any version
    // with fewer keys, whatever date the thief of a key has given to one of these.
    let newer = agent.key_count() > known.key_count()
        || agent.date > known.date
        || (agent.date == known.date && agent.previous.as_ref() == Some(&known.version));
    let same = agent.version == known.version;
    if !newer && !same {
        let age = if agent.date < known.date { "older" } else { "not newer" };
        let found = format!(
            "The given agent document (version {} of {}) is {age} than {} (version {} of {}).",
            agent.version,
            agent.date,
            stated.document(),
            known.version,
            known.date,
        );
        return Err(Error::new(Code::Rollback, found));
    }
    if agent.original != known.original
        || (same && json::parse(offered, limits)? != json::parse(text, &of_sources(limits))?)
    {
        let found = format!("The given agent document does not continue {}.", stated.document());
        return Err(Error::new(Code::VersionConflict, found));
    }
    Ok(agent)
}

/// Whether the keys of an offered document continue the known ones, some of which may be revoked by `statements`.
fn check_keys(agent: &Agent, (known, statements): (&Agent, &[Statement]), stated: Stated) -> Result<()> {
    // The keys that both hold stand in the same places; what comes after them was vouched for.
    let Some(mut shared) = agent.line().shared(known.line()) else {
        let what = if agent.former.count >= known.key_count() {
            "no longer contains the keys of"
        } else {
            "has another key, and no rotation links it to"
        };
        let found = format!("The given agent document {what} {}.", stated.document());
        return Err(Error::new(Code::KeyConflict, found));
    };
    if agent.key_count() < known.key_count() {
        let found = format!("The given agent document has fewer keys than {}.", stated.document());
        return Err(Error::new(Code::Rollback, found));
    }
    // Where the current key has stated that it is revoked, whoever rotates it may be its thief.
    if statements.iter().any(|statement| statement.key_id == known.key_id()) {
        let found =
            format!("A revocation statement ended the key {} of {}.", known.key_id(), stated.document());
        return Err(Error::new(Code::KeyRevoked, found));
    }
    if shared.any(|(offered, known)| offered.is_less_revoked_than(known)) {
        let found = format!("The given agent document lacks a key revocation of {}.", stated.document());
        return Err(Error::new(Code::KeyRevoked, found));
    }
    Ok(())
}
