//! K10: revocations that a key makes in advance, and what they take back once somebody applies them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, author, entropy, member, moment, of, own, parse, with, with_revocation};
use sx_core::agent::{self, Agent, Own};
use sx_core::base64;
use sx_core::document::Kind;
use sx_core::error::Code;
use sx_core::held::{self, add, document_of};
use sx_core::json::{self, Limits, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::revocation::{self, Statement};
use sx_core::ring::{Ring, Source};
use sx_core::statement::{Context, pae};
use sx_core::trust::{admit, admit_own};
use sx_core::trust_mark;
use sx_core::verify::Verification;

const LIMITS: Limits = Limits { depth: 128, members: 500_000, bytes: 32 << 20 };
const AT: u64 = NOW + 50;

struct Case {
    id: String,
    first: SecretKey,
    second: SecretKey,
    /// The agent document with the first key, and after its rotation.
    before: String,
    after: String,
}

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap()
}

impl Case {
    fn new(algorithm: Algorithm) -> Self {
        let Fixture { key: first, agent, .. } = Fixture::new(algorithm, 1);
        let second = key(60);
        let keys = (&first, &second);
        let after =
            agent::rotate(&own(agent.raw.as_bytes(), keys.0), keys.1, "superseded", &moment(NOW + 100, 2));
        Self { id: agent.id, after: after.unwrap().raw, before: agent.raw, first, second }
    }

    /// A statement of the first key, made when that was current.
    fn stated(&self, reason: &str, now: u64) -> Result<String, Code> {
        let current = self.before.as_bytes();
        revocation::make(&own(current, &self.first), None, reason, &moment(now, 3))
            .map_err(|error| error.code)
    }

    fn message(&self, key: &SecretKey, now: u64) -> String {
        let version = Agent::verify(self.before.as_bytes(), &LIMITS).unwrap().version;
        let signer = author(&self.id, &version, key);
        sx_core::document::create(&signer, b"1", &of(Kind::Message), &moment(now, 4)).unwrap().raw
    }

    fn verdict(&self, text: &str, source: Source, held: &str) -> Result<bool, Code> {
        let mut ring = Ring::default();
        ring.set(&self.id, source, Some(held.as_bytes()));
        let outcome = Verification::start(text.as_bytes(), &LIMITS).finish(&ring).outcome;
        outcome.map(|checked| checked.trusted).map_err(|error| error.code)
    }
}

fn added(held: &str, statement: &str) -> Result<Option<String>, Code> {
    let statement = Statement::parse(statement.as_bytes()).map_err(|error| error.code)?;
    add(held.as_bytes(), &statement, &LIMITS).map_err(|error| error.code)
}

fn admitted(offered: &str, known: &str) -> Result<(), Code> {
    admit(offered.as_bytes(), Some(known.as_bytes()), &LIMITS).map(drop).map_err(|error| error.code)
}

#[test]
fn k10_a_statement_is_canonical_and_signed_in_a_context_of_its_own() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let case = Case::new(algorithm);
        let text = case.stated("compromised", AT).unwrap();
        assert_eq!(json::write(&parse(&text)), text);
        let signature = base64::decode(member(&text, "signature").trim_matches('"')).unwrap();
        let key_id = case.first.public_key().key_id();
        let signed = format!(
            r#"{{"agentId":"{}","date":"2026-11-20T14:49:19.057Z","keyId":"{key_id}","reason":"compromised"}}"#,
            case.id
        );
        let statement = pae(Context::KeyRevocation, signed.as_bytes());
        assert!(case.first.public_key().verify(&statement, &signature));
        assert_eq!(member(&text, "type"), "\"sx-key-revocation-v1\"");
        assert_eq!(parse(&text).as_object().unwrap().len(), 6);
        assert_eq!(Statement::parse(text.as_bytes()).unwrap().to_text(), text);
    }
}

#[test]
fn k10_only_the_current_key_states_its_revocation_and_never_before_it_was_valid() {
    let case = Case::new(Algorithm::Ed25519);
    let made = |key_id: &str, reason: &str| {
        let current = case.after.as_bytes();
        revocation::make(&own(current, &case.second), Some(key_id), reason, &moment(AT, 3))
            .map_err(|error| error.code)
    };
    let [first, second] = [&case.first, &case.second].map(|key| key.public_key().key_id());
    let text = made(second, "unspecified").unwrap();
    // The clock was behind: the key was valid from 2026-11-20T14:49:19.107Z.
    assert_eq!(member(&text, "date"), "\"2026-11-20T14:49:19.107Z\"");
    assert_eq!(made(first, "compromised"), Err(Code::InvalidOption));
    assert_eq!(made(key(9).public_key().key_id(), "compromised"), Err(Code::KeyMismatch));
    assert_eq!(made(second, "stolen"), Err(Code::InvalidOption));
    assert_eq!(case.stated("", AT), Err(Code::InvalidOption));
}

