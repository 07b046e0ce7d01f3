//! Private keys, their encryption at rest, key records.

use crate::Thrown;
use crate::objects::{self, Handle};
use alloc::{string::String, sync::Arc, vec::Vec};
use sx_core::entropy::Entropy;
use sx_core::error::Result;
use sx_core::key_record::KeyRecord;
use sx_core::keys::{self, Algorithm, PublicKey, SecretKey};
use wasm_bindgen::prelude::*;

fn add(key: Result<SecretKey>) -> Thrown<Handle> {
    Ok(objects::add(Arc::new(key?))?)
}

fn with<T>(secret: Handle, work: impl FnOnce(&SecretKey) -> Result<T>) -> Thrown<T> {
    Ok(objects::with(secret, |key: &mut Arc<SecretKey>| work(key))?)
}

#[wasm_bindgen(js_name = keyDerivation)]
pub fn key_derivation(pem: &str) -> Thrown<Option<String>> {
    Ok(keys::key_derivation(pem)?)
}

#[wasm_bindgen(js_name = newKeyDerivation)]
pub fn new_key_derivation(entropy: Vec<u8>) -> Thrown<String> {
    Ok(keys::new_key_derivation(&Entropy::new(entropy)?)?)
}

#[wasm_bindgen(js_name = checkDerivation)]
pub fn check_derivation(parameters: &str, password_len: usize) -> Thrown<()> {
    Ok(keys::check_derivation(parameters, password_len)?)
}

#[wasm_bindgen(js_name = deriveKey)]
pub fn derive_key(parameters: &str, password: &[u8]) -> Thrown<Vec<u8>> {
    Ok(keys::derive_key(parameters, password)?.to_vec())
}

#[wasm_bindgen(js_name = secretGenerate)]
pub fn secret_generate(algorithm: &str, entropy: Vec<u8>) -> Thrown<Handle> {
    add(SecretKey::generate(Algorithm::named(algorithm)?, &Entropy::new(entropy)?))
}

#[wasm_bindgen(js_name = secretExternal)]
pub fn secret_external(algorithm: &str, public_key: &[u8]) -> Thrown<Handle> {
    add(SecretKey::external(Algorithm::named(algorithm)?, public_key))
}

#[wasm_bindgen(js_name = secretAsked)]
pub fn secret_asked(secret: Handle) -> Thrown<Option<Vec<u8>>> {
    with(secret, |key| Ok(key.asked()))
}

#[wasm_bindgen(js_name = secretAnswer)]
pub fn secret_answer(secret: Handle, message: &[u8], signature: &[u8]) -> Thrown<()> {
    with(secret, |key| key.answer(message, signature))
}

#[wasm_bindgen(js_name = secretOpen)]
pub fn secret_open(pem: &str, derived_key: &[u8]) -> Thrown<Handle> {
    add(SecretKey::open(pem, derived_key))
}

#[wasm_bindgen(js_name = secretImport)]
pub fn secret_import(pem: &str, derived_key: Option<Vec<u8>>) -> Thrown<Handle> {
    add(SecretKey::import(pem, derived_key.as_deref()))
}

#[wasm_bindgen(js_name = secretEncrypt)]
pub fn secret_encrypt(
    secret: Handle,
    parameters: &str,
    derived_key: &[u8],
    entropy: Vec<u8>,
) -> Thrown<String> {
    with(secret, |key| key.encrypt(parameters, derived_key, &Entropy::new(entropy)?))
}

#[wasm_bindgen(js_name = secretBytes)]
pub fn secret_bytes(secret: Handle) -> Thrown<Vec<u8>> {
    with(secret, |key| Ok(key.to_pkcs8_der().to_vec()))
}

#[wasm_bindgen(js_name = secretRestore)]
pub fn secret_restore(der: &[u8]) -> Thrown<Handle> {
    add(SecretKey::from_pkcs8_der(der))
}

#[wasm_bindgen(js_name = publicOf)]
pub fn public_of(secret: Handle) -> Thrown<String> {
    with(secret, |key| Ok(key.public_key().to_json()))
}

#[wasm_bindgen(js_name = publicKeyId)]
pub fn public_key_id(pem: &str) -> Thrown<String> {
    Ok(PublicKey::from_spki_pem(pem)?.key_id().into())
}

#[wasm_bindgen(js_name = publicJwk)]
pub fn public_jwk(pem: &str) -> Thrown<String> {
    Ok(PublicKey::from_spki_pem(pem)?.to_jwk())
}

#[wasm_bindgen(js_name = keyRecord)]
pub fn key_record(previous_pem: &str, pem: &str, saved: Option<String>, next: &str) -> Thrown<String> {
    Ok(KeyRecord::new(previous_pem, pem, saved.as_deref(), next)?.write()?)
}

#[wasm_bindgen(js_name = keyRecordSuperseded)]
pub fn key_record_superseded(text: &str) -> Thrown<String> {
    Ok(KeyRecord::parse(text.as_bytes())?.superseded().write()?)
}

#[wasm_bindgen(js_name = readKeyRecord)]
pub fn read_key_record(text: &[u8]) -> Thrown<String> {
    Ok(KeyRecord::parse(text)?.write()?)
}
