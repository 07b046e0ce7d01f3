//! Tables of multiples of one point, with which it is multiplied without doubling.

use alloc::vec::Vec;

use super::digits;
use super::field::Field;
use super::point::{Addend, Addends, Point};

/// Of every digit in radix 2^`width` the multiples from 1 to 2^(`width` - 1), affine.
pub(super) struct Table {
    width: u32,
    entries: Vec<Addend>,
}

/// Multiples of one digit.
const fn half(width: u32) -> usize {
    1 << (width - 1)
}

impl Table {
    /// Bytes of memory that a table of this width takes.
    pub(super) const fn len(width: u32) -> usize {
        digits::count(width) * half(width) * size_of::<Addend>()
    }

    pub(super) fn new(point: &Point, width: u32) -> Self {
        let addends = Addends::new();
        let mut points = Vec::with_capacity(digits::count(width) * half(width));
        let mut unit = *point;
        for _ in 0..digits::count(width) {
            let addend = addends.projective(&unit);
            let mut multiple = unit;
            points.push(multiple);
            for _ in 1..half(width) {
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
        Self { width, entries }
    }

    /// `sum` and so many times the point.
    pub(super) fn add_multiple(&self, sum: Point, scalar: &[u8; 32]) -> Point {
        let digits = digits::fixed(scalar, self.width);
        let rows = self.entries.chunks_exact(half(self.width));
        digits.iter().zip(rows).filter(|(digit, _)| **digit != 0).fold(sum, |sum, (digit, row)| {
            sum.add_affine(&row[usize::from(digit.unsigned_abs()) - 1], *digit < 0)
        })
    }
}
