//! Agreements in a field of a document (protocol, section 23).
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, member, moment, of, parse, resigned, with, with_revocation};
use std::cell::Cell;
use sx_core::agreement_field::{self, AgreementCheck, Field, Terms};
use sx_core::document::{self, Kind, Making};
use sx_core::error::{Code, Result};
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits, Value};
use sx_core::keys::Algorithm;
use sx_core::moment::Moment;
use sx_core::ring::{Ring, Source};
use sx_core::statement::{Context, pae};

const FIELD: &str = "sxAgreement";
const LATER: &str = "2027-01-01T00:00:00.000Z";

fn of_document(text: &str) -> Field<'_> {
    Field { document: text.as_bytes(), name: FIELD }
}

/// Agents, and a ring that knows all of them.
struct World {
    agents: Vec<Fixture>,
    ring: Ring,
    /// How often something was made, so that each time it is of other random bytes.
    made: Cell<u8>,
}

impl World {
    fn new() -> Self {
        Self::of(&[Algorithm::Ed25519, Algorithm::Ed25519, Algorithm::Pq2025, Algorithm::Ed25519])
    }

    fn of(algorithms: &[Algorithm]) -> Self {
        let numbered = algorithms.iter().zip(1..);
        let agents: Vec<_> = numbered.map(|(algorithm, n)| Fixture::new(*algorithm, n)).collect();
        let mut ring = Ring::default();
        for Fixture { agent, .. } in &agents {
            ring.set(&agent.id, Source::Trust, Some(agent.raw.as_bytes()));
        }
        Self { agents, ring, made: Cell::new(0) }
    }

    fn moment(&self, now: u64) -> Moment {
        self.made.set(self.made.get() + 1);
        moment(now, 100 + self.made.get())
    }

    fn message(&self, n: usize, text: &str) -> String {
        let making = of(Kind::Message);
        document::create(&self.agents[n].signer(), text.as_bytes(), &making, &self.moment(NOW)).unwrap().raw
    }

    fn id(&self, n: usize) -> &str {
        &self.agents[n].agent.id
    }

    fn ids(&self, parties: &[usize]) -> String {
        json::write(&Value::Array(parties.iter().map(|n| self.id(*n).into()).collect()))
    }

    /// A message of the first agent with an agreement of these parties.
    fn asked(&self, parties: &[usize], more: &str) -> String {
        self.asked_of(r#"{"rent":900}"#, parties, more)
    }

    fn asked_of(&self, text: &str, parties: &[usize], more: &str) -> String {
        let message = self.message(0, text);
        self.create(&message, FIELD, parties, more).unwrap()
    }

    fn create(&self, text: &str, field: &str, parties: &[usize], more: &str) -> Result<String> {
        let ids = self.ids(parties);
        let terms = format!(r#"{{"field":"{field}","agentIDs":{ids},"question":"Do you agree?"{more}}}"#);
        let (name, terms) = Terms::read(&terms, &Limits::default())?;
        let made = agreement_field::create(
            &self.agents[0].signer(),
            Field { document: text.as_bytes(), name: &name },
            terms,
            &Making::default(),
            &self.moment(NOW + 1),
        );
        Ok(made?.raw)
    }

    fn sign(&self, n: usize, text: &str) -> Result<String> {
        self.sign_at(n, text, NOW + 2)
    }

    fn sign_at(&self, n: usize, text: &str, now: u64) -> Result<String> {
        let author = self.agents[n].signer();
        let moment = self.moment(now);
        Ok(agreement_field::sign(&author, of_document(text), &Making::default(), &moment)?.raw)
    }

    fn check(&self, text: &str) -> Value {
        self.check_all(&[text], NOW + 10)
    }

    fn check_all(&self, texts: &[&str], now: u64) -> Value {
        status(&self.ring, texts, now)
    }
}

fn status(ring: &Ring, texts: &[&str], now: u64) -> Value {
    let (first, others) = texts.split_first().unwrap();
    let mut check = AgreementCheck::start(first.as_bytes(), FIELD, &Limits::default()).unwrap();
    for other in others {
        check.add(other.as_bytes(), &Limits::default()).unwrap();
    }
    parse(&check.finish(ring, now))
}

fn get<'a>(status: &'a Value, name: &str) -> &'a Value {
    status.as_object().unwrap().get(name).unwrap()
}

fn text<'a>(status: &'a Value, name: &str) -> &'a str {
    get(status, name).as_str().unwrap()
}

/// Status, how many have signed, and the codes of signatures that do not count.
fn outcome(status: &Value) -> (String, usize, Vec<String>) {
    let have = get(get(status, "quorum"), "have").as_f64().unwrap() as usize;
    let signed = get(status, "signed").as_array().unwrap().len();
    assert_eq!(have, signed);
    let missing = get(status, "missing").as_array().unwrap().len();
    assert_eq!(signed + missing, get(status, "required").as_array().unwrap().len());
    let codes = get(status, "invalid").as_array().unwrap().iter().map(|one| text(one, "code").into());
    assert_eq!(get(status, "complete"), &(text(status, "status") == "complete").into());
    assert_eq!(get(status, "valid"), &(text(status, "status") != "invalid").into());
    (text(status, "status").into(), have, codes.collect())
}

