//! Signed texts: one call for a text to sign; for one to verify a call in, its signers, a call out.

use crate::objects::{self, Handle};
use crate::{Thrown, moment};
use alloc::string::String;
use sx_core::ring::Ring;
use sx_core::signer::Signer;
use sx_core::text::TextVerification;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = textSign)]
pub fn text_sign(signer: Handle, bytes: &[u8], at: &[u8]) -> Thrown<String> {
    Ok(objects::with(signer, |signer: &mut Signer| signer.sign_text(bytes, &moment(at)?))?.to_json())
}

#[wasm_bindgen(js_name = textStart)]
pub fn text_start(ring: Handle, bytes: &[u8]) -> Thrown<Handle> {
    let start = |ring: &mut Ring| TextVerification::start(bytes, ring.limits());
    Ok(objects::add(objects::with(ring, start)?)?)
}

/// The ids of the signers, one a line.
#[wasm_bindgen(js_name = textSigners)]
pub fn text_signers(verification: Handle) -> Thrown<String> {
    let signers = |verification: &mut TextVerification| Ok(verification.signer_ids().join("\n"));
    Ok(objects::with(verification, signers)?)
}

#[wasm_bindgen(js_name = textFinish)]
pub fn text_finish(verification: Handle, ring: Handle) -> Thrown<String> {
    let verification = objects::take::<TextVerification>(verification)?;
    Ok(objects::with(ring, |ring: &mut Ring| Ok(verification.finish(ring)))?)
}
