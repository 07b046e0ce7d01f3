//! Walking over the segments of a JPEG by their lengths, never by searching (ITU-T T.81, annex B).

use crate::source::Window;
use core::ops::Range;

pub(crate) struct Segment {
    pub marker: u8,
    /// From the `FF` directly before the marker to the end of the data; fill bytes belong to nobody.
    pub range: Range<usize>,
}

pub(crate) enum Event {
    Segment(Segment),
    /// A marker without a length, or bytes that are no marker at all.
    Other,
}

/// What stands from a start of image to its end, in order.
pub(crate) struct Segments {
    /// Where the next event begins.
    pub at: usize,
    /// Whether `EOI` was met, after which that is.
    pub complete: bool,
    entropy: bool,
    done: bool,
}

impl Segments {
    /// Begins after the `SOI` at `start`.
    pub fn new(start: usize) -> Self {
        Self { at: start.saturating_add(2), complete: false, entropy: false, done: false }
    }

    /// The next event; none after `EOI`, at the end of the file and where a length is wrong.
    pub fn next(&mut self, window: &mut Window<'_>) -> Option<Event> {
        if self.done {
            return None;
        }
        if core::mem::take(&mut self.entropy) {
            self.at = end_of_entropy(window, self.at);
        }
        if window.byte(self.at)? != 0xFF {
            self.at = window.find_byte(0xFF, self.at..window.size()).unwrap_or(window.size());
            return Some(Event::Other);
        }
        let mut marker_at = self.at.saturating_add(1);
        while window.byte(marker_at)? == 0xFF {
            marker_at = marker_at.saturating_add(1);
        }
        let marker = window.byte(marker_at)?;
        let after = marker_at.saturating_add(1);
        match marker {
            0xD9 => {
                self.done = true;
                self.complete = true;
                self.at = after;
                None
            }
            0x00 | 0x01 | 0xD0..=0xD8 => {
                self.at = after;
                Some(Event::Other)
            }
            _ => {
                let length = usize::from(u16::from_be_bytes(window.array(after)?));
                let end = after.saturating_add(length);
                if length < 2 || end > window.size() {
                    self.done = true;
                    return None;
                }
                self.at = end;
                self.entropy = marker == super::SOS;
                Some(Event::Segment(Segment { marker, range: marker_at.saturating_sub(1)..end }))
            }
        }
    }
}

/// Where the marker stands that ends the coded data beginning at `at`: restart markers do not.
fn end_of_entropy(window: &mut Window<'_>, mut at: usize) -> usize {
    loop {
        let Some(found) = window.find_byte(0xFF, at..window.size()) else { return window.size() };
        let after = found.saturating_add(1);
        match window.byte(after) {
            None => return window.size(),
            Some(0x00 | 0xD0..=0xD7) => at = after.saturating_add(1),
            Some(0xFF) => at = after,
            Some(_) => return found,
        }
    }
}
