//! `test/vectors/agents.json`
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::own;
use common::vectors::{agent, code, list, moment_of, secret, text};
use sx_core::agent::{self, Agent, Profile};
use sx_core::json::Limits;
use sx_core::keys::PublicKey;
use sx_core::trust::admit;

/// When the first versions were signed: 2026-01-02T03:04:05.678Z.
const SIGNED_AT: u64 = 1_767_323_045_678;

#[test]
fn the_agents_are_made_again_byte_for_byte() {
    for algorithm in ["ed25519", "pq2025"] {
        let (vector, key) = (agent(algorithm), secret(algorithm));
        let profile = Profile {
            name: format!("Zoë's {algorithm} agent"),
            domain: Some("agents.example.com".into()),
            description: Some("Signs the test vectors.".into()),
            agent_type: Some("ai".into()),
        };
        let begun = moment_of(SIGNED_AT, &format!("agent {algorithm}"));
        let first = agent::create(&profile, &key, &begun).unwrap();
        assert_eq!(first.raw, text(&vector, "raw"));
        assert_eq!(
            (first.id.as_str(), first.version.as_str()),
            (text(&vector, "agentId"), text(&vector, "agentVersion"))
        );
        let changed =
            first.raw.replace("Signs the test vectors.", "Signs the test vectors, and says so again.");
        let later = moment_of(SIGNED_AT + 60_000, &format!("agent {algorithm}, second version"));
        let (current, changed) = (first.raw.as_bytes(), changed.as_bytes());
        let second = agent::update(&own(current, &key), changed, &later).unwrap();
        assert_eq!(second.raw, text(&vector, "second"));
        assert_eq!(second.previous, Some(first.version));
    }
}

#[test]
fn the_agents_are_what_they_say() {
    for vector in list("agents", "agents") {
        for member in ["raw", "second", "revoked"] {
            let agent = Agent::verify(text(&vector, member).as_bytes(), &Limits::default()).unwrap();
            assert_eq!(
                (agent.id.as_str(), agent.key_id()),
                (text(&vector, "agentId"), text(&vector, "keyId"))
            );
            assert!(agent.key.key == PublicKey::from_spki_pem(text(&vector, "publicKey")).unwrap());
            assert_eq!(agent.key.key.algorithm().name(), text(&vector, "algorithm"));
            assert_eq!(agent.version == text(&vector, "agentVersion"), member == "raw");
            assert_eq!(agent.key.revoked.is_some(), member == "revoked");
        }
    }
}

#[test]
fn the_trust_store_takes_and_refuses_as_it_says() {
    for vector in list("agents", "admissions") {
        let known = vector.get("known").unwrap().as_str();
        let known = known.map(|version| text(&agent(text(&vector, "algorithm")), version).to_string());
        let offered = text(&vector, "offered").as_bytes();
        let found = admit(offered, known.as_deref().map(str::as_bytes), &Limits::default());
        assert_eq!(found.err().map(|error| error.code.name()), code(&vector), "{}", text(&vector, "name"));
    }
}
