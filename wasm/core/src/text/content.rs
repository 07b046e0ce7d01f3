//! Whether the text before the blocks is the one that a block signs, and what has changed if not.

use super::block::Claim;
use super::layout::is_blank;
use crate::error::{Code, Error, Result};
use crate::hash::hex;
use alloc::string::String;
use alloc::vec::Vec;
use sha2::{Digest as _, Sha256};

/// Of so many lengths it is looked whether only blanks were added or removed at the end.
const ENDS: usize = 4;
/// So many line feeds may be missing at the end to be named as the reason.
const MISSING: usize = 16;

/// Length and hash of a text, and of the text without the line feed at its end that a signature may
/// have added.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digests {
    whole: Claim,
    /// `None` where no signature has added a line feed: the text ends in two of them, or has no other bytes.
    short: Option<Claim>,
}

impl Digests {
    /// Of a text as it is.
    fn of(text: &[u8]) -> Self {
        let mut hash = Running::default();
        let Some(body) = text.strip_suffix(b"\n") else {
            hash.add(text);
            return Self { whole: hash.claim(), short: None };
        };
        hash.add(body);
        let short = (!body.is_empty() && !body.ends_with(b"\n")).then(|| hash.clone().claim());
        hash.add(b"\n");
        Self { whole: hash.claim(), short }
    }

    /// Of a text with other line ends, or without blanks before them.
    fn of_lines(text: &[u8], end: Option<&[u8]>, trim: bool) -> Self {
        let mut hash = Running::default();
        let mut pending: &[u8] = b"";
        let mut last: &[u8] = b"";
        for line in text.split_inclusive(|b| *b == b'\n') {
            hash.add(pending);
            let (body, own) = parts(line);
            last = if trim { trimmed(body) } else { body };
            hash.add(last);
            pending = if own.is_empty() { own } else { end.unwrap_or(own) };
        }
        let short = (!last.is_empty() && !pending.is_empty()).then(|| hash.clone().claim());
        hash.add(pending);
        Self { whole: hash.claim(), short }
    }

    fn has(&self, claim: &Claim) -> bool {
        self.whole == *claim || self.short.as_ref() == Some(claim)
    }
}

/// A line without its end, and its end.
fn parts(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(body) = line.strip_suffix(b"\n") else { return (line, b"") };
    match body.strip_suffix(b"\r") {
        Some(body) => (body, b"\r\n"),
        None => (body, b"\n"),
    }
}

/// A line without the spaces and tabs at its end.
fn trimmed(body: &[u8]) -> &[u8] {
    let end = body.iter().rposition(|b| !matches!(b, b' ' | b'\t')).map_or(0, |last| last.saturating_add(1));
    body.get(..end).unwrap_or_default()
}

#[derive(Clone, Default)]
struct Running {
    hash: Sha256,
    length: usize,
}

impl Running {
    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.length = self.length.saturating_add(bytes.len());
    }

    fn claim(self) -> Claim {
        Claim { length: self.length, sha256: hex(&self.hash.finalize()) }
    }
}

/// What is signed where a text has no blocks yet.
pub fn claim_of(text: &[u8]) -> Claim {
    let mut running = Running::default();
    running.add(text);
    running.claim()
}

/// The text before the blocks, to compare claims with. What costs time is done once, and only if a
/// claim does not fit.
pub struct Content<'a> {
    text: &'a [u8],
    digests: Digests,
    /// With all line ends changed to LF, and to CRLF.
    converted: Option<[Digests; 2]>,
    /// Without blanks at the ends of lines.
    trimmed: Option<Digests>,
    /// Cut or continued to a length.
    ended: Vec<(usize, Option<String>)>,
}

impl<'a> Content<'a> {
    /// The text before the first block: it is empty or ends with a line feed.
    pub fn of(text: &'a [u8]) -> Self {
        Self { text, digests: Digests::of(text), converted: None, trimmed: None, ended: Vec::new() }
    }

