//! Public keys that were met several times, with what verification derives from them.
//!
//! How often a key was met is counted as Misra and Gries count ("Finding repeated elements", 1982): a key that
//! makes up more than one in [`COUNTED`] of what was verified is never lost, however many others come between. So a
//! flood of ever new signers neither grows this nor pushes out the ones in use. Only signatures that are right count.

use alloc::{format, sync::Arc, vec::Vec};

use spin::Mutex;

use super::{Algorithm, Kept, PublicKey};
use crate::error::{Code, Error, Result};

/// Most keys that are counted at a time.
const COUNTED: usize = 1024;

/// After so many signatures every count is halved: who was met often long ago makes room.
const AGE: u32 = 1 << 16;

/// How much may be kept.
#[derive(Clone, Copy)]
struct Bounds {
    keys: usize,
    bytes: usize,
}

const DEFAULTS: Bounds = Bounds { keys: 128, bytes: 12 << 20 };
const CEILING: Bounds = Bounds { keys: COUNTED, bytes: 128 << 20 };

struct Counter {
    /// The thumbprint of the key.
    id: [u8; 32],
    met: u32,
}

struct Held {
    key: PublicKey,
    kept: Arc<dyn Kept>,
}

struct Met {
    bounds: Bounds,
    /// Ascending by their ids.
    counters: Vec<Counter>,
    /// Ascending by their raw keys; each has a counter.
    held: Vec<Held>,
    /// Signatures since the counts were halved.
    age: u32,
}

/// Of several threads one looks here at a time; the others do without rather than wait.
static MET: Mutex<Met> = Mutex::new(Met { bounds: DEFAULTS, counters: Vec::new(), held: Vec::new(), age: 0 });

/// The key of these bytes, if it is kept: it was checked when it came.
pub(super) fn find(algorithm: Algorithm, raw: &[u8]) -> Option<PublicKey> {
    let met = MET.try_lock()?;
    met.at(raw)
        .and_then(|at| met.held.get(at))
        .map(|held| held.key.clone())
        .filter(|key| key.algorithm() == algorithm)
}

/// What is kept of a key.
pub(super) fn kept(key: &PublicKey) -> Option<Arc<dyn Kept>> {
    let met = MET.try_lock()?;
    met.at(key.to_raw()).and_then(|at| met.held.get(at)).map(|held| held.kept.clone())
}

/// Counts a signature by this key that was right, and keeps the key once that is worth it.
pub(super) fn count(key: &PublicKey) {
    if let Some(mut met) = MET.try_lock() {
        met.count(key);
    }
}

impl Met {
    fn at(&self, raw: &[u8]) -> Option<usize> {
        self.held.binary_search_by(|held| held.key.to_raw().cmp(raw)).ok()
    }

    fn counter(&self, id: &[u8; 32]) -> core::result::Result<usize, usize> {
        self.counters.binary_search_by(|counter| counter.id.cmp(id))
    }

    fn met(&self, key: &PublicKey) -> u32 {
        let counter = self.counter(key.thumbprint()).ok().and_then(|at| self.counters.get(at));
        counter.map_or(0, |counter| counter.met)
    }

    fn count(&mut self, key: &PublicKey) {
        if self.bounds.keys == 0 || self.bounds.bytes == 0 {
            return;
        }
        self.age = self.age.saturating_add(1);
        if self.age >= AGE {
            self.age = 0;
            self.lower(|met| met / 2);
        }
        match self.counter(key.thumbprint()) {
            Ok(at) => {
                let Some(counter) = self.counters.get_mut(at) else { return };
                counter.met = counter.met.saturating_add(1);
                let met = counter.met;
                if met >= key.worth_keeping() && self.at(key.to_raw()).is_none() {
                    self.keep(key, met);
                }
            }
            Err(at) if self.counters.len() < COUNTED => {
                self.counters.insert(at, Counter { id: *key.thumbprint(), met: 1 });
            }
            Err(_) => self.lower(|met| met.saturating_sub(1)),
        }
    }

