//! Names of what stands in a storage (protocol, section 12): texts with segments joined by `/`.
//!
//! What changes over time is a chain of numbered entries, each put if absent and never changed.
//!
//! | name | holds |
//! |---|---|
//! | `documents/<xx>/<id>.<n>.json` | version `n` of a document |
//! | `documents/<xx>/<id>.<version>` | a hint: the `n` of that version |
//! | `documents/<xx>/<id>.latest` | a hint: an `n` at which to begin looking for the latest version |
//! | `documents/<xx>/<agentId>.<n>.rotation` | an intent: version `n` of the agent document is to name another key |
//! | `trust/<agentId>.<n>.json` | a decision: the agent's document, or the mark that trust was taken back |
//! | `trust/<agentId>.latest` | a hint, likewise |
//! | `revocations/<agentId>.<n>.json` | a revocation that a key of the agent itself has stated in advance |
//! | `output/<name>` | copies under names of the caller's choice (`outputFilename`) |
//!
//! `<xx>` are the first two characters of the id, so that no folder grows with the store. In the
//! key directory stand the two key files of the configuration, further key records of the private
//! one (`<file>.<n>`), `<agentId>.public.pem` of any agent, `.sx_password`, below `.new` the
//! parts of agents that are being created, and below `trust` which decisions count:
//!
//! | name | holds |
//! |---|---|
//! | `trust/.witnessed` | says that decisions without a witness do not count |
//! | `trust/<agentId>.<k>.witness` | witness `k` for an agent: which decision counts from then on |
//! | `trust/<agentId>.witness` | a hint, at which `k` to begin looking for the latest one |
//!
//! Both directories may be one, so these names differ from those of the decisions.

use crate::error::{Code, Error, Result};
use crate::hash::{is_sha256_hex, sha256_hex};
use crate::ids::{check_uuid, is_uuid};
use crate::json::{self, Object, Value};
use alloc::format;
use alloc::string::String;

/// The file in the key directory that holds a saved password.
pub const PASSWORD_FILE: &str = ".sx_password";
/// The folder in the key directory for private keys of agents that are being created.
pub const STAGING: &str = ".new";
/// Top of the documents.
pub const DOCUMENTS: &str = "documents";
/// Top of the trust store.
pub const TRUST: &str = "trust";
/// Below [`TRUST`] in the key directory: there it is witnessed which decisions count.
pub const WITNESSED: &str = ".witnessed";
/// End of the names of witnesses.
const WITNESS: &str = ".witness";
/// Top of the revocations of the agent's own keys.
pub const REVOCATIONS: &str = "revocations";
/// Top of the copies under chosen names.
pub const OUTPUT: &str = "output";

/// Top of the standalone agreements.
pub const AGREEMENTS: &str = "agreements";

/// The names above, as JSON.
pub fn names() -> String {
    json::texts(&[
        ("documents", Some(DOCUMENTS)),
        ("trust", Some(TRUST)),
        ("revocations", Some(REVOCATIONS)),
        ("output", Some(OUTPUT)),
        ("agreements", Some(AGREEMENTS)),
        ("witnessed", Some(WITNESSED)),
        ("passwordFile", Some(PASSWORD_FILE)),
        ("staging", Some(STAGING)),
    ])
}

/// The greatest number of an entry, 2^53 - 1: beyond it JavaScript's numbers skip.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;
/// Longest name of a key file; `.` and the longest number still fit behind it.
pub const MAX_KEY_FILE: usize = 100;
/// Hexadecimal digits that stand for a configuration's path.
const PLACE_LEN: usize = 16;

/// Entry `n` of a document's chain.
///
/// Errors: `InvalidId`.
pub fn document_entry(id: &str, n: f64) -> Result<String> {
    Ok(format!("{}.{}.json", document(id)?, check_number(n, 1)?))
}

/// The hint that says which entry holds a version.
///
/// Errors: `InvalidId`.
pub fn document_index(id: &str, version: &str) -> Result<String> {
    Ok(format!("{}.{}", document(id)?, check_uuid(version)?))
}

