//! Key records: the private key encrypted anew, in files `<file>.<n>` beside the first one
//! (protocol, section 12).
//!
//! A record names the PEM that it replaces, so that of two changes at once only one is the next,
//! and carries the password where one is saved, so that key and password change in one write.
//! When a later record stands, the secrets are taken out of an earlier one and its place remains.
//!
//! Before an agent document names another key, a record holds that one too (`next`), so that no crash
//! in between can lose the key that counts, and no change of the password can leave it behind.
//!
//! In place of a key that is with an external signer stands the empty text.

use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::json::{self, Limits, Object, Value};
use crate::layout;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// A record is small; this also bounds what a wrong file can cost.
const LIMITS: Limits = Limits { depth: 3, members: 10_000, bytes: 1024 * 1024 };

/// A private key that was encrypted anew.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// SHA-256 of the PEM text before, in lower-case hexadecimal.
    pub previous: String,
    /// The encrypted key; `None` in a superseded record.
    pub pem: Option<String>,
    /// The password to be saved beside it, if one is saved; `None` in a superseded record.
    pub saved: Option<String>,
    /// Keys that are to follow, each encrypted by the same password.
    pub next: Vec<NextKey>,
}

/// A private key that counts as soon as the agent document names it.
#[derive(Clone, PartialEq, Eq)]
pub struct NextKey {
    /// Its key id.
    pub key_id: String,
    /// The number that the version of the agent document with this key is to get.
    pub number: u64,
    /// The encrypted key.
    pub pem: String,
}

impl NextKey {
    const MEMBERS: usize = 3;

    /// Reads a list of keys that are to follow.
    fn list(value: &Value) -> Option<Vec<Self>> {
        value.as_array()?.iter().map(Self::of).collect()
    }

    fn of(value: &Value) -> Option<Self> {
        let key = value.as_object().filter(|key| key.len() == Self::MEMBERS)?;
        let text = |name: &str| key.get(name)?.as_str().map(String::from);
        let number = key.get("number").and_then(Value::as_f64)?;
        let number = layout::check_number(number, 2).ok()?;
        Some(Self { key_id: text("keyId")?, number, pem: text("pem")? })
    }

    fn value(&self) -> Value {
        Value::Object(Object::from([
            ("keyId", self.key_id.as_str().into()),
            ("number", Value::Number(self.number as f64)),
            ("pem", self.pem.as_str().into()),
        ]))
    }
}

impl KeyRecord {
    /// The record that follows `previous_pem`. `next` is a JSON list of the keys that are to follow.
    ///
    /// Errors: `CorruptStore` for what is no such list.
    pub fn new(previous_pem: &str, pem: &str, saved: Option<&str>, next: &str) -> Result<Self> {
        let next = json::parse(next.as_bytes(), &LIMITS).ok().as_ref().and_then(NextKey::list);
        Ok(Self {
            previous: sha256_hex(previous_pem.as_bytes()),
            pem: Some(pem.into()),
            saved: saved.map(Into::into),
            next: next.ok_or_else(damaged)?,
        })
    }

    /// Reads a record.
    ///
    /// Errors: `CorruptStore`.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let value = json::parse(text, &LIMITS).map_err(|_| damaged())?;
        let object = value.as_object().ok_or_else(damaged)?;
        let next = match object.get("next") {
            None => Vec::new(),
            Some(value) => NextKey::list(value).filter(|next| !next.is_empty()).ok_or_else(damaged)?,
        };
        if object.len() != if next.is_empty() { 3 } else { 4 } {
            return Err(damaged());
        }
        let text = |name: &str| match object.get(name) {
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(damaged()),
        };
        let (previous, pem, saved) = (text("previous")?, text("pem")?, text("saved")?);
        let previous = previous.filter(|hash| is_sha256_hex(hash)).ok_or_else(damaged)?;
        if pem.is_none() && (saved.is_some() || !next.is_empty()) {
            return Err(damaged());
        }
        Ok(Self { previous, pem, saved, next })
    }

    /// The record's text: JSON of `previous`, `pem`, `saved` and, where there are any, `next`.
    ///
    /// Errors: `LimitExceeded` for a password or key too long to be read again.
    pub fn write(&self) -> Result<String> {
        let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
        let mut record = Object::from([
            ("previous", self.previous.as_str().into()),
            ("pem", text(&self.pem)),
            ("saved", text(&self.saved)),
        ]);
        if !self.next.is_empty() {
            record.insert("next".into(), Value::Array(self.next.iter().map(NextKey::value).collect()));
        }
        let record = json::write(&Value::Object(record));
        if record.len() > LIMITS.bytes {
            return Err(Error::new(Code::LimitExceeded, "The password or the key is too long to be stored."));
        }
        Ok(record)
    }

    /// The record without its secrets.
    pub fn superseded(&self) -> Self {
        Self { previous: self.previous.to_string(), pem: None, saved: None, next: Vec::new() }
    }
}