    /// Lowers every count; who has none left is forgotten.
    fn lower(&mut self, to: impl Fn(u32) -> u32) {
        self.counters.retain_mut(|counter| {
            counter.met = to(counter.met);
            counter.met > 0
        });
        let mut held = core::mem::take(&mut self.held);
        held.retain(|held| self.counter(held.key.thumbprint()).is_ok());
        self.held = held;
    }

    /// Keeps a key in place of ones that were clearly met less often: by as often as pays for what is derived, so that
    /// keys that take turns do not push each other out.
    fn keep(&mut self, key: &PublicKey, met: u32) {
        let len = key.kept_len();
        let clearly = met.saturating_sub(key.worth_keeping());
        while self.held.len() >= self.bounds.keys || self.len().saturating_add(len) > self.bounds.bytes {
            match self.least() {
                Some((at, least)) if least <= clearly => drop(self.held.remove(at)),
                _ => return,
            }
        }
        let Some(kept) = key.keep() else { return };
        if let Err(at) = self.held.binary_search_by(|held| held.key.to_raw().cmp(key.to_raw())) {
            self.held.insert(at, Held { key: key.clone(), kept });
        }
    }

    /// Which of the kept keys was met least, and how often.
    fn least(&self) -> Option<(usize, u32)> {
        let met = self.held.iter().map(|held| self.met(&held.key));
        met.enumerate().min_by_key(|(_, met)| *met)
    }

    fn bound(&mut self, bounds: Bounds) {
        self.bounds = bounds;
        if bounds.keys == 0 || bounds.bytes == 0 {
            self.counters.clear();
            self.held.clear();
        }
        while self.held.len() > bounds.keys || self.len() > bounds.bytes {
            let Some((at, _)) = self.least() else { break };
            drop(self.held.remove(at));
        }
    }

    /// Bytes of what is kept.
    fn len(&self) -> usize {
        self.held.iter().fold(0, |len, held| len.saturating_add(held.key.kept_len()))
    }
}

/// Sets how much is kept: most keys and most bytes as whole numbers with a comma between them, of which 0 keeps nothing.
/// What is left out gets its default: 128 keys, 12 MiB.
///
/// Errors: `InvalidOption`.
pub fn bound_kept(text: &str) -> Result<()> {
    let read = |text: &str, default: usize, ceiling: usize| match text {
        "" => Some(default),
        _ => text.parse().ok().filter(|bound| *bound <= ceiling),
    };
    let bounds = text.split_once(',').and_then(|(keys, bytes)| {
        let keys = read(keys, DEFAULTS.keys, CEILING.keys)?;
        Some(Bounds { keys, bytes: read(bytes, DEFAULTS.bytes, CEILING.bytes)? })
    });
    let mut met = MET.lock();
    met.bound(bounds.ok_or_else(invalid)?);
    Ok(())
}

fn invalid() -> Error {
    let Bounds { keys, bytes } = CEILING;
    Error::new(
        Code::InvalidOption,
        format!("The limits of the key cache must be integers: keys up to {keys}, bytes up to {bytes}."),
    )
}

