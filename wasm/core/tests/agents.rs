//! Agent documents: made, updated, verified, opened.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{
    Fixture, NOW, member, moment, own, parse, renamed, resigned, signed_as_it_is, with, with_entry,
    with_revocation,
};
use sx_core::agent::{self, Agent, Profile, TYPES};
use sx_core::document::Kind;
use sx_core::error::Code;
use sx_core::json::{self, Limits, Object, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::ring::{Ring, Source};
use sx_core::verify::Verification;

#[test]
fn an_agent_vouches_for_itself() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let fixture = Fixture::new(algorithm, 1);
        let agent = Agent::verify(fixture.agent.raw.as_bytes(), &Limits::default()).unwrap();
        assert_eq!((&agent.id, &agent.version), (&fixture.agent.id, &fixture.agent.version));
        assert_eq!(agent.key_id(), fixture.key.public_key().key_id());
        assert!(fixture.verify(&fixture.agent.raw).outcome.is_ok());
    }
}

#[test]
fn profiles_are_taken_and_refused_at_their_bounds() {
    let key = Fixture::new(Algorithm::Ed25519, 1).key;
    let make = |profile: Profile| agent::create(&profile, &key, &moment(NOW, 1)).map_err(|error| error.code);
    let named = |name: &str| make(common::named(name));
    let in_domain = |domain: &str| make(Profile { domain: Some(domain.into()), ..common::named("x") });
    for name in ["x", " x ", "7", &"世".repeat(256), &("x".repeat(255) + " ")] {
        assert!(named(name).is_ok(), "{name:?}");
    }
    for name in ["", " ", "\u{2003}\n", &"x".repeat(257), &"世".repeat(257)] {
        assert_eq!(named(name).err(), Some(Code::InvalidOption), "{name:?}");
    }
    let label = "a".repeat(63);
    let longest = format!("{label}.{label}.{label}.{}", "b".repeat(61));
    for domain in ["example.com", "a", "A1.b-2", "1", "x--y.z", &label, &longest] {
        assert!(in_domain(domain).is_ok(), "{domain}");
    }
    let too_long = format!("{label}.{label}.{label}.{}", "b".repeat(62));
    for domain in [
        "",
        "not a domain",
        "-a.example",
        "a-.example",
        "a..b",
        ".a",
        "a.",
        "a_b",
        "é",
        &"a".repeat(64),
        &too_long,
    ] {
        assert_eq!(in_domain(domain).err(), Some(Code::InvalidOption), "{domain}");
    }
    for agent_type in TYPES {
        assert!(make(Profile { agent_type: Some((*agent_type).into()), ..common::named("x") }).is_ok());
    }
    let robot = Profile { agent_type: Some("robot".into()), ..common::named("x") };
    assert_eq!(make(robot).err(), Some(Code::InvalidOption));
}

#[test]
fn a_new_agent_says_what_its_profile_says() {
    let key = Fixture::new(Algorithm::Ed25519, 1).key;
    let make = |profile: Profile| {
        let made = agent::create(&profile, &key, &moment(NOW, 1)).unwrap();
        let own = ["name", "sxAgentType", "sxAgentDomain", "description", "sxLevel"];
        own.map(|name| {
            parse(&made.raw).as_object().unwrap().get(name).and_then(Value::as_str).map(String::from)
        })
    };
    let texts = |texts: [Option<&str>; 5]| texts.map(|text| text.map(String::from));
    let least = common::named("n");
    assert_eq!(make(least), texts([Some("n"), Some("ai"), None, None, Some("config")]));
    let all = Profile {
        domain: Some("d".into()),
        description: Some(String::new()),
        agent_type: Some("human".into()),
        ..common::named("n")
    };
    assert_eq!(make(all), texts([Some("n"), Some("human"), Some("d"), Some(""), Some("config")]));
}

