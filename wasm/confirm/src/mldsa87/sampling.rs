//! Polynomials drawn from the output of SHAKE (FIPS 204 section 7.3).
#![expect(clippy::arithmetic_side_effects, reason = "positions below 256")]

use keccak::f1600;

use super::{
    CHALLENGE_LEN, TAU,
    ring::{DEGREE, Poly, Q},
    shake::{self, END, RATE_128, RATE_256, SUFFIX},
};

/// Algorithm 30: the values in 0..q of one polynomial of the matrix, transformed as they are.
pub(super) fn matrix(rho: &[u8; 32], row: u8, column: u8, values: &mut Poly) {
    let mut state = [0; 25];
    for (word, bytes) in state.iter_mut().zip(rho.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    state[4] = u64::from(column) | u64::from(row) << 8 | SUFFIX << 16;
    state[RATE_128 / 8 - 1] = END;
    let mut filled = 0;
    while filled < DEGREE {
        f1600(&mut state);
        // Three bytes are a candidate, so three words are eight.
        for [x, y, z] in state.as_chunks().0.iter().take(RATE_128 / 24) {
            let candidates =
                [*x, x >> 24, x >> 48 | y << 16, y >> 8, y >> 32, y >> 56 | z << 8, z >> 16, z >> 40];
            for candidate in candidates {
                let candidate = (candidate & 0x7f_ffff) as i32;
                if let Some(value) = values.get_mut(filled) {
                    *value = candidate;
                    filled += usize::from(candidate < Q);
                }
            }
        }
    }
}

/// Algorithm 29: the challenge, 60 coefficients of 1 or -1 and else zeros.
pub(super) fn challenge(seed: &[u8; CHALLENGE_LEN]) -> Poly {
    let mut state = shake::absorb_256(&[seed]);
    f1600(&mut state);
    let mut signs = state[0];
    let mut at = 8;
    let mut poly = [0; DEGREE];
    for last in DEGREE - TAU..DEGREE {
        let place = loop {
            if at == RATE_256 {
                f1600(&mut state);
                at = 0;
            }
            let word = state.get(at / 8).copied().unwrap_or_default();
            let byte = usize::from((word >> (8 * (at % 8))) as u8);
            at += 1;
            if byte <= last {
                break byte;
            }
        };
        poly.swap(last, place);
        if let Some(coefficient) = poly.get_mut(place) {
            *coefficient = 1 - 2 * (signs & 1) as i32;
        }
        signs >>= 1;
    }
    poly
}
