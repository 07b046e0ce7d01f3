//! `test/vectors/verdicts.json`
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::{Vector, check_result, code, list, text, trusting_both, verify};
use sx_core::document::SignatureField;
use sx_core::json::Limits;
use sx_core::limits;
use sx_core::ring::{Ring, Source};
use sx_core::verify::Verification;

/// The text of a case, as `about` of the file describes it.
fn text_of(vector: &Vector, documents: &[Vector]) -> String {
    if let Some(text) = vector.get("text") {
        return text.as_str().unwrap().into();
    }
    let name = text(vector, "document");
    let raw = text(documents.iter().find(|document| text(document, "name") == name).unwrap(), "raw");
    let edit = |present: String, edit: &Vector| {
        let [found, put] = [0, 1].map(|at| edit.get(at).unwrap().as_str().unwrap());
        assert_eq!(present.matches(found).count(), 1, "{found} stands once in {name}");
        present.replace(found, put)
    };
    let edited = vector.get("edits").unwrap().as_array().unwrap().iter().fold(raw.into(), edit);
    format!("{}{edited}{}", text(vector, "before"), text(vector, "after"))
}

/// Both agents by their keys alone.
fn directory_of_both() -> Ring {
    let mut ring = Ring::default();
    for agent in list("agents", "agents") {
        let pem = text(&agent, "publicKey").as_bytes();
        ring.set(text(&agent, "agentId"), Source::Directory, Some(pem));
    }
    ring
}

#[test]
fn every_case_has_its_verdict_under_a_trust_store_and_under_a_key_directory() {
    let documents = list("documents", "documents");
    let (trusting, directory) = (trusting_both(), directory_of_both());
    for vector in list("verdicts", "cases") {
        let (document, code) = (text_of(&vector, &documents), code(&vector));
        for (ring, trusted) in [(&trusting, true), (&directory, false)] {
            let verdict = verify(&document, ring);
            check_result(
                &verdict,
                code,
                vector.get("data"),
                trusted && code.is_none(),
                text(&vector, "name"),
            );
        }
    }
}

#[test]
fn registrations_verify_as_they_say() {
    let ring = trusting_both();
    for vector in list("verdicts", "registrations") {
        let started = Verification::start(text(&vector, "text").as_bytes(), &Limits::default());
        let verifies = started.finish_signature(&ring, SignatureField::Registration).is_ok();
        assert_eq!(Some(verifies), vector.get("verifies").unwrap().as_bool(), "{}", text(&vector, "name"));
    }
}

#[test]
fn sources_decide_as_they_say() {
    for vector in list("verdicts", "sources") {
        let limits = vector.get("limits").map(ToString::to_string).unwrap_or_default();
        let limits = limits::parse(&limits).unwrap();
        let mut ring = Ring::new(limits);
        for source in vector.get("sources").unwrap().as_array().unwrap() {
            let held = text(source, "text").as_bytes();
            ring.set(text(source, "agentId"), Source::parse(text(source, "source")).unwrap(), Some(held));
        }
        let verdict = Verification::start(text(&vector, "text").as_bytes(), &limits).finish(&ring);
        let trusted = vector.get("trusted").unwrap().as_bool().unwrap();
        check_result(&verdict, code(&vector), None, trusted, text(&vector, "name"));
    }
}