fn found(name: &str, have: usize, codes: &[&str]) -> (String, usize, Vec<String>) {
    (name.into(), have, codes.iter().map(|code| (*code).into()).collect())
}

fn code<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code)
}

/// The document with the agreement changed, as somebody would who has it.
fn changed(text: &str, change: impl FnOnce(&mut json::Object)) -> String {
    let mut document = parse(text);
    let field = document.as_object_mut().unwrap().get_mut(FIELD).unwrap();
    change(field.as_object_mut().unwrap());
    json::write(&document)
}

fn signatures(text: &str) -> Vec<Value> {
    let document = parse(text);
    let field = document.as_object().unwrap().get(FIELD).unwrap().as_object().unwrap();
    field.get("signatures").unwrap().as_array().unwrap().to_vec()
}

fn with_signatures(text: &str, entries: Vec<Value>) -> String {
    changed(text, |field| drop(field.insert("signatures".into(), entries.into())))
}

#[test]
fn what_is_signed_is_what_the_protocol_says() {
    let world = World::new();
    let more = format!(r#","context":"ctx","quorum":1,"signBy":"{LATER}","algorithms":["Ed25519"]"#);
    let asked = world.asked(&[0, 1], &more);
    let signed = world.sign(1, &asked).unwrap();
    let document = parse(&signed);
    let field = document.as_object().unwrap().get(FIELD).unwrap().as_object().unwrap();
    let names: Vec<_> = field.iter().map(|(name, _)| name).collect();
    let expected = [
        "agentIDs",
        "agreementHash",
        "algorithms",
        "context",
        "documentHash",
        "question",
        "quorum",
        "signBy",
        "signatures",
        "v",
    ];
    assert_eq!(names, expected);
    let mut bare = document.as_object().unwrap().clone();
    let gone = ["sxVersion", "sxVersionDate", "sxPreviousVersion", "sxSignature", "sxSha256", FIELD];
    gone.iter().for_each(|name| drop(bare.remove(name).unwrap()));
    let document_hash = sha256_hex(json::write(&bare.into()).as_bytes());
    assert_eq!(field.get("documentHash"), Some(&document_hash.as_str().into()));
    let id = member(&signed, "sxId");
    let shown = format!(
        r#"{{"agentIDs":{},"algorithms":["ed25519"],"context":"ctx","documentHash":"{document_hash}","field":"sxAgreement","question":"Do you agree?","quorum":1,"signBy":"{LATER}","sxId":{id}}}"#,
        world.ids(&[0, 1])
    );
    let hash = sha256_hex(&pae(Context::Agreement, shown.as_bytes()));
    assert_eq!(field.get("agreementHash"), Some(&hash.as_str().into()));

    let mut entry = signatures(&signed).remove(0).as_object().unwrap().clone();
    let names: Vec<_> = entry.iter().map(|(name, _)| name).collect();
    let members =
        ["agentID", "agentVersion", "date", "keyId", "nonce", "response", "signature", "signingAlgorithm"];
    assert_eq!(names, members);
    let signature = entry.remove("signature").unwrap();
    entry.insert("agreementHash".into(), hash.into());
    let statement = pae(Context::AgreementSign, json::write(&entry.into()).as_bytes());
    let signature = sx_core::base64::decode(signature.as_str().unwrap()).unwrap();
    assert!(world.agents[1].key.public_key().verify(&statement, &signature));
}

#[test]
fn each_signature_makes_a_version_that_is_valid_and_all_of_them_complete_it() {
    let world = World::new();
    let mut current = world.asked(&[0, 1, 2], "");
    assert_eq!(outcome(&world.check(&current)), found("pending", 0, &[]));
    for (n, state) in [(0, "partial"), (1, "partial"), (2, "complete")] {
        let next = world.sign(n, &current).unwrap();
        assert_eq!(member(&next, "sxPreviousVersion"), member(&current, "sxVersion"));
        let verdict =
            sx_core::verify::Verification::start(next.as_bytes(), &Limits::default()).finish(&world.ring);
        let checked = verdict.outcome.unwrap();
        assert_eq!(checked.data, r#"{"rent":900}"#, "the agreement is no part of the payload");
        assert_eq!(outcome(&world.check(&next)), found(state, n + 1, &[]));
        current = next;
    }
    let status = world.check(&current);
    assert_eq!(text(&status, "question"), "Do you agree?");
    assert_eq!((get(&status, "documentHashValid"), get(&status, "signBy")), (&true.into(), &Value::Null));
    assert_eq!(json::write(get(&status, "required")), world.ids(&[0, 1, 2]));
    let last = get(&status, "signed").as_array().unwrap().last().unwrap();
    assert_eq!((text(last, "agentId"), text(last, "algorithm")), (world.id(2), "pq2025"));
    assert_eq!(text(last, "signedAt"), "2026-11-20T14:49:19.009Z");
}

#[test]
fn a01_copies_that_were_signed_independently_give_one_status_in_every_order() {
    let world = World::new();
    let asked = world.asked(&[0, 1, 2], "");
    let copies: Vec<_> = (0..3).map(|n| world.sign(n, &asked).unwrap()).collect();
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let merged = orders.map(|order| {
        let texts = order.map(|n| copies[n].as_str());
        json::write(&world.check_all(&texts, NOW + 10))
    });
    assert_eq!(outcome(&parse(&merged[0])), found("complete", 3, &[]));
    assert!(merged.iter().all(|one| *one == merged[0]));
    // Signed one after the other, in every order, it is the same one, too.
    for order in orders {
        let signed = order.iter().fold(asked.clone(), |text, n| world.sign(*n, &text).unwrap());
        assert_eq!(json::write(&world.check(&signed)), merged[0]);
    }
    // Twice the same changes nothing.
    let twice = world.check_all(&[&copies[0], &copies[0], &copies[1], &copies[2], &copies[1]], NOW + 10);
    assert_eq!(json::write(&twice), merged[0]);
}

#[test]
fn copies_of_different_agreements_are_refused() {
    let world = World::new();
    let asked = world.asked(&[0, 1], "");
    let others = [
        world.asked(&[0, 1], r#","quorum":1"#),
        world.asked(&[1, 0], ""),
        world.asked_of(r#"{"rent":1}"#, &[0, 1], ""),
        changed(&asked, |field| drop(field.remove("v"))),
    ];
    for other in others {
        let mut check = AgreementCheck::start(asked.as_bytes(), FIELD, &Limits::default()).unwrap();
        assert_eq!(code(check.add(other.as_bytes(), &Limits::default())), Some(Code::InvalidOption));
        let mut check = AgreementCheck::start(other.as_bytes(), FIELD, &Limits::default()).unwrap();
        assert_eq!(code(check.add(asked.as_bytes(), &Limits::default())), Some(Code::InvalidOption));
    }
    let signed = world.sign(0, &asked).unwrap();
    let tampered = with(&world.sign(1, &asked).unwrap(), &["content"], "rent", Some("1"));
    for texts in [[signed.as_str(), &tampered], [&tampered, &signed]] {
        assert_eq!(
            outcome(&world.check_all(&texts, NOW + 10)),
            found("invalid", 0, &["HashMismatch", "HashMismatch"])
        );
    }
}

#[test]
fn a03_an_agent_that_signs_twice_counts_once() {
    let world = World::new();
    let asked = world.asked(&[0, 1, 2], r#","quorum":2"#);
    let first = world.sign_at(0, &asked, NOW + 5).unwrap();
    let second = world.sign_at(0, &asked, NOW + 3).unwrap();
    let both = with_signatures(&asked, [signatures(&first), signatures(&second)].concat());
    let status = world.check(&both);
    assert_eq!(outcome(&status), found("partial", 1, &[]));
    let shown = get(&status, "signed").as_array().unwrap().first().unwrap();
    assert_eq!(text(shown, "signedAt"), "2026-11-20T14:49:19.010Z", "the first one");
    // Signing again replaces it.
    assert_eq!(signatures(&world.sign(0, &both).unwrap()).len(), 1);
    let check = AgreementCheck::start(first.as_bytes(), FIELD, &Limits::default()).unwrap();
    assert_eq!([0, 1].map(|n| check.has_signed(&world.ring, world.id(n))), [true, false]);
    assert_eq!(outcome(&world.check(&world.sign(1, &both).unwrap())), found("complete", 2, &[]));
}

#[test]
fn a07_a17_terms_that_were_changed_after_a_signature_make_it_invalid_for_all() {
    let world = World::new();
    let more = format!(r#","context":"c","quorum":2,"signBy":"{LATER}","algorithms":["ed25519"]"#);
    let asked = world.asked(&[0, 1], &more);
    let signed = world.sign(1, &world.sign(0, &asked).unwrap()).unwrap();
    assert_eq!(outcome(&world.check(&signed)), found("complete", 2, &[]));
    let other = format!("[\"{}\",\"{}\",\"{}\"]", world.id(0), world.id(1), world.id(2));
    let changes = [
        ("question", Some("\"Do you disagree?\"")),
        ("context", Some("\"\"")),
        ("agentIDs", Some(other.as_str())),
        ("quorum", Some("1")),
        ("quorum", None),
        ("signBy", Some("\"2027-01-01T00:00:00.001Z\"")),
        ("signBy", None),
        ("algorithms", Some("[\"ed25519\",\"pq2025\"]")),
        ("algorithms", None),
        ("minStrength", Some("\"classical\"")),
        ("documentHash", Some("\"0000\"")),
        ("agreementHash", Some("\"0000\"")),
    ];
    for (name, value) in changes {
        let forged = with(&signed, &[FIELD], name, value);
        let status = world.check(&forged);
        assert_eq!(outcome(&status), found("invalid", 0, &["AgreementHash", "AgreementHash"]), "{name}");
        assert!(json::write(get(&status, "errors")).contains("AgreementHash: "), "{name}");
        assert_eq!(code(world.sign(1, &forged)), Some(Code::AgreementHash), "{name}");
        // Who hashes anew as well has terms that nobody has signed.
        let mut document = parse(&forged);
        let field = document.as_object_mut().unwrap().get_mut(FIELD).unwrap().as_object_mut().unwrap();
        let mut terms = field.clone();
        ["v", "signatures", "agreementHash"].iter().for_each(|name| drop(terms.remove(name)));
        terms.insert("field".into(), FIELD.into());
        terms.insert("sxId".into(), parse(&member(&forged, "sxId")));
        if name == "agreementHash" {
            continue;
        }
        let hash = sha256_hex(&pae(Context::Agreement, json::write(&terms.into()).as_bytes()));
        field.insert("agreementHash".into(), hash.into());
        let (_, have, codes) = outcome(&world.check(&json::write(&document)));
        assert_eq!(
            (have, codes.iter().all(|code| code != "AgreementHash" || name == "documentHash")),
            (0, true)
        );
    }
}

#[test]
fn a_document_that_was_changed_after_a_signature_is_no_longer_the_one_that_was_signed() {
    let world = World::new();
    let signed = world.sign(0, &world.asked(&[0, 1], r#","quorum":1"#)).unwrap();
    let update = |text: &str, change: &str| {
        let author = world.agents[0].signer();
        let (text, change) = (text.as_bytes(), change.as_bytes());
        document::update(&author, text, change, &Making::default(), &moment(NOW + 5, 70)).unwrap().raw
    };
    let updated = update(&signed, r#"{"rent":901}"#);
    assert_eq!(member(&updated, FIELD), member(&signed, FIELD), "an update keeps the agreement");
    let status = world.check(&updated);
    assert_eq!(outcome(&status), found("invalid", 0, &["HashMismatch"]));
    assert_eq!(get(&status, "documentHashValid"), &false.into());
    assert_eq!(code(world.sign(1, &updated)), Some(Code::HashMismatch));
    assert_eq!(outcome(&world.check(&update(&updated, r#"{"rent":900}"#))), found("complete", 1, &[]));
    // What a version changes by itself is not covered, all other members are.
    for name in ["sxType", "sxLevel", "sxOriginalDate", "sxOriginalVersion", "$schema"] {
        let status = world.check(&with(&signed, &[], name, Some("\"other\"")));
        assert_eq!(outcome(&status), found("invalid", 0, &["HashMismatch"]), "{name}");
    }
    let status = world.check(&with(&signed, &[], "more", Some("1")));
    assert_eq!(outcome(&status), found("invalid", 0, &["HashMismatch"]));
    for id in [Some("\"6fa459ea-ee8a-4ca4-894e-db77e160355e\""), None] {
        let status = world.check(&with(&signed, &[], "sxId", id));
        assert_eq!(outcome(&status), found("invalid", 0, &["AgreementHash"]));
    }
}

#[test]
fn a08_an_outsider_cannot_sign_and_an_inserted_signature_does_not_count() {
    let world = World::new();
    let asked = world.asked(&[0, 1], "");
    assert_eq!(code(world.sign(3, &asked)), Some(Code::NotAParty));
    let open = world.asked(&[0, 1, 3], "");
    let outsider = signatures(&world.sign(3, &open).unwrap());
    let inside = signatures(&world.sign(0, &asked).unwrap());
    let inserted = with_signatures(&asked, [outsider, inside].concat());
    let status = world.check(&inserted);
    assert_eq!(outcome(&status), found("partial", 1, &["NotAParty"]));
    let refused = get(&status, "invalid").as_array().unwrap().first().unwrap();
    assert_eq!(text(refused, "agentId"), world.id(3));
    let check = AgreementCheck::start(inserted.as_bytes(), FIELD, &Limits::default()).unwrap();
    assert_eq!(check.signer_ids(), [world.id(0)], "nobody looks for the keys of outsiders");
}

#[test]
fn t45_a09_a_signature_counts_in_its_own_agreement_only() {
    let world = World::new();
    let asked = world.asked(&[0, 1], "");
    let entries = signatures(&world.sign(0, &asked).unwrap());
    let message = world.message(1, r#"{"rent":900}"#);
    let twins = [
        world.create(&message, FIELD, &[0, 1], "").unwrap(), // another document that says the same
        world.asked_of(r#"{"rent":901}"#, &[0, 1], ""),
        world.asked(&[1, 0], ""),
        world.asked(&[0, 1], r#","quorum":2"#),
    ];
    for twin in twins {
        let moved = with_signatures(&twin, entries.clone());
        assert_eq!(outcome(&world.check(&moved)), found("pending", 0, &["BadSignature"]));
    }
    // The same terms under another name are another agreement as well.
    let message = world.message(0, r#"{"rent":900}"#);
    let other = world.create(&message, "approval", &[0, 1], "").unwrap();
    let mut moved = parse(&other);
    let field = moved.as_object_mut().unwrap().get_mut("approval").unwrap().as_object_mut().unwrap();
    field.insert("signatures".into(), entries.into());
    let check =
        AgreementCheck::start(json::write(&moved).as_bytes(), "approval", &Limits::default()).unwrap();
    assert_eq!(outcome(&parse(&check.finish(&world.ring, NOW))), found("pending", 0, &["BadSignature"]));
}

#[test]
fn t42_forged_signatures_are_not_counted() {
    let world = World::new();
    let asked = world.asked(&[0, 1], r#","quorum":1"#);
    let good = signatures(&world.sign(0, &asked).unwrap()).remove(0);
    let change = |name: &str, value: Option<&str>| {
        let text = with(&json::write(&good), &[], name, value);
        world.check(&with_signatures(&asked, vec![parse(&text)]))
    };
    let other = format!("\"{}\"", world.id(1));
    let key = format!("\"{}\"", world.agents[1].key.public_key().key_id());
    let cases = [
        ("signature", Some("\"AAAA\""), "BadSignature"),
        ("signature", Some("\"\""), "BadSignature"),
        ("signature", Some("\"AB==\""), "InvalidDocument"),
        ("signature", None, "InvalidDocument"),
        ("date", Some("\"2026-11-20T14:49:19.008Z\""), "BadSignature"),
        ("date", Some("\"today\""), "InvalidDocument"),
        ("nonce", Some("\"AAAAAAAAAAAAAAAAAAAAAA\""), "BadSignature"),
        ("response", Some("\"disagree\""), "InvalidDocument"),
        ("response", None, "InvalidDocument"),
        ("more", Some("1"), "InvalidDocument"),
        ("agentID", Some(&other), "KeyMismatch"),
        ("agentVersion", Some(&other), "BadSignature"),
        ("keyId", Some(&key), "KeyMismatch"),
        ("signingAlgorithm", Some("\"pq2025\""), "KeyMismatch"),
        ("signingAlgorithm", Some("\"none\""), "KeyMismatch"),
    ];
    for (name, value, code) in cases {
        assert_eq!(outcome(&change(name, value)), found("pending", 0, &[code]), "{name} {value:?}");
    }
    for entry in ["1", "null", "{}", "[]"] {
        let status = world.check(&with_signatures(&asked, vec![parse(entry)]));
        assert_eq!(outcome(&status), found("pending", 0, &["InvalidDocument"]), "{entry}");
    }
    let nobody = world.check(&with_signatures(&asked, vec![parse(r#"{"agentID":"<b>"}"#)]));
    assert_eq!(text(&get(&nobody, "invalid").as_array().unwrap()[0], "agentId"), "");
    let beside = with_signatures(&asked, vec![parse("{}"), good.clone()]);
    assert_eq!(outcome(&world.check(&beside)), found("complete", 1, &["InvalidDocument"]));
    // A signature of the whole document is none of the agreement.
    let document = parse(&asked);
    let mut own = document.as_object().unwrap().get("sxSignature").unwrap().as_object().unwrap().clone();
    own.insert("response".into(), "agree".into());
    let status = world.check(&with_signatures(&asked, vec![own.into()]));
    assert_eq!(outcome(&status), found("pending", 0, &["BadSignature"]));
}

#[test]
fn a10_signatures_in_time_count_for_good_and_late_ones_never() {
    let world = World::new();
    let deadline = NOW + 100;
    let more = r#","signBy":"2026-11-20T14:49:19.107Z""#;
    let asked = world.asked(&[0, 1], more);
    let first = world.sign_at(0, &asked, deadline).unwrap();
    assert_eq!(code(world.sign_at(1, &first, deadline + 1)), Some(Code::TooLate));
    let year = 365 * 86_400_000;
    for (now, state) in [(deadline, "partial"), (deadline + 1, "expired"), (deadline + year, "expired")] {
        let status = world.check_all(&[&first], now);
        assert_eq!(outcome(&status), found(state, 1, &[]), "{now}");
        assert_eq!(text(&status, "signBy"), "2026-11-20T14:49:19.107Z");
    }
    assert_eq!(outcome(&world.check_all(&[&asked], deadline + 1)), found("expired", 0, &[]));
    let both = world.sign_at(1, &first, deadline).unwrap();
    assert_eq!(outcome(&world.check_all(&[&both], deadline + year)), found("complete", 2, &[]));
    // A clock that is behind lets somebody sign; the date says so.
    let entry = signatures(&world.sign_at(1, &asked, deadline).unwrap()).remove(0);
    let late = late_entry(&world, &asked, entry, 1);
    let status = world.check_all(&[&with_signatures(&asked, vec![late.clone()])], deadline - 1);
    assert_eq!(outcome(&status), found("pending", 0, &["TooLate"]));
    let complete = with_signatures(&both, [signatures(&both), vec![late]].concat());
    assert_eq!(outcome(&world.check_all(&[&complete], deadline + year)), found("complete", 2, &["TooLate"]));
}

/// The entry, dated after every deadline and signed so.
fn late_entry(world: &World, asked: &str, entry: Value, n: usize) -> Value {
    let mut said = entry.as_object().unwrap().clone();
    said.remove("signature");
    said.insert("date".into(), "2027-01-01T00:00:00.000Z".into());
    let mut signed = said.clone();
    let field = parse(&member(asked, FIELD));
    said.insert("agreementHash".into(), field.as_object().unwrap().get("agreementHash").unwrap().clone());
    let statement = pae(Context::AgreementSign, json::write(&said.into()).as_bytes());
    let bytes = world.agents[n].key.sign(&statement, &[7; 32]).unwrap();
    signed.insert("signature".into(), sx_core::base64::encode(&bytes).into());
    signed.into()
}

#[test]
fn a14_keys_that_are_too_weak_do_not_sign_and_do_not_count() {
    let world = World::new();
    for more in [r#","minStrength":"pq""#, r#","algorithms":["pq2025"]"#, r#","algorithms":["ML-DSA-87"]"#] {
        let asked = world.asked(&[0, 2], more);
        assert_eq!(code(world.sign(0, &asked)), Some(Code::TooWeak), "{more}");
        assert_eq!(outcome(&world.check(&world.sign(2, &asked).unwrap())), found("partial", 1, &[]));
        let any = world.asked(&[0, 2], "");
        let entry = signatures(&world.sign(0, &any).unwrap()).remove(0);
        let weak = late_entry(&world, &asked, entry, 0);
        let status = world.check(&with_signatures(&asked, vec![weak]));
        assert_eq!(outcome(&status), found("pending", 0, &["TooWeak"]), "{more}");
    }
    let classical = world.asked(&[0, 2], r#","algorithms":["ring-Ed25519"],"minStrength":"classical""#);
    assert_eq!(code(world.sign(2, &classical)), Some(Code::TooWeak));
    assert!(world.sign(0, &classical).is_ok());
}

#[test]
fn a16_a_revoked_key_counts_as_everywhere() {
    let world = World::new();
    let signed = world.sign(0, &world.asked(&[0, 1], r#","quorum":1"#)).unwrap(); // at NOW + 2
    let cases = [
        ("2026-11-20T14:49:19.010Z", "superseded", found("complete", 1, &[])),
        ("2026-11-20T14:49:19.009Z", "superseded", found("pending", 0, &["KeyRevoked"])),
        ("2026-11-20T14:49:19.010Z", "unspecified", found("complete", 1, &[])),
        ("2026-12-20T14:49:19.010Z", "compromised", found("pending", 0, &["KeyRevoked"])),
    ];
    for (at, reason, expected) in cases {
        let Fixture { key, agent, .. } = &world.agents[0];
        let next = sx_core::keys::SecretKey::from_seed(Algorithm::Ed25519, &[99; 32]).unwrap();
        let own = common::own(agent.raw.as_bytes(), key);
        let rotated = sx_core::agent::rotate(&own, &next, "superseded", &moment(NOW + 90, 3)).unwrap().raw;
        let mut document = parse(&rotated);
        let keys = document.as_object_mut().unwrap().get_mut("sxPublicKeys").unwrap().as_array_mut().unwrap();
        let revoked = parse(&format!(r#"{{"at":"{at}","reason":"{reason}"}}"#));
        keys[0].as_object_mut().unwrap().insert("revoked".into(), revoked);
        let late = at > "2026-11-21";
        let rotated =
            if late { with_late_rotation(&document, at, key, world.id(0)) } else { json::write(&document) };
        let rotated = resigned(&rotated, &next);
        let mut ring = Ring::default();
        ring.set(world.id(0), Source::Trust, Some(rotated.as_bytes()));
        assert_eq!(outcome(&status(&ring, &[&signed], NOW + 100)), expected, "{reason} {at}");
    }
    // Nobody known, two sources that disagree.
    assert_eq!(outcome(&status(&Ring::default(), &[&signed], NOW)), found("pending", 0, &["UnknownSigner"]));
    let mut ring = Ring::default();
    ring.set(world.id(0), Source::Trust, Some(world.agents[0].agent.raw.as_bytes()));
    let other = world.agents[1].key.public_key().to_spki_pem();
    ring.set(world.id(0), Source::Directory, Some(other.as_bytes()));
    assert_eq!(outcome(&status(&ring, &[&signed], NOW)), found("pending", 0, &["KeyConflict"]));
    let own = with_revocation(&world.agents[0].agent.raw, "2026-01-01T00:00:00.000Z", "compromised");
    ring.set(world.id(0), Source::Trust, Some(own.as_bytes()));
    assert_eq!(outcome(&status(&ring, &[&signed], NOW)).1, 0);
}

/// The rotation dated at the revocation, which must not be later.
fn with_late_rotation(document: &Value, at: &str, old: &sx_core::keys::SecretKey, id: &str) -> String {
    let mut document = document.clone();
    let object = document.as_object_mut().unwrap();
    let mut rotation =
        object.get("sxKeyRotation").unwrap().as_array().unwrap()[0].as_object().unwrap().clone();
    rotation.insert("date".into(), at.into());
    rotation.remove("signature");
    let mut said = rotation.clone();
    said.insert("agentId".into(), id.into());
    let bytes = old.sign(&pae(Context::KeyRotation, json::write(&said.into()).as_bytes()), &[7; 32]).unwrap();
    rotation.insert("signature".into(), sx_core::base64::encode(&bytes).into());
    object.insert("sxKeyRotation".into(), Value::Array(vec![rotation.into()]));
    object.insert("sxVersionDate".into(), at.into());
    object.get_mut("sxSignature").unwrap().as_object_mut().unwrap().insert("date".into(), at.into());
    json::write(&document)
}

#[test]
fn terms_are_what_they_have_to_be_or_nothing_is_made() {
    let world = World::new();
    let make = |terms: &str| code(Terms::read(terms, &Limits::default()));
    let [a, b] = [0, 1].map(|n| world.id(n));
    for none in ["{}", r#"{"agentIDs":[]}"#, r#"{"agentIDs":"x"}"#] {
        assert_eq!(make(none), Some(Code::NoParties), "{none}");
    }
    for bad in ["1", "\"x\"", "null", &format!("\"{}\"", a.to_uppercase())] {
        assert_eq!(make(&format!(r#"{{"agentIDs":["{a}",{bad}]}}"#)), Some(Code::InvalidId), "{bad}");
    }
    assert_eq!(make(&format!(r#"{{"agentIDs":["{a}","{b}","{a}"]}}"#)), Some(Code::InvalidOption));
    let wrong = [
        r#""question":1"#,
        r#""context":null"#,
        r#""quorum":0"#,
        r#""quorum":3"#,
        r#""quorum":1.5"#,
        r#""quorum":-1"#,
        r#""quorum":"1""#,
        r#""quorum":null"#,
        r#""signBy":"tomorrow""#,
        r#""signBy":"2027-01-01T00:00:00Z""#,
        r#""signBy":1"#,
        r#""algorithms":[]"#,
        r#""algorithms":["rsa"]"#,
        r#""algorithms":[1]"#,
        r#""algorithms":"ed25519""#,
        r#""algorithms":["ed25519","Ed25519"]"#,
        r#""algorithms":["ed25519","pq2025","ed25519"]"#,
        r#""minStrength":"weak""#,
        r#""minStrength":1"#,
        r#""minStrength":"pq","algorithms":["ed25519"]"#,
        r#""signatures":[]"#,
        r#""other":1"#,
    ];
    for one in wrong {
        let terms = format!(r#"{{"agentIDs":["{a}","{b}"],{one}}}"#);
        assert_eq!(make(&terms), Some(Code::InvalidOption), "{one}");
    }
    assert_eq!(make("[]"), Some(Code::Internal));
    for field in ["", r#","field":1"#] {
        assert_eq!(make(&format!(r#"{{"agentIDs":["{a}"]{field}}}"#)), Some(Code::Internal), "{field}");
    }
    let message = world.message(0, "1");
    let at = |text: &str| {
        code(world.create(&message, FIELD, &[0, 1], &format!(r#","signBy":"2026-11-20T14:49:19.{text}Z""#)))
    };
    assert_eq!([at("007"), at("008")], [Some(Code::InvalidOption), None], "the deadline is in the past");
}

#[test]
fn a_field_name_is_free_or_refused() {
    let world = World::new();
    let message = world.agents[0].sign(Kind::Document, r#"{"amount":1}"#).unwrap().raw;
    for name in ["sxId", "sxFiles", "sxSignature", "$schema", "sxPublicKeys", "sxOther", "sxAgreements"] {
        assert_eq!(code(world.create(&message, name, &[0], "")), Some(Code::ReservedField), "{name}");
        let check = AgreementCheck::start(message.as_bytes(), name, &Limits::default());
        assert_eq!(code(check), Some(Code::ReservedField), "{name}");
    }
    for name in ["", "a b", "ä", "a.b", &"x".repeat(65), "amount"] {
        assert_eq!(code(world.create(&message, name, &[0], "")), Some(Code::InvalidOption), "{name}");
    }
    for name in ["approval", "__proto__", "sx", "sxa", "content"] {
        assert!(world.create(&message, name, &[0], "").is_ok(), "{name}");
        let check = AgreementCheck::start(message.as_bytes(), name, &Limits::default());
        assert_eq!(code(check), Some(Code::NoAgreement), "{name}");
    }
    assert_eq!(code(world.sign(0, &message)), Some(Code::NoAgreement));
    for text in ["1", "[]", "null", "{}"] {
        let check = AgreementCheck::start(text.as_bytes(), FIELD, &Limits::default());
        assert_eq!(code(check), Some(Code::NoAgreement), "{text}");
    }
    let refused = |text: &str| code(AgreementCheck::start(text.as_bytes(), FIELD, &Limits::default()));
    assert_eq!(refused("{"), Some(Code::NotJson));
    assert_eq!(refused(r#"{"sxAgreement":1,"sxAgreement":2}"#), Some(Code::DuplicateKey));
}

#[test]
fn an_agreement_is_made_anew_until_somebody_has_signed() {
    let world = World::new();
    let asked = world.asked(&[0, 1], "");
    let again = world.create(&asked, FIELD, &[0, 2], "").unwrap();
    assert_eq!(member(&again, "sxPreviousVersion"), member(&asked, "sxVersion"));
    assert_eq!(json::write(get(&world.check(&again), "required")), world.ids(&[0, 2]));
    let signed = world.sign(0, &again).unwrap();
    assert_eq!(code(world.create(&signed, FIELD, &[0], "")), Some(Code::AgreementExists));
    assert!(world.create(&signed, "second", &[0], "").is_ok());
}

#[test]
fn only_documents_of_callers_have_agreements() {
    let world = World::new();
    let agent = &world.agents[0].agent.raw;
    assert_eq!(code(world.create(agent, FIELD, &[0], "")), Some(Code::InvalidOption));
    let manifest = world.agents[0].manifest(1, &"0".repeat(64)).unwrap().raw;
    assert_eq!(code(world.create(&manifest, FIELD, &[0], "")), Some(Code::ReservedField));
    let custom = Making { schema: Some("https://example.com/x.json".into()), ..of(Kind::Document) };
    let author = world.agents[0].signer();
    let document = document::create(&author, b"{}", &custom, &moment(NOW, 9)).unwrap().raw;
    assert!(
        world.create(&document, FIELD, &[0], "").is_ok(),
        "a schema says nothing of the field of the header"
    );
    assert_eq!(code(world.create(&document, "approval", &[0], "")), Some(Code::SchemaRequired));
}

#[test]
fn an_agreement_that_is_malformed_is_invalid_and_says_why() {
    let world = World::new();
    let signed = world.sign(0, &world.asked(&[0, 1], "")).unwrap();
    let cases = [
        ("v", Some("2"), "UnsupportedFormat: "),
        ("v", None, "InvalidDocument: "),
        ("v", Some("\"1\""), "InvalidDocument: "),
        ("documentHash", None, "InvalidDocument: "),
        ("agreementHash", Some("1"), "InvalidDocument: "),
        ("signatures", None, "InvalidDocument: "),
        ("signatures", Some("{}"), "InvalidDocument: "),
        ("agentIDs", Some("[]"), "InvalidDocument: "),
        ("agentIDs", None, "InvalidDocument: "),
        ("question", None, "InvalidDocument: "),
        ("quorum", Some("3"), "InvalidDocument: "),
        ("other", Some("1"), "InvalidDocument: "),
    ];
    for (name, value, reason) in cases {
        let malformed = with(&signed, &[FIELD], name, value);
        let status = world.check(&malformed);
        assert_eq!(outcome(&status), found("invalid", 0, &[]), "{name}");
        let errors = get(&status, "errors").as_array().unwrap();
        assert!(errors.len() == 1 && errors[0].as_str().unwrap().starts_with(reason), "{name}: {errors:?}");
        assert!(world.sign(1, &malformed).is_err(), "{name}");
        let names: Vec<_> = status.as_object().unwrap().iter().map(|(name, _)| name.to_string()).collect();
        let whole: Vec<_> =
            world.check(&signed).as_object().unwrap().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, whole);
    }
    for (value, kind) in [
        ("1", "a number"),
        ("[]", "an array"),
        ("null", "null"),
        ("\"x\"", "a string"),
        ("true", "a boolean"),
    ] {
        let document = with(&signed, &[], FIELD, Some(value));
        let status = world.check(&document);
        assert_eq!(outcome(&status), found("invalid", 0, &[]), "{value}");
        let error = get(&status, "errors").as_array().unwrap()[0].as_str().unwrap();
        assert!(error.contains(&format!("malformed. The field is {kind}, not an object. ")), "{error}");
        let resigned = resigned(&document, &world.agents[0].key);
        let verdict = world.agents[0].verify(&resigned).outcome;
        assert_eq!(code(verdict), Some(Code::InvalidDocument), "no document has that");
    }
    let junk = resigned(&with(&signed, &[], FIELD, Some("{}")), &world.agents[0].key);
    assert!(world.agents[0].verify(&junk).outcome.is_ok(), "a verdict leaves the rest to the check");
}

#[test]
fn input_that_carries_an_agreement_is_refused_and_updates_keep_it() {
    let world = World::new();
    let author = world.agents[0].signer();
    let created = document::create(&author, br#"{"sxAgreement":{}}"#, &of(Kind::Document), &moment(NOW, 9));
    assert_eq!(code(created), Some(Code::ReservedField));
    let signed = world.sign(0, &world.asked(&[0, 1], "")).unwrap();
    let forged = changed(&signed, |field| drop(field.insert("question".into(), "".into())));
    let update = |text: &str| {
        document::update(&author, signed.as_bytes(), text.as_bytes(), &Making::default(), &moment(NOW + 9, 7))
    };
    assert_eq!(code(update(&forged)), Some(Code::ReservedField));
    assert_eq!(member(&update(&signed).unwrap().raw, FIELD), member(&signed, FIELD));
}

#[test]
fn as_many_parties_as_a_document_holds() {
    let world = World::of(&[Algorithm::Ed25519]);
    let ids: Vec<Value> = (0..20_000u64)
        .map(|n| Value::from(format!("00000000-0000-4000-8000-{n:012x}")))
        .chain([world.id(0).into()])
        .collect();
    let terms = format!(r#"{{"field":"{FIELD}","agentIDs":{}}}"#, json::write(&ids.into()));
    let (_, terms) = Terms::read(&terms, &Limits::default()).unwrap();
    let message = world.message(0, "1");
    let author = world.agents[0].signer();
    let asked = agreement_field::create(
        &author,
        of_document(&message),
        terms,
        &Making::default(),
        &moment(NOW + 1, 50),
    );
    let status = world.check(&world.sign(0, &asked.unwrap().raw).unwrap());
    assert_eq!(get(get(&status, "quorum"), "need"), &Value::Number(20_001.0));
    assert_eq!(outcome(&status), found("partial", 1, &[]));
}
