//! SHA-256 as claims write it: 43 characters of base64url.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::{base64, hash};

/// The digest of a text.
pub(crate) fn of(text: &str) -> String {
    base64::encode_url(&hash::sha256(text.as_bytes()))
}

/// A digest that was written in hexadecimal.
pub(crate) fn of_hex(hex: &str) -> Option<String> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte =
        |[high, low]: &[u8; 2]| u8::try_from(digit(*high)?.checked_mul(16)?.checked_add(digit(*low)?)?).ok();
    let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    (bytes.len() == 32).then(|| base64::encode_url(&bytes))
}

/// Whether a text is `count` bytes in base64url, without padding and without stray bits.
pub(crate) fn is_bytes(text: &str, count: usize) -> bool {
    base64::decode_url(text).is_some_and(|bytes| bytes.len() == count)
}

/// Whether two digests are the same, in a time that does not depend on where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    one.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_same_however_it_was_written() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of_hex(empty), Some(of("")));
        assert!(is_bytes(&of(""), 32));
        for wrong in ["", "e3b0", &empty.replace('e', "g")] {
            assert_eq!(of_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn digests_are_the_same_only_if_every_character_is() {
        assert!(is_same("abc", "abc"));
        for other in ["abd", "ab", "abcd", "", "bbc"] {
            assert!(!is_same("abc", other), "{other}");
        }
    }

    #[test]
    fn r19_stray_bits_padding_and_white_space_are_no_base64url() {
        assert!(is_bytes("AAECAwQFBgcICQoLDA0ODw", 16));
        for wrong in [
            "AAECAwQFBgcICQoLDA0ODx",
            "AAECAwQFBgcICQoLDA0ODw==",
            "AAECAwQFBgcICQoLDA0OD ",
            "AAECAwQFBgcICQoLDA0O/w",
        ] {
            assert!(!is_bytes(wrong, 16), "{wrong}");
        }
    }
}
