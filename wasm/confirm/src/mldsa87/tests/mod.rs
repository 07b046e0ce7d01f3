//! The arithmetic against the definitions.
#![allow(clippy::arithmetic_side_effects)]

mod forged;

use crate::numbers::Numbers;
use std::vec::Vec;

use proptest::prelude::*;
use sha3::{
    Shake128, Shake256,
    digest::{ExtendableOutput, Update, XofReader},
};

use super::{
    GAMMA_2, K, L, OMEGA, encoding,
    ring::{self, DEGREE, Poly, Q, Row},
    sampling, shake,
};

const WIDE: i128 = Q as i128;
const HALF: i32 = (Q - 1) / 2;

impl Numbers {
    /// A number in -bound ..= bound.
    fn within(&mut self, bound: i32) -> i32 {
        (self.next() % (2 * bound as u64 + 1)) as i32 - bound
    }

    fn poly(&mut self, bound: i32) -> Poly {
        core::array::from_fn(|_| self.within(bound))
    }
}

fn check_reduction(x: i64) {
    let reduced = ring::reduce(x);
    assert!((-HALF..=HALF).contains(&reduced), "{x}");
    assert_eq!((i128::from(reduced) * (1 << 64) + i128::from(x)).rem_euclid(WIDE), 0, "{x}");
}

#[test]
fn reduction_holds_to_the_ends_of_its_range() {
    let q = i64::from(Q);
    for middle in
        [0, 1 << 62, -(1 << 62), q, -q, q << 32, -(q << 32), q << 38, -(q << 38), 1 << 54, -(1 << 54)]
    {
        for offset in -1000..=1000_i64 {
            let x: i64 = middle + offset;
            if x.unsigned_abs() <= 1 << 62 {
                check_reduction(x);
            }
        }
    }
    let mut numbers = Numbers(1);
    for _ in 0..1_000_000 {
        check_reduction(numbers.next() as i64 >> (1 + numbers.next() % 40));
    }
}

/// What FIPS 204 algorithm 41 says: every block splits by a power of 1753.
fn plain_transform(poly: &Poly) -> [i128; DEGREE] {
    let mut values = poly.map(i128::from);
    let (mut m, mut len) = (0_u8, 128);
    while len > 0 {
        for start in (0..DEGREE).step_by(2 * len) {
            m += 1;
            let zeta = (0..m.reverse_bits()).fold(1, |power, _| power * 1753 % WIDE);
            for j in start..start + len {
                let t = zeta * values[j + len];
                values[j + len] = (values[j] - t).rem_euclid(WIDE);
                values[j] = (values[j] + t).rem_euclid(WIDE);
            }
        }
        len /= 2;
    }
    values
}

fn plain_product(left: &Poly, right: &Poly) -> [i128; DEGREE] {
    let mut product = [0; DEGREE];
    for (i, l) in left.iter().enumerate() {
        for (j, r) in right.iter().enumerate() {
            let term = i128::from(*l) * i128::from(*r);
            product[(i + j) % DEGREE] += if i + j < DEGREE { term } else { -term };
        }
    }
    product
}

/// Polynomials at the ends of what a transform takes, and random ones.
fn polys(numbers: &mut Numbers) -> Vec<Poly> {
    let mut polys = Vec::from([[Q; DEGREE], [-Q; DEGREE], [0; DEGREE], [HALF; DEGREE], [-HALF; DEGREE]]);
    for n in [0, 1, 64, 128, 255] {
        polys.push(core::array::from_fn(|i| if i == n { 1 } else { 0 }));
    }
    for _ in 0..20 {
        polys.push(core::array::from_fn(|_| if numbers.next() & 1 == 0 { Q } else { -Q }));
        polys.push(numbers.poly(Q));
    }
    polys
}

#[test]
fn transform_is_that_of_the_standard() {
    for poly in polys(&mut Numbers(2)) {
        let mut transformed = poly;
        ring::transform(&mut transformed);
        for (value, plain) in transformed.iter().zip(plain_transform(&poly)) {
            assert!(value.abs() <= 5 * Q);
            assert_eq!(i128::from(*value).rem_euclid(WIDE), plain);
        }
    }
}

