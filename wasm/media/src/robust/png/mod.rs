//! PNG: the lowest bits of the colour samples of pixels that are fully opaque.
//!
//! What a pixel is does not depend on how it is stored: a tool that turns RGB into a palette, drops an
//! alpha channel that says nothing, or changes interlace and compression keeps the signature. An image
//! whose pixels are all grey has one carrier in each, so that it may be stored as grey; one whose 16-bit
//! samples have two equal bytes counts as one of 8 bits.

mod raster;

use super::display::{Display, EARLY, LATE, Record, Stored};
use super::layout::{Carriers, Encoded, Use};
use crate::crc::crc32;
use crate::digest::Digest;
use crate::pieces::Pieces;
use crate::png::chunks::{Chunks, IHDR_END};
use crate::problem::Problem;
use crate::source::Window;
use alloc::vec::Vec;
use core::ops::Range;
use raster::{Header, Pixel, Raster};

/// A decoded image.
pub(super) struct Image<'a> {
    bytes: &'a [u8],
    raster: Raster,
    sense: Sense,
    /// Pixels of full alpha in each row.
    opaque: Vec<u32>,
    hidden: Hidden,
    has_key: bool,
    /// Where the first `IDAT` begins.
    data: usize,
    /// All chunks that are not kept: `IDAT` and `iDOT`.
    dropped: Vec<Range<usize>>,
    /// What else changes the picture; what hidden colours there are is told by [`Image::covered`].
    pub display: Display,
}

/// Kinds that are no chunks: the colours of pixels that nobody sees, which some readers show; and that samples are stored
/// with 16 bits where 8 are enough, which some readers take for other colours.
const HIDDEN: &str = "transparent";
const WIDE: &str = "depth";

/// The colours of pixels that nobody sees.
#[derive(Clone, Copy)]
struct Hidden {
    /// There is one that is not black.
    any: bool,
    /// Some sample needs 16 bits.
    deep: bool,
}

/// What the pixels of an image have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sense {
    /// Red, green and blue are equal everywhere.
    grey: bool,
    /// Some sample needs 16 bits.
    deep: bool,
}

impl Sense {
    /// Carriers of a pixel.
    fn carriers(self, pixel: &Pixel) -> usize {
        match (pixel[3] == u16::MAX, self.grey) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 3,
        }
    }

    /// A sample with another lowest bit.
    fn with(self, sample: u16, bit: bool) -> u16 {
        if self.deep {
            return sample & !1 | u16::from(bit);
        }
        let [high, _] = sample.to_be_bytes();
        u16::from(high & !1 | u8::from(bit)).wrapping_mul(257)
    }
}

impl<'a> Image<'a> {
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Problem> {
        let mut window = Window::new(&bytes);
        let mut chunks = Chunks::new();
        let (mut header, mut plte, mut trns) = (None::<Header>, None, None);
        let (mut data, mut dropped, mut packed) = (None, Vec::new(), Vec::new());
        let mut record = Record::default();
        let mut ended = false;
        let has_one_shape = count(&mut window, *b"pHYs") == 1;
        while let Some(chunk) = chunks.next(&mut window) {
            let content = bytes.get(chunk.data()).unwrap_or_default();
            // Readers skip a chunk whose checksum is wrong, or stop there.
            let crc = window.array(chunk.data().end).map(u32::from_be_bytes);
            if crc != Some(crc32(&[&chunk.kind, content])) {
                return Err(Problem::PixelsBroken);
            }
            match &chunk.kind {
                b"IHDR" if chunk.range.end == IHDR_END => header = Header::read(content),
                // What stands twice or too late counts for some readers and not for others.
                b"PLTE"
                    if plte.is_none()
                        && trns.is_none()
                        && data.is_none()
                        && content.len().is_multiple_of(3)
                        && (3..=768).contains(&content.len()) =>
                {
                    plte = Some(content);
                    match header.map(|header| header.colour) {
                        Some(3) => {}
                        // Colours that a program may choose that cannot show all.
                        Some(2 | 6) => record.add("PLTE", EARLY, content),
                        _ => return Err(Problem::PixelsBroken),
                    }
                }
                b"tRNS" if trns.is_none() && data.is_none() => trns = Some(content),
                b"IDAT" if !ended => {
                    packed.extend_from_slice(content);
                    data.get_or_insert(chunk.range.start);
                    dropped.push(chunk.range);
                    continue;
                }
                b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" => return Err(Problem::PixelsBroken),
                b"IEND" if content.is_empty() => {}
                // Nobody shows an image with another chunk that it has to know, or one that is not named by letters.
                kind if !kind.iter().all(u8::is_ascii_alphabetic) || kind[0].is_ascii_uppercase() => {
                    return Err(Problem::PixelsBroken);
                }
                kind => {
                    let (colour, depth) = header.map_or((2, 8), |header| (header.colour, header.depth as u8));
                    let stored = Stored { colour, depth, is_listed: plte.is_some(), has_one_shape };
                    record.chunk(kind, data.is_some(), content, stored);
                    if kind == b"iDOT" {
                        dropped.push(chunk.range);
                    }
                }
            }
            ended = data.is_some();
        }
        let header = header.filter(|_| chunks.complete).ok_or(Problem::PixelsBroken)?;
        let data = data.ok_or(Problem::PixelsBroken)?;
        let rest = bytes.get(chunks.at..).unwrap_or_default();
        if !rest.is_empty() {
            record.add("end", LATE, rest);
        }
        let raster = Raster::decode(header, &packed, plte.unwrap_or_default(), trns)?;
        let Survey { sense, opaque, hidden } = survey(&raster);
        if header.colour == 3 && sense.deep {
            return Err(Problem::PixelsBroken); // a colour that the palette does not have
        }
        let mut display = record.end()?;
        if hidden.any {
            display.set(HIDDEN, [0; 32]);
        }
        if header.depth == 16 && !sense.deep {
            let mut digest = Digest::default();
            digest.add(&[16]);
            display.set(WIDE, digest.end());
        }
        let has_key = trns.is_some();
        Ok(Self { bytes, raster, sense, opaque, hidden, has_key, data, dropped, display })
    }

