//! What a picture that is signed in its pixels may become in the hands of others: what some reader shows otherwise is not
//! valid, or it is named as lost. Images are read by `sx_media`, as the library does it, and decided on with Ed25519.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, moment};
use sx_core::image::{self, Found, ImageVerification};
use sx_core::json::{self, Limits, Value};
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_media::crc::crc32;
use sx_media::{answers, robust};

const CHANGED: &str = "DisplayMetadataChanged";
const SIDE: usize = 72;
const EXIF: &[u8] = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

/// The verdict on a picture that carries what was signed of another one, and what it has lost: `refused` if it is not
/// read.
fn becomes(before: &[u8], after: &[u8]) -> String {
    let author = Fixture::new(Algorithm::Ed25519, 1);
    let sign = |sha256: &str, display: &str| {
        image::sign_pixels(&author.signer(), sha256, display, &moment(NOW, 4)).unwrap()
    };
    let draft = sign(&"0".repeat(64), "{}");
    let used = |display: &robust::Display| robust::needed_bits(&draft.replacen("{}", &display.json(), 1));
    let prepared = robust::prepare(before, &used).unwrap();
    let sha256: String = prepared.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    let document = sign(&sha256, &prepared.display.json());
    let Ok(file) = robust::embed(after, &document, &prepared.room, &prepared.sha256) else {
        return "refused".into();
    };
    let mut ring = Ring::default();
    ring.set(&author.agent.id, Source::Trust, Some(author.agent.raw.as_bytes()));
    let scan = r#"{"status":"none","format":"png","content":[],"length":0}"#;
    let found = Found::read(scan, &answers::reading(&robust::read(&file))).unwrap();
    let answer = ImageVerification::start(&found, "").unwrap().finish(&ring);
    let Value::Object(result) =
        json::parse(answer.lines().nth(1).unwrap().as_bytes(), &Limits::default()).unwrap()
    else {
        panic!("{answer}")
    };
    let Some(Value::Array(lost)) = result.get("lost") else { panic!("{answer}") };
    let code = result.get("code").and_then(Value::as_str);
    let words = code.map_or(vec!["valid"], |code| vec![code]);
    words.into_iter().chain(lost.iter().map(|kind| kind.as_str().unwrap())).collect::<Vec<_>>().join(" ")
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let crc = crc32(&[kind, data]);
    [&(data.len() as u32).to_be_bytes(), kind.as_slice(), data, &crc.to_be_bytes()].concat()
}

/// The zlib form of bytes, not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks = bytes.chunks(0xFFFF);
    let last = blocks.len() - 1;
    for (n, block) in blocks.enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(n == last));
        out.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
        out.extend(block);
    }
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// A PNG of a colour type and depth with these samples of 16 bits, and chunks before and after its data.
fn png(
    (colour, depth): (u8, u8),
    [early, late]: [&[Vec<u8>]; 2],
    pixel: impl Fn(usize, usize) -> [u16; 4],
) -> Vec<u8> {
    let channels: &[usize] = match colour {
        0 => &[0],
        2 => &[0, 1, 2],
        4 => &[0, 3],
        _ => &[0, 1, 2, 3],
    };
    let width = usize::from(depth / 8);
    let mut lines = Vec::new();
    for y in 0..SIDE {
        lines.push(0);
        for x in 0..SIDE {
            let samples = pixel(x, y);
            lines.extend(channels.iter().flat_map(|at| samples[*at].to_be_bytes()[..width].to_vec()));
        }
    }
    let size = (SIDE as u32).to_be_bytes();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[size.as_slice(), &size, &[depth, colour, 0, 0, 0]].concat()),
        early.concat(),
        chunk(b"IDAT", &stored(&lines)),
        late.concat(),
        chunk(b"IEND", b""),
    ]
    .concat()
}

fn noise(x: usize, y: usize, channel: usize) -> u16 {
    ((x * 7 + y * 13 + channel * 31 + x * y) % 251) as u16 * 257
}

fn coloured(x: usize, y: usize) -> [u16; 4] {
    [noise(x, y, 0), noise(x, y, 1), noise(x, y, 2), 0xFFFF]
}

fn grey(x: usize, y: usize) -> [u16; 4] {
    [noise(x, y, 0), noise(x, y, 0), noise(x, y, 0), 0xFFFF]
}

/// A PNG of 8 bits, RGB, with these chunks before its data.
fn rgb(chunks: &[Vec<u8>]) -> Vec<u8> {
    png((2, 8), [chunks, &[]], coloured)
}

