//! Events that do not know of each other.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;

/// `a` and `b` consent; `a` has proposed and signed.
fn half() -> (History, String, String) {
    let mut history = History::new(&["a", "b", "n:notary"], "");
    let proposal = history.next("propose a");
    let sign = history.next("sign a");
    (history, proposal, sign)
}

#[test]
fn completion_wins_over_a_concurrent_decline_void_or_withdrawal() {
    for what in ["decline b", "void a", "withdraw a"] {
        let (mut history, proposal, sign) = half();
        let seen = if what == "decline b" { &proposal } else { &sign };
        let loser = history.add(make(what).seen(&[seen]));
        let alone = history.status();
        assert_ne!(alone, "complete");
        // `b` signs on another device, and has not seen it.
        history.act("sign b", &[&sign]);
        let answer = history.answer();
        assert_eq!(
            (answer.status().as_str(), answer.fate(&loser).as_str()),
            ("complete", "Contested"),
            "{what}"
        );
        assert_eq!(answer.strings("contested"), [loser]);
    }
}

#[test]
fn who_has_seen_it_does_not_complete_over_it() {
    for (what, status) in [("void a", "voided"), ("withdraw a", "partial")] {
        let (mut history, _, _) = half();
        history.next(what);
        let late = history.next("sign b");
        let answer = history.answer();
        assert_eq!(answer.status(), status, "{what}");
        assert_eq!(answer.fate(&late), if what == "void a" { "NotAllowedNow" } else { "counted" });
    }
}

#[test]
fn what_follows_completion_is_too_late_and_not_contested() {
    let (mut history, _, _) = half();
    history.next("sign b");
    for what in ["withdraw a", "void a", "decline b"] {
        let late = history.next(what);
        let fate = history.answer().fate(&late);
        assert_eq!(fate, if what == "decline b" { "NotAllowedNow" } else { "TooLate" }, "{what}");
    }
    let answer = history.answer();
    assert_eq!((answer.status(), answer.strings("contested").len()), ("complete".into(), 0));
}

