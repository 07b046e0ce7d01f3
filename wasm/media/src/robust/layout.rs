//! Which bit stands in which carrier.
//!
//! A header of 112 bits stands three times: in the first carriers, and from one and two thirds of all
//! carriers on. The payload fills the other carriers from the first one on.

use super::pack;
use crate::crc::crc32;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

const MAGIC: &[u8; 4] = b"SXpx";
const VERSION: u8 = 1;
/// The payload is packed.
const PACKED: u8 = 1;
/// Error correction follows; reserved, and refused.
#[cfg(test)]
const CORRECTED: u8 = 2;

/// Magic, version, flags, carriers in use, CRC-32 of the payload with its padding.
const HEADER_BITS: usize = 112;
const COPIES: usize = 3;
/// Carriers that the headers take.
pub(super) const OVERHEAD: usize = HEADER_BITS * COPIES;
/// Carriers that may be in use, and the first ones that can be among them.
const MOST: usize = OVERHEAD + 8 * pack::LONGEST;
/// The payload is padded to whole portions, so that its exact length need not be known before signing.
const PORTION: usize = 32;

/// Bits, the first one highest.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// How many there are.
    pub count: usize,
}

impl Bits {
    #[inline(never)] // the module is downloaded
    pub fn push(&mut self, bit: bool) {
        if self.count & 7 == 0 {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (7 & !self.count);
        }
        self.count = self.count.wrapping_add(1);
    }

    fn get(&self, at: usize) -> bool {
        bit(&self.bytes, at)
    }
}

fn bit(bytes: &[u8], at: usize) -> bool {
    bytes.get(at >> 3).is_some_and(|byte| byte >> (7 & !at) & 1 == 1)
}

/// How many carriers a signature with this payload takes, with room for a few more characters.
pub(super) fn needed(payload: &str) -> usize {
    let bytes = pack::pack(payload).len().saturating_add(8).next_multiple_of(PORTION);
    bytes.saturating_mul(8).saturating_add(OVERHEAD)
}

/// Where the carriers are that a signature takes.
#[derive(Clone, Copy)]
pub(super) struct Use {
    /// All carriers of the image.
    pub carriers: usize,
    /// Those in use.
    pub used: usize,
    /// Where the copies of the header begin.
    starts: [usize; COPIES],
    /// Where the payload ends.
    end: usize,
}

/// What a carrier is for.
enum Role {
    Header(usize),
    Payload(usize),
}

impl Use {
    /// `used` of all the carriers of an image.
    #[inline(never)] // the module is downloaded
    pub fn new(carriers: usize, used: usize) -> Self {
        let third = carriers / COPIES;
        let starts = [0, third, third.saturating_mul(2)];
        let mut end = used.saturating_sub(OVERHEAD);
        for start in starts {
            end = if end > start { end.saturating_add(HEADER_BITS) } else { end };
        }
        Self { carriers, used, starts, end }
    }

    #[inline(never)] // the module is downloaded
    fn role(&self, carrier: usize) -> Role {
        let mut before = 0_usize;
        for start in self.starts {
            match carrier.checked_sub(start) {
                Some(bit) if bit < HEADER_BITS => return Role::Header(bit),
                Some(_) => before = before.wrapping_add(HEADER_BITS),
                None => break,
            }
        }
        Role::Payload(carrier.saturating_sub(before))
    }

    /// Whether this carrier holds a bit of the signature; the others are covered by it.
    pub fn holds(&self, carrier: usize) -> bool {
        carrier < self.end || self.starts.iter().any(|start| carrier.wrapping_sub(*start) < HEADER_BITS)
    }

    /// Whether one of these carriers may hold one.
    #[inline(never)] // the module is downloaded
    pub fn meets(&self, carriers: Range<usize>) -> bool {
        let is_met =
            |start: &usize| carriers.start < start.saturating_add(HEADER_BITS) && *start < carriers.end;
        carriers.start < self.end || self.starts.iter().any(is_met)
    }

    /// Every carrier that holds a bit of the signature, in ascending order.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        let end = self.end;
        let after = move |start: usize| start.max(end)..start.saturating_add(HEADER_BITS);
        (0..end).chain(self.starts.into_iter().flat_map(after))
    }
}

