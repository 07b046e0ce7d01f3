//! Every small change of a signed image is noticed: each bit flipped, each byte deleted, bytes put in at each offset,
//! before it and after it. Images are read by `sx_media`, as the library does it, and decided on with Ed25519.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, moment};
use std::ops::Range;
use std::sync::LazyLock;
use sx_core::image::{self, Found, ImageVerification};
use sx_core::json::{self, Limits, Object, Value};
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_media::format::Format;
use sx_media::metadata::{self, Channel};
use sx_media::{answers, robust};

thread_local!(static AUTHOR: Fixture = Fixture::new(Algorithm::Ed25519, 1));
static RING: LazyLock<Ring> = LazyLock::new(|| {
    let mut ring = Ring::default();
    let agent = AUTHOR.with(|author| author.agent.clone());
    ring.set(&agent.id, Source::Trust, Some(agent.raw.as_bytes()));
    ring
});

macro_rules! image {
    ($name:literal) => {
        include_bytes!(concat!("../../media/tests/data/", $name)).to_vec()
    };
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The image with a signature in its metadata.
fn sign(bytes: &[u8]) -> Vec<u8> {
    let content = metadata::scan(&bytes).unwrap().content;
    let (sha256, length) = (hex(&content.sha256(&bytes)), content.size() as f64);
    let payload =
        AUTHOR.with(|author| image::sign_file(&author.signer(), &sha256, length, &moment(NOW, 3)).unwrap());
    metadata::embed(&bytes, &payload).unwrap().assemble(bytes)
}

/// The image with a signature in its pixels.
fn sign_pixels(bytes: &[u8]) -> Vec<u8> {
    let sign = |sha256: &str, display: &str| {
        AUTHOR.with(|author| image::sign_pixels(&author.signer(), sha256, display, &moment(NOW, 4)).unwrap())
    };
    let draft = sign(&"0".repeat(64), "{}");
    let used = |display: &robust::Display| robust::needed_bits(&draft.replacen("{}", &display.json(), 1));
    let prepared = robust::prepare(bytes, &used).unwrap();
    let document = sign(&hex(&prepared.sha256), &prepared.display.json());
    robust::embed(bytes, &document, &prepared.room, &prepared.sha256).unwrap()
}

/// What `verifyImage` answers; `None` for what is no image.
fn verify(bytes: &[u8]) -> Option<Object> {
    let scan = metadata::scan(&bytes).ok()?;
    let pixels = match (&scan.channel, scan.format) {
        (Channel::Empty, Format::Png | Format::Jpeg) => answers::reading(&robust::read(bytes)),
        _ => String::new(),
    };
    let sha256 = match scan.channel {
        Channel::Signed { .. } => hex(&scan.content.sha256(&bytes)),
        _ => String::new(),
    };
    let found = Found::read(&answers::scan(&scan), &pixels).unwrap();
    let answer = ImageVerification::start(&found, &sha256).unwrap().finish(&RING);
    let result = answer.lines().nth(1).unwrap();
    Some(json::parse(result.as_bytes(), &Limits::default()).unwrap().as_object().unwrap().clone())
}

fn text<'a>(result: &'a Object, name: &str) -> &'a str {
    result.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What is covered, if the image is valid.
fn coverage(bytes: &[u8]) -> Option<String> {
    let result = verify(bytes)?;
    let is_valid = result.get("valid") == Some(&Value::Bool(true));
    assert_eq!(is_valid, text(&result, "status") == "valid");
    is_valid.then(|| text(&result, "coverage").to_string())
}

/// Hands out each file with one small change, and where that is.
fn change_everywhere(file: &[u8], check: impl FnMut(&[u8], usize, &str)) {
    change_each(1, file, check);
}

/// [`change_everywhere`], but for bytes of which only every so-many-th is changed.
fn change_each(step: usize, file: &[u8], mut check: impl FnMut(&[u8], usize, &str)) {
    let mut changed = file.to_vec();
    for at in (0..file.len()).step_by(step) {
        for bit in 0..8 {
            changed[at] ^= 1 << bit;
            check(&changed, at, &format!("bit {bit} of byte {at}"));
            changed[at] ^= 1 << bit;
        }
        let shorter = [&file[..at], &file[at + 1..]].concat();
        if shorter != file {
            check(&shorter, at, &format!("without byte {at}"));
        }
    }
    for at in (0..=file.len()).step_by(step) {
        let next = file.get(at).copied().unwrap_or(7);
        for byte in [0xFF, next ^ 1] {
            let longer = [&file[..at], &[byte], &file[at..]].concat();
            check(&longer, at, &format!("byte {byte} put in at {at}"));
        }
    }
    for more in [b"\0".as_slice(), b"\n", b"\xFF\xD9", b"IEND", b"RIFF", b"pay 9999", file] {
        check(&[more, file].concat(), 0, &format!("{more:?} before"));
        check(&[file, more].concat(), file.len(), &format!("{more:?} after"));
    }
}

