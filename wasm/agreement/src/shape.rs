//! Objects with a closed list of members.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use sx_core::json::{Object, Value};
use sx_core::{base64, ids, time};

use crate::id::Id;
use crate::problem::Problem;
use crate::sorting::twice;

/// The first thing that is wrong with a value. What is read after it says nothing any more, so that reading goes on
/// without a branch at each step: this is downloaded.
#[derive(Default)]
pub(crate) struct Faults(RefCell<Option<Fault>>);

struct Fault {
    /// The code, if it is about terms.
    code: &'static str,
    message: String,
}

impl Faults {
    /// Adds a sentence of these parts. It begins with a capital letter, also where a name of what was read is first.
    #[inline(never)]
    pub fn add(&self, parts: &[&str]) {
        self.add_as("InvalidTerms", parts);
    }

    #[inline(never)]
    pub fn add_as(&self, code: &'static str, parts: &[&str]) {
        self.0.borrow_mut().get_or_insert_with(|| {
            let mut message = parts.concat();
            message.get_mut(..1).unwrap_or_default().make_ascii_uppercase();
            Fault { code, message }
        });
    }

    pub fn is_any(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// What was read so far, unless something is wrong with it, which is of this code.
    pub fn end<T>(&self, value: T, code: &'static str) -> Result<T, Problem> {
        self.end_of_terms(value).map_err(|problem| Problem { code, ..problem })
    }

    /// [`end`](Self::end) for terms, of which each fault has its code.
    pub fn end_of_terms<T>(&self, value: T) -> Result<T, Problem> {
        match self.0.take() {
            None => Ok(value),
            Some(Fault { code, message }) => Err(Problem { code, message }),
        }
    }
}

/// An object whose members are all known by name; one without members where there is none.
pub(crate) struct Shape<'a, 'b> {
    object: Option<&'a Object>,
    what: &'b str,
    faults: &'b Faults,
}

impl<'a, 'b> Shape<'a, 'b> {
    /// `value` as an object that has no members but these. Says nothing of a value that is not there.
    #[inline(never)]
    pub fn of(value: Option<&'a Value>, what: &'b str, names: &[&str], faults: &'b Faults) -> Self {
        let object = value.and_then(Value::as_object);
        if object.is_none() && value.is_some() {
            faults.add(&[what, " must be an object."]);
        }
        for (name, _) in object.into_iter().flat_map(Object::iter) {
            if names.contains(&name) {
                continue;
            }
            if name.starts_with("sx") {
                faults.add_as(
                    "ReservedField",
                    &["Only the library sets the member '", &shown(name), "' of ", what, "."],
                );
            } else {
                faults.add(&["The member '", &shown(name), "' of ", what, " is not known."]);
            }
        }
        Self { object, what, faults }
    }

    /// A member that is an object with these members.
    pub fn shape(&self, name: &str, what: &'b str, names: &[&str]) -> Self {
        Self::of(self.need(name), what, names, self.faults)
    }

    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.object?.get(name)
    }

