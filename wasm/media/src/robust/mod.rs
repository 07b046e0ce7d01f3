//! The robust channel: the signature in the least significant bits of what is displayed.
//!
//! It survives the loss of all metadata and whatever codes the same pixels (PNG) or the same quantised
//! coefficients (JPEG) in another way; it does not survive another quality, scaling, turning or cropping.
//!
//! Its signature covers the picture ([`Prepared::sha256`]): all samples or coefficients, with the bits in use
//! taken as 0. These hold nothing but the payload, whose encoding is the only one there is, so no bit is free.

mod display;
mod jpeg;
mod layout;
mod pack;
mod png;
mod tiff;

use crate::format::Format;
use crate::problem::Problem;
use alloc::string::String;
use alloc::vec::Vec;
pub use display::Display;
use layout::{Encoded, Held, Use};

/// Pixels of an image: very many come out of a small file, and each takes its time (docs/images.md, section 2).
const MOST_PIXELS: usize = 1 << 26;

/// A decoded image of one of the kinds that have the channel.
enum Image<'a> {
    Png(png::Image<'a>),
    Jpeg(jpeg::Image<'a>),
}

impl<'a> Image<'a> {
    fn decode(bytes: &'a [u8]) -> Result<Self, Problem> {
        match Format::of(bytes).ok_or(Problem::NotAnImage)? {
            Format::Png => Ok(Self::Png(png::Image::decode(bytes)?)),
            Format::Jpeg => Ok(Self::Jpeg(jpeg::Image::decode(bytes)?)),
            Format::WebP => Err(Problem::WebPRobust),
        }
    }

    /// An image that can be given a signature.
    fn writable(bytes: &'a [u8]) -> Result<Self, Problem> {
        let image = Self::decode(bytes)?;
        match &image {
            Self::Png(png) => png.refusal().map_or(Ok(image), Err),
            Self::Jpeg(_) => Ok(image),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Png(image) => image.count(),
            Self::Jpeg(image) => image.count(),
        }
    }

    fn sha256(&self, places: Use) -> [u8; 32] {
        match self {
            Self::Png(image) => image.sha256(places),
            Self::Jpeg(image) => image.sha256(places),
        }
    }

    fn display(&self) -> &Display {
        match self {
            Self::Png(image) => &image.display,
            Self::Jpeg(image) => &image.display,
        }
    }

    fn embed(self, encoded: &Encoded) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Png(image) => image.embed(encoded),
            Self::Jpeg(image) => image.embed(encoded),
        }
    }
}

/// How many bits a signature with this payload needs, those of its header and some room included.
///
/// Payloads that differ in digits, digests and base64 of equal lengths need the same.
pub fn needed_bits(payload: &str) -> usize {
    layout::needed(payload)
}

/// How many bits an image can carry.
///
/// # Errors
/// Why it can carry none: `NotAnImage`, `WebPRobust`, `Animated`, `PngKind`, `TransparentColour`, `JpegKind`,
/// `PixelsBroken`, `TooManyPixels`.
pub fn available_bits(image: &[u8]) -> Result<usize, Problem> {
    Ok(Image::writable(image)?.count())
}

/// What a signature of the pixels is to cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Over the picture, the bits in use taken as 0, and over how many these are.
    pub sha256: [u8; 32],
    /// What else changes the picture.
    pub display: Display,
}

/// What to sign before [`embed`] with the same `used`, which [`needed_bits`] gives.
///
/// # Errors
/// As [`available_bits`], and `TooSmall`.
pub fn prepare(image: &[u8], used: usize) -> Result<Prepared, Problem> {
    let image = Image::writable(image)?;
    let places = Use::new(image.count(), used);
    if places.carriers < used.max(layout::OVERHEAD) {
        return Err(Problem::TooSmall);
    }
    // What is not written again, but could be put in again, is not to be covered.
    let display = image.display().clone().without("iDOT");
    Ok(Prepared { sha256: image.sha256(places), display })
}

/// The image with this payload in its pixels; everything else in the file stays, but for the
/// compressed pixels of a PNG and Apple's `iDOT`, which points into them.
///
/// What was written is read again before it is given back.
///
/// # Errors
/// As [`prepare`], and `TooPlain`.
pub fn embed(image: &[u8], payload: &str, used: usize) -> Result<Vec<u8>, Problem> {
    let before = Image::writable(image)?;
    let places = Use::new(before.count(), used);
    let encoded = Encoded::new(payload, places).ok_or(Problem::TooSmall)?;
    let sha256 = before.sha256(places);
    let file = before.embed(&encoded)?;
    match read(&file) {
        Reading::Found(found) if found.payload == payload && found.exact && found.sha256 == sha256 => {
            Ok(file)
        }
        _ => Err(Problem::TooPlain),
    }
}

/// A signature that was found in the pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The text that was embedded.
    pub payload: String,
    /// Whether every bit in use is as it is written: if not, the picture was altered.
    pub exact: bool,
    /// As in [`Prepared`].
    pub sha256: [u8; 32],
    /// As in [`Prepared`].
    pub display: Display,
}

/// What the pixels of an image hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// No signature, or no pixels that can be read here.
    Nothing,
    /// The beginning of a signature whose rest cannot be read.
    Damaged(Problem),
    /// A signature.
    Found(Found),
}

/// Looks for a signature in the pixels of an image.
pub fn read(image: &[u8]) -> Reading {
    let Ok(image) = Image::decode(image) else { return Reading::Nothing };
    let carriers = match &image {
        Image::Png(image) => image.carriers(),
        Image::Jpeg(image) => image.carriers(),
    };
    match layout::read(&carriers) {
        Held::Nothing => Reading::Nothing,
        Held::Damaged => Reading::Damaged(Problem::CarriersAltered),
        Held::Later => Reading::Damaged(Problem::LaterVersion),
        Held::Payload { text, used, exact } => {
            let sha256 = image.sha256(Use::new(image.count(), used));
            let display = image.display().clone();
            Reading::Found(Found { payload: text, exact, sha256, display })
        }
    }
}
