//! Polynomials drawn from the output of SHAKE (FIPS 204 section 7.3).
#![expect(clippy::arithmetic_side_effects, reason = "positions below 256")]

use ::keccak::f1600;

use super::{
    CHALLENGE_LEN, TAU,
    keccak::{self, Pair},
    ring::{DEGREE, Poly, Q},
    shake::{self, END, RATE_128, RATE_256, SUFFIX},
};

/// Algorithm 30, of two polynomials of one column of the matrix: the values in 0..q, transformed as they are.
pub(super) fn matrix(rho: &[u8; 32], rows: [u8; 2], column: u8, polys: [&mut Poly; 2]) {
    let mut states = [Pair::new([0; 2]); 25];
    for (pair, bytes) in states.iter_mut().zip(rho.as_chunks().0) {
        *pair = Pair::new([u64::from_le_bytes(*bytes); 2]);
    }
    states[4] = Pair::new(rows.map(|row| u64::from(column) | u64::from(row) << 8 | SUFFIX << 16));
    states[RATE_128 / 8 - 1] = Pair::new([END; 2]);
    let mut drawn = polys.map(|values| Drawn { values, filled: 0 });
    while drawn.iter().any(|drawn| drawn.filled < DEGREE) {
        keccak::f1600(&mut states);
        let [first, second] = &mut drawn;
        // Three bytes are a candidate, so three words are eight.
        for [x, y, z] in states.as_chunks().0.iter().take(RATE_128 / 24) {
            let ([x0, x1], [y0, y1], [z0, z1]) = (x.words(), y.words(), z.words());
            first.take(x0, y0, z0);
            second.take(x1, y1, z1);
        }
    }
}

/// A polynomial whose values come one after the other, as far as it is filled.
struct Drawn<'a> {
    values: &'a mut Poly,
    filled: usize,
}

impl Drawn<'_> {
    fn take(&mut self, x: u64, y: u64, z: u64) {
        let candidates = [x, x >> 24, x >> 48 | y << 16, y >> 8, y >> 32, y >> 56 | z << 8, z >> 16, z >> 40];
        for candidate in candidates {
            let candidate = (candidate & 0x7f_ffff) as i32;
            if let Some(value) = self.values.get_mut(self.filled) {
                *value = candidate;
                self.filled += usize::from(candidate < Q);
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
