//! Events: their form, their id, and what is signed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;
use sx_agreement::document::Document;
use sx_agreement::event::{Event, Kind};
use sx_agreement::{Id, judge};

fn event(what: &str) -> String {
    History::new(&["a", "w:witness", "n:notary"], "").event(&make(what))
}

#[test]
fn every_kind_is_read_and_its_id_leaves_the_signature_out() {
    for kind in Kind::ALL {
        let text = event(&format!("{} a", kind.name()));
        let read = Event::parse(&text).unwrap();
        assert_eq!(read.kind, *kind);
        let canonical = sx_core::json::canonical(text.as_bytes()).unwrap();
        let bare = canonical.replace(r#","signature":"AAAA""#, "");
        assert_ne!(bare, canonical);
        assert_eq!(
            read.id,
            Id::of(format!("SXv2 21 sx-agreement-event-id {} {bare}", bare.len()).as_bytes())
        );
        let resigned = Event::parse(&text.replace("AAAA", "AAAB")).unwrap();
        assert_eq!(resigned.id, read.id);
    }
}

#[test]
fn events_of_another_form_are_refused_and_listed_without_an_id() {
    let history = History::new(&["a"], "");
    let (low, high) =
        (Id::of(b"a").text().min(Id::of(b"b").text()), Id::of(b"a").text().max(Id::of(b"b").text()));
    for (what, from, to) in [
        ("sign a", r#""type":"sign""#, r#""type":"consent""#.to_string()),
        ("sign a", r#""type":"sign","#, String::new()),
        ("sign a", r#""role":"signer""#, r#""role":"boss""#.into()),
        ("sign a", r#""alg":"ed25519""#, r#""alg":"ring-Ed25519""#.into()),
        ("sign a", r#""alg":"#, r#""sxId":"x","alg":"#.into()),
        ("sign a", r#""seen":[]"#, format!(r#""seen":["{high}","{low}"]"#)),
        ("sign a", r#""seen":[]"#, format!(r#""seen":["{low}","{low}"]"#)),
        ("sign a", r#""seen":[]"#, r#""seen":["x"]"#.into()),
        ("sign a", r#""seen":[]"#, r#""seen":null"#.into()),
        ("sign a", r#""at":"2026"#, r#""at":"1926"#.into()),
        ("sign a", r#""signature":"AAAA""#, r#""signature":"""#.into()),
        ("sign a", r#""signature":"AAAA""#, r#""signature":"A""#.into()),
        ("sign a", r#""nonce":"0"#, r#""nonce":""#.into()),
        ("sign a", r#""agentVersion":"0"#, r#""agentVersion":""#.into()),
        ("sign a", r#""keyId":""#, r#""keyId":"A"#.into()),
        ("sign a", r#""data":{}"#, r#""data":{"reason":"x"}"#.into()),
        ("sign a", r#""data":{}"#, r#""data":{"for":"a b"}"#.into()),
        ("sign a", r#""data":{}"#, r#""data":[]"#.into()),
        ("void a", r#""data":{}"#, r#""data":{"for":"a"}"#.into()),
        ("comment a", r#"{"text":"Hello"}"#, "{}".into()),
        ("dispute a", r#"{"reason":"Nine boxes came."}"#, "{}".into()),
        ("delegate a", r#""scope":["sign"]"#, r#""scope":[]"#.into()),
        ("delegate a", r#""scope":["sign"]"#, r#""scope":["void"]"#.into()),
        ("delegate a", r#""scope":["sign"]"#, r#""scope":["sign","sign"]"#.into()),
        ("delegate a", r#""scope":["sign"]"#, r#""scope":["sign"],"until":"soon""#.into()),
        ("resolve a", r#"{"dispute":"#, r#"{"reason":"#.into()),
        ("supersede a", r#""sxId":"0"#, r#""sxId":""#.into()),
        ("attach a", r#""size":3"#, r#""size":-3"#.into()),
    ] {
        let good = event(what);
        assert!(Event::parse(&good).is_ok(), "{good}");
        let bad = good.replacen(from, &to, 1);
        assert_ne!(good, bad, "{from} is not in it");
        assert_eq!(Event::parse(&bad).map_err(|problem| problem.code).err(), Some("BadEvent"), "{bad}");
        let mut history = history.clone();
        history.entries.extend([(bad.clone(), VALID.into()), (bad, BAD.into())]);
        let answer = history.answer();
        assert!(answer.1.contains(r#""ignored":[{"code":"BadEvent","eventId":null}]"#), "{}", answer.1);
    }
}

#[test]
fn what_is_no_event_at_all_is_listed() {
    let mut history = History::new(&["a"], "");
    for garbage in ["null", "[]", "7", "\"x\"", "{}"] {
        history.entries.push((garbage.into(), VALID.into()));
    }
    assert_eq!(history.answer().get("events.ignored").as_array().unwrap().len(), 5);
    assert_eq!(history.status(), "draft");
}

#[test]
fn more_than_ten_thousand_seen_events() {
    let mut ids: Vec<String> = (0..10_001_u32).map(|at| Id::of(&at.to_le_bytes()).text()).collect();
    ids.sort();
    let seen = |count: usize| {
        let list: Vec<String> = ids[..count].iter().map(|id| format!("\"{id}\"")).collect();
        event("sign a").replace(r#""seen":[]"#, &format!(r#""seen":[{}]"#, list.join(",")))
    };
    assert!(Event::parse(&seen(10_000)).is_ok());
    assert!(Event::parse(&seen(10_001)).is_err());
}

#[test]
fn lines_that_cannot_be_judged() {
    let history = History::new(&["a"], "");
    for (line, code) in [
        ("", "NotJson"),
        ("{}", "InvalidOption"),
        (&history.line().replace(r#""now""#, r#""then""#), "InvalidOption"),
        (&history.line().replace(r#""events":[]"#, r#""events":[{}]"#), "InvalidOption"),
        (&history.line().replace(r#""events":[]"#, r#""events":[{"event":{},"verdict":{"valid":false}}]"#), "InvalidOption"),
        (&history.line().replace(r#""events":[]"#, r#""events":[{"event":{},"verdict":{"valid":true,"revoked":{"at":"x","reason":"superseded"}}}]"#), "InvalidOption"),
        (&history.line().replace(r#""events":[]"#, r#""events":[{"event":{},"verdict":{"valid":true,"revoked":{"at":"2026-01-01T00:00:00.000Z","reason":"lost"}}}]"#), "InvalidOption"),
    ] {
        let answer = judge::line(line);
        assert!(answer.starts_with(&format!(r#"{{"error":"{code}","message":""#)), "{answer} for {line}");
    }
    let invalid = Answer::of(&history.line().replace(r#""title":"Delivery","#, ""));
    assert_eq!((invalid.status(), invalid.is("valid")), ("invalid".into(), false));
    assert!(invalid.1.contains(r#""code":"InvalidTerms""#));
}

#[test]
fn of_several_verdicts_on_one_text_the_strictest_valid_one_is_taken() {
    let mut history = History::new(&["a"], "");
    history.next("propose a");
    let sign = history.next("sign a");
    let (event, _) = history.entries[1].clone();
    let revoked = |reason: &str, at: u64| {
        format!(r#"{{"valid":true,"revoked":{{"at":"{}","reason":"{reason}"}}}}"#, date(at))
    };
    let mut fate = |verdicts: &[&str]| {
        history.entries.truncate(1);
        history.entries.extend(verdicts.iter().map(|verdict| (event.clone(), (*verdict).into())));
        history.answer().fate(&sign)
    };
    let (late, early) = (revoked("superseded", START + DAY), revoked("superseded", START));
    assert_eq!(fate(&[BAD, VALID]), "counted");
    assert_eq!(fate(&[VALID, &late]), "counted");
    assert_eq!(fate(&[VALID, &late, &early]), "KeyRevoked");
    assert_eq!(fate(&[&late, &revoked("compromised", START + DAY), VALID]), "KeyRevoked");
    assert_eq!(fate(&[BAD, r#"{"valid":false,"code":"Aaa"}"#]), "Aaa");
}

#[test]
fn copies_of_other_terms_do_not_merge() {
    let (one, other) = (History::new(&["a"], ""), History::new(&["b"], ""));
    let refused = |copies: &[String]| Document::open(copies).err().map(|problem| problem.code);
    assert_eq!(refused(&[one.copy(), other.copy()]), Some("WrongAgreement"));
    let bad = one.copy().replace(r#""events":[]"#, r#""events":[1]"#);
    assert_eq!(refused(&[one.copy(), bad]), Some("InvalidAgreement"));
    let found = Document::open(&["[]".into()]).err().map(|problem| problem.message);
    assert_eq!(found.as_deref(), Some("The agreement must be an object."));
}
