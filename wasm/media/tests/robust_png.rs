//! Signatures in the samples of PNG images.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{image, insert, place, png_chunk, prepare, put, takes_no_longer_than_its_bytes};
use sx_media::problem::Problem;
use sx_media::robust::{self, Reading, available_bits, needed_bits, read};

const PAYLOAD: &str = "{\"signed\":true}";

/// A square PNG of these bytes for each pixel, by the adaptive filters in turn.
fn png(side: usize, depth: u8, colour: u8, extra: &[u8], pixel: impl Fn(usize, usize) -> Vec<u8>) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut above: Vec<u8> = Vec::new();
    let step = pixel(0, 0).len();
    for y in 0..side {
        let line: Vec<u8> = (0..side).flat_map(|x| pixel(x, y)).collect();
        let filter = y % 5;
        lines.push(filter as u8);
        for (at, byte) in line.iter().enumerate() {
            let left = if at >= step { line[at - step] } else { 0 };
            let up = above.get(at).copied().unwrap_or(0);
            let corner = if at >= step { above.get(at - step).copied().unwrap_or(0) } else { 0 };
            let p = i32::from(left) + i32::from(up) - i32::from(corner);
            let near = |v: u8| (p - i32::from(v)).abs();
            let paeth = if near(left) <= near(up) && near(left) <= near(corner) {
                left
            } else if near(up) <= near(corner) {
                up
            } else {
                corner
            };
            let mean = ((u16::from(left) + u16::from(up)) / 2) as u8;
            lines.push(byte.wrapping_sub([0, left, up, mean, paeth][filter]));
        }
        above = line;
    }
    let ihdr =
        [&(side as u32).to_be_bytes(), (side as u32).to_be_bytes().as_slice(), &[depth, colour, 0, 0, 0]]
            .concat();
    let data = miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6);
    let half = data.len() / 2;
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        png_chunk(b"IHDR", &ihdr),
        extra.to_vec(),
        png_chunk(b"IDAT", &data[..half]),
        png_chunk(b"IDAT", &data[half..]),
        png_chunk(b"tEXt", b"Comment\0one"),
        png_chunk(b"IEND", b""),
    ]
    .concat()
}

fn noise(x: usize, y: usize, channel: usize) -> u8 {
    ((x * 7 + y * 13 + channel * 31 + x * y) % 251) as u8
}

