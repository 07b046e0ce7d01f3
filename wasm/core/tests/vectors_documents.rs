//! `test/vectors/documents.json`
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::{
    Vector, agent, base64_of, check_result, entropy_of, hex, list, secret, text, trusting_both, verify,
};
use common::{member, parse, with};
use sx_core::base64;
use sx_core::document::{self, Kind, Signer};
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits};
use sx_core::statement::{Context, pae};

#[test]
fn the_documents_are_made_again_byte_for_byte() {
    let vectors = list("documents", "documents");
    for vector in &vectors {
        let algorithm = text(vector, "algorithm");
        let name = text(vector, "name").strip_prefix(algorithm).unwrap().trim_start();
        let (agent, key, limits) = (agent(algorithm), secret(algorithm), Limits::default());
        let signer = Signer {
            agent_id: text(&agent, "agentId"),
            agent_version: text(&agent, "agentVersion"),
            key: &key,
            schema: None,
            is_draft: false,
        };
        let (input, entropy) = (text(vector, "input").as_bytes(), entropy_of(name));
        let at = vector.get("signedAt").unwrap().as_u64().unwrap();
        let current = |name: &str| {
            let name = format!("{algorithm} {name}");
            text(vectors.iter().find(|other| text(other, "name") == name).unwrap(), "raw").as_bytes()
        };
        let made = match name {
            "message" | "text" => document::create(&signer, Kind::Message, input, at, &entropy, &limits),
            "document" | "content" => document::create(&signer, Kind::Document, input, at, &entropy, &limits),
            "update" => document::update(&signer, current("document"), input, at, &entropy, &limits),
            "payload" => document::update(&signer, current("text"), input, at, &entropy, &limits),
            other => panic!("{other} is new here"),
        };
        assert_eq!(made.unwrap().raw, text(vector, "raw"), "{algorithm} {name}");
    }
}

#[test]
fn every_step_between_input_and_signature_is_as_it_says() {
    for vector in list("documents", "documents") {
        let (raw, name) = (text(&vector, "raw"), text(&vector, "name"));
        assert_eq!(json::write(&parse(raw)), raw, "{name}: it is canonical");
        let hashed = with(&with(raw, &[], "sxSignature", None), &[], "sxSha256", None);
        assert_eq!(hashed, text(&vector, "hashed"), "{name}");
        assert_eq!(sha256_hex(hashed.as_bytes()), text(&vector, "sxSha256"), "{name}");
        assert_eq!(member(raw, "sxSha256"), format!("\"{}\"", text(&vector, "sxSha256")), "{name}");
        let signed = with(raw, &["sxSignature"], "signature", None);
        assert_eq!(signed, text(&vector, "signed"), "{name}");
        let statement = pae(Context::Document, signed.as_bytes());
        let described = vector.get("statement").unwrap();
        assert_eq!(described.get("length").and_then(Vector::as_u64), Some(statement.len() as u64), "{name}");
        assert_eq!(sha256_hex(&statement), text(described, "sha256"), "{name}");
        let key = secret(text(&vector, "algorithm"));
        assert!(key.public_key().verify(&statement, &base64_of(text(&vector, "signature"))), "{name}");
        let rnd = vector.get("rnd").map_or(vec![0; 32], |rnd| hex(rnd.as_str().unwrap()));
        let signature = key.sign(&statement, &rnd.try_into().unwrap()).unwrap();
        assert_eq!(base64::encode(&signature), text(&vector, "signature"), "{name}");
    }
}

#[test]
fn the_documents_are_valid_and_give_their_data() {
    let ring = trusting_both();
    for vector in list("documents", "documents") {
        let verdict = verify(text(&vector, "raw"), &ring);
        check_result(&verdict, None, Some(vector.get("data").unwrap()), true, text(&vector, "name"));
    }
}
