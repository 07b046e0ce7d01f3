//! Arithmetic modulo p = 2^255 - 19, in nine signed limbs of 29 bits.
//!
//! How large limbs are:
//! - a *product* (also what is read, carried or inverted) has limbs in [-2^15, 2^29 + 2^15], the last in [0, 2^23);
//! - what is *narrow* has limbs within ±N, N = 2^29 + 2^16: products, their negatives, differences of two products;
//! - what is *wide* has limbs within ±2N: sums of two that are narrow.
//!
//! A multiplication takes one factor that is narrow and one that is wide. Then a column, the sum of at most nine
//! products of limbs, is within 9 · N · 2N < 2^62.2, and 2^62.2 + 2^44 fits into 63 bits.

use super::inverse;

pub(super) const LIMBS: usize = 9;
pub(super) const BITS: u32 = 29;
const TOP_BITS: u32 = 23; // 8 · 29 + 23 = 255
pub(super) const MASK: i64 = (1 << BITS) - 1;
const TOP_MASK: i64 = (1 << TOP_BITS) - 1;

/// 2^255 modulo p.
const FOLD: i64 = 19;
/// 2^261 modulo p: what the limb behind the last one counts.
const FOLD_LIMB: i64 = FOLD << (BITS * 9 - 255);

pub(super) const NARROW: u32 = (1 << BITS) + (1 << 16);
pub(super) const WIDE: u32 = 2 * NARROW;

#[derive(Clone, Copy)]
pub(super) struct Field(pub(super) [i32; LIMBS]);

/// Folds the columns of a multiplication, each within 2^62.2, to a product.
///
/// Carries from column to column are within 2^33.2. Those of the upper columns go no further than to the next one: a limb
/// of these is within 2^33.3 then, and times FOLD_LIMB within 2^43.6. What goes over 2^255 is within 2^39.3, its FOLD-fold
/// within 2^43.6, so what it adds to the second limb is within 2^15.
#[inline(always)]
fn fold(columns: [i64; 2 * LIMBS - 1]) -> Field {
    let mut high = [0; LIMBS];
    let mut carry = 0;
    for (limb, column) in high.iter_mut().zip(&columns[LIMBS..]) {
        *limb = (column & MASK) + carry;
        carry = column >> BITS;
    }
    high[LIMBS - 1] = carry;

    let mut limbs = [0; LIMBS];
    carry = 0;
    for at in 0..LIMBS - 1 {
        let sum = columns[at] + FOLD_LIMB * high[at] + carry;
        limbs[at] = sum & MASK;
        carry = sum >> BITS;
    }
    let sum = columns[LIMBS - 1] + FOLD_LIMB * high[LIMBS - 1] + carry;
    limbs[LIMBS - 1] = sum & TOP_MASK;
    let low = limbs[0] + FOLD * (sum >> TOP_BITS);
    limbs[0] = low & MASK;
    limbs[1] += low >> BITS;
    Field(limbs.map(|limb| limb as i32))
}

impl Field {
    pub(super) const ZERO: Self = Self([0; LIMBS]);
    pub(super) const ONE: Self = Self([1, 0, 0, 0, 0, 0, 0, 0, 0]);

    fn is_within(&self, bound: u32) -> bool {
        self.0.iter().all(|limb| limb.unsigned_abs() <= bound)
    }

