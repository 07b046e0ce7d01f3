//! The rules of the PNG chunk, by their numbers, and the attack cases about it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Verdict, image, insert, own, place, png_chunk, sign, signed, strip, verify};
use sx_media::crc::crc32;
use sx_media::metadata::{self, Channel};
use sx_media::problem::Problem;

const KEYWORD: &[u8] = b"sx-agent.signature\0";

fn without_own(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let range = own(&file.to_vec());
    (file[range.clone()].to_vec(), [&file[..range.start], &file[range.end..]].concat())
}

#[test]
fn p1_a_length_above_31_bits_ends_the_image() {
    let file = image("rgb.png");
    let mut chunk = png_chunk(b"tEXt", b"a\0b");
    chunk[..4].copy_from_slice(&0xFFFF_FFFF_u32.to_be_bytes());
    assert_eq!(sign(&insert(&file, 33, &chunk)), Err(Problem::Incomplete));
    chunk[..4].copy_from_slice(&0x7FFF_FFFF_u32.to_be_bytes());
    assert_eq!(sign(&insert(&file, 33, &chunk)), Err(Problem::Incomplete));
}

#[test]
fn p1_a_signature_in_an_image_that_ends_early_is_damage() {
    let mut file = signed(&image("rgb.png"));
    let end = own(&file).end;
    assert_eq!(verify(&file[..end].to_vec()), Verdict::Damaged(Problem::Cut));
    // Found by fuzzing: after it a length that is wrong, and bytes that look like ours.
    file.truncate(end);
    file.extend(b"\xFF\0\0\0junk");
    file.extend([b"sx-agent.signature\0\0\0\0\0".as_slice(), b"\0\0\0\0IEND\xAE\x42\x60\x82"].concat());
    assert_eq!(verify(&file), Verdict::Damaged(Problem::Cut));
}

#[test]
fn p2_the_chunk_is_international_text_as_the_standard_has_it() {
    let (chunk, _) = without_own(&signed(&image("rgb.png")));
    let digest = common::digest(&image("rgb.png"));
    let data = [KEYWORD, b"\0\0\0\0", digest.as_bytes()].concat();
    assert_eq!(chunk, png_chunk(b"iTXt", &data));
}

#[test]
fn p3_the_chunk_stands_directly_after_ihdr_and_before_idot() {
    let file = insert(&image("rgb.png"), 33, &png_chunk(b"iDOT", &[0; 28]));
    let signed = signed(&file);
    assert_eq!(own(&signed).start, 33);
    assert!(place(&signed, b"iDOT") > own(&signed).end);
}

#[test]
fn p4_t35_a_chunk_in_another_place_is_not_ours_to_trust() {
    let file = signed(&insert(&image("rgb.png"), 33, &png_chunk(b"gAMA", &[0, 0, 0xB1, 0x8F])));
    let (chunk, rest) = without_own(&file);
    let idat = place(&rest, b"IDAT") - 4;
    let iend = rest.len() - 12;
    for at in [8, idat, iend] {
        let moved = insert(&rest, at, &chunk);
        assert!(matches!(verify(&moved), Verdict::Damaged(_)), "at {at}");
    }
    assert_eq!(verify(&insert(&rest, rest.len(), &chunk)), Verdict::Missing, "after IEND nothing is read");
}

#[test]
fn p5_foreign_checksums_are_left_alone() {
    let mut file = image("rgb.png");
    let crc = place(&file, b"IDAT") - 5;
    file[crc] ^= 1;
    let signed = signed(&file);
    assert_eq!(verify(&signed), Verdict::Valid);
    assert_eq!(strip(&signed).unwrap(), file);
}

#[test]
fn p6_t35_a_bad_checksum_of_ours_is_damage() {
    let mut file = signed(&image("rgb.png"));
    let last = own(&file).end - 1;
    file[last] ^= 1;
    assert_eq!(verify(&file), Verdict::Damaged(Problem::Altered));
}

#[test]
fn p7_t35_bytes_after_iend_are_covered() {
    let file = [&image("rgb.png"), b"more".as_slice()].concat();
    let signed = signed(&file);
    assert_eq!(strip(&signed).unwrap(), file);
    let mut changed = signed.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(verify(&changed), Verdict::Invalid);
    assert_eq!(verify(&[&signed, b"x".as_slice()].concat()), Verdict::Invalid);
}

#[test]
fn p8_a_compressed_chunk_of_ours_is_damage() {
    let rest = image("rgb.png");
    for head in [b"\x01\0\0\0", b"\0\x01\0\0", b"\0\0e\0"] {
        let data = [KEYWORD, head.as_slice(), common::digest(&rest).as_bytes()].concat();
        assert_eq!(
            verify(&insert(&rest, 33, &png_chunk(b"iTXt", &data))),
            Verdict::Damaged(Problem::Altered)
        );
    }
    let kinds: [(&[u8; 4], &[u8]); 2] = [(b"tEXt", b""), (b"zTXt", b"\0")];
    for (kind, head) in kinds {
        let data = [KEYWORD, head, common::digest(&rest).as_bytes()].concat();
        assert_eq!(verify(&insert(&rest, 33, &png_chunk(kind, &data))), Verdict::Damaged(Problem::Altered));
    }
}

