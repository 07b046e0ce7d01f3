//! Texts that are canonical as they come (RFC 8785): seen to be so in one pass that makes nothing of them.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::reader::{Limits, MAX_DEPTH};
use crate::value::order;
use crate::{number, plain_run};

/// Where a member of an object stands in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name, without its quotes.
    pub name: Range<usize>,
    /// The value.
    pub value: Range<usize>,
}

impl Place {
    /// Name, colon and value.
    pub fn member(&self) -> Range<usize> {
        self.name.start.saturating_sub(1)..self.value.end
    }
}

/// The members of the object that `text` is, where it is the very text that [`write()`](crate::write) gives for what
/// [`parse`](crate::parse) reads from it within `limits`.
///
/// It may only say yes: `None` says nothing, and stands also for canonical texts with a name that has an escape in it.
pub fn places(text: &str, limits: &Limits) -> Option<Vec<Place>> {
    if text.len() > limits.bytes {
        return None;
    }
    let mut scanner = Scanner { text, at: 0, left: limits.members };
    let mut places = Vec::new();
    scanner.eat(b'{')?;
    scanner.members(limits.depth.min(MAX_DEPTH).checked_sub(1)?, &mut |place| places.push(place))?;
    (scanner.at == text.len()).then_some(places)
}

/// A position in the text, and how many more members and items there may be. Every step gives `None` for what is not
/// canonical.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    left: usize,
}

