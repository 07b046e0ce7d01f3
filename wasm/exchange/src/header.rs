//! The value of the Authorization header, and the checks that need neither a key nor the body (protocol, section 25).

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::base64;

use crate::claims::{self, Claims, quoted};
use crate::codes::Code;
use crate::digest;

/// How every value begins.
const PREFIX: &str = "SX v2.";
/// The longest value, in bytes: what a proxy with the usual buffers of 8 KiB lets pass.
pub const MAX_BYTES: usize = 8175;
/// How the old format begins, which is bound to no request.
const LEGACY_PREFIX: &str = "SX ";

/// Whom requests must be for, and how old they may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy<'a> {
    /// One of these.
    pub audiences: Vec<&'a str>,
    /// The time, Unix seconds.
    pub now: u64,
    /// In seconds.
    pub max_age: u64,
    /// How far clocks may differ, in seconds: so long before its date a request is accepted.
    pub skew: u64,
}

/// A header that was read.
pub struct Opened {
    /// The canonical text of its claims, which is signed.
    pub claims: String,
    /// The signature.
    pub signature: Vec<u8>,
}

/// The value of a header.
pub fn write(claims: &str, signature: &[u8]) -> String {
    [PREFIX, &base64::encode_url(claims.as_bytes()), ".", &base64::encode_url(signature)].concat()
}

/// Reads the values of all Authorization headers of a request, of which there must be one.
///
/// Errors: `Missing`, `TooLarge`, `Malformed`; `UnboundRejected` for the old format.
pub fn open(values: &[&str]) -> Result<Opened, Code> {
    let value = match values {
        [] => return Err(Code::Missing),
        [value] => *value,
        _ => return Err(Code::Malformed),
    };
    if value.len() > MAX_BYTES {
        return Err(Code::TooLarge);
    }
    let Some(rest) = value.strip_prefix(PREFIX) else {
        return Err(if is_legacy(value) { Code::UnboundRejected } else { Code::Malformed });
    };
    let read = || {
        let (claims, signature) = rest.split_once('.')?;
        let claims = String::from_utf8(base64::decode_url(claims)?).ok()?;
        let signature = base64::decode_url(signature)?;
        let is_whole = signature.len() == Claims::read(&claims)?.algorithm.signature_len();
        is_whole.then_some(Opened { claims, signature })
    };
    read().ok_or(Code::Malformed)
}

/// Whether a value has the form `SX <agent id>:<Unix seconds>:<signature>`.
fn is_legacy(value: &str) -> bool {
    let of_prefix = value.strip_prefix(LEGACY_PREFIX).filter(|rest| !rest.contains(','));
    of_prefix.is_some_and(|rest| rest.split(':').count() == 3)
}

impl Policy<'_> {
    /// Whether the claims are for one of the audiences, and of the time.
    ///
    /// Errors: `WrongAudience`, `Expired`, `NotYetValid`.
    pub fn check(&self, claims: &Claims<'_>) -> Result<(), Code> {
        if !self.audiences.iter().any(|audience| quoted(audience) == claims.audience) {
            return Err(Code::WrongAudience);
        }
        if claims.issued_at.saturating_add(self.max_age) < self.now {
            return Err(Code::Expired);
        }
        if self.now.saturating_add(self.skew) < claims.issued_at {
            return Err(Code::NotYetValid);
        }
        Ok(())
    }

    /// When no request with these claims is accepted any more, so that it may be forgotten; Unix seconds.
    pub fn expires_at(&self, claims: &Claims<'_>) -> u64 {
        claims.issued_at.saturating_add(self.max_age).saturating_add(self.skew).saturating_add(1)
    }
}

/// What a replay store remembers of a request: SHA-256 of key id, a zero byte and nonce, base64url.
pub fn replay_key(claims: &Claims<'_>) -> String {
    digest::of(&[claims.key_id, "\0", claims.nonce].concat())
}

