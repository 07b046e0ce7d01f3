//! What holds for every history.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::generator::{Wild, history};
use common::*;
use std::collections::BTreeSet;

const ALL: Wild = Wild { events: 24, forgeries: true, revocations: true, negatives: true };

fn ids(history: &History) -> BTreeSet<String> {
    let id = |event: &str| sx_agreement::event::Event::parse(event).unwrap().id.text();
    history.entries.iter().map(|(event, _)| id(event)).collect()
}

#[test]
fn the_order_of_events_and_events_that_come_twice_change_nothing() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let mut history = history(&mut random, ALL);
        let answer = history.answer().1;
        for _ in 0..3 {
            let twice = random.pick(&history.entries).clone();
            history.entries.push(twice);
            random.shuffle(&mut history.entries);
            assert_eq!(history.answer().1, answer, "seed {seed}");
        }
    }
}

#[test]
fn every_event_is_counted_or_ignored_once() {
    for seed in 0..200 {
        let history = history(&mut Random(1_000 + seed), ALL);
        let answer = history.answer();
        let counted = answer.strings("events.counted");
        let ignored = answer.get("events.ignored").as_array().unwrap();
        let ignored =
            ignored.iter().map(|entry| entry.as_object().unwrap().get("eventId").unwrap().as_str().unwrap());
        let listed: Vec<String> = counted.into_iter().chain(ignored.map(Into::into)).collect();
        assert_eq!(listed.len(), history.entries.len(), "seed {seed}");
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), ids(&history), "seed {seed}");
    }
}

#[test]
fn a02_merging_is_idempotent_commutative_and_associative() {
    for seed in 0..1_000 {
        let mut random = Random(2_000 + seed);
        let history = history(&mut random, Wild { events: 10, ..ALL });
        let mut part = || {
            let share = 20 + random.below(80);
            history.only(|_| random.chance(share)).copy()
        };
        let (a, b, c) = (part(), part(), part());
        let merge = |x: &String, y: &String| merged(&[x.clone(), y.clone()]);
        assert_eq!(merge(&a, &a), a, "seed {seed}");
        assert_eq!(merge(&a, &b), merge(&b, &a), "seed {seed}");
        let left = merge(&merge(&a, &b), &c);
        assert_eq!(left, merge(&a, &merge(&b, &c)), "seed {seed}");
        assert_eq!(left, merged(&[c, a, b]), "seed {seed}");
        let ids = ids_in(&left);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    }
}

/// Parts of a history with their answers, and those of the whole.
fn parts(seeds: std::ops::Range<u64>, wild: Wild, check: impl Fn(&History, &Answer, &Answer, u64)) -> usize {
    let mut complete = 0;
    for seed in seeds {
        let mut random = Random(10_000 + seed);
        let whole = history(&mut random, wild);
        let answer = whole.answer();
        for _ in 0..4 {
            let share = 50 + random.below(50);
            let part = whole.only(|_| random.chance(share));
            let of_part = part.answer();
            complete += usize::from(of_part.is("complete"));
            check(&whole, &of_part, &answer, seed);
        }
    }
    complete
}

fn has_time_proof(history: &History) -> bool {
    history.terms.contains(r#""timeProof":"notary""#)
}

#[test]
fn more_events_never_undo_a_completion() {
    let wild = Wild { revocations: false, ..ALL };
    let complete = parts(0..600, wild, |whole, part, all, seed| {
        if !has_time_proof(whole) && part.is("complete") {
            assert!(all.is("complete"), "seed {seed}\n{}\n{}\n{}", part.1, all.1, whole.line());
        }
    });
    assert!(complete > 150, "{complete} are too few to say anything");
}

#[test]
fn a02_more_events_never_take_a_signer_away_where_nobody_declines_or_withdraws() {
    let wild = Wild { revocations: false, negatives: false, ..ALL };
    let complete = parts(5_000..5_300, wild, |whole, part, all, seed| {
        let (some, more): (BTreeSet<_>, BTreeSet<_>) =
            (part.signed().into_iter().collect(), all.signed().into_iter().collect());
        assert!(
            has_time_proof(whole) || some.is_subset(&more),
            "seed {seed}: {some:?} {more:?}\n{}",
            whole.line()
        );
    });
    assert!(complete > 60, "{complete} are too few to say anything");
}

#[test]
fn a02_more_events_never_take_a_signer_away_where_they_hold_no_decline_withdrawal_or_void() {
    for seed in 0..600 {
        let mut random = Random(40_000 + seed);
        let whole = history(&mut random, Wild { revocations: false, ..ALL });
        if has_time_proof(&whole) {
            continue;
        }
        let is_negative = |at: usize| {
            let kind = sx_agreement::event::Event::parse(&whole.entries[at].0).unwrap().kind.name();
            ["decline", "withdraw", "void"].contains(&kind)
        };
        let part = whole.only(|at| is_negative(at) || random.chance(80)).answer();
        let all = whole.answer();
        // What was missing may have been seen by a negative, which then counts.
        if part.strings("missing").is_empty() {
            let (some, more): (BTreeSet<_>, BTreeSet<_>) =
                (part.signed().into_iter().collect(), all.signed().into_iter().collect());
            assert!(some.is_subset(&more), "seed {seed}: {some:?} {more:?}\n{}", whole.line());
        }
    }
}

#[test]
fn a_hole_is_named_and_nothing_that_has_seen_it_counts() {
    let mut holes = 0;
    for seed in 0..200 {
        let mut random = Random(20_000 + seed);
        let whole = history(&mut random, Wild { forgeries: false, ..ALL });
        let lost = random.below(whole.entries.len());
        let id = sx_agreement::event::Event::parse(&whole.entries[lost].0).unwrap().id.text();
        let part = whole.only(|at| at != lost);
        let answer = part.answer();
        let counted = answer.strings("events.counted");
        for (event, _) in &part.entries {
            let event = sx_agreement::event::Event::parse(event).unwrap();
            let has_seen = event.seen.iter().any(|seen| seen.text() == id);
            assert!(!(has_seen && counted.contains(&event.id.text())), "seed {seed}");
        }
        let missing = answer.strings("missing");
        assert!(missing.is_empty() || missing == [id], "seed {seed}: {missing:?}");
        assert_eq!(answer.is("valid"), missing.is_empty());
        holes += missing.len();
    }
    assert!(holes > 50, "{holes} are too few to say anything");
}

#[test]
fn every_state_and_every_code_occurs() {
    let (mut states, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..2_500 {
        let mut random = Random(30_000 + seed);
        let events = 1 + random.below(30);
        let history = history(&mut random, Wild { events, ..ALL });
        let answer = history.answer();
        states.insert(answer.status());
        for entry in answer.get("events.ignored").as_array().unwrap() {
            codes.insert(entry.as_object().unwrap().get("code").unwrap().as_str().unwrap().to_string());
        }
    }
    let all = sx_agreement::table::State::ALL.iter().map(|state| state.name().to_string());
    // Nobody's key is known too rarely to wait for it.
    let all = all.filter(|state| state != "invalid");
    assert_eq!(all.filter(|state| !states.contains(state)).collect::<Vec<_>>(), Vec::<String>::new());
    let all = sx_agreement::Code::TABLE.iter().map(|(name, _)| name.to_string());
    // The generator makes no broken events and names no keys and algorithms in the terms.
    let missing: Vec<String> = all.filter(|code| !codes.contains(code)).collect();
    assert_eq!(missing, ["BadEvent", "WrongKey", "WrongAlgorithm"]);
}
