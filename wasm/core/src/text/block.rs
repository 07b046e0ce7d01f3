//! The block of a signature: a signed document in a fixed subset of YAML 1.2 between two marker lines
//! (protocol, section 20).

use crate::document::field;
use crate::error::{Code, Error, Result};
use crate::json::{self, Object, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use core::str::Lines;

/// The first line of a block.
pub const BEGIN: &str = "-----BEGIN SX SIGNATURE-----";
/// The last line of a block.
pub const END: &str = "-----END SX SIGNATURE-----";

/// `sxType` of the document in a block. Types that begin with `sx-` are made by the library alone, so
/// nobody is brought to sign a text who is only asked to sign a document.
pub const DOCUMENT_TYPE: &str = "sx-text";
/// How `content` describes the text.
pub const SCHEME: &str = "sx-text-v1";

/// Members of a block, those in objects counted. A signed document of a text has 23; whoever makes thousands of
/// them wants readers to work.
const MAX_MEMBERS: usize = 64;

/// Characters of a string on one line; a longer one goes on in the next.
const WIDTH: usize = 64;

/// The block of a document, without a line feed at its end; `None` for one that no block can hold.
pub fn write(document: &Object) -> Option<String> {
    let mut out = format!("{BEGIN}\n");
    write_members(document, "", &mut out)?;
    out.push_str(END);
    Some(out)
}

fn write_members(object: &Object, indent: &str, out: &mut String) -> Option<()> {
    for (name, value) in object.iter() {
        if !is_name(name) {
            return None;
        }
        out.push_str(indent);
        out.push_str(name);
        out.push(':');
        match value {
            Value::Object(inner) if indent.is_empty() && !inner.is_empty() => {
                out.push('\n');
                write_members(inner, "  ", out)?;
            }
            Value::String(text) if text.bytes().all(is_plain) => {
                write_string(text, indent, out);
            }
            Value::Number(number) if *number >= 0.0 && *number == (*number as u64) as f64 => {
                out.push(' ');
                json::write_into(value, out);
                out.push('\n');
            }
            _ => return None,
        }
    }
    Some(())
}

/// In quotes, lines joined by `\` as in YAML 1.2 section 7.3.1.
fn write_string(text: &str, indent: &str, out: &mut String) {
    out.push_str(" \"");
    let mut rest = text;
    while let Some((line, more)) = rest.split_at_checked(WIDTH).filter(|(_, more)| !more.is_empty()) {
        out.push_str(line);
        out.push_str("\\\n  ");
        out.push_str(indent);
        rest = more;
    }
    out.push_str(rest);
    out.push_str("\"\n");
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'$')
}

/// Stands for itself in a quoted string, in YAML and in JSON.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

/// The document of a block, if the block is, byte for byte, what [`write`] makes of it.
pub fn read(block: &str) -> Option<Object> {
    let body = block.strip_prefix(BEGIN)?.strip_prefix('\n')?.strip_suffix(END)?;
    // How lines are read need not be strict: what is not written so again is none.
    let mut document = Object::new();
    let mut parent: Option<(String, Object)> = None;
    let mut lines = body.lines();
    let mut before = ["", ""];
    let mut members = 0_usize;
    while let Some(line) = lines.next() {
        let (indent, line) = match line.strip_prefix("  ") {
            Some(inner) => ("  ", inner),
            None => ("", line),
        };
        let (name, rest) = line.split_once(':')?;
        members = members.saturating_add(1);
        if members > MAX_MEMBERS {
            return None;
        }
        // To insert a member before very many others would take long.
        let [outer, inner] = &mut before;
        let last =
            if indent.is_empty() { core::mem::replace(outer, name) } else { core::mem::replace(inner, name) };
        if name <= last {
            return None;
        }
        if indent.is_empty() {
            before[1] = "";
        }
        if indent.is_empty()
            && let Some((name, inner)) = parent.take()
        {
            document.insert(name, inner.into());
        }
        if rest.is_empty() {
            parent = Some((name.into(), Object::new()));
            continue;
        }
        let value = read_value(rest.strip_prefix(' ')?, indent, &mut lines)?;
        match &mut parent {
            Some((_, inner)) => inner.insert(name.into(), value),
            None => document.insert(name.into(), value),
        };
    }
    if let Some((name, inner)) = parent {
        document.insert(name, inner.into());
    }
    (write(&document)? == block).then_some(document)
}

fn read_value(first: &str, indent: &str, lines: &mut Lines<'_>) -> Option<Value> {
    let Some(mut line) = first.strip_prefix('"') else {
        return Some(Value::Number(first.parse::<u64>().ok()? as f64));
    };
    let mut text = String::new();
    loop {
        if let Some(last) = line.strip_suffix('"') {
            text.push_str(last);
            return Some(text.into());
        }
        text.push_str(line.strip_suffix('\\')?);
        line = lines.next()?.strip_prefix(indent)?.strip_prefix("  ")?;
    }
}

/// What a block says that it signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Bytes of the text.
    pub length: usize,
    /// Hexadecimal SHA-256 of the text.
    pub sha256: String,
}

