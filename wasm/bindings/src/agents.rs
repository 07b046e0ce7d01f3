//! Agent documents of others, and which of them are trusted.

use crate::Thrown;
use alloc::{string::String, vec::Vec};
use sx_core::agent::{self, Agent};
use sx_core::discovery;
use sx_core::entropy::Entropy;
use sx_core::held;
use sx_core::keys::PublicKey;
use sx_core::revocation::{Statement, StoredStatement};
use sx_core::{limits, trust, trust_mark, trust_witness};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = agentVerify)]
pub fn agent_verify(text: &str, limits: &str) -> Thrown<String> {
    Ok(Agent::verify(text.as_bytes(), &limits::parse(limits)?)?.to_json())
}

#[wasm_bindgen(js_name = agentStored)]
pub fn agent_stored(text: &str, limits: &str) -> Thrown<String> {
    Ok(agent::stored(text.as_bytes(), &limits::parse(limits)?)?.to_json())
}

/// What is held of an agent: its document, perhaps with revocations beside it.
#[wasm_bindgen(js_name = agentHeld)]
pub fn agent_held(text: &str, limits: &str) -> Thrown<String> {
    Ok(held::verify(text.as_bytes(), &limits::parse(limits)?)?.to_json())
}

/// The document of an agent that is held with revocations; nothing of anything else.
#[wasm_bindgen(js_name = heldDocument)]
pub fn held_document(held: &[u8], limits: &str) -> Thrown<Option<String>> {
    Ok(held::document_of(held, &limits::parse(limits)?))
}

/// The keys of an agent, oldest first, each with its revocation as it counts.
#[wasm_bindgen(js_name = heldKeys)]
pub fn held_keys(held: &[u8], limits: &str) -> Thrown<String> {
    Ok(held::keys(held, &limits::parse(limits)?)?)
}

#[wasm_bindgen(js_name = heldRevoke)]
pub fn held_revoke(
    held: &[u8],
    statement: &str,
    applied: Option<String>,
    limits: &str,
) -> Thrown<Option<String>> {
    let statement = Statement::parse_applied(statement, applied.as_deref())?;
    Ok(held::add(held, &statement, &limits::parse(limits)?)?)
}

/// Whose key a revocation is about, which, why and from when on; and its canonical text.
#[wasm_bindgen(js_name = readRevocation)]
pub fn read_revocation(statement: &str) -> Thrown<String> {
    Ok(Statement::parse(statement.as_bytes())?.to_json())
}

/// The entry by which a revocation is stored.
#[wasm_bindgen(js_name = storeRevocation)]
pub fn store_revocation(number: f64, statement: &str, applied: Option<String>) -> Thrown<String> {
    Ok(StoredStatement::new(number, statement, applied.as_deref())?.write())
}

/// What such an entry says: as [`read_revocation`], the number, and from when on it counts if that is before its date.
#[wasm_bindgen(js_name = readStoredRevocation)]
pub fn read_stored_revocation(entry: &[u8]) -> Thrown<String> {
    Ok(StoredStatement::parse(entry)?.to_json())
}

#[wasm_bindgen(js_name = trustAdmit)]
pub fn trust_admit(offered: &str, known: Option<String>, limits: &str) -> Thrown<String> {
    let known = known.as_deref().map(str::as_bytes);
    Ok(trust::admit(offered.as_bytes(), known, &limits::parse(limits)?)?.to_json())
}

/// What a document of the loaded agent says, where it fits what is held of it.
#[wasm_bindgen(js_name = ownAdmit)]
pub fn own_admit(offered: &str, held: &str, limits: &str) -> Thrown<String> {
    Ok(trust::admit_own(offered.as_bytes(), held.as_bytes(), &limits::parse(limits)?)?.to_json())
}

#[wasm_bindgen(js_name = trustMark)]
pub fn trust_mark(entropy: Vec<u8>) -> Thrown<String> {
    Ok(trust_mark::make(&Entropy::new(entropy)?))
}

#[wasm_bindgen(js_name = isTrustMark)]
pub fn is_trust_mark(text: &[u8]) -> bool {
    trust_mark::is_mark(text)
}

#[wasm_bindgen(js_name = trustWitness)]
pub fn trust_witness(agent_id: &str, number: f64, decision: &[u8]) -> Thrown<String> {
    Ok(trust_witness::make(agent_id, number, decision)?)
}

#[wasm_bindgen(js_name = trustWitnessRead)]
pub fn trust_witness_read(agent_id: &str, text: &[u8]) -> Thrown<f64> {
    Ok(trust_witness::read(agent_id, text)? as f64)
}

#[wasm_bindgen(js_name = trustWitnessMarker)]
pub fn trust_witness_marker() -> String {
    trust_witness::MARKER.into()
}

#[wasm_bindgen(js_name = trustLostMark)]
pub fn trust_lost_mark() -> String {
    trust_mark::LOST.into()
}

#[wasm_bindgen(js_name = dnsRecord)]
pub fn dns_record(agent_id: &str, key_pem: &str, domain: &str, ttl: f64) -> Thrown<String> {
    Ok(discovery::dns_record(agent_id, &PublicKey::from_spki_pem(key_pem)?, domain, ttl)?)
}
