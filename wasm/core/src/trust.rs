//! Which agent documents the trust store takes (protocol, section 11).

use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits};
use crate::trust_mark;

/// Decides whether an offered agent document may be stored as trusted, given the one that is
/// stored for the same agent (`known`). After a removal mark nothing is known: admission begins anew.
///
/// Errors: those of [`Agent::verify`]; `KeyConflict` if the keys differ from the known ones;
/// `VersionConflict` if it is another document of the same version or of another history;
/// `KeyRevoked` if it takes back a revocation, as the thief of a key would; `Rollback` if a newer
/// version is known.
pub fn admit(offered: &[u8], known: Option<&[u8]>, limits: &Limits) -> Result<Agent> {
    let agent = Agent::verify(offered, limits)?;
    let Some(stored) = known.filter(|known| !trust_mark::is_mark(known)) else { return Ok(agent) };
    let known = Agent::verify(stored, limits)
        .map_err(|_| Error::new(Code::CorruptStore, "The stored agent document of this agent is damaged."))?;
    if known.id != agent.id {
        return Err(Error::new(Code::CorruptStore, "The stored agent document is that of another agent."));
    }
    if !agent.has_same_keys(&known) {
        return Err(Error::new(
            Code::KeyConflict,
            "The trust store holds this agent with other keys, and nothing shows that they were rotated.",
        ));
    }
    for key in &known.keys {
        let offered = agent.keys.iter().find(|offered| offered.key == key.key);
        if offered.is_none_or(|offered| offered.is_less_revoked_than(key)) {
            return Err(Error::new(Code::KeyRevoked, "The document takes back the revocation of a key."));
        }
    }
    // Dates grow from version to version and have one textual form. Other writers may let two
    // versions share one; then the link to the predecessor decides.
    let newer = agent.date > known.date
        || (agent.date == known.date && agent.previous.as_ref() == Some(&known.version));
    let same = agent.version == known.version;
    if !newer && !same {
        return Err(Code::Rollback.into());
    }
    if agent.original != known.original
        || (same && json::parse(offered, limits)? != json::parse(stored, limits)?)
    {
        return Err(Error::new(
            Code::VersionConflict,
            "The document does not continue the one that is stored.",
        ));
    }
    Ok(agent)
}
