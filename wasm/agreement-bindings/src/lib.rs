//! Standalone agreements for JavaScript: one call in, one call out, JSON texts.
//!
//! A refusal is an answer: `{"error": code, "message": text}`. Anything that is thrown is a trap.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![allow(missing_docs)] // each function says what it does in its crate
extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod without_std;

use alloc::string::String;
use alloc::vec::Vec;
use sx_agreement::answers;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = judgeBeside)]
pub fn judge_beside(line: &str, more: &str) -> String {
    answers::judge_beside(line, more)
}

#[wasm_bindgen]
pub fn create(terms: &str, id: &str, now: &str) -> String {
    answers::create(terms, id, now)
}

#[wasm_bindgen]
pub fn open(copies: Vec<String>) -> String {
    answers::open(&copies)
}

#[wasm_bindgen]
pub fn genuine(line: &str) -> String {
    answers::genuine(line)
}

#[wasm_bindgen]
pub fn loosened(before: &str, terms: &str) -> String {
    answers::loosened(before, terms)
}

#[wasm_bindgen]
pub fn reasons() -> String {
    answers::reasons()
}
