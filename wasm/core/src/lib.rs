//! The core of sx-agent: it decides what is signed and what is valid.
//!
//! Pure: no I/O, no clock, no random source. Time (Unix milliseconds) and entropy (32 bytes)
//! are an argument, a [`moment::Moment`]. No function panics, whatever the input.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod agent;
mod agent_keys;
pub mod agreement_field;
mod answer;
pub mod artifact;
pub mod backup;
pub mod base64;
pub mod config;
pub mod discovery;
pub mod document;
pub mod entropy;
pub mod error;
pub mod event;
pub mod files;
mod former_keys;
pub mod hash;
pub mod held;
pub mod ids;
pub mod image;
pub mod json;
pub mod key_record;
pub mod keys;
pub mod known_key;
pub mod layout;
pub mod limits;
pub mod message;
pub mod moment;
pub mod passwords;
mod profile;
pub mod revocation;
pub mod ring;
pub mod signer;
pub mod statement;
pub mod strings;
pub mod text;
pub mod time;
pub mod trust;
pub mod trust_mark;
pub mod trust_witness;
mod unseen;
pub mod verify;
