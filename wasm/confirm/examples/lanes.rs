//! Signatures of ML-DSA-87 in WebAssembly, where Keccak permutes two states at once with SIMD: `scripts/lanes.mjs` runs
//! this. What is right by `fips204` is confirmed, for keys never seen and kept ones, and nothing else is.
//!
//! A test of the library cannot tell: where the lanes are wrong `fips204` decides, and the verdict stays.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::process::ExitCode;

use fips204::ml_dsa_87::KG;
use fips204::traits::{KeyGen as _, SerDes as _, Signer as _};
use sx_confirm::mldsa87::{Kept, confirms};

/// Each has another matrix; every pair of its polynomials is drawn by both lanes.
const KEYS: u8 = 32;

/// How many keys said what they should: all of them is [`KEYS`].
fn main() -> ExitCode {
    let agree = (0..KEYS).filter(|n| {
        let (public, secret) = KG::keygen_from_seed(&[*n; 32]);
        let (message, raw) = ([*n; 100], public.into_bytes());
        let signature = secret.try_sign_with_seed(&[1; 32], &message[..usize::from(*n)], b"").unwrap();
        let mut damaged = signature;
        damaged[usize::from(*n) * 100] ^= 1;
        let said = |signature: &[u8]| {
            let message = &message[..usize::from(*n)];
            [confirms(&raw, message, signature, b""), Kept::new(&raw).confirms(message, signature, b"")]
        };
        said(&signature) == [true; 2] && said(&damaged) == [false; 2]
    });
    let agree = agree.count() as u8;
    if cfg!(target_arch = "wasm32") { ExitCode::from(agree) } else { ExitCode::from(KEYS - agree) }
}
