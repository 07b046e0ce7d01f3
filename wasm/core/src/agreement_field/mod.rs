//! Agreements in a field of a document: several agents sign what it says (protocol, section 23).
//!
//! A signature is over the hash of all that its signer was shown, so it holds wherever the signatures of one agreement
//! are brought together, and in any order.

mod check;
mod field;
mod sign;
mod terms;

pub use check::AgreementCheck;
pub use field::Field;
pub use sign::{create, sign};
pub use terms::Terms;
