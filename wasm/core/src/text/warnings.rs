//! What a reader of a text does not see, or takes for something else (protocol, section 20). A warning
//! changes no verdict.

use super::layout::Marker;
use super::looks::{Reading, shape};
use crate::json::{Object, Value, object};
use crate::unseen::{Unseen, unseen};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// After so many warnings there is one more, which says that there are others.
pub const MAX_WARNINGS: usize = 100;

macro_rules! kinds {
    ($($name:ident: $what:literal;)*) => {
        /// A kind of warning. A name never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { $(#[doc = $what] $name,)* }

        impl Kind {
            /// Its name, as it appears in every API.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => stringify!($name),)* }
            }
        }
    };
}

kinds! {
    BidiControl: "A character that changes the direction of the text, and so its visible order.";
    ZeroWidth: "A zero-width character.";
    BlankCharacter: "A character that looks blank but is not white space.";
    ControlCharacter: "A control character: a terminal may execute it, and other programs do not show it.";
    LineBreak: "A character that only some programs treat as a line break.";
    TagCharacter: "A character of plane 14, which is invisible and can hide text.";
    ConfusableMarker: "A line that looks like a marker but is not one.";
    MoreWarnings: "There are more warnings from here on.";
}

/// A warning and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What was found.
    pub kind: Kind,
    /// Lines end with a line feed; the first one is 1.
    pub line: usize,
    /// In Unicode code points; the first one is 1.
    pub column: usize,
    /// The character, if it is about one.
    pub character: Option<char>,
}

impl Warning {
    /// `{code, line, column, character?}`, the character as `U+200B`.
    pub fn to_object(self) -> Object {
        let mut object = object(vec![
            ("code", self.kind.name().into()),
            ("line", Value::Number(self.line as f64)),
            ("column", Value::Number(self.column as f64)),
        ]);
        if let Some(character) = self.character {
            object.insert("character".into(), format!("U+{:04X}", u32::from(character)).into());
        }
        object
    }
}

/// The warnings on a text, in its order. It takes time in proportion to the text, whatever its lines are.
pub fn warnings(text: &str) -> Vec<Warning> {
    let mut looked = Looking {
        text,
        found: Vec::new(),
        line: Line::default(),
        whole: Reading::new(),
        part: Part::new(0, 0),
        sequence: Sequence::None,
    };
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => {
                looked.end_line(at.saturating_add(1));
                if looked.found.len() > MAX_WARNINGS {
                    break;
                }
                continue;
            }
            ' '..='~' | '\t' => looked.read(character),
            '\r' if matches!(characters.peek(), Some((_, '\n'))) => {}
            '\u{FEFF}' if at == 0 => {} // a byte order mark
            _ => looked.look_at(character),
        }
        looked.line.column = looked.line.column.saturating_add(1);
    }
    looked.end_line(text.len());
    let mut found = looked.found;
    if found.len() > MAX_WARNINGS {
        found.truncate(MAX_WARNINGS.saturating_add(1));
        if let Some(last) = found.last_mut() {
            *last = Warning { kind: Kind::MoreWarnings, character: None, ..*last };
        }
    }
    found
}

/// A text that is being gone through.
struct Looking<'a> {
    text: &'a str,
    /// At most one more than there may be.
    found: Vec<Warning>,
    line: Line,
    /// Of the line, as a whole.
    whole: Reading,
    part: Part,
    sequence: Sequence,
}

/// How far a sequence was read that a terminal obeys and does not show, such as ESC `[0m` (ECMA-48, 5.4).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequence {
    None,
    /// After ESC.
    Escape,
    /// After ESC `[`, or U+009B.
    Parameters,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    /// How many there were before it.
    number: usize,
    /// Where it begins, in bytes.
    start: usize,
    /// How many characters of it were read.
    column: usize,
    /// How many warnings there were before it.
    found: usize,
    /// Whether it is a marker; nothing if nobody had to know.
    is_marker: Option<bool>,
}

/// What programs show as a line that end lines at more characters than the line feed.
struct Part {
    column: usize,
    /// How many warnings there were before it.
    found: usize,
    reading: Reading,
}

impl Part {
    const fn new(column: usize, found: usize) -> Self {
        Self { column, found, reading: Reading::new() }
    }
}

