//! DER is strict: one fault in one element, and a file is no key any more.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod keys_common;

use keys_common::*;
use sx_core::error::{Code, Error};
use sx_core::keys::{Algorithm, PublicKey, SecretKey, derive_key, key_derivation};

fn tree(der: &[u8], inside: &dyn Fn(&[u8]) -> bool) -> Node {
    let nodes = Node::parse(der, inside);
    assert_eq!(nodes.len(), 1);
    assert_eq!(nodes[0].encode(), der);
    nodes[0].clone()
}

/// The AlgorithmIdentifier of PBES2 says that it is longer than what it holds, up to the end of
/// the file: what follows would be read as if it stood outside.
#[test]
fn an_identifier_that_overruns_its_end() {
    let good = der(openssl!("scrypt"));
    let parameters = key_derivation(openssl!("scrypt")).unwrap().unwrap();
    let derived = derive_key(&parameters, PASSWORD).unwrap();
    assert!(SecretKey::open(openssl!("scrypt"), &*derived).is_ok());
    assert_eq!(good[3..5], [0x30, 0x4f], "the identifier and its length");
    for more in 1..=66 {
        let mut overrun = good.clone();
        overrun[4] += more;
        if overrun[4] > 127 {
            break;
        }
        let overrun = pem("ENCRYPTED PRIVATE KEY", &overrun);
        assert_eq!(refusal(&overrun), Some(Code::InvalidKey), "{more} bytes");
        let opened = SecretKey::open(&overrun, &*derived).map_err(|error| error.code);
        assert_eq!(opened.unwrap_err(), Code::InvalidKey, "{more} bytes");
    }
}

#[test]
fn every_element_of_an_encrypted_key() {
    for pem in [openssl!("scrypt"), openssl!("pbkdf2")] {
        let mut count = 0;
        for (what, bytes) in tree(&der(pem), &|_| false).faults() {
            let changed = keys_common::pem("ENCRYPTED PRIVATE KEY", &bytes);
            assert_eq!(refusal(&changed), Some(Code::InvalidKey), "{what}");
            count += 1;
        }
        assert!(count > 300, "{count}");
    }
}

/// With the optional length of the key some faults leave DER, of another file, whose costs are
/// out of range. But without that length it says the same.
#[test]
fn every_element_of_an_encrypted_key_with_a_key_length() {
    let pem = with_pbkdf2(&sequence(&[SALT, &integer(600_000), &integer(32), HMAC_SHA256]));
    let mut unchanged = Vec::new();
    for (what, bytes) in tree(&der(&pem), &|_| false).faults() {
        let changed = keys_common::pem("ENCRYPTED PRIVATE KEY", &bytes);
        match key_derivation(&changed) {
            Ok(parameters) => unchanged.push((what, parameters)),
            Err(error) => assert!(matches!(error.code, Code::InvalidKey | Code::KdfOutOfRange), "{what}"),
        }
    }
    let without = "30[0] 30[1] 30[0] 30[1] 30[2] 02: it is not there".to_owned();
    assert_eq!(unchanged, [(without, key_derivation(&pem).unwrap())]);
}

/// The plain key, Ed25519 as version 1 and 2 and ML-DSA-87 in its three forms, as it is and
/// encrypted.
#[test]
fn every_element_of_a_private_key() {
    let ed25519 = SecretKey::from_seed(Algorithm::Ed25519, &[5; 32]).unwrap();
    let version_2 = [
        b"\x02\x01\x01\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".as_slice(),
        &[5; 32],
        b"\x81\x21\x00",
        ed25519.public_key().to_raw(),
    ];
    let [both, expanded] = ml_dsa_forms(&[5; 32]);
    let ml_dsa = SecretKey::from_seed(Algorithm::Pq2025, &[5; 32]).unwrap();
    for (der, algorithm) in [
        (ed25519.to_pkcs8_der().to_vec(), Algorithm::Ed25519),
        (tlv(0x30, &version_2.concat()), Algorithm::Ed25519),
        (ml_dsa.to_pkcs8_der().to_vec(), Algorithm::Pq2025),
        (both, Algorithm::Pq2025),
        (expanded, Algorithm::Pq2025),
    ] {
        let key = SecretKey::from_pkcs8_der(&der).unwrap();
        assert_eq!(key.public_key().algorithm(), algorithm);
        // The octet string of the private key holds an element; a seed and an expanded key do not.
        let tree = tree(&der, &|content| !matches!(content.len(), 32 | 4896));
        let mut count = 0;
        for (what, bytes) in tree.faults() {
            let code = SecretKey::from_pkcs8_der(&bytes).map_err(|error| error.code).unwrap_err();
            assert_eq!(code, Code::InvalidKey, "{what}");
            let (pem, derived) = encrypted_bytes(&bytes);
            let error = SecretKey::open(&pem, &derived).unwrap_err();
            assert_eq!(error, Error::from(Code::WrongPassword), "encrypted, {what}");
            count += 1;
        }
        assert!(count > 60, "{count}");
    }
}

#[test]
fn integers_are_in_their_shortest_form() {
    let with_n = |n: &[u8]| refusal(&with_scrypt(&sequence(&[SALT, n, &integer(8), &integer(5)])));
    assert_eq!(with_n(b"\x02\x02\x40\x00"), None);
    for n in
        [b"\x02\x03\x00\x40\x00".as_slice(), b"\x02\x04\x00\x00\x40\x00", b"\x02\x00", b"\x02\x02\xff\x80"]
    {
        assert_eq!(with_n(n), Some(Code::InvalidKey), "{n:x?}");
    }
    for n in [b"\x02\x02\xff\x7f".as_slice(), b"\x02\x01\xff", b"\x02\x02\x00\x80", b"\x02\x01\x00"] {
        assert_eq!(with_n(n), Some(Code::KdfOutOfRange), "{n:x?}");
    }
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[5; 32]).unwrap().to_pkcs8_der();
    let with_version = |version: &[u8]| SecretKey::from_pkcs8_der(&sequence(&[version, &key[5..]]));
    assert!(with_version(b"\x02\x01\x00").is_ok());
    for version in
        [b"\x02\x00".as_slice(), b"\x02\x02\x00\x00", b"\x02\x01\xff", b"\x02\x09\x01\0\0\0\0\0\0\0\0"]
    {
        assert_eq!(with_version(version).unwrap_err().code, Code::InvalidKey, "{version:x?}");
    }
}

#[test]
fn every_element_of_a_public_key() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let key = SecretKey::from_seed(algorithm, &[5; 32]).unwrap();
        let der = key.public_key().to_spki_der();
        for (what, bytes) in tree(&der, &|_| false).faults() {
            let code = PublicKey::from_spki_der(&bytes).map_err(|error| error.code).unwrap_err();
            assert_eq!(code, Code::InvalidKey, "{what}");
        }
    }
}
