//! Signatures in the coefficients of JPEG images.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use core::slice::from_ref;

use common::{image, insert, place, prepare, put, segment, takes_no_longer_than_its_bytes};
use sx_media::problem::Problem;
use sx_media::robust::{self, Reading, available_bits, read};

const PAYLOAD: &str = "{\"signed\":true}";

macro_rules! photo {
    ($name:literal) => {
        ($name, include_bytes!(concat!("data/photo", $name, ".jpg")).to_vec())
    };
}

fn photos() -> [(&'static str, Vec<u8>); 7] {
    [
        photo!(""),
        photo!("-progressive"),
        photo!("-scans"),
        photo!("-restart"),
        photo!("-odd"),
        photo!("-grey"),
        photo!("-cmyk"),
    ]
}

fn signed(bytes: &[u8]) -> Vec<u8> {
    put(bytes, PAYLOAD).unwrap()
}

fn found(bytes: &[u8]) -> robust::Found {
    match read(bytes) {
        Reading::Found(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Whether a verdict would be valid.
fn is_valid(bytes: &[u8], sha256: [u8; 32]) -> bool {
    matches!(read(bytes), Reading::Found(found) if found.payload == PAYLOAD && found.exact && found.sha256 == sha256)
}

/// The segments of a file: all but the coded data.
fn segments(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut at = 2;
    let mut segments = Vec::new();
    while at + 4 <= bytes.len() {
        if bytes[at] != 0xFF || matches!(bytes[at + 1], 0 | 0xD0..=0xD9) {
            at += 1;
            continue;
        }
        let end = at + 2 + usize::from(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]));
        segments.push(bytes[at..end].to_vec());
        at = end;
    }
    segments
}

#[test]
fn j13_every_huffman_coding_of_8_bits_carries() {
    for (name, bytes) in photos() {
        let before = prepare(&bytes, PAYLOAD).unwrap();
        let file = signed(&bytes);
        assert_ne!(file, bytes, "{name}");
        let found = found(&file);
        assert_eq!((found.payload.as_str(), found.exact), (PAYLOAD, true), "{name}");
        assert_eq!((found.sha256, found.display), (before.sha256, before.display), "{name}");
        assert_eq!(segments(&file), segments(&bytes), "{name}: tables and metadata stay");
        assert!(file.len().abs_diff(bytes.len()) <= 64, "{name}");
        assert_eq!(signed(&file), file, "{name}: again");
    }
}

#[test]
fn the_same_coefficients_have_the_same_hash_however_they_are_coded() {
    let photos = photos();
    let hash = |at: usize| prepare(&photos[at].1, PAYLOAD).unwrap().sha256;
    let count = |at: usize| available_bits(&photos[at].1).unwrap();
    for at in [1, 2, 3] {
        assert_eq!(hash(at), hash(0), "{}", photos[at].0);
        assert_eq!(count(at), count(0), "{}", photos[at].0);
    }
    assert_ne!(hash(4), hash(0));
}

#[test]
fn carriers_behind_very_many_blocks_in_few_bytes_are_found() {
    // `0` is no difference of the constant part, and the end of a block; `10` a coefficient of two bits.
    let bits = "00".repeat(256 * 258) + &("0".to_owned() + &"1010".repeat(63)).repeat(512);
    let coded: Vec<u8> = bits
        .as_bytes()
        .chunks(8)
        .map(|byte| byte.iter().fold(0, |value, bit| value << 1 | (bit - b'0')))
        .collect();
    let table = |class: u8, symbols: &[u8]| {
        let counts = [1, symbols.len() as u8 - 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        segment(0xC4, &[&[class], counts.as_slice(), symbols].concat())
    };
    let [h, w] = [2080_u16, 2048].map(u16::to_be_bytes);
    let bytes = [
        b"\xFF\xD8".to_vec(),
        segment(0xDB, &[[0].as_slice(), &[1; 64]].concat()),
        segment(0xC0, &[8, h[0], h[1], w[0], w[1], 1, 1, 0x11, 0]),
        table(0, &[0]),
        table(0x10, &[0, 2]),
        segment(0xDA, &[1, 1, 0, 0, 63, 0]),
        coded,
        b"\xFF\xD9".to_vec(),
    ]
    .concat();
    assert_eq!(available_bits(&bytes), Ok(512 * 63));
    let before = prepare(&bytes, PAYLOAD).unwrap();
    assert!(before.room.carriers.iter().all(|number| *number as usize > 128 * bytes.len()));
    assert!(is_valid(&signed(&bytes), before.sha256));
}

#[test]
fn an_unsigned_photo_holds_nothing() {
    for (name, bytes) in photos() {
        assert_eq!(read(&bytes), Reading::Nothing, "{name}");
    }
}

#[test]
fn no_changed_bit_of_the_coded_data_gives_another_valid_picture() {
    let restarts = ["-scans", "-restart", "-odd"]; // with many filling bits, which nobody reads
    for (name, bytes) in photos().into_iter().filter(|(name, _)| !restarts.contains(name)) {
        let file = signed(&bytes);
        let sha256 = found(&file).sha256;
        let scan = place(&file, b"\xFF\xDA");
        let mut still = 0;
        for at in (scan..file.len()).step_by(3) {
            let mut changed = file.clone();
            changed[at] ^= 1 << (at % 8);
            if is_valid(&changed, sha256) {
                still += 1; // filling bits before a marker, blocks beyond the border
            }
        }
        assert!(still <= 8, "{name}: {still}");
    }
}

#[test]
fn no_changed_table_gives_another_valid_picture() {
    let file = signed(&photos()[0].1);
    let sha256 = found(&file).sha256;
    let start = place(&file, b"\xFF\xDB");
    for at in start..start + 69 {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(!is_valid(&changed, sha256), "byte {at}");
    }
    let frame = place(&file, b"\xFF\xC0");
    for at in (frame..frame + 19).filter(|at| *at != frame + 1) {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(!is_valid(&changed, sha256), "byte {at} of the frame header");
    }
}

#[test]
fn metadata_comes_and_goes() {
    let file = signed(&photos()[0].1);
    let sha256 = found(&file).sha256;
    let more =
        insert(&file, 2, &[segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0x"), segment(0xFE, b"c")].concat());
    assert!(is_valid(&more, sha256));
    assert!(is_valid(&[file.as_slice(), b"trailer"].concat(), sha256));
    let adobe = insert(&file, 2, &segment(0xEE, b"Adobe\0\x64\0\0\0\0\0"));
    let bare = [&adobe[..2], &adobe[2 + 16 + 18..]].concat();
    assert!(is_valid(&bare, sha256), "without JFIF");
    let rgb = [&adobe[..18], &adobe[18 + 18..]].concat();
    assert!(!is_valid(&rgb, sha256), "shown as RGB");
    // What libjpeg does not read is not read here.
    let jfif = file[2..20].to_vec();
    assert!(jfif[4..].starts_with(b"JFIF"));
    let progressive = signed(&photos()[1].1);
    let hash = found(&progressive).sha256;
    let bare = [&progressive[..2], &segment(0xEE, b"Adobe\0\x64\0\0\0\0\0"), &progressive[20..]].concat();
    let second = place(&bare, b"\xFF\xDA") + 2;
    let second = second + place(&bare[second..], b"\xFF\xDA");
    assert!(!is_valid(&insert(&bare, second, &jfif), hash), "JFIF after the first scan");
    assert!(!is_valid(&insert(&rgb, 2, &segment(0xE0, b"JFIF\0")), sha256), "JFIF that is too short");
    let adobe = |transform: u8| segment(0xEE, &[b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat());
    let without = [&file[..2], &file[20..]].concat();
    assert!(is_valid(&insert(&without, 2, &adobe(1)), sha256));
    let both = [adobe(1), adobe(0)].concat();
    assert_eq!(read(&insert(&without, 2, &both)), Reading::Nothing, "two of different sense");
}

#[test]
fn whatever_may_change_the_display_is_recorded() {
    let file = signed(&photos()[0].1);
    let names = |bytes: &[u8]| {
        found(bytes).display.json().split('"').skip(1).step_by(4).collect::<Vec<_>>().join(" ")
    };
    let with = |marker: u8, data: &[u8]| names(&insert(&file, 2, &segment(marker, data)));
    let turned = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    assert_eq!(names(&file), "");
    for head in [&b"Exif\0\0"[..], b"Exif\0\x01", b"exif\0\0"] {
        assert_eq!(with(0xE1, &[head, turned].concat()), "orientation");
    }
    assert_eq!(with(0xE1, &[b"Exif\0\x01Exif\0\0".as_slice(), turned].concat()), "Exif");
    assert_eq!(with(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation=\"6\"/>"), "XMP");
    assert_eq!(with(0xE2, b"ICC_PROFILE\0\x01\x01 a profile"), "ICC");
    assert_eq!(with(0xE2, b"urn:iso:std:iso:ts:21496:-1\0"), "APP2");
    assert_eq!(with(0xED, b"Photoshop 3.0\08BIM\x04\x22"), "APP13");
    assert_eq!(with(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x04\0\0"), "APP0");
    assert_eq!(with(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01abc"), "APP0");
    assert_eq!(with(0xEB, b"JP\0\x01\0\0\0\x01\0\0\0\x10RESI"), "APP11");
    assert_eq!(names(&[file.as_slice(), b"a gain map"].concat()), "end");
    assert_eq!(with(0xE0, b"JFIF\0\x01\x02\x01\0\x48\0\x48\0\0"), "APP0", "a second one");
    // P01: what one program orders by a comment no list of others has.
    for comment in
        [&b"Metasoft MJPEG Codec"[..], b"CS=ITU601", b"MULTISCOPE II", b"AVID", b"Lavc", b"a comment"]
    {
        assert_eq!(names(&insert(&file, 20, &segment(0xFE, comment))), "COM");
        assert_eq!(
            with(0xFE, comment),
            "APP0 COM order",
            "before JFIF, which then is not the first to state a shape"
        );
    }
    // What is known to be passed over.
    assert_eq!(with(0xFE, b"Created with GIMP"), "");
    let bare = [&file[..2], &file[20..]].concat();
    let jfif = |data: &[u8]| names(&insert(&bare, 2, &segment(0xE0, data)));
    assert_eq!(jfif(b"JFIF\0\x01\x02\x01\0\x48\0\x48\0\0"), "");
    assert_eq!(jfif(b"JFIF\0\x02\x02\x01\0\x48\0\x48\0\0"), "APP0");
    // What is left of ours, which nobody else looks for.
    let mut ours = common::signed(&file)[common::own(&common::signed(&file))].to_vec();
    let end = ours.len() - 1;
    ours[end] = b'=';
    assert_eq!(names(&insert(&file, 2, &ours)), "");
    assert_eq!(names(&insert(&file, file.len() - 2, &ours)), "");
    ours[1] = 0xEA;
    assert_eq!(names(&insert(&file, 2, &ours)), "APP10");
    assert_eq!(names(&insert(&file, 2, &common::c2pa_segments(100, 60))), "");
    assert_eq!(names(&common::signed(&file)), "");
    // Where it stands and how it is divided counts, too.
    let scan = place(&file, b"\xFF\xDB");
    let exif = segment(0xE1, &[b"Exif\0\0".as_slice(), turned].concat());
    let [one, two] = [
        segment(0xE1, &[b"Exif\0\0", &turned[..8]].concat()),
        segment(0xE1, &[b"Exif\0\0", &turned[8..]].concat()),
    ];
    let display = |at: usize, parts: &[&[u8]]| found(&insert(&file, at, &parts.concat())).display;
    assert_eq!(display(2, &[&exif]), display(scan, &[&exif]));
    let end = file.len() - 2;
    let all =
        [display(2, &[&exif]), display(end, &[&exif]), display(2, &[&one, &two]), display(2, &[&two, &one])];
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other != one));
    }
}

#[test]
fn t34_very_many_segments_of_exif_take_no_time() {
    let exif = segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\xFF\xFF");
    let file = signed(&photos()[0].1);
    takes_no_longer_than_its_bytes(12_500, |count| {
        let file = insert(&file, 2, &exif.repeat(count));
        move || assert!(found(&file).exact)
    });
}

#[test]
fn what_some_readers_stop_at_is_not_read() {
    for (name, bytes) in [&photos()[0], &photos()[1], &photos()[2], &photos()[3]] {
        let file = signed(bytes);
        let sha256 = found(&file).sha256;
        let end = file.len() - 2;
        let scan = place(&file, b"\xFF\xDA");
        let last = file.windows(2).rposition(|two| two == b"\xFF\xDA").unwrap();
        assert_eq!(read(&file[..end]), Reading::Nothing, "{name} without an end");
        assert_eq!(available_bits(&file[..end]), Err(Problem::PixelsBroken));
        for (what, stray) in [
            ("zeros", vec![0; 1000]),
            ("one zero", vec![0]),
            ("a restart", b"\xFF\xD2".to_vec()),
            ("a beginning", b"\xFF\xD8".to_vec()),
            ("FF 00", b"\xFF\0".to_vec()),
            ("FF 01", b"\xFF\x01".to_vec()),
            ("FF 02", segment(0x02, b"")),
            ("FF F0", segment(0xF0, b"")),
            ("a long DRI", segment(0xDD, &[0; 3])),
            ("a short DRI", segment(0xDD, &[0])),
        ] {
            for at in [scan, last, end] {
                let with = insert(&file, at, &stray);
                assert_eq!(read(&with), Reading::Nothing, "{name}: {what} at {at}");
                assert_eq!(available_bits(&with), Err(Problem::PixelsBroken), "{name}: {what} at {at}");
            }
        }
        for at in [scan, last, end] {
            assert!(is_valid(&insert(&file, at, &segment(0xFE, b"Created with GIMP")), sha256), "{name}");
            assert!(is_valid(&insert(&file, at, b"\xFF\xFF"), sha256), "{name}: filling bytes");
        }
        let mut long = file.clone();
        long[last + 3] += 1;
        let length = usize::from(long[last + 3]) + 2;
        long.insert(last + length - 1, 0);
        assert_eq!(read(&long), Reading::Nothing, "{name}: a start of scan that is too long");
    }
}

/// A segment of Adobe that has so many bytes.
fn adobe(transform: u8, length: usize) -> Vec<u8> {
    let mut data = b"Adobe\0\x64\0\0\0\0".to_vec();
    data.push(transform);
    data.resize(length, 0);
    segment(0xEE, &data)
}

#[test]
fn p02_p03_what_tells_the_sense_of_the_colours_neither_comes_nor_goes() {
    let bytes = photos()[0].1.clone();
    let bare = [&bytes[..2], &bytes[20..]].concat(); // without JFIF
    let with = |head: &[Vec<u8>]| insert(&bare, 2, &head.concat());
    let jfif = bytes[2..20].to_vec();
    // Of each group a signed picture may become each other one; between groups none may.
    let groups = [
        vec![with(&[]), with(from_ref(&jfif)), with(&[adobe(1, 12)]), with(&[jfif.clone(), adobe(1, 12)])],
        vec![with(&[adobe(0, 12)]), with(&[adobe(0, 13)]), with(&[adobe(0, 100)])],
        vec![with(&[jfif.clone(), adobe(0, 12)]), with(&[adobe(0, 13), jfif.clone()])],
        vec![with(&[jfif.clone(), adobe(2, 12)])],
        vec![with(&[adobe(2, 12)])],
    ];
    let hash = |bytes: &[u8]| prepare(bytes, PAYLOAD).unwrap().sha256;
    let hashes: Vec<Vec<_>> =
        groups.iter().map(|group| group.iter().map(|bytes| hash(bytes)).collect()).collect();
    for (at, group) in hashes.iter().enumerate() {
        assert!(group.iter().all(|hash| *hash == group[0]), "group {at}");
        assert!(hashes[..at].iter().all(|other| other[0] != group[0]), "group {at}");
    }
    let long = found(&signed(&with(&[adobe(0, 13)]))).display.json();
    assert!(long.starts_with("{\"APP14\":"), "what is longer than it has to be is recorded");
    // What one reader takes for an order and another one does not is not read.
    for other in [adobe(0, 11), adobe(3, 12), [adobe(1, 12), adobe(0, 13)].concat()] {
        assert_eq!(available_bits(&with(&[other])), Err(Problem::PixelsBroken));
    }
    let mut elsewhere = adobe(0, 12);
    elsewhere[1] = 0xED;
    assert_eq!(available_bits(&with(&[elsewhere])), Err(Problem::PixelsBroken));
    let end = bare.len() - 2;
    assert_eq!(available_bits(&insert(&bare, end, &adobe(1, 12))), Err(Problem::PixelsBroken));
}

#[test]
fn p02_components_that_are_not_numbered_as_usual_keep_what_tells_their_sense() {
    let bytes = photos()[0].1.clone();
    let named = |ids: &[u8; 3], jfif: bool| {
        let mut bytes = bytes.clone();
        let (frame, scan) = (place(&bytes, b"\xFF\xC0"), place(&bytes, b"\xFF\xDA"));
        for (n, id) in ids.iter().enumerate() {
            bytes[frame + 10 + 3 * n] = *id;
            bytes[scan + 5 + 2 * n] = *id;
        }
        let bytes = if jfif { bytes } else { [&bytes[..2], &bytes[20..]].concat() };
        prepare(&bytes, PAYLOAD).unwrap().sha256
    };
    assert_eq!(named(&[1, 2, 3], true), named(&[1, 2, 3], false));
    for ids in [b"RGB", b"YCc", &[0, 1, 2]] {
        assert_ne!(named(ids, true), named(ids, false), "{ids:?}");
    }
}

#[test]
fn a_table_that_changes_after_its_scan_is_not_read() {
    for (name, bytes) in [&photos()[0], &photos()[1]] {
        let file = signed(bytes);
        let sha256 = found(&file).sha256;
        let table = place(&file, b"\xFF\xDB");
        let same = file[table..table + 69].to_vec();
        let mut other = same.clone();
        other[20] ^= 8;
        let end = file.len() - 2;
        assert!(is_valid(&insert(&file, end, &same), sha256), "{name}");
        assert_eq!(read(&insert(&file, end, &other)), Reading::Nothing, "{name}");
    }
}

#[test]
fn four_components_are_ycck_with_any_adobe_transform_but_0() {
    let cmyk = include_bytes!("data/photo-cmyk.jpg").to_vec();
    let adobe = place(&cmyk, b"Adobe") + 11;
    let with = |transform: u8| {
        let mut bytes = cmyk.clone();
        bytes[adobe] = transform;
        bytes
    };
    for (signed_as, changed_to) in [(0, 1), (0, 2), (0, 3), (2, 0)] {
        let file = signed(&with(signed_as));
        let sha256 = found(&file).sha256;
        let mut changed = file.clone();
        changed[adobe] = changed_to;
        assert!(is_valid(&file, sha256) && !is_valid(&changed, sha256), "{signed_as} {changed_to}");
        let without = [&file[..adobe - 15], &file[adobe + 1..]].concat();
        assert!(
            !is_valid(&without, sha256),
            "{signed_as}: some readers invert what Adobe says is not transformed"
        );
    }
}

#[test]
fn j8_the_index_of_other_images_still_finds_them() {
    let second = image("grey.jpg");
    for (order, name, number) in
        [(b"II*\0", "little", u32::to_le_bytes as fn(u32) -> [u8; 4]), (b"MM\0*", "big", u32::to_be_bytes)]
    {
        let short = |value: u16| if name == "little" { value.to_le_bytes() } else { value.to_be_bytes() };
        let index = |size: u32, offset: u32| {
            let entry = [short(0xB002), short(7)].concat();
            let list = [
                number(0),
                number(size),
                number(0),
                number(0),
                number(0),
                number(233),
                number(offset),
                number(0),
            ];
            let head =
                [order.as_slice(), &number(8), &short(1), &entry, &number(32), &number(26), &number(0)]
                    .concat();
            segment(0xE2, &[b"MPF\0".as_slice(), &head, &list.concat()].concat())
        };
        let at = place(&photos()[0].1, b"\xFF\xDB");
        let first = insert(&photos()[0].1, at, &index(0, 0));
        let base = at + 8;
        let sized = index(first.len() as u32, (first.len() - base) as u32);
        let file = [&insert(&photos()[0].1, at, &sized), second.as_slice()].concat();
        // Several payloads, so that the size changes.
        for payload in ["{\"a\":1}", "{\"b\":22}", "{\"c\":333}", PAYLOAD] {
            let signed = put(&file, payload).unwrap();
            let read = |at: usize| {
                let bytes: [u8; 4] = signed[at..at + 4].try_into().unwrap();
                if name == "little" { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
            };
            let list = base + 26;
            let offset = read(list + 24) as usize;
            assert_eq!(&signed[base + offset..], second.as_slice(), "{name}");
            assert_eq!(read(list + 4) as usize, signed.len() - second.len(), "{name}");
            assert_eq!(found(&signed).display, prepare(&file, payload).unwrap().display);
            let display = found(&signed).display;
            let other = [&signed[..signed.len() - 1], &[0]].concat();
            assert_ne!(found(&other).display, display, "{name}: another gain map");
            // As it moves with the first image it stays the same.
            let mut moved = insert(&signed, 2, &segment(0xFE, b"Created with GIMP"));
            let size = number(read(list + 4) + 21);
            assert_ne!(found(&moved).display, display, "{name}: with another size");
            moved[list + 25..list + 29].copy_from_slice(&size);
            assert_eq!(found(&moved).display, display, "{name}: with that size");
            for (what, at) in
                [("size", list + 4), ("another size", list + 20), ("offset", list + 24), ("kind", list)]
            {
                let mut changed = signed.clone();
                let value = number(read(at) + 1);
                changed[at..at + 4].copy_from_slice(&value);
                assert_ne!(found(&changed).display, display, "{name}: {what}");
            }
            for (what, at, value) in [
                (
                    "another image in the first one",
                    list + 24,
                    (signed.len() - second.len() - base - 1) as u32,
                ),
                ("an offset of the first one", list + 8, 1),
                ("a list in the directory", base + 18, 10),
                ("a list beyond the end", base + 18, 60_000),
                ("half an entry", base + 14, 33),
            ] {
                let mut changed = signed.clone();
                changed[at..at + 4].copy_from_slice(&number(value));
                assert_eq!(robust::read(&changed), Reading::Nothing, "{name}: {what}");
            }
            let again = insert(&signed, place(&signed, b"\xFF\xDB"), &segment(0xE2, b"MPF\0"));
            assert_eq!(robust::read(&again), Reading::Nothing, "{name}: two of them");
        }
    }
}

#[test]
fn other_codings_are_refused_by_name() {
    let arithmetic = include_bytes!("data/photo-arithmetic.jpg");
    assert_eq!(available_bits(arithmetic), Err(Problem::JpegKind));
    assert_eq!(read(arithmetic), Reading::Nothing);
    let small = image("baseline.jpg");
    let room = prepare(&small, PAYLOAD).unwrap().room;
    assert_eq!((room.used, Ok(room.available)), (592, available_bits(&small)));
    assert_eq!(put(&small, PAYLOAD), Err(Problem::TooSmall));
    assert_eq!(available_bits(&image("lossy.webp")), Err(Problem::WebPRobust));
    assert_eq!(available_bits(b"text"), Err(Problem::NotAnImage));
    for (marker, problem) in [(0xC3, Problem::JpegKind), (0xC9, Problem::JpegKind), (0xCB, Problem::JpegKind)]
    {
        let mut other = photos()[0].1.clone();
        let frame = place(&other, b"\xFF\xC0");
        other[frame + 1] = marker;
        assert_eq!(available_bits(&other), Err(problem));
    }
    let mut twelve = photos()[0].1.clone();
    let frame = place(&twelve, b"\xFF\xC0");
    twelve[frame + 4] = 12;
    assert_eq!(available_bits(&twelve), Err(Problem::JpegKind));
}

#[test]
fn t34_a_declared_size_reserves_nothing() {
    let mut huge = photos()[0].1.clone();
    let frame = place(&huge, b"\xFF\xC0");
    huge[frame + 5..frame + 9].copy_from_slice(&[0xFF; 4]);
    assert_eq!(available_bits(&huge), Err(Problem::PixelsBroken));
    for (_, bytes) in photos() {
        for length in 0..bytes.len() {
            let _ = read(&bytes[..length]); // ends
        }
    }
}

#[test]
fn a_damaged_signature_is_not_a_missing_one() {
    let file = signed(&photos()[0].1);
    let other = put(&file, "{\"signed\":null}").unwrap();
    // The end of one in the beginning of the other: the payload belongs to neither.
    let differs = file.iter().zip(&other).position(|(a, b)| a != b).unwrap();
    let mixed = [&file[..differs + 1], &other[differs + 1..]].concat();
    assert!(!is_valid(&mixed, found(&file).sha256));
}
