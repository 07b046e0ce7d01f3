//! K10: agents that have had more keys than a document holds. The oldest ones fold into a hash.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, author, member, moment, of, own, parse, resigned, with};
use std::sync::OnceLock;
use sx_core::agent::{self, Agent};
use sx_core::document::Kind;
use sx_core::error::Code;
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::ring::{Ring, Source};
use sx_core::statement::{Context, pae};
use sx_core::trust::admit;
use sx_core::verify::Verification;

const LIMITS: Limits = Limits { depth: 128, members: 500_000, bytes: 32 << 20 };

/// An agent that was rotated 69 times: `documents[n]` has had n + 1 keys.
struct Line {
    id: String,
    keys: Vec<SecretKey>,
    documents: Vec<String>,
}

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap()
}

impl Line {
    /// Made once: each of its versions is verified with up to 64 keys.
    fn new() -> Self {
        static MADE: OnceLock<(String, Vec<String>)> = OnceLock::new();
        let (id, documents) = MADE.get_or_init(|| {
            let Fixture { key: first, agent, .. } = Fixture::new(Algorithm::Ed25519, 1);
            let mut line = Self { id: agent.id, keys: vec![first], documents: vec![agent.raw] };
            for n in 2..=70 {
                line.keys.push(key(n + 100));
                line.documents.push(line.rotated(line.documents.len(), &line.keys[n as usize - 1]));
            }
            (line.id, line.documents)
        });
        let keys = (1..=70).map(|n| key(if n == 1 { 1 } else { n + 100 })).collect();
        Self { id: id.clone(), keys, documents: documents.clone() }
    }

    /// The document that follows the one of `count` keys, with this key.
    fn rotated(&self, count: usize, new: &SecretKey) -> String {
        let (current, old) = (self.documents[count - 1].as_bytes(), &self.keys[count - 1]);
        let now = NOW + count as u64;
        agent::rotate(&own(current, old), new, "superseded", &moment(now, count as u8 + 100)).unwrap().raw
    }

    fn of(&self, count: usize) -> &str {
        &self.documents[count - 1]
    }

    /// A message by the key of this number, from 1, when it was current.
    fn message(&self, count: usize) -> String {
        let version = Agent::verify(self.of(count).as_bytes(), &LIMITS).unwrap().version;
        let signer = author(&self.id, &version, &self.keys[count - 1]);
        let now = NOW + count as u64 - 1;
        let made = sx_core::document::create(&signer, b"1", &of(Kind::Message), &moment(now, 7));
        made.unwrap().raw
    }

    fn ids(&self) -> Vec<&str> {
        self.keys.iter().map(|key| key.public_key().key_id()).collect()
    }
}

fn admitted(offered: &str, known: &str) -> Result<(), Code> {
    admit(offered.as_bytes(), Some(known.as_bytes()), &LIMITS).map(drop).map_err(|error| error.code)
}

fn verified(text: &str) -> Result<Agent, Code> {
    Agent::verify(text.as_bytes(), &LIMITS).map_err(|error| error.code)
}

fn verdict(text: &str, id: &str, sources: &[(Source, &str)]) -> Result<bool, Code> {
    let mut ring = Ring::default();
    for (source, held) in sources {
        ring.set(id, *source, Some(held.as_bytes()));
    }
    let outcome = Verification::start(text.as_bytes(), &LIMITS).finish(&ring).outcome;
    outcome.map(|checked| checked.trusted).map_err(|error| error.code)
}

