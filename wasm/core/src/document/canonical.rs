//! A document's canonical text (RFC 8785) without some of its members.

use super::{MESSAGE_TYPE, field};
use crate::json::{self, Object, Value};
use alloc::string::String;
use alloc::vec::Vec;

/// Where in a canonical text a document's body stands: whoever has the text reads it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// How long, in UTF-16 code units, the pieces are of which the text consists: in turn those that are not of the body,
    /// beginning with one, and those that are. Of the longest one it is not said.
    pub lengths: Vec<Option<usize>>,
    /// Whether the one piece is the body; else the pieces are members of the object that it is.
    pub is_bare: bool,
}

/// Ends of pieces, ascending.
#[derive(Default)]
struct Pieces(Vec<usize>);

impl Pieces {
    fn end(&mut self, at: usize) {
        self.0.push(at);
    }

    /// Counting takes time, so it is left to whoever knows the length of all.
    fn lengths(&self, text: &[u8]) -> Vec<Option<usize>> {
        let starts = core::iter::once(0).chain(self.0.iter().copied());
        let pieces = starts.zip(&self.0).map(|(start, end)| text.get(start..*end).unwrap_or_default());
        let pieces: Vec<&[u8]> = pieces.collect();
        let longest = pieces.iter().enumerate().max_by_key(|(_, piece)| piece.len()).map(|(at, _)| at);
        let length = |(at, piece): (usize, &&[u8])| (Some(at) != longest).then(|| utf16_len(piece));
        pieces.iter().enumerate().map(length).collect()
    }
}

/// UTF-16 code units of UTF-8: one for each first byte, and another one where four bytes are a character.
fn utf16_len(text: &[u8]) -> usize {
    let units = |byte: &u8| usize::from(byte & 0xC0 != 0x80).saturating_add(usize::from(*byte >= 0xF0));
    text.iter().fold(0, |sum, byte| sum.saturating_add(units(byte)))
}

/// The members of a document, each already in canonical form, so that the canonical text of the
/// document without some members is a concatenation and large members are written once.
pub(crate) struct Canonical(Vec<(String, String)>);

impl Canonical {
    pub(crate) fn of(object: &Object) -> Self {
        Self(object.iter().map(|(name, value)| (name.into(), json::write(value))).collect())
    }

    /// Sets a member, in its canonical place.
    pub(crate) fn set(&mut self, name: &str, value: &Value) {
        let text = json::write(value);
        match self.0.binary_search_by(|(other, _)| json::compare_names(other, name)) {
            Ok(at) => {
                if let Some(member) = self.0.get_mut(at) {
                    member.1 = text;
                }
            }
            Err(at) => self.0.insert(at, (name.into(), text)),
        }
    }

    /// JCS of the document's body as people gave it: the payload of a message, else the object of
    /// all members that are not header fields.
    pub(crate) fn body(&self, document_type: &str) -> String {
        let mut own = self.0.iter().filter(|(name, _)| !field::HEADER.contains(&name.as_str()));
        match (own.next(), own.next()) {
            (Some((name, text)), None) if document_type == MESSAGE_TYPE && name == field::CONTENT => {
                text.clone()
            }
            _ => self.text_without(field::HEADER),
        }
    }

    /// Where the body stands in `text`, if that is the canonical text of the whole document.
    pub(crate) fn body_within(&self, text: &[u8], document_type: &str) -> Option<Within> {
        let is_own = |name: &str| !field::HEADER.contains(&name);
        let own = self.0.iter().filter(|(name, _)| is_own(name)).count();
        let is_bare = own == 1
            && document_type == MESSAGE_TYPE
            && self.0.iter().any(|(name, _)| name == field::CONTENT);
        let (mut pieces, mut of_body) = (Pieces::default(), false);
        let mut rest = text.strip_prefix(b"{")?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = usize::from(at > 0);
            rest = rest.strip_prefix(b",".get(..comma)?)?;
            let mut head = String::with_capacity(name.len().saturating_add(3));
            json::write_string_into(name, &mut head);
            head.push(':');
            rest = rest.strip_prefix(head.as_bytes())?;
            let behind = text.len().saturating_sub(rest.len());
            rest = rest.strip_prefix(value.as_bytes())?;
            match (is_own(name), of_body) {
                (true, false) if is_bare => pieces.end(behind),
                (true, false) => pieces.end(behind.saturating_sub(head.len())),
                (false, true) => pieces.end(behind.saturating_sub(head.len()).saturating_sub(comma)),
                _ => {}
            }
            of_body = is_own(name);
        }
        if of_body {
            pieces.end(text.len().saturating_sub(rest.len()));
        }
        pieces.end(text.len());
        (rest == b"}").then(|| Within { lengths: pieces.lengths(text), is_bare })
    }

    /// JCS of the object without the members in `skip`.
    pub(crate) fn text_without(&self, skip: &[&str]) -> String {
        let size = self.0.iter().fold(2usize, |n, (name, text)| {
            n.saturating_add(name.len()).saturating_add(text.len()).saturating_add(8)
        });
        let mut out = String::with_capacity(size);
        out.push('{');
        for (name, text) in self.0.iter().filter(|(name, _)| !skip.contains(&name.as_str())) {
            if out.len() > 1 {
                out.push(',');
            }
            json::write_string_into(name, &mut out);
            out.push(':');
            out.push_str(text);
        }
        out.push('}');
        out
    }
}
