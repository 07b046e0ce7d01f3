//! ML-DSA-87: hedging, lengths, weak keys and the private key forms of RFC 9881.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use base64ct::{Base64, Encoding};
use fips204::{
    ml_dsa_87::KG,
    traits::{KeyGen, SerDes},
};
use sx_core::{
    error::Code,
    keys::{Algorithm, PublicKey, SecretKey},
};

/// The seed of the example keys of RFC 9881 appendix C.
const SEED: [u8; 32] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31,
];
const VERSION_AND_ALGORITHM: &[u8] = b"\x02\x01\x00\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13";

fn expanded() -> Vec<u8> {
    KG::keygen_from_seed(&SEED).1.into_bytes().to_vec()
}

fn seed_form() -> Vec<u8> {
    [b"\x30\x34", VERSION_AND_ALGORITHM, b"\x04\x22\x80\x20", &SEED].concat()
}

fn expanded_form(expanded: &[u8]) -> Vec<u8> {
    [b"\x30\x82\x13\x38", VERSION_AND_ALGORITHM, b"\x04\x82\x13\x24\x04\x82\x13\x20", expanded].concat()
}

fn both_form(seed: &[u8], expanded: &[u8]) -> Vec<u8> {
    let octets = b"\x04\x82\x13\x4a\x30\x82\x13\x46\x04\x20";
    [b"\x30\x82\x13\x5e", VERSION_AND_ALGORITHM, octets, seed, b"\x04\x82\x13\x20", expanded].concat()
}

fn code(der: &[u8]) -> Code {
    SecretKey::from_pkcs8_der(der).unwrap_err().code
}

fn rfc_9881_key() -> SecretKey {
    SecretKey::from_seed(Algorithm::Pq2025, &SEED).unwrap()
}

/// The bytes above are those of RFC 9881 appendix C, as far as its first and last lines show.
#[test]
fn examples_of_rfc_9881() {
    let seed = "MDQCAQAwCwYJYIZIAWUDBAMTBCKAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
    assert_eq!(Base64::encode_string(&seed_form()), seed);

    let both = Base64::encode_string(&both_form(&SEED, &expanded()));
    assert!(both.starts_with(
        "MIITXgIBADALBglghkgBZQMEAxMEghNKMIITRgQgAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8EghMgl5K87C8kMGhqgvzPPC9f9mXncderQbkCWM+n6Q7J"
    ));
    assert!(both.ends_with(
        "K3+48JMlvyrOg7trXbihIaK2ghSaaRMczOUiKYQLET/HsLzFhAW/6H8flf/C6W/FWWVn6UNk36ptnVpuuZrk3fQk"
    ));

    let public = rfc_9881_key().public_key().to_spki_pem();
    assert!(public.starts_with(
        "-----BEGIN PUBLIC KEY-----\n\
         MIIKMjALBglghkgBZQMEAxMDggohAJeSvOwvJDBoaoL8zzwvX/Zl53HXq0G5AljP\n\
         p+kOyXEkpzsyO5uiGrZNdnxDP1pSHv/hj4bkahiJUsRGfgSLcp5/xNEV5+SNoYlt\n"
    ));
    let tail = b"\x5b\xe0\x62\x22\x2f\x8b\xa9\x0a\x97\x40\x73\x32\x6b\x31\x21\x2a\xec\xe0\xa3\x4a\x60";
    assert!(rfc_9881_key().public_key().to_raw().ends_with(tail));
}

#[test]
fn all_three_forms_are_the_same_key() {
    let key = rfc_9881_key();
    let expanded = expanded();
    let signature = key.sign(b"message", &[7; 32]).unwrap();
    let forms = [
        (seed_form(), seed_form()),
        (both_form(&SEED, &expanded), seed_form()),
        (expanded_form(&expanded), expanded_form(&expanded)),
    ];
    for (read, written) in forms {
        let same = SecretKey::from_pkcs8_der(&read).unwrap();
        assert_eq!(same.public_key(), key.public_key());
        assert_eq!(same.sign(b"message", &[7; 32]).unwrap(), signature);
        assert_eq!(*same.to_pkcs8_der(), written);
    }
    assert!(key.public_key().verify(b"message", &signature));
}

