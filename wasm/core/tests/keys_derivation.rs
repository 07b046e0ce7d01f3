//! Key derivation as a step of its own: its parameters have one text, and bounds.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod keys_common;

use keys_common::*;
use sx_core::error::Code;
use sx_core::keys::{Algorithm, MAX_PASSWORD_LEN, SecretKey, derive_key, key_derivation, new_key_derivation};

const SCRYPT_JSON: &str = r#"{"kdf":"scrypt","n":16384,"p":1,"r":8,"salt":"AQIDBAUGBwg="}"#;
const PBKDF2_JSON: &str = r#"{"iterations":600000,"kdf":"pbkdf2","salt":"AQIDBAUGBwg="}"#;

fn code(parameters: &str) -> Option<Code> {
    // The empty password is looked at last, so that parameters without a fault cost nothing here.
    derive_key(parameters, b"").err().map(|error| error.code)
}

#[test]
fn the_parameters_of_a_file_are_canonical_json() {
    let scrypt = with_scrypt(&scrypt_parameters(1 << 14, 8, 1));
    assert_eq!(key_derivation(&scrypt).unwrap().as_deref(), Some(SCRYPT_JSON));
    let pbkdf2 = with_pbkdf2(&sequence(&[SALT, &integer(600_000), &integer(32), HMAC_SHA256]));
    assert_eq!(key_derivation(&pbkdf2).unwrap().as_deref(), Some(PBKDF2_JSON));
    let largest = sequence(&[&tlv(4, &[0xff; 64]), &integer(1 << 16), &integer(8), &integer(16)]);
    let text = key_derivation(&with_scrypt(&largest)).unwrap().unwrap();
    assert_eq!(code(&text), Some(Code::PasswordRequired), "the longest text is read again: {text}");
}

#[test]
fn new_parameters_are_those_that_are_written() {
    let text = new_key_derivation(&entropy(1)).unwrap();
    assert_eq!(text, r#"{"kdf":"scrypt","n":16384,"p":5,"r":8,"salt":"euc5Za/44LkUGjdzhyje4w=="}"#);
    assert_ne!(text, new_key_derivation(&entropy(2)).unwrap());
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[1; 32]).unwrap();
    let pem = key.encrypt(&text, &[9; 32], &entropy(3)).unwrap();
    assert_eq!(key_derivation(&pem).unwrap(), Some(text));
}

/// The examples of RFC 7914 have lower costs than are read; these values are from
/// `hashlib.scrypt` and `hashlib.pbkdf2_hmac` of Python.
#[test]
fn derived_keys() {
    for (parameters, expected) in [
        (SCRYPT_JSON, "0a7558368dceb8521f9c5721eea67d85c6c9f984d0af257b596a8b4f6403f487"),
        (
            &SCRYPT_JSON.replace("\"p\":1,\"r\":8", "\"p\":2,\"r\":9"),
            "d871aea4a79812315984c94681e24e5f619be8e2ef5072b07d67c9a3bc419ca4",
        ),
        (PBKDF2_JSON, "c8b7f273a66cd623a0a03a60536ef9606076e81048201f39f90ae66c6bae8cb0"),
        (
            &PBKDF2_JSON.replace("600000", "600001"),
            "ef32bc7e9a8ad5f472d8d88715ac44f41aa932a8c05444d3c15e3bec1232e68f",
        ),
    ] {
        let key = derive_key(parameters, b"pleaseletmein").unwrap();
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected, "{parameters}");
    }
}

#[test]
fn only_the_one_text_of_some_parameters_is_read() {
    assert_eq!(code(SCRYPT_JSON), Some(Code::PasswordRequired));
    assert_eq!(code(PBKDF2_JSON), Some(Code::PasswordRequired));
    for (from, to) in [
        (r#"{"kdf""#, r#"{ "kdf""#),
        (r#"{"kdf":"scrypt","n":16384,"#, r#"{"n":16384,"kdf":"scrypt","#),
        (r#""scrypt""#, r#""pbkdf2""#),
        (r#""scrypt""#, r#""Scrypt""#),
        (r#""scrypt""#, "null"),
        (r#""kdf":"scrypt","#, ""),
        (r#""n":16384,"#, ""),
        (r#""p":1,"#, ""),
        (r#""r":8,"#, ""),
        (r#","salt":"AQIDBAUGBwg=""#, ""),
        ("16384", "16384.5"),
        ("16384", "1.6384e4"),
        ("16384", "\"16384\""),
        (r#""p":1"#, r#""p":1.5"#),
        ("Bwg=", "Bwg"),
        ("Bwg=", "Bwh="),
        (r#""AQIDBAUGBwg=""#, "[1,2,3,4,5,6,7,8]"),
        (r#"g="}"#, r#"g=","x":1}"#),
        (r#"g="}"#, r#"g=","salt":"AQIDBAUGBwg="}"#),
        (r#"g="}"#, r#"g="} "#),
        ("}", ""),
        ("{", "[{"),
    ] {
        let changed = SCRYPT_JSON.replacen(from, to, 1);
        assert_ne!(changed, SCRYPT_JSON);
        assert_eq!(code(&changed), Some(Code::InvalidKey), "{changed}");
    }
    for (from, to) in [("600000", "600000.5"), (r#""iterations":600000,"#, ""), ("pbkdf2", "scrypt")] {
        let changed = PBKDF2_JSON.replacen(from, to, 1);
        assert_eq!(code(&changed), Some(Code::InvalidKey), "{changed}");
    }
    for other in ["", "null", "[]", "\"scrypt\"", "{}", &" ".repeat(20_000_000)] {
        assert_eq!(code(other), Some(Code::InvalidKey), "{} bytes", other.len());
    }
}

#[test]
fn bounds_are_checked_again() {
    for (from, to) in [
        ("16384", "8192"),
        ("16384", "0"),
        ("16384", "-1"),
        ("16384", "131072"),
        ("16384", "16385"),
        ("16384", "9007199254740991"),
        (r#""p":1"#, r#""p":0"#),
        (r#""p":1"#, r#""p":17"#),
        (r#""r":8"#, r#""r":7"#),
        (r#""r":8"#, r#""r":33"#),
        ("AQIDBAUGBwg=", "AQIDBAUGBw=="),
        ("AQIDBAUGBwg=", ""),
    ] {
        assert_eq!(code(&SCRYPT_JSON.replacen(from, to, 1)), Some(Code::KdfOutOfRange), "{to}");
    }
    for iterations in ["0", "599999", "10000001", "4294967296", "4295567296"] {
        let changed = PBKDF2_JSON.replacen("600000", iterations, 1);
        assert_eq!(code(&changed), Some(Code::KdfOutOfRange), "{iterations}");
    }
    // So does whoever encrypts.
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[1; 32]).unwrap();
    let refused = |parameters: &str| key.encrypt(parameters, &[0; 32], &entropy(3)).unwrap_err().code;
    assert_eq!(refused(&SCRYPT_JSON.replace("16384", "2")), Code::KdfOutOfRange);
    assert_eq!(refused("{}"), Code::InvalidKey);
}

#[test]
fn a_password_is_any_bytes_up_to_a_length() {
    let parameters = PBKDF2_JSON;
    let longest = vec![b'x'; MAX_PASSWORD_LEN];
    assert_ne!(derive_key(parameters, &longest).unwrap(), derive_key(parameters, &longest[1..]).unwrap());
    let longer = vec![b'x'; MAX_PASSWORD_LEN + 1];
    assert_eq!(derive_key(parameters, &longer).unwrap_err().code, Code::InvalidOption);
}