fn no_change_is_valid(name: &str, bytes: &[u8]) {
    let file = sign(bytes);
    assert_eq!(coverage(&file).as_deref(), Some("file"), "{name}");
    change_everywhere(&file, |changed, _, what| assert_eq!(coverage(changed), None, "{name}: {what}"));
}

#[test]
fn no_single_change_of_a_png_goes_unnoticed() {
    no_change_is_valid("rgb.png", &image!("rgb.png"));
}

#[test]
fn no_single_change_of_a_jpeg_goes_unnoticed() {
    no_change_is_valid("exif.jpg", &image!("exif.jpg"));
}

#[test]
fn no_single_change_of_a_webp_goes_unnoticed() {
    no_change_is_valid("lossy.webp", &image!("lossy.webp"));
}

#[test]
#[ignore = "slow: `npm run test:all` runs it"]
fn no_single_change_of_an_image_of_another_kind_goes_unnoticed() {
    no_change_is_valid(
        "palette.png, and what follows the image",
        &[&image!("palette.png"), b"tail".as_slice()].concat(),
    );
    no_change_is_valid("progressive.jpg", &image!("progressive.jpg"));
    no_change_is_valid("xmp.webp", &image!("xmp.webp"));
    no_change_is_valid("animated.webp", &image!("animated.webp"));
}

/// What a C2PA store may be: it is never looked into.
fn c2pa_box() -> Vec<u8> {
    let description = b"\0\0\0\x1ejumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0";
    let content = [0x5A; 40];
    let size = (8 + description.len() + content.len()) as u32;
    [&size.to_be_bytes(), b"jumb".as_slice(), description, &content].concat()
}

fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    [&bytes[..at], new, &bytes[at..]].concat()
}

fn place(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).position(|window| window == needle).unwrap()
}

fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let crc = sx_media::crc::crc32(&[kind, data]);
    [&(data.len() as u32).to_be_bytes(), kind.as_slice(), data, &crc.to_be_bytes()].concat()
}

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    [&[0xFF, marker], ((data.len() + 2) as u16).to_be_bytes().as_slice(), data].concat()
}

