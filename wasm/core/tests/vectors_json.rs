//! The vectors that a stranger tests an implementation with hold for the native core too, also
//! where JavaScript cannot reach it: bytes that are no text, and the contexts of statements.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::vectors::{Vector, hex, list, text};
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits};
use sx_core::statement::{Context, pae};

#[test]
fn accepted_json_has_one_canonical_form() {
    for vector in list("json", "accepted") {
        let value = json::parse(text(&vector, "text").as_bytes(), &Limits::default());
        assert_eq!(json::write(&value.unwrap()), text(&vector, "canonical"), "{}", text(&vector, "name"));
        let again = json::parse(text(&vector, "canonical").as_bytes(), &Limits::default());
        assert_eq!(json::write(&again.unwrap()), text(&vector, "canonical"), "{}", text(&vector, "name"));
    }
}

#[test]
fn refused_json_has_its_code() {
    for (name, read) in [
        ("refused", (|vector| text(vector, "text").as_bytes().to_vec()) as fn(&Vector) -> Vec<u8>),
        ("refusedBytes", |vector| hex(text(vector, "hex"))),
    ] {
        for vector in list("json", name) {
            let code = json::parse(&read(&vector), &Limits::default()).map_err(|error| error.code.name());
            assert_eq!(code.err(), Some(text(&vector, "code")), "{}", text(&vector, "name"));
        }
    }
}

#[test]
fn the_table_of_contexts_is_the_one_of_the_vectors() {
    let listed: Vec<String> =
        list("pae", "contexts").iter().map(|vector| text(vector, "context").into()).collect();
    let own: Vec<&str> = Context::ALL.iter().map(|context| context.text()).collect();
    assert_eq!(listed, own);
}

#[test]
fn statements_are_framed_as_in_the_vectors() {
    for vector in list("pae", "statements") {
        let context = Context::ALL.iter().find(|context| context.text() == text(&vector, "context")).unwrap();
        let statement = pae(*context, text(&vector, "payload").as_bytes());
        assert_eq!(statement, hex(text(&vector, "bytes")));
        assert_eq!(Some(statement.len() as u64), vector.get("length").and_then(Vector::as_u64));
        assert_eq!(sha256_hex(&statement), text(&vector, "sha256"));
    }
}
