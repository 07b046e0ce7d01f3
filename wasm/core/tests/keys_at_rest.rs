//! Private keys at rest: what OpenSSL wrote is read, and what was tampered with is refused.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use base64ct::{Base64, Encoding};
use sx_core::{
    error::{Code, Error},
    keys::{Algorithm, PublicKey, SecretKey, is_encrypted_pem},
};

macro_rules! openssl {
    ($name:literal) => {
        include_str!(concat!("data/keys/openssl-", $name, ".pem"))
    };
}

const PASSWORD: Option<&[u8]> = Some(b"correct");
const SCRYPT: &[u8] = b"\x06\x09\x2b\x06\x01\x04\x01\xda\x47\x04\x0b";
const PBKDF2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
const HMAC_SHA256: &[u8] = b"\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x09\x05\x00";
const HMAC_SHA1: &[u8] = b"\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x07\x05\x00";
const SALT: &[u8] = b"\x04\x08\x01\x02\x03\x04\x05\x06\x07\x08";
const PBES2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
const AES_256_CBC: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x2a";
const AES_256_GCM: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x2e";
const IV: [u8; 18] = [4, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn public() -> PublicKey {
    PublicKey::from_spki_pem(openssl!("public")).unwrap()
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", Base64::encode_string(der))
}

fn der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    Base64::decode_vec(&body).unwrap()
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u8::try_from(content.len()).unwrap();
    let header = if length < 128 { vec![0x30, length] } else { vec![0x30, 0x81, length] };
    [header, content].concat()
}

fn integer(value: u128) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(15);
    let sign: &[u8] = if bytes[start] > 127 { &[0] } else { &[] };
    let content = [sign, &bytes[start..]].concat();
    [vec![2, u8::try_from(content.len()).unwrap()], content].concat()
}

fn encrypted(kdf: &[&[u8]], cipher: &[u8], iv: &[u8]) -> String {
    let scheme = sequence(&[PBES2, &sequence(&[&sequence(kdf), &sequence(&[cipher, iv])])]);
    pem("ENCRYPTED PRIVATE KEY", &sequence(&[&scheme, b"\x04\x10", &[0; 16]]))
}

fn scrypt(n: u128, r: u128, p: u128, key_length: &[u8]) -> String {
    let parameters = sequence(&[SALT, &integer(n), &integer(r), &integer(p), key_length]);
    encrypted(&[SCRYPT, &parameters], AES_256_CBC, &IV)
}

fn pbkdf2(iterations: u128, prf: &[u8]) -> String {
    encrypted(&[PBKDF2, &sequence(&[SALT, &integer(iterations), prf])], AES_256_CBC, &IV)
}

fn error(pem: &str) -> Error {
    SecretKey::from_pem(pem, PASSWORD).unwrap_err()
}

#[test]
fn what_openssl_wrote() {
    for pem in [openssl!("scrypt"), openssl!("pbkdf2")] {
        assert!(is_encrypted_pem(pem));
        let key = SecretKey::from_pem_for(pem, PASSWORD, &public()).unwrap();
        assert_eq!(*key.public_key(), public());
    }
    assert_eq!(error(openssl!("aes128")).code, Code::InvalidKey);
}

#[test]
fn round_trip() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let key = SecretKey::from_seed(algorithm, &[5; 32]).unwrap();
        let pem = key.to_encrypted_pem(b"pass \xff word", &[1; 16], &[2; 16]).unwrap();
        assert!(is_encrypted_pem(&pem));
        let read = SecretKey::from_pem_for(&pem, Some(b"pass \xff word"), key.public_key()).unwrap();
        assert_eq!(*read.to_pkcs8_der(), *key.to_pkcs8_der());
        let seed = [5; 32];
        assert!(!der(&pem).windows(32).any(|window| window == seed), "the seed is readable");
        // N = 2^14, r = 8, p = 5 and AES-256-CBC are in the file.
        let parameters = b"\x02\x02\x40\x00\x02\x01\x08\x02\x01\x05";
        assert!(der(&pem).windows(parameters.len()).any(|window| window == parameters));
        assert!(der(&pem).windows(AES_256_CBC.len()).any(|window| window == AES_256_CBC));
    }
}

#[test]
fn a_password_is_required() {
    let key = SecretKey::from_pem(openssl!("plain"), None).unwrap();
    assert_eq!(key.to_encrypted_pem(b"", &[0; 16], &[0; 16]).unwrap_err().code, Code::PasswordRequired);
    for password in [None, Some(b"".as_slice())] {
        assert_eq!(
            SecretKey::from_pem(openssl!("scrypt"), password).unwrap_err().code,
            Code::PasswordRequired
        );
    }
}

/// T46: one error for everything that goes wrong after the derivation.
#[test]
fn wrong_password_and_damage_are_the_same_error() {
    let expected = Error::from(Code::WrongPassword);
    for password in [b"wrong".as_slice(), b"correct ", b"Correct"] {
        let error = SecretKey::from_pem(openssl!("scrypt"), Some(password)).unwrap_err();
        assert_eq!(error, expected);
    }
    let good = der(openssl!("scrypt"));
    let ciphertext = good.len() - 64;
    for at in ciphertext..good.len() {
        let mut damaged = good.clone();
        damaged[at] ^= 1 << (at % 8);
        let damaged = pem("ENCRYPTED PRIVATE KEY", &damaged);
        assert_eq!(
            SecretKey::from_pem_for(&damaged, PASSWORD, &public()).unwrap_err(),
            expected,
            "byte {at}"
        );
        match SecretKey::from_pem(&damaged, PASSWORD) {
            Err(error) => assert_eq!(error, expected, "byte {at}"),
            Ok(other) => assert_ne!(*other.public_key(), public(), "byte {at}"),
        }
    }
    // The structure around the key says that it is shorter, so that a block is missing.
    let cut =
        [&good[..2], &[good[2] - 16], &good[3..ciphertext - 1], &[48], &good[ciphertext..good.len() - 16]];
    assert_eq!(error(&pem("ENCRYPTED PRIVATE KEY", &cut.concat())), expected);
}

