//! A public key as one knows it of an agent: with its revocation.

use crate::error::{Code, Result};
use crate::json::{Object, Value};
use crate::keys::PublicKey;
use alloc::string::String;
use core::cmp::Reverse;

/// A public key that an agent is known to have.
#[derive(Clone)]
pub struct KnownKey {
    /// The key.
    pub key: PublicKey,
    /// From when on it is the agent's (`validFrom`); empty where no document says so.
    pub since: String,
    /// When and why it was revoked.
    pub revoked: Option<Revocation>,
}

/// A key's revocation, as the agent document states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// From when on it counts (RFC 3339).
    pub at: String,
    /// Why.
    pub reason: Reason,
}

/// Why a key was revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Another key follows.
    Superseded,
    /// Somebody else may have it. No signature by it counts, whatever its date: the thief writes dates.
    Compromised,
    /// Nobody has said why.
    Unspecified,
}

impl Reason {
    const ALL: [Self; 3] = [Self::Superseded, Self::Compromised, Self::Unspecified];

    /// Its name in documents and in every API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Superseded => "superseded",
            Self::Compromised => "compromised",
            Self::Unspecified => "unspecified",
        }
    }

    /// The reason of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl Revocation {
    fn is_compromised(&self) -> bool {
        self.reason == Reason::Compromised
    }
}

impl KnownKey {
    /// How much of what the key signed a revocation takes away, to be compared.
    fn severity(&self) -> (bool, bool, Reverse<&str>) {
        let revoked = self.revoked.as_ref();
        let at = revoked.map_or("", |revoked| revoked.at.as_str());
        (revoked.is_some_and(Revocation::is_compromised), revoked.is_some(), Reverse(at))
    }

    /// Revokes the key. Of two revocations `compromised` counts, and the earlier date.
    pub(crate) fn revoke(&mut self, more: Revocation) {
        self.revoked = Some(match self.revoked.take() {
            None => more,
            Some(Revocation { at, reason }) => Revocation {
                reason: if more.is_compromised() { more.reason } else { reason },
                at: if more.at < at { more.at } else { at },
            },
        });
    }

    /// Whether this revocation takes away less than the other one.
    pub fn is_less_revoked_than(&self, other: &Self) -> bool {
        self.severity() < other.severity()
    }

    /// `{algorithm, keyId, revoked?}`, of which the last one is `{at, reason}`.
    pub(crate) fn to_value(&self) -> Value {
        let mut key = Object::from([
            ("keyId", self.key.key_id().into()),
            ("algorithm", self.key.algorithm().name().into()),
        ]);
        if let Some(Revocation { at, reason }) = &self.revoked {
            let revoked = Object::from([("at", at.as_str().into()), ("reason", reason.name().into())]);
            key.insert("revoked".into(), revoked.into());
        }
        key.into()
    }

    /// Whether a signature of this date by this key may count.
    ///
    /// Errors: `KeyRevoked`.
    pub fn check_usable(&self, date: &str) -> Result<()> {
        match &self.revoked {
            Some(revoked) if revoked.is_compromised() || date >= revoked.at.as_str() => {
                Err(Code::KeyRevoked.into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Algorithm, SecretKey};
    use alloc::vec::Vec;

    /// The same key, revoked ever more: not, late, early, and as compromised late and early.
    fn ever_more_revoked() -> Vec<KnownKey> {
        let key = SecretKey::from_seed(Algorithm::Ed25519, &[1; 32]).unwrap().public_key().clone();
        let of = |revoked| KnownKey { key: key.clone(), since: String::new(), revoked };
        let at = |at: &str, reason| of(Some(Revocation { at: at.into(), reason }));
        let (early, late) = ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z");
        let (less, more) = (Reason::Superseded, Reason::Compromised);
        alloc::vec![of(None), at(late, less), at(early, less), at(late, more), at(early, more)]
    }

    #[test]
    fn compromised_is_more_than_superseded_and_earlier_more_than_later() {
        let keys = ever_more_revoked();
        for (i, less) in keys.iter().enumerate() {
            for (j, more) in keys.iter().enumerate() {
                assert_eq!(less.is_less_revoked_than(more), i < j, "{i} {j}");
            }
        }
    }

    #[test]
    fn of_two_revocations_compromised_counts_and_the_earlier_date() {
        for (at, first) in ever_more_revoked().into_iter().enumerate().skip(1) {
            for (other, second) in ever_more_revoked().into_iter().enumerate().skip(1) {
                let mut key = first.clone();
                key.revoke(second.revoked.unwrap());
                let Revocation { at: from, reason } = key.revoked.unwrap();
                assert_eq!(reason == Reason::Compromised, at > 2 || other > 2);
                assert_eq!(from.ends_with("0Z"), at % 2 == 0 || other % 2 == 0);
            }
        }
    }

    #[test]
    fn a_key_signs_until_it_is_revoked_and_a_compromised_one_never_did() {
        let usable = |date: &str| -> Vec<bool> {
            ever_more_revoked().iter().map(|key| key.check_usable(date).is_ok()).collect()
        };
        assert_eq!(usable("2025-12-31T23:59:59.999Z"), [true, true, true, false, false]);
        assert_eq!(usable("2026-01-01T00:00:00.000Z"), [true, true, false, false, false]);
        assert_eq!(usable("2026-01-01T00:00:00.001Z"), [true, false, false, false, false]);
    }
}
