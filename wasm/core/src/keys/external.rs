//! A private key that is somewhere else: in WebCrypto, in another process, in hardware.
//!
//! Signing takes two runs of what signs. The first one ends with a failure and leaves the bytes that
//! are to be signed; the second one, of the same arguments, finds their signature. Between the two others
//! may sign, so nothing is remembered of what was asked, and the bytes come back with their signature.

use core::cell::RefCell;

use alloc::vec::Vec;
use zeroize::Zeroizing;

use super::{PublicKey, Signer};
use crate::error::{Code, Error, Result};

pub(super) struct External {
    public: PublicKey,
    state: RefCell<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    /// These bytes are to be signed.
    Asked(Vec<u8>),
    Answered {
        message: Vec<u8>,
        signature: Vec<u8>,
    },
}

impl External {
    pub fn new(public: PublicKey) -> Self {
        Self { public, state: RefCell::default() }
    }
}

impl Signer for External {
    fn sign(&self, message: &[u8], _hedge: &[u8; 32]) -> Result<Vec<u8>> {
        match self.state.take() {
            State::Answered { message: asked, signature } if asked == message => Ok(signature),
            _ => {
                self.state.replace(State::Asked(message.to_vec()));
                Err(Error::new(Code::Internal, "The external signer has not signed yet."))
            }
        }
    }

    fn asked(&self) -> Option<Vec<u8>> {
        match self.state.take() {
            State::Asked(message) => Some(message),
            _ => None,
        }
    }

    fn answer(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        if !self.public.verify(message, signature) {
            let found = "The external signer's signature does not verify under its public key.";
            return Err(Error::new(Code::KeyMismatch, found));
        }
        self.state.replace(State::Answered { message: message.to_vec(), signature: signature.to_vec() });
        Ok(())
    }

    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::default()
    }
}
