//! Tables of multiples of one point, with which it is multiplied without doubling.

use alloc::vec::Vec;

use super::digits;
use super::field::Field;
use super::point::{Addend, Addends, Point};

/// Of every digit in radix 2^WIDTH the multiples from 1 to 2^(WIDTH - 1), affine.
pub(super) struct Table<const WIDTH: u32, const COUNT: usize>(Vec<Addend>);

impl<const WIDTH: u32, const COUNT: usize> Table<WIDTH, COUNT> {
    const HALF: usize = 1 << (WIDTH - 1);
    /// Bytes of memory.
    pub(super) const BYTES: usize = COUNT * Self::HALF * size_of::<Addend>();

    pub(super) fn new(point: &Point) -> Self {
        const { assert!(COUNT == digits::count(WIDTH)) };
        let addends = Addends::new();
        let mut points = Vec::with_capacity(COUNT * Self::HALF);
        let mut unit = *point;
        for _ in 0..COUNT {
            let addend = addends.projective(&unit);
            let mut multiple = unit;
            points.push(multiple);
            for _ in 1..Self::HALF {
                multiple = multiple.add(&addend, &unit.z, false);
                points.push(multiple);
            }
            unit = multiple.double();
        }
        // One inversion for all: of the product of all Z, from which each is taken again.
        let mut before = Vec::with_capacity(points.len());
        let mut product = Field::ONE;
        for point in &points {
            before.push(product);
            product = product.mul(&point.z);
        }
        let mut inverse = product.invert();
        let mut entries: Vec<Addend> = points
            .iter()
            .zip(&before)
            .rev()
            .map(|(point, before)| {
                let own = inverse.mul(before);
                inverse = inverse.mul(&point.z);
                addends.affine(point, &own)
            })
            .collect();
        entries.reverse();
        Self(entries)
    }

    /// `sum` and so many times the point.
    pub(super) fn add_multiple(&self, sum: Point, scalar: &[u8; 32]) -> Point {
        let digits = digits::fixed::<WIDTH, COUNT>(scalar);
        let rows = self.0.chunks_exact(Self::HALF);
        digits.iter().zip(rows).filter(|(digit, _)| **digit != 0).fold(sum, |sum, (digit, row)| {
            sum.add_affine(&row[usize::from(digit.unsigned_abs()) - 1], *digit < 0)
        })
    }
}
