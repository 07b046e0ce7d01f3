//! Private keys at rest: what OpenSSL wrote is read, and what was tampered with is refused.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod keys_common;

use base64ct::{Base64, Encoding as _};
use keys_common::*;
use sx_core::{
    error::{Code, Error},
    keys::{Algorithm, PublicKey, SecretKey, derive_key, key_derivation, new_key_derivation},
};

const AES_256_GCM: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x2e";
const HMAC_SHA1: &[u8] = b"\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x07\x05\x00";

fn public() -> PublicKey {
    PublicKey::from_spki_pem(openssl!("public")).unwrap()
}

/// The derived key of a file whose password is `PASSWORD`.
fn derived(pem: &str) -> [u8; 32] {
    *derive_key(&key_derivation(pem).unwrap().unwrap(), PASSWORD).unwrap()
}

#[test]
fn what_openssl_wrote() {
    for pem in [openssl!("scrypt"), openssl!("pbkdf2")] {
        for key in [open(pem, PASSWORD), SecretKey::import(pem, Some(&derived(pem)))] {
            assert_eq!(*key.unwrap().public_key(), public());
        }
    }
    assert_eq!(refusal(openssl!("aes128")), Some(Code::InvalidKey));
}

#[test]
fn round_trip() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let key = SecretKey::from_seed(algorithm, &[5; 32]).unwrap();
        let pem = encrypt(&key, b"pass \xff word");
        let read = open(&pem, b"pass \xff word").unwrap();
        assert_eq!(read.public_key(), key.public_key());
        assert_eq!(*read.to_pkcs8_der(), *key.to_pkcs8_der());
        let (der, seed) = (der(&pem), [5; 32]);
        assert!(!der.windows(32).any(|window| window == seed), "the seed is readable");
        // What stands before the ciphertext: N = 2^14, r = 8, p = 5, AES-256-CBC, and what was drawn.
        let (salt, iv) = (entropy(1).draw16("salt"), entropy(2).draw16("iv"));
        let costs = [integer(1 << 14), integer(8), integer(5)].concat();
        let kdf = sequence(&[SCRYPT, &sequence(&[&tlv(4, &salt), &costs])]);
        let scheme = sequence(&[PBES2, &sequence(&[&kdf, &sequence(&[AES_256_CBC, &tlv(4, &iv)])])]);
        let len = key.to_pkcs8_der().len();
        let ciphertext = &der[der.len() - (len + 16 - len % 16)..];
        assert_eq!(der, sequence(&[&scheme, &tlv(4, ciphertext)]));
    }
}

/// A file that is encrypted anew keeps to any parameters that can be read.
#[test]
fn round_trip_with_pbkdf2() {
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[5; 32]).unwrap();
    let parameters = key_derivation(openssl!("pbkdf2")).unwrap().unwrap();
    let pem = key.encrypt(&parameters, &[3; 32], &entropy(2)).unwrap();
    assert_eq!(key_derivation(&pem).unwrap(), Some(parameters));
    assert_eq!(SecretKey::open(&pem, &[3; 32]).unwrap().public_key(), key.public_key());
    let kdf = |pem| der(pem)[2..][..75].to_vec();
    assert_eq!(kdf(&pem)[17..], kdf(openssl!("pbkdf2"))[17..], "the parameters as openssl writes them");
}

