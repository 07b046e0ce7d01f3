//! Artifacts with their parents, and the record in the DNS.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Fixture, NOW, member, moment, parse};
use sx_core::artifact;
use sx_core::discovery::dns_record;
use sx_core::document::Kind;
use sx_core::error::{Code, Result};
use sx_core::json::{self, Limits};
use sx_core::keys::Algorithm;

fn wrap(fixture: &Fixture, text: &str, kind: &str, parents: Option<&str>) -> Result<String> {
    let (signer, parents) = (fixture.signer(), parents.map(str::as_bytes));
    artifact::create(&signer, text.as_bytes(), kind, parents, &moment(NOW, 9)).map(|made| made.raw)
}

fn parents_of(text: &str) -> Result<String> {
    artifact::parents(text.as_bytes(), false, &Limits::default())
}

#[test]
fn an_artifact_holds_its_parents_whole() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let draft = wrap(&fixture, "1", "draft", None).unwrap();
    let report = wrap(&fixture, "{\"b\":2}", "report", Some(&format!(" [ {draft} ] "))).unwrap();
    assert!(fixture.verify(&report).outcome.is_ok());
    assert_eq!(member(&report, "sxLevel"), "\"artifact\"");
    assert_eq!(parse(&parents_of(&report).unwrap()), json::Value::from(vec![draft.as_str().into()]));
    assert_eq!(parents_of(&draft).unwrap(), "[]");
    assert_eq!(
        artifact::parents(b"[1, {\"b\":1,\"a\":2}]", true, &Limits::default()).unwrap(),
        r#"["1","{\"a\":2,\"b\":1}"]"#
    );
}

#[test]
fn a_type_may_have_dots() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let made = wrap(&fixture, "1", "com.example.result", None).unwrap();
    assert_eq!(member(&made, "sxType"), "\"com.example.result\"");
    assert!(fixture.verify(&made).outcome.is_ok());
}

#[test]
fn what_is_no_artifact_is_refused() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let refused = |result: Result<String>| result.unwrap_err().code;
    for (text, kind, parents, code) in [
        ("1,\"sxType\":\"agent\"", "result", None, Code::NotJson),
        ("1", "result", Some("[],[]"), Code::NotJson),
        ("1", "result", Some("{}"), Code::InvalidDocument),
        ("1", "a b", None, Code::InvalidDocument),
        ("1", ".a", None, Code::InvalidDocument),
        ("1", "a.", None, Code::InvalidDocument),
        ("1", "a..b", None, Code::InvalidDocument),
        ("1", &"a.".repeat(32), None, Code::InvalidDocument),
        ("1", "agent", None, Code::ReservedField),
        ("1", "sx-text", None, Code::ReservedField),
    ] {
        assert_eq!(refused(wrap(&fixture, text, kind, parents)), code, "{text} {kind}");
    }
    for body in [
        r#"{"content":1}"#,
        r#"{"sxLevel":"artifact"}"#,
        r#"{"sxLevel":"artifact","content":1,"parentSignatures":{}}"#,
    ] {
        let made = fixture.sign(Kind::Document, body).unwrap();
        assert_eq!(refused(parents_of(&made.raw)), Code::InvalidDocument, "{body}");
    }
    assert_eq!(refused(parents_of("{}")), Code::MissingSignature);
}

#[test]
fn a_record_has_a_domain_and_a_time_to_live() {
    let fixture = Fixture::new(Algorithm::Ed25519, 1);
    let key = fixture.key.public_key();
    let record = |domain: &str, ttl: f64| dns_record(&fixture.agent.id, key, domain, ttl);
    let text = format!("v=sx; sx_agent_id={}; alg=ed25519; kid={}", fixture.agent.id, key.key_id());
    let expected = format!("_v1.agent.sx.example.com. 60 IN TXT \"{text}\"");
    assert_eq!(record("example.com", 60.0).unwrap(), expected);
    let longest =
        format!("{}.{}", ["a".repeat(63), "b".repeat(63), "c".repeat(63)].join("."), "d".repeat(48));
    assert!(record(&longest, 2_147_483_647.0).is_ok());
    for (domain, ttl) in [
        ("", 60.0),
        ("example.com.", 60.0),
        ("a b", 60.0),
        (&*format!("{longest}d"), 60.0),
        ("example.com", -1.0),
        ("example.com", 0.5),
        ("example.com", 2_147_483_648.0),
        ("example.com", f64::NAN),
        ("example.com", f64::INFINITY),
    ] {
        assert_eq!(record(domain, ttl).unwrap_err().code, Code::InvalidOption, "{domain} {ttl}");
    }
}