    /// Of two that are narrow: wide.
    #[inline(always)]
    pub(super) fn add(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] + other.0[at]))
    }

    /// Of two products: narrow. Of two that are narrow: wide.
    #[inline(always)]
    pub(super) fn sub(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] - other.0[at]))
    }

    /// Of a product: narrow.
    #[inline(always)]
    pub(super) fn neg(&self) -> Self {
        Self(self.0.map(|limb| -limb))
    }

    /// A product that is equal. Takes limbs within 2^31 - 2^10: carries are within 4, and what goes over 2^255 within
    /// 2^8.
    #[inline(always)]
    pub(super) fn carried(&self) -> Self {
        let mut limbs = self.0;
        let mut carry = 0;
        for limb in &mut limbs[..LIMBS - 1] {
            let sum = *limb + carry;
            *limb = sum & MASK as i32;
            carry = sum >> BITS;
        }
        let sum = limbs[LIMBS - 1] + carry;
        limbs[LIMBS - 1] = sum & TOP_MASK as i32;
        limbs[0] += FOLD as i32 * (sum >> TOP_BITS);
        Self(limbs)
    }

    /// A product. One factor is narrow, the other one wide.
    #[inline(never)]
    pub(super) fn mul(&self, other: &Self) -> Self {
        debug_assert!(self.is_within(WIDE) && other.is_within(WIDE));
        debug_assert!(self.is_within(NARROW) || other.is_within(NARROW));
        let (a, b) = (self.0.map(i64::from), other.0.map(i64::from));
        let mut columns = [0; 2 * LIMBS - 1];
        macro_rules! rows {
            ($($row:literal)*) => {$(
                columns[$row] += a[$row] * b[0];
                columns[$row + 1] += a[$row] * b[1];
                columns[$row + 2] += a[$row] * b[2];
                columns[$row + 3] += a[$row] * b[3];
                columns[$row + 4] += a[$row] * b[4];
                columns[$row + 5] += a[$row] * b[5];
                columns[$row + 6] += a[$row] * b[6];
                columns[$row + 7] += a[$row] * b[7];
                columns[$row + 8] += a[$row] * b[8];
            )*};
        }
        rows!(0 1 2 3 4 5 6 7 8);
        fold(columns)
    }

    /// A product: the square of what is narrow.
    pub(super) fn square(&self) -> Self {
        self.squared(1)
    }

    /// A product: squared so many times. Doubled limbs take the place of the two products that are equal.
    #[inline(never)]
    fn squared(&self, times: u32) -> Self {
        debug_assert!(self.is_within(NARROW));
        let mut result = *self;
        for _ in 0..times {
            let a = result.0.map(i64::from);
            let d = a.map(|limb| 2 * limb);
            result = fold([
                a[0] * a[0],
                d[0] * a[1],
                d[0] * a[2] + a[1] * a[1],
                d[0] * a[3] + d[1] * a[2],
                d[0] * a[4] + d[1] * a[3] + a[2] * a[2],
                d[0] * a[5] + d[1] * a[4] + d[2] * a[3],
                d[0] * a[6] + d[1] * a[5] + d[2] * a[4] + a[3] * a[3],
                d[0] * a[7] + d[1] * a[6] + d[2] * a[5] + d[3] * a[4],
                d[0] * a[8] + d[1] * a[7] + d[2] * a[6] + d[3] * a[5] + a[4] * a[4],
                d[1] * a[8] + d[2] * a[7] + d[3] * a[6] + d[4] * a[5],
                d[2] * a[8] + d[3] * a[7] + d[4] * a[6] + a[5] * a[5],
                d[3] * a[8] + d[4] * a[7] + d[5] * a[6],
                d[4] * a[8] + d[5] * a[7] + a[6] * a[6],
                d[5] * a[8] + d[6] * a[7],
                d[6] * a[8] + a[7] * a[7],
                d[7] * a[8],
                a[8] * a[8],
            ]);
        }
        result
    }

    /// The inverse of what is narrow, a product; zero for zero.
    pub(super) fn invert(&self) -> Self {
        let Self(canonical) = Self::from_bytes(&self.to_bytes());
        Self(inverse::invert(&canonical)).carried()
    }

    /// To the power of (p - 5) / 8 = 2^252 - 3.
    pub(super) fn power_of_roots(&self) -> Self {
        let nine = self.square().squared(2).mul(self);
        let eleven = self.square().mul(&nine);
        let ones_5 = eleven.square().mul(&nine); // to the power of 2^5 - 1, and so on
        let ones_10 = ones_5.squared(5).mul(&ones_5);
        let ones_20 = ones_10.squared(10).mul(&ones_10);
        let ones_40 = ones_20.squared(20).mul(&ones_20);
        let ones_50 = ones_40.squared(10).mul(&ones_10);
        let ones_100 = ones_50.squared(50).mul(&ones_50);
        let ones_200 = ones_100.squared(100).mul(&ones_100);
        ones_200.squared(50).mul(&ones_50).squared(2).mul(self)
    }

    /// Reads 255 bits, little-endian; the last bit is left out. Also what is not less than p is read.
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut limbs = [0; LIMBS];
        let (mut held, mut bits) = (0_u64, 0);
        let mut bytes = bytes.iter();
        for limb in &mut limbs {
            while bits < BITS
                && let Some(byte) = bytes.next()
            {
                held |= u64::from(*byte) << bits;
                bits += 8;
            }
            *limb = (held & MASK as u64) as i32;
            held >>= BITS;
            bits = bits.saturating_sub(BITS);
        }
        limbs[LIMBS - 1] &= TOP_MASK as i32;
        Self(limbs)
    }

    /// The one number below p, little-endian. Takes what is narrow.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        debug_assert!(self.is_within(NARROW));
        // After the first carry the value is within 2^13 of [0, 2^255), after the second in it, and each limb in its range.
        let Self(mut limbs) = self.carried().carried();
        // Whether it is p or more: then 19 more reach 2^255, and taking p away is adding 19 and dropping that bit.
        let over = |carry: i32, limb: &i32| (*limb + carry) >> BITS;
        let carry = limbs[..LIMBS - 1].iter().fold(FOLD as i32, over);
        limbs[0] += FOLD as i32 * ((limbs[LIMBS - 1] + carry) >> TOP_BITS);
        let mut carry = 0;
        let mut bytes = [0; 32];
        let mut out = bytes.iter_mut();
        let (mut held, mut bits) = (0_u64, 0);
        for (at, limb) in limbs.iter().enumerate() {
            let sum = i64::from(*limb) + carry;
            carry = sum >> BITS;
            let kept = sum & if at == LIMBS - 1 { TOP_MASK } else { MASK };
            held |= (kept as u64) << bits;
            bits += BITS;
            while bits >= 8
                && let Some(byte) = out.next()
            {
                *byte = held as u8;
                held >>= 8;
                bits -= 8;
            }
        }
        bytes
    }

    pub(super) fn is_zero(&self) -> bool {
        self.to_bytes() == [0; 32]
    }

    pub(super) fn is_odd(&self) -> bool {
        self.to_bytes()[0] & 1 == 1
    }
}
