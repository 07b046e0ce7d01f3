//! What an image says about how its pixels are shown, beside the pixels.
//!
//! A signature of the pixels does not cover metadata, which may be lost. But what is there is the same as it was, at
//! its place and in its order. Everything is recorded, whatever it is, but for what [`harmless`] names: a list of what
//! readers obey would follow the readers that somebody has read.

mod harmless;

use crate::answers::{decimal, hex};
use crate::digest::Digest;
use crate::problem::Problem;
use crate::robust::tiff::Tiff;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
pub(super) use harmless::Stored;

/// Kinds that are recorded of one image, and runs of pieces of one kind; what has more is not read.
const MOST: usize = 64;
const MOST_RUNS: usize = 256;

/// Where a piece stands: before anything that matters to a reader, after the beginning of the coded data, or between
/// that and what some readers want it before, which is the palette of a PNG and the frame header of a JPEG.
pub(super) const EARLY: u8 = 0;
pub(super) const LATE: u8 = 1;
pub(super) const BETWEEN: u8 = 2;
/// What is added to the place of a profile in a PNG that is stored as grey: readers pass over one for RGB there.
const GREY: u8 = 4;

/// What Exif says by which a picture is turned or mirrored (CIPA DC-008, 4.6.5), and what leaves it as it is.
const ORIENTATION: u16 = 0x0112;
const UPRIGHT: u16 = 1;
/// The name of the kind that does.
const TURNED: &str = "orientation";
/// The member that says in which order the pieces stand.
const ORDER: &str = "order";

/// Pieces of one kind that follow each other in a file: the kind, and how many.
type Run = (String, usize);

/// Adds pieces to the end of the runs.
#[inline(never)] // the module is downloaded
fn follow(runs: &mut Vec<Run>, kind: &str, count: usize) {
    match runs.last_mut() {
        Some((last, sum)) if last == kind => *sum = sum.saturating_add(count),
        _ => runs.push((kind.to_owned(), count)),
    }
}

/// Kinds of metadata, with a SHA-256 of all that there is of each, names ascending; and in which order they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Display {
    kinds: Vec<(String, [u8; 32])>,
    runs: Vec<Run>,
}

impl Display {
    pub(super) fn has(&self, name: &str) -> bool {
        self.kinds.iter().any(|(known, _)| known == name)
    }

    /// Records a kind that is no piece of the file, or another digest of one that is recorded.
    pub(super) fn set(&mut self, name: &str, digest: [u8; 32]) {
        let at = self.kinds.partition_point(|(known, _)| known.as_str() < name);
        match self.kinds.get_mut(at) {
            Some((known, held)) if known == name => *held = digest,
            _ => self.kinds.insert(at, (name.to_owned(), digest)),
        }
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.kinds.retain(|(known, _)| known != name);
        for (kind, count) in core::mem::take(&mut self.runs) {
            if kind != name {
                follow(&mut self.runs, &kind, count);
            }
        }
        self
    }

    /// As a JSON object of texts, in canonical form (RFC 8785).
    pub fn json(&self) -> String {
        let mut members: Vec<_> =
            self.kinds.iter().map(|(name, digest)| (name.as_str(), hex(digest))).collect();
        if self.runs.len() > 1 {
            let at = members.partition_point(|(name, _)| *name < ORDER);
            members.insert(at, (ORDER, self.order()));
        }
        let mut json = String::from("{");
        for (name, text) in &members {
            let comma = if json.len() > 1 { "," } else { "" };
            json.push_str(&[comma, "\"", name, "\":\"", text, "\""].concat());
        }
        json.push('}');
        json
    }

    fn order(&self) -> String {
        let mut order = String::new();
        for (kind, count) in &self.runs {
            let space = if order.is_empty() { "" } else { " " };
            order.push_str(&[space, kind].concat());
            if *count > 1 {
                order.push_str(&["*", &decimal(*count)].concat());
            }
        }
        order
    }
}

