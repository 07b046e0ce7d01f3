//! JPEG: the lowest bits of coefficients, flipped in the coded data where they stand.
//!
//! A coefficient of size 2 and more is coded by a Huffman symbol, which says how many bits it has,
//! and these bits. Flipping the last of them changes neither a symbol nor a table, so nothing is
//! coded again, and whoever only codes the same coefficients in another way keeps them.

mod blocks;
mod frame;
mod huffman;
mod mpf;
mod scan;

use super::display::{Display, Record};
use super::layout::{Carriers, Encoded, Use};
use crate::digest::Digest;
use crate::jpeg::segments::{Event, Segments};
use crate::jpeg::{MPF, own};
use crate::problem::Problem;
use crate::source::Window;
use alloc::vec::Vec;
use core::ops::Range;
use frame::{Frame, Tables};
use huffman::Place;
use scan::Search;

/// Photographs have at most a dozen; more only cost time.
const MOST_SCANS: usize = 64;

/// A decoded image.
pub(super) struct Image<'a> {
    bytes: &'a [u8],
    frame: Frame,
    colours: u8,
    /// How many coefficients carry.
    count: usize,
    /// The index of other images in the file, from its byte order on.
    index: Option<Range<usize>>,
    pub display: Display,
}

/// Which sense the components have. 0 to 3 are those that all readers take in the same way; where they differ, each
/// combination of what they go by is a sense of its own, so that none can come or go.
fn colours(frame: &Frame, jfif: bool, adobe: Option<u8>) -> u8 {
    let ids: Vec<u8> = frame.planes.iter().map(|plane| plane.id).collect();
    let differing = 16 | u8::from(jfif) << 3 | adobe.map_or(0, |transform| transform.wrapping_add(1));
    match (ids.as_slice(), jfif, adobe) {
        (b"RGB", false, None) | ([_, _, _], false, Some(0)) => 0,
        (b"RGB", ..) => differing,
        ([_, _, _], true, None | Some(1)) | ([_, _, _], false, Some(1)) | ([1, 2, 3], false, None) => 1,
        ([_, _, _, _], _, None) => 0,
        ([_, _, _, _], _, Some(2)) => 2,
        ([_, _, _, _], _, Some(0)) => 3,
        ([_, _, _] | [_, _, _, _], ..) => differing,
        _ => 0,
    }
}

/// Takes the transform of an Adobe segment. Nothing where readers would not agree: they look for another length, in
/// other segments, later, and differ in which of several counts.
fn take_adobe(marker: u8, late: bool, data: &[u8], adobe: &mut Option<u8>) -> Option<()> {
    let transform = *data.get(11).filter(|transform| marker == 0xEE && !late && **transform <= 2)?;
    (*adobe.get_or_insert(transform) == transform).then_some(())
}

/// Whether a segment is JFIF without a thumbnail, of square pixels: then it says nothing but what the sense of the
/// colours tells.
fn is_plain_jfif(data: &[u8]) -> bool {
    data.len() == 14
        && data.get(5) == Some(&1)
        && data.get(8..10) == data.get(10..12)
        && data.ends_with(&[0, 0])
}

