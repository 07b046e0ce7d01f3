//! `test/vectors/agreements.json`
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::{Vector, agent, canonical, list, moment_of, secret, text, trusting_both};
use common::{author, parse};
use sx_core::agreement_field::{self, AgreementCheck, Field};
use sx_core::document::Making;
use sx_core::json::{self, Limits, Value};
use sx_core::ring::Ring;
use sx_core::time;

/// 2026-01-02T03:04:07.678Z, when the copies were signed.
const SIGNED_AT: u64 = 1_767_323_047_678;

#[test]
fn the_agreements_are_signed_again_byte_for_byte() {
    for vector in list("agreements", "agreements") {
        let (name, field) = (text(&vector, "name"), text(&vector, "field"));
        let copies = vector.get("copies").unwrap().as_array().unwrap();
        for (algorithm, copy) in ["ed25519", "pq2025"].into_iter().zip(copies) {
            let (agent, key) = (agent(algorithm), secret(algorithm));
            let signer = author(text(&agent, "agentId"), text(&agent, "agentVersion"), &key);
            let asked = Field { document: text(&vector, "asked").as_bytes(), name: field };
            let moment = moment_of(SIGNED_AT, &format!("{name} {algorithm}"));
            let made = agreement_field::sign(&signer, asked, &Making::default(), &moment);
            assert_eq!(made.unwrap().raw, copy.as_str().unwrap(), "{name} {algorithm}");
        }
    }
}

/// Sentences become codes.
fn coded(status: &str) -> String {
    let mut status = parse(status);
    let object = status.as_object_mut().unwrap();
    for one in object.get_mut("invalid").unwrap().as_array_mut().unwrap() {
        one.as_object_mut().unwrap().remove("message").unwrap();
    }
    for error in object.get_mut("errors").unwrap().as_array_mut().unwrap() {
        let (code, _) = error.as_str().unwrap().split_once(':').unwrap();
        *error = Value::from(code);
    }
    json::write(&status)
}

#[test]
fn every_agreement_has_come_to_what_the_vectors_say() {
    for vector in list("agreements", "checks") {
        let texts = vector.get("texts").unwrap().as_array().unwrap();
        let mut texts = texts.iter().map(|text| text.as_str().unwrap().as_bytes());
        let limits = Limits::default();
        let mut check =
            AgreementCheck::start(texts.next().unwrap(), text(&vector, "field"), &limits).unwrap();
        texts.for_each(|text| check.add(text, &limits).unwrap());
        let is_known = vector.get("isKnown").and_then(Vector::as_bool).unwrap();
        let ring = if is_known { trusting_both() } else { Ring::default() };
        let found = check.finish(&ring, time::parse(text(&vector, "now")).unwrap());
        assert_eq!(coded(&found), canonical(vector.get("status").unwrap()), "{}", text(&vector, "name"));
    }
}
