//! Whose key a document is verified with, and what the sources of keys hold.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Fixture;
use common::vectors::verify;
use sx_core::document::{Kind, SignatureField};
use sx_core::error::Code;
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::verify::Verification;

#[test]
fn t06_sources_that_disagree_are_a_conflict() {
    let (known, forger) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Ed25519, 2));
    let raw = known.sign(Kind::Message, "1").unwrap().raw;
    let code = |ring: &Ring| verify(&raw, ring).outcome.err().map(|error| error.code);
    let mut fixture = Fixture::new(Algorithm::Ed25519, 3);
    let limits = Limits::default();
    fixture.ring.set(&known.agent.id, Source::Trust, Some(known.agent.raw.as_bytes()), &limits);
    assert!(fixture.verify(&raw).outcome.is_ok_and(|checked| checked.trusted));
    let pem = forger.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    assert_eq!(code(&fixture.ring), Some(Code::KeyConflict));
    let pem = known.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    assert!(fixture.verify(&raw).outcome.is_ok());
    fixture.ring.set(&known.agent.id, Source::Trust, None, &limits);
    assert!(
        fixture.verify(&raw).outcome.is_ok_and(|checked| !checked.trusted),
        "a key directory is no trust"
    );
    fixture.ring.set(&known.agent.id, Source::Directory, None, &limits);
    assert_eq!(code(&fixture.ring), Some(Code::UnknownSigner));
    fixture.ring.set(&known.agent.id, Source::Directory, Some(b"nonsense"), &limits);
    assert_eq!(code(&fixture.ring), Some(Code::InvalidKey));
    // Another agent's document under this id, or a damaged one, is never silently skipped.
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    for stored in [&forger.agent.raw, &known.agent.raw.replace("Test", "Best")] {
        fixture.ring.set(&known.agent.id, Source::Trust, Some(stored.as_bytes()), &limits);
        assert_eq!(code(&fixture.ring), Some(Code::CorruptStore));
    }
}

#[test]
fn sources_have_their_names() {
    for (name, source) in [
        ("own", Source::Own),
        ("trust", Source::Trust),
        ("document", Source::Document),
        ("directory", Source::Directory),
    ] {
        assert_eq!(Source::parse(name), Ok(source));
    }
    assert_eq!(Source::parse("Own").map_err(|error| error.code), Err(Code::InvalidOption));
}

#[test]
fn a_signer_is_asked_for_only_by_an_identifier() {
    let id = "00000000-0000-4000-8000-000000000001";
    let signer = |text: &str, which| {
        Verification::start(text.as_bytes(), &Limits::default()).signer_id(which).map(String::from)
    };
    let text = format!(r#"{{"sxSignature":{{"agentID":"{id}"}},"sxRegistration":{{"agentID":"../x"}}}}"#);
    assert_eq!(signer(&text, SignatureField::Document).as_deref(), Some(id));
    assert_eq!(signer(&text, SignatureField::Registration), None);
    let turned = text.replace(id, "y").replace("../x", id);
    assert_eq!(signer(&turned, SignatureField::Document), None);
    assert_eq!(signer(&turned, SignatureField::Registration).as_deref(), Some(id));
    for text in
        ["", "[]", "{}", r#"{"sxSignature":[]}"#, r#"{"sxSignature":{}}"#, r#"{"sxSignature":{"agentID":7}}"#]
    {
        assert_eq!(signer(text, SignatureField::Document), None, "{text}");
    }
    let name = |name| SignatureField::parse(name).map_err(|error| error.code);
    assert_eq!(name("sxSignature"), Ok(SignatureField::Document));
    assert_eq!(name("sxRegistration"), Ok(SignatureField::Registration));
    assert_eq!(name("sxsignature"), Err(Code::InvalidOption));
}
