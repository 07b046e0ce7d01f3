//! The limits are the same through every door: as a payload, inside of its document, or as the
//! whole document of the next version.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Fixture, NOW, member, moment, of, with};
use sx_core::agent::{self, Own};
use sx_core::document::{self, Author, Kind, Made, Making};
use sx_core::error::{Code, Result};
use sx_core::json::{self, Limits};
use sx_core::keys::Algorithm;
use sx_core::verify::Verification;

const LIMITS: Limits = Limits { depth: 5, members: 164, bytes: 20 * 1024 };

/// Signs a message's payload through every door, under `limits`.
fn doors(fixture: &Fixture, payload: &str, limits: &Limits) -> Vec<Result<Made>> {
    let create = |kind, text: &str| {
        document::create(
            &Author { limits: *limits, ..fixture.signer() },
            text.as_bytes(),
            &of(kind),
            &moment(NOW, 100),
        )
    };
    let first = create(Kind::Message, "1").unwrap();
    let update = |text: &str| {
        let (current, text) = (first.raw.as_bytes(), text.as_bytes());
        document::update(
            &Author { limits: *limits, ..fixture.signer() },
            current,
            text,
            &Making::default(),
            &moment(NOW, 101),
        )
    };
    let inside = format!(r#"{{"sxType":"message","content":{payload}}}"#);
    let whole = first.raw.replace(r#""content":1"#, &format!(r#""content":{payload}"#));
    vec![create(Kind::Message, payload), create(Kind::Document, &inside), update(payload), update(&whole)]
}

fn items(count: usize) -> String {
    format!("[{}]", vec!["1"; count].join(","))
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

#[test]
fn what_fits_exactly_is_taken_by_every_door_and_one_more_by_none() {
    let string = |bytes: usize| format!("\"{}\"", "x".repeat(bytes));
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let fixture = Fixture::new(algorithm, 1);
        // The body is {"content":…}: one level, one member, 12 bytes and the quotes around the payload.
        for (fits, over, what) in [
            (nested(4), nested(5), "6 levels; the limit is 5"),
            (items(99), items(100), "101 members and items; the limit is 100"),
            (string(4096 - 14), string(4096 - 13), "4097 bytes; the limit is 4096"),
        ] {
            for made in doors(&fixture, &fits, &LIMITS) {
                let started = Verification::start(made.unwrap().raw.as_bytes(), &LIMITS);
                assert_eq!(started.finish(&fixture.ring).outcome.unwrap().data, fits);
            }
            for refused in doors(&fixture, &over, &LIMITS) {
                let error = refused.unwrap_err();
                assert_eq!(error.code, Code::LimitExceeded);
                // The reader may have found it first.
                assert!(error.found.contains(what) || error.found.contains("more than 5 levels"), "{error}");
            }
        }
    }
}

#[test]
fn a_document_at_the_limit_has_next_versions_and_can_be_handed_in_whole() {
    let fixture = Fixture::new(Algorithm::Pq2025, 1);
    let text = format!(r#"{{"a":{},"b":{},"c":"{}"}}"#, nested(4), items(94), "x".repeat(3870));
    let mut made = document::create(
        &Author { limits: LIMITS, ..fixture.signer() },
        text.as_bytes(),
        &of(Kind::Document),
        &moment(NOW, 1),
    )
    .unwrap();
    for n in 2..5 {
        let (current, whole) = (made.raw.as_bytes(), made.raw.as_bytes());
        made = document::update(
            &Author { limits: LIMITS, ..fixture.signer() },
            current,
            whole,
            &Making::default(),
            &moment(NOW + n, n as u8),
        )
        .unwrap();
    }
    let over = text.replace("[1,", "[1,1,");
    let refused = document::update(
        &Author { limits: LIMITS, ..fixture.signer() },
        made.raw.as_bytes(),
        over.as_bytes(),
        &Making::default(),
        &moment(NOW, 1),
    );
    assert_eq!(refused.unwrap_err().code, Code::LimitExceeded);
}

#[test]
fn the_text_that_is_handed_in_has_the_limit_of_every_text() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let create = |text: &str| {
        document::create(
            &Author { limits: LIMITS, ..fixture.signer() },
            text.as_bytes(),
            &of(Kind::Message),
            &moment(NOW, 1),
        )
    };
    let spaces = |bytes: usize| " ".repeat(bytes - 1) + "1";
    assert!(create(&spaces(LIMITS.bytes)).is_ok());
    assert_eq!(create(&spaces(LIMITS.bytes + 1)).unwrap_err().code, Code::LimitExceeded);
}

#[test]
fn limits_too_small_for_any_signed_document_let_none_be_made() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let create = |limits: Limits| {
        document::create(&Author { limits, ..fixture.signer() }, b"1", &of(Kind::Message), &moment(NOW, 1))
            .map_err(|e| e.found)
    };
    let levels = "The document would have 2 levels; the limit is 1.";
    assert_eq!(create(Limits { depth: 1, ..LIMITS }), Err(levels.into()));
    assert!(create(Limits { depth: 2, ..LIMITS }).is_ok());
    let members = "The document would have 1 members and items; the limit is 0.";
    assert_eq!(create(Limits { members: 64, ..LIMITS }), Err(members.into()));
    assert!(create(Limits { members: 65, ..LIMITS }).is_ok());
    let bytes = "The document would have 13 bytes; the limit is 12.";
    assert_eq!(create(Limits { bytes: 16 * 1024 + 12, ..LIMITS }), Err(bytes.into()));
    assert!(create(Limits { bytes: 16 * 1024 + 13, ..LIMITS }).is_ok());
}

#[test]
fn the_longest_header_of_a_custom_schema_leaves_room() {
    let fixture = Fixture::new(Algorithm::Pq2025, 1);
    let schema = format!("https://example.com/{}", "s".repeat(980));
    let signer = Author { limits: LIMITS, ..fixture.signer() };
    let making = Making { schema: Some(schema.clone()), ..of(Kind::Document) };
    let body = r#"{"sxType":"order","text":"#;
    let room = LIMITS.bytes - 16 * 1024 - r#"{"text":""}"#.len();
    let text = format!(r#"{body}"{}"}}"#, "x".repeat(room));
    let made = document::create(&signer, text.as_bytes(), &making, &moment(NOW, 1)).unwrap();
    let next = document::update(&signer, made.raw.as_bytes(), made.raw.as_bytes(), &making, &moment(NOW, 2));
    assert!(next.unwrap().raw.len() <= LIMITS.bytes);
}

#[test]
fn an_agent_document_has_the_limits_of_a_document() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let update = |value: &str| {
        let text = with(&fixture.agent.raw, &[], "more", Some(value));
        let (current, limits) = (fixture.agent.raw.as_bytes(), LIMITS);
        agent::update(&Own { text: current, key: &fixture.key, limits }, text.as_bytes(), &moment(NOW, 3))
            .map(|made| made.raw)
    };
    // Name, type, the list of keys with its one entry of four members, and `more` itself: nine.
    assert_eq!(member(&update(&items(91)).unwrap(), "more"), items(91));
    assert_eq!(update(&items(92)).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(json::write(&common::parse(&nested(4))), member(&update(&nested(4)).unwrap(), "more"));
    assert_eq!(update(&nested(5)).unwrap_err().code, Code::LimitExceeded);
}
