//! What is wrong with an image, or with what is to be done to it.

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident, $code:literal, $text:literal;)*) => {
        /// What is wrong with an image, or why something cannot be done to it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Problem { $($(#[$doc])* $name,)* }

        impl Problem {
            /// Every problem.
            pub const ALL: &'static [Problem] = &[$(Problem::$name,)*];

            /// Its name, by which other languages know it.
            pub const fn name(self) -> &'static str {
                match self { $(Problem::$name => stringify!($name),)* }
            }

            /// The error code of the core that it is for a caller.
            pub const fn code(self) -> &'static str {
                match self { $(Problem::$name => $code,)* }
            }

            /// A sentence that says it.
            pub const fn text(self) -> &'static str {
                match self { $(Problem::$name => $text,)* }
            }
        }
    };
}

problems! {
    /// The bytes begin as none of the three formats does.
    NotAnImage, "Unsupported", "The input is not a PNG, JPEG or WebP image.";
    /// The file ends before the image does, or a length in it is wrong.
    Incomplete, "Unsupported", "The image ends early, or a length inside it is wrong. If it is still being written, wait; otherwise get it again.";
    /// The payload is empty or holds more than the characters of base64url.
    PayloadForm, "Internal", "The payload is not base64url.";
    /// The payload does not fit into one JPEG segment.
    PayloadTooLong, "LimitExceeded", "The payload is longer than 65,000 characters.";
    /// More than one place holds a signature of ours.
    SeveralSignatures, "BadSignature", "The image has several signatures.";
    /// A signature of ours stands where none is put.
    Misplaced, "BadSignature", "The signature of the image is in the wrong place.";
    /// A signature of ours whose encoding is not the one that is written.
    Altered, "BadSignature", "The part of the image that contains its signature was changed.";
    /// The pixels cannot be read.
    PixelsBroken, "Unsupported", "The pixels of the image are incomplete, damaged, or encoded in an unsupported way.";
    /// More pixels than are decoded here.
    TooManyPixels, "LimitExceeded", "The image exceeds the limits of the robust channel: 67 million pixels, 65,536 columns and rows, 64 scans.";
    /// Too few carriers.
    TooSmall, "Unsupported", "The image is too small for the robust channel.";
    /// Embedding would make another kind of image of it.
    TooPlain, "Unsupported", "The image is too plain for the robust channel.";
    /// WebP has no robust channel.
    WebPRobust, "Unsupported", "The robust channel does not support WebP.";
    /// Animated PNG.
    Animated, "Unsupported", "The robust channel does not support animated images.";
    /// A palette, or fewer than 8 bits.
    PngKind, "Unsupported", "The robust channel does not support PNG images with a palette or less than 8 bits per sample.";
    /// One colour is declared to be transparent.
    TransparentColour, "Unsupported", "The robust channel does not support PNG images with a transparent colour.";
    /// Lossless, arithmetic, hierarchical, 12 bits.
    JpegKind, "Unsupported", "The robust channel only supports 8-bit Huffman-coded JPEG images, sequential or progressive.";
    /// A header of ours without its payload.
    CarriersAltered, "BadSignature", "The pixels that contain the signature of the image were changed.";
    /// A later version.
    LaterVersion, "UnsupportedFormat", "The signature in the pixels was written by a later version.";
    /// A signature in a file that is not complete, as none is put in.
    Cut, "BadSignature", "The image was cut off, or a length inside it was changed, after it was signed.";
    /// XMP metadata in a form that nothing can be inserted into.
    XmpForm, "Unsupported", "The XMP metadata of the image has no place for a signature.";
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Problem {}
