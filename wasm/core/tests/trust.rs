//! Which agent documents the trust store takes, and what a source of keys may hold.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Fixture, NOW, member, renamed, resigned, with, with_entry, with_revocation};
use sx_core::agent;
use sx_core::document::Kind;
use sx_core::error::Code;
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::trust::admit;
use sx_core::verify::Verification;

fn admitted(offered: &str, known: &str) -> Result<String, Code> {
    admit(
        offered.as_bytes(),
        Some(known).filter(|known| !known.is_empty()).map(str::as_bytes),
        &Limits::default(),
    )
    .map(|agent| agent.name)
    .map_err(|error| error.code)
}

#[test]
fn t47_the_trust_store_only_moves_forward() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = &fixture.agent;
    let second = renamed(&fixture, &first.raw, "Second", NOW + 1);
    let third = renamed(&fixture, &second.raw, "Third", NOW + 2);
    assert_eq!(admitted(&second.raw, &first.raw), Ok("Second".into()));
    assert_eq!(admitted(&third.raw, &first.raw), Ok("Third".into()));
    assert_eq!(admitted(&first.raw, &second.raw), Err(Code::Rollback));
    assert_eq!(admitted(&first.raw, &third.raw), Err(Code::Rollback));
    // Also where the clock stands still.
    let hasty = renamed(&fixture, &first.raw, "Hasty", NOW);
    let hastier = renamed(&fixture, &hasty.raw, "Hastier", NOW);
    assert_eq!(admitted(&hasty.raw, &first.raw), Ok("Hasty".into()));
    assert_eq!(admitted(&first.raw, &hasty.raw), Err(Code::Rollback));
    assert_eq!(admitted(&first.raw, &hastier.raw), Err(Code::Rollback));
}

#[test]
fn another_key_or_a_forgery_is_not_admitted() {
    let (fixture, forger) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Ed25519, 2));
    // The known agent's document with the forger's key in it, signed by the forger.
    let keys = member(&forger.agent.raw, "sxPublicKeys");
    let forged = resigned(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys)), &forger.key);
    assert_eq!(admitted(&forged, ""), Ok("Test".into()), "alone it is what it says: a first contact");
    assert_eq!(admitted(&fixture.agent.raw, &fixture.agent.raw), Ok("Test".into()));
    assert_eq!(admitted(&forged, &fixture.agent.raw), Err(Code::KeyConflict));
    let stolen = resigned(&fixture.agent.raw, &forger.key);
    assert_eq!(admitted(&stolen, ""), Err(Code::KeyMismatch), "signed by a key that is not inside");
    assert_eq!(admitted(&forger.agent.raw, &fixture.agent.raw), Err(Code::CorruptStore));
    for (name, value, code) in [
        ("name", Some("\"Best\""), Code::BadSignature),
        ("sxPublicKeys", Some("[]"), Code::InvalidAgent),
        ("sxPublicKeys", None, Code::InvalidAgent),
        ("sxType", Some("\"message\""), Code::InvalidDocument),
        ("sxAgentType", Some("\"robot\""), Code::InvalidAgent),
    ] {
        assert_eq!(admitted(&with(&fixture.agent.raw, &[], name, value), ""), Err(code), "{name}");
    }
}

#[test]
fn a_revoked_key_counts_as_its_document_says() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = fixture.sign(Kind::Message, "1").unwrap().raw;
    let second = fixture.update(&first, "2").unwrap().raw; // a millisecond later
    let verdicts = |at: &str, reason: &str| {
        let agent = resigned(&with_revocation(&fixture.agent.raw, at, reason), &fixture.key);
        let mut ring = Ring::default();
        ring.set(&fixture.agent.id, Source::Trust, Some(agent.as_bytes()));
        [&first, &second].map(|document| {
            let started = Verification::start(document.as_bytes(), &Limits::default());
            started.finish(&ring).outcome.map(|_| ()).map_err(|error| error.code)
        })
    };
    let (now, next, later) =
        ("2026-11-20T14:49:19.007Z", "2026-11-20T14:49:19.008Z", "2027-01-01T00:00:00.000Z");
    for reason in ["superseded", "unspecified"] {
        assert_eq!(verdicts(later, reason), [Ok(()), Ok(())]);
        assert_eq!(verdicts(next, reason), [Ok(()), Err(Code::KeyRevoked)], "the first is from before");
    }
    // A document that its own key may not sign any more is none.
    for (at, reason) in [(now, "superseded"), (later, "compromised"), (later, "unknown")] {
        assert_eq!(verdicts(at, reason), [Err(Code::CorruptStore), Err(Code::CorruptStore)]);
    }
}

