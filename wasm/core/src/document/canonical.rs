//! A document's canonical text (RFC 8785) without some of its members.

use super::{MESSAGE_TYPE, field};
use crate::hash::Hasher;
use crate::json::{self, Object, Place, Value};
use crate::statement::{self, Context};
use alloc::borrow::Cow;
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
pub(crate) struct Canonical<'a>(Vec<Member<'a>>);

struct Member<'a> {
    name: Cow<'a, str>,
    /// Its name, a colon, its value.
    text: Cow<'a, str>,
}

impl<'a> Canonical<'a> {
    pub(crate) fn of(object: &'a Object) -> Self {
        let member =
            |(name, value)| Member { name: Cow::from(name), text: json::write_member(name, value).into() };
        Self(object.iter().map(member).collect())
    }

    /// Of a text that is canonical as it stands.
    pub(crate) fn at(text: &'a str, places: &[Place]) -> Self {
        let part = |range| Cow::from(text.get(range).unwrap_or_default());
        let member = |place: &Place| Member { name: part(place.name.clone()), text: part(place.member()) };
        Self(places.iter().map(member).collect())
    }

    /// Sets a member, in its canonical place.
    pub(crate) fn set(&mut self, name: &'a str, value: &Value) {
        let member = Member { name: name.into(), text: json::write_member(name, value).into() };
        match self.0.binary_search_by(|other| json::compare_names(&other.name, name)) {
            Ok(at) => {
                if let Some(other) = self.0.get_mut(at) {
                    *other = member;
                }
            }
            Err(at) => self.0.insert(at, member),
        }
    }

    /// JCS of the document's body as people gave it: the payload of a message, else the object of
    /// all members that are not header fields.
    pub(crate) fn body(&self, document_type: &str) -> String {
        let mut own = self.0.iter().filter(|member| is_own(&member.name));
        match (own.next(), own.next()) {
            (Some(only), None) if is_payload(&only.name, document_type) => {
                only.text.get(field::CONTENT.len().saturating_add(3)..).unwrap_or_default().into()
            }
            _ => self.text_without(field::HEADER),
        }
    }

    /// Hands over the pieces of which JCS of the object without the members in `skip` consists.
    fn pieces_without(&self, skip: &[&str], take: &mut dyn FnMut(&str)) {
        let mut before = "{";
        for member in self.0.iter().filter(|member| !skip.contains(&&*member.name)) {
            take(before);
            take(&member.text);
            before = ",";
        }
        take(if before == "{" { "{}" } else { "}" });
    }

    /// Bytes of JCS of the object without the members in `skip`.
    pub(crate) fn len_without(&self, skip: &[&str]) -> usize {
        let mut len = 0_usize;
        self.pieces_without(skip, &mut |piece| len = len.saturating_add(piece.len()));
        len
    }

    /// JCS of the object without the members in `skip`.
    pub(crate) fn text_without(&self, skip: &[&str]) -> String {
        let mut text = String::with_capacity(self.len_without(skip));
        self.pieces_without(skip, &mut |piece| text.push_str(piece));
        text
    }

    /// SHA-256 of JCS of the object without the members in `skip`, in hexadecimal digits.
    pub(crate) fn hash_without(&self, skip: &[&str]) -> String {
        let mut hasher = Hasher::default();
        self.pieces_without(skip, &mut |piece| hasher.add(piece.as_bytes()));
        hasher.finish()
    }

    /// The bytes to sign in a context of JCS of the object without the members in `skip`.
    pub(crate) fn statement_without(&self, skip: &[&str], context: Context) -> Vec<u8> {
        let mut statement = statement::begin(context, self.len_without(skip));
        self.pieces_without(skip, &mut |piece| statement.extend_from_slice(piece.as_bytes()));
        statement
    }
}

fn is_own(name: &str) -> bool {
    !field::is_header(name)
}

/// Whether a member, if it is the only one of the body, is the payload of a message.
fn is_payload(name: &str, document_type: &str) -> bool {
    document_type == MESSAGE_TYPE && name == field::CONTENT
}

impl Within {
    /// Where the body stands in a text that is canonical.
    pub(crate) fn of(text: &str, places: &[Place], document_type: &str) -> Self {
        let name = |place: &Place| text.get(place.name.clone()).unwrap_or_default();
        let mut own = places.iter().filter(|place| is_own(name(place)));
        let is_bare =
            matches!((own.next(), own.next()), (Some(only), None) if is_payload(name(only), document_type));
        let (mut pieces, mut of_body, mut end) = (Pieces::default(), false, 0);
        for place in places {
            let is_own = is_own(name(place));
            match (is_own, of_body) {
                (true, false) if is_bare => pieces.end(place.value.start),
                (true, false) => pieces.end(place.member().start),
                (false, true) => pieces.end(end),
                _ => {}
            }
            (of_body, end) = (is_own, place.value.end);
        }
        if of_body {
            pieces.end(end);
        }
        pieces.end(text.len());
        Self { lengths: pieces.lengths(text.as_bytes()), is_bare }
    }
}
