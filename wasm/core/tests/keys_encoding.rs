//! Names, SPKI, PKCS#8 and JWK thumbprints.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use sx_core::{
    error::Code,
    keys::{Algorithm, PublicKey, SecretKey},
};

const PUBLIC: &str = include_str!("data/keys/openssl-public.pem");
const PLAIN: &str = include_str!("data/keys/openssl-plain.pem");
const BOTH_ALGORITHMS: [Algorithm; 2] = [Algorithm::Ed25519, Algorithm::Pq2025];

/// RFC 8410 section 10: one private key as version 1 and, with its public key and an attribute,
/// as version 2.
const RFC_8410_V1: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const RFC_8410_V2: &str = "-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
";
const RFC_8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";

fn key(algorithm: Algorithm) -> SecretKey {
    SecretKey::from_seed(algorithm, &[42; 32]).unwrap()
}

fn public_code(der: &[u8]) -> Code {
    PublicKey::from_spki_der(der).unwrap_err().code
}

#[test]
fn names() {
    for algorithm in BOTH_ALGORITHMS {
        assert_eq!(Algorithm::parse(algorithm.name()), Some(algorithm));
    }
    for alias in ["ring-Ed25519", "Ed25519"] {
        assert_eq!(Algorithm::parse(alias), Some(Algorithm::Ed25519));
    }
    assert_eq!(Algorithm::parse("ML-DSA-87"), Some(Algorithm::Pq2025));
    for other in [
        "",
        "none",
        "HS256",
        " ed25519",
        "ed25519 ",
        "ED25519",
        "ed-25519",
        "ring-ed25519",
        "ml-dsa-87",
        "ML-DSA-65",
        "PQ2025",
        "17",
    ] {
        assert_eq!(Algorithm::parse(other), None, "{other}");
    }
    assert_eq!((Algorithm::Ed25519.public_len(), Algorithm::Ed25519.signature_len()), (32, 64));
    assert_eq!((Algorithm::Pq2025.public_len(), Algorithm::Pq2025.signature_len()), (2592, 4627));
}

#[test]
fn openssl_and_this_library_write_the_same_public_key() {
    let key = SecretKey::import(PLAIN, None).unwrap();
    assert_eq!(key.public_key().to_spki_pem(), PUBLIC);
    assert_eq!(PublicKey::from_spki_pem(PUBLIC).unwrap(), *key.public_key());
    let signature = base64(include_str!("data/keys/openssl-signature.txt"));
    assert!(key.public_key().verify(b"signed by openssl", &signature));
    assert_eq!(key.sign(b"signed by openssl", &[0; 32]).unwrap(), signature);
}

fn base64(text: &str) -> Vec<u8> {
    use base64ct::{Base64, Encoding};
    Base64::decode_vec(text.trim()).unwrap()
}

#[test]
fn versions_of_rfc_8410() {
    let public = PublicKey::from_spki_pem(RFC_8410_PUBLIC).unwrap();
    for pem in [RFC_8410_V1, RFC_8410_V2] {
        assert_eq!(*SecretKey::import(pem, None).unwrap().public_key(), public);
    }
    let other = RFC_8410_V2.replace("Z9w7lshQhqowtrbLDFw4rXAxZuE=", "Z9w7lshQhqowtrbLDFw4rXAxZuA=");
    assert_eq!(SecretKey::import(&other, None).unwrap_err().code, Code::KeyMismatch);
}

#[test]
fn public_keys_round_trip() {
    for algorithm in BOTH_ALGORITHMS {
        let key = key(algorithm);
        let public = key.public_key();
        assert_eq!(public.algorithm(), algorithm);
        assert_eq!(PublicKey::from_raw(algorithm, public.to_raw()).unwrap(), *public);
        assert_eq!(PublicKey::from_spki_der(&public.to_spki_der()).unwrap(), *public);
        assert_eq!(PublicKey::from_spki_pem(&public.to_spki_pem()).unwrap(), *public);
        assert!(public.to_spki_pem().ends_with("-----END PUBLIC KEY-----\n"));
        assert!(public.to_spki_pem().lines().all(|line| line.len() <= 64));
        assert_eq!(*SecretKey::from_pkcs8_der(&key.to_pkcs8_der()).unwrap().public_key(), *public);
    }
    assert_ne!(key(Algorithm::Ed25519).public_key(), SecretKey::import(PLAIN, None).unwrap().public_key());
}

#[test]
fn any_encoding_that_fits_the_algorithm() {
    for (algorithm, other) in
        [(Algorithm::Ed25519, Algorithm::Pq2025), (Algorithm::Pq2025, Algorithm::Ed25519)]
    {
        let key = key(algorithm);
        let public = key.public_key();
        let (pem, der) = (public.to_spki_pem(), public.to_spki_der());
        for bytes in [pem.as_bytes(), &der, public.to_raw()] {
            assert_eq!(PublicKey::from_any(bytes, algorithm).unwrap(), *public);
            assert_eq!(PublicKey::from_any(bytes, other).unwrap_err().code, Code::InvalidKey);
        }
        for bytes in [b"".as_slice(), b"-----BEGIN ", &der[1..], &public.to_raw()[1..], b"\xff\xfe"] {
            assert_eq!(PublicKey::from_any(bytes, algorithm).unwrap_err().code, Code::InvalidKey);
        }
    }
}

