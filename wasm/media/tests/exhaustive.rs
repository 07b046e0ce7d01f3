//! Every single change of a signed file: none leaves it with the content that was signed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{
    IMAGES, Verdict, c2pa_box, c2pa_segments, insert, place, png_chunk, riff_chunk, riff_chunks, webp,
};
use common::{own, sign, signed, strip, verify};
use std::ops::Range;
use sx_media::problem::Problem;

fn files() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    IMAGES.iter().map(|(name, bytes)| (*name, bytes.to_vec()))
}

/// Flips each bit, deletes each byte and puts in bytes at each offset outside of `free`.
fn change_everywhere(name: &str, file: &[u8], free: Range<usize>) {
    for at in (0..file.len()).filter(|at| !free.contains(at)) {
        for bit in 0..8 {
            let mut changed = file.to_vec();
            changed[at] ^= 1 << bit;
            assert_ne!(verify(&changed), Verdict::Valid, "{name}: bit {bit} of byte {at}");
        }
        let mut shorter = file.to_vec();
        let gone = shorter.remove(at);
        assert_ne!(verify(&shorter), Verdict::Valid, "{name}: without byte {at}");
        for byte in [0, 0xFF, gone, gone.wrapping_add(1)] {
            let longer = insert(file, at, &[byte]);
            assert_ne!(verify(&longer), Verdict::Valid, "{name}: byte {byte} put in at {at}");
        }
    }
    for byte in 0..=255 {
        assert_ne!(verify(&insert(file, 0, &[byte])), Verdict::Valid, "{name}: byte {byte} prepended");
        assert_ne!(
            verify(&insert(file, file.len(), &[byte])),
            Verdict::Valid,
            "{name}: byte {byte} appended"
        );
    }
}

#[test]
fn every_change_of_a_signed_file_shows() {
    for (name, bytes) in files() {
        let file = signed(&bytes);
        assert_eq!(verify(&file), Verdict::Valid, "{name}");
        change_everywhere(name, &file, 0..0);
    }
}

#[test]
fn every_change_beside_a_c2pa_store_shows() {
    let png = signed(&common::image("palette.png"));
    let jpeg = signed(&common::image("baseline.jpg"));
    let plain = riff_chunks(&signed(&common::image("lossy.webp")));
    let store = c2pa_box(40);
    let jpeg_store = c2pa_segments(150, 80);
    let app0_end = place(&jpeg, b"JFIF") + 14;
    let webp_store = riff_chunk(b"C2PA", &store);
    let with_store = webp(&[plain, vec![webp_store.clone()]].concat());
    let cases = [
        ("png", insert(&png, 33, &png_chunk(b"caBX", &store)), 33, store.len() + 12),
        (
            "png after",
            insert(&png, own(&png).end, &png_chunk(b"caBX", &store)),
            own(&png).end,
            store.len() + 12,
        ),
        ("jpeg", insert(&jpeg, app0_end, &jpeg_store), app0_end, jpeg_store.len()),
        ("jpeg first", insert(&jpeg, 2, &jpeg_store), 2, jpeg_store.len()),
        ("jpeg after", insert(&jpeg, own(&jpeg).end, &jpeg_store), own(&jpeg).end, jpeg_store.len()),
        ("webp", with_store.clone(), with_store.len() - webp_store.len(), webp_store.len()),
    ];
    for (name, file, at, length) in cases {
        assert_eq!(verify(&file), Verdict::Valid, "{name}");
        assert_eq!(sx_media::metadata::scan(&file).unwrap().c2pa, Some(at..at + length), "{name}");
        change_everywhere(name, &file, at..at + length);
        let mut inside = file.clone();
        inside[at + length - 6] ^= 1; // what the store holds is C2PA's to judge
        assert_eq!(verify(&inside), Verdict::Valid, "{name}");
        let twice = insert(&file, at, &file[at..at + length]);
        assert_ne!(verify(&twice), Verdict::Valid, "{name}: a second store");
    }
}

