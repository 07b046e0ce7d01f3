//! What looking at an image costs: time that grows with the file and not faster, memory that does not grow with it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![allow(unsafe_code)] // an allocator that counts

mod common;

use common::{image, insert, place, png_chunk, riff_chunk, riff_chunks, segment, signed, webp};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use sx_media::metadata;
use sx_media::source::Source;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all of it is done by the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.get().saturating_add(layout.size());
        NOW.set(now);
        PEAK.set(PEAK.get().max(now));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.set(NOW.get().saturating_sub(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A file that counts what is read of it.
struct Counted<'a> {
    bytes: &'a [u8],
    read: AtomicUsize,
}

impl Source for Counted<'_> {
    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn read(&self, at: usize, into: &mut [u8]) -> usize {
        let count = self.bytes.read(at, into);
        self.read.fetch_add(count, Relaxed);
        count
    }
}

type Work = fn(&dyn Source);

/// Runs over a file with everything that reads metadata.
fn check(name: &str, bytes: &[u8]) {
    let work: [(&str, Work); 3] = [
        ("scan", |source| drop(metadata::scan(source))),
        ("embed", |source| drop(metadata::embed(source, "e30"))),
        ("strip", |source| drop(metadata::strip(source))),
    ];
    for (what, work) in work {
        let source = Counted { bytes, read: AtomicUsize::new(0) };
        let before = NOW.get();
        PEAK.set(before);
        work(&source);
        let (memory, read) = (PEAK.get() - before, source.read.load(Relaxed));
        assert!(memory < 1 << 20, "{what} of {name}: {memory} bytes of memory");
        let most = bytes.len() * 6 + (1 << 20);
        assert!(read < most, "{what} of {name}: {read} bytes read, of {}", bytes.len());
    }
}

const LARGE: usize = 16 << 20;

#[test]
fn t34_png_whatever_its_chunks_are() {
    let file = signed(&image("rgb.png"));
    let plain = image("rgb.png");
    let keyword = b"sx-agent.signature\0\0\0\0\0";
    let own = png_chunk(b"iTXt", &[keyword.as_slice(), b"e30"].concat());
    let huge = png_chunk(b"iTXt", &[keyword.as_slice(), &vec![b'A'; LARGE]].concat());
    check("a million chunks", &insert(&file, 33, &png_chunk(b"teXt", b"").repeat(1_000_000)));
    check("garbage of 16 MB in a chunk like ours", &insert(&plain, 33, &huge));
    check("a hundred thousand chunks like ours", &insert(&plain, 33, &own.repeat(100_000)));
    check("a hundred thousand C2PA stores", &insert(&file, 33, &png_chunk(b"caBX", b"jumb").repeat(100_000)));
    check("a compressed text of 16 MB", &insert(&file, 33, &png_chunk(b"zTXt", &vec![0x5A; LARGE])));
    let mut endless = insert(&plain, 33, &[own.as_slice(), &vec![0; LARGE]].concat());
    endless[33..37].copy_from_slice(&[0xFF; 4]);
    check("a chunk like ours of 4 GB", &endless);
    check("the beginning of ours again and again", &[&endless[..41], &keyword.repeat(500_000)].concat());
}

#[test]
fn t34_jpeg_whatever_its_segments_are() {
    let file = signed(&image("exif.jpg"));
    let plain = image("exif.jpg");
    let own = &file[common::own(&file)];
    let store = |sequence: u32| {
        let size = 0xFFFF_FFFF_u32.to_be_bytes();
        let head = [b"JP\x02\x11".as_slice(), &sequence.to_be_bytes(), &size, b"jumb"].concat();
        segment(
            0xEB,
            &[&head, b"\0\0\0\x1ejumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0".as_slice()]
                .concat(),
        )
    };
    check("65,535 segments", &insert(&file, 2, &segment(0xEB, b"JP\x77\x77").repeat(65_535)));
    check("many segments like ours", &insert(&plain, 2, &own.repeat(20_000)));
    check("many beginnings of C2PA stores of 4 GB", &insert(&file, 2, &store(1).repeat(50_000)));
    let chain: Vec<u8> = (1..50_000).flat_map(store).collect();
    check("a C2PA store of 4 GB in many segments", &insert(&file, 2, &chain));
    check("fill bytes", &insert(&file, 2, &vec![0xFF; LARGE]));
    check("bytes that are no marker", &insert(&file, 2, &vec![0; LARGE]));
    check("restart markers", &insert(&file, place(&file, b"\xFF\xDA") + 14, &b"\xFF\xD0".repeat(LARGE / 2)));
    check(
        "many scans",
        &insert(&file, file.len() - 2, &segment(0xDA, b"\x01\x01\x00\x00\x3F\x00").repeat(100_000)),
    );
    check("what follows the end", &[file.as_slice(), &own.repeat(20_000)].concat());
}

