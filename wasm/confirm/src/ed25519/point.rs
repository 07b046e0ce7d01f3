//! Points of edwards25519 (RFC 8032 section 5.1), in extended coordinates: x = X/Z, y = Y/Z, xy = T/Z.
//!
//! Addition and doubling are complete: they hold for every pair of points of the curve (Hisil, Wong, Carter and Dawson,
//! 2008, with a = -1).

use super::field::Field;

/// d = -121665/121666.
const D: [u8; 32] = *b"\xa3\x78\x59\x13\xca\x4d\xeb\x75\xab\xd8\x41\x41\x4d\x0a\x70\x00\
    \x98\xe8\x79\x77\x79\x40\xc7\x8c\x73\xfe\x6f\x2b\xee\x6c\x03\x52";
/// A square root of -1.
const ROOT: [u8; 32] = *b"\xb0\xa0\x0e\x4a\x27\x1b\xee\xc4\x78\xe4\x2f\xad\x06\x18\x43\x2f\
    \xa7\xd7\xfb\x3d\x99\x00\x4d\x2b\x0b\xdf\xc1\x4f\x80\x24\x83\x2b";

/// The base point, whose y is 4/5.
pub(super) const BASE: [u8; 32] = [
    0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
];

/// All coordinates are products; see [`Field`].
#[derive(Clone, Copy)]
pub(super) struct Point {
    x: Field,
    y: Field,
    pub(super) z: Field,
    t: Field,
}

/// What of a point an addition needs: (y + x)/2, (y - x)/2 and dxy, all products. The halves spare doubling Z.
#[derive(Clone, Copy)]
pub(super) struct Addend {
    plus: Field,
    minus: Field,
    dxy: Field,
}

/// Makes [`Addend`]s.
pub(super) struct Addends {
    half: Field,
    d: Field,
}

impl Addends {
    pub(super) fn new() -> Self {
        let mut half = [0xff; 32]; // (p + 1)/2 = 2^254 - 9
        (half[0], half[31]) = (0xf7, 0x3f);
        Self { half: Field::from_bytes(&half), d: Field::from_bytes(&D) }
    }

    /// Of a point with coordinates over its Z.
    pub(super) fn projective(&self, point: &Point) -> Addend {
        let Point { x, y, t, .. } = point;
        Addend { plus: y.add(x).mul(&self.half), minus: y.sub(x).mul(&self.half), dxy: t.mul(&self.d) }
    }

    /// Of a point, given the inverse of its Z.
    pub(super) fn affine(&self, point: &Point, inverse: &Field) -> Addend {
        let (x, y) = (point.x.mul(inverse), point.y.mul(inverse));
        self.projective(&Point { x, y, z: Field::ONE, t: x.mul(&y) })
    }
}

impl Point {
    pub(super) const IDENTITY: Self = Self { x: Field::ZERO, y: Field::ONE, z: Field::ONE, t: Field::ZERO };

    /// Reads a point in its one encoding (RFC 8032 section 5.1.3).
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let y = Field::from_bytes(bytes);
        let square = y.square();
        let u = square.sub(&Field::ONE);
        let v = square.mul(&Field::from_bytes(&D)).add(&Field::ONE).carried();
        // The root of u/v, if it has one: u v^3 (u v^7)^((p - 5)/8), perhaps times the root of -1.
        let v3 = v.square().mul(&v);
        let v7 = v3.square().mul(&v);
        let mut x = v3.mul(&u).mul(&v7.mul(&u).power_of_roots());
        let found = x.square().mul(&v);
        if !found.sub(&u.carried()).is_zero() {
            if !found.add(&u).carried().is_zero() {
                return None;
            }
            x = x.mul(&Field::from_bytes(&ROOT));
        }
        if x.is_odd() != (bytes[31] >> 7 == 1) {
            x = x.neg().carried();
        }
        let point = Self { x, y, z: Field::ONE, t: x.mul(&y) };
        // Refuses y that is not below p, and the sign of x = 0.
        (point.encode_affine(&x, &y) == *bytes).then_some(point)
    }

    fn encode_affine(&self, x: &Field, y: &Field) -> [u8; 32] {
        let mut bytes = y.to_bytes();
        bytes[31] |= u8::from(x.is_odd()) << 7;
        bytes
    }

    pub(super) fn to_bytes(self) -> [u8; 32] {
        let inverse = self.z.invert();
        self.encode_affine(&self.x.mul(&inverse), &self.y.mul(&inverse))
    }

    pub(super) fn neg(&self) -> Self {
        Self { x: self.x.neg().carried(), t: self.t.neg().carried(), ..*self }
    }

    pub(super) fn double(&self) -> Self {
        self.double_for(true)
    }

    /// The double, of which T is zero where nothing will be added to it: doubling does not look at T.
    pub(super) fn double_for(&self, addition: bool) -> Self {
        let (a, b) = (self.x.square(), self.y.square());
        let c = self.z.square();
        let h = a.add(&b); // wide
        let e = h.sub(&self.x.add(&self.y).carried().square()).carried();
        let g = a.sub(&b); // narrow
        let f = c.add(&c).add(&g).carried();
        let t = if addition { e.mul(&h) } else { Field::ZERO };
        Self { x: e.mul(&f), y: g.mul(&h), z: f.mul(&g), t }
    }

    /// The sum with a point, or with its negative, of which `addend` is over a Z that was multiplied into `z`.
    fn sum(&self, addend: &Addend, z: &Field, negative: bool) -> Self {
        let (plus, minus) =
            if negative { (&addend.minus, &addend.plus) } else { (&addend.plus, &addend.minus) };
        let a = self.y.sub(&self.x).mul(minus);
        let b = self.y.add(&self.x).mul(plus);
        let c = self.t.mul(&addend.dxy);
        let e = b.sub(&a); // narrow
        let h = b.add(&a).carried();
        // Of these two one is wide, the other one narrow.
        let (f, g) = if negative { (z.add(&c), z.sub(&c)) } else { (z.sub(&c), z.add(&c)) };
        Self { x: e.mul(&f), y: g.mul(&h), z: f.mul(&g), t: e.mul(&h) }
    }

    /// The sum with an affine point, or with its negative.
    pub(super) fn add_affine(&self, addend: &Addend, negative: bool) -> Self {
        self.sum(addend, &self.z, negative)
    }

    /// The sum with a point over `z`, or with its negative.
    pub(super) fn add(&self, addend: &Addend, z: &Field, negative: bool) -> Self {
        self.sum(addend, &self.z.mul(z), negative)
    }

    /// Whether eight times the point is the identity: x or y is zero, or y^2 = -x^2, and so y zero for its double.
    pub(super) fn is_of_small_order(&self) -> bool {
        let squares = self.x.square().add(&self.y.square()).carried();
        self.x.is_zero() || self.y.is_zero() || squares.is_zero()
    }
}