/// A decoder skips a store only before the coded data, or in WebP after them: anywhere else it changes the picture.
#[test]
fn a_c2pa_store_amid_the_picture_is_not_left_out() {
    let (store, segments) = (c2pa_box(40), c2pa_segments(150, 80));
    for name in ["baseline.jpg", "progressive.jpg"] {
        let jpeg = signed(&common::image(name));
        let scan = place(&jpeg, b"\xFF\xDA");
        for at in [scan + 14, scan + 30, jpeg.len() - 10, jpeg.len() - 2, jpeg.len()] {
            assert_eq!(verify(&insert(&jpeg, at, &segments)), Verdict::Invalid, "{name} {at}");
        }
        let after_junk = insert(&jpeg, own(&jpeg).end, &[b"junk".as_slice(), &segments].concat());
        assert_eq!(verify(&after_junk), Verdict::Invalid, "{name}");
    }
    let png = signed(&common::image("rgb.png"));
    let data = place(&png, b"IDAT") - 4;
    for at in [png.len() - 12, png.len()] {
        assert_eq!(verify(&insert(&png, at, &png_chunk(b"caBX", &store))), Verdict::Invalid, "png {at}");
    }
    assert_eq!(verify(&insert(&png, data, &png_chunk(b"caBX", &store))), Verdict::Valid);
    let webp_store = riff_chunk(b"C2PA", &store);
    let plain = riff_chunks(&signed(&common::image("lossy.webp")));
    let image = plain.iter().position(|chunk| chunk.starts_with(b"VP8 ")).unwrap();
    for at in 0..=plain.len() {
        let mut chunks = plain.clone();
        chunks.insert(at, webp_store.clone());
        // Before the image it stands where nothing was put, so what was added is not what the signature says.
        let expected = if at > image { Verdict::Valid } else { Verdict::Damaged(Problem::Altered) };
        assert_eq!(verify(&webp(&chunks)), expected, "webp {at}");
    }
}

#[test]
fn cutting_out_gives_back_what_was_signed() {
    for (name, bytes) in files() {
        for trailer in [b"".as_slice(), b"\0", b"\xFF\xD9", b"a trailer of any kind"] {
            let file = [&bytes, trailer].concat();
            assert_eq!(strip(&signed(&file)).unwrap(), file, "{name}");
            assert_eq!(strip(&file).unwrap(), file, "{name}");
        }
    }
}

#[test]
fn signing_again_replaces() {
    for (name, bytes) in files() {
        let once = signed(&bytes);
        assert_eq!(signed(&once), once, "{name}");
        let longest = "A".repeat(sx_media::metadata::MAX_PAYLOAD);
        let long = sx_media::metadata::embed(&once, &longest).unwrap().assemble(&once);
        assert_eq!(verify(&long), Verdict::Invalid, "{name}");
        assert_eq!(strip(&long).unwrap(), bytes, "{name}");
        assert_eq!(signed(&long), once, "{name}");
        let too_long = sx_media::metadata::embed(&once, &"A".repeat(sx_media::metadata::MAX_PAYLOAD + 1));
        assert_eq!(too_long, Err(sx_media::problem::Problem::PayloadTooLong));
    }
}

#[test]
fn half_an_image_is_signed_only_if_it_reaches_its_data() {
    for (name, bytes) in files() {
        for length in 0..bytes.len() {
            let half = bytes[..length].to_vec();
            if let Ok(file) = sign(&half) {
                assert!(name.ends_with(".jpg"), "{name}: {length} bytes");
                assert_eq!(verify(&file), Verdict::Valid, "{name}: {length} bytes");
                assert_eq!(strip(&file).unwrap(), half, "{name}: {length} bytes");
            }
        }
    }
}

#[test]
fn half_a_signed_image_is_not_one_that_was_never_signed() {
    for (name, bytes) in files() {
        let file = signed(&bytes);
        for length in own(&file).end..file.len() {
            let half = file[..length].to_vec();
            let verdict = verify(&half);
            let fits = matches!(verdict, Verdict::Damaged(_))
                || name.ends_with(".jpg") && verdict == Verdict::Invalid;
            assert!(fits, "{name}: {length} bytes: {verdict:?}");
        }
    }
}

#[test]
fn a_damaged_signature_is_not_a_missing_one() {
    for (name, bytes) in files() {
        let file = signed(&bytes);
        for at in own(&file) {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                assert_ne!(verify(&changed), Verdict::Missing, "{name}: bit {bit} of byte {at}");
            }
            let shorter = [&file[..at], &file[at + 1..]].concat();
            assert_ne!(verify(&shorter), Verdict::Missing, "{name}: without byte {at}");
            for byte in [0, 0xFF, file[at], file[at] ^ 1] {
                let longer = insert(&file, at, &[byte]);
                assert_ne!(verify(&longer), Verdict::Missing, "{name}: byte {byte} put in at {at}");
            }
        }
    }
}