#[test]
fn p9_t35_two_chunks_are_damage_whatever_they_hold() {
    let file = signed(&image("rgb.png"));
    let (chunk, rest) = without_own(&file);
    for at in [33, own(&file).end, file.len() - 12] {
        let twice = insert(&file, at, &chunk);
        assert_eq!(verify(&twice), Verdict::Damaged(Problem::SeveralSignatures), "at {at}");
        assert_eq!(strip(&twice), Err(Problem::SeveralSignatures));
    }
    assert_eq!(verify(&rest), Verdict::Missing);
}

#[test]
fn p10_an_animation_is_signed_as_it_is() {
    let control = [png_chunk(b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]), png_chunk(b"fcTL", &[0; 26])].concat();
    let file = insert(&image("rgb.png"), 33, &control);
    let signed = signed(&file);
    assert_eq!(verify(&signed), Verdict::Valid);
    assert_eq!(strip(&signed).unwrap(), file);
}

#[test]
fn p11_t35_a_chunk_carried_to_another_image_does_not_fit() {
    let (chunk, _) = without_own(&signed(&image("rgb.png")));
    assert_eq!(verify(&insert(&image("palette.png"), 33, &chunk)), Verdict::Invalid);
}

#[test]
fn p12_every_kind_of_png_is_signed() {
    for name in ["rgb.png", "grey16.png", "rgba-interlaced.png", "palette.png"] {
        assert_eq!(verify(&signed(&image(name))), Verdict::Valid, "{name}");
    }
}

#[test]
fn t34_chunks_are_never_inflated_and_their_lengths_reserve_nothing() {
    let bomb = png_chunk(b"zTXt", &[b"bomb\0\0".as_slice(), &[0x5A; 5000]].concat());
    let file = insert(&image("rgb.png"), 33, &bomb);
    assert_eq!(verify(&signed(&file)), Verdict::Valid);
    let mut long = insert(&image("rgb.png"), 33, &png_chunk(b"iTXt", &[KEYWORD, b"\0\0\0\0e30"].concat()));
    long[33..37].copy_from_slice(&0x7FFF_FFFF_u32.to_be_bytes());
    assert!(matches!(verify(&long), Verdict::Damaged(_)));
}

#[test]
fn payloads_are_base64url_only() {
    let file = image("rgb.png");
    for payload in ["", "a b", "a=", "a+b", "é", "a\n"] {
        assert_eq!(metadata::embed(&file, payload), Err(Problem::PayloadForm), "{payload:?}");
    }
    let foreign = png_chunk(b"iTXt", &[KEYWORD, b"\0\0\0\0a=b"].concat());
    assert_eq!(verify(&insert(&file, 33, &foreign)), Verdict::Damaged(Problem::Altered));
}

#[test]
fn other_bytes_are_no_image() {
    for bytes in [b"".as_slice(), b"GIF89a", b"{}", b"\x89PNG\r\n\x1a", b"\xFF\xD8", b"RIFF\0\0\0\0WAVE"] {
        assert_eq!(metadata::scan(&bytes).unwrap_err(), Problem::NotAnImage);
        assert_eq!(metadata::embed(&bytes, "e30"), Err(Problem::NotAnImage));
        assert_eq!(metadata::strip(&bytes), Err(Problem::NotAnImage));
    }
}

#[test]
fn the_checksum_is_that_of_the_standard() {
    assert_eq!(crc32(&[b"IEND"]), 0xAE42_6082);
}

#[test]
fn a_signed_file_says_where_its_signature_stands() {
    let file = signed(&image("rgb.png"));
    let scan = metadata::scan(&file).unwrap();
    assert!(matches!(scan.channel, Channel::Signed { .. }));
    assert_eq!(scan.content.size(), image("rgb.png").len());
    assert_eq!(scan.content.assemble(&file), image("rgb.png"));
}

#[test]
fn p3_a_store_behind_apples_index_is_covered() {
    let plain = image("rgb.png");
    let data = |bytes: &[u8]| place(bytes, b"IDAT") - 4;
    let file = signed(&insert(&plain, data(&plain), &png_chunk(b"iDOT", &[0; 28])));
    let index = place(&file, b"iDOT") - 4;
    let store = png_chunk(b"caBX", b"jumb");
    assert_eq!(verify(&insert(&file, index, &store)), Verdict::Valid);
    for at in [data(&file), place(&file, b"IEND") - 4] {
        assert_eq!(verify(&insert(&file, at, &store)), Verdict::Invalid);
    }
}

#[test]
fn p9_only_the_first_store_may_hold_what_looks_like_ours() {
    let file = signed(&image("rgb.png"));
    let store = png_chunk(b"caBX", KEYWORD);
    let end = own(&file).end;
    assert_eq!(verify(&insert(&file, end, &store)), Verdict::Valid);
    assert_eq!(verify(&insert(&file, end, &store.repeat(2))), Verdict::Damaged(Problem::SeveralSignatures));
    assert_eq!(verify(&insert(&file, 8, &store)), Verdict::Damaged(Problem::Cut), "before IHDR");
    assert_eq!(verify(&insert(&image("rgb.png"), 8, &store)), Verdict::Missing, "before IHDR");
}