#[test]
fn t34_webp_whatever_its_chunks_are() {
    let parts = |file: &[u8]| riff_chunks(file);
    let file = signed(&image("xmp.webp"));
    let large = riff_chunk(b"VP8 ", &vec![0; LARGE]);
    let small = |kind: &[u8; 4], data: &[u8], count: usize| {
        webp(
            &[parts(&image("lossy.webp")), vec![riff_chunk(kind, data).repeat(count), large.clone()]]
                .concat(),
        )
    };
    check("small chunks of XMP before a large image", &small(b"XMP ", b"<x", 64));
    check("small unknown chunks before a large image", &small(b"abcd", b"u", 64));
    check("a hundred thousand unknown chunks", &small(b"abcd", b"urn:sx", 100_000));
    check("a hundred thousand stores", &small(b"C2PA", b"jumb", 100_000));
    let packet =
        b"<rdf:Description rdf:about=\"\" xmlns:sx=\"urn:sx-agent:schemas/image/v1/\" sx:signature=\""
            .repeat(100_000);
    check("a packet full of beginnings", &small(b"XMP ", &packet, 1));
    check("a packet full of ends", &small(b"XMP ", &b"</rdf:RDF>".repeat(1_000_000), 1));
    let mut endless = file.clone();
    endless[16..20].copy_from_slice(&[0xFF; 4]);
    check("a chunk of 4 GB", &[endless.as_slice(), &vec![b'u'; LARGE]].concat());
    let mut all = [file.as_slice(), &vec![0; LARGE]].concat();
    all[4..8].copy_from_slice(&[0xFF; 4]);
    check("a file of 4 GB", &all);
}

/// A progressive JPEG of three components, of whose blocks none has more than a constant part.
fn constant_blocks(side: u16) -> Vec<u8> {
    let blocks = usize::from(side / 8).pow(2);
    let components: Vec<u8> = (1..=3).flat_map(|id| [id, 0x11, 0]).collect();
    let size = [side.to_be_bytes(), side.to_be_bytes()].concat();
    let table = |kind: u8, symbols: &[u8]| {
        let mut counts = [0; 16];
        counts[..symbols.len()].fill(1);
        segment(0xC4, &[[kind].as_slice(), &counts, symbols].concat())
    };
    // No difference is `0`, and one of 1 is `101`; runs of 2^14 blocks are `0` and 14 bits.
    let mut bits: String = "101".repeat(3) + &"0".repeat(3 * (blocks - 1));
    let coded = |bits: &str| -> Vec<u8> {
        let bytes = bits.as_bytes().chunks(8).map(|byte| {
            byte.iter()
                .chain(std::iter::repeat(&b'1'))
                .take(8)
                .fold(0, |value, bit| value << 1 | (bit - b'0'))
        });
        bytes.flat_map(|byte| if byte == 0xFF { vec![0xFF, 0] } else { vec![byte] }).collect()
    };
    let mut parts = vec![
        b"\xFF\xD8".to_vec(),
        segment(0xDB, &[[0].as_slice(), &[1; 64]].concat()),
        segment(0xC2, &[&[8], size.as_slice(), &[3], &components].concat()),
        table(0, &[0, 1]),
        segment(0xDA, &[3, 1, 0, 2, 0, 3, 0, 0, 0, 0]),
        coded(&bits),
        table(0x10, &[0xE0]),
    ];
    bits = ("0".to_owned() + &"0".repeat(14)).repeat(blocks >> 14);
    for id in 1..=3 {
        parts.extend([segment(0xDA, &[1, id, 0, 1, 63, 0]), coded(&bits)]);
    }
    parts.push(b"\xFF\xD9".to_vec());
    parts.concat()
}

#[test]
fn t34_blocks_of_a_constant_part_take_little_memory() {
    let file = constant_blocks(2048);
    let before = NOW.get();
    PEAK.set(before);
    assert_eq!(sx_media::robust::available_bits(&file), Ok(0));
    let (memory, blocks) = (PEAK.get() - before, 3 * 256 * 256);
    assert!(memory < 27 * blocks + (1 << 16), "{memory} bytes of memory for {blocks} blocks");
    assert!(file.len() < blocks / 7, "{} bytes", file.len());
}
