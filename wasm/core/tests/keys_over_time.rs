//! Agents with several keys: rotation, revocation, what verifiers and the trust store make of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, author, member, moment, of, own, parse, renamed, resigned, with};
use sx_core::agent::{self, Agent};
use sx_core::document::{Kind, Made, SignatureField};
use sx_core::error::{Code, Error};
use sx_core::json::{self, Limits, Object, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::ring::{Ring, Source};
use sx_core::trust::admit;
use sx_core::verify::Verification;

const LIMITS: Limits = Limits { depth: 128, members: 500_000, bytes: 32 << 20 };

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap()
}

fn rotate(current: &str, keys: (&SecretKey, &SecretKey), reason: &str, now: u64) -> Made {
    agent::rotate(&own(current.as_bytes(), keys.0), keys.1, reason, &moment(now, now as u8)).unwrap()
}

/// An agent that has had three keys: its documents, and its keys.
struct Line {
    id: String,
    keys: [SecretKey; 3],
    documents: [String; 3],
}

impl Line {
    fn new() -> Self {
        Self::of(1)
    }

    fn of(n: u8) -> Self {
        let Fixture { key: first, agent, .. } = Fixture::new(Algorithm::Ed25519, n);
        let keys = [first, key(n + 30), key(n + 60)];
        let [one, two, three] = &keys;
        let second = rotate(&agent.raw, (one, two), "superseded", NOW + 10);
        let third = rotate(&second.raw, (two, three), "superseded", NOW + 20);
        Self { id: agent.id, documents: [agent.raw, second.raw, third.raw], keys }
    }

    fn latest(&self) -> &str {
        &self.documents[2]
    }

    /// A message signed by one of the keys.
    fn message(&self, at: usize, now: u64) -> String {
        let version = Agent::verify(self.documents[at].as_bytes(), &LIMITS).unwrap().version;
        let signer = author(&self.id, &version, &self.keys[at]);
        let made = sx_core::document::create(&signer, b"1", &of(Kind::Message), &moment(now, now as u8));
        made.unwrap().raw
    }

    /// The latest document under the id of another agent, signed again.
    fn moved(&self) -> String {
        let other = "00000000-0000-4000-8000-000000000001";
        let named = with(self.latest(), &[], "sxId", Some(&format!("\"{other}\"")));
        resigned(&with(&named, &["sxSignature"], "agentID", Some(&format!("\"{other}\""))), &self.keys[2])
    }

    /// The latest document with something changed, signed again by its last key.
    fn changed(&self, change: impl FnOnce(&mut Object)) -> String {
        let mut document = parse(self.latest());
        change(document.as_object_mut().unwrap());
        resigned(&json::write(&document), &self.keys[2])
    }
}

fn verified(text: &str) -> Result<Vec<String>, Code> {
    let ids = |agent: Agent| agent.keys.iter().map(|known| known.key.key_id().into()).collect();
    Agent::verify(text.as_bytes(), &LIMITS).map(ids).map_err(|error| error.code)
}

fn admitted(offered: &str, known: &str) -> Result<(), Code> {
    admit(offered.as_bytes(), Some(known.as_bytes()), &LIMITS).map(drop).map_err(|error| error.code)
}

fn ring(id: &str, sources: &[(Source, &str)]) -> Ring {
    let mut ring = Ring::default();
    for (source, text) in sources {
        ring.set(id, *source, Some(text.as_bytes()));
    }
    ring
}

/// Whether it is valid, and then whether it is trusted.
fn verdict(text: &str, ring: &Ring) -> Result<bool, Code> {
    let outcome = Verification::start(text.as_bytes(), &LIMITS).finish(ring).outcome;
    outcome.map(|checked| checked.trusted).map_err(|error: Error| error.code)
}

fn entries(document: &mut Object) -> &mut Vec<Value> {
    document.get_mut("sxPublicKeys").unwrap().as_array_mut().unwrap()
}

fn rotations(document: &mut Object) -> &mut Vec<Value> {
    document.get_mut("sxKeyRotation").unwrap().as_array_mut().unwrap()
}

fn entry(values: &mut [Value], at: usize) -> &mut Object {
    values[at].as_object_mut().unwrap()
}

