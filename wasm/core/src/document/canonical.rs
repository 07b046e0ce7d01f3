//! A document's canonical text (RFC 8785) without some of its members.

use super::{MESSAGE_TYPE, field};
use crate::json::{self, Object, Value};
use alloc::string::String;
use alloc::vec::Vec;

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
