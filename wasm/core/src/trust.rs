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
/// stored for the same agent (`known`). After a removal mark nothing is known: admission begins anew.
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

fn check(agent: Agent, offered: &[u8], (stored, stated): (&[u8], Stated), limits: &Limits) -> Result<Agent> {
    let held = Held::read(stored, &of_sources(limits));
    let text = held.as_ref().map_or(stored, |held| held.document.as_bytes());
    // With what was stated of its keys since, where that would be lost.
    let known = held::verify(if stated == Stated::Kept { text } else { stored }, limits)?;
    if known.id != agent.id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document is that of another agent."));
    }
    check_keys(&agent, &known, held.as_ref().map(|held| held.revocations.as_slice()).unwrap_or_default())?;
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
            "The agent document that was offered (version {} of {}) is {age} than the trusted one (version {} of {}).",
            agent.version, agent.date, known.version, known.date,
        );
        return Err(Error::new(Code::Rollback, found));
    }
    if agent.original != known.original
        || (same && json::parse(offered, limits)? != json::parse(text, &of_sources(limits))?)
    {
        return Err(Error::new(
            Code::VersionConflict,
            "The document does not continue the one that is stored.",
        ));
    }
    Ok(agent)
}

/// Whether the keys of an offered document continue the known ones, of which some may have `stated` their revocation.
fn check_keys(agent: &Agent, known: &Agent, stated: &[Statement]) -> Result<()> {
    // The keys that both hold stand in the same places; what comes after them was vouched for.
    let Some(mut shared) = agent.line().shared(known.line()) else {
        let found = if agent.former.count >= known.key_count() {
            "The document no longer holds the keys that are known of this agent. Trust one of its versions in between first."
        } else {
            "The trust store holds this agent with another key, and nothing shows that it was rotated."
        };
        return Err(Error::new(Code::KeyConflict, found));
    };
    if agent.key_count() < known.key_count() {
        return Err(Error::new(
            Code::Rollback,
            "The agent document that was offered is from before its key was rotated.",
        ));
    }
    // Where the current key has stated that it is revoked, whoever rotates it may be its thief.
    if stated.iter().any(|statement| statement.key_id == known.key_id()) {
        return Err(Error::new(
            Code::KeyRevoked,
            "The key that would lead to this document was revoked. Compare the new key with its owner, then untrust the agent and trust it again.",
        ));
    }
    if shared.any(|(offered, known)| offered.is_less_revoked_than(known)) {
        return Err(Error::new(Code::KeyRevoked, "The document takes back the revocation of a key."));
    }
    Ok(())
}
