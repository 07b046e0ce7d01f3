//! Agreements in a field of a document: made and signed in one call each; to check one a call in, its signers, a call out.

use crate::Thrown;
use crate::objects::{self, Handle};
use crate::signing::make;
use alloc::string::String;
use sx_core::agreement_field::{AgreementCheck, Field};
use sx_core::document::Making;
use sx_core::ring::Ring;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = agreementCreate)]
pub fn agreement_create(
    signer: Handle,
    current: &str,
    terms: &str,
    making: Option<String>,
    at: &[u8],
) -> Thrown<String> {
    let making = Making::read(making.as_deref(), None)?;
    make(signer, at, &|signer, moment| signer.create_agreement(current.as_bytes(), terms, &making, moment))
}

#[wasm_bindgen(js_name = agreementSign)]
pub fn agreement_sign(
    signer: Handle,
    current: &str,
    field: &str,
    making: Option<String>,
    at: &[u8],
) -> Thrown<String> {
    let field = Field { document: current.as_bytes(), name: field };
    let making = Making::read(making.as_deref(), None)?;
    make(signer, at, &|signer, moment| signer.sign_agreement(field, &making, moment))
}

#[wasm_bindgen(js_name = agreementStart)]
pub fn agreement_start(ring: Handle, text: &str, field: &str) -> Thrown<Handle> {
    let start = |ring: &mut Ring| AgreementCheck::start(text.as_bytes(), field, ring.limits());
    Ok(objects::add(objects::with(ring, start)?)?)
}

/// Adds the signatures of another copy.
#[wasm_bindgen(js_name = agreementAdd)]
pub fn agreement_add(check: Handle, ring: Handle, text: &str) -> Thrown<()> {
    let limits = objects::with(ring, |ring: &mut Ring| Ok(*ring.limits()))?;
    Ok(objects::with(check, |check: &mut AgreementCheck| check.add(text.as_bytes(), &limits))?)
}

/// The ids of the parties that have signed, one a line.
#[wasm_bindgen(js_name = agreementSigners)]
pub fn agreement_signers(check: Handle) -> Thrown<String> {
    let signers = |check: &mut AgreementCheck| Ok(check.signer_ids().join("\n"));
    Ok(objects::with(check, signers)?)
}

/// Whether a signature of the agent counts; ends the check.
#[wasm_bindgen(js_name = agreementHasSigned)]
pub fn agreement_has_signed(check: Handle, ring: Handle, agent_id: &str) -> Thrown<bool> {
    let check = objects::take::<AgreementCheck>(check)?;
    Ok(objects::with(ring, |ring: &mut Ring| Ok(check.has_signed(ring, agent_id)))?)
}

/// The status at a time, Unix milliseconds; ends the check.
#[wasm_bindgen(js_name = agreementFinish)]
pub fn agreement_finish(check: Handle, ring: Handle, now: f64) -> Thrown<String> {
    let check = objects::take::<AgreementCheck>(check)?;
    Ok(objects::with(ring, |ring: &mut Ring| Ok(check.finish(ring, now as u64)))?)
}
