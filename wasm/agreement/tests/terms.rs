//! Terms: bad input is refused, what is hashed, and where new terms are looser.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice
)]

mod common;

use common::*;
use sx_agreement::Id;
use sx_agreement::terms::{Terms, loosened};

fn refusal(terms: &str) -> (&'static str, String) {
    match Terms::parse(terms) {
        Ok(_) => panic!("{terms} is accepted"),
        Err(problem) => (problem.code, problem.message),
    }
}

#[test]
fn no_parties() {
    assert_eq!(refusal(&terms_of(&[], "")).0, "NoParties");
}

#[test]
fn parties_that_are_refused() {
    let key = format!("{}A", &Id::of(b"k").text()[..42]);
    let twice = party("a").replace(r#""partyId":"a""#, r#""partyId":"b""#);
    let twice = terms_of(&["a"], "").replace(&party("a"), &format!("{},{twice}", party("a")));
    assert!(refusal(&twice).1.contains("is a party twice"));
    for (parties, why) in [
        (vec!["a", "a"], "Two parties have the partyId 'a'"),
        (vec!["a:boss"], "'role' of the party 'a' is not valid"),
        (vec!["a", "b:observers"], "'role' of the party 'b' is not valid"),
        (vec!["a:observer", "w:witness"], "No party is a signer"),
        (vec![r#"a:signer:"weight":0"#, r#"b:signer:"weight":0"#], "add up to 0"),
        (vec![r#"a:signer:"weight":-1"#], "'weight'"),
        (vec![r#"a:signer:"weight":1.5"#], "'weight'"),
        (vec![r#"a:signer:"weight":1000001"#], "'weight'"),
        (vec![r#"a:signer:"stage":1"#], "order is not 'staged'"),
        (vec![r#"a:signer:"required":1"#], "'required'"),
        (vec![r#"a:signer:"group":"""#], "'group'"),
        (vec![r#"a:signer:"keyIds":[]"#], "'keyIds'"),
        (vec![r#"a:signer:"keyIds":["x"]"#], "'keyIds'"),
        (vec![&format!(r#"a:signer:"keyIds":["{key}","{key}"]"#)], "'keyIds'"),
        (vec!["a", r#"w:witness:"weight":1"#], "'weight' of the party 'w' needs a role that consents"),
        (vec!["a", r#"n:notary:"required":true"#], "'required' of the party 'n'"),
        (vec![r#"a:signer:"email":"x""#], "'email' of the party 'a' is not known"),
        (vec!["a b"], "'partyId' of the party at index 0 of 'parties' is not valid"),
        (vec![r#"a:signer:"displayName":1"#], "'displayName'"),
    ] {
        let (code, message) = refusal(&terms_of(&parties, ""));
        assert_eq!(code, "InvalidTerms");
        assert!(message.contains(why), "{message} for {parties:?}");
    }
}

#[test]
fn policies_that_nobody_can_fulfil_or_understand() {
    let parties = ["a", r#"b:signer:"group":"x""#, "w:witness"];
    for (policy, why) in [
        (r#""quorum":{"m":3}"#, "cannot reach the quorum"),
        (r#""quorum":{"m":0}"#, "'quorum'"),
        (r#""quorum":{"m":1.5}"#, "'quorum'"),
        (r#""quorum":{"m":1,"weight":1}"#, "'quorum'"),
        (r#""quorum":{}"#, "'quorum'"),
        (r#""quorum":"most""#, "'quorum'"),
        (r#""quorum":7"#, "'quorum'"),
        (r#""quorum":{"weight":3}"#, "cannot reach the quorum"),
        (r#""quorum":{"groups":{"x":2}}"#, "cannot reach the quorum"),
        (r#""quorum":{"groups":{"y":1}}"#, "cannot reach the quorum"),
        (r#""quorum":{"groups":{}}"#, "'quorum'"),
        (r#""quorum":{"groups":{"x":0}}"#, "'quorum'"),
        (r#""order":"any""#, "'order'"),
        (r#""witnesses":2"#, "fewer witnesses"),
        (r#""witnesses":-1"#, "'witnesses'"),
        (r#""notaries":1"#, "fewer notaries"),
        (r#""timeProof":"notary""#, "need a notary"),
        (r#""timeProof":"log""#, "'timeProof'"),
        (r#""decline":"no""#, "'decline'"),
        (r#""algorithms":[]"#, "'algorithms'"),
        (r#""algorithms":["rsa"]"#, "'algorithms'"),
        (r#""algorithms":["ed25519"],"minStrength":"pq""#, "'minStrength'"),
        (r#""minStrength":"high""#, "'minStrength'"),
        (r#""signBy":"2026-01-01""#, "'signBy'"),
        (r#""signBy":"2026-02-30T00:00:00.000Z""#, "'signBy'"),
        (
            r#""effectiveFrom":"2026-01-02T00:00:00.000Z","expiresAt":"2026-01-02T00:00:00.000Z""#,
            "'expiresAt'",
        ),
        (r#""delegation":"all""#, "'delegation'"),
        (r#""withdraw":"always""#, "'withdraw'"),
        (r#""terminate":"none""#, "'terminate'"),
        (r#""language":"en""#, "'language' of the policy is not known"),
    ] {
        let (code, message) = refusal(&terms_of(&parties, policy));
        assert_eq!(code, "InvalidTerms");
        assert!(message.contains(why), "{message} for {policy}");
    }
}

#[test]
fn stages_with_holes() {
    let staged = |parties: &[&str]| terms_of(parties, r#""order":"staged""#);
    assert!(refusal(&staged(&["a", r#"b:signer:"stage":2"#])).1.contains("Stage 1 has"));
    assert!(refusal(&staged(&[r#"a:signer:"stage":1"#])).1.contains("Stage 0 has"));
    assert!(refusal(&staged(&[r#"a:signer:"stage":1001"#])).1.contains("'stage'"));
    assert!(Terms::parse(&staged(&["a", r#"b:signer:"stage":1"#, "c"])).is_ok());
}

#[test]
fn members_that_are_reserved_unknown_missing_or_of_another_form() {
    let good = terms_of(&["a"], "");
    for (from, to, code, why) in [
        (
            r#""title""#,
            r#""sxVersion":"x","title""#,
            "ReservedField",
            "sets the member 'sxVersion' of the terms",
        ),
        (r#""title""#, r#""sxSignature":{},"title""#, "ReservedField", "sxSignature"),
        (r#""partyId""#, r#""sxLevel":1,"partyId""#, "ReservedField", "sxLevel"),
        (r#""title""#, r#""content":1,"title""#, "InvalidTerms", "'content' of the terms is not known"),
        (r#""title":"Delivery","#, "", "InvalidTerms", "'title'"),
        (r#""Delivery""#, r#""""#, "InvalidTerms", "'title'"),
        ("text/plain", "text/html", "InvalidTerms", "'termsFormat'"),
        ("6fa459ea", "6FA459EA", "InvalidTerms", "'sxId'"),
        (r#""policy":{}"#, r#""policy":null"#, "InvalidTerms", "The policy must be an object."),
        (r#""policy""#, r#""links":[{"rel":"is","sxId":"","sha256":""}],"policy""#, "InvalidTerms", "'rel'"),
        (r#""policy""#, r#""attachments":[{"name":"a"}],"policy""#, "InvalidTerms", "'mediaType'"),
        (r#""title""#, r#""title":"twice","title""#, "DuplicateKey", ""),
    ] {
        let (found, message) = refusal(&good.replacen(from, to, 1));
        assert_eq!(found, code, "{message}");
        assert!(message.contains(why), "{message}");
    }
    assert_eq!(refusal("[]"), ("InvalidTerms", "The terms must be an object.".into()));
    let number = good.replacen(&party("a"), "1", 1);
    assert_eq!(refusal(&number).1, "The party at index 0 of 'parties' must be an object.");
    let nameless = good.replacen(r#""partyId":"a","#, "", 1);
    assert_eq!(refusal(&nameless).1, "The member 'partyId' of the party at index 0 of 'parties' is missing.");
    assert_eq!(refusal("{").0, "NotJson");
}

#[test]
fn attachments_are_bound_by_hash_and_have_different_names() {
    let with = |items: &str| {
        terms_of(&["a"], "").replace(r#""policy""#, &format!(r#""attachments":[{items}],"policy""#))
    };
    let one = format!(
        r#"{{"name":"a.pdf","mediaType":"application/pdf","size":3,"sha256":"{}"}}"#,
        Id::of(b"a").text()
    );
    let other = one.replace("a.pdf", "b.pdf");
    let hash = |text: String| Terms::parse(&text).unwrap().hash;
    assert_ne!(hash(with(&one)), hash(with(&one.replace(&Id::of(b"a").text(), &Id::of(b"b").text()))));
    assert!(Terms::parse(&with(&format!("{one},{other}"))).is_ok());
    assert!(refusal(&with(&format!("{one},{one}"))).1.contains("same name"));
    assert!(refusal(&with(&one.replace(":3,", ":3.5,"))).1.contains("'size'"));
    assert!(refusal(&with(&one.replace(":3,", ":-3,"))).1.contains("'size'"));
}

#[test]
fn a_deadline_in_the_past_is_refused_when_terms_are_made_and_not_when_they_are_judged() {
    for name in ["signBy", "expiresAt"] {
        let terms = terms_of(&["a"], &format!(r#""{name}":"{}""#, date(START)));
        assert!(Terms::parse(&terms).is_ok());
        assert!(Terms::check_new(&terms, START - 1).is_ok());
        let problem = Terms::check_new(&terms, START).unwrap_err();
        assert!(problem.code == "InvalidTerms" && problem.message.contains(name));
    }
}

#[test]
fn the_hash_is_over_the_statement_of_the_canonical_text() {
    let text = terms_of(&["a"], "");
    let terms = Terms::parse(&format!(" {text}\n")).unwrap();
    assert!(terms.canonical().starts_with(r#"{"parties":[{"agentId":"#));
    let expected = format!("SXv2 15 sx-agreement-v2 {} {}", terms.canonical().len(), terms.canonical());
    assert_eq!(terms.preimage(), expected.as_bytes());
    assert_eq!(terms.hash, Id::of(expected.as_bytes()));
    let other = Terms::parse(&text.replace("Ten", "Two")).unwrap();
    assert_ne!(terms.hash, other.hash);
}

#[test]
fn loosened_names_each_member() {
    let strict = r#""quorum":"all","order":"staged","witnesses":1,"notaries":1,"decline":"any-ends","algorithms":["pq2025"],"minStrength":"pq","signBy":"2026-01-02T00:00:00.000Z","expiresAt":"2027-01-02T00:00:00.000Z","timeProof":"notary","delegation":"none","withdraw":"until-complete","terminate":"all""#;
    let parties = |required: &str| {
        [format!("a:signer:\"required\":{required}"), "b".into(), "w:witness".into(), "n:notary".into()]
    };
    let read = |required: &str, policy: &str| {
        let parties = parties(required);
        let parties: Vec<&str> = parties.iter().map(String::as_str).collect();
        Terms::parse(&terms_of(&parties, policy)).unwrap()
    };
    let old = read("true", strict);
    assert_eq!(loosened(&old, &old), Vec::<String>::new());
    let loose =
        read("false", r#""quorum":{"m":1},"delegation":"document","withdraw":"never","terminate":"any""#);
    assert_eq!(
        loosened(&old, &loose),
        [
            "quorum",
            "order",
            "witnesses",
            "notaries",
            "decline",
            "algorithms",
            "minStrength",
            "signBy",
            "expiresAt",
            "timeProof",
            "delegation",
            "withdraw",
            "terminate",
            "required a"
        ]
    );
    // Stricter is not looser, but for the right to withdraw.
    assert_eq!(loosened(&loose, &old), Vec::<String>::new());
    for (policy, names) in [
        (strict.replace("2026-01-02", "2026-01-03"), vec!["signBy"]),
        (strict.replace("2027-01-02", "2027-01-01"), vec![]),
        (strict.replace(r#""terminate":"all""#, r#""terminate":"quorum""#), vec!["terminate"]),
        (strict.replace(r#""quorum":"all""#, r#""quorum":"majority""#), vec![]),
        (strict.replace(r#""quorum":"all""#, r#""quorum":{"weight":1}"#), vec!["quorum"]),
    ] {
        assert_eq!(loosened(&old, &read("true", &policy)), names, "{policy}");
    }
}
