//! Properties of reader and writer over generated values, numbers and damaged texts, with
//! `serde_json` as an independent reader and writer.
#![allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")]

use proptest::prelude::*;
use sx_core::error::Code;
use sx_core::json::{Limits, Object, Value, parse, write, write_into};

fn read(text: &[u8]) -> sx_core::error::Result<Value> {
    parse(text, &Limits::default())
}

/// Whether the reader refuses a double's own text: an integer from 2^53 up to 10^21.
fn refused(number: f64) -> bool {
    (9_007_199_254_740_992.0..1e21).contains(&number.abs())
}

fn number() -> impl Strategy<Value = f64> {
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let short = (any::<i32>(), -12..12_i32).prop_map(|(n, e)| f64::from(n) * 10_f64.powi(e));
    let integer = any::<i64>().prop_map(|n| (n >> 10) as f64);
    let finite = prop_oneof![any_bits, short, integer].prop_filter("finite", |n| n.is_finite());
    // The reader makes no negative zero.
    finite.prop_filter("readable", |n| !refused(*n)).prop_map(|n| n + 0.0)
}

fn string() -> impl Strategy<Value = String> {
    let special =
        prop::sample::select(vec!['"', '\\', '/', '\0', '\n', '\u{1f}', '\u{7f}', '\u{2028}', '\u{feff}']);
    let wide = prop::sample::select(vec!['é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{1f600}']);
    let character =
        prop_oneof![8 => prop::char::range(' ', '~'), 2 => special, 2 => wide, 1 => any::<char>()];
    prop::collection::vec(character, 0..24).prop_map(|characters| characters.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        string().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((string(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Object>())),
        ]
    })
}

/// The same value for `serde_json`.
fn to_serde(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => (*value).into(),
        Value::String(value) => value.as_str().into(),
        Value::Array(items) => items.iter().map(to_serde).collect(),
        Value::Object(object) => object.iter().map(|(name, value)| (name, to_serde(value))).collect(),
    }
}

/// Equality, but for the last digits of numbers, which `serde_json` does not round correctly.
fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), serde_json::Value::Number(theirs)) => theirs.as_f64().is_some_and(|theirs| {
            (ours - theirs).abs() <= ours.abs() * 4.0 * f64::EPSILON + f64::from_bits(4)
        }),
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(a, b))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(name, value)| theirs.get(name).is_some_and(|other| same(value, other)))
        }
        _ => to_serde(ours) == *theirs,
    }
}

/// Texts near the border of the grammar: pieces of JSON put together with little sense.
fn scraps() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "\\",
        "\\u",
        "\\ud83d",
        "\\ude00",
        "\\n",
        "0",
        "-",
        "1",
        ".5",
        "e",
        "e9",
        "E-7",
        "12345678901234567890",
        "true",
        "false",
        "null",
        " ",
        "\n",
        "\t",
        "\u{1}",
        "é",
        "\u{feff}",
        "[]",
        "{}",
        "[1,2]",
        "{\"a\":1}",
        "00",
        "+",
        "1e400",
        "1e20",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Bytes that mean something in JSON.
const JSON: &[u8] = br#"{}[]",:\u0-1.e "#;

