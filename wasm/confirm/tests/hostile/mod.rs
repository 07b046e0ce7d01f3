//! Keys and signatures that were made to have verifiers of Ed25519 differ.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    dead_code,
    reason = "no test needs all of it, and one that fails is one that panics"
)]

use super::numbers::Numbers;
use curve25519_dalek::{EdwardsPoint, Scalar, constants::EIGHT_TORSION};
use sha2::{Digest as _, Sha512};
use std::vec::Vec;

/// What `verify_strict` says of a key as it stands.
pub fn strict(raw: &[u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let key = ed25519_dalek::VerifyingKey::from_bytes(raw);
    let signature = ed25519_dalek::Signature::from_slice(signature);
    matches!((key, signature), (Ok(key), Ok(signature)) if key.verify_strict(message, &signature).is_ok())
}

/// All encodings of the points of small order: the eight canonical ones and six others.
pub fn small() -> Vec<[u8; 32]> {
    let mut encodings: Vec<[u8; 32]> = EIGHT_TORSION.iter().map(|point| point.compress().0).collect();
    for (low, last) in [(0x01, 0x80), (0xec, 0xff), (0xed, 0x7f), (0xed, 0xff), (0xee, 0x7f), (0xee, 0xff)] {
        let mut bytes = if low == 1 { [0; 32] } else { [0xff; 32] };
        (bytes[0], bytes[31]) = (low, last);
        encodings.push(bytes);
    }
    encodings
}

/// Encodings of other points whose y is p or more.
pub fn above_p() -> Vec<[u8; 32]> {
    let number = |low: u8, last: u8| {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (low, last);
        bytes
    };
    let all = (0xef..=0xff).flat_map(|low| [number(low, 0x7f), number(low, 0xff)]);
    all.filter(|bytes| curve25519_dalek::edwards::CompressedEdwardsY(*bytes).decompress().is_some()).collect()
}

/// SHA-512 of R, the key and the message, modulo L.
pub fn challenge(commitment: &[u8; 32], raw: &[u8; 32], message: &[u8]) -> Scalar {
    reduced(&[commitment, raw, message])
}

fn reduced(parts: &[&[u8]]) -> Scalar {
    let hash = parts.iter().fold(Sha512::new(), |hash, part| hash.chain_update(part));
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

/// Bytes of a scalar plus `times` the order of the base point.
pub fn beyond(scalar: &Scalar, times: u8) -> [u8; 32] {
    let mut order = (-Scalar::ONE).to_bytes();
    order[0] += 1;
    let mut carry = 0;
    let mut sum = scalar.to_bytes();
    for (byte, order) in sum.iter_mut().zip(order) {
        carry += u16::from(*byte) + u16::from(order) * u16::from(times);
        *byte = carry as u8;
        carry >>= 8;
    }
    sum
}

/// A = aB + T, of which T is a multiple of the first point of order 8.
pub struct Key {
    pub raw: [u8; 32],
    pub torsion: usize,
    secret: Scalar,
}

pub struct Case<'a> {
    pub kind: usize,
    pub key: usize,
    pub raw: &'a [u8; 32],
    pub message: Vec<u8>,
    pub signature: Vec<u8>,
}

/// What [`Hostile::case`] makes in turn.
pub const KINDS: usize = 19;

pub struct Hostile {
    pub keys: Vec<Key>,
    numbers: Numbers,
    small: Vec<[u8; 32]>,
    above_p: Vec<[u8; 32]>,
}

impl Hostile {
    pub fn new(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let mut secrets = std::vec![Scalar::ONE, -Scalar::ONE];
        secrets.extend((0..3).map(|_| scalar(&mut numbers)));
        let keys = secrets.into_iter().flat_map(|secret| {
            (0..8).map(move |torsion| {
                let raw = (EdwardsPoint::mul_base(&secret) + EIGHT_TORSION[torsion]).compress().0;
                Key { raw, torsion, secret }
            })
        });
        Self { keys: keys.collect(), numbers, small: small(), above_p: above_p() }
    }

    /// Where k stands in the case of this number, modulo 8, and which part of small order R has: all pairs in turn.
    fn turn(number: usize) -> (u8, usize) {
        let turn = number / KINDS;
        ((turn % 8) as u8, turn / 8 % 8)
    }

    pub fn case(&mut self, number: usize) -> Case<'_> {
        let (kind, (rest, other)) = (number % KINDS, Self::turn(number));
        let at = self.numbers.below(self.keys.len());
        let torsion = self.keys[at].torsion;
        let nonce = scalar(&mut self.numbers);
        // Of R, so that the equation holds without the cofactor: k times the key's, negated.
        let right = (64 - usize::from(rest) * torsion) % 8;
        let (message, signature) = match kind {
            0 | 1 => self.sign(at, nonce, right, rest),
            // As if k were negated modulo L, which is 5 modulo 8.
            2 => self.sign(at, nonce, (5 * torsion + right) % 8, rest),
            3 | 4 => self.sign(at, nonce, other, rest),
            5 => {
                let (message, signature) = self.sign(at, nonce, right, rest);
                let response = Scalar::from_canonical_bytes(signature[32..].try_into().unwrap()).unwrap();
                let times = 1 + self.numbers.below(15) as u8;
                (message, [&signature[..32], &beyond(&response, times)].concat())
            }
            6 => {
                let commitment = self.small[self.numbers.below(self.small.len())];
                self.answer(at, Scalar::ZERO, commitment, rest)
            }
            7 => {
                let commitment = self.above_p[self.numbers.below(self.above_p.len())];
                self.answer(at, nonce, commitment, rest)
            }
            8 | 9 => {
                let (message, mut signature) = self.sign(at, nonce, right, rest);
                signature[self.numbers.below(32) + (kind - 8) * 32] ^= 1 << self.numbers.below(8);
                (message, signature)
            }
            10 => {
                let (mut message, signature) = self.sign(at, nonce, right, rest);
                let changed = self.numbers.below(message.len());
                message[changed] ^= 1 << self.numbers.below(8);
                (message, signature)
            }
            11 => {
                let (message, mut signature) = self.sign(at, nonce, right, rest);
                let edges =
                    [[0; 32], Scalar::ONE.to_bytes(), (-Scalar::ONE).to_bytes(), beyond(&Scalar::ZERO, 1)];
                signature[32..].copy_from_slice(&edges[self.numbers.below(edges.len())]);
                (message, signature)
            }
            12 => {
                let edges =
                    [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(2_u8), Scalar::from(u64::MAX)];
                let nonce = edges[self.numbers.below(edges.len())];
                self.sign(at, nonce, right, rest)
            }
            // Right for the equation with another sign, or for R with another sign.
            13 => {
                let commitment = (EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[other]).compress().0;
                let message = self.message(at, &commitment, rest);
                let key = &self.keys[at];
                let response = nonce - challenge(&commitment, &key.raw, &message) * key.secret;
                (message, [commitment, response.to_bytes()].concat())
            }
            14 => {
                let commitment = (-(EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[right])).compress().0;
                self.answer(at, nonce, commitment, rest)
            }
            15 => {
                let (message, mut signature) = self.sign(at, nonce, right, rest);
                let len = self.numbers.below(130);
                signature.resize(len, 0);
                (message, signature)
            }
            // By a key with the same secret.
            16 => {
                let other = (at / 8) * 8 + other;
                let (message, signature) = self.sign(other, nonce, right, rest);
                (message, signature)
            }
            // The equation gives R but for one bit.
            17 => {
                let mut commitment = (EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[right]).compress().0;
                commitment[self.numbers.below(32)] ^= 1 << self.numbers.below(8);
                self.answer(at, nonce, commitment, rest)
            }
            // For another hash.
            _ => {
                let commitment = (EdwardsPoint::mul_base(&nonce)).compress().0;
                let message = self.message(at, &commitment, rest);
                let key = &self.keys[at];
                let parts: [&[&[u8]]; 3] =
                    [&[&key.raw, &commitment, &message], &[&commitment, &message], &[&commitment, &key.raw]];
                let response = nonce + reduced(parts[usize::from(rest) % 3]) * key.secret;
                (message, [commitment, response.to_bytes()].concat())
            }
        };
        Case { kind, key: at, raw: &self.keys[at].raw, message, signature }
    }

    /// A message for which k is `rest` modulo 8.
    fn message(&mut self, at: usize, commitment: &[u8; 32], rest: u8) -> Vec<u8> {
        let len = 1 + self.numbers.below(60);
        loop {
            let message = self.numbers.bytes(len);
            if challenge(commitment, &self.keys[at].raw, &message).to_bytes()[0] % 8 == rest {
                return message;
            }
        }
    }

    /// A signature with R = rB + T, for which the equation holds but for parts of small order.
    fn sign(&mut self, at: usize, nonce: Scalar, torsion: usize, rest: u8) -> (Vec<u8>, Vec<u8>) {
        let point = EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[torsion];
        self.answer(at, nonce, point.compress().0, rest)
    }

    fn answer(&mut self, at: usize, nonce: Scalar, commitment: [u8; 32], rest: u8) -> (Vec<u8>, Vec<u8>) {
        let message = self.message(at, &commitment, rest);
        let key = &self.keys[at];
        let response = nonce + challenge(&commitment, &key.raw, &message) * key.secret;
        (message, [commitment, response.to_bytes()].concat())
    }
}