#[test]
fn only_the_exact_spki_is_read() {
    for algorithm in BOTH_ALGORITHMS {
        let der = key(algorithm).public_key().to_spki_der();
        assert_eq!(public_code(&[der.as_slice(), &[0]].concat()), Code::InvalidKey, "trailing byte");
        assert_eq!(public_code(&der[..der.len() - 1]), Code::InvalidKey, "missing byte");
    }
    let raw = key(Algorithm::Ed25519).public_key().to_raw().to_vec();
    let spki = |prefix: &[u8]| [prefix, &raw].concat();
    assert!(PublicKey::from_spki_der(&spki(b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00")).is_ok());
    for (prefix, what) in [
        (b"\x30\x2c\x30\x07\x06\x03\x2b\x65\x70\x05\x00\x03\x21\x00".as_slice(), "NULL parameters"),
        (b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x6e\x03\x21\x00", "X25519"),
        (b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x71\x03\x21\x00", "Ed448"),
        (b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x01", "unused bits"),
        (b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x04\x21\x00", "octet string"),
        (b"\x30\x81\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", "long form of a short length"),
        (b"\x30\x80\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", "indefinite length"),
    ] {
        assert_eq!(public_code(&spki(prefix)), Code::InvalidKey, "{what}");
    }
    let error =
        PublicKey::from_spki_der(&spki(b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x71\x03\x21\x00")).unwrap_err();
    assert!(error.found.contains("1.3.101.113"), "{error}");
}

#[test]
fn only_well_formed_pkcs8_is_read() {
    let der = key(Algorithm::Ed25519).to_pkcs8_der();
    let seed = &der[16..];
    let code = |der: &[u8]| SecretKey::from_pkcs8_der(der).unwrap_err().code;
    assert_eq!(code(&[der.as_slice(), &[0]].concat()), Code::InvalidKey, "trailing byte");
    for (prefix, what) in [
        (
            b"\x30\x30\x02\x01\x00\x30\x07\x06\x03\x2b\x65\x70\x05\x00\x04\x22\x04\x20".as_slice(),
            "parameters",
        ),
        (b"\x30\x2c\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x20", "no inner octet string"),
        (b"\x30\x2e\x02\x01\x02\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20", "version 3"),
        (
            b"\x30\x2e\x02\x01\x01\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20",
            "version 2 without a public key",
        ),
        (b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x6e\x04\x22\x04\x20", "X25519"),
    ] {
        assert_eq!(code(&[prefix, seed].concat()), Code::InvalidKey, "{what}");
    }
}

/// Whatever byte is changed, a key is read from its only encoding or not at all.
#[test]
fn no_key_has_a_second_encoding() {
    for (algorithm, spki_header, pkcs8_header) in [(Algorithm::Ed25519, 44, 48), (Algorithm::Pq2025, 22, 22)]
    {
        let key = key(algorithm);
        let (spki, pkcs8) = (key.public_key().to_spki_der(), key.to_pkcs8_der());
        for value in 0..=255 {
            for at in 0..spki_header {
                let mut changed = spki.clone();
                changed[at] = value;
                if let Ok(read) = PublicKey::from_spki_der(&changed) {
                    assert_eq!(read.to_spki_der(), changed);
                }
            }
            for at in 0..pkcs8_header {
                let mut changed = pkcs8.to_vec();
                changed[at] = value;
                if let Ok(read) = SecretKey::from_pkcs8_der(&changed) {
                    assert_eq!(*read.to_pkcs8_der(), changed);
                }
            }
        }
    }
}

/// RFC 8037 appendix A.3; for ML-DSA-87 the key of RFC 9881 appendix C, hashed by another tool.
#[test]
fn key_ids_are_thumbprints() {
    let raw = base64("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    let key = PublicKey::from_raw(Algorithm::Ed25519, &raw).unwrap();
    assert_eq!(key.key_id(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    assert_eq!(
        key.to_jwk(),
        r#"{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
    );
    let seed: Vec<u8> = (0..32).collect();
    let key = SecretKey::from_seed(Algorithm::Pq2025, &seed.try_into().unwrap()).unwrap();
    assert_eq!(key.public_key().key_id(), "mFRsKlw6dHj1-DtDA2Q37S9_J-6bafDaCshNfEFXF4w");
    assert!(
        key.public_key().to_jwk().starts_with(r#"{"alg":"ML-DSA-87","kty":"AKP","pub":"l5K87C8kMGhqgvzP"#)
    );
}

#[test]
fn secrets_are_not_printed() {
    let key = key(Algorithm::Ed25519);
    let text = format!("{key:?}");
    assert_eq!(text, format!("SecretKey of PublicKey(ed25519 {})", key.public_key().key_id()));
}
