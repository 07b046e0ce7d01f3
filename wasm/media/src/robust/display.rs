//! What an image says about how its pixels are shown, beside the pixels.
//!
//! A signature of the pixels does not cover metadata, which may be lost. But what is there is the same as it was.
//! Everything is recorded, whatever it is, but for a few kinds that were shown to change nothing in any reader of the
//! table in docs/media.md: a list of what readers obey would follow the readers that somebody has read.

use crate::answers::hex;
use crate::digest::Digest;
use crate::problem::Problem;
use crate::robust::tiff::Tiff;
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

/// How comments in a JPEG begin that programs put in to name themselves. Others may be orders: ffmpeg turns a picture
/// upside down, changes its contrast or its shape by what comments begin with.
const PLAIN_COMMENTS: [&[u8]; 4] =
    [b"CREATOR: gd-jpeg v1.", b"Created with GIMP", b"Created with The GIMP", b"Optimized by JPEGmini "];

/// Bytes that a text or a comment may have which is not recorded: readers have limits of their own.
const LONGEST_TEXT: usize = 65_535;
const LONGEST_COMMENT: usize = 200;

/// What Exif says by which a picture is turned or mirrored (CIPA DC-008, 4.6.5), and what leaves it as it is.
const ORIENTATION: u16 = 0x0112;
const UPRIGHT: u16 = 1;
/// The name of the kind that does.
const TURNED: &str = "orientation";

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

/// How the samples of a PNG are stored.
#[derive(Clone, Copy)]
pub(super) struct Samples {
    /// As `IHDR` has it.
    pub colour: u8,
    pub depth: u8,
}

impl Samples {
    /// Whether a chunk `sBIT` says that every bit counts.
    fn are_whole(self, data: &[u8]) -> bool {
        let count = match self.colour {
            0 => 1,
            4 => 2,
            6 => 4,
            _ => 3,
        };
        let depth = if self.colour == 3 { 8 } else { self.depth };
        data.len() == count && data.iter().all(|bits| *bits == depth)
    }
}

/// Collects what there is.
#[derive(Default)]
pub(super) struct Record {
    kinds: Vec<(String, Digest)>,
    /// The kind that turns the picture.
    turning: Option<&'static str>,
}

impl Record {
    /// Adds data of a kind; `late` if it stands after the beginning of the coded data, where some readers do not look.
    #[inline(never)]
    pub fn add(&mut self, name: &str, late: bool, data: &[u8]) {
        let at = self.kinds.partition_point(|(known, _)| known.as_str() < name);
        if self.kinds.get(at).is_none_or(|(known, _)| known != name) {
            if self.kinds.len() > MOST {
                return;
            }
            self.kinds.insert(at, (name.to_owned(), Digest::default()));
        }
        if let Some((_, digest)) = self.kinds.get_mut(at) {
            digest.add(&[u8::from(late)]);
            digest.add(&(data.len() as u32).to_be_bytes());
            digest.add(data);
        }
    }

    /// Records an `APP` segment of a JPEG.
    pub fn segment(&mut self, marker: u8, late: bool, data: &[u8]) {
        let is_exif = data.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"Exif"));
        let name = match marker {
            0xE1 if is_exif => {
                self.exif("Exif", data.get(6..).unwrap_or_default());
                "Exif"
            }
            0xE1 if data.starts_with(b"http://ns.adobe.com/") => "XMP",
            0xE2 if data.starts_with(b"ICC_PROFILE\0") => "ICC",
            _ => {
                let number = crate::answers::decimal(usize::from(marker & 15));
                return self.add(&["APP", &number].concat(), late, data);
            }
        };
        self.add(name, late, data);
    }

    /// Records a comment of a JPEG.
    pub fn comment(&mut self, late: bool, data: &[u8]) {
        let is_harmless = data.len() <= LONGEST_COMMENT
            && PLAIN_COMMENTS.iter().any(|words| data.starts_with(words))
            && data.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n'));
        if !is_harmless {
            self.add("COM", late, data);
        }
    }

    /// Records a chunk of a PNG; not one that holds samples.
    pub fn chunk(&mut self, kind: &[u8; 4], late: bool, data: &[u8], samples: Samples) {
        let is_harmless = match kind {
            b"caBX" => true,
            b"tIME" => data.len() == 7,
            b"tEXt" | b"iTXt" => is_plain_text(*kind == *b"iTXt", data),
            // Pixels that are square; samples of which every bit counts.
            b"pHYs" => {
                !late && data.len() == 9 && data.get(..4) == data.get(4..8) && data.get(..4) != Some(&[0; 4])
            }
            b"sBIT" => !late && samples.are_whole(data),
            _ => false,
        };
        if !is_harmless {
            if kind == b"eXIf" {
                self.exif("eXIf", data);
            }
            let name: String = kind.iter().map(|letter| char::from(*letter)).collect();
            self.add(&name, late, data);
        }
    }

    /// Looks whether TIFF data of this kind turn the picture.
    fn exif(&mut self, kind: &'static str, data: &[u8]) {
        let turns = |tiff: Tiff<'_>| {
            let (_, mut entries) = tiff.entries(ORIENTATION)?;
            Some(entries.any(|at| tiff.short(at.saturating_add(8)) != Some(UPRIGHT)))
        };
        if Tiff::new(data).and_then(turns) == Some(true) {
            self.turning = Some(kind);
        }
    }

    /// All of it.
    ///
    /// # Errors
    /// `PixelsBroken` where there is more than an image has that anybody makes.
    pub fn end(self) -> Result<Display, Problem> {
        let Self { mut kinds, turning } = self;
        if kinds.len() > MOST {
            return Err(Problem::PixelsBroken);
        }
        // Who loses it is told what it was.
        if let Some(at) = kinds.iter().position(|(name, _)| Some(name.as_str()) == turning) {
            let (_, digest) = kinds.remove(at);
            let at = kinds.partition_point(|(name, _)| name.as_str() < TURNED);
            kinds.insert(at, (TURNED.to_owned(), digest));
        }
        Ok(Display(kinds.into_iter().map(|(name, digest)| (name, digest.end())).collect()))
    }
}

