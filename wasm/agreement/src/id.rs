//! SHA-256 digests as ids: of terms and of events.

use alloc::string::String;
use sx_core::hash;

/// A digest. Its order is that of its hexadecimal text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id([u8; 32]);

impl Id {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(hash::sha256(bytes))
    }

    /// The digest that 64 lower-case hexadecimal digits stand for.
    pub fn parse(text: &str) -> Option<Self> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(bytes))
    }

    /// 64 lower-case hexadecimal digits.
    pub fn text(&self) -> String {
        let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 15));
        }
        text
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(byte.wrapping_sub(b'a').wrapping_add(10)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let id = Id::of(b"abc");
        assert_eq!(id.text(), hash::sha256_hex(b"abc"));
        assert_eq!(Id::parse(&id.text()), Some(id));
        let upper = id.text().to_uppercase();
        for bad in ["", "ab", &upper, id.text().get(1..).unwrap(), &(id.text() + "0"), &"é".repeat(32)] {
            assert_eq!(Id::parse(bad), None, "{bad}");
        }
    }
}
