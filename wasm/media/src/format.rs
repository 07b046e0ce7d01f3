//! Which kind of image: told by its first bytes, never by its name.

use crate::source::Window;

/// A kind of image that can be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Network Graphics, also animated.
    Png,
    /// JPEG, whatever its coding.
    Jpeg,
    /// WebP: lossy, lossless, animated.
    WebP,
}

/// The first eight bytes of a PNG.
pub(crate) const PNG: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

impl Format {
    /// Its name: `png`, `jpeg`, `webp`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::WebP => "webp",
        }
    }

    /// The format that these bytes begin as.
    ///
    /// ```
    /// use sx_media::format::Format;
    /// assert_eq!(Format::of(b"\xFF\xD8\xFF\xE0"), Some(Format::Jpeg));
    /// assert_eq!(Format::of(b"GIF89a"), None);
    /// ```
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Self::seen(&mut Window::new(&bytes))
    }

    pub(crate) fn seen(window: &mut Window<'_>) -> Option<Self> {
        if window.starts_with(0, PNG) {
            Some(Self::Png)
        } else if window.starts_with(0, b"\xFF\xD8\xFF") {
            Some(Self::Jpeg)
        } else if window.starts_with(0, b"RIFF") && window.starts_with(8, b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }
}