#[test]
fn k10_beside_a_document_it_counts_for_every_verdict() {
    let case = Case::new(Algorithm::Ed25519);
    let (early, late) = (case.message(&case.first, AT - 1), case.message(&case.first, AT));
    for (reason, of_early) in
        [("compromised", Err(Code::KeyRevoked)), ("superseded", Ok(())), ("unspecified", Ok(()))]
    {
        let statement = case.stated(reason, AT).unwrap();
        let held = added(&case.before, &statement).unwrap().unwrap();
        assert_eq!(document_of(held.as_bytes(), &LIMITS).as_deref(), Some(&*case.before));
        for source in [Source::Own, Source::Trust, Source::Document] {
            assert_eq!(case.verdict(&early, source, &held).map(drop), of_early, "{reason} {source:?}");
            assert_eq!(case.verdict(&late, source, &held).map(drop), Err(Code::KeyRevoked), "{reason}");
            assert!(case.verdict(&late, source, &case.before).is_ok());
        }
        // Said twice it is said once.
        assert_eq!(added(&held, &statement), Ok(None));
    }
    // A stricter one adds to it, a weaker one does not.
    let [soft, hard] = ["unspecified", "compromised"].map(|reason| case.stated(reason, AT).unwrap());
    let held = added(&case.before, &soft).unwrap().unwrap();
    let held = added(&held, &hard).unwrap().unwrap();
    assert_eq!(case.verdict(&early, Source::Trust, &held), Err(Code::KeyRevoked));
    assert_eq!(added(&held, &soft), Ok(None));
    assert_eq!(document_of(held.as_bytes(), &LIMITS).as_deref(), Some(&*case.before));
    assert_eq!(document_of(case.before.as_bytes(), &LIMITS), None);
}

#[test]
fn k10_no_document_takes_it_back() {
    let case = Case::new(Algorithm::Ed25519);
    let statement = case.stated("compromised", AT).unwrap();
    let held = added(&case.before, &statement).unwrap().unwrap();
    // The same document, a later one by the same key, and the rotation that its thief can make.
    let renamed = with(&case.before, &[], "name", Some("\"Later\""));
    let (current, text) = (case.before.as_bytes(), renamed.as_bytes());
    let later = agent::update(&own(current, &case.first), text, &moment(NOW + 500, 5)).unwrap().raw;
    let keys = (&case.first, &key(66));
    let thief =
        agent::rotate(&own(current, keys.0), keys.1, "compromised", &moment(NOW + 500, 6)).unwrap().raw;
    for offered in [&case.before, &later, &case.after, &thief] {
        assert_eq!(admitted(offered, &case.before), Ok(()));
        assert_eq!(admitted(offered, &held), Err(Code::KeyRevoked));
    }
    // Of a key that has a successor: one that says as much is taken, and the successor goes on.
    let held = added(&case.after, &statement).unwrap().unwrap();
    let revoke = |document: &str, now: u64| {
        let statement = Statement::parse(statement.as_bytes()).unwrap();
        revocation::apply(&own(document.as_bytes(), &case.second), &statement, &moment(now, 7))
            .map(|made| made.map(|made| made.raw))
            .map_err(|error| error.code)
    };
    let revoked = revoke(&case.after, NOW + 500).unwrap().unwrap();
    assert_eq!(admitted(&case.after, &held), Err(Code::KeyRevoked));
    assert_eq!(admitted(&revoked, &held), Ok(()));
    assert_eq!(revoke(&revoked, NOW + 600), Ok(None));
    assert_eq!(added(&revoked, &statement), Ok(None));
    assert_eq!(
        case.verdict(&case.message(&case.first, AT - 1), Source::Trust, &revoked),
        Err(Code::KeyRevoked)
    );
    assert_eq!(case.verdict(&case.message(&case.second, NOW + 501), Source::Trust, &revoked), Ok(true));
    assert_eq!(revoke(&case.before, NOW + 500), Err(Code::InvalidOption), "the current key");
}