fn damaged() -> Error {
    Error::new(Code::CorruptStore, "The key record is damaged.")
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
            let record = KeyRecord::new("abc", "PEM\n", saved, "[]").unwrap();
            assert_eq!(record.previous, ABC);
            assert_eq!((record.pem.as_deref(), record.saved.as_deref()), (Some("PEM\n"), saved));
            assert!(read(&record.write().unwrap()) == Ok(record));
        }
        assert_eq!(
            KeyRecord::new("abc", "PEM", Some("secret"), "[]").unwrap().write(),
            Ok(format!(r#"{{"pem":"PEM","previous":"{ABC}","saved":"secret"}}"#))
        );
    }

    #[test]
    fn keys_that_are_to_follow_are_kept_until_the_record_is_superseded() {
        let next = r#"[{"keyId":"K","number":2,"pem":"NEXT"}]"#;
        let record = KeyRecord::new("abc", "PEM", None, next).unwrap();
        let text = format!(r#"{{"next":{next},"pem":"PEM","previous":"{ABC}","saved":null}}"#);
        assert_eq!(record.write().as_deref(), Ok(&*text));
        assert!(read(&text) == Ok(record.clone()));
        assert!(record.superseded().next.is_empty());
        for bad in [
            "{}",
            "x",
            r#"[{"keyId":"K","number":1,"pem":"NEXT"}]"#,
            r#"[{"keyId":"K","number":2.5,"pem":"NEXT"}]"#,
            r#"[{"keyId":"K","number":2}]"#,
            r#"[{"keyId":"K","number":2,"pem":null}]"#,
            r#"[{"keyId":"K","number":2,"pem":"NEXT","more":1}]"#,
        ] {
            assert!(KeyRecord::new("abc", "PEM", None, bad).is_err(), "{bad}");
            let text = format!(r#"{{"next":{bad},"pem":"PEM","previous":"{ABC}","saved":null}}"#);
            assert!(read(&text) == Err(Code::CorruptStore), "{bad}");
        }
        for bad in [
            format!(r#"{{"next":[],"pem":"PEM","previous":"{ABC}","saved":null}}"#),
            format!(r#"{{"next":{next},"pem":null,"previous":"{ABC}","saved":null}}"#),
        ] {
            assert!(read(&bad) == Err(Code::CorruptStore), "{bad}");
        }
    }

    #[test]
    fn a_superseded_record_keeps_its_place_and_no_secret() {
        let text = format!(r#"{{"pem":null,"previous":"{ABC}","saved":null}}"#);
        let superseded = KeyRecord::new("abc", "PEM", Some("secret"), "[]").unwrap().superseded();
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
        let room = LIMITS.bytes - KeyRecord::new("", "", Some(""), "[]").unwrap().write().unwrap().len();
        let longest = KeyRecord::new("", "", Some(&"x".repeat(room)), "[]").unwrap();
        assert_eq!(longest.write().unwrap().len(), 1_048_576);
        assert!(read(&longest.write().unwrap()) == Ok(longest));
        let longer = KeyRecord::new("", "", Some(&"x".repeat(room + 1)), "[]").unwrap();
        assert_eq!(longer.write().map_err(|error| error.code), Err(Code::LimitExceeded));
    }
}
