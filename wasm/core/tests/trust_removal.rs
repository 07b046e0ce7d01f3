//! What a removal mark in the trust store does, and how a verdict is handed on.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Fixture, NOW, entropy, moment, own, with};
use sx_core::agent;
use sx_core::document::Kind;
use sx_core::error::{Code, Error};
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::trust::admit;
use sx_core::trust_mark;
use sx_core::verify::Verdict;

fn mark() -> String {
    trust_mark::make(&entropy(200))
}

#[test]
fn a_mark_takes_the_keys_out_of_the_trust_store() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let id = &fixture.agent.id;
    let mut ring = Ring::default();
    ring.set(id, Source::Trust, Some(fixture.agent.raw.as_bytes()));
    assert!(ring.resolve(id, fixture.key.public_key().key_id()).is_ok_and(|keys| keys.trusted));
    ring.set(id, Source::Document, Some(fixture.agent.raw.as_bytes()));
    ring.set(id, Source::Trust, Some(mark().as_bytes()));
    assert!(ring.resolve(id, fixture.key.public_key().key_id()).is_ok_and(|keys| !keys.trusted));
    ring.set(id, Source::Document, None);
    assert_eq!(
        ring.resolve(id, fixture.key.public_key().key_id()).err().map(|error| error.code),
        Some(Code::UnknownSigner)
    );
}

#[test]
fn a_mark_counts_nowhere_else() {
    for source in [Source::Own, Source::Document, Source::Directory] {
        let mut ring = Ring::default();
        ring.set("a", source, Some(mark().as_bytes()));
        let expected = if source == Source::Directory { Code::InvalidKey } else { Code::CorruptStore };
        assert_eq!(ring.resolve("a", "").err().map(|error| error.code), Some(expected));
    }
}

#[test]
fn after_a_mark_admission_begins_anew() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let (old, limits) = (fixture.agent.raw.as_bytes(), Limits::default());
    let renamed = with(&fixture.agent.raw, &[], "name", Some("\"New\""));
    let new = agent::update(&own(old, &fixture.key), renamed.as_bytes(), &moment(NOW + 1, 2)).unwrap();
    let code = |known: &str| admit(old, Some(known.as_bytes()), &limits).err().map(|error| error.code);
    assert_eq!(code(&new.raw), Some(Code::Rollback));
    assert_eq!(code(&mark()), None);
    assert_eq!(code("{}"), Some(Code::CorruptStore));
    assert!(admit(mark().as_bytes(), None, &limits).is_err());
}

#[test]
fn a_verdict_is_handed_on_as_head_and_result() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap();
    let second = fixture.update(&first.raw, "2").unwrap();
    let lines = |verdict: &Verdict| {
        let text = verdict.to_lines();
        let (head, result) = text.split_once('\n').unwrap();
        assert_eq!(result, verdict.to_json());
        head.to_string()
    };
    for (made, previous) in [(&first, "null"), (&second, &*format!("\"{}\"", first.version))] {
        let expected = format!(
            r#"{{"error":null,"identity":{{"id":"{}","previous":{previous},"type":"message","version":"{}"}},"within":null}}"#,
            made.id, made.version
        );
        assert_eq!(lines(&fixture.verify(&made.raw)), expected);
    }
    let refused = Verdict::unread(Error::new(Code::Rollback, "A \"newer\" one\nis known."));
    assert_eq!(
        lines(&refused),
        r#"{"error":{"code":"Rollback","found":"A \"newer\" one\nis known."},"identity":null,"within":null}"#
    );
    let damaged = fixture.verify(&first.raw.replace("\"content\":1", "\"content\":2"));
    assert_eq!(
        lines(&damaged),
        r#"{"error":{"code":"BadSignature","found":""},"identity":null,"within":null}"#
    );
}