#[test]
fn restoring_undoes_the_transform() {
    for poly in polys(&mut Numbers(3)) {
        let mut restored = poly;
        ring::transform(&mut restored);
        restored = restored.map(|value| ring::reduce(i64::from(value)));
        ring::restore(&mut restored);
        for (coefficient, original) in restored.iter().zip(poly) {
            assert!((-HALF..=HALF).contains(coefficient));
            assert_eq!((coefficient - original % Q) % Q, 0);
        }
    }
}

/// With the largest values that a reduction leaves every layer doubles somewhere.
#[test]
fn restoring_takes_the_largest_values() {
    for value in [HALF, -HALF] {
        let mut poly = [value; DEGREE];
        ring::restore(&mut poly);
        assert_eq!(poly[1..], [0; DEGREE - 1]);
        let expected = i128::from(value) * -(1 << 64);
        assert_eq!((i128::from(poly[0]) - expected).rem_euclid(WIDE), 0);
    }
    let mut numbers = Numbers(4);
    for _ in 0..1000 {
        let mut poly = core::array::from_fn(|_| if numbers.next() & 1 == 0 { HALF } else { -HALF });
        ring::restore(&mut poly);
        assert!(poly.iter().all(|value| (-HALF..=HALF).contains(value)));
    }
}

#[test]
fn product_of_rows_is_the_sum_of_products() {
    let mut numbers = Numbers(5);
    for round in 0..12 {
        let mut left: Row = core::array::from_fn(|_| numbers.poly(Q));
        let mut right: Row = core::array::from_fn(|_| numbers.poly(if round % 2 == 0 { Q } else { 1 }));
        if round < 4 {
            left = [[Q; DEGREE]; L + 1];
            right = [[if round < 2 { Q } else { -Q }; DEGREE]; L + 1];
        }
        let mut expected = [0; DEGREE];
        for (l, r) in left.iter().zip(&right) {
            for (sum, term) in expected.iter_mut().zip(plain_product(l, r)) {
                *sum += term;
            }
        }
        left.iter_mut().chain(&mut right).for_each(ring::transform);
        for (coefficient, expected) in ring::product(&left, &right).iter().zip(expected) {
            assert!((-HALF..=HALF).contains(coefficient));
            assert_eq!((i128::from(*coefficient) - expected).rem_euclid(WIDE), 0);
        }
    }
    // Values as large as those of two transforms can be: the sum does not overflow.
    let largest = [[5 * Q; DEGREE]; L + 1];
    let zero = [[0; DEGREE]; L + 1];
    assert_eq!(ring::product(&largest, &largest), ring::product(&zero, &zero));
}

/// FIPS 204 algorithm 36.
fn plain_decompose(r: i32) -> (i32, i32) {
    let modulus = 2 * GAMMA_2 as i32;
    let mut rest = r % modulus;
    if rest > modulus / 2 {
        rest -= modulus;
    }
    if r - rest == Q - 1 { (0, rest - 1) } else { ((r - rest) / modulus, rest) }
}

#[test]
fn upper_parts_and_hints_are_those_of_the_standard() {
    for r in 0..Q {
        let (upper, rest) = plain_decompose(r);
        let hinted = if rest > 0 { (upper + 1).rem_euclid(16) } else { (upper - 1).rem_euclid(16) };
        let centred = if r > HALF { r - Q } else { r };
        assert_eq!(i32::from(encoding::upper(centred)), upper, "{r}");
        assert_eq!(i32::from(encoding::hinted(centred)), hinted, "{r}");
    }
}

