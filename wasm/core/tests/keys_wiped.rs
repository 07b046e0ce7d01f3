//! No copy of a private key stays on the stack once it has been read, used and dropped. The
//! process reads its own memory, which only Linux gives without unsafe code.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod keys_common;

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use keys_common::{encrypted_bytes, entropy, ml_dsa_forms, pem};
use sx_core::keys::{Algorithm, SecretKey, new_key_derivation};

const PAGE: usize = 4096;

/// What stands on the stack below the caller, down to where there is none.
#[inline(never)]
fn stack_below() -> Vec<u8> {
    let here = 0_u8;
    let memory = File::open("/proc/self/mem").unwrap();
    let top = std::ptr::from_ref(&here) as usize & !(PAGE - 1);
    let mut page = vec![0; PAGE];
    let mut found = Vec::new();
    for at in (0..top).rev().step_by(PAGE).map(|last| last + 1 - PAGE) {
        if memory.read_exact_at(&mut page, at as u64).is_err() {
            break;
        }
        found.splice(0..0, page.iter().copied());
    }
    found
}

/// Which of the secrets stand on the stack after `work`.
fn left_behind(secrets: &[Vec<u8>], work: Work) -> Vec<usize> {
    work(secrets[0].as_slice().try_into().unwrap());
    let stack = stack_below();
    assert!(stack.len() > 1 << 20, "{}", stack.len());
    let is_found = |secret: &&Vec<u8>| stack.windows(32).any(|window| window == secret.as_slice());
    secrets.iter().enumerate().filter(|(_, secret)| is_found(secret)).map(|(at, _)| at).collect()
}

/// Does something with the key of a seed that lies on the heap.
type Work = fn(&[u8; 32]);

const CASES: [(&str, Work); 6] = [
    ("a seed of Ed25519", |seed| drop(SecretKey::from_seed(Algorithm::Ed25519, seed).unwrap())),
    ("a seed of ML-DSA-87", |seed| drop(SecretKey::from_seed(Algorithm::Pq2025, seed).unwrap())),
    ("signing with Ed25519", |seed| {
        let key = SecretKey::from_seed(Algorithm::Ed25519, seed).unwrap();
        key.sign(b"message", &[1; 32]).unwrap();
    }),
    ("signing with ML-DSA-87", |seed| {
        let key = SecretKey::from_seed(Algorithm::Pq2025, seed).unwrap();
        key.sign(b"message", &[1; 32]).unwrap();
    }),
    ("the forms of ML-DSA-87", |seed| {
        for form in ml_dsa_forms(seed) {
            SecretKey::import(&pem("PRIVATE KEY", &form), None).unwrap();
        }
    }),
    ("encrypting and opening", |seed| {
        for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
            let key = SecretKey::from_seed(algorithm, seed).unwrap();
            let parameters = new_key_derivation(&entropy(1)).unwrap();
            let encrypted = key.encrypt(&parameters, &[9; 32], &entropy(2)).unwrap();
            SecretKey::open(&encrypted, &[9; 32]).unwrap();
            let (encrypted, derived) = encrypted_bytes(&key.to_pkcs8_der());
            SecretKey::open(&encrypted, &derived).unwrap();
        }
    }),
];

#[test]
fn nothing_secret_stays_on_the_stack() {
    for (number, (what, work)) in (1..).zip(CASES) {
        let seed: Vec<u8> = (0..32).map(|at| (at * 7) ^ number).collect();
        // Of the expanded key: K, from which the nonces of signatures are made.
        let expanded = ml_dsa_forms(seed.as_slice().try_into().unwrap())[1].clone();
        let secrets = [seed, expanded[expanded.len() - 4896 + 32..][..32].to_vec()];
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let found = thread.spawn(move || left_behind(&secrets, work)).unwrap().join().unwrap();
        assert!(found.is_empty(), "{what}: {found:?}");
    }
}
