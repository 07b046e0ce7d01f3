//! Base64 (RFC 4648) of public data: plain for signatures, URL-safe without padding for
//! thumbprints and nonces. Only the canonical text of some bytes decodes.

use alloc::string::String;
use alloc::vec::Vec;
use data_encoding::{BASE64, BASE64URL_NOPAD};

/// Plain base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// The bytes of plain base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    // The crate takes a chain of padded texts for one; that would be a second text for these bytes.
    let unpadded = text.trim_end_matches('=');
    if unpadded.contains('=') {
        return None;
    }
    BASE64.decode(text.as_bytes()).ok()
}

/// The `len` bytes of plain base64. A text of another length is not looked at.
pub fn decode_len(text: &str, len: usize) -> Option<Vec<u8>> {
    if text.len() != BASE64.encode_len(len) {
        return None;
    }
    decode(text).filter(|bytes| bytes.len() == len)
}

/// Base64url without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// The bytes of base64url without padding.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(decode_len(&encode(&bytes), len.wrapping_sub(1) % 300), None);
            assert_eq!(decode_url(&encode_url(&bytes)).as_ref(), Some(&bytes));
        }
    }
}
