//! The metadata channel: a chunk of its own holds the payload and covers the rest of the file.

use crate::format::Format;
use crate::pieces::Pieces;
use crate::problem::Problem;
use crate::source::{Source, Window};
use crate::{jpeg, png, webp};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The longest payload in characters, the same in every format: what one JPEG segment holds.
pub const MAX_PAYLOAD: usize = 65_000;

/// Whether a file holds a signature in its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// No signature.
    Empty,
    /// One signature, whose encoding and place are those that [`embed`] gives.
    Signed {
        /// base64url, not decoded.
        payload: String,
        /// The bytes of the file that it takes: a chunk, a segment, an XML element.
        own: Range<usize>,
    },
    /// What holds a signature is not as [`embed`] writes it: such a file is not valid.
    Damaged(Problem),
}

/// What was found in a file.
#[derive(Clone, Debug)]
pub struct Scan {
    /// What kind of image it is.
    pub format: Format,
    /// The signature.
    pub channel: Channel,
    /// The C2PA store, which the signature does not cover.
    pub c2pa: Option<Range<usize>>,
    /// Whether the file is whole: only such a one is signed.
    pub is_complete: bool,
    /// What the signature covers: the file as it was before it was signed, without the C2PA store.
    /// Where [`Channel::Damaged`], the whole file without the C2PA store.
    pub content: Pieces,
}

/// Finds the signature of an image and what it covers.
///
/// Reads the file once, through a window; what it takes of memory does not grow with the file.
///
/// # Errors
/// `NotAnImage`. A file that is broken is no error: it has a signature or not.
pub fn scan(source: &dyn Source) -> Result<Scan, Problem> {
    let mut window = Window::new(source);
    let format = Format::seen(&mut window).ok_or(Problem::NotAnImage)?;
    let found = match format {
        Format::Png => png::scan(&mut window).found(&window),
        Format::Jpeg => jpeg::scan(&mut window).found(&window),
        Format::WebP => webp::scan(&mut window).found(&window),
    };
    Ok(Scan { format, ..found })
}

/// The image with this payload as its signature, in place of one that it has.
///
/// ```
/// use sx_media::metadata::{embed, strip};
/// let image = include_bytes!("../tests/data/rgb.png").to_vec();
/// let signed = embed(&image, "e30").unwrap().assemble(&image);
/// assert_eq!(strip(&signed).unwrap().assemble(&signed), image);
/// ```
///
/// # Errors
/// `NotAnImage`; `Incomplete`; `PayloadForm`; `PayloadTooLong`; `XmpForm`; and what
/// [`Channel::Damaged`] says of the file.
pub fn embed(source: &dyn Source, payload: &str) -> Result<Pieces, Problem> {
    if payload.len() > MAX_PAYLOAD {
        return Err(Problem::PayloadTooLong);
    }
    if !is_payload(payload.as_bytes()) {
        return Err(Problem::PayloadForm);
    }
    let mut window = Window::new(source);
    match Format::seen(&mut window).ok_or(Problem::NotAnImage)? {
        Format::Png => png::scan(&mut window).embed(&window, payload),
        Format::Jpeg => jpeg::scan(&mut window).embed(&window, payload),
        Format::WebP => webp::scan(&mut window).embed(&mut window, payload),
    }
}

/// The image without its signature: for JPEG, PNG and WebP the file that was signed, byte for byte.
///
/// A file without one is given back as it is.
///
/// # Errors
/// `NotAnImage`, and what [`Channel::Damaged`] says of the file.
pub fn strip(source: &dyn Source) -> Result<Pieces, Problem> {
    taken_out(source, false)
}

/// The image without anything that looks like a signature of ours, damaged or several, each with the chunk or segment
/// that it stands in; without damage as [`strip`].
///
/// # Errors
/// As [`strip`], where what is damaged belongs to no chunk that ends in the file.
pub fn clear(source: &dyn Source) -> Result<Pieces, Problem> {
    taken_out(source, true)
}

fn taken_out(source: &dyn Source, with_remains: bool) -> Result<Pieces, Problem> {
    let mut window = Window::new(source);
    match Format::seen(&mut window).ok_or(Problem::NotAnImage)? {
        Format::Png => png::scan(&mut window).strip(&window, with_remains),
        Format::Jpeg => jpeg::scan(&mut window).strip(&window, with_remains),
        Format::WebP => webp::scan(&mut window).strip(&mut window, with_remains),
    }
}

