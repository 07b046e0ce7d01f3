//! What was found, as JSON: what crosses the boundary to another language.
//!
//! A problem is `[name, code of the core, sentence]`; a range is `[from, to]`.

use crate::metadata::{Channel, Scan};
use crate::pieces::{Piece, Pieces};
use crate::problem::Problem;
use crate::robust::{Prepared, Reading, Room};
use alloc::string::String;
use core::ops::Range;

/// An object that is written member by member.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self(String::new())
    }

    /// A member whose value is JSON.
    fn raw(&mut self, name: &str, json: &str) {
        self.0.push_str(if self.0.is_empty() { "{\"" } else { ",\"" });
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(json);
    }

    /// A member whose value is text.
    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &string(value));
    }

    fn problem(&mut self, problem: Problem) {
        let parts = [problem.name(), problem.code(), problem.text()].map(string);
        self.raw("problem", &["[", &parts.join(","), "]"].concat());
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1F' => {
                json.push_str("\\u00");
                json.push_str(&hex(&[character as u8]));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Decimal digits; the formatter of the standard library would be larger than all of this file.
pub(crate) fn decimal(mut number: usize) -> String {
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' | (number % 10) as u8;
        number /= 10;
        first = at;
        if number == 0 {
            break;
        }
    }
    digits.iter().skip(first).map(|digit| char::from(*digit)).collect()
}

fn range(range: &Range<usize>) -> String {
    ["[", &decimal(range.start), ",", &decimal(range.end), "]"].concat()
}

fn pieces(pieces: &Pieces) -> String {
    let mut json = String::from("[");
    for piece in pieces.iter() {
        if json.len() > 1 {
            json.push(',');
        }
        match piece {
            Piece::Input(input) => json.push_str(&range(input)),
            Piece::Bytes(bytes) => json.push_str(&string(&hex(bytes))),
        }
    }
    json.push(']');
    json
}

/// `{format, status, payload?, own?, problem?, c2pa?, cut?, content, length}`.
///
/// `status` is `none`, `signed` (then `payload` and the range `own`) or `damaged` (then `problem`); `c2pa` is the
/// range of a C2PA store; `cut` is there where the file is not whole; `content` lists ranges of the image and, between them, bytes in hexadecimal, `length`
/// bytes in all.
pub fn scan(scan: &Scan) -> String {
    let mut object = Object::new();
    object.text("format", scan.format.name());
    match &scan.channel {
        Channel::Empty => object.text("status", "none"),
        Channel::Signed { payload, own } => {
            object.text("status", "signed");
            object.text("payload", payload);
            object.raw("own", &range(own));
        }
        Channel::Damaged(problem) => {
            object.text("status", "damaged");
            object.problem(*problem);
        }
    }
    if let Some(store) = &scan.c2pa {
        object.raw("c2pa", &range(store));
    }
    if !scan.is_complete {
        object.raw("cut", "true");
    }
    object.raw("content", &pieces(&scan.content));
    object.raw("length", &decimal(scan.content.size()));
    object.end()
}

/// `{used, available, carriers, sha256, display}`.
pub fn prepared(prepared: &Prepared) -> String {
    let Room { used, available, carriers } = &prepared.room;
    let mut object = Object::new();
    object.raw("used", &decimal(*used));
    object.raw("available", &decimal(*available));
    let mut numbers = String::from("[");
    for number in carriers {
        numbers.push_str(if numbers.len() > 1 { "," } else { "" });
        numbers.push_str(&decimal(*number as usize));
    }
    numbers.push(']');
    object.raw("carriers", &numbers);
    object.text("sha256", &hex(&prepared.sha256));
    object.raw("display", &prepared.display.json());
    object.end()
}

/// `{status, payload?, exact?, sha256?, display?, problem?}`, `status` as for [`scan`].
pub fn reading(reading: &Reading) -> String {
    let mut object = Object::new();
    match reading {
        Reading::Nothing => object.text("status", "none"),
        Reading::Damaged(problem) => {
            object.text("status", "damaged");
            object.problem(*problem);
        }
        Reading::Found(found) => {
            object.text("status", "signed");
            object.text("payload", &found.payload);
            object.raw("exact", if found.exact { "true" } else { "false" });
            object.text("sha256", &hex(&found.sha256));
            object.raw("display", &found.display.json());
        }
    }
    object.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::robust::Found;

    #[test]
    fn answers_are_json() {
        let mut content = Pieces::default();
        content.input(0..4);
        content.bytes(&[0xAB, 1]);
        content.input(8..1234567);
        let mut found =
            Scan { format: Format::WebP, channel: Channel::Empty, c2pa: None, is_complete: true, content };
        let rest = "\"content\":[[0,4],\"ab01\",[8,1234567]],\"length\":1234565}";
        assert_eq!(scan(&found), ["{\"format\":\"webp\",\"status\":\"none\",", rest].concat());
        found.channel = Channel::Signed { payload: "e30".into(), own: 7..9 };
        found.c2pa = Some(10..20);
        let signed =
            "{\"format\":\"webp\",\"status\":\"signed\",\"payload\":\"e30\",\"own\":[7,9],\"c2pa\":[10,20],";
        assert_eq!(scan(&found), [signed, rest].concat());
        found.channel = Channel::Damaged(Problem::Misplaced);
        assert!(scan(&found).contains("\"problem\":[\"Misplaced\",\"BadSignature\",\"The signature"));
        let room = Room { used: 70, available: 80, carriers: alloc::vec![1, 23] };
        let ready = Prepared { room, sha256: [7; 32], display: Default::default() };
        let json = "{\"used\":70,\"available\":80,\"carriers\":[1,23],\"sha256\":\"0707";
        assert!(prepared(&ready).starts_with(json));
        assert_eq!(reading(&Reading::Nothing), "{\"status\":\"none\"}");
        let pixels = Found {
            payload: "{\"a\":\"\\\n\"}".into(),
            exact: true,
            sha256: [7; 32],
            display: Default::default(),
        };
        let json = "{\"status\":\"signed\",\"payload\":\"{\\\"a\\\":\\\"\\\\\\u000a\\\"}\",\"exact\":true,";
        assert!(reading(&Reading::Found(pixels)).starts_with(json));
        assert_eq!(decimal(usize::MAX), alloc::format!("{}", usize::MAX));
    }
}
