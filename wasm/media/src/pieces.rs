//! A file as pieces: ranges of the input and, between them, the few bytes that are new.

use crate::digest::Digest;
use crate::source::Source;
use alloc::vec::Vec;
use core::ops::Range;

/// A part of a file that is made from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the input.
    Input(Range<usize>),
    /// Bytes that do not stand in the input.
    Bytes(Vec<u8>),
}

/// A file as a list of pieces, none of them empty, no two neighbours both of the input and adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// The input's bytes in `range` but those in `without`, which ascend and do not overlap.
    pub fn without(range: Range<usize>, without: &[Range<usize>]) -> Self {
        let mut pieces = Self::default();
        pieces.input_without(range, without);
        pieces
    }

    /// Appends a range of the input.
    pub fn input(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(Piece::Input(last)) if last.end == range.start => last.end = range.end,
            _ => self.0.push(Piece::Input(range)),
        }
    }

    /// Appends a range of the input but what stands in `without`.
    pub fn input_without(&mut self, range: Range<usize>, without: &[Range<usize>]) {
        let mut at = range.start;
        for cut in without.iter().filter(|cut| cut.start >= range.start && cut.end <= range.end) {
            self.input(at..cut.start);
            at = at.max(cut.end);
        }
        self.input(at..range.end);
    }

    /// Appends new bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.0.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    /// The pieces in their order.
    pub fn iter(&self) -> core::slice::Iter<'_, Piece> {
        self.0.iter()
    }

    /// Bytes of all pieces together.
    pub fn size(&self) -> usize {
        let size = |piece: &Piece| match piece {
            Piece::Input(range) => range.len(),
            Piece::Bytes(bytes) => bytes.len(),
        };
        self.iter().map(size).fold(0, usize::saturating_add)
    }

    /// The file that the pieces describe.
    pub fn assemble(&self, input: &[u8]) -> Vec<u8> {
        let mut file = Vec::with_capacity(self.size());
        for piece in self.iter() {
            file.extend_from_slice(match piece {
                Piece::Input(range) => input.get(range.clone()).unwrap_or_default(),
                Piece::Bytes(bytes) => bytes,
            });
        }
        file
    }

    /// SHA-256 (FIPS 180-4) of the file that the pieces describe, read in portions of 64 KiB.
    pub fn sha256(&self, input: &dyn Source) -> [u8; 32] {
        let mut digest = Digest::default();
        let mut portion = alloc::vec![0; 64 << 10];
        for piece in self.iter() {
            let mut range = match piece {
                Piece::Input(range) => range.clone(),
                Piece::Bytes(bytes) => {
                    digest.add(bytes);
                    continue;
                }
            };
            while !range.is_empty() {
                let wanted = range.len().min(portion.len());
                let read = input.read(range.start, portion.get_mut(..wanted).unwrap_or_default());
                if read == 0 {
                    break;
                }
                digest.add(portion.get(..read).unwrap_or_default());
                range.start = range.start.saturating_add(read);
            }
        }
        digest.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_file() {
        let mut pieces = Pieces::without(0..10, &[2..3, 3..4, 6..7, 20..30]);
        pieces.bytes(b"");
        pieces.bytes(b"new");
        pieces.bytes(b"er");
        pieces.input(10..12);
        let expected = [
            Piece::Input(0..2),
            Piece::Input(4..6),
            Piece::Input(7..10),
            Piece::Bytes(b"newer".to_vec()),
            Piece::Input(10..12),
        ];
        assert_eq!(pieces.iter().cloned().collect::<Vec<_>>(), expected);
        let file = pieces.assemble(b"0123456789ab");
        assert_eq!(file, b"0145789newerab");
        assert_eq!(pieces.size(), file.len());
        let mut digest = Digest::default();
        digest.add(&file);
        assert_eq!(pieces.sha256(&b"0123456789ab".as_slice()), digest.end());
    }
}
