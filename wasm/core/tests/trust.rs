//! Agent documents and which of them the trust store takes.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Fixture, NOW, entropy, parse, resigned, with};
use sx_core::agent::{self, Agent, Profile};
use sx_core::document::Made;
use sx_core::error::Code;
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::trust::admit;

fn renamed(fixture: &Fixture, current: &str, name: &str, now: u64) -> Made {
    let text = with(current, &[], "name", Some(&format!("\"{name}\"")));
    agent::update(
        current.as_bytes(),
        text.as_bytes(),
        &fixture.key,
        now,
        &entropy(now as u8 ^ name.len() as u8),
        &Limits::default(),
    )
    .unwrap()
}

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
fn an_agent_vouches_for_itself() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let fixture = Fixture::new(algorithm, 1);
        let agent = Agent::verify(fixture.agent.raw.as_bytes(), &Limits::default()).unwrap();
        assert_eq!((agent.id, agent.version), (fixture.agent.id.clone(), fixture.agent.version.clone()));
        assert_eq!(agent.keys.len(), 1);
        assert!(fixture.verify(&fixture.agent.raw).outcome.is_ok());
        assert_eq!(admitted(&fixture.agent.raw, ""), Ok("Test".into()));
        assert_eq!(admitted(&fixture.agent.raw, &fixture.agent.raw), Ok("Test".into()));
    }
}

#[test]
fn profiles_that_are_refused() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let long = "x".repeat(257);
    for profile in [
        Profile { name: "", ..Profile::default() },
        Profile { name: " ", ..Profile::default() },
        Profile { name: &long, ..Profile::default() },
        Profile { name: "x", domain: Some("not a domain"), ..Profile::default() },
        Profile { name: "x", domain: Some("-a.example"), ..Profile::default() },
        Profile { name: "x", domain: Some(""), ..Profile::default() },
        Profile { name: "x", agent_type: Some("robot"), ..Profile::default() },
    ] {
        let made = agent::create(&profile, &fixture.key, NOW, &entropy(1), &Limits::default());
        assert_eq!(made.unwrap_err().code, Code::InvalidOption, "{profile:?}");
    }
}

#[test]
fn an_update_changes_the_profile_and_nothing_else() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let next = renamed(&fixture, &fixture.agent.raw, "Newer", NOW + 1);
    assert_eq!(next.previous.as_ref(), Some(&fixture.agent.version));
    assert_eq!(Agent::verify(next.raw.as_bytes(), &Limits::default()).unwrap().name, "Newer");
    let update = |text: &str| {
        agent::update(
            fixture.agent.raw.as_bytes(),
            text.as_bytes(),
            &fixture.key,
            NOW,
            &entropy(5),
            &Limits::default(),
        )
        .map_err(|error| error.code)
    };
    let other = Fixture::new(Algorithm::Ed25519, 2).agent.raw;
    let keys = sx_core::json::write(parse(&other).as_object().unwrap().get("sxPublicKeys").unwrap());
    assert_eq!(update(r#"{"name":"x"}"#), Err(Code::InvalidAgent), "not a complete document");
    assert_eq!(update("[]"), Err(Code::InvalidAgent));
    assert_eq!(update(&other), Err(Code::KeyMismatch));
    assert_eq!(update(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys))), Err(Code::KeyConflict));
    assert_eq!(
        update(&with(&fixture.agent.raw, &[], "sxVersion", Some("\"00000000-0000-4000-8000-000000000001\""))),
        Err(Code::ReservedField)
    );
    assert_eq!(update(&with(&fixture.agent.raw, &[], "name", Some("7"))), Err(Code::InvalidAgent));
    assert!(update(&with(&fixture.agent.raw, &[], "motto", Some("\"own members are fine\""))).is_ok());
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
    let keys =
        sx_core::json::write(parse(&forger.agent.raw).as_object().unwrap().get("sxPublicKeys").unwrap());
    let forged = resigned(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys)), &forger.key);
    assert_eq!(admitted(&forged, ""), Ok("Test".into()), "alone it is what it says: a first contact");
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
    let document = fixture.sign(sx_core::document::Kind::Message, "1").unwrap().raw;
    let verdict = |at: &str, reason: &str| {
        let agent = parse(&fixture.agent.raw);
        let keys = agent.as_object().unwrap().get("sxPublicKeys").unwrap().as_array().unwrap();
        let mut entry = keys.first().unwrap().clone();
        let revoked = format!(r#"{{"at":"{at}","reason":"{reason}"}}"#);
        entry.as_object_mut().unwrap().insert("revoked".into(), parse(&revoked));
        let keys = format!("[{}]", sx_core::json::write(&entry));
        // Signed by a second key of the agent, since the revoked one vouches for nothing.
        let other = Fixture::new(Algorithm::Ed25519, 2);
        let more =
            sx_core::json::write(parse(&other.agent.raw).as_object().unwrap().get("sxPublicKeys").unwrap());
        let both = format!("{},{}", keys.trim_end_matches(']'), more.trim_start_matches('['));
        let agent = resigned(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&both)), &other.key);
        let mut ring = sx_core::ring::Ring::default();
        ring.set(&fixture.agent.id, sx_core::ring::Source::Trust, Some(agent.as_bytes()), &Limits::default());
        let started = sx_core::document::Verification::start(document.as_bytes(), &Limits::default());
        started.finish(&ring).outcome.map(|_| ()).map_err(|error| error.code)
    };
    let (before, after) = ("2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z");
    assert_eq!(verdict(after, "superseded"), Ok(()), "signed before the key was replaced");
    assert_eq!(verdict(before, "superseded"), Err(Code::KeyRevoked));
    assert_eq!(verdict(before, "unspecified"), Err(Code::KeyRevoked));
    assert_eq!(verdict(after, "compromised"), Err(Code::KeyRevoked), "the thief writes dates");
    assert_eq!(verdict(after, "unknown"), Err(Code::CorruptStore));
}

