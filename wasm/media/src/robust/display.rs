//! What an image says about how its pixels are shown, beside the pixels.
//!
//! A signature of the pixels does not cover metadata, which may be lost. But what is there is the same as it was, but
//! for a few kinds that no program takes for more than words: whatever else comes later may change the picture, and
//! there are too many ways to do that for a list of them.

use crate::answers::hex;
use crate::digest::Digest;
use crate::problem::Problem;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Kinds that are recorded of one image; what has more is not read.
const MOST: usize = 64;

/// Keywords of texts in a PNG that are for people to read (PNG, section 11.3.3.2, and what ImageMagick adds), and ours.
const PLAIN_TEXTS: [&[u8]; 15] = [
    b"Title",
    b"Author",
    b"Description",
    b"Copyright",
    b"Creation Time",
    b"Software",
    b"Disclaimer",
    b"Warning",
    b"Source",
    b"Comment",
    b"Collection",
    b"date:create",
    b"date:modify",
    b"date:timestamp",
    b"sx-agent.signature",
];

/// Kinds of metadata, with a SHA-256 of all that there is of each; names ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Display(Vec<(String, [u8; 32])>);

impl Display {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        self
    }

    /// As a JSON object of texts, in canonical form (RFC 8785).
    pub fn json(&self) -> String {
        let mut json = String::from("{");
        for (name, digest) in &self.0 {
            let comma = if json.len() > 1 { "," } else { "" };
            json.push_str(&[comma, "\"", name, "\":\"", &hex(digest), "\""].concat());
        }
        json.push('}');
        json
    }
}

/// Collects what there is.
#[derive(Default)]
pub(super) struct Record(Vec<(String, Digest)>);

impl Record {
    /// Adds data of a kind; `late` if it stands after the beginning of the coded data, where some readers do not look.
    #[inline(never)]
    pub fn add(&mut self, name: &str, late: bool, data: &[u8]) {
        let at = self.0.partition_point(|(known, _)| known.as_str() < name);
        if self.0.get(at).is_none_or(|(known, _)| known != name) {
            if self.0.len() > MOST {
                return;
            }
            self.0.insert(at, (name.to_owned(), Digest::default()));
        }
        if let Some((_, digest)) = self.0.get_mut(at) {
            digest.add(&[u8::from(late)]);
            digest.add(&(data.len() as u32).to_be_bytes());
            digest.add(data);
        }
    }

    /// Records an `APP` segment of a JPEG.
    pub fn segment(&mut self, marker: u8, late: bool, data: &[u8]) {
        let is_exif = data.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"Exif"));
        let name = match marker {
            0xE1 if is_exif => "Exif",
            0xE1 if data.starts_with(b"http://ns.adobe.com/") => "XMP",
            0xE2 if data.starts_with(b"ICC_PROFILE\0") => "ICC",
            _ => {
                let number = crate::answers::decimal(usize::from(marker & 15));
                return self.add(&["APP", &number].concat(), late, data);
            }
        };
        self.add(name, late, data);
    }

    /// Records a chunk of a PNG with samples of so many bits; not one that holds samples.
    pub fn chunk(&mut self, kind: &[u8; 4], late: bool, data: &[u8], depth: u8) {
        let is_harmless = match kind {
            b"tIME" | b"caBX" => true,
            b"tEXt" | b"zTXt" | b"iTXt" => {
                data.split(|byte| *byte == 0).next().is_some_and(|keyword| PLAIN_TEXTS.contains(&keyword))
            }
            // Pixels that are square; samples of which every bit counts.
            b"pHYs" => data.len() == 9 && data.get(..4) == data.get(4..8),
            b"sBIT" => data.iter().all(|bits| *bits == depth),
            _ => false,
        };
        if !is_harmless {
            let name: String = kind.iter().map(|letter| char::from(*letter)).collect();
            self.add(&name, late, data);
        }
    }

    /// All of it.
    ///
    /// # Errors
    /// `PixelsBroken` where there is more than an image has that anybody makes.
    pub fn end(self) -> Result<Display, Problem> {
        let all = self.0.into_iter().map(|(name, digest)| (name, digest.end()));
        let display = Display(all.collect());
        if display.0.len() > MOST { Err(Problem::PixelsBroken) } else { Ok(display) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(work: impl Fn(&mut Record)) -> Vec<String> {
        let mut record = Record::default();
        work(&mut record);
        record.end().unwrap().0.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn kinds_are_told_apart() {
        let exif: &[&[u8]] = &[b"Exif\0\0MM\0*", b"exif\0\0", b"Exif\0\x01"];
        for data in exif {
            assert_eq!(names(|record| record.segment(0xE1, false, data)), ["Exif"]);
        }
        let all = names(|record| {
            record.segment(0xED, false, b"Photoshop 3.0\0");
            record.segment(0xE2, false, b"ICC_PROFILE\0\x01\x01");
            record.segment(0xE2, false, b"urn:iso:std:iso:ts:21496:-1\0");
            record.segment(0xE1, false, b"http://ns.adobe.com/xap/1.0/\0");
            record.segment(0xE1, false, b"x");
        });
        assert_eq!(all, ["APP1", "APP13", "APP2", "ICC", "XMP"]);
    }

    #[test]
    fn words_and_square_pixels_are_harmless() {
        let is_recorded =
            |kind: &[u8; 4], data: &[u8]| !names(|record| record.chunk(kind, false, data, 8)).is_empty();
        assert!(!is_recorded(b"tEXt", b"Title\0Sunset"));
        assert!(!is_recorded(b"iTXt", b"Comment\0\0\0\0\0x"));
        assert!(!is_recorded(b"tIME", &[0; 7]));
        assert!(!is_recorded(b"pHYs", &[0, 0, 11, 19, 0, 0, 11, 19, 1]));
        assert!(!is_recorded(b"sBIT", &[8, 8, 8]));
        assert!(is_recorded(b"pHYs", &[0, 0, 0, 1, 0, 0, 0, 4, 0]));
        assert!(is_recorded(b"sBIT", &[8, 8, 5]));
        for text in [
            &b"XML:com.adobe.xmp\0\0\0\0\0"[..],
            b"Raw profile type exif\0",
            b"exif:Orientation\x006",
            b"title\0",
        ] {
            assert!([b"tEXt", b"zTXt", b"iTXt"].iter().all(|kind| is_recorded(kind, text)));
        }
        for kind in [b"eXIf", b"exIf", b"bKGD", b"caNv", b"vpAg", b"oFFs", b"iDOT", b"gAMA", b"orNT"] {
            assert!(is_recorded(kind, b"x"));
        }
    }

    #[test]
    fn order_place_and_border_count() {
        let of = |parts: &[(bool, &[u8])]| {
            let mut record = Record::default();
            parts.iter().for_each(|(late, data)| record.add("a", *late, data));
            record.end().unwrap()
        };
        let all = [
            of(&[(false, b"ab")]),
            of(&[(true, b"ab")]),
            of(&[(false, b"a"), (false, b"b")]),
            of(&[(false, b"b"), (false, b"a")]),
            of(&[(false, b"ab"), (false, b"")]),
        ];
        for (at, display) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != display));
        }
        let mut record = Record::default();
        (0..=MOST).for_each(|n| record.add(&crate::answers::decimal(n), false, b""));
        assert_eq!(record.end(), Err(Problem::PixelsBroken));
    }
}
