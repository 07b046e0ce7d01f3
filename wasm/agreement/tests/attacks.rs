//! The attack cases of agreements, by their ids, as far as they concern this layer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;

#[test]
fn a01_three_parties_sign_copies_and_every_order_of_merging_gives_the_same_bytes_and_complete() {
    let mut history = History::new(&["a", "b", "c"], "");
    let proposal = history.next("propose a");
    for party in ["a", "b", "c"] {
        history.act(&format!("sign {party}"), &[&proposal]);
    }
    let copies: Vec<_> = (1..4).map(|own| history.only(|at| at == 0 || at == own).copy()).collect();
    let mut texts = std::collections::BTreeSet::new();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let [x, y, z] = order.map(|at| copies[at].clone());
        texts.insert(merged(&[merged(&[x.clone(), y.clone()]), z.clone()]));
        texts.insert(merged(&[x.clone(), merged(&[y.clone(), z.clone()])]));
        texts.insert(merged(&[x, y, z]));
    }
    assert_eq!(texts.len(), 1);
    assert_eq!(history.status(), "complete");
    assert_eq!(history.only(|at| at != 2).status(), "partial");
}

#[test]
fn a03_one_agent_with_two_keys_is_one_signer() {
    let mut history = History::new(&["a", "b", "c"], r#""quorum":{"m":2}"#);
    let proposal = history.next("propose a");
    let first = history.add(make("sign a").seen(&[&proposal]));
    let second = history.add(make("sign a").seen(&[&proposal]).key("another"));
    let answer = history.answer();
    assert_eq!((answer.status().as_str(), answer.have()), ("partial", (1.0, 2.0)));
    assert_eq!((answer.fate(&first).as_str(), answer.fate(&second).as_str()), ("counted", "Duplicate"));
    let third = history.next_of(make("sign a").key("another"));
    assert_eq!(history.answer().fate(&third), "Duplicate");
}

#[test]
fn a04_weights() {
    let parties = [r#"a:signer:"weight":3"#, "b", "c"];
    let status = |signers: &[&str]| {
        let mut history = History::new(&parties, r#""quorum":{"weight":4}"#);
        history.next("propose a");
        signers.iter().for_each(|party| {
            history.next(&format!("sign {party}"));
        });
        (history.status(), history.answer().have(), history.answer().strings("blocked"))
    };
    assert_eq!(status(&["a", "b"]), ("complete".into(), (4.0, 4.0), vec![]));
    assert_eq!(status(&["b", "c"]), ("partial".into(), (2.0, 4.0), vec!["weight 2/4".into()]));
}

#[test]
fn a05_groups() {
    let parties = [
        r#"l:signer:"group":"legal""#,
        r#"x:signer:"group":"tech""#,
        r#"y:signer:"group":"tech""#,
        r#"z:signer:"group":"tech""#,
    ];
    let mut history = History::new(&parties, r#""quorum":{"groups":{"legal":1,"tech":2}}"#);
    history.next("propose l");
    for party in ["x", "y", "z"] {
        history.next(&format!("sign {party}"));
    }
    let answer = history.answer();
    assert_eq!((answer.status().as_str(), answer.have()), ("partial", (2.0, 3.0)));
    assert_eq!(answer.strings("blocked"), ["group legal 0/1"]);
    history.next("sign l");
    assert_eq!(history.status(), "complete");
}

#[test]
fn a06_a_signature_of_a_later_stage_must_have_seen_the_earlier_one() {
    let mut history = History::new(&["a", r#"b:signer:"stage":1"#], r#""order":"staged""#);
    let proposal = history.next("propose a");
    let early = history.act("sign b", &[&proposal]);
    assert_eq!(history.answer().fate(&early), "OutOfOrder");
    assert_eq!(history.answer().strings("blocked"), ["quorum 0/2", "stage 0 0/1"]);
    let first = history.act("sign a", &[&proposal]);
    assert_eq!(history.answer().fate(&early), "OutOfOrder");
    assert_eq!(history.answer().strings("blocked"), ["quorum 1/2", "stage 1 0/1"]);
    let late = history.act("sign b", &[&first]);
    let answer = history.answer();
    assert_eq!((answer.fate(&late), answer.status()), ("counted".into(), "complete".into()));
    // The same signature with the first one in its past, which reaches the verifier later.
    assert_eq!(history.only(|at| at != 2).status(), "proposed");
}

#[test]
fn a08_an_outsider_is_listed_and_not_counted() {
    let mut history = History::new(&["a", "b"], "");
    history.next("propose a");
    history.next("sign a");
    for role in ["signer", "observer"] {
        let outsider = history.next_of(make("sign stranger").role(role));
        assert_eq!(history.answer().fate(&outsider), "NotAParty");
    }
    assert_eq!(history.answer().have(), (1.0, 2.0));
}

#[test]
fn a09_a_signature_of_a_twin_is_of_another_agreement() {
    let mut history = History::new(&["a", "b"], "");
    let twin = history.terms.replace("6fa459ea", "7fa459ea");
    let twin = History::of(&twin);
    let proposal = history.next("propose a");
    let foreign = history.add(make("sign a").seen(&[&proposal]).of(&twin.hash));
    assert_eq!(history.answer().fate(&foreign), "WrongAgreement");
    assert_eq!(history.status(), "proposed");
}

#[test]
fn a10_the_deadline_is_about_the_date_of_the_signature() {
    let deadline = START + 10 * MINUTE;
    let signed_at = |at: u64, policy: &str| {
        let mut history =
            History::new(&["a", "n:notary"], &format!(r#""signBy":"{}"{policy}"#, date(deadline)));
        history.next("propose a");
        let sign = history.next_of(make("sign a").at(at));
        history.now = START + 365 * DAY;
        (history, sign)
    };
    let (history, _) = signed_at(deadline, "");
    assert_eq!(history.status(), "complete");
    let (history, sign) = signed_at(deadline + 1, "");
    assert_eq!((history.answer().fate(&sign), history.status()), ("TooLate".into(), "expired".into()));
    let proof = r#","timeProof":"notary""#;
    let (mut history, sign) = signed_at(deadline - 1, proof);
    assert_eq!((history.answer().fate(&sign), history.status()), ("NoTimeProof".into(), "expired".into()));
    let mut late = history.clone();
    late.next_of(make("notarize n").at(deadline + 1));
    assert_eq!((late.answer().fate(&sign), late.status()), ("NoTimeProof".into(), "expired".into()));
    history.next_of(make("notarize n").at(deadline));
    let answer = history.answer();
    assert_eq!((answer.fate(&sign), answer.status()), ("counted".into(), "complete".into()));
    assert_eq!(answer.text("completeAt"), date(deadline));
}

#[test]
fn a11_signing_before_it_takes_effect() {
    let from = START + DAY;
    let mut history = History::new(&["a"], &format!(r#""effectiveFrom":"{}""#, date(from)));
    history.next("propose a");
    history.next("sign a");
    history.now = from - 1;
    assert_eq!(history.status(), "complete");
    history.now = from;
    assert_eq!(history.status(), "active");
}

#[test]
fn a12_a_required_party_declines() {
    let mut history = History::new(&[r#"a:signer:"required":true"#, "b", "c"], r#""quorum":{"m":2}"#);
    history.next("propose b");
    let decline = history.next("decline a");
    let late = history.next("sign b");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.fate(&late)), ("declined".into(), "NotAllowedNow".into()));
    assert_eq!(answer.fate(&decline), "counted");
    assert_eq!(answer.states(), ["declined", "pending", "pending"]);
}

#[test]
fn a13_withdrawing_counts_before_completion_only() {
    let mut history = History::new(&["a", "b"], "");
    history.next("propose a");
    let sign = history.next("sign a");
    assert_eq!(history.answer().have(), (1.0, 2.0));
    history.next("withdraw a");
    let answer = history.answer();
    assert_eq!((answer.have(), answer.status()), ((0.0, 2.0), "proposed".into()));
    assert_eq!(
        (answer.fate(&sign), answer.states()),
        ("Withdrawn".into(), vec!["withdrawn".into(), "pending".into()])
    );
    history.next("sign b");
    history.next("sign a");
    assert_eq!(history.status(), "complete");
    let late = history.next("withdraw a");
    let answer = history.answer();
    assert_eq!(
        (answer.fate(&late), answer.status(), answer.have()),
        ("TooLate".into(), "complete".into(), (2.0, 2.0))
    );
    assert_eq!(answer.strings("contested"), Vec::<String>::new());
}

#[test]
fn a14_a_weak_algorithm() {
    let mut history = History::new(&["a"], r#""minStrength":"pq""#);
    history.next_of(make("propose a").alg("pq2025"));
    let weak = history.next("sign a");
    assert_eq!(history.answer().fate(&weak), "TooWeak");
    history.next_of(make("sign a").alg("pq2025"));
    assert_eq!(history.status(), "complete");
}

#[test]
fn a15_delegation() {
    let by_deputy = || make("sign a").by("deputy").data(r#"{"for":"a"}"#);
    let mut history = History::new(&["a", "b"], r#""delegation":"document""#);
    history.next("propose b");
    let without = history.next_of(by_deputy());
    assert_eq!(history.answer().fate(&without), "NotAParty");
    let until = history.clock + 10 * MINUTE;
    let delegate = |scope: &str| {
        make("delegate a").data(&format!(
            r#"{{"to":"{}","scope":["{scope}"],"until":"{}","document":{{"sxId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sxVersion":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sha256":"{}"}}}}"#,
            agent("deputy"),
            date(until),
            sx_agreement::Id::of(b"power").text()
        ))
    };
    history.next_of(delegate("decline"));
    let other_scope = history.next_of(by_deputy());
    assert_eq!(history.answer().fate(&other_scope), "NotAParty");
    history.next_of(delegate("sign"));
    assert_eq!(history.answer().states(), ["delegated", "pending"]);
    let expired = history.next_of(by_deputy().at(until + 1));
    assert_eq!(history.answer().fate(&expired), "DelegationExpired");
    let heads = history.answer().strings("heads");
    let heads: Vec<&String> = heads.iter().collect();
    let deputy = history.add(by_deputy().at(until).seen(&heads));
    let own = history.act("sign a", &heads);
    let answer = history.answer();
    assert_eq!(answer.have(), (1.0, 2.0));
    let fates = std::collections::BTreeSet::from([answer.fate(&deputy), answer.fate(&own)]);
    assert_eq!(fates, std::collections::BTreeSet::from(["counted".into(), "Duplicate".into()]));
    history.next("sign b");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.signed()), ("complete".into(), vec!["a".into(), "b".into()]));
}

#[test]
fn a16_keys_that_were_revoked() {
    let fate = |reason: &str, after: u64, proof: Option<u64>| {
        let mut history = History::new(&["a", "b", "n:notary"], "");
        history.next("propose b");
        let at = history.clock + MINUTE;
        let sign = history.next_of(make("sign a").revoked(at + after, reason));
        if let Some(proof) = proof {
            history.add(make("notarize n").seen(&[&sign]).at(at + proof));
        }
        history.answer().fate(&sign)
    };
    for reason in ["superseded", "unspecified"] {
        assert_eq!(fate(reason, 1, None), "counted", "{reason} later");
        assert_eq!(fate(reason, 0, None), "KeyRevoked", "{reason} by then");
    }
    assert_eq!(fate("compromised", DAY, None), "KeyRevoked");
    assert_eq!(fate("compromised", DAY, Some(DAY)), "KeyRevoked");
    assert_eq!(fate("compromised", DAY, Some(DAY - 1)), "counted");
}

#[test]
fn a16_a_notary_with_a_compromised_key_proves_nothing() {
    let mut history = History::new(&["a", "b", "n:notary"], "");
    history.next("propose b");
    let sign = history.next_of(make("sign a").revoked(START + DAY, "compromised"));
    let notary = history.add(make("notarize n").seen(&[&sign]).revoked(START + 2 * DAY, "compromised"));
    assert_eq!(history.answer().fate(&sign), "KeyRevoked");
    assert_eq!(history.answer().fate(&notary), "KeyRevoked");
}

#[test]
fn a17_other_terms_have_no_signatures() {
    let mut history = History::new(&["a", "b"], "");
    history.next("propose a");
    history.next("sign a");
    history.next("sign b");
    assert_eq!(history.status(), "complete");
    for (from, to) in [
        (r#""policy":{}"#, r#""policy":{"quorum":{"m":1}}"#),
        ("Ten boxes.", "Ten boxes!"),
        (r#""title":"Delivery""#, r#""title":"Delivery","summary":"""#),
    ] {
        let mut edited = history.clone();
        edited.terms = history.terms.replace(from, to);
        let answer = edited.answer();
        assert_eq!((answer.status(), answer.number("have")), ("draft".into(), 0.0), "{to}");
        assert!(history.entries.iter().all(|(event, _)| {
            let id = sx_agreement::event::Event::parse(event).unwrap().id.text();
            answer.fate(&id) == "WrongAgreement"
        }));
    }
}

#[test]
fn a17_terms_that_are_not_the_expected_ones() {
    let history = History::new(&["a", "b"], "");
    let expected = format!(r#"{{"agreementHash":"{}","#, sx_agreement::Id::of(b"others").text());
    let answer = Answer::of(&history.line().replacen('{', &expected, 1));
    assert_eq!((answer.status(), answer.is("valid")), ("invalid".into(), false));
    assert!(answer.1.contains(r#""code":"AgreementHash""#));
}

#[test]
fn a18_only_a_complete_successor_supersedes() {
    let mut history = History::new(&["a"], "");
    history.next("propose a");
    history.next("sign a");
    let forged = history.next("supersede a");
    assert_eq!(
        (history.answer().fate(&forged), history.status()),
        ("BadSuccessor".into(), "complete".into())
    );
    let good = history.next_of(make("supersede a").verdict(r#"{"valid":true,"successor":true}"#));
    assert_eq!((history.answer().fate(&good), history.status()), ("counted".into(), "superseded".into()));
}

/// Whether an agreement of these parties, which follows another one, takes its place.
fn takes_the_place(old: &History, rel: &str, hash: &str, parties: &[&str], signed: &[&str]) -> bool {
    let link = format!(
        r#""links":[{{"rel":"{rel}","sxId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sha256":"{hash}"}}],"policy""#
    );
    let terms =
        History::new(parties, "").terms.replacen("6fa459ea", "7fa459ea", 1).replace(r#""policy""#, &link);
    let agents: Vec<String> = signed.iter().map(|name| agent(name)).collect();
    let [old, terms] = [&old.terms, &terms].map(|terms| sx_agreement::terms::Terms::parse(terms).unwrap());
    terms.supersedes(&old, agents.iter().map(String::as_str).collect())
}

#[test]
fn a18_a_successor_names_the_hash() {
    let old = History::new(&["a"], "");
    let with = |rel: &str, hash: &str| takes_the_place(&old, rel, hash, &["a"], &["a"]);
    assert!(with("supersedes", &old.hash) && with("amends", &old.hash));
    assert!(!with("annex", &old.hash));
    assert!(!with("supersedes", &sx_agreement::Id::of(b"others").text()));
}

#[test]
fn a18_a_successor_is_signed_by_those_who_may_end_the_agreement() {
    let with = |policy: &str, parties: &[&str], signed: &[&str]| {
        let old = History::new(&["a", "b:approver", "c", "o:observer"], policy);
        takes_the_place(&old, "supersedes", &old.hash, parties, signed)
    };
    let all = ["a", "b", "c"];
    assert!(with("", &all, &all) && with("", &["a", "b", "c", "d"], &["d", "c", "b", "a"]));
    assert!(!with("", &["o"], &["o"]), "an observer cannot end it with its own terms");
    assert!(!with("", &all, &["a", "b"]) && !with("", &all, &[]));
    assert!(!with("", &["a", "b", "c:witness"], &all), "who only watches has not consented");
    for (policy, enough, too_few) in [
        (r#""terminate":"any""#, &["c"][..], &["o", "d"][..]),
        (r#""terminate":"quorum","quorum":"majority""#, &["a", "c"], &["a", "o"]),
        (r#""terminate":"quorum""#, &all, &["a", "b", "o"]),
    ] {
        let parties = ["a", "b", "c", "d", "o"];
        assert!(with(policy, &parties, enough) && !with(policy, &parties, too_few), "{policy}");
    }
}

#[test]
fn t42_a_forgery_of_a_party_does_not_count() {
    let mut history = History::new(&["a", "b"], "");
    history.next("propose a");
    history.next("sign a");
    let forged = history.next_of(make("sign b").verdict(BAD));
    let answer = history.answer();
    assert_eq!((answer.fate(&forged), answer.status()), ("BadSignature".into(), "partial".into()));
    assert_eq!(answer.signed(), ["a"]);
}
