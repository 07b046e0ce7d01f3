//! Rules of signed requests: their header, URLs, and the order of the checks (protocol, section 25).
//!
//! Nothing here makes or verifies a signature: the core does. No function panics, whatever the input.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod answers;
mod claims;
mod codes;
mod digest;
mod header;
mod method;
mod problem;
mod url;

pub use claims::Claims;
pub use codes::Code;
pub use header::{Policy, open};
pub use problem::Problem;
pub use url::{is_target_of, normalise};
