//! Verdicts on documents and strings.

use crate::Thrown;
use crate::objects::{self, Handle};
use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};
use sx_core::artifact;
use sx_core::document::{self, SignatureField};
use sx_core::error::{Code, Result};
use sx_core::files;
use sx_core::ring::{Ring, Source};
use sx_core::verify::{Verdict, Verification};
use sx_core::{limits, strings};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = ringNew)]
pub fn ring_new(limits: &str) -> Thrown<Handle> {
    Ok(objects::add(Ring::new(limits::parse(limits)?))?)
}

#[wasm_bindgen(js_name = ringSet)]
pub fn ring_set(ring: Handle, agent_id: &str, source: &str, bytes: Option<Vec<u8>>) -> Thrown<()> {
    let set = |ring: &mut Ring| {
        ring.set(agent_id, Source::parse(source)?, bytes.as_deref());
        Ok(())
    };
    Ok(objects::with(ring, set)?)
}

#[wasm_bindgen(js_name = verifyStart)]
pub fn verify_start(ring: Handle, text: String) -> Thrown<Handle> {
    let start = |ring: &mut Ring| Ok(Verification::start_within(text, ring.limits()));
    Ok(objects::add(objects::with(ring, start)?)?)
}

#[wasm_bindgen(js_name = verifySigner)]
pub fn verify_signer(verification: Handle, is_registration: bool) -> Thrown<String> {
    let field = if is_registration { SignatureField::Registration } else { SignatureField::Document };
    let signer =
        |verification: &mut Verification| Ok(verification.signer_id(field).unwrap_or_default().to_string());
    Ok(objects::with(verification, signer)?)
}

/// Ends a verification with the keys of a ring.
fn finish<T>(verification: Handle, ring: Handle, end: impl FnOnce(Verification, &Ring) -> T) -> Result<T> {
    let verification = objects::take::<Verification>(verification)?;
    objects::with(ring, |ring: &mut Ring| Ok(end(verification, ring)))
}

#[wasm_bindgen(js_name = verifyFinish)]
pub fn verify_finish(verification: Handle, ring: Handle) -> Thrown<String> {
    Ok(finish(verification, ring, |verification, ring| verification.finish(ring).to_lines())?)
}

#[wasm_bindgen(js_name = verifyFinishAs)]
pub fn verify_finish_as(verification: Handle, ring: Handle, id: &str, version: &str) -> Thrown<String> {
    Ok(finish(verification, ring, |verification, ring| verification.finish_as(ring, id, version).to_lines())?)
}

#[wasm_bindgen(js_name = verifyFinishSignature)]
pub fn verify_finish_signature(verification: Handle, ring: Handle, field: &str) -> Thrown<bool> {
    let field = SignatureField::parse(field)?;
    Ok(finish(verification, ring, |verification, ring| verification.finish_signature(ring, field).is_ok())?)
}

#[wasm_bindgen(js_name = verdictOf)]
pub fn verdict_of(code: &str, found: &str) -> String {
    Verdict::refused(code, found).to_lines()
}

#[wasm_bindgen(js_name = artifactParents)]
pub fn artifact_parents(ring: Handle, text: &str, is_list: bool) -> Thrown<String> {
    Ok(objects::with(ring, |ring: &mut Ring| artifact::parents(text.as_bytes(), is_list, ring.limits()))?)
}

#[wasm_bindgen(js_name = documentIdentity)]
pub fn document_identity(ring: Handle, bytes: &[u8]) -> Thrown<String> {
    Ok(objects::with(ring, |ring: &mut Ring| document::identity(bytes, ring.limits()))?)
}

#[wasm_bindgen(js_name = documentClaims)]
pub fn document_claims(text: &str, limits: &str) -> Thrown<String> {
    Ok(document::claims(text.as_bytes(), &limits::parse(limits)?)?)
}

#[wasm_bindgen(js_name = documentSigning)]
pub fn document_signing(bytes: &[u8]) -> Thrown<String> {
    Ok(document::signing(bytes)?)
}

/// Whether a signature of this date by a key of an agent counts, as far as the key's revocation goes.
#[wasm_bindgen(js_name = keyCounts)]
pub fn key_counts(ring: Handle, agent_id: &str, key_id: &str, date: &str) -> Thrown<bool> {
    Ok(objects::with(ring, |ring: &mut Ring| ring.counts(agent_id, key_id, date))?)
}

#[wasm_bindgen(js_name = verifyString)]
pub fn verify_string(text: &str, signature: &str, public_key: &[u8], algorithm: &str) -> bool {
    strings::verify(text, signature, public_key, algorithm)
}

/// The position of the attachment that a file is.
#[wasm_bindgen(js_name = fileFind)]
pub fn file_find(attachments: &str, name: &str, is_asked: bool, size: f64, sha256: &str) -> Thrown<u32> {
    let at = files::find(attachments, name, is_asked, size, sha256)?;
    Ok(u32::try_from(at).map_err(|_| Code::LimitExceeded)?)
}

/// The safe name of a file.
#[wasm_bindgen(js_name = fileName)]
pub fn file_name(name: &str) -> String {
    files::safe_name(name)
}
