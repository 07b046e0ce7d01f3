//! Documents with files: their shape, what verification says of what is embedded, results, updates, matching.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use base64ct::{Base64, Encoding as _};
use common::{Fixture, NOW, moment, of, parse, with};
use sx_core::document::{self, Author, Kind, Making};
use sx_core::error::{Code, Error, Result};
use sx_core::files;
use sx_core::hash::sha256_hex;
use sx_core::json::{self, Limits};
use sx_core::keys::Algorithm;

fn fixture() -> Fixture {
    Fixture::new(Algorithm::Ed25519, 1)
}

fn entry(name: &str, bytes: &[u8], is_embedded: bool) -> String {
    let contents = if is_embedded {
        format!(r#","contents":"{}""#, Base64::encode_string(bytes))
    } else {
        String::new()
    };
    format!(
        r#"{{"filename":{},"mimeType":"text/plain","size":{},"sha256":"{}","embedded":{is_embedded}{contents}}}"#,
        json::write(&name.into()),
        bytes.len(),
        sha256_hex(bytes),
    )
}

fn attach(fixture: &Fixture, text: &str, files: &str) -> Result<document::Made> {
    let signer = fixture.signer();
    document::create(
        &signer,
        text.as_bytes(),
        &Making { files: Some(files), ..of(Kind::Document) },
        &moment(NOW, 5),
    )
}

fn code(made: Result<document::Made>) -> Option<Code> {
    made.err().map(|error| error.code)
}

#[test]
fn large_files_are_embedded() {
    let fixture = fixture();
    let bytes = vec![7; 20 << 20];
    let made = attach(&fixture, "{}", &format!("[{}]", entry("a", &bytes, true))).unwrap();
    assert!(fixture.verify(&made.raw).outcome.is_ok());
}

#[test]
fn a_document_tells_its_files_by_safe_names() {
    let fixture = fixture();
    let files = format!("[{},{}]", entry("../a/b.txt", b"one", false), entry("C:\\c.txt", b"two", true));
    let made = attach(&fixture, r#"{"x":1}"#, &files).unwrap();
    let verdict = fixture.verify(&made.raw).outcome.unwrap();
    assert_eq!(verdict.data, r#"{"x":1}"#);
    let shown = json::write(&verdict.attachments.into());
    let (one, two) = (sha256_hex(b"one"), sha256_hex(b"two"));
    let expected = [
        format!(
            r#"[{{"embedded":false,"filename":"b.txt","hash":"{one}","mimeType":"text/plain","size":3}},"#
        ),
        format!(
            r#"{{"content":"dHdv","embedded":true,"filename":"c.txt","hash":"{two}","mimeType":"text/plain","size":3}}]"#
        ),
    ];
    assert_eq!(shown, expected.concat());
    assert!(verdict.warnings.is_empty());
    assert!(made.raw.contains(r#""filename":"b.txt""#) && made.raw.contains(r#""filename":"c.txt""#));
}

/// The document signed anew after a change of its files, as another signer would make it.
fn signed(fixture: &Fixture, files: &str) -> String {
    let made = fixture.sign(Kind::Document, "{}").unwrap();
    common::resigned(&with(&made.raw, &[], "sxFiles", Some(files)), &fixture.key)
}

#[test]
fn names_that_are_not_safe_are_shown_so_with_a_warning() {
    let fixture = fixture();
    let files = format!(
        "[{},{},{}]",
        entry("../../etc/passwd", b"", false),
        entry("a.txt", b"", false),
        entry("A.TXT", b"1", false)
    );
    let verdict = fixture.verify(&signed(&fixture, &files)).outcome.unwrap();
    let names: Vec<_> =
        verdict.attachments.iter().map(|file| file.as_object().unwrap().get("filename")).collect();
    assert_eq!(names, [Some(&"passwd".into()), Some(&"a.txt".into()), Some(&"A.TXT".into())]);
    let warnings: Vec<_> = verdict
        .warnings
        .iter()
        .map(|warning| {
            let warning = warning.as_object().unwrap();
            assert!(warning.get("message").unwrap().as_str().unwrap().ends_with('.'));
            (
                warning.get("code").unwrap().as_str().unwrap(),
                warning.get("attachment").unwrap().as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(warnings, [("UnsafeFilename", 0.0), ("SameFilename", 2.0)]);
}

#[test]
fn entries_have_one_shape() {
    let fixture = fixture();
    let good = entry("a", b"one", true);
    let outcome =
        |files: &str| fixture.verify(&signed(&fixture, files)).outcome.err().map(|error| error.code);
    assert_eq!(outcome(&format!("[{good}]")), None);
    let hash = sha256_hex(b"one");
    for (from, to) in [
        (r#""filename":"a","#, ""),
        (r#""filename":"a""#, r#""filename":1"#),
        (r#""mimeType":"text/plain""#, r#""mimeType":"Text/plain""#),
        (r#""mimeType":"text/plain""#, r#""mimeType":"text""#),
        (r#""mimeType":"text/plain""#, r#""mimeType":"text/plain; charset=utf-8""#),
        (r#""mimeType":"text/plain""#, r#""mimeType":"-/plain""#),
        (r#""size":3"#, r#""size":3.5"#),
        (r#""size":3"#, r#""size":-1"#),
        (r#""size":3"#, r#""size":1e300"#),
        (r#""size":3"#, r#""size":"3""#),
        (&hash, &hash.to_uppercase()),
        (&hash, "00"),
        (r#""embedded":true"#, r#""embedded":false"#),
        (r#""embedded":true"#, r#""embedded":1"#),
        (r#""contents":"b25l""#, r#""contents":1"#),
        (r#","contents":"b25l""#, ""),
        (r#""embedded":true"#, r#""embedded":true,"more":1"#),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good, "{from}");
        assert_eq!(outcome(&format!("[{bad}]")), Some(Code::InvalidDocument), "{to}");
        assert_eq!(outcome(&format!("[{good},{bad}]")), Some(Code::InvalidDocument), "{to}");
    }
    for bad in ["[]", "{}", "null", "1", "[null]", "[[]]"] {
        assert_eq!(outcome(bad), Some(Code::InvalidDocument), "{bad}");
    }
}

#[test]
fn what_is_embedded_is_the_file_that_is_described() {
    let fixture = fixture();
    let good = entry("a", b"one", true);
    let outcome =
        |files: &str| fixture.verify(&signed(&fixture, files)).outcome.err().map(|error| error.code);
    for (from, to) in [
        ("b25l", "b25m"),
        ("b25l", "b25"),
        ("b25l", "b25l\\n"),
        ("b25l", ""),
        ("b25l", "b25lb25l"),
        (r#""size":3"#, r#""size":4"#),
        (r#""size":3"#, r#""size":9007199254740991"#),
        (r#""size":3"#, r#""size":4294967299"#), // 3 in 32 bits
        (&sha256_hex(b"one"), &sha256_hex(b"two")),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good, "{from}");
        assert_eq!(outcome(&format!("[{good},{bad}]")), Some(Code::HashMismatch), "{to}");
        // Making says the same, of a caller that describes another file.
        assert_eq!(code(attach(&fixture, "{}", &format!("[{bad}]"))), Some(Code::HashMismatch), "{to}");
    }
    // A hash alone is the signer's word.
    let alone = entry("a", b"one", false).replace(r#""size":3"#, r#""size":9007199254740991"#);
    assert_eq!(outcome(&format!("[{alone}]")), None);
}

#[test]
fn a_file_is_covered_by_the_signature() {
    let fixture = fixture();
    let made = attach(&fixture, "{}", &format!("[{}]", entry("a", b"one", false))).unwrap();
    let outcome = |text: &str| fixture.verify(text).outcome.err().map(|error| error.code);
    assert_eq!(
        outcome(&made.raw.replace(r#""filename":"a""#, r#""filename":"b""#)),
        Some(Code::BadSignature)
    );
    assert_eq!(outcome(&with(&made.raw, &[], "sxFiles", None)), Some(Code::BadSignature));
}

#[test]
fn only_what_is_handed_over_as_files_is_attached() {
    let fixture = fixture();
    for bad in [r#"{"sxFiles":[]}"#, r#"{"sxFiles":1}"#] {
        assert_eq!(code(fixture.sign(Kind::Document, bad)), Some(Code::ReservedField));
    }
    for bad in ["{}", "1", "[1]", "[{}]", "x", r#"[{"filename":"a"}]"#] {
        let found = code(attach(&fixture, "{}", bad));
        assert!(matches!(found, Some(Code::InvalidOption | Code::NotJson)), "{bad} {found:?}");
    }
    let none = attach(&fixture, "{}", "[]").unwrap();
    assert!(!none.raw.contains("sxFiles"));
    for bad in ["TEXT/plain", "text/plain; charset=UTF-8", "text"] {
        let file = entry("a", b"", false).replace("text/plain", bad);
        assert_eq!(code(attach(&fixture, "{}", &format!("[{file}]"))), Some(Code::InvalidOption), "{bad}");
    }
}

#[test]
fn an_update_keeps_replaces_or_removes_files() {
    let fixture = fixture();
    let first = attach(&fixture, r#"{"x":1}"#, &format!("[{}]", entry("a", b"one", true))).unwrap();
    let mut n = 5;
    let mut update = |current: &str, text: &str, files: Option<&str>| {
        n += 1; // another version each time
        let signer = fixture.signer();
        let (current, text) = (current.as_bytes(), text.as_bytes());
        document::update(&signer, current, text, &Making { files, ..Making::default() }, &moment(NOW + 1, n))
            .unwrap()
            .raw
    };
    let files = |raw: &str| parse(raw).as_object().unwrap().get("sxFiles").cloned();
    let kept = update(&first.raw, r#"{"x":2}"#, None);
    assert_eq!(files(&kept), files(&first.raw));
    assert!(fixture.verify(&kept).outcome.is_ok());
    let other = format!("[{}]", entry("b", b"two", false));
    let replaced = update(&kept, &kept, Some(&other));
    assert_eq!(files(&replaced), Some(parse(&other)));
    assert_eq!(files(&update(&replaced, r#"{"x":2}"#, Some("[]"))), None);
}

#[test]
fn files_count_for_the_limits() {
    let fixture = fixture();
    let limits = Limits { bytes: 20_000, ..Limits::default() };
    let signer = Author { limits, ..fixture.signer() };
    let make = |files: &str| {
        document::create(
            &signer,
            b"{}",
            &Making { files: Some(files), ..of(Kind::Document) },
            &moment(NOW, 5),
        )
    };
    let file = |len: usize| format!("[{}]", entry("a", &vec![0; len], true));
    assert!(make(&file(2000)).is_ok());
    assert_eq!(code(make(&file(3000))), Some(Code::LimitExceeded));
}

#[test]
fn a_file_is_found_among_attachments() {
    let fixture = fixture();
    let files = [("a", b"one"), ("b", b"two"), ("a", b"six")].map(|(name, bytes)| entry(name, bytes, false));
    let made = attach(&fixture, "{}", &format!("[{}]", files.join(","))).unwrap();
    let attachments = json::write(&fixture.verify(&made.raw).outcome.unwrap().attachments.into());
    let find = |name: &str, is_asked: bool, bytes: &[u8]| {
        files::find(&attachments, name, is_asked, bytes.len() as f64, &sha256_hex(bytes))
            .map_err(|e: Error| e.code)
    };
    assert_eq!(find("", false, b"one"), Ok(0));
    assert_eq!(find("", false, b"two"), Ok(1));
    assert_eq!(find("folder/a", false, b"six"), Ok(2));
    assert_eq!(find("C:\\b", false, b"two"), Ok(1));
    assert_eq!(find("c", false, b"two"), Ok(1));
    for (name, is_asked, bytes, expected) in [
        ("a", false, b"two", Code::FileMismatch),
        ("b", true, b"one", Code::FileMismatch),
        ("c", false, b"ten", Code::FileMismatch),
        ("", false, b"ten", Code::FileMismatch),
        ("A", true, b"one", Code::NotFound),
        ("c", true, b"two", Code::NotFound),
    ] {
        assert_eq!(find(name, is_asked, bytes), Err(expected), "{name}");
    }
    assert_eq!(files::find("[]", "a", false, 0.0, "").map_err(|e| e.code), Err(Code::NotFound));
    let longer = files::find(&attachments, "a", false, 4.0, &sha256_hex(b"one"));
    assert_eq!(longer.map_err(|e| e.code), Err(Code::FileMismatch));
}
