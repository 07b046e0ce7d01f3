//! Names of what stands in a storage.

use crate::Thrown;
use alloc::string::String;
use sx_core::ids::DocumentKey;
use sx_core::layout;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = documentEntry)]
pub fn document_entry(id: &str, n: f64) -> Thrown<String> {
    Ok(layout::document_entry(id, n)?)
}

#[wasm_bindgen(js_name = documentIndex)]
pub fn document_index(id: &str, version: &str) -> Thrown<String> {
    Ok(layout::document_index(id, version)?)
}

#[wasm_bindgen(js_name = documentLatest)]
pub fn document_latest(id: &str) -> Thrown<String> {
    Ok(layout::document_latest(id)?)
}

#[wasm_bindgen(js_name = rotationIntent)]
pub fn rotation_intent(agent_id: &str, n: f64) -> Thrown<String> {
    Ok(layout::rotation_intent(agent_id, n)?)
}

#[wasm_bindgen(js_name = agreementEntry)]
pub fn agreement_entry(id: &str, event_id: Option<String>) -> Thrown<String> {
    Ok(layout::agreement_entry(id, event_id.as_deref())?)
}

#[wasm_bindgen(js_name = trustEntry)]
pub fn trust_entry(agent_id: &str, n: f64) -> Thrown<String> {
    Ok(layout::trust_entry(agent_id, n)?)
}

#[wasm_bindgen(js_name = trustLatest)]
pub fn trust_latest(agent_id: &str) -> Thrown<String> {
    Ok(layout::trust_latest(agent_id)?)
}

#[wasm_bindgen(js_name = revocationEntry)]
pub fn revocation_entry(agent_id: &str, n: f64) -> Thrown<String> {
    Ok(layout::revocation_entry(agent_id, n)?)
}

#[wasm_bindgen(js_name = trustWitnessEntry)]
pub fn trust_witness_entry(agent_id: &str, n: f64) -> Thrown<String> {
    Ok(layout::trust_witness(agent_id, n)?)
}

#[wasm_bindgen(js_name = trustWitnessLatest)]
pub fn trust_witness_latest(agent_id: &str) -> Thrown<String> {
    Ok(layout::trust_witness_latest(agent_id)?)
}

/// Of an entry of a chain, or of a witness.
#[wasm_bindgen(js_name = readEntryName)]
pub fn read_entry_name(name: &str, is_witness: bool) -> Option<String> {
    layout::named_json(name, is_witness)
}

#[wasm_bindgen(js_name = readNumber)]
pub fn read_number(text: &[u8]) -> f64 {
    layout::read_number(text).unwrap_or_default() as f64
}

#[wasm_bindgen(js_name = storageNames)]
pub fn storage_names() -> String {
    layout::names()
}

#[wasm_bindgen(js_name = publicKeyFile)]
pub fn public_key_file(agent_id: &str) -> Thrown<String> {
    Ok(layout::public_key_file(agent_id)?)
}

#[wasm_bindgen(js_name = outputFile)]
pub fn output_file(name: &str) -> Thrown<String> {
    Ok(layout::output_file(name)?.into())
}

#[wasm_bindgen(js_name = keyRecordFile)]
pub fn key_record_file(file: &str, n: f64) -> Thrown<String> {
    Ok(layout::key_record_file(file, n)?)
}

#[wasm_bindgen(js_name = stagePlace)]
pub fn stage_place(config_path: &str, key_file: &str) -> String {
    layout::stage_place(config_path, key_file)
}

#[wasm_bindgen(js_name = stagedKeyFile)]
pub fn staged_key_file(place: &str, agent_id: &str) -> Thrown<String> {
    Ok(layout::staged_key_file(place, agent_id)?)
}

#[wasm_bindgen(js_name = readStagedKeyFile)]
pub fn read_staged_key_file(name: &str) -> Option<String> {
    layout::read_staged_key_file(name).map(Into::into)
}

#[wasm_bindgen(js_name = documentKey)]
pub fn document_key(text: &str) -> Thrown<String> {
    Ok(DocumentKey::parse(text)?.to_json())
}
