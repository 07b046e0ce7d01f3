//! The strict reader (RFC 8259, protocol section 1).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, Kind, Result};
use crate::number::whole;
use crate::value::{self, Object, Value};
use crate::{number, plain_run};

/// Levels of arrays and objects that are never exceeded, whatever the limits say: values are
/// read, written and dropped by recursion, and the stack that a browser gives is small.
pub const MAX_DEPTH: usize = 512;

/// How much a text may hold before it is refused with `LimitExceeded` (protocol, section 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of arrays and objects; at most [`MAX_DEPTH`] counts.
    pub depth: usize,
    /// Members of objects and items of arrays, in all.
    pub members: usize,
    /// Bytes of the text.
    pub bytes: usize,
}

impl Default for Limits {
    /// 128 levels, 500,000 members and items, 32 MiB.
    fn default() -> Self {
        Self { depth: 128, members: 500_000, bytes: 32 << 20 }
    }
}

/// Reads one JSON text, with white space around it and nothing else.
///
/// # Errors
/// - `NotJson`: not UTF-8, a byte order mark, not the grammar of RFC 8259, half a surrogate pair.
/// - `DuplicateKey`: a member name that stands twice in one object, after unescaping.
/// - `LossyNumber`: a number that a double cannot hold, by the rules of protocol section 1.
/// - `LimitExceeded`: more than `limits` allow; the size is checked before anything else.
///
/// The error names the byte where it was found, counted from 0.
pub fn parse(text: &[u8], limits: &Limits) -> Result<Value> {
    check_size(text.len(), limits)?;
    let text = core::str::from_utf8(text).map_err(|error| expected_at(error.valid_up_to(), "UTF-8"))?;
    parse_showing(text, limits, |name| format!("{name:?}"))
}

/// How an error shows a name that stands in the text: so that it cannot pass for anything else.
pub type Shown = fn(&str) -> String;

/// [`parse`] for a module that is downloaded by itself: what shows any character there is takes as much room as reading.
pub fn parse_showing(text: &str, limits: &Limits, shown: Shown) -> Result<Value> {
    check_size(text.len(), limits)?;
    if text.starts_with('\u{FEFF}') {
        return Err(expected_at(0, "a value, not a byte order mark"));
    }
    let mut reader = Reader { text, at: 0, limits, shown, count: 0, items: Vec::new(), members: Vec::new() };
    reader.space();
    let value = reader.value(limits.depth.min(MAX_DEPTH))?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.expected("the end of the text")),
    }
}

fn check_size(bytes: usize, limits: &Limits) -> Result<()> {
    if bytes <= limits.bytes {
        return Ok(());
    }
    let (bytes, limit) = (whole(bytes as u64), whole(limits.bytes as u64));
    let found = ["The text has ", &bytes, " bytes; the limit is ", &limit, "."].concat();
    Err(refusal(Kind::LimitExceeded, found))
}

fn refusal(kind: Kind, found: String) -> Error {
    Error { kind, found }
}

/// A refusal with a sentence of these parts.
#[cold]
fn refusal_at(at: usize, kind: Kind, parts: &[&str]) -> Error {
    refusal(kind, ["At byte ", &whole(at as u64), ": ", &parts.concat(), "."].concat())
}

#[cold]
fn expected_at(at: usize, what: &str) -> Error {
    refusal_at(at, Kind::NotJson, &["expected ", what])
}

/// A position in the text, and the members and items of the containers that are still open.
///
/// These are collected in one place, so that each container is allocated once, at its size.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    limits: &'a Limits,
    shown: Shown,
    count: usize,
    items: Vec<Value>,
    members: Vec<(String, Value)>,
}