#[test]
fn a_revocation_is_never_taken_back() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let (early, late) = ("2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.001Z");
    let next = |text: &str| {
        let id = Some("\"00000000-0000-4000-8000-000000000009\"");
        let date = Some("\"2026-11-30T00:00:00.000Z\"");
        let text = with(&with(text, &[], "sxVersionDate", date), &["sxSignature"], "date", date);
        let text = with(&text, &[], "sxPreviousVersion", Some(&member(&text, "sxVersion")));
        with(&with(&text, &[], "sxVersion", id), &["sxSignature"], "agentVersion", id)
    };
    let signed = |text: &str| resigned(text, &fixture.key);
    let plain = fixture.agent.raw.as_str();
    let of = |at| with_revocation(plain, at, "superseded");
    for (offered, known, code) in [
        (next(plain), of(late), Err(Code::KeyRevoked)),
        (next(&of(late)), of(early), Err(Code::KeyRevoked)),
        (next(&of(late)), of(late), Ok("Test".into())),
        (next(&of(early)), of(late), Ok("Test".into())),
        (next(&of(late)), plain.into(), Ok("Test".into())),
    ] {
        assert_eq!(admitted(&signed(&offered), ""), Ok("Test".into()), "in itself it is whole");
        assert_eq!(admitted(&signed(&offered), &signed(&known)), code);
    }
}

#[test]
fn what_is_held_may_be_larger_than_the_callers_limits() {
    let fixture = Fixture::new(Algorithm::Pq2025, 1);
    let deep = format!("{}{}", "[".repeat(20), "]".repeat(20));
    let with_motto = with(&fixture.agent.raw, &[], "motto", Some(&deep));
    let agent = resigned(&with_motto, &fixture.key);
    let document = fixture.sign(Kind::Message, "1").unwrap().raw;
    let strict = Limits { bytes: document.len(), members: 20, depth: 3 };
    let verdict = |agent: &str, text: &str, limits: &Limits| {
        let mut ring = Ring::new(*limits);
        ring.set(&fixture.agent.id, Source::Trust, Some(agent.as_bytes()));
        Verification::start(text.as_bytes(), limits).finish(&ring).outcome.map(|checked| checked.trusted)
    };
    assert_eq!(verdict(&agent, &document, &strict), Ok(true));
    assert_eq!(verdict(&agent, &agent, &strict).map_err(|error| error.code), Err(Code::LimitExceeded));
    assert!(agent::open(agent.as_bytes(), &fixture.key, "", &strict).is_ok());
    let admit_known = |known: &str| {
        let limits = Limits { bytes: 40_000, members: 40, ..strict };
        admit(fixture.agent.raw.as_bytes(), Some(known.as_bytes()), &limits).map(|agent| agent.id)
    };
    assert_eq!(admit_known(&agent).unwrap_err().code, Code::VersionConflict, "it was read");
    // Beyond what is ever read by default, and beyond what this caller raised.
    for (value, limit) in [
        (format!("{}{}", "[".repeat(200), "]".repeat(200)), "more than 128 levels"),
        (format!("[{}1]", "1,".repeat(500_000)), "more than 500000 members"),
        (format!("\"{}\"", "x".repeat(32 << 20)), "the limit is 33554432"),
    ] {
        let plain = agent.replace(&deep, &value);
        for error in [
            verdict(&plain, &document, &strict).unwrap_err(),
            admit_known(&plain).unwrap_err(),
            agent::open(plain.as_bytes(), &fixture.key, "", &strict).map(|agent| agent.id).unwrap_err(),
        ] {
            assert_eq!(error.code, Code::LimitExceeded);
            assert!(
                error.found.contains(limit) && error.found.contains("stored agent document"),
                "{}",
                error.found
            );
        }
        let raised = Limits { depth: 300, members: 1_000_000, bytes: 64 << 20 };
        assert_eq!(verdict(&plain, &document, &raised).map_err(|error| error.code), Err(Code::CorruptStore));
    }
}

#[test]
fn a_refusal_says_which_document_was_offered_and_which_is_known() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let first = &fixture.agent;
    let second = renamed(&fixture, &first.raw, "Second", NOW + 1);
    let offer = |offered: &str, known: &str| {
        admit(offered.as_bytes(), Some(known.as_bytes()), &Limits::default()).map(|_| ()).unwrap_err()
    };
    let error = offer(&first.raw, &second.raw);
    assert_eq!(
        error.found,
        format!(
            "The given agent document (version {} of {}) is older than the trusted document (version {} of {}).",
            first.version, first.date, second.version, second.date
        )
    );
    // Two versions of one date, neither of which names the other.
    let other = "\"00000000-0000-4000-8000-000000000009\"";
    let twin = with(&second.raw, &[], "sxVersion", Some(other));
    let twin = resigned(&with(&twin, &["sxSignature"], "agentVersion", Some(other)), &fixture.key);
    let error = offer(&twin, &second.raw);
    assert_eq!(error.code, Code::Rollback);
    assert!(error.found.contains(") is not newer than the trusted document ("), "{}", error.found);
}

#[test]
fn t08_a_weak_key_is_refused_as_such() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    // The point of order 1: with it, one signature fits every message.
    let mut weak = [0u8; 44];
    weak.first_chunk_mut::<12>()
        .unwrap()
        .copy_from_slice(b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00");
    *weak.get_mut(12).unwrap() = 1;
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        <base64ct::Base64 as base64ct::Encoding>::encode_string(&weak)
    );
    let weak = with_entry(&fixture.agent.raw, |entry| drop(entry.insert("publicKey".into(), pem.into())));
    assert_eq!(admitted(&weak, ""), Err(Code::WeakPublicKey));
}