/// Every length of what is written, in each form that DER has for it.
#[test]
fn round_trip_with_every_salt() {
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[5; 32]).unwrap();
    let parts = |parameters: &str| {
        let pem = key.encrypt(parameters, &[3; 32], &entropy(2)).unwrap();
        assert_eq!(key_derivation(&pem).unwrap().as_deref(), Some(parameters));
        der(&pem)
    };
    let cipher = sequence(&[AES_256_CBC, &tlv(4, &entropy(2).draw16("iv"))]);
    for len in 8..=64 {
        let salt = vec![0xfe; len];
        let text = Base64::encode_string(&salt);
        let scrypt = format!(r#"{{"kdf":"scrypt","n":32768,"p":16,"r":9,"salt":"{text}"}}"#);
        let pbkdf2 = format!(r#"{{"iterations":9999999,"kdf":"pbkdf2","salt":"{text}"}}"#);
        let costs = [integer(1 << 15), integer(9), integer(16)].concat();
        let scrypt_der = sequence(&[SCRYPT, &sequence(&[&tlv(4, &salt), &costs])]);
        let pbkdf2_der = sequence(&[PBKDF2, &sequence(&[&tlv(4, &salt), &integer(9_999_999), HMAC_SHA256])]);
        for (parameters, kdf) in [(scrypt, scrypt_der), (pbkdf2, pbkdf2_der)] {
            let written = parts(&parameters);
            let scheme = sequence(&[PBES2, &sequence(&[&kdf, &cipher])]);
            assert_eq!(
                written,
                sequence(&[&scheme, &tlv(4, &written[written.len() - 64..])]),
                "{parameters}"
            );
        }
    }
}

#[test]
fn a_password_is_required() {
    let parameters = new_key_derivation(&entropy(1)).unwrap();
    assert_eq!(derive_key(&parameters, b"").unwrap_err().code, Code::PasswordRequired);
    assert_eq!(open(openssl!("scrypt"), b"").unwrap_err().code, Code::PasswordRequired);
    let error = SecretKey::import(openssl!("scrypt"), None).unwrap_err();
    assert_eq!(error.code, Code::PasswordRequired);
}

/// What no password opens is said before one is asked for.
#[test]
fn the_file_is_judged_before_the_password() {
    for (pem, code) in [
        (openssl!("aes128"), Code::InvalidKey),
        (openssl!("pbkdf2-599999"), Code::KdfOutOfRange),
        (openssl!("public"), Code::InvalidKey),
    ] {
        assert_eq!(refusal(pem), Some(code));
        assert_eq!(SecretKey::open(pem, &[0; 32]).unwrap_err().code, code);
        assert_eq!(SecretKey::import(pem, None).err().map(|error| error.code), {
            if pem == openssl!("public") { Some(code) } else { Some(Code::PasswordRequired) }
        });
        assert_eq!(SecretKey::import(pem, Some(&[0; 32])).unwrap_err().code, code);
    }
}

/// T46: one error for everything that goes wrong after the derivation.
#[test]
fn wrong_password_and_damage_are_the_same_error() {
    let expected = Error::from(Code::WrongPassword);
    for password in [b"wrong".as_slice(), b"correct ", b"Correct"] {
        assert_eq!(open(openssl!("scrypt"), password).unwrap_err(), expected);
    }
    let good = der(openssl!("scrypt"));
    let derived = derived(openssl!("scrypt"));
    let ciphertext = good.len() - 64;
    for at in ciphertext..good.len() {
        let mut damaged = good.clone();
        damaged[at] ^= 1 << (at % 8);
        match SecretKey::open(&pem("ENCRYPTED PRIVATE KEY", &damaged), &derived) {
            Err(error) => assert_eq!(error, expected, "byte {at}"),
            Ok(other) => assert_ne!(*other.public_key(), public(), "byte {at}"),
        }
    }
    // The structure around the key says that it is shorter, so that a block is missing.
    let cut =
        [&good[..2], &[good[2] - 16], &good[3..ciphertext - 1], &[48], &good[ciphertext..good.len() - 16]];
    let cut = pem("ENCRYPTED PRIVATE KEY", &cut.concat());
    assert_eq!(SecretKey::open(&cut, &derived).unwrap_err(), expected);
}

#[test]
fn a_derived_key_of_another_length_is_a_wrong_password() {
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[5; 32]).unwrap();
    let parameters = new_key_derivation(&entropy(1)).unwrap();
    let derived = derived(openssl!("scrypt"));
    for wrong in [&[], &derived[..16], &derived[..31], &[derived.as_slice(), &[0]].concat()] {
        let error = SecretKey::open(openssl!("scrypt"), wrong).unwrap_err();
        assert_eq!(error, Code::WrongPassword.into(), "{}", wrong.len());
        let error = key.encrypt(&parameters, wrong, &entropy(2)).unwrap_err();
        assert_eq!(error.code, Code::InvalidOption, "{}", wrong.len());
    }
}

#[test]
fn only_an_encrypted_file_is_opened() {
    assert_eq!(key_derivation(openssl!("plain")).unwrap(), None);
    assert_eq!(SecretKey::open(openssl!("plain"), &[0; 32]).unwrap_err().code, Code::InvalidKey);
    for derived in [None, Some([0; 32].as_slice())] {
        let key = SecretKey::import(openssl!("plain"), derived).unwrap();
        assert_eq!(*key.public_key(), public());
    }
}

