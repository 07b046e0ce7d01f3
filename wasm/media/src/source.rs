//! Bytes that are read where they are, a window at a time.
//!
//! An image may have 256 MiB and stand outside of this module's memory. The walkers of the
//! metadata channel therefore never hold it: they look through a window of 16 KiB.

use alloc::vec::Vec;
use core::ops::Range;

/// An image that can be read at any place.
pub trait Source {
    /// Its length in bytes.
    fn size(&self) -> usize;
    /// Copies what stands from byte `at` on, as much of it as there is and fits; returns how much.
    fn read(&self, at: usize, into: &mut [u8]) -> usize;
}

impl Source for &[u8] {
    fn size(&self) -> usize {
        self.len()
    }

    fn read(&self, at: usize, into: &mut [u8]) -> usize {
        let from = self.get(at..).unwrap_or_default();
        let count = from.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), from.get(..count)) {
            to.copy_from_slice(from);
        }
        count
    }
}

impl Source for Vec<u8> {
    fn size(&self) -> usize {
        self.len()
    }

    fn read(&self, at: usize, into: &mut [u8]) -> usize {
        self.as_slice().read(at, into)
    }
}

const WINDOW: usize = 16 << 10;

/// A window over a source, moved to where something is asked for.
pub struct Window<'a> {
    source: &'a dyn Source,
    start: usize,
    filled: usize,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    /// A window over `source`.
    pub fn new(source: &'a dyn Source) -> Self {
        Self { source, start: 0, filled: 0, bytes: alloc::vec![0; WINDOW] }
    }

    /// The length of the source in bytes.
    pub fn size(&self) -> usize {
        self.source.size()
    }

    /// What stands from `at` on: at least `need` bytes (at most 16 KiB), fewer only at the end.
    fn from(&mut self, at: usize, need: usize) -> &[u8] {
        let inside = at.checked_sub(self.start).and_then(|skip| self.filled.checked_sub(skip));
        if inside.is_none_or(|left| left < need) {
            self.start = at;
            self.filled = self.source.read(at, &mut self.bytes);
        }
        self.bytes.get(at.saturating_sub(self.start)..self.filled).unwrap_or_default()
    }

    /// The byte at `at`.
    pub fn byte(&mut self, at: usize) -> Option<u8> {
        self.from(at, 1).first().copied()
    }

    /// The `N` bytes from `at` on.
    pub fn array<const N: usize>(&mut self, at: usize) -> Option<[u8; N]> {
        self.from(at, N).first_chunk().copied()
    }

    /// A copy of a range; nothing if the source ends before it, or if it has more than 128 KiB.
    pub fn copy(&mut self, range: Range<usize>) -> Option<Vec<u8>> {
        let length = range.end.checked_sub(range.start).filter(|length| *length <= 128 << 10)?;
        if range.end > self.size() {
            return None;
        }
        let mut copy = alloc::vec![0; length];
        (self.source.read(range.start, &mut copy) == length).then_some(copy)
    }

    /// Whether these bytes (at most 16 KiB) stand at `at`.
    pub fn starts_with(&mut self, at: usize, bytes: &[u8]) -> bool {
        self.from(at, bytes.len()).starts_with(bytes)
    }

    /// The first place inside `range` where a byte `wanted` stands; nothing beyond it is read.
    pub fn find_byte(&mut self, wanted: u8, range: Range<usize>) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            let bytes = self.from(at, 1);
            let bytes = bytes.get(..range.end.saturating_sub(at)).unwrap_or(bytes);
            if bytes.is_empty() {
                return None;
            }
            match memchr::memchr(wanted, bytes) {
                Some(skip) => return Some(at.saturating_add(skip)),
                None => at = at.saturating_add(bytes.len()),
            }
        }
        None
    }

    /// The places inside `range` where `needle` stands, ascending.
    pub fn places<'w>(
        &'w mut self,
        needle: &'w [u8],
        range: Range<usize>,
    ) -> impl Iterator<Item = usize> + 'w {
        let mut at = range.start;
        core::iter::from_fn(move || {
            loop {
                let found = self.find_byte(*needle.first()?, at..range.end)?;
                if found.saturating_add(needle.len()) > range.end {
                    return None;
                }
                at = found.saturating_add(1);
                if self.starts_with(found, needle) {
                    return Some(found);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_finds_what_crosses_its_border() {
        let mut bytes = alloc::vec![7; 40_000];
        for at in [0, WINDOW - 2, 2 * WINDOW - 1, 39_996] {
            bytes[at..at + 4].copy_from_slice(b"here");
        }
        let mut window = Window::new(&bytes);
        let all: Vec<usize> = window.places(b"here", 0..40_000).collect();
        assert_eq!(all, [0, WINDOW - 2, 2 * WINDOW - 1, 39_996]);
        assert_eq!(window.places(b"here", 1..39_999).count(), 2);
        assert_eq!(window.byte(40_000), None);
        assert_eq!(window.array::<2>(39_999), None);
        assert_eq!(window.copy(39_990..40_001), None);
        assert_eq!(window.copy(39_998..40_000).as_deref(), Some(b"re".as_slice()));
    }
}