#[test]
fn commitment_is_packed_with_its_hints() {
    let mut numbers = Numbers(6);
    for _ in 0..200 {
        let poly = numbers.poly(HALF);
        let mut hint: Vec<u8> = (0..=255).filter(|_| numbers.next().is_multiple_of(8)).collect();
        hint.truncate(OMEGA);
        let mut encoded = [0xa5; encoding::W1_LEN];
        encoding::write_w1(&poly, &hint, &mut encoded);
        for (n, coefficient) in poly.iter().enumerate() {
            let part = encoded[n / 2] >> (n % 2 * 4) & 15;
            let hinted = hint.contains(&(n as u8));
            let expected =
                if hinted { encoding::hinted(*coefficient) } else { encoding::upper(*coefficient) };
            assert_eq!(part, expected);
        }
    }
}

/// Bits of an integer of `width` bits that begins at bit `at`, lowest first.
fn bits(bytes: &[u8], at: usize, width: usize) -> i32 {
    (0..width).map(|n| i32::from(bytes[(at + n) / 8] >> ((at + n) % 8) & 1) << n).sum()
}

#[test]
fn polynomials_are_read_bit_by_bit() {
    let mut numbers = Numbers(7);
    for _ in 0..50 {
        let encoded: [u8; encoding::Z_LEN] = core::array::from_fn(|_| numbers.next() as u8);
        let mut poly = [0; DEGREE];
        assert!(!encoding::read_z(&encoded, &mut poly) || poly.iter().all(|z| z.abs() < 524_168));
        for (n, coefficient) in poly.iter().enumerate() {
            assert_eq!(*coefficient, 524_288 - bits(&encoded, 20 * n, 20));
        }
        let encoded: [u8; encoding::T1_LEN] = core::array::from_fn(|_| numbers.next() as u8);
        encoding::read_t1(&encoded, &mut poly);
        for (n, coefficient) in poly.iter().enumerate() {
            assert_eq!(*coefficient, -8192 * bits(&encoded, 10 * n, 10));
        }
    }
}

#[test]
fn norm_ends_below_gamma1_minus_beta() {
    for n in [0, 1, 100, 254, 255] {
        for (coefficient, allowed) in [(524_167, true), (-524_167, true), (524_168, false), (-524_168, false)]
        {
            let value: i32 = 524_288 - coefficient;
            let mut encoded = [0; encoding::Z_LEN];
            for (place, byte) in encoded.iter_mut().enumerate() {
                *byte = (0..8)
                    .map(|bit| {
                        let at = 8 * place + bit;
                        let value = if at / 20 == n { value } else { 524_288 };
                        ((value >> (at % 20) & 1) as u8) << bit
                    })
                    .sum();
            }
            assert_eq!(encoding::read_z(&encoded, &mut [0; DEGREE]), allowed, "{coefficient} at {n}");
        }
    }
}

#[test]
fn hint_has_one_encoding() {
    let hint = |places: &[u8], ends: [u8; K]| {
        let mut encoded = [0; super::HINT_LEN];
        encoded[..places.len()].copy_from_slice(places);
        encoded[OMEGA..].copy_from_slice(&ends);
        encoding::read_hint(&encoded).map(|rows| rows.map(<[u8]>::to_vec))
    };
    let rows = hint(&[0, 7, 255, 3, 4], [3, 3, 5, 5, 5, 5, 5, 5]).unwrap();
    assert_eq!(rows, [&[0, 7, 255][..], &[], &[3, 4], &[], &[], &[], &[], &[]]);
    assert!(hint(&[], [0; K]).is_some());
    let full: Vec<u8> = (0..75).collect();
    assert!(hint(&full, [75; K]).is_some());
    assert!(hint(&full, [0, 0, 0, 0, 0, 0, 0, 75]).is_some());
    for (places, ends, what) in [
        (&[7, 7][..], [2; K], "equal places"),
        (&[8, 7], [2; K], "descending places"),
        (&[1, 2], [1; K], "a place that no row has"),
        (&full, [74; K], "a last place that no row has"),
        (&full, [76; K], "more places than omega"),
        (&full, [255; K], "ends beyond all"),
        (&[1, 2], [2, 1, 2, 2, 2, 2, 2, 2], "ends that descend"),
        (&[1, 2], [2, 2, 2, 2, 2, 2, 2, 0], "a last end that descends"),
        (&[1, 2], [76, 2, 2, 2, 2, 2, 2, 2], "a first end beyond omega"),
    ] {
        assert!(hint(places, ends).is_none(), "{what}");
    }
}

