//! How large a picture may be that is read for a signature in its pixels (docs/images.md, section 2).
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{place, png_chunk, segment, takes_no_longer_than_its_bytes};
use sx_media::problem::Problem;
use sx_media::robust::{Reading, available_bits, read};

/// A PNG of a kind whose samples, or what stands for them, are `data`.
fn packed((width, height): (u32, u32), depth: u8, colour: u8, extra: &[u8], data: &[u8]) -> Vec<u8> {
    let ihdr = [&width.to_be_bytes(), height.to_be_bytes().as_slice(), &[depth, colour, 0, 0, 0]].concat();
    let chunks =
        [png_chunk(b"IHDR", &ihdr), extra.to_vec(), png_chunk(b"IDAT", data), png_chunk(b"IEND", b"")];
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks.concat()].concat()
}

#[test]
fn t34_a_png_within_the_limits_of_the_documentation() {
    let black = |width: u32, height: u32| {
        let lines = vec![0; (width.div_ceil(8) as usize + 1) * height as usize];
        available_bits(&packed(
            (width, height),
            1,
            0,
            &[],
            &miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6),
        ))
    };
    for (width, height) in [(1 << 13, 1 << 13), (1 << 16, 1 << 10), (1, 1 << 16)] {
        assert_eq!(black(width, height), Err(Problem::PngKind), "{width} x {height}");
    }
    for (width, height) in [(1 << 13, (1 << 13) + 1), ((1 << 16) + 1, 1), (1, (1 << 16) + 1)] {
        assert_eq!(black(width, height), Err(Problem::TooManyPixels), "{width} x {height}");
    }
    // 256 MiB of samples, and one line more; neither is inflated.
    let deep = |height| available_bits(&packed(((1 << 13) - 1, height), 16, 6, &[], &vec![0; 300_000]));
    assert_eq!(deep(4096), Err(Problem::PixelsBroken));
    assert_eq!(deep(4097), Err(Problem::TooManyPixels));
}

#[test]
fn t34_pixels_that_come_out_of_a_small_file_have_an_end() {
    // 2^29 pixels of one bit, in 64 MiB of samples, in a file of 64 KiB.
    let (width, height) = (1_u32 << 15, 1_u32 << 14);
    let lines = vec![0; (width as usize / 8 + 1) * height as usize];
    let bomb = packed((width, height), 1, 0, &[], &miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6));
    assert!(bomb.len() < 1 << 17);
    assert_eq!(available_bits(&bomb), Err(Problem::TooManyPixels));
    assert_eq!(read(&bomb), Reading::Nothing);
}

#[test]
fn t34_the_most_pixels_of_few_bytes_take_little_time() {
    let colours = png_chunk(b"PLTE", &[0, 0, 0, 1, 1, 2]);
    takes_no_longer_than_its_bytes(1 << 10, |height| {
        let lines = vec![0; ((1 << 10) + 1) * height];
        let data = miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6);
        let file = packed((1 << 13, height as u32), 1, 3, &colours, &data);
        assert!(file.len() < 1 << 15);
        move || assert_eq!(read(&file), Reading::Nothing)
    });
}

#[test]
fn a_window_that_does_not_hold_all_samples_is_not_read() {
    let read = |height: usize, window: u8| {
        let mut data = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 41 * height], 6);
        data[0] = window << 4 | 8;
        data[1] = 0;
        data[1] = (31 - u16::from_be_bytes([data[0], 0]) % 31) as u8;
        available_bits(&packed((40, height as u32), 8, 0, &[], &data))
    };
    assert_eq!(read(6, 0), Ok(240), "246 bytes in a window of 256");
    assert_eq!(read(7, 0), Err(Problem::PixelsBroken), "287 bytes");
    assert_eq!(read(7, 1), Ok(280));
    assert_eq!(read(799, 6), Err(Problem::PixelsBroken), "32,759 bytes in a window of 16 KiB");
    assert_eq!(read(800, 7), Ok(32_000), "as far as deflate reaches");
    assert_eq!(read(800, 8), Err(Problem::PixelsBroken), "more than there is");
}

#[test]
fn t34_a_jpeg_within_the_limits_of_the_documentation() {
    let sized = |width: u16, height: u16| {
        let mut bytes = include_bytes!("data/photo.jpg").to_vec();
        let frame = place(&bytes, b"\xFF\xC0");
        bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
        bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
        available_bits(&[bytes, vec![0; 200_000]].concat())
    };
    assert_eq!(sized(65_535, 1024), Err(Problem::PixelsBroken), "the coded data are too short");
    assert_eq!(sized(65_535, 1025), Err(Problem::TooManyPixels));
    // One block, all zeros: the constant part, then each coefficient in a scan of its own, then some again.
    let scans = |again: u8| {
        let scan = |at: u8, bits: u8| [segment(0xDA, &[1, 1, 0, at, at, bits]), vec![0x7F]].concat();
        let table = |class: u8| segment(0xC4, &[[class, 1].as_slice(), &[0; 16]].concat());
        let mut parts = vec![
            b"\xFF\xD8".to_vec(),
            segment(0xDB, &[[0].as_slice(), &[1; 64]].concat()),
            segment(0xC2, &[8, 0, 8, 0, 8, 1, 1, 0x11, 0]),
            table(0),
            table(0x10),
            scan(0, 0),
        ];
        parts.extend((1..64).map(|at| scan(at, u8::from(at <= again))));
        parts.extend((1..=again).map(|at| scan(at, 0x10)));
        parts.push(b"\xFF\xD9".to_vec());
        available_bits(&parts.concat())
    };
    assert_eq!(scans(0), Ok(0), "64 scans");
    assert_eq!(scans(1), Err(Problem::TooManyPixels), "65 scans");
}
