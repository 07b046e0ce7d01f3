//! The chunks of a WebP file (RIFF: little-endian sizes, padded to even).

use crate::source::Window;
use alloc::vec::Vec;
use core::ops::Range;

/// `RIFF`, size, `WEBP`.
pub(super) const HEADER: usize = 12;
pub(super) const XMP_FLAG: u8 = 0x04;
const ALPHA_FLAG: u8 = 0x10;
/// Chunks that are never searched for a signature.
const OTHERS: [&[u8; 4]; 8] = [b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP", b"EXIF"];
/// How many chunks of XMP or of unknown kind are looked at; files have one, and two are refused.
const MOST: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub kind: [u8; 4],
    /// Kind, size, data, padding.
    pub range: Range<usize>,
    size: usize,
}

impl Chunk {
    /// Where its data stands.
    pub fn data(&self) -> Range<usize> {
        let start = self.range.start.saturating_add(8);
        start..start.saturating_add(self.size)
    }

    pub fn has_pad(&self) -> bool {
        self.size & 1 == 1
    }
}

/// What stands where; a C2PA store is left out of the order of the chunks.
#[derive(Default)]
pub(super) struct Layout {
    /// Whether the chunks fill exactly what the file says, and there is an image among them.
    pub complete: bool,
    pub first: Option<Chunk>,
    pub second: Option<Chunk>,
    pub last: Option<Chunk>,
    pub xmp: Vec<Chunk>,
    pub unknown: Vec<Chunk>,
    pub c2pa: Option<Chunk>,
    /// The flags of `VP8X`.
    pub flags: u8,
    /// Where the chunks end; what comes later is no part of the image.
    pub end: usize,
}

impl Layout {
    pub fn of(window: &mut Window<'_>) -> Self {
        let mut layout = Self { end: HEADER, ..Self::default() };
        let Some(size) = window.array(4) else { return layout };
        let end = (u32::from_le_bytes(size) as usize).saturating_add(8);
        let mut has_image = false;
        while layout.end < end {
            let Some(chunk) = next(window, layout.end, end) else { return layout };
            layout.end = chunk.range.end;
            if matches!(&chunk.kind, b"VP8 " | b"VP8L" | b"ANMF") {
                has_image = true;
                // Before image data a store would be one that changes the picture: a chunk like any other.
                if let Some(early) = layout.c2pa.take() {
                    layout.list(early);
                }
            }
            if chunk.kind == *b"C2PA" && has_image && layout.c2pa.is_none() {
                layout.c2pa = Some(chunk);
            } else {
                layout.add(chunk);
            }
        }
        layout.flags = layout.first.as_ref().and_then(|first| window.byte(first.data().start)).unwrap_or(0);
        let is_short = layout.first.as_ref().is_some_and(|first| first.kind == *b"VP8X" && first.size < 10);
        layout.complete = has_image && !is_short;
        layout
    }

    fn add(&mut self, chunk: Chunk) {
        if self.first.is_none() {
            self.first = Some(chunk.clone());
        } else if self.second.is_none() {
            self.second = Some(chunk.clone());
        }
        self.last = Some(chunk.clone());
        self.list(chunk);
    }

    /// Takes a chunk that may hold a signature.
    fn list(&mut self, chunk: Chunk) {
        let list = if chunk.kind == *b"XMP " { &mut self.xmp } else { &mut self.unknown };
        if list.len() < MOST && !OTHERS.contains(&&chunk.kind) {
            list.push(chunk);
        }
    }
}

fn next(window: &mut Window<'_>, at: usize, end: usize) -> Option<Chunk> {
    let kind = window.array(at)?;
    let size = u32::from_le_bytes(window.array(at.checked_add(4)?)?) as usize;
    let after = at.checked_add(8)?.checked_add(size)?.checked_add(size & 1)?;
    (after <= end && after <= window.size()).then_some(Chunk { kind, range: at..after, size })
}

/// The bytes of a chunk.
pub(super) fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut bytes = [kind.as_slice(), &(data.len() as u32).to_le_bytes(), data].concat();
    bytes.resize(bytes.len().saturating_add(data.len() & 1), 0);
    bytes
}

/// The `VP8X` chunk for a simple file with this image: its size, its alpha, and that XMP follows.
pub(super) fn vp8x(window: &mut Window<'_>, image: &Chunk) -> Option<Vec<u8>> {
    let at = image.data().start;
    let (width, height, alpha) = match &image.kind {
        b"VP8 " if image.size >= 10 => {
            let head: [u8; 10] = window.array(at)?;
            let [_, _, _, 0x9D, 0x01, 0x2A, w0, w1, h0, h1] = head else { return None };
            let size = |bytes| u32::from(u16::from_le_bytes(bytes) & 0x3FFF);
            (size([w0, w1]).checked_sub(1)?, size([h0, h1]).checked_sub(1)?, false)
        }
        b"VP8L" if image.size >= 5 => {
            let [0x2F, bits @ ..] = window.array::<5>(at)? else { return None };
            let bits = u32::from_le_bytes(bits);
            (bits & 0x3FFF, (bits >> 14) & 0x3FFF, bits >> 28 & 1 == 1)
        }
        _ => return None,
    };
    let flags = if alpha { XMP_FLAG | ALPHA_FLAG } else { XMP_FLAG };
    let [w0, w1, w2, _] = width.to_le_bytes();
    let [h0, h1, h2, _] = height.to_le_bytes();
    Some(chunk(b"VP8X", &[flags, 0, 0, 0, w0, w1, w2, h0, h1, h2]))
}
