//! Verifying documents: the shape of a header, what a signature covers, whose key counts.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use base64ct::{Base64, Encoding as _};
use common::{Fixture, member, resigned, signed_as_it_is, with};
use sx_core::document::{self, Kind, SignatureField};
use sx_core::error::Code;
use sx_core::hash::sha256_hex;
use sx_core::json::Limits;
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
    let resigned = signed_as_it_is(&wrong, &fixture.key);
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
        (&[], "sxFiles", Some("[]"), Code::InvalidDocument),
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
fn a_stored_document_must_be_the_one_that_was_asked_for() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = fixture.sign(Kind::Message, "1").unwrap();
    let ask = |text: &str, id: &str, version: &str, limits: &Limits| {
        let verdict = Verification::start(text.as_bytes(), limits).finish_as(&fixture.ring, id, version);
        (verdict.outcome.err().map(|error| (error.code, error.found)), verdict.signer_id)
    };
    let (id, version, default) = (made.id.as_str(), made.version.as_str(), Limits::default());
    let other = "00000000-0000-4000-8000-000000000001";
    assert_eq!(ask(&made.raw, id, version, &default), (None, fixture.agent.id.clone()));
    for (id, version) in [(other, version), (id, other), (version, id)] {
        let found = "The storage has another document under this key.".into();
        let expected = (Some((Code::CorruptStore, found)), fixture.agent.id.clone());
        assert_eq!(ask(&made.raw, id, version, &default), expected);
    }
    // What is wrong with the document itself comes first.
    let changed = with(&made.raw, &[], "content", Some("2"));
    assert_eq!(ask(&changed, other, version, &default).0.unwrap().0, Code::BadSignature);
    for (text, name) in [("", "NotJson"), ("{}", "MissingSignature"), ("[]", "InvalidDocument")] {
        let found = format!("The stored document is damaged ({name}).");
        assert_eq!(ask(text, id, version, &default), (Some((Code::CorruptStore, found)), String::new()));
    }
    // To be larger than one caller allows is no damage.
    let small = Limits { bytes: made.raw.len() - 1, ..default };
    let found = format!("The text has {} bytes; the limit is {}.", made.raw.len(), small.bytes);
    assert_eq!(ask(&made.raw, id, version, &small).0, Some((Code::LimitExceeded, found)));
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
        fixture.ring.set(&other.agent.id, Source::Trust, Some(other.agent.raw.as_bytes()));
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

#[test]
fn header_members_have_their_forms_at_their_bounds() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = fixture.sign(Kind::Message, "1").unwrap().raw;
    // Signed as they stand, so that nothing but the form decides.
    let verdict = |path: &[&str], name: &str, value: &str| {
        let text = with(&raw, path, name, Some(&format!("\"{value}\"")));
        code(&fixture, &signed_as_it_is(&text, &fixture.key))
    };
    let long = |length: usize| "aZ09_-".chars().cycle().take(length).collect::<String>();
    let taken = [Some(Code::HashMismatch); 1]; // the shape is right
    for value in ["a", "Z", "_", "-", "0", "a.b", "1.a-b.C_", &long(64)] {
        assert_eq!([verdict(&[], "sxType", value)], taken, "{value}");
    }
    for value in ["", "a b", "é", ".", ".a", "a.", "a..b", &long(65)] {
        assert_eq!(verdict(&[], "sxType", value), Some(Code::InvalidDocument), "{value}");
    }
    for level in ["artifact", "config", "derived"] {
        assert_eq!([verdict(&[], "sxLevel", level)], taken, "{level}");
    }
    for hash in [&"0".repeat(63), &"0".repeat(65), &"G".repeat(64), &"A".repeat(64), &"g".repeat(64)] {
        assert_eq!(verdict(&[], "sxSha256", hash), Some(Code::InvalidDocument), "{hash}");
    }
    assert_eq!([verdict(&[], "sxSha256", &"0a".repeat(32))], taken);
    assert_eq!(verdict(&["sxSignature"], "keyId", &"A".repeat(43)), Some(Code::KeyMismatch));
    for id in
        ["A".repeat(42), "A".repeat(44), "A".repeat(42) + "B", "A".repeat(42) + "+", "A".repeat(43) + "="]
    {
        assert_eq!(verdict(&["sxSignature"], "keyId", &id), Some(Code::InvalidDocument), "{id}");
    }
    for nonce in ["A".repeat(20), "A".repeat(21), "A".repeat(23), "A".repeat(24), "A".repeat(21) + "B"] {
        assert_eq!(verdict(&["sxSignature"], "nonce", &nonce), Some(Code::InvalidDocument), "{nonce}");
    }
    assert_eq!(verdict(&["sxSignature"], "nonce", &"A".repeat(22)), None, "the hash does not cover it");
}