#[test]
fn k10_next_to_the_own_document_it_stays_whatever_the_next_version_says() {
    let case = Case::new(Algorithm::Ed25519);
    let admitted_own = |offered: &str, held: &str| {
        let admitted = admit_own(offered.as_bytes(), held.as_bytes(), &LIMITS);
        admitted.map(|agent| agent.version).map_err(|error| error.code)
    };
    let version = |document: &str| Agent::verify(document.as_bytes(), &LIMITS).unwrap().version;
    let statement = case.stated("compromised", AT).unwrap();
    let held = added(&case.after, &statement).unwrap().unwrap();
    // Whoever makes the next version may not know of the statement.
    let renamed = with(&case.after, &[], "name", Some("\"Later\""));
    let (current, text) = (case.after.as_bytes(), renamed.as_bytes());
    let later = agent::update(&own(current, &case.second), text, &moment(NOW + 500, 5)).unwrap().raw;
    let keys = (&case.second, &key(66));
    let next = agent::rotate(&own(current, keys.0), keys.1, "superseded", &moment(NOW + 500, 6)).unwrap().raw;
    for offered in [&case.after, &later, &next] {
        assert_eq!(admitted_own(offered, &held), Ok(version(offered)));
        assert_eq!(admitted_own(offered, &case.after), Ok(version(offered)));
        assert_eq!(admitted(offered, &held), Err(Code::KeyRevoked), "next to a trusted one it would be lost");
    }
    // What a version says itself no other one takes back.
    let stated = Statement::parse(statement.as_bytes()).unwrap();
    let revoked = revocation::apply(&own(current, &case.second), &stated, &moment(NOW + 500, 7));
    let revoked = revoked.unwrap().unwrap().raw;
    assert_eq!(admitted_own(&revoked, &held), Ok(version(&revoked)));
    assert_eq!(admitted_own(&next, &revoked), Err(Code::KeyRevoked));
    // Nothing follows a current key that has stated its own.
    let ended = added(&case.before, &statement).unwrap().unwrap();
    for offered in [&case.before, &case.after] {
        assert_eq!(admitted_own(offered, &ended), Err(Code::KeyRevoked));
    }
    let refused = admit(case.after.as_bytes(), Some(ended.as_bytes()), &LIMITS).err().unwrap();
    assert!(refused.found.starts_with("A revocation statement ended the key "));
    assert_eq!(admitted_own(&case.before, &held), Err(Code::Rollback));
    let other = Case::new(Algorithm::Pq2025);
    assert_eq!(admitted_own(&other.before, &held), Err(Code::KeyConflict));
}

