//! What the reader refuses, with which code and which sentence, and what it accepts just beside
//! (protocol section 1; attacks T11 to T15 and T33).

use sx_core::error::{Code, Error, Result};
use sx_core::json::{Limits, MAX_DEPTH, Object, Value, parse, write};

fn read(text: impl AsRef<[u8]>) -> Result<Value> {
    parse(text.as_ref(), &Limits::default())
}

fn canonical(text: impl AsRef<[u8]>) -> Result<String> {
    read(text).map(|value| write(&value))
}

fn code(text: impl AsRef<[u8]>) -> Option<Code> {
    read(text).err().map(|error| error.code)
}

#[test]
fn the_grammar_is_that_of_rfc_8259() {
    let texts = [
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "undefined",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "\"a",
        "\"",
        "'a'",
        "\"a\\\"",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\\",
        "\"\\u",
        "+1",
        "01",
        "-01",
        "00",
        "-",
        "1.",
        ".5",
        "-.5",
        "1.e3",
        "1e",
        "1e+",
        "1E-",
        "0x10",
        "1_000",
        "--1",
        "1.5.5",
        "1e5e5",
        "// a\n1",
        "/* a */1",
        "1//",
        "[1]/**/",
        "\u{b}1",
        "\u{c}1",
        "\u{a0}1",
        "\u{2028}1",
        "`a`",
    ];
    for text in texts {
        assert_eq!(code(text), Some(Code::NotJson), "{text:?}");
    }
}

