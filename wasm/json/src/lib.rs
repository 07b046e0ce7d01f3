//! Strict JSON: one reader and one writer (RFC 8785) for everything that is signed.
//!
//! Two parties that read the same signed bytes must see the same values, so the reader refuses
//! every text that readers in the field disagree about (protocol section 1), and the writer
//! has exactly one text for a value. What the reader accepts, the writer writes in a form that
//! reads back as the same value and writes as the same text. Beside it stand the other forms that a text has on its way:
//! all that goes through every byte is compiled for speed here.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod base64;
mod canonical;
mod error;
mod number;
mod reader;
pub mod utf16;
mod value;
mod writer;

pub use canonical::{Place, places};
pub use error::{Error, Kind, Result};
pub use number::whole as write_whole;
pub use reader::{Limits, MAX_DEPTH, Shown, parse, parse_showing};
pub use value::{Object, Value, order as compare_names, sort as sort_members};
pub use writer::{Members, string as write_string_into, write, write_into, write_member};

/// Length of the run at the start of `bytes` that stands for itself in a JSON string, raw and
/// escaped alike: no quote, no backslash, no control character (RFC 8259 section 7, RFC 8785
/// section 3.2.2.2).
///
/// Eight bytes at a time. In each mask the lowest flag is exact (a borrow only spoils those
/// above a true one), and the lowest of the three is all that is asked for.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES << 7;
    const QUOTES: u64 = ONES * b'"' as u64;
    const BACKSLASHES: u64 = ONES * b'\\' as u64;
    const SPACES: u64 = ONES * b' ' as u64;
    let zero_byte = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut run = 0_usize;
    let (words, tail) = bytes.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quote = zero_byte(word ^ QUOTES);
        let backslash = zero_byte(word ^ BACKSLASHES);
        let control = word.wrapping_sub(SPACES) & !word & HIGH;
        let special = quote | backslash | control;
        if special != 0 {
            return run.saturating_add((special.trailing_zeros() >> 3) as usize);
        }
        run = run.saturating_add(8);
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    run.saturating_add(tail.iter().take_while(plain).count())
}

#[cfg(test)]
mod tests {
    use super::plain_run;
    use std::vec::Vec;

    #[test]
    fn a_plain_run_ends_at_the_first_special_byte_wherever_it_stands() {
        for special in 0..=255_u8 {
            let ends = special < 0x20 || special == b'"' || special == b'\\';
            for length in 0..20 {
                for at in 0..length {
                    let mut bytes: Vec<u8> = (0..length).map(|i| [b'!', 0x7F, 0x80, 0xFF][i % 4]).collect();
                    bytes[at] = special;
                    assert_eq!(plain_run(&bytes), if ends { at } else { length }, "{special} at {at}");
                }
            }
        }
    }
}