    /// Why the image cannot be given a signature of its pixels, if it cannot.
    pub fn refusal(&self) -> Option<Problem> {
        let header = &self.raster.header;
        if self.display.has("acTL") {
            Some(Problem::Animated)
        } else if header.colour == 3 || header.depth < 8 {
            Some(Problem::PngKind)
        } else if self.has_key {
            Some(Problem::TransparentColour)
        } else {
            None
        }
    }

    /// Calls `work` with each row that may hold some of the carriers that are `wanted`, and with the number of its first
    /// one.
    fn rows(&self, wanted: impl Fn(Range<usize>) -> bool, mut work: impl FnMut(&mut [Pixel], usize)) {
        let header = &self.raster.header;
        let mut row = alloc::vec![[0; 4]; header.width];
        let mut carrier = 0_usize;
        let each = self.sense.carriers(&[u16::MAX; 4]);
        for (y, opaque) in self.opaque.iter().enumerate() {
            let after = carrier.saturating_add((*opaque as usize).saturating_mul(each));
            if wanted(carrier..after) {
                self.raster.row(y, &mut row);
                work(&mut row, carrier);
            }
            carrier = after;
        }
    }

    pub fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::new(self.count());
        let places = carriers.places;
        let wanted = |range| places.meets(range);
        self.rows(wanted, |row, mut carrier| {
            for pixel in row {
                for sample in pixel.iter().take(self.sense.carriers(pixel)) {
                    carriers.take(carrier, sample & 1 == 1);
                    carrier = carrier.wrapping_add(1);
                }
            }
        });
        carriers
    }

    pub fn count(&self) -> usize {
        let opaque = self.opaque.iter().map(|count| *count as usize).fold(0, usize::saturating_add);
        opaque.saturating_mul(self.sense.carriers(&[u16::MAX; 4]))
    }

    /// SHA-256 over all pixels, the carriers in use taken as 0 and pixels that nobody sees as black.
    pub fn sha256(&self, places: Use) -> [u8; 32] {
        self.digest(places, &mut |_| ())
    }

    /// The same, and what else changes the picture.
    pub fn covered(&self, places: Use) -> ([u8; 32], Display) {
        let mut display = self.display.clone();
        if !self.hidden.any {
            return (self.sha256(places), display);
        }
        let (mut digest, mut line) = (Digest::default(), Vec::new());
        let sha256 = self.digest(places, &mut |row| {
            line.clear();
            let samples = row.iter().filter(|pixel| pixel[3] == 0).flat_map(|pixel| pixel.iter().take(3));
            if self.hidden.deep {
                samples.for_each(|sample| line.extend(sample.to_be_bytes()));
            } else {
                line.extend(samples.map(|sample| *sample as u8));
            }
            digest.add(&line);
        });
        display.set(HIDDEN, digest.end());
        (sha256, display)
    }

    /// SHA-256 over all pixels; each row is shown to `look`.
    fn digest(&self, places: Use, look: &mut dyn FnMut(&[Pixel])) -> [u8; 32] {
        let header = &self.raster.header;
        let mut digest = Digest::default();
        digest.add(b"sx-pixels-v1 png\n");
        digest.add(&(header.width as u32).to_be_bytes());
        digest.add(&(header.height as u32).to_be_bytes());
        digest.add(&[u8::from(self.sense.grey), u8::from(self.sense.deep)]);
        digest.add(&(places.used as u32).to_be_bytes());
        let mut line = Vec::new();
        self.rows(
            |_| true,
            |row, mut carrier| {
                if places.meets(carrier..carrier.saturating_add(row.len().saturating_mul(3))) {
                    for pixel in row.iter_mut() {
                        let count = self.sense.carriers(pixel);
                        for sample in pixel.iter_mut().take(count) {
                            if places.holds(carrier) {
                                *sample = self.sense.with(*sample, false);
                            }
                            carrier = carrier.wrapping_add(1);
                        }
                    }
                }
                look(row);
                line.clear();
                self.write(row, &mut line);
                digest.add(&line);
            },
        );
        digest.end()
    }

    fn write(&self, row: &[Pixel], line: &mut Vec<u8>) {
        let seen = row.iter().map(|pixel| if pixel[3] == 0 { [0; 4] } else { *pixel });
        match (self.sense.grey, self.sense.deep) {
            (true, false) => line.extend(seen.flat_map(|[grey, _, _, alpha]| [grey as u8, alpha as u8])),
            (false, false) => line.extend(seen.flat_map(|pixel| pixel.map(|sample| sample as u8))),
            (true, true) => seen.for_each(|[grey, _, _, alpha]| wide(&[grey, alpha], line)),
            (false, true) => seen.for_each(|pixel| wide(&pixel, line)),
        }
    }

    /// The file with these bits in its carriers.
    pub fn embed(mut self, encoded: &Encoded) -> Result<Vec<u8>, Problem> {
        let mut carrier = 0_usize;
        let sense = self.sense;
        let mut row = alloc::vec![[0; 4]; self.raster.header.width];
        for y in 0..self.raster.header.height {
            self.raster.row(y, &mut row);
            let mut changed = false;
            for pixel in &mut row {
                let count = sense.carriers(pixel);
                for sample in pixel.iter_mut().take(count) {
                    if let Some(bit) = encoded.bit(carrier) {
                        let new = sense.with(*sample, bit);
                        changed |= core::mem::replace(sample, new) != new;
                    }
                    carrier = carrier.wrapping_add(1);
                }
                if sense.grey {
                    let [grey, ..] = *pixel;
                    *pixel = [grey, grey, grey, pixel[3]];
                }
            }
            if changed {
                self.raster.put_row(y, &row);
            }
        }
        self.rebuild()
    }

    /// The file with the samples as they are now: all chunks are kept, but for `IDAT`, which is one, and
    /// `iDOT`, which points into what it was.
    fn rebuild(self) -> Result<Vec<u8>, Problem> {
        if survey(&self.raster).sense != self.sense {
            return Err(Problem::TooPlain);
        }
        let Self { bytes, raster, data, dropped, .. } = self;
        let packed = raster.encode()?;
        let length = u32::try_from(packed.len()).map_err(|_| Problem::TooManyPixels)?;
        let crc = crc32(&[b"IDAT", &packed]);
        let mut pieces = Pieces::default();
        pieces.input_without(0..data, &dropped);
        pieces.bytes(&[length.to_be_bytes().as_slice(), b"IDAT", &packed, &crc.to_be_bytes()].concat());
        pieces.input_without(data..bytes.len(), &dropped);
        Ok(pieces.assemble(bytes))
    }
}

