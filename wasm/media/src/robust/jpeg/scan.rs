//! The coded data of one scan (ITU-T T.81, annexes F and G).

use super::frame::{Frame, Plane, Tables};
use super::huffman::{BitReader, Place, Table};
use crate::problem::Problem;
use alloc::vec::Vec;
use core::ops::Range;

const BROKEN: Problem = Problem::PixelsBroken;
/// Blocks of a unit (ITU-T T.81, B.2.3).
const MOST_BLOCKS: usize = 10;

/// The lowest bits that are to be set, and where those stand in the file that change.
pub(super) struct Search<'a> {
    /// For each coefficient of the first component two bits: whether it is wanted, and which lowest bit it is to have.
    pub wanted: &'a [u8],
    pub found: Vec<Place>,
}

impl Search<'_> {
    fn met(
        &mut self,
        number: usize,
        coefficient: &mut i16,
        at_once: bool,
        reader: &BitReader<'_>,
    ) -> Result<(), Problem> {
        let wanted = self.wanted.get(number >> 2).copied().unwrap_or(0) >> ((number & 3) << 1) & 3;
        if wanted == 0 {
            return Ok(());
        }
        let (bit, place) = (*coefficient & 1 != 0, reader.last());
        // What is coded at once has the complement of its magnitude where it is negative.
        if reader.bit(place) != (bit ^ (at_once && *coefficient < 0)) {
            return Err(BROKEN); // not the place of this coefficient
        }
        if bit != (wanted & 1 != 0) {
            let step = if bit == (*coefficient < 0) { 1 } else { -1 };
            *coefficient = coefficient.wrapping_add(step);
            self.found.push(place);
        }
        Ok(())
    }
}

/// What the header of a scan says.
struct Header {
    /// Component, table of the constant part, table of the others.
    parts: Vec<(usize, usize, usize)>,
    from: usize,
    to: usize,
    high: u8,
    low: u8,
}

fn header(data: &[u8], frame: &Frame) -> Option<Header> {
    let (count, rest) = data.split_first()?;
    let (parts, rest) = rest.split_at_checked(usize::from(*count).checked_mul(2)?)?;
    let [from, to, bits] = *<&[u8; 3]>::try_from(rest).ok()?;
    let part = |part: &[u8; 2]| {
        let component = frame.planes.iter().position(|plane| plane.id == part[0])?;
        let (dc, ac) = (usize::from(part[1] >> 4), usize::from(part[1] & 15));
        (dc < 4 && ac < 4).then_some((component, dc, ac)) // also of a table that is not used
    };
    let parts: Vec<_> = parts.as_chunks::<2>().0.iter().map(part).collect::<Option<_>>()?;
    let (high, low) = (bits >> 4, bits & 15);
    let (from, to) = (usize::from(from), usize::from(to));
    let is_sound = if frame.progressive {
        to < 64
            && low <= 13
            && (high == 0 || high == low.wrapping_add(1))
            && if from == 0 { to == 0 } else { to >= from && parts.len() == 1 }
    } else {
        (from, to, high, low) == (0, 63, 0, 0)
    };
    let size = |plane: &Plane| plane.h.saturating_mul(plane.v);
    let blocks: usize = parts.iter().filter_map(|part| frame.planes.get(part.0)).map(size).sum();
    if parts.len() > 1 && blocks > MOST_BLOCKS {
        return None;
    }
    let ascends = parts.iter().zip(parts.iter().skip(1)).all(|(a, b)| a.0 < b.0);
    (is_sound && ascends && !parts.is_empty()).then_some(Header { parts, from, to, high, low })
}

