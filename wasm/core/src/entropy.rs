//! Randomness of one operation: 32 bytes from the caller, expanded per purpose.

use crate::error::{Code, Result};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

/// How many random bytes an operation takes.
pub const LEN: usize = 32;

/// 32 bytes from the runtime's random source, and what an operation draws from them:
/// `SHA-256(bytes || purpose)` for each purpose.
pub struct Entropy(Zeroizing<[u8; LEN]>);

impl Entropy {
    /// Takes the bytes over.
    ///
    /// Errors: `NoEntropy` if they are not 32, or if they all are equal: a random source that
    /// answers so is dead (it would do by chance once in 2^248 draws).
    pub fn new(mut bytes: alloc::vec::Vec<u8>) -> Result<Self> {
        let taken: core::result::Result<[u8; LEN], _> = bytes.as_slice().try_into();
        bytes.zeroize();
        let entropy = Self(Zeroizing::new(taken.map_err(|_| Code::NoEntropy)?));
        let first = entropy.0.first().copied();
        if entropy.0.iter().all(|b| Some(*b) == first) {
            return Err(Code::NoEntropy.into());
        }
        Ok(entropy)
    }

    /// 32 bytes for one purpose.
    pub fn draw32(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        let digest = Sha256::new().chain_update(*self.0).chain_update(purpose.as_bytes()).finalize();
        Zeroizing::new(digest.into())
    }

    /// 16 bytes for one purpose.
    pub fn draw16(&self, purpose: &str) -> [u8; 16] {
        self.draw32(purpose).first_chunk().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn t43_a_dead_random_source_is_refused() {
        for bad in [vec![0; 32], vec![255; 32], vec![1; 31], vec![]] {
            assert_eq!(Entropy::new(bad).err().map(|e| e.code), Some(Code::NoEntropy));
        }
    }

    #[test]
    fn purposes_do_not_share_bytes() {
        let entropy = Entropy::new((0..32).collect()).unwrap();
        assert_ne!(entropy.draw32("a"), entropy.draw32("b"));
        assert_eq!(entropy.draw32("a").first_chunk(), Some(&entropy.draw16("a")));
    }
}
