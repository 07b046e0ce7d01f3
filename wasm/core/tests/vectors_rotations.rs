//! `test/vectors/rotations.json`
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::vectors::{Vector, base64_of, code, list, text, verify};
use sx_core::agent::Agent;
use sx_core::json::Limits;
use sx_core::ring::{Ring, Source};
use sx_core::trust::admit;

fn file() -> Vector {
    let path = format!("{}/../../test/vectors/rotations.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_keys_have_signed_what_the_file_says() {
    let file = file();
    let document = text(&file["documents"], "third");
    let agent = Agent::verify(document.as_bytes(), &Limits::default()).unwrap();
    let document: Vector = serde_json::from_str(document).unwrap();
    let ids: Vec<Vector> = agent.keys.iter().map(|known| known.key.key_id().into()).collect();
    assert_eq!(file["keyIds"], Vector::from(ids));
    for (at, known) in agent.keys.iter().enumerate() {
        let proof = base64_of(text(&document["sxPublicKeys"][at], "proof"));
        assert!(known.key.verify(file["proofs"][at].as_str().unwrap().as_bytes(), &proof), "{at}");
    }
    for at in 0..2 {
        let signature = base64_of(text(&document["sxKeyRotation"][at], "signature"));
        let statement = file["rotations"][at].as_str().unwrap();
        assert!(agent.keys[at].key.verify(statement.as_bytes(), &signature), "{at}");
    }
}

#[test]
fn the_trust_store_takes_and_refuses_as_it_says() {
    let documents = &file()["documents"];
    for vector in list("rotations", "admissions") {
        let known = vector["known"].as_str().map(|name| text(documents, name).as_bytes());
        let found = admit(text(&vector, "offered").as_bytes(), known, &Limits::default());
        assert_eq!(found.err().map(|error| error.code.name()), code(&vector), "{}", text(&vector, "name"));
    }
}

#[test]
fn the_verdicts_are_as_it_says() {
    let file = file();
    for vector in list("rotations", "verdicts") {
        let agent = text(&file["documents"], text(&vector, "under"));
        let mut ring = Ring::default();
        ring.set(text(&file, "agentId"), Source::Trust, Some(agent.as_bytes()));
        let found = verify(text(&vector, "text"), &ring).outcome;
        assert_eq!(found.err().map(|error| error.code.name()), code(&vector), "{}", text(&vector, "name"));
    }
}
