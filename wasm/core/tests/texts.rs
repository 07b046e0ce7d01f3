//! Signed texts: several signers, what is refused, and what is said of texts that changed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]

mod common;
#[path = "../../media/tests/common/rounds.rs"]
mod rounds;

use common::{Fixture, NOW, moment, with};
use sx_core::document::Author;
use sx_core::error::Code;
use sx_core::json::{Limits, Object, Value};
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::text::{self, BEGIN, END, MAX_BLOCKS, Splice, TextVerification};

fn limits() -> Limits {
    Limits::default()
}

fn agents() -> [Fixture; 3] {
    [
        Fixture::new(Algorithm::Ed25519, 1),
        Fixture::new(Algorithm::Pq2025, 2),
        Fixture::new(Algorithm::Ed25519, 3),
    ]
}

/// A ring that trusts these agents.
fn ring(agents: &[&Fixture]) -> Ring {
    let mut ring = Ring::default();
    for Fixture { agent, .. } in agents {
        ring.set(&agent.id, Source::Trust, Some(agent.raw.as_bytes()));
    }
    ring
}

fn try_sign(agent: &Fixture, text: &[u8], n: u8) -> Result<Vec<u8>, Code> {
    let splice = text::sign(&agent.signer(), text, &moment(NOW, n)).map_err(|error| error.code)?;
    let Splice { from, to, insert, .. } = splice;
    Ok([&text[..from], insert.as_bytes(), &text[to..]].concat())
}

fn sign(agent: &Fixture, text: &[u8], n: u8) -> Vec<u8> {
    try_sign(agent, text, n).unwrap()
}

fn sign_str(agent: &Fixture, text: &str, n: u8) -> String {
    String::from_utf8(sign(agent, text.as_bytes(), n)).unwrap()
}

/// The result, and the line for programs.
fn verify(text: &[u8], ring: &Ring) -> (Object, String) {
    let answer = TextVerification::start(text, &limits()).unwrap().finish(ring);
    let (head, result) = answer.split_once('\n').unwrap();
    (common::parse(result).as_object().unwrap().clone(), head.into())
}

fn text_of<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or("")
}

/// Status, whether it is valid, and of each signer its status and code.
fn outcome(text: &[u8], ring: &Ring) -> (String, bool, Vec<(String, String)>) {
    let (result, _) = verify(text, ring);
    let signers = result.get("signers").unwrap().as_array().unwrap().iter().map(|signer| {
        let signer = signer.as_object().unwrap();
        (text_of(signer, "status").to_string(), text_of(signer, "code").to_string())
    });
    (text_of(&result, "status").into(), result.get("valid").unwrap().as_bool().unwrap(), signers.collect())
}

fn is_valid(text: &[u8], ring: &Ring) -> bool {
    outcome(text, ring).1
}

fn one(status: &str, code: &str) -> Vec<(String, String)> {
    vec![(status.into(), code.into())]
}

#[test]
fn any_text_is_signed_and_stays_as_it_is() {
    for agent in &agents()[..2] {
        let ring = ring(&[agent]);
        for text in [
            "",
            "\n",
            "a",
            "a\n",
            "a\n\n",
            "a\r\n",
            "a\r",
            "\r\n\r\n",
            "\u{FEFF}# é 世界 🌍\n",
            " \t",
            "x,y\n1,2",
        ] {
            let signed = sign_str(agent, text, 1);
            assert!(signed.starts_with(text), "{text:?}");
            let (result, head) = verify(signed.as_bytes(), &ring);
            assert_eq!(head, "{}");
            assert_eq!(text_of(&result, "status"), "signed");
            assert_eq!(result.get("valid"), Some(&Value::Bool(true)), "{text:?}");
            assert_eq!(result.get("length"), Some(&Value::Number(text.len() as f64)));
            let signer = result.get("signers").unwrap().as_array().unwrap()[0].as_object().unwrap();
            assert_eq!(text_of(signer, "signerId"), agent.agent.id);
            assert_eq!(text_of(signer, "keyId"), agent.key.public_key().key_id());
            assert_eq!(text_of(signer, "signerName"), "Test");
            assert_eq!(text_of(signer, "signedAt"), "2026-11-20T14:49:19.007Z");
            assert_eq!(signer.get("trusted"), Some(&Value::Bool(true)));
            // Without the line feed at its end, or with blanks after it, nothing else is said.
            assert!(is_valid(signed.strip_suffix('\n').unwrap().as_bytes(), &ring));
            assert!(is_valid(format!("{signed}\n \t\r\n").as_bytes(), &ring));
        }
    }
}

