//! What is not recorded: what was shown to change nothing in any reader of the table in docs/media.md, and what is left of
//! a signature of ours, which nobody else reads.

/// Keywords of texts in a PNG that are for people to read (PNG, section 11.3.3.2, and what ImageMagick adds).
const PLAIN_TEXTS: [&[u8]; 14] = [
    b"Title",
    b"Author",
    b"Description",
    b"Copyright",
    b"Creation Time",
    b"Software",
    b"Disclaimer",
    b"Warning",
    b"Source",
    b"Comment",
    b"Collection",
    b"date:create",
    b"date:modify",
    b"date:timestamp",
];

/// How a text begins that holds a signature of ours, or did: editors move it, compress it, and write another kind of it.
const OWN_TEXT: &[u8] = b"sx-agent.signature\0";

/// How comments in a JPEG begin that programs put in to name themselves. Others may be orders: ffmpeg turns a picture
/// upside down, changes its contrast or its shape by what comments begin with.
const PLAIN_COMMENTS: [&[u8]; 4] =
    [b"CREATOR: gd-jpeg v1.", b"Created with GIMP", b"Created with The GIMP", b"Optimized by JPEGmini "];

/// Bytes that a text or a comment may have which is not recorded: readers have limits of their own.
const LONGEST_TEXT: usize = 65_535;
const LONGEST_COMMENT: usize = 200;

/// How the samples of a PNG are stored, as far as the chunks before say.
#[derive(Clone, Copy)]
pub(in crate::robust) struct Stored {
    /// As `IHDR` has it.
    pub colour: u8,
    pub depth: u8,
    /// Whether there was a `PLTE`.
    pub is_listed: bool,
    /// Whether there is one `pHYs`: of several, some readers take the first one and some the last.
    pub has_one_shape: bool,
}

impl Stored {
    /// Whether a chunk `sBIT` says that every bit counts.
    fn is_whole(self, data: &[u8]) -> bool {
        let count = match self.colour {
            0 => 1,
            4 => 2,
            6 => 4,
            _ => 3,
        };
        let depth = if self.colour == 3 { 8 } else { self.depth };
        data.len() == count && data.iter().all(|bits| *bits == depth)
    }
}

/// Whether a comment of a JPEG names a program and does nothing else.
pub(super) fn is_comment(data: &[u8]) -> bool {
    data.len() <= LONGEST_COMMENT
        && PLAIN_COMMENTS.iter().any(|words| data.starts_with(words))
        && data.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n'))
}

/// Whether a chunk of a PNG changes nothing; `late` if it stands after the first samples.
pub(super) fn is_chunk(kind: &[u8; 4], late: bool, data: &[u8], stored: Stored) -> bool {
    match kind {
        b"caBX" => true,
        b"tIME" => data.len() == 7,
        b"tEXt" | b"zTXt" | b"iTXt" if data.starts_with(OWN_TEXT) => true,
        b"tEXt" | b"iTXt" => is_plain_text(*kind == *b"iTXt", data),
        // Pixels that are square; samples of which every bit counts.
        b"pHYs" => {
            let is_square = data.len() == 9 && data.get(..4) == data.get(4..8);
            !late && stored.has_one_shape && is_square && data.get(..4) != Some(&[0; 4])
        }
        b"sBIT" => !late && stored.is_whole(data),
        _ => false,
    }
}

/// Whether a chunk says which colours the samples mean: libpng drops such chunks after a palette.
pub(super) fn is_colour(kind: &[u8; 4]) -> bool {
    matches!(kind, b"cHRM" | b"cICP" | b"cLLI" | b"gAMA" | b"iCCP" | b"mDCV" | b"sBIT" | b"sRGB")
}