fn scalar(numbers: &mut Numbers) -> Scalar {
    Scalar::from_bytes_mod_order_wide(&numbers.array())
}

/// How often each kind of case was right and wrong, and whether that is as it was made.
pub struct Said(pub [[usize; 2]; KINDS]);

impl Said {
    pub const NOTHING: Self = Self([[0; 2]; KINDS]);

    pub fn note(&mut self, kind: usize, is_right: bool) {
        self.0[kind][usize::from(is_right)] += 1;
    }

    /// Of `cases` of which verify_strict said so.
    pub fn check(&self, cases: usize) {
        let of_a_kind = cases / KINDS;
        for (kind, [wrong, right]) in self.0.into_iter().enumerate() {
            let shown = std::format!("{kind}: {:?}", self.0);
            assert!(wrong + right >= of_a_kind, "{shown}");
            match kind {
                0 | 1 => assert_eq!(wrong, 0, "{shown}"),
                // Keys without a part of small order, one of eight.
                2 => assert!(right * 6 < wrong && wrong < right * 11, "{shown}"),
                // T of R is right by chance.
                3 | 4 => assert!(right > of_a_kind / 12 && wrong > of_a_kind / 2, "{shown}"),
                5..=11 | 13 | 14 | 17 | 18 => assert_eq!(right, 0, "{shown}"),
                12 => assert!(wrong > of_a_kind / 8 && right > of_a_kind / 2, "{shown}"),
                15 => assert!(wrong > of_a_kind * 9 / 10, "{shown}"),
                _ => assert!(right > of_a_kind / 12 && wrong > of_a_kind / 2, "{shown}"),
            }
        }
    }
}

/// A key and an R of small order, in every pair of encodings, for every k modulo 8, with S that fit and ones that do not.
pub fn weak_pairs(mut check: impl FnMut(&[u8; 32], &[u8], &[u8])) -> usize {
    let mut numbers = Numbers(9);
    let mut ran = 0;
    for raw in small() {
        for commitment in small() {
            for rest in 0..8 {
                let message = loop {
                    let message = numbers.bytes(12);
                    if challenge(&commitment, &raw, &message).to_bytes()[0] % 8 == rest {
                        break message;
                    }
                };
                for response in [[0; 32], beyond(&Scalar::ZERO, 1), Scalar::ONE.to_bytes()] {
                    check(&raw, &message, &[commitment, response].concat());
                    ran += 1;
                }
            }
        }
    }
    ran
}
