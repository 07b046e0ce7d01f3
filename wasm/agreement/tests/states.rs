//! Every row of the table of states: what it allows has an effect, what it does not list has none.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;
use sx_agreement::event::Kind;
use sx_agreement::table::{Row, State, TABLE, allows};

/// A history in this state: two of `a`, `b` and `c` are enough, `a` has proposed, and has signed where anybody has.
fn in_state(state: State) -> History {
    let parties = ["a", "b", "c", "w:witness", "n:notary"];
    let dated = |policy: &str| {
        let mut history = History::new(
            &parties,
            &format!(
                r#""quorum":{{"m":2}},"decline":"any-ends","terminate":"any","delegation":"document",{policy}"#
            ),
        );
        history.next("propose a");
        history
    };
    let (from, until) = (date(START), date(START + 2 * DAY));
    let active = || {
        let mut history = dated(&format!(r#""effectiveFrom":"{from}","expiresAt":"{until}""#));
        history.next("sign a");
        history.next("sign b");
        history
    };
    let open = || dated(r#""order":"parallel""#);
    let mut history = match state {
        State::Draft => {
            let mut history = open();
            history.entries.clear();
            history
        }
        State::Proposed | State::Partial | State::Declined | State::Voided => open(),
        State::Complete => dated(&format!(r#""effectiveFrom":"{}""#, date(START + 2 * DAY))),
        State::Active | State::Disputed | State::Terminated | State::Superseded | State::Ended => active(),
        State::Expired => dated(&format!(r#""signBy":"{}""#, date(START + 10 * MINUTE))),
        State::Invalid => open(),
    };
    match state {
        State::Partial | State::Expired => drop(history.next("sign a")),
        State::Complete => {
            history.next("sign a");
            history.next("sign b");
        }
        State::Declined => drop(history.next("decline a")),
        State::Voided => drop(history.next("void a")),
        State::Disputed => drop(history.next("dispute a")),
        State::Terminated => drop(history.next("terminate a")),
        State::Superseded => {
            history.next_of(make("supersede a").verdict(r#"{"valid":true,"successor":true}"#));
        }
        State::Ended => {
            history.now = START + 3 * DAY;
            history.clock = history.now;
        }
        State::Invalid => {
            history.entries[0].1 = r#"{"valid":false,"code":"UnknownSigner"}"#.into();
        }
        _ => {}
    }
    if state == State::Expired {
        history.clock = START + 20 * MINUTE;
    }
    assert_eq!(history.status(), state.name());
    history
}

/// An event of this kind that nothing but the state can stand against.
fn attempt(history: &History, kind: Kind, state: State) -> Make {
    let who = match kind {
        Kind::Witness => "w",
        Kind::Notarize => "n",
        Kind::Sign | Kind::Decline => "c",
        _ => "a",
    };
    let event = make(&format!("{} {who}", kind.name()));
    match kind {
        Kind::Supersede => event.verdict(r#"{"valid":true,"successor":true}"#),
        Kind::Delegate => event.data(&format!(
            r#"{{"to":"{}","scope":["sign"],"document":{{"sxId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sxVersion":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sha256":"{}"}}}}"#,
            agent("deputy"),
            sx_agreement::Id::of(b"power").text()
        )),
        Kind::Resolve if state == State::Disputed => {
            event.data(&format!(r#"{{"dispute":"{}"}}"#, history.answer().strings("blocked")[0].replace("dispute ", "")))
        }
        _ => event,
    }
}

#[test]
fn each_state_allows_what_its_row_lists_and_leads_to_one_of_the_states_named() {
    for state in State::ALL {
        for kind in Kind::ALL {
            let mut history = in_state(*state);
            let make = attempt(&history, *kind, *state);
            let id = if *state == State::Invalid {
                history.add(make.verdict(r#"{"valid":false,"code":"UnknownSigner"}"#))
            } else {
                history.next_of(make)
            };
            let answer = history.answer();
            let (fate, next) = (answer.fate(&id), answer.status());
            let what = format!("{} {}: {fate}, {next}", state.name(), kind.name());
            assert_eq!(fate == "counted", allows(*state, *kind), "{what}");
            if fate == "counted" {
                let row = TABLE.iter().find(|(row, _)| row == state).unwrap();
                let (_, nexts) = row.1.iter().find(|(other, _)| other == kind).unwrap();
                assert!(nexts.iter().any(|other| other.name() == next), "{what}");
                continue;
            }
            assert_eq!(next, state.name(), "{what}");
            let expected: &[&str] = match kind {
                _ if *state == State::Invalid => &["UnknownSigner"],
                _ if *state == State::Expired => &["TooLate", "NotAllowedNow"],
                Kind::Decline | Kind::Withdraw | Kind::Void if answer.is("complete") => &["TooLate"],
                Kind::Dispute | Kind::Terminate | Kind::Supersede if *state == State::Complete => {
                    &["TooEarly"]
                }
                Kind::Dispute | Kind::Terminate | Kind::Supersede if *state == State::Ended => &["TooLate"],
                _ => &["NotAllowedNow"],
            };
            assert!(expected.contains(&fate.as_str()), "{what}");
        }
    }
}

#[test]
fn every_state_has_one_row_and_every_next_state_is_reached_from_it() {
    for state in State::ALL {
        let rows: Vec<&Row> = TABLE.iter().filter(|(row, _)| row == state).collect();
        assert_eq!(rows.len(), 1, "{}", state.name());
        for (kind, nexts) in rows[0].1 {
            assert!(!nexts.is_empty(), "{} {}", state.name(), kind.name());
        }
    }
}

#[test]
fn draft_to_proposed() {
    let mut history = in_state(State::Draft);
    assert_eq!(history.answer().strings("blocked"), ["propose"]);
    let early = history.add(make("sign a"));
    assert_eq!(history.answer().fate(&early), "NotAllowedNow");
    let proposal = history.act("propose a", &[]);
    assert_eq!(history.status(), "proposed");
    let again = history.act("propose b", &[&proposal]);
    assert_eq!(history.answer().fate(&again), "NotAllowedNow");
}

#[test]
fn proposed_to_partial_to_complete() {
    let mut history = in_state(State::Proposed);
    assert_eq!(history.answer().strings("blocked"), ["quorum 0/2"]);
    let sign = history.next("sign a");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.states()[0].clone()), ("partial".into(), "signed".into()));
    assert_eq!(answer.get("certificate"), &sx_core::json::Value::Null);
    let last = history.next("sign b");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.is("complete")), ("complete".into(), true));
    let event = sx_agreement::event::Event::parse(&history.entries[2].0).unwrap();
    assert_eq!(answer.text("completeAt"), date(event.at));
    let lines = answer.get("certificate").as_object().unwrap().get("lines").unwrap().as_array().unwrap();
    let ids: Vec<&str> = lines
        .iter()
        .map(|line| line.as_object().unwrap().get("eventId").unwrap().as_str().unwrap())
        .collect();
    assert_eq!(ids, [&sign, &last]);
}

#[test]
fn partial_to_proposed_and_declined_and_voided() {
    let mut history = in_state(State::Partial);
    history.next("withdraw a");
    assert_eq!(history.status(), "proposed");
    let mut history = in_state(State::Partial);
    history.next("decline b");
    assert_eq!(history.status(), "declined");
    let mut history = in_state(State::Partial);
    let other = history.next("void b");
    assert_eq!(history.answer().fate(&other), "WrongRole");
    history.next("void a");
    assert_eq!(history.status(), "voided");
}

#[test]
fn proposed_or_partial_to_expired_by_time_alone() {
    let mut history = in_state(State::Expired);
    assert_eq!(history.answer().strings("blocked"), ["quorum 1/2"]);
    history.now = START + 10 * MINUTE;
    assert_eq!(history.status(), "partial");
    history.entries.pop();
    assert_eq!(history.status(), "proposed");
    history.now += 1;
    assert_eq!(history.status(), "expired");
}

#[test]
fn complete_to_active_to_ended_by_time_alone() {
    let mut history = in_state(State::Active);
    for (now, status) in [
        (START - 1, "complete"),
        (START, "active"),
        (START + 2 * DAY - 1, "active"),
        (START + 2 * DAY, "ended"),
    ] {
        history.now = now;
        assert_eq!(history.status(), status);
    }
}

#[test]
fn without_dates_complete_allows_what_active_allows() {
    let mut history = History::new(&["a"], "");
    history.next("propose a");
    history.next("sign a");
    assert_eq!(history.status(), "complete");
    history.next("dispute a");
    assert_eq!(history.status(), "disputed");
}

#[test]
fn before_it_takes_effect_nothing_of_active_is_allowed() {
    for kind in ["dispute", "terminate", "supersede"] {
        let mut history = in_state(State::Complete);
        let id = history.next_of(make(&format!("{kind} a")).verdict(r#"{"valid":true,"successor":true}"#));
        assert_eq!(history.answer().fate(&id), "TooEarly", "{kind}");
    }
}

#[test]
fn disputed_to_active_by_a_quorum_or_to_terminated() {
    let mut history = in_state(State::Disputed);
    let dispute = history.answer().strings("blocked")[0].replace("dispute ", "");
    let resolve = |who: &str| make(&format!("resolve {who}")).data(&format!(r#"{{"dispute":"{dispute}"}}"#));
    history.next_of(resolve("a"));
    let twice = history.next_of(resolve("a"));
    assert_eq!((history.status(), history.answer().fate(&twice)), ("disputed".into(), "Duplicate".into()));
    let mut terminated = history.clone();
    history.next_of(resolve("b"));
    assert_eq!(history.status(), "active");
    terminated.next("terminate b");
    assert_eq!(terminated.status(), "terminated");
    let late = terminated.next_of(resolve("b"));
    assert_eq!(terminated.answer().fate(&late), "NotAllowedNow");
}

#[test]
fn a_resolve_of_what_is_no_dispute() {
    let mut history = in_state(State::Disputed);
    let sign = sx_agreement::event::Event::parse(&history.entries[1].0).unwrap().id.text();
    for id in [sign, sx_agreement::Id::of(b"nothing").text()] {
        let resolve = history.next_of(make("resolve a").data(&format!(r#"{{"dispute":"{id}"}}"#)));
        assert_eq!(history.answer().fate(&resolve), "NotAllowedNow");
    }
}

#[test]
fn a_dispute_stays_open_after_the_end_until_it_is_resolved() {
    let mut history = in_state(State::Disputed);
    let dispute = history.answer().strings("blocked")[0].replace("dispute ", "");
    history.now = START + 3 * DAY;
    history.clock = history.now;
    assert_eq!(history.status(), "disputed");
    for who in ["a", "b"] {
        history.next_of(make(&format!("resolve {who}")).data(&format!(r#"{{"dispute":"{dispute}"}}"#)));
    }
    assert_eq!(history.status(), "ended");
}

#[test]
fn after_the_end_there_are_comments_and_attachments_only() {
    for state in [State::Terminated, State::Superseded] {
        let mut history = in_state(state);
        for (what, fate) in [
            ("comment b", "counted"),
            ("attach b", "counted"),
            ("dispute b", "NotAllowedNow"),
            ("terminate b", "NotAllowedNow"),
            ("withdraw a", "TooLate"),
        ] {
            let id = history.next(what);
            assert_eq!(history.answer().fate(&id), fate, "{} {what}", state.name());
        }
        assert_eq!(history.status(), state.name());
    }
}

#[test]
fn invalid_if_nobodys_key_is_known() {
    let mut history = in_state(State::Invalid);
    assert!(history.answer().1.contains(r#""errors":[{"code":"UnknownSigner""#));
    history.next("propose b");
    assert_eq!(history.status(), "proposed");
}
