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
use sx_media::{answers, robust};
use wasm_bindgen::prelude::*;

/// A problem on its way to JavaScript.
pub struct Failure(Problem, String);

impl From<Failure> for JsValue {
    fn from(Failure(problem, found): Failure) -> Self {
        vec![problem.code().to_owned(), found].into()
    }
}

type Thrown<T> = Result<T, Failure>;

/// The problem; where something is too small, in numbers.
fn failure(problem: Problem, image: &[u8], used: u32) -> Failure {
    match (problem, robust::available_bits(image)) {
        (Problem::TooSmall, Ok(bits)) => Failure(problem, answers::too_small(used as usize, bits)),
        _ => Failure(problem, problem.text().to_owned()),
    }
}

#[wasm_bindgen(js_name = neededBits)]
pub fn needed_bits(payload: &str) -> u32 {
    robust::needed_bits(payload) as u32
}

#[wasm_bindgen(js_name = imageCapacity)]
pub fn image_capacity(image: &[u8]) -> String {
    answers::capacity(robust::available_bits(image))
}

#[wasm_bindgen(js_name = preparePixels)]
pub fn prepare_pixels(image: &[u8], used: u32) -> Thrown<String> {
    let prepared = robust::prepare(image, used as usize);
    Ok(answers::prepared(&prepared.map_err(|problem| failure(problem, image, used))?))
}

#[wasm_bindgen(js_name = embedInPixels)]
pub fn embed_in_pixels(image: &[u8], payload: &str, used: u32) -> Thrown<Vec<u8>> {
    robust::embed(image, payload, used as usize).map_err(|problem| failure(problem, image, used))
}

#[wasm_bindgen(js_name = readPixels)]
pub fn read_pixels(image: &[u8]) -> String {
    answers::reading(&robust::read(image))
}
