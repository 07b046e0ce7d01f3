//! Tables, limits, configuration, passwords, hashes of texts.

use crate::Thrown;
use alloc::{string::String, vec};
use sx_core::error::TABLE;
use sx_core::json::{self, Value};
use sx_core::{config, hash, keys, limits, passwords};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = errorTable)]
pub fn error_table() -> String {
    let rows = TABLE.iter().map(|row| {
        Value::Array(vec![row.code.name().into(), row.what.into(), row.then.into(), row.is_verdict.into()])
    });
    json::write(&Value::Array(rows.collect()))
}

#[wasm_bindgen(js_name = defaultLimits)]
pub fn default_limits() -> String {
    limits::defaults()
}

#[wasm_bindgen(js_name = checkLimits)]
pub fn check_limits(limits: &str) -> Thrown<()> {
    limits::parse(limits)?;
    Ok(())
}

#[wasm_bindgen(js_name = boundKept)]
pub fn bound_kept(bounds: &str) -> Thrown<()> {
    Ok(keys::bound_kept(bounds)?)
}

/// How many keys are kept, and the bytes that they take.
#[wasm_bindgen(js_name = countKept)]
pub fn count_kept() -> vec::Vec<u32> {
    let (keys, bytes) = keys::kept_keys();
    vec![keys as u32, bytes as u32]
}

#[wasm_bindgen(js_name = createConfig)]
pub fn create_config(options: &str) -> Thrown<String> {
    Ok(config::create(options.as_bytes())?)
}

#[wasm_bindgen(js_name = parseConfig)]
pub fn parse_config(text: &[u8]) -> Thrown<String> {
    Ok(config::parse(text)?)
}

#[wasm_bindgen(js_name = passwordSources)]
pub fn password_sources() -> String {
    json::write(&Value::Array(passwords::SOURCES.iter().map(|source| (*source).into()).collect()))
}

#[wasm_bindgen(js_name = readPasswordFile)]
pub fn read_password_file(file: &[u8]) -> Thrown<String> {
    Ok(passwords::read_file(file)?.into())
}

#[wasm_bindgen(js_name = writePasswordFile)]
pub fn write_password_file(password: &str) -> Thrown<String> {
    Ok(passwords::write_file(password)?)
}

/// The canonical form of a JSON text that is within the default limits.
#[wasm_bindgen(js_name = canonicalJson)]
pub fn canonical_json(text: &str) -> Thrown<String> {
    Ok(json::canonical(text.as_bytes())?)
}

#[wasm_bindgen(js_name = hashString)]
pub fn hash_string(text: &str) -> String {
    hash::sha256_hex(text.as_bytes())
}
