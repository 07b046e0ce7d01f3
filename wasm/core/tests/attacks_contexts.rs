//! T44: what is signed in one context verifies in no other, and never as a plain string.
//! Real keys and real signatures: every ordered pair of the table, both algorithms.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use base64ct::{Base64, Encoding as _};
use sx_core::error::Code;
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::statement::{Context, PREFIX, pae};
use sx_core::strings;

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Ed25519, Algorithm::Pq2025];

fn key(algorithm: Algorithm) -> SecretKey {
    SecretKey::from_seed(algorithm, &[42; 32]).unwrap()
}

/// Payloads: an ordinary one, and for every context one that continues as its statement would.
fn payloads() -> Vec<Vec<u8>> {
    let ordinary = b"{\"amount\":1}".to_vec();
    let framed = Context::ALL.iter().map(|context| pae(*context, b"{}"));
    [ordinary, Vec::new()].into_iter().chain(framed).collect()
}

#[test]
fn t44_a_signature_verifies_in_its_own_context_and_in_none_of_the_others() {
    let payload = b"{\"amount\":1}";
    for algorithm in ALGORITHMS {
        let key = key(algorithm);
        let mut pairs = 0;
        for made in Context::ALL {
            let signature = key.sign(&pae(*made, payload), &[1; 32]).unwrap();
            for asked in Context::ALL {
                let verifies = key.public_key().verify(&pae(*asked, payload), &signature);
                assert_eq!(verifies, made == asked, "{algorithm:?}: made as {made:?}, asked as {asked:?}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, 14 * 14, "contexts of the protocol's table");
    }
}

#[test]
fn t44_no_context_and_payload_give_the_bytes_of_another_pair() {
    let mut seen = std::collections::BTreeMap::new();
    for context in Context::ALL {
        for payload in payloads() {
            let earlier = seen.insert(pae(*context, &payload), (context, payload));
            assert_eq!(earlier, None);
        }
    }
    // No statement is the beginning of another one, so appending to a payload leads nowhere either.
    let statements: Vec<&Vec<u8>> = seen.keys().collect();
    for pair in statements.windows(2) {
        assert!(!pair[1].starts_with(pair[0]), "{:?}", String::from_utf8_lossy(pair[0]));
    }
}

#[test]
fn t44_a_statement_is_neither_signed_nor_verified_as_a_string() {
    for algorithm in ALGORITHMS {
        let key = key(algorithm);
        let public = key.public_key().to_spki_pem();
        for context in Context::ALL {
            let statement = String::from_utf8(pae(*context, b"{}")).unwrap();
            let refused = strings::sign(&key, &statement, &[1; 32]).map_err(|error| error.code);
            assert_eq!(refused, Err(Code::ReservedPrefix), "{context:?}");
            // A real signature of the statement is no signature of the string.
            let signature = Base64::encode_string(&key.sign(statement.as_bytes(), &[1; 32]).unwrap());
            assert!(!strings::verify(&statement, &signature, public.as_bytes(), algorithm.name()));
        }
        for near in ["SXv2", "SXv2\t", "sxv2 14", " SXv2 14", "SXv1 14"] {
            let signature = strings::sign(&key, near, &[1; 32]).unwrap();
            assert!(strings::verify(near, &signature, public.as_bytes(), algorithm.name()), "{near:?}");
        }
        assert!(PREFIX.ends_with(' '));
    }
}

#[test]
fn t44_the_signature_of_a_payload_is_not_the_signature_of_its_statement() {
    for algorithm in ALGORITHMS {
        let key = key(algorithm);
        let bare = key.sign(b"{\"amount\":1}", &[1; 32]).unwrap();
        for context in Context::ALL {
            assert!(!key.public_key().verify(&pae(*context, b"{\"amount\":1}"), &bare), "{context:?}");
        }
    }
}
