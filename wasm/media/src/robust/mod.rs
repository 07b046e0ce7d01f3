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
    Jpeg(jpeg::Image),
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

    /// The same, and what else changes the picture.
    fn covered(&self, places: Use) -> ([u8; 32], Display) {
        match self {
            Self::Png(image) => image.covered(places),
            Self::Jpeg(image) => (image.sha256(places), image.display.clone()),
        }
    }

    fn held(&self) -> Held {
        layout::read(&match self {
            Self::Png(image) => image.carriers(),
            Self::Jpeg(image) => image.carriers(),
        })
    }

    fn display(&self) -> &Display {
        match self {
            Self::Png(image) => &image.display,
            Self::Jpeg(image) => &image.display,
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

/// Where a signature finds its place in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// How many bits the signature takes.
    pub used: usize,
    /// How many the image can carry.
    pub available: usize,
    /// Which coefficients of a JPEG carry those of the signature, so that nobody has to decode to learn it.
    pub carriers: Vec<u32>,
}

/// What a signature of the pixels is to cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Where it is to stand.
    pub room: Room,
    /// Over the picture, the bits in use taken as 0, and over how many these are.
    pub sha256: [u8; 32],
    /// What else changes the picture.
    pub display: Display,
}

/// What to sign before [`embed`]; `used` gives how many bits that takes, [`needed_bits`] of a payload with what else
/// changes the picture. Where the room is too small the hash is zeros.
///
/// # Errors
/// As [`available_bits`].
pub fn prepare(image: &[u8], used: &dyn Fn(&Display) -> usize) -> Result<Prepared, Problem> {
    let image = Image::writable(image)?;
    // What is not written again, but could be put in again, is not to be covered.
    let mut display = image.display().clone().without("iDOT");
    let used = used(&display);
    let available = image.count();
    let places = Use::new(available, used);
    let (mut carriers, mut sha256) = (Vec::new(), [0; 32]);
    if used <= available {
        (sha256, display) = image.covered(places);
        display = display.without("iDOT");
        if let Image::Jpeg(image) = &image {
            carriers = image.used(places);
        }
    }
    Ok(Prepared { room: Room { used, available, carriers }, sha256, display })
}

/// The image with this payload in its pixels; everything else in the file stays, but for the
/// compressed pixels of a PNG and Apple's `iDOT`, which points into them.
///
/// A PNG is read again before it is given back. A JPEG is decoded once, while its bits are flipped. Either has to hold the
/// payload then, and to have the hash that was signed.
///
/// # Errors
/// As [`prepare`], `TooSmall`, and `TooPlain`; `PixelsBroken` for a JPEG that was not prepared so.
pub fn embed(image: &[u8], payload: &str, room: &Room, sha256: &[u8]) -> Result<Vec<u8>, Problem> {
    let places = Use::new(room.available, room.used);
    let encoded = Encoded::new(payload, places).ok_or(Problem::TooSmall)?;
    let is_signed = |image: &Image<'_>| {
        matches!(image.held(), Held::Payload { text, exact: true, .. } if text == payload)
            && image.sha256(places) == sha256
    };
    if Format::of(image) == Some(Format::Jpeg) {
        let (file, after) = jpeg::embed(image, &encoded, places, &room.carriers)?;
        return if is_signed(&Image::Jpeg(after)) { Ok(file) } else { Err(Problem::PixelsBroken) };
    }
    let Image::Png(before) = Image::writable(image)? else { return Err(Problem::NotAnImage) };
    let file = before.embed(&encoded)?;
    if is_signed(&Image::decode(&file)?) { Ok(file) } else { Err(Problem::TooPlain) }
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
    match image.held() {
        Held::Nothing => Reading::Nothing,
        Held::Damaged => Reading::Damaged(Problem::CarriersAltered),
        Held::Later => Reading::Damaged(Problem::LaterVersion),
        Held::Payload { text, used, exact } => {
            let (sha256, display) = image.covered(Use::new(image.count(), used));
            Reading::Found(Found { payload: text, exact, sha256, display })
        }
    }
}
