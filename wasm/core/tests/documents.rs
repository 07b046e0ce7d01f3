//! Making, updating and verifying documents.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use base64ct::{Base64, Encoding as _};
use common::{Fixture, NOW, entropy, parse, with};
use sx_core::document::{self, Kind, SignatureField};
use sx_core::error::Code;
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits};
use sx_core::keys::Algorithm;
use sx_core::ring::Source;
use sx_core::verify::Verification;

const BOTH: [Algorithm; 2] = [Algorithm::Ed25519, Algorithm::Pq2025];

/// Base64 as a JSON string.
fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", Base64::encode_string(bytes))
}

fn code(fixture: &Fixture, text: &str) -> Option<Code> {
    fixture.verify(text).outcome.err().map(|error| error.code)
}

#[test]
fn a_message_is_valid_and_gives_its_payload_back() {
    for algorithm in BOTH {
        let fixture = Fixture::new(algorithm, 1);
        for payload in ["{\"amount\":1}", "[1,2]", "\"x\"", "7", "null", "{\"content\":{\"a\":1},\"b\":2}"] {
            let made = fixture.sign(Kind::Message, payload).unwrap();
            let checked = fixture.verify(&made.raw).outcome.unwrap();
            assert_eq!(checked.data, json::write(&parse(payload)));
            assert_eq!((checked.algorithm, checked.trusted), (algorithm.name(), true));
            assert_eq!(
                (checked.timestamp.as_str(), checked.document_type.as_str()),
                ("2026-11-20T14:49:19.007Z", "message")
            );
            assert_eq!(json::write(&parse(&made.raw)), made.raw, "the text is canonical");
        }
    }
}

