//! Where in a text the blocks are (protocol, section 20).

use super::block::{BEGIN, END};
use super::{MAX_BLOCKS, malformed};
use crate::error::{Code, Error, Result};
use alloc::format;
use alloc::vec::Vec;

/// A marker line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// The first line of a block.
    Begin,
    /// The last line of a block.
    End,
}

impl Marker {
    /// The marker in a line, whatever blanks follow it.
    pub fn of(line: &[u8]) -> Option<Self> {
        if line.first() != Some(&b'-') {
            return None;
        }
        let line = match line.iter().rposition(|b| !is_blank(*b)) {
            Some(last) => line.get(..=last)?,
            None => line,
        };
        if line == BEGIN.as_bytes() {
            Some(Self::Begin)
        } else if line == END.as_bytes() {
            Some(Self::End)
        } else {
            None
        }
    }
}

/// The only bytes that may stand between blocks and after them.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A block as it stands in the text.
#[derive(Debug)]
pub struct Span<'a> {
    /// Where its first byte is.
    pub from: usize,
    /// Where its last byte is, plus one; the line feed after the block is none of it.
    pub to: usize,
    /// The line it begins in, from 1.
    pub line: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The parts of a text.
#[derive(Debug)]
pub struct Layout<'a> {
    /// Everything before the first block.
    pub text: &'a [u8],
    /// The whole blocks, up to the fault if there is one.
    pub blocks: Vec<Span<'a>>,
    /// Why the rest is not as the library writes it.
    pub fault: Option<Error>,
    /// The block that the end of the text cut off.
    pub truncated: Option<Span<'a>>,
}

impl<'a> Layout<'a> {
    /// Finds the blocks of a text.
    ///
    /// Errors: `LimitExceeded` for too many of them.
    pub fn of(bytes: &'a [u8]) -> Result<Self> {
        let mut layout = Self { text: bytes, blocks: Vec::new(), fault: None, truncated: None };
        let mut open: Option<(usize, usize)> = None;
        let mut in_blocks = false;
        let mut start = 0_usize;
        for (number, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
            let (from, number) = (start, number.saturating_add(1));
            start = start.saturating_add(line.len());
            let marker = Marker::of(line);
            match (open, marker) {
                (None, Some(Marker::Begin)) => {
                    if !in_blocks {
                        layout.text = bytes.get(..from).unwrap_or_default();
                        in_blocks = true;
                    }
                    open = Some((from, number));
                }
                (Some((begin, first)), Some(Marker::End)) => {
                    if layout.blocks.len() >= MAX_BLOCKS {
                        let found = format!("The text has more than {MAX_BLOCKS} signatures.");
                        return Err(Error::new(Code::LimitExceeded, found));
                    }
                    let to = if line.ends_with(b"\n") { start.saturating_sub(1) } else { start };
                    layout.blocks.push(span(bytes, begin, to, first));
                    open = None;
                }
                (Some(_), Some(Marker::Begin)) => {
                    return Ok(layout.with(number, "begins a block inside another block"));
                }
                (None, Some(Marker::End)) => {
                    return Ok(layout.with(number, "ends a block that has no beginning"));
                }
                (None, None) if in_blocks && !line.iter().all(|b| is_blank(*b)) => {
                    return Ok(layout.with(number, "follows a signature and is not signed"));
                }
                _ => {}
            }
        }
        if let Some((from, line)) = open {
            layout.truncated = Some(span(bytes, from, bytes.len(), line));
            layout = layout.with(line, "begins a block that has no end");
        }
        Ok(layout)
    }

    fn with(mut self, line: usize, what: &str) -> Self {
        self.fault = Some(malformed(line, what));
        self
    }
}

fn span(bytes: &[u8], from: usize, to: usize, line: usize) -> Span<'_> {
    Span { from, to, line, bytes: bytes.get(from..to).unwrap_or_default() }
}
