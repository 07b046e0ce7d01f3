//! The rules of the JPEG segment, by their numbers, and the attack cases about it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Verdict, c2pa_segments, image, insert, own, place, segment, sign, signed, strip, verify};
use sx_media::problem::Problem;

fn app0_end(file: &[u8]) -> usize {
    place(file, b"JFIF") + 14
}

fn round_trip(file: &Vec<u8>) -> Vec<u8> {
    let signed = signed(file);
    assert_eq!(verify(&signed), Verdict::Valid);
    assert_eq!(strip(&signed).unwrap(), *file);
    signed
}

#[test]
fn j1_a_signed_thumbnail_inside_of_a_segment_is_not_ours() {
    let thumbnail = signed(&image("grey.jpg"));
    let file =
        insert(&image("baseline.jpg"), 2, &segment(0xE1, &[b"Exif\0\0", thumbnail.as_slice()].concat()));
    assert_eq!(verify(&file), Verdict::Missing);
    round_trip(&file);
}

#[test]
fn j2_fill_bytes_are_kept() {
    let file = image("baseline.jpg");
    for at in [2, app0_end(&file), place(&file, b"\xFF\xC0"), place(&file, b"\xFF\xDA")] {
        round_trip(&insert(&file, at, b"\xFF\xFF\xFF"));
    }
}

#[test]
fn j3_markers_without_a_length() {
    let file = image("baseline.jpg");
    let at = app0_end(&file);
    for marker in [0x01, 0xD0, 0xD3, 0xD7] {
        let signed = round_trip(&insert(&file, at, &[0xFF, marker]));
        assert_eq!(own(&signed).start, at);
    }
    for marker in [0xDC, 0xDE, 0xDF, 0xF0, 0xFD, 0xFE] {
        round_trip(&insert(&file, at, &segment(marker, b"\xFF\xD9\xFF\xEB")));
    }
}

#[test]
fn j4_a_length_counts_itself() {
    let file = image("baseline.jpg");
    let at = app0_end(&file);
    round_trip(&insert(&file, at, &segment(0xE5, b"")));
    for length in [0, 1] {
        assert_eq!(sign(&insert(&file, at, &[0xFF, 0xE5, 0, length])), Err(Problem::Incomplete));
    }
}

#[test]
fn j5_t35_a_second_signature_between_the_scans_is_seen() {
    let file = signed(&image("progressive.jpg"));
    let copy = file[own(&file)].to_vec();
    let first = place(&file, b"\xFF\xDA");
    let second = first + 2 + place(&file[first + 2..], b"\xFF\xDA");
    assert_eq!(verify(&insert(&file, second, &copy)), Verdict::Damaged(Problem::SeveralSignatures));
    let rest = strip(&file).unwrap();
    let moved = insert(&rest, second - copy.len(), &copy);
    assert_eq!(verify(&moved), Verdict::Damaged(Problem::Misplaced));
}

#[test]
fn j6_t35_what_follows_the_image_is_covered() {
    let file = [image("baseline.jpg"), image("grey.jpg"), b"MotionPhoto".to_vec()].concat();
    let mut signed = round_trip(&file);
    *signed.last_mut().unwrap() ^= 1;
    assert_eq!(verify(&signed), Verdict::Invalid);
}

#[test]
fn j7_j8_the_segment_stands_after_app0_and_app1_and_before_app2() {
    let file = image("exif.jpg");
    let exif = place(&file, b"Exif") - 4;
    let exif_end = exif + 2 + usize::from(u16::from_be_bytes([file[exif + 2], file[exif + 3]]));
    let mpf = segment(0xE2, b"MPF\0II*\0");
    let with_mpf = insert(&file, exif_end, &mpf);
    let signed = round_trip(&with_mpf);
    assert_eq!(own(&signed).start, exif_end);
    let bare = [b"\xFF\xD8".as_slice(), &image("baseline.jpg")[app0_end(&image("baseline.jpg"))..]].concat();
    assert_eq!(own(&round_trip(&bare)).start, 2);
}

#[test]
fn j9_the_segment_never_looks_like_one_of_c2pa() {
    let file = image("baseline.jpg");
    let signed = round_trip(&file);
    let content = &signed[own(&signed)][4..];
    assert!(content.len() >= 28);
    assert_eq!(&content[2..4], b"SX");
    assert_ne!(&content[24..28], b"c2pa");
    let at = app0_end(&file);
    let taken = [segment(0xEB, b"JPSX"), segment(0xEB, b"HDSY and more")].concat();
    let signed = round_trip(&insert(&file, at, &taken));
    assert_eq!(&signed[own(&signed)][6..8], b"SZ");
    let mut all = Vec::new();
    for number in 0x5358..=0xFFFF_u16 {
        all.extend(segment(0xEB, &[b"JP".as_slice(), &number.to_be_bytes()].concat()));
    }
    for number in 0..0x0211_u16 {
        all.extend(segment(0xEB, &[b"JP".as_slice(), &number.to_be_bytes()].concat()));
    }
    let signed = round_trip(&insert(&file, at, &all));
    assert_eq!(&signed[own(&signed)][6..8], [0x02, 0x12]);
}

