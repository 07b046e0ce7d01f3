//! Signed images: what their modules found comes in, a payload or a verdict goes out; and hashes in pieces.

use crate::objects::{self, Handle};
use crate::{Thrown, moment};
use alloc::{borrow::ToOwned as _, string::String};
use sx_core::hash::Hasher;
use sx_core::image::{self, Found, ImageVerification};
use sx_core::ring::Ring;
use sx_core::signer::Signer;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_name = hashStart)]
pub fn hash_start() -> Thrown<Handle> {
    Ok(objects::add(Hasher::default())?)
}

#[wasm_bindgen(js_name = hashAdd)]
pub fn hash_add(hash: Handle, bytes: &[u8]) -> Thrown<()> {
    Ok(objects::with(hash, |hash: &mut Hasher| {
        hash.add(bytes);
        Ok(())
    })?)
}

#[wasm_bindgen(js_name = hashFinish)]
pub fn hash_finish(hash: Handle) -> Thrown<String> {
    Ok(objects::take::<Hasher>(hash)?.finish())
}

/// Whether an image may be signed; gives nothing, or throws why not.
#[wasm_bindgen(js_name = imageAdmit)]
pub fn image_admit(scan: &str, pixels: &str, refuse_overwrite: bool, ignore_c2pa: bool) -> Thrown<()> {
    Ok(Found::read(scan, pixels)?.admit(refuse_overwrite, ignore_c2pa)?)
}

#[wasm_bindgen(js_name = imageSignFile)]
pub fn image_sign_file(signer: Handle, sha256: &str, length: f64, at: &[u8]) -> Thrown<String> {
    Ok(objects::with(signer, |signer: &mut Signer| signer.sign_image_file(sha256, length, &moment(at)?))?)
}

#[wasm_bindgen(js_name = imageSignPixels)]
pub fn image_sign_pixels(signer: Handle, sha256: &str, display: &str, at: &[u8]) -> Thrown<String> {
    Ok(objects::with(signer, |signer: &mut Signer| signer.sign_image_pixels(sha256, display, &moment(at)?))?)
}

#[wasm_bindgen(js_name = imagePayload)]
pub fn image_payload(scan: &str, pixels: &str) -> Thrown<String> {
    Ok(Found::read(scan, pixels)?.payload()?)
}

#[wasm_bindgen(js_name = imageDocument)]
pub fn image_document(payload: &str) -> Thrown<String> {
    Ok(image::document(payload)?)
}

#[wasm_bindgen(js_name = imageStart)]
pub fn image_start(scan: &str, sha256: &str, pixels: &str) -> Thrown<Handle> {
    Ok(objects::add(ImageVerification::start(&Found::read(scan, pixels)?, sha256)?)?)
}

/// The id of the signer; empty where there is none to look for.
#[wasm_bindgen(js_name = imageSigner)]
pub fn image_signer(verification: Handle) -> Thrown<String> {
    let signer =
        |verification: &mut ImageVerification| Ok(verification.signer_id().unwrap_or_default().to_owned());
    Ok(objects::with(verification, signer)?)
}

#[wasm_bindgen(js_name = imageFinish)]
pub fn image_finish(verification: Handle, ring: Handle) -> Thrown<String> {
    let verification = objects::take::<ImageVerification>(verification)?;
    Ok(objects::with(ring, |ring: &mut Ring| Ok(verification.finish(ring)))?)
}