#[test]
fn keys_stand_in_the_order_in_which_they_came() {
    let line = Line::new();
    let ids: Vec<String> = line.keys.iter().map(|key| key.public_key().key_id().into()).collect();
    for (at, document) in line.documents.iter().enumerate() {
        assert_eq!(verified(document).as_deref(), Ok(&ids[..=at]));
    }
    let agent = parse(line.latest());
    let agent = agent.as_object().unwrap();
    let rotations = agent.get("sxKeyRotation").and_then(Value::as_array).unwrap();
    assert_eq!(rotations.len(), 2);
    // The first rotation is the same in every version: who knows the first key can follow.
    assert_eq!(rotations[0], parse(&member(&line.documents[1], "sxKeyRotation")).as_array().unwrap()[0]);
    let revoked = |at: usize| {
        let entry = agent.get("sxPublicKeys").and_then(Value::as_array).unwrap()[at].as_object().unwrap();
        entry.get("revoked").map(json::write)
    };
    let superseded = |at: &str| Some(format!(r#"{{"at":"{at}","reason":"superseded"}}"#));
    assert_eq!(revoked(0), superseded("2026-11-20T14:49:19.017Z"));
    assert_eq!(revoked(1), superseded("2026-11-20T14:49:19.027Z"));
    assert_eq!(revoked(2), None);
}

#[test]
fn a_rotation_is_dated_after_the_version_before_it() {
    let line = Line::new();
    let later = rotate(&line.documents[1], (&line.keys[1], &key(13)), "superseded", NOW - 1000);
    assert_eq!(later.date, "2026-11-20T14:49:19.018Z");
    assert!(verified(&later.raw).is_ok());
}

#[test]
fn keys_of_both_algorithms_follow_each_other() {
    let Fixture { key: old, agent, .. } = Fixture::new(Algorithm::Pq2025, 1);
    let made = rotate(&agent.raw, (&old, &key(2)), "unspecified", NOW + 1);
    assert_eq!(verified(&made.raw).unwrap().len(), 2);
    let back = SecretKey::from_seed(Algorithm::Pq2025, &[3; 32]).unwrap();
    assert_eq!(verified(&rotate(&made.raw, (&key(2), &back), "superseded", NOW + 2).raw).unwrap().len(), 3);
}

#[test]
fn no_key_comes_twice_and_none_without_a_reason() {
    let line = Line::new();
    let refused = |new: &SecretKey, reason: &str| {
        let current = line.latest().as_bytes();
        let made = agent::rotate(&own(current, &line.keys[2]), new, reason, &moment(NOW + 30, 1));
        made.unwrap_err().code
    };
    assert_eq!(refused(&line.keys[2], "superseded"), Code::KeyConflict);
    assert_eq!(refused(&line.keys[0], "superseded"), Code::KeyConflict);
    assert_eq!(refused(&key(13), "stolen"), Code::InvalidOption);
}

#[test]
fn every_key_shows_that_it_is_the_agents_own() {
    let (line, victim) = (Line::new(), Line::of(2));
    // A victim's key with the proof over the victim's id, in the place of the first and of the last one.
    let foreign = parse(&member(victim.latest(), "sxPublicKeys")).as_array().unwrap()[0].clone();
    let shown = line.changed(|document| entries(document)[0] = foreign.clone());
    assert_eq!(verified(&shown), Err(Code::InvalidAgent), "the rotation names another key");
    let id = Value::from(victim.keys[0].public_key().key_id());
    let shown = line.changed(|document| {
        entries(document)[0] = foreign;
        drop(entry(rotations(document), 0).insert("fromKeyId".into(), id));
    });
    assert_eq!(verified(&shown), Err(Code::BadSignature));
    // One's own proof, but of another key or of another agent.
    for (at, from) in [(0, 1), (1, 2), (2, 0)] {
        let swapped = line.changed(|document| {
            let keys = entries(document);
            let proof = keys[from].as_object().unwrap().get("proof").unwrap().clone();
            entry(keys, at).insert("proof".into(), proof);
        });
        assert_eq!(verified(&swapped), Err(Code::BadSignature), "{at}");
        let removed = line.changed(|document| drop(entry(entries(document), at).remove("proof")));
        assert_eq!(verified(&removed), Err(Code::InvalidAgent), "{at}");
    }
    let id = Value::from(line.keys[0].public_key().key_id());
    let twice = line.changed(|document| {
        let first = entries(document)[0].clone();
        entries(document)[2] = first;
        drop(entry(rotations(document), 1).insert("toKeyId".into(), id));
    });
    assert_eq!(verified(&twice), Err(Code::InvalidAgent), "a key comes twice");
    let other = line.moved();
    assert_eq!(verified(&other), Err(Code::BadSignature), "the same keys under another id");
}

#[test]
fn a_rotation_is_made_by_the_key_before_for_this_agent_and_date() {
    let line = Line::new();
    let other = Line::of(2);
    let foreign = parse(&member(other.latest(), "sxKeyRotation"));
    let moved = line.changed(|document| drop(document.insert("sxKeyRotation".into(), foreign)));
    assert_eq!(verified(&moved), Err(Code::InvalidAgent), "it names other keys");
    for (name, value, code) in [
        ("date", Value::from("2026-11-20T14:49:19.018Z"), Code::BadSignature),
        ("date", Value::from("2026-11-20T14:49:19.028Z"), Code::InvalidAgent), // after the next one
        ("date", Value::from("2026-11-20T14:49:19.016Z"), Code::InvalidAgent), // the key is revoked later
        ("date", Value::from("2026"), Code::InvalidAgent),
        ("fromKeyId", Value::from(line.keys[1].public_key().key_id()), Code::InvalidAgent),
        ("toKeyId", Value::from(line.keys[2].public_key().key_id()), Code::InvalidAgent),
        ("signature", Value::from("AAAA"), Code::BadSignature),
        ("signature", Value::from("AAA"), Code::InvalidAgent),
        ("more", Value::from(""), Code::InvalidAgent),
    ] {
        let changed = line.changed(|document| drop(entry(rotations(document), 0).insert(name.into(), value)));
        assert_eq!(verified(&changed), Err(code), "{name}");
    }
    let swapped = line.changed(|document| {
        let rotations = rotations(document);
        let signature = rotations[1].as_object().unwrap().get("signature").unwrap().clone();
        entry(rotations, 0).insert("signature".into(), signature);
    });
    assert_eq!(verified(&swapped), Err(Code::BadSignature));
    assert_eq!(verified(&line.changed(|document| drop(rotations(document).pop()))), Err(Code::InvalidAgent));
    assert_eq!(
        verified(&line.changed(|document| drop(document.remove("sxKeyRotation")))),
        Err(Code::InvalidAgent)
    );
    assert_eq!(verified(&line.changed(|document| rotations(document).reverse())), Err(Code::InvalidAgent));
}

#[test]
fn only_the_last_key_is_current() {
    let line = Line::new();
    let not_revoked = line.changed(|document| drop(entry(entries(document), 0).remove("revoked")));
    assert_eq!(verified(&not_revoked), Err(Code::InvalidAgent));
    let all = line.changed(|document| {
        let revoked = parse(r#"{"at":"2030-01-01T00:00:00.000Z","reason":"superseded"}"#);
        entry(entries(document), 2).insert("revoked".into(), revoked);
    });
    assert_eq!(verified(&all), Err(Code::KeyRevoked));
    assert_eq!(verified(&resigned(line.latest(), &line.keys[1])), Err(Code::KeyMismatch));
    // One key alone has neither proof nor rotation.
    for (name, value) in [("proof", "\"AAAA\""), ("sxKeyRotation", "[]")] {
        let path: &[&str] = if name == "proof" { &["x"] } else { &[] };
        let first = &line.documents[0];
        let changed = if path.is_empty() {
            with(first, path, name, Some(value))
        } else {
            common::with_entry(first, |entry| drop(entry.insert(name.into(), parse(value))))
        };
        assert_eq!(verified(&resigned(&changed, &line.keys[0])), Err(Code::InvalidAgent), "{name}");
    }
}

#[test]
fn what_a_key_signed_before_it_was_superseded_stays_valid() {
    let line = Line::new();
    for source in [Source::Own, Source::Trust, Source::Document] {
        let ring = ring(&line.id, &[(source, line.latest())]);
        let trusted = source != Source::Document;
        assert_eq!(verdict(&line.message(0, NOW + 9), &ring), Ok(trusted));
        assert_eq!(verdict(&line.message(0, NOW + 10), &ring), Err(Code::KeyRevoked));
        assert_eq!(verdict(&line.message(1, NOW + 11), &ring), Ok(trusted));
        assert_eq!(verdict(&line.message(1, NOW + 20), &ring), Err(Code::KeyRevoked));
        assert_eq!(verdict(&line.message(2, NOW + 21), &ring), Ok(trusted));
        for document in &line.documents {
            assert_eq!(verdict(document, &ring), Ok(trusted));
        }
    }
}

#[test]
fn nothing_that_a_compromised_key_signed_is_valid() {
    let line = Line::new();
    let (first, second) = (line.keys[0].public_key(), line.keys[1].public_key());
    let revoke = |key_id: &str, reason: &str, current: &str| {
        let key = &line.keys[2];
        agent::revoke(&own(current.as_bytes(), key), key_id, reason, false, &moment(NOW + 30, 3))
            .map(|made| made.map(|made| made.raw))
            .map_err(|error| error.code)
    };
    let revoked = revoke(first.key_id(), "compromised", line.latest()).unwrap().unwrap();
    assert_eq!(verified(&revoked).unwrap().len(), 3);
    let ring = ring(&line.id, &[(Source::Trust, &revoked)]);
    assert_eq!(verdict(&line.message(0, NOW + 9), &ring), Err(Code::KeyRevoked));
    assert_eq!(verdict(&line.message(1, NOW + 11), &ring), Ok(true));
    // Revocations only become stricter.
    assert_eq!(revoke(first.key_id(), "compromised", &revoked), Ok(None));
    assert_eq!(revoke(first.key_id(), "superseded", &revoked), Err(Code::KeyRevoked));
    assert_eq!(revoke(first.key_id(), "stolen", &revoked), Err(Code::InvalidOption));
    assert_eq!(revoke(second.key_id(), "superseded", &revoked), Ok(None));
    assert_eq!(revoke(line.keys[2].public_key().key_id(), "compromised", &revoked), Err(Code::InvalidOption));
    assert_eq!(revoke(key(13).public_key().key_id(), "compromised", &revoked), Err(Code::KeyMismatch));
    assert_eq!(admitted(&revoked, line.latest()), Ok(()));
    let back = renamed_by(&line.keys[2], line.latest(), NOW + 40);
    assert_eq!(admitted(&back, &revoked), Err(Code::KeyRevoked));
}

#[test]
fn k06_a_key_that_is_revoked_from_a_date_to_come_is_ended_now() {
    let line = Line::new();
    let [_, second, third] = [0, 1, 2].map(|at| line.keys[at].public_key().key_id());
    let end = |reason: &str, now: u64, current: &str| {
        let own = own(current.as_bytes(), &line.keys[2]);
        agent::revoke(&own, second, reason, true, &moment(now, (now - NOW) as u8))
            .map(|made| made.map(|made| made.raw))
            .map_err(|error| error.code)
    };
    // It is revoked from NOW + 20 on.
    assert_eq!(end("superseded", NOW + 20, line.latest()), Ok(None));
    let ended = end("superseded", NOW + 15, line.latest()).unwrap().unwrap();
    assert_eq!(verified(&ended).unwrap().len(), 3);
    let ring = ring(&line.id, &[(Source::Trust, &ended)]);
    assert_eq!(verdict(&line.message(1, NOW + 14), &ring), Ok(true));
    assert_eq!(verdict(&line.message(1, NOW + 15), &ring), Err(Code::KeyRevoked));
    assert_eq!(admitted(&ended, line.latest()), Ok(()));
    assert_eq!(admitted(line.latest(), &ended), Err(Code::KeyRevoked));
    assert_eq!(end("superseded", NOW + 16, &ended), Ok(None));
    let compromised = end("compromised", NOW + 14, &ended).unwrap().unwrap();
    assert!(end("compromised", NOW + 13, &compromised).unwrap().is_some());
    assert_eq!(end("superseded", NOW + 12, &compromised), Err(Code::KeyRevoked));
    let own = own(ended.as_bytes(), &line.keys[2]);
    let current = agent::revoke(&own, third, "superseded", true, &moment(NOW, 3));
    assert_eq!(current.err().map(|error| error.code), Some(Code::InvalidOption));
}

fn renamed_by(key: &SecretKey, current: &str, now: u64) -> String {
    let text = with(current, &[], "name", Some("\"Later\""));
    agent::update(&own(current.as_bytes(), key), text.as_bytes(), &moment(now, 9)).unwrap().raw
}

#[test]
fn an_update_keeps_keys_and_rotations() {
    let line = Line::new();
    let later = renamed_by(&line.keys[2], line.latest(), NOW + 30);
    assert_eq!(verified(&later).unwrap().len(), 3);
    let text = with(line.latest(), &[], "sxKeyRotation", Some("[]"));
    let refused =
        agent::update(&own(line.latest().as_bytes(), &line.keys[2]), text.as_bytes(), &moment(NOW, 9));
    assert_eq!(refused.unwrap_err().code, Code::KeyConflict);
}

#[test]
fn t47_the_trust_store_follows_rotations_and_goes_back_over_none() {
    let line = Line::new();
    let [first, second, third] = &line.documents;
    for (offered, known, answer) in [
        (second, first, Ok(())),
        (third, first, Ok(())), // over a key that was never seen
        (third, second, Ok(())),
        (third, third, Ok(())),
        (first, second, Err(Code::Rollback)),
        (second, third, Err(Code::Rollback)),
        (first, third, Err(Code::Rollback)),
    ] {
        assert_eq!(admitted(offered, known), answer);
    }
    // The old key goes on as if nothing had happened.
    let stolen = renamed_by(&line.keys[0], first, NOW + 99);
    assert_eq!(admitted(&stolen, first), Ok(()));
    assert_eq!(admitted(&stolen, third), Err(Code::Rollback));
    // Whatever date it has got, it does not stand in the way of the rotation.
    let last_moment = renamed_by(&line.keys[0], first, 253_402_300_799_999);
    assert_eq!(admitted(&last_moment, first), Ok(()));
    assert_eq!(admitted(second, &last_moment), Ok(()));
    assert_eq!(admitted(third, &last_moment), Ok(()));
    assert_eq!(admitted(&last_moment, second), Err(Code::Rollback));
    // Its thief rotates it to a key of his own: only who does not know the successor takes that.
    let rival = rotate(first, (&line.keys[0], &key(66)), "superseded", NOW + 99).raw;
    assert_eq!(admitted(&rival, first), Ok(()));
    assert_eq!(admitted(&rival, second), Err(Code::KeyConflict));
    assert_eq!(admitted(third, &rival), Err(Code::KeyConflict));
}

#[test]
fn a_rotation_away_from_a_compromised_key_counts() {
    let line = Line::new();
    let [first, second, _] = &line.documents;
    let away = rotate(second, (&line.keys[1], &line.keys[2]), "compromised", NOW + 20).raw;
    for known in [first, second] {
        assert_eq!(admitted(&away, known), Ok(()));
    }
    let ring = ring(&line.id, &[(Source::Trust, &away)]);
    assert_eq!(verdict(&line.message(1, NOW + 11), &ring), Err(Code::KeyRevoked));
    assert_eq!(verdict(&line.message(0, NOW + 9), &ring), Ok(true));
    let rival = rotate(second, (&line.keys[1], &key(66)), "superseded", NOW + 99).raw;
    assert_eq!(admitted(&rival, &away), Err(Code::KeyConflict));
}

#[test]
fn t06_sources_agree_where_one_knows_less() {
    let line = Line::new();
    let pem = |at: usize| line.keys[at].public_key().to_spki_pem();
    let [first, _, third] = &line.documents;
    let (old, new) = (line.message(0, NOW + 9), line.message(2, NOW + 21));
    // A key file holds one of the keys of the document, an earlier one too.
    for at in 0..3 {
        let ring = ring(&line.id, &[(Source::Trust, third), (Source::Directory, &pem(at))]);
        assert_eq!((verdict(&old, &ring), verdict(&new, &ring)), (Ok(true), Ok(true)), "{at}");
    }
    // The document is older than the key file, and nothing shows where that one comes from.
    let ring_of = |sources: &[(Source, &str)]| ring(&line.id, sources);
    let behind = ring_of(&[(Source::Trust, first), (Source::Directory, &pem(2))]);
    assert_eq!(
        (verdict(&old, &behind), verdict(&new, &behind)),
        (Err(Code::KeyConflict), Err(Code::KeyConflict))
    );
    // Of two documents the one with more keys counts, but trust is for the keys of the trusted one.
    let ahead = ring_of(&[(Source::Trust, first), (Source::Document, third)]);
    assert_eq!((verdict(&old, &ahead), verdict(&new, &ahead)), (Ok(true), Ok(false)));
    assert_eq!(verdict(&line.message(0, NOW + 10), &ahead), Err(Code::KeyRevoked));
    // Two that were rotated apart.
    let rival = rotate(first, (&line.keys[0], &key(66)), "superseded", NOW + 99).raw;
    let apart = ring_of(&[(Source::Trust, third), (Source::Document, &rival)]);
    assert_eq!(
        (verdict(&old, &apart), verdict(&new, &apart)),
        (Err(Code::KeyConflict), Err(Code::KeyConflict))
    );
    // Key files alone: one key.
    let alone = ring_of(&[(Source::Directory, &pem(0)), (Source::Named, &pem(0))]);
    assert_eq!((verdict(&old, &alone), verdict(&new, &alone)), (Ok(false), Err(Code::KeyMismatch)));
    let differ = ring_of(&[(Source::Directory, &pem(0)), (Source::Named, &pem(2))]);
    assert_eq!(verdict(&old, &differ), Err(Code::KeyConflict));
    // A key that the agent never had.
    let forged = resigned(&old, &key(66));
    assert_eq!(verdict(&forged, &ring_of(&[(Source::Trust, third)])), Err(Code::KeyMismatch));
}

#[test]
fn an_agent_opens_with_its_current_key_only() {
    let line = Line::new();
    let open = |at: usize, beside: &str| {
        agent::open(line.latest().as_bytes(), &line.keys[at], beside, &LIMITS)
            .map(drop)
            .map_err(|error| error.code)
    };
    let pem = |at: usize| line.keys[at].public_key().to_spki_pem();
    assert_eq!(open(2, ""), Ok(()));
    assert_eq!(open(2, &pem(1)), Ok(()), "the public key file is brought up to date later");
    assert_eq!(open(2, &key(13).public_key().to_spki_pem()), Err(Code::KeyMismatch));
    assert_eq!(open(1, ""), Err(Code::WrongPassword));
    assert_eq!(open(1, &pem(1)), Err(Code::KeyMismatch));
}

#[test]
fn a_registration_is_for_one_version_of_one_agent() {
    let (line, registrar) = (Line::new(), Fixture::new(Algorithm::Ed25519, 5));
    let register = |text: &str, key: &[u8], algorithm: &str| {
        agent::register(&registrar.signer(), text.as_bytes(), key, algorithm, &moment(NOW + 50, 8))
            .map_err(|error| error.code)
    };
    let pem = line.keys[2].public_key().to_spki_pem();
    let registered = register(line.latest(), pem.as_bytes(), "ed25519").unwrap();
    let verify = |text: &str| {
        let started = Verification::start(text.as_bytes(), &LIMITS);
        started.finish_signature(&registrar.ring, SignatureField::Registration).map_err(|error| error.code)
    };
    assert_eq!(verify(&registered), Ok(()));
    assert_eq!(verified(&registered).unwrap().len(), 3);
    assert_eq!(admitted(&registered, &line.documents[1]), Ok(()));
    // Again, and by an earlier key of the document, in all of its forms.
    let earlier = line.keys[0].public_key();
    let pem_of_it = earlier.to_spki_pem();
    for key in [pem_of_it.as_bytes(), &earlier.to_spki_der(), earlier.to_raw()] {
        assert_eq!(verify(&register(&registered, key, "ring-Ed25519").unwrap()), Ok(()));
    }
    // Moved to another version, and to another agent.
    let registration = member(&registered, "sxRegistration");
    for other in [&line.documents[1], Line::of(2).latest()] {
        let moved = with(other, &[], "sxRegistration", Some(&registration));
        assert_eq!(verify(&moved), Err(Code::BadSignature));
    }
    assert_eq!(verify(line.latest()), Err(Code::MissingSignature));
    // Another key, another kind of key, no agent document.
    assert_eq!(register(line.latest(), key(13).public_key().to_raw(), "ed25519"), Err(Code::KeyMismatch));
    assert_eq!(register(line.latest(), pem.as_bytes(), "pq2025"), Err(Code::InvalidKey));
    assert_eq!(register(line.latest(), pem.as_bytes(), "rsa"), Err(Code::InvalidOption));
    assert_eq!(register(&line.message(0, NOW), pem.as_bytes(), "ed25519"), Err(Code::InvalidAgent));
    let broken = with(line.latest(), &[], "name", Some("\"x\""));
    assert_eq!(register(&broken, pem.as_bytes(), "ed25519"), Err(Code::BadSignature));
}

#[test]
fn a_rotation_belongs_on_agent_documents_only() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let message = fixture.sign(Kind::Message, "1").unwrap().raw;
    let with_rotation = resigned(&with(&message, &[], "sxKeyRotation", Some("[]")), &fixture.key);
    assert_eq!(verdict(&with_rotation, &fixture.ring), Err(Code::InvalidDocument));
    let renamed = renamed(&fixture, &fixture.agent.raw, "Second", NOW + 1).raw;
    assert_eq!(verdict(&renamed, &fixture.ring), Ok(true));
}
