//! Patterns: from ECMA 262, with the flag `u`, to the syntax of an engine of linear time.

use crate::source::shown;
use sx_core::error::{Code, Error, Result};

/// A pattern for the engine.
#[derive(Debug)]
pub struct Pattern {
    pub text: String,
    /// What a byte of a text can cost: the places of the pattern that a text can have come to at once, as far as that is
    /// known, or else all of them. Repetitions are written out.
    pub steps: u64,
    /// What its program takes, in the same unit; classes beyond ASCII are large.
    pub size: u64,
}

const WORD: &str = "0-9A-Z_a-z";
const NO_WORD: &str = r"\x{0}-/:-@\[-\^`\{-\x{10ffff}";
const DIGIT: &str = "0-9";
const NO_DIGIT: &str = r"\x{0}-/:-\x{10ffff}";
const SPACE: &str =
    r"\x{9}-\x{d} \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";
const NO_SPACE: &str = r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}";
const NO_LINE: &str = r"[^\x{a}\x{d}\x{2028}\x{2029}]";

/// Sizes of programs, against that of a character: what is beyond ASCII, and what is by the tables of Unicode.
const SIZE_WIDE: u64 = 30;
const SIZE_PROPERTY: u64 = 700;
/// Steps of what is by the tables of Unicode.
const STEPS_PROPERTY: u64 = 2;

/// Categories by both of their names.
const CATEGORIES: &str = "C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use L Letter LC Cased_Letter \
    Ll Lowercase_Letter Lm Modifier_Letter Lo Other_Letter Lt Titlecase_Letter Lu Uppercase_Letter M Mark Combining_Mark \
    Mc Spacing_Mark Me Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl Letter_Number No Other_Number \
    P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Pe Close_Punctuation Pf Final_Punctuation \
    Pi Initial_Punctuation Po Other_Punctuation Ps Open_Punctuation S Symbol Sc Currency_Symbol Sk Modifier_Symbol \
    Sm Math_Symbol So Other_Symbol Z Separator Zl Line_Separator Zp Paragraph_Separator Zs Space_Separator";

/// Properties that a character has or has not.
const PROPERTIES: &str = "ASCII Any Assigned Alphabetic Alpha Lowercase Lower Uppercase Upper White_Space space \
    ASCII_Hex_Digit AHex Hex_Digit Hex Dash Diacritic Dia Emoji Emoji_Presentation EPres Emoji_Modifier EMod \
    Emoji_Modifier_Base EBase Emoji_Component EComp Extended_Pictographic ExtPict ID_Start IDS ID_Continue IDC \
    XID_Start XIDS XID_Continue XIDC Ideographic Ideo Math Quotation_Mark QMark Cased";

/// Translates a pattern.
///
/// Errors: `UnsafePattern`.
pub fn translate(pattern: &str) -> Result<Pattern> {
    let mut reader = Reader {
        rest: pattern,
        out: String::new(),
        open: Vec::new(),
        names: Vec::new(),
        reach: Reach { is_known: pattern.starts_with('^'), places: 0, slack: 0 },
    };
    let cost = reader.read().map_err(|what| {
        Error::new(Code::UnsafePattern, format!("The pattern '{}' {what}.", shown(pattern)))
    })?;
    let steps = if reader.reach.is_known { reader.reach.places.min(cost.steps) } else { cost.steps };
    Ok(Pattern { text: reader.out, steps, size: cost.size })
}

type Read<T> = core::result::Result<T, &'static str>;

const INVALID: &str = "is not an ECMA 262 pattern with the flag u";
const LOOKS: &str = "uses lookaround or a backreference";
const LARGE: &str = "is too large";
const DEEP: &str = "has too many nested groups";
const UNKNOWN: &str = "uses an unknown Unicode property";
const HALF: &str = "contains a lone surrogate";

/// Bytes of a pattern for the engine.
const MAX_TEXT: usize = 1 << 20;
/// Groups one in another.
const MAX_OPEN: usize = 100;

#[derive(Clone, Copy, Default)]
struct Cost {
    steps: u64,
    size: u64,
}

impl Cost {
    const ONE: Self = Self { steps: 1, size: 1 };
    const WIDE: Self = Self { steps: 1, size: SIZE_WIDE };

    fn plus(self, other: Self) -> Self {
        Self { steps: self.steps.saturating_add(other.steps), size: self.size.saturating_add(other.size) }
    }