#[test]
fn k10_in_a_document_the_stricter_of_both_revocations_counts() {
    let case = Case::new(Algorithm::Ed25519);
    let revoked = |reason: &str, now: u64| {
        let statement = Statement::parse(case.stated(reason, now).unwrap().as_bytes()).unwrap();
        let current = case.after.as_bytes();
        let made = revocation::apply(&own(current, &case.second), &statement, &moment(NOW + 500, 7));
        made.unwrap().map(|made| {
            let keys = parse(&member(&made.raw, "sxPublicKeys"));
            assert!(Agent::verify(made.raw.as_bytes(), &LIMITS).is_ok());
            json::write(keys.as_array().unwrap()[0].as_object().unwrap().get("revoked").unwrap())
        })
    };
    let text =
        |at: &str, reason: &str| Some(format!(r#"{{"at":"2026-11-20T14:49:19.{at}Z","reason":"{reason}"}}"#));
    assert_eq!(revoked("unspecified", AT), text("057", "unspecified"));
    assert_eq!(revoked("compromised", AT), text("057", "compromised"));
    assert_eq!(revoked("compromised", NOW + 300), text("107", "compromised"));
    assert_eq!(revoked("unspecified", NOW + 300), None);
}

#[test]
fn k10_a_statement_is_about_one_key_of_one_agent_by_that_key() {
    let case = Case::new(Algorithm::Ed25519);
    let text = case.stated("compromised", AT).unwrap();
    let signed = |name: &str, value: &str, key: &SecretKey| {
        let bare = with(&with(&text, &[], "signature", None), &[], "type", None);
        let bare = if name.is_empty() { bare } else { with(&bare, &[], name, Some(&format!("\"{value}\""))) };
        let signature = key.sign(&pae(Context::KeyRevocation, bare.as_bytes()), &[7; 32]).unwrap();
        let signed = with(&bare, &[], "signature", Some(&format!("\"{}\"", base64::encode(&signature))));
        with(&signed, &[], "type", Some("\"sx-key-revocation-v1\""))
    };
    assert_eq!(signed("", "", &case.first), text);
    let second = case.second.public_key().key_id();
    let other = "00000000-0000-4000-8000-000000000001";
    for (held, statement, code) in [
        (&case.before, signed("", "", &case.second), Code::BadSignature),
        (&case.before, signed("agentId", other, &case.first), Code::KeyMismatch),
        (&case.before, signed("keyId", second, &case.second), Code::KeyMismatch),
        (&case.after, signed("keyId", second, &case.first), Code::BadSignature),
        (&case.before, signed("date", "2026-11-20T14:49:19.006Z", &case.first), Code::InvalidDocument),
        (&case.after, signed("keyId", second, &case.second), Code::InvalidDocument), // from before its rotation
        (&case.before, signed("reason", "stolen", &case.first), Code::InvalidOption),
        (&case.before, with(&text, &[], "reason", Some("\"superseded\"")), Code::BadSignature),
        (&case.before, with(&text, &[], "date", Some("\"2026-11-20T14:49:19.058Z\"")), Code::BadSignature),
        (&case.before, with(&text, &[], "date", Some("\"2026\"")), Code::InvalidDocument),
        (&case.before, with(&text, &[], "type", Some("\"sx-key-revocation-v2\"")), Code::InvalidDocument),
        (&case.before, with(&text, &[], "signature", Some("\"AAA\"")), Code::InvalidDocument),
        (&case.before, with(&text, &[], "signature", Some("\"\"")), Code::BadSignature),
        (&case.before, with(&text, &[], "more", Some("1")), Code::InvalidDocument),
        (&case.before, with(&text, &[], "date", None), Code::InvalidDocument),
        (&case.before, "[]".into(), Code::InvalidDocument),
        (&case.before, String::new(), Code::NotJson),
        (&case.before, "x".repeat(20_000), Code::InvalidDocument),
        (&case.before, case.before.clone(), Code::InvalidDocument),
    ] {
        assert_eq!(added(held, &statement), Err(code), "{statement:.200}");
    }
    // It is no statement of another kind, and no other kind is one.
    let proof = pae(Context::KeyProof, b"{}");
    assert!(!proof.starts_with(&pae(Context::KeyRevocation, b"{}")[..20]));
    let mark = trust_mark::make(&entropy(9));
    assert_eq!(added(&mark, &text), Err(Code::NotFound));
    assert_eq!(added("{}", &text), Err(Code::CorruptStore));
}

#[test]
fn k10_what_is_held_wrongly_is_damaged() {
    let case = Case::new(Algorithm::Ed25519);
    let statement = case.stated("compromised", AT).unwrap();
    let held = added(&case.before, &statement).unwrap().unwrap();
    let read = |held: &str| held::verify(held.as_bytes(), &LIMITS).map(drop).map_err(|error| error.code);
    assert_eq!(read(&held), Ok(()));
    let change = |change: &dyn Fn(&mut json::Object)| {
        let mut value = parse(&held);
        change(value.as_object_mut().unwrap());
        json::write(&value)
    };
    let other = Case::new(Algorithm::Pq2025);
    for damaged in [
        change(&|held| drop(held.insert("document".into(), "{}".into()))),
        change(&|held| drop(held.insert("document".into(), other.before.as_str().into()))),
        change(&|held| drop(held.insert("document".into(), Value::Null))),
        change(&|held| drop(held.insert("revocations".into(), Value::Array(Vec::new())))),
        change(&|held| drop(held.insert("revocations".into(), Value::Array(vec![Value::Null])))),
        change(&|held| drop(held.insert("type".into(), "other".into()))),
        change(&|held| drop(held.insert("more".into(), Value::Null))),
        held.replace("compromised", "unspecified"),
        // A document within a document.
        change(&|value| drop(value.insert("document".into(), held.as_str().into()))),
    ] {
        assert_eq!(read(&damaged), Err(Code::CorruptStore), "{damaged:.100}");
    }
    // A document may have members of these names, and is a document.
    let with_members = with(&with(&case.before, &[], "document", Some("\"x\"")), &[], "type", Some("\"x\""));
    assert!(held::verify(common::resigned(&with_members, &case.first).as_bytes(), &LIMITS).is_ok());
}

#[test]
fn k10_a_revocation_that_is_dated_ahead_counts_from_when_it_was_applied() {
    let case = Case::new(Algorithm::Ed25519);
    const AHEAD: u64 = NOW + 365 * 86_400_000;
    let statement = case.stated("unspecified", AHEAD).unwrap();
    let (before, after) = (case.message(&case.first, AT - 1), case.message(&case.first, AT));
    let at = "2026-11-20T14:49:19.057Z"; // AT
    let applied = |at: &str| Statement::parse(statement.as_bytes()).unwrap().applied_at(at);
    let held = |at: &str| add(case.before.as_bytes(), &applied(at).unwrap(), &LIMITS).unwrap().unwrap();
    let now = held(at);
    assert!(now.contains(&format!(r#""applied":"{at}""#)));
    assert_eq!(case.verdict(&before, Source::Trust, &now), Ok(true));
    assert_eq!(case.verdict(&after, Source::Trust, &now), Err(Code::KeyRevoked));
    // Once its day has come it is applied like any other.
    let later = held("2030-01-01T00:00:00.000Z");
    assert_eq!(later, added(&case.before, &statement).unwrap().unwrap());
    assert_eq!(case.verdict(&after, Source::Trust, &later), Ok(true));
    // Nobody who hands one over says when it was applied.
    let handed = statement.replacen('{', &format!(r#"{{"applied":"{at}","#), 1);
    assert_eq!(
        Statement::parse(handed.as_bytes()).err().map(|error| error.code),
        Some(Code::InvalidDocument)
    );
    assert_eq!(applied("now").err().map(|error| error.code), Some(Code::InvalidDocument));
    for damaged in ["now", "2030-01-01T00:00:00.000Z"] {
        let damaged = now.replace(&format!(r#""applied":"{at}""#), &format!(r#""applied":"{damaged}""#));
        assert_eq!(
            held::verify(damaged.as_bytes(), &LIMITS).err().map(|error| error.code),
            Some(Code::CorruptStore)
        );
    }
    // In a document, too.
    let current = agent::rotate(
        &own(case.before.as_bytes(), &case.first),
        &case.second,
        "superseded",
        &moment(AHEAD, 2),
    );
    let current = current.unwrap().raw;
    let made =
        revocation::apply(&own(current.as_bytes(), &case.second), &applied(at).unwrap(), &moment(AT, 7));
    assert!(
        made.unwrap().unwrap().raw.contains(&format!(r#""revoked":{{"at":"{at}","reason":"unspecified"}}"#))
    );
}

#[test]
fn k10_the_longest_document_is_held_too() {
    let Fixture { key, agent, .. } = Fixture::new(Algorithm::Ed25519, 1);
    let text = with(&agent.raw, &[], "description", Some(&format!("\"{}\"", "\\u0001".repeat(100_000))));
    let limits = Limits { bytes: 700_000, ..LIMITS };
    let now = NOW + 1;
    let large =
        agent::update(&Own { limits, ..own(agent.raw.as_bytes(), &key) }, text.as_bytes(), &moment(now, 2))
            .unwrap()
            .raw;
    let statement = revocation::make(
        &Own { limits, ..own(large.as_bytes(), &key) },
        None,
        "compromised",
        &moment(now, 3),
    );
    let statement = Statement::parse(statement.unwrap().as_bytes()).unwrap();
    let held = add(large.as_bytes(), &statement, &limits).unwrap().unwrap();
    assert!(held.len() > large.len() + 100_000);
    assert_eq!(held::verify(held.as_bytes(), &limits).unwrap().id, agent.id);
    // A single key that has revoked itself in its document can still state that it was stolen.
    let revoked =
        common::resigned(&with_revocation(&agent.raw, "2030-01-01T00:00:00.000Z", "superseded"), &key);
    let statement = revocation::make(
        &Own { limits, ..own(agent.raw.as_bytes(), &key) },
        None,
        "compromised",
        &moment(now, 3),
    );
    assert!(added(&revoked, &statement.unwrap()).unwrap().is_some());
}

#[test]
fn k10_the_keys_that_are_held_are_handed_out_as_they_count() {
    let case = Case::new(Algorithm::Ed25519);
    let [first, second] = [&case.first, &case.second].map(|key| key.public_key().key_id());
    let key =
        |key_id: &str, revoked: &str| format!(r#"{{"algorithm":"ed25519","keyId":"{key_id}"{revoked}}}"#);
    let superseded = r#","revoked":{"at":"2026-11-20T14:49:19.107Z","reason":"superseded"}"#;
    let keys = |held: &str| held::keys(held.as_bytes(), &LIMITS).unwrap();
    assert_eq!(keys(&case.after), format!("[{},{}]", key(first, superseded), key(second, "")));
    // What is stated next to the document counts as well.
    let held = added(&case.after, &case.stated("compromised", AT).unwrap()).unwrap().unwrap();
    let compromised = r#","revoked":{"at":"2026-11-20T14:49:19.057Z","reason":"compromised"}"#;
    assert_eq!(keys(&held), format!("[{},{}]", key(first, compromised), key(second, "")));
    assert_eq!(held::keys(b"{}", &LIMITS).map_err(|error| error.code), Err(Code::CorruptStore));
}