#[test]
fn the_members_of_an_agent_document_have_their_forms() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = &fixture.agent.raw;
    let verified = |text: &str| {
        let agent = Agent::verify(resigned(text, &fixture.key).as_bytes(), &Limits::default());
        agent.map(|agent| agent.name).map_err(|error| error.code)
    };
    let whole = [
        with(raw, &[], "sxAgentDomain", Some("\"example.com\"")),
        with(raw, &[], "description", Some("\"\"")),
        with(raw, &[], "motto", Some("[7]")),
        with_revocation(raw, "2027-01-01T00:00:00.000Z", "unspecified"),
        with_entry(raw, |entry| drop(entry.insert("validFrom".into(), "2030-01-01T00:00:00.000Z".into()))),
    ];
    for text in whole {
        assert_eq!(verified(&text), Ok("Test".into()));
    }
    let mut broken = vec![
        with(raw, &[], "name", None),
        with(raw, &[], "name", Some("7")),
        with(raw, &[], "sxAgentType", None),
        with(raw, &[], "sxAgentDomain", Some("null")),
        with(raw, &[], "sxAgentDomain", Some("\"a b\"")),
        with(raw, &[], "description", Some("{}")),
        with(raw, &[], "sxPublicKeys", Some("{}")),
        with(raw, &[], "sxPublicKeys", Some("[7]")),
        with_revocation(raw, "2027-01-01", "superseded"),
        with_revocation(raw, "2027-01-01T00:00:00.000Z", "tired"),
    ];
    for name in ["keyId", "algorithm", "publicKey", "validFrom"] {
        broken.push(with_entry(raw, |entry| drop(entry.remove(name))));
        broken.push(with_entry(raw, |entry| drop(entry.insert(name.into(), "x".into())))); // also a PEM: below
        // Another member in its place is found before the key is read.
        broken.push(with_entry(raw, |entry| {
            entry.remove(name);
            entry.insert("use".into(), "sig".into());
            entry.insert("publicKey".into(), if name == "publicKey" { Value::Null } else { "x".into() });
        }));
    }
    let revoked = |change: &dyn Fn(&mut Object)| {
        let text = with_revocation(raw, "2027-01-01T00:00:00.000Z", "superseded");
        with_entry(&text, |entry| change(entry.get_mut("revoked").unwrap().as_object_mut().unwrap()))
    };
    broken.push(revoked(&|revoked| drop(revoked.insert("by".into(), "me".into()))));
    broken.push(revoked(&|revoked| drop(revoked.remove("reason"))));
    broken.push(revoked(&|revoked| drop(revoked.remove("at"))));
    broken.push(with_entry(raw, |entry| drop(entry.insert("revoked".into(), Value::Null))));
    broken.push(with_entry(raw, |entry| drop(entry.insert("use".into(), "sig".into()))));
    let no_pem = with_entry(raw, |entry| drop(entry.insert("publicKey".into(), "x".into())));
    for text in &broken {
        let code = if *text == no_pem { Code::InvalidKey } else { Code::InvalidAgent };
        assert_eq!(verified(text), Err(code), "{text}");
    }
    assert!(broken.contains(&no_pem));
}

#[test]
fn an_agent_document_is_its_own_agents_and_its_own_versions() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let raw = &fixture.agent.raw;
    let code = |text: &str| Agent::verify(text.as_bytes(), &Limits::default()).err().map(|error| error.code);
    let other = Some("\"00000000-0000-4000-8000-000000000001\"");
    for (path, name) in [(&[][..], "sxId"), (&["sxSignature"], "agentID"), (&["sxSignature"], "agentVersion")]
    {
        assert_eq!(
            code(&resigned(&with(raw, path, name, other), &fixture.key)),
            Some(Code::InvalidAgent),
            "{name}"
        );
    }
    // An id that is none is said first, of whatever else there is; one that is no text is a matter of shape.
    for text in [r#"{"sxId":"x"}"#, &with(raw, &[], "sxId", Some("\"\""))] {
        assert_eq!(code(text), Some(Code::InvalidId));
    }
    assert_eq!(code(&with(raw, &[], "sxId", Some("7"))), Some(Code::InvalidDocument));
    assert_eq!(code("[]"), Some(Code::InvalidDocument));
    let message = fixture.sign(Kind::Message, "1").unwrap().raw;
    assert_eq!(code(&message), Some(Code::InvalidAgent));
    assert_eq!(code(&with(raw, &[], "name", Some("\"Best\""))), Some(Code::BadSignature));
}