#[test]
fn p26_colours_of_transparent_pixels_do_not_come_or_change_and_are_named_when_they_go() {
    let hiding = |kind: (u8, u8), hidden: &dyn Fn(usize, usize) -> [u16; 3]| {
        png(kind, [&[], &[]], |x, y| {
            let [red, green, blue] = hidden(x, y);
            if y < 60 { coloured(x, y) } else { [red, green, blue, 0] }
        })
    };
    let of = |samples: [u16; 3]| hiding((6, 8), &|_, _| samples);
    let (one, other, none) = (of([0x0707, 0, 0]), of([0, 0x0707, 0]), of([0; 3]));
    assert_eq!(becomes(&one, &one), "valid");
    assert_eq!(becomes(&one, &none), "valid transparent");
    assert_eq!(becomes(&none, &one), CHANGED);
    assert_eq!(becomes(&one, &other), CHANGED);
    let in_part = hiding((6, 8), &|x, _| if x > 0 { [0x0707, 0, 0] } else { [0; 3] });
    assert_eq!(becomes(&one, &in_part), CHANGED);
    assert_eq!(becomes(&in_part, &none), "valid transparent");
    // A sample of 8 bits is one of 16 whose bytes are equal.
    let wide = |samples: [u16; 3]| hiding((6, 16), &|_, _| samples);
    assert_eq!(becomes(&wide([0x0707, 0, 0]), &one), "valid depth");
    assert_eq!(becomes(&wide([0x0700, 0, 0]), &one), CHANGED);
    assert_eq!(becomes(&wide([0x0700, 0, 0]), &none), "valid depth transparent");
    let grey_hiding = |kind: (u8, u8)| {
        png(kind, [&[], &[]], |x, y| if y < 60 { grey(x, y) } else { [0x1111, 0x1111, 0x1111, 0] })
    };
    assert_eq!(becomes(&grey_hiding((6, 8)), &grey_hiding((4, 8))), "valid");
}

#[test]
fn p27_what_says_the_colours_does_not_change_sides_of_a_palette() {
    let palette = || chunk(b"PLTE", &[1, 2, 3]);
    for kind in [b"cHRM", b"cICP", b"cLLI", b"gAMA", b"iCCP", b"mDCV", b"sBIT", b"sRGB"] {
        let said = || chunk(kind, &[0, 1, 0, 0]);
        let (after, before, alone) = (rgb(&[palette(), said()]), rgb(&[said(), palette()]), rgb(&[said()]));
        assert_eq!(becomes(&before, &alone), "valid PLTE");
        assert_eq!(becomes(&after, &alone), CHANGED, "libpng drops it after a palette");
        assert_eq!(becomes(&after, &before), CHANGED);
        assert_eq!(becomes(&before, &after), CHANGED);
    }
    // Other chunks may lose a palette before them.
    let texts = chunk(b"tEXt", b"gamma\x001");
    assert_eq!(becomes(&rgb(&[palette(), texts.clone()]), &rgb(&[texts])), "valid PLTE");
}

#[test]
fn p28_a_profile_is_not_turned_on_or_off_by_another_kind_of_storage() {
    let of = |kind: (u8, u8), chunks: &[Vec<u8>]| png(kind, [chunks, &[]], grey);
    let profile = [chunk(b"iCCP", b"profile\0\0data")];
    for (before, after, expected) in [
        ((2, 8), (0, 8), CHANGED),
        ((0, 8), (2, 8), CHANGED),
        ((4, 8), (6, 8), CHANGED),
        ((0, 8), (4, 8), "valid"),
        ((2, 8), (6, 8), "valid"),
    ] {
        assert_eq!(becomes(&of(before, &profile), &of(after, &profile)), expected, "{before:?} {after:?}");
        assert_eq!(becomes(&of(before, &profile), &of(after, &[])), "valid iCCP");
        assert_eq!(becomes(&of(before, &[]), &of(after, &[])), "valid");
    }
}

