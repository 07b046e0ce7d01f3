//! Numbers: from text without loss (protocol section 1), and to text as ECMAScript does it
//! (RFC 8785 section 3.2.2.3).

use alloc::string::{String, ToString as _};

/// Significant digits that always tell two doubles apart; the writer never needs more, and no
/// sample of RFC 8785 has more.
const DIGITS: usize = 17;
/// The first integer whose successor is not a double, 2^53.
const UNSAFE: f64 = 9_007_199_254_740_992.0;
/// Digits before the point of the largest numbers that ECMAScript writes without exponent.
const BARE_DIGITS: i64 = 21;
/// Exponents of ten so far from zero lead out of the range of doubles, whatever the digits are.
const LONG: i64 = 1_000;

/// The value of `token`, which has the form of a JSON number, or what is lost of it.
///
/// The protocol's rules are about the value that is written, not about its spelling: digits
/// are counted from the first to the last that is not zero, so `1.0`, `100` and
/// `1.00000000000000000000` have one, and `1e20` is refused like its bare digits are. Trailing
/// zeros carry nothing that a double could lose.
pub(super) fn read(token: &str) -> Result<f64, &'static str> {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, ""));
    let (is_negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // The digits from the first to the last that is not zero, as far as there may be, and how many come before them.
    let (mut leading, mut read, mut significant, mut digits) = (0_usize, 0_usize, 0, [0; DIGITS]);
    for digit in whole.bytes().chain(fraction.bytes()) {
        if read == 0 && digit == b'0' {
            leading = leading.saturating_add(1);
            continue;
        }
        if let Some(place) = digits.get_mut(read) {
            *place = digit;
        }
        read = read.saturating_add(1);
        if digit != b'0' {
            significant = read;
        }
    }
    if significant == 0 {
        return Ok(0.0);
    }
    if significant > DIGITS {
        return Err("a number with more than 17 significant digits");
    }
    // Where the point stands, counted from the first significant digit.
    let point = count(whole.len()).saturating_sub(count(leading)).saturating_add(signed(exponent));

    // As an integer of these digits; beyond the range of doubles the exponent does not matter.
    let exponent = point.saturating_sub(count(significant)).clamp(-LONG, LONG);
    let digits = digits.iter().take(significant);
    let size: f64 =
        minimal_lexical::parse_float(digits, [].iter(), i32::try_from(exponent).unwrap_or_default());
    let value = if is_negative { -size } else { size };

    if value.is_infinite() {
        Err("a number too large for a double")
    } else if value == 0.0 {
        Err("a number too small for a double, but not zero")
    } else if value.abs() >= UNSAFE && point <= BARE_DIGITS {
        // Also what only becomes 2^53 by rounding: the writer's text of it would be refused.
        Err("an integer from 2^53 up to 10^21")
    } else {
        Ok(value)
    }
}

/// Appends the text of `value`. What is not finite, which the reader never makes and JSON
/// cannot say, becomes `null` as in ECMAScript.
pub(super) fn write(value: f64, out: &mut String) {
    if value.is_finite() {
        out.push_str(ryu_js::Buffer::new().format_finite(value));
    } else {
        out.push_str("null");
    }
}

/// The text of a whole number.
pub fn whole(number: u64) -> String {
    number.to_string()
}

/// A count of bytes in memory, which is always below 2^63.
fn count(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The value of an exponent, empty for none; far beyond the range of doubles it saturates.
fn signed(exponent: &str) -> i64 {
    let magnitude = |digits: &str| {
        digits.bytes().fold(0_i64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(i64::from(digit.saturating_sub(b'0')))
        })
    };
    match exponent.strip_prefix('-') {
        Some(digits) => magnitude(digits).saturating_neg(),
        None => magnitude(exponent.strip_prefix('+').unwrap_or(exponent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// A sequence that is the same everywhere (xorshift64*).
    fn next(state: &mut u64) -> u64 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// What `read` has to give: the value that the standard library reads, or nothing.
    fn compare(token: &str) {
        let expected: f64 = token.parse().unwrap();
        match read(token) {
            Ok(value) => assert_eq!(value.to_bits(), expected.to_bits(), "{token}"),
            Err(_) => {
                assert!(
                    expected.is_infinite() || expected == 0.0 || (UNSAFE..=1e21).contains(&expected.abs()),
                    "{token}"
                )
            }
        }
    }

    #[test]
    fn every_double_is_read_as_the_standard_library_reads_it() {
        let mut state = 0x5eed_u64;
        for _ in 0..200_000 {
            let value = f64::from_bits(next(&mut state));
            if value.is_finite() && value != 0.0 {
                compare(&format!("{value:e}"));
                compare(&format!("{value:.16e}"));
            }
        }
    }

    #[test]
    fn decimals_of_up_to_17_digits_are_read_as_the_standard_library_reads_them() {
        let mut state = 0xdec1_u64;
        for round in 0..400_000_u64 {
            let digits = next(&mut state) % 10_u64.pow(1 + (round % 17) as u32);
            let exponent = (next(&mut state) % 700) as i64 - 360;
            if digits != 0 {
                compare(&format!("{digits}e{exponent}"));
                compare(&format!("-0.{digits:017}e{exponent}"));
            }
        }
    }

    #[test]
    fn decimals_beside_the_middle_of_two_doubles_are_read_right() {
        // Subnormals, powers of two and their neighbours: what rounds in the wrong direction shows here first.
        for power in 0..2046_u64 {
            for bits in [power << 52, (power << 52) + 1, (power << 52) | ((1 << 52) - 1)] {
                let (value, above) = (f64::from_bits(bits), f64::from_bits(bits + 1));
                for digits in 0..17_usize {
                    for token in
                        [format!("{value:.digits$e}"), format!("{:.digits$e}", value + (above - value) / 2.0)]
                    {
                        if !token.starts_with("0e") && token.parse::<f64>().unwrap() != 0.0 {
                            compare(&token);
                        }
                    }
                }
            }
        }
        for token in [
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "4.9e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "6.9294956446009195e15",
            "8.988465674311579e307",
        ] {
            compare(token);
        }
    }

    #[test]
    fn a_million_zeros_change_nothing() {
        let zeros = "0".repeat(1_000_000);
        assert_eq!(read(&format!("1{zeros}e-1000000")), Ok(1.0));
        assert_eq!(read(&format!("-0.{zeros}25e1000001")), Ok(-2.5));
        assert!(read(&format!("0.{zeros}1e-5")).is_err());
        assert!(read(&format!("1{zeros}")).is_err());
        assert!(read("1e99999999999999999999").is_err() && read("1e-99999999999999999999").is_err());
    }
}