/// Whether a text of a PNG is one for people to read, not compressed and in the encoding that it has to have.
fn is_plain_text(is_international: bool, data: &[u8]) -> bool {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let (Some(keyword), Some(rest)) = (parts.next(), parts.next()) else { return false };
    let is_text = if is_international {
        let zeros = rest.iter().filter(|byte| **byte == 0).count();
        rest.starts_with(b"\0\0") && zeros == 4 && core::str::from_utf8(rest).is_ok()
    } else {
        !rest.contains(&0)
    };
    is_text && data.len() <= LONGEST_TEXT && PLAIN_TEXTS.contains(&keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RGB: Samples = Samples { colour: 2, depth: 8 };
    const EXIF: &[u8] = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

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
    fn what_turns_a_picture_is_called_orientation() {
        let segment = [b"Exif\0\0", EXIF].concat();
        assert_eq!(names(|record| record.segment(0xE1, false, &segment)), ["orientation"]);
        assert_eq!(names(|record| record.chunk(b"eXIf", false, EXIF, RGB)), ["orientation"]);
        let both = names(|record| {
            record.segment(0xE1, false, &segment);
            record.segment(0xE1, false, b"Exif\0\0");
            record.segment(0xED, false, b"");
            record.comment(false, b"");
        });
        assert_eq!(both, ["APP13", "COM", "orientation"]);
        let mut upright = segment;
        *upright.get_mut(25).unwrap() = 1;
        assert_eq!(names(|record| record.segment(0xE1, false, &upright)), ["Exif"]);
    }

    #[test]
    fn a_comment_is_harmless_only_where_a_program_names_itself() {
        let is_recorded = |data: &[u8]| !names(|record| record.comment(false, data)).is_empty();
        assert!(!is_recorded(b"CREATOR: gd-jpeg v1.0 (using IJG JPEG v80), quality = 90\n"));
        assert!(!is_recorded(b"Created with GIMP"));
        assert!(!is_recorded(b"Optimized by JPEGmini 3.9"));
        for data in
            [b"".as_slice(), b"words", b"CS=ITU601", b"AVID", b"Created with GIMP\0", b"created with GIMP"]
        {
            assert!(is_recorded(data));
        }
        assert!(is_recorded(&[b"Created with GIMP".as_slice(), &[b' '; LONGEST_COMMENT]].concat()));
    }

    #[test]
    fn words_and_square_pixels_are_harmless() {
        let is_late = |late: bool, kind: &[u8; 4], data: &[u8], samples: Samples| {
            !names(|record| record.chunk(kind, late, data, samples)).is_empty()
        };
        let is_recorded = |kind: &[u8; 4], data: &[u8]| is_late(false, kind, data, RGB);
        assert!(!is_recorded(b"tEXt", b"Title\0Sunset"));
        assert!(!is_recorded(b"iTXt", b"Comment\0\0\0\0\0x"));
        assert!(!is_recorded(b"iTXt", b"Comment\0\0\0fr\0mot\0\xC3\xA9"));
        assert!(!is_recorded(b"tIME", &[0; 7]));
        assert!(is_recorded(b"tIME", &[0; 6]));
        let square = [0, 0, 11, 19, 0, 0, 11, 19, 1];
        assert!(!is_recorded(b"pHYs", &square));
        assert!(is_late(true, b"pHYs", &square, RGB));
        assert!(is_recorded(b"pHYs", &[0; 9]));
        assert!(is_recorded(b"pHYs", &[0, 0, 0, 1, 0, 0, 0, 4, 0]));
        assert!(!is_recorded(b"sBIT", &[8, 8, 8]));
        for bits in [&[8, 8, 5][..], &[8, 8], &[], &[8; 4]] {
            assert!(is_recorded(b"sBIT", bits));
        }
        for (colour, depth, bits) in [(0, 16, &[16][..]), (4, 8, &[8; 2]), (6, 8, &[8; 4]), (3, 2, &[8; 3])] {
            assert!(!is_late(false, b"sBIT", bits, Samples { colour, depth }));
        }
        // Bytes that the encoding does not have, zeros, packed texts and very long ones stop some readers.
        assert!(is_recorded(b"iTXt", b"Comment\0\0\0\0\0\xE9"));
        assert!(is_recorded(b"iTXt", b"Comment\0\0\0\0\0x\0"));
        assert!(is_recorded(b"iTXt", b"Comment\0\x01\0\0\0x"));
        assert!(is_recorded(b"zTXt", b"Comment\0\0x"));
        assert!(is_recorded(b"tEXt", b"Comment"));
        assert!(is_recorded(b"tEXt", &[b"Comment\0".as_slice(), &[b'x'; LONGEST_TEXT]].concat()));
        for text in [
            &b"XML:com.adobe.xmp\0\0\0\0\0"[..],
            b"Raw profile type exif\0\0\0\0\0",
            b"exif:Orientation\x006",
            b"title\0\0\0\0\0",
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
