//! Two times compared on a machine that may be busy.

use std::format;
use std::string::String;
use std::time::{Duration, Instant};

/// What takes too long does so in every round. So the least times of many rounds are compared, and the first ones that fit
/// decide. `short` is timed three times before that: were it disturbed, everything would fit.
pub fn is_within(most: u32, short: impl Fn(), long: impl Fn()) -> Result<(), String> {
    let time = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let (mut least, mut longest) = (Duration::MAX, Duration::MAX);
    for round in 1..=30 {
        least = least.min(time(&short));
        longest = longest.min(time(&long));
        if round >= 3 && longest < least.saturating_mul(most) {
            return Ok(());
        }
    }
    Err(format!("{longest:?} is at least {most} times {least:?}"))
}
