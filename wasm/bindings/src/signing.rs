//! A signer and what it signs: strings, documents, its own agent document.

use crate::agents::applied_statement;
use crate::objects::{self, Handle};
use crate::{Thrown, unix_ms};
use alloc::{rc::Rc, string::String, vec::Vec};
use sx_core::agent::{self, Agent};
use sx_core::artifact;
use sx_core::backup;
use sx_core::document::{self, Kind, Made};
use sx_core::entropy::Entropy;
use sx_core::error::{Code, Error, Result};
use sx_core::json::{self, Limits, Value};
use sx_core::keys::SecretKey;
use sx_core::revocation;
use sx_core::{limits, strings};
use wasm_bindgen::prelude::*;

/// A loaded agent with its private key, and the limits its documents are made within. What the caller hands in
/// nothing for, a rotation, a revocation or a manifest, is made within the default ones at least.
pub struct Signer {
    key: Rc<SecretKey>,
    agent: Agent,
    text: String,
    pub limits: Limits,
}

impl Signer {
    fn open(key: Rc<SecretKey>, text: String, public_pem: &str, limits: Limits) -> Result<Self> {
        let agent = agent::open(text.as_bytes(), &key, public_pem, &limits)?;
        Ok(Self { key, agent, text, limits })
    }

    /// The same agent with a later version of its document, and the key that fits it.
    fn renewed(&self, key: Rc<SecretKey>, text: String) -> Result<Self> {
        // The key came from a whole file once; one that is missing here is not damaged.
        let public_pem = key.public_key().to_spki_pem();
        let renewed = Self::open(key, text, &public_pem, self.limits)?;
        if renewed.agent.id != self.agent.id {
            return Err(Error::new(Code::KeyMismatch, "The document belongs to another agent."));
        }
        Ok(renewed)
    }

    pub fn signing(&self) -> document::Signer<'_> {
        self.making(None, false)
    }

    /// Signs for a custom schema, by its `$id`; or only drafts.
    fn making<'a>(&'a self, schema: Option<&'a str>, is_draft: bool) -> document::Signer<'a> {
        let (agent_id, agent_version) = (&self.agent.id, &self.agent.version);
        document::Signer { agent_id, agent_version, key: &self.key, schema, is_draft }
    }
}

fn secret_key(secret: Handle) -> Result<Rc<SecretKey>> {
    objects::with(secret, |key: &mut Rc<SecretKey>| Ok(key.clone()))
}

/// Where a document stands, and its text on the lines after.
fn made(made: Made) -> String {
    let identity = json::Members::with_capacity(200)
        .text("date", made.date.as_str())
        .text("id", made.id.as_str())
        .text("previous", made.previous.as_deref())
        .text("version", made.version.as_str())
        .end();
    [identity.as_str(), "\n", &made.raw].concat()
}

#[wasm_bindgen(js_name = signerNew)]
pub fn signer_new(secret: Handle, agent_text: String, public_pem: &str, limits: &str) -> Thrown<Handle> {
    let limits = limits::parse(limits)?;
    let key = secret_key(secret)?;
    Ok(objects::add(Signer::open(key, agent_text, public_pem, limits)?)?)
}

#[wasm_bindgen(js_name = signerRenew)]
pub fn signer_renew(signer: Handle, secret: Handle, agent_text: String) -> Thrown<()> {
    let key = secret_key(secret)?;
    let renew = |signer: &mut Signer| {
        *signer = signer.renewed(key, agent_text)?;
        Ok(())
    };
    Ok(objects::with(signer, renew)?)
}

#[wasm_bindgen(js_name = documentCreate)]
#[expect(clippy::too_many_arguments, reason = "one call, one crossing of the boundary")]
pub fn document_create(
    signer: Handle,
    is_message: bool,
    text: &str,
    now: f64,
    entropy: Vec<u8>,
    files: Option<String>,
    schema: Option<String>,
    is_draft: Option<bool>,
) -> Thrown<String> {
    let kind = if is_message { Kind::Message } else { Kind::Document };
    let create = |signer: &mut Signer| {
        let (entropy, files) = (Entropy::new(entropy)?, files.as_deref());
        let (text, now) = (text.as_bytes(), unix_ms(now));
        let making = signer.making(schema.as_deref(), is_draft.unwrap_or(false));
        document::create_with(&making, kind, text, files, now, &entropy, &signer.limits)
    };
    Ok(objects::with(signer, create).map(made)?)
}