fn decode<'a>(bytes: &'a [u8], search: &mut Search<'_>) -> Result<Image<'a>, Problem> {
    let mut window = Window::new(&bytes);
    let mut segments = Segments::new(0);
    let mut tables = Tables::default();
    let mut frame: Option<Frame> = None;
    let mut record = Record::default();
    let (mut jfif, mut adobe, mut restart) = (false, None, 0);
    let mut scans = 0_usize;
    let mut index = None;
    while let Some(event) = segments.next(&mut window) {
        // Some readers pass over other bytes, and some stop there.
        let Event::Segment(segment) = event else { return Err(Problem::PixelsBroken) };
        let place = segment.range.start.saturating_add(4)..segment.range.end;
        let data = bytes.get(place.clone()).unwrap_or_default();
        let late = scans > 0;
        let sound = match segment.marker {
            0xC4 => tables.huffman(data),
            // Readers differ in which of several tables counts.
            0xDB => {
                tables.quantisation(data).filter(|()| frame.as_ref().is_none_or(|frame| frame.keeps(&tables)))
            }
            0xDD => <&[u8; 2]>::try_from(data).ok().map(|interval| restart = u16::from_be_bytes(*interval)),
            0xC0..=0xC2 if frame.is_none() => {
                frame = Some(Frame::read(segment.marker, data, bytes.len())?);
                Some(())
            }
            0xDA => {
                let frame = frame.as_mut().ok_or(Problem::PixelsBroken)?;
                scans = scans.saturating_add(1);
                if scans > MOST_SCANS {
                    return Err(Problem::TooManyPixels);
                }
                scan::decode(bytes, segment.range.end, data, frame, &tables, restart, search)?;
                Some(())
            }
            // Lossless, hierarchical, arithmetic, a second frame, a height that comes later.
            0xC0..=0xCF | 0xDC..=0xDF => return Err(Problem::JpegKind),
            // As libjpeg reads it: before the first scan, and of the right length.
            0xE0 if !late && data.len() >= 14 && data.starts_with(b"JFIF\0") => {
                if core::mem::replace(&mut jfif, true) || !is_plain_jfif(data) {
                    record.segment(segment.marker, late, data);
                }
                Some(())
            }
            0xE0..=0xEF if data.starts_with(b"Adobe") => {
                if data.len() != 12 {
                    record.segment(segment.marker, late, data);
                }
                take_adobe(segment.marker, late, data, &mut adobe)
            }
            0xE2 if data.starts_with(MPF) => {
                let is_first = index.replace(place.start.saturating_add(MPF.len())..place.end).is_none();
                (is_first && !late).then_some(())
            }
            0xEB if own::is_own(&mut window, &segment) => Some(()),
            0xE0..=0xEF => {
                match own::c2pa_end(&mut window, &segment).filter(|_| segment.marker == 0xEB) {
                    Some(end) => segments.at = end,
                    None => record.segment(segment.marker, late, data),
                }
                Some(())
            }
            0xFE => {
                record.comment(late, data);
                Some(())
            }
            // libjpeg stops there.
            _ => None,
        };
        sound.ok_or(Problem::PixelsBroken)?;
    }
    let frame = frame.ok_or(Problem::PixelsBroken)?;
    let is_done = |plane: &frame::Plane| plane.quant.is_some() && plane.pending == [0; 64];
    if !segments.complete || !frame.planes.iter().all(is_done) {
        return Err(Problem::PixelsBroken);
    }
    let colours = colours(&frame, jfif, adobe);
    if let Some(index) = index.clone() {
        let data = bytes.get(index.clone()).unwrap_or_default();
        let covered = mpf::covered(data, index.start, segments.at).ok_or(Problem::PixelsBroken)?;
        record.add("MPF", false, &covered);
    }
    let rest = bytes.get(segments.at..).unwrap_or_default();
    if !rest.is_empty() {
        record.add("end", true, rest);
    }
    Ok(Image { bytes, frame, colours, count: 0, index, display: record.end()? })
}

/// Whether the lowest bit of this coefficient can be flipped without a change of its code.
fn carries(coefficient: i16) -> bool {
    !matches!(coefficient, -1..=1)
}

impl<'a> Image<'a> {
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Problem> {
        let mut image = decode(bytes, &mut Search { wanted: &[], found: Vec::new() })?;
        let mut count = 0_usize;
        image.each_carrier(|_| count = count.wrapping_add(1));
        image.count = count;
        Ok(image)
    }

    /// Calls `work` with each coefficient that carries: of each block that is part of the first component, the constant
    /// one left out.
    fn each_carrier(&self, mut work: impl FnMut(i16)) {
        let Some(plane) = self.frame.planes.first() else { return };
        plane.coefficients.each(&mut |_, block| {
            block.iter().skip(1).filter(|value| carries(**value)).for_each(|value| work(*value));
        });
    }