#[test]
fn signers_come_in_any_order_and_replace_only_their_own() {
    let [a, b, c] = agents();
    let all = ring(&[&a, &b, &c]);
    let mut signed = sign(&c, &sign(&b, &sign(&a, b"# Contract", 1), 2), 3);
    assert_eq!(outcome(&signed, &all), ("signed".into(), true, vec![("valid".into(), String::new()); 3]));
    let blocks = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.split(BEGIN).skip(1).map(Into::into).collect()
    };
    let before = blocks(&signed);
    for (at, agent) in [&a, &b, &c].into_iter().enumerate() {
        let again = sign(agent, &signed, 20 + at as u8);
        assert!(is_valid(&again, &all));
        for (other, block) in blocks(&again).iter().enumerate() {
            assert_eq!(*block == blocks(&signed)[other], other != at);
        }
        signed = again;
    }
    // Blocks in another order, one of them gone, blank lines between them.
    let text = |order: &[usize]| {
        let blocks: Vec<String> =
            order.iter().map(|at| format!("{BEGIN}{}", before[*at].trim_end())).collect();
        format!("# Contract\n{}\n\n", blocks.join("\n \r\n\t\n"))
    };
    for order in [vec![2, 0, 1], vec![1, 0], vec![2]] {
        let found = outcome(text(&order).as_bytes(), &all);
        assert_eq!(found, ("signed".into(), true, vec![("valid".into(), String::new()); order.len()]));
    }
    // Who is unknown makes the whole no less read, but not valid.
    let found = outcome(text(&[0, 1, 2]).as_bytes(), &ring(&[&a, &c]));
    let expected = [("valid", ""), ("unknown_key", "UnknownSigner"), ("valid", "")];
    assert_eq!(found, ("signed".into(), false, expected.map(|(s, c)| (s.into(), c.into())).into()));
    // Two blocks of one signer are not two signers.
    let found = outcome(text(&[0, 1, 0]).as_bytes(), &all);
    assert_eq!((found.0.as_str(), found.1), ("malformed", false));
    assert_eq!(try_sign(&a, text(&[0, 0]).as_bytes(), 9), Err(Code::MarkerCollision));
}

#[test]
fn the_text_may_be_changed_and_signed_again() {
    let [a, b, _] = agents();
    let all = ring(&[&a, &b]);
    let signed = String::from_utf8(sign(&b, &sign(&a, b"100\n", 1), 2)).unwrap();
    let changed = signed.replacen("100", "900", 1);
    let bad = ("invalid".to_string(), "HashMismatch".to_string());
    let good = ("valid".to_string(), String::new());
    assert_eq!(outcome(changed.as_bytes(), &all), ("signed".into(), false, vec![bad.clone(), bad.clone()]));
    let half = sign(&a, changed.as_bytes(), 3);
    assert_eq!(outcome(&half, &all), ("signed".into(), false, vec![good.clone(), bad]));
    assert_eq!(outcome(&sign(&b, &half, 4), &all), ("signed".into(), true, vec![good.clone(), good]));
}

#[test]
fn t06_keys_decide_on_each_signature() {
    let [a, b, c] = agents();
    let signed = sign(&a, b"text\n", 1);
    let pem = |agent: &Fixture| agent.key.public_key().to_spki_pem();
    let id = &a.agent.id;
    let mut keys = Ring::default();
    assert_eq!(outcome(&signed, &keys).2, one("unknown_key", "UnknownSigner"));
    keys.set(id, Source::Named, Some(pem(&a).as_bytes()));
    let (result, _) = verify(&signed, &keys);
    let signer = result.get("signers").unwrap().as_array().unwrap()[0].as_object().unwrap();
    assert_eq!((text_of(signer, "status"), signer.get("trusted")), ("valid", Some(&Value::Bool(false))));
    for source in [Source::Directory, Source::Named] {
        let mut keys = ring(&[&a]);
        keys.set(id, source, Some(pem(&c).as_bytes()));
        assert_eq!(outcome(&signed, &keys).2, one("key_conflict", "KeyConflict"), "{source:?}");
    }
    keys.set(id, Source::Named, Some(pem(&b).as_bytes()));
    assert_eq!(outcome(&signed, &keys).2, one("invalid", "KeyMismatch"));
    keys.set(id, Source::Named, Some(b""));
    assert_eq!(outcome(&signed, &keys).2, one("invalid", "InvalidKey"));
    keys.set(id, Source::Named, None);
    let revoked = common::with_revocation(&a.agent.raw, "2026-01-01T00:00:00.000Z", "compromised");
    keys.set(id, Source::Trust, Some(common::signed_as_it_is(&revoked, &a.key).as_bytes()));
    assert!(!is_valid(&signed, &keys));
}

