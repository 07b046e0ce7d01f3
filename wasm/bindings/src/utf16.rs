//! Texts in UTF-16, for runtimes that copy them faster than they encode them; the glue is made to do so by
//! `scripts/setup/glue.mjs`.

use alloc::vec::Vec;
use sx_core::json::utf16;
use wasm_bindgen::prelude::*;

/// What the glue passes on as a text; it has to be one.
#[wasm_bindgen(js_name = utf8)]
pub fn utf8(#[wasm_bindgen(unchecked_param_type = "string")] text: Vec<u16>) -> Vec<u8> {
    utf16::to_utf8(&text)
}

#[wasm_bindgen(js_name = isWellFormed)]
pub fn is_well_formed(#[wasm_bindgen(unchecked_param_type = "string")] text: Vec<u16>) -> bool {
    utf16::is_well_formed(&text)
}
