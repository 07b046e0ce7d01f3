//! Strict DER (X.690 section 10): lengths in their shortest form, and every structure filled to
//! its last byte. Only what key files need; the crate `der` (0.8) does not compare where a nested
//! structure ends with where it says that it ends.

use alloc::{format, string::String, vec::Vec};

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;

pub(super) const NULL: Element<'static> = Element { tag: 0x05, content: &[] };

/// Longest object identifier that is read, and its longest arc: 63 bits fit into a number.
const OID_MAX: usize = 32;
const ARC_MAX: usize = 9;

/// A tag and what it is put on.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
}

/// An AlgorithmIdentifier (RFC 5280 section 4.1.1.2).
pub(super) struct Identifier<'a> {
    /// The content of the object identifier.
    pub(super) oid: &'a [u8],
    pub(super) parameters: Option<Element<'a>>,
}

impl<'a> Identifier<'a> {
    /// The content of the parameters, if they are there and have this tag.
    pub(super) fn parameters_as(&self, tag: u8) -> Option<&'a [u8]> {
        self.parameters.filter(|parameters| parameters.tag == tag).map(|parameters| parameters.content)
    }
}

/// Elements that follow one another. Nothing is given where there is not what was asked for.
pub(super) struct Elements<'a>(&'a [u8]);

/// What `read` makes of the elements in `bytes`, if it leaves none.
pub(super) fn read_all<'a, T>(
    bytes: &'a [u8],
    read: impl FnOnce(&mut Elements<'a>) -> Option<T>,
) -> Option<T> {
    let mut elements = Elements(bytes);
    let value = read(&mut elements)?;
    elements.0.is_empty().then_some(value)
}

impl<'a> Elements<'a> {
    fn next(&mut self) -> Option<Element<'a>> {
        let (tag, rest) = self.0.split_first()?;
        let (len, rest) = read_len(rest)?;
        let (content, rest) = rest.split_at_checked(len)?;
        // The tag goes on in a second byte; no such one stands in a key file.
        if tag & 0x1f == 0x1f {
            return None;
        }
        self.0 = rest;
        Some(Element { tag: *tag, content })
    }

    /// The content of the next element, which must have this tag.
    pub(super) fn read(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|element| element.tag == tag).map(|element| element.content)
    }

    /// Whether the next element has this tag.
    pub(super) fn next_is(&self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    /// What `read` makes of the elements of a SEQUENCE, if it leaves none.
    pub(super) fn sequence<T>(&mut self, read: impl FnOnce(&mut Elements<'a>) -> Option<T>) -> Option<T> {
        read_all(self.read(SEQUENCE)?, read)
    }

    pub(super) fn identifier(&mut self) -> Option<Identifier<'a>> {
        self.sequence(|elements| {
            let oid = elements.read(OBJECT_IDENTIFIER).filter(|oid| is_oid(oid))?;
            let parameters = if elements.0.is_empty() { None } else { Some(elements.next()?) };
            Some(Identifier { oid, parameters })
        })
    }

    /// An INTEGER; one that is negative or too large is `u64::MAX`, which is out of every range.
    pub(super) fn integer(&mut self) -> Option<u64> {
        let content = self.read(INTEGER)?;
        let shifted = |number: u64, byte: &u8| number.checked_mul(256)?.checked_add((*byte).into());
        match content {
            [] | [0, (..=0x7f), ..] | [0xff, (0x80..=0xff), ..] => None,
            [(0x80..=0xff), ..] => Some(u64::MAX),
            _ => Some(content.iter().try_fold(0, shifted).unwrap_or(u64::MAX)),
        }
    }
}

/// The bytes of a BIT STRING that ends at a byte.
pub(super) fn whole_bytes(content: &[u8]) -> Option<&[u8]> {
    content.strip_prefix(&[0])
}

/// A length and what follows it. None here needs more than two bytes.
fn read_len(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [len @ (..=0x7f), rest @ ..] | [0x81, len @ (0x80..=0xff), rest @ ..] => Some(((*len).into(), rest)),
        [0x82, high @ (1..=0xff), low, rest @ ..] => Some((u16::from_be_bytes([*high, *low]).into(), rest)),
        _ => None,
    }
}

/// The parts of an object identifier that stand for a number each; the last byte of one is below 128.
fn arcs(oid: &[u8]) -> impl Iterator<Item = &[u8]> {
    oid.split_inclusive(|byte| *byte < 0x80)
}

fn is_oid(content: &[u8]) -> bool {
    content.len() <= OID_MAX
        && content.last().is_some_and(|byte| *byte < 0x80)
        && arcs(content).all(|arc| arc.len() <= ARC_MAX && !arc.starts_with(&[0x80]))
}

/// An object identifier as numbers with dots.
pub(super) fn oid_text(oid: &[u8]) -> String {
    let shifted = |number: u64, byte: &u8| number.saturating_mul(0x80).saturating_add((byte & 0x7f).into());
    let number = |arc: &[u8]| arc.iter().fold(0, shifted);
    let mut text = String::new();
    for (at, number) in arcs(oid).map(number).enumerate() {
        if at == 0 {
            let first = (number / 40).min(2);
            text.push_str(&format!("{first}.{}", number.saturating_sub(first.saturating_mul(40))));
        } else {
            text.push_str(&format!(".{number}"));
        }
    }
    text
}

/// An element in DER.
pub(super) fn write(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len = parts.iter().fold(0_usize, |len, part| len.saturating_add(part.len()));
    let bytes = len.to_be_bytes();
    let significant = bytes.get(bytes.iter().take_while(|byte| **byte == 0).count()..).unwrap_or_default();
    let long_form = if len < 0x80 { None } else { u8::try_from(significant.len()).ok() };
    let mut element = Vec::with_capacity(len.saturating_add(6));
    element.push(tag);
    element.extend(long_form.map(|count| count.saturating_add(0x80)));
    element.extend(if len == 0 { &[0] } else { significant });
    parts.iter().for_each(|part| element.extend_from_slice(part));
    element
}

/// An INTEGER in DER.
pub(super) fn write_integer(number: u64) -> Vec<u8> {
    let bytes = u128::from(number).to_be_bytes(); // begins with the zero that keeps it positive
    let shortest = |tail: &&[u8]| !matches!(tail, [0, (..=0x7f), ..]);
    let content = (0..bytes.len()).filter_map(|at| bytes.get(at..)).find(shortest);
    write(INTEGER, &[content.unwrap_or_default()])
}