    fn times(self, count: u64) -> Self {
        Self { steps: self.steps.saturating_mul(count), size: self.size.saturating_mul(count) }
    }
}

/// A member of a class.
struct Member {
    text: String,
    /// The character, if it is one.
    one: Option<char>,
    cost: Cost,
}

impl Member {
    fn one(c: char) -> Self {
        let cost = if c.is_ascii() { Cost::ONE } else { Cost::WIDE };
        Self { text: format!("\\x{{{:x}}}", u32::from(c)), one: Some(c), cost }
    }

    fn set(text: &str, cost: Cost) -> Self {
        Self { text: text.into(), one: None, cost }
    }
}

/// How many places of a pattern a text can have come to at once. After `^`, and outside of groups, a place of a
/// repetition is come to after so many characters, more or less.
struct Reach {
    is_known: bool,
    places: u64,
    /// By how many characters what comes next can be shifted.
    slack: u64,
}

impl Reach {
    fn add(&mut self, atom: Cost, least: u64, most: Option<u64>) {
        let all = atom.times(most.unwrap_or(least).max(1)).steps;
        self.places = self.places.saturating_add(all.min(atom.times(self.slack.saturating_add(1)).steps));
        self.slack = most.map_or(u64::MAX, |most| self.slack.saturating_add(most.saturating_sub(least)));
    }

    fn add_group(&mut self, group: Cost) {
        self.places = self.places.saturating_add(group.steps);
        self.slack = u64::MAX;
    }
}

struct Reader<'p> {
    rest: &'p str,
    out: String,
    /// What stands before each group that is open.
    open: Vec<Cost>,
    names: Vec<&'p str>,
    reach: Reach,
}

impl<'p> Reader<'p> {
    fn read(&mut self) -> Read<Cost> {
        let mut all = Cost::default();
        while let Some(c) = self.next() {
            if self.out.len() > MAX_TEXT {
                return Err(LARGE);
            }
            let atom = match c {
                '|' | '^' | '$' => {
                    self.reach.is_known &= c != '|' || !self.open.is_empty();
                    self.out.push(c);
                    all = all.plus(Cost::ONE);
                    continue;
                }
                '(' => {
                    self.open_group()?;
                    self.open.push(all);
                    if self.open.len() > MAX_OPEN {
                        return Err(DEEP);
                    }
                    all = Cost::default();
                    continue;
                }
                ')' => {
                    let before = self.open.pop().ok_or(INVALID)?;
                    self.out.push(')');
                    let (group, ..) = self.repeated(all.plus(Cost::ONE))?;
                    if self.open.is_empty() {
                        self.reach.add_group(group);
                    }
                    all = before.plus(group);
                    continue;
                }
                '\\' if self.eat("b") => {
                    self.out.push_str(r"(?-u:\b)");
                    all = all.plus(Cost::ONE);
                    continue;
                }
                '\\' if self.eat("B") => {
                    self.out.push_str(r"(?-u:\B)");
                    all = all.plus(Cost::ONE);
                    continue;
                }
                '*' | '+' | '?' | '{' | '}' | ']' => return Err(INVALID),
                '.' => {
                    self.out.push_str(NO_LINE);
                    Cost::WIDE
                }
                '[' => self.class()?,
                '\\' => self.escaped()?,
                c => {
                    self.literal(c);
                    Cost::ONE
                }
            };
            let (repeated, least, most) = self.repeated(atom)?;
            if self.open.is_empty() {
                self.reach.add(atom, least, most);
            }
            all = all.plus(repeated);
        }
        if self.open.is_empty() { Ok(all) } else { Err(INVALID) }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next();
        self.rest = chars.as_str();
        first
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What stands before `end`, which is left behind.
    fn until(&mut self, end: char) -> Read<&'p str> {
        let (found, rest) = self.rest.split_once(end).ok_or(INVALID)?;
        self.rest = rest;
        Ok(found)
    }

