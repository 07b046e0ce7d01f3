//! WebP: the signature is an element of the XMP packet, as the last chunk where there was none.
//!
//! A file in the simple form gets the `VP8X` chunk without which no reader looks for XMP. What was
//! added is recorded in the element, so that cutting it out gives the file that was signed.

mod chunks;
mod xmp;

use crate::format::Format;
use crate::metadata::{Channel, Scan};
use crate::pieces::Pieces;
use crate::problem::Problem;
use crate::source::Window;
use alloc::string::String;
use alloc::vec::Vec;
use chunks::{Chunk, HEADER, Layout, XMP_FLAG};
use core::ops::Range;
use xmp::Record;

/// Our element inside the XMP packet.
struct Own {
    range: Range<usize>,
    record: Record,
    payload: String,
}

pub(crate) struct WebP {
    layout: Layout,
    own: Result<Option<Own>, Problem>,
    /// The end of the packet's list of descriptions, before which our element belongs.
    place: Option<usize>,
}

/// Bytes of the file, and what stands there instead.
type Edit = (Range<usize>, Vec<u8>);

pub(crate) fn scan(window: &mut Window<'_>) -> WebP {
    let layout = Layout::of(window);
    let place = layout.xmp.first().and_then(|chunk| xmp::end_of_descriptions(window, chunk.data()));
    let own = find(window, &layout, place);
    WebP { layout, own, place }
}

fn find(window: &mut Window<'_>, layout: &Layout, place: Option<usize>) -> Result<Option<Own>, Problem> {
    let places = [layout.xmp.as_slice(), &layout.unknown].concat();
    let met: usize = places.iter().map(|chunk| xmp::count(window, chunk.data())).sum();
    if met == 0 {
        let rest = layout.end..window.size();
        return match layout.complete || xmp::count(window, rest) == 0 {
            true => Ok(None),
            false => Err(Problem::Altered),
        };
    }
    let [chunk] = layout.xmp.as_slice() else { return Err(Problem::SeveralSignatures) };
    if met > 1 {
        return Err(Problem::SeveralSignatures);
    }
    let end = place.ok_or(Problem::Altered)?;
    let (start, record, payload) = xmp::element(window, chunk.data(), end).ok_or(Problem::Altered)?;
    if !layout.complete {
        return Err(Problem::Cut);
    }
    if !is_as_written(window, layout, chunk, record, &payload) {
        return Err(Problem::Altered);
    }
    Ok(Some(Own { range: start..end, record, payload }))
}

/// Whether everything around our element is as it is written, given what the element says was added.
fn is_as_written(
    window: &mut Window<'_>,
    layout: &Layout,
    chunk: &Chunk,
    record: Record,
    payload: &str,
) -> bool {
    let Some(first) = layout.first.as_ref().filter(|first| first.kind == *b"VP8X") else { return false };
    let has_flag = window.byte(first.data().start).is_some_and(|flags| flags & XMP_FLAG != 0);
    let vp8x = !record.made_vp8x
        || !record.set_flag
            && layout.second.as_ref().and_then(|image| chunks::vp8x(window, image))
                == window.copy(first.range.clone());
    let packet = !record.made_xmp
        || layout.last.as_ref().is_some_and(|last| last.range == chunk.range)
            && window.copy(chunk.data()) == Some(xmp::packet(record, payload));
    let is_padded = !chunk.has_pad() || window.byte(chunk.data().end) == Some(0);
    has_flag && vp8x && packet && is_padded
}

impl WebP {
    pub fn found(self, window: &Window<'_>) -> Scan {
        let c2pa = self.layout.c2pa.as_ref().map(|store| store.range.clone());
        let mut edits = self.undo();
        edits.extend(c2pa.iter().map(|store| (store.clone(), Vec::new())));
        let content = self.edited(window, edits);
        let is_complete = self.layout.complete;
        let channel = match self.own {
            Ok(None) => Channel::Empty,
            Ok(Some(own)) => Channel::Signed { payload: own.payload, own: own.range },
            Err(problem) => Channel::Damaged(problem),
        };
        Scan { format: Format::WebP, channel, c2pa, is_complete, content }
    }

    pub fn strip(self, window: &mut Window<'_>, with_remains: bool) -> Result<Pieces, Problem> {
        match self.own {
            Err(_) if with_remains && self.layout.complete => {
                let edits = self.remains(window);
                Ok(self.edited(window, edits))
            }
            Err(problem) => Err(problem),
            Ok(_) => Ok(self.edited(window, self.undo())),
        }
    }

    /// What takes out the chunks that hold something of ours, and the flag of XMP where there is none then.
    fn remains(&self, window: &mut Window<'_>) -> Vec<Edit> {
        let places = [self.layout.xmp.as_slice(), &self.layout.unknown].concat();
        let mut edits = Vec::new();
        let mut is_left = false;
        for chunk in places {
            if xmp::count(window, chunk.data()) > 0 {
                edits.push((chunk.range, Vec::new()));
            } else {
                is_left |= chunk.kind == *b"XMP ";
            }
        }
        if let Some(first) = self.layout.first.as_ref().filter(|first| first.kind == *b"VP8X" && !is_left) {
            edits.push(flag(first, self.layout.flags & !XMP_FLAG));
        }
        edits
    }

