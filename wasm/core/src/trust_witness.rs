//! Witnesses: which decisions about trust count (protocol, section 12).
//!
//! Decisions stand in the data directory, their witnesses in the key directory. So who can write only into the data
//! directory adds no trust and takes back no removal.

use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::ids::check_uuid;
use crate::layout::{check_number, read_number};
use alloc::format;
use alloc::string::String;

/// Content of the entry that says that trust is witnessed.
pub const MARKER: &str = r#"{"sxTrustWitnessed":1}"#;

/// The witness of decision `number` on an agent, in canonical form.
///
/// Errors: `InvalidId`.
pub fn make(agent_id: &str, number: f64, decision: &[u8]) -> Result<String> {
    let (id, number) = (check_uuid(agent_id)?, check_number(number, 1)?);
    Ok(format!(r#"{{"agentId":"{id}","number":{number},"sha256":"{}"}}"#, sha256_hex(decision)))
}

/// The number of the decision that a witness names.
///
/// Errors: `CorruptStore` unless it is a witness for this agent, byte for byte as [`make`] makes it.
pub fn read(agent_id: &str, text: &[u8]) -> Result<u64> {
    number_in(agent_id, text).ok_or_else(|| {
        let found = format!(
            "The witness of the latest decision about {agent_id} is damaged or belongs to another agent."
        );
        Error::new(Code::CorruptStore, found)
    })
}

fn number_in(agent_id: &str, text: &[u8]) -> Option<u64> {
    let text = core::str::from_utf8(text).ok()?;
    let rest =
        text.strip_prefix(r#"{"agentId":""#)?.strip_prefix(agent_id)?.strip_prefix(r#"","number":"#)?;
    let (number, rest) = rest.split_once(',')?;
    let hash = rest.strip_prefix(r#""sha256":""#)?.strip_suffix(r#""}"#)?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    read_number(number.as_bytes()).filter(|_| is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    const OTHER: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[test]
    fn k08_a_witness_names_the_agent_the_decision_and_its_bytes() {
        // printf abc | sha256sum
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let witness = make(ID, 3.0, b"abc").unwrap();
        assert_eq!(witness, format!(r#"{{"agentId":"{ID}","number":3,"sha256":"{hash}"}}"#));
        assert_eq!(read(ID, witness.as_bytes()), Ok(3));
        assert_eq!(read(OTHER, witness.as_bytes()).unwrap_err().code, Code::CorruptStore);
        assert_ne!(witness, make(ID, 3.0, b"abd").unwrap());
        assert_ne!(witness, make(ID, 4.0, b"abc").unwrap());
        for text in [&witness, MARKER] {
            assert!(crate::json::parse(text.as_bytes(), &Default::default()).is_ok());
        }
    }

    #[test]
    fn bad_input_nothing_else_is_a_witness() {
        let witness = make(ID, 12.0, b"abc").unwrap();
        for (from, to) in [
            ("{", " {"),
            ("}", "}\n"),
            ("12", "012"),
            ("12", "0"),
            ("12", "1.5"),
            ("12", "9007199254740992"),
            ("12,", "12, "),
            ("ba78", "BA78"),
            ("ba78", "ba7"),
            ("ba78", "ba7g"),
            ("sha256", "sha512"),
            ("}", r#","more":1}"#),
        ] {
            let bad = witness.replace(from, to);
            assert_ne!(bad, witness, "{from}");
            assert_eq!(read(ID, bad.as_bytes()).unwrap_err().code, Code::CorruptStore, "{bad}");
        }
        for bad in [&b""[..], b"{}", b"\xff", MARKER.as_bytes()] {
            assert_eq!(read(ID, bad).unwrap_err().code, Code::CorruptStore);
        }
    }

    #[test]
    fn bad_input_no_witness_is_made_of_a_bad_name() {
        for (id, number) in [("", 1.0), ("../x", 1.0), (ID, 0.0), (ID, 1.5), (ID, f64::NAN)] {
            assert_eq!(make(id, number, b"").unwrap_err().code, Code::InvalidId, "{id} {number}");
        }
    }
}