#[test]
fn forms_that_contradict_themselves() {
    let expanded = expanded();
    let mut other_seed = SEED;
    other_seed[31] ^= 1;
    assert_eq!(code(&both_form(&other_seed, &expanded)), Code::KeyMismatch);
    for at in [0, 32, 64, 128, 2000, 4895] {
        let mut changed = expanded.clone();
        changed[at] ^= 1;
        assert_eq!(code(&both_form(&SEED, &changed)), Code::KeyMismatch, "byte {at}");
    }
    let damaged = |damage: fn(&mut [u8])| {
        let mut changed = expanded.clone();
        damage(&mut changed);
        let error = SecretKey::from_pkcs8_der(&expanded_form(&changed)).unwrap_err();
        assert_eq!(error.code, Code::InvalidKey);
        error.found
    };
    let apart = "The parts of the ML-DSA private key do not match.";
    assert_eq!(damaged(|key| key[64] ^= 1), apart, "tr");
    assert_eq!(damaged(|key| key[0] ^= 1), apart, "rho");
    assert_eq!(damaged(|key| key[128] ^= 4), apart, "s1");
    assert_eq!(damaged(|key| key[1568..1584].fill(0x5a)), apart, "t0");
    // Three bits give a coefficient of s1 or s2; 5, 6 and 7 are beyond the range of eta = 2.
    for at in [128, 128 + 7 * 96] {
        let mut changed = expanded.clone();
        changed[at] |= 7;
        assert_eq!(code(&expanded_form(&changed)), Code::InvalidKey, "byte {at}");
    }
}

#[test]
fn malformed_forms() {
    let expanded = expanded();
    assert_eq!(code(&expanded_form(&expanded[..4895])), Code::InvalidKey);
    let bare = [b"\x30\x32", VERSION_AND_ALGORITHM, b"\x04\x20", &SEED].concat();
    assert_eq!(code(&bare), Code::InvalidKey, "a seed without a tag");
    let trailing = [b"\x30\x36", VERSION_AND_ALGORITHM, b"\x04\x24\x80\x20", &SEED, b"\x05\x00"].concat();
    assert_eq!(code(&trailing), Code::InvalidKey, "something after the seed");
    let short = [b"\x30\x33", VERSION_AND_ALGORITHM, b"\x04\x21\x80\x1f", &SEED[1..]].concat();
    assert_eq!(code(&short), Code::InvalidKey, "a seed of 31 bytes");
    let empty = [b"\x30\x12", VERSION_AND_ALGORITHM, b"\x04\x00"].concat();
    assert_eq!(code(&empty), Code::InvalidKey, "nothing");
    let draft = [b"\x30\x34", VERSION_AND_ALGORITHM, b"\x04\x22\x04\x20", &SEED].concat();
    assert_eq!(code(&draft), Code::InvalidKey, "an expanded key of 32 bytes");
}

#[test]
fn signing_is_hedged() {
    let key = rfc_9881_key();
    let one = key.sign(b"message", &[1; 32]).unwrap();
    let two = key.sign(b"message", &[2; 32]).unwrap();
    assert_ne!(one, two);
    assert_eq!(one, key.sign(b"message", &[1; 32]).unwrap());
    assert!(key.public_key().verify(b"message", &one));
    assert!(key.public_key().verify(b"message", &two));
    assert!(!key.public_key().verify(b"massage", &one));
}

#[test]
fn signatures_of_another_length() {
    let key = rfc_9881_key();
    let signature = key.sign(b"message", &[0; 32]).unwrap();
    assert_eq!(signature.len(), 4627);
    assert!(key.public_key().verify(b"message", &signature));
    assert!(!key.public_key().verify(b"message", &signature[..4626]));
    assert!(!key.public_key().verify(b"message", &[signature.as_slice(), &[0]].concat()));
    for at in [0, 64, 2500, 4552, 4626] {
        let mut changed = signature.clone();
        changed[at] ^= 1;
        assert!(!key.public_key().verify(b"message", &changed), "byte {at}");
    }
}

#[test]
fn public_key_without_t1_is_weak() {
    let mut raw = rfc_9881_key().public_key().to_raw().to_vec();
    raw[32..].fill(0);
    assert_eq!(PublicKey::from_raw(Algorithm::Pq2025, &raw).unwrap_err().code, Code::WeakPublicKey);
    raw[2591] = 1;
    assert!(PublicKey::from_raw(Algorithm::Pq2025, &raw).is_ok());
    assert_eq!(PublicKey::from_raw(Algorithm::Pq2025, &raw[1..]).unwrap_err().code, Code::InvalidKey);
}
