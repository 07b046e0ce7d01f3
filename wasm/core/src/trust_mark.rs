//! The mark in the trust store that trust in an agent was taken back (protocol, section 11).

use crate::base64;
use crate::entropy::Entropy;
use alloc::format;
use alloc::string::String;

const BEGIN: &[u8] = br#"{"sxTrustRemoved":""#;
const END: &[u8] = br#""}"#;
/// Bytes of the nonce.
const NONCE_LEN: usize = 16;

/// What takes the place of an earlier decision that is lost, so that its chain has no gap: the tombstone of a nonce
/// that nobody draws.
pub const LOST: &str = r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA"}"#;

/// A tombstone. Its nonce makes it one's own: who finds another tombstone at the number it was
/// meant for knows that somebody else was faster.
pub fn make(entropy: &Entropy) -> String {
    format!(r#"{{"sxTrustRemoved":"{}"}}"#, base64::encode_url(&entropy.draw16("nonce")))
}

/// Whether this is a tombstone, byte for byte as [`make`] makes it.
pub fn is_mark(text: &[u8]) -> bool {
    let nonce = text.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    let nonce = nonce.and_then(|nonce| base64::decode_url(core::str::from_utf8(nonce).ok()?));
    nonce.is_some_and(|nonce| nonce.len() == NONCE_LEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_unique_and_known() {
        let one = make(&Entropy::new((0..32).collect()).unwrap());
        let other = make(&Entropy::new((1..33).collect()).unwrap());
        assert_ne!(one, other);
        assert!(is_mark(one.as_bytes()) && is_mark(other.as_bytes()));
        assert!(crate::json::parse(one.as_bytes(), &Default::default()).is_ok());
    }

    #[test]
    fn nothing_else_is_a_mark() {
        assert!(is_mark(LOST.as_bytes()));
        for bad in [
            "",
            "{}",
            r#"{"sxTrustRemoved":""}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAA"}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAA"}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAAA"}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAB"}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA=="}"#,
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAA+"}"#,
            r#"{ "sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
            "{\"sxTrustRemoved\":\"AAAAAAAAAAAAAAAAAAAAAA\"}\n",
            r#"{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA","sxId":""}"#,
            r#"{"sxTrustAdded":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
        ] {
            assert!(!is_mark(bad.as_bytes()), "{bad}");
        }
        assert!(!is_mark(b"{\"sxTrustRemoved\":\"AAAAAAAAAAAAAAAAAAAAA\xff\"}"));
    }
}