impl Claim {
    /// Reads the claim of a document.
    ///
    /// Errors: `UnsupportedFormat` for another scheme, `InvalidDocument` for what is no document of a text.
    pub fn of(document: &Object) -> Result<Self> {
        let none = || Error::new(Code::InvalidDocument, "The document in the block is not a text signature.");
        let content = document.get(field::CONTENT).and_then(Value::as_object).ok_or_else(none)?;
        let scheme = content.get("scheme").and_then(Value::as_str).ok_or_else(none)?;
        if scheme != SCHEME {
            return Err(Error::new(
                Code::UnsupportedFormat,
                "The block uses a scheme that this version does not support.",
            ));
        }
        let is_ours = document.get(field::TYPE).and_then(Value::as_str) == Some(DOCUMENT_TYPE)
            && document.get(field::SCHEMA).and_then(Value::as_str) == Some(crate::document::HEADER_SCHEMA)
            && document.iter().map(|(name, _)| name).eq(field::ALONE)
            && content.len() == 3;
        let sha256 = content.get("sha256").and_then(Value::as_str);
        let length = content.get("length").and_then(Value::as_f64);
        match (is_ours, sha256, length) {
            (true, Some(sha256), Some(length)) => Ok(Self { length: length as usize, sha256: sha256.into() }),
            _ => Err(none()),
        }
    }

    /// The members of `content`.
    pub fn content(&self) -> Object {
        json::object(vec![
            ("scheme", SCHEME.into()),
            ("sha256", self.sha256.as_str().into()),
            ("length", Value::Number(self.length as f64)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json_text: &str) -> Object {
        json::parse(json_text.as_bytes(), &json::Limits::default()).unwrap().as_object().unwrap().clone()
    }

    #[test]
    fn a_block_is_read_as_it_was_written() {
        let long = |length: u8| -> String { (0..length).map(|n| char::from(b'a' + n % 26)).collect() };
        for text in [
            r#"{"a":"x"}"#,
            r#"{"$schema":"urn:x","a":{"b":"","c":12},"d":"e"}"#,
            &format!(r#"{{"a":{{"s":"{}"}},"b":"{}","c":"{}"}}"#, long(200), long(64), long(65)),
            &format!(r#"{{"a":{{"s":"{}"}}}}"#, long(128)),
        ] {
            let block = write(&object(text)).unwrap();
            assert_eq!(read(&block), Some(object(text)), "{block}");
            assert!(block.lines().all(|line| line.len() <= 80));
        }
    }

    #[test]
    fn what_has_more_members_than_any_signature_is_none() {
        let members = |count: u8| (0..count).map(|n| format!("a{n:02}: 1\n")).collect::<String>();
        let block = |count: u8| format!("{BEGIN}\nA:\n  a: 1\n{}{END}", members(count));
        assert!(read(&block(62)).is_some());
        assert_eq!(read(&block(63)), None);
    }

    #[test]
    fn what_no_block_can_hold_is_not_written() {
        for text in [
            r#"{"a":"\n"}"#,
            r#"{"a":"\""}"#,
            r#"{"a":"\\"}"#,
            r#"{"a":"é"}"#,
            r#"{"a":1.5}"#,
            r#"{"a":-1}"#,
            r#"{"a":1e300}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
            r#"{"a":null}"#,
            r#"{"a":{"b":{"c":"d"}}}"#,
            r#"{"a b":"c"}"#,
            r#"{"":"c"}"#,
        ] {
            assert_eq!(write(&object(text)), None, "{text}");
        }
    }

    #[test]
    fn t24_only_the_one_form_is_read() {
        let block = write(&object(r#"{"a":{"b":"c","d":7},"e":"f"}"#)).unwrap();
        assert_eq!(block, format!("{BEGIN}\na:\n  b: \"c\"\n  d: 7\ne: \"f\"\n{END}"));
        let changes = [
            ("\"c\"", "c"),
            ("\"c\"", "'c'"),
            ("\"c\"", "&a \"c\""),
            ("\"c\"", "*a"),
            ("\"c\"", "!!js \"c\""),
            ("\"c\"", "\"\\u0063\""),
            ("\"c\"", "\"c\" # d"),
            ("\"c\"", "\"\\\n    c\""),
            ("\"c\"", "\"\u{1b}\""),
            ("b: ", "b:  "),
            ("b: ", "\"b\": "),
            ("  b", "   b"),
            ("  b", "\tb"),
            ("d: 7", "d: 07"),
            ("d: 7", "d: 7.0"),
            ("d: 7", "d: 0x7"),
            ("d: 7", "d: 7\n  d: 7"),
            ("d: 7\n", "d: 7\n\n"),
            ("  b: \"c\"\n  d: 7\n", "  d: 7\n  b: \"c\"\n"),
            ("a:\n", "a: {}\n"),
            ("e:", "? e\n:"),
            ("e:", "---\ne:"),
            ("\n", "\r\n"),
            ("a:", " a:"),
        ];
        for (found, put) in changes {
            let changed = block.replace(found, put);
            assert_ne!(changed, block, "{found:?}");
            assert_eq!(read(&changed), None, "{changed}");
        }
        assert_eq!(read(&format!("{block}\n")), None);
        assert_eq!(read(""), None);
    }
}