/// Decodes the scan whose header stands in `place`, and its coded data after it.
pub(super) fn decode(
    bytes: &[u8],
    place: Range<usize>,
    frame: &mut Frame,
    tables: &Tables,
    search: &mut Search<'_>,
) -> Result<(), Problem> {
    let at = place.end;
    let header = bytes.get(place).and_then(|data| header(data, frame)).ok_or(BROKEN)?;
    for (component, ..) in &header.parts {
        let plane = frame.planes.get_mut(*component).ok_or(BROKEN)?;
        // Readers show zeros, or other numbers, where a table comes later.
        let quant = tables.quant.get(usize::from(plane.quant_number)).copied().flatten().ok_or(BROKEN)?;
        plane.quant.get_or_insert(quant);
        if header.from > 0 && plane.pending.first() == Some(&255) {
            return Err(BROKEN); // the constant parts come first (ITU-T T.81, G.1.1.1.1)
        }
        for pending in plane.pending.get_mut(header.from..=header.to).ok_or(BROKEN)? {
            let before = if header.high == 0 { 255 } else { header.high };
            if core::mem::replace(pending, header.low) != before {
                return Err(BROKEN);
            }
        }
    }
    let table = |list: &'_ [Option<_>; 4], number: usize| list.get(number).and_then(Clone::clone);
    let mut parts = Vec::new();
    for (component, dc, ac) in &header.parts {
        parts.push(Part {
            component: *component,
            dc: table(&tables.dc, *dc),
            ac: table(&tables.ac, *ac),
            before: 0,
        });
    }
    let has_dc = header.from == 0 && header.high == 0;
    if has_dc && parts.iter().any(|part| part.dc.as_ref().is_none_or(|table| !table.is_dc())) {
        return Err(BROKEN);
    }
    let mut scan = Scan {
        reader: BitReader::new(bytes, at),
        from: header.from,
        to: header.to,
        low: u32::from(header.low),
        mode: match (frame.progressive, header.from, header.high) {
            (false, ..) => Mode::Sequential,
            (true, 0, 0) => Mode::FirstDc,
            (true, 0, _) => Mode::RefineDc,
            (true, _, 0) => Mode::FirstAc,
            (true, ..) => Mode::RefineAc,
        },
        run: 0,
        carries: false,
        carriers: 0,
        search,
    };
    scan.units(&mut parts, frame, tables.restart)?;
    scan.reader.end()
}

struct Part {
    component: usize,
    dc: Option<alloc::boxed::Box<Table>>,
    ac: Option<alloc::boxed::Box<Table>>,
    /// The constant part of the block before.
    before: i32,
}

#[derive(Clone, Copy)]
enum Mode {
    Sequential,
    FirstDc,
    RefineDc,
    FirstAc,
    RefineAc,
}

struct Scan<'a, 'b, 's> {
    reader: BitReader<'a>,
    from: usize,
    to: usize,
    low: u32,
    mode: Mode,
    /// Blocks to come in which nothing new is coded.
    run: u32,
    /// Whether this block is of the component that carries bits.
    carries: bool,
    /// How many bits it carries that were met in this scan.
    carriers: u8,
    search: &'b mut Search<'s>,
}