#[test]
fn an_agent_opens_with_its_own_key_only() {
    let (fixture, other) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Pq2025, 2));
    let (own, theirs) = (fixture.key.public_key().to_spki_pem(), other.key.public_key().to_spki_pem());
    let open = |text: &str, key, pem: &str| {
        agent::open(text.as_bytes(), key, pem, &Limits::default())
            .map(|agent| agent.version)
            .map_err(|error| (error.code, error.found))
    };
    let code = |text: &str, key, pem: &str| open(text, key, pem).unwrap_err().0;
    let raw = &fixture.agent.raw;
    assert_eq!(open(raw, &fixture.key, &own).as_ref(), Ok(&fixture.agent.version));
    assert_eq!(
        open(raw, &fixture.key, "").as_ref(),
        Ok(&fixture.agent.version),
        "there is no public key file"
    );
    // A key that is not the agent's: another agent's if its own public key stands beside, else perhaps damaged.
    let of_another = "The key files belong to another agent, or to a later version of this one.";
    assert_eq!(open(raw, &other.key, &theirs), Err((Code::KeyMismatch, of_another.into())));
    for pem in [&own, "", "x"] {
        assert_eq!(code(raw, &other.key, pem), Code::WrongPassword);
    }
    let beside = "The public key file does not match the private key.";
    assert_eq!(open(raw, &fixture.key, &theirs), Err((Code::KeyMismatch, beside.into())));
    assert_eq!(code(raw, &fixture.key, "x"), Code::InvalidKey);
    // Revoked from some time on is revoked now: nothing is signed with it.
    let revoked = resigned(&with_revocation(raw, "2030-01-01T00:00:00.000Z", "superseded"), &fixture.key);
    assert_eq!(code(&revoked, &fixture.key, &own), Code::KeyRevoked);
    let zeros = with(raw, &[], "sxSha256", Some(&format!("\"{}\"", "0".repeat(64))));
    assert_eq!(code(&signed_as_it_is(&zeros, &fixture.key), &fixture.key, &own), Code::HashMismatch);
    assert_eq!(code(&with(raw, &[], "name", Some("\"Best\"")), &fixture.key, &own), Code::BadSignature);
    for (text, name) in [("", "NotJson"), ("{}", "MissingSignature"), ("{\"sxId\"", "NotJson")] {
        let found = format!("The stored agent document is damaged ({name}).");
        assert_eq!(open(text, &fixture.key, &own), Err((Code::CorruptStore, found)));
    }
}

#[test]
fn an_update_changes_the_profile_and_nothing_else() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let next = renamed(&fixture, &fixture.agent.raw, "Newer", NOW + 1);
    assert_eq!(next.previous.as_ref(), Some(&fixture.agent.version));
    assert_eq!(Agent::verify(next.raw.as_bytes(), &Limits::default()).unwrap().name, "Newer");
    let update = |text: &str| {
        agent::update(&own(fixture.agent.raw.as_bytes(), &fixture.key), text.as_bytes(), &moment(NOW, 5))
            .map_err(|error| error.code)
    };
    let other = Fixture::new(Algorithm::Ed25519, 2).agent.raw;
    let keys = member(&other, "sxPublicKeys");
    assert_eq!(update(r#"{"name":"x"}"#), Err(Code::InvalidAgent), "not a complete document");
    assert_eq!(update("[]"), Err(Code::InvalidAgent));
    assert_eq!(update(&other), Err(Code::KeyMismatch));
    assert_eq!(update(&with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&keys))), Err(Code::KeyConflict));
    assert_eq!(
        update(&with(&fixture.agent.raw, &[], "sxVersion", Some("\"00000000-0000-4000-8000-000000000001\""))),
        Err(Code::VersionConflict)
    );
    assert_eq!(update(&with(&fixture.agent.raw, &[], "name", Some("7"))), Err(Code::InvalidAgent));
    assert!(update(&with(&fixture.agent.raw, &[], "motto", Some("\"own members are fine\""))).is_ok());
}

#[test]
fn an_agent_document_shows_no_key_without_proof() {
    let (fixture, other) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Pq2025, 2));
    let own = member(&fixture.agent.raw, "sxPublicKeys");
    let others = member(&other.agent.raw, "sxPublicKeys");
    let list = |keys: &[&str]| {
        let entries: Vec<_> = keys.iter().map(|key| key.trim_matches(['[', ']'])).collect();
        with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&format!("[{}]", entries.join(","))))
    };
    let verified = |text: &str| {
        Agent::verify(text.as_bytes(), &Limits::default()).map(|agent| agent.key_id().to_string())
    };
    // A victim's key first is what people would be shown; the forger's own one is what signed.
    for keys in [&[&own, &others][..], &[&others, &own], &[&own, &own], &[]] {
        let keys: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
        for key in [&fixture.key, &other.key] {
            let error = verified(&resigned(&list(&keys), key)).unwrap_err();
            assert_eq!(error.code, Code::InvalidAgent, "{} keys", keys.len());
            assert!(error.found.contains("'sxPublicKeys'"), "{}", error.found);
        }
    }
    let alone = list(&[&own]);
    assert_eq!(verified(&resigned(&alone, &fixture.key)).as_deref(), Ok(fixture.key.public_key().key_id()));
    // Signed by another key than the one inside, under either name.
    let key_mismatch = |text: &str| verified(text).unwrap_err().code;
    assert_eq!(key_mismatch(&resigned(&alone, &other.key)), Code::KeyMismatch);
    assert_eq!(key_mismatch(&resigned(&list(&[&others]), &fixture.key)), Code::KeyMismatch);
    let label = with(&alone, &["sxSignature"], "signingAlgorithm", Some("\"pq2025\""));
    assert_eq!(key_mismatch(&resigned(&label, &fixture.key)), Code::KeyMismatch);
}