/// T46: cost beyond the bounds is refused; the larger of these would not end.
#[test]
fn cost_is_checked_before_any_derivation() {
    let scrypt = |n, r, p| refusal(&with_scrypt(&scrypt_parameters(n, r, p)));
    for (n, r, p) in [(1 << 14, 8, 1), (1 << 14, 8, 16), (1 << 16, 8, 1), (1 << 14, 32, 1), (1 << 15, 16, 5)]
    {
        assert_eq!(scrypt(n, r, p), None, "N {n}, r {r}, p {p}");
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
        (1 << 15, 17, 5),
        (1 << 15, 32, 5),
        (1 << 16, 9, 5),
        (1 << 14, 1 << 16, 5),
        (1 << 14, 1 << 31, 5),
        (1 << 14, 8, 0),
        (1 << 14, 8, 17),
        (1 << 14, 8, 1 << 31),
        (1 << 14, (1 << 32) + 8, 5),
        (1 << 14, 8, (1 << 64) + 5),
    ] {
        assert_eq!(scrypt(n, r, p), Some(Code::KdfOutOfRange), "N {n}, r {r}, p {p}");
    }
    let pbkdf2 = |iterations| refusal(&with_pbkdf2(&sequence(&[SALT, &integer(iterations), HMAC_SHA256])));
    for iterations in [600_000, 10_000_000] {
        assert_eq!(pbkdf2(iterations), None, "{iterations}");
    }
    for iterations in
        [0, 1, 2048, 599_999, 10_000_001, 100_000_001, 1 << 31, (1 << 32) + 600_000, 1 << 64, 1 << 100]
    {
        assert_eq!(pbkdf2(iterations), Some(Code::KdfOutOfRange), "{iterations}");
    }
    let negative = |cost: &[u8]| refusal(&with_pbkdf2(&sequence(&[SALT, cost, HMAC_SHA256])));
    assert_eq!(negative(b"\x02\x01\xff"), Some(Code::KdfOutOfRange));
    // Without its sign it would be 9,437,183.
    assert_eq!(negative(b"\x02\x03\x8f\xff\xff"), Some(Code::KdfOutOfRange));
}

#[test]
fn bounds_of_the_salt() {
    for len in [0, 1, 7, 8, 16, 32, 33, 64, 65, 100] {
        let salt = tlv(4, &vec![1; len]);
        let scrypt = sequence(&[&salt, &integer(1 << 14), &integer(8), &integer(5)]);
        let pbkdf2 = sequence(&[&salt, &integer(600_000), HMAC_SHA256]);
        for pem in [with_scrypt(&scrypt), with_pbkdf2(&pbkdf2)] {
            let expected = if (8..=64).contains(&len) { None } else { Some(Code::KdfOutOfRange) };
            assert_eq!(refusal(&pem), expected, "{len}");
        }
    }
}

#[test]
fn other_schemes_are_named() {
    let gcm_iv = b"\x04\x0c\0\0\0\0\0\0\0\0\0\0\0\0";
    for (pem, oid) in [
        (openssl!("sha512"), "1.2.840.113549.2.11"),
        (openssl!("des3"), "1.2.840.113549.3.7"),
        (openssl!("pbes1"), "1.2.840.113549.1.12.1.3"),
        (&with_pbkdf2(&sequence(&[SALT, &integer(600_000), HMAC_SHA1])), "1.2.840.113549.2.7"),
        (&with_pbkdf2(&sequence(&[SALT, &integer(600_000)])), "1.2.840.113549.2.7"),
        (&file(&[AES_256_CBC, IV], AES_256_CBC, IV), "2.16.840.1.101.3.4.1.42"),
        (&file(&[SCRYPT, &scrypt_parameters(1 << 14, 8, 5)], AES_256_GCM, gcm_iv), "2.16.840.1.101.3.4.1.46"),
        (&file(&[&oid("2.999.4294967296.0.1")], AES_256_CBC, IV), "2.999.4294967296.0.1"),
        (&file(&[&oid("1.0.8571.2")], AES_256_CBC, IV), "1.0.8571.2"),
        (&file(&[&oid("0.4.0.127")], AES_256_CBC, IV), "0.4.0.127"),
        (&file(&[&oid("1.39.128")], AES_256_CBC, IV), "1.39.128"),
        (&file(&[&oid("2.0.1")], AES_256_CBC, IV), "2.0.1"),
    ] {
        let error = key_derivation(pem).unwrap_err();
        assert_eq!(error.code, Code::InvalidKey, "{oid}");
        assert!(error.found.contains(&format!(" {oid}.")), "{oid}: {error}");
    }
}

