use crate::numbers::Numbers;
use num_bigint::{BigInt, BigUint, Sign};
use std::vec::Vec;

use super::digits;
use super::field::{Field, NARROW, WIDE};
use super::multiples;
use super::point::{Addends, BASE, Point};
use super::table::Table;
use curve25519_dalek::{EdwardsPoint, Scalar, constants};

fn prime() -> BigInt {
    (BigInt::from(1) << 255) - 19
}

/// The value of limbs, in [0, p).
fn value(field: &Field) -> BigInt {
    let sum = field.0.iter().rev().fold(BigInt::from(0), |sum, limb| (sum << 29) + limb);
    ((sum % prime()) + prime()) % prime()
}

fn read(bytes: &[u8; 32]) -> BigInt {
    BigInt::from_bytes_le(Sign::Plus, bytes)
}

impl Numbers {
    /// Limbs within `bound`, every third one at an end of it.
    fn field(&mut self, bound: u32) -> Field {
        Field(core::array::from_fn(|_| {
            let bound = i64::from(bound);
            let limb = match self.next() % 6 {
                0 => bound,
                1 => -bound,
                _ => (self.next() % (2 * bound as u64 + 1)) as i64 - bound,
            };
            limb as i32
        }))
    }

    fn scalar(&mut self) -> Scalar {
        let words: Vec<u8> = (0..8).flat_map(|_| self.next().to_le_bytes()).collect();
        Scalar::from_bytes_mod_order_wide(&words.try_into().unwrap())
    }
}

fn is_product(field: &Field) -> bool {
    let low = -(1 << 15)..=(1 << 29) + (1 << 15);
    field.0[..8].iter().all(|limb| low.contains(limb)) && (0..1 << 23).contains(&field.0[8])
}

#[test]
fn field_against_big_integers() {
    let mut numbers = Numbers(1);
    let check = |found: Field, expected: BigInt| {
        assert!(is_product(&found), "{:?}", found.0);
        assert_eq!(value(&found), ((expected % prime()) + prime()) % prime());
        let bytes = BigUint::from_bytes_le(&found.to_bytes());
        assert_eq!(BigInt::from(bytes), value(&found));
    };
    for round in 0..100_000 {
        let (narrow, wide) = (numbers.field(NARROW), numbers.field(WIDE));
        let (a, b) = (value(&narrow), value(&wide));
        check(narrow.mul(&wide), &a * &b);
        check(wide.mul(&narrow), &a * &b);
        check(narrow.square(), &a * &a);
        check(wide.carried(), b);
        assert_eq!(read(&narrow.to_bytes()), a);
        if round % 100 == 0 {
            check(narrow.invert(), a.modpow(&(prime() - 2), &prime()));
            check(narrow.power_of_roots(), a.modpow(&((prime() - 5) / 8), &prime()));
        }
    }
}

#[test]
fn field_at_its_ends() {
    for ends in 0..1 << 9 {
        let of = |bound: u32| {
            Field(core::array::from_fn(|at| if ends >> at & 1 == 1 { bound as i32 } else { -(bound as i32) }))
        };
        let (narrow, wide) = (of(NARROW), of(WIDE));
        assert_eq!(value(&narrow.mul(&wide)), value(&narrow) * value(&wide) % prime());
        assert_eq!(value(&narrow.square()), value(&narrow) * value(&narrow) % prime());
        assert_eq!(read(&narrow.to_bytes()), value(&narrow));
        assert_eq!(value(&of((1 << 31) - (1 << 10)).carried()), value(&of((1 << 31) - (1 << 10))));
    }
}

#[test]
fn bytes_are_those_of_the_one_number_below_p() {
    let two_255 = BigInt::from(1) << 255;
    for distance in 0..40 {
        for number in [&two_255 - 1 - distance, BigInt::from(distance)] {
            let mut bytes = [0; 32];
            let (_, digits) = number.to_bytes_le();
            bytes[..digits.len()].copy_from_slice(&digits);
            let field = Field::from_bytes(&bytes);
            assert_eq!(read(&field.to_bytes()), &number % prime());
            assert_eq!(field.is_zero(), &number % prime() == BigInt::from(0));
            assert_eq!(field.is_odd(), (&number % prime()) % 2 == BigInt::from(1));
            bytes[31] |= 0x80;
            assert_eq!(Field::from_bytes(&bytes).to_bytes(), field.to_bytes());
        }
    }
}

#[test]
fn inverses_times_their_numbers_are_one() {
    let of = |number: &BigInt| {
        let mut bytes = [0; 32];
        let (_, digits) = number.to_bytes_le();
        bytes[..digits.len()].copy_from_slice(&digits);
        Field::from_bytes(&bytes)
    };
    let check = |field: &Field| {
        let inverse = field.invert();
        assert!(is_product(&inverse), "{:?}", field.0);
        let expected = BigInt::from(u8::from(!field.is_zero()));
        assert_eq!(value(field) * value(&inverse) % prime(), expected, "{:?}", field.0);
    };
    // Zero and p among them; powers of two and of others, and what lies beside; sums of two powers.
    for distance in 0..2000 {
        check(&of(&BigInt::from(distance)));
        check(&of(&((BigInt::from(1) << 255) - 1 - distance)));
    }
    for power in 0..255 {
        for other in 0..255 {
            check(&of(&((BigInt::from(1) << power) + (BigInt::from(1) << other))));
            check(&of(&((BigInt::from(1) << power) - (BigInt::from(1) << other) + prime())));
        }
        for base in [3, 5, 7, 19, 0xffff] {
            check(&of(&(BigInt::from(base).pow(power) % prime())));
        }
    }
    let mut numbers = Numbers(5);
    for _ in 0..50_000 {
        check(&numbers.field(NARROW));
    }
}