    fn literal(&mut self, c: char) {
        if r"\.+*?()|[]{}^$".contains(c) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn open_group(&mut self) -> Read<()> {
        if ["?=", "?!", "?<=", "?<!"].iter().any(|look| self.rest.starts_with(look)) {
            return Err(LOOKS);
        }
        if self.eat("?<") {
            let name = self.until('>')?;
            let mut chars = name.chars();
            let starts = chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
            if !starts
                || !chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
                || self.names.contains(&name)
            {
                return Err(INVALID);
            }
            self.names.push(name);
        } else if !self.eat("?:") && self.rest.starts_with('?') {
            return Err(INVALID);
        }
        self.out.push_str("(?:");
        Ok(())
    }

    /// What follows an atom: how often it stands there, at least and at most, and what it costs then.
    fn repeated(&mut self, atom: Cost) -> Read<(Cost, u64, Option<u64>)> {
        let (least, most) = match self.rest.chars().next() {
            Some(c @ ('*' | '+' | '?')) => {
                self.next();
                self.out.push(c);
                (u64::from(c == '+'), (c == '?').then_some(1))
            }
            Some('{') => {
                self.next();
                let bounds = self.until('}')?;
                let least = number(bounds.split_once(',').map_or(bounds, |(least, _)| least))?;
                let most = match bounds.split_once(',') {
                    None => Some(least),
                    Some((_, "")) => None,
                    Some((_, most)) => Some(number(most)?),
                };
                if most.is_some_and(|most| most < least) {
                    return Err(INVALID);
                }
                self.out.push('{');
                self.out.push_str(bounds);
                self.out.push('}');
                (least, most)
            }
            _ => return Ok((atom, 1, Some(1))),
        };
        if self.eat("?") {
            self.out.push('?');
        }
        Ok((atom.times(most.unwrap_or(least).max(1)).plus(Cost::ONE), least, most))
    }

    /// What follows a backslash outside of a class.
    fn escaped(&mut self) -> Read<Cost> {
        if self.rest.starts_with(|c: char| ('1'..='9').contains(&c)) || self.rest.starts_with("k<") {
            return Err(LOOKS);
        }
        let member = self.escape()?;
        match member.one {
            Some(c) if !c.is_control() => self.literal(c),
            Some(_) => self.out.push_str(&member.text),
            None => {
                self.out.push('[');
                self.out.push_str(&member.text);
                self.out.push(']');
            }
        }
        Ok(member.cost)
    }

    /// What follows a backslash in and outside of classes.
    fn escape(&mut self) -> Read<Member> {
        let c = self.next().ok_or(INVALID)?;
        Ok(match c {
            'd' => Member::set(DIGIT, Cost::ONE),
            'D' => Member::set(NO_DIGIT, Cost::WIDE),
            'w' => Member::set(WORD, Cost::ONE),
            'W' => Member::set(NO_WORD, Cost::WIDE),
            's' => Member::set(SPACE, Cost::WIDE),
            'S' => Member::set(NO_SPACE, Cost::WIDE),
            'p' | 'P' => self.property(c)?,
            't' => Member::one('\t'),
            'n' => Member::one('\n'),
            'v' => Member::one('\u{b}'),
            'f' => Member::one('\u{c}'),
            'r' => Member::one('\r'),
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => Member::one('\0'),
            'c' => {
                let letter = self.next().filter(char::is_ascii_alphabetic).ok_or(INVALID)?;
                Member::one(char::from_u32(u32::from(letter) & 31).ok_or(INVALID)?)
            }
            'x' => Member::one(self.code(2)?),
            'u' if self.eat("{") => {
                let digits = self.until('}')?;
                Member::one(hex(digits).and_then(char::from_u32).ok_or(INVALID)?)
            }
            'u' => Member::one(self.code(4)?),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
                Member::one(c)
            }
            _ => return Err(INVALID),
        })
    }

    /// A character by so many hexadecimal digits, or by two times four as a surrogate pair.
    fn code(&mut self, digits: usize) -> Read<char> {
        let first = self.digits(digits)?;
        if !(0xd800..0xe000).contains(&first) {
            return char::from_u32(first).ok_or(INVALID);
        }
        if first >= 0xdc00 || !self.eat("\\u") {
            return Err(HALF);
        }
        let second = self.digits(4)?;
        let pair =
            char::decode_utf16([first, second].map(|unit| u16::try_from(unit).unwrap_or_default())).next();
        pair.and_then(core::result::Result::ok).ok_or(HALF)
    }

    fn digits(&mut self, count: usize) -> Read<u32> {
        let (digits, rest) = self.rest.split_at_checked(count).ok_or(INVALID)?;
        self.rest = rest;
        hex(digits).ok_or(INVALID)
    }

