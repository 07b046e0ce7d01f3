//! Text to few bytes, in exactly one way.
//!
//! Deflate has many encodings of one text, and whoever may choose among them may change bits of a
//! signed image. This packing has one: at each place the first rule that fits is taken, and what is
//! unpacked counts only if packing it again gives the same bytes. It is made for signed documents:
//! their member names are in a dictionary; digests, identifiers, instants and base64 are written as
//! the bits that they stand for.
//!
//! | first byte | then | stands for |
//! |---|---|---|
//! | 80..FF | | an entry of the dictionary, the longest that fits |
//! | 06 | 9 bytes | an instant as `2026-01-31T12:00:00.000Z`: 17 digits of 4 bits |
//! | 05 | 16 bytes | a UUID in lower case |
//! | 03 | n, ⌈n/2⌉ bytes | 8 to 255 lower-case hexadecimal digits, 255 or no character of base64 after them |
//! | 02 | n (2 bytes), ⌈6n/8⌉ bytes | 16 to 65,535 characters of base64 |
//! | 04 | n (2 bytes), ⌈6n/8⌉ bytes | the same of base64url |
//! | 20..7E | | that character |
//! | 01 | n, n bytes | 1 to 255 other bytes |
//! | 00 | only 00 | the end |

use alloc::string::String;
use alloc::vec::Vec;

/// What stands in every signed document, in the order of their numbers; none is ever changed.
const DICTIONARY: &[&str] = &[
    "{\"$schema\":\"urn:sx-agent:schemas/header/v1/header.schema.json\",\"content\":{",
    "\"display\":{",
    "},\"scheme\":\"sx-pixels-v1\",\"sha256\":\"",
    "\"},\"sxId\":\"",
    "\",\"sxLevel\":\"raw\",\"sxOriginalDate\":\"",
    "\",\"sxOriginalVersion\":\"",
    "\",\"sxPreviousVersion\":\"",
    "\",\"sxSha256\":\"",
    "\",\"sxSignature\":{\"agentID\":\"",
    "\",\"agentVersion\":\"",
    "\",\"date\":\"",
    "\",\"keyId\":\"",
    "\",\"nonce\":\"",
    "\",\"signature\":\"",
    "==\",\"signingAlgorithm\":\"ed25519\"},\"sxType\":\"",
    "\",\"signingAlgorithm\":\"pq2025\"},\"sxType\":\"",
    "\",\"sxVersion\":\"",
    "\",\"sxVersionDate\":\"",
    "\"}",
    "image",
    "message",
    "\"ICC\":\"",
    "\"Exif\":\"",
    "\"gAMA\":\"",
    "\"XMP\":\"",
    "\"iCCP\":\"",
    "\"cHRM\":\"",
    "\",\"",
    "\":\"",
    "\":{",
    "},\"",
    ",\"",
];

const RAW: u8 = 1;
const BASE64: u8 = 2;
const HEX: u8 = 3;
const BASE64URL: u8 = 4;
const UUID: u8 = 5;
const INSTANT: u8 = 6;

const UUID_FORM: &[u8; 36] = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
const INSTANT_FORM: &[u8; 24] = b"dddd-dd-ddTdd:dd:dd.dddZ";
/// Digits, and characters of base64, that are written with one length.
const MOST_DIGITS: usize = 255;
const MOST_CHARACTERS: usize = 0xFFFF;
const HEX_DIGITS: &[u8] = b"0123456789abcdef";
const BASE64_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64URL_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// No signature is longer, packed or not; unpacking stops there.
pub(super) const LONGEST: usize = 1 << 16;

/// The packed form of a text.
pub(super) fn pack(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let taken = step(rest, &mut packed);
        rest = rest.get(taken..).unwrap_or_default();
    }
    packed
}

