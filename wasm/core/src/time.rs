//! Instants: Unix milliseconds in arguments, RFC 3339 in UTC with milliseconds in documents.

use crate::error::{Code, Error, Result};
use alloc::string::String;

/// The last millisecond of the year 9999, the end of what RFC 3339 can write.
const LAST: u64 = 253_402_300_799_999;

/// `2026-01-02T03:04:05.678Z` of Unix milliseconds.
///
/// Errors: `InvalidOption` for instants after the year 9999.
pub fn format(ms: u64) -> Result<String> {
    if ms > LAST {
        return Err(Error::new(Code::InvalidOption, "The clock shows a time after the year 9999."));
    }
    Ok(written(ms).map(char::from).iter().collect())
}

/// The one form of an instant before the year 10,000.
fn written(ms: u64) -> [u8; 24] {
    let (days, rest) = (ms / 86_400_000, ms % 86_400_000);
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let numbers = [year, month, day, hour, minute, second, milli];
    let digits = text.split_mut(|byte| !byte.is_ascii_digit());
    for (digits, mut number) in digits.zip(numbers) {
        for digit in digits.iter_mut().rev() {
            *digit = digit.saturating_add((number % 10) as u8);
            number /= 10;
        }
    }
    text
}

/// Unix milliseconds of a text in exactly the form that [`format`] writes; `None` for any other.
pub fn parse(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let number = |from: usize, len: usize| -> Option<u64> {
        bytes.get(from..from.checked_add(len)?)?.iter().try_fold(0u64, |n, b| {
            b.is_ascii_digit().then(|| n.wrapping_mul(10).wrapping_add(u64::from(b.wrapping_sub(b'0'))))
        })
    };
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute) = (number(11, 2)?, number(14, 2)?);
    let (second, milli) = (number(17, 2)?, number(20, 3)?);
    let seconds = days(year, month, day)?
        .checked_mul(24)?
        .checked_add(hour)?
        .checked_mul(60)?
        .checked_add(minute)?
        .checked_mul(60)?
        .checked_add(second)?;
    let ms = seconds.checked_mul(1000)?.checked_add(milli)?;
    // Writing it again refuses separators, ranges and days that do not exist in one stroke.
    (ms <= LAST && written(ms) == bytes).then_some(ms)
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, not range-checked.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let shifted = if month <= 2 { year.checked_sub(1)? } else { year };
    let month = month.checked_add(9)? % 12;
    let of_year = month.checked_mul(153)?.checked_add(2)? / 5;
    shifted
        .checked_mul(365)?
        .checked_add(shifted / 4)?
        .checked_sub(shifted / 100)?
        .checked_add(shifted / 400)?
        .checked_add(of_year)?
        .checked_add(day)?
        .checked_sub(719_469)
}

/// Year, month and day of a number of days since 1970-01-01 (years begin in March while
/// counting, so that the leap day is the last of its year).
#[allow(clippy::arithmetic_side_effects)] // days < 3 million: nothing here can overflow
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_186_159_007, "2026-11-20T14:49:19.007Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(format(ms).as_deref(), Ok(text));
            assert_eq!(parse(text), Some(ms));
        }
    }

    #[test]
    fn every_day_of_four_centuries_round_trips() {
        for day in 0..146_097u64 {
            let ms = day * 86_400_000;
            assert_eq!(parse(&format(ms).unwrap()), Some(ms));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "2026-11-20T14:49:19Z",
            "2026-11-20T14:49:19.007+00:00",
            "2026-11-20t14:49:19.007z",
            "2026-02-30T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:00:60.000Z",
            "1969-12-31T23:59:59.999Z",
            "2026-01-01T00:00:00.000Z ",
            "２026-01-01T00:00:00.000Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(format(LAST + 1).is_err());
    }
}