#[test]
fn white_space_may_surround_everything() {
    let text = " \t\r\n{ \"b\" :\n[ 1 ,\t2 , [ ] , { } ] , \"a\" : \"x\" }\r\n ";
    assert_eq!(canonical(text).unwrap(), r#"{"a":"x","b":[1,2,[],{}]}"#);
    assert_eq!(read("\nnull\n").unwrap(), Value::Null);
}

#[test]
fn nothing_follows_the_value() {
    for tail in ["{}", "\0", "x", "1", ",", "]", "}", "\u{feff}"] {
        assert_eq!(code(format!("{{\"a\":1}}{tail}")), Some(Code::NotJson), "{tail:?}");
    }
}

#[test]
fn only_utf8_without_a_byte_order_mark() {
    assert_eq!(code("\u{feff}{}"), Some(Code::NotJson));
    assert_eq!(code(b"\xff\xfe{\0}\0"), Some(Code::NotJson));
    for bad in [&b"\x80"[..], b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x28\xa1"] {
        let error = read([b"\"ab", bad, b"\""].concat()).unwrap_err();
        assert_eq!(error, Error::new(Code::NotJson, "At byte 3: expected UTF-8."), "{bad:?}");
    }
    // Inside a string the mark is a character like any other.
    assert_eq!(canonical("\"\u{feff}\"").unwrap(), "\"\u{feff}\"");
}

#[test]
fn half_surrogate_pairs_are_refused_in_names_and_values() {
    for half in [
        "\\ud800",
        "\\uDBFF",
        "\\udc00",
        "\\uDFFF",
        "\\ud800x",
        "\\ud800\\n",
        "\\ud800\\ud800",
        "\\udc00\\ud800",
        "\\ud83d\\u0041",
        "\\ud800\\udbff",
    ] {
        assert_eq!(code(format!("\"a{half}\"")), Some(Code::NotJson), "{half}");
        assert_eq!(code(format!("{{\"{half}\":1}}")), Some(Code::NotJson), "{half}");
        assert_eq!(
            read(format!("[\"{half}\"]")).unwrap_err().found,
            "At byte 2: expected a whole surrogate pair."
        );
    }
    assert_eq!(
        canonical(r#""\ud83d\ude00\uD800\uDC00\udbff\udfff""#).unwrap(),
        "\"\u{1f600}\u{10000}\u{10ffff}\""
    );
}

#[test]
fn control_characters_are_only_read_escaped() {
    for control in 0..0x20_u8 {
        for padding in ["", "0123456", "0123456789abcdef"] {
            let raw = [b"\"", padding.as_bytes(), &[control], b"\""].concat();
            assert_eq!(code(raw), Some(Code::NotJson), "{control}");
        }
        let escaped = format!("\"\\u{control:04X}\"");
        assert_eq!(read(&escaped).unwrap().as_str(), Some(char::from(control).to_string().as_str()));
    }
    assert_eq!(
        canonical(r#""\u0000\u0008\u0009\u000a\u000b\u000c\u000d\u001F\u007f\/\"\\\b\f\n\r\t""#).unwrap(),
        "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}/\\\"\\\\\\b\\f\\n\\r\\t\""
    );
}

#[test]
fn a_name_stands_once_in_an_object_at_any_depth() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"b":1,"a":2,"c":3,"a":4}"#,
        r#"{"":1,"":2}"#,
        r#"{"\ud83d\ude00":1,"😀":2}"#,
        r#"{"__proto__":1,"x":1,"__proto__":1}"#,
    ] {
        for nested in
            [text.into(), format!("[[[[[{text}]]]]]"), format!(r#"{{"x":[{{"y":{{"z":{text}}}}}]}}"#)]
        {
            assert_eq!(code(&nested), Some(Code::DuplicateKey), "{nested}");
        }
    }
    // Different objects, different letters, different normal forms.
    for text in
        [r#"[{"a":1},{"a":1}]"#, r#"{"a":{"a":{"a":1}}}"#, r#"{"A":1,"a":1}"#, r#"{"\u00e9":1,"e\u0301":1}"#]
    {
        assert!(read(text).is_ok(), "{text}");
    }
}

#[test]
fn names_that_are_special_elsewhere_are_ordinary_members() {
    let text = r#"{"__proto__":{"polluted":true},"constructor":{"prototype":{"__proto__":1}}}"#;
    assert_eq!(canonical(text).unwrap(), text);
}

#[test]
fn numbers_without_loss_are_read_by_value() {
    for (text, written) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e999999999999999999999", "0"),
        ("-0.000E-5", "0"),
        ("1.0", "1"),
        ("4.50", "4.5"),
        ("1e2", "100"),
        ("1E+2", "100"),
        ("100", "100"),
        ("1e30", "1e+30"),
        ("1000000000000000000000000000000", "1e+30"),
        ("1e21", "1e+21"),
        ("-1e21", "-1e+21"),
        ("1.00000000000000000000", "1"),
        ("0.00000000000000000000000000012345678901234567", "1.2345678901234567e-28"),
        ("333333333.33333329", "333333333.3333333"),
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("9007199254740991.0", "9007199254740991"),
        ("90071992547409910e-1", "9007199254740991"),
        ("999999999999999", "999999999999999"),
        ("1000000000000000", "1000000000000000"),
        ("0.1", "0.1"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("5e-324", "5e-324"),
        ("3e-324", "5e-324"),
    ] {
        assert_eq!(canonical(text).as_deref(), Ok(written), "{text}");
    }
    for zero in ["-0", "-0.0", "-0e5", "-0.000E-5"] {
        assert_eq!(read(zero).unwrap().as_f64().map(f64::to_bits), Some(0), "{zero}");
    }
}

#[test]
fn numbers_that_lose_something_are_refused() {
    for text in [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9007199254740992.0",
        "9007199254740991.5", // becomes 2^53
        "1e20",
        "1.5e20",
        "-1e20",
        "100000000000000000000",
        "999999999999999900000",
        "99999999999999999e4", // below 10^21, though its double is not
        "123456789012345678",  // also 18 digits
        "1.00000000000000001",
        "0.123456789012345678",
        "1234567890.12345678",
        "1.7976931348623159e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e99999999999999999999",
        "1e-400",
        "-1e-400",
        "2e-324",
        "1e-99999999999999999999",
    ] {
        assert_eq!(code(text), Some(Code::LossyNumber), "{text}");
        assert_eq!(code(format!("{{\"a\":[{text}]}}")), Some(Code::LossyNumber), "{text}");
    }
}

/// Readers that cut off long exponents take the first two for 1 and the third for infinity.
#[test]
fn a_long_run_of_zeros_is_weighed_against_the_whole_exponent() {
    let zeros = "0".repeat(100_000);
    assert_eq!(code(format!("1{zeros}e-1000001")), Some(Code::LossyNumber));
    assert_eq!(code(format!("0.{zeros}1e1000001")), Some(Code::LossyNumber));
    assert_eq!(canonical(format!("-1{zeros}e-100000")).unwrap(), "-1");
    assert_eq!(canonical(format!("0.{zeros}125e+100001")).unwrap(), "1.25");
    assert_eq!(canonical(format!("1.{zeros}")).unwrap(), "1");
    assert_eq!(canonical(format!("0.{zeros}")).unwrap(), "0");
    assert_eq!(code(format!("1{zeros}e-99980")), Some(Code::LossyNumber));
    assert_eq!(code(format!("1.{zeros}1")), Some(Code::LossyNumber));
}

#[test]
fn errors_name_the_byte_and_never_repeat_the_text() {
    for (text, code, found) in [
        ("", Code::NotJson, "At byte 0: expected a value."),
        ("\u{feff}{}", Code::NotJson, "At byte 0: expected a value, not a byte order mark."),
        ("[1, secret]", Code::NotJson, "At byte 4: expected a value."),
        ("[1 2]", Code::NotJson, "At byte 3: expected a comma or a closing bracket."),
        ("{\"é\":1 2}", Code::NotJson, "At byte 8: expected a comma or a closing brace."),
        ("{\"a\" 1}", Code::NotJson, "At byte 5: expected a colon."),
        ("{\"a\":1,}", Code::NotJson, "At byte 7: expected a member name in quotes."),
        ("\"abc", Code::NotJson, "At byte 4: expected a closing quote."),
        ("\"a\nb\"", Code::NotJson, "At byte 2: expected an escape in place of a control character."),
        ("\"a\\x\"", Code::NotJson, "At byte 2: expected an escape sequence of JSON."),
        ("\"\\u00zz\"", Code::NotJson, "At byte 3: expected four hexadecimal digits."),
        ("1.x", Code::NotJson, "At byte 2: expected a digit."),
        ("-012", Code::NotJson, "At byte 1: expected a number without leading zeros."),
        ("{} x", Code::NotJson, "At byte 3: expected the end of the text."),
        (
            "[12345678901234567890.5]",
            Code::LossyNumber,
            "At byte 1: a number with more than 17 significant digits.",
        ),
        (" 1e400", Code::LossyNumber, "At byte 1: a number too large for a double."),
        ("1e-400", Code::LossyNumber, "At byte 0: a number too small for a double, but not zero."),
        ("1e20", Code::LossyNumber, "At byte 0: an integer from 2^53 up to 10^21."),
        ("[{\"k\":1,\"k\":2}]", Code::DuplicateKey, "At byte 1: the object has the member name \"k\" twice."),
    ] {
        assert_eq!(read(text).unwrap_err(), Error::new(code, found), "{text:?}");
    }
}

#[test]
fn a_duplicate_name_is_shown_cut_and_escaped() {
    let long = "é".repeat(1_000);
    let found = read(format!("{{\"{long}\":1,\"{long}\":2}}")).unwrap_err().found;
    assert_eq!(
        found,
        format!("At byte 0: the object has the member name \"{}\" and more twice.", "é".repeat(64))
    );

    // An end of line, a terminal command, and a right-to-left override.
    let name = r#"a\n\"\u001b[31m\u202eb"#;
    let found = read(format!("{{\"{name}\":1,\"{name}\":2}}")).unwrap_err().found;
    assert!(!found.chars().any(|c| c.is_control() || c == '\u{202e}'), "{found}");
    assert!(found.contains(r#""a\n\"\u{1b}[31m\u{202e}b""#), "{found}");
}

#[test]
fn depth_is_limited_without_recursion() {
    let nested = |open: &str, close: &str, depth: usize| open.repeat(depth) + "1" + &close.repeat(depth);
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let levels = if open.len() > 5 { 2 } else { 1 };
        assert!(read(nested(open, close, 128 / levels)).is_ok());
        assert_eq!(code(nested(open, close, 128 / levels + 1)), Some(Code::LimitExceeded));
        assert_eq!(code(open.repeat(100_000)), Some(Code::LimitExceeded));
    }
    assert_eq!(
        read("[".repeat(129)).unwrap_err().found,
        "At byte 128: more than 128 levels of arrays and objects."
    );
    let flat = Limits { depth: 0, ..Limits::default() };
    assert!(parse(b"1", &flat).is_ok());
    assert_eq!(parse(b"[]", &flat).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(parse(b"{}", &flat).unwrap_err().code, Code::LimitExceeded);
}

/// Browsers give about a megabyte; the frames of an optimised build are a quarter of these.
#[test]
fn the_deepest_value_fits_a_small_stack() {
    let work = || {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        let nested = |depth: usize| "[{\"a\":".repeat(depth) + "1" + &"}]".repeat(depth);
        let value = parse(nested(MAX_DEPTH / 2).as_bytes(), &limits).unwrap();
        assert_eq!(write(&value.clone()), nested(MAX_DEPTH / 2));
        assert!(value == value.clone());
        drop(value);
        parse(nested(MAX_DEPTH / 2 + 1).as_bytes(), &limits).unwrap_err().code
    };
    let small = std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap();
    assert_eq!(small.join().unwrap(), Code::LimitExceeded);
}

#[test]
fn members_and_items_are_counted_together() {
    let limits = Limits { members: 5, ..Limits::default() };
    assert!(parse(br#"{"a":[1,2],"b":{"c":3}}"#, &limits).is_ok());
    assert!(parse(br#"[[],{},"",0,null]"#, &limits).is_ok());
    for over in [&br#"{"a":[1,2],"b":{"c":3,"d":4}}"#[..], b"[1,2,3,4,5,6]", b"[[[[[[]]]]],1]"] {
        assert_eq!(parse(over, &limits).unwrap_err().code, Code::LimitExceeded);
    }
}

#[test]
fn a_million_members_are_refused_and_can_be_allowed() {
    let mut text = String::from("{");
    // In falling order, so that they have to be sorted.
    (0..1_000_000).rev().for_each(|i| text.push_str(&format!("\"{i:06}\":0,")));
    text.replace_range(text.len() - 1.., "}");
    assert_eq!(code(&text), Some(Code::LimitExceeded));
    let limits = Limits { members: 1_000_000, ..Limits::default() };
    let value = parse(text.as_bytes(), &limits).unwrap();
    assert_eq!(value.as_object().map(Object::len), Some(1_000_000));
    assert!(write(&value).starts_with("{\"000000\":0,\"000001\":0,"));
    // The last name of the text once more.
    text.replace_range(text.len() - 1.., ",\"000000\":1}");
    let limits = Limits { members: 1_000_001, ..Limits::default() };
    assert_eq!(parse(text.as_bytes(), &limits).unwrap_err().code, Code::DuplicateKey);
}

#[test]
fn the_size_is_checked_before_anything_else() {
    let limits = Limits { bytes: 4, ..Limits::default() };
    assert!(parse(b"1234", &limits).is_ok());
    let error = parse(b"\xff\xff\xff\xff\xff", &limits).unwrap_err();
    assert_eq!(error, Error::new(Code::LimitExceeded, "The text has 5 bytes; the limit is 4."));
    assert_eq!(code(vec![b'"'; 64 << 20]), Some(Code::LimitExceeded));
    assert_eq!(Limits::default(), Limits { depth: 128, members: 500_000, bytes: 33_554_432 });
}

#[test]
fn what_json_cannot_say_is_written_as_null() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(write(&Value::Array(vec![Value::Number(number)])), "[null]");
    }
}