/// T46: cost beyond the bounds is refused; the larger of these would not end.
#[test]
fn cost_is_checked_before_any_derivation() {
    let at_the_bounds = [scrypt(1 << 14, 8, 1, b""), scrypt(1 << 16, 8, 1, b""), scrypt(1 << 14, 32, 1, b"")];
    for pem in at_the_bounds {
        assert_eq!(error(&pem).code, Code::WrongPassword);
    }
    for (n, r, p) in [
        (0, 8, 5),
        (1, 8, 5),
        (2, 8, 5),
        (1 << 13, 8, 5),
        ((1 << 14) + 1, 8, 5),
        (3 << 14, 8, 5),
        (1 << 17, 8, 1),
        (1 << 31, 8, 5),
        (1 << 63, 8, 5),
        (1 << 64, 8, 5),
        (1 << 100, 8, 5),
        (1 << 14, 0, 5),
        (1 << 14, 7, 5),
        (1 << 14, 33, 5),
        (1 << 15, 32, 5),
        (1 << 14, 1 << 16, 5),
        (1 << 14, 1 << 31, 5),
        (1 << 14, 8, 0),
        (1 << 14, 8, 17),
        (1 << 14, 8, 1 << 31),
    ] {
        assert_eq!(error(&scrypt(n, r, p, b"")), Code::KdfOutOfRange.into(), "N {n}, r {r}, p {p}");
    }
    for iterations in [0, 1, 2048, 599_999, 10_000_001, 100_000_001, 1 << 31, 1 << 32, 1 << 100] {
        assert_eq!(error(&pbkdf2(iterations, HMAC_SHA256)), Code::KdfOutOfRange.into(), "{iterations}");
    }
    assert_eq!(error(openssl!("pbkdf2-599999")).code, Code::KdfOutOfRange);
}

#[test]
fn other_schemes_are_named() {
    for (pem, oid) in [
        (openssl!("sha512"), "1.2.840.113549.2.11"),
        (openssl!("des3"), "1.2.840.113549.3.7"),
        (openssl!("pbes1"), "1.2.840.113549.1.12.1.3"),
        (&pbkdf2(600_000, HMAC_SHA1), "1.2.840.113549.2.7"),
        (&pbkdf2(600_000, b""), "1.2.840.113549.2.7"),
        (&encrypted(&[AES_256_CBC, &IV], AES_256_CBC, &IV), "2.16.840.1.101.3.4.1.42"),
        (
            &encrypted(
                &[SCRYPT, &sequence(&[SALT, &integer(1 << 14), &integer(8), &integer(5)])],
                AES_256_GCM,
                b"\x04\x0c\0\0\0\0\0\0\0\0\0\0\0\0",
            ),
            "2.16.840.1.101.3.4.1.46",
        ),
    ] {
        let error = error(pem);
        assert_eq!(error.code, Code::InvalidKey, "{oid}");
        assert!(error.found.contains(oid), "{oid}: {error}");
    }
}

#[test]
fn malformed_files() {
    assert_eq!(error(&scrypt(1 << 14, 8, 5, &integer(16))).code, Code::InvalidKey, "key length");
    assert_eq!(error(&scrypt(1 << 14, 8, 1, &integer(32))).code, Code::WrongPassword, "key length");
    let long_salt = sequence(&[b"\x04\x21", &[0; 33], &integer(1 << 14), &integer(8), &integer(1)]);
    assert_eq!(error(&encrypted(&[SCRYPT, &long_salt], AES_256_CBC, &IV)).code, Code::InvalidKey, "salt");
    let parameters = sequence(&[SALT, &integer(1 << 14), &integer(8), &integer(1)]);
    let short_iv = encrypted(&[SCRYPT, &parameters], AES_256_CBC, b"\x04\x08\0\0\0\0\0\0\0\0");
    assert_eq!(error(&short_iv).code, Code::InvalidKey, "initialisation vector");
    let good = der(openssl!("scrypt"));
    for der in [[good.as_slice(), &[0]].concat(), good[..good.len() - 1].to_vec(), Vec::new()] {
        assert_eq!(error(&pem("ENCRYPTED PRIVATE KEY", &der)).code, Code::InvalidKey);
    }
    let plain = der(openssl!("plain"));
    assert_eq!(error(&pem("ENCRYPTED PRIVATE KEY", &plain)).code, Code::InvalidKey);
    assert_eq!(error(&pem("PRIVATE KEY", &good)).code, Code::InvalidKey);
    assert_eq!(error(&pem("RSA PRIVATE KEY", &plain)).code, Code::InvalidKey);
}

#[test]
fn a_key_of_another_kind_is_not_a_wrong_password() {
    let error = error(openssl!("p256"));
    assert_eq!(error.code, Code::InvalidKey);
    assert!(error.found.contains("1.2.840.10045.2.1"), "{error}");
    let wrong = SecretKey::from_pem(openssl!("p256"), Some(b"wrong")).unwrap_err();
    assert_eq!(wrong, Code::WrongPassword.into());
}

#[test]
fn the_key_of_another_agent() {
    let other = SecretKey::from_seed(Algorithm::Ed25519, &[9; 32]).unwrap();
    let expect = |pem| SecretKey::from_pem_for(pem, PASSWORD, other.public_key()).unwrap_err().code;
    assert_eq!(expect(openssl!("plain")), Code::KeyMismatch);
    assert_eq!(expect(openssl!("scrypt")), Code::WrongPassword);
}