/// Collects what there is.
#[derive(Default)]
pub(super) struct Record {
    kinds: Vec<(String, Digest)>,
    runs: Vec<Run>,
    /// The kind that turns the picture.
    turning: Option<&'static str>,
}

impl Record {
    /// Whether a piece of one of these kinds was met.
    pub fn has(&self, names: &[&str]) -> bool {
        self.runs.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// Notes that a piece of a kind stands here.
    pub fn meet(&mut self, name: &str) {
        if self.runs.len() <= MOST_RUNS {
            follow(&mut self.runs, name, 1);
        }
    }

    /// Takes the data of a piece that was met.
    #[inline(never)] // the module is downloaded
    pub fn take(&mut self, name: &str, place: u8, data: &[u8]) {
        let at = self.kinds.iter().position(|(known, _)| known == name).unwrap_or(self.kinds.len());
        if at == self.kinds.len() && at <= MOST {
            self.kinds.push((name.to_owned(), Digest::default()));
        }
        if let Some((_, digest)) = self.kinds.get_mut(at) {
            digest.add(&[place]);
            digest.add(&(data.len() as u32).to_be_bytes());
            digest.add(data);
        }
    }

    /// Adds a piece of a kind.
    #[inline(never)] // the module is downloaded
    pub fn add(&mut self, name: &str, place: u8, data: &[u8]) {
        self.meet(name);
        self.take(name, place, data);
    }

    /// Records an `APP` segment of a JPEG.
    pub fn segment(&mut self, marker: u8, place: u8, data: &[u8]) {
        let is_exif = data.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"Exif"));
        let name = match marker {
            0xE1 if is_exif => {
                self.exif("Exif", data.get(6..).unwrap_or_default());
                "Exif"
            }
            0xE1 if data.starts_with(b"http://ns.adobe.com/") => "XMP",
            0xE2 if data.starts_with(b"ICC_PROFILE\0") => "ICC",
            _ => {
                let number = decimal(usize::from(marker & 15));
                return self.add(&["APP", &number].concat(), place, data);
            }
        };
        self.add(name, place, data);
    }

    /// Records a comment of a JPEG.
    pub fn comment(&mut self, place: u8, data: &[u8]) {
        if !harmless::is_comment(data) {
            self.add("COM", place, data);
        }
    }

    /// Records a chunk of a PNG; not one that holds samples. `late` if it stands after the first one that does.
    pub fn chunk(&mut self, kind: &[u8; 4], late: bool, data: &[u8], stored: Stored) {
        if harmless::is_chunk(kind, late, data, stored) {
            return;
        }
        if kind == b"eXIf" {
            self.exif("eXIf", data);
        }
        let is_between = stored.is_listed && harmless::is_colour(kind);
        let place = if late {
            LATE
        } else if is_between {
            BETWEEN
        } else {
            EARLY
        };
        let is_grey = kind == b"iCCP" && matches!(stored.colour, 0 | 4);
        let name: String = kind.iter().map(|letter| char::from(*letter)).collect();
        self.add(&name, if is_grey { place | GREY } else { place }, data);
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
    /// Where there is more than an image has that anybody makes: `PixelsBroken`, of an animation `Animated`.
    pub fn end(self) -> Result<Display, Problem> {
        let Self { kinds, runs, turning } = self;
        if kinds.len() > MOST || runs.len() > MOST_RUNS {
            let is_animated = kinds.iter().any(|(name, _)| name == "acTL");
            return Err(if is_animated { Problem::Animated } else { Problem::PixelsBroken });
        }
        // Who loses it is told what it was.
        let named = |name: &str| if Some(name) == turning { TURNED } else { name }.to_owned();
        let mut display = Display::default();
        for (kind, count) in &runs {
            follow(&mut display.runs, &named(kind), *count);
        }
        for (kind, digest) in kinds {
            display.set(&named(&kind), digest.end());
        }
        Ok(display)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RGB: Stored = Stored { colour: 2, depth: 8, is_listed: false, has_one_shape: true };
    const EXIF: &[u8] = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

    fn display(work: impl Fn(&mut Record)) -> Display {
        let mut record = Record::default();
        work(&mut record);
        record.end().unwrap()
    }

    fn names(work: impl Fn(&mut Record)) -> Vec<String> {
        display(work).kinds.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn kinds_are_told_apart() {
        let exif: &[&[u8]] = &[b"Exif\0\0MM\0*", b"exif\0\0", b"Exif\0\x01"];
        for data in exif {
            assert_eq!(names(|record| record.segment(0xE1, EARLY, data)), ["Exif"]);
        }
        let all = names(|record| {
            record.segment(0xED, EARLY, b"Photoshop 3.0\0");
            record.segment(0xE2, EARLY, b"ICC_PROFILE\0\x01\x01");
            record.segment(0xE2, EARLY, b"urn:iso:std:iso:ts:21496:-1\0");
            record.segment(0xE1, EARLY, b"http://ns.adobe.com/xap/1.0/\0");
            record.segment(0xE1, EARLY, b"x");
        });
        assert_eq!(all, ["APP1", "APP13", "APP2", "ICC", "XMP"]);
        let harmless = names(|record| {
            record.comment(EARLY, b"Created with GIMP");
            record.chunk(b"tIME", false, &[0; 7], RGB);
        });
        assert!(harmless.is_empty());
    }

    #[test]
    fn what_turns_a_picture_is_called_orientation() {
        let segment = [b"Exif\0\0", EXIF].concat();
        assert_eq!(names(|record| record.segment(0xE1, EARLY, &segment)), ["orientation"]);
        assert_eq!(names(|record| record.chunk(b"eXIf", false, EXIF, RGB)), ["orientation"]);
        let both = display(|record| {
            record.segment(0xE1, EARLY, &segment);
            record.segment(0xE1, EARLY, b"Exif\0\0");
            record.segment(0xED, EARLY, b"");
            record.comment(EARLY, b"");
        });
        let both: Vec<String> = both.json().split('"').skip(1).step_by(2).map(Into::into).collect();
        let members: Vec<&str> = both.iter().step_by(2).map(String::as_str).collect();
        assert_eq!(members, ["APP13", "COM", "order", "orientation"]);
        assert_eq!(both.get(5).map(String::as_str), Some("orientation*2 APP13 COM"));
        let mut upright = segment;
        *upright.get_mut(25).unwrap() = 1;
        assert_eq!(names(|record| record.segment(0xE1, EARLY, &upright)), ["Exif"]);
    }

    #[test]
    fn number_place_and_border_of_pieces_count() {
        let of = |parts: &[(u8, &[u8])]| {
            display(|record| parts.iter().for_each(|(place, data)| record.add("a", *place, data)))
        };
        let all = [
            of(&[(EARLY, b"ab")]),
            of(&[(LATE, b"ab")]),
            of(&[(BETWEEN, b"ab")]),
            of(&[(EARLY, b"a"), (EARLY, b"b")]),
            of(&[(EARLY, b"b"), (EARLY, b"a")]),
            of(&[(EARLY, b""), (EARLY, b"ab")]),
        ];
        for (at, display) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other.kinds != display.kinds));
        }
    }

    #[test]
    fn the_order_of_pieces_is_told_where_there_are_two_kinds() {
        let order = |kinds: &str| {
            let met = display(|record| kinds.split(' ').for_each(|kind| record.add(kind, EARLY, b"")));
            let json = met.json();
            json.split("\"order\":\"").nth(1).and_then(|rest| rest.split('"').next()).map(String::from)
        };
        assert_eq!(order("iCCP"), None);
        assert_eq!(order("ICC ICC ICC"), None);
        assert_eq!(order("sRGB iCCP").as_deref(), Some("sRGB iCCP"));
        assert_eq!(order("iCCP sRGB").as_deref(), Some("iCCP sRGB"));
        // Between which texts a chunk stands counts, too.
        assert_eq!(order("tEXt eXIf tEXt tEXt").as_deref(), Some("tEXt eXIf tEXt*2"));
        assert_eq!(order("tEXt tEXt eXIf tEXt").as_deref(), Some("tEXt*2 eXIf tEXt"));
        let mut all =
            display(|record| ["a", "iDOT", "a", "b"].iter().for_each(|kind| record.add(kind, EARLY, b"")));
        assert_eq!(all.order(), "a iDOT a b");
        all.set("transparent", [1; 32]);
        all.set("transparent", [2; 32]);
        let all = all.without("iDOT");
        assert_eq!(all.order(), "a*2 b");
        assert!(all.json().ends_with(&["\"transparent\":\"", &"02".repeat(32), "\"}"].concat()));
        assert_eq!(all.without("b").json().matches(':').count(), 2);
    }

    #[test]
    fn a_piece_that_is_known_later_stands_where_it_was_met() {
        let late = display(|record| {
            record.meet("MPF");
            record.add("COM", EARLY, b"");
            record.take("MPF", BETWEEN, b"index");
        });
        let at_once = display(|record| {
            record.add("MPF", BETWEEN, b"index");
            record.add("COM", EARLY, b"");
        });
        assert_eq!(late, at_once);
        assert_eq!(late.order(), "MPF COM");
    }

    #[test]
    fn where_a_chunk_stands_counts_as_readers_look_at_it() {
        let of = |kind: &[u8; 4], late: bool, stored: Stored| {
            display(|record| record.chunk(kind, late, b"data", stored))
        };
        let listed = Stored { is_listed: true, ..RGB };
        for kind in [b"cHRM", b"cICP", b"cLLI", b"gAMA", b"iCCP", b"mDCV", b"sBIT", b"sRGB"] {
            assert_ne!(of(kind, false, RGB), of(kind, false, listed), "after a palette");
            assert_ne!(of(kind, false, listed), of(kind, true, listed));
            assert_eq!(of(kind, true, RGB), of(kind, true, listed));
        }
        for kind in [b"bKGD", b"eXIf", b"tEXt"] {
            assert_eq!(of(kind, false, RGB), of(kind, false, listed));
        }
        let stored = |colour: u8| Stored { colour, ..RGB };
        for late in [false, true] {
            let profile = |colour: u8| of(b"iCCP", late, stored(colour));
            assert_ne!(profile(0), profile(2), "a profile for RGB says nothing of grey");
            assert_eq!(profile(0), profile(4));
            assert_eq!([profile(3), profile(6)], [profile(2), profile(2)]);
            assert_eq!(of(b"gAMA", late, stored(0)), of(b"gAMA", late, stored(2)));
        }
    }

    #[test]
    fn t34_kinds_and_runs_have_an_end() {
        let of = |kinds: usize, runs: usize| {
            let mut record = Record::default();
            (0..kinds).for_each(|n| record.add(&decimal(n), EARLY, b""));
            (kinds..runs).for_each(|n| record.add(&decimal(n & 1), EARLY, b""));
            record
        };
        assert!(of(MOST, MOST_RUNS).end().is_ok());
        assert_eq!(of(MOST + 1, 0).end(), Err(Problem::PixelsBroken));
        assert_eq!(of(2, MOST_RUNS + 1).end(), Err(Problem::PixelsBroken));
        let mut frames = of(0, 0);
        frames.add("acTL", EARLY, b"");
        (0..MOST_RUNS).for_each(|_| ["fcTL", "fdAT"].iter().for_each(|kind| frames.add(kind, LATE, b"")));
        assert_eq!(frames.runs.len(), MOST_RUNS + 1);
        assert_eq!(frames.end(), Err(Problem::Animated));
    }
}