/// Packs what `rest` begins with; returns how many bytes of it that was, at least one.
fn step(rest: &[u8], packed: &mut Vec<u8>) -> usize {
    let entries = DICTIONARY.iter().enumerate().filter(|(_, entry)| rest.starts_with(entry.as_bytes()));
    if let Some((number, entry)) = entries.max_by_key(|(_, entry)| entry.len()) {
        packed.push(0x80 | number as u8);
        return entry.len();
    }
    for (token, form) in [(INSTANT, INSTANT_FORM.as_slice()), (UUID, UUID_FORM)] {
        if let Some(start) = rest.get(..form.len()).filter(|start| fits(start, form)) {
            let digits: Vec<u8> =
                start.iter().zip(form).filter(|(_, f)| is_digit(**f)).map(|(b, _)| *b).collect();
            packed.push(token);
            bits(&digits, HEX_DIGITS, 4, packed);
            return form.len();
        }
    }
    let run =
        |alphabet: &[u8], most| rest.iter().take(most).take_while(|byte| alphabet.contains(byte)).count();
    let hex = run(HEX_DIGITS, MOST_DIGITS);
    let is_within = |byte: &u8| BASE64_DIGITS.contains(byte) || BASE64URL_DIGITS.contains(byte);
    // Not more is looked at than is taken: whatever the text is, packing it takes as many steps as it is long.
    if hex == MOST_DIGITS || hex >= 8 && !rest.get(hex).is_some_and(is_within) {
        packed.extend([HEX, hex as u8]);
        bits(rest.get(..hex).unwrap_or_default(), HEX_DIGITS, 4, packed);
        return hex;
    }
    let (base64, base64url) = (run(BASE64_DIGITS, MOST_CHARACTERS), run(BASE64URL_DIGITS, MOST_CHARACTERS));
    let longest = base64.max(base64url);
    if longest >= 16 {
        let (token, alphabet) =
            if base64 == longest { (BASE64, BASE64_DIGITS) } else { (BASE64URL, BASE64URL_DIGITS) };
        packed.push(token);
        packed.extend((longest as u16).to_be_bytes());
        bits(rest.get(..longest).unwrap_or_default(), alphabet, 6, packed);
        return longest;
    }
    match rest.first() {
        Some(plain @ 0x20..=0x7E) => {
            packed.push(*plain);
            1
        }
        _ => {
            let other = rest.iter().take(255).take_while(|byte| !matches!(byte, 0x20..=0x7E)).count();
            packed.extend([RAW, other as u8]);
            packed.extend(rest.iter().take(other));
            other.max(1)
        }
    }
}

fn is_digit(form: u8) -> bool {
    matches!(form, b'x' | b'd')
}

fn fits(text: &[u8], form: &[u8]) -> bool {
    text.iter().zip(form).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        b'x' => HEX_DIGITS.contains(byte),
        _ => byte == form,
    })
}

/// Appends digits of `width` bits each, the first one highest, filled up with zero bits.
fn bits(digits: &[u8], alphabet: &[u8], width: u32, packed: &mut Vec<u8>) {
    let mut held = 0_u32;
    let mut count = 0_u32;
    for digit in digits {
        let value = alphabet.iter().position(|found| found == digit).unwrap_or(0);
        held = held << width | value as u32;
        count = count.wrapping_add(width);
        if count >= 8 {
            count = count.wrapping_sub(8);
            packed.push((held >> count) as u8);
        }
    }
    if count > 0 {
        packed.push((held << 8_u32.wrapping_sub(count)) as u8);
    }
}

/// Bytes that are taken one after the other.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number<const N: usize>(&mut self) -> Option<usize> {
        let bytes = self.take(N)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    fn digits(&mut self, count: usize, alphabet: &[u8], width: usize) -> Option<Vec<u8>> {
        let bytes = self.take(count.checked_mul(width)?.div_ceil(8))?;
        let digit = |n: usize| {
            let value = (0..width).fold(0, |value, bit| {
                let at = n.wrapping_mul(width).wrapping_add(bit);
                let byte = bytes.get(at >> 3).copied().unwrap_or(0);
                value << 1 | usize::from(byte >> (7 & !at) & 1)
            });
            alphabet.get(value).copied()
        };
        (0..count).map(digit).collect()
    }

    fn form(&mut self, form: &[u8]) -> Option<Vec<u8>> {
        let count = form.iter().filter(|f| is_digit(**f)).count();
        let mut digits = self.digits(count, HEX_DIGITS, 4)?.into_iter();
        form.iter().map(|f| if is_digit(*f) { digits.next() } else { Some(*f) }).collect()
    }
}