#[test]
fn a_document_keeps_its_members_beside_the_header() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = fixture
        .sign(Kind::Document, r#"{"b":[1,2.50],"a":"\u00e9","sxType":"invoice","sxLevel":"derived"}"#)
        .unwrap();
    let checked = fixture.verify(&made.raw).outcome.unwrap();
    assert_eq!(checked.data, r#"{"a":"é","b":[1,2.5]}"#);
    assert_eq!(checked.document_type, "invoice");
    // White space around and other spellings of the same values do not matter: the values are signed.
    assert!(fixture.verify(&format!(" \n{}\t", made.raw.replace("2.5", "2.50"))).outcome.is_ok());
}

#[test]
fn the_hash_is_that_of_the_document_without_hash_and_signature() {
    let made = Fixture::new(Algorithm::Ed25519, 1).sign(Kind::Message, "1").unwrap();
    let bare = with(&with(&made.raw, &[], "sxSignature", None), &[], "sxSha256", None);
    let hash = parse(&made.raw).as_object().and_then(|d| d.get("sxSha256")?.as_str().map(String::from));
    assert_eq!(hash, Some(sha256_hex(bare.as_bytes())));
}

#[test]
fn t01_t02_every_member_is_covered() {
    for algorithm in BOTH {
        let fixture = Fixture::new(algorithm, 1);
        let raw = fixture.sign(Kind::Message, r#"{"a":1}"#).unwrap().raw;
        assert_eq!(code(&fixture, &with(&raw, &[], "b", Some("2"))), Some(Code::BadSignature));
        assert_eq!(code(&fixture, &with(&raw, &["content"], "a", Some("2"))), Some(Code::BadSignature));
        assert_eq!(code(&fixture, &with(&raw, &[], "content", None)), Some(Code::BadSignature));
        for name in ["fields", "signedFields"] {
            let listed = with(&raw, &["sxSignature"], name, Some(r#"["sxId"]"#));
            assert_eq!(code(&fixture, &listed), Some(Code::InvalidDocument));
        }
        // With the hash recomputed as an attacker would.
        let changed = with(&raw, &["content"], "a", Some("2"));
        let bare = with(&with(&changed, &[], "sxSignature", None), &[], "sxSha256", None);
        let hash = format!("\"{}\"", sha256_hex(bare.as_bytes()));
        assert_eq!(code(&fixture, &with(&changed, &[], "sxSha256", Some(&hash))), Some(Code::BadSignature));
    }
}

#[test]
fn every_single_header_field_and_signature_member_is_covered() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = fixture.update(&fixture.sign(Kind::Message, "1").unwrap().raw, "2").unwrap().raw;
    assert!(fixture.verify(&raw).outcome.is_ok());
    let other = "\"00000000-0000-4000-8000-000000000001\"";
    for (path, name, value) in [
        (&[][..], "$schema", "\"https://example.com/s\""),
        (&[], "sxId", other),
        (&[], "sxVersion", other),
        (&[], "sxOriginalVersion", other),
        (&[], "sxPreviousVersion", other),
        (&[], "sxOriginalDate", "\"2020-01-01T00:00:00.000Z\""),
        (&[], "sxType", "\"other\""),
        (&[], "sxLevel", "\"config\""),
        (&[], "sxSha256", "\"0000000000000000000000000000000000000000000000000000000000000000\""),
        (&["sxSignature"], "agentVersion", other),
        (&["sxSignature"], "nonce", "\"AAAAAAAAAAAAAAAAAAAAAA\""),
    ] {
        assert_eq!(code(&fixture, &with(&raw, path, name, Some(value))), Some(Code::BadSignature), "{name}");
    }
    for (name, value) in
        [("signingAlgorithm", "\"pq2025\""), ("keyId", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"")]
    {
        assert_eq!(
            code(&fixture, &with(&raw, &["sxSignature"], name, Some(value))),
            Some(Code::KeyMismatch),
            "{name}"
        );
    }
    assert_eq!(
        code(&fixture, &with(&raw, &["sxSignature"], "agentID", Some(other))),
        Some(Code::UnknownSigner)
    );
}

#[test]
fn a_wrong_hash_under_a_good_signature_is_found() {
    // Only the holder of the key can make one; the verdict must still not be "valid".
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = fixture.sign(Kind::Message, "1").unwrap().raw;
    let wrong = with(&raw, &[], "sxSha256", Some(&format!("\"{}\"", "0".repeat(64))));
    let unsigned = with(&wrong, &["sxSignature"], "signature", None);
    let statement = sx_core::statement::pae(sx_core::statement::Context::Document, unsigned.as_bytes());
    let signature = fixture.key.sign(&statement, &[0; 32]).unwrap();
    let resigned = with(&wrong, &["sxSignature"], "signature", Some(&quoted(&signature)));
    assert_eq!(code(&fixture, &resigned), Some(Code::HashMismatch));
    let started = Verification::start(resigned.as_bytes(), &Limits::default());
    assert!(started.finish_signature(&fixture.ring, SignatureField::Document).is_ok());
}

#[test]
fn shapes_that_are_refused() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = fixture.sign(Kind::Message, "1").unwrap().raw;
    for (path, name, value, expected) in [
        (&[][..], "sxId", Some("7"), Code::InvalidDocument),
        (&[], "sxId", Some("\"../x\""), Code::InvalidDocument),
        (&[], "sxVersion", None, Code::InvalidDocument),
        (&[], "sxVersionDate", Some("\"2026-11-20\""), Code::InvalidDocument),
        (&[], "sxLevel", Some("\"secret\""), Code::InvalidDocument),
        (&[], "sxType", Some("\"\""), Code::InvalidDocument),
        (&[], "sxSha256", Some("\"abc\""), Code::InvalidDocument),
        (&[], "sxPreviousVersion", Some("\"00000000-0000-4000-8000-000000000001\""), Code::InvalidDocument),
        (&[], "sxAgentType", Some("\"ai\""), Code::InvalidDocument),
        (&[], "$schema", None, Code::InvalidDocument),
        (&[], "$schema", Some("7"), Code::InvalidDocument),
        (
            &[],
            "$schema",
            Some("\"urn:sx-agent:schemas/header/v2/header.schema.json\""),
            Code::UnsupportedFormat,
        ),
        (&[], "sxNovelty", Some("1"), Code::UnsupportedFormat),
        (&[], "sxFiles", Some("[]"), Code::UnsupportedFormat),
        (&[], "sxSignature", None, Code::MissingSignature),
        (&[], "sxSignature", Some("[]"), Code::InvalidDocument),
        (&[], "sxSignature", Some("null"), Code::InvalidDocument),
        (&["sxSignature"], "signature", Some("\"AA=\""), Code::InvalidDocument),
        (&["sxSignature"], "signature", Some("\"\""), Code::BadSignature),
        (&["sxSignature"], "signingAlgorithm", Some("17"), Code::InvalidDocument),
        (&["sxSignature"], "nonce", None, Code::InvalidDocument),
        (&["sxSignature"], "date", Some("\"2026-11-20T14:49:19.008Z\""), Code::InvalidDocument),
        (&["sxSignature"], "jwk", Some("{}"), Code::InvalidDocument),
    ] {
        assert_eq!(code(&fixture, &with(&raw, path, name, value)), Some(expected), "{name} {value:?}");
    }
    for (text, expected) in [
        ("[]", Code::InvalidDocument),
        ("{}", Code::MissingSignature),
        ("", Code::NotJson),
        (r#"{"jacsId":"1","jacsSignature":{}}"#, Code::UnsupportedFormat),
        (r#"{"payload":"e30","signatures":[]}"#, Code::UnsupportedFormat),
        (r#"{"@context":[],"proof":{}}"#, Code::UnsupportedFormat),
    ] {
        assert_eq!(code(&fixture, text), Some(expected), "{text}");
    }
}

#[test]
fn t03_a_signed_document_inside_another_is_not_a_signature_of_the_outer_one() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let inner = fixture.sign(Kind::Message, "1").unwrap().raw;
    assert_eq!(code(&fixture, &format!(r#"{{"content":{inner}}}"#)), Some(Code::MissingSignature));
    let outer = fixture.sign(Kind::Message, &inner).unwrap().raw;
    assert!(fixture.verify(&outer).outcome.is_ok(), "signing it as a payload is fine");
}

#[test]
fn reserved_fields_are_refused_by_create() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    for text in [
        r#"{"sxId":"x"}"#,
        r#"{"sxVersion":"x"}"#,
        r#"{"sxSha256":"x"}"#,
        r#"{"sxSignature":{}}"#,
        r#"{"sxRegistration":{}}"#,
        r#"{"$schema":"x"}"#,
        r#"{"sxFiles":[]}"#,
        r#"{"sxAgentType":"ai"}"#,
        r#"{"sxWhatever":1}"#,
        r#"{"sxType":"agent"}"#,
    ] {
        assert_eq!(fixture.sign(Kind::Document, text).unwrap_err().code, Code::ReservedField, "{text}");
        assert!(
            fixture.sign(Kind::Message, text).is_ok(),
            "as the payload of a message it is the caller's own"
        );
    }
    for text in
        [r#"{"sxType":7}"#, r#"{"sxType":"a b"}"#, r#"{"sxLevel":"x"}"#, r#"{"sxLevel":[]}"#, "[]", "1"]
    {
        assert_eq!(fixture.sign(Kind::Document, text).unwrap_err().code, Code::InvalidDocument, "{text}");
    }
    for text in [
        r#"{"sx":1,"sxy":2,"SxId":3,"":4}"#,
        r#"{"payload":1,"signatures":[]}"#,
        r#"{"@context":"x","proof":1}"#,
        r#"{"jacsId":1}"#,
    ] {
        let made = fixture.sign(Kind::Document, text).unwrap();
        assert!(fixture.verify(&made.raw).outcome.is_ok(), "{text}");
    }
}

#[test]
fn updates_form_a_chain() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, r#"{"a":1}"#).unwrap();
    let second = fixture.update(&first.raw, r#"{"a":2}"#).unwrap();
    assert_eq!(
        (second.id.as_str(), second.previous.as_deref()),
        (first.id.as_str(), Some(first.version.as_str()))
    );
    let checked = fixture.verify(&second.raw).outcome.unwrap();
    assert_eq!(checked.data, r#"{"a":2}"#);
    // The whole document with its body changed gives the same as the payload alone.
    let whole = fixture.update(&first.raw, &with(&first.raw, &["content"], "a", Some("2"))).unwrap();
    assert_eq!(whole.raw, second.raw);
    for (name, value) in [
        ("sxVersion", "\"00000000-0000-4000-8000-000000000001\""),
        ("sxType", "\"other\""),
        ("sxSha256", "\"00\""),
        ("sxFiles", "[]"),
    ] {
        let offered = with(&first.raw, &[], name, Some(value));
        assert_eq!(fixture.update(&first.raw, &offered).unwrap_err().code, Code::ReservedField, "{name}");
    }
    assert_eq!(fixture.update(&fixture.agent.raw, "{}").unwrap_err().code, Code::InvalidOption);
    // A payload may have a `$schema` of its own.
    let payload = fixture.update(&first.raw, r#"{"$schema":"x"}"#).unwrap();
    assert_eq!(fixture.verify(&payload.raw).outcome.unwrap().data, r#"{"$schema":"x"}"#);
    let plain = fixture.sign(Kind::Document, r#"{"a":1,"b":2}"#).unwrap();
    assert_eq!(fixture.update(&plain.raw, "[]").unwrap_err().code, Code::InvalidDocument);
    let next = fixture.update(&plain.raw, r#"{"c":3}"#).unwrap();
    assert_eq!(fixture.verify(&next.raw).outcome.unwrap().data, r#"{"c":3}"#);
}

#[test]
fn an_update_keeps_the_shape_that_the_document_was_made_with() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let data = |raw: &str| fixture.verify(raw).outcome.unwrap().data;
    let update = |raw: &str, text: &str, seed: u8| {
        let (signer, limits) = (fixture.signer(), Limits::default());
        document::update(&signer, raw.as_bytes(), text.as_bytes(), NOW, &entropy(seed), &limits).unwrap().raw
    };
    // Of `createDocument`: `content` is a member like any other.
    let mut raw = fixture.sign(Kind::Document, r#"{"content":"1","title":"t"}"#).unwrap().raw;
    let texts = [r#"{"content":"2"}"#, r#"{"content":"3","title":"t"}"#, r#"{"content":{"n":1}}"#, "{}"];
    for (text, seed) in texts.into_iter().zip(10..) {
        raw = update(&raw, text, seed);
        assert_eq!(data(&raw), text);
    }
    // Of `signMessage`: any payload, also documents of this and of other messages.
    let foreign = |raw: &str| with(raw, &[], "sxId", Some("\"00000000-0000-4000-8000-000000000001\""));
    let other = foreign(&fixture.sign(Kind::Document, r#"{"n":1}"#).unwrap().raw);
    for text in [r#"{"n":1,"sxType":"message"}"#, r#"{"n":1,"sxId":"u"}"#, &other, r#"{"content":1}"#, "null"]
    {
        let mut raw = fixture.sign(Kind::Message, text).unwrap().raw;
        for seed in 10..12 {
            raw = update(&raw, text, seed);
            assert_eq!(data(&raw), text);
        }
    }
    // What looks like another whole message is more likely a mistake than a payload.
    let (first, second) =
        (fixture.sign(Kind::Message, "1").unwrap(), fixture.sign(Kind::Message, "2").unwrap());
    assert_eq!(fixture.update(&first.raw, &second.raw).unwrap_err().code, Code::ReservedField);
    let whole = fixture.update(&first.raw, &with(&first.raw, &[], "content", Some(&second.raw))).unwrap();
    assert_eq!(data(&whole.raw), second.raw);
}

#[test]
fn a_version_is_never_dated_before_its_predecessor() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap();
    let limits = Limits::default();
    let (signer, clock) = (fixture.signer(), NOW - 86_400_000);
    let second = document::update(&signer, first.raw.as_bytes(), b"2", clock, &entropy(9), &limits).unwrap();
    assert_eq!(
        (first.date.as_str(), second.date.as_str()),
        ("2026-11-20T14:49:19.007Z", "2026-11-20T14:49:19.008Z")
    );
    assert!(fixture.verify(&second.raw).outcome.is_ok());
}

#[test]
fn whatever_can_be_signed_can_be_verified() {
    let fixture = Fixture::new(Algorithm::Pq2025, 1);
    for depth in 100..140 {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        match fixture.sign(Kind::Message, &text) {
            Ok(made) => {
                assert!(fixture.verify(&made.raw).outcome.is_ok(), "depth {depth}");
                assert!(depth <= 127);
            }
            Err(error) => assert!(depth > 127 && error.code == Code::LimitExceeded, "depth {depth}"),
        }
    }
    let first = fixture.sign(Kind::Message, "1").unwrap();
    for depth in 120..140 {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        match fixture.update(&first.raw, &text) {
            Ok(made) => assert!(fixture.verify(&made.raw).outcome.is_ok(), "depth {depth}"),
            Err(error) => assert_eq!(error.code, Code::LimitExceeded),
        }
    }
    let limits = Limits { bytes: 20_000, ..Limits::default() };
    for size in (1_000..20_000).step_by(500) {
        let text = format!("\"{}\"", "x".repeat(size));
        if let Ok(made) =
            document::create(&fixture.signer(), Kind::Message, text.as_bytes(), NOW, &entropy(3), &limits)
        {
            let verdict = Verification::start(made.raw.as_bytes(), &limits).finish(&fixture.ring);
            assert!(verdict.outcome.is_ok(), "{size} bytes");
        }
    }
}

#[test]
fn a_stored_document_must_be_the_one_that_was_asked_for() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = fixture.sign(Kind::Message, "1").unwrap();
    let ask = |id: &str, version: &str| {
        let started = Verification::start(made.raw.as_bytes(), &Limits::default());
        started.finish_as(&fixture.ring, id, version).outcome.err().map(|error| error.code)
    };
    assert_eq!(ask(&made.id, &made.version), None);
    assert_eq!(ask(&made.version, &made.id), Some(Code::CorruptStore));
}

#[test]
fn t05_the_algorithm_is_the_keys_own() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = fixture.sign(Kind::Message, "1").unwrap().raw;
    for label in
        ["\"pq2025\"", "\"none\"", "\"HS256\"", "\" ed25519\"", "\"ED25519\"", "\"ring-Ed25519\"", "17"]
    {
        let verdict = fixture.verify(&with(&raw, &["sxSignature"], "signingAlgorithm", Some(label)));
        assert!(verdict.outcome.is_err(), "{label}");
    }
}

#[test]
fn t06_sources_that_disagree_are_a_conflict() {
    let (known, forger) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Ed25519, 2));
    let raw = known.sign(Kind::Message, "1").unwrap().raw;
    let mut fixture = Fixture::new(Algorithm::Ed25519, 3);
    let limits = Limits::default();
    fixture.ring.set(&known.agent.id, Source::Trust, Some(known.agent.raw.as_bytes()), &limits);
    assert!(fixture.verify(&raw).outcome.is_ok_and(|checked| checked.trusted));
    let pem = forger.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    assert_eq!(code(&fixture, &raw), Some(Code::KeyConflict));
    let pem = known.key.public_key().to_spki_pem();
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    assert!(fixture.verify(&raw).outcome.is_ok());
    fixture.ring.set(&known.agent.id, Source::Trust, None, &limits);
    assert!(
        fixture.verify(&raw).outcome.is_ok_and(|checked| !checked.trusted),
        "a key directory is no trust"
    );
    fixture.ring.set(&known.agent.id, Source::Directory, None, &limits);
    assert_eq!(code(&fixture, &raw), Some(Code::UnknownSigner));
    fixture.ring.set(&known.agent.id, Source::Directory, Some(b"nonsense"), &limits);
    assert_eq!(code(&fixture, &raw), Some(Code::InvalidKey));
    // Another agent's document under this id, or a damaged one, is never silently skipped.
    fixture.ring.set(&known.agent.id, Source::Directory, Some(pem.as_bytes()), &limits);
    for stored in [&forger.agent.raw, &known.agent.raw.replace("Test", "Best")] {
        fixture.ring.set(&known.agent.id, Source::Trust, Some(stored.as_bytes()), &limits);
        assert_eq!(code(&fixture, &raw), Some(Code::CorruptStore));
    }
}

#[test]
fn a_registration_is_verified_in_its_own_context() {
    let (author, registrar) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Pq2025, 2));
    let raw = author.sign(Kind::Message, "1").unwrap().raw;
    let registered = |context| {
        let member = format!(
            r#"{{"agentID":"{}","agentVersion":"{}","date":"2026-11-20T14:49:19.007Z","keyId":"{}","nonce":"AAAAAAAAAAAAAAAAAAAAAA","signingAlgorithm":"pq2025"}}"#,
            registrar.agent.id,
            registrar.agent.version,
            registrar.key.public_key().key_id(),
        );
        let unsigned = with(&raw, &[], "sxRegistration", Some(&member));
        let bytes =
            registrar.key.sign(&sx_core::statement::pae(context, unsigned.as_bytes()), &[7; 32]).unwrap();
        with(&unsigned, &["sxRegistration"], "signature", Some(&quoted(&bytes)))
    };
    let mut fixture = Fixture::new(Algorithm::Ed25519, 3);
    for other in [&author, &registrar] {
        fixture.ring.set(
            &other.agent.id,
            Source::Trust,
            Some(other.agent.raw.as_bytes()),
            &Limits::default(),
        );
    }
    let check = |text: &str| {
        let started = Verification::start(text.as_bytes(), &Limits::default());
        started.finish_signature(&fixture.ring, SignatureField::Registration).map_err(|error| error.code)
    };
    let good = registered(sx_core::statement::Context::Registration);
    assert_eq!(check(&good), Ok(()));
    assert!(fixture.verify(&good).outcome.is_ok(), "the document's own signature does not cover it");
    assert_eq!(check(&registered(sx_core::statement::Context::Document)), Err(Code::BadSignature));
    assert_eq!(check(&raw), Err(Code::MissingSignature));
}
