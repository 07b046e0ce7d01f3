//! Signed images: what is claimed of a file and of its pixels, and the verdicts on them (protocol, section 21).
//!
//! Images themselves are read and written by `sx_media`; here come only its answers, as JSON.

mod claim;
mod found;
mod sign;
mod verify;

pub use claim::{DOCUMENT_TYPE, FILE_SCHEME, PIXELS_SCHEME};
pub use found::{Found, document};
pub use sign::{sign_file, sign_pixels};
pub use verify::ImageVerification;
