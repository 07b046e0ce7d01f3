//! Base64 (RFC 4648) of public data: plain for signatures, URL-safe without padding for
//! thumbprints and nonces. Only the canonical text of some bytes decodes.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const PLAIN: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What stands for a byte that is no character of the alphabet.
const NONE: u8 = 0x80;
static PLAIN_VALUES: [u8; 256] = values(PLAIN);
static URL_VALUES: [u8; 256] = values(URL);

/// The value of each byte.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs in the compiler")]
const fn values(alphabet: &[u8; 64]) -> [u8; 256] {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[alphabet[value as usize] as usize] = value;
        value += 1;
    }
    values
}

/// Plain base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = encode_in(PLAIN, bytes);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// The bytes of plain base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let unpadded = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len().abs_diff(unpadded.len()) > 2 {
        return None;
    }
    decode_in(&PLAIN_VALUES, unpadded)
}

/// The `len` bytes of plain base64. A text of another length is not looked at.
pub fn decode_len(text: &str, len: usize) -> Option<Vec<u8>> {
    if Some(text.len()) != len.div_ceil(3).checked_mul(4) {
        return None;
    }
    decode(text).filter(|bytes| bytes.len() == len)
}

/// Base64url without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    encode_in(URL, bytes)
}

/// The bytes of base64url without padding.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    decode_in(&URL_VALUES, text)
}

fn encode_in(alphabet: &[u8; 64], bytes: &[u8]) -> String {
    let characters = |[a, b, c]: [u8; 3]| {
        let word = u32::from_be_bytes([0, a, b, c]);
        let character = |at: u32| alphabet.get((word >> at & 63) as usize).copied().unwrap_or_default();
        [character(18), character(12), character(6), character(0)]
    };
    let (groups, rest) = bytes.as_chunks::<3>();
    let mut text = vec![0; groups.len().saturating_mul(4)];
    for (to, group) in text.as_chunks_mut().0.iter_mut().zip(groups) {
        *to = characters(*group);
    }
    match rest {
        [a] => text.extend(characters([*a, 0, 0]).into_iter().take(2)),
        [a, b] => text.extend(characters([*a, *b, 0]).into_iter().take(3)),
        _ => {}
    }
    String::from_utf8(text).unwrap_or_default() // it is ASCII
}

fn decode_in(values: &[u8; 256], text: &str) -> Option<Vec<u8>> {
    let value = |byte: u8| values.get(usize::from(byte)).copied().unwrap_or(NONE);
    // The bytes, and whether one of the characters has no value.
    let bytes_of = |[a, b, c, d]: [u8; 4]| {
        let [a, b, c, d] = [value(a), value(b), value(c), value(d)];
        let word = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
        let [_, x, y, z] = word.to_be_bytes();
        ([x, y, z], (a | b | c | d) & NONE != 0)
    };
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    let mut bytes = vec![0; groups.len().saturating_mul(3)];
    let mut is_bad = false;
    for (to, group) in bytes.as_chunks_mut().0.iter_mut().zip(groups) {
        let (three, is_bad_here) = bytes_of(*group);
        *to = three;
        is_bad |= is_bad_here;
    }
    // The bits that belong to no byte are zero, as in `A`; else these bytes would have a second text.
    let last = match rest {
        [] => None,
        [a, b] => Some((bytes_of([*a, *b, b'A', b'A']), 1)),
        [a, b, c] => Some((bytes_of([*a, *b, *c, b'A']), 2)),
        _ => return None,
    };
    if let Some(((three, is_bad_here), len)) = last {
        is_bad |= is_bad_here || three.iter().skip(len).any(|byte| *byte != 0);
        bytes.extend(three.into_iter().take(len));
    }
    (!is_bad).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::{BASE64, BASE64URL_NOPAD};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bytes_have_the_text_that_another_crate_gives(bytes: Vec<u8>) {
            prop_assert_eq!(encode(&bytes), BASE64.encode(&bytes));
            prop_assert_eq!(encode_url(&bytes), BASE64URL_NOPAD.encode(&bytes));
        }

        #[test]
        fn a_text_has_the_bytes_that_another_crate_gives(text in "[ABg+/_=\\-\u{0}é]{0,9}") {
            // That crate takes a chain of padded texts for one.
            let is_chain = text.trim_end_matches('=').contains('=');
            prop_assert_eq!(decode(&text), BASE64.decode(text.as_bytes()).ok().filter(|_| !is_chain));
            prop_assert_eq!(decode_url(&text), BASE64URL_NOPAD.decode(text.as_bytes()).ok());
        }
    }

    #[test]
    fn only_one_text_decodes_to_some_bytes() {
        assert_eq!(decode("AAE="), Some(alloc::vec![0, 1]));
        for bad in ["AAE", "AAF=", "AA==AQ==", "AAE=\n", " AAE=", "AAE==", "A-E=", "AAE=AAE=", "=", "===="] {
            assert_eq!(decode(bad), None, "{bad:?}");
        }
        assert_eq!(decode_url("-_8"), Some(alloc::vec![0xfb, 0xff]));
        for bad in ["-_8=", "-_9", "+/8", "-_8 ", "A"] {
            assert_eq!(decode_url(bad), None, "{bad:?}");
        }
        for len in 0..200u8 {
            let bytes: Vec<u8> = (0..len).collect();
            assert_eq!(decode(&encode(&bytes)).as_ref(), Some(&bytes));
            let len = bytes.len();
            assert_eq!(decode_len(&encode(&bytes), len).as_ref(), Some(&bytes));
            assert_eq!(decode_len(&encode(&bytes), len + 1), None);
            assert_eq!(decode_len(&encode(&bytes), usize::MAX - len), None);
            assert_eq!(decode_len(&encode(&bytes), len.wrapping_sub(1) % 300), None);
            assert_eq!(decode_url(&encode_url(&bytes)).as_ref(), Some(&bytes));
        }
    }
}
