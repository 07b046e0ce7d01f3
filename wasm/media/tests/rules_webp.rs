//! The rules of the WebP element, by their numbers, and the attack cases about it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{
    Verdict, image, insert, own, place, riff_chunk, riff_chunks, sign, signed, strip, verify, webp,
};
use sx_media::problem::Problem;

fn round_trip(file: &Vec<u8>) -> Vec<u8> {
    let signed = signed(file);
    assert_eq!(verify(&signed), Verdict::Valid);
    assert_eq!(strip(&signed).unwrap(), *file);
    assert_eq!(u32::from_le_bytes(signed[4..8].try_into().unwrap()) % 2, 0);
    signed
}

fn kinds(file: &[u8]) -> Vec<String> {
    riff_chunks(file).iter().map(|chunk| String::from_utf8_lossy(&chunk[..4]).into_owned()).collect()
}

#[test]
fn w1_a_missing_pad_or_a_wrong_size_is_an_incomplete_image() {
    let odd = webp(&[riff_chunks(&image("lossy.webp"))[0].clone(), riff_chunk(b"ICMT", b"odd")]);
    round_trip(&odd);
    let mut short = odd.clone();
    short.pop();
    assert_eq!(sign(&short), Err(Problem::Incomplete));
    short[4] -= 1;
    assert_eq!(sign(&short), Err(Problem::Incomplete));
    let mut long = odd.clone();
    long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(sign(&long), Err(Problem::Incomplete));
    assert_eq!(sign(&webp(&[])), Err(Problem::Incomplete));
    assert_eq!(sign(&webp(&[riff_chunk(b"VP8X", &[0; 10])])), Err(Problem::Incomplete));
}

#[test]
fn w2_w3_w4_a_simple_file_gets_its_header() {
    let signed = round_trip(&image("lossy.webp"));
    assert_eq!(kinds(&signed), ["VP8X", "VP8 ", "XMP "]);
    assert_eq!(signed[12..30], *b"VP8X\x0a\0\0\0\x04\0\0\0\x13\0\0\x0d\0\0");
}

#[test]
fn w5_the_header_says_that_there_is_alpha() {
    let signed = round_trip(&image("alpha.webp"));
    assert_eq!(kinds(&signed), ["VP8X", "VP8L", "XMP "]);
    assert_eq!(signed[12..30], *b"VP8X\x0a\0\0\0\x14\0\0\0\x13\0\0\x0d\0\0");
}

#[test]
fn w6_an_existing_header_gets_one_flag() {
    let file = image("animated.webp");
    let signed = round_trip(&file);
    let flags = file[20];
    assert_eq!(signed[20], flags | 4);
    assert_eq!(signed[21..30], file[21..30]);
    assert_eq!(kinds(&signed).last().unwrap(), "XMP ");
}

#[test]
fn w7_t35_there_is_one_packet_and_the_rest_of_it_is_covered() {
    let signed = round_trip(&image("xmp.webp"));
    assert_eq!(kinds(&signed).iter().filter(|kind| *kind == "XMP ").count(), 1);
    assert!(place(&signed, b"dc:format") < own(&signed).start);
    assert!(signed[own(&signed).end..].starts_with(b"</rdf:RDF>"));
    let mut edited = signed.clone();
    let at = place(&edited, b"image/webp");
    edited[at] = b'I';
    assert_eq!(verify(&edited), Verdict::Invalid);
}

#[test]
fn w7_a_packet_of_another_form_is_refused() {
    let chunks = riff_chunks(&image("xmp.webp"));
    let with = |data: &[u8]| webp(&[chunks[0].clone(), chunks[1].clone(), riff_chunk(b"XMP ", data)]);
    for data in [b"".as_slice(), b"<x/>", b"<rdf:RDF/>", &[0xFE, 0xFF, 0, b'<']] {
        assert_eq!(sign(&with(data)), Err(Problem::XmpForm));
    }
    let mut padded = with(b"<rdf:RDF></rdf:RDF>");
    round_trip(&padded);
    *padded.last_mut().unwrap() = 1;
    assert_eq!(sign(&padded), Err(Problem::XmpForm));
    let two = webp(&[chunks.clone(), vec![chunks[2].clone()]].concat());
    assert_eq!(sign(&two), Err(Problem::XmpForm));
}

#[test]
fn w7_t35_two_elements_are_damage() {
    for name in ["xmp.webp", "lossy.webp"] {
        let file = signed(&image(name));
        let element = file[own(&file)].to_vec();
        let mut chunks = riff_chunks(&file);
        let xmp = chunks.iter().position(|chunk| chunk.starts_with(b"XMP ")).unwrap();
        chunks.insert(xmp, chunks[xmp].clone());
        assert_eq!(verify(&webp(&chunks)), Verdict::Damaged(Problem::SeveralSignatures));
        let mut chunks = riff_chunks(&file);
        let size = u32::from_le_bytes(chunks[xmp][4..8].try_into().unwrap()) as usize;
        let data = insert(&chunks[xmp][8..8 + size], 10, &element);
        chunks[xmp] = riff_chunk(b"XMP ", &data);
        assert_eq!(verify(&webp(&chunks)), Verdict::Damaged(Problem::SeveralSignatures));
    }
}

