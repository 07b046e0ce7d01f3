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

use super::MOST_PIXELS;
use super::display::{BETWEEN, Display, EARLY, LATE, Record};
use super::layout::{Carriers, Encoded, Use};
use crate::digest::Digest;
use crate::jpeg::segments::{Event, Segments};
use crate::jpeg::{APP11, MPF, own};
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
pub(super) struct Image {
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
/// other segments, behind the frame header, and differ in which of several counts.
fn take_adobe(marker: u8, place: u8, data: &[u8], adobe: &mut Option<u8>) -> Option<()> {
    let transform = *data.get(11).filter(|transform| marker == 0xEE && place == EARLY && **transform <= 2)?;
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

fn decode(bytes: &[u8], search: &mut Search<'_>) -> Result<Image, Problem> {
    let mut window = Window::new(&bytes);
    let mut segments = Segments::new(0);
    let mut tables = Tables::default();
    let mut frame: Option<Frame> = None;
    let mut record = Record::default();
    let (mut jfif, mut adobe) = (false, None);
    let mut scans = 0_usize;
    let mut index = None;
    while let Some(event) = segments.next(&mut window) {
        // Some readers pass over other bytes, and some stop there.
        let Event::Segment(segment) = event else { return Err(Problem::PixelsBroken) };
        let content = segment.range.start.saturating_add(4)..segment.range.end;
        let data = bytes.get(content.clone()).unwrap_or_default();
        let place = match &frame {
            _ if scans > 0 => LATE,
            Some(_) => BETWEEN,
            None => EARLY,
        };
        let sound = match segment.marker {
            0xC4 => tables.huffman(data),
            // Readers differ in which of several tables counts.
            0xDB => {
                tables.quantisation(data).filter(|()| frame.as_ref().is_none_or(|frame| frame.keeps(&tables)))
            }
            0xDD => {
                <&[u8; 2]>::try_from(data).ok().map(|interval| tables.restart = u16::from_be_bytes(*interval))
            }
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
                scan::decode(bytes, content, frame, &tables, search)?;
                Some(())
            }
            // Lossless, hierarchical, arithmetic, a second frame, a height that comes later.
            0xC0..=0xCF | 0xDC..=0xDF => return Err(Problem::JpegKind),
            // As libjpeg reads it: before the first scan, and of the right length.
            0xE0 if place != LATE && data.len() >= 14 && data.starts_with(b"JFIF\0") => {
                // ffmpeg takes the shape of the pixels from the last piece that states one.
                if core::mem::replace(&mut jfif, true) || record.has(&["APP0", "COM"]) || !is_plain_jfif(data)
                {
                    record.segment(segment.marker, place, data);
                }
                Some(())
            }
            0xE0..=0xEF if data.starts_with(b"Adobe") => {
                if data.len() != 12 {
                    record.segment(segment.marker, place, data);
                }
                take_adobe(segment.marker, place, data, &mut adobe)
            }
            0xE2 if data.starts_with(MPF) => {
                record.meet("MPF");
                let found = (content.start.saturating_add(MPF.len())..content.end, place);
                (index.replace(found).is_none() && place != LATE).then_some(())
            }
            0xE0..=0xEF => {
                let is_box = segment.marker == APP11;
                match own::c2pa_end(&mut window, &segment).filter(|_| is_box) {
                    Some(end) => segments.at = end,
                    // What is left of a signature of ours nobody else reads.
                    None if is_box && own::looks_own(&mut window, &segment) => {}
                    None => record.segment(segment.marker, place, data),
                }
                Some(())
            }
            0xFE => {
                record.comment(place, data);
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
    if let Some((index, place)) = &index {
        let data = bytes.get(index.clone()).unwrap_or_default();
        let covered = mpf::covered(data, index.start, segments.at).ok_or(Problem::PixelsBroken)?;
        record.take("MPF", *place, &covered);
    }
    let rest = bytes.get(segments.at..).unwrap_or_default();
    if !rest.is_empty() {
        record.add("end", LATE, rest);
    }
    let carriers =
        frame.planes.first().map(|plane| plane.coefficients.carriers.as_slice()).unwrap_or_default();
    let count = carriers.iter().map(|count| usize::from(*count)).sum();
    let index = index.map(|(index, _)| index);
    Ok(Image { frame, colours, count, index, display: record.end()? })
}

/// Whether the lowest bit of this coefficient can be flipped without a change of its code.
fn carries(coefficient: i16) -> bool {
    !matches!(coefficient, -1..=1)
}

impl Image {
    pub fn decode(bytes: &[u8]) -> Result<Self, Problem> {
        decode(bytes, &mut Search { wanted: &[], found: Vec::new() })
    }

    /// Calls `work` with the carriers that `places` holds, and others: the number of each, that of its coefficient, and
    /// its value. Carriers are of the blocks of the first component, the constant part left out.
    fn each_carrier(&self, places: Use, work: &mut dyn FnMut(usize, usize, i16)) {
        let Some(blocks) = self.frame.planes.first().map(|plane| &plane.coefficients) else { return };
        let mut carrier = 0_usize;
        for (number, count) in blocks.carriers.iter().enumerate() {
            let after = carrier.wrapping_add(usize::from(*count));
            if places.meets(carrier..after) {
                let block = blocks.get(number);
                for (at, value) in block.iter().enumerate().filter(|(_, value)| carries(**value)) {
                    work(carrier, number.wrapping_mul(64).wrapping_add(at), *value);
                    carrier = carrier.wrapping_add(1);
                }
            }
            carrier = after;
        }
    }

    pub fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::new(self.count);
        self.each_carrier(carriers.places, &mut |carrier, _, value| carriers.take(carrier, value & 1 != 0));
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
            plane.coefficients.each(&mut |at, block| {
                if number == 0 {
                    let count = plane.coefficients.carriers.get(at).copied().unwrap_or(0);
                    let after = carrier.wrapping_add(usize::from(count));
                    if places.meets(carrier..after) {
                        for value in block.iter_mut().skip(1).filter(|value| carries(**value)) {
                            if places.holds(carrier) {
                                *value = clear(*value);
                            }
                            carrier = carrier.wrapping_add(1);
                        }
                    }
                    carrier = after;
                }
                for (value, to) in block.iter().zip(buffer.as_chunks_mut::<2>().0) {
                    *to = value.to_be_bytes();
                }
                digest.add(&buffer);
            });
        }
        digest.end()
    }

    /// The numbers of the coefficients whose lowest bits are in use.
    pub fn used(&self, places: Use) -> Vec<u32> {
        let mut used = Vec::new();
        self.each_carrier(places, &mut |carrier, coefficient, _| {
            if places.holds(carrier) {
                used.push(coefficient as u32);
            }
        });
        used
    }
}

/// The file with these bits in its carriers, and the image that it is then. `carriers` is what [`Image::used`] gives of
/// the file.
pub(super) fn embed(
    bytes: &[u8],
    encoded: &Encoded,
    places: Use,
    carriers: &[u32],
) -> Result<(Vec<u8>, Image), Problem> {
    // Two bits for each coefficient: whether it is to be set, and which lowest bit it is to have.
    let last = carriers.last().copied().unwrap_or(0) as usize;
    let mut wanted = alloc::vec![0_u8; (last >> 2).saturating_add(1).min(MOST_PIXELS >> 1)];
    for (coefficient, carrier) in carriers.iter().zip(places.all()) {
        if let Some(byte) = wanted.get_mut((coefficient >> 2) as usize) {
            *byte |= (2 | u8::from(encoded.bit(carrier) == Some(true))) << ((coefficient & 3) << 1);
        }
    }
    let mut search = Search { wanted: &wanted, found: Vec::new() };
    let image = decode(bytes, &mut search)?;
    // These and no others were set, so that the hash is still that of the picture.
    if image.count != places.carriers || image.used(places) != carriers {
        return Err(Problem::PixelsBroken);
    }
    let mut file = flip(bytes, &search.found);
    if let Some(index) = &image.index {
        mpf::correct(&mut file, index.clone(), bytes.len());
    }
    Ok((file, image))
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
