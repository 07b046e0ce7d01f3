//! Answers as JSON.

use std::ops::Range;
use sx_media::pieces::{Piece, Pieces};
use sx_media::problem::Problem;

/// An object that is written member by member.
#[derive(Default)]
pub struct Object(String);

impl Object {
    /// A member whose value is JSON.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.0.push_str(if self.0.is_empty() { "{" } else { "," });
        self.0.push_str(&[&string(name), ":", json].concat());
    }

    /// A member whose value is text.
    pub fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &string(value));
    }

    /// What is wrong: name, code of the core, sentence.
    pub fn problem(&mut self, problem: Problem) {
        let parts = [problem.name(), problem.code(), problem.text()].map(string);
        self.raw("problem", &["[", &parts.join(","), "]"].concat());
    }

    pub fn end(mut self) -> String {
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

pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub fn range(range: &Range<usize>) -> String {
    ["[", &range.start.to_string(), ",", &range.end.to_string(), "]"].concat()
}

pub fn pieces(pieces: &Pieces) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Input(input) => range(input),
        Piece::Bytes(bytes) => string(&hex(bytes)),
    };
    let parts: Vec<String> = pieces.iter().map(piece).collect();
    ["[", &parts.join(","), "]"].concat()
}
