//! The files of `test/vectors`.

use super::{Source, Verdict, json};
pub use serde_json::Value as Vector;
use sx_core::base64;
use sx_core::entropy::Entropy;
use sx_core::hash::sha256;
use sx_core::json::Value;
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::moment::Moment;
use sx_core::ring::Ring;

/// A list of a file, which is not empty.
pub fn list(file: &str, name: &str) -> Vec<Vector> {
    let path = format!("{}/../../test/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let file: Vector = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let list = file.get(name).unwrap().as_array().unwrap().clone();
    assert!(!list.is_empty());
    list
}

/// A member that is a text.
pub fn text<'a>(vector: &'a Vector, name: &str) -> &'a str {
    vector.get(name).and_then(Vector::as_str).unwrap_or_else(|| panic!("no text {name} in {vector}"))
}

/// A member that is a text or null.
pub fn code(vector: &Vector) -> Option<&str> {
    match vector.get("code").unwrap() {
        Vector::Null => None,
        code => Some(code.as_str().unwrap()),
    }
}

pub fn hex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// The private key of the vectors: 32 counting bytes, another range for each algorithm.
pub fn secret(algorithm: &str) -> SecretKey {
    let algorithm = Algorithm::parse(algorithm).unwrap();
    let bytes = if algorithm == Algorithm::Ed25519 { 0..32 } else { 32..64 };
    let seed: Vec<u8> = bytes.collect();
    SecretKey::from_seed(algorithm, &seed.try_into().unwrap()).unwrap()
}

/// The entropy with which the vectors of this name were made.
pub fn entropy_of(name: &str) -> Entropy {
    Entropy::new(sha256(format!("sx-agent vectors: {name}").as_bytes()).to_vec()).unwrap()
}

/// The time and the entropy with which the vector of this name was made.
pub fn moment_of(now: u64, name: &str) -> Moment {
    Moment { now, entropy: entropy_of(name) }
}

/// The agent of this algorithm.
pub fn agent(algorithm: &str) -> Vector {
    list("agents", "agents").into_iter().find(|agent| text(agent, "algorithm") == algorithm).unwrap()
}

/// A ring that trusts the first versions of both agents.
pub fn trusting_both() -> Ring {
    let mut ring = Ring::default();
    for agent in list("agents", "agents") {
        let raw = text(&agent, "raw").as_bytes();
        ring.set(text(&agent, "agentId"), Source::Trust, Some(raw));
    }
    ring
}

pub fn verify(text: &str, ring: &Ring) -> Verdict {
    super::verify_both_ways(text, ring)
}

/// Canonical text of a vector's member.
pub fn canonical(value: &Vector) -> String {
    json::write(&super::parse(&value.to_string()))
}

/// Checks the result as every API shows it, member by member.
pub fn check_result(verdict: &Verdict, code: Option<&str>, data: Option<&Vector>, trusted: bool, name: &str) {
    let result = super::parse(&verdict.to_json());
    let result = result.as_object().unwrap();
    let member = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name}"));
    let flag = |name: &str| result.get(name).and_then(Value::as_bool);
    assert_eq!(result.get("code").and_then(Value::as_str), code, "{name}");
    assert_eq!(result.get("attachments"), Some(&Value::Array(vec![])));
    let errors = result.get("errors").unwrap().as_array().unwrap();
    assert_eq!((flag("valid"), flag("trusted")), (Some(code.is_none()), Some(trusted)), "{name}");
    match code {
        None => {
            let signer = list("agents", "agents");
            let signer = signer.iter().find(|agent| text(agent, "agentId") == member("signerId")).unwrap();
            assert_eq!(
                (member("keyId"), member("algorithm")),
                (text(signer, "keyId"), text(signer, "algorithm")),
                "{name}"
            );
            assert!(sx_core::time::parse(member("timestamp")).is_some(), "{name}");
            let ids = [member("documentId"), member("version")];
            assert!(ids.into_iter().all(sx_core::ids::is_uuid) && !member("type").is_empty(), "{name}");
            assert!(errors.is_empty());
            if let Some(data) = data {
                assert_eq!(json::write(result.get("data").unwrap()), canonical(data), "{name}");
            }
        }
        Some(code) => {
            for unknown in ["algorithm", "timestamp", "documentId", "version", "type", "signerName"] {
                assert_eq!(member(unknown), "", "{name}: {unknown}");
            }
            assert!(errors.first().unwrap().as_str().unwrap().starts_with(&format!("{code}: ")), "{name}");
            assert!(
                errors.len() == 1 && result.get("data") == Some(&Value::Null) && data.is_none(),
                "{name}"
            );
        }
    }
}

pub fn base64_of(text: &str) -> Vec<u8> {
    base64::decode(text).unwrap()
}
