//! PNG: the lowest bits of the colour samples of pixels that are fully opaque.
//!
//! What a pixel is does not depend on how it is stored: a tool that turns RGB into a palette, drops an
//! alpha channel that says nothing, or changes interlace and compression keeps the signature. An image
//! whose pixels are all grey has one carrier in each, so that it may be stored as grey; one whose 16-bit
//! samples have two equal bytes counts as one of 8 bits.

mod raster;

use super::display::Display;
use super::layout::{Bits, Encoded, Use};
use crate::crc::crc32;
use crate::pieces::Pieces;
use crate::png::chunks::Chunks;
use crate::problem::Problem;
use crate::source::Window;
use alloc::vec::Vec;
use core::ops::Range;
use raster::{Header, Pixel, Raster};
use sha2::{Digest as _, Sha256};

/// A decoded image.
pub(super) struct Image<'a> {
    bytes: &'a [u8],
    raster: Raster,
    sense: Sense,
    has_key: bool,
    /// Where the first `IDAT` begins.
    data: usize,
    /// All chunks that are not kept: `IDAT` and `iDOT`.
    dropped: Vec<Range<usize>>,
    pub display: Display,
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
        let (mut header, mut plte, mut trns) = (None, [].as_slice(), None);
        let (mut data, mut dropped, mut packed) = (None, Vec::new(), Vec::new());
        let mut display = Display::default();
        let mut ended = false;
        while let Some(chunk) = chunks.next(&mut window) {
            let content = bytes.get(chunk.data()).unwrap_or_default();
            if matches!(&chunk.kind, b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT") {
                // Readers skip a chunk whose checksum is wrong, or stop there.
                let crc = window.array(chunk.data().end).map(u32::from_be_bytes);
                if crc != Some(crc32(&[&chunk.kind, content])) {
                    return Err(Problem::PixelsBroken);
                }
            }
            match &chunk.kind {
                b"IHDR" if header.is_none() => header = Header::read(content),
                // What stands twice or too late counts for some readers and not for others.
                b"PLTE" if plte.is_empty() && trns.is_none() && data.is_none() => plte = content,
                b"tRNS" if trns.is_none() && data.is_none() => trns = Some(content),
                b"IDAT" if !ended => {
                    packed.extend_from_slice(content);
                    data.get_or_insert(chunk.range.start);
                    dropped.push(chunk.range);
                    continue;
                }
                b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" => return Err(Problem::PixelsBroken),
                b"iDOT" => dropped.push(chunk.range),
                kind => display.png_chunk(kind, content),
            }
            ended = data.is_some();
        }
        let header = header.filter(|_| chunks.complete).ok_or(Problem::PixelsBroken)?;
        let data = data.ok_or(Problem::PixelsBroken)?;
        let raster = Raster::decode(header, &packed, plte, trns)?;
        let sense = sense(&raster);
        Ok(Self { bytes, raster, sense, has_key: trns.is_some(), data, dropped, display })
    }

    /// Why the image cannot be given a signature of its pixels, if it cannot.
    pub fn refusal(&self) -> Option<Problem> {
        let header = &self.raster.header;
        if self.display.is_animated() {
            Some(Problem::Animated)
        } else if header.colour == 3 || header.depth < 8 {
            Some(Problem::PngKind)
        } else if self.has_key {
            Some(Problem::TransparentColour)
        } else {
            None
        }
    }

    fn rows(&self) -> impl Iterator<Item = Vec<Pixel>> {
        let header = &self.raster.header;
        let mut row = alloc::vec![[0; 4]; header.width];
        (0..header.height).map(move |y| {
            self.raster.row(y, &mut row);
            row.clone()
        })
    }

    pub fn bits(&self) -> Bits {
        let mut bits = Bits::default();
        for pixel in self.rows().flatten() {
            pixel.iter().take(self.sense.carriers(&pixel)).for_each(|sample| bits.push(sample & 1 == 1));
        }
        bits
    }

    pub fn count(&self) -> usize {
        self.rows().flatten().map(|pixel| self.sense.carriers(&pixel)).fold(0, usize::saturating_add)
    }

    /// SHA-256 over all pixels, the carriers in use taken as 0 and pixels that nobody sees as black.
    pub fn sha256(&self, places: Use) -> [u8; 32] {
        let header = &self.raster.header;
        let mut digest = Sha256::new();
        digest.update(b"sx-pixels-v1 png\n");
        digest.update((header.width as u32).to_be_bytes());
        digest.update((header.height as u32).to_be_bytes());
        digest.update([u8::from(self.sense.grey), u8::from(self.sense.deep)]);
        digest.update((places.used as u32).to_be_bytes());
        let mut carrier = 0_usize;
        let mut line = Vec::new();
        for row in self.rows() {
            line.clear();
            for mut pixel in row {
                let count = self.sense.carriers(&pixel);
                for sample in pixel.iter_mut().take(count) {
                    if places.holds(carrier) {
                        *sample = self.sense.with(*sample, false);
                    }
                    carrier = carrier.wrapping_add(1);
                }
                self.write(&pixel, &mut line);
            }
            digest.update(&line);
        }
        digest.finalize().into()
    }

    fn write(&self, pixel: &Pixel, line: &mut Vec<u8>) {
        let seen = if pixel[3] == 0 { [0; 4] } else { *pixel };
        let [red, green, blue, alpha] = seen;
        let samples = [red, green, blue, alpha];
        let grey = [red, alpha];
        for sample in if self.sense.grey { grey.as_slice() } else { &samples } {
            let [high, low] = sample.to_be_bytes();
            line.push(high);
            if self.sense.deep {
                line.push(low);
            }
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
        if sense(&self.raster) != self.sense {
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

fn sense(raster: &Raster) -> Sense {
    let mut sense = Sense { grey: true, deep: false };
    let mut row = alloc::vec![[0; 4]; raster.header.width];
    for y in 0..raster.header.height {
        raster.row(y, &mut row);
        for [red, green, blue, alpha] in &row {
            if *alpha != 0 {
                sense.grey &= red == green && green == blue;
            }
            let is_deep = |sample: &u16| sample >> 8 != sample & 0xFF;
            sense.deep |= is_deep(alpha) || *alpha != 0 && [red, green, blue].into_iter().any(is_deep);
        }
        if !sense.grey && sense.deep {
            break;
        }
    }
    sense
}