    #[inline(never)]
    pub fn need(&self, name: &str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            self.faults.add(&["The member '", name, "' of ", self.what, " is missing."]);
        }
        value
    }

    #[inline(never)]
    pub fn wrong(&self, name: &str) {
        self.faults.add(&["The member '", name, "' of ", self.what, " is not valid."]);
    }

    /// This one, in which a member is wrong that is not there.
    pub fn there(&self, name: &str) -> &Self {
        if self.get(name).is_none() {
            self.wrong(name);
        }
        self
    }

    /// The value, which is right if it is there.
    fn right<T>(&self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && self.get(name).is_some() {
            self.wrong(name);
        }
        value
    }

    /// A text of this form, which must be there.
    #[inline(never)]
    pub fn text(&self, name: &str, is_form: fn(&str) -> bool) -> &'a str {
        self.need(name);
        self.optional(name, is_form).unwrap_or_default()
    }

    /// A text of this form, which may be there.
    #[inline(never)]
    pub fn optional(&self, name: &str, is_form: fn(&str) -> bool) -> Option<&'a str> {
        let text = self.get(name).and_then(Value::as_str);
        self.right(name, text.filter(|text| is_form(text)))
    }

    /// What a text stands for, which may be there.
    pub fn named<T>(&self, name: &str, of: fn(&str) -> Option<T>) -> Option<T> {
        let text = self.get(name).and_then(Value::as_str);
        self.right(name, text.and_then(of))
    }

    /// Milliseconds of a date, which may be there.
    #[inline(never)]
    pub fn date(&self, name: &str) -> Option<u64> {
        self.named(name, time::parse)
    }

    /// Milliseconds of a date, which must be there.
    pub fn moment(&self, name: &str) -> u64 {
        self.there(name).date(name).unwrap_or_default()
    }

    /// A digest, which must be there.
    #[inline(never)]
    pub fn digest(&self, name: &str) -> Id {
        self.need(name);
        self.named(name, Id::parse).unwrap_or_default()
    }

    /// A whole number of this range, which may be there.
    #[inline(never)]
    pub fn whole(&self, name: &str, least: u32, most: u32) -> Option<u32> {
        self.right(name, self.get(name).and_then(|value| whole(value, least, most)))
    }

    /// `true` or `false`, which may be there.
    #[inline(never)]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.right(name, self.get(name).and_then(Value::as_bool))
    }

    /// The items of a list, none where there is none.
    #[inline(never)]
    pub fn items(&self, name: &str) -> &'a [Value] {
        self.right(name, self.get(name).and_then(Value::as_array)).unwrap_or_default()
    }

    /// The items of a list, which must be there.
    pub fn list(&self, name: &str) -> &'a [Value] {
        self.there(name).items(name)
    }

    /// A list of 1 to `most` texts of this form, none of them twice; none where there is no list.
    #[inline(never)]
    pub fn texts(&self, name: &str, most: usize, is_form: fn(&str) -> bool) -> Vec<&'a str> {
        let items = self.items(name);
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            texts.extend(item.as_str().filter(|text| is_form(text)));
        }
        let is_right =
            texts.len() == items.len() && (1..=most).contains(&texts.len()) && twice(&texts).is_none();
        if !is_right && self.get(name).is_some() {
            self.wrong(name);
        }
        texts
    }
}

/// A whole number of this range.
pub(crate) fn whole(value: &Value, least: u32, most: u32) -> Option<u32> {
    let number = value.as_f64()?;
    let count = number as u32; // saturates; the comparison refuses fractions and what is out of range
    (f64::from(count) == number && (least..=most).contains(&count)).then_some(count)
}

/// A name as a message may repeat it: the beginning, without anything that a terminal would obey.
fn shown(name: &str) -> String {
    let mut shown = String::new();
    for character in name.chars().take(40) {
        shown.push(if character.is_ascii_graphic() { character } else { '?' });
    }
    shown
}

/// Checks that `{name, mediaType, size, sha256}` describes detached bytes, and returns the name.
pub(crate) fn attachment<'a>(value: Option<&'a Value>, what: &str, faults: &Faults) -> &'a str {
    let shape = Shape::of(value, what, &["name", "mediaType", "size", "sha256"], faults);
    shape.text("mediaType", is_filled);
    let size = shape.need("size").and_then(Value::as_f64).unwrap_or(-1.0);
    if !(0.0..=9_007_199_254_740_991.0).contains(&size) || size as u64 as f64 != size {
        shape.wrong("size");
    }
    shape.digest("sha256");
    shape.text("name", is_filled)
}

pub(crate) fn is_any(_: &str) -> bool {
    true
}

pub(crate) fn is_filled(text: &str) -> bool {
    !text.is_empty()
}

pub(crate) fn is_uuid(text: &str) -> bool {
    ids::is_uuid(text)
}

/// A thumbprint: 32 bytes in base64url.
pub(crate) fn is_key_id(text: &str) -> bool {
    text.len() == 43 && base64::decode_url(text).is_some()
}

/// 16 bytes in base64url.
pub(crate) fn is_nonce(text: &str) -> bool {
    text.len() == 22 && base64::decode_url(text).is_some()
}

pub(crate) fn is_base64(text: &str) -> bool {
    !text.is_empty() && base64::decode(text).is_some()
}

pub(crate) fn is_party_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_allowed)
}
