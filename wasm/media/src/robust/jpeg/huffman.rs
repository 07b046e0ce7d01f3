//! Bits of an entropy-coded segment, and the Huffman codes in them (ITU-T T.81, annexes C and F).

use crate::problem::Problem;

/// Codes of up to this many bits are looked up at once.
const FAST: u32 = 9;

/// A Huffman table, ready for decoding.
#[derive(Clone)]
pub(super) struct Table {
    /// For each beginning of a code: its length and its symbol; length 0 where the code is longer.
    fast: [(u8, u8); 1 << FAST],
    /// For each length: the first code that is too large for it, filled up to 16 bits.
    limits: [u32; 17],
    /// For each length: what to add to a code to get the index of its symbol.
    offsets: [u32; 17],
    symbols: [u8; 256],
}

impl Table {
    /// The table of a `DHT` segment: how many codes there are of each length, and their symbols.
    pub fn new(counts: &[u8; 16], values: &[u8]) -> Option<Self> {
        let mut table =
            Self { fast: [(0, 0); 1 << FAST], limits: [0; 17], offsets: [0; 17], symbols: [0; 256] };
        table.symbols.get_mut(..values.len())?.copy_from_slice(values);
        let mut code = 0_u32;
        let mut index = 0_u32;
        for (length, count) in (1_u32..).zip(counts) {
            let end = code.checked_add(u32::from(*count))?;
            // No code consists of ones alone.
            if end >= 1 << length {
                return None;
            }
            *table.offsets.get_mut(length as usize)? = index.wrapping_sub(code);
            if length <= FAST {
                for (code, symbol) in (code..end).zip(values.get(index as usize..)?) {
                    let shift = FAST.wrapping_sub(length);
                    let first = (code << shift) as usize;
                    let last = first.checked_add(1 << shift)?;
                    table.fast.get_mut(first..last)?.fill((length as u8, *symbol));
                }
            }
            index = index.checked_add(u32::from(*count))?;
            *table.limits.get_mut(length as usize)? = end << 16_u32.wrapping_sub(length);
            code = end << 1;
        }
        (index as usize == values.len()).then_some(table)
    }

    /// Whether it can be one for the constant part.
    pub fn is_dc(&self) -> bool {
        self.symbols.iter().all(|size| *size < 16)
    }
}

/// Whether one of these bytes is FF.
fn has_ff(four: u32) -> bool {
    (!four).wrapping_sub(0x0101_0101) & four & 0x8080_8080 != 0
}

/// A bit of the file: the byte that holds it, and its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub byte: usize,
    pub mask: u8,
}

/// Reads the bits between two markers.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next byte of the file.
    at: usize,
    /// Bits that were taken and not read yet, the first one highest, and zeros after them.
    held: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, held: 0, count: 0 }
    }

    /// Takes bytes, where fewer than 32 bits are held.
    #[inline(never)]
    fn fill(&mut self) {
        let four = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk).copied();
        if let Some(four) = four.map(u32::from_be_bytes).filter(|four| !has_ff(*four)) {
            self.held |= u64::from(four) << 32_u32.wrapping_sub(self.count);
            self.count = self.count.wrapping_add(32);
            self.at = self.at.wrapping_add(4);
            return;
        }
        while self.count <= 56 {
            let Some(byte) = self.bytes.get(self.at).copied() else { return };
            let step = if byte != 0xFF {
                1
            } else if self.bytes.get(self.at.wrapping_add(1)) == Some(&0) {
                2
            } else {
                return;
            };
            self.at = self.at.wrapping_add(step);
            self.held |= u64::from(byte) << 56_u32.wrapping_sub(self.count);
            self.count = self.count.wrapping_add(8);
        }
    }

    /// The next 16 bits, zeros after the end.
    fn peek(&mut self) -> u32 {
        if self.count < 16 {
            self.fill();
        }
        (self.held >> 48) as u32
    }

    fn skip(&mut self, count: u32) -> Result<(), Problem> {
        self.count = self.count.checked_sub(count).ok_or(Problem::PixelsBroken)?;
        self.held <<= count & 63;
        Ok(())
    }

    /// A number of `count` bits, at most 16.
    pub fn bits(&mut self, count: u32) -> Result<u32, Problem> {
        let bits = self.peek() >> 16_u32.wrapping_sub(count);
        self.skip(count)?;
        Ok(bits)
    }

    pub fn symbol(&mut self, table: &Table) -> Result<u8, Problem> {
        let bits = self.peek();
        let (length, symbol) = table.fast.get((bits >> (16 - FAST)) as usize).copied().unwrap_or_default();
        if length > 0 {
            self.skip(u32::from(length))?;
            return Ok(symbol);
        }
        for length in FAST.wrapping_add(1)..=16 {
            let limit = table.limits.get(length as usize).copied().unwrap_or(0);
            if bits < limit {
                let offset = table.offsets.get(length as usize).copied().unwrap_or(0);
                let index = (bits >> 16_u32.wrapping_sub(length)).wrapping_add(offset);
                self.skip(length)?;
                return table.symbols.get(index as usize).copied().ok_or(Problem::PixelsBroken);
            }
        }
        Err(Problem::PixelsBroken)
    }

    /// Where the bit stands that was read last.
    pub fn last(&self) -> Place {
        let mut byte = self.at;
        for _ in 0..=self.count >> 3 {
            byte = byte.wrapping_sub(1);
            // A byte FF is followed by 00, and no other 00 comes after one.
            if self.bytes.get(byte) == Some(&0) && self.bytes.get(byte.wrapping_sub(1)) == Some(&0xFF) {
                byte = byte.wrapping_sub(1);
            }
        }
        Place { byte, mask: 1 << (self.count & 7) }
    }

    pub fn bit(&self, place: Place) -> bool {
        self.bytes.get(place.byte).is_some_and(|byte| byte & place.mask != 0)
    }

    /// The marker that is the next thing but for filling bits, and where it stands.
    fn marker(&mut self) -> Result<(u8, usize), Problem> {
        if self.count < 8 {
            self.fill();
        }
        let mut at = self.at.wrapping_add(1);
        while self.bytes.get(at) == Some(&0xFF) {
            at = at.wrapping_add(1);
        }
        let is_next = self.count < 8 && self.bytes.get(self.at) == Some(&0xFF);
        let marker = self.bytes.get(at).filter(|_| is_next).ok_or(Problem::PixelsBroken)?;
        Ok((*marker, at))
    }

    /// Goes over this restart marker.
    pub fn restart(&mut self, number: u8) -> Result<(), Problem> {
        let (marker, at) = self.marker()?;
        if marker != 0xD0 | number & 7 {
            return Err(Problem::PixelsBroken);
        }
        *self = Self::new(self.bytes, at.wrapping_add(1));
        Ok(())
    }

    /// The coded data has to end here: more of it would be another picture for some readers.
    pub fn end(&mut self) -> Result<(), Problem> {
        match self.marker()? {
            (0x00 | 0xD0..=0xD7, _) => Err(Problem::PixelsBroken),
            _ => Ok(()),
        }
    }
}