#[wasm_bindgen(js_name = artifactCreate)]
pub fn artifact_create(
    signer: Handle,
    artifact: &str,
    artifact_type: &str,
    parents: Option<String>,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<String> {
    let create = |signer: &mut Signer| {
        let (entropy, parents) = (Entropy::new(entropy)?, parents.as_deref().map(str::as_bytes));
        let (signing, limits) = (signer.signing(), &signer.limits);
        artifact::create(
            &signing,
            artifact.as_bytes(),
            artifact_type,
            parents,
            unix_ms(now),
            &entropy,
            limits,
        )
    };
    Ok(objects::with(signer, create).map(made)?)
}

#[wasm_bindgen(js_name = backupManifest)]
pub fn backup_manifest(
    signer: Handle,
    entries: u32,
    sha256: &str,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<String> {
    let sign = |signer: &mut Signer| {
        let entropy = Entropy::new(entropy)?;
        let limits = limits::of_sources(&signer.limits);
        let (contents, date) = (backup::Contents { entries, sha256 }, &signer.agent.date);
        backup::manifest(&signer.signing(), contents, date, unix_ms(now), &entropy, &limits)
    };
    Ok(objects::with(signer, sign).map(made)?)
}

#[wasm_bindgen(js_name = backupCheck)]
pub fn backup_check(manifest: &str, agent: &str, entries: u32, sha256: &str, limits: &str) -> Thrown<String> {
    let contents = backup::Contents { entries, sha256 };
    Ok(backup::check(manifest.as_bytes(), agent.as_bytes(), contents, &limits::parse(limits)?)?)
}

#[wasm_bindgen(js_name = documentUpdate)]
#[expect(clippy::too_many_arguments, reason = "one call, one crossing of the boundary")]
pub fn document_update(
    signer: Handle,
    current: &str,
    text: &str,
    now: f64,
    entropy: Vec<u8>,
    files: Option<String>,
    schema: Option<String>,
    is_draft: Option<bool>,
) -> Thrown<String> {
    let update = |signer: &mut Signer| {
        let (entropy, limits) = (Entropy::new(entropy)?, &signer.limits);
        document::update_with(
            &signer.making(schema.as_deref(), is_draft.unwrap_or(false)),
            current.as_bytes(),
            text.as_bytes(),
            files.as_deref(),
            unix_ms(now),
            &entropy,
            limits,
        )
    };
    Ok(objects::with(signer, update).map(made)?)
}

#[wasm_bindgen(js_name = agentUpdate)]
pub fn agent_update(signer: Handle, text: &str, now: f64, entropy: Vec<u8>) -> Thrown<String> {
    let update = |signer: &mut Signer| {
        let (current, entropy) = (signer.text.as_bytes(), Entropy::new(entropy)?);
        agent::update(current, text.as_bytes(), &signer.key, unix_ms(now), &entropy, &signer.limits)
    };
    Ok(objects::with(signer, update).map(made)?)
}

#[wasm_bindgen(js_name = agentRotate)]
pub fn agent_rotate(
    signer: Handle,
    secret: Handle,
    reason: &str,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<String> {
    let next = secret_key(secret)?;
    let rotate = |signer: &mut Signer| {
        let (keys, entropy) = ((&*signer.key, &*next), Entropy::new(entropy)?);
        let limits = limits::of_sources(&signer.limits);
        agent::rotate(signer.text.as_bytes(), keys, reason, unix_ms(now), &entropy, &limits)
    };
    Ok(objects::with(signer, rotate).map(made)?)
}

#[wasm_bindgen(js_name = agentRevoke)]
pub fn agent_revoke(
    signer: Handle,
    key_id: &str,
    reason: &str,
    ends_now: bool,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<Option<String>> {
    let revoke = |signer: &mut Signer| {
        let (current, entropy) = (signer.text.as_bytes(), Entropy::new(entropy)?);
        let limits = limits::of_sources(&signer.limits);
        agent::revoke(current, (key_id, reason, ends_now), &signer.key, unix_ms(now), &entropy, &limits)
    };
    Ok(objects::with(signer, revoke)?.map(made))
}

#[wasm_bindgen(js_name = agentStateRevocation)]
pub fn agent_state_revocation(
    signer: Handle,
    key_id: Option<String>,
    reason: &str,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<String> {
    let state = |signer: &mut Signer| {
        let (current, entropy) = (signer.text.as_bytes(), Entropy::new(entropy)?);
        let asked = (key_id.as_deref(), reason);
        let limits = limits::of_sources(&signer.limits);
        revocation::make(current, asked, &signer.key, unix_ms(now), &entropy, &limits)
    };
    Ok(objects::with(signer, state)?)
}

#[wasm_bindgen(js_name = agentRevokeAsStated)]
pub fn agent_revoke_as_stated(
    signer: Handle,
    statement: &str,
    applied: Option<String>,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<Option<String>> {
    let statement = applied_statement(statement, applied)?;
    let revoke = |signer: &mut Signer| {
        let entropy = Entropy::new(entropy)?;
        let (current, limits) = (signer.text.as_bytes(), limits::of_sources(&signer.limits));
        revocation::apply(current, &statement, &signer.key, unix_ms(now), &entropy, &limits)
    };
    Ok(objects::with(signer, revoke)?.map(made))
}

#[wasm_bindgen(js_name = agentRegister)]
pub fn agent_register(
    signer: Handle,
    text: &str,
    public_key: &[u8],
    algorithm: &str,
    now: f64,
    entropy: Vec<u8>,
) -> Thrown<String> {
    let register = |signer: &mut Signer| {
        let (key, entropy) = ((public_key, algorithm), Entropy::new(entropy)?);
        agent::register(&signer.signing(), text.as_bytes(), key, unix_ms(now), &entropy, &signer.limits)
    };
    Ok(objects::with(signer, register)?)
}

#[wasm_bindgen(js_name = signString)]
pub fn sign_string(signer: Handle, text: &str, entropy: Vec<u8>) -> Thrown<String> {
    let sign =
        |signer: &mut Signer| strings::sign(&signer.key, text, &Entropy::new(entropy)?.draw32("hedge"));
    Ok(objects::with(signer, sign)?)
}

#[wasm_bindgen(js_name = agentCreate)]
pub fn agent_create(secret: Handle, profile: &str, now: f64, entropy: Vec<u8>) -> Thrown<String> {
    let create = |key: &mut Rc<SecretKey>| {
        let limits = Limits::default();
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
    Ok(objects::with(secret, create).map(made)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sx_core::keys::Algorithm;

    fn entropy(n: u8) -> Entropy {
        Entropy::new((0..32).map(|i| i ^ n).collect()).unwrap()
    }

    fn key(n: u8) -> Rc<SecretKey> {
        Rc::new(SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap())
    }

    fn agent(key: &SecretKey, n: u8) -> Made {
        let profile = agent::Profile { name: "Test", ..Default::default() };
        agent::create(&profile, key, 1, &entropy(n), &Limits::default()).unwrap()
    }

    fn open(key: &Rc<SecretKey>, text: &str) -> Result<Signer> {
        Signer::open(key.clone(), text.into(), "", Limits::default())
    }

    #[test]
    fn a_signer_follows_its_own_agent_only() {
        let key = key(1);
        let first = agent(&key, 1);
        let signer = open(&key, &first.raw).unwrap();
        let renamed = first.raw.replace(r#""name":"Test""#, r#""name":"New""#);
        let (text, current) = (renamed.as_bytes(), first.raw.as_bytes());
        let second = agent::update(current, text, &key, 2, &entropy(2), &Limits::default()).unwrap();

        let renewed = signer.renewed(key.clone(), second.raw.clone()).unwrap();
        assert_eq!((renewed.agent.version.as_str(), renewed.agent.name.as_str()), (&*second.version, "New"));
        assert_eq!(renewed.text, second.raw);
        assert_eq!(renewed.signing().agent_version, second.version);
        let refused = |text: &str| signer.renewed(key.clone(), text.into()).err().map(|error| error.code);
        assert_eq!(refused(&agent(&key, 3).raw), Some(Code::KeyMismatch)); // another agent with the same key
        assert_eq!(refused(&agent(&self::key(2), 4).raw), Some(Code::KeyMismatch));
        assert_eq!(refused(&renamed), Some(Code::BadSignature));
    }

    #[test]
    fn a_signer_keeps_its_limits() {
        let key = key(1);
        let text = agent(&key, 1).raw;
        let less = Limits { bytes: text.len() - 1, ..Limits::default() };
        // They are for what is signed; the agent's own document is a source, and larger here.
        assert_eq!(Signer::open(key, text, "", less).unwrap().limits, less);
    }
}
