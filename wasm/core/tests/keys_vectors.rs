//! Every case of `test/vectors/keys.json` holds for the native core.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]

mod keys_common;

use base64ct::{Base64, Encoding as _};
use keys_common::open;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sx_core::entropy::Entropy;
use sx_core::error::Code;
use sx_core::keys::{Algorithm, PublicKey, SecretKey, derive_key, key_derivation, new_key_derivation};
use sx_core::strings;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../test/vectors/keys.json")).unwrap()
}

/// The cases of a list, of which there are at least `least`.
fn cases(list: &str, least: usize) -> Vec<Value> {
    let cases = vectors()[list].as_array().unwrap().clone();
    assert!(cases.len() >= least, "{list} has only {}", cases.len());
    cases
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().unwrap()
}

fn algorithm(case: &Value) -> Algorithm {
    Algorithm::parse(text(case, "algorithm")).unwrap()
}

fn hex<const N: usize>(case: &Value, name: &str) -> [u8; N] {
    let text = text(case, name);
    assert_eq!(text.len(), 2 * N);
    std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
}

fn base64(case: &Value, name: &str) -> Vec<u8> {
    Base64::decode_vec(text(case, name)).unwrap()
}

/// The entropy that a name stands for in `scripts/vectors`.
fn entropy(name: &str) -> Entropy {
    Entropy::new(Sha256::digest(format!("sx-agent vectors: {name}")).to_vec()).unwrap()
}

#[test]
fn keys_and_their_encodings() {
    for case in cases("keys", 2) {
        let algorithm = algorithm(&case);
        let key = SecretKey::from_seed(algorithm, &hex(&case, "seed")).unwrap();
        let public = key.public_key();
        let imported = SecretKey::import(text(&case, "privateKey"), None).unwrap();
        assert_eq!(imported.public_key(), public);
        assert_eq!(*imported.to_pkcs8_der(), *key.to_pkcs8_der());
        assert_eq!(public.to_spki_pem(), text(&case, "publicKey"));
        assert_eq!(public.to_raw(), base64(&case, "publicKeyRaw"));
        assert_eq!(public.key_id(), text(&case, "keyId"));
        assert_eq!(public.to_jwk(), serde_json::to_string(&case["jwk"]).unwrap());
        for bytes in
            [text(&case, "publicKey").as_bytes(), &base64(&case, "publicKeyRaw"), &public.to_spki_der()]
        {
            assert_eq!(PublicKey::from_any(bytes, algorithm).unwrap(), *public);
        }
    }
}

#[test]
fn signatures() {
    for case in cases("keys", 2) {
        let key = SecretKey::from_seed(algorithm(&case), &hex(&case, "seed")).unwrap();
        let signatures = case["signatures"].as_array().unwrap();
        assert!(signatures.len() >= 3);
        for vector in signatures {
            let (message, signature) = (text(vector, "message"), text(vector, "signature"));
            let hedge = if vector.get("rnd").is_some() { hex(vector, "rnd") } else { [0; 32] };
            assert_eq!(strings::sign(&key, message, &hedge).unwrap(), signature, "{message:?}");
            let verify = |text: &str| {
                let public_key = key.public_key().to_spki_pem();
                strings::verify(text, signature, public_key.as_bytes(), key.public_key().algorithm().name())
            };
            assert!(verify(message) && !verify(&format!("{message}!")), "{message:?}");
        }
    }
}

#[test]
fn encrypted_key_files() {
    for case in cases("keys", 2) {
        let encrypted = &case["encrypted"];
        let (pem, password) = (text(encrypted, "privateKey"), text(encrypted, "password").as_bytes());
        let key = SecretKey::from_seed(algorithm(&case), &hex(&case, "seed")).unwrap();
        assert_eq!(*open(pem, password).unwrap().to_pkcs8_der(), *key.to_pkcs8_der());

        let entropy = entropy(&format!("{} key file", text(&case, "algorithm")));
        let parameters = new_key_derivation(&entropy).unwrap();
        assert_eq!(key_derivation(pem).unwrap().as_deref(), Some(parameters.as_str()));
        let salt = Base64::encode_string(&hex::<16>(encrypted, "salt"));
        assert_eq!(parameters, format!(r#"{{"kdf":"scrypt","n":16384,"p":5,"r":8,"salt":"{salt}"}}"#));
        assert_eq!(entropy.draw16("iv"), hex(encrypted, "iv"));
        let derived = derive_key(&parameters, password).unwrap();
        assert_eq!(key.encrypt(&parameters, &*derived, &entropy).unwrap(), pem);
    }
}

#[test]
fn strangers() {
    for case in cases("strangers", 2) {
        let key = PublicKey::from_spki_pem(text(&case, "publicKey")).unwrap();
        assert_eq!((key.algorithm(), key.key_id()), (algorithm(&case), text(&case, "keyId")));
    }
}

#[test]
fn refused_public_keys() {
    for case in cases("refusedPublicKeys", 17) {
        let (algorithm, raw, pem) = (algorithm(&case), base64(&case, "raw"), text(&case, "publicKey"));
        for key in [
            PublicKey::from_raw(algorithm, &raw),
            PublicKey::from_spki_pem(pem),
            PublicKey::from_any(&raw, algorithm),
            PublicKey::from_any(pem.as_bytes(), algorithm),
        ] {
            assert_eq!(key.unwrap_err().code.name(), text(&case, "code"), "{}", case["name"]);
        }
    }
}

#[test]
fn opened_key_files() {
    for case in cases("openedKeyFiles", 3) {
        let key = open(text(&case, "privateKey"), text(&case, "password").as_bytes()).unwrap();
        assert_eq!(key.public_key().key_id(), text(&case, "keyId"), "{}", case["name"]);
    }
}

#[test]
fn refused_key_files() {
    for case in cases("refusedKeyFiles", 23) {
        let (pem, password) = (text(&case, "privateKey"), text(&case, "password").as_bytes());
        let refused = match key_derivation(pem) {
            Ok(Some(_)) => open(pem, password).unwrap_err(),
            Ok(None) => SecretKey::open(pem, &[0; 32]).unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(refused.code.name(), text(&case, "code"), "{}", case["name"]);
        if refused.code == Code::KdfOutOfRange {
            let derivation = key_derivation(pem).map_err(|error| error.code);
            assert_eq!(derivation, Err(Code::KdfOutOfRange), "{}, before any derivation", case["name"]);
        }
    }
}