#[test]
fn t17_t21_t22_t23_a_text_that_changed_is_not_valid() {
    let [a, ..] = agents();
    let all = ring(&[&a]);
    let text = "# Caf\u{e9}\nfirst line\nsecond line  \n";
    let signed = sign_str(&a, text, 1);
    let changed = |found: &str, put: &str| {
        let changed = signed.replacen(found, put, 1);
        assert_ne!(changed, signed);
        let (status, valid, signers) = outcome(changed.as_bytes(), &all);
        assert!(!valid);
        assert_eq!((status.as_str(), signers.len(), signers[0].0.as_str()), ("signed", 1, "invalid"));
        signers[0].1.clone()
    };
    assert_eq!(changed("\u{e9}", "e\u{301}"), "HashMismatch");
    for end in ["\u{c}", "\u{b}", "\u{2028}", "\u{85}", "\rpay 9999", "\u{200B}"] {
        assert_eq!(changed("first line\n", &format!("first line{end}\n")), "HashMismatch", "{end:?}");
    }
    assert_eq!(changed("first line\n", "first line\0\n"), "NotText");
    assert_eq!(changed(BEGIN, &format!("\n{BEGIN}")), "TrailingWhitespace");
    assert_eq!(changed(BEGIN, &format!(" \n{BEGIN}")), "TrailingWhitespace");
    assert_eq!(changed("first line\n", "first line  \n"), "HashMismatch"); // one line had blanks at its end
    assert_eq!(changed("first line\n", ""), "HashMismatch");

    for text in ["a\nb\n", "a\nb", "a\r\nb\r\n", "a\r\nb"] {
        let signed = sign_str(&a, text, 2);
        let unix = signed.replace("\r\n", "\n");
        for converted in [unix.replace('\n', "\r\n"), unix] {
            if converted == signed {
                continue;
            }
            let found = outcome(converted.as_bytes(), &all);
            assert_eq!(found, ("signed".into(), false, one("invalid", "LineEndingsChanged")), "{text:?}");
        }
    }
    let signed = sign_str(&a, "a\nb\n", 3);
    for (found, put) in
        [("b\n", "b  \n"), ("sxLevel: \"raw\"\n", "sxLevel: \"raw\" \n"), (END, &format!("{END}\t"))]
    {
        let found = outcome(signed.replacen(found, put, 1).as_bytes(), &all);
        assert_eq!(found, ("signed".into(), false, one("invalid", "TrailingWhitespace")));
    }
    let not_utf8 = [b"\xFF", signed.as_bytes()].concat();
    assert_eq!(outcome(&not_utf8, &all), ("signed".into(), false, one("invalid", "NotText")));
}

