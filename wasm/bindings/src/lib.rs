//! The core for JavaScript: one call in, one call out, bytes and text.
//!
//! A failure is thrown as the text `code\nwhat was found`; anything else that is thrown is a trap.
#![allow(missing_docs)] // each function says what it does in the core

mod objects;

use objects::Object;
use sx_core::document::{self, Kind, Made, SignatureField, Signer};
use sx_core::entropy::Entropy;
use sx_core::error::{Code, Error, Result, TABLE};
use sx_core::ids::DocumentKey;
use sx_core::json::{self, Value};
use sx_core::keys::{Algorithm, SecretKey, is_encrypted_pem};
use sx_core::ring::{Ring, Source};
use sx_core::verify::{Verdict, Verification};
use sx_core::{agent, config, hash, layout, limits, strings, trust};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

type Thrown<T> = core::result::Result<T, JsValue>;

fn thrown(error: Error) -> JsValue {
    JsValue::from_str(&format!("{}\n{}", error.code.name(), error.found))
}

/// A JSON object of texts; `None` is `null`.
fn object(members: &[(&str, Option<&str>)]) -> String {
    let members = members.iter().map(|(name, text)| ((*name).into(), text.map_or(Value::Null, Value::from)));
    json::write(&Value::Object(members.collect()))
}

#[wasm_bindgen(js_name = errorTable)]
pub fn error_table() -> String {
    let rows = TABLE
        .iter()
        .map(|(_, name, what, then)| Value::Array(vec![(*name).into(), (*what).into(), (*then).into()]));
    json::write(&Value::Array(rows.collect()))
}

#[wasm_bindgen(js_name = defaultLimits)]
pub fn default_limits() -> String {
    limits::defaults()
}

#[wasm_bindgen(js_name = checkLimits)]
pub fn check_limits(limits: &str) -> Thrown<()> {
    limits::parse(limits).map(|_| ()).map_err(thrown)
}

#[wasm_bindgen(js_name = startHandlesAt)]
pub fn start_handles_at(first: u32) {
    objects::start_at(first);
}

#[wasm_bindgen(js_name = countHandles)]
pub fn count_handles() -> usize {
    objects::count()
}

#[wasm_bindgen]
pub fn free(handle: u32) {
    objects::remove(handle);
}

// Utilities, configuration, names

#[wasm_bindgen(js_name = hashString)]
pub fn hash_string(text: &str) -> String {
    hash::sha256_hex(text.as_bytes())
}

#[wasm_bindgen(js_name = createConfig)]
pub fn create_config(options: &str) -> Thrown<String> {
    config::create(options.as_bytes()).map_err(thrown)
}

#[wasm_bindgen(js_name = parseConfig)]
pub fn parse_config(text: &[u8]) -> Thrown<String> {
    config::parse(text).map_err(thrown)
}

#[wasm_bindgen(js_name = documentKey)]
pub fn document_key(text: &str) -> Thrown<String> {
    let key = DocumentKey::parse(text).map_err(thrown)?;
    Ok(object(&[("id", Some(&key.id)), ("version", key.version.as_deref())]))
}

#[wasm_bindgen(js_name = documentPaths)]
pub fn document_paths(id: &str, version: &str) -> Thrown<String> {
    layout::document(id, version).map_err(thrown)
}

#[wasm_bindgen(js_name = storageNames)]
pub fn storage_names() -> String {
    object(&[
        ("documents", Some(layout::DOCUMENTS)),
        ("trust", Some(layout::TRUST)),
        ("output", Some(layout::OUTPUT)),
        ("passwordFile", Some(layout::PASSWORD_FILE)),
    ])
}

#[wasm_bindgen(js_name = publicKeyFile)]
pub fn public_key_file(agent_id: &str) -> Thrown<String> {
    layout::public_key_file(agent_id).map_err(thrown)
}

#[wasm_bindgen(js_name = trustFile)]
pub fn trust_file(agent_id: &str) -> Thrown<String> {
    layout::trust_file(agent_id).map_err(thrown)
}

#[wasm_bindgen(js_name = outputFile)]
pub fn output_file(name: &str) -> Thrown<String> {
    layout::output_file(name).map(Into::into).map_err(thrown)
}

// Keys

fn add_secret(key: Result<SecretKey>) -> Thrown<u32> {
    key.and_then(|key| objects::add(Object::Secret(key))).map_err(thrown)
}

#[wasm_bindgen(js_name = secretGenerate)]
pub fn secret_generate(algorithm: &str, entropy: Vec<u8>) -> Thrown<u32> {
    let unknown = || Error::new(Code::InvalidOption, "The algorithm is neither 'pq2025' nor 'ed25519'.");
    let algorithm = Algorithm::parse(algorithm).ok_or_else(unknown).map_err(thrown)?;
    add_secret(
        Entropy::new(entropy).and_then(|entropy| SecretKey::from_seed(algorithm, &entropy.draw32("seed"))),
    )
}

