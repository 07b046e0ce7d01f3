//! ML-DSA-87 (FIPS 204), pure, of messages as they are.
//!
//! A key with t1 = 0, for which everyone can sign, is a key like others here.

mod encoding;
mod keccak;
mod ring;
mod sampling;
mod shake;
#[cfg(test)]
mod tests;

use alloc::{boxed::Box, vec, vec::Vec};

use encoding::{T1_LEN, W1_LEN, Z_LEN};
use ring::{DEGREE, Poly, Q, Row};

/// Bytes of a public key.
pub const PUBLIC_LEN: usize = 2592;
/// Bytes of a signature.
pub const SIGNATURE_LEN: usize = 4627;

// FIPS 204 section 4, table 1.
const D: u32 = 13;
const TAU: usize = 60;
const GAMMA_1: i32 = 1 << 19;
const GAMMA_2: u32 = (Q as u32 - 1) / 32;
const K: usize = 8;
const L: usize = 7;
const BETA: i32 = 120;
const OMEGA: usize = 75;

const RHO_LEN: usize = 32;
const HASH_LEN: usize = 64;
const CHALLENGE_LEN: usize = 64;
const HINT_LEN: usize = OMEGA + K;
const MAX_CONTEXT_LEN: usize = 255;

// What is cut into polynomials is cut without a rest.
const _: () = assert!(RHO_LEN + K * T1_LEN == PUBLIC_LEN);
const _: () = assert!(CHALLENGE_LEN + L * Z_LEN + HINT_LEN == SIGNATURE_LEN);

/// A public key with matrix A and t1 in NTT form, and the hash of the key.
pub struct Kept {
    rows: Vec<Row>,
    hash: [u8; HASH_LEN],
}

impl Kept {
    /// Bytes of memory that one takes.
    pub const BYTES: usize = size_of::<Self>() + K * size_of::<Row>();

    /// Expands a raw public key, which costs about as much as [`confirms`].
    #[must_use]
    pub fn new(raw: &[u8; PUBLIC_LEN]) -> Self {
        let mut rows = vec![[[0; DEGREE]; L + 1]; K];
        for (number, pair) in rows.as_chunks_mut().0.iter_mut().enumerate() {
            expand(raw, number, pair);
        }
        Self { rows, hash: shake::hash(&[raw]) }
    }

    /// Whether the signature is certainly valid.
    #[must_use]
    pub fn confirms(&self, message: &[u8], signature: &[u8], context: &[u8]) -> bool {
        Opened::read(signature, context).is_some_and(|opened| {
            let mut commitment = [[0; W1_LEN]; K];
            for ((row, hint), encoded) in self.rows.iter().zip(opened.hint).zip(&mut commitment) {
                opened.commit(row, hint, encoded);
            }
            opened.answers(&self.hash, message, context, &commitment)
        })
    }
}

/// As [`Kept::confirms`], of a key that is not kept: expands two rows of the matrix at a time.
#[must_use]
pub fn confirms(raw: &[u8; PUBLIC_LEN], message: &[u8], signature: &[u8], context: &[u8]) -> bool {
    Opened::read(signature, context).is_some_and(|opened| {
        let mut rows = Box::new([[[0; DEGREE]; L + 1]; 2]);
        let mut commitment = [[0; W1_LEN]; K];
        let pairs = opened.hint.as_chunks().0.iter().zip(commitment.as_chunks_mut::<2>().0);
        for (number, (hints, encoded)) in pairs.enumerate() {
            expand(raw, number, &mut rows);
            let hints: &[_; 2] = hints;
            for ((row, hint), encoded) in rows.iter().zip(hints).zip(encoded) {
                opened.commit(row, hint, encoded);
            }
        }
        opened.answers(&shake::hash(&[raw]), message, context, &commitment)
    })
}

/// Two rows of the matrix, and -t1 * 2^d of these rows, transformed; of K rows these are the pairs in turn.
fn expand(raw: &[u8; PUBLIC_LEN], number: usize, rows: &mut [Row; 2]) {
    let numbers = [0, 1].map(|second| number << 1 | second);
    let [[first @ .., t1_first], [second @ .., t1_second]] = rows;
    if let Some((rho, encoded)) = raw.split_first_chunk::<RHO_LEN>() {
        for (column, polys) in (0..).zip(first.iter_mut().zip(second)) {
            sampling::matrix(rho, numbers.map(|number| number as u8), column, polys.into());
        }
        for (number, t1) in numbers.into_iter().zip([t1_first, t1_second]) {
            if let Some(encoded) = encoded.as_chunks::<T1_LEN>().0.get(number) {
                encoding::read_t1(encoded, t1);
            }
            ring::transform(t1);
        }
    }
}

/// A signature whose norm and hint are as the standard wants them.
struct Opened<'a> {
    challenge: &'a [u8; CHALLENGE_LEN],
    /// z and the challenge as a polynomial, transformed.
    vector: Box<Row>,
    /// For every polynomial the places of its hints.
    hint: [&'a [u8]; K],
}

impl<'a> Opened<'a> {
    /// `None` for a signature or a context of a wrong length as well.
    fn read(signature: &'a [u8], context: &[u8]) -> Option<Self> {
        let signature: &[u8; SIGNATURE_LEN] = signature.try_into().ok()?;
        if context.len() > MAX_CONTEXT_LEN {
            return None;
        }
        let (challenge, rest) = signature.split_first_chunk()?;
        let (encoded, hint) = rest.split_last_chunk()?;
        let hint = encoding::read_hint(hint)?;
        let mut vector = Box::new([[0; DEGREE]; L + 1]);
        let [z @ .., last]: &mut Row = &mut vector;
        for (poly, encoded) in z.iter_mut().zip(encoded.as_chunks::<Z_LEN>().0) {
            if !encoding::read_z(encoded, poly) {
                return None;
            }
        }
        *last = sampling::challenge(challenge);
        vector.iter_mut().for_each(ring::transform);
        Some(Self { challenge, vector, hint })
    }

    /// The upper parts of a row of A * z - c * t1 * 2^d, corrected by the hint.
    fn commit(&self, row: &Row, hint: &[u8], encoded: &mut [u8; W1_LEN]) {
        let poly: Poly = ring::product(row, &self.vector);
        encoding::write_w1(&poly, hint, encoded);
    }

    /// Whether the challenge is that of the message and of the commitment.
    fn answers(
        &self,
        key: &[u8; HASH_LEN],
        message: &[u8],
        context: &[u8],
        commitment: &[[u8; W1_LEN]; K],
    ) -> bool {
        let pure = [0, context.len() as u8];
        let representative = shake::hash(&[key, &pure, context, message]);
        shake::hash(&[&representative, commitment.as_flattened()]) == *self.challenge
    }
}