#[test]
fn p29_pieces_of_a_png_stay_in_their_order() {
    let words = |kind: &[u8; 4], text: &[u8]| chunk(kind, text);
    let exif = words(b"tEXt", b"Raw profile type exif\0\nexif\n0\n");
    let packed = words(b"zTXt", b"Raw profile type exif\0\0data");
    let turned = chunk(b"eXIf", EXIF);
    for [one, two] in [
        [&exif, &packed],
        [&turned, &packed],
        [&turned, &exif],
        [&chunk(b"sRGB", &[0]), &chunk(b"iCCP", b"p\0\0data")],
    ] {
        let [one, two] = [one.clone(), two.clone()];
        let before = rgb(&[one.clone(), two.clone()]);
        assert_eq!(becomes(&before, &before), "valid");
        assert_eq!(becomes(&before, &rgb(&[two.clone(), one.clone()])), CHANGED);
        assert!(becomes(&before, &rgb(&[one])).starts_with("valid "));
        assert!(becomes(&before, &rgb(&[two])).starts_with("valid "));
    }
    // Between which texts a chunk stands: the texts are as they were, and in their order.
    let other = |n: u8| words(b"tEXt", &[b"page\0", [n].as_slice()].concat());
    let early = rgb(&[other(1), turned.clone(), exif.clone(), other(2)]);
    let late = rgb(&[other(1), exif.clone(), turned.clone(), other(2)]);
    assert_eq!(becomes(&early, &late), CHANGED);
    assert_eq!(becomes(&early, &rgb(&[other(1), exif.clone(), other(2)])), "valid orientation");
    // What was lost leaves the others next to each other.
    let all = rgb(&[exif.clone(), turned.clone(), exif.clone(), chunk(b"sRGB", &[0])]);
    assert_eq!(becomes(&all, &rgb(&[exif.clone(), exif.clone(), chunk(b"sRGB", &[0])])), "valid orientation");
    assert_eq!(becomes(&all, &rgb(&[chunk(b"sRGB", &[0]), exif.clone(), exif])), CHANGED);
    // Apple's index is not signed, and what stood on both sides of it stays as it is.
    let with_index = rgb(&[turned.clone(), chunk(b"iDOT", &[0; 28]), packed.clone()]);
    assert_eq!(becomes(&with_index, &rgb(&[turned.clone(), packed.clone()])), "valid");
    assert_eq!(becomes(&with_index, &rgb(&[packed, turned])), CHANGED);
}

fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() + 2) as u16;
    [&[0xFF, marker], length.to_be_bytes().as_slice(), content].concat()
}

/// A photograph with these segments after JFIF, after the frame header, after the first start of scan with its data.
fn photo([early, between, late]: [&[Vec<u8>]; 3]) -> Vec<u8> {
    let file = include_bytes!("../../media/tests/data/texture.jpg");
    let place = |marker: &[u8]| file.windows(2).position(|two| two == marker).unwrap();
    let (frame, scan, end) = (place(b"\xFF\xC0"), place(b"\xFF\xDA"), file.len() - 2);
    let after = frame + 2 + usize::from(u16::from_be_bytes([file[frame + 2], file[frame + 3]]));
    assert!(after <= scan);
    let parts = [&file[..20], &early.concat(), &file[20..after], &between.concat(), &file[after..end]];
    [parts.concat(), late.concat(), file[end..].to_vec()].concat()
}

#[test]
fn p29_pieces_of_a_jpeg_stay_in_their_order() {
    let exif = segment(0xE1, &[b"Exif\0\0", EXIF].concat());
    let xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation=\"3\"/>");
    let blocks = segment(0xED, b"Photoshop 3.0\08BIM\x03\xED");
    for [one, two] in [[&exif, &xmp], [&exif, &blocks]] {
        let of = |parts: &[&Vec<u8>]| {
            photo([&parts.iter().map(|part| (*part).clone()).collect::<Vec<_>>(), &[], &[]])
        };
        assert_eq!(becomes(&of(&[one, two]), &of(&[one, two])), "valid");
        assert_eq!(becomes(&of(&[one, two]), &of(&[two, one])), CHANGED);
        assert_eq!(becomes(&of(&[one, two]), &of(&[two])), "valid orientation");
    }
}

