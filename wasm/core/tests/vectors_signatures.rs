//! `test/vectors/signatures.json`: C01, end to end, for keys never seen and for kept ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::panic)]

mod common;

use common::vectors::{base64_of, code, list, text, verify};
use sx_core::keys::{PublicKey, kept_keys};
use sx_core::ring::{Ring, Source};
use sx_core::strings;

/// After so many right signatures a key is kept.
const OFTEN: usize = 10;

#[test]
fn c01_signatures_by_keys_with_a_part_of_small_order() {
    let vectors = list("signatures", "signatures");
    let mut said = [0, 0];
    for round in 0..OFTEN {
        for vector in &vectors {
            let (message, key) = (text(vector, "message"), text(vector, "publicKey"));
            let valid = vector["valid"].as_bool().unwrap();
            let found = strings::verify(message, text(vector, "signature"), key.as_bytes(), "ed25519");
            assert_eq!(found, valid, "{} in round {round}", vector["name"]);
            let read = PublicKey::from_spki_pem(key).unwrap();
            assert_eq!(read.verify(message.as_bytes(), &base64_of(text(vector, "signature"))), valid);
            said[usize::from(valid)] += 1;
        }
    }
    assert_eq!(said, [OFTEN * 10, OFTEN * 3]);
}

#[test]
fn c01_documents_by_a_key_with_a_part_of_small_order() {
    let vectors = list("signatures", "documents");
    let check = |vector| {
        let mut ring = Ring::default();
        let key = text(vector, "publicKey").as_bytes();
        ring.set(text(vector, "agentId"), Source::Directory, Some(key));
        let verdict = verify(text(vector, "text"), &ring);
        let found = common::parse(&verdict.to_json());
        let found = found.as_object().unwrap().get("code").and_then(sx_core::json::Value::as_str);
        assert_eq!(found, code(vector), "{}", vector["name"]);
    };
    assert_eq!(vectors.iter().map(code).collect::<Vec<_>>(), [None, Some("BadSignature")]);
    vectors.iter().rev().for_each(check); // unseen
    for _ in 0..OFTEN {
        check(&vectors[0]);
    }
    assert!(kept_keys().0 > 0);
    vectors.iter().for_each(check);
}
