//! Our `APP11` segment, in the box form of JPEG systems (ISO/IEC 19566-5), and that of C2PA.

use super::segments::{Event, Segment, Segments};
use super::{APP11, content};
use crate::metadata;
use crate::source::Window;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The kind of our box. Its first four bytes must not be those of C2PA, which looks for them there.
const UUID: &[u8; 16] = b"\x9b\x1c\x52\xe7\x40\x2d\x4a\x8f\xb3\x06\xd7\x75\x18\xc4\x6e\xa1";
/// The description of our box: type, kind, that a label follows by which others may ask for it, label.
const DESCRIPTION: &[u8; 40] =
    b"jumd\x9b\x1c\x52\xe7\x40\x2d\x4a\x8f\xb3\x06\xd7\x75\x18\xc4\x6e\xa1\x03sx-agent.signature\0";
const C2PA: &[u8; 16] = b"c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71";
/// The number C2PA gives its box; a box of ours never has it.
const C2PA_NUMBER: u16 = 0x0211;
/// `JP`, box number, sequence number.
const BEFORE_BOX: usize = 8;

/// Length and type of a box, then what it holds.
fn a_box(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = content.len().saturating_add(8) as u32;
    [&length.to_be_bytes(), kind.as_slice(), &content].concat()
}

/// What an `APP11` of ours holds: a superbox with its description and the payload.
fn boxes(payload: &[u8]) -> Vec<u8> {
    let length = (DESCRIPTION.len() as u32).saturating_add(4).to_be_bytes();
    a_box(b"jumb", &[&length, DESCRIPTION, &a_box(b"uuid", &[UUID, payload])])
}

/// The bytes of our segment. A payload of [`metadata::MAX_PAYLOAD`] fits.
pub(super) fn segment(payload: &[u8], number: [u8; 2]) -> Vec<u8> {
    let boxes = boxes(payload);
    let length = boxes.len().saturating_add(BEFORE_BOX).saturating_add(2) as u16;
    [&[0xFF, APP11], length.to_be_bytes().as_slice(), b"JP", &number, b"\0\0\0\x01", &boxes].concat()
}

/// Where the payload begins inside of the content.
fn before_payload() -> usize {
    BEFORE_BOX.saturating_add(boxes(&[]).len())
}

/// Whether this is our segment, perhaps with some bytes changed.
pub(crate) fn looks_own(window: &mut Window<'_>, segment: &Segment) -> bool {
    // Before the description there are lengths and the box number, which vary.
    let at = content(segment).start.saturating_add(BEFORE_BOX).saturating_add(12);
    metadata::has(window, DESCRIPTION, at, segment.range.end)
}

/// Where our box stands before `end`, searched for.
pub(super) fn anywhere(window: &mut Window<'_>, end: Option<usize>) -> Option<usize> {
    let end = end.unwrap_or(window.size());
    window.places(DESCRIPTION, 0..end).next()
}

/// The payload, if the segment is exactly the one that is written for it.
pub(super) fn payload(window: &mut Window<'_>, found: &Segment, number: [u8; 2]) -> Option<String> {
    let bytes = window.copy(found.range.clone())?;
    let payload = metadata::payload(bytes.get(before_payload().saturating_add(4)..)?)?;
    (segment(payload.as_bytes(), number) == bytes).then_some(payload)
}

/// The box numbers that the other `APP11` segments of a file use.
pub(super) struct Numbers(Vec<u8>);

impl Default for Numbers {
    fn default() -> Self {
        let mut numbers = Self(alloc::vec![0; 1 << 13]);
        numbers.set(C2PA_NUMBER);
        numbers
    }
}

impl Numbers {
    fn set(&mut self, number: u16) {
        if let Some(byte) = self.0.get_mut(usize::from(number >> 3)) {
            *byte |= 1 << (number & 7);
        }
    }

    fn is_free(&self, number: u16) -> bool {
        self.0.get(usize::from(number >> 3)).is_some_and(|byte| byte & (1 << (number & 7)) == 0)
    }

    /// Counts the number at the place where a box has it, whatever the segment holds.
    pub fn take(&mut self, window: &mut Window<'_>, segment: &Segment) {
        let number = content(segment).start.saturating_add(2);
        if number.saturating_add(2) <= segment.range.end
            && let Some(number) = window.array(number)
        {
            self.set(u16::from_be_bytes(number));
        }
    }

    /// The first free number from `SX` on: two boxes with one number would be read as one.
    pub fn free(&self) -> [u8; 2] {
        let first = u16::from_be_bytes(*b"SX");
        let free = (0..u16::MAX).map(|n| first.wrapping_add(n)).find(|number| self.is_free(*number));
        free.unwrap_or(first).to_be_bytes()
    }
}

/// Where the C2PA store ends that begins with this segment: segments of one box, one directly after the
/// other, that together hold exactly as much as the box says.
pub(crate) fn c2pa_end(window: &mut Window<'_>, first: &Segment) -> Option<usize> {
    let head: [u8; 40] = window.array(content(first).start)?;
    let is_c2pa = head.starts_with(b"JP")
        && head.get(4..8)? == b"\0\0\0\x01"
        && head.get(12..16)? == b"jumb"
        && head.get(20..24)? == b"jumd"
        && head.get(24..40)? == C2PA;
    if !is_c2pa || first.range.len() < 44 {
        return None;
    }
    let total = u32::from_be_bytes(*head.get(8..12)?.first_chunk()?) as usize;
    let same = [head.get(..4)?, head.get(8..16)?].concat();
    let size = |range: Range<usize>| range.len().saturating_sub(BEFORE_BOX);
    let mut held = size(content(first));
    let mut end = first.range.end;
    let mut sequence = 1_u32;
    while held < total {
        let mut next = Segments::new(end.checked_sub(2)?);
        let Some(Event::Segment(segment)) = next.next(window) else { return None };
        sequence = sequence.checked_add(1)?;
        let head: [u8; 16] = window.array(content(&segment).start)?;
        let continues = segment.marker == APP11
            && segment.range.start == end
            && segment.range.len() > 20
            && [head.get(..4)?, head.get(8..16)?].concat() == same
            && head.get(4..8)? == sequence.to_be_bytes();
        if !continues {
            return None;
        }
        held = held.checked_add(size(content(&segment)))?.checked_sub(8)?;
        end = segment.range.end;
    }
    (held == total).then_some(end)
}
