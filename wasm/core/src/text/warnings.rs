//! What a reader of a text does not see, or takes for something else (protocol, section 20). A warning
//! changes no verdict.

use super::block::{BEGIN, END};
use super::layout::Marker;
use crate::json::{Object, Value};
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
    BidiControl: "A character that changes the direction of the text, and with it the order that is seen.";
    ZeroWidth: "A character that takes no room.";
    TagCharacter: "A character of plane 14, which is not shown and can carry a text of its own.";
    ConfusableMarker: "A line that reads as a marker and is none.";
    MoreWarnings: "There are more, from here on.";
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
        let mut object = super::object(vec![
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

/// The warnings on a text, in its order.
pub fn warnings(text: &str) -> Vec<Warning> {
    let mut found = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let number = at.saturating_add(1);
        let hidden = line.chars().enumerate().filter_map(|(column, character)| {
            let is_mark = (at, column, character) == (0, 0, '\u{FEFF}'); // a byte order mark
            let kind = kind_of(character).filter(|_| !is_mark)?;
            Some(Warning { kind, line: number, column: column.saturating_add(1), character: Some(character) })
        });
        let hidden = (!line.is_ascii()).then_some(hidden).into_iter().flatten();
        let confusable = Warning { kind: Kind::ConfusableMarker, line: number, column: 1, character: None };
        for warning in is_confusable(line).then_some(confusable).into_iter().chain(hidden) {
            if found.len() >= MAX_WARNINGS {
                found.push(Warning { kind: Kind::MoreWarnings, character: None, ..warning });
                return found;
            }
            found.push(warning);
        }
    }
    found
}

/// Of characters that are not seen.
fn kind_of(character: char) -> Option<Kind> {
    Some(match unseen(character)? {
        Unseen::Direction => Kind::BidiControl,
        Unseen::NoWidth => Kind::ZeroWidth,
        Unseen::Tag => Kind::TagCharacter,
    })
}

/// Whether a line reads as a marker, but is none: what is seen of it is what is seen of a marker, without white
/// space and what takes no room, letters by their shape, and rows of dashes of any kind as one.
fn is_confusable(line: &str) -> bool {
    // Both markers begin with dashes and a letter, which hardly any line does.
    let [begin, end] = [BEGIN, END].map(|marker| shapes(marker).take(2).eq(shapes(line).take(2)));
    let reads_as = |marker: &str| shapes(line).eq(shapes(marker));
    (begin && reads_as(BEGIN) || end && reads_as(END)) && Marker::of(line.as_bytes()).is_none()
}

fn shapes(text: &str) -> impl Iterator<Item = char> {
    let mut last = None;
    text.chars().filter(|c| !c.is_whitespace() && kind_of(*c).is_none()).map(shape).filter(move |shape| {
        let is_more = *shape == '-' && last == Some('-');
        last = Some(*shape);
        !is_more
    })
}

/// Characters of other scripts, and signs, that look like one in a marker.
const SHAPES: &[(char, &str)] = &[
    ('-', "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2043}\u{2212}\u{2500}\u{2501}"),
    ('-', "\u{2E3A}\u{2E3B}\u{30FC}\u{FE58}\u{FE63}\u{FF0D}_~="),
    ('A', "АаΑαᎪꓮ"),
    ('B', "ВвΒᏴꓐ8"),
    ('D', "ⅮᎠꓓԁ"),
    ('E', "ЕеΕᎬꓰ3"),
    ('G', "ԌᏀꓖ6"),
    ('I', "ІіӀΙιⅠꓲ1l|ǀ"),
    ('N', "Νꓠ"),
    ('R', "Ꭱꓣ"),
    ('S', "ЅѕՏᏚꓢ5$"),
    ('T', "ТтΤτᎢꓔ"),
    ('U', "Սꓴ"),
    ('X', "ХхΧχⅩꓫ"),
];

/// The ASCII character that one looks like, for those in a marker.
fn shape(character: char) -> char {
    match character {
        '-' | 'A'..='Z' => character, // of which there may be very many
        '\u{FF21}'..='\u{FF3A}' => letter(character, '\u{FF21}'),
        '\u{FF41}'..='\u{FF5A}' => letter(character, '\u{FF41}'),
        '\u{1D400}'..='\u{1D6A3}' => letter(character, '\u{1D400}'), // capital and small letters by turns
        _ => match SHAPES.iter().find(|(_, alike)| alike.chars().any(|one| one == character)) {
            Some((shape, _)) => *shape,
            None => character.to_ascii_uppercase(),
        },
    }
}

/// The letter of an alphabet that begins at `first`, or of one of those that follow it.
fn letter(character: char, first: char) -> char {
    let at = u32::from(character).saturating_sub(u32::from(first)).checked_rem(26).unwrap_or_default();
    char::from_u32(at.saturating_add(u32::from('A'))).unwrap_or(character)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(codes("Zoë, 世界 🌍 ﷽ a\u{301}\t~\u{7f}"), []);
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
        ] {
            let found = codes(&alloc::format!("text\n{line}\n"));
            assert_eq!(found.first(), Some(&("ConfusableMarker", 2, 1)), "{line}");
        }
        for line in
            [BEGIN, END, "-----BEGIN SX SIGNATURE----- \r", "-----BEGIN SX SIGNATURES-----", "-----", "BEGIN"]
        {
            assert_eq!(codes(&alloc::format!("text\n{line}\n")), [], "{line}");
        }
    }

    #[test]
    fn there_is_an_end_of_warnings() {
        let many: String = core::iter::repeat_n('\u{200B}', 1000).collect();
        let found = warnings(&many);
        assert_eq!(found.len(), MAX_WARNINGS + 1);
        assert_eq!(codes(&many).last(), Some(&("MoreWarnings", 1, MAX_WARNINGS + 1)));
    }
}
