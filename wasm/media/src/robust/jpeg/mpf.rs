//! The Multi-Picture index (CIPA DC-007): where the other images of the file stand, such as gain maps.

use crate::robust::tiff::Tiff;
use alloc::vec::Vec;
use core::ops::Range;

const ENTRIES: u16 = 0xB002;
const ENTRY: usize = 16;
const UNDEFINED: u16 = 7;

/// Where the numbers stand that depend on the length of the first image: its size, then the offsets of the others, which
/// count from the index. Nothing where readers would not agree about them.
fn numbers(index: &[u8]) -> Option<(Tiff<'_>, Vec<usize>)> {
    let tiff = Tiff::new(index)?;
    let (directory_end, mut entries) = tiff.entries(ENTRIES)?;
    let entry = entries.next().filter(|_| entries.next().is_none())?;
    let size = tiff.long(entry.checked_add(4)?)? as usize;
    let first = tiff.long(entry.checked_add(8)?)? as usize;
    let is_sound = tiff.short(entry.checked_add(2)?)? == UNDEFINED
        && size >= ENTRY
        && size.is_multiple_of(ENTRY)
        && first >= directory_end
        && first.checked_add(size)? <= index.len()
        && tiff.long(first.checked_add(8)?)? == 0;
    let number = |entry: usize| entry.saturating_add(if entry == first { 4 } else { 8 });
    is_sound.then(|| (tiff, (first..first.saturating_add(size)).step_by(ENTRY).map(number).collect()))
}

/// What a signature covers of the index at `base` (its byte order first): the numbers count from `end`, the end of the
/// first image. Nothing where another image would begin before that, or where readers differ.
pub(super) fn covered(index: &[u8], base: usize, end: usize) -> Option<Vec<u8>> {
    let (tiff, numbers) = numbers(index)?;
    let mut covered = index.to_vec();
    for (n, at) in numbers.into_iter().enumerate() {
        let number = tiff.long(at)?;
        let from_end = if n == 0 {
            number.wrapping_sub(end as u32)
        } else {
            u32::try_from((base as u64).checked_add(u64::from(number))?.checked_sub(end as u64)?).ok()?
        };
        *covered.get_mut(at..)?.first_chunk_mut()? = tiff.written(from_end);
    }
    Some(covered)
}

/// Corrects the index that stands at `index` (its byte order first) after the first image has grown since `before`.
pub(super) fn correct(file: &mut [u8], index: Range<usize>, before: usize) {
    let growth = (file.len() as u32).wrapping_sub(before as u32);
    let Some(index) = file.get_mut(index) else { return };
    let Some((tiff, numbers)) = numbers(index) else { return };
    let edit = |at: usize| Some((at, tiff.written(tiff.long(at)?.wrapping_add(growth))));
    let edits: Vec<_> = numbers.into_iter().filter_map(edit).collect();
    for (at, bytes) in edits {
        if let Some(to) = index.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<4>) {
            *to = bytes;
        }
    }
}
