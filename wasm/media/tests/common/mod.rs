//! Images of all kinds, and a stand-in for signing: the payload is the SHA-256 of the content.
#![allow(dead_code)] // each test uses a part of it

mod rounds;

use sx_media::metadata::{self, Channel};
use sx_media::problem::Problem;
use sx_media::robust;

/// The files that every test goes over.
pub const IMAGES: &[(&str, &[u8])] = &[
    ("rgb.png", include_bytes!("../data/rgb.png")),
    ("grey16.png", include_bytes!("../data/grey16.png")),
    ("rgba-interlaced.png", include_bytes!("../data/rgba-interlaced.png")),
    ("palette.png", include_bytes!("../data/palette.png")),
    ("baseline.jpg", include_bytes!("../data/baseline.jpg")),
    ("progressive.jpg", include_bytes!("../data/progressive.jpg")),
    ("restart.jpg", include_bytes!("../data/restart.jpg")),
    ("arithmetic.jpg", include_bytes!("../data/arithmetic.jpg")),
    ("grey.jpg", include_bytes!("../data/grey.jpg")),
    ("exif.jpg", include_bytes!("../data/exif.jpg")),
    ("lossy.webp", include_bytes!("../data/lossy.webp")),
    ("alpha.webp", include_bytes!("../data/alpha.webp")),
    ("xmp.webp", include_bytes!("../data/xmp.webp")),
    ("animated.webp", include_bytes!("../data/animated.webp")),
];

pub fn image(name: &str) -> Vec<u8> {
    IMAGES.iter().find(|(found, _)| *found == name).unwrap().1.to_vec()
}

/// What a signature with this payload is to cover.
pub fn prepare(bytes: &[u8], payload: &str) -> Result<robust::Prepared, Problem> {
    robust::prepare(bytes, &|_| robust::needed_bits(payload))
}

/// The image with this payload in its pixels.
pub fn put(bytes: &[u8], payload: &str) -> Result<Vec<u8>, Problem> {
    let prepared = prepare(bytes, payload)?;
    robust::embed(bytes, payload, &prepared.room, &prepared.sha256)
}

/// What a verdict would be, were the signature over the hash of the content.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Valid,
    Invalid,
    Missing,
    NotAnImage,
    Damaged(Problem),
}

pub fn digest(bytes: &Vec<u8>) -> String {
    let content = metadata::scan(bytes).unwrap().content;
    content.sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn sign(bytes: &Vec<u8>) -> Result<Vec<u8>, Problem> {
    let scan = metadata::scan(bytes)?;
    if let Channel::Damaged(problem) = scan.channel {
        return Err(problem);
    }
    Ok(metadata::embed(bytes, &digest(bytes))?.assemble(bytes))
}

pub fn signed(bytes: &Vec<u8>) -> Vec<u8> {
    sign(bytes).unwrap()
}

pub fn verify(bytes: &Vec<u8>) -> Verdict {
    let Ok(scan) = metadata::scan(bytes) else { return Verdict::NotAnImage };
    match scan.channel {
        Channel::Empty => Verdict::Missing,
        Channel::Damaged(problem) => Verdict::Damaged(problem),
        Channel::Signed { payload, .. } if payload == digest(bytes) => Verdict::Valid,
        Channel::Signed { .. } => Verdict::Invalid,
    }
}

pub fn strip(bytes: &Vec<u8>) -> Result<Vec<u8>, Problem> {
    Ok(metadata::strip(bytes)?.assemble(bytes))
}

pub fn own(bytes: &Vec<u8>) -> std::ops::Range<usize> {
    match metadata::scan(bytes).unwrap().channel {
        Channel::Signed { own, .. } => own,
        other => panic!("{other:?}"),
    }
}

/// `bytes` with `new` put in at `at`.
pub fn insert(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    [&bytes[..at], new, &bytes[at..]].concat()
}

pub fn place(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).position(|window| window == needle).unwrap()
}

pub fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let crc = sx_media::crc::crc32(&[kind, data]);
    [&(data.len() as u32).to_be_bytes(), kind.as_slice(), data, &crc.to_be_bytes()].concat()
}

pub fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() + 2) as u16;
    [&[0xFF, marker], length.to_be_bytes().as_slice(), content].concat()
}

pub fn riff_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let pad = vec![0; data.len() & 1];
    [kind.as_slice(), &(data.len() as u32).to_le_bytes(), data, &pad].concat()
}

/// A WebP of these chunks.
pub fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = chunks.concat();
    [b"RIFF", ((body.len() + 4) as u32).to_le_bytes().as_slice(), b"WEBP", &body].concat()
}

/// The chunks of a WebP.
pub fn riff_chunks(file: &[u8]) -> Vec<Vec<u8>> {
    let mut at = 12;
    let mut chunks = Vec::new();
    while at < file.len() {
        let size = u32::from_le_bytes(file[at + 4..at + 8].try_into().unwrap()) as usize;
        let end = at + 8 + size + (size & 1);
        chunks.push(file[at..end].to_vec());
        at = end;
    }
    chunks
}

const C2PA_UUID: &[u8; 16] = b"c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71";

/// A C2PA superbox with `size` bytes of content.
pub fn c2pa_box(size: usize) -> Vec<u8> {
    let description = [b"\0\0\0\x1ejumd".as_slice(), C2PA_UUID, b"\x03c2pa\0"].concat();
    let content = vec![0x5A; size];
    let total = (8 + description.len() + size) as u32;
    [&total.to_be_bytes(), b"jumb".as_slice(), &description, &content].concat()
}

/// A C2PA store in JPEG segments that hold `most` bytes of it each.
pub fn c2pa_segments(size: usize, most: usize) -> Vec<u8> {
    let store = c2pa_box(size);
    let mut segments = Vec::new();
    for (n, part) in store[8..].chunks(most).enumerate() {
        let sequence = (n as u32 + 1).to_be_bytes();
        let content = [b"JP\x02\x11".as_slice(), &sequence, &store[..8], part].concat();
        segments.extend(segment(0xEB, &content));
    }
    segments
}

/// Does what `job` gives for a size, and for eight times that size, which takes about eight times as long.
pub fn takes_no_longer_than_its_bytes<Job: Fn()>(size: usize, job: impl Fn(usize) -> Job) {
    rounds::is_within(24, job(size), job(8 * size)).unwrap();
}
