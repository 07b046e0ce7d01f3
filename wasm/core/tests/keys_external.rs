//! A private key that is somewhere else: what signs is run twice, and others may sign between the two.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use sx_core::error::Code;
use sx_core::keys::{Algorithm, SecretKey};

const HEDGE: [u8; 32] = [7; 32];

fn pair(algorithm: Algorithm) -> (SecretKey, SecretKey) {
    let own = SecretKey::from_seed(algorithm, &[3; 32]).unwrap();
    let external = SecretKey::external(algorithm, own.public_key().to_raw()).unwrap();
    (own, external)
}

#[test]
fn signs_in_the_second_run_what_was_asked_for_in_the_first() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let (own, external) = pair(algorithm);
        assert_eq!(external.public_key(), own.public_key());
        assert_eq!(external.sign(b"one", &HEDGE).unwrap_err().code, Code::Internal);
        let asked = external.asked().unwrap();
        assert_eq!(asked, b"one");
        assert_eq!(external.asked(), None);
        let signature = own.sign(&asked, &HEDGE).unwrap();
        external.answer(&asked, &signature).unwrap();
        assert_eq!(external.sign(b"one", &HEDGE).unwrap(), signature);
        // It was used.
        assert_eq!(external.sign(b"one", &HEDGE).unwrap_err().code, Code::Internal);
    }
}

#[test]
fn gives_no_signature_of_anything_else() {
    let (own, external) = pair(Algorithm::Ed25519);
    let signature = own.sign(b"one", &HEDGE).unwrap();
    external.answer(b"one", &signature).unwrap();
    assert_eq!(external.sign(b"two", &HEDGE).unwrap_err().code, Code::Internal);
    assert_eq!(external.asked().unwrap(), b"two");
    assert_eq!(external.sign(b"one", &HEDGE).unwrap_err().code, Code::Internal);
}

#[test]
fn refuses_what_does_not_verify() {
    let (own, external) = pair(Algorithm::Ed25519);
    let mut signature = own.sign(b"one", &HEDGE).unwrap();
    signature[40] ^= 1;
    for wrong in [signature.as_slice(), b"", &signature[..63]] {
        assert_eq!(external.answer(b"one", wrong).unwrap_err().code, Code::KeyMismatch);
    }
    assert_eq!(
        external.answer(b"two", &own.sign(b"one", &HEDGE).unwrap()).unwrap_err().code,
        Code::KeyMismatch
    );
    assert_eq!(external.sign(b"one", &HEDGE).unwrap_err().code, Code::Internal);
    assert_eq!(own.answer(b"one", &own.sign(b"one", &HEDGE).unwrap()).unwrap_err().code, Code::Internal);
    assert_eq!(own.asked(), None);
}

#[test]
fn takes_each_form_of_a_public_key_of_the_algorithm_alone() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let (own, _) = pair(algorithm);
        let public = own.public_key();
        let forms = [public.to_raw().to_vec(), public.to_spki_der(), public.to_spki_pem().into_bytes()];
        let other = if algorithm == Algorithm::Ed25519 { Algorithm::Pq2025 } else { Algorithm::Ed25519 };
        for form in forms {
            assert_eq!(SecretKey::external(algorithm, &form).unwrap().public_key(), public);
            assert_eq!(SecretKey::external(other, &form).unwrap_err().code, Code::InvalidKey);
        }
    }
    assert_eq!(SecretKey::external(Algorithm::Ed25519, &[0; 32]).unwrap_err().code, Code::WeakPublicKey);
}

#[test]
fn has_no_private_key_to_give() {
    let (own, external) = pair(Algorithm::Ed25519);
    assert!(external.to_pkcs8_der().is_empty());
    let entropy = sx_core::entropy::Entropy::new((0..32).collect()).unwrap();
    let derivation = sx_core::keys::new_key_derivation(&entropy).unwrap();
    let refused = external.encrypt(&derivation, &[1; 32], &entropy).unwrap_err();
    assert_eq!(refused.code, Code::Unsupported);
    assert!(own.encrypt(&derivation, &[1; 32], &entropy).is_ok());
}