/// A signature as bits at their places.
pub(super) struct Encoded {
    places: Use,
    header: Vec<u8>,
    payload: Vec<u8>,
}

impl Encoded {
    /// The payload in `places`; nothing if it does not fit.
    pub fn new(payload: &str, places: Use) -> Option<Self> {
        let mut packed = pack::pack(payload);
        let room = places.used.checked_sub(OVERHEAD)?;
        if places.used > places.carriers || !is_room(room) || packed.len() > room / 8 {
            return None;
        }
        packed.resize(room / 8, 0);
        let length = u32::try_from(places.used).ok()?.to_be_bytes();
        let crc = crc32(&[&packed]).to_be_bytes();
        let header = [MAGIC.as_slice(), &[VERSION, PACKED], &length, &crc].concat();
        Some(Self { places, header, payload: packed })
    }

    /// The bit of this carrier; nothing where the image keeps its own.
    pub fn bit(&self, carrier: usize) -> Option<bool> {
        match self.places.role(carrier) {
            Role::Header(at) => Some(bit(&self.header, at)),
            Role::Payload(at) => (at >> 3 < self.payload.len()).then(|| bit(&self.payload, at)),
        }
    }
}

/// Whether a payload may have so many bits.
fn is_room(bits: usize) -> bool {
    bits > 0 && bits.is_multiple_of(8 * PORTION) && bits <= 8 * pack::LONGEST
}

/// What is read of the carriers of an image: those that a signature can be in.
pub(super) struct Carriers {
    pub places: Use,
    first: Bits,
    copies: [Bits; 2],
}

impl Carriers {
    /// Of an image that has so many.
    pub fn new(count: usize) -> Self {
        Self { places: Use::new(count, MOST.min(count)), first: Bits::default(), copies: Default::default() }
    }

    /// Takes one, of which at least those come that [`Use::meets`], in ascending order.
    pub fn take(&mut self, carrier: usize, bit: bool) {
        if carrier < self.places.end {
            self.first.push(bit);
            return;
        }
        let [_, starts @ ..] = self.places.starts;
        for (start, copy) in starts.into_iter().zip(&mut self.copies) {
            if carrier.wrapping_sub(start) < HEADER_BITS {
                copy.push(bit);
            }
        }
    }

    fn get(&self, carrier: usize) -> bool {
        if carrier < self.places.end {
            return self.first.get(carrier);
        }
        let [_, starts @ ..] = self.places.starts;
        let mut copies = starts.into_iter().zip(&self.copies);
        copies.any(|(start, copy)| carrier.checked_sub(start).is_some_and(|at| copy.get(at)))
    }
}

/// What the carriers of an image hold.
pub(super) enum Held {
    /// No signature.
    Nothing,
    /// A header of ours without the payload that belongs to it.
    Damaged,
    /// A header of a later version, or with what only a later version reads.
    Later,
    /// A payload.
    Payload {
        text: String,
        used: usize,
        /// Whether every bit, in each copy of the header too, is as it is written.
        exact: bool,
    },
}

/// Reads the signature that these carriers hold.
pub(super) fn read(bits: &Carriers) -> Held {
    let Use { carriers, starts, .. } = bits.places;
    if carriers < OVERHEAD {
        return Held::Nothing;
    }
    let copies = starts.map(|start| {
        (0..HEADER_BITS).fold(Bits::default(), |mut header, at| {
            header.push(bits.get(start.wrapping_add(at)));
            header
        })
    });
    let majority = (0..HEADER_BITS).fold(Bits::default(), |mut header, at| {
        header.push(copies.iter().filter(|copy| copy.get(at)).count() >= 2);
        header
    });
    let mut held = Held::Nothing;
    for header in core::iter::once(&majority).chain(&copies) {
        match with_header(bits, &header.bytes) {
            Held::Nothing => {}
            Held::Damaged if matches!(held, Held::Later) => {}
            found @ Held::Payload { .. } => return found,
            found => held = found,
        }
    }
    held
}