#[test]
fn k10_the_oldest_keys_fold_into_a_hash_that_anybody_can_compute() {
    let line = Line::new();
    let ids = line.ids();
    for (count, document) in line.documents.iter().enumerate().map(|(at, document)| (at + 1, document)) {
        let agent = verified(document).unwrap();
        let held: Vec<&str> = agent.keys.iter().map(|known| known.key.key_id()).collect();
        let former = count.saturating_sub(64);
        assert_eq!(held, &ids[former..count]);
        assert_eq!((agent.former.count, agent.key_count()), (former as u64, count as u64));
        assert_eq!(parse(document).as_object().unwrap().contains("sxFormerKeys"), former > 0);
    }
    let mut hash = String::new();
    for id in &ids[..6] {
        let payload = format!(r#"{{"agentId":"{}","keyId":"{id}","previous":"{hash}"}}"#, line.id);
        hash = sha256_hex(&pae(Context::FormerKeys, payload.as_bytes()));
    }
    assert_eq!(member(line.of(70), "sxFormerKeys"), format!(r#"{{"count":6,"sha256":"{hash}"}}"#));
    // An update keeps it, and nobody takes it away.
    let (current, key) = (line.of(70), &line.keys[69]);
    let update = |text: &str| {
        agent::update(&own(current.as_bytes(), key), text.as_bytes(), &moment(NOW + 99, 9))
            .map_err(|error| error.code)
    };
    let renamed = update(&with(current, &[], "name", Some("\"Later\""))).unwrap().raw;
    assert_eq!(member(&renamed, "sxFormerKeys"), member(current, "sxFormerKeys"));
    assert_eq!(update(&with(current, &[], "sxFormerKeys", None)).err(), Some(Code::KeyConflict));
}

#[test]
fn k10_trust_follows_from_any_version_whose_key_is_still_held() {
    let line = Line::new();
    for known in [7, 30, 64, 65, 66, 69, 70] {
        assert_eq!(admitted(line.of(70), line.of(known)), Ok(()), "{known}");
        assert_eq!(
            admitted(line.of(known), line.of(70)),
            if known == 70 { Ok(()) } else { Err(Code::Rollback) }
        );
    }
    // What those know is gone from it: nothing shows that one leads to the other. A version in between does.
    for known in [1, 6] {
        assert_eq!(admitted(line.of(70), line.of(known)), Err(Code::KeyConflict), "{known}");
        assert_eq!(admitted(line.of(60), line.of(known)), Ok(()), "{known}");
        assert_eq!(admitted(line.of(known), line.of(70)), Err(Code::KeyConflict), "{known}");
    }
    assert_eq!(admitted(line.of(66), line.of(1)), Err(Code::KeyConflict));
    assert_eq!(admitted(line.of(66), line.of(30)), Ok(()));
}

#[test]
fn k10_a_hash_over_other_keys_is_another_agents_line() {
    let line = Line::new();
    let current = line.of(70);
    let changed =
        |former: Option<&str>| resigned(&with(current, &[], "sxFormerKeys", former), &line.keys[69]);
    let other = format!(r#"{{"count":6,"sha256":"{}"}}"#, "0".repeat(64));
    for former in [
        Some(other.as_str()),
        Some(&member(line.of(69), "sxFormerKeys")),
        Some(&member(line.of(70), "sxFormerKeys").replace("6,", "7,")),
        Some(&member(line.of(70), "sxFormerKeys").replace("6,", "9007199254740991,")),
        None,
    ] {
        let offered = changed(former);
        assert!(verified(&offered).is_ok(), "alone it is what it says");
        for known in [30, 66, 70] {
            assert_eq!(admitted(&offered, line.of(known)), Err(Code::KeyConflict), "{former:?} {known}");
        }
    }
    for bad in [
        "{}",
        "[]",
        "null",
        r#"{"count":6}"#,
        &other.replace(":6", ":0"),
        &other.replace(":6", ":1.5"),
        &other.replace(":6", ":-1"),
        &other.replace(":6", ":\"6\""),
        &other.replace("0\"", "\""),
        &other.replace("0\"", "A\""),
        &other.replace('}', ",\"more\":1}"),
    ] {
        assert_eq!(verified(&changed(Some(bad))).err(), Some(Code::InvalidAgent), "{bad}");
    }
    // One key alone has none before it.
    let single = with(line.of(1), &[], "sxFormerKeys", Some(&other));
    assert_eq!(verified(&resigned(&single, &line.keys[0])).err(), Some(Code::InvalidAgent));
}

#[test]
fn k10_a_document_holds_no_more_than_64_keys_whoever_made_it() {
    let line = Line::new();
    let mut document = parse(line.of(64));
    let keys = document.as_object_mut().unwrap().get_mut("sxPublicKeys").unwrap().as_array_mut().unwrap();
    keys.push(keys[0].clone());
    assert_eq!(verified(&resigned(&json::write(&document), &line.keys[63])).err(), Some(Code::InvalidAgent));
}

#[test]
fn k10_what_a_folded_key_signed_counts_no_more_whatever_an_older_document_says() {
    let line = Line::new();
    let (old, new) = (line.message(3), line.message(70));
    let at =
        |sources: &[(Source, &str)]| (verdict(&old, &line.id, sources), verdict(&new, &line.id, sources));
    assert_eq!(at(&[(Source::Trust, line.of(66))]), (Ok(true), Err(Code::KeyMismatch)));
    assert_eq!(at(&[(Source::Trust, line.of(70))]), (Err(Code::KeyMismatch), Ok(true)));
    // The older one still holds the key, but not what became of it since.
    let both = [(Source::Trust, line.of(66)), (Source::Document, line.of(70))];
    assert_eq!(at(&both), (Err(Code::KeyMismatch), Ok(false)));
    let both = [(Source::Trust, line.of(70)), (Source::Document, line.of(30))];
    assert_eq!(at(&both), (Err(Code::KeyMismatch), Ok(true)));
    let conflict = (Err(Code::KeyConflict), Err(Code::KeyConflict));
    assert_eq!(at(&[(Source::Trust, line.of(70)), (Source::Document, line.of(1))]), conflict);
    let pem = |count: usize| line.keys[count - 1].public_key().to_spki_pem();
    assert_eq!(at(&[(Source::Trust, line.of(70)), (Source::Directory, &pem(3))]), conflict);
    let held = [(Source::Trust, line.of(70)), (Source::Directory, &*pem(40))];
    assert_eq!(at(&held), (Err(Code::KeyMismatch), Ok(true)));
}

#[test]
fn k10_who_has_the_current_key_of_a_folded_line_is_caught_by_its_successor() {
    let line = Line::new();
    let rival = line.rotated(69, &key(99));
    assert_eq!(admitted(&rival, line.of(69)), Ok(()));
    assert_eq!(admitted(&rival, line.of(70)), Err(Code::KeyConflict));
    // A key that is still held does not come again.
    let again = agent::rotate(
        &own(line.of(70).as_bytes(), &line.keys[69]),
        &line.keys[20],
        "superseded",
        &moment(NOW + 99, 1),
    );
    assert_eq!(again.unwrap_err().code, Code::KeyConflict);
    let count = |document: &str| match parse(&member(document, "sxPublicKeys")) {
        Value::Array(keys) => keys.len(),
        _ => 0,
    };
    assert_eq!([63, 64, 65, 70].map(|at| count(line.of(at))), [63, 64, 64, 64]);
}