/// The cipher, then the derivation, and its cost last, whatever else is wrong.
#[test]
fn what_is_unsupported_comes_before_what_is_out_of_range() {
    let weak = scrypt_parameters(2, 8, 5);
    let names = |pem: &str| key_derivation(pem).unwrap_err();
    assert_eq!(names(&with_scrypt(&weak)).code, Code::KdfOutOfRange);
    assert_eq!(names(&file(&[SCRYPT, &weak], AES_256_GCM, IV)).code, Code::InvalidKey);
    assert_eq!(names(&file(&[SCRYPT, &weak], AES_256_CBC, b"\x04\x01\0")).code, Code::InvalidKey);
    let weak = sequence(&[SALT, &integer(1), HMAC_SHA1]);
    assert_eq!(names(&with_pbkdf2(&weak)).code, Code::InvalidKey);
    let weak = sequence(&[SALT, &integer(1), &integer(16), HMAC_SHA256]);
    assert_eq!(names(&with_pbkdf2(&weak)).code, Code::InvalidKey);
}

#[test]
fn malformed_files() {
    let scrypt = |key_len: u128| {
        let parameters = [SALT, &integer(1 << 14), &integer(8), &integer(1), &integer(key_len)];
        refusal(&with_scrypt(&sequence(&parameters)))
    };
    let pbkdf2 = |key_len: u128| {
        refusal(&with_pbkdf2(&sequence(&[SALT, &integer(600_000), &integer(key_len), HMAC_SHA256])))
    };
    for refused in [&scrypt, &pbkdf2] as [&dyn Fn(u128) -> Option<Code>; 2] {
        assert_eq!(refused(32), None, "key length");
        for len in [0, 16, 31, 33, 1 << 64] {
            assert_eq!(refused(len), Some(Code::InvalidKey), "key length {len}");
        }
    }
    let parameters = scrypt_parameters(1 << 14, 8, 1);
    let with_iv = |iv: &[u8]| refusal(&file(&[SCRYPT, &parameters], AES_256_CBC, iv));
    assert_eq!(with_iv(IV), None);
    for len in [0, 8, 15, 17, 32] {
        assert_eq!(with_iv(&tlv(4, &vec![0; len])), Some(Code::InvalidKey), "{len} bytes of IV");
    }
    assert_eq!(with_iv(b"\x05\x00"), Some(Code::InvalidKey), "no octet string");
    assert_eq!(with_iv(b""), Some(Code::InvalidKey), "no initialisation vector");
    let ciphertext = |len: usize| {
        let kdf = sequence(&[SCRYPT, &parameters]);
        let scheme = sequence(&[PBES2, &sequence(&[&kdf, &sequence(&[AES_256_CBC, IV])])]);
        refusal(&pem("ENCRYPTED PRIVATE KEY", &sequence(&[&scheme, &tlv(4, &vec![0; len])])))
    };
    for len in [16, 32, 5008] {
        assert_eq!(ciphertext(len), None, "{len}");
    }
    for len in [0, 1, 15, 17, 5000] {
        assert_eq!(ciphertext(len), Some(Code::InvalidKey), "{len}");
    }
    let good = der(openssl!("scrypt"));
    for der in [[good.as_slice(), &[0]].concat(), good[..good.len() - 1].to_vec(), Vec::new()] {
        assert_eq!(refusal(&pem("ENCRYPTED PRIVATE KEY", &der)), Some(Code::InvalidKey));
    }
    let plain = der(openssl!("plain"));
    assert_eq!(refusal(&pem("ENCRYPTED PRIVATE KEY", &plain)), Some(Code::InvalidKey));
    let import = |pem: &str| SecretKey::import(pem, None).unwrap_err().code;
    assert_eq!(import(&pem("PRIVATE KEY", &good)), Code::InvalidKey);
    assert_eq!(import(&pem("RSA PRIVATE KEY", &plain)), Code::InvalidKey);
}
