//! The core for JavaScript: one call in, one call out, bytes and text.
//!
//! A failure is thrown as an array of the code and of what was found; anything else that is
//! thrown is a trap.
#![allow(missing_docs)] // each function says what it does in the core
#![cfg_attr(target_arch = "wasm32", no_std)] // with it the module is larger, by what formats panics

extern crate alloc;

mod agents;
mod agreement_field;
mod agreements;
mod alone;
mod images;
mod keys;
mod messages;
mod names;
mod objects;
mod settings;
mod signing;
mod texts;
mod utf16;
mod verification;
mod wiping;

use alloc::{borrow::ToOwned as _, vec};
use sx_core::error::{Code, Error};
use sx_core::moment::Moment;
use wasm_bindgen::JsValue;

type Thrown<T> = Result<T, Failure>;

/// An error of the core on its way to JavaScript.
pub struct Failure(Error);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(error): Failure) -> Self {
        vec![error.code.name().to_owned(), error.found].into()
    }
}

/// Of the caller's clock, Unix milliseconds as a double in little endian, and after it 32 random bytes.
fn moment(at: &[u8]) -> sx_core::error::Result<Moment> {
    let (now, entropy) = at.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let now = f64::from_le_bytes(*now) as u64; // saturates; NaN becomes 0
    Moment::new(now, entropy.to_vec())
}

fn gone() -> Error {
    Error::new(Code::Internal, "An object of the WebAssembly core was freed.")
}