fn with_header(bits: &Carriers, header: &[u8]) -> Held {
    let Some(rest) = header.strip_prefix(MAGIC) else { return Held::Nothing };
    let [version, flags, rest @ ..] = rest else { return Held::Nothing };
    if [*version, *flags] != [VERSION, PACKED] {
        return Held::Later;
    }
    let all = bits.places.carriers;
    let used = rest.first_chunk().map_or(0, |length| u32::from_be_bytes(*length) as usize);
    if used > all || !used.checked_sub(OVERHEAD).is_some_and(is_room) {
        return Held::Damaged;
    }
    let places = Use::new(all, used);
    let mut payload = Bits::default();
    for carrier in 0..places.end {
        if matches!(places.role(carrier), Role::Payload(_)) {
            payload.push(bits.get(carrier));
        }
    }
    if rest.get(4..) != Some(&crc32(&[&payload.bytes]).to_be_bytes()) {
        return Held::Damaged;
    }
    let Some(text) = pack::unpack(&payload.bytes) else { return Held::Damaged };
    let Some(encoded) = Encoded::new(&text, places) else { return Held::Damaged };
    let exact = places.all().all(|carrier| encoded.bit(carrier) == Some(bits.get(carrier)));
    Held::Payload { text, used, exact }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(payload: &str, carriers: usize) -> Option<Vec<bool>> {
        let encoded = Encoded::new(payload, Use::new(carriers, needed(payload)))?;
        Some((0..carriers).map(|carrier| encoded.bit(carrier).unwrap_or(carrier % 3 == 0)).collect())
    }

    fn read_back(bits: &[bool]) -> Held {
        let mut all = Carriers::new(bits.len());
        let places = all.places;
        let wanted =
            bits.iter().enumerate().filter(|(carrier, _)| places.meets(*carrier..carrier.saturating_add(1)));
        wanted.for_each(|(carrier, bit)| all.take(carrier, *bit));
        read(&all)
    }

    #[test]
    fn a_payload_comes_back_from_any_number_of_carriers() {
        let need = needed("a text");
        assert_eq!(need, OVERHEAD + 256);
        assert!(written("a text", need - 1).is_none());
        for carriers in (need..need + 300).chain([5000, 100_000, 3 * MOST - 100, 3 * MOST]) {
            let bits = written("a text", carriers).unwrap();
            let places = Use::new(carriers, need);
            assert_eq!((0..carriers).filter(|carrier| places.holds(*carrier)).count(), need);
            match read_back(&bits) {
                Held::Payload { text, used, exact } => {
                    assert_eq!((text.as_str(), used, exact), ("a text", need, true))
                }
                _ => panic!("{carriers} carriers"),
            }
        }
    }

    #[test]
    fn no_bit_in_use_can_change_unseen() {
        let carriers = 2000;
        let bits = written("a text", carriers).unwrap();
        let places = Use::new(carriers, needed("a text"));
        for carrier in (0..carriers).filter(|carrier| places.holds(*carrier)) {
            let mut changed = bits.clone();
            changed[carrier] = !changed[carrier];
            match read_back(&changed) {
                Held::Payload { exact, .. } => assert!(!exact, "carrier {carrier}"),
                Held::Damaged => {}
                _ => panic!("carrier {carrier}"),
            }
        }
    }

    #[test]
    fn one_good_header_is_enough_to_know_a_damaged_signature() {
        let bits = written("a text", 3000).unwrap();
        for keep in 0..3 {
            let mut changed = bits.clone();
            for copy in (0..3).filter(|copy| *copy != keep) {
                changed[copy * 1000..copy * 1000 + HEADER_BITS].fill(copy == 1);
            }
            assert!(!matches!(read_back(&changed), Held::Nothing | Held::Later), "copy {keep}");
        }
        assert!(matches!(read_back(&[false; 3000]), Held::Nothing));
        assert!(matches!(read_back(&[true; 10]), Held::Nothing));
    }

    #[test]
    fn error_correction_is_reserved() {
        let bytes = [MAGIC.as_slice(), &[VERSION, PACKED | CORRECTED], &[0; 8]].concat();
        let bits: Vec<bool> = (0..3000).map(|at| bit(&bytes, at)).collect();
        assert!(matches!(read_back(&bits), Held::Later));
    }
}
