//! Verifying an image: what was found in it, its signature, and the keys that are known.

use super::claim::Claim;
use super::found::{Found, Mark, missing, not_as_written};
use crate::answer;
use crate::document::SignatureField;
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Value};
use crate::ring::Ring;
use crate::verify::{Verdict, Verification};
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

/// An image that was looked at and waits for the keys of its signer.
pub struct ImageVerification {
    state: State,
    has_c2pa: bool,
}

enum State {
    Missing(Error),
    Damaged(Error),
    Signed {
        verification: Verification,
        coverage: &'static str,
        /// Whether the signature is written as it has to be, and the image is what it claims; and what was recorded of
        /// it and is lost.
        is_kept: Result<Vec<String>>,
    },
}

impl ImageVerification {
    /// Takes what was found in an image; `sha256` is that of the content that the scan names, as 64 lower-case
    /// hexadecimal digits. What is wrong is said by [`finish`](Self::finish).
    ///
    /// Errors: `Internal` for what is no answer of `sx_media`.
    pub fn start(found: &Found, sha256: &str) -> Result<Self> {
        let state = match found.mark(sha256)? {
            Mark::None(rest) => State::Missing(missing(rest)),
            Mark::Damaged(error) => State::Damaged(error),
            Mark::Signed { text, found, is_exact } => State::Signed {
                verification: Verification::start(&text, &Limits::default()),
                coverage: match found {
                    Claim::File { .. } => "file",
                    Claim::Pixels { .. } => "pixels",
                },
                is_kept: check(&text, &found, is_exact),
            },
        };
        Ok(Self { state, has_c2pa: found.has_c2pa() })
    }

    /// The agent whose keys are needed, if the image names one that could exist.
    pub fn signer_id(&self) -> Option<&str> {
        match &self.state {
            State::Signed { verification, .. } => verification.signer_id(SignatureField::Document),
            _ => None,
        }
    }

    /// Decides. Two lines of JSON: `{}`, or `{"error": {code, found}}` if the image is not valid, and the
    /// result as every API shows it.
    pub fn finish(self, ring: &Ring) -> String {
        let (status, coverage, lost, verdict) = match self.state {
            State::Missing(error) => ("missing_signature", None, vec![], Verdict::unread(error)),
            State::Damaged(error) => ("invalid", None, vec![], Verdict::unread(error)),
            State::Signed { verification, coverage, is_kept } => {
                let mut verdict = verification.finish(ring);
                let lost = match (&verdict.outcome, is_kept) {
                    (Ok(_), Ok(lost)) => lost,
                    (Ok(_), Err(error)) => {
                        verdict.outcome = Err(error);
                        vec![]
                    }
                    (Err(_), _) => vec![],
                };
                let status = if verdict.outcome.is_ok() { "valid" } else { "invalid" };
                (status, Some(coverage), lost, verdict)
            }
        };
        let error = verdict.outcome.as_ref().err();
        // The pixels say nothing of anything else in the file.
        let unsigned = self.has_c2pa && error.is_none() && coverage == Some("file");
        let regions: Vec<Value> = if unsigned { vec!["c2pa".into()] } else { vec![] };
        let mut members = verdict.signed_by();
        members.push(("status", status.into()));
        members.push(("unsignedRegions", regions.into()));
        members.push(("lost", lost.into_iter().map(Value::from).collect::<Vec<Value>>().into()));
        if let Some(coverage) = coverage {
            members.push(("coverage", coverage.into()));
        }
        let errors = error.iter().map(|error| error.to_string().into()).collect();
        answer::signed(error, errors, members)
    }
}

/// Whether a document is written in the one way, and claims what was found; what of its claim is lost.
fn check(text: &[u8], found: &Claim, is_exact: bool) -> Result<Vec<String>> {
    let document = json::parse(text, &Limits::default())?;
    if json::write(&document).as_bytes() != text {
        return Err(not_as_written());
    }
    let claim = Claim::of(document.as_object().ok_or(Code::InvalidDocument)?, found)?;
    if !is_exact {
        return Err(Error::new(
            Code::BadSignature,
            "The pixels that contain the signature of the image were changed.",
        ));
    }
    claim.check(found)?;
    Ok(claim.lost(found))
}
