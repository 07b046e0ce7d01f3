//! Agent documents of others, and which of them are trusted.

use crate::{Thrown, object};
use sx_core::agent::{self, Agent};
use sx_core::entropy::Entropy;
use sx_core::{limits, trust, trust_mark};
use wasm_bindgen::prelude::*;

fn identity(agent: &Agent) -> String {
    object(&[
        ("id", Some(&agent.id)),
        ("version", Some(&agent.version)),
        ("previous", agent.previous.as_deref()),
        ("name", Some(&agent.name)),
        ("keyId", Some(agent.key_id())),
    ])
}

#[wasm_bindgen(js_name = agentVerify)]
pub fn agent_verify(text: &str, limits: &str) -> Thrown<String> {
    Ok(identity(&Agent::verify(text.as_bytes(), &limits::parse(limits)?)?))
}

#[wasm_bindgen(js_name = agentStored)]
pub fn agent_stored(text: &str, limits: &str) -> Thrown<String> {
    Ok(identity(&agent::stored(text.as_bytes(), &limits::parse(limits)?)?))
}

#[wasm_bindgen(js_name = trustAdmit)]
pub fn trust_admit(offered: &str, known: Option<String>, limits: &str) -> Thrown<String> {
    let known = known.as_deref().map(str::as_bytes);
    Ok(identity(&trust::admit(offered.as_bytes(), known, &limits::parse(limits)?)?))
}

#[wasm_bindgen(js_name = trustMark)]
pub fn trust_mark(entropy: Vec<u8>) -> Thrown<String> {
    Ok(trust_mark::make(&Entropy::new(entropy)?))
}

#[wasm_bindgen(js_name = isTrustMark)]
pub fn is_trust_mark(text: &[u8]) -> bool {
    trust_mark::is_mark(text)
}