#[test]
fn t19_t20_t24_what_is_not_as_the_library_writes_it_is_malformed() {
    let [a, b, _] = agents();
    let all = ring(&[&a, &b]);
    let signed = String::from_utf8(sign(&b, &sign(&a, b"text\n", 1), 2)).unwrap();
    let first = signed.find(BEGIN).unwrap();
    let second = signed.rfind(BEGIN).unwrap();
    let cases = [
        ("T19 text after the last block", format!("{signed}pay 9999\n")),
        ("T19 text behind the last marker", format!("{}pay 9999\n", signed.trim_end())),
        ("T19 a byte that is no blank", format!("{signed}\u{c}\n")),
        ("T19 a space that is no blank", format!("{signed}\u{a0}\n")),
        ("T20 text between two blocks", format!("{}pay 9999\n{}", &signed[..second], &signed[second..])),
        ("T20 a block inside a block", signed.replacen("sxId", &format!("{BEGIN}\nsxId"), 1)),
        (
            "T20 a block inside a block, with its end",
            signed.replacen("sxId", &format!("{BEGIN}\n{END}\nsxId"), 1),
        ),
        ("an end before the beginning", format!("{END}\n{signed}")),
        ("an end after the end", format!("{signed}{END}\n")),
        ("an end alone", format!("text\n{END}\n")),
        ("a beginning alone", format!("text\n{BEGIN}\n")),
        ("an empty block", format!("text\n{BEGIN}\n{END}\n")),
        ("the marker of a beginning damaged", signed.replacen("BEGIN", "BEGIM", 1)),
        ("no line feed before the block", signed.replacen("text\n", "text", 1)),
        ("T24 an anchor", signed.replacen("sxLevel: \"raw\"", "sxLevel: &a \"raw\"", 1)),
        ("T24 an alias", signed.replacen("sxLevel: \"raw\"", "sxLevel: *a", 1)),
        ("T24 a tag", signed.replacen("sxLevel: \"raw\"", "sxLevel: !!js \"raw\"", 1)),
        ("T24 an escape", signed.replacen("sxLevel: \"raw\"", "sxLevel: \"\u{1b}[31mraw\"", 1)),
        ("T24 a comment", signed.replacen("sxLevel: \"raw\"", "sxLevel: \"raw\" # trusted", 1)),
        ("T24 a further line", signed.replacen("sxLevel: \"raw\"", "sxLevel: \"raw\"\n\nsxA: \"b\"", 1)),
        ("a marker of a later version", format!("{signed}{}\n", BEGIN.replace("SX", "SX V2"))),
    ];
    for (name, text) in cases {
        let (status, valid, signers) = outcome(text.as_bytes(), &all);
        assert_eq!((status.as_str(), valid), ("malformed", false), "{name}");
        assert!(
            signers.iter().all(|(status, code)| status == "invalid" && !code.is_empty()),
            "{name}: {signers:?}"
        );
        let (result, head) = verify(text.as_bytes(), &all);
        assert!(head.contains("MalformedText") && text_of(&result, "code") == "MalformedText", "{name}");
        assert_eq!(result.get("length"), Some(&Value::Number(0.0)));
        assert_eq!(try_sign(&a, text.as_bytes(), 9), Err(Code::MarkerCollision), "{name}");
    }
    for (end, count) in [(signed.len() - 2, 2), (second + 400, 2), (second - 2, 1)] {
        let (result, _) = verify(&signed.as_bytes()[..end], &all);
        assert_eq!(text_of(&result, "status"), "malformed");
        let signers = result.get("signers").unwrap().as_array().unwrap();
        assert_eq!(signers.len(), count);
        assert_eq!(text_of(signers[count - 1].as_object().unwrap(), "code"), "TruncatedBlock");
    }
    let named = verify(&signed.as_bytes()[..second + 800], &all).0;
    let last = named.get("signers").unwrap().as_array().unwrap()[1].as_object().unwrap().clone();
    assert_eq!(text_of(&last, "signerId"), b.agent.id);
    assert_eq!(outcome(&signed.as_bytes()[..first], &all), ("missing_signature".into(), false, vec![]));
}

#[test]
fn what_is_no_text_is_neither_signed_nor_verified() {
    let [a, ..] = agents();
    let utf16: Vec<u8> = "a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark = [b"\xFF\xFE", utf16.as_slice()].concat();
    for bytes in [
        &utf16,
        &with_mark,
        &b"a\xC3\n".to_vec(),
        &b"\x89PNG\r\n\x1a\n\0".to_vec(),
        &b"\xED\xA0\x80".to_vec(),
    ] {
        assert_eq!(try_sign(&a, bytes, 1), Err(Code::NotText));
        let (result, head) = verify(bytes, &Ring::default());
        assert_eq!((text_of(&result, "status"), text_of(&result, "code")), ("malformed", "NotText"));
        assert!(head.contains("NotText"));
    }
    let (result, head) = verify(b"", &Ring::default());
    assert_eq!(
        (text_of(&result, "status"), text_of(&result, "code")),
        ("missing_signature", "MissingSignature")
    );
    assert!(head.contains("MissingSignature"));
}