/// The hint where to begin looking for a document's latest version.
///
/// Errors: `InvalidId`.
pub fn document_latest(id: &str) -> Result<String> {
    Ok(format!("{}.latest", document(id)?))
}

/// The intent to rotate the key of an agent in version `n` of its document.
///
/// Errors: `InvalidId`.
pub fn rotation_intent(agent_id: &str, n: f64) -> Result<String> {
    Ok(format!("{}.{}.rotation", document(agent_id)?, check_number(n, 2)?))
}

fn document(id: &str) -> Result<String> {
    Ok(format!("{DOCUMENTS}/{}/{id}", check_uuid(id)?.get(..2).unwrap_or_default()))
}

/// The terms of an agreement, or one of its events.
///
/// Errors: `InvalidId`.
pub fn agreement_entry(id: &str, event_id: Option<&str>) -> Result<String> {
    let folder = format!("{AGREEMENTS}/{}/{id}", check_uuid(id)?.get(..2).unwrap_or_default());
    match event_id {
        None => Ok(format!("{folder}/terms.json")),
        Some(event) if is_sha256_hex(event) => Ok(format!("{folder}/events/{event}.json")),
        Some(_) => Err(Error::new(Code::InvalidId, "An event has 64 hexadecimal digits as its id.")),
    }
}

/// Entry `n` of the decisions about trust in an agent.
///
/// Errors: `InvalidId`.
pub fn trust_entry(agent_id: &str, n: f64) -> Result<String> {
    Ok(format!("{TRUST}/{}.{}.json", check_uuid(agent_id)?, check_number(n, 1)?))
}

/// The hint where to begin looking for the latest decision about trust in an agent.
///
/// Errors: `InvalidId`.
pub fn trust_latest(agent_id: &str) -> Result<String> {
    Ok(format!("{TRUST}/{}.latest", check_uuid(agent_id)?))
}

/// Witness `k` of the decisions about trust in an agent, in the key directory.
///
/// Errors: `InvalidId`.
pub fn trust_witness(agent_id: &str, k: f64) -> Result<String> {
    Ok(format!("{TRUST}/{}.{}{WITNESS}", check_uuid(agent_id)?, check_number(k, 1)?))
}

/// The hint where to begin looking for the latest witness for an agent.
///
/// Errors: `InvalidId`.
pub fn trust_witness_latest(agent_id: &str) -> Result<String> {
    Ok(format!("{TRUST}/{}{WITNESS}", check_uuid(agent_id)?))
}

/// The id and the number in the last segment of a witness's name.
pub fn read_witness_name(name: &str) -> Option<(&str, u64)> {
    read_numbered(name, WITNESS)
}

/// Entry `n` of the revocations that keys of an agent have stated.
///
/// Errors: `InvalidId`.
pub fn revocation_entry(agent_id: &str, n: f64) -> Result<String> {
    Ok(format!("{REVOCATIONS}/{}.{}.json", check_uuid(agent_id)?, check_number(n, 1)?))
}

/// The id and the number in the last segment of an entry's name, `<id>.<n>.json`.
pub fn read_entry_name(name: &str) -> Option<(&str, u64)> {
    read_numbered(name, ".json")
}

/// `{id, number}` of the name of an entry or of a witness, as JSON.
pub fn named_json(name: &str, is_witness: bool) -> Option<String> {
    let (id, number) = if is_witness { read_witness_name(name) } else { read_entry_name(name) }?;
    let named = Object::from([("id", id.into()), ("number", Value::Number(number as f64))]);
    Some(json::write(&named.into()))
}

fn read_numbered<'a>(name: &'a str, end: &str) -> Option<(&'a str, u64)> {
    let (id, n) = name.strip_suffix(end)?.split_once('.')?;
    Some((id, read_number(n.as_bytes())?)).filter(|_| is_uuid(id))
}