/// Images of all kinds that carry, 40 pixels square.
fn kinds() -> Vec<(&'static str, Vec<u8>)> {
    let n = noise;
    vec![
        ("grey", png(40, 8, 0, &[], |x, y| vec![n(x, y, 0)])),
        ("grey 16", png(40, 16, 0, &[], |x, y| vec![n(x, y, 0), n(x, y, 1)])),
        ("rgb", png(40, 8, 2, &[], |x, y| vec![n(x, y, 0), n(x, y, 1), n(x, y, 2)])),
        ("rgb of grey", png(40, 8, 2, &[], |x, y| vec![n(x, y, 0); 3])),
        ("rgb 16", png(40, 16, 2, &[], |x, y| (0..6).map(|c| n(x, y, c)).collect())),
        ("rgb 16 of 8", png(40, 16, 2, &[], |x, y| [0, 0, 1, 1, 2, 2].map(|c| n(x, y, c)).to_vec())),
        ("grey and alpha", png(40, 8, 4, &[], |x, y| vec![n(x, y, 0), if x < 20 { 255 } else { 0 }])),
        (
            "grey and alpha 16",
            png(40, 16, 4, &[], |x, y| vec![n(x, y, 0), n(x, y, 1), if x < 30 { 255 } else { 7 }, 255]),
        ),
        (
            "rgba",
            png(40, 8, 6, &[], |x, y| {
                vec![n(x, y, 0), n(x, y, 1), n(x, y, 2), if y < 30 { 255 } else { (x * 6) as u8 }]
            }),
        ),
        (
            "rgba 16",
            png(40, 16, 6, &[], |x, y| {
                let alpha = if y < 30 { [255, 255] } else { [1, 2] };
                (0..6).map(|c| n(x, y, c)).chain(alpha).collect()
            }),
        ),
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

fn is_valid(bytes: &[u8], sha256: [u8; 32]) -> bool {
    matches!(read(bytes), Reading::Found(found) if found.payload == PAYLOAD && found.exact && found.sha256 == sha256)
}

fn chunks(file: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
    let mut at = 8;
    let mut chunks = Vec::new();
    while at < file.len() {
        let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        chunks.push((file[at + 4..at + 8].try_into().unwrap(), file[at..at + length + 12].to_vec()));
        at += length + 12;
    }
    chunks
}

#[test]
fn p12_every_kind_of_8_and_16_bits_carries_and_keeps_its_kind() {
    for (name, bytes) in kinds() {
        let before = prepare(&bytes, PAYLOAD).unwrap();
        let file = signed(&bytes);
        let found = found(&file);
        assert_eq!((found.payload.as_str(), found.exact), (PAYLOAD, true), "{name}");
        assert_eq!((found.sha256, found.display), (before.sha256, before.display), "{name}");
        let others = |file: &[u8]| {
            let mut others = chunks(file);
            others.retain(|(kind, _)| kind != b"IDAT");
            others
        };
        assert_eq!(others(&file), others(&bytes), "{name}");
        assert_eq!(chunks(&file).iter().filter(|(kind, _)| kind == b"IDAT").count(), 1);
        assert!(is_valid(&signed(&file), before.sha256), "{name}: again");
    }
}

#[test]
fn p12_interlaced_images_stay_interlaced() {
    let interlaced = include_bytes!("data/interlaced.png");
    let straight = include_bytes!("data/straight.png");
    let hash = |bytes: &[u8]| prepare(bytes, PAYLOAD).unwrap().sha256;
    assert_eq!(hash(interlaced), hash(straight));
    let file = signed(interlaced);
    assert!(is_valid(&file, hash(straight)));
    assert_eq!(file[28], 1);
}

#[test]
fn p13_idot_is_dropped_with_the_data_it_points_into() {
    let file = insert(&kinds()[2].1, 33, &png_chunk(b"iDOT", &[0; 28]));
    let signed = signed(&file);
    assert!(chunks(&signed).iter().all(|(kind, _)| kind != b"iDOT"));
    assert_eq!(found(&signed).payload, PAYLOAD);
}

#[test]
fn the_same_pixels_have_the_same_hash_however_they_are_stored() {
    let n = noise;
    let hash = |bytes: &[u8]| prepare(bytes, PAYLOAD).unwrap().sha256;
    let grey = png(40, 8, 0, &[], |x, y| vec![n(x, y, 0)]);
    let grey_alpha = png(40, 8, 4, &[], |x, y| vec![n(x, y, 0), 255]);
    let rgb = png(40, 8, 2, &[], |x, y| vec![n(x, y, 0); 3]);
    let rgba = png(40, 8, 6, &[], |x, y| vec![n(x, y, 0), n(x, y, 0), n(x, y, 0), 255]);
    let wide = png(40, 16, 0, &[], |x, y| vec![n(x, y, 0); 2]);
    for other in [&grey_alpha, &rgb, &rgba, &wide] {
        assert_eq!(hash(other), hash(&grey));
    }
    let unseen = |value: u8| {
        png(40, 8, 6, &[], move |x, y| {
            if x == 39 { vec![value, value, 1, 0] } else { vec![n(x, y, 0), n(x, y, 1), n(x, y, 2), 255] }
        })
    };
    assert_eq!(hash(&unseen(3)), hash(&unseen(200)), "what nobody sees does not count");
}

#[test]
fn a_palette_of_the_same_pixels_still_verifies() {
    let signed = signed(&png(40, 8, 0, &[], |x, y| vec![((x + y) % 16 * 16) as u8]));
    let sha256 = found(&signed).sha256;
    // The signed samples, read back by undoing the filters of the test's own writer.
    let samples = grey_samples(&signed);
    let mut palette: Vec<u8> = samples.clone();
    palette.sort_unstable();
    palette.dedup();
    let plte: Vec<u8> = palette.iter().flat_map(|grey| [*grey; 3]).collect();
    let index = |x: usize, y: usize| palette.binary_search(&samples[y * 40 + x]).unwrap() as u8;
    let stored = png(40, 8, 3, &png_chunk(b"PLTE", &plte), |x, y| vec![index(x, y)]);
    assert!(is_valid(&stored, sha256));
    assert_eq!(available_bits(&stored), Err(Problem::PngKind));
}

fn grey_samples(file: &[u8]) -> Vec<u8> {
    samples::<1>(file).into_iter().map(|[grey]| grey).collect()
}

/// The samples of an image 40 pixels wide, of so many bytes each.
fn samples<const N: usize>(file: &[u8]) -> Vec<[u8; N]> {
    let data: Vec<u8> = chunks(file)
        .into_iter()
        .filter(|(kind, _)| kind == b"IDAT")
        .flat_map(|(_, c)| c[8..c.len() - 4].to_vec())
        .collect();
    let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&data).unwrap();
    let mut above = vec![0; 40 * N];
    let mut samples = Vec::new();
    for line in lines.chunks(40 * N + 1) {
        let mut row: Vec<u8> = Vec::new();
        for at in 0..40 * N {
            let left = if at >= N { row[at - N] } else { 0 };
            let corner = if at >= N { above[at - N] } else { 0 };
            let up = above[at];
            let p = i32::from(left) + i32::from(up) - i32::from(corner);
            let near = |v: u8| (p - i32::from(v)).abs();
            let paeth = [left, up, corner].into_iter().min_by_key(|v| near(*v)).unwrap();
            let mean = ((u16::from(left) + u16::from(up)) / 2) as u8;
            row.push(line[at + 1].wrapping_add([0, left, up, mean, paeth][usize::from(line[0])]));
        }
        samples.extend(row.as_chunks::<N>().0);
        above = row;
    }
    samples
}

#[test]
fn hidden_colours_are_the_same_however_they_are_stored() {
    let n = |x: usize, y: usize| noise(x, y, 0) & !1;
    let signed = signed(&png(40, 8, 4, &[], |x, y| {
        vec![if y < 38 { n(x, y) } else { 254 }, if y < 38 { 255 } else { 0 }]
    }));
    let found_here = found(&signed);
    assert!(found_here.display.json().starts_with("{\"transparent\":\""));
    let samples = samples::<2>(&signed);
    let keyed = png(40, 8, 0, &png_chunk(b"tRNS", &[0, 254]), |x, y| vec![samples[y * 40 + x][0]]);
    assert!(is_valid(&keyed, found_here.sha256), "a transparent colour");
    assert_eq!(found(&keyed).display, found_here.display);
    let listed = |hidden: u8| {
        let plte: Vec<u8> =
            (0..=255_u8).flat_map(|grey| [if grey == 255 { hidden } else { grey }; 3]).collect();
        let alphas: Vec<u8> = (0..=255_u8).map(|grey| if grey == 255 { 0 } else { 255 }).collect();
        let extra = [png_chunk(b"PLTE", &plte), png_chunk(b"tRNS", &alphas)].concat();
        png(40, 8, 3, &extra, |x, y| vec![if y < 38 { samples[y * 40 + x][0] } else { 255 }])
    };
    assert!(is_valid(&listed(254), found_here.sha256), "a colour of a palette");
    assert_eq!(found(&listed(254)).display, found_here.display);
    assert_ne!(found(&listed(253)).display, found_here.display);
    assert_eq!(found(&listed(0)).display.json(), "{}");
}

#[test]
fn any_changed_sample_shows() {
    let base = signed(&png(24, 8, 2, &[], |x, y| (0..3).map(|c| noise(x, y, c)).collect()));
    let sha256 = found(&base).sha256;
    let data = chunks(&base).into_iter().find(|(kind, _)| kind == b"IDAT").unwrap().1;
    let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&data[8..data.len() - 4]).unwrap();
    let start = place(&base, b"IDAT") - 4;
    for at in (0..lines.len()).filter(|at| at % 73 != 0) {
        for bit in [0, 1, 7] {
            let mut changed = lines.clone();
            changed[at] ^= 1 << bit;
            let data = png_chunk(b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&changed, 1));
            let file = [&base[..start], &data, &png_chunk(b"IEND", b"")].concat();
            assert!(!is_valid(&file, sha256), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn what_changes_the_display_is_recorded() {
    let file = signed(&kinds()[2].1);
    let sha256 = found(&file).sha256;
    let names = |chunks: &[Vec<u8>]| {
        let changed = insert(&file, 33, &chunks.concat());
        assert!(is_valid(&changed, sha256));
        found(&changed).display.json().split('"').skip(1).step_by(4).collect::<Vec<_>>().join(" ")
    };
    for kind in
        ["bKGD", "cICP", "caNv", "eXIf", "exIf", "gAMA", "iCCP", "iDOT", "oFFs", "sRGB", "vpAg", "zzZz"]
    {
        assert_eq!(names(&[png_chunk(kind.as_bytes().try_into().unwrap(), b"data")]), kind);
    }
    assert_eq!(names(&[png_chunk(b"acTL", &[0; 8]), png_chunk(b"cICP", &[9, 16, 0, 1])]), "acTL cICP order");
    let text = |kind: &[u8; 4], text: &str| names(&[png_chunk(kind, text.as_bytes())]);
    assert_eq!(text(b"iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x tiff:Orientation='6'/>"), "iTXt");
    assert_eq!(text(b"zTXt", "Raw profile type exif\0\0"), "zTXt");
    assert_eq!(text(b"tEXt", "exif:Orientation\x006"), "tEXt");
    assert_eq!(text(b"tEXt", "Title\0Sunset"), "");
    assert_eq!(names(&[png_chunk(b"PLTE", &[1, 2, 3])]), "PLTE", "colours that are only proposed");
    assert_eq!(found(&[file.as_slice(), b"more"].concat()).display.json().get(..7), Some("{\"end\":"));
    assert_eq!(
        names(&[png_chunk(b"sBIT", &[8, 8, 8]), png_chunk(b"caBX", b"jumb"), png_chunk(b"tIME", &[0; 7])]),
        ""
    );
    let gamma = png_chunk(b"gAMA", &[0, 1, 0, 0]);
    let late = insert(&file, file.len() - 12, &gamma);
    assert_ne!(
        found(&late).display,
        found(&insert(&file, 33, &gamma)).display,
        "some readers look no further"
    );
    let key = insert(
        &file,
        33,
        &png_chunk(b"tRNS", &[0, noise(30, 30, 0), 0, noise(30, 30, 1), 0, noise(30, 30, 2)]),
    );
    assert!(!is_valid(&key, sha256), "a colour made transparent is another picture");
}

#[test]
fn t34_what_changes_the_display_has_an_end() {
    let file = signed(&kinds()[2].1);
    let name = |n: u8| [b'a' + n % 26, b'a' + n / 26, b'A', b'a'];
    let kinds = |count: u8| {
        insert(&file, 33, &(0..count).map(name).flat_map(|kind| png_chunk(&kind, b"")).collect::<Vec<_>>())
    };
    assert_eq!(found(&kinds(64)).payload, PAYLOAD);
    assert_eq!(read(&kinds(65)), Reading::Nothing);
    assert_eq!(available_bits(&kinds(200)), Err(Problem::PixelsBroken));
    let displays = |size: usize, chunks: &dyn Fn(usize) -> Vec<u8>| {
        takes_no_longer_than_its_bytes(size, |size| {
            let file = insert(&file, 33, &chunks(size));
            move || assert!(found(&file).display.json().len() < 80)
        });
    };
    displays(20 << 17, &|bytes| png_chunk(b"gAMA", &vec![7; bytes]));
    displays(125_000, &|count| png_chunk(b"acTL", b"").repeat(count));
    displays(6_250, &|count| png_chunk(b"eXIf", b"MM\0*\0\0\0\x08\xFF\xFF").repeat(count));
}

#[test]
fn what_readers_disagree_about_is_not_read() {
    let file = signed(&kinds()[2].1);
    let sha256 = found(&file).sha256;
    let key = |red: u16| {
        let samples = [red, u16::from(noise(30, 30, 1)), u16::from(noise(30, 30, 2))];
        png_chunk(b"tRNS", &samples.map(u16::to_be_bytes).concat())
    };
    let unused = key(0xFF);
    assert!(is_valid(&insert(&file, 33, &unused), sha256), "a transparent colour that no pixel has");
    let seen = u16::from(noise(30, 30, 0));
    let mut wrong = key(seen);
    *wrong.last_mut().unwrap() ^= 1;
    let idat_end = file.len() - 12;
    for (what, at, chunk) in [
        ("two", 33, [key(seen), unused.clone()].concat()),
        ("above the depth", 33, key(0x100 | seen)),
        ("of another length", 33, png_chunk(b"tRNS", &[0, 1])),
        ("with a wrong checksum", 33, wrong),
        ("after the data", idat_end, key(seen)),
        ("a second header", 33, file[8..33].to_vec()),
        ("one that has to be known", 33, png_chunk(b"CgBI", &[0; 4])),
        ("one that is not named by letters", 33, png_chunk(b"a1Aa", b"")),
        ("a header of nothing before it", 8, png_chunk(b"IHDR", &[0; 13])),
        ("two empty palettes", 33, png_chunk(b"PLTE", b"").repeat(2)),
        ("an empty palette", 33, png_chunk(b"PLTE", b"")),
        ("a palette of five bytes", 33, png_chunk(b"PLTE", &[0; 5])),
        ("a palette of 257 colours", 33, png_chunk(b"PLTE", &[0; 771])),
        ("an end that holds something, before the end", idat_end, png_chunk(b"IEND", b"a")),
        ("another chunk before it", 8, png_chunk(b"tEXt", b"a\0b")),
    ] {
        assert_eq!(read(&insert(&file, at, &chunk)), Reading::Nothing, "{what}");
    }
    for rest in [b"".as_slice(), b"\0", b"more"] {
        // Behind the stream, in a chunk of its own.
        let at = place(&file, b"tEXt") - 4;
        let expected = rest.is_empty();
        let read = read(&insert(&file, at, &png_chunk(b"IDAT", rest)));
        assert_eq!(matches!(read, Reading::Found(_)), expected, "{rest:?} after the stream");
    }
    let mut damaged = file.clone();
    let crc = place(&damaged, b"tEXt") - 5;
    damaged[crc] ^= 1;
    assert_eq!(read(&damaged), Reading::Nothing, "the checksum of the data");
    let mut gamma = png_chunk(b"gAMA", &[0, 1, 0, 0]);
    *gamma.last_mut().unwrap() ^= 1;
    assert_eq!(
        read(&insert(&file, 33, &gamma)),
        Reading::Nothing,
        "the checksum of what some readers skip then"
    );
    // Some readers compare the higher bytes alone.
    let wide = signed(&kinds()[5].1);
    for key in [[0xFF_u16; 3], [0xFFFE; 3], [0; 3]] {
        let key = png_chunk(b"tRNS", &key.map(u16::to_be_bytes).concat());
        assert_eq!(read(&insert(&wide, 33, &key)), Reading::Nothing, "a transparent colour of 16 bits");
    }
    let grey = signed(&kinds()[0].1);
    assert_eq!(read(&insert(&grey, 33, &png_chunk(b"PLTE", &[0; 3]))), Reading::Nothing, "a palette of grey");
    let samples = grey_samples(&grey);
    let listed = |colours: u8| {
        let plte = png_chunk(b"PLTE", &(0..=colours).flat_map(|value| [value; 3]).collect::<Vec<_>>());
        png(40, 8, 3, &plte, |x, y| vec![samples[y * 40 + x]])
    };
    assert!(is_valid(&listed(255), found(&grey).sha256));
    assert_eq!(read(&listed(200)), Reading::Nothing, "a number that stands for no colour");
    let index = |_: usize, _: usize| vec![0];
    let palette = |plte: &[u8], trns: &[u8]| {
        let extra = [png_chunk(b"PLTE", plte), png_chunk(b"tRNS", trns)].concat();
        available_bits(&png(4, 8, 3, &extra, index))
    };
    assert_eq!(palette(&[1, 2, 3], &[9]), Err(Problem::PngKind));
    for (plte, trns) in [(&[1, 2, 3][..], &[9, 9][..]), (&[1, 2], &[]), (&[], &[]), (&[0; 771], &[])] {
        assert_eq!(palette(plte, trns), Err(Problem::PixelsBroken));
    }
}

#[test]
fn what_cannot_carry_is_refused_by_name() {
    assert_eq!(available_bits(&image("palette.png")), Err(Problem::PngKind));
    let plain = &kinds()[2].1;
    let key = insert(plain, 33, &png_chunk(b"tRNS", &[0; 6]));
    assert_eq!(available_bits(&key), Err(Problem::TransparentColour));
    let animated = insert(plain, 33, &png_chunk(b"acTL", &[0; 8]));
    assert_eq!(available_bits(&animated), Err(Problem::Animated));
    let small = png(8, 8, 2, &[], |x, y| vec![noise(x, y, 0); 3]);
    assert_eq!(available_bits(&small), Ok(64));
    assert_eq!(put(&small, PAYLOAD), Err(Problem::TooSmall));
    let unseen = png(40, 8, 6, &[], |x, y| vec![noise(x, y, 0), 1, 2, 254]);
    assert_eq!(available_bits(&unseen), Ok(0));
    let nearly_grey =
        png(40, 8, 2, &[], |x, y| vec![noise(x, y, 0) & !1, noise(x, y, 0) & !1, noise(x, y, 0) | 1]);
    assert!(matches!(put(&nearly_grey, PAYLOAD), Ok(_) | Err(Problem::TooPlain)));
}

#[test]
fn t34_a_bomb_is_refused_before_anything_is_reserved() {
    let mut file = kinds()[2].1.clone();
    file[16..24].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]);
    assert!(matches!(available_bits(&file), Err(Problem::PixelsBroken | Problem::TooManyPixels)));
    let all = signed(&kinds()[8].1);
    for length in 0..all.len() {
        assert_eq!(read(&all[..length]), Reading::Nothing);
    }
}

#[test]
fn a_damaged_signature_is_not_a_missing_one() {
    let file = signed(&png(40, 8, 0, &[], |x, y| vec![noise(x, y, 0)]));
    let mut samples = grey_samples(&file);
    samples[300] ^= 1;
    let changed = png(40, 8, 0, &[], |x, y| vec![samples[y * 40 + x]]);
    assert_eq!(read(&changed), Reading::Damaged(Problem::CarriersAltered));
    samples[..400].fill(9);
    let painted = png(40, 8, 0, &[], |x, y| vec![samples[y * 40 + x]]);
    assert_eq!(read(&painted), Reading::Damaged(Problem::CarriersAltered));
}

#[test]
fn a_whole_document_fits_into_a_small_picture() {
    let document = include_str!("data/document.json");
    let bytes = png(33, 8, 2, &[], |x, y| (0..3).map(|c| noise(x, y, c)).collect());
    assert!(available_bits(&bytes).unwrap() >= needed_bits(document));
    let file = put(&bytes, document).unwrap();
    assert_eq!(found(&file).payload, document);
}