#[test]
fn a_back_dated_signature_does_not_undo_a_termination() {
    let mut history = History::new(&["a", "b", "c"], r#""quorum":{"m":2},"terminate":"any""#);
    let proposal = history.next("propose a");
    history.next("sign a");
    history.next("sign b");
    history.next("terminate a");
    assert_eq!(history.status(), "terminated");
    let early = history.add(make("sign c").seen(&[&proposal]).at(START + MINUTE));
    let answer = history.answer();
    assert_eq!((answer.status(), answer.fate(&early)), ("terminated".into(), "counted".into()));
}

#[test]
fn a_withdrawal_that_only_one_of_two_has_seen_loses_if_the_other_completes() {
    let mut history = History::new(&["a", "b", "c"], r#""quorum":{"m":2}"#);
    let proposal = history.next("propose a");
    let first = history.act("sign a", &[&proposal]);
    let withdrawal = history.act("withdraw a", &[&first]);
    let late = history.act("sign c", &[&withdrawal]);
    assert_eq!(history.status(), "partial");
    history.act("sign b", &[&first]);
    let answer = history.answer();
    assert_eq!((answer.status(), answer.strings("contested")), ("complete".into(), vec![withdrawal]));
    // Whoever has seen the withdrawal was no part of the completion, and has signed all the same.
    assert_eq!((answer.fate(&late).as_str(), answer.have()), ("counted", (3.0, 2.0)));
}

#[test]
fn two_withdrawals_that_nobody_has_seen_together_keep_it_open_until_anybody_has() {
    let mut history = History::new(&["a", "b", "c", "d"], "");
    let proposal = history.next("propose a");
    let (a, b) = (history.act("sign a", &[&proposal]), history.act("sign b", &[&proposal]));
    let (wa, wb) = (history.act("withdraw a", &[&a]), history.act("withdraw b", &[&b]));
    history.act("sign c", &[&wa]);
    history.act("sign d", &[&wb]);
    history.act("sign a", &[&wa]);
    history.act("sign b", &[&wb]);
    let answer = history.answer();
    assert_eq!((answer.status(), answer.have()), ("partial".into(), (4.0, 4.0)));
    assert_eq!(answer.strings("blocked"), ["withdrawals not seen together"]);
    history.next("comment a");
    assert_eq!(history.status(), "complete");
    // A third one that nobody has seen comes too late for that.
    let third = history.act("withdraw c", &[&history.entry_id(5)]);
    let answer = history.answer();
    assert_eq!((answer.status(), answer.fate(&third)), ("complete".into(), "Contested".into()));
}

#[test]
fn of_a_void_and_a_decline_at_the_same_time_the_smaller_id_names_the_state() {
    let mut seen = std::collections::BTreeSet::new();
    for extra in 0..12 {
        let mut history = History::new(&["a", "b"], "");
        let proposal = history.next("propose a");
        (0..extra).for_each(|_| drop(history.event(&make("comment a"))));
        let (void, decline) = (history.act("void a", &[&proposal]), history.act("decline b", &[&proposal]));
        assert_eq!(history.status(), if void < decline { "voided" } else { "declined" });
        seen.insert(history.status());
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn two_signatures_of_one_party_at_once_count_once_and_the_earlier_is_listed() {
    let (mut history, _, sign) = half();
    let second = history.add(make("sign b").seen(&[&sign]).at(START + 9 * MINUTE));
    let first = history.add(make("sign b").seen(&[&sign]).at(START + 8 * MINUTE));
    let answer = history.answer();
    assert_eq!((answer.fate(&first), answer.fate(&second)), ("counted".into(), "Duplicate".into()));
    assert_eq!((answer.status(), answer.have()), ("complete".into(), (2.0, 2.0)));
}

#[test]
fn a_decline_cancels_a_signature_of_the_same_party_at_the_same_time() {
    let mut history = History::new(&["a", "b", "c"], r#""quorum":{"m":2}"#);
    let proposal = history.next("propose a");
    let sign = history.act("sign c", &[&proposal]);
    history.act("decline c", &[&proposal]);
    let answer = history.answer();
    assert_eq!((answer.fate(&sign), answer.states()[2].clone()), ("Withdrawn".into(), "declined".into()));
    assert_eq!(answer.status(), "proposed");
}

#[test]
fn a_withdrawal_takes_back_what_it_has_seen_and_nothing_else() {
    let mut history = History::new(&["a", "b"], "");
    let proposal = history.next("propose a");
    let phone = history.act("sign a", &[&proposal]);
    let laptop = history.act("sign a", &[&proposal]);
    history.act("withdraw a", &[&phone]);
    let answer = history.answer();
    assert_eq!((answer.fate(&phone), answer.fate(&laptop)), ("Withdrawn".into(), "counted".into()));
    assert_eq!(answer.states()[0], "signed");
}

const NOTARY: &str = r#""timeProof":"notary""#;

#[test]
fn notary_the_order_that_is_proved_decides() {
    for withdrawal_first in [true, false] {
        let mut history = History::new(&["a", "b", "n:notary"], NOTARY);
        history.next("propose a");
        let sign = history.next("sign a");
        let withdrawal = history.add(make("withdraw a").seen(&[&sign]));
        let other = history.add(make("sign b").seen(&[&sign]));
        let (first, second) = if withdrawal_first { (&withdrawal, &other) } else { (&other, &withdrawal) };
        history.add(make("notarize n").seen(&[first]).at(START + 10 * MINUTE));
        history.add(make("notarize n").seen(&[second]).at(START + 11 * MINUTE));
        let answer = history.answer();
        let expected = if withdrawal_first { ("partial", "counted") } else { ("complete", "TooLate") };
        assert_eq!((answer.status().as_str(), answer.fate(&withdrawal).as_str()), expected);
        assert_eq!(answer.strings("contested").len(), 0);
    }
}

#[test]
fn notary_what_nobody_has_proved_ends_nothing_that_is_complete() {
    let mut history = History::new(&["a", "b", "n:notary"], NOTARY);
    history.next("propose a");
    let sign = history.next("sign a");
    let void = history.add(make("void a").seen(&[&sign]));
    let other = history.add(make("sign b").seen(&[&sign]));
    assert_eq!(history.status(), "voided");
    history.add(make("notarize n").seen(&[&other]));
    let answer = history.answer();
    assert_eq!((answer.status(), answer.fate(&void)), ("complete".into(), "TooLate".into()));
    assert_eq!(answer.strings("blocked"), Vec::<String>::new());
}

#[test]
fn notary_one_proof_of_both_leaves_the_order_to_depth_and_id() {
    let mut seen = std::collections::BTreeSet::new();
    for extra in 0..12 {
        let mut history = History::new(&["a", "b", "n:notary"], NOTARY);
        history.next("propose a");
        let sign = history.next("sign a");
        (0..extra).for_each(|_| drop(history.event(&make("comment a"))));
        let void = history.add(make("void a").seen(&[&sign]));
        let other = history.add(make("sign b").seen(&[&sign]));
        history.add(make("notarize n").seen(&[&void, &other]));
        assert_eq!(history.status(), if void < other { "voided" } else { "complete" });
        seen.insert(history.status());
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn notary_witnesses_need_a_proof_too() {
    let mut history = History::new(&["a", "w:witness", "n:notary"], r#""timeProof":"notary","witnesses":1"#);
    history.next("propose a");
    history.next("sign a");
    let witness = history.next("witness w");
    assert_eq!(history.answer().fate(&witness), "NoTimeProof");
    history.next("notarize n");
    assert_eq!((history.status(), history.answer().fate(&witness)), ("complete".into(), "counted".into()));
}

#[test]
fn a_hole_makes_nothing_complete() {
    let mut history = History::new(&["a", "b", "c"], "");
    let proposal = history.next("propose a");
    let sign = history.act("sign a", &[&proposal]);
    let withdrawal = history.act("withdraw a", &[&sign]);
    let other = history.act("sign b", &[&withdrawal]);
    let third = history.act("sign c", &[&other]);
    let lost = history.only(|at| at != 2);
    let answer = lost.answer();
    assert_eq!((answer.status(), answer.is("valid")), ("partial".into(), false));
    assert_eq!(answer.strings("missing"), std::slice::from_ref(&withdrawal));
    assert_eq!((answer.fate(&other), answer.fate(&third)), ("UnknownSeen".into(), "UnknownSeen".into()));
    assert_eq!(answer.strings("heads"), [sign]);
    // A relay that damages the withdrawal does not undo it.
    let mut damaged = history.clone();
    damaged.entries[2].1 = BAD.into();
    let answer = damaged.answer();
    assert_eq!((answer.status(), answer.strings("missing")), ("partial".into(), vec![withdrawal]));
    assert_eq!(answer.fate(&other), "UnknownSeen");
}

#[test]
fn a_hole_behind_an_outsider_is_nobodys_problem() {
    let (mut history, _, _) = half();
    let nothing = sx_agreement::Id::of(b"nothing").text();
    let outsider = history.add(make("comment stranger").seen(&[&nothing]));
    history.next("sign b");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.is("valid")), ("complete".into(), true));
    assert_eq!(answer.fate(&outsider), "NotAParty");
    // Whoever of the parties has seen it cannot be judged.
    let seen = history.act("comment a", &[&outsider]);
    let answer = history.answer();
    assert_eq!((answer.fate(&seen), answer.strings("missing")), ("UnknownSeen".into(), vec![nothing]));
    assert_eq!((answer.status(), answer.is("valid")), ("complete".into(), false));
}

#[test]
fn an_event_of_another_agreement_that_somebody_has_seen_is_a_hole_like_one_that_is_not_there() {
    let (mut history, _, sign) = half();
    let foreign = history.add(make("comment b").of(&sx_agreement::Id::of(b"others").text()));
    let signed = history.act("sign b", &[&sign, &foreign]);
    let answer = history.answer();
    assert_eq!((answer.status(), answer.is("valid")), ("partial".into(), false));
    assert_eq!(
        (answer.fate(&foreign), answer.fate(&signed)),
        ("WrongAgreement".into(), "UnknownSeen".into())
    );
    // It is never stored with this agreement, so what is stored says the same.
    let stored = history.only(|at| at != 2).answer();
    assert_eq!((stored.status(), stored.strings("missing")), (answer.status(), answer.strings("missing")));
}

#[test]
fn a_copy_with_a_damaged_signature_takes_nothing_away() {
    let (mut history, _, _) = half();
    let sign = history.next("sign b");
    let (event, _) = history.entries[2].clone();
    let damaged = event.replace(r#""signature":"AAAA""#, r#""signature":"AAAB""#);
    let before = history.answer().1;
    for text in [damaged, event.replace(r#""signature":"AAAA""#, r#""signature":"0000""#)] {
        history.entries.push((text, BAD.into()));
    }
    assert_eq!(history.answer().1, before);
    assert_eq!(history.answer().fate(&sign), "counted");
    assert_eq!(ids_in(&history.copy()).len(), 5);
}

#[test]
fn dates_before_the_proposal_and_clocks_that_disagree() {
    let mut history = History::new(&["a", "b"], "");
    history.next_of(make("propose a").at(START + 10 * MINUTE));
    let early = history.next_of(make("sign a").at(START + 9 * MINUTE));
    assert_eq!(history.answer().fate(&early), "BeforeTerms");
    history.next_of(make("sign a").at(START + 500 * DAY));
    history.next_of(make("sign b").at(START + 10 * MINUTE));
    assert_eq!(history.status(), "complete");
}

#[test]
fn a_concurrent_signature_does_not_undo_what_followed_completion() {
    for end in ["terminate b", "dispute b", "supersede b"] {
        let mut history = History::new(&["a", "b", "c"], r#""quorum":{"m":2},"terminate":"any""#);
        let proposal = history.next("propose a");
        history.next("sign a");
        history.next("withdraw a");
        history.next("sign a");
        history.next("sign b");
        history.next_of(make(end).verdict(r#"{"valid":true,"successor":true}"#));
        let status = history.status();
        assert_ne!(status, "complete");
        // Now the empty view is met as well, and is the smaller one.
        history.act("sign c", &[&proposal]);
        assert_eq!((history.status(), history.answer().have()), (status, (3.0, 2.0)), "{end}");
    }
}

#[test]
fn a02_a_smaller_view_takes_no_signer_away() {
    let mut history = History::new(&["a", "b", "c", "d"], r#""quorum":{"m":2}"#);
    let proposal = history.next("propose a");
    history.next("sign a");
    history.next("withdraw a");
    let again = history.next("sign a");
    history.act("sign b", &[&again]);
    history.act("sign d", &[&again]);
    assert_eq!(history.answer().have(), (3.0, 2.0));
    history.act("sign c", &[&proposal]);
    assert_eq!(history.answer().have(), (4.0, 2.0));
}

#[test]
fn a_notary_event_dated_before_the_proposal_proves_nothing() {
    let deadline = START + 5 * MINUTE;
    let policy = format!(r#""timeProof":"notary","signBy":"{}""#, date(deadline));
    let mut history = History::new(&["a", "n:notary"], &policy);
    history.next("propose a");
    let sign = history.next("sign a");
    let back_dated = history.next_of(make("notarize n").at(START - DAY));
    let answer = history.answer();
    assert_eq!((answer.fate(&back_dated), answer.fate(&sign)), ("BeforeTerms".into(), "NoTimeProof".into()));
}

#[test]
fn nothing_supersedes_while_a_dispute_is_open() {
    let mut history = History::new(&["a"], "");
    history.next("propose a");
    history.next("sign a");
    let successor = || make("supersede a").verdict(r#"{"valid":true,"successor":true}"#);
    let dispute = history.next("dispute a");
    let early = history.next_of(successor());
    assert_eq!(
        (history.answer().fate(&early), history.status()),
        ("NotAllowedNow".into(), "disputed".into())
    );
    history.next_of(make("resolve a").data(&format!(r#"{{"dispute":"{dispute}"}}"#)));
    history.next_of(successor());
    assert_eq!(history.status(), "superseded");
}

#[test]
fn a_withdrawal_completes_nothing() {
    let mut history = History::new(&["a", "b", "c", "d"], "");
    let proposal = history.next("propose a");
    let (a, b) = (history.act("sign a", &[&proposal]), history.act("sign b", &[&proposal]));
    let (wa, wb) = (history.act("withdraw a", &[&a]), history.act("withdraw b", &[&b]));
    history.act("sign c", &[&wa]);
    history.act("sign d", &[&wb]);
    history.act("sign a", &[&wa]);
    history.act("sign b", &[&wb]);
    let withdrawal = history.next("withdraw c");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.fate(&withdrawal)), ("partial".into(), "counted".into()));
    assert_eq!(answer.have(), (3.0, 4.0));
}

#[test]
fn the_certificate_has_a_line_for_every_notary_whose_time_it_names() {
    let deadline = START + 5 * MINUTE;
    let mut history = History::new(&["a", "n:notary"], &format!(r#""signBy":"{}""#, date(deadline)));
    history.next("propose a");
    history.next("sign a");
    let notary = history.next_of(make("notarize n").at(deadline + MINUTE));
    let answer = history.answer();
    assert!(answer.1.contains(&format!(r#""timeProof":"{}""#, date(deadline + MINUTE))));
    let lines = answer.get("certificate.lines").as_array().unwrap();
    assert!(lines.len() == 2 && sx_core::json::write(&lines[1]).contains(&notary));
    assert_eq!(answer.number("notaries.have"), 0.0);
}
