//! A private key that is somewhere else: in WebCrypto, in another process, in hardware.
//!
//! What signs is run until it needs no more signatures. A run that misses one fails and leaves the bytes
//! that are to be signed; the next one, of the same arguments, is given all signatures so far. Between two
//! runs others may sign, so nothing is remembered of what was asked, and the bytes come back with their
//! signature.

use alloc::vec::Vec;
use spin::Mutex;
use zeroize::Zeroizing;

use super::{PublicKey, Signer};
use crate::error::{Code, Error, Result};

pub(super) struct External {
    public: PublicKey,
    state: Mutex<State>,
}

/// More answers than any run needs of one key.
const MOST_ANSWERS: usize = 8;

#[derive(Default)]
struct State {
    /// These bytes are to be signed.
    asked: Option<Vec<u8>>,
    /// Bytes and their signatures, each for one use.
    answers: Vec<(Vec<u8>, Vec<u8>)>,
}

impl External {
    pub fn new(public: PublicKey) -> Self {
        Self { public, state: Mutex::default() }
    }
}

impl Signer for External {
    fn sign(&self, message: &[u8], _hedge: &[u8; 32]) -> Result<Vec<u8>> {
        let mut state = self.state.lock();
        if let Some(at) = state.answers.iter().position(|(asked, _)| asked == message) {
            return Ok(state.answers.swap_remove(at).1);
        }
        *state = State { asked: Some(message.to_vec()), answers: Vec::new() };
        Err(Error::new(Code::Internal, "The external signer has not signed yet."))
    }

    fn asked(&self) -> Option<Vec<u8>> {
        self.state.lock().asked.take()
    }

    fn answer(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        if !self.public.verify(message, signature) {
            let found = "The external signer's signature does not verify under its public key.";
            return Err(Error::new(Code::KeyMismatch, found));
        }
        let mut state = self.state.lock();
        if state.answers.len() >= MOST_ANSWERS {
            state.answers.clear(); // of runs that have failed otherwise
        }
        state.answers.push((message.to_vec(), signature.to_vec()));
        Ok(())
    }

    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::default()
    }
}