impl<'a> Reader<'a> {
    fn expected(&self, what: &str) -> Error {
        expected_at(self.at, what)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.advance(1);
        }
        found
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.advance(1);
        }
    }

    /// Reads a value inside of which `levels` more arrays and objects may be nested.
    fn value(&mut self, levels: usize) -> Result<Value> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => self.object(levels).map(Value::Object),
            Some(b'[') => self.array(levels).map(Value::Array),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value> {
        if self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.advance(word.len());
            Ok(value)
        } else {
            Err(self.expected("a value"))
        }
    }

    fn object(&mut self, levels: usize) -> Result<Object> {
        let opening = self.at;
        let levels = self.enter(levels)?;
        let first = self.members.len();
        let mut ordered = true;
        self.space();
        if self.eat(b'}') {
            return Ok(Object::new());
        }
        loop {
            self.admit_one()?;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a member name in quotes"));
            }
            let name = self.string()?;
            self.space();
            if !self.eat(b':') {
                return Err(self.expected("a colon"));
            }
            self.space();
            let value = self.value(levels)?;
            let before = self.members.get(first..).and_then(<[_]>::last);
            ordered = ordered && before.is_none_or(|(before, _)| value::order(before, &name).is_lt());
            self.members.push((name, value));
            self.space();
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.expected("a comma or a closing brace"));
            }
            self.space();
        }
        if !ordered && let Some(name) = self.members.get_mut(first..).and_then(value::sort) {
            return Err(duplicate(opening, name, self.shown));
        }
        Ok(Object::from_ordered(self.members.drain(first..).collect()))
    }

    fn array(&mut self, levels: usize) -> Result<Vec<Value>> {
        let levels = self.enter(levels)?;
        let first = self.items.len();
        self.space();
        if self.eat(b']') {
            return Ok(Vec::new());
        }
        loop {
            self.admit_one()?;
            let value = self.value(levels)?;
            self.items.push(value);
            self.space();
            if self.eat(b']') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.expected("a comma or a closing bracket"));
            }
            self.space();
        }
        Ok(self.items.drain(first..).collect())
    }

    /// Steps over an opening brace or bracket, and returns the levels left inside.
    fn enter(&mut self, levels: usize) -> Result<usize> {
        let inside = levels.checked_sub(1).ok_or_else(|| {
            let limit = whole(self.limits.depth.min(MAX_DEPTH) as u64);
            let parts = ["more than ", &limit, " levels of arrays and objects"];
            refusal_at(self.at, Kind::LimitExceeded, &parts)
        })?;
        self.advance(1);
        Ok(inside)
    }

    /// Counts a member or item that begins here.
    fn admit_one(&mut self) -> Result<()> {
        self.count = self.count.saturating_add(1);
        if self.count > self.limits.members {
            let limit = whole(self.limits.members as u64);
            let parts = ["more than ", &limit, " members and items"];
            return Err(refusal_at(self.at, Kind::LimitExceeded, &parts));
        }
        Ok(())
    }

    /// Reads the string whose opening quote is here.
    fn string(&mut self) -> Result<String> {
        self.advance(1);
        let mut string = String::from(self.plain());
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.advance(1);
                    return Ok(string);
                }
                Some(b'\\') => {
                    string.push(self.escape()?);
                    string.push_str(self.plain());
                }
                Some(_) => return Err(self.expected("an escape in place of a control character")),
                None => return Err(self.expected("a closing quote")),
            }
        }
    }

    /// Steps over what stands for itself here, and returns it.
    #[inline]
    fn plain(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let run = plain_run(rest.as_bytes());
        self.advance(run);
        rest.get(..run).unwrap_or_default()
    }

    /// Reads the escape sequence whose backslash is here.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.advance(1);
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.advance(1);
                return self.unicode_escape(start);
            }
            _ => return Err(expected_at(start, "an escape sequence of JSON")),
        };
        self.advance(1);
        Ok(character)
    }

    /// Reads what follows `\u`: four digits, or a surrogate pair of two escapes.
    fn unicode_escape(&mut self, start: usize) -> Result<char> {
        let mut units = [self.four_hex_digits()?, 0];
        if matches!(units, [0xD800..0xDC00, _]) && self.eat(b'\\') && self.eat(b'u') {
            units = [units[0], self.four_hex_digits()?];
        }
        // Decoding stops at the first character, or at a surrogate without its other half.
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(expected_at(start, "a whole surrogate pair")),
        }
    }

    fn four_hex_digits(&mut self) -> Result<u16> {
        let start = self.at;
        let mut unit = 0_u16;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let digit = digit.and_then(|digit| u16::try_from(digit).ok());
            unit = unit << 4 | digit.ok_or_else(|| expected_at(start, "four hexadecimal digits"))?;
            self.advance(1);
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<f64> {
        let start = self.at;
        let negative = self.eat(b'-');
        let first = self.at;
        let whole = self.digits()?;
        if self.at > first.saturating_add(1) && self.text.as_bytes().get(first) == Some(&b'0') {
            return Err(expected_at(first, "a number without leading zeros"));
        }
        let bare = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        if bare && self.at.saturating_sub(first) <= 15 {
            // Up to 15 digits are below 2^53: the conversion is exact. Zero has no sign.
            let value = whole as f64;
            return Ok(if negative && whole != 0 { -value } else { value });
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.advance(1);
            if !self.eat(b'-') {
                self.eat(b'+');
            }
            self.digits()?;
        }
        let token = self.text.get(start..self.at).unwrap_or_default();
        number::read(token).map_err(|what| refusal_at(start, Kind::LossyNumber, &[what]))
    }

    /// Steps over digits, at least one, and returns their value; with many digits it wraps.
    fn digits(&mut self) -> Result<u64> {
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit & 0x0F));
            self.advance(1);
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(value) }
    }
}

/// The error for an object that begins at `opening` and has the member `name` twice. The name
/// is cut to 64 characters and printed so that it cannot pass for anything else.
#[cold]
fn duplicate(opening: usize, name: &str, shown: Shown) -> Error {
    let start: String = name.chars().take(64).collect();
    let more = if start.len() < name.len() { " and more" } else { "" };
    let parts = ["the object has the member name ", &shown(&start), more, " twice"];
    refusal_at(opening, Kind::DuplicateKey, &parts)
}
