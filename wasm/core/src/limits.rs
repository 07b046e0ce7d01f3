//! Reading the limits that a caller sets (protocol, section 14).

use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, MAX_DEPTH, Object, Value};
use alloc::format;

/// How far each limit can be raised: what 32-bit WebAssembly and its stack carry.
pub(crate) const CEILING: Limits =
    Limits { depth: MAX_DEPTH, members: 50_000_000, bytes: 1024 * 1024 * 1024 };

/// Reads `{depth?, members?, bytes?}` as JSON; what is not named, and the empty text, means the
/// default.
///
/// Errors: `InvalidOption`.
pub fn parse(text: &str) -> Result<Limits> {
    let mut limits = Limits::default();
    if text.is_empty() {
        return Ok(limits);
    }
    let Ok(Value::Object(options)) = json::parse(text.as_bytes(), &limits) else {
        return Err(invalid());
    };
    for (name, value) in options.iter() {
        let (slot, ceiling) = match name {
            "depth" => (&mut limits.depth, CEILING.depth),
            "members" => (&mut limits.members, CEILING.members),
            "bytes" => (&mut limits.bytes, CEILING.bytes),
            _ => return Err(invalid()),
        };
        *slot = value.as_f64().and_then(|n| whole(n, ceiling)).ok_or_else(invalid)?;
    }
    Ok(limits)
}

fn invalid() -> Error {
    let Limits { depth, members, bytes } = CEILING;
    let found = format!(
        "Limits must be integers: depth up to {depth}, members up to {members}, bytes up to {bytes}."
    );
    Error::new(Code::InvalidOption, found)
}

/// `n` as a count between 1 and `ceiling`.
fn whole(n: f64, ceiling: usize) -> Option<usize> {
    let count = n as usize; // saturates; the comparison below refuses fractions and what is out of range
    (count as f64 == n && (1..=ceiling).contains(&count)).then_some(count)
}

/// Limits for the agent documents that a verification with `limits` draws keys from. A caller
/// bounds what is handed in; a stored agent document that was within the default limits must not
/// pass for a damaged one.
pub fn of_sources(limits: &Limits) -> Limits {
    let least = Limits::default();
    Limits {
        depth: limits.depth.max(least.depth),
        members: limits.members.max(least.members),
        bytes: limits.bytes.max(least.bytes),
    }
}

/// The default limits, as JSON.
pub fn defaults() -> alloc::string::String {
    let limits = Limits::default();
    json::write(&Value::Object(Object::from_iter([
        ("depth".into(), Value::Number(limits.depth as f64)),
        ("members".into(), Value::Number(limits.members as f64)),
        ("bytes".into(), Value::Number(limits.bytes as f64)),
    ])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_the_larger_of_both_limits() {
        let default = Limits::default();
        let less = Limits { depth: 1, members: 2, bytes: 3 };
        assert_eq!(of_sources(&less), default);
        let more =
            Limits { depth: default.depth + 1, members: default.members + 2, bytes: default.bytes + 3 };
        assert_eq!(of_sources(&more), more);
        assert_eq!(of_sources(&Limits { bytes: 1, ..more }), Limits { bytes: default.bytes, ..more });
    }

    #[test]
    fn limits_are_configurable_within_bounds() {
        assert_eq!(parse("").unwrap().depth, 128);
        assert_eq!(parse(r#"{"depth":5}"#).unwrap().depth, 5);
        assert_eq!(parse(r#"{"depth":5}"#).unwrap().members, 500_000);
        for bad in [
            r#"{"depth":0}"#,
            r#"{"depth":1.5}"#,
            r#"{"depth":513}"#,
            r#"{"size":1}"#,
            "[]",
            r#"{"bytes":"1"}"#,
        ] {
            assert_eq!(parse(bad).err().map(|e| e.code), Some(Code::InvalidOption), "{bad}");
        }
    }
}