#[test]
fn w7_an_element_in_another_place_is_damage() {
    let file = signed(&image("lossy.webp"));
    let element = file[own(&file)].to_vec();
    let chunks = riff_chunks(&file);
    let data = [b"<rdf:RDF></rdf:RDF>", element.as_slice()].concat();
    let moved = webp(&[chunks[0].clone(), chunks[1].clone(), riff_chunk(b"XMP ", &data)]);
    assert_eq!(verify(&moved), Verdict::Damaged(Problem::Altered));
    let unknown = webp(&[chunks[0].clone(), chunks[1].clone(), riff_chunk(b"XMQ ", &data)]);
    assert!(matches!(verify(&unknown), Verdict::Damaged(_)));
}

#[test]
fn w8_unknown_chunks_stay_in_their_order() {
    let mut chunks = riff_chunks(&image("lossy.webp"));
    chunks.extend([riff_chunk(b"INAM", b"name"), riff_chunk(b"IART", b"me")]);
    let signed = round_trip(&webp(&chunks));
    assert_eq!(kinds(&signed), ["VP8X", "VP8 ", "INAM", "IART", "XMP "]);
}

#[test]
fn w9_t35_bytes_after_the_end_are_covered() {
    let file = [image("alpha.webp"), b"trailer".to_vec()].concat();
    let mut signed = round_trip(&file);
    assert!(signed.ends_with(b"trailer"));
    *signed.last_mut().unwrap() ^= 1;
    assert_eq!(verify(&signed), Verdict::Invalid);
}

#[test]
fn w10_frames_stay_where_they_are() {
    let file = image("animated.webp");
    let signed = signed(&file);
    assert_eq!(riff_chunks(&signed)[1..riff_chunks(&file).len()], riff_chunks(&file)[1..]);
}

#[test]
fn w11_what_was_added_is_recorded_and_cannot_be_misstated() {
    for name in ["lossy.webp", "alpha.webp", "xmp.webp", "animated.webp"] {
        let file = signed(&image(name));
        let at = place(&file, b"sx:added=\"") + 10;
        for digit in (b'0'..=b'9').filter(|digit| *digit != file[at]) {
            let mut changed = file.clone();
            changed[at] = digit;
            assert_ne!(verify(&changed), Verdict::Valid, "{name}");
        }
    }
}

#[test]
fn w12_a_store_before_the_image_is_a_chunk_like_any_other() {
    let chunks = riff_chunks(&image("lossy.webp"));
    let store = |data: &[u8]| riff_chunk(b"C2PA", data);
    let [image] = chunks.as_slice() else { panic!() };
    assert_eq!(sign(&webp(&[store(b"jumb"), image.clone()])), Err(Problem::Incomplete));
    let file = riff_chunks(&signed(&webp(&chunks)));
    let [vp8x, image, xmp] = file.as_slice() else { panic!() };
    let before = webp(&[store(b"jumb"), vp8x.clone(), image.clone(), xmp.clone()]);
    assert_eq!(verify(&before), Verdict::Damaged(Problem::Altered));
    let amid = webp(&[vp8x.clone(), store(b"jumb"), image.clone(), xmp.clone()]);
    assert_eq!(verify(&amid), Verdict::Damaged(Problem::Altered));
    let after = |stores: &[Vec<u8>]| {
        webp(&[vec![vp8x.clone(), image.clone()], stores.to_vec(), vec![xmp.clone()]].concat())
    };
    let ours = b"urn:sx-agent:schemas/image/v1/";
    assert_eq!(verify(&after(&[store(ours)])), Verdict::Valid);
    assert_eq!(verify(&after(&[store(b"jumb"), store(b"jumb")])), Verdict::Invalid);
    assert_eq!(verify(&after(&[store(b"jumb"), store(ours)])), Verdict::Damaged(Problem::SeveralSignatures));
    let unknown = webp(&[riff_chunk(b"abcd", b""), vp8x.clone(), image.clone(), xmp.clone()]);
    assert_eq!(verify(&unknown), Verdict::Damaged(Problem::Altered));
    assert_eq!(sign(&webp(&[riff_chunk(b"abcd", b""), image.clone()])), Err(Problem::Incomplete));
    assert_eq!(verify(&webp(&[vp8x.clone(), xmp.clone()])), Verdict::Damaged(Problem::Cut), "no image");
}
