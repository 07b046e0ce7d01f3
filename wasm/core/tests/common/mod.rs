//! An agent with everything fixed, for the tests of documents and trust.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // each test file uses a part of it

pub mod vectors;

use base64ct::{Base64, Encoding as _};
use sx_core::agent::{self, Own, Profile};
use sx_core::backup::{self, Contents};
use sx_core::document::{self, Author, Kind, Made, Making};
use sx_core::entropy::Entropy;
use sx_core::error::Result;
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::moment::Moment;
use sx_core::ring::{Ring, Source};
use sx_core::statement::{Context, pae};
use sx_core::verify::{Verdict, Verification};

/// 2026-11-20T14:49:19.007Z
pub const NOW: u64 = 1_795_186_159_007;

pub fn entropy(n: u8) -> Entropy {
    Entropy::new((0..32).map(|i| i ^ n).collect()).unwrap()
}

pub fn moment(now: u64, n: u8) -> Moment {
    Moment { now, entropy: entropy(n) }
}

/// Who signs, within the default limits.
pub fn author<'a>(agent_id: &'a str, agent_version: &'a str, key: &'a SecretKey) -> Author<'a> {
    Author { agent_id, agent_version, key, limits: Limits::default() }
}

/// An agent's own document, of which the next version has the default limits.
pub fn own<'a>(text: &'a [u8], key: &'a SecretKey) -> Own<'a> {
    Own { text, key, limits: Limits::default() }
}

/// A first version of this kind, and nothing else about it.
pub fn of(kind: Kind) -> Making<'static> {
    Making { kind, ..Making::default() }
}

pub fn named(name: &str) -> Profile {
    Profile { name: name.into(), ..Profile::default() }
}

pub struct Fixture {
    pub key: SecretKey,
    pub agent: Made,
    pub ring: Ring,
}

impl Fixture {
    pub fn new(algorithm: Algorithm, n: u8) -> Self {
        let key = SecretKey::from_seed(algorithm, &[n; 32]).unwrap();
        let agent = agent::create(&named("Test"), &key, &moment(NOW, n)).unwrap();
        let mut ring = Ring::default();
        ring.set(&agent.id, Source::Own, Some(agent.raw.as_bytes()));
        Self { key, agent, ring }
    }

    pub fn signer(&self) -> Author<'_> {
        author(&self.agent.id, &self.agent.version, &self.key)
    }

    pub fn sign(&self, kind: Kind, text: &str) -> Result<Made> {
        document::create(&self.signer(), text.as_bytes(), &of(kind), &moment(NOW, 100))
    }

    pub fn manifest(&self, entries: u32, sha256: &str) -> Result<Made> {
        let contents = Contents { entries, sha256 };
        backup::manifest(&self.signer(), contents, "", moment(NOW, 102))
    }

    pub fn update(&self, current: &str, text: &str) -> Result<Made> {
        let (current, text) = (current.as_bytes(), text.as_bytes());
        document::update(&self.signer(), current, text, &Making::default(), &moment(NOW + 1, 101))
    }

    pub fn verify(&self, text: &str) -> Verdict {
        verify_both_ways(text, &self.ring)
    }
}

pub fn parse(text: &str) -> Value {
    json::parse(text.as_bytes(), &Limits::default()).unwrap()
}

/// The text with one member of an object changed; `path` names the objects on the way.
pub fn with(text: &str, path: &[&str], name: &str, value: Option<&str>) -> String {
    let mut document = parse(text);
    let mut object = document.as_object_mut().unwrap();
    for step in path {
        object = object.get_mut(step).unwrap().as_object_mut().unwrap();
    }
    match value {
        Some(value) => drop(object.insert(name.into(), parse(value))),
        None => drop(object.remove(name).unwrap()),
    }
    json::write(&document)
}

/// The document hashed and signed anew by `key`, as someone would who holds that key.
pub fn resigned(text: &str, key: &SecretKey) -> String {
    let bare = with(&with(text, &[], "sxSignature", None), &[], "sxSha256", None);
    let hashed = with(text, &[], "sxSha256", Some(&format!("\"{}\"", sha256_hex(bare.as_bytes()))));
    let named = with(&hashed, &["sxSignature"], "keyId", Some(&format!("\"{}\"", key.public_key().key_id())));
    signed_as_it_is(&named, key)
}

/// The document signed anew by `key`, whatever its hash and its key id say.
pub fn signed_as_it_is(text: &str, key: &SecretKey) -> String {
    let unsigned = with(text, &["sxSignature"], "signature", None);
    let bytes = key.sign(&pae(Context::Document, unsigned.as_bytes()), &[7; 32]).unwrap();
    with(&unsigned, &["sxSignature"], "signature", Some(&format!("\"{}\"", Base64::encode_string(&bytes))))
}

/// The agent document with the members of its key's entry changed.
pub fn with_entry(agent: &str, change: impl FnOnce(&mut json::Object)) -> String {
    let mut document = parse(agent);
    let keys = document.as_object_mut().unwrap().get_mut("sxPublicKeys").unwrap().as_array_mut().unwrap();
    change(keys.first_mut().unwrap().as_object_mut().unwrap());
    json::write(&document)
}

/// The agent document with its key revoked.
pub fn with_revocation(agent: &str, at: &str, reason: &str) -> String {
    let revoked = parse(&format!(r#"{{"at":"{at}","reason":"{reason}"}}"#));
    with_entry(agent, |entry| drop(entry.insert("revoked".into(), revoked)))
}

/// The text of a member of the document.
pub fn member(document: &str, name: &str) -> String {
    json::write(parse(document).as_object().unwrap().get(name).unwrap())
}

/// The next version of an agent document, with another name.
pub fn renamed(fixture: &Fixture, current: &str, name: &str, now: u64) -> Made {
    let text = with(current, &[], "name", Some(&format!("\"{name}\"")));
    agent::update(
        &own(current.as_bytes(), &fixture.key),
        text.as_bytes(),
        &moment(now, now as u8 ^ name.len() as u8),
    )
    .unwrap()
}

/// The verdict on a text: the same whether its canonical form is taken from where it stands, or is written anew.
pub fn verify_both_ways(text: &str, ring: &Ring) -> Verdict {
    let verdict = |text: &str| Verification::start(text.as_bytes(), &Limits::default()).finish(ring);
    let coded =
        |Verdict { signer_id, key_id, outcome }| (signer_id, key_id, outcome.map_err(|error| error.code));
    let found = verdict(text);
    assert_eq!(coded(found.clone()), coded(verdict(&format!("{text}\n"))), "{text}");
    found
}
