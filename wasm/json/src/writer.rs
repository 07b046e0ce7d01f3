//! The writer: the JSON Canonicalization Scheme (RFC 8785).

use alloc::string::String;

use crate::value::Value;
use crate::{number, plain_run};

/// The canonical text of `value`, without a trailing newline.
///
/// Numbers that are not finite, which only code can make, become `null`.
pub fn write(value: &Value) -> String {
    let mut out = String::with_capacity(estimate(value));
    write_into(value, &mut out);
    out
}

/// The canonical text of a member: its name, a colon, its value.
pub fn write_member(name: &str, value: &Value) -> String {
    let mut out = String::with_capacity(estimate(value).saturating_add(name.len()).saturating_add(3));
    string(name, &mut out);
    out.push(':');
    write_into(value, &mut out);
    out
}

/// Appends the canonical text of `value` to `out`; see [`write()`].
pub fn write_into(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(value) => number::write(*value, out),
        Value::String(value) => string(value, out),
        Value::Array(items) => {
            let mut before = '[';
            for item in items {
                out.push(before);
                write_into(item, out);
                before = ',';
            }
            out.push_str(if before == '[' { "[]" } else { "]" });
        }
        Value::Object(object) => {
            let mut before = '{';
            for (name, value) in object.iter() {
                out.push(before);
                string(name, out);
                out.push(':');
                write_into(value, out);
                before = ',';
            }
            out.push_str(if before == '{' { "{}" } else { "}" });
        }
    }
}

/// Appends `text` in quotes (RFC 8785 section 3.2.2.2).
pub fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let (run, special) = rest.split_at_checked(plain_run(rest.as_bytes())).unwrap_or_default();
        out.push_str(run);
        let mut characters = special.chars();
        let Some(character) = characters.next() else { break };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{C}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control => {
                out.push_str("\\u00");
                let code = u32::from(control);
                out.extend([code >> 4, code & 0x0F].map(|digit| char::from_digit(digit, 16).unwrap_or('0')));
            }
        }
        rest = characters.as_str();
    }
    out.push('"');
}

/// An object that is written member by member, in the order in which they come. Their names need no escapes.
pub struct Members(String);

impl Members {
    /// An object of no members yet, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push('{');
        Self(text)
    }

    fn name(&mut self, name: &str) {
        let comma = if self.0.len() > 1 { "," } else { "" };
        for part in [comma, "\"", name, "\":"] {
            self.0.push_str(part);
        }
    }

    /// A member that is JSON text already.
    pub fn json(&mut self, name: &str, value: &str) -> &mut Self {
        self.name(name);
        self.0.push_str(value);
        self
    }

    /// A member that is a text; `null` for none.
    pub fn text<'a>(&mut self, name: &str, value: impl Into<Option<&'a str>>) -> &mut Self {
        self.name(name);
        match value.into() {
            Some(value) => string(value, &mut self.0),
            None => self.0.push_str("null"),
        }
        self
    }

    /// The text of the object, which is taken out.
    pub fn end(&mut self) -> String {
        self.0.push('}');
        core::mem::take(&mut self.0)
    }
}

/// The length of the text, if there are no escapes and no long numbers.
fn estimate(value: &Value) -> usize {
    let sum = |lengths: &mut dyn Iterator<Item = usize>| lengths.fold(2_usize, usize::saturating_add);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
        Value::String(value) => value.len().saturating_add(2),
        Value::Array(items) => sum(&mut items.iter().map(|item| estimate(item).saturating_add(1))),
        Value::Object(object) => sum(&mut object
            .iter()
            .map(|(name, value)| name.len().saturating_add(estimate(value)).saturating_add(4))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    #[test]
    fn the_estimate_is_enough_where_nothing_is_escaped_and_never_far_off() {
        for text in [
            r#""""#,
            r#""a longer text without anything special in it""#,
            "[]",
            "{}",
            "[null,true,false,12345]",
            r#"{"a":[null,"b",[]],"name":{"inner":"text","other":[[["x"]]]}}"#,
        ] {
            let value = parse(text.as_bytes(), &Limits::default()).unwrap();
            let (estimate, written) = (estimate(&value), write(&value));
            assert_eq!(written, text);
            assert!((text.len()..=text.len() * 3 / 2 + 5).contains(&estimate), "{estimate} for {text}");
            assert_eq!(written.capacity(), estimate, "nothing was allocated twice for {text}");
        }
    }
}
