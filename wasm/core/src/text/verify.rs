//! Verifying a text: all its signatures at once, with the keys that are known.

use super::block::{self, Claim};
use super::content::Content;
use super::layout::{Layout, Span};
use super::sign::signer_of;
use super::warnings::{Warning, warnings};
use super::{check_size, malformed, text_of};
use crate::answer;
use crate::document::SignatureField;
use crate::error::{Code, Error, Result};
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value, object};
use crate::ring::Ring;
use crate::verify::{Verdict, Verification};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// In so many bytes at its beginning a block has named its signer.
const HEAD: usize = 2048;

/// A text that was read and waits for the keys of its signers. It holds nothing of the text itself.
pub struct TextVerification {
    state: State,
    /// Bytes that the signers have signed, if they all have signed the same.
    length: usize,
    warnings: Vec<Warning>,
}

enum State {
    /// There is no marker in it.
    Unsigned,
    /// It has blocks as the library writes them, and nothing else after the first one.
    Signed(Vec<Signed>),
    /// Nothing in it can be relied on: why, and what is known of its signatures.
    Malformed(Error, Vec<Malformed>),
}

/// A block in a text that is not malformed.
struct Signed {
    verification: Verification,
    signer: String,
    /// Whether the block, and the text before it, are as they were signed.
    is_kept: Result<()>,
}

/// A block in a text that is malformed.
struct Malformed {
    /// Whom it names; empty if that cannot be told.
    signer: String,
    error: Error,
}

/// What is said of a signer.
struct Outcome {
    verdict: Verdict,
    status: &'static str,
}

impl TextVerification {
    /// Reads a text. What is wrong with it is said by [`finish`](Self::finish).
    ///
    /// Errors: `LimitExceeded`, for the bytes and for the signatures.
    pub fn start(bytes: &[u8], limits: &Limits) -> Result<Self> {
        check_size(bytes.len(), limits)?;
        let text = text_of(bytes);
        let warnings = text.as_ref().map_or_else(|_| Vec::new(), |text| warnings(text));
        let layout = Layout::of(bytes)?;
        let mut length = bytes.len();
        let state = if let Some(fault) = &layout.fault {
            State::Malformed(fault.clone(), malformed_blocks(&layout, fault))
        } else if layout.blocks.is_empty() {
            match &text {
                Ok(_) => State::Unsigned,
                Err(error) => State::Malformed(error.clone(), Vec::new()),
            }
        } else {
            read_all(&layout, text.map(|_| ()), &mut length)
        };
        Ok(Self { state, length, warnings })
    }

    /// The agents whose keys are needed, each once, in the order of their signatures.
    pub fn signer_ids(&self) -> Vec<&str> {
        let State::Signed(blocks) = &self.state else { return Vec::new() };
        blocks.iter().filter_map(|block| block.verification.signer_id(SignatureField::Document)).collect()
    }

    /// Decides on every signature. Two lines of JSON: `{}`, or `{"error": {code, found}}` if the text is not valid,
    /// and the result as every API shows it.
    pub fn finish(self, ring: &Ring) -> String {
        let Self { state, length, warnings } = self;
        let (status, error, outcomes) = match state {
            State::Unsigned => {
                let found = "The text has no signature.";
                ("missing_signature", Some(Error::new(Code::MissingSignature, found)), Vec::new())
            }
            State::Malformed(error, blocks) => {
                ("malformed", Some(error), blocks.into_iter().map(Malformed::outcome).collect())
            }
            State::Signed(blocks) => {
                let outcomes: Vec<_> = blocks.into_iter().map(|block| block.outcome(ring)).collect();
                let error = outcomes.iter().find_map(|outcome| outcome.verdict.outcome.as_ref().err());
                ("signed", error.cloned(), outcomes)
            }
        };
        let errors: Vec<Value> = match status {
            "signed" => outcomes.iter().filter_map(Outcome::sentence).map(Value::from).collect(),
            _ => error.iter().map(|error| error.to_string().into()).collect(),
        };
        let length = if error.is_none() { length as f64 } else { 0.0 };
        let warnings: Vec<Value> = warnings.into_iter().map(|one| one.to_object().into()).collect();
        let members = vec![
            ("status", status.into()),
            ("length", Value::Number(length)),
            ("signers", outcomes.iter().map(Outcome::to_value).collect::<Vec<_>>().into()),
            ("warnings", warnings.into()),
        ];
        answer::signed(error.as_ref(), errors, members)
    }
}

