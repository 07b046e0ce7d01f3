//! Whose key a document is verified with, and what the sources of keys hold.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::verify;
use common::{Fixture, resigned, with_revocation};
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
    fixture.ring.set(&known.agent.id, Source::Trust, Some(known.agent.raw.as_bytes()));
    assert!(fixture.verify(&raw).outcome.is_ok_and(|checked| checked.trusted));
    let pem = forger.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()));
    assert_eq!(code(&fixture.ring), Some(Code::KeyConflict));
    let pem = known.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()));
    assert!(fixture.verify(&raw).outcome.is_ok());
    fixture.ring.set(&known.agent.id, Source::Trust, None);
    assert!(
        fixture.verify(&raw).outcome.is_ok_and(|checked| !checked.trusted),
        "a key directory is no trust"
    );
    fixture.ring.set(&known.agent.id, Source::Directory, None);
    assert_eq!(code(&fixture.ring), Some(Code::UnknownSigner));
    fixture.ring.set(&known.agent.id, Source::Directory, Some(b"nonsense"));
    assert_eq!(code(&fixture.ring), Some(Code::InvalidKey));
    // Another agent's document under this id, or a damaged one, is never silently skipped.
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()));
    for stored in [&forger.agent.raw, &known.agent.raw.replace("Test", "Best")] {
        fixture.ring.set(&known.agent.id, Source::Trust, Some(stored.as_bytes()));
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

#[test]
fn a_ring_says_which_signatures_count() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let (id, key_id) = (&fixture.agent.id, fixture.key.public_key().key_id());
    let (before, after) = ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z");
    let revoked = with_revocation(&fixture.agent.raw, after, "superseded");
    let mut ring = Ring::default();
    ring.set(id, Source::Trust, Some(resigned(&revoked, &fixture.key).as_bytes()));
    let counts =
        |ring: &Ring, key_id: &str, date: &str| ring.counts(id, key_id, date).map_err(|error| error.code);
    assert_eq!(counts(&ring, key_id, before), Ok(true));
    assert_eq!(counts(&ring, key_id, after), Ok(false));
    assert_eq!(counts(&fixture.ring, key_id, after), Ok(true));
    assert_eq!(counts(&ring, "another", before), Err(Code::KeyMismatch));
    assert_eq!(counts(&Ring::default(), key_id, before), Err(Code::UnknownSigner));
}