/// How many keys are kept, and how many bytes that takes.
pub fn kept_keys() -> (usize, usize) {
    let met = MET.lock();
    (met.held.len(), met.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SecretKey;

    const EMPTY: Met = Met { bounds: DEFAULTS, counters: Vec::new(), held: Vec::new(), age: 0 };

    fn key(algorithm: Algorithm, n: u32) -> PublicKey {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&n.to_le_bytes());
        SecretKey::from_seed(algorithm, &seed).unwrap().public_key().clone()
    }

    fn signers(count: u32) -> Vec<PublicKey> {
        (0..count).map(|n| key(Algorithm::Ed25519, n)).collect()
    }

    impl Met {
        fn count_often(&mut self, key: &PublicKey, times: u32) {
            (0..times).for_each(|_| self.count(key));
        }

        fn holds(&self, key: &PublicKey) -> bool {
            self.at(key.to_raw()).is_some()
        }

        /// What must hold after every step.
        fn check(&self) {
            assert!(self.counters.len() <= COUNTED);
            assert!(self.held.len() <= self.bounds.keys && self.len() <= self.bounds.bytes);
            assert!(self.counters.is_sorted_by(|a, b| a.id < b.id));
            assert!(self.held.is_sorted_by(|a, b| a.key.to_raw() < b.key.to_raw()));
            assert!(self.held.iter().all(|held| self.met(&held.key) > 0));
        }
    }

    #[test]
    fn a_key_is_kept_once_it_was_met_often_enough() {
        let mut met = EMPTY;
        let (classic, lattice) = (key(Algorithm::Ed25519, 1), key(Algorithm::Pq2025, 1));
        for (key, worth) in [(&classic, 9), (&lattice, 2)] {
            met.count_often(key, worth - 1);
            assert!(!met.holds(key));
            met.count(key);
            assert!(met.holds(key));
        }
        assert_eq!(met.len(), classic.kept_len() + lattice.kept_len());
        met.check();
    }

    #[test]
    fn a_flood_of_others_pushes_nobody_out_and_takes_no_memory() {
        let (mut met, known) = (EMPTY, signers(4));
        for key in &known {
            met.count_often(key, 20);
        }
        let template = key(Algorithm::Ed25519, 9);
        for n in 0..50_000_u32 {
            // Counting looks at thumbprints alone: ones that are made up stand for signers never seen again.
            let stranger = template.with_thumbprint(&n.to_le_bytes());
            met.count(&stranger);
            if n % 200 == 0 {
                known.iter().for_each(|key| met.count(key));
                met.check();
            }
        }
        assert!(known.iter().all(|key| met.holds(key)));
        assert_eq!(met.held.len(), known.len());
    }

    #[test]
    fn keys_that_take_turns_do_not_push_each_other_out() {
        let (mut met, keys) = (EMPTY, signers(3));
        met.bounds.keys = 2;
        met.count_often(&keys[0], 9);
        met.count_often(&keys[1], 9);
        for _ in 0..100 {
            keys.iter().rev().for_each(|key| met.count(key));
            assert!(met.holds(&keys[0]) && met.holds(&keys[1]));
        }
        met.count_often(&keys[2], 20); // clearly more often than the others
        assert!(met.holds(&keys[2]));
        assert_eq!(met.held.len(), 2);
        met.check();
    }

    #[test]
    fn who_was_met_long_ago_makes_room() {
        let (mut met, keys) = (EMPTY, signers(2));
        met.bounds.keys = 1;
        met.count_often(&keys[0], 60_000);
        met.count_often(&keys[1], 40_000);
        assert!(met.holds(&keys[1]));
        met.check();
    }

    #[test]
    fn both_bounds_hold() {
        let keys = signers(12);
        let len = keys[0].kept_len();
        for (bounds, expected) in [
            (Bounds { keys: 5, bytes: 8 << 20 }, 5),
            (Bounds { keys: 128, bytes: 3 * len }, 3),
            (Bounds { keys: 128, bytes: len - 1 }, 0),
            (Bounds { keys: 0, bytes: 8 << 20 }, 0),
            (Bounds { keys: 8, bytes: 0 }, 0),
        ] {
            let mut met = EMPTY;
            met.bound(bounds);
            for (n, key) in (0..).zip(&keys) {
                met.count_often(key, 9 + 10 * n);
                met.check();
            }
            assert_eq!(met.held.len(), expected);
            met.bound(Bounds { keys: 2, ..bounds });
            assert_eq!(met.held.len(), expected.min(2));
            met.check();
        }
    }

    #[test]
    fn who_keeps_nothing_forgets_whom_it_met() {
        let (mut met, keys) = (EMPTY, signers(1));
        met.count_often(&keys[0], 20);
        met.bound(Bounds { keys: 0, ..DEFAULTS });
        met.bound(DEFAULTS);
        met.count_often(&keys[0], 8);
        assert!(!met.holds(&keys[0]));
        met.count(&keys[0]);
        assert!(met.holds(&keys[0]));
    }

    #[test]
    fn bounds_are_whole_numbers() {
        for text in ["", "1", "1,2,3", "-1,", "1.5,", "1025,", ",134217729", ",x", "NaN,", "1 ,", "null,"] {
            assert_eq!(bound_kept(text).unwrap_err().code, Code::InvalidOption, "{text}");
        }
        for text in ["1024,134217728", "0,", ",0", ","] {
            bound_kept(text).unwrap();
        }
    }
}
