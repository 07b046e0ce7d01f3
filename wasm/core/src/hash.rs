//! SHA-256 (FIPS 180-4), written as lower-case hexadecimal.

use alloc::string::String;
use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 digest of `bytes` as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// SHA-256 of bytes that come in pieces.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Takes the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest as 64 lower-case hexadecimal digits.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Whether a text is a SHA-256 digest as it is written here.
pub(crate) fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Lower-case hexadecimal digits of `bytes`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn fips_180_4_sample() {
        assert_eq!(
            super::sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let mut pieces = super::Hasher::default();
        for piece in [&b"a"[..], b"", b"bc"] {
            pieces.add(piece);
        }
        assert_eq!(pieces.finish(), super::sha256_hex(b"abc"));
    }
}
