//! The core for JavaScript: one call in, one call out, bytes and text.
//!
//! A failure is thrown as an array of the code and of what was found; anything else that is
//! thrown is a trap.
#![allow(missing_docs)] // each function says what it does in the core
#![cfg_attr(target_arch = "wasm32", no_std)] // with it the module is larger, by what formats panics

extern crate alloc;

mod agents;
mod alone;
mod images;
mod keys;
mod names;
mod objects;
mod settings;
mod signing;
mod texts;
mod utf16;
mod verification;
mod wiping;

use alloc::{borrow::ToOwned as _, string::String, vec};
use sx_core::error::{Code, Error};
use sx_core::json::{self, Value};
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

/// A JSON object of texts; `None` is `null`.
fn object(members: &[(&str, Option<&str>)]) -> String {
    let members = members.iter().map(|(name, text)| ((*name).into(), text.map_or(Value::Null, Value::from)));
    json::write(&Value::Object(members.collect()))
}

/// The caller's clock in Unix milliseconds.
fn unix_ms(now: f64) -> u64 {
    now as u64 // saturates; NaN becomes 0
}

fn gone() -> Error {
    Error::new(Code::Internal, "An object of the WebAssembly core was freed.")
}
