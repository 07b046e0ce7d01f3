//! A public key as one knows it of an agent: with its revocation.

use crate::error::{Code, Result};
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
    /// A compromised key's signatures do not count whatever their date: the thief writes dates.
    pub compromised: bool,
}

impl KnownKey {
    /// How much of what the key signed a revocation takes away, to be compared.
    fn severity(&self) -> (bool, bool, Reverse<&str>) {
        let revoked = self.revoked.as_ref();
        let at = revoked.map_or("", |revoked| revoked.at.as_str());
        (revoked.is_some_and(|revoked| revoked.compromised), revoked.is_some(), Reverse(at))
    }

    /// Revokes the key. Of two revocations `compromised` counts, and the earlier date.
    pub(crate) fn revoke(&mut self, more: Revocation) {
        self.revoked = Some(match self.revoked.take() {
            None => more,
            Some(Revocation { at, compromised }) => Revocation {
                at: if more.at < at { more.at } else { at },
                compromised: compromised || more.compromised,
            },
        });
    }

    /// Whether this revocation takes away less than the other one.
    pub fn is_less_revoked_than(&self, other: &Self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Algorithm, SecretKey};
    use alloc::vec::Vec;

    /// The same key, revoked ever more: not, late, early, and as compromised late and early.
    fn ever_more_revoked() -> Vec<KnownKey> {
        let key = SecretKey::from_seed(Algorithm::Ed25519, &[1; 32]).unwrap().public_key().clone();
        let of = |revoked| KnownKey { key: key.clone(), since: String::new(), revoked };
        let at = |at: &str, compromised| of(Some(Revocation { at: at.into(), compromised }));
        let (early, late) = ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z");
        alloc::vec![of(None), at(late, false), at(early, false), at(late, true), at(early, true)]
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
    fn a_key_signs_until_it_is_revoked_and_a_compromised_one_never_did() {
        let usable = |date: &str| -> Vec<bool> {
            ever_more_revoked().iter().map(|key| key.check_usable(date).is_ok()).collect()
        };
        assert_eq!(usable("2025-12-31T23:59:59.999Z"), [true, true, true, false, false]);
        assert_eq!(usable("2026-01-01T00:00:00.000Z"), [true, true, false, false, false]);
        assert_eq!(usable("2026-01-01T00:00:00.001Z"), [true, false, false, false, false]);
    }
}