    /// What the next signer signs: the text, without the line feed at its end if none of those who have
    /// signed before counts it.
    pub fn to_sign<'c>(&self, mut claims: impl Iterator<Item = &'c Claim>) -> Claim {
        match &self.digests.short {
            Some(short) if claims.all(|claim| claim.length == short.length) => short.clone(),
            _ => self.digests.whole.clone(),
        }
    }

    /// Whether this is the text that was signed.
    ///
    /// Errors: `LineEndingsChanged`, `TrailingWhitespace`, `HashMismatch`.
    pub fn check(&mut self, claim: &Claim) -> Result<()> {
        if self.digests.has(claim) {
            return Ok(());
        }
        let text = self.text;
        let convert = || [&b"\n"[..], b"\r\n"].map(|end| Digests::of_lines(text, Some(end), false));
        if self.converted.get_or_insert_with(convert).iter().any(|digests| digests.has(claim)) {
            return Err(Code::LineEndingsChanged.into());
        }
        let trim = || Digests::of_lines(text, None, true);
        if self.trimmed.get_or_insert_with(trim).has(claim) || self.is_ended(claim) {
            return Err(Code::TrailingWhitespace.into());
        }
        Err(Error::new(Code::HashMismatch, "The text was changed after it was signed."))
    }

    /// Whether only blanks were added at the end, or line feeds removed.
    fn is_ended(&mut self, claim: &Claim) -> bool {
        let known = self.ended.iter().find(|(length, _)| *length == claim.length);
        if let Some((_, sha256)) = known {
            return sha256.as_ref() == Some(&claim.sha256);
        }
        if self.ended.len() >= ENDS {
            return false;
        }
        let sha256 = ended(self.text, claim.length).map(|claim| claim.sha256);
        let is_same = sha256.as_ref() == Some(&claim.sha256);
        self.ended.push((claim.length, sha256));
        is_same
    }
}

/// The text with blanks cut off or line feeds added until it has this length.
fn ended(text: &[u8], length: usize) -> Option<Claim> {
    if let Some((text, rest)) = text.split_at_checked(length) {
        return rest.iter().all(|b| is_blank(*b)).then(|| claim_of(text));
    }
    let missing = length.checked_sub(text.len()).filter(|missing| *missing <= MISSING)?;
    let mut running = Running::default();
    running.add(text);
    (0..missing).for_each(|_| running.add(b"\n"));
    Some(running.claim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(now: &str, signed: &str) -> Option<Code> {
        Content::of(now.as_bytes()).check(&claim_of(signed.as_bytes())).err().map(|error| error.code)
    }

    #[test]
    fn the_line_feed_that_a_signature_adds_does_not_count() {
        for text in ["", "\n", "a\n", "a\n\n", "a\r\n", "\r\n"] {
            assert_eq!(check(text, text), None, "{text:?}");
        }
        for (now, signed) in [("a\n", "a"), ("a\r\n", "a\r"), ("\r\n", "\r"), ("a\nb \n", "a\nb ")] {
            assert_eq!(check(now, signed), None, "{now:?}");
        }
    }

    #[test]
    fn t22_blanks_at_ends_are_told_but_do_not_verify() {
        for (now, signed) in [
            ("a\n\n", "a\n"),
            ("a\n\n", "a"),
            ("\n", ""),
            ("a  \nb\n", "a\nb\n"),
            ("a\t\r\nb\n", "a\r\nb\n"),
            ("a\nb  \n", "a\nb"),
            ("a\n", "a\n\n"),
            ("a \n", "a\n"),
            ("a\n\t\r\n", "a\n"),
        ] {
            assert_eq!(check(now, signed), Some(Code::TrailingWhitespace), "{now:?} {signed:?}");
        }
    }

    #[test]
    fn t23_converted_line_ends_are_told_but_do_not_verify() {
        for (now, signed) in [
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb"),
            ("a\nb\n", "a\r\nb\r\n"),
            ("a\nb\n", "a\r\nb"),
            ("a\r\n\r\n", "a\n\n"),
        ] {
            assert_eq!(check(now, signed), Some(Code::LineEndingsChanged), "{now:?} {signed:?}");
        }
    }

    #[test]
    fn anything_else_is_another_text() {
        for (now, signed) in [
            ("a\n", "b\n"),
            ("a\n", ""),
            ("", "a"),
            (" a\n", "a\n"),
            ("a\u{b}\n", "a\n"),
            ("a\u{c}\n", "a\n"),
            ("a\u{2028}\n", "a\n"),
            ("a\0\n", "a\n"),
            ("a\rb\n", "a\n"),
            ("a\rb\n", "a\nb\n"),
            ("a b\n", "a  b\n"),
        ] {
            assert_eq!(check(now, signed), Some(Code::HashMismatch), "{now:?} {signed:?}");
        }
    }

    #[test]
    fn a_second_signer_counts_the_last_line_feed_as_the_first_one_did() {
        let next = |text: &str, others: &[&str]| {
            let claims: Vec<_> = others.iter().map(|other| claim_of(other.as_bytes())).collect();
            Content::of(text.as_bytes()).to_sign(claims.iter())
        };
        assert_eq!(next("a\n", &["a"]), claim_of(b"a"));
        assert_eq!(next("a\n", &["a\n"]), claim_of(b"a\n"));
        assert_eq!(next("a\n", &["a", "a\n"]), claim_of(b"a\n"));
        assert_eq!(next("a\n\n", &["a\n"]), claim_of(b"a\n\n"));
        assert_eq!(next("", &[""]), claim_of(b""));
    }
}
