//! The claims of a request: what its signature binds (protocol, section 25).

use alloc::string::String;
use sx_core::ids::is_uuid;
use sx_core::keys::Algorithm;
use sx_json::{write_string_into, write_whole};

use crate::digest::is_bytes;
use crate::method;

/// Of their text, in bytes.
pub(crate) const MAX_BYTES: usize = 1024;
/// A date after the year 2242 is a mistake, such as milliseconds.
const LATEST: u64 = 1 << 33;

/// What a request is bound to, and who has signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims<'a> {
    /// Of the key.
    pub algorithm: Algorithm,
    /// The agent.
    pub agent_id: &'a str,
    /// The version of its agent document.
    pub agent_version: &'a str,
    /// The thumbprint of the key (RFC 7638).
    pub key_id: &'a str,
    /// Whom the request is for, as JSON writes it, in quotes: see [`quoted`].
    pub audience: &'a str,
    /// When it was signed, Unix seconds.
    pub issued_at: u64,
    /// 16 random bytes, base64url.
    pub nonce: &'a str,
    /// In upper case.
    pub method: &'a str,
    /// SHA-256 of the URL in normal form, base64url.
    pub url_digest: &'a str,
    /// SHA-256 of the body, base64url.
    pub body_digest: &'a str,
}

impl<'a> Claims<'a> {
    /// The canonical text; `None` if it is too long, or a claim is not valid.
    pub fn write(&self) -> Option<String> {
        let date = write_whole(self.issued_at);
        let text = [
            "{\"alg\":\"",
            self.algorithm.name(),
            "\",\"aud\":",
            self.audience,
            ",\"bd\":\"",
            self.body_digest,
            "\",\"iat\":",
            &date,
            ",\"kid\":\"",
            self.key_id,
            "\",\"m\":\"",
            self.method,
            "\",\"n\":\"",
            self.nonce,
            "\",\"sub\":\"",
            self.agent_id,
            ":",
            self.agent_version,
            "\",\"ud\":\"",
            self.url_digest,
            "\",\"v\":2}",
        ]
        .concat();
        (Claims::read(&text).as_ref() == Some(self)).then_some(text)
    }

    /// Reads claims. They have one text only, so that nothing has to be read as JSON: any other one is refused.
    pub fn read(text: &'a str) -> Option<Self> {
        let mut rest = Rest(text);
        rest.skip("{\"alg\":\"")?;
        let algorithm = rest.until("\",\"aud\":")?;
        let audience = rest.string()?;
        rest.skip(",\"bd\":\"")?;
        let body_digest = rest.until("\",\"iat\":")?;
        let issued_at = rest.until(",\"kid\":\"")?;
        let key_id = rest.until("\",\"m\":\"")?;
        let method = rest.until("\",\"n\":\"")?;
        let nonce = rest.until("\",\"sub\":\"")?;
        let agent_id = rest.until(":")?;
        let agent_version = rest.until("\",\"ud\":\"")?;
        let url_digest = rest.until("\",\"v\":2}")?;
        let algorithm = Algorithm::parse(algorithm).filter(|one| one.name() == algorithm)?;
        let issued_at = seconds(issued_at)?;
        let is_valid = rest.0.is_empty()
            && text.len() <= MAX_BYTES
            && audience.len() > 2
            && is_uuid(agent_id)
            && is_uuid(agent_version)
            && is_bytes(nonce, 16)
            && method::is_normal(method)
            && [key_id, url_digest, body_digest].iter().all(|digest| is_bytes(digest, 32));
        is_valid.then_some(Self {
            algorithm,
            agent_id,
            agent_version,
            key_id,
            audience,
            issued_at,
            nonce,
            method,
            url_digest,
            body_digest,
        })
    }
}

/// A text as claims have it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    write_string_into(text, &mut quoted);
    quoted
}

/// What of a text was not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    #[inline(never)]
    fn skip(&mut self, expected: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(expected)?;
        Some(())
    }

    /// What stands before a text, which begins with a character that does not stand there.
    #[inline(never)]
    fn until(&mut self, end: &str) -> Option<&'a str> {
        let first = end.bytes().next()?;
        let at = self.0.bytes().position(|byte| byte == first)?;
        let (found, rest) = self.0.split_at_checked(at)?;
        self.0 = rest;
        self.skip(end)?;
        Some(found)
    }

    /// A string in its canonical form (RFC 8785), with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let mut is_escaped = false;
        let is_end = |(at, byte): &(usize, u8)| {
            let ends = *byte == b'"' && !is_escaped && *at > 0;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        };
        let (end, _) = self.0.bytes().enumerate().find(is_end)?;
        let (found, rest) = self.0.split_at_checked(end.checked_add(1)?)?;
        self.0 = rest;
        (quoted(&unquoted(found)?) == found).then_some(found)
    }
}

