//! Walking over the chunks of a PNG.

use crate::source::Window;
use core::ops::Range;

/// Where `IHDR` ends: it comes first, and always has 13 bytes of data.
pub(crate) const IHDR_END: usize = 33;
const MAX_LENGTH: u32 = 0x7FFF_FFFF;

pub(crate) struct Chunk {
    pub kind: [u8; 4],
    /// Length, type, data and CRC.
    pub range: Range<usize>,
}

impl Chunk {
    /// Where its data stands.
    pub fn data(&self) -> Range<usize> {
        self.range.start.saturating_add(8)..self.range.end.saturating_sub(4)
    }
}

/// The chunks from the first to `IEND`, as long as their lengths are right.
pub(crate) struct Chunks {
    /// Where the next chunk begins.
    pub at: usize,
    /// Whether `IEND` was met.
    pub complete: bool,
}

impl Chunks {
    pub fn new() -> Self {
        Self { at: crate::format::PNG.len(), complete: false }
    }

    pub fn next(&mut self, window: &mut Window<'_>) -> Option<Chunk> {
        if self.complete {
            return None;
        }
        let length = u32::from_be_bytes(window.array(self.at)?);
        let kind = window.array::<4>(self.at.checked_add(4)?)?;
        let is_first = self.at == crate::format::PNG.len();
        if length > MAX_LENGTH || is_first && (kind != *b"IHDR" || length != 13) {
            return None;
        }
        let end = self.at.checked_add(length as usize)?.checked_add(12)?;
        if end > window.size() {
            return None;
        }
        self.complete = kind == *b"IEND";
        Some(Chunk { kind, range: core::mem::replace(&mut self.at, end)..end })
    }
}