impl<'a> Scanner<'a> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(byte)
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    #[inline]
    fn admit_one(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// Steps over a value inside of which `levels` more arrays and objects may be nested.
    fn value(&mut self, levels: usize) -> Option<()> {
        match self.next()? {
            b'"' => self.string(),
            b'{' => self.members(levels.checked_sub(1)?, &mut |_| {}),
            b'[' => self.items(levels.checked_sub(1)?),
            b't' => self.word("rue"),
            b'f' => self.word("alse"),
            b'n' => self.word("ull"),
            first => self.number(first),
        }
    }

    fn word(&mut self, rest: &str) -> Option<()> {
        let end = self.at.saturating_add(rest.len());
        let found = self.text.as_bytes().get(self.at..end)? == rest.as_bytes();
        self.at = end;
        found.then_some(())
    }

    /// Steps over the members of the object whose brace was before.
    fn members(&mut self, levels: usize, found: &mut dyn FnMut(Place)) -> Option<()> {
        if self.peek()? == b'}' {
            return self.eat(b'}');
        }
        let mut before: Option<&'a str> = None;
        loop {
            self.admit_one()?;
            self.eat(b'"')?;
            let name = self.at..self.at.saturating_add(self.run());
            self.at = name.end;
            let text = self.text.get(name.clone())?;
            if before.is_some_and(|before| order(before, text).is_ge()) {
                return None;
            }
            before = Some(text);
            self.eat(b'"')?;
            self.eat(b':')?;
            let start = self.at;
            self.value(levels)?;
            found(Place { name, value: start..self.at });
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Steps over the items of the array whose bracket was before.
    fn items(&mut self, levels: usize) -> Option<()> {
        if self.peek()? == b']' {
            return self.eat(b']');
        }
        loop {
            self.admit_one()?;
            self.value(levels)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// How long what comes stands for itself.
    #[inline]
    fn run(&self) -> usize {
        plain_run(self.text.as_bytes().get(self.at..).unwrap_or_default())
    }

    /// Steps over the rest of the string whose quote was before.
    fn string(&mut self) -> Option<()> {
        loop {
            self.at = self.at.saturating_add(self.run());
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    /// Steps over the rest of an escape, if the writer would have made it of this character.
    fn escape(&mut self) -> Option<()> {
        match self.next()? {
            b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r' => Some(()),
            b'u' => {
                self.word("00")?;
                match (self.next()?, self.next()?) {
                    (b'0', b'0'..=b'7' | b'b' | b'e' | b'f') | (b'1', b'0'..=b'9' | b'a'..=b'f') => Some(()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Steps over digits, and says how many there were.
    #[inline]
    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at = self.at.saturating_add(1);
        }
        self.at.saturating_sub(start)
    }

    /// Steps over the rest of the number that began with `first`.
    fn number(&mut self, first: u8) -> Option<()> {
        let start = self.at.saturating_sub(1);
        let is_negative = first == b'-';
        let leading = if is_negative { self.next()? } else { first };
        let more = self.digits();
        let whole = more.saturating_add(1);
        if !leading.is_ascii_digit() || (leading == b'0' && more > 0) {
            return None;
        }
        // A decimal of up to 15 digits is the shortest one of its double, which the writer gives; from 10^-6 on without
        // an exponent.
        match self.peek() {
            Some(b'.') => {
                self.at = self.at.saturating_add(1);
                let fraction = self.digits();
                let has_exponent = matches!(self.peek(), Some(b'e' | b'E'));
                let last = self.text.as_bytes().get(self.at.saturating_sub(1));
                let is_short = whole.saturating_add(fraction) <= 15 && (leading != b'0' || fraction <= 6);
                if is_short && !has_exponent && last.is_some_and(|digit| matches!(digit, b'1'..=b'9')) {
                    return Some(());
                }
                if fraction == 0 {
                    return None;
                }
            }
            Some(b'e' | b'E') => {}
            _ if whole <= 15 => return (!is_negative || leading != b'0').then_some(()),
            _ => {}
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at = self.at.saturating_add(1);
            if let Some(b'+' | b'-') = self.peek() {
                self.at = self.at.saturating_add(1);
            }
            if self.digits() == 0 {
                return None;
            }
        }
        let token = self.text.get(start..self.at)?;
        let mut written = String::new();
        number::write(number::read(token).ok()?, &mut written);
        (written == token).then_some(())
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test that fails is one that panics")]
mod tests {
    use super::*;
    use crate::{Object, Value, parse, write};
    use alloc::string::ToString;
    use alloc::{format, vec};
    use proptest::prelude::*;

    fn is_canonical(text: &str, limits: &Limits) -> bool {
        parse(text.as_bytes(), limits)
            .is_ok_and(|value| matches!(value, Value::Object(_)) && write(&value) == text)
    }

    /// Whether some member's name is written with an escape, the one thing that is not looked at.
    fn has_escaped_name(value: &Value) -> bool {
        match value {
            Value::Object(members) => members
                .iter()
                .any(|(name, value)| plain_run(name.as_bytes()) < name.len() || has_escaped_name(value)),
            Value::Array(items) => items.iter().any(has_escaped_name),
            _ => false,
        }
    }

    fn compare(text: &str, limits: &Limits) {
        let Some(places) = places(text, limits) else {
            let is_escaped = || parse(text.as_bytes(), limits).is_ok_and(|value| has_escaped_name(&value));
            assert!(!is_canonical(text, limits) || is_escaped(), "{text:?} is canonical");
            return;
        };
        assert!(is_canonical(text, limits), "{text:?} is not canonical");
        let value = parse(text.as_bytes(), limits).unwrap();
        let members = value.as_object().unwrap();
        assert_eq!(places.len(), members.len());
        for (place, (name, value)) in places.iter().zip(members.iter()) {
            assert_eq!((&text[place.name.clone()], &text[place.value.clone()]), (name, &*write(value)));
            assert_eq!(text[place.member()], crate::write_member(name, value));
        }
    }

    #[test]
    fn every_short_text_of_a_number_is_told_to_be_canonical_or_not() {
        let mut tokens = vec!["".to_string()];
        for _ in 0..6 {
            let longer =
                tokens.iter().flat_map(|token| "015.-e+".chars().map(move |c| format!("{token}{c}")));
            tokens = longer.collect();
            for token in &tokens {
                compare(&format!("{{\"a\":{token}}}"), &Limits::default());
            }
        }
    }

    #[test]
    fn numbers_at_the_edges_are_told_to_be_canonical_or_not() {
        for digits in [
            "1",
            "12",
            "99999999999999",
            "123456789012345",
            "1234567890123456",
            "12345678901234567",
            "9007199254740993",
        ] {
            for zeros in 0..25 {
                for end in ["", "0", "5"] {
                    for token in [
                        format!("{digits}{}{end}", "0".repeat(zeros)),
                        format!("0.{}{digits}{end}", "0".repeat(zeros)),
                        format!("{digits}.{}{end}", "0".repeat(zeros)),
                        format!("{digits}e+{zeros}{end}"),
                        format!("{digits}e-{zeros}{end}"),
                        format!("{}.{}e-{zeros}", &digits[..1], &digits[1..]),
                        format!("{}.{}e+{zeros}", &digits[..1], &digits[1..]),
                    ] {
                        compare(&format!("{{\"a\":{token},\"b\":-{token}}}"), &Limits::default());
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_and_its_escapes_are_told_to_be_canonical_or_not() {
        for code in 0..0x300_u32 {
            let plain = char::from_u32(code).unwrap();
            for text in
                [format!("{plain}"), format!("\\{plain}"), format!("\\u{code:04x}"), format!("\\u{code:04X}")]
            {
                compare(&format!("{{\"a\":\"{text}\"}}"), &Limits::default());
                compare(&format!("{{\"{text}\":0}}"), &Limits::default());
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_reader() {
        let text = r#"{"a":[1,{"b":[[]]}],"c":{}}"#;
        for depth in 0..7 {
            for members in 0..8 {
                for bytes in [text.len() - 1, text.len()] {
                    compare(text, &Limits { depth, members, bytes });
                }
            }
        }
        let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        for levels in [MAX_DEPTH - 1, MAX_DEPTH] {
            compare(&deep(levels), &Limits { depth: 10_000, ..Limits::default() });
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof!["[a-d]{0,3}", "\\PC{0,20}", "[\"\\\\\u{0}-\u{1f}x]{0,5}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-1_000_000_i64..1_000_000).prop_map(|n| Value::Number(n as f64)),
            (-1_000_000_i64..1_000_000).prop_map(|n| Value::Number(n as f64 / 1000.0)),
            any::<f64>().prop_filter_map("a number of JSON", |n| (n.is_finite() && n.abs() < 1e15)
                .then_some(Value::Number(n + 0.0))),
            text.clone().prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            let members = prop::collection::vec((text.clone(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::Array),
                members.prop_map(|members| Value::Object(Object::from_iter(members))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_canonical_and_what_was_changed_is_told(
            members in prop::collection::vec(("[a-z\u{e000}\u{10000}]{0,3}", value()), 0..6),
            changes in prop::collection::vec((any::<prop::sample::Index>(), "[ \\[\\]{}\",:0-9a-f.eE+\\\\/-]{0,2}", any::<bool>()), 0..3),
        ) {
            let object = Value::Object(Object::from_iter(members));
            let mut text = write(&object);
            compare(&text, &Limits::default());
            for (at, with, is_replaced) in changes {
                let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let at = starts[at.index(starts.len())];
                let width = if is_replaced { text[at..].chars().next().map_or(0, char::len_utf8) } else { 0 };
                text.replace_range(at..at.saturating_add(width), &with);
                compare(&text, &Limits::default());
                if text.is_empty() { break }
            }
        }
    }
}