impl Looking<'_> {
    /// Reads a character for what it looks like.
    fn read(&mut self, character: char) {
        if self.sequence != Sequence::None && self.is_in_sequence(character) {
            return;
        }
        if (self.whole.goes_on() || self.part.reading.goes_on())
            && let Some(shape) = shape(character)
        {
            self.whole.read(shape);
            self.part.reading.read(shape);
        }
    }

    /// Whether the sequence goes on, or ends, with this character.
    fn is_in_sequence(&mut self, character: char) -> bool {
        let (next, is_in) = match (self.sequence, character) {
            (Sequence::Escape, '[') | (Sequence::Parameters, ' '..='?') => (Sequence::Parameters, true),
            (Sequence::Parameters, '@'..='~') => (Sequence::None, true),
            _ => (Sequence::None, false),
        };
        self.sequence = next;
        is_in
    }

    /// Looks at a character that may be hidden.
    fn look_at(&mut self, character: char) {
        match character {
            '\u{1B}' => self.sequence = Sequence::Escape,
            '\u{9B}' => self.sequence = Sequence::Parameters,
            _ => {}
        }
        if let Some(kind) = kind_of(character) {
            let column = self.line.column;
            if kind == Kind::LineBreak {
                self.end_part();
                self.warn(self.found.len(), kind, column, Some(character));
                self.part = Part::new(column.saturating_add(1), self.found.len());
            } else {
                self.warn(self.found.len(), kind, column, Some(character));
            }
        } else {
            self.read(character);
        }
    }

    fn end_part(&mut self) {
        if self.part.reading.is_marker() && !self.is_marker() {
            self.warn(self.part.found, Kind::ConfusableMarker, self.part.column, None);
        }
    }

    fn end_line(&mut self, next: usize) {
        self.end_part();
        let line = self.line.found..self.found.len();
        let is_told = self
            .found
            .get(line)
            .is_some_and(|found| found.iter().any(|one| one.kind == Kind::ConfusableMarker));
        if self.whole.is_marker() && !is_told && !self.is_marker() {
            self.warn(self.line.found, Kind::ConfusableMarker, 0, None);
        }
        let number = self.line.number.saturating_add(1);
        self.line = Line { number, start: next, found: self.found.len(), ..Line::default() };
        self.whole = Reading::new();
        self.part = Part::new(0, self.found.len());
        self.sequence = Sequence::None;
    }

    /// Whether the line is a marker.
    fn is_marker(&mut self) -> bool {
        let rest = self.text.as_bytes().get(self.line.start..).unwrap_or_default();
        let line = || rest.split_inclusive(|b| *b == b'\n').next().unwrap_or_default();
        *self.line.is_marker.get_or_insert_with(|| Marker::of(line()).is_some())
    }

    /// Puts a warning before those from `at` on, unless that is beyond the end of what is told.
    fn warn(&mut self, at: usize, kind: Kind, column: usize, character: Option<char>) {
        if at > MAX_WARNINGS {
            return;
        }
        let line = self.line.number.saturating_add(1);
        self.found.insert(
            at.min(self.found.len()),
            Warning { kind, line, column: column.saturating_add(1), character },
        );
        self.found.truncate(MAX_WARNINGS.saturating_add(1));
    }
}

/// Of characters that are not seen, or that programs show in different ways.
fn kind_of(character: char) -> Option<Kind> {
    match character {
        '\t' | '\n' | ' '..='~' => None,
        _ if is_break(character) => Some(Kind::LineBreak),
        _ if character.is_control() => Some(Kind::ControlCharacter),
        _ => Some(match unseen(character)? {
            Unseen::Direction => Kind::BidiControl,
            Unseen::NoWidth | Unseen::Selector => Kind::ZeroWidth,
            Unseen::Tag => Kind::TagCharacter,
            Unseen::Blank => Kind::BlankCharacter,
        }),
    }
}

