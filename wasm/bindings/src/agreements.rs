//! Events of agreements: signed, and with verdicts.

use crate::objects::{self, Handle};
use crate::{Thrown, moment};
use alloc::{string::String, vec::Vec};
use sx_core::entropy::Entropy;
use sx_core::event;
use sx_core::ring::Ring;
use sx_core::signer::Signer;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = agreementEvent)]
pub fn agreement_event(signer: Handle, draft: &str, is_draft: bool, at: &[u8]) -> Thrown<String> {
    let sign =
        |signer: &mut Signer| Ok(signer.sign_event(draft.as_bytes(), is_draft, &moment(at)?)?.to_lines());
    Ok(objects::with(signer, sign)?)
}

/// What is known of those who have signed, and the question for the module for agreements.
#[wasm_bindgen(js_name = agreementJudged)]
pub fn agreement_judged(ring: Handle, text: &str, now: f64) -> Thrown<String> {
    Ok(objects::with(ring, |ring: &mut Ring| event::judged(ring, text.as_bytes(), now as u64))?)
}

/// The id of a new agreement.
#[wasm_bindgen(js_name = agreementId)]
pub fn agreement_id(entropy: Vec<u8>) -> Thrown<String> {
    Ok(event::agreement_id(&Entropy::new(entropy)?))
}
