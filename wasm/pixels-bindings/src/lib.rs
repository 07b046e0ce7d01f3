//! The robust channel for JavaScript: one call in, one call out, images and text.
//!
//! A failure is thrown as an array of the core's error code and of what was found; anything else that is
//! thrown is a trap.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![allow(missing_docs)] // each function says what it does in its crate
extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod without_std;

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use sx_media::problem::Problem;
use sx_media::robust::{Display, Room};
use sx_media::{answers, robust};
use wasm_bindgen::prelude::*;

/// A problem on its way to JavaScript.
pub struct Failure(Problem);

impl From<Failure> for JsValue {
    fn from(Failure(problem): Failure) -> Self {
        vec![problem.code().to_owned(), problem.text().to_owned()].into()
    }
}

type Thrown<T> = Result<T, Failure>;

#[wasm_bindgen(js_name = neededBits)]
pub fn needed_bits(payload: &str) -> u32 {
    robust::needed_bits(payload) as u32
}

/// What a signature is to cover whose document is `before`, what else changes the picture, and `after`.
#[wasm_bindgen(js_name = preparePixels)]
pub fn prepare_pixels(image: &[u8], before: &str, after: &str) -> Thrown<String> {
    let used = |display: &Display| robust::needed_bits(&[before, &display.json(), after].concat());
    Ok(answers::prepared(&robust::prepare(image, &used).map_err(Failure)?))
}

/// `room` is what `preparePixels` has answered: the bits that the signature takes, those that there are, the carriers.
#[wasm_bindgen(js_name = embedInPixels)]
pub fn embed_in_pixels(image: &[u8], payload: &str, room: &[u32], sha256: &[u8]) -> Thrown<Vec<u8>> {
    let [used, available, carriers @ ..] = room else { return Err(Failure(Problem::TooSmall)) };
    let room = Room { used: *used as usize, available: *available as usize, carriers: carriers.to_vec() };
    robust::embed(image, payload, &room, sha256).map_err(Failure)
}

#[wasm_bindgen(js_name = readPixels)]
pub fn read_pixels(image: &[u8]) -> String {
    answers::reading(&robust::read(image))
}