/// The longest value has a signature of the longest algorithm.
const _: () = {
    let signature = 4627_usize.div_ceil(3) * 4;
    let claims = claims::MAX_BYTES.div_ceil(3) * 4;
    assert!(PREFIX.len() + claims + 1 + signature <= MAX_BYTES, "the longest claims fit");
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tests::claims;
    use std::format;
    use std::vec;

    fn value() -> String {
        write(&claims().write().unwrap(), &[7; 64])
    }

    fn refusal(values: &[&str]) -> Option<Code> {
        open(values).err()
    }

    #[test]
    fn t38_a_value_is_ascii_without_white_space_whatever_the_audience() {
        for audience in ["a\r\nX: y", "\"", "\u{1F600}"] {
            let value = write(&Claims { audience: &quoted(audience), ..claims() }.write().unwrap(), &[7; 64]);
            assert!(
                value
                    .strip_prefix(PREFIX)
                    .unwrap()
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            );
            assert!(open(&[&value]).is_ok());
        }
    }

    #[test]
    fn r26_there_is_one_value_of_one_form() {
        let value = value();
        assert_eq!(value.len(), 557);
        assert!(open(&[&value]).is_ok());
        assert_eq!(refusal(&[]), Some(Code::Missing));
        assert_eq!(refusal(&[&value, &value]), Some(Code::Malformed));
        let body = value.strip_prefix(PREFIX).unwrap();
        for wrong in [
            String::new(),
            format!("{value}, {value}"),
            format!("{value} "),
            format!(" {value}"),
            format!("{value}="),
            format!("{value}."),
            format!("sx v2.{body}"),
            format!("SX V2.{body}"),
            format!("SX v2 {body}"),
            format!("Bearer {body}"),
            value.replace('.', ""),
            write(&claims().write().unwrap(), &[7; 63]),
            write(&claims().write().unwrap(), &[7; 4627]),
            write(&claims().write().unwrap(), &[]),
        ] {
            assert_eq!(refusal(&[&wrong]), Some(Code::Malformed), "{wrong}");
        }
        assert_eq!(refusal(&[&"a".repeat(MAX_BYTES + 1)]), Some(Code::TooLarge));
        assert_eq!(refusal(&[&"a".repeat(MAX_BYTES)]), Some(Code::Malformed));
    }

    #[test]
    fn r29_the_old_format_has_a_refusal_of_its_own() {
        let legacy = "SX 9e60d5b6-c96e-4272-9526-e02081ed1770:1795186159:c2lnbmF0dXJl";
        assert_eq!(refusal(&[legacy]), Some(Code::UnboundRejected));
        assert_eq!(refusal(&[&format!("{legacy}, {legacy}")]), Some(Code::Malformed));
    }

    #[test]
    fn t37_the_edges_of_the_clock() {
        let iat = claims().issued_at;
        let check = |now| {
            let audiences = vec!["https://api.example.com"];
            Policy { audiences, now, max_age: 300, skew: 60 }.check(&claims())
        };
        assert_eq!(check(iat), Ok(()));
        assert_eq!(check(iat + 300), Ok(()));
        assert_eq!(check(iat + 301), Err(Code::Expired));
        assert_eq!(check(iat - 60), Ok(()));
        assert_eq!(check(iat - 61), Err(Code::NotYetValid));
    }

    #[test]
    fn r15_audiences_are_compared_as_they_are() {
        let check = |audience| {
            let policy =
                Policy { audiences: vec![audience], now: claims().issued_at, max_age: 300, skew: 60 };
            policy.check(&claims())
        };
        assert_eq!(check("https://api.example.com"), Ok(()));
        for wrong in ["https://api.example.co", "https://API.example.com", "https://api.example.com/", ""] {
            assert_eq!(check(wrong), Err(Code::WrongAudience), "{wrong}");
        }
    }

    #[test]
    fn what_is_remembered_depends_on_key_and_nonce_alone() {
        let key = replay_key(&claims());
        assert_eq!(key.len(), 43);
        assert_eq!(replay_key(&Claims { audience: "\"x\"", ..claims() }), key);
        assert_ne!(replay_key(&Claims { nonce: "AAECAwQFBgcICQoLDA0OEA", ..claims() }), key);
        let policy = Policy { audiences: vec![], now: 1, max_age: 300, skew: 60 };
        assert_eq!(policy.expires_at(&claims()), claims().issued_at + 361);
    }
}