proptest! {
    #[test]
    fn hash_is_shake256(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..5)) {
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(shake::hash(&parts), shake256(&parts.concat()));
    }
}

fn shake256(input: &[u8]) -> [u8; 64] {
    let mut hash = [0; 64];
    Shake256::default().chain(input).finalize_xof().read(&mut hash);
    hash
}

#[test]
fn hash_is_shake256_at_every_length() {
    let input: Vec<u8> = (0..600).map(|n| (n * 7) as u8).collect();
    for len in 0..input.len() {
        assert_eq!(shake::hash(&[&input[..len]]), shake256(&input[..len]), "{len}");
        let (head, tail) = input[..len].split_at(len / 3);
        assert_eq!(shake::hash(&[head, &[], tail]), shake256(&input[..len]), "{len}");
    }
    // The first bytes that NIST gives for the empty message.
    assert_eq!(shake::hash(&[])[..8], [0x46, 0xb9, 0xdd, 0x2b, 0x0b, 0xa8, 0x8d, 0x13]);
}

/// Compares with the sampling of the standard, in either place; where among the candidates `wanted` is.
fn check_matrix(rho: [u8; 32], row: u8, column: u8, wanted: i32) -> Option<usize> {
    let other = row ^ 5;
    let (mut poly, mut beside, mut again) = ([-1; DEGREE], [-1; DEGREE], [-1; DEGREE]);
    sampling::matrix(&rho, [row, other], column, [&mut poly, &mut beside]);
    let place = check_samples(rho, row, column, &poly, wanted);
    check_samples(rho, other, column, &beside, wanted);
    sampling::matrix(&rho, [other, row], column, [&mut beside, &mut again]);
    assert_eq!(again, poly);
    place
}

fn check_samples(rho: [u8; 32], row: u8, column: u8, poly: &[i32; DEGREE], wanted: i32) -> Option<usize> {
    let mut reader = Shake128::default().chain(rho).chain([column, row]).finalize_xof();
    let mut candidates = Vec::new();
    for value in poly {
        loop {
            let mut bytes = [0; 3];
            reader.read(&mut bytes);
            candidates.push(bits(&bytes, 0, 23));
            if candidates.last().is_some_and(|candidate| *candidate < Q) {
                break;
            }
        }
        assert_eq!(candidates.last(), Some(value));
    }
    candidates.iter().position(|candidate| *candidate == wanted)
}

#[test]
fn matrix_is_sampled_as_the_standard_says() {
    let mut numbers = Numbers(8);
    for _ in 0..50 {
        let rho = core::array::from_fn(|_| numbers.next() as u8);
        check_matrix(rho, numbers.next() as u8, numbers.next() as u8, Q);
    }
    // Found by search: one has q among its candidates, and one q - 1.
    for (count, wanted, at) in [(202_917_u32, Q, 55), (16_089, Q - 1, 192)] {
        let mut rho = [0; 32];
        rho[..4].copy_from_slice(&count.to_le_bytes());
        assert_eq!(check_matrix(rho, 0, 0, wanted), Some(at));
    }
}

#[test]
fn challenge_is_sampled_as_the_standard_says() {
    let mut numbers = Numbers(9);
    for _ in 0..2000 {
        let seed: [u8; 64] = core::array::from_fn(|_| numbers.next() as u8);
        let mut reader = Shake256::default().chain(seed).finalize_xof();
        let mut signs = [0; 8];
        reader.read(&mut signs);
        let mut expected = [0; DEGREE];
        for i in 196..256 {
            let mut byte = [255];
            reader.read(&mut byte);
            while usize::from(byte[0]) > i {
                reader.read(&mut byte);
            }
            expected[i] = expected[usize::from(byte[0])];
            expected[usize::from(byte[0])] = 1 - 2 * bits(&signs, i - 196, 1);
        }
        assert_eq!(sampling::challenge(&seed), expected);
    }
}
