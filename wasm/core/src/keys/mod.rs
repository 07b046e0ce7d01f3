//! Keys: algorithms behind one trait, their standard encodings and encryption at rest.
//!
//! A [`PublicKey`] or [`SecretKey`] that exists has been checked, parsed and expanded once;
//! signing and verifying never look at an encoding again. Nothing here draws random bytes:
//! seeds, hedges and entropy are arguments.
//!
//! A private key file is opened in three steps, of which the second is slow and needs nothing of
//! the file: [`key_derivation`], [`derive_key`], [`SecretKey::open`].

mod der;
mod derivation;
mod ed25519;
mod encryption;
mod external;
mod met;
mod mldsa87;
mod pem;
mod pkcs8;
mod public;
mod secret;
mod spki;
#[cfg(test)]
mod wycheproof;

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use zeroize::Zeroizing;

use crate::error::{Code, Error, Result};

pub use derivation::{MAX_PASSWORD_LEN, check_derivation, derive_key, new_key_derivation};
pub use met::{bound_kept, kept_keys};
pub use pem::MAX_PEM_LEN;
pub use public::PublicKey;
pub use secret::{SecretKey, key_derivation};

/// Bytes of the seed from which every private key can be derived (RFC 8032 section 5.1.5,
/// FIPS 204 algorithm 1).
pub const SEED_LEN: usize = 32;

/// A signature algorithm (protocol section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Ed25519 (RFC 8032), verified strictly.
    Ed25519,
    /// ML-DSA-87 (FIPS 204) with an empty context, signed hedged.
    Pq2025,
}

impl Algorithm {
    const ALL: [Self; 2] = [Self::Ed25519, Self::Pq2025];

    /// The label used in documents and configuration: `ed25519` or `pq2025`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ed25519 => "ed25519",
            Self::Pq2025 => "pq2025",
        }
    }

    /// The algorithm that a caller means by exactly this label. `Ed25519` and `ML-DSA-87`, as RFC 8032 and FIPS 204 have
    /// it, and `ring-Ed25519` are aliases, which are never stored in a document.
    pub fn parse(label: &str) -> Option<Self> {
        match label {
            "ed25519" | "Ed25519" | "ring-Ed25519" => Some(Self::Ed25519),
            "pq2025" | "ML-DSA-87" => Some(Self::Pq2025),
            _ => None,
        }
    }

    /// As [`parse`](Self::parse), for a label that has to be one.
    ///
    /// Errors: `InvalidOption`.
    pub fn named(label: &str) -> Result<Self> {
        let unknown = || {
            Error::new(
                Code::InvalidOption,
                "The algorithm is neither 'pq2025' (ML-DSA-87) nor 'ed25519' (Ed25519).",
            )
        };
        Self::parse(label).ok_or_else(unknown)
    }

    /// Bytes of a raw public key: 32 or 2592.
    pub fn public_len(self) -> usize {
        self.scheme().public_len()
    }

    /// Bytes of a signature: 64 or 4627.
    pub fn signature_len(self) -> usize {
        self.scheme().signature_len()
    }

    fn scheme(self) -> &'static dyn Scheme {
        match self {
            Self::Ed25519 => &ed25519::Ed25519,
            Self::Pq2025 => &mldsa87::MlDsa87,
        }
    }

    /// The algorithm of an X.509 identifier. Both have absent parameters (RFC 8410 section 3,
    /// RFC 9881 section 2).
    fn from_identifier(identifier: &der::Identifier<'_>) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|algorithm| algorithm.scheme().oid() == identifier.oid);
        match known {
            None => {
                Err(invalid(format!("The key algorithm {} is not supported.", der::oid_text(identifier.oid))))
            }
            Some(_) if identifier.parameters.is_some() => {
                Err(invalid("The key must not have algorithm parameters."))
            }
            Some(algorithm) => Ok(algorithm),
        }
    }
}

