//! The quantised coefficients of a component, in as little memory as they need: few bytes of a file can declare very
//! many blocks, and most of those hold a constant part and nothing else.

use alloc::vec::Vec;

/// Coefficients that are kept together: a quarter of a block.
const QUARTER: usize = 16;
/// Quarters that are reserved at once.
const PORTION: usize = 1024;

/// The blocks of a component that are part of the image, row by row.
#[derive(Default)]
pub(super) struct Blocks {
    /// The constant part of each.
    constant: Vec<i16>,
    /// Where the quarters of each stand, counted from 1; 0 for one that holds zeros alone.
    places: Vec<[u32; 4]>,
    quarters: Vec<Vec<[i16; QUARTER]>>,
    count: u32,
}

impl Blocks {
    pub fn new(count: usize) -> Self {
        Self { constant: alloc::vec![0; count], places: alloc::vec![[0; 4]; count], ..Self::default() }
    }

    pub fn count(&self) -> usize {
        self.constant.len()
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
            let at = place.wrapping_sub(1) as usize;
            if let Some(quarter) = self.quarters.get(at / PORTION).and_then(|held| held.get(at % PORTION)) {
                *to = *quarter;
            }
        }
        block
    }

    /// Sets the coefficients of a block, which has 0 in the place of the constant one.
    pub fn set(&mut self, number: usize, block: &[i16; 64]) {
        let Self { places, quarters, count, .. } = self;
        let places = places.get_mut(number).into_iter().flatten();
        for (place, from) in places.zip(block.as_chunks::<QUARTER>().0) {
            if *place == 0 {
                if *from == [0; QUARTER] {
                    continue;
                }
                if (*count as usize).is_multiple_of(PORTION) {
                    quarters.push(alloc::vec![[0; QUARTER]; PORTION]);
                }
                *count = count.wrapping_add(1);
                *place = *count;
            }
            let at = place.wrapping_sub(1) as usize;
            if let Some(held) = quarters.get_mut(at / PORTION).and_then(|held| held.get_mut(at % PORTION)) {
                *held = *from;
            }
        }
    }

    /// Calls `work` with the number and all coefficients of each block.
    #[inline(never)] // the module is downloaded
    pub fn each(&self, work: &mut dyn FnMut(usize, &[i16; 64])) {
        for (number, constant) in self.constant.iter().enumerate() {
            let mut block = self.get(number);
            block[0] = *constant;
            work(number, &block);
        }
    }
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
