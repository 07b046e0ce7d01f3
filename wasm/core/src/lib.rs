//! The core of sx-agent: it decides what is signed and what is valid.
//!
//! Pure: no I/O, no clock, no random source. Time (Unix milliseconds) and entropy (32 bytes)
//! are arguments. No function panics, whatever the input.
#![no_std]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod error;
pub mod json;
pub mod keys;