#[test]
fn limits_hold_before_and_after_signing() {
    let [a, ..] = agents();
    let text = vec![b'a'; 2000];
    let signed = sign(&a, &text, 1);
    let limit = |bytes: usize| Limits { bytes, ..Limits::default() };
    let code = |bytes: usize| {
        text::sign(&Author { limits: limit(bytes), ..a.signer() }, &text, &moment(NOW, 1))
            .err()
            .map(|error| error.code)
    };
    assert_eq!(
        (code(signed.len()), code(signed.len() - 1), code(1999)),
        (None, Some(Code::LimitExceeded), Some(Code::LimitExceeded))
    );
    let start = |bytes: usize| TextVerification::start(&signed, &limit(bytes)).err().map(|error| error.code);
    assert_eq!((start(signed.len()), start(signed.len() - 1)), (None, Some(Code::LimitExceeded)));

    let block = String::from_utf8(sign(&a, b"", 1)).unwrap();
    let blocks = |count: usize| -> String {
        let other = |n: usize| block.replace(&a.agent.id, &format!("{n:08x}-0000-4000-8000-000000000000"));
        (0..count).map(other).collect()
    };
    assert!(TextVerification::start(blocks(MAX_BLOCKS).as_bytes(), &limits()).is_ok());
    let many = TextVerification::start(blocks(MAX_BLOCKS + 1).as_bytes(), &limits()).err();
    assert_eq!(many.map(|error| error.code), Some(Code::LimitExceeded));
    assert_eq!(try_sign(&a, blocks(MAX_BLOCKS).as_bytes(), 2), Err(Code::LimitExceeded));
    assert!(try_sign(&a, blocks(MAX_BLOCKS - 1).as_bytes(), 2).is_ok());
}

/// A text with a block around any document that the agent has signed.
fn around(text: &str, document: &str) -> String {
    let mut block = format!("{text}{BEGIN}\n");
    for (name, value) in common::parse(document).as_object().unwrap().iter() {
        match value {
            Value::Object(inner) => {
                block.push_str(&format!("{name}:\n"));
                inner.iter().for_each(|(name, value)| block.push_str(&line("  ", name, value)));
            }
            value => block.push_str(&line("", name, value)),
        }
    }
    format!("{block}{END}\n")
}

fn line(indent: &str, name: &str, value: &Value) -> String {
    let Some(text) = value.as_str() else { return format!("{indent}{name}: {}\n", value.as_f64().unwrap()) };
    let chunks: Vec<&str> = text.as_bytes().chunks(64).map(|chunk| str::from_utf8(chunk).unwrap()).collect();
    format!("{indent}{name}: \"{}\"\n", chunks.join(&format!("\\\n{indent}  ")))
}

#[test]
fn only_documents_of_texts_count_whoever_signed_them() {
    let [a, ..] = agents();
    let all = ring(&[&a]);
    let signed = sign_str(&a, "text\n", 1);
    let block = &signed["text\n".len()..];
    let mut raw = Object::new();
    let mut inner: Option<(String, Object)> = None;
    // The reader of the core is not public: what a block says is read here in another way.
    for entry in block.replace("\\\n    ", "").lines().filter(|line| !line.starts_with('-')) {
        let (name, value) = entry.trim_start().split_once(':').unwrap();
        if !entry.starts_with(' ')
            && let Some((name, object)) = inner.take()
        {
            raw.insert(name, object.into());
        }
        match (value.trim(), &mut inner) {
            ("", _) => inner = Some((name.into(), Object::new())),
            (value, Some((_, object))) => drop(object.insert(name.into(), common::parse(value))),
            (value, None) => drop(raw.insert(name.into(), common::parse(value))),
        }
    }
    let raw = sx_core::json::write(&raw.into());
    assert_eq!(around("text\n", &raw), signed);
    assert!(a.verify(&raw).outcome.is_ok(), "a block is a signed document");

    let resigned = |document: &str| around("text\n", &common::resigned(document, &a.key));
    assert!(is_valid(resigned(&raw).as_bytes(), &all));
    let content = |name: &str, value: Option<&str>| with(&raw, &["content"], name, value);
    let registration = common::member(&raw, "sxSignature");
    let id = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    let linked = with(
        &with(&raw, &[], "sxPreviousVersion", Some(&format!("\"{id}\""))),
        &[],
        "sxOriginalVersion",
        Some(&format!("\"{id}\"")),
    );
    for (name, document, code) in [
        ("another type", with(&raw, &[], "sxType", Some("\"message\"")), "InvalidDocument"),
        ("another scheme", content("scheme", Some("\"sx-text-v2\"")), "UnsupportedFormat"),
        ("no scheme", content("scheme", None), "InvalidDocument"),
        ("no length", content("length", None), "InvalidDocument"),
        ("a length that is a text", content("length", Some("\"5\"")), "InvalidDocument"),
        ("another length", content("length", Some("4")), "HashMismatch"),
        ("another hash", content("sha256", Some(&format!("\"{}\"", "0".repeat(64)))), "HashMismatch"),
        ("a further member of the content", content("title", Some("\"x\"")), "InvalidDocument"),
        ("a further member", with(&raw, &[], "title", Some("\"x\"")), "InvalidDocument"),
        ("a reserved member", with(&raw, &[], "sxLater", Some("\"x\"")), "UnsupportedFormat"),
        ("a custom schema", with(&raw, &[], "$schema", Some("\"https://example.com/\"")), "InvalidDocument"),
        ("a later version", linked, "InvalidDocument"),
    ] {
        let found = outcome(resigned(&document).as_bytes(), &all);
        assert_eq!(found, ("signed".into(), false, one("invalid", code)), "{name}");
    }
    let found = outcome(around("text\n", &content("length", Some("6"))).as_bytes(), &all);
    assert_eq!(found, ("signed".into(), false, one("invalid", "BadSignature")));
    // The signature of a document does not cover who has registered it.
    let registered = with(&raw, &[], "sxRegistration", Some(&registration));
    assert!(a.verify(&registered).outcome.is_ok());
    assert_eq!(outcome(around("text\n", &registered).as_bytes(), &all).2, one("invalid", "InvalidDocument"));
    let nobody = with(&raw, &["sxSignature"], "agentID", Some("\"nobody\""));
    assert_eq!(outcome(around("text\n", &nobody).as_bytes(), &all).0, "malformed");
}

