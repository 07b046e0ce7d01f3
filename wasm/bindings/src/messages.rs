//! Messages between programs: signed, and with verdicts.

use crate::objects::{self, Handle};
use crate::{Thrown, moment};
use alloc::string::String;
use sx_core::message;
use sx_core::ring::Ring;
use sx_core::signer::Signer;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = messageSign)]
pub fn message_sign(signer: Handle, context: &str, payload: &str, at: &[u8]) -> Thrown<String> {
    let sign = |signer: &mut Signer| signer.sign_message(context, payload, &moment(at)?);
    Ok(objects::with(signer, sign)?)
}

/// What is known of the signer of a message.
#[wasm_bindgen(js_name = messageJudged)]
pub fn message_judged(ring: Handle, claimed: &str, payload: &str) -> Thrown<String> {
    Ok(objects::with(ring, |ring: &mut Ring| message::judge(ring, claimed, payload))?)
}
