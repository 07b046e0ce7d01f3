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

/// What a block is multiplied by when it is split into halves, and then each of these, as factors.
type Turn = [i64; 3];

/// The turns of a transform, in the order in which it takes them: those of 1, 4, 16 and 64 blocks.
type Turns = [Turn; 85];

fn turns() -> &'static Turns {
    static TURNS: OnceBox<Turns> = OnceBox::new();
    TURNS.get_or_init(|| {
        // At 2^n + i stands the root to the power of that number with its eight bits reversed: block i of layer n.
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
        let mut turns = [[0; 3]; 85];
        let blocks = (1..2).chain(4..8).chain(16..32).chain(64..128);
        for (turn, block) in turns.iter_mut().zip(blocks) {
            for (factor_of, at) in turn.iter_mut().zip([block, 2 * block, 2 * block + 1]) {
                *factor_of = powers.get(at).copied().map_or(0, factor);
            }
        }
        Box::new(turns)
    })
}

/// A pass over `blocks` blocks that takes two layers at once: `mix` gets one coefficient of each quarter.
fn pass<'a>(
    poly: &mut Poly,
    blocks: usize,
    turns: &mut impl Iterator<Item = &'a Turn>,
    mix: impl Fn([i32; 4], Turn) -> [i32; 4],
) {
    for (block, turn) in poly.chunks_exact_mut(DEGREE / blocks).zip(turns) {
        let len = block.len() / 4;
        let (ab, cd) = block.split_at_mut(2 * len);
        let ((a, b), (c, d)) = (ab.split_at_mut(len), cd.split_at_mut(len));
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            [*a, *b, *c, *d] = mix([*a, *b, *c, *d], *turn);
        }
    }
}

/// [`pass`] over blocks of four.
fn narrow_pass<'a>(
    poly: &mut Poly,
    turns: &mut impl Iterator<Item = &'a Turn>,
    mix: impl Fn([i32; 4], Turn) -> [i32; 4],
) {
    for (block, turn) in poly.as_chunks_mut().0.iter_mut().zip(turns) {
        *block = mix(*block, *turn);
    }
}

/// NTT. Values grow by at most (q-1)/2 a layer: those of `poly` may be up to q, those of the result are then up
/// to 5q < 2^26.
pub(super) fn transform(poly: &mut Poly) {
    let mut turns = turns().iter();
    let mix = |[a, b, c, d]: [i32; 4], [whole, left, right]: Turn| {
        let (c, d) = (times(c, whole), times(d, whole));
        let (b, d) = (times(b + d, left), times(b - d, right));
        [a + c + b, a + c - b, a - c + d, a - c - d]
    };
    for blocks in [1, 4, 16] {
        pass(poly, blocks, &mut turns, mix);
    }
    narrow_pass(poly, &mut turns, mix);
}

/// Inverse NTT of what [`reduce`] left, with what it took away: the coefficients, in -(q-1)/2 ..= (q-1)/2.
///
/// Sums double in each of eight layers, so nothing exceeds 256 * (q-1)/2 < 2^30.
pub(super) fn restore(poly: &mut Poly) {
    // The inverse of a factor is, negated, the one at the other end of its layer.
    let mut turns = turns().iter().rev();
    let join = |[a, b, c, d]: [i32; 4], [_, right, left]: Turn| {
        let (ab, a_b, cd, c_d) = (a + b, times(b - a, left), c + d, times(d - c, right));
        ([ab + cd, a_b + c_d], [cd - ab, c_d - a_b])
    };
    let mix = |values: [i32; 4], turn: Turn| {
        let ([a, b], [c, d]) = join(values, turn);
        [a, b, times(c, turn[0]), times(d, turn[0])]
    };
    narrow_pass(poly, &mut turns, mix);
    for blocks in [16, 4] {
        pass(poly, blocks, &mut turns, mix);
    }
    pass(poly, 1, &mut turns, |values, turn| {
        let ([a, b], [c, d]) = join(values, turn);
        [times(a, LAST_SUM), times(b, LAST_SUM), times(c, LAST_DIFFERENCE), times(d, LAST_DIFFERENCE)]
    });
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
