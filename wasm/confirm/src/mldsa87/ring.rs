//! Polynomials over Z_q modulo x^256 + 1, and their number-theoretic transform (FIPS 204 section 7.5).
//!
//! Reduction is Plantard's: one multiplication of 64 bits by q^-1 and one of the upper half by q.
#![expect(clippy::arithmetic_side_effects, reason = "every bound is in a comment")]

use alloc::boxed::Box;

use once_cell::race::OnceBox;

pub(super) const Q: i32 = 8_380_417;
const WIDE_Q: i64 = Q as i64;
pub(super) const DEGREE: usize = 256;

/// Coefficients of a polynomial, or its values once it is transformed.
pub(super) type Poly = [i32; DEGREE];

/// Polynomials that are multiplied pairwise: seven of the matrix and one of the key, or of the signature seven
/// and the challenge.
pub(super) type Row = [Poly; super::L + 1];

/// q^-1 modulo 2^64. Every step of Newton doubles the bits that are right; q * q = 1 modulo 8.
const Q_INVERSE: i64 = {
    let mut inverse = WIDE_Q;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_i64.wrapping_sub(inverse.wrapping_mul(WIDE_Q)));
        bits *= 2;
    }
    inverse
};

/// The root of unity of order 512 that FIPS 204 chose.
const ROOT: i64 = 1753;

/// -2^64 modulo q: what a reduction takes away.
const PREPARED: i64 = {
    let half = (1 << 32) % WIDE_Q;
    WIDE_Q - half * half % WIDE_Q
};

/// 1/256, and what the reduction of a product of transforms took away. q = 1 modulo 256.
const UNSCALED: i64 = (WIDE_Q - (WIDE_Q - 1) / 256) * PREPARED % WIDE_Q;
const LAST_SUM: i64 = factor(UNSCALED);
const LAST_DIFFERENCE: i64 = factor(UNSCALED * power(ROOT, 128) % WIDE_Q);

/// `base` to the power of `exponent`, which is a power of two.
const fn power(base: i64, exponent: usize) -> i64 {
    let (mut value, mut reached) = (base, 1);
    while reached < exponent {
        value = value * value % WIDE_Q;
        reached *= 2;
    }
    value
}

/// What [`times`] takes for a factor in 0..q.
const fn factor(value: i64) -> i64 {
    (value * PREPARED % WIDE_Q).wrapping_mul(Q_INVERSE)
}

/// -x / 2^64 modulo q, in -(q-1)/2 ..= (q-1)/2, for |x| <= 2^62 of which `multiple` is x / q modulo 2^64.
///
/// There is an m with multiple * q = x + m * 2^64, so m = -x / 2^64 modulo q, and |m| <= q/2 + 1/4 because
/// |multiple| <= 2^63. Let low be the 32 bits that the first shift drops. Then
/// ((multiple >> 32) + 256) * q / 2^32 = m + (x + (2^40 - low) * q) / 2^64, whose second term lies in 0..1,
/// because (2^40 - low) * q is above 2^62 and below 2^63. No product exceeds (2^31 + 256) * q < 2^55.
const fn reduce_multiple(multiple: i64) -> i32 {
    ((((multiple >> 32) + 256) * WIDE_Q) >> 32) as i32
}

/// -x / 2^64 modulo q, in -(q-1)/2 ..= (q-1)/2, for |x| <= 2^62.
pub(super) fn reduce(x: i64) -> i32 {
    reduce_multiple(x.wrapping_mul(Q_INVERSE))
}

/// The product with a prepared factor modulo q, in -(q-1)/2 ..= (q-1)/2, for every `value`: the factor was
/// made of a number below 2^23, and 2^31 * 2^23 < 2^62.
fn times(value: i32, factor: i64) -> i32 {
    reduce_multiple(i64::from(value).wrapping_mul(factor))
}