#[test]
fn j9_a_segment_that_ends_amid_our_description_is_foreign() {
    let file = image("baseline.jpg");
    let signed = round_trip(&file);
    let ours = signed[own(&signed)][4..].to_vec();
    for length in 20..60 {
        // Behind the segment, and the head of the next one, stands what would follow in ours.
        let foreign = [segment(0xEB, &ours[..length]), segment(0xFE, &ours[length + 4..])].concat();
        round_trip(&insert(&file, app0_end(&file), &foreign));
    }
}

#[test]
fn j9_foreign_segments_of_any_length_disturb_nobody() {
    let file = image("baseline.jpg");
    for length in 0..200 {
        let foreign = segment(0xEB, &[b"JPSX\0\0\0\x01".as_slice(), &[0x2A; 192]].concat()[..length]);
        round_trip(&insert(&file, app0_end(&file), &foreign));
    }
}

#[test]
fn j10_the_segment_is_a_labelled_box() {
    let signed = signed(&image("baseline.jpg"));
    let content = signed[own(&signed)][4..].to_vec();
    assert_eq!(&content[..2], b"JP");
    assert_eq!(&content[4..8], [0, 0, 0, 1]);
    assert_eq!(u32::from_be_bytes(content[8..12].try_into().unwrap()) as usize, content.len() - 8);
    assert_eq!(&content[12..16], b"jumb");
    assert_eq!(&content[20..24], b"jumd");
    assert_eq!(&content[40..60], b"\x03sx-agent.signature\0");
    assert!(content.ends_with(common::digest(&image("baseline.jpg")).as_bytes()));
}

#[test]
fn j11_the_longest_payload_fits_into_one_segment() {
    let file = image("baseline.jpg");
    let payload = "-".repeat(sx_media::metadata::MAX_PAYLOAD);
    let long = sx_media::metadata::embed(&file, &payload).unwrap().assemble(&file);
    assert!(own(&long).len() <= 65_537);
    assert_eq!(strip(&long).unwrap(), file);
}

#[test]
fn j12_restarts_arithmetic_and_progressive_are_signed_as_they_are() {
    for name in ["restart.jpg", "arithmetic.jpg", "progressive.jpg", "grey.jpg"] {
        round_trip(&image(name));
    }
}

#[test]
fn j14_without_an_end_but_with_data_it_is_signed() {
    let file = image("baseline.jpg");
    round_trip(&file[..file.len() - 2].to_vec());
    round_trip(&file[..place(&file, b"\xFF\xDA") + 20].to_vec());
    assert_eq!(sign(&file[..place(&file, b"\xFF\xDA") + 3].to_vec()), Err(Problem::Incomplete));
}

#[test]
fn j15_bytes_between_segments_are_kept_and_covered() {
    let file = image("baseline.jpg");
    for at in [app0_end(&file), place(&file, b"\xFF\xC0")] {
        let mut signed = round_trip(&insert(&file, at, b"junk"));
        let junk = place(&signed, b"junk");
        signed[junk] = b'J';
        assert_eq!(verify(&signed), Verdict::Invalid);
    }
}

#[test]
fn j7_c2pa_in_front_of_the_segment_does_not_move_it() {
    let mut file = signed(&image("exif.jpg"));
    file = insert(&file, 2, &c2pa_segments(100, 4000));
    assert_eq!(verify(&file), Verdict::Valid);
    let broken = {
        let mut store = c2pa_segments(100, 60);
        let last = store.len();
        store.truncate(last - segment(0xEB, &[0; 16]).len().min(30));
        insert(&signed(&image("exif.jpg")), 2, &store)
    };
    assert_ne!(verify(&broken), Verdict::Valid);
}

#[test]
fn t34_very_many_segments_take_no_memory() {
    let many = segment(0xEB, b"JP\x77\x77 and so on").repeat(65_535);
    let file = insert(&image("baseline.jpg"), 2, &many);
    round_trip(&file);
}

#[test]
fn j8_a_store_behind_the_index_of_other_images_is_covered() {
    let mpf = segment(0xE2, b"MPF\0II*\0\x08\0\0\0\0\0\0\0\0\0");
    let frame = |bytes: &[u8]| place(bytes, b"\xFF\xDB");
    let plain = image("exif.jpg");
    let file = signed(&insert(&plain, frame(&plain), &mpf));
    let index = place(&file, b"MPF\0") - 4;
    let store = c2pa_segments(100, 4000);
    assert_eq!(verify(&insert(&file, index, &store)), Verdict::Valid);
    // What the index points to would be another image.
    assert_eq!(verify(&insert(&file, frame(&file), &store)), Verdict::Invalid);
}