    pub fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::new(self.count);
        let mut carrier = 0_usize;
        self.each_carrier(|value| {
            carriers.take(carrier, value & 1 != 0);
            carrier = carrier.wrapping_add(1);
        });
        carriers
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// SHA-256 over what is displayed, the carriers in use taken as 0.
    pub fn sha256(&self, places: Use) -> [u8; 32] {
        let frame = &self.frame;
        let mut digest = Digest::default();
        digest.add(b"sx-pixels-v1 jpeg\n");
        digest.add(&frame.width.to_be_bytes());
        digest.add(&frame.height.to_be_bytes());
        digest.add(&[self.colours, frame.planes.len() as u8]);
        for plane in &frame.planes {
            digest.add(&[plane.id, plane.h as u8, plane.v as u8]);
            plane.quant.iter().flatten().for_each(|value| digest.add(&value.to_be_bytes()));
        }
        digest.add(&(places.used as u32).to_be_bytes());
        let mut carrier = 0_usize;
        let mut buffer = [0; 128];
        for (number, plane) in frame.planes.iter().enumerate() {
            plane.coefficients.each(&mut |_, block| {
                for (at, (value, to)) in block.iter().zip(buffer.chunks_mut(2)).enumerate() {
                    let mut value = *value;
                    if number == 0 && at > 0 && carries(value) {
                        if places.holds(carrier) {
                            value = clear(value);
                        }
                        carrier = carrier.wrapping_add(1);
                    }
                    to.copy_from_slice(&value.to_be_bytes());
                }
                digest.add(&buffer);
            });
        }
        digest.end()
    }

    /// The file with these bits in its carriers.
    pub fn embed(&self, encoded: &Encoded) -> Result<Vec<u8>, Problem> {
        let plane = self.frame.planes.first().ok_or(Problem::PixelsBroken)?;
        let mut wanted = alloc::vec![0_u8; plane.coefficients.count().saturating_mul(8)];
        let mut carrier = 0_usize;
        let mut flips = 0_usize;
        plane.coefficients.each(&mut |number, block| {
            for (at, value) in block.iter().enumerate().skip(1).filter(|(_, value)| carries(**value)) {
                if encoded.bit(carrier).is_some_and(|bit| bit != (value & 1 != 0)) {
                    let coefficient = number.saturating_mul(64).saturating_add(at);
                    if let Some(byte) = wanted.get_mut(coefficient >> 3) {
                        *byte |= 1 << (coefficient & 7);
                    }
                    flips = flips.wrapping_add(1);
                }
                carrier = carrier.wrapping_add(1);
            }
        });
        let mut search = Search { wanted: &wanted, found: Vec::new() };
        decode(self.bytes, &mut search)?;
        if search.found.len() != flips {
            return Err(Problem::PixelsBroken);
        }
        let mut file = flip(self.bytes, &search.found);
        if let Some(index) = &self.index {
            mpf::correct(&mut file, index.clone(), self.bytes.len());
        }
        Ok(file)
    }
}

/// The value with the lowest bit of its magnitude cleared.
fn clear(value: i16) -> i16 {
    // The lowest bit of a negative number is that of its magnitude: -3 becomes -2.
    if value < 0 { value.wrapping_add(value & 1) } else { value & !1 }
}

/// The file with these bits flipped, which stand in the order of the file. A byte FF is followed by 00 in coded data, and by nothing if
/// it is no longer FF.
fn flip(bytes: &[u8], places: &[Place]) -> Vec<u8> {
    let mut file = Vec::with_capacity(bytes.len().saturating_add(4096));
    let mut at = 0_usize;
    for same in places.chunk_by(|a, b| a.byte == b.byte) {
        let Some(place) = same.first() else { continue };
        file.extend_from_slice(bytes.get(at..place.byte).unwrap_or_default());
        let before = bytes.get(place.byte).copied().unwrap_or(0);
        let after = same.iter().fold(before, |byte, place| byte ^ place.mask);
        file.push(after);
        if after == 0xFF {
            file.push(0);
        }
        at = place.byte.saturating_add(if before == 0xFF { 2 } else { 1 });
    }
    file.extend_from_slice(bytes.get(at..).unwrap_or_default());
    file
}