/// Both readers say the same, but for what only ours refuses on purpose.
fn agree(text: &[u8]) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    match (read(text), &theirs) {
        (Ok(ours), Ok(theirs)) => {
            prop_assert!(same(&ours, theirs), "{ours:?} {theirs:?}");
            let written = write(&ours);
            prop_assert_eq!(read(written.as_bytes()), Ok(ours));
        }
        (Ok(ours), Err(error)) => prop_assert!(false, "only ours reads {ours:?}: {error}"),
        (Err(error), Ok(theirs)) => {
            prop_assert!(matches!(error.code, Code::DuplicateKey | Code::LossyNumber), "{error}: {theirs}");
        }
        (Err(_), Err(_)) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn what_is_written_reads_as_the_same_value_and_writes_as_the_same_text(value in value()) {
        let text = write(&value);
        let again = read(text.as_bytes());
        prop_assert_eq!(again.as_ref(), Ok(&value));
        prop_assert_eq!(&again.map(|value| write(&value)), &Ok(text.clone()));
        let mut appended = String::from("é");
        write_into(&value, &mut appended);
        prop_assert_eq!(appended, format!("é{text}"));
    }

    #[test]
    fn another_writers_text_is_read_as_the_same_value(value in value()) {
        // Indented, in another order, with other escapes and other spellings of numbers.
        let other = to_serde(&value);
        let theirs = serde_json::to_string_pretty(&other).unwrap();
        prop_assert_eq!(read(theirs.as_bytes()), Ok(value.clone()));
        prop_assert!(same(&value, &serde_json::from_str(&write(&value)).unwrap()));
        let escaped: String = theirs.encode_utf16().map(|unit| match unit {
            0..0x80 => char::from(unit as u8).to_string(),
            _ => format!("\\u{unit:04x}"),
        }).collect();
        prop_assert_eq!(read(escaped.as_bytes()), Ok(value));
    }

    #[test]
    fn damaged_texts_are_refused_like_another_reader_does(
        value in value(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..4),
    ) {
        let mut text = write(&value).into_bytes();
        for (at, kind, byte) in damage {
            let at = at.index(text.len().max(1)).min(text.len());
            // Most bytes mean nothing in JSON and end the reading at once.
            let byte = if byte < 128 { JSON[usize::from(byte) % JSON.len()] } else { byte };
            match kind {
                0 => text.insert(at, byte),
                1 if at < text.len() => text[at] = byte,
                _ => text.truncate(at),
            }
        }
        agree(&text)?;
    }

    #[test]
    fn scraps_of_json_are_refused_like_another_reader_does(text in scraps()) {
        agree(text.as_bytes())?;
    }

    #[test]
    fn no_bytes_make_the_reader_fail(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        agree(&bytes)?;
    }

    #[test]
    fn every_double_comes_back_or_is_refused(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let text = write(&Value::Number(number));
        prop_assert_eq!(text.parse::<f64>(), Ok(number));
        match read(text.as_bytes()) {
            Ok(value) => prop_assert_eq!(value, Value::Number(number)),
            Err(error) => prop_assert!(error.code == Code::LossyNumber && refused(number), "{}", text),
        }
    }

    #[test]
    fn integers_around_the_borders_are_told_apart_exactly(
        offset in -5_000_i128..5_000,
        border in prop::sample::select(vec![1_i128 << 53, 10_i128.pow(21), 10_i128.pow(15)]),
        negative in any::<bool>(),
    ) {
        let integer = (border + offset) * if negative { -1 } else { 1 };
        let digits = integer.unsigned_abs().to_string().trim_end_matches('0').len();
        let lossy = (1 << 53..10_u128.pow(21)).contains(&integer.unsigned_abs()) || digits > 17;
        match read(integer.to_string().as_bytes()) {
            Ok(value) => prop_assert!(!lossy && value == Value::Number(integer as f64), "{}", integer),
            Err(error) => prop_assert!(lossy && error.code == Code::LossyNumber, "{}", integer),
        }
    }

    /// One value in many spellings: the point moved, zeros added, the exponent adapted.
    #[test]
    fn a_number_is_judged_by_its_value_and_not_by_its_spelling(
        digits in "[1-9]([0-9]{0,19}[1-9])?",
        exponent in prop_oneof![-30..30_i64, -350..320_i64],
        negative in any::<bool>(),
        shift in prop_oneof![4 => 0..30_usize, 1 => 0..3_000_usize],
        zeros in prop_oneof![4 => 0..5_usize, 1 => 900..1_100_usize],
    ) {
        let sign = if negative { "-" } else { "" };
        let point = exponent + digits.len() as i64;
        let plain = format!("{sign}{digits}e{exponent}");
        let (before, after) = ("0".repeat(shift), "0".repeat(zeros));
        let small = format!("{sign}0.{before}{digits}{after}E{}", point + shift as i64);
        let large = format!("{sign}{digits}{before}.0{after}e{}", exponent - shift as i64);
        let verdict = read(plain.as_bytes());
        prop_assert_eq!(read(small.as_bytes()), verdict.clone());
        prop_assert_eq!(read(large.as_bytes()), verdict.clone());

        let number: f64 = plain.parse().unwrap();
        let lossy = digits.len() > 17
            || !number.is_finite()
            || number == 0.0
            || (number.abs() >= 9_007_199_254_740_992.0 && point <= 21);
        match verdict {
            Ok(value) => prop_assert!(!lossy && value == Value::Number(number), "{plain}"),
            Err(error) => prop_assert!(lossy && error.code == Code::LossyNumber, "{plain}: {error}"),
        }
    }
}
