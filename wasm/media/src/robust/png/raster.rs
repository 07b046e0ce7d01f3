//! The samples of a PNG: inflated, without filters; in any colour type, depth and interlace.

use crate::problem::Problem;
use alloc::vec::Vec;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// Bytes that the samples may take.
const MOST_BYTES: usize = 512 << 20;
/// What deflate can make of one byte, at most.
const MOST_GROWTH: usize = 1032;

/// What `IHDR` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub colour: u8,
    pub interlaced: bool,
}

impl Header {
    pub fn read(data: &[u8]) -> Option<Self> {
        let [w0, w1, w2, w3, h0, h1, h2, h3, depth, colour, 0, 0, interlace] = *data.first_chunk::<13>()?
        else {
            return None;
        };
        let (width, height) = (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
        let known =
            matches!((colour, depth), (0, 1 | 2 | 4 | 8 | 16) | (2 | 4 | 6, 8 | 16) | (3, 1 | 2 | 4 | 8));
        let sizes = 1..=0x7FFF_FFFF_u32;
        (known && interlace < 2 && sizes.contains(&width) && sizes.contains(&height)).then_some(Self {
            width: width as usize,
            height: height as usize,
            depth: usize::from(depth),
            colour,
            interlaced: interlace == 1,
        })
    }

    fn channels(&self) -> usize {
        match self.colour {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// Bits of a pixel.
    fn bits(&self) -> usize {
        self.channels().saturating_mul(self.depth)
    }

    fn passes(&self) -> Vec<Pass> {
        let grids: &[[usize; 4]] = if self.interlaced {
            // First column and row, steps across and down (PNG, section 8).
            &[
                [0, 0, 8, 8],
                [4, 0, 8, 8],
                [0, 4, 4, 8],
                [2, 0, 4, 4],
                [0, 2, 2, 4],
                [1, 0, 2, 2],
                [0, 1, 1, 2],
            ]
        } else {
            &[[0, 0, 1, 1]]
        };
        let mut start = 0_usize;
        let mut passes = Vec::new();
        for &[x, y, across, down] in grids {
            let columns = self.width.saturating_sub(x).div_ceil(across);
            let rows = self.height.saturating_sub(y).div_ceil(down);
            if columns == 0 || rows == 0 {
                continue;
            }
            let line = columns.saturating_mul(self.bits()).div_ceil(8).saturating_add(1);
            passes.push(Pass { x, y, across, down, rows, start, line });
            start = start.saturating_add(line.saturating_mul(rows));
        }
        passes
    }
}

/// The pixels of one pass of interlacing, or all of them.
struct Pass {
    x: usize,
    y: usize,
    across: usize,
    down: usize,
    rows: usize,
    /// Where its lines begin.
    start: usize,
    /// Bytes of a line, the filter included.
    line: usize,
}

impl Pass {
    fn end(&self) -> usize {
        self.start.saturating_add(self.line.saturating_mul(self.rows))
    }

    /// Where a pixel stands: in which byte it begins, and at which bit of it.
    fn place(&self, x: usize, y: usize, bits: usize) -> (usize, usize) {
        let line = self.line.wrapping_mul(y).wrapping_add(self.start).wrapping_add(1);
        let bit = x.wrapping_mul(bits);
        (line.wrapping_add(bit >> 3), bit & 7)
    }
}

/// A pixel: red, green, blue and alpha of 16 bits each; a sample of 8 bits stands twice.
pub(super) type Pixel = [u16; 4];

/// The samples of an image.
pub(super) struct Raster {
    pub header: Header,
    passes: Vec<Pass>,
    /// The lines of all passes: the kind of filter, then the samples without it.
    lines: Vec<u8>,
    palette: Vec<Pixel>,
    transparent: Option<[u16; 3]>,
}

impl Raster {
    /// Inflates `data` (all of `IDAT`) and undoes the filters.
    pub fn decode(header: Header, data: &[u8], plte: &[u8], trns: Option<&[u8]>) -> Result<Self, Problem> {
        let passes = header.passes();
        let size = passes.last().map_or(0, Pass::end);
        if size / MOST_GROWTH > data.len() {
            return Err(Problem::PixelsBroken);
        }
        if size > MOST_BYTES {
            return Err(Problem::TooManyPixels);
        }
        let mut lines = alloc::vec![0; size];
        let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
            | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
            | inflate_flags::TINFL_FLAG_COMPUTE_ADLER32;
        let (status, _, written) = decompress(&mut DecompressorOxide::new(), data, &mut lines, 0, flags);
        if status != TINFLStatus::Done || written != size {
            return Err(Problem::PixelsBroken);
        }
        let mut raster = Self { header, passes, lines, palette: Vec::new(), transparent: None };
        raster.filter(unfilter_line, false)?;
        raster.colours(plte, trns).ok_or(Problem::PixelsBroken)?;
        Ok(raster)
    }

    /// Takes the palette and what is transparent; nothing where readers would not agree about them.
    fn colours(&mut self, plte: &[u8], trns: Option<&[u8]>) -> Option<()> {
        let fits = |sample: u16| self.header.depth == 16 || sample >> self.header.depth == 0;
        self.transparent = match (self.header.colour, trns) {
            (3, _) => {
                let (colours, rest) = plte.as_chunks::<3>();
                let alphas = trns.unwrap_or_default();
                let most = 1 << self.header.depth;
                let is_sound = rest.is_empty() && (1..=most).contains(&colours.len());
                if !is_sound || alphas.len() > colours.len() {
                    return None;
                }
                let alphas = alphas.iter().copied().chain(core::iter::repeat(255));
                let entry = |(&[r, g, b], alpha): (&[u8; 3], u8)| {
                    [r, g, b, alpha].map(|value| u16::from(value).wrapping_mul(257))
                };
                self.palette = colours.iter().zip(alphas).map(entry).collect();
                None
            }
            (_, None) => None,
            (0, Some(&[a, b])) => Some([u16::from_be_bytes([a, b]); 3]),
            (2, Some(&[a, b, c, d, e, f])) => Some([[a, b], [c, d], [e, f]].map(u16::from_be_bytes)),
            _ => return None,
        };
        self.transparent.into_iter().flatten().all(fits).then_some(())
    }

    /// The lines with their filters, as zlib data.
    pub fn encode(mut self) -> Result<Vec<u8>, Problem> {
        self.filter(filter_line, true)?;
        Ok(compress_to_vec_zlib(&self.lines, 6))
    }

    /// Applies `work` to each line and the one above it; from below, where that one must not yet be changed.
    fn filter(
        &mut self,
        work: fn(&mut [u8], &[u8], usize) -> Option<()>,
        from_below: bool,
    ) -> Result<(), Problem> {
        let step = self.header.bits().div_ceil(8);
        for pass in &self.passes {
            let lines = self.lines.get_mut(pass.start..pass.end()).ok_or(Problem::PixelsBroken)?;
            let none = alloc::vec![0; pass.line];
            for n in 0..pass.rows {
                let row = if from_below { pass.rows.saturating_sub(n.saturating_add(1)) } else { n };
                let (above, line) = lines.split_at_mut(row.saturating_mul(pass.line));
                let above = above.len().checked_sub(pass.line).and_then(|start| above.get(start..));
                let line = line.get_mut(..pass.line).ok_or(Problem::PixelsBroken)?;
                work(line, above.unwrap_or(&none), step).ok_or(Problem::PixelsBroken)?;
            }
        }
        Ok(())
    }

    /// Puts the pixels of row `y` into `row`.
    pub fn row(&self, y: usize, row: &mut [Pixel]) {
        let bits = self.header.bits();
        for (pass, line) in parts(&self.passes, y) {
            let pixels = row.iter_mut().skip(pass.x).step_by(pass.across);
            for (x, pixel) in pixels.enumerate() {
                *pixel = self.pixel(pass.place(x, line, bits));
            }
        }
    }

    fn pixel(&self, (byte, bit): (usize, usize)) -> Pixel {
        let bytes = self.lines.get(byte..).unwrap_or_default();
        let one = |n: usize| bytes.get(n).copied().unwrap_or(0);
        if self.header.depth < 8 {
            let depth = self.header.depth;
            let most = (1_u16 << depth).wrapping_sub(1);
            let value = u16::from(one(0) >> 8_usize.wrapping_sub(depth).wrapping_sub(bit)) & most;
            if self.header.colour == 3 {
                return self.palette.get(usize::from(value)).copied().unwrap_or([0, 0, 0, u16::MAX]);
            }
            let alpha = if self.transparent == Some([value; 3]) { 0 } else { u16::MAX };
            let grey = value.wrapping_mul(u16::MAX.checked_div(most).unwrap_or(0));
            return [grey, grey, grey, alpha];
        }
        if self.header.colour == 3 {
            return self.palette.get(usize::from(one(0))).copied().unwrap_or([0, 0, 0, u16::MAX]);
        }
        let wide = self.header.depth == 16;
        let stored = |n: usize| {
            if wide { u16::from_be_bytes([one(n << 1), one(n << 1 | 1)]) } else { u16::from(one(n)) }
        };
        let sample = |n: usize| if wide { stored(n) } else { stored(n).wrapping_mul(257) };
        let opaque = |colour: [u16; 3]| if self.transparent == Some(colour) { 0 } else { u16::MAX };
        match self.header.colour {
            0 => [sample(0), sample(0), sample(0), opaque([stored(0); 3])],
            2 => [sample(0), sample(1), sample(2), opaque([stored(0), stored(1), stored(2)])],
            4 => [sample(0), sample(0), sample(0), sample(1)],
            _ => [sample(0), sample(1), sample(2), sample(3)],
        }
    }

    /// Writes the pixels of `row` back that are of full opacity.
    pub fn put_row(&mut self, y: usize, row: &[Pixel]) {
        let Self { header, passes, lines, .. } = self;
        let wide = header.depth == 16;
        let colours = if matches!(header.colour, 2 | 6) { 3 } else { 1 };
        for (pass, line) in parts(passes, y) {
            let pixels = row.iter().skip(pass.x).step_by(pass.across).enumerate();
            for (x, pixel) in pixels.filter(|(_, pixel)| pixel[3] == u16::MAX) {
                let (start, _) = pass.place(x, line, header.bits());
                let mut to = lines.get_mut(start..).unwrap_or_default().iter_mut();
                for sample in pixel.iter().take(colours) {
                    let [high, low] = sample.to_be_bytes();
                    to.next().into_iter().for_each(|byte| *byte = high);
                    if wide {
                        to.next().into_iter().for_each(|byte| *byte = low);
                    }
                }
            }
        }
    }
}

/// The passes that have pixels in row `y`, with their row.
fn parts(passes: &[Pass], y: usize) -> impl Iterator<Item = (&Pass, usize)> {
    passes.iter().filter_map(move |pass| {
        let row = y.checked_sub(pass.y)?;
        row.is_multiple_of(pass.down).then(|| (pass, row.checked_div(pass.down).unwrap_or(0)))
    })
}

/// The predictor of filter 4 (PNG, section 9.4).
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i16::from);
    let near = |value: i16| a.wrapping_add(b).wrapping_sub(c).wrapping_sub(value).abs();
    if near(a) <= near(b) && near(a) <= near(c) {
        left
    } else if near(b) <= near(c) {
        above
    } else {
        corner
    }
}

fn predictor(filter: u8, left: u8, above: u8, corner: u8) -> Option<u8> {
    match filter {
        0 => Some(0),
        1 => Some(left),
        2 => Some(above),
        3 => Some((u16::from(left).wrapping_add(u16::from(above)) >> 1) as u8),
        4 => Some(paeth(left, above, corner)),
        _ => None,
    }
}

fn unfilter_line(line: &mut [u8], above: &[u8], step: usize) -> Option<()> {
    let (filter, line) = line.split_first_mut()?;
    let above = above.get(1..)?;
    predictor(*filter, 0, 0, 0)?;
    if *filter == 0 {
        return Some(());
    }
    for at in 0..line.len() {
        let before = at.checked_sub(step);
        let left = before.and_then(|at| line.get(at)).copied().unwrap_or(0);
        let corner = before.and_then(|at| above.get(at)).copied().unwrap_or(0);
        let predicted = predictor(*filter, left, *above.get(at)?, corner)?;
        let byte = line.get_mut(at)?;
        *byte = byte.wrapping_add(predicted);
    }
    Some(())
}

fn filter_line(line: &mut [u8], above: &[u8], step: usize) -> Option<()> {
    let (filter, line) = line.split_first_mut()?;
    let above = above.get(1..)?;
    if *filter == 0 {
        return Some(());
    }
    for at in (0..line.len()).rev() {
        let before = at.checked_sub(step);
        let left = before.and_then(|at| line.get(at)).copied().unwrap_or(0);
        let corner = before.and_then(|at| above.get(at)).copied().unwrap_or(0);
        let predicted = predictor(*filter, left, *above.get(at)?, corner)?;
        let byte = line.get_mut(at)?;
        *byte = byte.wrapping_sub(predicted);
    }
    Some(())
}