#[test]
fn versions_are_first_or_later_ones_and_nothing_between() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap().raw;
    let later = fixture.update(&first, "2").unwrap().raw;
    let other = "\"00000000-0000-4000-8000-000000000001\"";
    let (own, original) = (member(&later, "sxVersion"), member(&later, "sxOriginalVersion"));
    let original_date = member(&later, "sxOriginalDate");
    let dated = |text: &str, date: &str| {
        with(&with(text, &[], "sxVersionDate", Some(date)), &["sxSignature"], "date", Some(date))
    };
    for (text, expected) in [
        (later.clone(), None),
        (dated(&later, &original_date), None),
        (with(&later, &[], "sxPreviousVersion", Some(other)), None),
        (dated(&later, "\"2026-11-20T14:49:19.006Z\""), Some(Code::InvalidDocument)),
        (with(&later, &[], "sxPreviousVersion", None), Some(Code::InvalidDocument)),
        (with(&later, &[], "sxPreviousVersion", Some("null")), Some(Code::InvalidDocument)),
        (with(&later, &[], "sxPreviousVersion", Some(&own)), Some(Code::InvalidDocument)),
        (with(&later, &[], "sxVersion", Some(&original)), Some(Code::InvalidDocument)),
        (with(&first, &[], "sxPreviousVersion", Some(other)), Some(Code::InvalidDocument)),
        (with(&first, &[], "sxOriginalVersion", Some(other)), Some(Code::InvalidDocument)),
        (
            with(&first, &[], "sxOriginalDate", Some("\"2026-11-20T14:49:19.006Z\"")),
            Some(Code::InvalidDocument),
        ),
        (dated(&first, "\"2026-11-20T14:49:19.008Z\""), Some(Code::InvalidDocument)),
    ] {
        assert_eq!(code(&fixture, &resigned(&text, &fixture.key)), expected, "{text}");
    }
}

#[test]
fn a_foreign_format_is_named() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let found = |text: &str| {
        let error = fixture.verify(text).outcome.unwrap_err();
        (error.code, error.found)
    };
    let jacs = "This document is a JACS document.";
    let credential = "This document is a W3C Verifiable Credential or Data Integrity document.";
    let envelope = "This document is a JSON Web Signature or a DSSE envelope.";
    for (text, expected) in [
        (r#"{"jacsId":1}"#, jacs),
        (r#"{"jacsSignature":1}"#, jacs),
        (r#"{"@context":1,"proof":1}"#, credential),
        (r#"{"payload":1,"signatures":1}"#, envelope),
        (r#"{"payload":1,"protected":1}"#, envelope),
        (r#"{"jacsId":1,"payload":1,"signatures":1}"#, jacs),
    ] {
        assert_eq!(found(text), (Code::UnsupportedFormat, expected.into()), "{text}");
    }
    let neither = "The document has neither an 'sxId' nor a signature.";
    for text in [
        "{}",
        r#"{"proof":1}"#,
        r#"{"@context":1}"#,
        r#"{"payload":1}"#,
        r#"{"signatures":1,"protected":1}"#,
        r#"{"sxLater":1,"sxType":"agent"}"#,
    ] {
        assert_eq!(found(text), (Code::MissingSignature, neither.into()), "{text}");
    }
    // With a mark of ours these names are the signer's own.
    for text in [r#"{"jacsId":1,"sxId":1}"#, r#"{"@context":1,"proof":1,"sxSignature":1}"#] {
        let missing = "The field '$schema' is missing.";
        assert_eq!(found(text), (Code::InvalidDocument, missing.into()), "{text}");
    }
}

#[test]
fn of_what_is_not_known_only_so_much_is_repeated() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let found = |text: &str| fixture.verify(text).outcome.unwrap_err();
    let header = "This document names a header schema that this version does not know: 'urn:sx-agent:schemas";
    let error = found(&format!(r#"{{"$schema":"urn:sx-agent:schemas/é\u001b' /{}"}}"#, "x".repeat(80)));
    // 80 characters of it, without those that are not to be printed.
    assert_eq!(error.found, format!("{header}//{}'.", "x".repeat(80 - 26)));
    let error = found(r#"{"sxId":1,"sxNew'\u0007":1}"#);
    let field = "This document has a header field that this version does not know: 'sxNew'.";
    assert_eq!((error.code, error.found.as_str()), (Code::UnsupportedFormat, field));
}

#[test]
fn a_stored_text_says_which_document_it_is() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap();
    let second = fixture.update(&first.raw, "2").unwrap();
    let identity = |text: &str| document::identity(text.as_bytes(), &Limits::default()).map_err(|e| e.code);
    for (made, previous) in [(&first, "null"), (&second, &*format!("\"{}\"", first.version))] {
        let (id, version) = (&made.id, &made.version);
        let expected =
            format!(r#"{{"id":"{id}","previous":{previous},"type":"message","version":"{version}"}}"#);
        assert_eq!(identity(&made.raw), Ok(expected));
    }
    assert_eq!(identity("{}"), Err(Code::MissingSignature));
}

#[test]
fn a_verdict_is_handed_on_with_the_identity_before_it() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = fixture.sign(Kind::Message, "1").unwrap();
    for (text, is_valid) in [(made.raw.clone(), true), (with(&made.raw, &[], "content", Some("2")), false)] {
        let verdict = fixture.verify(&text);
        let lines = verdict.to_lines();
        let (identity, result) = lines.split_once('\n').unwrap();
        assert_eq!(result, verdict.to_json());
        for part in [&made.id, &made.version] {
            assert_eq!(identity.contains(part.as_str()), is_valid, "{identity}");
        }
    }
}