/// Reads the blocks of a text in which nothing else is wrong.
fn read_all(layout: &Layout<'_>, is_text: Result<()>, length: &mut usize) -> State {
    let mut content = Content::of(layout.text);
    let mut signed: Vec<Signed> = Vec::new();
    let mut lengths = Vec::new();
    for span in &layout.blocks {
        let Some(Found { document, signer, damage }) = read(span) else {
            return fault(layout, malformed(span.line, "begins a malformed signature"));
        };
        if signed.iter().any(|other| other.signer == signer) {
            return fault(layout, malformed(span.line, "begins a second signature by one signer"));
        }
        let claim = Claim::of(&document);
        lengths.extend(claim.as_ref().map(|claim| claim.length));
        let is_kept = claim
            .and_then(|claim| is_text.clone().and_then(|()| content.check(&claim)))
            .and_then(|()| damage.map_or(Ok(()), |code| Err(code.into())));
        let raw = json::write(&document.into());
        let verification = Verification::start(raw.as_bytes(), &Limits::default());
        signed.push(Signed { verification, signer, is_kept });
    }
    *length = lengths.into_iter().min().unwrap_or_default();
    State::Signed(signed)
}

fn fault(layout: &Layout<'_>, error: Error) -> State {
    let blocks = malformed_blocks(layout, &error);
    State::Malformed(error, blocks)
}

/// A block that could be read.
struct Found {
    document: Object,
    signer: String,
    /// What has happened to the block as a whole since it was written: then it does not verify, but says so.
    damage: Option<Code>,
}

fn read(span: &Span<'_>) -> Option<Found> {
    let text = core::str::from_utf8(span.bytes).ok()?;
    let (document, damage) = match block::read(text) {
        Some(document) => (document, None),
        None => match block::read(&with_lines(text, &['\r'])) {
            Some(document) => (document, Some(Code::LineEndingsChanged)),
            None => (block::read(&with_lines(text, &['\r', ' ', '\t']))?, Some(Code::TrailingWhitespace)),
        },
    };
    Some(Found { signer: signer_of(&document)?, document, damage })
}

/// A text without these characters at the ends of its lines; of a carriage return alone only the last one.
fn with_lines(text: &str, blanks: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        out.push_str(if blanks.len() == 1 {
            body.strip_suffix(blanks).unwrap_or(body)
        } else {
            body.trim_end_matches(blanks)
        });
        out.push_str(end);
    }
    out
}

/// What is known of the signatures of a malformed text. None of them counts, whoever made it: what stands around
/// them may be anybody's.
fn malformed_blocks(layout: &Layout<'_>, fault: &Error) -> Vec<Malformed> {
    let whole = layout.blocks.iter().map(|span| Malformed {
        signer: read(span).map(|found| found.signer).unwrap_or_default(),
        error: fault.clone(),
    });
    let truncated = layout.truncated.iter().map(|span| Malformed {
        signer: named_signer(span.bytes).unwrap_or_default(),
        error: Error::new(Code::TruncatedBlock, format!("The signature on line {} has no end.", span.line)),
    });
    whole.chain(truncated).collect()
}

/// Whom a part of a block names as its signer.
fn named_signer(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let mut ids =
        head.split(|b| *b == b'\n').filter_map(|line| line.trim_ascii_end().strip_prefix(b"  agentID: \""));
    let id = core::str::from_utf8(ids.next()?.strip_suffix(b"\"")?).ok()?;
    is_uuid(id).then(|| id.into())
}

impl Signed {
    fn outcome(self, ring: &Ring) -> Outcome {
        let mut verdict = self.verification.finish(ring);
        if let (Ok(_), Err(error)) = (&verdict.outcome, self.is_kept) {
            verdict.outcome = Err(error);
        }
        if verdict.signer_id.is_empty() {
            verdict.signer_id = self.signer;
        }
        let status = match &verdict.outcome {
            Ok(_) => "valid",
            Err(error) => match error.code {
                Code::UnknownSigner => "unknown_key",
                Code::KeyConflict => "key_conflict",
                _ => "invalid",
            },
        };
        Outcome { verdict, status }
    }
}

impl Malformed {
    fn outcome(self) -> Outcome {
        let verdict = Verdict { signer_id: self.signer, ..Verdict::unread(self.error) };
        Outcome { verdict, status: "invalid" }
    }
}

impl Outcome {
    fn sentence(&self) -> Option<String> {
        self.verdict.outcome.as_ref().err().map(ToString::to_string)
    }

    /// The entry of `signers`.
    fn to_value(&self) -> Value {
        let mut entry = self.verdict.signed_by();
        entry.push(("status", self.status.into()));
        if let Err(error) = &self.verdict.outcome {
            entry.push(("code", error.code.name().into()));
            entry.push(("message", error.message().into()));
        }
        object(entry).into()
    }
}