#[wasm_bindgen(js_name = secretOpen)]
pub fn secret_open(pem: &str, password: Vec<u8>) -> Thrown<u32> {
    let password = Zeroizing::new(password);
    if !is_encrypted_pem(pem) {
        return Err(thrown(Error::new(
            Code::InvalidKey,
            "The private key file does not hold an encrypted PKCS#8 key.",
        )));
    }
    add_secret(SecretKey::from_pem(pem, Some(&password)))
}

#[wasm_bindgen(js_name = secretImport)]
pub fn secret_import(pem: &str, password: Option<Vec<u8>>) -> Thrown<u32> {
    let password = password.map(Zeroizing::new);
    add_secret(SecretKey::from_pem(pem, password.as_ref().map(|password| password.as_slice())))
}

#[wasm_bindgen(js_name = secretRestore)]
pub fn secret_restore(der: Vec<u8>) -> Thrown<u32> {
    add_secret(SecretKey::from_pkcs8_der(&Zeroizing::new(der)))
}

#[wasm_bindgen(js_name = secretBytes)]
pub fn secret_bytes(secret: u32) -> Thrown<Vec<u8>> {
    objects::with_secret(secret, |key| Ok(key.to_pkcs8_der().to_vec())).map_err(thrown)
}

#[wasm_bindgen(js_name = secretEncrypt)]
pub fn secret_encrypt(secret: u32, password: Vec<u8>, entropy: Vec<u8>) -> Thrown<String> {
    let password = Zeroizing::new(password);
    let encrypt = |key: &SecretKey| {
        let entropy = Entropy::new(entropy)?;
        key.to_encrypted_pem(&password, &entropy.draw16("salt"), &entropy.draw16("iv"))
    };
    objects::with_secret(secret, encrypt).map_err(thrown)
}

#[wasm_bindgen(js_name = publicOf)]
pub fn public_of(secret: u32) -> Thrown<String> {
    let describe = |key: &SecretKey| {
        let key = key.public_key();
        Ok(object(&[
            ("algorithm", Some(key.algorithm().name())),
            ("keyId", Some(key.key_id())),
            ("pem", Some(&key.to_spki_pem())),
        ]))
    };
    objects::with_secret(secret, describe).map_err(thrown)
}

// Strings

#[wasm_bindgen(js_name = signString)]
pub fn sign_string(secret: u32, text: &str, entropy: Vec<u8>) -> Thrown<String> {
    let sign = |key: &SecretKey| strings::sign(key, text, &Entropy::new(entropy)?.draw32("hedge"));
    objects::with_secret(secret, sign).map_err(thrown)
}

#[wasm_bindgen(js_name = verifyString)]
pub fn verify_string(text: &str, signature: &str, public_key: &[u8], algorithm: &str) -> bool {
    strings::verify(text, signature, public_key, algorithm)
}

// Documents

/// Where a document stands, and its text on the lines after.
fn made(made: Made) -> String {
    let identity = object(&[
        ("id", Some(&made.id)),
        ("version", Some(&made.version)),
        ("previous", made.previous.as_deref()),
        ("date", Some(&made.date)),
    ]);
    format!("{identity}\n{}", made.raw)
}

fn unix_ms(now: f64) -> u64 {
    now as u64 // saturates; NaN becomes 0
}

#[wasm_bindgen(js_name = documentCreate)]
#[allow(clippy::too_many_arguments)]
pub fn document_create(
    secret: u32,
    agent_id: &str,
    agent_version: &str,
    is_message: bool,
    text: &str,
    now: f64,
    entropy: Vec<u8>,
    limits: &str,
) -> Thrown<String> {
    let kind = if is_message { Kind::Message } else { Kind::Document };
    let create = |key: &SecretKey| {
        let signer = Signer { agent_id, agent_version, key };
        let (entropy, limits) = (Entropy::new(entropy)?, limits::parse(limits)?);
        document::create(&signer, kind, text.as_bytes(), unix_ms(now), &entropy, &limits)
    };
    objects::with_secret(secret, create).map(made).map_err(thrown)
}

#[wasm_bindgen(js_name = documentUpdate)]
#[allow(clippy::too_many_arguments)]
pub fn document_update(
    secret: u32,
    agent_id: &str,
    agent_version: &str,
    current: &str,
    text: &str,
    now: f64,
    entropy: Vec<u8>,
    limits: &str,
) -> Thrown<String> {
    let update = |key: &SecretKey| {
        let signer = Signer { agent_id, agent_version, key };
        let (entropy, limits) = (Entropy::new(entropy)?, limits::parse(limits)?);
        document::update(&signer, current.as_bytes(), text.as_bytes(), unix_ms(now), &entropy, &limits)
    };
    objects::with_secret(secret, update).map(made).map_err(thrown)
}

// Agent documents and trust

#[wasm_bindgen(js_name = agentCreate)]
pub fn agent_create(secret: u32, profile: &str, now: f64, entropy: Vec<u8>) -> Thrown<String> {
    let create = |key: &SecretKey| {
        let limits = limits::parse("")?;
        let profile = json::parse(profile.as_bytes(), &limits)?;
        let profile = profile.as_object().ok_or(Code::InvalidOption)?;
        let text = |name: &str| profile.get(name).and_then(Value::as_str);
        let profile = agent::Profile {
            name: text("name").unwrap_or_default(),
            domain: text("domain"),
            description: text("description"),
            agent_type: text("agentType"),
        };
        agent::create(&profile, key, unix_ms(now), &Entropy::new(entropy)?, &limits)
    };
    objects::with_secret(secret, create).map(made).map_err(thrown)
}

