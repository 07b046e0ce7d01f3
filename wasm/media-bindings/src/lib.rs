//! The metadata channel for JavaScript: one call in, one call out, images and text.
//!
//! An image is read where it is, through a window; it is never copied into this module's memory.
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
use js_sys::Uint8Array;
use sx_media::pieces::{Piece, Pieces};
use sx_media::problem::Problem;
use sx_media::source::Source;
use sx_media::{answers, metadata};
use wasm_bindgen::prelude::*;

/// A problem on its way to JavaScript.
pub struct Failure(Problem);

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(problem): Failure) -> Self {
        vec![problem.code().to_owned(), problem.text().to_owned()].into()
    }
}

type Thrown<T> = Result<T, Failure>;

/// Bytes that stay in JavaScript.
struct Outside<'a>(&'a Uint8Array);

impl Source for Outside<'_> {
    fn size(&self) -> usize {
        self.0.length() as usize
    }

    fn read(&self, at: usize, into: &mut [u8]) -> usize {
        let count = self.size().saturating_sub(at).min(into.len());
        match into.get_mut(..count) {
            Some(into) if count > 0 => part(self.0, at, at.saturating_add(count)).copy_to(into),
            _ => {}
        }
        count
    }
}

/// A view of these bytes; lengths in a module of 32 bits fit.
fn part(image: &Uint8Array, from: usize, to: usize) -> Uint8Array {
    image.subarray(from as u32, to as u32)
}

/// The file that the pieces describe, made in JavaScript's memory.
fn assemble(image: &Uint8Array, pieces: &Pieces) -> Uint8Array {
    let file = Uint8Array::new_with_length(pieces.size() as u32);
    let mut at = 0_u32;
    for piece in pieces.iter() {
        let part = match piece {
            Piece::Input(range) => part(image, range.start, range.end),
            Piece::Bytes(bytes) => Uint8Array::from(bytes.as_slice()),
        };
        file.set(&part, at);
        at = at.saturating_add(part.length());
    }
    file
}

#[wasm_bindgen(js_name = scanImage)]
pub fn scan_image(image: &Uint8Array) -> Thrown<String> {
    Ok(answers::scan(&metadata::scan(&Outside(image))?))
}

#[wasm_bindgen(js_name = embedPayload)]
pub fn embed_payload(image: &Uint8Array, payload: &str) -> Thrown<Uint8Array> {
    Ok(assemble(image, &metadata::embed(&Outside(image), payload)?))
}

#[wasm_bindgen(js_name = stripPayload)]
pub fn strip_payload(image: &Uint8Array, with_remains: bool) -> Thrown<Uint8Array> {
    let strip = if with_remains { metadata::clear } else { metadata::strip };
    Ok(assemble(image, &strip(&Outside(image))?))
}
