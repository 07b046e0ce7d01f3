//! What is wrong with an image, or with what is to be done to it.

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
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

            /// A sentence that says it.
            pub const fn text(self) -> &'static str {
                match self { $(Problem::$name => $text,)* }
            }
        }
    };
}

problems! {
    /// The bytes begin as none of the three formats does.
    NotAnImage = "This is no PNG, JPEG or WebP image.";
    /// The file ends before the image does, or a length in it is wrong.
    Incomplete = "The image ends early, or a length inside it is wrong.";
    /// The payload is empty or holds more than the characters of base64url.
    PayloadForm = "The payload is not base64url.";
    /// The payload does not fit into one JPEG segment.
    PayloadTooLong = "The payload is longer than 65,000 characters.";
    /// More than one place holds a signature of ours.
    SeveralSignatures = "The image holds several signatures.";
    /// A signature of ours stands where none is put.
    Misplaced = "The signature of the image stands in the wrong place.";
    /// A signature of ours whose encoding is not the one that is written.
    Altered = "The part of the image that holds its signature was altered.";
    /// XMP metadata in a form that nothing can be inserted into.
    XmpForm = "The XMP metadata of the image has a form that nothing can be inserted into.";
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Problem {}
