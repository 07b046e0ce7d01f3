//! JPEG: the signature is an `APP11` segment after the leading run of `APP0` and `APP1`.
//!
//! JFIF wants to be first and Exif early; `APP2` with its Multi-Picture index counts from itself,
//! so what stands before it may grow.

pub(crate) mod own;
pub(crate) mod segments;

use crate::format::Format;
use crate::metadata::{Met, Scan, Simple};
use crate::pieces::Pieces;
use crate::problem::Problem;
use crate::source::Window;
use own::Numbers;
use segments::{Event, Segment, Segments};

const APP0: u8 = 0xE0;
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
pub(crate) const APP11: u8 = 0xEB;
const SOS: u8 = 0xDA;
/// How the `APP2` segment of a Multi-Picture index begins (CIPA DC-007), whose offsets count from itself.
pub(crate) const MPF: &[u8] = b"MPF\0";

pub(crate) struct Jpeg {
    simple: Simple,
    number: [u8; 2],
}

pub(crate) fn scan(window: &mut Window<'_>) -> Jpeg {
    let mut met = Met::default();
    let mut c2pa: Option<core::ops::Range<usize>> = None;
    let mut segments = Segments::new(0);
    let mut numbers = Numbers::default();
    let mut candidate = None;
    let mut place = segments.at;
    let mut leading = true;
    let mut regular = true;
    let mut first_scan = None;
    let mut indexed = false;
    while let Some(event) = segments.next(window) {
        let Event::Segment(segment) = event else {
            leading = false;
            regular &= first_scan.is_some();
            continue;
        };
        // Amid coded data a store would be one that changes the picture, and behind an index of other images it
        // would change which bytes they are.
        if segment.marker == APP11
            && c2pa.is_none()
            && first_scan.is_none()
            && regular
            && !indexed
            && let Some(end) = own::c2pa_end(window, &segment)
        {
            c2pa = Some(segment.range.start..end);
            segments.at = end;
            continue;
        }
        if own::looks_own(window, &segment) {
            met.chunk(segment.range.clone(), None);
            candidate = Some(segment);
            continue;
        }
        indexed |= segment.marker == APP2 && window.starts_with(content(&segment).start, MPF);
        if segment.marker == APP11 {
            numbers.take(window, &segment);
        }
        if leading && matches!(segment.marker, APP0 | APP1) {
            place = segment.range.end;
        } else {
            leading = false;
        }
        if segment.marker == SOS {
            first_scan.get_or_insert(segment.range.start);
        }
    }
    let number = numbers.free();
    if let Some(segment) = candidate.as_ref() {
        met.payload(own::payload(window, segment, number));
    } else if first_scan.is_none() || !regular {
        // A marker or a length is wrong, perhaps that of our segment: damaged then, not missing.
        if let Some(at) = own::anywhere(window, first_scan) {
            met.chunk(at..at, None);
        }
    }
    let remains = met.remains();
    let channel = met.channel(place, c2pa.as_ref(), first_scan.is_some());
    let simple =
        Simple { format: Format::Jpeg, complete: first_scan.is_some(), place, channel, c2pa, remains };
    Jpeg { simple, number }
}

impl Jpeg {
    pub fn found(self, window: &Window<'_>) -> Scan {
        self.simple.found(window)
    }

    pub fn strip(self, window: &Window<'_>, with_remains: bool) -> Result<Pieces, Problem> {
        self.simple.strip(window, with_remains)
    }

    pub fn embed(self, window: &Window<'_>, payload: &str) -> Result<Pieces, Problem> {
        self.simple.insert(window, &own::segment(payload.as_bytes(), self.number))
    }
}

/// The content of a segment: what stands after its length.
fn content(segment: &Segment) -> core::ops::Range<usize> {
    segment.range.start.saturating_add(4)..segment.range.end
}