/// What an implementation of a signature algorithm offers. Another implementation of the same
/// algorithm is put in by returning it from `Algorithm::scheme`.
trait Scheme: Sync {
    /// The content of the object identifier in SPKI and PKCS#8.
    fn oid(&self) -> &'static [u8];
    /// Bytes of a raw public key.
    fn public_len(&self) -> usize;
    /// Bytes of a signature.
    fn signature_len(&self) -> usize;
    /// What stands before the raw key in its SPKI DER, of which there is only one.
    fn spki_prefix(&self) -> &'static [u8];
    /// The members that RFC 7638 hashes, as canonical JSON, for a base64url key.
    fn jwk(&self, key: &str) -> String;
    /// After how many signatures what is kept of a key has paid for itself.
    fn worth_keeping(&self) -> u32;
    /// Bytes of what is kept of a key: what verification derives from it, and the key that was checked.
    fn kept_len(&self) -> usize;
    /// Checks a raw public key: `InvalidKey`, `WeakPublicKey`.
    fn verifier(&self, raw: &[u8]) -> Result<Box<dyn Verifier>>;
    /// Reads the content of the `privateKey` member of PKCS#8: `InvalidKey`, `KeyMismatch`.
    fn key_pair(&self, private_key: &[u8]) -> Result<KeyPair>;
    /// Derives the key pair of a seed.
    fn key_pair_from_seed(&self, seed: &[u8; SEED_LEN]) -> KeyPair;
}

/// A public key that was checked.
trait Verifier: Send + Sync {
    /// Whether our own arithmetic finds the signature right: only yes counts.
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool;
    /// Whether the signature is right, by the crate whose word counts.
    fn decides(&self, message: &[u8], signature: &[u8]) -> bool;
    /// What to keep of the key; nothing for one that our own arithmetic did not take.
    fn keep(&self) -> Option<Arc<dyn Kept>>;
}

/// What verification derives from a public key.
trait Kept: Send + Sync {
    /// As [`Verifier::confirms`], and faster.
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool;
}

/// An expanded private key, wiped when dropped.
trait Signer: Send + Sync {
    /// Signs with 32 bytes of entropy, which a deterministic algorithm does not use.
    fn sign(&self, message: &[u8], hedge: &[u8; 32]) -> Result<Vec<u8>>;
    /// The PKCS#8 DER; nothing for a key that is not here.
    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>>;
    /// What a key that is not here is to sign, after a call of `sign` has failed for that reason.
    fn asked(&self) -> Option<Vec<u8>> {
        None
    }
    /// Takes the signature of what was asked for: `KeyMismatch` if it is none.
    fn answer(&self, _message: &[u8], _signature: &[u8]) -> Result<()> {
        Err(Error::new(Code::Internal, "Nothing to sign."))
    }
}

/// A private key with the raw public key derived from it.
type KeyPair = (Box<dyn Signer>, Vec<u8>);

fn invalid(found: impl Into<String>) -> Error {
    Error::new(Code::InvalidKey, found)
}

/// How deep work with secrets goes: to make a key of ML-DSA-87 takes 556 KiB of the 1 MiB of stack
/// that WebAssembly has.
const WIPED_STACK: usize = 640 << 10;

/// Wipes the stack below the caller's.
fn wipe_stack() {
    zeroize::zeroize_stack::<WIPED_STACK>();
}

/// Does `work`, then wipes the part of the stack on which it has left copies of secrets: Rust
/// moves values by copying, and wipes only where they end.
fn wiping_stack<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)] // or its stack would be that of this function
    fn on_a_frame_of_its_own<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let result = on_a_frame_of_its_own(work);
    wipe_stack();
    result
}

/// `prefix` and `secret` in one buffer that never moves, so that no copy is left behind.
fn join_secret(prefix: &[u8], secret: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut joined = Zeroizing::new(Vec::with_capacity(prefix.len().saturating_add(secret.len())));
    joined.extend_from_slice(prefix);
    joined.extend_from_slice(secret);
    joined
}