/// The text whose packed form this is, followed by nothing but zeros; nothing if there is none.
pub(super) fn unpack(bytes: &[u8]) -> Option<String> {
    let mut text = Vec::new();
    let mut input = Input(bytes);
    while let Some(token) = input.take(1).and_then(<[u8]>::first) {
        match *token {
            0 => break,
            RAW => {
                let count = input.number::<1>()?;
                text.extend(input.take(count)?);
            }
            BASE64 => {
                let count = input.number::<2>()?;
                text.extend(input.digits(count, BASE64_DIGITS, 6)?);
            }
            BASE64URL => {
                let count = input.number::<2>()?;
                text.extend(input.digits(count, BASE64URL_DIGITS, 6)?);
            }
            HEX => {
                let count = input.number::<1>()?;
                text.extend(input.digits(count, HEX_DIGITS, 4)?);
            }
            UUID => text.extend(input.form(UUID_FORM)?),
            INSTANT => text.extend(input.form(INSTANT_FORM)?),
            plain @ 0x20..=0x7E => text.push(plain),
            number @ 0x80.. => text.extend(DICTIONARY.get(usize::from(number & 0x7F))?.as_bytes()),
            _ => return None,
        }
        if text.len() > LONGEST {
            return None;
        }
    }
    let text = String::from_utf8(text).ok()?;
    let packed = pack(&text);
    let padding = bytes.strip_prefix(packed.as_slice())?;
    padding.iter().all(|byte| *byte == 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds;

    const DOCUMENT: &str = include_str!("../../tests/data/document.json");

    #[test]
    fn a_document_gets_small_and_comes_back() {
        let packed = pack(DOCUMENT);
        assert!(packed.len() < 370, "{} of {}", packed.len(), DOCUMENT.len());
        assert_eq!(unpack(&packed).as_deref(), Some(DOCUMENT));
    }

    #[test]
    fn any_text_comes_back() {
        for text in [
            "",
            "{}",
            "\u{0}\u{1F600}é\n\"",
            "deadbeef",
            "DEADBEEFdeadbeef0",
            "2026-11-22T10:47:16.849Z",
            "2026-11-22T10:47:16.849z",
            "1a3bce5c-54b2-48ef-960e-6024261cac16",
            "1A3bce5c-54b2-48ef-960e-6024261cac16",
            "Ur2Z9CD06SKkqPJKvsGhmw",
            "a_b-a_b-a_b-a_b-a_b-+/",
        ] {
            assert_eq!(unpack(&pack(text)).as_deref(), Some(text), "{text:?}");
        }
        let long = "A".repeat(65_536);
        assert_eq!(unpack(&pack(&long)), Some(long));
        assert_eq!(unpack(&pack(&"A".repeat(65_537))), None);
        let hex = "0".repeat(1000);
        assert_eq!(unpack(&pack(&hex)), Some(hex));
    }

    #[test]
    fn t34_no_text_takes_long() {
        let unpacking = |text: String| {
            let packed = pack(&text);
            move || assert_eq!(unpack(&packed).as_deref(), Some(text.as_str()))
        };
        for part in ["9", "deadbeefA", "abcdefgh-_/+"] {
            let of = |length: usize| unpacking(part.repeat(length / part.len()));
            // Eight times as long; 64 times if it went through the text for each part of it.
            rounds::is_within(24, of(LONGEST / 8), of(LONGEST)).unwrap();
        }
    }

    #[test]
    fn there_is_one_packing_only() {
        assert_eq!(unpack(b"ab\0\0").as_deref(), Some("ab"));
        for other in [
            b"ab\0a".as_slice(),             // something after the end
            b"\x01\x02ab",                   // characters as other bytes
            b"\x03\x08\xDE\xAD\xBE",         // too short
            b"\x03\x07\xDE\xAD\xBE\xE0",     // too few digits for a run
            b"\x03\x09\xDE\xAD\xBE\xE0\x01", // not filled up with zeros
            b"\xFE",                         // no such entry
            b"\x07",
            b"\x7F",
            b"\x01\x00",
            b"\x01\x01\xFF", // no UTF-8
            b"{\"$schema\":\"urn:sx-agent:schemas/header/v1/header.schema.json\",\"content\":{",
        ] {
            assert_eq!(unpack(other), None, "{other:?}");
        }
        let packed = pack(DOCUMENT);
        for at in 0..packed.len() {
            for bit in 0..8 {
                let mut changed = packed.clone();
                changed[at] ^= 1 << bit;
                assert_ne!(unpack(&changed).as_deref(), Some(DOCUMENT), "bit {bit} of byte {at}");
            }
        }
    }
}
