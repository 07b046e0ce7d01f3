//! Published vectors of RFC 8785: the samples of its text, its table of numbers, and the six
//! documents of its reference implementation (github.com/cyberphone/json-canonicalization).

use sx_core::error::{Code, Result};
use sx_core::json::{Limits, Value, parse, write};

fn canonical(text: &str) -> Result<String> {
    parse(text.as_bytes(), &Limits::default()).map(|value| write(&value))
}

/// Reads the input as published, and its canonical form again.
macro_rules! documents {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let input = include_str!(concat!("data/json/input/", stringify!($name), ".json"));
            let output = include_str!(concat!("data/json/output/", stringify!($name), ".json"));
            assert_eq!(canonical(input).unwrap(), output);
            assert_eq!(canonical(output).unwrap(), output);
        }
    )*};
}

documents! { arrays french structures unicode values weird }

/// RFC 8785 section 3.2.4 prints the canonical form of its first sample in bytes.
#[test]
fn the_bytes_of_section_3_2_4() {
    let bytes = [
        "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b333333333333",
        "3333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282",
        "ac245c75303030665c6e4127425c225c5c5c5c5c222f227d",
    ];
    let hex: String =
        write(&parse(include_bytes!("data/json/input/values.json"), &Limits::default()).unwrap())
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect();
    assert_eq!(hex, bytes.concat());
}

/// RFC 8785 section 3.2.3: by UTF-16 code units, where U+1F600 (D83D DE00) comes before U+FB33,
/// though its code point and its UTF-8 come after.
#[test]
fn the_order_of_section_3_2_3() {
    let input = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
        "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
        "\u00f6":"Latin Small Letter O With Diaeresis"}"#;
    let value = parse(input.as_bytes(), &Limits::default()).unwrap();
    let names: Vec<&str> = value.as_object().unwrap().iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"]);
    for (name, text) in value.as_object().unwrap().iter() {
        assert_eq!(value.as_object().unwrap().get(name), Some(text));
    }
}

/// RFC 8785 appendix B: bits of the double, its text, and whether the reader takes that text.
/// The five it refuses are integers from 2^53 up to 10^21 (protocol section 1).
const NUMBERS: &[(u64, &str, bool)] = &[
    (0x0000_0000_0000_0000, "0", true),
    (0x8000_0000_0000_0000, "0", true),
    (0x0000_0000_0000_0001, "5e-324", true),
    (0x8000_0000_0000_0001, "-5e-324", true),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308", true),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308", true),
    (0x4340_0000_0000_0000, "9007199254740992", false),
    (0xc340_0000_0000_0000, "-9007199254740992", false),
    (0x4430_0000_0000_0000, "295147905179352830000", false),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22", true),
    (0x44b5_2d02_c7e1_4af6, "1e+23", true),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23", true),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000", false),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000", false),
    (0x444b_1ae4_d6e2_ef50, "1e+21", true),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7", true),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001", true),
    (0x41b3_de43_5555_5553, "333333333.3333332", true),
    (0x41b3_de43_5555_5554, "333333333.33333325", true),
    (0x41b3_de43_5555_5555, "333333333.3333333", true),
    (0x41b3_de43_5555_5556, "333333333.3333334", true),
    (0x41b3_de43_5555_5557, "333333333.33333343", true),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333", true),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2", true),
];

#[test]
fn the_numbers_of_appendix_b() {
    for &(bits, text, readable) in NUMBERS {
        let number = f64::from_bits(bits);
        assert_eq!(write(&Value::Number(number)), text, "{bits:016x}");
        match parse(text.as_bytes(), &Limits::default()) {
            // A negative zero is written, and so read, without its sign.
            Ok(value) => {
                let unsigned_zero = if number == 0.0 { 0 } else { bits };
                assert_eq!(value.as_f64().map(f64::to_bits), Some(unsigned_zero), "{text}");
                assert!(readable, "{text}");
            }
            Err(error) => {
                assert_eq!(error.code, Code::LossyNumber, "{text}");
                assert!(!readable, "{text}");
            }
        }
    }
}