    /// `{…}` after `\p` or `\P`.
    fn property(&mut self, letter: char) -> Read<Member> {
        if !self.eat("{") {
            return Err(INVALID);
        }
        let name = self.until('}')?;
        let has = |names: &str, name: &str| names.split_ascii_whitespace().any(|known| known == name);
        let is_known = match name.split_once('=') {
            None => has(CATEGORIES, name) || has(PROPERTIES, name),
            Some(("gc" | "General_Category", name)) => has(CATEGORIES, name),
            // What is no script the engine says.
            Some(("sc" | "Script" | "scx" | "Script_Extensions", name)) => {
                let mut words = name.split('_');
                !name.starts_with("Is")
                    && words.all(|word| {
                        word.starts_with(|c: char| c.is_ascii_uppercase())
                            && word.as_bytes().get(1).is_some_and(u8::is_ascii_lowercase)
                            && word.bytes().all(|b| b.is_ascii_alphabetic())
                    })
            }
            Some(_) => false,
        };
        if !is_known {
            return Err(UNKNOWN);
        }
        let text = format!("\\{letter}{{{name}}}");
        Ok(Member::set(&text, Cost { steps: STEPS_PROPERTY, size: SIZE_PROPERTY }))
    }

    /// What follows `[`.
    fn class(&mut self) -> Read<Cost> {
        let is_negated = self.eat("^");
        if self.eat("]") {
            self.out.push_str(if is_negated { r"\p{any}" } else { r"\P{any}" });
            return Ok(Cost::WIDE);
        }
        self.out.push_str(if is_negated { "[^" } else { "[" });
        let mut all = if is_negated { Cost::WIDE } else { Cost::ONE };
        loop {
            if self.eat("]") {
                self.out.push(']');
                return Ok(all);
            }
            let first = self.member()?;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            self.out.push_str(&first.text);
            let mut last = first.cost;
            if is_range {
                self.next();
                let end = self.member()?;
                match (first.one, end.one) {
                    (Some(from), Some(to)) if from <= to => {
                        self.out.push('-');
                        self.out.push_str(&end.text);
                    }
                    _ => return Err(INVALID),
                }
                last = end.cost;
            }
            all = Cost { steps: all.steps.max(last.steps), size: all.size.saturating_add(last.size) };
        }
    }

    fn member(&mut self) -> Read<Member> {
        match self.next().ok_or(INVALID)? {
            '\\' if self.eat("b") => Ok(Member::one('\u{8}')),
            '\\' if self.eat("-") => Ok(Member::one('-')),
            '\\' => self.escape(),
            c => Ok(Member::one(c)),
        }
    }
}

fn number(digits: &str) -> Read<u64> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(INVALID);
    }
    digits.parse().map_err(|_| LARGE)
}

