//! The media code for JavaScript: one call in, one call out, images and text.
//!
//! The functions of the metadata channel read an image where it is, through a window: it is not copied
//! into this module's memory. Those of the robust channel are given a copy.
//!
//! A failure is thrown as an array of the core's error code and of what was found; anything else that is
//! thrown is a trap.
#![allow(missing_docs)] // each function says what it does in its crate

mod text;

use js_sys::Uint8Array;
use sx_media::metadata::{self, Channel};
use sx_media::pieces::{Piece, Pieces};
use sx_media::problem::Problem;
use sx_media::robust::{self, Reading};
use sx_media::source::Source;
use text::{Object, hex};
use wasm_bindgen::prelude::*;

/// A problem on its way to JavaScript.
pub struct Failure(Problem, String);

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem, problem.text().to_owned())
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(problem, found): Failure) -> Self {
        vec![problem.code().to_owned(), found].into()
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
        let Some(into) = into.get_mut(..count) else { return 0 };
        let end = at.saturating_add(count);
        if let (Ok(at), Ok(end)) = (u32::try_from(at), u32::try_from(end))
            && count > 0
        {
            self.0.subarray(at, end).copy_to(into);
        }
        count
    }
}

/// The file that the pieces describe, made in JavaScript's memory.
fn assemble(image: &Uint8Array, pieces: &Pieces) -> Uint8Array {
    let file = Uint8Array::new_with_length(pieces.size() as u32);
    let mut at = 0_u32;
    for piece in pieces.iter() {
        let part = match piece {
            Piece::Input(range) => image.subarray(range.start as u32, range.end as u32),
            Piece::Bytes(bytes) => Uint8Array::from(bytes.as_slice()),
        };
        file.set(&part, at);
        at = at.saturating_add(part.length());
    }
    file
}

/// What was found, as JSON:
/// `{format, status: "none"|"signed"|"damaged", payload?, own?: [from, to], problem?: [name, code, text],
/// c2pa?: [from, to], content: [[from, to] | "hexadecimal"…], length}`.
#[wasm_bindgen(js_name = scanImage)]
pub fn scan_image(image: &Uint8Array) -> Thrown<String> {
    let scan = metadata::scan(&Outside(image))?;
    let mut object = Object::default();
    object.text("format", scan.format.name());
    match &scan.channel {
        Channel::Empty => object.text("status", "none"),
        Channel::Signed { payload, own } => {
            object.text("status", "signed");
            object.text("payload", payload);
            object.raw("own", &text::range(own));
        }
        Channel::Damaged(problem) => {
            object.text("status", "damaged");
            object.problem(*problem);
        }
    }
    if let Some(store) = &scan.c2pa {
        object.raw("c2pa", &text::range(store));
    }
    object.raw("content", &text::pieces(&scan.content));
    object.raw("length", &scan.content.size().to_string());
    Ok(object.end())
}

/// SHA-256 of what `scanImage` says is the content, in hexadecimal: for where the runtime has none that is faster.
#[wasm_bindgen(js_name = contentSha256)]
pub fn content_sha256(image: &Uint8Array) -> Thrown<String> {
    let source = Outside(image);
    Ok(hex(&metadata::scan(&source)?.content.sha256(&source)))
}

#[wasm_bindgen(js_name = embedPayload)]
pub fn embed_payload(image: &Uint8Array, payload: &str) -> Thrown<Uint8Array> {
    Ok(assemble(image, &metadata::embed(&Outside(image), payload)?))
}

#[wasm_bindgen(js_name = stripPayload)]
pub fn strip_payload(image: &Uint8Array) -> Thrown<Uint8Array> {
    Ok(assemble(image, &metadata::strip(&Outside(image))?))
}

#[wasm_bindgen(js_name = neededBits)]
pub fn needed_bits(payload: &str) -> u32 {
    u32::try_from(robust::needed_bits(payload)).unwrap_or(u32::MAX)
}

/// How many bits an image can carry, as JSON: `{supported, problem?: [name, code, text], availableBits}`.
#[wasm_bindgen(js_name = imageCapacity)]
pub fn image_capacity(image: &[u8]) -> String {
    let mut object = Object::default();
    match robust::available_bits(image) {
        Ok(bits) => {
            object.raw("supported", "true");
            object.raw("availableBits", &bits.to_string());
        }
        Err(problem) => {
            object.raw("supported", "false");
            object.problem(problem);
            object.raw("availableBits", "0");
        }
    }
    object.end()
}

/// What the signature of the pixels is to cover, as JSON: `{sha256, display: {…}}`.
#[wasm_bindgen(js_name = preparePixels)]
pub fn prepare_pixels(image: &[u8], used: u32) -> Thrown<String> {
    let prepared =
        robust::prepare(image, used as usize).map_err(|problem| with_bits(problem, image, used))?;
    let mut object = Object::default();
    object.text("sha256", &hex(&prepared.sha256));
    object.raw("display", &prepared.display.json());
    Ok(object.end())
}

#[wasm_bindgen(js_name = embedInPixels)]
pub fn embed_in_pixels(image: &[u8], payload: &str, used: u32) -> Thrown<Vec<u8>> {
    robust::embed(image, payload, used as usize).map_err(|problem| with_bits(problem, image, used))
}

/// What the pixels hold, as JSON: `{status: "none"|"signed"|"damaged", payload?, exact?, sha256?, display?,
/// problem?: [name, code, text]}`.
#[wasm_bindgen(js_name = readPixels)]
pub fn read_pixels(image: &[u8]) -> String {
    let mut object = Object::default();
    match robust::read(image) {
        Reading::Nothing => object.text("status", "none"),
        Reading::Damaged(problem) => {
            object.text("status", "damaged");
            object.problem(problem);
        }
        Reading::Found(found) => {
            object.text("status", "signed");
            object.text("payload", &found.payload);
            object.raw("exact", if found.exact { "true" } else { "false" });
            object.text("sha256", &hex(&found.sha256));
            object.raw("display", &found.display.json());
        }
    }
    object.end()
}

/// Says in numbers what is too small.
fn with_bits(problem: Problem, image: &[u8], used: u32) -> Failure {
    match (problem, robust::available_bits(image)) {
        (Problem::TooSmall, Ok(bits)) => {
            Failure(problem, format!("The signature needs {used} bits, and the image can carry {bits}."))
        }
        _ => problem.into(),
    }
}