/// Whether a text of a PNG is one for people to read, not compressed and in the encoding that it has to have.
fn is_plain_text(is_international: bool, data: &[u8]) -> bool {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let (Some(keyword), Some(rest)) = (parts.next(), parts.next()) else { return false };
    let is_text = if is_international {
        let zeros = rest.iter().filter(|byte| **byte == 0).count();
        rest.starts_with(b"\0\0") && zeros == 4 && core::str::from_utf8(rest).is_ok()
    } else {
        !rest.contains(&0)
    };
    is_text && data.len() <= LONGEST_TEXT && PLAIN_TEXTS.contains(&keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RGB: Stored = Stored { colour: 2, depth: 8, is_listed: false, has_one_shape: true };

    #[test]
    fn a_comment_is_harmless_only_where_a_program_names_itself() {
        assert!(is_comment(b"CREATOR: gd-jpeg v1.0 (using IJG JPEG v80), quality = 90\n"));
        assert!(is_comment(b"Created with GIMP"));
        assert!(is_comment(b"Optimized by JPEGmini 3.9"));
        for data in
            [b"".as_slice(), b"words", b"CS=ITU601", b"AVID", b"Created with GIMP\0", b"created with GIMP"]
        {
            assert!(!is_comment(data));
        }
        assert!(!is_comment(&[b"Created with GIMP".as_slice(), &[b' '; LONGEST_COMMENT]].concat()));
    }

    #[test]
    fn words_and_square_pixels_are_harmless() {
        let is_harmless = |kind: &[u8; 4], data: &[u8]| is_chunk(kind, false, data, RGB);
        assert!(is_harmless(b"tEXt", b"Title\0Sunset"));
        assert!(is_harmless(b"iTXt", b"Comment\0\0\0\0\0x"));
        assert!(is_harmless(b"iTXt", b"Comment\0\0\0fr\0mot\0\xC3\xA9"));
        assert!(is_harmless(b"tIME", &[0; 7]));
        assert!(!is_harmless(b"tIME", &[0; 6]));
        let square = [0, 0, 11, 19, 0, 0, 11, 19, 1];
        assert!(is_harmless(b"pHYs", &square));
        assert!(!is_chunk(b"pHYs", true, &square, RGB));
        assert!(!is_chunk(b"pHYs", false, &square, Stored { has_one_shape: false, ..RGB }));
        assert!(!is_harmless(b"pHYs", &[0; 9]));
        assert!(!is_harmless(b"pHYs", &[0, 0, 0, 1, 0, 0, 0, 4, 0]));
        assert!(is_harmless(b"sBIT", &[8, 8, 8]));
        for bits in [&[8, 8, 5][..], &[8, 8], &[], &[8; 4]] {
            assert!(!is_harmless(b"sBIT", bits));
        }
        for (colour, depth, bits) in [(0, 16, &[16][..]), (4, 8, &[8; 2]), (6, 8, &[8; 4]), (3, 2, &[8; 3])] {
            assert!(is_chunk(
                b"sBIT",
                false,
                bits,
                Stored { colour, depth, is_listed: true, has_one_shape: true }
            ));
        }
        // Bytes that the encoding does not have, zeros, packed texts and very long ones stop some readers.
        assert!(!is_harmless(b"iTXt", b"Comment\0\0\0\0\0\xE9"));
        assert!(!is_harmless(b"iTXt", b"Comment\0\0\0\0\0x\0"));
        assert!(!is_harmless(b"iTXt", b"Comment\0\x01\0\0\0x"));
        assert!(!is_harmless(b"zTXt", b"Comment\0\0x"));
        assert!(!is_harmless(b"tEXt", b"Comment"));
        assert!(!is_harmless(b"tEXt", &[b"Comment\0".as_slice(), &[b'x'; LONGEST_TEXT]].concat()));
        for text in [
            &b"XML:com.adobe.xmp\0\0\0\0\0"[..],
            b"Raw profile type exif\0\0\0\0\0",
            b"exif:Orientation\x006",
            b"title\0\0\0\0\0",
            b"sx-agent.signature",
            b"sx-agent.signature \0x",
            b" sx-agent.signature\0x",
            b"SX-agent.signature\0x",
        ] {
            assert!([b"tEXt", b"zTXt", b"iTXt"].iter().all(|kind| !is_harmless(kind, text)));
        }
        for kind in [b"eXIf", b"exIf", b"bKGD", b"caNv", b"vpAg", b"oFFs", b"iDOT", b"gAMA", b"orNT"] {
            assert!(!is_harmless(kind, b"x"));
        }
    }

    #[test]
    fn p04_what_is_left_of_our_text_is_harmless() {
        let long = [OWN_TEXT, &[0xFF; 1 << 17]].concat();
        for data in
            [OWN_TEXT, b"sx-agent.signature\0\0\0\0\0e30", b"sx-agent.signature\0\x01\x78\x9C\xFF", &long]
        {
            for kind in [b"tEXt", b"zTXt", b"iTXt"] {
                assert!(is_chunk(kind, false, data, RGB) && is_chunk(kind, true, data, RGB));
            }
            assert!(!is_chunk(b"teXt", false, data, RGB) && !is_chunk(b"eXIf", false, data, RGB));
        }
    }
}