/// Whether some programs end a line at this character, and others do not.
fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::super::block::{BEGIN, END};
    use super::super::looks::SEEN;
    use super::*;
    use alloc::string::String;

    fn codes(text: &str) -> Vec<(&'static str, usize, usize)> {
        warnings(text).iter().map(|found| (found.kind.name(), found.line, found.column)).collect()
    }

    #[test]
    fn t18_what_is_not_seen_is_named_with_its_place() {
        assert_eq!(codes("a\nпривет\u{202E}x\n"), [("BidiControl", 2, 7)]);
        assert_eq!(codes("é\u{200B}\r\n\u{E0041}"), [("ZeroWidth", 1, 2), ("TagCharacter", 2, 1)]);
        assert_eq!(codes("\u{FEFF}a\u{FEFF}"), [("ZeroWidth", 1, 3)]);
        assert_eq!(codes("Zoë, 世界 🌍 ﷽ a\u{301}\t~\r\n"), []);
        assert_eq!(codes("\u{1B}[8m\u{8}\u{7F}\u{9B}0m"), [1, 5, 6, 7].map(|at| ("ControlCharacter", 1, at)));
        assert_eq!(
            codes("a\rb\r\nc\u{B}\u{C}\u{85}"),
            [(1, 2), (2, 2), (2, 3), (2, 4)].map(|(line, at)| ("LineBreak", line, at))
        );
        assert_eq!(
            codes("\u{2028}\n\u{2029}\r"),
            [(1, 1), (2, 1), (2, 2)].map(|(line, at)| ("LineBreak", line, at))
        );
        assert_eq!(codes("a\u{FE00}b\u{FE0F}\u{1D173}\u{FFF9}"), [2, 4, 5, 6].map(|at| ("ZeroWidth", 1, at)));
        assert_eq!(codes("\u{2800}\u{1D159}"), [1, 2].map(|at| ("BlankCharacter", 1, at)));
        let first = warnings("\u{E0041}").first().copied().unwrap();
        assert_eq!(first.to_object().get("character"), Some(&"U+E0041".into()));
    }

    #[test]
    fn t18_lines_that_read_as_markers_are_named() {
        for line in [
            "-----ВEGIN SX SIGNATURE-----", // Cyrillic
            "-----BEGIN ЅХ SIGNATURE-----",
            "-----END SX SΙGNATURE-----", // Greek
            " -----BEGIN SX SIGNATURE-----",
            "——BEGIN SX SIGNATURE——",
            "----BEGIN SX SIGNATURE-----",
            "-----Begin SX Signature-----",
            "-----BEGIN SX\u{200B} SIGNATURE-----",
            "-----BEGIN\u{A0}SX\u{2003}SIGNATURE-----",
            "－－BEGIN SX SIGNATURE－－",
            "-----ＢＥＧＩＮ SX 𝐒𝗂𝙜NATURE-----",
            "\u{FEFF}-----BEGIN SX SIGNATURE-----",
            "-----BEGIN SX SIGNATURE-----\u{c}",
            "-----BEGIN\u{c}SX SIGNATURE-----",
            "-----ʙᴇɢɪɴ ꜱx ꜱɪɢɴᴀᴛᴜʀᴇ-----",
            "-----ᴇɴᴅ SX SIGNATURE-----",
            "-----B\u{301}EGIN SX SIGNATURE\u{20DD}-----",
            "-----BÉGIN SX SÌGÑATÜRE-----",
            "-----BEGIN\u{2800}SX\u{FE0F} SIGNATURE-----",
            "-----BE\u{8}GIN SX SIGNATURE-----",
            "-----🅱🄴Ⓖⓘ🇳 SX SIGNATURE-----",
            "⁻⁻⁻⁻⁻ᴮᴱᴳᴵᴺ ˢˣ ˢᴵᴳᴺᴬᵀᵁᴿᴱ⁻⁻⁻⁻⁻",
            "-----B\u{1CD4}EGIN S\u{1D165}X SIGNATURE\u{64B}-----",
            "\u{1B}[1;31m-----BEGIN SX\u{9B}0m SIGNATURE-----\u{1B}[0m",
            "\u{301}-----BEGIN SX SIGNATURE-----",
            "====END SX SIGNATURE====",
            "\t-----END SX SIGNATURE-----",
        ] {
            let found = codes(&alloc::format!("text\n{line}\n"));
            let marker = found.iter().find(|(code, ..)| *code == "ConfusableMarker");
            assert_eq!(marker, Some(&("ConfusableMarker", 2, 1)), "{line}");
        }
        for separator in ["\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"] {
            let text = alloc::format!("one\ntext{separator}{BEGIN}{separator}{END}\n");
            let expected = [
                ("LineBreak", 2, 5),
                ("ConfusableMarker", 2, 6),
                ("LineBreak", 2, 34),
                ("ConfusableMarker", 2, 35),
            ];
            assert_eq!(codes(&text), expected, "{text:?}");
        }
        for line in ["\u{1B}[-----BEGIN SX SIGNATURE-----", "\u{1B}0m-----END SX SIGNATURE-----"] {
            let found = codes(&alloc::format!("text\n{line}\n"));
            assert_eq!(found, [("ControlCharacter", 2, 1)], "{line:?}");
        }
        for line in
            [BEGIN, END, "-----BEGIN SX SIGNATURE----- \r", "-----BEGIN SX SIGNATURES-----", "-----", "BEGIN"]
        {
            assert_eq!(codes(&alloc::format!("text\n{line}\n")), [], "{line}");
        }
    }

    #[test]
    fn markers_are_compared_by_what_is_seen_of_them() {
        for (marker, seen) in [BEGIN, END].into_iter().zip(SEEN) {
            let mut reading: Vec<u8> = marker.chars().filter_map(shape).collect();
            reading.dedup_by(|a, b| (*a, *b) == (b'-', b'-'));
            assert_eq!(reading, seen);
        }
    }

    #[test]
    fn lines_are_counted_through_those_that_are_passed_over() {
        assert_eq!(codes("\n\n{\n{\r\n a\n\u{200B}"), [("ZeroWidth", 6, 1)]);
        assert_eq!(codes("{\n\u{FEFF}"), [("ZeroWidth", 2, 1)]);
        assert_eq!(codes("-\n\u{FEFF}x"), [("ZeroWidth", 2, 1)]);
        assert_eq!(
            codes("a\n-----BEGIN SX SIGNATURE-----x\n\n =END SX SIGNATURE="),
            [("ConfusableMarker", 4, 1)]
        );
    }

    #[test]
    fn there_is_an_end_of_warnings() {
        let many: String = core::iter::repeat_n('\u{200B}', 1000).collect();
        let found = warnings(&many);
        assert_eq!(found.len(), MAX_WARNINGS + 1);
        assert_eq!(codes(&many).last(), Some(&("MoreWarnings", 1, MAX_WARNINGS + 1)));
        let markers = alloc::format!("{BEGIN}\r").repeat(1000);
        assert_eq!(warnings(&markers).len(), MAX_WARNINGS + 1);
        assert_eq!(codes(&(many + "\n" + BEGIN + "x")).len(), MAX_WARNINGS + 1);
    }
}
