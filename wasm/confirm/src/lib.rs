//! Signatures verified with arithmetic of our own, faster than the crates that decide.
//!
//! It works over public data only and in variable time. What it says may only be yes, and only after every
//! check of the standard: who gets no yes asks the crate that decides.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ed25519;
pub mod mldsa87;

#[cfg(test)]
#[path = "../tests/hostile/mod.rs"]
mod hostile;
#[cfg(test)]
#[path = "../tests/numbers/mod.rs"]
mod numbers;
