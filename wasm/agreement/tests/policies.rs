//! Every value of the policy, by its name.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;

fn signed(parties: &[&str], policy: &str, signers: &[&str]) -> History {
    let mut history = History::new(parties, policy);
    history.next(&format!("propose {}", history.roles[0].0.clone()));
    for party in signers {
        history.next(&format!("sign {party}"));
    }
    history
}

#[test]
fn quorum_all() {
    for policy in ["", r#""quorum":"all""#] {
        assert_eq!(signed(&["a", "b"], policy, &["a"]).answer().have(), (1.0, 2.0));
        assert_eq!(signed(&["a", "b", "o:observer", "w:witness"], policy, &["a", "b"]).status(), "complete");
    }
}

#[test]
fn quorum_majority() {
    for (parties, need) in
        [(["a", "b", "c", "d"].as_slice(), 3), (&["a", "b", "c"], 2), (&["a", "b"], 2), (&["a"], 1)]
    {
        let short = signed(parties, r#""quorum":"majority""#, &parties[..need - 1]);
        assert!(!short.answer().is("complete"));
        let enough = signed(parties, r#""quorum":"majority""#, &parties[..need]);
        assert_eq!((enough.status(), enough.answer().number("need")), ("complete".into(), need as f64));
    }
}

#[test]
fn quorum_m() {
    assert_eq!(
        signed(&["a", "b", "c"], r#""quorum":{"m":2}"#, &["a"]).answer().strings("blocked"),
        ["quorum 1/2"]
    );
    let both = signed(&["a", "b", "c"], r#""quorum":{"m":2}"#, &["a", "c"]);
    assert_eq!(both.status(), "complete");
    // Signing goes on, and changes `have` alone.
    let all = signed(&["a", "b", "c"], r#""quorum":{"m":2}"#, &["a", "c", "b"]);
    assert_eq!((all.status(), all.answer().have()), ("complete".into(), (3.0, 2.0)));
}

#[test]
fn quorum_weight_and_groups_count_parties_once() {
    let parties = [
        r#"a:signer:"weight":2,"group":"x""#,
        r#"b:signer:"weight":0,"group":"x""#,
        r#"c:approver:"group":"y""#,
    ];
    let weight = |signers: &[&str]| signed(&parties, r#""quorum":{"weight":3}"#, signers).status();
    assert_eq!((weight(&["a", "b"]), weight(&["a", "c"])), ("partial".into(), "complete".into()));
    let groups =
        |signers: &[&str]| signed(&parties, r#""quorum":{"groups":{"x":2,"y":1}}"#, signers).answer();
    assert_eq!(groups(&["a"]).strings("blocked"), ["group x 1/2", "group y 0/1"]);
    assert_eq!(groups(&["a", "b", "c"]).status(), "complete");
}

#[test]
fn required_parties() {
    let parties = ["a", "b", r#"c:signer:"required":true"#];
    let answer = signed(&parties, r#""quorum":{"m":2}"#, &["a", "b"]).answer();
    assert_eq!((answer.status(), answer.strings("blocked")), ("partial".into(), vec!["required c".into()]));
    assert_eq!(signed(&parties, r#""quorum":{"m":2}"#, &["a", "c"]).status(), "complete");
}

#[test]
fn order_parallel_and_staged() {
    assert_eq!(signed(&["a", "b"], r#""order":"parallel""#, &["b", "a"]).status(), "complete");
    let parties = ["a", r#"b:signer:"stage":1"#, r#"c:signer:"stage":2"#];
    let staged = r#""order":"staged""#;
    assert_eq!(signed(&parties, staged, &["a", "b", "c"]).status(), "complete");
    assert_eq!(signed(&parties, staged, &["a", "c", "b"]).answer().states(), ["signed", "signed", "pending"]);
}

#[test]
fn order_staged_with_each_quorum() {
    let parties = ["a", "b", "c", r#"d:signer:"stage":1"#];
    let opens = |quorum: &str, first: &[&str]| {
        let signers: Vec<&str> = first.iter().copied().chain(["d"]).collect();
        let states =
            signed(&parties, &format!(r#""order":"staged","quorum":{quorum}"#), &signers).answer().states();
        states[3] == "signed"
    };
    assert!(!opens(r#""all""#, &["a", "b"]) && opens(r#""all""#, &["a", "b", "c"]));
    assert!(!opens(r#""majority""#, &["a"]) && opens(r#""majority""#, &["a", "b"]));
    for quorum in [r#"{"m":2}"#, r#"{"weight":2}"#] {
        assert!(!opens(quorum, &[]) && opens(quorum, &["a"]), "{quorum}");
    }
    let required = [r#"a:signer:"required":true"#, "b", r#"d:signer:"stage":1"#];
    let policy = r#""order":"staged","quorum":{"m":1}"#;
    assert_eq!(signed(&required, policy, &["b", "d"]).answer().states(), ["pending", "signed", "pending"]);
    assert_eq!(signed(&required, policy, &["a", "d"]).answer().states(), ["signed", "pending", "signed"]);
}

#[test]
fn a_withdrawal_in_an_earlier_stage_closes_the_agreement_and_not_the_later_signature() {
    let mut history = signed(&["a", "c", r#"b:signer:"stage":1"#], r#""order":"staged""#, &["a", "c", "b"]);
    assert_eq!(history.status(), "complete");
    let mut history2 =
        signed(&["a", r#"b:signer:"stage":1"#, r#"c:signer:"stage":1"#], r#""order":"staged""#, &["a", "b"]);
    history2.next("withdraw a");
    let answer = history2.answer();
    assert_eq!(
        (answer.status(), answer.states()),
        ("partial".into(), vec!["withdrawn".into(), "signed".into(), "pending".into()])
    );
    let early = history2.next("sign c");
    assert_eq!(history2.answer().fate(&early), "OutOfOrder");
    history2.next("sign a");
    history2.next("sign c");
    assert_eq!(history2.status(), "complete");
    history.next("comment a");
    assert_eq!(history.status(), "complete");
}

#[test]
fn witnesses_and_notaries_are_counted_apart() {
    let parties = ["a", "w:witness", "v:witness", "n:notary"];
    let mut history = History::new(&parties, r#""witnesses":2,"notaries":1"#);
    history.next("propose a");
    let early = history.next("witness w");
    assert_eq!(history.answer().fate(&early), "NotAllowedNow");
    history.next("sign a");
    assert_eq!(history.answer().strings("blocked"), ["witnesses 0/2", "notaries 0/1"]);
    history.next("witness w");
    history.next("witness w");
    assert_eq!(history.answer().strings("blocked"), ["witnesses 1/2", "notaries 0/1"]);
    history.next("notarize n");
    assert_eq!(history.status(), "partial");
    history.next("witness v");
    let answer = history.answer();
    assert_eq!((answer.status(), answer.have()), ("complete".into(), (1.0, 1.0)));
    assert_eq!((answer.number("witnesses.have"), answer.number("notaries.have")), (2.0, 1.0));
    assert_eq!(answer.states(), ["signed", "signed", "signed", "signed"]);
}

#[test]
fn a_notary_after_the_deadline_proves_time_and_does_not_count() {
    let deadline = START + 10 * MINUTE;
    let mut history =
        History::new(&["a", "n:notary"], &format!(r#""notaries":1,"signBy":"{}""#, date(deadline)));
    history.next("propose a");
    history.next("sign a");
    let late = history.next_of(make("notarize n").at(deadline + 1));
    let answer = history.answer();
    assert_eq!(
        (answer.fate(&late), answer.strings("blocked")),
        ("counted".into(), vec!["notaries 0/1".into()])
    );
    history.next_of(make("notarize n").at(deadline));
    assert_eq!(history.status(), "complete");
}

#[test]
fn decline_any_ends() {
    let mut history = signed(&["a", "b", "c"], r#""decline":"any-ends","quorum":{"m":1}"#, &[]);
    history.next("decline c");
    assert_eq!(history.status(), "declined");
}

#[test]
fn decline_quorum_impossible_ends() {
    for policy in [r#""decline":"quorum-impossible-ends","quorum":{"m":2}"#, r#""quorum":{"m":2}"#] {
        let mut history = signed(&["a", "b", "c"], policy, &[]);
        history.next("decline c");
        assert_eq!(
            (history.status(), history.answer().states()[2].clone()),
            ("proposed".into(), "declined".into())
        );
        let back = history.next("sign c");
        assert_eq!(history.answer().fate(&back), "NotAllowedNow");
        let again = history.next("decline c");
        assert_eq!(history.answer().fate(&again), "Duplicate");
        let mut ended = history.clone();
        ended.next("decline b");
        assert_eq!(ended.status(), "declined");
        history.next("sign a");
        let signed = history.next("decline a");
        assert_eq!(history.answer().fate(&signed), "NotAllowedNow");
        history.next("sign b");
        assert_eq!(history.status(), "complete");
    }
    // A stage that cannot be satisfied any more ends it too.
    let mut staged =
        signed(&["a", "b", r#"c:signer:"stage":1"#], r#""order":"staged","quorum":{"m":2}"#, &[]);
    staged.next("decline c");
    assert_eq!(staged.status(), "declined");
}

#[test]
fn algorithms_and_min_strength() {
    let mut history = History::new(&["a"], r#""algorithms":["pq2025"]"#);
    let wrong = history.next("propose a");
    assert_eq!(history.answer().fate(&wrong), "WrongAlgorithm");
    history.next_of(make("propose a").alg("pq2025"));
    history.next_of(make("sign a").alg("pq2025"));
    assert_eq!(history.status(), "complete");
    assert_eq!(signed(&["a"], r#""minStrength":"classical""#, &["a"]).status(), "complete");
}

#[test]
fn key_ids() {
    let named = format!(r#"a:signer:"keyIds":["{}A"]"#, &sx_agreement::Id::of(b"a").text()[..42]);
    let mut history = History::new(&[&named], "");
    let wrong = history.next_of(make("propose a").key("another"));
    assert_eq!(history.answer().fate(&wrong), "WrongKey");
    history.next("propose a");
    history.next("sign a");
    assert_eq!(history.status(), "complete");
}

#[test]
fn dates_are_independent_of_each_other() {
    let (sign_by, from, to) = (START + DAY, START, START + 2 * MINUTE);
    let policy = format!(
        r#""signBy":"{}","effectiveFrom":"{}","expiresAt":"{}""#,
        date(sign_by),
        date(from),
        date(to)
    );
    let mut history = signed(&["a"], &policy, &["a"]);
    history.now = to;
    assert_eq!(history.status(), "ended");
    history.now = to - 1;
    assert_eq!(history.status(), "active");
    let late = history.next_of(make("dispute a").at(to));
    assert_eq!(history.answer().fate(&late), "TooLate");
    let open_end = signed(&["a"], &format!(r#""expiresAt":"{}""#, date(START + 2 * DAY)), &["a"]);
    assert_eq!(open_end.status(), "active");
}

#[test]
fn delegation_none_listed_document() {
    let document = r#","document":{"sxId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sxVersion":"6fa459ea-ee8a-4ca4-894e-db77e160355e","sha256":"0000000000000000000000000000000000000000000000000000000000000000"}"#;
    let fate = |value: &str, to: &str, more: &str| {
        let mut history = signed(&["a", "b"], &format!(r#""delegation":"{value}""#), &[]);
        let data = format!(r#"{{"to":"{}","scope":["sign"]{more}}}"#, agent(to));
        let id = history.next_of(make("delegate a").data(&data));
        history.answer().fate(&id)
    };
    assert_eq!(fate("none", "b", document), "NotAllowedByPolicy");
    assert_eq!(
        (fate("listed", "b", "").as_str(), fate("listed", "x", document).as_str()),
        ("counted", "NotAllowedByPolicy")
    );
    assert_eq!(
        (fate("document", "x", document).as_str(), fate("document", "x", "").as_str()),
        ("counted", "NotAllowedByPolicy")
    );
    assert_eq!(fate("document", "a", document), "NotAllowedByPolicy");
}

#[test]
fn a_listed_party_signs_for_itself_and_for_another() {
    let mut history = signed(&["a", "b"], r#""delegation":"listed""#, &[]);
    history.next_of(
        make("delegate a").data(&format!(r#"{{"to":"{}","scope":["sign","withdraw"]}}"#, agent("b"))),
    );
    history.next("sign b");
    history.next_of(make("sign a").by("b").data(r#"{"for":"a"}"#));
    let answer = history.answer();
    assert_eq!(answer.status(), "complete");
    assert!(answer.1.contains(&format!(r#""by":"{}""#, agent("b"))));
    let own = history.next_of(make("sign b").data(r#"{"for":"b"}"#));
    assert_eq!(history.answer().fate(&own), "NotAParty");
}

#[test]
fn withdraw_never_and_until_complete() {
    let fate = |value: &str| {
        let mut history = signed(&["a", "b"], &format!(r#""withdraw":"{value}""#), &["a"]);
        let id = history.next("withdraw a");
        history.answer().fate(&id)
    };
    assert_eq!((fate("never").as_str(), fate("until-complete").as_str()), ("NotAllowedByPolicy", "counted"));
}

#[test]
fn terminate_any_quorum_all() {
    let needs = |value: &str| {
        let policy = format!(r#""quorum":{{"m":2}},"terminate":"{value}""#);
        let mut history = signed(&["a", "b", "c"], &policy, &["a", "b"]);
        for (count, party) in ["a", "b", "c"].iter().enumerate() {
            let twice =
                (history.next(&format!("terminate {party}")), history.next(&format!("terminate {party}")));
            if history.status() == "terminated" {
                return count + 1;
            }
            assert_eq!(history.answer().fate(&twice.1), "Duplicate");
        }
        0
    };
    assert_eq!((needs("any"), needs("quorum"), needs("all")), (1, 2, 3));
}

#[test]
fn nobody_can_make_the_judging_of_others_expensive() {
    let mut history = signed(&["a", "b"], r#""delegation":"document""#, &[]);
    for _ in 0..8 {
        history.next("sign a");
        history.next("withdraw a");
    }
    history.next("sign a");
    let ninth = history.next("withdraw a");
    assert_eq!(history.answer().fate(&ninth), "NotAllowedNow");
}
