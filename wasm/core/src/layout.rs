//! Where things stand in a storage (decisions 18): keys are lists of segments.
//!
//! | key | holds |
//! |---|---|
//! | `documents/<xx>/<id>/versions/<version>.json` | the text of a version; never changes |
//! | `documents/<xx>/<id>/first` | the first version; put if absent |
//! | `documents/<xx>/<id>/after/<version>` | the successor of a version; put if absent |
//! | `documents/<xx>/<id>/latest` | where to begin looking for the latest version; only moves forward |
//! | `trust/<agentId>.json` | the document of a trusted agent |
//! | `output/<name>` | copies under names of the caller's choice (`outputFilename`) |
//!
//! `<xx>` are the first two characters of the id, so that no folder grows with the store. In the
//! key directory stand the two key files of the configuration, `<agentId>.public.pem` of any agent
//! and `.sx_password`.

use crate::error::{Code, Error, Result};
use crate::ids::check_uuid;
use crate::json::{self, Object, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The file in the key directory that holds a saved password.
pub const PASSWORD_FILE: &str = ".sx_password";
/// Top of the documents.
pub const DOCUMENTS: &str = "documents";
/// Top of the trust store.
pub const TRUST: &str = "trust";
/// Top of the copies under chosen names.
pub const OUTPUT: &str = "output";

/// Where a document stands, as JSON: `{first, latest}`, and `{version, after}` if one of its
/// versions is named (not empty).
///
/// Errors: `InvalidId`.
pub fn document(id: &str, version: &str) -> Result<String> {
    let top = [DOCUMENTS, check_uuid(id)?.get(..2).unwrap_or_default(), id];
    let key = |rest: &[&str]| -> Value {
        let segments: Vec<Value> = top.iter().chain(rest).map(|segment| Value::from(*segment)).collect();
        Value::Array(segments)
    };
    let mut keys = Object::from([("first", key(&["first"])), ("latest", key(&["latest"]))]);
    if !version.is_empty() {
        let file = format!("{}.json", check_uuid(version)?);
        keys.insert("version".into(), key(&["versions", &file]));
        keys.insert("after".into(), key(&["after", version]));
    }
    Ok(json::write(&Value::Object(keys)))
}

/// File name of an agent's public key in a key directory.
///
/// Errors: `InvalidId`.
pub fn public_key_file(agent_id: &str) -> Result<String> {
    Ok(format!("{}.public.pem", check_uuid(agent_id)?))
}

/// File name of an agent's document in the trust store.
///
/// Errors: `InvalidId`.
pub fn trust_file(agent_id: &str) -> Result<String> {
    Ok(format!("{}.json", check_uuid(agent_id)?))
}

/// A file name of the caller's choice.
///
/// Errors: `InvalidId`.
pub fn output_file(name: &str) -> Result<&str> {
    if is_safe_name(name) {
        return Ok(name);
    }
    Err(Error::new(
        Code::InvalidId,
        "The output file name is not a plain file name of letters, digits, '.', '_' and '-'.",
    ))
}

/// Whether a name is one file name on every operating system: letters, digits, `.`, `_`, `-`, at
/// most 128, no dot at the end, no device name of Windows, and not `.tmp`, where unfinished writes are.
pub fn is_safe_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || ["com", "lpt"].iter().any(|port| {
            stem.strip_prefix(port).is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
        });
    (1..=128).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.ends_with('.')
        && !device
        && !name.eq_ignore_ascii_case(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_document() {
        let id = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
        assert_eq!(
            document(id, id).as_deref(),
            Ok(
                r#"{"after":["documents","6f","6fa459ea-ee8a-4ca4-894e-db77e160355e","after","6fa459ea-ee8a-4ca4-894e-db77e160355e"],"first":["documents","6f","6fa459ea-ee8a-4ca4-894e-db77e160355e","first"],"latest":["documents","6f","6fa459ea-ee8a-4ca4-894e-db77e160355e","latest"],"version":["documents","6f","6fa459ea-ee8a-4ca4-894e-db77e160355e","versions","6fa459ea-ee8a-4ca4-894e-db77e160355e.json"]}"#
            )
        );
    }

    #[test]
    fn t28_hostile_names_are_refused() {
        let long = "a".repeat(129);
        for bad in [
            "", ".", "..", "../x", "a/b", "a\\b", "C:x", "con", "NUL.txt", "com1", ".tmp", ".TMP", "a.",
            "a b", "\0", "é", &long,
        ] {
            assert!(!is_safe_name(bad), "{bad:?}");
            assert!(output_file(bad).is_err() && public_key_file(bad).is_err() && trust_file(bad).is_err());
            assert!(document(bad, bad).is_err());
        }
        for good in ["a", "sx.private.pem", ".sx_password", "console", "com10", "Invoice-2026_11.json"] {
            assert!(is_safe_name(good), "{good}");
        }
    }
}
