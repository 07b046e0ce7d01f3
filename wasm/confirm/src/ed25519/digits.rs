//! Scalars below 2^253 as signed digits.

/// The least width of [`fixed`] digits.
const LEAST: u32 = 5;

/// Digits in radix 2^`width`, each within ±2^(`width` - 1), the lowest first; as many as [`count`] says, then zeros. The
/// last one needs no carry: there is room above 2^253.
pub(super) fn fixed(scalar: &[u8; 32], width: u32) -> [i8; count(LEAST)] {
    debug_assert!((LEAST..8).contains(&width));
    let mut digits = [0; count(LEAST)];
    let (mut held, mut bits, mut carry) = (0_u32, 0, 0);
    let mut bytes = scalar.iter();
    for digit in &mut digits {
        while bits < width
            && let Some(byte) = bytes.next()
        {
            held |= u32::from(*byte) << bits;
            bits += 8;
        }
        let value = (held & ((1 << width) - 1)) as i32 + carry;
        held >>= width;
        bits = bits.saturating_sub(width);
        carry = i32::from(value > 1 << (width - 1));
        *digit = (value - (carry << width)) as i8;
    }
    digits
}

/// How many digits of so many bits a scalar has: as many as hold 254 bits.
pub(super) const fn count(width: u32) -> usize {
    254_u32.div_ceil(width) as usize
}

const WINDOW: u32 = 5;
/// Odd multiples that [`sparse`] asks for: 1, 3 … 15.
pub(super) const ODD: usize = 1 << (WINDOW - 2);

/// The non-adjacent form of width 5: 256 digits that are zero or odd, and within ±15; of five in a row one at most is
/// not zero.
pub(super) fn sparse(scalar: &[u8; 32]) -> [i8; 256] {
    let bit = |at: usize| scalar.get(at / 8).map_or(0, |byte| i32::from(byte >> (at % 8) & 1));
    let mut digits = [0; 256];
    let (mut at, mut carry) = (0, 0);
    while at < digits.len() {
        if bit(at) == carry {
            at += 1;
            continue;
        }
        let value = (0..WINDOW as usize).fold(carry, |value, ahead| value + (bit(at + ahead) << ahead));
        carry = i32::from(value >= 1 << (WINDOW - 1));
        digits[at] = (value - (carry << WINDOW)) as i8;
        at += WINDOW as usize;
    }
    digits
}
