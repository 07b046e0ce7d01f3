//! The samples of a PNG: inflated, without filters; in any colour type, depth and interlace.

use crate::problem::Problem;
use crate::robust::MOST_PIXELS;
use alloc::vec::Vec;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// Bytes that the samples may take.
const MOST_BYTES: usize = 256 << 20;
/// Columns, and rows: each takes time of its own.
const MOST_ROWS: usize = 1 << 16;
/// Bytes that deflate can repeat from, at most (RFC 1950).
const MOST_WINDOW: usize = 32 << 10;
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

    /// Whether a pixel is a number of a colour.
    fn is_listed(&self) -> bool {
        matches!(self.colour, 0 | 3) && self.depth <= 8
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

/// What a number stands for that the palette does not have: a colour that no palette can have.
const NO_COLOUR: Pixel = [1, 0, 0, u16::MAX];

/// The samples of an image.
pub(super) struct Raster {
    pub header: Header,
    passes: Vec<Pass>,
    /// The lines of all passes: the kind of filter, then the samples without it.
    lines: Vec<u8>,
    /// For each value that a pixel of up to 8 bits can have, its colour: of the palette or of grey.
    colours: Vec<Pixel>,
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
        let pixels = header.width.saturating_mul(header.height);
        if size > MOST_BYTES || pixels > MOST_PIXELS || header.width.max(header.height) > MOST_ROWS {
            return Err(Problem::TooManyPixels);
        }
        // Readers that take the window of the zlib header at its word stop where something is repeated from before it.
        let window = data.first().map_or(0, |head| 256_usize << (head >> 4));
        if window < size.min(MOST_WINDOW) || window > MOST_WINDOW {
            return Err(Problem::PixelsBroken);
        }
        let mut lines = alloc::vec![0; size];
        let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
            | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
            | inflate_flags::TINFL_FLAG_COMPUTE_ADLER32;
        let (status, read, written) = decompress(&mut DecompressorOxide::new(), data, &mut lines, 0, flags);
        // Readers do not agree about what follows the stream: some complain, some stop.
        if status != TINFLStatus::Done || written != size || read != data.len() {
            return Err(Problem::PixelsBroken);
        }
        let mut raster = Self { header, passes, lines, colours: Vec::new(), transparent: None };
        raster.filter(unfilter_line, false)?;
        raster.take_colours(plte, trns).ok_or(Problem::PixelsBroken)?;
        Ok(raster)
    }

    /// Takes the palette and what is transparent; nothing where readers would not agree about them.
    fn take_colours(&mut self, plte: &[u8], trns: Option<&[u8]>) -> Option<()> {
        let depth = self.header.depth;
        // Some readers cut samples of 16 bits to 8 and compare then.
        let fits = |sample: u16| depth <= 8 && sample >> depth == 0;
        self.transparent = match (self.header.colour, trns) {
            (3, _) | (_, None) => None,
            (0, Some(&[a, b])) => Some([u16::from_be_bytes([a, b]); 3]),
            (2, Some(&[a, b, c, d, e, f])) => Some([[a, b], [c, d], [e, f]].map(u16::from_be_bytes)),
            _ => return None,
        };
        if !self.transparent.into_iter().flatten().all(fits) {
            return None;
        }
        if self.header.colour == 3 {
            let (colours, _) = plte.as_chunks::<3>();
            let alphas = trns.unwrap_or_default();
            if colours.is_empty() || colours.len() > 1 << depth || alphas.len() > colours.len() {
                return None;
            }
            let alphas = alphas.iter().copied().chain(core::iter::repeat(255));
            let entry = |(&[r, g, b], alpha): (&[u8; 3], u8)| {
                [r, g, b, alpha].map(|value| u16::from(value).wrapping_mul(257))
            };
            self.colours = colours.iter().zip(alphas).map(entry).collect();
            self.colours.resize(1 << depth, NO_COLOUR);
        } else if self.header.is_listed() {
            let most = (1_u16 << depth).wrapping_sub(1);
            let level = |value: u16| {
                let grey = value.wrapping_mul(u16::MAX.checked_div(most).unwrap_or(0));
                [grey, grey, grey, self.opaque([value; 3])]
            };
            self.colours = (0..=most).map(level).collect();
        }
        Some(())
    }

    fn opaque(&self, stored: [u16; 3]) -> u16 {
        if self.transparent == Some(stored) { 0 } else { u16::MAX }
    }

    /// Whether all pixels are opaque, as far as the kind of the image tells.
    pub fn is_opaque(&self) -> bool {
        self.header.colour < 4
            && self.transparent.is_none()
            && self.colours.iter().all(|[.., alpha]| *alpha == u16::MAX)
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
    #[inline(never)]
    pub fn row(&self, y: usize, row: &mut [Pixel]) {
        for (pass, line) in parts(&self.passes, y) {
            let (start, _) = pass.place(0, line, 0);
            let bytes = self.lines.get(start..).and_then(|rest| rest.get(..pass.line.wrapping_sub(1)));
            let bytes = bytes.unwrap_or_default();
            if pass.across == 1 {
                self.pixels(bytes, row);
            } else {
                let mut some = alloc::vec![[0; 4]; row.len().saturating_sub(pass.x).div_ceil(pass.across)];
                self.pixels(bytes, &mut some);
                row.iter_mut()
                    .skip(pass.x)
                    .step_by(pass.across)
                    .zip(some)
                    .for_each(|(pixel, new)| *pixel = new);
            }
        }
    }

    /// The pixels of a line.
    fn pixels(&self, bytes: &[u8], to: &mut [Pixel]) {
        let to = to.iter_mut();
        let listed = |value: u8| self.colours.get(usize::from(value)).copied().unwrap_or(NO_COLOUR);
        let twice = |value: u8| u16::from(value).wrapping_mul(257);
        let wide = |high: u8, low: u8| u16::from_be_bytes([high, low]);
        match (self.header.colour, self.header.depth) {
            (0 | 3, 8) => to.zip(bytes).for_each(|(pixel, byte)| *pixel = listed(*byte)),
            (0 | 3, depth @ 1..8) => {
                let most = (1_u8 << depth).wrapping_sub(1);
                let shifts = (0..8).step_by(depth).map(|used| 8_usize.wrapping_sub(depth).wrapping_sub(used));
                let values =
                    bytes.iter().flat_map(|byte| shifts.clone().map(move |shift| byte >> shift & most));
                to.zip(values).for_each(|(pixel, value)| *pixel = listed(value));
            }
            (2, 8) => {
                for (pixel, &[r, g, b]) in to.zip(bytes.as_chunks().0) {
                    *pixel = [twice(r), twice(g), twice(b), self.opaque([r, g, b].map(u16::from))];
                }
            }
            (4, 8) => to.zip(bytes.as_chunks().0).for_each(|(pixel, &[grey, alpha])| {
                let grey = twice(grey);
                *pixel = [grey, grey, grey, twice(alpha)];
            }),
            (6, 8) => to.zip(bytes.as_chunks::<4>().0).for_each(|(pixel, bytes)| *pixel = bytes.map(twice)),
            (0, _) => to.zip(bytes.as_chunks().0).for_each(|(pixel, &[a, b])| {
                let grey = wide(a, b);
                *pixel = [grey, grey, grey, u16::MAX];
            }),
            (2, _) => to.zip(bytes.as_chunks().0).for_each(|(pixel, &[a, b, c, d, e, f])| {
                *pixel = [wide(a, b), wide(c, d), wide(e, f), u16::MAX];
            }),
            (4, _) => to.zip(bytes.as_chunks().0).for_each(|(pixel, &[a, b, c, d])| {
                let grey = wide(a, b);
                *pixel = [grey, grey, grey, wide(c, d)];
            }),
            _ => to.zip(bytes.as_chunks().0).for_each(|(pixel, &[a, b, c, d, e, f, g, h])| {
                *pixel = [wide(a, b), wide(c, d), wide(e, f), wide(g, h)];
            }),
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

fn predictor(filter: u8, left: u8, above: u8, corner: u8) -> u8 {
    match filter {
        1 => left,
        2 => above,
        3 => (u16::from(left).wrapping_add(u16::from(above)) >> 1) as u8,
        _ => paeth(left, above, corner),
    }
}

/// What stands `step` bytes before, and 0 before the first ones.
fn before(bytes: &[u8], at: usize, step: usize) -> u8 {
    at.checked_sub(step).and_then(|at| bytes.get(at)).copied().unwrap_or(0)
}

fn unfilter_line(line: &mut [u8], above: &[u8], step: usize) -> Option<()> {
    let (filter, line) = line.split_first_mut()?;
    let above = above.get(1..)?;
    match filter {
        0 => {}
        1 => {
            for at in step..line.len() {
                let left = before(line, at, step);
                let byte = line.get_mut(at)?;
                *byte = byte.wrapping_add(left);
            }
        }
        2 => line.iter_mut().zip(above).for_each(|(byte, above)| *byte = byte.wrapping_add(*above)),
        3 | 4 => {
            for (at, up) in above.iter().enumerate() {
                let predicted = predictor(*filter, before(line, at, step), *up, before(above, at, step));
                let byte = line.get_mut(at)?;
                *byte = byte.wrapping_add(predicted);
            }
        }
        _ => return None,
    }
    Some(())
}

fn filter_line(line: &mut [u8], above: &[u8], step: usize) -> Option<()> {
    let (filter, line) = line.split_first_mut()?;
    let above = above.get(1..)?;
    if *filter == 0 {
        return Some(());
    }
    for (at, up) in above.iter().enumerate().rev() {
        let predicted = predictor(*filter, before(line, at, step), *up, before(above, at, step));
        let byte = line.get_mut(at)?;
        *byte = byte.wrapping_sub(predicted);
    }
    Some(())
}
