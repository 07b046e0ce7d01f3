//! Texts as JavaScript holds them, in code units of UTF-16: some runtimes copy these faster than they encode them.

use alloc::{vec, vec::Vec};

/// The text in UTF-8, always well-formed: half a surrogate pair becomes U+FFFD, as `TextEncoder` has it (Encoding
/// Standard 8.2).
#[must_use]
#[inline(never)] // within a caller that is compiled for size it would take many times as long
pub fn to_utf8(units: &[u16]) -> Vec<u8> {
    // Half a pair takes more than half of the room of a pair, so that it may come too short.
    let most = units.len().saturating_mul(3);
    encode(units, utf8_len(units)).or_else(|| encode(units, most)).unwrap_or_default()
}

/// The text in UTF-8, if it takes no more room.
fn encode(units: &[u16], most: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; most];
    let (mut rest, mut room) = (units, bytes.as_mut_slice());
    while !rest.is_empty() {
        rest = ascii(rest, &mut room)?;
        rest = others(rest, &mut room)?;
    }
    let unused = room.len();
    bytes.truncate(most.saturating_sub(unused));
    Some(bytes)
}

/// Units that are looked at together, as two words: the module is built without vectorisation of loops.
const BLOCK: usize = 8;

/// Units from `LANES` times the first on, where none is carried into the next.
const LANES: u64 = 0x0001_0001_0001_0001;

#[inline(always)]
fn words([a, b, c, d, e, f, g, h]: &[u16; BLOCK]) -> [u64; 2] {
    let word = |a, b, c, d| u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48;
    [word(*a, *b, *c, *d), word(*e, *f, *g, *h)]
}

#[inline(always)]
fn is_ascii([low, high]: [u64; 2]) -> bool {
    (low | high) & (0xff80 * LANES) == 0
}

/// Writes the ASCII that `units` begin with, in whole blocks, and gives the rest.
#[inline(always)]
fn ascii<'a>(units: &'a [u16], room: &mut &mut [u8]) -> Option<&'a [u16]> {
    let narrow = |word: u64| {
        let pairs = (word | word >> 8) & 0x0000_ffff_0000_ffff;
        (pairs | pairs >> 16) & 0xffff_ffff
    };
    let blocks = units.as_chunks::<BLOCK>().0.iter().map(words);
    let to = room.as_chunks_mut::<BLOCK>().0.iter_mut();
    let run = blocks.zip(to).take_while(|(block, _)| is_ascii(*block));
    let write = |([low, high], to): ([u64; 2], &mut [u8; BLOCK])| {
        *to = (narrow(low) | narrow(high) << 32).to_le_bytes();
    };
    let written = run.map(write).count().saturating_mul(BLOCK);
    room.split_off_mut(..written)?;
    units.get(written..)
}

/// Writes what comes before the next block that may be ASCII, and gives the rest.
#[inline(always)]
fn others<'a>(units: &'a [u16], room: &mut &mut [u8]) -> Option<&'a [u16]> {
    let mut rest = units;
    let mut ascii_may_follow = false;
    while let Some((unit, behind)) = rest.split_first() {
        rest = behind;
        match u32::from(*unit) {
            ascii @ 0..0x80 => {
                put(room, [ascii])?;
                if ascii_may_follow && rest.len() >= BLOCK {
                    return Some(rest);
                }
                continue;
            }
            two @ 0x80..0x800 => put(room, [0xc0 | two >> 6, last(two)])?,
            three if !is_surrogate(*unit) => put(room, [0xe0 | three >> 12, last(three >> 6), last(three)])?,
            _ => match pair(*unit, rest) {
                Some(four) => {
                    rest = rest.get(1..)?;
                    put(room, [0xf0 | four >> 18, last(four >> 12), last(four >> 6), last(four)])?;
                }
                None => put(room, REPLACEMENT)?,
            },
        }
        ascii_may_follow = true;
    }
    Some(rest)
}

/// U+FFFD.
const REPLACEMENT: [u32; 3] = [0xef, 0xbf, 0xbd];

/// The byte that holds the last six bits of a character behind its first byte.
const fn last(bits: u32) -> u32 {
    0x80 | bits & 0x3f
}

#[inline(always)]
fn put<const N: usize>(room: &mut &mut [u8], bytes: [u32; N]) -> Option<()> {
    room.split_off_mut(..N)?.copy_from_slice(&bytes.map(|byte| byte as u8));
    Some(())
}