/// The number that a hint holds: decimal digits without a leading zero, from 1 to 2^53 - 1.
pub fn read_number(text: &[u8]) -> Option<u64> {
    let canonical = matches!(text, [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
    let digits = core::str::from_utf8(text).ok().filter(|_| canonical)?;
    digits.parse().ok().filter(|n| *n <= MAX_NUMBER)
}

/// `n` as the number of an entry, not below `first`.
///
/// Errors: `InvalidId`.
pub(crate) fn check_number(n: f64, first: u64) -> Result<u64> {
    let number = n as u64; // saturates; the comparison below refuses fractions and what is out of range
    if number as f64 == n && (first..=MAX_NUMBER).contains(&number) {
        return Ok(number);
    }
    Err(Error::new(Code::InvalidId, "The entry number is not an integer in the allowed range."))
}

/// File name of an agent's public key in a key directory.
///
/// Errors: `InvalidId`.
pub fn public_key_file(agent_id: &str) -> Result<String> {
    Ok(format!("{}.public.pem", check_uuid(agent_id)?))
}

/// File name of key record `n`, from 2 on, beside the private key file. The file itself is the first.
///
/// Errors: `InvalidId`.
pub fn key_record_file(file: &str, n: f64) -> Result<String> {
    if !is_key_file(file) {
        return Err(Error::new(Code::InvalidId, "The name is not the name of a key file."));
    }
    Ok(format!("{file}.{}", check_number(n, 2)?))
}

/// Whether a file of this name can hold a key, with its records beside it.
pub fn is_key_file(name: &str) -> bool {
    is_safe_name(name) && name.len() <= MAX_KEY_FILE
}

/// What stands for a configuration's path and its private key file in the names of staged keys: the
/// key directory may serve more than one configuration.
pub fn stage_place(config_path: &str, key_file: &str) -> String {
    let mut place = sha256_hex(format!("{config_path}\n{key_file}").as_bytes());
    place.truncate(PLACE_LEN);
    place
}

/// File name, below [`STAGING`], of what makes an agent that is being created.
///
/// Errors: `InvalidId`.
pub fn staged_key_file(place: &str, agent_id: &str) -> Result<String> {
    if !is_place(place) {
        return Err(Error::new(Code::InvalidId, "The path is not the path of a configuration."));
    }
    Ok(format!("{place}.{}.json", check_uuid(agent_id)?))
}

/// The agent's id in the name of a staged key.
pub fn read_staged_key_file(name: &str) -> Option<&str> {
    let (place, id) = name.strip_suffix(".json")?.split_once('.')?;
    (is_place(place) && is_uuid(id)).then_some(id)
}

fn is_place(text: &str) -> bool {
    text.len() == PLACE_LEN && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
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

/// Whether Windows takes a name for that of a device, whatever its extension. (Digits may be superscript ones.)
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    let digit =
        |n: &str| matches!(n, "¹" | "²" | "³") || (n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || ["com", "lpt"].iter().any(|port| stem.strip_prefix(port).is_some_and(digit))
}

/// Whether a name is one file name on every operating system: letters, digits, `.`, `_`, `-`, at
/// most 128, no dot at the end, no device name of Windows, and not `.tmp`, where unfinished writes are.
pub fn is_safe_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=128).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.ends_with('.')
        && !is_device_name(name)
        && !name.eq_ignore_ascii_case(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    const VERSION: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
    const PLACE: &str = "0123456789abcdef";
    const MAX: f64 = 9_007_199_254_740_991.0;

    #[test]
    fn names_of_entries_and_hints() {
        let top = "documents/6f/6fa459ea-ee8a-4ca4-894e-db77e160355e";
        assert_eq!(document_entry(ID, 1.0).unwrap(), format!("{top}.1.json"));
        assert_eq!(document_entry(ID, MAX).unwrap(), format!("{top}.9007199254740991.json"));
        assert_eq!(document_index(ID, VERSION).unwrap(), format!("{top}.{VERSION}"));
        assert_eq!(document_latest(ID).unwrap(), format!("{top}.latest"));
        assert_eq!(trust_entry(ID, 10.0).unwrap(), format!("trust/{ID}.10.json"));
        assert_eq!(trust_entry(ID, 1.0).unwrap(), format!("trust/{ID}.1.json"));
        assert_eq!(trust_latest(ID).unwrap(), format!("trust/{ID}.latest"));
        assert_eq!(trust_witness(ID, 10.0).unwrap(), format!("trust/{ID}.10.witness"));
        assert_eq!(trust_witness_latest(ID).unwrap(), format!("trust/{ID}.witness"));
        assert_eq!(revocation_entry(ID, 1.0).unwrap(), format!("revocations/{ID}.1.json"));
        assert_eq!(public_key_file(ID).unwrap(), format!("{ID}.public.pem"));
    }

    #[test]
    fn k08_names_of_witnesses_are_none_of_decisions() {
        for k in [1.0, 2.0, MAX] {
            let name = trust_witness(ID, k).unwrap();
            let name = name.rsplit('/').next().unwrap();
            assert!(is_safe_name(name), "{name}");
            assert_eq!(read_witness_name(name), Some((ID, k as u64)));
            assert_eq!(read_entry_name(name), None, "{name}");
        }
        let hint = format!("{ID}.witness");
        for bad in [
            &hint,
            WITNESSED,
            "x.1.witness",
            ".1.witness",
            &format!("{ID}.1.json"),
            &format!("{ID}.01.witness"),
        ] {
            assert_eq!(read_witness_name(bad), None, "{bad}");
        }
        assert!(is_safe_name(WITNESSED) && read_entry_name(&hint).is_none());
        for bad in [0.0, 1.5, MAX + 1.0, f64::NAN] {
            assert_eq!(trust_witness(ID, bad).unwrap_err().code, Code::InvalidId, "{bad}");
        }
        assert!(trust_witness("../x", 1.0).is_err() && trust_witness_latest("../x").is_err());
    }

    #[test]
    fn the_longest_names_are_safe_ones() {
        let file = "k".repeat(MAX_KEY_FILE);
        let entry = document_entry(ID, MAX).unwrap();
        let names = [
            entry.rsplit('/').next().unwrap().into(),
            key_record_file(&file, MAX).unwrap(),
            staged_key_file(PLACE, ID).unwrap(),
        ];
        for name in names {
            assert!(is_safe_name(&name), "{name}");
        }
        assert!(is_safe_name(STAGING) && is_safe_name(PASSWORD_FILE));
    }

    #[test]
    fn numbers_of_entries_are_whole_and_begin_at_one() {
        for bad in [0.0, -1.0, 0.5, 1.5, MAX + 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let codes = [
                document_entry(ID, bad).unwrap_err().code,
                revocation_entry(ID, bad).unwrap_err().code,
                trust_entry(ID, bad).unwrap_err().code,
                key_record_file("key", bad).unwrap_err().code,
            ];
            assert_eq!(codes, [Code::InvalidId; 4], "{bad}");
        }
    }

    #[test]
    fn records_of_a_key_begin_at_two() {
        assert_eq!(key_record_file("sx.private.pem", 2.0).unwrap(), "sx.private.pem.2");
        assert_eq!(key_record_file("sx.private.pem", 1.0).unwrap_err().code, Code::InvalidId);
        let long = "k".repeat(MAX_KEY_FILE + 1);
        for bad in ["", "../key", "con", &long] {
            assert_eq!(key_record_file(bad, 2.0).unwrap_err().code, Code::InvalidId, "{bad}");
        }
    }

    #[test]
    fn only_canonical_decimals_are_numbers() {
        assert_eq!(read_number(b"1"), Some(1));
        assert_eq!(read_number(b"9"), Some(9));
        assert_eq!(read_number(b"10"), Some(10));
        assert_eq!(read_number(b"9007199254740991"), Some(MAX_NUMBER));
        let bad: [&[u8]; 18] = [
            b"",
            b"0",
            b"01",
            b"+1",
            b"-1",
            b" 1",
            b"1 ",
            b"1\n",
            b"1.0",
            b"1e3",
            b"0x1",
            b"1_0",
            b"1:",
            b"9007199254740992",
            b"99999999999999999999999999",
            b"\xff",
            b"1\xff",
            "\u{661}".as_bytes(),
        ];
        for bad in bad {
            assert_eq!(read_number(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn only_names_that_are_written_are_read() {
        assert_eq!(read_entry_name(&format!("{ID}.1.json")), Some((ID, 1)));
        assert_eq!(read_entry_name(&format!("{ID}.9007199254740991.json")), Some((ID, MAX_NUMBER)));
        let (entry, witness) = (format!("{ID}.7.json"), format!("{ID}.7.witness"));
        let named = format!(r#"{{"id":"{ID}","number":7}}"#);
        assert_eq!(named_json(&entry, false).as_deref(), Some(&*named));
        assert_eq!(named_json(&witness, true).as_deref(), Some(&*named));
        assert_eq!((named_json(&entry, true), named_json(&witness, false)), (None, None));
        for bad in [
            String::new(),
            ID.into(),
            format!("{ID}.json"),
            format!("{ID}..json"),
            format!("{ID}.0.json"),
            format!("{ID}.01.json"),
            format!("{ID}.1"),
            format!("{ID}.1.JSON"),
            format!("{ID}.1.json.json"),
            format!("{ID}.1.1.json"),
            format!("{ID}.latest"),
            format!("{ID}.{VERSION}.json"),
            format!("{ID}.9007199254740992.json"),
            format!(" {ID}.1.json"),
            format!("trust/{ID}.1.json"),
            format!("{}.1.json", ID.to_uppercase()),
            ".1.json".into(),
            "x.1.json".into(),
        ] {
            assert_eq!(read_entry_name(&bad), None, "{bad}");
        }
    }

    #[test]
    fn staged_keys_name_their_configuration_and_agent() {
        // printf /etc/sx.config.json | sha256sum
        assert_eq!(stage_place("etc/sx.config.json", "sx.private.pem"), "c473066dfe11a68d");
        let file = staged_key_file(PLACE, ID).unwrap();
        assert_eq!(file, format!("{PLACE}.{ID}.json"));
        assert_eq!(read_staged_key_file(&file), Some(ID));
        for bad in [
            "",
            "0123456789abcde",
            "0123456789abcdef0",
            "0123456789abcdeF",
            "0123456789abcdeg",
            "../4567890123456",
        ] {
            assert_eq!(staged_key_file(bad, ID).unwrap_err().code, Code::InvalidId, "{bad}");
            assert_eq!(read_staged_key_file(&format!("{bad}.{ID}.json")), None, "{bad}");
        }
        for bad in [
            PLACE.into(),
            format!("{PLACE}.json"),
            format!("{PLACE}.{ID}"),
            format!("{PLACE}.{ID}.PEM"),
            format!("{PLACE}.{ID}.public.json"),
            format!("{PLACE}.x.json"),
            format!("{PLACE}{ID}.json"),
        ] {
            assert_eq!(read_staged_key_file(&bad), None, "{bad}");
        }
    }

    #[test]
    fn t28_hostile_names_are_refused() {
        let long = "a".repeat(129);
        for bad in [
            "", ".", "..", "../x", "a/b", "a\\b", "C:x", "con", "NUL.txt", "com1", ".tmp", ".TMP", "a.",
            "a b", "\0", "é", &long,
        ] {
            assert!(!is_safe_name(bad), "{bad:?}");
            assert!(output_file(bad).is_err() && public_key_file(bad).is_err());
            assert!(document_entry(bad, 1.0).is_err() && document_latest(bad).is_err());
            assert!(document_index(bad, ID).is_err() && document_index(ID, bad).is_err());
            assert!(trust_entry(bad, 1.0).is_err() && trust_latest(bad).is_err());
            assert!(staged_key_file(PLACE, bad).is_err() && !is_key_file(bad));
        }
        for good in ["a", "sx.private.pem", ".sx_password", "console", "com10", "Invoice-2026_11.json"] {
            assert!(is_safe_name(good) && is_key_file(good), "{good}");
            assert_eq!(output_file(good), Ok(good));
        }
        assert!(is_safe_name(long.get(1..).unwrap()));
        assert!(long.get(..100).is_some_and(is_key_file) && !long.get(..101).is_some_and(is_key_file));
    }
}
