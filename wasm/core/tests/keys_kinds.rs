//! Whole keys of another kind are told from a wrong password (protocol, section 4).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod keys_common;

use keys_common::*;
use sx_core::error::{Code, Error};
use sx_core::keys::{SecretKey, key_derivation};

fn kinds() -> Vec<String> {
    let named = [
        "1.2.840.113549.1.1.1",
        "1.2.840.113549.1.1.10",
        "1.2.840.113549.1.3.1",
        "1.2.840.10046.2.1",
        "1.2.840.10040.4.1",
        "1.2.840.10045.2.1",
        "1.3.101.110",
        "1.3.101.111",
        "1.3.101.113",
    ];
    let signatures = (17..=31).filter(|last| *last != 19).map(|last| format!("2.16.840.1.101.3.4.3.{last}"));
    let kems = (1..=3).map(|last| format!("2.16.840.1.101.3.4.4.{last}"));
    named.into_iter().map(String::from).chain(signatures).chain(kems).collect()
}

fn info(kind: &str, parameters: &[u8]) -> Vec<u8> {
    sequence(&[&integer(0), &sequence(&[&oid(kind), parameters]), b"\x04\x03any"])
}

fn of_encrypted(plain: &[u8]) -> Error {
    let (pem, derived) = encrypted_bytes(plain);
    assert!(key_derivation(&pem).unwrap().is_some());
    SecretKey::open(&pem, &derived).unwrap_err()
}

#[test]
fn every_kind_is_named() {
    assert_eq!(kinds().len(), 26);
    for kind in kinds() {
        for parameters in
            [b"".as_slice(), b"\x05\x00", &oid("1.2.840.10045.3.1.7"), &sequence(&[&integer(7)])]
        {
            let plain = info(&kind, parameters);
            for error in [of_encrypted(&plain), SecretKey::from_pkcs8_der(&plain).unwrap_err()] {
                assert_eq!(error.code, Code::InvalidKey, "{kind}");
                assert!(error.found.contains(&format!(" {kind} is not supported")), "{kind}: {error}");
            }
        }
        let cut = info(&kind, b"");
        assert_eq!(of_encrypted(&cut[..cut.len() - 1]), Code::WrongPassword.into(), "{kind}, not whole");
        assert_eq!(
            of_encrypted(&[cut.as_slice(), &[0]].concat()),
            Code::WrongPassword.into(),
            "{kind}, more"
        );
    }
}

#[test]
fn attributes_and_a_public_key_make_no_difference() {
    let rest = [&oid("1.3.101.110"), b"\x04\x03any".as_slice()];
    let identifier = sequence(&[rest[0]]);
    let attributes = b"\xa0\x03any".as_slice();
    let public_key = b"\x81\x04\x00raw".as_slice();
    for (version, more) in
        [(0, attributes.to_vec()), (1, public_key.to_vec()), (1, [attributes, public_key].concat())]
    {
        let plain = sequence(&[&integer(version), &identifier, rest[1], &more]);
        assert_eq!(of_encrypted(&plain).code, Code::InvalidKey);
    }
    for (version, more) in [
        (1, attributes.to_vec()),
        (0, public_key.to_vec()),
        (2, public_key.to_vec()),
        (1, [public_key, attributes].concat()),
        (1, [attributes, attributes, public_key].concat()),
        (1, [public_key, public_key].concat()),
        (1, b"\x81\x04\x01raw".to_vec()),
        (1, b"\x81\x00".to_vec()),
        (1, b"\xa1\x06\x03\x04\x00raw".to_vec()),
        (0, b"\xa2\x03any".to_vec()),
    ] {
        let plain = sequence(&[&integer(version), &identifier, rest[1], &more]);
        assert_eq!(of_encrypted(&plain), Code::WrongPassword.into(), "{version} {more:x?}");
    }
}

#[test]
fn parameters_are_one_element_with_a_tag_of_one_byte() {
    let of = |parameters: &[u8]| of_encrypted(&info("1.3.101.110", parameters)).code;
    for good in [b"\x00\x00".as_slice(), b"\x1e\x00", b"\x30\x02\xff\xff", b"\xa0\x00", b"\xfe\x01\x00"] {
        assert_eq!(of(good), Code::InvalidKey, "{good:x?}");
    }
    for bad in [b"\x1f\x00".as_slice(), b"\x3f\x00", b"\xbf\x01\x00", b"\xff\x00", b"\x05\x00\x05\x00"] {
        assert_eq!(of(bad), Code::WrongPassword, "{bad:x?}");
    }
}

/// Only the kinds of the list: the answer for any other is that for damage.
#[test]
fn what_is_not_in_the_list_is_a_wrong_password() {
    let neighbours = [
        "1.2.840.113549.1.1",
        "1.2.840.113549.1.1.2",
        "1.2.840.113549.1.1.11",
        "1.3.101.109",
        "1.3.101.114",
        "1.3.101.110.1",
        "2.16.840.1.101.3.4.3",
        "2.16.840.1.101.3.4.3.16",
        "2.16.840.1.101.3.4.3.32",
        "2.16.840.1.101.3.4.3.17.1",
        "2.16.840.1.101.3.4.4",
        "2.16.840.1.101.3.4.4.0",
        "2.16.840.1.101.3.4.4.4",
        "2.16.840.1.101.3.4.5.1",
        "2.16.840.1.101.3.5.4.1",
        "2.999.1",
        // Ours, but not whole.
        "1.3.101.112",
        "2.16.840.1.101.3.4.3.19",
    ];
    for kind in neighbours {
        let plain = info(kind, b"");
        assert_eq!(of_encrypted(&plain), Code::WrongPassword.into(), "{kind}");
        assert_eq!(SecretKey::from_pkcs8_der(&plain).unwrap_err().code, Code::InvalidKey, "{kind}");
    }
}

#[test]
fn what_openssl_wrote() {
    for (pem, kind) in [
        (openssl!("p256"), "1.2.840.10045.2.1"),
        (openssl!("x25519"), "1.3.101.110"),
        (openssl!("x448"), "1.3.101.111"),
        (openssl!("ed448"), "1.3.101.113"),
    ] {
        let error = open(pem, PASSWORD).unwrap_err();
        assert_eq!(error.code, Code::InvalidKey, "{kind}");
        assert!(error.found.contains(kind), "{error}");
        assert_eq!(open(pem, b"wrong").unwrap_err(), Code::WrongPassword.into(), "{kind}");
    }
}

/// An object identifier that is none is no name of a kind either.
#[test]
fn object_identifiers_are_strict() {
    let of = |oid: &[u8]| {
        let kdf = file(&[&tlv(6, oid)], AES_256_CBC, IV);
        key_derivation(&kdf).unwrap_err().found
    };
    let is_named = |found: &str| found.contains("is encrypted with");
    let longest_arc = [[0x81; 8].as_slice(), &[0x7f]].concat();
    for good in [&[0x2a][..], &[0x2a, 0x7f], &[0x2a, 0x81, 0x00], &[1; 32], &longest_arc] {
        assert!(is_named(&of(good)), "{good:x?}");
    }
    for bad in [
        &[][..],
        &[0x80],
        &[0x80, 0x01],
        &[0x2a, 0x80, 0x01],
        &[0x2a, 0x81],
        &[0x2a, 0x81, 0x80],
        &[1; 33],
        &[[0x81; 9].as_slice(), &[0x7f]].concat(),
    ] {
        assert!(!is_named(&of(bad)), "{bad:x?}");
    }
}
