//! Signed images: what is decided about what was found in them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, moment, resigned, with};
use sx_core::base64;
use sx_core::error::Code;
use sx_core::image::{self, Found, ImageVerification};
use sx_core::json::{self, Limits, Object, Value};
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};

const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const NONE: &str = r#"{"status":"none","format":"png","content":[[0,9]],"length":9}"#;
const DAMAGED: &str =
    r#"{"status":"damaged","problem":["Altered","BadSignature","It was altered."],"length":9}"#;

fn author() -> Fixture {
    Fixture::new(Algorithm::Ed25519, 1)
}

fn ring() -> Ring {
    let mut ring = Ring::default();
    let Fixture { agent, .. } = &author();
    ring.set(&agent.id, Source::Trust, Some(agent.raw.as_bytes()));
    ring
}

fn file_payload() -> String {
    image::sign_file(&author().signer(), HASH, 9.0, &moment(NOW, 3)).unwrap()
}

fn signed_file(payload: &str, length: usize, c2pa: &str) -> String {
    format!(r#"{{"status":"signed","payload":"{payload}","length":{length}{c2pa}}}"#)
}

fn pixel_text(display: &str) -> String {
    image::sign_pixels(&author().signer(), HASH, display, &moment(NOW, 3)).unwrap()
}

fn signed_pixels(text: &str, sha256: &str, display: &str, exact: bool) -> String {
    let payload = json::write(&Value::from(text));
    format!(
        r#"{{"status":"signed","payload":{payload},"exact":{exact},"sha256":"{sha256}","display":{display}}}"#
    )
}

fn result(scan: &str, sha256: &str, pixels: &str, ring: &Ring) -> Object {
    let found = Found::read(scan, pixels).unwrap();
    let answer = ImageVerification::start(&found, sha256).unwrap().finish(ring);
    let (head, result) = answer.split_once('\n').unwrap();
    let result = json::parse(result.as_bytes(), &Limits::default()).unwrap().as_object().unwrap().clone();
    let is_valid = result.get("status") == Some(&"valid".into());
    assert_eq!(head == "{}", is_valid);
    assert_eq!(result.get("valid"), Some(&Value::Bool(is_valid)));
    assert_eq!(result.get("trusted"), Some(&Value::Bool(is_valid)));
    for name in ["algorithm", "signedAt", "signerName"] {
        assert_eq!(result.get(name) == Some(&"".into()), !is_valid, "{name}");
    }
    result
}

fn verdict(scan: &str, sha256: &str, pixels: &str) -> String {
    let result = result(scan, sha256, pixels, &ring());
    let text = |name| result.get(name).and_then(Value::as_str).unwrap_or("-").to_string();
    [text("status"), text("coverage"), text("code")].join(" ")
}

#[test]
fn a_file_is_valid_with_its_hash_and_length() {
    let payload = file_payload();
    let scan = signed_file(&payload, 9, "");
    assert_eq!(verdict(&scan, HASH, ""), "valid file -");
    assert_eq!(verdict(&scan, &HASH.replace('b', "c"), ""), "invalid file HashMismatch");
    assert_eq!(verdict(&scan, "", ""), "invalid file HashMismatch");
    assert_eq!(verdict(&signed_file(&payload, 10, ""), HASH, ""), "invalid file HashMismatch");
    let unknown = result(&scan, HASH, "", &Ring::default());
    assert_eq!(unknown.get("code"), Some(&Code::UnknownSigner.name().into()));
    assert_eq!(unknown.get("signerId"), Some(&author().agent.id.as_str().into()));
}

#[test]
fn only_the_one_form_of_a_payload_counts() {
    let payload = file_payload();
    let text = String::from_utf8(base64::decode_url(&payload).unwrap()).unwrap();
    let with = |text: &str| signed_file(&base64::encode_url(text.as_bytes()), 9, "");
    assert_eq!(verdict(&with(&text), HASH, ""), "valid file -");
    for other in [format!("{text} "), format!(" {text}"), text.replacen(':', ": ", 1)] {
        assert_eq!(verdict(&with(&other), HASH, ""), "invalid file InvalidDocument");
    }
    assert_eq!(verdict(&with("{}"), HASH, ""), "invalid file MissingSignature");
    assert_eq!(verdict(&signed_file("e31", 9, ""), HASH, ""), "invalid - InvalidDocument");
    assert_eq!(verdict(&signed_file("", 9, ""), HASH, ""), "invalid file NotJson");
}

#[test]
fn pixels_are_valid_only_exactly_and_with_no_new_display() {
    let text = pixel_text(r#"{"gamma":"01","icc":"02"}"#);
    let of =
        |sha256: &str, display: &str, exact| verdict(NONE, "", &signed_pixels(&text, sha256, display, exact));
    for display in ["{}", r#"{"gamma":"01"}"#, r#"{"icc":"02","gamma":"01"}"#] {
        assert_eq!(of(HASH, display, true), "valid pixels -");
    }
    for display in [r#"{"gamma":"02"}"#, r#"{"gamma":1}"#, r#"{"orientation":"6"}"#] {
        assert_eq!(of(HASH, display, true), "invalid pixels DisplayMetadataChanged");
    }
    assert_eq!(of(HASH, "{}", false), "invalid pixels BadSignature");
    assert_eq!(of("", "{}", true), "invalid pixels HashMismatch");
    let file = String::from_utf8(base64::decode_url(&file_payload()).unwrap()).unwrap();
    let crossed = signed_pixels(&file, HASH, "{}", true);
    assert_eq!(verdict(NONE, "", &crossed), "invalid pixels UnsupportedFormat");
    let crossed = signed_file(&base64::encode_url(text.as_bytes()), 9, "");
    assert_eq!(verdict(&crossed, HASH, ""), "invalid file UnsupportedFormat");
}

#[test]
fn what_is_left_stands_in_the_order_of_before() {
    let all = r#""ICC":"01","Exif":"02","XMP":"03""#;
    let text = pixel_text(&format!("{{{all},\"order\":\"Exif ICC*2 XMP ICC*3\"}}"));
    let of = |display: &str| verdict(NONE, "", &signed_pixels(&text, HASH, &format!("{{{display}}}"), true));
    let (valid, changed) = ("valid pixels -", "invalid pixels DisplayMetadataChanged");
    for (kinds, order, expected) in [
        (all, "Exif ICC*2 XMP ICC*3", valid),
        (r#""ICC":"01","Exif":"02""#, "Exif ICC*5", valid),
        (r#""ICC":"01","XMP":"03""#, "ICC*2 XMP ICC*3", valid),
        (r#""Exif":"02","XMP":"03""#, "Exif XMP", valid),
        (all, "Exif ICC*3 XMP ICC*2", changed),
        (all, "ICC*2 Exif XMP ICC*3", changed),
        (all, "Exif XMP ICC*5", changed),
        (r#""ICC":"01","Exif":"02""#, "ICC*5 Exif", changed),
        (r#""ICC":"01","Exif":"02""#, "Exif ICC*4", changed),
        (r#""Exif":"02","XMP":"03""#, "XMP Exif", changed),
    ] {
        assert_eq!(of(&format!("{kinds},\"order\":\"{order}\"")), expected, "{order}");
    }
    for one in ["", r#""ICC":"01""#, r#""Exif":"02""#] {
        assert_eq!(of(one), valid, "one kind has no order");
    }
    assert_eq!(of(all), changed, "three kinds have one");
    let found = signed_pixels(&text, HASH, r#"{"Exif":"02"}"#, true);
    let lost = json::write(result(NONE, "", &found, &ring()).get("lost").unwrap());
    assert_eq!(lost, r#"["ICC","XMP"]"#, "the order is no kind");
    // One that says nothing of it was signed by who does not know of it, or has something to hide.
    let silent = pixel_text(&format!("{{{all}}}"));
    let of =
        |display: &str| verdict(NONE, "", &signed_pixels(&silent, HASH, &format!("{{{display}}}"), true));
    assert_eq!(of(r#""ICC":"01""#), valid);
    assert_eq!(of(&format!("{all},\"order\":\"Exif ICC XMP\"")), changed);
}

#[test]
fn a_document_that_the_library_would_not_make_of_an_image_does_not_count() {
    let odd = pixel_text(r#"{"gamma":"01","extra":5}"#);
    assert_eq!(verdict(NONE, "", &signed_pixels(&odd, HASH, "{}", true)), "invalid pixels InvalidDocument");
    let text = String::from_utf8(base64::decode_url(&file_payload()).unwrap()).unwrap();
    for (level, expected) in [("raw", "valid file -"), ("config", "invalid file InvalidDocument")] {
        let text = with(&text, &[], "sxLevel", Some(&format!("\"{level}\"")));
        let payload = base64::encode_url(resigned(&text, &author().key).as_bytes());
        assert_eq!(verdict(&signed_file(&payload, 9, ""), HASH, ""), expected);
    }
}

#[test]
fn pixels_count_only_where_the_metadata_hold_nothing() {
    let pixels = signed_pixels(&pixel_text("{}"), HASH, "{}", true);
    assert_eq!(verdict(NONE, "", &pixels), "valid pixels -");
    assert_eq!(verdict(DAMAGED, "", &pixels), "invalid - BadSignature");
    assert_eq!(verdict(NONE, "", ""), "missing_signature - MissingSignature");
    assert_eq!(verdict(NONE, "", r#"{"status":"none"}"#), "missing_signature - MissingSignature");
    assert_eq!(verdict(NONE, "", DAMAGED), "missing_signature - MissingSignature");
}

#[test]
fn a_c2pa_store_is_named_where_a_file_is_valid() {
    let regions = |scan: &str, pixels: &str| {
        let result = result(scan, HASH, pixels, &ring());
        json::write(result.get("unsignedRegions").unwrap())
    };
    let c2pa = r#","c2pa":[3,4]"#;
    assert_eq!(regions(&signed_file(&file_payload(), 9, c2pa), ""), r#"["c2pa"]"#);
    assert_eq!(regions(&signed_file(&file_payload(), 9, ""), ""), "[]");
    assert_eq!(regions(&signed_file(&file_payload(), 8, c2pa), ""), "[]");
    let pixels = signed_pixels(&pixel_text("{}"), HASH, "{}", true);
    assert_eq!(regions(&NONE.replacen("9}", &format!("9{c2pa}}}"), 1), &pixels), "[]");
}

#[test]
fn what_may_be_signed() {
    let admit = |scan: &str, pixels: &str, refuse, ignore| {
        Found::read(scan, pixels).unwrap().admit(refuse, ignore).map_err(|error| error.code)
    };
    let signed = signed_file(&file_payload(), 9, "");
    let with_c2pa = NONE.replacen("9}", r#"9,"c2pa":[3,4]}"#, 1);
    let pixels = signed_pixels(&pixel_text("{}"), HASH, "{}", true);
    assert_eq!(admit(NONE, "", true, false), Ok(()));
    assert_eq!(admit(&signed, "", false, false), Ok(()));
    assert_eq!(admit(&signed, "", true, false), Err(Code::AlreadySigned));
    assert_eq!(admit(NONE, &pixels, true, false), Err(Code::AlreadySigned));
    assert_eq!(admit(DAMAGED, "", true, false), Err(Code::AlreadySigned));
    assert_eq!(admit(DAMAGED, "", false, false), Ok(())); // what is left of it is replaced
    assert_eq!(admit(&with_c2pa, "", true, false), Err(Code::C2paPresent));
    assert_eq!(admit(&with_c2pa, "", true, true), Ok(()));
}

#[test]
fn what_is_no_answer_decides_nothing() {
    let code = |scan: &str, pixels: &str| {
        let found = Found::read(scan, pixels).map_err(|error| error.code)?;
        ImageVerification::start(&found, HASH).map(|_| ()).map_err(|error| error.code)
    };
    for scan in ["", "[]", "{}", r#"{"status":"valid"}"#, r#"{"status":"signed"}"#, r#"{"status":"damaged"}"#]
    {
        assert_eq!(code(scan, ""), Err(Code::Internal), "{scan}");
    }
    for pixels in ["[]", "{}", r#"{"status":"valid"}"#, r#"{"status":"signed","payload":""}"#] {
        assert_eq!(code(NONE, pixels), Err(Code::Internal), "{pixels}");
    }
}