/// Whether these are characters of base64url, at least one and not too many.
pub(crate) fn is_payload(bytes: &[u8]) -> bool {
    (1..=MAX_PAYLOAD).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Characters of base64url as text.
pub(crate) fn payload(bytes: &[u8]) -> Option<String> {
    is_payload(bytes).then(|| bytes.iter().map(|byte| char::from(*byte)).collect())
}

/// Whether `own` stands at `at` and before `end`, perhaps with some bytes changed: half of them are enough, and a byte
/// that is put in or missing somewhere may have moved it by one place. What stands behind `end` is not looked at: who
/// is asked about one chunk says nothing of the next.
pub(crate) fn has<const N: usize>(window: &mut Window<'_>, own: &[u8; N], at: usize, end: usize) -> bool {
    let resembles = |bytes: [u8; N]| {
        let equal = bytes.iter().zip(own).filter(|(a, b)| a == b).count();
        equal.saturating_mul(2) >= N
    };
    (at.saturating_sub(1)..=at.saturating_add(1))
        .filter(|at| at.saturating_add(N) <= end)
        .any(|at| window.array(at).is_some_and(resembles))
}

/// What PNG and JPEG have in common: a signature is one run of bytes that is inserted at one place.
pub(crate) struct Simple {
    pub format: Format,
    /// Whether the file is one that can be signed.
    pub complete: bool,
    /// Where the signature belongs: after everything that has to stand before it.
    pub place: usize,
    pub channel: Channel,
    pub c2pa: Option<Range<usize>>,
    /// All chunks that look like ours, ascending.
    pub remains: Vec<Range<usize>>,
}

impl Simple {
    fn cuts(&self) -> (Option<Range<usize>>, Option<Range<usize>>) {
        let own = match &self.channel {
            Channel::Signed { own, .. } => Some(own.clone()),
            _ => None,
        };
        (own, self.c2pa.clone())
    }

    pub fn found(self, window: &Window<'_>) -> Scan {
        let (own, c2pa) = self.cuts();
        let mut without: Vec<Range<usize>> = own.into_iter().chain(c2pa).collect();
        if without.first().map(|cut| cut.start) > without.last().map(|cut| cut.start) {
            without.reverse();
        }
        let content = Pieces::without(0..window.size(), &without);
        let is_complete = self.complete;
        Scan { format: self.format, channel: self.channel, c2pa: self.c2pa, is_complete, content }
    }

    pub fn strip(self, window: &Window<'_>, with_remains: bool) -> Result<Pieces, Problem> {
        match self.channel {
            Channel::Damaged(_) if with_remains && !self.remains.is_empty() => {
                Ok(Pieces::without(0..window.size(), &self.remains))
            }
            Channel::Empty => Ok(Pieces::without(0..window.size(), &[])),
            Channel::Signed { own, .. } => Ok(Pieces::without(0..window.size(), &[own])),
            Channel::Damaged(problem) => Err(problem),
        }
    }

    /// The file with `own` at its place.
    pub fn insert(self, window: &Window<'_>, own: &[u8]) -> Result<Pieces, Problem> {
        let old: &[Range<usize>] = match &self.channel {
            Channel::Empty => &[],
            Channel::Signed { own, .. } => core::slice::from_ref(own),
            Channel::Damaged(problem) => return Err(*problem),
        };
        if !self.complete {
            return Err(Problem::Incomplete);
        }
        let mut pieces = Pieces::default();
        pieces.input(0..self.place);
        pieces.bytes(own);
        pieces.input_without(self.place..window.size(), old);
        Ok(pieces)
    }
}

/// What a walk over the file has met of ours so far.
#[derive(Default)]
pub(crate) struct Met {
    own: Option<(Range<usize>, Option<String>)>,
    several: bool,
    all: Vec<Range<usize>>,
}

/// How many chunks like ours are kept in mind: more than that nobody has put in by mistake.
const MOST_REMAINS: usize = 1000;

impl Met {
    /// A chunk of ours; with a payload only if its form is the one that is written.
    pub fn chunk(&mut self, own: Range<usize>, payload: Option<String>) {
        self.several |= self.own.is_some();
        if !own.is_empty() && self.all.len() <= MOST_REMAINS {
            self.all.push(own.clone());
        }
        self.own.get_or_insert((own, payload));
    }

    /// Says of the chunk that was met what its payload is, where that is known only later.
    pub fn payload(&mut self, known: Option<String>) {
        if let Some((_, payload)) = self.own.as_mut() {
            *payload = known;
        }
    }

    /// The chunks that were met and can be cut out; none where there are too many.
    pub fn remains(&mut self) -> Vec<Range<usize>> {
        if self.all.len() > MOST_REMAINS { Vec::new() } else { core::mem::take(&mut self.all) }
    }

    pub fn is_empty(&self) -> bool {
        self.own.is_none()
    }

    /// What to make of it, where a signature has to start at `place`, a C2PA store left out, and is put only
    /// into a file that is `complete`.
    pub fn channel(self, place: usize, c2pa: Option<&Range<usize>>, complete: bool) -> Channel {
        let Some((own, payload)) = self.own else { return Channel::Empty };
        if own.is_empty() {
            return Channel::Damaged(Problem::Cut); // traces of one, in no chunk that ends in the file
        }
        if self.several {
            return Channel::Damaged(Problem::SeveralSignatures);
        }
        let after = c2pa.filter(|store| store.start == place).map(|store| store.end);
        if own.start != place && Some(own.start) != after {
            return Channel::Damaged(Problem::Misplaced);
        }
        match payload {
            Some(payload) if complete => Channel::Signed { payload, own },
            Some(_) => Channel::Damaged(Problem::Cut),
            None => Channel::Damaged(Problem::Altered),
        }
    }
}
