//! PNG: the signature is an uncompressed `iTXt` chunk directly after `IHDR`.
//!
//! There it disturbs nobody: chunks that point ahead (Apple's `iDOT`) come later.

pub(crate) mod chunks;

use crate::crc::crc32;
use crate::format::Format;
use crate::metadata::{self, Met, Simple};
use crate::pieces::Pieces;
use crate::problem::Problem;
use crate::source::Window;
use alloc::string::String;
use alloc::vec::Vec;
use chunks::{Chunks, IHDR_END};

/// Type, keyword, no compression, no language, no translated keyword.
const HEAD: &[u8] = b"iTXtsx-agent.signature\0\0\0\0\0";

/// The keyword alone: what stands around it stands in chunks of others, too.
const KEYWORD: &[u8; 18] = b"sx-agent.signature";

/// The bytes of our chunk for a payload.
fn chunk(payload: &[u8]) -> Vec<u8> {
    let type_length = 4;
    let length = HEAD.len().saturating_sub(type_length).saturating_add(payload.len()) as u32;
    let crc = crc32(&[HEAD, payload]);
    [&length.to_be_bytes(), HEAD, payload, &crc.to_be_bytes()].concat()
}

pub(crate) struct Png(Simple);

pub(crate) fn scan(window: &mut Window<'_>) -> Png {
    let mut met = Met::default();
    let mut c2pa = None;
    let mut is_fixed = false;
    let mut last = 0;
    let mut chunks = Chunks::new();
    while let Some(chunk_at) = chunks.next(window) {
        let keyword = chunk_at.range.start.saturating_add(8);
        last = chunk_at.range.start;
        // Between the data a store would be one that changes the picture, and behind Apple's index of the data it
        // would change which bytes that names.
        is_fixed |= matches!(&chunk_at.kind, b"IDAT" | b"iDOT");
        if chunk_at.kind == *b"caBX" && !is_fixed && c2pa.is_none() {
            c2pa = Some(chunk_at.range);
        } else if metadata::has(window, KEYWORD, keyword, chunk_at.range.end) {
            let payload = payload_of(window, &chunk_at.range);
            met.chunk(chunk_at.range, payload);
        }
    }
    if !chunks.complete && met.is_empty() {
        // A length is wrong, perhaps that of our chunk: then the signature is damaged, not missing. The last
        // chunk that was read may be what a wrong length has left of ours.
        let rest = last..window.size();
        if let Some(place) = window.places(HEAD.get(4..).unwrap_or_default(), rest).next() {
            met.chunk(place..place, None);
        }
    }
    let remains = met.remains();
    let channel = met.channel(IHDR_END, c2pa.as_ref(), chunks.complete);
    let complete = chunks.complete;
    Png(Simple { format: Format::Png, complete, place: IHDR_END, channel, c2pa, remains })
}

fn payload_of(window: &mut Window<'_>, range: &core::ops::Range<usize>) -> Option<String> {
    let bytes = window.copy(range.clone())?;
    let crc_at = bytes.len().checked_sub(4)?;
    let payload = metadata::payload(bytes.get(HEAD.len().saturating_add(4)..crc_at)?)?;
    (chunk(payload.as_bytes()) == bytes).then_some(payload)
}

impl Png {
    pub fn found(self, window: &Window<'_>) -> crate::metadata::Scan {
        self.0.found(window)
    }

    pub fn strip(self, window: &Window<'_>, with_remains: bool) -> Result<Pieces, Problem> {
        self.0.strip(window, with_remains)
    }

    pub fn embed(self, window: &Window<'_>, payload: &str) -> Result<Pieces, Problem> {
        self.0.insert(window, &chunk(payload.as_bytes()))
    }
}
