//! Objects with a closed list of members.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{Object, Value};
use sx_core::{base64, ids, time};

use crate::id::Id;

/// A value that has not the form it must have.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Whether the fault is a name that belongs to the library.
    pub is_reserved: bool,
    /// What was found, a sentence.
    pub message: String,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { is_reserved: false, message: message.into() }
    }
}

pub(crate) type Result<T> = core::result::Result<T, Fault>;

/// An object whose members are all known by name.
pub(crate) struct Shape<'a> {
    object: &'a Object,
    what: &'a str,
}

impl<'a> Shape<'a> {
    /// `value` as an object that has no members but these.
    pub fn of(value: &'a Value, what: &'a str, names: &[&str]) -> Result<Self> {
        let object = value.as_object().ok_or_else(|| Fault::new(format!("{what} is not an object.")))?;
        match object.iter().find(|(name, _)| !names.contains(name)) {
            None => Ok(Self { object, what }),
            Some((name, _)) if name.starts_with("sx") => Err(Fault {
                is_reserved: true,
                message: format!("{what} has a member that only the library sets: '{}'.", shown(name)),
            }),
            Some((name, _)) => Err(Fault::new(format!("{what} has an unknown member: '{}'.", shown(name)))),
        }
    }

    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name)
    }

    pub fn need(&self, name: &str) -> Result<&'a Value> {
        self.get(name).ok_or_else(|| Fault::new(format!("{} has no member '{name}'.", self.what)))
    }

    pub fn wrong(&self, name: &str) -> Fault {
        Fault::new(format!("The member '{name}' of {} is not valid.", self.what))
    }

    /// A text of this form, which must be there.
    pub fn text(&self, name: &str, is_form: fn(&str) -> bool) -> Result<&'a str> {
        self.need(name)?;
        self.optional(name, is_form)?.ok_or_else(|| self.wrong(name))
    }

    /// A text of this form, which may be there.
    pub fn optional(&self, name: &str, is_form: fn(&str) -> bool) -> Result<Option<&'a str>> {
        match self.get(name).map(Value::as_str) {
            None => Ok(None),
            Some(Some(text)) if is_form(text) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name)),
        }
    }

    /// Milliseconds of a date, which may be there.
    pub fn date(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.optional(name, is_date)?.and_then(time::parse))
    }

    /// A digest, which must be there.
    pub fn digest(&self, name: &str) -> Result<Id> {
        Id::parse(self.text(name, is_any)?).ok_or_else(|| self.wrong(name))
    }

    /// A whole number of this range, which may be there.
    pub fn whole(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        whole(value, least, most).map(Some).ok_or_else(|| self.wrong(name))
    }

    /// `true` or `false`, which may be there.
    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name).map(Value::as_bool) {
            None => Ok(None),
            Some(None) => Err(self.wrong(name)),
            Some(flag) => Ok(flag),
        }
    }

    /// The items of a list, which may be there.
    pub fn items(&self, name: &str) -> Result<Option<&'a [Value]>> {
        match self.get(name).map(Value::as_array) {
            None => Ok(None),
            Some(None) => Err(self.wrong(name)),
            Some(items) => Ok(items),
        }
    }

    /// A list of 1 to `most` texts of this form, none of them twice, which may be there.
    pub fn texts(&self, name: &str, most: usize, is_form: fn(&str) -> bool) -> Result<Option<Vec<&'a str>>> {
        let Some(items) = self.items(name)? else { return Ok(None) };
        let texts: Option<Vec<&str>> =
            items.iter().map(|item| item.as_str().filter(|text| is_form(text))).collect();
        let texts = texts.ok_or_else(|| self.wrong(name))?;
        let is_set = texts
            .iter()
            .enumerate()
            .all(|(at, text)| !texts.iter().skip(at.saturating_add(1)).any(|o| o == text));
        if is_set && (1..=most).contains(&texts.len()) { Ok(Some(texts)) } else { Err(self.wrong(name)) }
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
    name.chars().take(40).map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect()
}

/// Checks that `{name, mediaType, size, sha256}` describes detached bytes.
pub(crate) fn attachment<'a>(value: &'a Value, what: &'a str) -> Result<&'a str> {
    let shape = Shape::of(value, what, &["name", "mediaType", "size", "sha256"])?;
    shape.text("mediaType", is_filled)?;
    let size = shape.need("size")?.as_f64().filter(|size| (0.0..=9_007_199_254_740_991.0).contains(size));
    if size.is_none_or(|size| size as u64 as f64 != size) {
        return Err(shape.wrong("size"));
    }
    shape.digest("sha256")?;
    shape.text("name", is_filled)
}

pub(crate) fn is_any(_: &str) -> bool {
    true
}

pub(crate) fn is_filled(text: &str) -> bool {
    !text.is_empty()
}

pub(crate) fn is_date(text: &str) -> bool {
    time::parse(text).is_some()
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