/// The character of a pair.
#[inline(always)]
fn pair(high: u16, behind: &[u16]) -> Option<u32> {
    let low = *behind.first()?;
    let is_pair = high & 0xfc00 == 0xd800 && low & 0xfc00 == 0xdc00;
    is_pair.then(|| (0x40 + u32::from(high & 0x3ff)) << 10 | u32::from(low & 0x3ff))
}

fn is_surrogate(unit: u16) -> bool {
    unit & 0xf800 == 0xd800
}

/// How many bytes the text has in UTF-8, if all surrogate pairs are whole.
fn utf8_len(units: &[u16]) -> usize {
    let more = |unit: &u16| match *unit {
        0..0x80 => 0,
        0x80..0x800 | 0xd800..0xe000 => 1,
        _ => 2,
    };
    let (blocks, last) = units.as_chunks::<BLOCK>();
    let others = blocks.iter().filter(|block| !is_ascii(words(block)));
    units.len().saturating_add(others.flatten().chain(last).map(more).sum::<usize>())
}

/// Whether all surrogate pairs are whole: `String.prototype.isWellFormed` (ECMA-262).
#[must_use]
#[inline(never)] // as above
pub fn is_well_formed(units: &[u16]) -> bool {
    let (blocks, last) = units.as_chunks::<BLOCK>();
    // In a lane that is zero, and perhaps in those above it, one less sets the highest bit.
    let zero_lane = |word: u64| word.wrapping_sub(LANES) & !word & (0x8000 * LANES);
    let surrogate = |word: u64| zero_lane(word & (0xf800 * LANES) ^ (0xd800 * LANES));
    let [low, high] = blocks.iter().fold([0, 0], |[low, high], block| {
        let words = words(block).map(surrogate);
        [low | words[0], high | words[1]]
    });
    if low | high == 0 && !last.iter().any(|unit| is_surrogate(*unit)) {
        return true;
    }
    let mut rest = units;
    while let Some((unit, behind)) = rest.split_first() {
        rest = match is_surrogate(*unit) {
            true if pair(*unit, behind).is_none() => return false,
            true => behind.get(1..).unwrap_or_default(),
            false => behind,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, is_well_formed, to_utf8};
    use std::string::String;
    use std::vec::Vec;

    /// What the standard library makes of units.
    fn expected(units: &[u16]) -> (String, bool) {
        let characters: Vec<_> = char::decode_utf16(units.iter().copied()).collect();
        let text =
            characters.iter().map(|found| found.clone().unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        (text, characters.iter().all(Result::is_ok))
    }

    fn check(units: &[u16]) {
        let (text, is_whole) = expected(units);
        let bytes = to_utf8(units);
        assert!(bytes == text.as_bytes(), "{units:x?}: {bytes:x?}");
        assert_eq!(is_well_formed(units), is_whole, "{units:x?}");
        assert!(!is_whole || bytes.len() == bytes.capacity(), "{units:x?}");
    }

    /// Of every length in bytes the least and the greatest, and those around the surrogates.
    const EDGES: [u16; 14] = [
        0x00, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xffff,
    ];

    #[test]
    fn every_unit_stands_everywhere_in_a_block() {
        for unit in 0..=u16::MAX {
            for at in 0..=BLOCK {
                let mut units = [u16::from(b'a'); 3 * BLOCK];
                units[at] = unit;
                check(&units[..at + 1]);
                check(&units);
            }
        }
    }

    #[test]
    fn every_character_is_written() {
        for character in char::MIN..=char::MAX {
            let mut units = [0; 2];
            check(character.encode_utf16(&mut units));
        }
    }

    #[test]
    fn all_short_sequences_of_edges() {
        for length in 0..=4 {
            for mut which in 0..EDGES.len().pow(length) {
                let mut units = Vec::new();
                for _ in 0..length {
                    units.push(EDGES[which % EDGES.len()]);
                    which /= EDGES.len();
                }
                check(&units);
                // With blocks of ASCII around them.
                let ascii = [u16::from(b'z'); BLOCK + 1];
                check(&[&ascii[..], &units, &ascii].concat());
            }
        }
    }

    #[test]
    fn long_sequences_of_edges() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        for length in [31, 1000, (1 << 14) - 1, 1 << 14, (1 << 15) + 5] {
            for ascii in [0, 3, 40] {
                let mut next = || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let choice = (state >> 33) as usize % (EDGES.len() + ascii);
                    EDGES.get(choice).copied().unwrap_or(u16::from(b'x'))
                };
                let units: Vec<u16> = (0..length).map(|_| next()).collect();
                check(&units);
                check(&units.into_iter().filter(|unit| unit & 0xf800 != 0xd800).collect::<Vec<_>>());
            }
        }
    }
}
