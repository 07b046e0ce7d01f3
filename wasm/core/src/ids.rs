//! Identifiers: UUIDs (RFC 9562) of agents, documents and versions, and document keys.

use crate::error::{Code, Error, Result};
use crate::json;
use alloc::format;
use alloc::string::String;

/// Whether `text` is a UUID of version 4 or 7, variant 10, in lower case with hyphens.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            14 => matches!(b, b'4' | b'7'),
            19 => matches!(b, b'8' | b'9' | b'a' | b'b'),
            _ => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// `text` if it is a valid identifier of an agent, a document or a version.
///
/// Errors: `InvalidId`. The message never repeats the input, which may be hostile.
pub fn check_uuid(text: &str) -> Result<&str> {
    if is_uuid(text) { Ok(text) } else { Err(Code::InvalidId.into()) }
}

/// A version 4 UUID of 16 random bytes.
pub fn uuid_v4(random: [u8; 16]) -> String {
    let n = u128::from_be_bytes(random) & !(0xf << 76) & !(0b11 << 62) | (4 << 76) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        n >> 96,
        n >> 80 & 0xffff,
        n >> 64 & 0xffff,
        n >> 48 & 0xffff,
        n & 0xffff_ffff_ffff
    )
}

/// A document's id, with or without one of its versions: `id` or `id:version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentKey {
    /// The document (`sxId`).
    pub id: String,
    /// The version (`sxVersion`); `None` means the latest one.
    pub version: Option<String>,
}

impl DocumentKey {
    /// Reads `id` or `id:version`.
    ///
    /// Errors: `InvalidId`.
    pub fn parse(text: &str) -> Result<Self> {
        let (id, version) = match text.split_once(':') {
            Some((id, version)) => (id, Some(check_uuid(version)?.into())),
            None => (text, None),
        };
        Ok(Self { id: check_uuid(id)?.into(), version })
    }

    /// `{id, version}`, as JSON.
    pub fn to_json(&self) -> String {
        json::texts(&[("id", Some(&self.id)), ("version", self.version.as_deref())])
    }

    /// Reads `id:version`.
    ///
    /// Errors: `InvalidId`.
    pub fn parse_exact(text: &str) -> Result<(String, String)> {
        match Self::parse(text)? {
            Self { id, version: Some(version) } => Ok((id, version)),
            _ => Err(Error::new(Code::InvalidId, "The document key has no version.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

    #[test]
    fn versions_and_variants() {
        assert!(is_uuid(ID));
        assert!(is_uuid("01890a5d-ac96-774b-bcce-b302099a8057"));
        assert!(is_uuid(&uuid_v4([0; 16])) && is_uuid(&uuid_v4([255; 16])));
        assert_eq!(uuid_v4([0; 16]), "00000000-0000-4000-8000-000000000000");
        for bad in [
            "",
            "6fa459ea-ee8a-3ca4-894e-db77e160355e",
            "6fa459ea-ee8a-4ca4-c94e-db77e160355e",
            "6FA459EA-EE8A-4CA4-894E-DB77E160355E",
            "6fa459eaee8a4ca4894edb77e160355e",
            "{6fa459ea-ee8a-4ca4-894e-db77e160355e}",
        ] {
            assert!(!is_uuid(bad), "{bad}");
        }
    }

    #[test]
    fn t28_hostile_names_are_no_ids() {
        let long = "a".repeat(300);
        let traversal = format!("{ID}:../v");
        for bad in
            ["../x", "..%2f", "a/b", "C:\\x", "con", "\0", &long, &traversal, ":", "", ID.get(1..).unwrap()]
        {
            assert_eq!(DocumentKey::parse(bad).map_err(|e| e.code), Err(Code::InvalidId), "{bad:?}");
        }
        assert!(DocumentKey::parse(ID).is_ok_and(|k| k.version.is_none()));
        assert!(DocumentKey::parse_exact(ID).is_err());
        assert!(DocumentKey::parse_exact(&format!("{ID}:{ID}")).is_ok());
    }

    #[test]
    fn a_document_key_is_handed_out_with_its_version() {
        let json = |text: &str| DocumentKey::parse(text).unwrap().to_json();
        assert_eq!(json(ID), format!(r#"{{"id":"{ID}","version":null}}"#));
        assert_eq!(json(&format!("{ID}:{ID}")), format!(r#"{{"id":"{ID}","version":"{ID}"}}"#));
    }
}
