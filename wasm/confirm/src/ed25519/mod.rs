//! Ed25519 (RFC 8032), strictly: S below L, R and the key in their one encoding and not of small order, and the
//! equation without the cofactor.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "arithmetic whose bounds are told where it stands, on arrays of fixed length"
)]

#[cfg(test)]
mod compared;
mod digits;
mod field;
mod inverse;
mod point;
mod table;
#[cfg(test)]
mod tests;

use alloc::{boxed::Box, vec::Vec};
use core::sync::atomic::{AtomicU32, Ordering};

use curve25519_dalek::Scalar;
use once_cell::race::OnceBox;
use sha2::{Digest as _, Sha512};

use digits::ODD;
use field::Field;
use point::{Addend, Addends, BASE, Point};
use table::Table;

/// Widths of the digits that tables are for: 88 KB for each key, 256 KB for the base point.
const KEY_WIDTH: u32 = 5;
const BASE_WIDTH: u32 = 7;

/// Multiples of the base point, made with the first key that is kept, or once it pays without one.
static BASE_TABLE: OnceBox<Table> = OnceBox::new();

/// To make the table takes as long as it saves in so many verifications.
const WORTH_A_TABLE: u32 = 96;

fn base_table() -> &'static Table {
    BASE_TABLE.get_or_init(|| {
        let base = Point::from_bytes(&BASE).unwrap_or(Point::IDENTITY);
        Box::new(Table::new(&base, BASE_WIDTH))
    })
}

/// The table, if it is there, or is made now.
fn base_table_if_worth() -> Option<&'static Table> {
    static USES: AtomicU32 = AtomicU32::new(0);
    let is_worth = || USES.fetch_add(1, Ordering::Relaxed) >= WORTH_A_TABLE;
    BASE_TABLE.get().or_else(|| is_worth().then(base_table))
}

/// A public key that was checked: canonical, on the curve, not of small order.
pub struct Key {
    raw: [u8; 32],
    minus: Point,
}

/// A public key with tables of its multiples.
pub struct Kept {
    raw: [u8; 32],
    minus: Table,
    base: &'static Table,
}

/// The parts of a signature, and what the key is multiplied by.
struct Equation<'a> {
    commitment: &'a [u8; 32],
    response: [u8; 32],
    challenge: [u8; 32],
}

impl<'a> Equation<'a> {
    fn new(raw: &[u8; 32], message: &[u8], signature: &'a [u8]) -> Option<Self> {
        let signature: &[u8; 64] = signature.try_into().ok()?;
        let (commitment, response) = (signature.first_chunk()?, *signature.last_chunk()?);
        let _below_order = Option::<Scalar>::from(Scalar::from_canonical_bytes(response))?;
        let hash = Sha512::new().chain_update(commitment).chain_update(raw).chain_update(message);
        let challenge = Scalar::from_bytes_mod_order_wide(&hash.finalize().into()).to_bytes();
        Some(Self { commitment, response, challenge })
    }

    /// Whether R is this point, in its one encoding, and not of small order.
    fn is_met_by(&self, point: Point) -> bool {
        point.to_bytes() == *self.commitment && !point.is_of_small_order()
    }
}

impl Key {
    /// Reads a key in its one encoding.
    #[must_use]
    pub fn new(raw: &[u8; 32]) -> Option<Self> {
        let point = Point::from_bytes(raw)?;
        (!point.is_of_small_order()).then(|| Self { raw: *raw, minus: point.neg() })
    }

    /// Whether `signature` is one over `message`: only yes counts.
    #[must_use]
    pub fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        self.confirms_with(message, signature, base_table_if_worth)
    }

    fn confirms_with(
        &self,
        message: &[u8],
        signature: &[u8],
        base_table: impl FnOnce() -> Option<&'static Table>,
    ) -> bool {
        Equation::new(&self.raw, message, signature).is_some_and(|equation| {
            let Equation { response, challenge, .. } = &equation;
            let point = match base_table() {
                Some(base) => base.add_multiple(multiples(&[(&self.minus, challenge)]), response),
                None => Point::from_bytes(&BASE).map_or(Point::IDENTITY, |base| {
                    multiples(&[(&self.minus, challenge), (&base, response)])
                }),
            };
            equation.is_met_by(point)
        })
    }

    /// The key with its tables, which take as long as some eight signatures.
    #[must_use]
    pub fn keep(&self) -> Kept {
        Kept { raw: self.raw, minus: Table::new(&self.minus, KEY_WIDTH), base: base_table() }
    }
}

impl Kept {
    /// Bytes of memory that one takes.
    pub const BYTES: usize = size_of::<Self>() + Table::len(KEY_WIDTH);

    /// As [`Key::confirms`], and faster.
    #[must_use]
    pub fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        Equation::new(&self.raw, message, signature).is_some_and(|equation| {
            let point = self.minus.add_multiple(Point::IDENTITY, &equation.challenge);
            equation.is_met_by(self.base.add_multiple(point, &equation.response))
        })
    }
}

/// The sum of points times scalars: doublings are shared (Straus, 1964).
fn multiples(terms: &[(&Point, &[u8; 32])]) -> Point {
    let expand = |(point, scalar): &(&Point, &[u8; 32])| (odd_multiples(point), digits::sparse(scalar));
    let terms: Vec<_> = terms.iter().map(expand).collect();
    (0..256).rev().fold(Point::IDENTITY, |sum, at| {
        let addition = at == 0 || terms.iter().any(|(_, digits)| digits[at] != 0);
        terms.iter().fold(sum.double_for(addition), |sum, (odd, digits)| match digits[at] {
            0 => sum,
            digit => {
                let (addend, z) = &odd[usize::from(digit.unsigned_abs() / 2)];
                sum.add(addend, z, digit < 0)
            }
        })
    })
}

/// 1, 3 … 15 times a point.
fn odd_multiples(point: &Point) -> [(Addend, Field); ODD] {
    let addends = Addends::new();
    let double = point.double();
    let two = addends.projective(&double);
    let mut multiple = *point;
    core::array::from_fn(|at| {
        if at > 0 {
            multiple = multiple.add(&two, &double.z, false);
        }
        (addends.projective(&multiple), multiple.z)
    })
}