fn wide(samples: &[u16], line: &mut Vec<u8>) {
    samples.iter().for_each(|sample| line.extend(sample.to_be_bytes()));
}

/// What is learned by looking at all pixels.
struct Survey {
    sense: Sense,
    /// Pixels of full alpha in each row.
    opaque: Vec<u32>,
    hidden: Hidden,
}

fn survey(raster: &Raster) -> Survey {
    let header = &raster.header;
    let mut sense = Sense { grey: true, deep: false };
    let is_opaque = raster.is_opaque();
    let mut opaque = alloc::vec![header.width as u32; header.height];
    let mut hidden = Hidden { any: false, deep: false };
    if is_opaque && header.colour == 0 && header.depth <= 8 {
        return Survey { sense, opaque, hidden };
    }
    // Of a palette each colour has to be looked at: a number may stand for none.
    let is_narrow = header.depth <= 8 && header.colour != 3;
    let mut row = alloc::vec![[0; 4]; header.width];
    for (y, opaque) in opaque.iter_mut().enumerate() {
        raster.row(y, &mut row);
        *opaque = 0;
        for [red, green, blue, alpha] in &row {
            let is_seen = *alpha != 0;
            sense.grey &= !is_seen | (red == green) & (green == blue);
            let is_deep = |sample: &u16| sample >> 8 != sample & 0xFF;
            let needs_more = is_deep(red) | is_deep(green) | is_deep(blue);
            sense.deep |= is_deep(alpha) | is_seen & needs_more;
            hidden.deep |= !is_seen & needs_more;
            hidden.any |= !is_seen & (red | green | blue != 0);
            *opaque = opaque.wrapping_add(u32::from(*alpha == u16::MAX));
        }
        if is_opaque && !sense.grey && (sense.deep || is_narrow) {
            *opaque = header.width as u32;
            break;
        }
    }
    Survey { sense, opaque, hidden }
}

/// How many chunks of a kind the file has.
fn count(window: &mut Window<'_>, kind: [u8; 4]) -> usize {
    let mut chunks = Chunks::new();
    core::iter::from_fn(|| chunks.next(window)).filter(|chunk| chunk.kind == kind).count()
}