fn hex(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::translate;

    #[test]
    fn what_ecma_262_does_not_know_is_refused() {
        for pattern in [
            "(?=a)",
            "a(?!b)",
            "(?<=a)b",
            "(?<!a)b",
            r"(a)\1",
            r"(?<n>a)\k<n>",
            r"[a](?=b)",
            r"\\(?=a)",
            "(",
            ")",
            "*",
            "a**",
            "a{2}{3}",
            "^*",
            r"\b+",
            "a{",
            "{1}",
            "a{2,1}",
            "a{x}",
            "}",
            "]",
            "[",
            "[b-a]",
            r"[\w-z]",
            r"[a-\d]",
            r"\<",
            r"\>",
            r"\-",
            r"\a",
            r"\A",
            r"\z",
            r"\Q",
            r"\_",
            "\\",
            r"\8",
            r"\00",
            r"[\1]",
            r"[\B]",
            r"\cé",
            r"\x1",
            r"\x{41}",
            r"\u12",
            r"\u{110000}",
            r"\ud83d",
            r"\ude00",
            r"\ud83da",
            "(?i:a)",
            "(?s:.)",
            "(?i)a",
            "(?P<n>a)",
            "(?<n>a)(?<n>b)",
            "(?<1>a)",
            r"\p{IsGreek}",
            r"\p{Greek}",
            r"\p{greek}",
            r"\p{letter}",
            r"\pL",
            r"\p{sc=greek}",
            r"\p{}",
            r"\p{^L}",
            "a{99999999999999999999}",
        ] {
            assert!(translate(pattern).is_err(), "{pattern}");
        }
        assert!(translate(&"(".repeat(101)).is_err());
    }

    #[test]
    fn what_it_knows_means_the_same() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("^.$", &["a", "é", "\u{85}", "\0"], &["\n", "\r", "\u{2028}", "\u{2029}"]),
            (r"\bé\b", &["aéa"], &["é", " é "]),
            (r"^\B$", &[""], &["a"]),
            (r"^\0$", &["\0"], &["0"]),
            (r"^[\b]$", &["\u{8}"], &["b"]),
            ("^[^]$", &["a", "\n"], &[""]),
            ("[]", &[], &["", "a"]),
            (r"^\ud83d\ude00$", &["\u{1f600}"], &["a"]),
            (r"^[\ud83d\ude00-\u{1f602}]$", &["\u{1f601}"], &["a"]),
            (r"^\d\D\w\W$", &["1a_é", "1éa "], &["\u{661}aaa", "11a ", "1aéa"]),
            (r"^[\D]$", &["a", ":", "/"], &["0", "9"]),
            (r"^[\W]$", &["[", "^", "`", "{", "@", ":", "/", "é"], &["a", "Z", "_", "0"]),
            (r"^\s$", &["\u{feff}", "\u{a0}", "\u{2028}", "\t", " "], &["\u{85}", "\u{180e}", "a"]),
            (r"^\S$", &["\u{85}", "a", "!"], &["\u{feff}", " ", "\u{3000}", "\r"]),
            (r"^[^\s\d]+$", &["ab"], &["a1", "a b"]),
            (r"^\cA\t\x41\u0042\u{43}$", &["\u{1}\tABC"], &["ABC"]),
            (r"^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$", &["^$\\.*+?()[]{}|/"], &["a"]),
            ("^<#&&~~@ \"'>$", &["<#&&~~@ \"'>"], &["a"]),
            ("^[[&&~~a-z--]$", &["[", "&", "~", "-", "q"], &["0", "A"]),
            (r"^[\]\-^]$", &["]", "-", "^"], &["a"]),
            (r"^(?<year>\d{4})(?:-(\d{2}))??$", &["2026", "2026-01"], &["26"]),
            (r"^\p{L}\p{Lu}\p{Script=Greek}\P{gc=Nd}[\p{Alphabetic}!]$", &["éÉαa!"], &["1ÉαaZ", "éÉaaZ"]),
            (r"^(a|b|)$", &["a", "b", ""], &["c"]),
            ("", &["", "a"], &[]),
        ];
        for (pattern, good, bad) in cases {
            let schema = serde_json::json!({ "pattern": translate(pattern).unwrap().text });
            let options = jsonschema::PatternOptions::regex();
            let schema = serde_json::json!({ "$ref": "urn:p", "definitions": { "p": schema } });
            let registry = jsonschema::Registry::new()
                .add("urn:p", &schema["definitions"]["p"])
                .unwrap()
                .prepare()
                .unwrap();
            let validator = jsonschema::draft7::options()
                .with_registry(&registry)
                .with_pattern_options(options)
                .build(&serde_json::json!({ "$ref": "urn:p" }))
                .unwrap();
            for text in *good {
                assert!(validator.is_valid(&(*text).into()), "{pattern} fits {text:?}");
            }
            for text in *bad {
                assert!(!validator.is_valid(&(*text).into()), "{pattern} does not fit {text:?}");
            }
        }
    }

    #[test]
    fn repetitions_are_counted_as_written_out() {
        let steps = |pattern: &str| translate(pattern).unwrap().steps;
        assert_eq!(steps("abc"), 3);
        assert_eq!(steps("(?:[ab]{10}c){100}"), 1301);
        // After `^` most places are come to one after the other.
        assert_eq!(steps("^.{1,2000}$"), 1);
        assert_eq!(steps("^[a-z]{2,4}x{10,2000}$"), 4);
        assert_eq!(steps("^[a-z]*x{100}$"), 101);
        assert_eq!(steps("^(?:ab){10}x{100}$"), 131);
        assert_eq!(steps("^a{100}|^b{100}$"), 206);
        assert!(translate("(?:(?:a{99999}){99999}){99999}").unwrap().size > 1 << 40);
    }
}
