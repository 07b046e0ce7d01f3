//! What the bytes of keys and signatures say, and the bytes of the commitment (FIPS 204 section 7.1 and 7.4).
#![expect(clippy::arithmetic_side_effects, reason = "numbers of at most 23 bits")]

use super::{
    BETA, D, GAMMA_1, GAMMA_2, HINT_LEN, K, OMEGA,
    ring::{Poly, Q},
};

/// Bytes of a polynomial of t1, of z and of the commitment.
pub(super) const T1_LEN: usize = 320;
pub(super) const Z_LEN: usize = 640;
pub(super) const W1_LEN: usize = 128;

/// A number of 40 bits, lowest byte first.
fn number([a, b, c, d, e]: [u8; 5]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
}

/// -t1 * 2^d of a key, in -(q-1) ..= 0: coefficients have ten bits.
pub(super) fn read_t1(encoded: &[u8; T1_LEN], poly: &mut Poly) {
    for (coefficients, bytes) in poly.as_chunks_mut::<4>().0.iter_mut().zip(encoded.as_chunks().0) {
        let bits = number(*bytes);
        *coefficients = [bits, bits >> 10, bits >> 20, bits >> 30].map(|t1| -(((t1 & 0x3ff) as i32) << D));
    }
}

/// A polynomial of z, and whether its norm allows the signature.
pub(super) fn read_z(encoded: &[u8; Z_LEN], poly: &mut Poly) -> bool {
    let mut norm = 0;
    for (coefficients, bytes) in poly.as_chunks_mut::<2>().0.iter_mut().zip(encoded.as_chunks().0) {
        let bits = number(*bytes);
        *coefficients = [bits, bits >> 20].map(|z| GAMMA_1 - (z & 0xf_ffff) as i32);
        for coefficient in coefficients {
            norm = norm.max(coefficient.abs());
        }
    }
    norm < GAMMA_1 - BETA
}

/// Algorithm 21: for every polynomial the places of its hints. There is one encoding of a hint: places ascend
/// within a polynomial, their number is at most omega, and what is left is zero.
pub(super) fn read_hint(encoded: &[u8; HINT_LEN]) -> Option<[&[u8]; K]> {
    let (mut places, ends) = encoded.split_at(OMEGA);
    let mut hint = [places; K];
    let mut taken = 0;
    for (of_row, end) in hint.iter_mut().zip(ends) {
        let end = usize::from(*end);
        (*of_row, places) = places.split_at_checked(end.checked_sub(taken)?)?;
        if !of_row.is_sorted_by(|one, next| one < next) {
            return None;
        }
        taken = end;
    }
    places.iter().all(|byte| *byte == 0).then_some(hint)
}

/// Algorithms 40 and 28: the upper parts of coefficients in -(q-1)/2 ..= (q-1)/2, corrected where the hint says
/// so, four bits each.
pub(super) fn write_w1(poly: &Poly, hint: &[u8], encoded: &mut [u8; W1_LEN]) {
    for (byte, [low, high]) in encoded.iter_mut().zip(poly.as_chunks().0) {
        *byte = upper(*low) | upper(*high) << 4;
    }
    for place in hint.iter().map(|place| usize::from(*place)) {
        if let (Some(byte), Some(coefficient)) = (encoded.get_mut(place / 2), poly.get(place)) {
            let hinted = hinted(*coefficient);
            *byte = if place % 2 == 0 { *byte & 0xf0 | hinted } else { *byte & 0x0f | hinted << 4 };
        }
    }
}

/// The multiple of 2 * gamma2 that is nearest to the coefficient modulo q, the lower of two, in 0 ..= 16; and
/// the coefficient in 0..q. 16 stands for 0: there the rest is negative.
fn decompose(coefficient: i32) -> (u32, u32) {
    let positive = (coefficient + (Q & (coefficient >> 31))) as u32;
    ((positive + GAMMA_2 - 1) / (2 * GAMMA_2), positive)
}

/// Algorithm 37, of a coefficient in -(q-1)/2 ..= (q-1)/2.
pub(super) fn upper(coefficient: i32) -> u8 {
    (decompose(coefficient).0 & 15) as u8
}

/// Algorithm 40 with a hint: the neighbour on the side of the rest.
pub(super) fn hinted(coefficient: i32) -> u8 {
    let (upper, positive) = decompose(coefficient);
    let step = if positive > upper * 2 * GAMMA_2 { 1 } else { 15 };
    ((upper + step) & 15) as u8
}
