//! The Multi-Picture index (CIPA DC-007): where the other images of the file stand, such as gain maps.

use crate::robust::tiff::Tiff;
use alloc::vec::Vec;
use core::ops::Range;

/// How the `APP2` segment of the index begins.
pub(super) const NAME: &[u8] = b"MPF\0";
const ENTRIES: u16 = 0xB002;
const ENTRY: usize = 16;

/// What to write where, so that the index is right after the first image has grown by `growth` bytes.
///
/// Offsets count from the index, which stands before the coded data: those of the other images move, and the
/// first image has another size.
fn edits(index: &[u8], growth: u32) -> Option<Vec<(usize, [u8; 4])>> {
    let tiff = Tiff::new(index)?;
    let entry = tiff.entries(ENTRIES).next()?;
    let count = tiff.long(entry.checked_add(4)?)? as usize / ENTRY;
    let first = tiff.long(entry.checked_add(8)?)? as usize;
    let mut edits = Vec::new();
    for n in 0..count {
        let size_at = first.checked_add(n.checked_mul(ENTRY)?)?.checked_add(4)?;
        let at = if n == 0 { size_at } else { size_at.checked_add(4)? };
        edits.push((at, tiff.written(tiff.long(at)?.wrapping_add(growth))));
    }
    Some(edits)
}

/// Corrects the index that stands at `data` (its name first); what is no index stays.
pub(super) fn correct(file: &mut [u8], data: Range<usize>, before: usize) {
    let growth = (file.len() as u32).wrapping_sub(before as u32);
    let Some(index) = file.get_mut(data).and_then(|data| data.get_mut(NAME.len()..)) else { return };
    for (at, bytes) in edits(index, growth).unwrap_or_default() {
        if let Some(to) = index.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<4>) {
            *to = bytes;
        }
    }
}
