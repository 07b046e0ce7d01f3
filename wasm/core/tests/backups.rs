//! Manifests of backups: which one counts beside which agent document.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, author, moment, own, resigned, with};
use sx_core::agent::{self, Agent};
use sx_core::backup::{self, Contents};
use sx_core::error::Code;
use sx_core::json::Limits;
use sx_core::keys::{Algorithm, SecretKey};

const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const CONTENTS: Contents<'_> = Contents { entries: 3, sha256: HASH };

/// A manifest of these entries by a key, which names a version of the agent document.
fn manifest(document: &str, key: &SecretKey, agent_date: &str, now: u64) -> String {
    let agent = Agent::verify(document.as_bytes(), &Limits::default()).unwrap();
    let signer = author(&agent.id, &agent.version, key);
    backup::manifest(&signer, CONTENTS, agent_date, moment(now, 7)).unwrap().raw
}

fn checked(manifest: &str, agent: &str) -> Result<String, String> {
    let answer = backup::check(manifest.as_bytes(), agent.as_bytes(), CONTENTS, &Limits::default());
    answer.map_err(|error| {
        assert_eq!(error.code, Code::CorruptStore, "{}", error.found);
        error.found
    })
}

fn refused(manifest: &str, agent: &str, why: &str) {
    let found = checked(manifest, agent).unwrap_err();
    assert!(found.starts_with("The backup is damaged: its ") && found.contains(why), "{found}");
}

/// An agent that has rotated its key: two documents, two keys.
fn rotated() -> ([String; 2], [SecretKey; 2]) {
    let Fixture { key, agent, .. } = Fixture::new(Algorithm::Ed25519, 1);
    let next = SecretKey::from_seed(Algorithm::Ed25519, &[31; 32]).unwrap();
    let made = agent::rotate(&own(agent.raw.as_bytes(), &key), &next, "superseded", &moment(NOW + 1_000, 9));
    ([agent.raw, made.unwrap().raw], [key, next])
}

#[test]
fn k04_the_current_key_alone_signs_manifests() {
    let ([first, second], [old, new]) = rotated();
    assert_eq!(
        checked(&manifest(&second, &new, "", NOW + 2_000), &second).unwrap(),
        "2026-11-20T14:49:21.007Z"
    );
    assert_eq!(checked(&manifest(&first, &old, "", NOW), &first).unwrap(), "2026-11-20T14:49:19.007Z");
    // Backdated to when the old key was the current one, and with either version of the agent document.
    for (document, now) in [(&first, NOW), (&second, NOW), (&second, NOW + 2_000)] {
        refused(&manifest(document, &old, "", now), &second, "is not the current one");
    }
    refused(&manifest(&second, &new, "", NOW + 2_000), &first, "is not the current one");
}

#[test]
fn k04_a_manifest_names_the_latest_version_of_the_agent_document() {
    let Fixture { key, agent, .. } = Fixture::new(Algorithm::Ed25519, 1);
    let renamed = agent.raw.replace(r#""name":"Test""#, r#""name":"Other""#);
    let next =
        agent::update(&own(agent.raw.as_bytes(), &key), renamed.as_bytes(), &moment(NOW + 5, 8)).unwrap().raw;
    assert!(checked(&manifest(&next, &key, "", NOW + 9), &next).is_ok());
    refused(&manifest(&agent.raw, &key, "", NOW + 9), &next, "the latest version of the agent document");
    refused(&manifest(&next, &key, "", NOW + 9), &agent.raw, "the latest version of the agent document");
}

#[test]
fn k04_a_manifest_is_not_dated_before_its_agent_document() {
    let ([_, second], [_, new]) = rotated();
    refused(&manifest(&second, &new, "", NOW), &second, "dated before the agent document");
    // A clock that has been set back gives way.
    let date = Agent::verify(second.as_bytes(), &Limits::default()).unwrap().date;
    assert_eq!(checked(&manifest(&second, &new, &date, NOW), &second), Ok(date));
}

#[test]
fn a_manifest_has_exactly_its_members() {
    let Fixture { key, agent, .. } = Fixture::new(Algorithm::Ed25519, 1);
    let made = manifest(&agent.raw, &key, "", NOW);
    assert!(checked(&resigned(&made, &key), &agent.raw).is_ok());
    for (name, value) in [("third", "1"), ("name", "\"x\"")] {
        let more = resigned(&with(&made, &[], name, Some(value)), &key);
        refused(&more, &agent.raw, &format!("has an unknown member '{name}'"));
    }
    let later = with(&made, &[], "sxPreviousVersion", Some("\"00000000-0000-4000-8000-000000000001\""));
    refused(&resigned(&later, &key), &agent.raw, "manifest");
    refused(&resigned(&with(&made, &[], "sxFiles", Some("[]")), &key), &agent.raw, "manifest");
    for name in ["entries", "sha256"] {
        refused(&resigned(&with(&made, &[], name, None), &key), &agent.raw, "its manifest is malformed");
    }
    for (name, value) in [("sxLevel", "\"config\""), ("$schema", "\"https://example.com/x\"")] {
        let other = resigned(&with(&made, &[], name, Some(value)), &key);
        refused(&other, &agent.raw, "its manifest is malformed");
    }
    for (name, value) in [("entries", "4"), ("entries", "\"3\""), ("sha256", "\"\""), ("sha256", "3")] {
        let other = resigned(&with(&made, &[], name, Some(value)), &key);
        refused(&other, &agent.raw, "entries do not match");
    }
    let other = resigned(&with(&made, &[], "sxType", Some("\"backup\"")), &key);
    refused(&other, &agent.raw, "not signed by its agent");
}

#[test]
fn a_manifest_of_another_agent_or_that_was_changed_is_refused() {
    let [one, other] = [1, 2].map(|n| Fixture::new(Algorithm::Ed25519, n));
    refused(&manifest(&other.agent.raw, &other.key, "", NOW), &one.agent.raw, "not signed by its agent");
    let made = manifest(&one.agent.raw, &one.key, "", NOW);
    refused(&made.replace(HASH, &HASH.replace('b', "c")), &one.agent.raw, "not signed by its agent");
    refused(&made.replace("\"sha256\"", "\"sha512\""), &one.agent.raw, "has an unknown member 'sha512'");
    for broken in ["", "{", "[]", "1", "{}", made.get(1..).unwrap()] {
        refused(broken, &one.agent.raw, "manifest");
    }
    // The stranger's key under the agent's name.
    let posed = backup::manifest(
        &author(&one.agent.id, &one.agent.version, &other.key),
        CONTENTS,
        "",
        moment(NOW, 7),
    );
    refused(&posed.unwrap().raw, &one.agent.raw, "is not the current one");
}
