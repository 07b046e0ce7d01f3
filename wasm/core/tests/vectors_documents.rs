//! `test/vectors/documents.json`
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::{
    Vector, agent, base64_of, check_result, hex, list, moment_of, secret, text, trusting_both, verify,
};
use common::{author, member, of, parse, with};
use sx_core::base64;
use sx_core::document::{self, Kind, Making};
use sx_core::hash::sha256_hex;
use sx_core::json;
use sx_core::statement::{Context, pae};

#[test]
fn the_documents_are_made_again_byte_for_byte() {
    let vectors = list("documents", "documents");
    for vector in &vectors {
        let algorithm = text(vector, "algorithm");
        let name = text(vector, "name").strip_prefix(algorithm).unwrap().trim_start();
        let (agent, key) = (agent(algorithm), secret(algorithm));
        let signer = author(text(&agent, "agentId"), text(&agent, "agentVersion"), &key);
        let input = text(vector, "input").as_bytes();
        let moment = moment_of(vector.get("signedAt").unwrap().as_u64().unwrap(), name);
        let current = |name: &str| {
            let name = format!("{algorithm} {name}");
            text(vectors.iter().find(|other| text(other, "name") == name).unwrap(), "raw").as_bytes()
        };
        let made = match name {
            "message" | "text" => document::create(&signer, input, &of(Kind::Message), &moment),
            "document" | "content" => document::create(&signer, input, &of(Kind::Document), &moment),
            "update" => document::update(&signer, current("document"), input, &Making::default(), &moment),
            "payload" => document::update(&signer, current("text"), input, &Making::default(), &moment),
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
