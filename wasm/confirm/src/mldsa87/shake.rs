//! SHAKE128 and SHAKE256 (FIPS 202) over the permutation of the crate `keccak`.
#![expect(clippy::arithmetic_side_effects, reason = "positions in a block of at most 168 bytes")]

use ::keccak::f1600;

pub(super) type State = [u64; 25];

/// Bytes that are taken in or given out between two permutations.
pub(super) const RATE_128: usize = 168;
pub(super) const RATE_256: usize = 136;

/// What follows the last bit of the input: 1111 says SHAKE, and one bit begins the padding.
pub(super) const SUFFIX: u64 = 0x1f;
/// The bit that ends the padding, in the last word of a block.
pub(super) const END: u64 = 1 << 63;

/// SHAKE256 of `parts`, one after the other, before the first permutation that gives bytes.
pub(super) fn absorb_256(parts: &[&[u8]]) -> State {
    let mut state = [0; 25];
    let mut at = 0; // below RATE_256
    for part in parts {
        let mut rest = *part;
        if at > 0 {
            let (head, tail) = rest.split_at(rest.len().min(RATE_256 - at));
            add_bytes(&mut state, at, head);
            at += head.len();
            rest = tail;
        }
        if at == RATE_256 {
            f1600(&mut state);
            at = 0;
        }
        if at == 0 {
            let (blocks, tail) = rest.as_chunks::<RATE_256>();
            for block in blocks {
                for (word, bytes) in state.iter_mut().zip(block.as_chunks().0) {
                    *word ^= u64::from_le_bytes(*bytes);
                }
                f1600(&mut state);
            }
            add_bytes(&mut state, 0, tail);
            at = tail.len();
        }
    }
    if let Some(word) = state.get_mut(at / 8) {
        *word ^= SUFFIX << (8 * (at % 8));
    }
    state[RATE_256 / 8 - 1] ^= END;
    state
}

fn add_bytes(state: &mut State, at: usize, bytes: &[u8]) {
    for (at, byte) in (at..).zip(bytes) {
        if let Some(word) = state.get_mut(at / 8) {
            *word ^= u64::from(*byte) << (8 * (at % 8));
        }
    }
}

/// The first 64 bytes of SHAKE256 of `parts`.
pub(super) fn hash(parts: &[&[u8]]) -> [u8; 64] {
    let mut state = absorb_256(parts);
    f1600(&mut state);
    let mut hash = [0; 64];
    for (bytes, word) in hash.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    hash
}
