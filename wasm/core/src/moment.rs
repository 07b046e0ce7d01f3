//! When a call is made, and its randomness: all that the core takes of the world around it.

use crate::entropy::Entropy;
use crate::error::Result;
use crate::ids::uuid_v4;
use crate::time;
use alloc::string::String;
use alloc::vec::Vec;
use zeroize::Zeroizing;

/// The time and the randomness of one call. What is made of the same moment is the same.
pub struct Moment {
    /// Unix milliseconds.
    pub now: u64,
    /// What the call draws its ids, nonces and hedges from.
    pub entropy: Entropy,
}

impl Moment {
    /// Takes 32 random bytes over.
    ///
    /// Errors: `NoEntropy`.
    pub fn new(now: u64, entropy: Vec<u8>) -> Result<Self> {
        Ok(Self { now, entropy: Entropy::new(entropy)? })
    }

    /// `now` as documents write it.
    ///
    /// Errors: `InvalidOption` for instants after the year 9999.
    pub fn date(&self) -> Result<String> {
        time::format(self.now)
    }

    /// The id of a document of which this makes the first version.
    pub(crate) fn id(&self) -> String {
        uuid_v4(self.entropy.draw16("id"))
    }

    /// The version that this makes.
    pub(crate) fn version(&self) -> String {
        uuid_v4(self.entropy.draw16("version"))
    }

    /// What is mixed into the one signature that this makes.
    pub(crate) fn hedge(&self) -> Zeroizing<[u8; 32]> {
        self.entropy.draw32("hedge")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use alloc::vec;

    #[test]
    fn a_moment_has_a_date_and_ids_of_its_own() {
        let moment = Moment::new(951_782_400_000, (0..32).collect()).unwrap();
        assert_eq!(moment.date().as_deref(), Ok("2000-02-29T00:00:00.000Z"));
        assert_eq!(moment.id(), moment.id());
        assert_ne!(moment.id(), moment.version());
        assert_eq!(Moment::new(1, vec![7; 32]).err().map(|error| error.code), Some(Code::NoEntropy));
        assert!(Moment::new(u64::MAX, (0..32).collect()).unwrap().date().is_err());
    }
}
