//! The quantised coefficients of a component, in as little memory as they need: few bytes of a file can declare very
//! many blocks, and most of those hold a constant part and nothing else.

use alloc::vec::Vec;

/// Coefficients that are kept together: a quarter of a block.
const QUARTER: usize = 16;
/// The most quarters that are reserved at once, as a power of two: a MiB. WebAssembly takes long to get memory, however
/// little it is.
const LARGEST_PORTION: u32 = 15;

/// The blocks of a component that are part of the image, row by row.
#[derive(Default)]
pub(super) struct Blocks {
    /// The constant part of each.
    constant: Vec<i16>,
    /// Where the quarters of each stand, counted from 1; 0 for one that holds zeros alone.
    places: Vec<[u32; 4]>,
    quarters: Vec<Vec<[i16; QUARTER]>>,
    /// How many are reserved at once, as a power of two.
    portion: u32,
    count: u32,
    /// How many coefficients of each carry a bit.
    pub carriers: Vec<u8>,
}

impl Blocks {
    pub fn new(count: usize) -> Self {
        let (constant, places) = (alloc::vec![0; count], alloc::vec![[0; 4]; count]);
        let portion = count.checked_ilog2().unwrap_or(0).min(LARGEST_PORTION);
        Self { constant, places, portion, carriers: alloc::vec![0; count], ..Self::default() }
    }

    /// The constant part of a block.
    pub fn constant(&mut self, number: usize) -> Option<&mut i16> {
        self.constant.get_mut(number)
    }

    /// The coefficients of a block in the order of coding, 0 in the place of the constant one.
    pub fn get(&self, number: usize) -> [i16; 64] {
        let mut block = [0; 64];
        let places = self.places.get(number).into_iter().flatten();
        for (place, to) in places.zip(block.as_chunks_mut::<QUARTER>().0) {
            let at = position(place.wrapping_sub(1), self.portion);
            if let Some(quarter) = self.quarters.get(at.0).and_then(|held| held.get(at.1)) {
                *to = *quarter;
            }
        }
        block
    }

    /// Sets the coefficients of a block, which has 0 in the place of the constant one.
    pub fn set(&mut self, number: usize, block: &[i16; 64]) {
        let Self { places, quarters, count, portion, .. } = self;
        let places = places.get_mut(number).into_iter().flatten();
        for (place, from) in places.zip(block.as_chunks::<QUARTER>().0) {
            if *place == 0 {
                if *from == [0; QUARTER] {
                    continue;
                }
                if position(*count, *portion).1 == 0 {
                    quarters.push(alloc::vec![[0; QUARTER]; 1 << (*portion & 31)]);
                }
                *count = count.wrapping_add(1);
                *place = *count;
            }
            let at = position(place.wrapping_sub(1), *portion);
            if let Some(held) = quarters.get_mut(at.0).and_then(|held| held.get_mut(at.1)) {
                *held = *from;
            }
        }
    }

    /// Calls `work` with the number and all coefficients of each block.
    #[inline(never)] // the module is downloaded
    pub fn each(&self, work: &mut dyn FnMut(usize, &mut [i16; 64])) {
        for (number, constant) in self.constant.iter().enumerate() {
            let mut block = self.get(number);
            block[0] = *constant;
            work(number, &mut block);
        }
    }
}

/// Which portion of so many a quarter is in, and where in it.
fn position(quarter: u32, portion: u32) -> (usize, usize) {
    ((quarter >> (portion & 31)) as usize, (quarter & !(u32::MAX << (portion & 31))) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_zeros_take_nothing() {
        let mut blocks = Blocks::new(5000);
        let block = |number: usize| {
            let mut block = [0; 64];
            block[number % 64] = number as i16;
            block[0] = 0;
            block
        };
        for number in 0..5000 {
            blocks.set(number, &block(number));
            *blocks.constant(number).unwrap() = -7;
        }
        blocks.each(&mut |number, found| {
            let mut expected = block(number);
            expected[0] = -7;
            assert_eq!(*found, expected);
        });
        assert_eq!(
            blocks.count as usize,
            5000 - 5000_usize.div_ceil(64),
            "one quarter each, none for a constant part alone"
        );
        blocks.set(1, &[3; 64]);
        assert_eq!(blocks.get(1), [3; 64]);
        assert_eq!(blocks.get(5000), [0; 64]);
    }
}
