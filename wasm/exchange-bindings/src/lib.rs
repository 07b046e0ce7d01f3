//! Signed requests for JavaScript: one call in, one call out, JSON texts.
//!
//! A refusal is an answer: `{"error": code, "message": text}`. Anything that is thrown is a trap.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![allow(missing_docs)] // each function says what it does in its crate
extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod without_std;

use alloc::string::String;
use alloc::vec::Vec;
use sx_exchange::answers;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub fn received(target: &str, url: &str, parsed: &str) -> String {
    answers::received(target, url, parsed)
}

#[wasm_bindgen]
pub fn request(draft: Vec<String>, entropy: Vec<u8>) -> String {
    answers::request(&draft, entropy)
}

#[wasm_bindgen]
pub fn value(claims: &str, signature: &str) -> String {
    answers::value(claims, signature)
}

#[wasm_bindgen(js_name = openRequest)]
pub fn open_request(policy: Vec<String>, audiences: Vec<String>, values: Vec<String>) -> String {
    answers::open(&policy, &audiences, &values)
}

#[wasm_bindgen]
pub fn matched(claims: &str, request: Vec<String>) -> String {
    answers::matched(claims, &request)
}
