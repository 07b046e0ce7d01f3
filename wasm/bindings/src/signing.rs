//! What a signer makes: strings, documents, versions of its own agent document.

use crate::objects::{self, Handle};
use crate::{Thrown, moment};
use alloc::{string::String, sync::Arc, vec::Vec};
use sx_core::agent::{self, Profile};
use sx_core::backup::{self, Contents};
use sx_core::document::{Made, Making};
use sx_core::entropy::Entropy;
use sx_core::error::Result;
use sx_core::keys::SecretKey;
use sx_core::limits;
use sx_core::moment::Moment;
use sx_core::revocation::Statement;
use sx_core::signer::Signer;
use wasm_bindgen::prelude::*;

fn secret_key(secret: Handle) -> Result<Arc<SecretKey>> {
    objects::with(secret, |key: &mut Arc<SecretKey>| Ok(key.clone()))
}

/// Has a signer make something.
fn with<T>(signer: Handle, make: impl FnOnce(&mut Signer) -> Result<T>) -> Thrown<T> {
    Ok(objects::with(signer, make)?)
}

/// Has a signer make a version of a document. The code is there once for all that do: hence `dyn`.
pub fn make(signer: Handle, at: &[u8], version: &dyn Fn(&Signer, &Moment) -> Result<Made>) -> Thrown<String> {
    with(signer, |signer| Ok(version(signer, &moment(at)?)?.to_lines()))
}

#[wasm_bindgen(js_name = signerNew)]
pub fn signer_new(secret: Handle, agent_text: String, public_pem: &str, limits: &str) -> Thrown<Handle> {
    let limits = limits::parse(limits)?;
    Ok(objects::add(Signer::open(secret_key(secret)?, agent_text, public_pem, limits)?)?)
}

#[wasm_bindgen(js_name = signerRenew)]
pub fn signer_renew(signer: Handle, secret: Handle, agent_text: String) -> Thrown<()> {
    let key = secret_key(secret)?;
    with(signer, |signer| {
        *signer = signer.renewed(key, agent_text)?;
        Ok(())
    })
}

#[wasm_bindgen(js_name = documentCreate)]
pub fn document_create(
    signer: Handle,
    text: &str,
    making: Option<String>,
    files: Option<String>,
    at: &[u8],
) -> Thrown<String> {
    let making = Making::read(making.as_deref(), files.as_deref())?;
    make(signer, at, &|signer, moment| signer.create(text.as_bytes(), &making, moment))
}

#[wasm_bindgen(js_name = documentUpdate)]
#[expect(clippy::too_many_arguments, reason = "three texts that may be large, each copied once")]
pub fn document_update(
    signer: Handle,
    current: &str,
    text: &str,
    making: Option<String>,
    files: Option<String>,
    at: &[u8],
) -> Thrown<String> {
    let making = Making::read(making.as_deref(), files.as_deref())?;
    make(signer, at, &|signer, moment| signer.update(current.as_bytes(), text.as_bytes(), &making, moment))
}

#[wasm_bindgen(js_name = artifactCreate)]
pub fn artifact_create(
    signer: Handle,
    artifact: &str,
    artifact_type: &str,
    parents: Option<String>,
    at: &[u8],
) -> Thrown<String> {
    let parents = parents.as_deref().map(str::as_bytes);
    make(signer, at, &|signer, moment| {
        signer.create_artifact(artifact.as_bytes(), artifact_type, parents, moment)
    })
}

#[wasm_bindgen(js_name = backupManifest)]
pub fn backup_manifest(signer: Handle, entries: u32, sha256: &str, at: &[u8]) -> Thrown<String> {
    with(signer, |signer| Ok(signer.sign_manifest(Contents { entries, sha256 }, moment(at)?)?.to_lines()))
}

#[wasm_bindgen(js_name = backupCheck)]
pub fn backup_check(manifest: &str, agent: &str, entries: u32, sha256: &str, limits: &str) -> Thrown<String> {
    let contents = Contents { entries, sha256 };
    Ok(backup::check(manifest.as_bytes(), agent.as_bytes(), contents, &limits::parse(limits)?)?)
}

#[wasm_bindgen(js_name = agentUpdate)]
pub fn agent_update(signer: Handle, text: &str, at: &[u8]) -> Thrown<String> {
    make(signer, at, &|signer, moment| signer.update_agent(text.as_bytes(), moment))
}

#[wasm_bindgen(js_name = agentRotate)]
pub fn agent_rotate(signer: Handle, secret: Handle, reason: &str, at: &[u8]) -> Thrown<String> {
    let next = secret_key(secret)?;
    make(signer, at, &|signer, moment| signer.rotate(&next, reason, moment))
}

#[wasm_bindgen(js_name = agentRevoke)]
pub fn agent_revoke(
    signer: Handle,
    key_id: &str,
    reason: &str,
    ends_now: bool,
    at: &[u8],
) -> Thrown<Option<String>> {
    with(signer, |signer| {
        Ok(signer.revoke(key_id, reason, ends_now, &moment(at)?)?.map(|made| made.to_lines()))
    })
}

#[wasm_bindgen(js_name = agentStateRevocation)]
pub fn agent_state_revocation(
    signer: Handle,
    key_id: Option<String>,
    reason: &str,
    at: &[u8],
) -> Thrown<String> {
    with(signer, |signer| signer.state_revocation(key_id.as_deref(), reason, &moment(at)?))
}

#[wasm_bindgen(js_name = agentRevokeAsStated)]
pub fn agent_revoke_as_stated(
    signer: Handle,
    statement: &str,
    applied: Option<String>,
    at: &[u8],
) -> Thrown<Option<String>> {
    let statement = Statement::parse_applied(statement, applied.as_deref())?;
    with(signer, |signer| Ok(signer.revoke_as_stated(&statement, &moment(at)?)?.map(|made| made.to_lines())))
}

#[wasm_bindgen(js_name = agentRegister)]
pub fn agent_register(
    signer: Handle,
    text: &str,
    public_key: &[u8],
    algorithm: &str,
    at: &[u8],
) -> Thrown<String> {
    with(signer, |signer| signer.register(text.as_bytes(), public_key, algorithm, &moment(at)?))
}

#[wasm_bindgen(js_name = signString)]
pub fn sign_string(signer: Handle, text: &str, entropy: Vec<u8>) -> Thrown<String> {
    with(signer, |signer| signer.sign_string(text, &Entropy::new(entropy)?))
}

#[wasm_bindgen(js_name = agentCreate)]
pub fn agent_create(secret: Handle, profile: &str, at: &[u8]) -> Thrown<String> {
    let key = secret_key(secret)?;
    Ok(agent::create(&Profile::parse(profile)?, &key, &moment(at)?)?.to_lines())
}