#[test]
fn a_revocation_is_never_taken_back() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let other = Fixture::new(Algorithm::Ed25519, 2);
    let entry = |fixture: &Fixture| {
        let agent = parse(&fixture.agent.raw);
        agent.as_object().unwrap().get("sxPublicKeys").unwrap().as_array().unwrap().first().unwrap().clone()
    };
    // Two keys, the first one compromised; then the thief's later version without the revocation.
    let mut revoked = entry(&fixture);
    let reason = r#"{"at":"2026-11-01T00:00:00.000Z","reason":"compromised"}"#;
    revoked.as_object_mut().unwrap().insert("revoked".into(), parse(reason));
    let keys = |first| sx_core::json::write(&vec![first, entry(&other)].into());
    let known = with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys(revoked)));
    let known = resigned(&known, &other.key);
    assert_eq!(admitted(&known, ""), Ok("Test".into()));
    let later = |text: &str| {
        let date = Some("\"2026-11-30T00:00:00.000Z\"");
        with(&with(text, &[], "sxVersionDate", date), &["sxSignature"], "date", date)
    };
    let previous = parse(&fixture.agent.raw).as_object().unwrap().get("sxVersion").cloned().unwrap();
    let next = |text: &str| {
        let id = "00000000-0000-4000-8000-000000000009";
        let text = with(&later(text), &[], "sxPreviousVersion", Some(&sx_core::json::write(&previous)));
        let text = with(&text, &[], "sxVersion", Some(&format!("\"{id}\"")));
        with(&text, &["sxSignature"], "agentVersion", Some(&format!("\"{id}\"")))
    };
    let stolen = next(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys(entry(&fixture)))));
    assert_eq!(admitted(&resigned(&stolen, &fixture.key), ""), Ok("Test".into()), "in itself it is whole");
    assert_eq!(admitted(&resigned(&stolen, &fixture.key), &known), Err(Code::KeyRevoked));
    assert_eq!(admitted(&resigned(&next(&known), &other.key), &known), Ok("Test".into()));
    assert_eq!(admitted(&resigned(&next(&known), &fixture.key), &known), Err(Code::KeyRevoked));
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
    let agent = parse(&fixture.agent.raw);
    let keys = agent.as_object().unwrap().get("sxPublicKeys").unwrap().as_array().unwrap();
    let mut entry = keys.first().unwrap().clone();
    entry.as_object_mut().unwrap().insert("publicKey".into(), pem.into());
    let keys = format!("[{}]", sx_core::json::write(&entry));
    assert_eq!(
        admitted(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys)), ""),
        Err(Code::WeakPublicKey)
    );
}
