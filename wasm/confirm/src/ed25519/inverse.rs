//! Inverses modulo p = 2^255 - 19 by divisions of two numbers by 2 (Bernstein and Yang, "Fast constant-time gcd computation
//! and modular inversion", 2019). They take different times, for numbers that are public.
//!
//! With f = p and g = x, odd f, a step divides g by 2 where it is even, else g + f or, when δ > 0, g - f, which it then
//! changes places with; so g becomes zero, and f the greatest common divisor or its negative. For each of them a factor is
//! kept: f = d x and g = e x modulo p, so at the end ±d is the inverse. Steps are taken [`BITS`] at a time, which look at
//! the lowest limb alone and make a matrix; then all limbs are multiplied by it.

use super::field::{BITS, LIMBS, MASK};

/// A number in limbs of 29 bits, of which the last one has the sign.
type Number = [i32; LIMBS];

/// p, of which the other limbs are zero.
const LOW: i64 = -19;
const TOP: i64 = 1 << 23;
const P: Number = [LOW as i32, 0, 0, 0, 0, 0, 0, 0, TOP as i32];

/// 1/p modulo 2^32, and so modulo 2^BITS. Every step of Newton doubles the bits that are right.
const P_INVERSE: i64 = {
    let low = LOW as u32;
    let mut inverse = low; // modulo 8
    let mut bits = 3;
    while bits < 32 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(inverse.wrapping_mul(low)));
        bits *= 2;
    }
    inverse as i64
};

/// So many steps are enough for two numbers below 2^255 (theorem 11.2).
const MOST_STEPS: u32 = (49 * 255 + 57) / 17;

/// What the steps make of f and g, times 2^BITS: u f + v g and q f + r g. |u| + |v| and |q| + |r| are at most 2^BITS.
#[derive(Clone, Copy)]
struct Matrix {
    u: i32,
    v: i32,
    q: i32,
    r: i32,
}

/// The next [`BITS`] steps. Of the limbs the lowest bits alone count, as many as there are steps ahead.
fn steps(minus_delta: &mut i32, low_f: i32, low_g: i32) -> Matrix {
    let (mut f, mut g) = (low_f, low_g);
    let mut matrix = Matrix { u: 1, v: 0, q: 0, r: 1 };
    let Matrix { u, v, q, r } = &mut matrix;
    let mut ahead = BITS;
    loop {
        let zeros = g.trailing_zeros().min(ahead);
        g >>= zeros;
        (*u, *v) = (*u << zeros, *v << zeros);
        *minus_delta -= zeros as i32;
        ahead -= zeros;
        if ahead == 0 {
            return matrix;
        }
        if *minus_delta < 0 {
            *minus_delta = -*minus_delta;
            (f, g) = (g, f.wrapping_neg());
            (*u, *v, *q, *r) = (*q, *r, -*u, -*v);
        }
        // As long as f and g keep their places, all steps are one: so much f is added that that many bits of g are zero.
        // f (f f - 2) is -1/f modulo 64.
        let bits = (*minus_delta as u32 + 1).min(ahead).min(6);
        let negative_inverse = f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2));
        let times = g.wrapping_mul(negative_inverse) & ((1 << bits) - 1);
        g = g.wrapping_add(f.wrapping_mul(times));
        *q += *u * times;
        *r += *v * times;
    }
}

/// (u f + v g) / 2^BITS and (q f + r g) / 2^BITS, which have no rest.
///
/// Sums are within 2^BITS times 2^30, and what is carried.
fn divide([f, g]: [&mut Number; 2], Matrix { u, v, q, r }: Matrix) {
    let [mut carry_f, mut carry_g] = [0; 2];
    for at in 0..LIMBS {
        let [of_f, of_g] = [f[at], g[at]].map(i64::from);
        carry_f += i64::from(u) * of_f + i64::from(v) * of_g;
        carry_g += i64::from(q) * of_f + i64::from(r) * of_g;
        if at > 0 {
            (f[at - 1], g[at - 1]) = ((carry_f & MASK) as i32, (carry_g & MASK) as i32);
        }
        (carry_f, carry_g) = (carry_f >> BITS, carry_g >> BITS);
    }
    (f[LIMBS - 1], g[LIMBS - 1]) = (carry_f as i32, carry_g as i32);
}

/// The same modulo p, of what is in (-2p, p), as the results are.
///
/// To what is negative p is added: it is in (-p, p) then, and a sum of two, times the matrix, within 2^BITS p. Then p is
/// taken away as often, from 0 to 2^BITS - 1 times, as makes the lowest limb zero.
fn divide_modulo([d, e]: [&mut Number; 2], Matrix { u, v, q, r }: Matrix) {
    let negative = [d[LIMBS - 1] < 0, e[LIMBS - 1] < 0];
    let times_p = |a: i32, b: i32| {
        let added = i64::from(a) * i64::from(negative[0]) + i64::from(b) * i64::from(negative[1]);
        let low = i64::from(a) * i64::from(d[0]) + i64::from(b) * i64::from(e[0]);
        added - (low.wrapping_mul(P_INVERSE).wrapping_add(added) & MASK)
    };
    let (times_d, times_e) = (times_p(u, v), times_p(q, r));
    let (mut carry_d, mut carry_e) = (times_d * LOW, times_e * LOW);
    for at in 0..LIMBS {
        if at == LIMBS - 1 {
            carry_d += times_d * TOP;
            carry_e += times_e * TOP;
        }
        let [of_d, of_e] = [d[at], e[at]].map(i64::from);
        carry_d += i64::from(u) * of_d + i64::from(v) * of_e;
        carry_e += i64::from(q) * of_d + i64::from(r) * of_e;
        if at > 0 {
            (d[at - 1], e[at - 1]) = ((carry_d & MASK) as i32, (carry_e & MASK) as i32);
        }
        (carry_d, carry_e) = (carry_d >> BITS, carry_e >> BITS);
    }
    (d[LIMBS - 1], e[LIMBS - 1]) = (carry_d as i32, carry_e as i32);
}

/// The inverse of a number below p, in (-2p, 2p) and limbs within 2^BITS; zero for zero.
pub(super) fn invert(number: &Number) -> Number {
    let (mut f, mut g) = (P, *number);
    let (mut d, mut e) = ([0; LIMBS], [1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut minus_delta = -1;
    for _ in 0..MOST_STEPS.div_ceil(BITS) {
        if g == [0; LIMBS] {
            break;
        }
        let matrix = steps(&mut minus_delta, f[0], g[0]);
        divide_modulo([&mut d, &mut e], matrix);
        divide([&mut f, &mut g], matrix);
    }
    if f[LIMBS - 1] < 0 { d.map(|limb| -limb) } else { d }
}