/// A signed file of each format to which C2PA has added its store, and where that stands.
fn with_c2pa() -> [(&'static str, Vec<u8>, Range<usize>); 3] {
    let store = c2pa_box();
    let png = (sign(&image!("rgb.png")), png_chunk(b"caBX", &store));
    let jpeg =
        (sign(&image!("exif.jpg")), segment(0xEB, &[b"JP\x02\x11\0\0\0\x01", store.as_slice()].concat()));
    let webp = sign(&image!("lossy.webp"));
    let chunk = [b"C2PA", (store.len() as u32).to_le_bytes().as_slice(), &store].concat();
    let mut longer = [webp.as_slice(), &chunk].concat();
    let size = (longer.len() - 8) as u32;
    longer[4..8].copy_from_slice(&size.to_le_bytes());
    [
        ("png", with(&png.0, 33, &png.1), 33..33 + png.1.len()),
        ("jpeg", with(&jpeg.0, 2, &jpeg.1), 2..2 + jpeg.1.len()),
        ("webp", longer, webp.len()..webp.len() + chunk.len()),
    ]
}

#[test]
fn only_what_a_c2pa_store_holds_can_change_and_that_is_named() {
    for (name, file, store) in with_c2pa() {
        assert_eq!(coverage(&file).as_deref(), Some("file"), "{name}");
        let mut free = 0;
        change_everywhere(&file, |changed, at, what| {
            if coverage(changed).is_some() {
                assert_eq!(changed.len(), file.len(), "{name}: {what}");
                assert!(store.contains(&at), "{name}: {what}");
                let regions = verify(changed).unwrap().get("unsignedRegions").cloned();
                assert_eq!(regions, Some(vec!["c2pa".into()].into()), "{name}: {what}");
                free += 1;
            }
        });
        assert!(free >= 40 * 8, "{name}: {free}");
    }
}

/// A PNG with a signature in its pixels.
fn carrying_png() -> Vec<u8> {
    with(&sign_pixels(&image!("interlaced.png")), 33, &png_chunk(b"tEXt", b"Comment\0free"))
}

/// A JPEG with a signature in its pixels.
fn carrying_jpeg() -> Vec<u8> {
    with(
        &sign_pixels(&image!("texture.jpg")),
        20,
        &segment(0xFE, b"Created with GIMP and words that are free"),
    )
}

/// Signed in pixels and in metadata, a file is either the one that was signed or not valid: what is left of the
/// signature in its metadata keeps that in its pixels from being looked at.
#[test]
fn no_single_change_of_a_png_with_both_signatures_goes_unnoticed() {
    no_change_is_valid("png", &carrying_png());
}

#[test]
fn no_single_change_of_a_jpeg_with_both_signatures_goes_unnoticed() {
    no_change_is_valid("jpeg", &carrying_jpeg());
}

/// What of a PNG is displayed: header, palette, transparency, pixels as they are compressed, and what the claim
/// records beside them.
fn shown_of_png(file: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let shown: [&[u8]; 13] = [
        b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"eXIf", b"iCCP", b"gAMA", b"cHRM", b"sRGB", b"cICP", b"mDCV",
        b"cLLI", b"acTL",
    ];
    let mut at = 8;
    let mut chunks = Vec::new();
    loop {
        let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let kind = file[at + 4..at + 8].to_vec();
        if kind == b"IEND" {
            return chunks;
        }
        if shown.contains(&kind.as_slice()) {
            chunks.push((kind, file[at + 8..at + 12 + length].to_vec()));
        }
        at += length + 12;
    }
}

/// The pixels alone are signed for whoever has lost the metadata (protocol, section 21): everything that is not
/// displayed may change, and nothing else.
#[test]
fn an_image_signed_in_its_pixels_is_valid_only_with_the_same_picture_png() {
    let file = carrying_png();
    assert_eq!(coverage(&file).as_deref(), Some("pixels"));
    let picture = shown_of_png(&file);
    let (mut still, mut gone) = (0, 0);
    change_everywhere(&file, |changed, _, what| match coverage(changed) {
        Some(coverage) => {
            assert_eq!(coverage, "pixels", "{what}");
            assert!(shown_of_png(changed) == picture, "{what}");
            still += 1;
        }
        None => gone += 1,
    });
    // Of a text the checksum has to change, too; what stands after the end counts.
    assert_eq!(still, 0);
    let signed = sign_pixels(&image!("interlaced.png"));
    let words = b"Comment\0free";
    for bit in 8 * 8..8 * words.len() {
        let mut changed = words.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        let changed = with(&signed, 33, &png_chunk(b"tEXt", &changed));
        assert_eq!(coverage(&changed).as_deref(), Some("pixels"), "bit {bit}");
        assert!(shown_of_png(&changed) == picture, "bit {bit}");
        still += 1;
    }
    assert!(still > 8, "{still}");
    assert!(gone > 8 * 2500, "{gone}");
}

/// What of a JPEG is displayed: all but comments, metadata of applications that say nothing of the display, what
/// stands between segments, and what follows the end. Of coded data all but the bits that fill up its last byte.
fn shown_of_jpeg(file: &[u8]) -> Vec<Vec<u8>> {
    let mut at = 2;
    let mut shown = Vec::new();
    while at + 4 <= file.len() {
        let marker = file[at + 1];
        if file[at] != 0xFF || matches!(marker, 0xFF | 0 | 1 | 0xD0..=0xD8) {
            at += 1;
            continue;
        }
        if marker == 0xD9 {
            break;
        }
        let end = at + 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
        if !matches!(marker, 0xE0..=0xEF | 0xFE) {
            shown.push(file[at + 1..end].to_vec());
        }
        at = end;
        if marker == 0xDA {
            let coded = file[at..].windows(2).position(|two| two[0] == 0xFF && !matches!(two[1], 0 | 0xFF));
            let coded = coded.map_or(file.len(), |length| at + length);
            shown.push(file[at..coded].to_vec());
            at = coded;
        }
    }
    shown
}

#[test]
fn an_image_signed_in_its_pixels_is_valid_only_with_the_same_picture_jpeg() {
    pixels_of_a_jpeg_changed(7);
}

#[test]
#[ignore = "slow: `npm run test:all` runs it"]
fn an_image_signed_in_its_pixels_is_valid_only_with_the_same_picture_jpeg_at_every_byte() {
    pixels_of_a_jpeg_changed(1);
}

fn pixels_of_a_jpeg_changed(step: usize) {
    let file = carrying_jpeg();
    assert_eq!(coverage(&file).as_deref(), Some("pixels"));
    let picture = shown_of_jpeg(&file);
    let tables = place(&file, b"\xFF\xC4")..=place(&file, b"\xFF\xDA");
    let (mut still, mut otherwise, mut gone) = (0, 0, 0);
    change_each(step, &file, |changed, at, what| match coverage(changed) {
        Some(coverage) => {
            assert_eq!(coverage, "pixels", "{what}");
            still += 1;
            // Codes that nothing uses mean nothing; otherwise it is one of few other codes of the same coefficients.
            otherwise += usize::from(shown_of_jpeg(changed) != picture && !tables.contains(&at));
        }
        None => gone += 1,
    });
    assert!(still > 8 * 4, "{still}");
    assert!(otherwise <= 40, "{otherwise}");
    assert!(gone > 8 * 6000 / step, "{gone}");
}
