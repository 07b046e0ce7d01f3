//! C01: what decides says what `verify_strict` says: alone, and with the fast way before it.
#![expect(clippy::arithmetic_side_effects, reason = "counts, and arithmetic modulo the order")]

#[path = "../../../../confirm/tests/hostile/mod.rs"]
mod hostile;
#[path = "../../../../confirm/tests/numbers/mod.rs"]
mod numbers;

use alloc::vec::Vec;

use serde_json::Value;

use super::*;
use crate::keys::{Algorithm, PublicKey, met};
use hostile::{Hostile, Said, challenge, strict, weak_pairs};

/// What decides, for a key that the fast way does not know.
fn decided(raw: &[u8; PUBLIC_LEN], message: &[u8], signature: &[u8]) -> bool {
    VerifyingKey { raw: *raw, quick: None }.decides(message, signature)
}

/// One of two runs that go side by side.
const CASES: usize = 50_000;

#[test]
fn c01_decides_as_verify_strict() {
    compare(21);
}

#[test]
fn c01_decides_as_verify_strict_with_other_numbers() {
    compare(22);
}

fn compare(seed: u64) {
    let mut hostile = Hostile::new(seed);
    let read = |raw: &[u8; PUBLIC_LEN]| PublicKey::from_raw(Algorithm::Ed25519, raw).unwrap();
    let keys: Vec<PublicKey> = hostile.keys.iter().map(|key| read(&key.raw)).collect();
    let verifiers: Vec<_> = hostile.keys.iter().map(|key| Ed25519.verifier(&key.raw).unwrap()).collect();
    let mut said = Said::NOTHING;
    let mut by_kept_keys = [0, 0];
    for number in 0..CASES {
        let case = hostile.case(number);
        let (raw, message, signature) = (case.raw, &case.message, &case.signature);
        let theirs = strict(raw, message, signature);
        let shown = || alloc::format!("{}: {raw:x?} {message:x?} {signature:x?}", case.kind);
        assert_eq!(decided(raw, message, signature), theirs, "{}", shown());
        assert_eq!(verifiers[case.key].confirms(message, signature), theirs, "{}", shown());
        let key = &keys[case.key];
        by_kept_keys[usize::from(theirs)] += usize::from(met::kept(key).is_some());
        assert_eq!(key.verify(message, signature), theirs, "{}", shown());
        said.note(case.kind, theirs);
    }
    said.check(CASES);
    assert!(by_kept_keys[0] > CASES / 2 && by_kept_keys[1] > CASES / 8, "{by_kept_keys:?}");
}

#[test]
fn c01_no_pair_of_small_order_is_a_signature() {
    let ran = weak_pairs(|raw, message, signature| {
        assert!(!decided(raw, message, signature) && !strict(raw, message, signature));
        let refused = PublicKey::from_raw(Algorithm::Ed25519, raw).unwrap_err();
        assert_eq!(refused.code, Code::WeakPublicKey);
    });
    assert_eq!(ran, 14 * 14 * 8 * 3);
}

#[test]
fn c01_no_key_has_a_second_encoding() {
    let keys = hostile::above_p();
    assert!(keys.len() > 10);
    for raw in keys {
        let refused = PublicKey::from_raw(Algorithm::Ed25519, &raw).unwrap_err();
        assert_eq!(refused.code, Code::InvalidKey);
        assert!(checked(&raw).is_err() && quick::Key::new(&raw).is_none());
    }
}

/// [S]B + [L - k]A, which is the same only where the key has no part of small order.
fn with_the_scalar_negated(raw: &[u8; PUBLIC_LEN], message: &[u8], signature: &[u8]) -> bool {
    let signature: &[u8; SIGNATURE_LEN] = signature.try_into().unwrap();
    let (commitment, response) = (signature.first_chunk().unwrap(), signature.last_chunk().unwrap());
    let is_weak = CompressedEdwardsY(*commitment).decompress().is_none_or(|point| point.is_small_order());
    let response = Option::<Scalar>::from(Scalar::from_canonical_bytes(*response));
    let (Ok(key), Some(response), false) = (checked(raw), response, is_weak) else { return false };
    let found = ED25519_BASEPOINT_POINT * response + key * -challenge(commitment, raw, message);
    found.compress().as_bytes() == commitment
}

struct Vector {
    raw: [u8; PUBLIC_LEN],
    message: Vec<u8>,
    signature: Vec<u8>,
}

fn hex(value: &Value) -> Vec<u8> {
    let pairs = value.as_str().unwrap().as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The vectors of a file, whose members have these names.
fn vectors(file: &str, [key, signature, message]: [&str; 3], read: fn(&Value) -> Vec<u8>) -> Vec<Vector> {
    let vectors: Vec<Value> = serde_json::from_str(file).unwrap();
    let vector = |vector: &Value| Vector {
        raw: hex(&vector[key]).try_into().unwrap(),
        message: read(&vector[message]),
        signature: hex(&vector[signature]),
    };
    vectors.iter().map(vector).collect()
}

/// How many everyone refuses and accepts; and how many of either are told apart by negating the scalar.
fn published(vectors: &[Vector]) -> [[usize; 2]; 2] {
    let mut said = [[0; 2]; 2];
    for (number, Vector { raw, message, signature }) in vectors.iter().enumerate() {
        let theirs = strict(raw, message, signature);
        assert_eq!(decided(raw, message, signature), theirs, "{number}");
        let key = quick::Key::new(raw);
        let unseen = key.as_ref().is_some_and(|key| key.confirms(message, signature));
        let kept = key.as_ref().is_some_and(|key| key.keep().confirms(message, signature));
        assert_eq!([unseen, kept], [theirs; 2], "{number}");
        let both = PublicKey::from_raw(Algorithm::Ed25519, raw);
        assert_eq!(both.is_ok(), key.is_some(), "{number}");
        for _ in 0..12 {
            // More often than what a key is kept after.
            assert_eq!(both.as_ref().is_ok_and(|key| key.verify(message, signature)), theirs, "{number}");
        }
        said[0][usize::from(theirs)] += 1;
        said[1][usize::from(theirs)] +=
            usize::from(with_the_scalar_negated(raw, message, signature) != theirs);
    }
    said
}

#[test]
fn c01_vectors_of_cctv() {
    let file = include_str!("../../../tests/data/ed25519/cctv.json");
    let vectors = vectors(file, ["key", "sig", "msg"], |text| text.as_str().unwrap().into());
    assert_eq!(vectors.len(), 914);
    assert_eq!(published(&vectors), [[871, 43], [10, 42]]);
}

#[test]
fn c01_vectors_of_speccheck() {
    let file = include_str!("../../../tests/data/ed25519/speccheck.json");
    let vectors = vectors(file, ["pub_key", "signature", "message"], hex);
    assert_eq!(published(&vectors), [[11, 1], [0, 1]]);
}
