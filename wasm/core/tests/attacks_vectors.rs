//! The vectors that a stranger tests an implementation with hold for the native core too, also
//! where JavaScript cannot reach it: bytes that are no text, and the contexts of statements.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::Value as Vector;
use sx_core::json::{self, Limits};
use sx_core::statement::{Context, pae};

fn vectors(text: &str, list: &str) -> Vec<Vector> {
    let file: Vector = serde_json::from_str(text).unwrap();
    let list = file[list].as_array().unwrap().clone();
    assert!(!list.is_empty());
    list
}

fn text<'a>(vector: &'a Vector, name: &str) -> &'a str {
    vector[name].as_str().unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

const JSON: &str = include_str!("../../../test/vectors/json.json");
const PAE: &str = include_str!("../../../test/vectors/pae.json");

#[test]
fn accepted_json_has_one_canonical_form() {
    for vector in vectors(JSON, "accepted") {
        let value = json::parse(text(&vector, "text").as_bytes(), &Limits::default());
        assert_eq!(json::write(&value.unwrap()), text(&vector, "canonical"), "{}", vector["name"]);
    }
}

#[test]
fn refused_json_has_its_code() {
    for (list, read) in [
        ("refused", (|vector| text(vector, "text").as_bytes().to_vec()) as fn(&Vector) -> Vec<u8>),
        ("refusedBytes", |vector| bytes(text(vector, "hex"))),
    ] {
        for vector in vectors(JSON, list) {
            let code = json::parse(&read(&vector), &Limits::default()).map_err(|error| error.code.name());
            assert_eq!(code.err(), vector["code"].as_str(), "{}", vector["name"]);
        }
    }
}

#[test]
fn the_table_of_contexts_is_the_one_of_the_vectors() {
    let listed: Vec<String> =
        vectors(PAE, "contexts").iter().map(|vector| text(vector, "context").into()).collect();
    let own: Vec<&str> = Context::ALL.iter().map(|context| context.text()).collect();
    assert_eq!(listed, own);
}

#[test]
fn statements_are_framed_as_in_the_vectors() {
    for vector in vectors(PAE, "statements") {
        let context = Context::ALL.iter().find(|context| context.text() == text(&vector, "context")).unwrap();
        assert_eq!(pae(*context, text(&vector, "payload").as_bytes()), bytes(text(&vector, "bytes")));
    }
}
