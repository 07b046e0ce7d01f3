//! Key records: the private key encrypted anew, in files `<file>.<n>` beside the first one
//! (protocol, section 12).
//!
//! A record names the PEM that it replaces, so that of two changes at once only one is the next,
//! and carries the password where one is saved, so that key and password change in one write.
//! When a later record stands, the secrets are taken out of an earlier one and its place remains.

use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::json::{self, Limits, Object, Value};
use alloc::string::{String, ToString as _};

/// A record is small; this also bounds what a wrong file can cost.
const LIMITS: Limits = Limits { depth: 1, members: 3, bytes: 1024 * 1024 };

/// A private key that was encrypted anew.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// SHA-256 of the PEM text before, in lower-case hexadecimal.
    pub previous: String,
    /// The encrypted key; `None` in a superseded record.
    pub pem: Option<String>,
    /// The password to be saved beside it, if one is saved; `None` in a superseded record.
    pub saved: Option<String>,
}

impl KeyRecord {
    /// The record that follows `previous_pem`.
    pub fn new(previous_pem: &str, pem: &str, saved: Option<&str>) -> Self {
        Self {
            previous: sha256_hex(previous_pem.as_bytes()),
            pem: Some(pem.into()),
            saved: saved.map(Into::into),
        }
    }

    /// Reads a record.
    ///
    /// Errors: `CorruptStore`.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let damaged = || Error::new(Code::CorruptStore, "The key record is damaged.");
        let value = json::parse(text, &LIMITS).map_err(|_| damaged())?;
        let object = value.as_object().filter(|object| object.len() == 3).ok_or_else(damaged)?;
        let text = |name: &str| match object.get(name) {
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(damaged()),
        };
        let (previous, pem, saved) = (text("previous")?, text("pem")?, text("saved")?);
        let previous = previous.filter(|hash| is_sha256_hex(hash)).ok_or_else(damaged)?;
        if pem.is_none() && saved.is_some() {
            return Err(damaged());
        }
        Ok(Self { previous, pem, saved })
    }

    /// The record's text: JSON of `previous`, `pem` and `saved`.
    ///
    /// Errors: `LimitExceeded` for a password or key too long to be read again.
    pub fn write(&self) -> Result<String> {
        let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
        let record = json::write(&Value::Object(Object::from([
            ("previous", self.previous.as_str().into()),
            ("pem", text(&self.pem)),
            ("saved", text(&self.saved)),
        ])));
        if record.len() > LIMITS.bytes {
            return Err(Error::new(Code::LimitExceeded, "The password or the key is too long to be stored."));
        }
        Ok(record)
    }

    /// The record without its secrets.
    pub fn superseded(&self) -> Self {
        Self { previous: self.previous.to_string(), pem: None, saved: None }
    }
}

fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// SHA-256 of `abc` (FIPS 180-4).
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn read(text: &str) -> core::result::Result<KeyRecord, Code> {
        KeyRecord::parse(text.as_bytes()).map_err(|error| error.code)
    }

    #[test]
    fn what_is_written_reads_back() {
        for saved in [None, Some("secret\n\u{1F511}\0")] {
            let record = KeyRecord::new("abc", "PEM\n", saved);
            assert_eq!(record.previous, ABC);
            assert_eq!((record.pem.as_deref(), record.saved.as_deref()), (Some("PEM\n"), saved));
            assert!(read(&record.write().unwrap()) == Ok(record));
        }
        assert_eq!(
            KeyRecord::new("abc", "PEM", Some("secret")).write(),
            Ok(format!(r#"{{"pem":"PEM","previous":"{ABC}","saved":"secret"}}"#))
        );
    }

    #[test]
    fn a_superseded_record_keeps_its_place_and_no_secret() {
        let text = format!(r#"{{"pem":null,"previous":"{ABC}","saved":null}}"#);
        let superseded = KeyRecord::new("abc", "PEM", Some("secret")).superseded();
        assert_eq!(superseded.write().as_deref(), Ok(&*text));
        assert!(read(&text) == Ok(superseded.superseded()));
    }

    #[test]
    fn what_is_no_record_is_damaged() {
        let short = ABC.get(1..).unwrap();
        for bad in [
            String::new(),
            "-----BEGIN ENCRYPTED PRIVATE KEY-----".into(),
            "[]".into(),
            "{}".into(),
            format!(r#"{{"previous":"{ABC}","pem":"x"}}"#),
            format!(r#"{{"previous":"{ABC}","pem":"x","save":null}}"#),
            format!(r#"{{"previous":"{ABC}","pem":"x","saved":null,"more":1}}"#),
            format!(r#"{{"previous":"{ABC}","pem":"x","saved":1}}"#),
            format!(r#"{{"previous":"{ABC}","pem":["x"],"saved":null}}"#),
            format!(r#"{{"previous":"{ABC}","pem":null,"saved":"x"}}"#),
            r#"{"previous":null,"pem":"x","saved":null}"#.into(),
            format!(r#"{{"previous":"{short}","pem":"x","saved":null}}"#),
            format!(r#"{{"previous":"{ABC}0","pem":"x","saved":null}}"#),
            format!(r#"{{"previous":"{short}B","pem":"x","saved":null}}"#),
            format!(r#"{{"previous":"{short}g","pem":"x","saved":null}}"#),
            format!(r#"{{"previous":"{ABC}","pem":"x","saved":null}}x"#),
        ] {
            assert!(read(&bad) == Err(Code::CorruptStore), "{bad}");
        }
        assert!(KeyRecord::parse(b"\xff").is_err());
    }

    #[test]
    fn only_what_can_be_read_again_is_written() {
        let room = LIMITS.bytes - KeyRecord::new("", "", Some("")).write().unwrap().len();
        let longest = KeyRecord::new("", "", Some(&"x".repeat(room)));
        assert_eq!(longest.write().unwrap().len(), 1_048_576);
        assert!(read(&longest.write().unwrap()) == Ok(longest));
        let longer = KeyRecord::new("", "", Some(&"x".repeat(room + 1)));
        assert_eq!(longer.write().map_err(|error| error.code), Err(Code::LimitExceeded));
    }
}
