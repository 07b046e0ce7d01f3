//! SHA-256, compiled once: the functions of its crate are generic, and would stand wherever they are called.

use sha2::{Digest as _, Sha256};

/// What has been added so far.
#[derive(Clone, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    #[inline(never)]
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    #[inline(never)]
    pub fn end(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
