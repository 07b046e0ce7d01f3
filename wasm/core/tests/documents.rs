//! Making and updating documents.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Fixture, NOW, member, moment, of, parse, resigned, with};
use sx_core::document::{self, Author, HEADER_SCHEMA, Kind, Making, SCHEMA_BASE};
use sx_core::error::Code;
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits};
use sx_core::keys::Algorithm;
use sx_core::verify::Verification;

const BOTH: [Algorithm; 2] = [Algorithm::Ed25519, Algorithm::Pq2025];

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
        r#"{"sxType":"sx-backup","entries":1,"sha256":""}"#,
        r#"{"sxType":"sx-text"}"#,
        r#"{"sxType":"sx-"}"#,
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
fn a_manifest_of_a_backup_is_a_document_that_no_caller_can_go_on_with() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let made = fixture.manifest(3, hash).unwrap();
    let checked = fixture.verify(&made.raw).outcome.unwrap();
    assert_eq!(checked.data, format!(r#"{{"entries":3,"sha256":"{hash}"}}"#));
    assert!(made.raw.contains(r#""sxType":"sx-backup""#));
    let short = hash.strip_prefix('b').unwrap();
    for no_hash in ["", short, &hash.to_uppercase(), &format!("{short}\"")] {
        assert_eq!(fixture.manifest(3, no_hash).unwrap_err().code, Code::InvalidDocument, "{no_hash}");
    }
    assert_eq!(fixture.update(&made.raw, r#"{"entries":4}"#).unwrap_err().code, Code::ReservedField);
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
        ("sxVersion", "\"00000000-0000-4000-8000-00000000000\""),
        ("sxType", "\"other\""),
        ("sxSha256", "\"00\""),
        ("sxFiles", "[]"),
    ] {
        let offered = with(&first.raw, &[], name, Some(value));
        assert_eq!(fixture.update(&first.raw, &offered).unwrap_err().code, Code::ReservedField, "{name}");
    }
    let outdated = fixture.update(&second.raw, &with(&first.raw, &["content"], "a", Some("3"))).unwrap_err();
    assert_eq!(outdated.code, Code::VersionConflict);
    assert!(outdated.found.contains(&first.version) && outdated.found.contains(&second.version));
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
        let signer = fixture.signer();
        document::update(&signer, raw.as_bytes(), text.as_bytes(), &Making::default(), &moment(NOW, seed))
            .unwrap()
            .raw
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
    let (signer, clock) = (fixture.signer(), NOW - 86_400_000);
    let second =
        document::update(&signer, first.raw.as_bytes(), b"2", &Making::default(), &moment(clock, 9)).unwrap();
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
    let signer = Author { limits, ..fixture.signer() };
    for size in (1_000..20_000).step_by(500) {
        let text = format!("\"{}\"", "x".repeat(size));
        if let Ok(made) = document::create(&signer, text.as_bytes(), &of(Kind::Message), &moment(NOW, 3)) {
            let verdict = Verification::start(made.raw.as_bytes(), &limits).finish(&fixture.ring);
            assert!(verdict.outcome.is_ok(), "{size} bytes");
        }
    }
}

#[test]
fn a_name_that_only_looks_reserved_is_ones_own() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let refused = |text: &str| fixture.sign(Kind::Document, text).map(|_| ()).map_err(|error| error.found);
    for text in [r#"{"sx":1}"#, r#"{"sxa":1}"#, r#"{"sx1":1}"#, r#"{"sxÉ":1}"#, r#"{"sX":1}"#, r#"{"xsA":1}"#]
    {
        assert_eq!(refused(text), Ok(()), "{text}");
    }
    let sentence = |name: &str| format!("The input has the field '{name}', which only the library sets.");
    assert_eq!(refused(r#"{"sxA":1}"#), Err(sentence("sxA")));
    assert_eq!(refused(r#"{"$schema":1}"#), Err(sentence("$schema")));
    assert_eq!(refused(r#"{"sxA'\u001b[2J b":1}"#), Err(sentence("sxA2Jb")));
    let long = format!(r#"{{"sx{}":1}}"#, "A".repeat(100));
    assert_eq!(refused(&long), Err(sentence(&format!("sx{}", "A".repeat(62)))));
}

#[test]
fn a_message_is_one_by_its_type_and_its_only_member() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    for (text, data, next, next_data) in [
        (r#"{"sxType":"message","content":1}"#, "1", "[2]", "[2]"),
        (r#"{"sxType":"message","text":1}"#, r#"{"text":1}"#, r#"{"text":2}"#, r#"{"text":2}"#),
        (
            r#"{"sxType":"message","content":1,"text":1}"#,
            r#"{"content":1,"text":1}"#,
            r#"{"content":2,"text":1}"#,
            r#"{"content":2,"text":1}"#,
        ),
        (r#"{"sxType":"note","content":1}"#, r#"{"content":1}"#, r#"{"content":2}"#, r#"{"content":2}"#),
        (r#"{"sxType":"message"}"#, "{}", r#"{"content":2}"#, "2"),
    ] {
        let made = fixture.sign(Kind::Document, text).unwrap();
        assert_eq!(fixture.verify(&made.raw).outcome.unwrap().data, data, "{text}");
        let updated = fixture.update(&made.raw, next).unwrap();
        assert_eq!(fixture.verify(&updated.raw).outcome.unwrap().data, next_data, "{text}");
    }
    let both = fixture.sign(Kind::Document, r#"{"sxType":"message","content":1,"text":1}"#).unwrap();
    assert_eq!(fixture.update(&both.raw, "7").unwrap_err().code, Code::InvalidDocument, "it is no message");
}

#[test]
fn a_whole_message_is_told_from_a_payload_by_its_members() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap();
    let (id, version) = (&first.id, &first.version);
    let update = |text: &str| {
        let made = fixture.update(&first.raw, text).map_err(|error| error.code)?;
        Ok(fixture.verify(&made.raw).outcome.unwrap().data)
    };
    let other = "00000000-0000-4000-8000-000000000001";
    for (text, expected) in [
        (format!(r#"{{"sxId":"{id}","content":2}}"#), Ok("2".into())),
        (format!(r#"{{"sxId":"{other}","content":2}}"#), Err(Code::ReservedField)),
        (format!(r#"{{"sxId":"{id}","sxVersion":"{version}"}}"#), Ok("{}".into())),
        (format!(r#"{{"sxId":"{id}","sxVersion":"{other}"}}"#), Err(Code::VersionConflict)),
    ] {
        assert_eq!(update(&text), expected, "{text}");
    }
    for payload in [
        format!(r#"{{"sxId":"{other}","sxVersion":"{version}"}}"#),
        format!(r#"{{"sxId":"{id}"}}"#),
        r#"{"content":2}"#.into(),
    ] {
        assert_eq!(update(&payload), Ok(payload.clone()));
    }
}

#[test]
fn the_next_version_keeps_what_is_not_its_own() {
    let (fixture, other) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Pq2025, 2));
    let first = fixture.sign(Kind::Document, r#"{"a":1,"sxType":"order","sxLevel":"derived"}"#).unwrap();
    let registration = member(&first.raw, "sxSignature");
    let custom = with(&first.raw, &[], "$schema", Some("\"https://example.com/s\""));
    let current = with(&resigned(&custom, &fixture.key), &[], "sxRegistration", Some(&registration));
    let making = Making { schema: Some("https://example.com/s".into()), ..Making::default() };
    let next =
        document::update(&other.signer(), current.as_bytes(), br#"{"b":2}"#, &making, &moment(NOW + 5, 9))
            .unwrap();
    for name in ["$schema", "sxId", "sxOriginalVersion", "sxOriginalDate", "sxType", "sxLevel"] {
        assert_eq!(member(&next.raw, name), member(&current, name), "{name}");
    }
    let next_object = parse(&next.raw);
    let has = |name: &str| next_object.as_object().unwrap().contains(name);
    assert!(has("b") && !has("a") && !has("sxRegistration"));
    assert_eq!(member(&next.raw, "sxPreviousVersion"), member(&first.raw, "sxVersion"));
    assert_eq!(next.date, "2026-11-20T14:49:19.012Z");
    assert!(next.raw.contains(&format!(r#""agentID":"{}""#, other.agent.id)));
    assert!(next.raw.contains(&format!(r#""agentVersion":"{}""#, other.agent.version)));
}

#[test]
fn a_type_or_level_that_cannot_be_is_named() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    for (text, found) in [
        (r#"{"sxLevel":"x"}"#, "'sxLevel' is not one of raw, config, artifact, derived."),
        (r#"{"sxLevel":7}"#, "'sxLevel' is not one of raw, config, artifact, derived."),
        (r#"{"sxType":7}"#, "'sxType' is not a string."),
        (
            r#"{"sxType":"a b"}"#,
            "The field 'sxType' is not 1 to 64 letters, digits, hyphens or underscores, or dots between them.",
        ),
        ("[]", "A document must be a JSON object; sign other values as messages."),
    ] {
        let error = fixture.sign(Kind::Document, text).unwrap_err();
        assert_eq!((error.code, error.found.as_str()), (Code::InvalidDocument, found), "{text}");
    }
}

#[test]
fn a_document_is_made_with_the_id_of_its_custom_schema() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let signer = fixture.signer();
    let make = |schema: &str, is_draft: bool| {
        let making = Making { schema: Some(schema.into()), is_draft, ..of(Kind::Document) };
        document::create(&signer, br#"{"a":1}"#, &making, &moment(NOW, 7))
    };
    let update = |current: &str, schema: Option<&str>| {
        let making = Making { schema: schema.map(Into::into), ..Making::default() };
        document::update(&signer, current.as_bytes(), br#"{"a":2}"#, &making, &moment(NOW + 1, 8))
    };
    let schema_of =
        |raw: &str| parse(raw).as_object().unwrap().get("$schema").unwrap().as_str().unwrap().to_owned();
    let v1 = "https://example.com/v1/order.json";
    let made = make(v1, false).unwrap();
    assert_eq!(schema_of(&made.raw), v1);
    assert_eq!(fixture.verify(&made.raw).outcome.unwrap().data, r#"{"a":1}"#);

    // A draft is the same but for the signature, which is no one's.
    let draft = make(v1, true).unwrap();
    let document = parse(&made.raw);
    let signature = document.as_object().unwrap().get("sxSignature").unwrap().as_object().unwrap();
    let signature = signature.get("signature").unwrap().as_str().unwrap();
    assert_eq!(draft.raw, made.raw.replace(signature, ""));
    assert_eq!(fixture.verify(&draft.raw).outcome.unwrap_err().code, Code::BadSignature);

    // An update names the schema, the same or another one.
    assert_eq!(update(&made.raw, None).unwrap_err().code, Code::SchemaRequired);
    assert_eq!(schema_of(&update(&made.raw, Some(v1)).unwrap().raw), v1);
    let v2 = update(&made.raw, Some("urn:example:order:v2")).unwrap();
    assert_eq!(schema_of(&v2.raw), "urn:example:order:v2");
    assert_eq!(v2.previous.as_deref(), Some(made.version.as_str()));
    let plain = fixture.sign(Kind::Document, r#"{"a":1}"#).unwrap();
    assert_eq!(schema_of(&update(&plain.raw, Some(v1)).unwrap().raw), v1);

    let long = format!("x:{}", "a".repeat(999));
    for id in [
        "",
        "order",
        "order.json",
        ":a",
        "1a:b",
        "https://example.com/a b",
        "https://example.com/ä",
        "https://example.com/#a",
        "x:<",
        "x:\u{7f}",
        &long,
        SCHEMA_BASE,
        HEADER_SCHEMA,
    ] {
        assert_eq!(make(id, false).unwrap_err().code, Code::InvalidSchema, "{id}");
    }
    assert!(make(&long.chars().take(1000).collect::<String>(), false).is_ok());
}

#[test]
fn what_a_document_claims_is_read_and_no_signature_is_looked_at() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = fixture.sign(Kind::Document, r#"{"sxType":"invoice","total":1}"#).unwrap();
    let forged = made.raw.replace("\"total\":1", "\"total\":9");
    for text in [&made.raw, &forged] {
        let claims = sx_core::document::claims(text.as_bytes(), &Limits::default()).unwrap();
        for (name, claimed) in
            [("documentId", "sxId"), ("version", "sxVersion"), ("timestamp", "sxVersionDate")]
        {
            assert_eq!(member(&claims, name), member(text, claimed), "{name}");
        }
        assert_eq!(member(&claims, "type"), "\"invoice\"");
        assert_eq!(member(&claims, "agentId"), format!("\"{}\"", fixture.agent.id));
    }
    for (text, code) in [
        ("", Code::NotJson),
        ("1", Code::InvalidDocument),
        (&made.raw.replace("sxSignature", "sxSignatur"), Code::UnsupportedFormat),
    ] {
        let refused = sx_core::document::claims(text.as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(refused.code, code, "{text}");
    }
}
