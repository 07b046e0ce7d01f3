//! The permutation Keccak-f[1600] (FIPS 202 section 3) of two states at once, which SIMD does nearly as fast as one.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "places in arrays of fixed length"
)]

pub(super) use lanes::Pair;
pub(super) type Pairs = [Pair; 25];

/// A word of either state.
#[cfg(target_arch = "wasm32")]
mod lanes {
    use core::arch::wasm32::{
        i64x2_shl, u64x2, u64x2_extract_lane, u64x2_shr, v128, v128_andnot, v128_or, v128_xor,
    };

    #[derive(Clone, Copy)]
    pub struct Pair(v128);

    impl Pair {
        #[inline(always)]
        pub fn new(words: [u64; 2]) -> Self {
            Self(u64x2(words[0], words[1]))
        }

        #[inline(always)]
        pub fn words(self) -> [u64; 2] {
            [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]
        }

        #[inline(always)]
        pub fn xor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        /// What is in this one and not in the other one.
        #[inline(always)]
        pub fn without(self, other: Self) -> Self {
            Self(v128_andnot(self.0, other.0))
        }

        #[inline(always)]
        pub fn rotated(self, by: u32) -> Self {
            Self(v128_or(i64x2_shl(self.0, by), u64x2_shr(self.0, 64 - by)))
        }
    }
}

/// A word of either state.
#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    #[derive(Clone, Copy)]
    pub struct Pair([u64; 2]);

    impl Pair {
        pub fn new(words: [u64; 2]) -> Self {
            Self(words)
        }

        pub fn words(self) -> [u64; 2] {
            self.0
        }

        pub fn xor(self, other: Self) -> Self {
            Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
        }

        /// What is in this one and not in the other one.
        pub fn without(self, other: Self) -> Self {
            Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
        }

        pub fn rotated(self, by: u32) -> Self {
            Self(self.0.map(|word| word.rotate_left(by)))
        }
    }
}

/// What step iota adds in each round.
const ROUNDS: [u64; 24] = round_constants();

/// The places through which step pi leads from the second word on, back to it, and how far step rho rotates on the way.
const STEPS: [(usize, u32); 24] = steps();

/// FIPS 202 section 3.2.5: bit 2^j - 1 of round i is rc(j + 7i).
const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut register = 1_u8;
    let mut at = 0;
    while at < 7 * 24 {
        if register & 1 == 1 {
            constants[at / 7] |= 1 << ((1 << (at % 7)) - 1);
        }
        register = (register << 1) ^ (if register >> 7 == 1 { 0x71 } else { 0 });
        at += 1;
    }
    constants
}

/// FIPS 202 sections 3.2.2 and 3.2.3.
const fn steps() -> [(usize, u32); 24] {
    let mut steps = [(0, 0); 24];
    let (mut x, mut y, mut turn, mut at) = (1, 0, 0, 0);
    while at < 24 {
        (x, y) = (y, (2 * x + 3 * y) % 5);
        turn += at as u32 + 1;
        steps[at] = (x + 5 * y, turn % 64);
        at += 1;
    }
    steps
}

/// Does something for every number, each time anew: only places that are constants are no memory.
macro_rules! unrolled {
    ($name:ident in $($number:literal)*: $work:expr) => {
        $({
            const $name: usize = $number;
            $work
        })*
    };
}

/// Permutes both states.
#[expect(unused_assignments, reason = "the word that is held last is the one that was held first")]
pub(super) fn f1600(states: &mut Pairs) {
    let mut s = *states;
    for constant in ROUNDS {
        let mut columns = [s[0], s[1], s[2], s[3], s[4]];
        unrolled!(X in 0 1 2 3 4: {
            columns[X] = columns[X].xor(s[X + 5]).xor(s[X + 10]).xor(s[X + 15]).xor(s[X + 20]);
        });
        unrolled!(X in 0 1 2 3 4: {
            let added = columns[(X + 4) % 5].xor(columns[(X + 1) % 5].rotated(1));
            unrolled!(Y in 0 1 2 3 4: s[5 * Y + X] = s[5 * Y + X].xor(added));
        });
        let mut held = s[1];
        unrolled!(AT in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23: {
            const STEP: (usize, u32) = STEPS[AT];
            (s[STEP.0], held) = (held.rotated(STEP.1), s[STEP.0]);
        });
        unrolled!(Y in 0 1 2 3 4: {
            let row = [s[5 * Y], s[5 * Y + 1], s[5 * Y + 2], s[5 * Y + 3], s[5 * Y + 4]];
            unrolled!(X in 0 1 2 3 4: {
                s[5 * Y + X] = row[X].xor(row[(X + 2) % 5].without(row[(X + 1) % 5]));
            });
        });
        s[0] = s[0].xor(Pair::new([constant; 2]));
    }
    *states = s;
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::array::from_fn;

    #[test]
    fn both_states_are_permuted_as_by_the_crate() {
        let mut pairs: Pairs = from_fn(|at| Pair::new([at as u64, !(at as u64) << 7]));
        let mut states: [[u64; 25]; 2] = from_fn(|lane| pairs.map(|pair| pair.words()[lane]));
        for _ in 0..1000 {
            f1600(&mut pairs);
            states.iter_mut().for_each(keccak::f1600);
            for (lane, state) in states.iter().enumerate() {
                assert_eq!(pairs.map(|pair| pair.words()[lane]), *state);
            }
        }
    }
}