/// What a string says, if its form is right; its escapes may be others than the canonical ones.
fn unquoted(text: &str) -> Option<String> {
    let mut characters = text.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut said = String::new();
    while let Some(character) = characters.next() {
        said.push(match character {
            '\\' => match characters.next()? {
                'b' => '\u{8}',
                'f' => '\u{C}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let (code, _) = characters.as_str().split_at_checked(4)?;
                    characters.nth(3);
                    char::from_u32(u32::from_str_radix(code, 16).ok()?)?
                }
                itself => itself,
            },
            itself => itself,
        });
    }
    Some(said)
}

/// Unix seconds in the range that claims have.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let whole = whole(text)?;
    (1..LATEST).contains(&whole).then_some(whole)
}

/// A whole number in its canonical form.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let number = text.parse().ok()?;
    (write_whole(number) == text).then_some(number)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::format;

    pub(crate) fn claims() -> Claims<'static> {
        Claims {
            algorithm: Algorithm::Ed25519,
            agent_id: "9e60d5b6-c96e-4272-9526-e02081ed1770",
            agent_version: "47d31f52-e2ae-4be4-85c1-0d9053cad3d5",
            key_id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
            audience: "\"https://api.example.com\"",
            issued_at: 1_795_186_159,
            nonce: "AAECAwQFBgcICQoLDA0ODw",
            method: "POST",
            url_digest: "6KbxeZxH3HMQCWKxFPKsuZBD2Euq_kxUNGNFCdrnHn4",
            body_digest: "O9O8aRRjZZqGTzSDxaBc8Xh11r_wZT87iaF-Sqx35eI",
        }
    }

    fn is_read(text: &str) -> bool {
        Claims::read(text).is_some()
    }

    #[test]
    fn claims_read_back_as_they_were_written() {
        let text = claims().write().unwrap();
        assert_eq!(text.len(), 348);
        assert_eq!(Claims::read(&text), Some(claims()));
        let audience = quoted("a \"b\" \\ \r\n\t\u{1}\u{7F} \u{E9}\u{1F600}");
        let claims = Claims { audience: &audience, ..claims() };
        assert_eq!(Claims::read(&claims.write().unwrap()), Some(claims));
    }

    #[test]
    fn r20_claims_have_one_text() {
        let text = claims().write().unwrap();
        assert!(is_read(&text));
        for (from, to) in [
            ("{\"alg\"", "{ \"alg\""),
            ("\"v\":2", "\"v\":2.0"),
            ("\"v\":2", "\"v\":3"),
            ("\"v\":2", "\"v\":2,\"x\":1"),
            ("\"v\":2", "\"v\":2,\"v\":2"),
            (",\"v\":2", ""),
            ("\"alg\":\"ed25519\",", ""),
            ("ed25519", "none"),
            ("\"POST\"", "\"post\""),
            ("\"POST\"", "\"PO\\u0053T\""),
            ("\"https://api.example.com\"", "\"\""),
            ("\"https://api.example.com\"", "[\"https://api.example.com\"]"),
            ("9e60d5b6", "9E60D5B6"),
            (":47d31f52", "47d31f52"),
            ("Dw\"", "Dx\""),
            ("rS4k", "rS4l"),
        ] {
            assert_ne!(text.replacen(from, to, 1), text, "{from}");
            assert!(!is_read(&text.replacen(from, to, 1)), "{from} {to}");
        }
        // The first two members change places.
        let (head, tail) = text.split_once(",\"bd\"").unwrap();
        let (alg, aud) = head.strip_prefix('{').unwrap().split_once(',').unwrap();
        assert!(!is_read(&format!("{{{aud},{alg},\"bd\"{tail}")));
    }

    #[test]
    fn t37_dates_are_whole_seconds_since_1970() {
        let text = claims().write().unwrap();
        let with = |iat: &str| is_read(&text.replace("1795186159", iat));
        for right in ["1", "1795186159", "8589934591"] {
            assert!(with(right), "{right}");
        }
        for wrong in ["0", "-1", "1.5", "\"1\"", "1e400", "8589934592", "1795186159000", "null"] {
            assert!(!with(wrong), "{wrong}");
        }
    }

    #[test]
    fn claims_that_nobody_could_read_are_not_written() {
        let long = quoted(&"a".repeat(MAX_BYTES));
        for wrong in [
            Claims { audience: "", ..claims() },
            Claims { audience: "\"\"", ..claims() },
            Claims { audience: "a", ..claims() },
            Claims { audience: "\"a", ..claims() },
            Claims { audience: "\"a\",\"b\"", ..claims() },
            Claims { audience: "\"a\nb\"", ..claims() },
            Claims { audience: "\"\\u0061\"", ..claims() },
            Claims { audience: "\"\\u00e\"", ..claims() },
            Claims { audience: "\"\\ud800\"", ..claims() },
            Claims { audience: "\"\\/\"", ..claims() },
            Claims { audience: "\"\\\"", ..claims() },
            Claims { audience: &long, ..claims() },
            Claims { issued_at: 0, ..claims() },
            Claims { agent_id: "x", ..claims() },
            Claims { body_digest: "", ..claims() },
        ] {
            assert_eq!(wrong.write(), None, "{wrong:?}");
        }
    }
}
