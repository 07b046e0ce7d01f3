//! `test/vectors/texts.json`: signed texts, and the verdicts on what they can become.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::author;
use common::vectors::{Vector, agent, canonical, code, list, moment_of, secret, text, trusting_both};
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits, Object, Value};
use sx_core::ring::{Ring, Source};
use sx_core::text::{self, Splice, TextVerification};

fn verify(bytes: &[u8], ring: &Ring) -> Object {
    let answer = TextVerification::start(bytes, &Limits::default()).unwrap().finish(ring);
    common::parse(answer.split_once('\n').unwrap().1).as_object().unwrap().clone()
}

fn sign(algorithm: &str, bytes: &[u8], at: u64, name: &str) -> sx_core::error::Result<Splice> {
    let agent = agent(algorithm);
    let key = secret(algorithm);
    let signer = author(text(&agent, "agentId"), text(&agent, "agentVersion"), &key);
    text::sign(&signer, bytes, &moment_of(at, name))
}

/// Each signer as the vectors have it: `{signerId, status, code}`.
fn signers(result: &Object) -> String {
    let signers = result.get("signers").unwrap().as_array().unwrap().iter().map(|signer| {
        let signer = signer.as_object().unwrap();
        let members = ["signerId", "status", "code"];
        Object::from(members.map(|name| (name, signer.get(name).cloned().unwrap_or(Value::Null)))).into()
    });
    json::write(&Value::Array(signers.collect()))
}

fn check(vector: &Vector, result: &Object) {
    let name = text(vector, "name");
    assert_eq!(signers(result), canonical(&vector["signers"]), "{name}");
    for member in ["status", "valid", "length", "warnings"] {
        assert_eq!(json::write(result.get(member).unwrap()), canonical(&vector[member]), "{name}: {member}");
    }
    assert_eq!(result.get("code").and_then(Value::as_str), code(vector), "{name}");
}

#[test]
fn texts_are_signed_as_they_stand_there() {
    for vector in list("texts", "texts") {
        let (name, input) = (text(&vector, "name"), text(&vector, "input"));
        let (algorithm, input_name) = name.split_once(' ').unwrap();
        let at = vector["signedAt"].as_u64().unwrap();
        let splice = sign(algorithm, input.as_bytes(), at, &format!("text {input_name}")).unwrap();
        assert_eq!(format!("{input}{}", splice.insert), text(&vector, "text"), "{name}");
        assert_eq!((splice.from, splice.to), (input.len(), input.len()));
        assert_eq!(
            (splice.length as u64, &*splice.sha256),
            (vector["length"].as_u64().unwrap(), text(&vector, "sha256"))
        );
        assert_eq!(splice.sha256, sha256_hex(input.as_bytes()));
    }
}

#[test]
fn cases_have_the_verdicts_that_stand_there() {
    let ring = trusting_both();
    for vector in list("texts", "cases") {
        check(&vector, &verify(text(&vector, "text").as_bytes(), &ring));
    }
}

#[test]
fn sources_have_the_verdicts_that_stand_there() {
    let texts = list("texts", "texts");
    for vector in list("texts", "sources") {
        let named = texts.iter().find(|one| text(one, "name") == text(&vector, "text")).unwrap();
        let mut ring = Ring::default();
        for source in vector["sources"].as_array().unwrap() {
            let bytes = Some(text(source, "bytes").as_bytes());
            let from = Source::parse(text(source, "source")).unwrap();
            ring.set(text(source, "agentId"), from, bytes);
        }
        let result = verify(text(named, "text").as_bytes(), &ring);
        let name = text(&vector, "name");
        assert_eq!(signers(&result), canonical(&vector["signers"]), "{name}");
        let signer = result.get("signers").unwrap().as_array().unwrap()[0].as_object().unwrap().clone();
        assert_eq!(signer.get("trusted").and_then(Value::as_bool), vector["trusted"].as_bool(), "{name}");
    }
}

#[test]
fn refusals_have_the_codes_that_stand_there() {
    for vector in list("texts", "refusals") {
        let refused = sign("ed25519", text(&vector, "text").as_bytes(), 0, "refused").err();
        assert_eq!(refused.map(|error| error.code.name()), code(&vector), "{}", text(&vector, "name"));
    }
}