#[test]
fn a_verdict_asks_of_an_agent_document_what_it_says_of_itself() {
    let (fixture, other) = (Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Ed25519, 2));
    let others = member(&other.agent.raw, "sxPublicKeys");
    let pem = fixture.key.public_key().to_spki_pem();
    let mut directory = Ring::default();
    directory.set(&fixture.agent.id, Source::Directory, Some(pem.as_bytes()));
    // The key that verifies is known from elsewhere, so nothing but the document's own rules refuses it.
    for (document, code) in [
        (fixture.agent.raw.clone(), None),
        (with(&fixture.agent.raw, &[], "sxPublicKeys", Some(&others)), Some(Code::KeyMismatch)),
        (with_revocation(&fixture.agent.raw, "2027-01-01T00:00:00.000Z", "superseded"), None),
        (
            with_revocation(&fixture.agent.raw, "2027-01-01T00:00:00.000Z", "compromised"),
            Some(Code::KeyRevoked),
        ),
        (with(&fixture.agent.raw, &[], "sxPublicKeys", Some("[]")), Some(Code::InvalidAgent)),
    ] {
        let document = resigned(&document, &fixture.key);
        for ring in [&directory, &fixture.ring] {
            let started = Verification::start(document.as_bytes(), &Limits::default());
            assert_eq!(started.finish(ring).outcome.err().map(|error| error.code), code);
        }
    }
}

#[test]
fn what_an_agent_document_says_is_handed_out() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let key = fixture.key.public_key();
    let said = |raw: &str| {
        let agent = Agent::verify(raw.as_bytes(), &Limits::default()).unwrap();
        let said = parse(&agent.to_json()).as_object().unwrap().clone();
        assert_eq!(said.len(), 10);
        move |name: &str| said.get(name).cloned()
    };
    let first = said(&fixture.agent.raw);
    for (name, expected) in [
        ("id", fixture.agent.id.as_str()),
        ("version", &fixture.agent.version),
        ("name", "Test"),
        ("keyId", key.key_id()),
        ("keyIds", key.key_id()),
        ("keyCount", "1"),
        ("algorithm", "ed25519"),
        ("publicKey", &key.to_spki_pem()),
    ] {
        assert_eq!(first(name), Some(expected.into()), "{name}");
    }
    assert_eq!((first("previous"), first("revokedAt")), (Some(Value::Null), Some(Value::Null)));

    let new = SecretKey::from_seed(Algorithm::Pq2025, &[9; 32]).unwrap();
    let own = own(fixture.agent.raw.as_bytes(), &fixture.key);
    let second = said(&agent::rotate(&own, &new, "superseded", &moment(NOW + 1, 2)).unwrap().raw);
    let ids = [key.key_id(), new.public_key().key_id()].join(" ");
    assert_eq!(second("keyIds"), Some(ids.as_str().into()));
    assert_eq!(second("keyCount"), Some("2".into()));
    assert_eq!(second("algorithm"), Some("pq2025".into()));
    assert_eq!(second("previous"), Some(fixture.agent.version.as_str().into()));
    let revoked = with_revocation(&fixture.agent.raw, "2027-01-01T00:00:00.000Z", "superseded");
    let revoked = said(&resigned(&revoked, &fixture.key));
    assert_eq!(revoked("revokedAt"), Some("2027-01-01T00:00:00.000Z".into()));
    assert_eq!(
        key.to_json(),
        json::write(&Value::Object(Object::from([
            ("algorithm", "ed25519".into()),
            ("keyId", key.key_id().into()),
            ("pem", key.to_spki_pem().as_str().into()),
        ])))
    );
}