#[test]
fn nobody_is_brought_to_sign_a_text_as_a_document() {
    let [a, ..] = agents();
    for kind in ["sx-text", "sx-image", "sx-"] {
        let made =
            a.sign(sx_core::document::Kind::Document, &format!(r#"{{"sxType":"{kind}","content":{{}}}}"#));
        assert_eq!(made.err().map(|error| error.code), Some(Code::ReservedField));
    }
    assert!(a.sign(sx_core::document::Kind::Document, r#"{"sxType":"sx"}"#).is_ok());
}

#[test]
fn t18_warnings_come_with_every_verdict() {
    let [a, ..] = agents();
    let text = "a\u{202E}b\n-----\u{412}EGIN SX SIGNATURE-----\n";
    for bytes in [text.as_bytes().to_vec(), sign(&a, text.as_bytes(), 1)] {
        let (result, _) = verify(&bytes, &ring(&[&a]));
        let warnings = common::parse(
            r#"[{"character":"U+202E","code":"BidiControl","column":2,"line":1},{"code":"ConfusableMarker","column":1,"line":2}]"#,
        );
        assert_eq!(result.get("warnings"), Some(&warnings));
    }
}

#[test]
fn warnings_take_about_as_long_whatever_the_lines_are() {
    let look = |unit: &str| {
        let text = unit.repeat((1 << 20) / unit.len());
        move || drop(TextVerification::start(text.as_bytes(), &Limits::default()).unwrap())
    };
    let prose = look("Der Käufer zahlt 100 € binnen 14 Tagen; 契約は有効です。\n");
    for unit in [
        "{\n",
        "{\r\n",
        "\n",
        "-\n",
        "А\n",
        "А",
        "ー",
        "-----BEGIN SX SIGNATUR\n",
        "-----BEGIN SX SIGNATUREー",
        "\t3\n",
    ] {
        // It was 70 times as long.
        rounds::is_within(20, &prose, look(unit)).unwrap_or_else(|found| panic!("{unit:?}: {found}"));
    }
}

#[test]
fn a_block_of_very_many_members_is_read_in_passing() {
    for value in [" 0", ""] {
        let look = |count: usize| {
            let body: String = (0..count).rev().map(|n| format!("a{n:08}:{value}\n")).collect();
            let text = format!("x\n{BEGIN}\n{body}-----END SX SIGNATURE-----\n");
            move || drop(TextVerification::start(text.as_bytes(), &Limits::default()).unwrap())
        };
        // Eight times as many; 64 times as long, minutes, if each is inserted before the others.
        rounds::is_within(24, look(25_000), look(200_000)).unwrap();
    }
}