/// What lies by multiples of 2^255 off a number near 0: once it is carried, its value can still be below 0.
#[test]
fn bytes_of_what_is_carried_over_zero() {
    let most = (NARROW >> 23) as i32;
    for turns in -most..=most {
        // Around 0, and around what the turns add.
        for near in (-20..=20).chain(-19 * turns - 20..=-19 * turns + 20) {
            for rest in [0, -1] {
                let mut limbs = [rest; 9];
                (limbs[0], limbs[8]) = (near, turns << 23);
                let field = Field(limbs);
                assert_eq!(read(&field.to_bytes()), value(&field), "{turns} {near} {rest}");
            }
        }
    }
}

#[test]
fn digits_sum_up_to_the_scalar() {
    let mut numbers = Numbers(2);
    let sum = |digits: &[i8], width: u32| {
        digits.iter().rev().fold(BigInt::from(0), |sum, digit| (sum << width) + *digit)
    };
    let edges = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(u64::MAX), -Scalar::from(u64::MAX)];
    let random: Vec<Scalar> = (0..2000).map(|_| numbers.scalar()).collect();
    for scalar in edges.iter().chain(&random) {
        let bytes = scalar.as_bytes();
        for width in 5..8 {
            let fixed = digits::fixed(bytes, width);
            assert_eq!(sum(&fixed, width), read(bytes));
            assert!(fixed.iter().all(|digit| digit.unsigned_abs() <= 1 << (width - 1)));
        }
        let sparse = digits::sparse(bytes);
        assert_eq!(sum(&sparse, 1), read(bytes));
        assert!(sparse.iter().all(|digit| *digit == 0 || (digit % 2 != 0 && digit.unsigned_abs() <= 15)));
    }
}

fn ours(point: &EdwardsPoint) -> Point {
    Point::from_bytes(point.compress().as_bytes()).unwrap()
}

/// Random points, and those of small order.
fn points() -> Vec<EdwardsPoint> {
    let mut numbers = Numbers(3);
    let random = (0..8).map(|_| constants::ED25519_BASEPOINT_POINT * numbers.scalar());
    let mixed = (0..8).map(|at| constants::ED25519_BASEPOINT_POINT + constants::EIGHT_TORSION[at]);
    random.chain(mixed).chain(constants::EIGHT_TORSION).collect()
}

#[test]
fn points_add_as_those_of_curve25519_dalek_do() {
    assert_eq!(Point::from_bytes(&BASE).unwrap().to_bytes(), constants::ED25519_BASEPOINT_COMPRESSED.0);
    let addends = Addends::new();
    for a in &points() {
        let left = ours(a);
        assert_eq!(left.to_bytes(), a.compress().0);
        assert_eq!(left.neg().to_bytes(), (-a).compress().0);
        assert_eq!(left.double().to_bytes(), (a + a).compress().0);
        assert_eq!(left.is_of_small_order(), a.is_small_order());
        for b in &points() {
            let right = ours(b).double(); // has a Z of its own
            let b = b + b;
            let addend = addends.projective(&right);
            assert_eq!(left.add(&addend, &right.z, false).to_bytes(), (a + b).compress().0);
            assert_eq!(left.add(&addend, &right.z, true).to_bytes(), (a - b).compress().0);
            let affine = addends.affine(&right, &right.z.invert());
            assert_eq!(left.add_affine(&affine, false).to_bytes(), (a + b).compress().0);
            assert_eq!(left.add_affine(&affine, true).to_bytes(), (a - b).compress().0);
        }
    }
}

#[test]
fn multiples_are_those_of_curve25519_dalek() {
    let mut numbers = Numbers(4);
    for point in &points() {
        let own = ours(point);
        let tables = [5, 6, 7].map(|width| Table::new(&own, width));
        let edges = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(16_u8), Scalar::from(32_u8)];
        for scalar in edges.into_iter().chain((0..20).map(|_| numbers.scalar())) {
            // Above the order too: a point may have another one.
            let expected = (point * scalar).compress().0;
            for table in &tables {
                assert_eq!(table.add_multiple(Point::IDENTITY, scalar.as_bytes()).to_bytes(), expected);
            }
            assert_eq!(multiples(&[(&own, scalar.as_bytes())]).to_bytes(), expected);
            let both = multiples(&[(&own, scalar.as_bytes()), (&own, Scalar::ONE.as_bytes())]);
            assert_eq!(both.to_bytes(), (point * scalar + point).compress().0);
        }
    }
}

/// Every encoding with y near 0 or p, and its sign.
#[test]
fn a_point_has_one_encoding() {
    let mut said = [0, 0];
    for near in [BigInt::from(0), prime(), BigInt::from(1) << 255] {
        for distance in -40..40 {
            let number: BigInt = &near + distance;
            if number.sign() == Sign::Minus || number.bits() > 256 {
                continue;
            }
            let mut bytes = [0; 32];
            let (_, digits) = number.to_bytes_le();
            bytes[..digits.len()].copy_from_slice(&digits);
            for sign in [0, 0x80] {
                bytes[31] = bytes[31] & 0x7f | sign;
                let theirs = curve25519_dalek::edwards::CompressedEdwardsY(bytes).decompress();
                let theirs = theirs.filter(|point| point.compress().0 == bytes);
                let ours = Point::from_bytes(&bytes);
                assert_eq!(ours.is_some(), theirs.is_some(), "{number} {sign}");
                said[usize::from(ours.is_some())] += 1;
            }
        }
    }
    assert!(said[0] > 100 && said[1] > 50, "{said:?}");
}
