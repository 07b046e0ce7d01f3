//! Numbers: from text without loss (protocol section 1), and to text as ECMAScript does it
//! (RFC 8785 section 3.2.2.3).

use alloc::format;
use alloc::string::String;

/// Significant digits that always tell two doubles apart; the writer never needs more, and no
/// sample of RFC 8785 has more.
const DIGITS: usize = 17;
/// The first integer whose successor is not a double, 2^53.
const UNSAFE: f64 = 9_007_199_254_740_992.0;
/// Digits before the point of the largest numbers that ECMAScript writes without exponent.
const BARE_DIGITS: i64 = 21;
/// Longer tokens are shortened before `core` reads them.
const LONG: i64 = 1_000;

/// The value of `token`, which has the form of a JSON number, or what is lost of it.
///
/// The protocol's rules are about the value that is written, not about its spelling: digits
/// are counted from the first to the last that is not zero, so `1.0`, `100` and
/// `1.00000000000000000000` have one, and `1e20` is refused like its bare digits are. Trailing
/// zeros carry nothing that a double could lose.
pub(super) fn read(token: &str) -> Result<f64, &'static str> {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, ""));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let Some(leading) = digits().position(|digit| digit != b'0') else {
        return Ok(0.0);
    };
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
    let significant =
        whole.len().saturating_add(fraction.len()).saturating_sub(leading).saturating_sub(trailing);
    if significant > DIGITS {
        return Err("a number with more than 17 significant digits");
    }
    // Where the point stands, counted from the first significant digit.
    let point = count(whole.len()).saturating_sub(count(leading)).saturating_add(signed(exponent));

    // `core` cuts exponents off at five digits or so. In a token of ordinary length the number
    // is out of range by then, but a million zeros could make up for it.
    let value: f64 = if count(token.len()) <= LONG {
        token.parse()
    } else {
        let digits: String = digits().skip(leading).take(significant).map(char::from).collect();
        let exponent = point.saturating_sub(count(significant)).clamp(-LONG, LONG);
        format!("{sign}{digits}e{exponent}").parse()
    }
    .map_err(|_| "a number that cannot be read")?;

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