#[wasm_bindgen(js_name = agentUpdate)]
pub fn agent_update(
    secret: u32,
    current: &str,
    text: &str,
    now: f64,
    entropy: Vec<u8>,
    limits: &str,
) -> Thrown<String> {
    let update = |key: &SecretKey| {
        let (entropy, limits) = (Entropy::new(entropy)?, limits::parse(limits)?);
        agent::update(current.as_bytes(), text.as_bytes(), key, unix_ms(now), &entropy, &limits)
    };
    objects::with_secret(secret, update).map(made).map_err(thrown)
}

fn identity(agent: &agent::Agent) -> String {
    object(&[
        ("id", Some(&agent.id)),
        ("version", Some(&agent.version)),
        ("previous", agent.previous.as_deref()),
        ("name", Some(&agent.name)),
        ("keyId", Some(agent.key_id())),
    ])
}

#[wasm_bindgen(js_name = agentOpen)]
pub fn agent_open(secret: u32, text: &str, public_pem: &str, limits: &str) -> Thrown<String> {
    let open = |key: &SecretKey| agent::open(text.as_bytes(), key, public_pem, &limits::parse(limits)?);
    objects::with_secret(secret, open).map(|agent| identity(&agent)).map_err(thrown)
}

#[wasm_bindgen(js_name = agentVerify)]
pub fn agent_verify(text: &str, limits: &str) -> Thrown<String> {
    let verify = || agent::Agent::verify(text.as_bytes(), &limits::parse(limits)?);
    verify().map(|agent| identity(&agent)).map_err(thrown)
}

#[wasm_bindgen(js_name = trustAdmit)]
pub fn trust_admit(offered: &str, known: Option<String>, limits: &str) -> Thrown<String> {
    let admit =
        || trust::admit(offered.as_bytes(), known.as_deref().map(str::as_bytes), &limits::parse(limits)?);
    admit().map(|agent| identity(&agent)).map_err(thrown)
}

// Verification

#[wasm_bindgen(js_name = ringNew)]
pub fn ring_new() -> Thrown<u32> {
    objects::add(Object::Ring(Ring::default())).map_err(thrown)
}

#[wasm_bindgen(js_name = ringSet)]
pub fn ring_set(ring: u32, agent_id: &str, source: &str, text: Option<Vec<u8>>, limits: &str) -> Thrown<()> {
    let set = |ring: &mut Ring| {
        ring.set(agent_id, Source::parse(source)?, text.as_deref(), &limits::parse(limits)?);
        Ok(())
    };
    objects::with_ring(ring, set).map_err(thrown)
}

#[wasm_bindgen(js_name = verifyStart)]
pub fn verify_start(text: &[u8], limits: &str) -> Thrown<u32> {
    let start = || objects::add(Object::Verification(Verification::start(text, &limits::parse(limits)?)));
    start().map_err(thrown)
}

#[wasm_bindgen(js_name = verifySigner)]
pub fn verify_signer(verification: u32, field: &str) -> Thrown<String> {
    let signer = |verification: &Verification| {
        Ok(verification.signer_id(SignatureField::parse(field)?).unwrap_or_default().to_string())
    };
    objects::with_verification(verification, signer).map_err(thrown)
}

#[wasm_bindgen(js_name = verifyFinish)]
pub fn verify_finish(verification: u32, ring: u32) -> Thrown<String> {
    let finish = || {
        let verification = objects::take_verification(verification)?;
        objects::with_ring(ring, |ring| Ok(verification.finish(ring).to_string()))
    };
    finish().map_err(thrown)
}

#[wasm_bindgen(js_name = verifyFinishAs)]
pub fn verify_finish_as(verification: u32, ring: u32, id: &str, version: &str) -> Thrown<String> {
    let finish = || {
        let verification = objects::take_verification(verification)?;
        objects::with_ring(ring, |ring| Ok(verification.finish_as(ring, id, version).to_string()))
    };
    finish().map_err(thrown)
}

#[wasm_bindgen(js_name = verdictOf)]
pub fn verdict_of(code: &str, found: &str) -> String {
    Verdict::unread(Error::new(Code::parse(code).unwrap_or(Code::Internal), found)).to_string()
}

#[wasm_bindgen(js_name = documentIdentity)]
pub fn document_identity(text: &str, limits: &str) -> Thrown<String> {
    let identity = || document::identity(text.as_bytes(), &limits::parse(limits)?);
    identity().map_err(thrown)
}

#[wasm_bindgen(js_name = verifyFinishSignature)]
pub fn verify_finish_signature(verification: u32, ring: u32, field: &str) -> Thrown<bool> {
    let finish = || {
        let field = SignatureField::parse(field)?;
        let verification = objects::take_verification(verification)?;
        objects::with_ring(ring, |ring| Ok(verification.finish_signature(ring, field).is_ok()))
    };
    finish().map_err(thrown)
}