    pub fn embed(self, window: &mut Window<'_>, payload: &str) -> Result<Pieces, Problem> {
        let own = match &self.own {
            Ok(own) => own.as_ref(),
            Err(problem) => return Err(*problem),
        };
        if !self.layout.complete {
            return Err(Problem::Incomplete);
        }
        let mut edits = Vec::new();
        let mut record = own.map_or_else(Record::default, |own| own.record);
        if own.is_none() {
            let first = self.layout.first.as_ref().ok_or(Problem::Incomplete)?;
            if first.kind == *b"VP8X" {
                let flags = window.byte(first.data().start).ok_or(Problem::Incomplete)?;
                record.set_flag = flags & XMP_FLAG == 0;
                edits.push(flag(first, flags | XMP_FLAG));
            } else {
                let vp8x = chunks::vp8x(window, first).ok_or(Problem::Incomplete)?;
                record.made_vp8x = true;
                edits.push((first.range.start..first.range.start, vp8x));
            }
            record.made_xmp = self.layout.xmp.is_empty();
        }
        if own.is_none() && record.made_xmp {
            let end = self.layout.end;
            edits.push((end..end, chunks::chunk(b"XMP ", &xmp::packet(record, payload))));
            return Ok(self.edited(window, edits));
        }
        let [chunk] = self.layout.xmp.as_slice() else { return Err(Problem::XmpForm) };
        let place = self.place.ok_or(Problem::XmpForm)?;
        if chunk.has_pad() && window.byte(chunk.data().end) != Some(0) {
            return Err(Problem::XmpForm);
        }
        let old = own.map_or(place..place, |own| own.range.clone());
        edits.extend(replace(chunk, old, xmp::written(record, payload).into_bytes()));
        Ok(self.edited(window, edits))
    }

    /// What gives back the file that was signed.
    fn undo(&self) -> Vec<Edit> {
        let Ok(Some(own)) = &self.own else { return Vec::new() };
        let (Some(first), Some(chunk)) = (&self.layout.first, self.layout.xmp.first()) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        if own.record.made_vp8x {
            edits.push((first.range.clone(), Vec::new()));
        } else if own.record.set_flag {
            edits.push(flag(first, self.layout.flags & !XMP_FLAG));
        }
        if own.record.made_xmp {
            edits.push((chunk.range.clone(), Vec::new()));
        } else {
            edits.extend(replace(chunk, own.range.clone(), Vec::new()));
        }
        edits
    }

    /// The file with these edits, and with the size of the whole that follows from them.
    fn edited(&self, window: &Window<'_>, mut edits: Vec<Edit>) -> Pieces {
        order(&mut edits);
        let mut pieces = Pieces::default();
        if !edits.is_empty() {
            let new = edits.iter().map(|(_, bytes)| bytes.len()).fold(self.layout.end, usize::saturating_add);
            let size = edits.iter().map(|(range, _)| range.len()).fold(new, usize::saturating_sub);
            let size = size.saturating_sub(8) as u32;
            pieces.input(0..4);
            pieces.bytes(&size.to_le_bytes());
            pieces.input(8..HEADER);
        } else {
            pieces.input(0..HEADER.min(window.size()));
        }
        let mut at = HEADER;
        for (range, bytes) in edits {
            pieces.input(at..range.start);
            pieces.bytes(&bytes);
            at = range.end;
        }
        pieces.input(at..window.size());
        pieces
    }
}

/// Puts few edits into the order in which they stand; those of one place stay in theirs.
fn order(edits: &mut [Edit]) {
    for end in 0..edits.len() {
        for at in (1..=end).rev() {
            if let Some([(a, _), (b, _)]) = edits.get(at.saturating_sub(1)..=at)
                && (b.start, b.end) < (a.start, a.end)
            {
                edits.swap(at, at.saturating_sub(1));
            }
        }
    }
}

fn flag(vp8x: &Chunk, flags: u8) -> Edit {
    let at = vp8x.data().start;
    (at..at.saturating_add(1), alloc::vec![flags])
}

/// Replaces bytes inside the data of a chunk; its size and its padding follow.
fn replace(chunk: &Chunk, old: Range<usize>, new: Vec<u8>) -> [Edit; 3] {
    let size = chunk.data().len().saturating_sub(old.len()).saturating_add(new.len());
    let size_at = chunk.range.start.saturating_add(4);
    let pad = alloc::vec![0; size & 1];
    [
        (size_at..size_at.saturating_add(4), (size as u32).to_le_bytes().to_vec()),
        (old, new),
        (chunk.data().end..chunk.range.end, pad),
    ]
}