#[test]
fn p30_pieces_of_a_jpeg_stay_on_their_side_of_the_frame_header() {
    let order = segment(0xFE, b"CS=ITU601");
    let profile = segment(0xE2, b"ICC_PROFILE\0\x01\x01 a profile");
    for (piece, name) in [(order, "COM"), (profile, "ICC")] {
        let piece = [piece];
        let places = [photo([&piece, &[], &[]]), photo([&[], &piece, &[]]), photo([&[], &[], &piece])];
        for (at, before) in places.iter().enumerate() {
            for (to, after) in places.iter().enumerate() {
                assert_eq!(
                    becomes(before, after),
                    if at == to { "valid" } else { CHANGED },
                    "{name} {at} {to}"
                );
            }
            assert_eq!(becomes(before, &photo([&[], &[], &[]])), format!("valid {name}"));
        }
    }
    // ffmpeg looks for the sense of the colours in the frame header, and others later.
    let adobe = [segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01")];
    assert_eq!(becomes(&photo([&adobe, &[], &[]]), &photo([&[], &[], &[]])), "valid");
    assert_eq!(becomes(&photo([&adobe, &[], &[]]), &photo([&[], &adobe, &[]])), "refused");
}

#[test]
fn p31_samples_do_not_get_wider_and_are_named_when_they_get_narrower() {
    for pixel in [coloured as fn(usize, usize) -> [u16; 4], grey] {
        let of = |kind: (u8, u8)| png(kind, [&[], &[]], pixel);
        assert_eq!(becomes(&of((2, 8)), &of((2, 16))), CHANGED);
        assert_eq!(becomes(&of((2, 16)), &of((2, 8))), "valid depth");
        assert_eq!(becomes(&of((2, 16)), &of((6, 16))), "valid");
    }
    let deep = png((2, 16), [&[], &[]], |x, y| coloured(x, y).map(|sample| sample ^ 0x10));
    assert_eq!(becomes(&deep, &deep), "valid", "what needs 16 bits has no other depth to lose");
}

#[test]
fn p04_what_is_left_of_a_signature_in_the_metadata_is_neither_new_nor_lost() {
    let plain = rgb(&[]);
    let left = |kind: &[u8; 4], rest: &[u8]| chunk(kind, &[b"sx-agent.signature", rest].concat());
    for rest in [
        b"\0\0\0\0\0e30".as_slice(),
        b"\0e30",
        b"\0\x01\0\0\0\x78\x9C\xFF",
        &[&[0], &[0xE9; 70_000][..]].concat(),
    ] {
        for kind in [b"tEXt", b"zTXt", b"iTXt"] {
            let left = [left(kind, rest)];
            assert_eq!(becomes(&plain, &rgb(&left)), "valid");
            assert_eq!(becomes(&rgb(&left), &plain), "valid");
            assert_eq!(becomes(&plain, &png((2, 8), [&[], &left], coloured)), "valid");
        }
    }
    assert_eq!(becomes(&plain, &rgb(&[left(b"tEXt", b"s\0e30")])), CHANGED);
    // A segment of ours in which half of what tells it is there, and one in which a byte more is changed.
    let description =
        b"jumd\x9b\x1c\x52\xe7\x40\x2d\x4a\x8f\xb3\x06\xd7\x75\x18\xc4\x6e\xa1\x03sx-agent.signature\0";
    let like = |marker: u8, same: usize, shift: usize| {
        let head = [b"JP\x53\x58\0\0\0\x01\0\0\0\x60jumb\0\0\0\x30".as_slice(), b"~"].concat();
        let own: Vec<u8> =
            description.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at >= same)).collect();
        [segment(marker, &[&head[..19 + shift], &own, b"uuid and the rest"].concat())]
    };
    let photo = |parts: &[Vec<u8>], late: &[Vec<u8>]| photo([parts, &[], late]);
    let plain = photo(&[], &[]);
    for (same, shift) in [(40, 1), (20, 1), (40, 0), (40, 2)] {
        assert_eq!(becomes(&plain, &photo(&like(0xEB, same, shift), &[])), "valid", "{same} {shift}");
        assert_eq!(becomes(&photo(&like(0xEB, same, shift), &[]), &plain), "valid", "{same} {shift}");
        assert_eq!(becomes(&plain, &photo(&[], &like(0xEB, same, shift))), "valid", "{same} {shift}");
    }
    for left in [like(0xEB, 19, 1), like(0xEA, 40, 1)] {
        assert_eq!(becomes(&plain, &photo(&left, &[])), CHANGED);
    }
}

#[test]
fn p32_the_shape_of_the_pixels_is_that_of_the_piece_that_stated_it() {
    let shape = |down: u8| chunk(b"pHYs", &[0, 0, 0, 1, 0, 0, 0, down, 0]);
    let (square, tall) = (shape(1), shape(4));
    assert_eq!(becomes(&rgb(&[]), &rgb(std::slice::from_ref(&square))), "valid", "changes nothing alone");
    assert_eq!(becomes(&rgb(std::slice::from_ref(&tall)), &rgb(&[tall.clone(), square.clone()])), CHANGED);
    assert_eq!(becomes(&rgb(std::slice::from_ref(&tall)), &rgb(&[square, tall])), CHANGED);

    let jfif = segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    let comment = segment(0xFE, b"MULTISCOPE II");
    let bare = photo([&[], &[], &[]]);
    let of = |parts: &[&Vec<u8>]| {
        let start: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        [&bare[..2], &start, &bare[20..]].concat() // in the place of JFIF
    };
    assert_eq!(of(&[&jfif]).len(), bare.len());
    assert_eq!(becomes(&of(&[&jfif, &comment]), &of(&[&jfif, &comment])), "valid");
    assert_eq!(becomes(&of(&[&jfif, &comment]), &of(&[&comment, &jfif])), CHANGED);
    let plain = segment(0xFE, b"Created with GIMP");
    assert_eq!(becomes(&of(&[&jfif]), &of(&[&plain, &jfif])), "valid", "after what is not recorded");
}