/// The powers of the root in the order of the transform, as factors: at 2^n + i stands that of block i of
/// layer n, its exponent being the number 2^n + i with its eight bits reversed.
fn zetas() -> &'static [i64; DEGREE] {
    static ZETAS: OnceBox<[i64; DEGREE]> = OnceBox::new();
    ZETAS.get_or_init(|| {
        let mut powers = [1; DEGREE];
        let mut len = 1;
        while len < DEGREE {
            let root = power(ROOT, DEGREE / 2 / len);
            let (known, rest) = powers.split_at_mut(len);
            for (value, known) in rest.iter_mut().zip(known) {
                *value = *known * root % WIDE_Q;
            }
            len *= 2;
        }
        Box::new(powers.map(factor))
    })
}

fn quarters(block: &mut [i32]) -> impl Iterator<Item = (((&mut i32, &mut i32), &mut i32), &mut i32)> {
    let len = block.len() / 4;
    let (ab, cd) = block.split_at_mut(2 * len);
    let ((a, b), (c, d)) = (ab.split_at_mut(len), cd.split_at_mut(len));
    a.iter_mut().zip(b).zip(c).zip(d)
}

/// NTT, two layers at a time. Values grow by at most (q-1)/2 a layer: those of `poly` may be up to q, those of
/// the result are then up to 5q < 2^26.
#[expect(
    clippy::indexing_slicing,
    reason = "the blocks of a layer are numbered below 64, and 2 * 127 + 1 is 255"
)]
pub(super) fn transform(poly: &mut Poly) {
    let zetas = zetas();
    for blocks in [1, 4, 16, 64] {
        for (block, at) in poly.chunks_exact_mut(DEGREE / blocks).zip(blocks..) {
            let (outer, left, right) = (zetas[at], zetas[2 * at], zetas[2 * at + 1]);
            for (((a, b), c), d) in quarters(block) {
                let (c_turned, d_turned) = (times(*c, outer), times(*d, outer));
                let (sum, difference) = (*a + c_turned, *a - c_turned);
                let (left, right) = (times(*b + d_turned, left), times(*b - d_turned, right));
                (*a, *b, *c, *d) = (sum + left, sum - left, difference + right, difference - right);
            }
        }
    }
}

/// Inverse NTT of what [`reduce`] left, with what it took away: the coefficients, in -(q-1)/2 ..= (q-1)/2.
///
/// Sums double in each of eight layers, so nothing exceeds 256 * (q-1)/2 < 2^30.
#[expect(clippy::indexing_slicing, reason = "as in the transform")]
pub(super) fn restore(poly: &mut Poly) {
    let zetas = zetas();
    for blocks in [64, 16, 4] {
        for (block, at) in poly.chunks_exact_mut(DEGREE / blocks).zip((blocks..2 * blocks).rev()) {
            let (outer, left, right) = (zetas[at], zetas[2 * at + 1], zetas[2 * at]);
            for (((a, b), c), d) in quarters(block) {
                let (ab, cd) = (*a + *b, *c + *d);
                let (b_turned, d_turned) = (times(*b - *a, left), times(*d - *c, right));
                (*a, *b) = (ab + cd, b_turned + d_turned);
                (*c, *d) = (times(cd - ab, outer), times(d_turned - b_turned, outer));
            }
        }
    }
    for (((a, b), c), d) in quarters(poly) {
        let (ab, cd) = (*a + *b, *c + *d);
        let (b_turned, d_turned) = (times(*b - *a, zetas[3]), times(*d - *c, zetas[2]));
        (*a, *b) = (times(ab + cd, LAST_SUM), times(b_turned + d_turned, LAST_SUM));
        (*c, *d) = (times(cd - ab, LAST_DIFFERENCE), times(d_turned - b_turned, LAST_DIFFERENCE));
    }
}

/// The sum of the products of both rows, coefficients of a polynomial in -(q-1)/2 ..= (q-1)/2.
///
/// With values up to 5q on both sides the sum is at most 8 * 25 * q^2 < 2^54.
#[expect(clippy::indexing_slicing, reason = "n stays below the degree")]
pub(super) fn product(left: &Row, right: &Row) -> Poly {
    let mut poly = core::array::from_fn(|n| {
        reduce(left.iter().zip(right).map(|(l, r)| i64::from(l[n]) * i64::from(r[n])).sum())
    });
    restore(&mut poly);
    poly
}