impl Scan<'_, '_, '_> {
    fn units(&mut self, parts: &mut [Part], frame: &mut Frame, restart: u16) -> Result<(), Problem> {
        let single = parts.len() == 1;
        let (across, down) = match (single, parts.first().and_then(|p| frame.planes.get(p.component))) {
            (true, Some(plane)) => (plane.columns, plane.rows),
            _ => frame.units,
        };
        let mut left = u32::from(restart);
        let mut restarts = 0_u8;
        for row in 0..down {
            for column in 0..across {
                if restart > 0 && left == 0 {
                    self.reader.restart(restarts)?;
                    restarts = restarts.wrapping_add(1);
                    left = u32::from(restart);
                    self.run = 0;
                    parts.iter_mut().for_each(|part| part.before = 0);
                }
                left = left.wrapping_sub(1);
                for part in parts.iter_mut() {
                    let plane = frame.planes.get_mut(part.component).ok_or(BROKEN)?;
                    let (h, v) = if single { (1, 1) } else { (plane.h, plane.v) };
                    for y in 0..v {
                        for x in 0..h {
                            let line = row.wrapping_mul(v).wrapping_add(y);
                            let number = plane.number(column.wrapping_mul(h).wrapping_add(x), line);
                            self.block(part, plane, number)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Decodes a block. One without a number only fills up a unit, and nothing of it is kept.
    #[inline(never)] // a runtime optimises whole functions, and takes what it has made at the next call
    fn block(&mut self, part: &mut Part, plane: &mut Plane, number: Option<usize>) -> Result<(), Problem> {
        let first = number.unwrap_or(0).wrapping_mul(64);
        self.carries = part.component == 0 && number.is_some();
        let (mut none, mut nothing) = (0, 0);
        let constant = number.and_then(|number| plane.coefficients.constant(number)).unwrap_or(&mut none);
        match self.mode {
            Mode::Sequential => {
                *constant = self.dc(part, 0)?;
                self.from = 1;
                self.run = 0;
            }
            Mode::FirstDc => {
                *constant = self.dc(part, self.low)?;
                return Ok(());
            }
            Mode::RefineDc => {
                *constant |= (self.reader.bits(1)? << self.low) as i16;
                return Ok(());
            }
            Mode::FirstAc | Mode::RefineAc => {}
        }
        let filled = number.and_then(|number| plane.filled.get_mut(number)).unwrap_or(&mut nothing);
        let refines = matches!(self.mode, Mode::RefineAc);
        // In most blocks of most scans nothing comes, and nothing that is there goes on.
        if self.run > 0 && !(refines && *filled & self.band(self.from) != 0) {
            self.run = self.run.wrapping_sub(1);
            return Ok(());
        }
        let ac = part.ac.as_deref().ok_or(BROKEN)?;
        let begun = number.filter(|_| !matches!(self.mode, Mode::Sequential));
        let mut coefficients = begun.map_or([0; 64], |number| plane.coefficients.get(number));
        self.carriers = 0;
        if refines {
            self.refine_ac(ac, &mut coefficients, filled, first)?;
        } else {
            self.first_ac(ac, &mut coefficients, filled, first)?;
        }
        if let Some(number) = number {
            plane.coefficients.set(number, &coefficients);
            if let Some(carriers) = plane.coefficients.carriers.get_mut(number) {
                *carriers = carriers.wrapping_add(self.carriers); // at most 63
            }
        }
        Ok(())
    }

    /// A bit for each coefficient from `at` on that the scan has.
    fn band(&self, at: usize) -> u64 {
        if at <= self.to { u64::MAX << at & u64::MAX >> 63_usize.wrapping_sub(self.to) } else { 0 }
    }

    /// The bit that was read last is the lowest of this coefficient; flipping it changes no code.
    fn met(&mut self, number: usize, coefficient: &mut i16) -> Result<(), Problem> {
        if !self.carries {
            return Ok(());
        }
        self.carriers = self.carriers.wrapping_add(1);
        let at_once = !matches!(self.mode, Mode::RefineAc);
        self.search.met(number, coefficient, at_once, &self.reader)
    }

    /// The constant part: a difference to the block before.
    fn dc(&mut self, part: &mut Part, low: u32) -> Result<i16, Problem> {
        let size = u32::from(self.reader.symbol(part.dc.as_deref().ok_or(BROKEN)?)?);
        let difference = self.number(size)?;
        part.before = part.before.checked_add(difference).ok_or(BROKEN)?;
        let shifted = part.before.checked_mul(1 << low).ok_or(BROKEN)?;
        i16::try_from(shifted).map_err(|_| BROKEN)
    }

    /// A number of `size` bits; those that begin with 0 are negative.
    fn number(&mut self, size: u32) -> Result<i32, Problem> {
        if size > 15 {
            return Err(BROKEN);
        }
        let bits = self.reader.bits(size)? as i32;
        let half = 1 << size >> 1;
        let most = (1_i32 << size).wrapping_sub(1);
        Ok(if bits < half { bits.wrapping_sub(most) } else { bits })
    }

    fn first_ac(
        &mut self,
        table: &Table,
        coefficients: &mut [i16; 64],
        filled: &mut u64,
        first: usize,
    ) -> Result<(), Problem> {
        let mut at = self.from;
        while at <= self.to {
            let symbol = self.reader.symbol(table)?;
            let (zeros, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            if size == 0 {
                if zeros == 15 {
                    at = at.wrapping_add(16);
                    if at > self.to.wrapping_add(1) {
                        return Err(BROKEN); // some readers stop there
                    }
                    continue;
                }
                self.run = self.end_of_blocks(zeros as u32)?.wrapping_sub(1);
                break;
            }
            at = at.wrapping_add(zeros);
            let value = self.number(size)?.checked_mul(1 << self.low).ok_or(BROKEN)?;
            if at > self.to {
                return Err(BROKEN);
            }
            let coefficient = coefficients.get_mut(at).ok_or(BROKEN)?;
            *coefficient = i16::try_from(value).map_err(|_| BROKEN)?;
            *filled |= 1 << (at & 63);
            if size >= 2 && self.low == 0 {
                self.met(first.wrapping_add(at), coefficient)?;
            }
            at = at.wrapping_add(1);
        }
        Ok(())
    }

    /// How many blocks, this one included, have nothing more.
    fn end_of_blocks(&mut self, size: u32) -> Result<u32, Problem> {
        if matches!(self.mode, Mode::Sequential) {
            return if size == 0 { Ok(1) } else { Err(BROKEN) };
        }
        Ok((1 << size) | self.reader.bits(size)?)
    }

    fn refine_ac(
        &mut self,
        table: &Table,
        coefficients: &mut [i16; 64],
        filled: &mut u64,
        first: usize,
    ) -> Result<(), Problem> {
        let mut at = self.from;
        while self.run == 0 && at <= self.to {
            let symbol = self.reader.symbol(table)?;
            let (mut zeros, size) = (symbol >> 4, symbol & 15);
            let new = match size {
                0 if zeros < 15 => {
                    self.run = self.end_of_blocks(u32::from(zeros))?;
                    break;
                }
                0 => None,
                1 if self.reader.bits(1)? == 1 => Some(1_i16 << self.low),
                1 => Some((-1_i16) << self.low),
                _ => return Err(BROKEN),
            };
            loop {
                let coefficient = coefficients.get_mut(at).filter(|_| at <= self.to).ok_or(BROKEN)?;
                let is_old = *coefficient != 0;
                if is_old {
                    correct(&mut self.reader, coefficient, self.low)?;
                    if self.low == 0 {
                        self.met(first.wrapping_add(at), coefficient)?;
                    }
                } else if zeros == 0 {
                    *coefficient = new.unwrap_or(0);
                    *filled |= u64::from(new.is_some()) << (at & 63);
                }
                at = at.wrapping_add(1);
                if !is_old {
                    if zeros == 0 {
                        break;
                    }
                    zeros = zeros.wrapping_sub(1);
                }
                if at > self.to {
                    if zeros == 0 && new.is_none() {
                        break;
                    }
                    return Err(BROKEN);
                }
            }
        }
        if self.run > 0 {
            let mut old = *filled & self.band(at);
            while old != 0 {
                let at = old.trailing_zeros() as usize;
                let coefficient = coefficients.get_mut(at).ok_or(BROKEN)?;
                correct(&mut self.reader, coefficient, self.low)?;
                if self.low == 0 {
                    self.met(first.wrapping_add(at), coefficient)?;
                }
                old &= old.wrapping_sub(1);
            }
            self.run = self.run.wrapping_sub(1);
        }
        Ok(())
    }
}

/// The next bit of a coefficient that is known already.
fn correct(reader: &mut BitReader<'_>, coefficient: &mut i16, low: u32) -> Result<(), Problem> {
    if reader.bits(1)? == 1 {
        let bit = 1_i16 << low;
        let step = if *coefficient < 0 { bit.wrapping_neg() } else { bit };
        *coefficient = coefficient.checked_add(step).ok_or(BROKEN)?;
    }
    Ok(())
}
