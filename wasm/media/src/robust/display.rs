//! What an image says about how its pixels are shown, beside the pixels.
//!
//! A signature of the pixels does not cover metadata, which may be lost. So it records what of it
//! changes the picture: later that is absent or equal, or the picture is another one.

use super::tiff::Tiff;
use crate::answers::{decimal, hex};
use alloc::string::String;
use alloc::vec::Vec;
use sha2::{Digest as _, Sha256};

/// Names of what changes the display, with values as text; JSON with ascending names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Display(Vec<(&'static str, String)>);

impl Display {
    /// What stands more than once is recorded as often.
    fn add(&mut self, name: &'static str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => {
                values.push(' ');
                values.push_str(value);
            }
            None => {
                let place = self.0.iter().take_while(|(known, _)| *known < name).count();
                self.0.insert(place, (name, value.into()));
            }
        }
    }

    fn digest(&mut self, name: &'static str, bytes: &[u8]) {
        let digest: [u8; 32] = Sha256::digest(bytes).into();
        self.add(name, &hex(&digest));
    }

    fn orientation(&mut self, exif: &[u8]) {
        for orientation in orientations(exif).filter(|orientation| *orientation != 1) {
            self.add("orientation", &decimal(usize::from(orientation)));
        }
    }

    /// Records a segment of a JPEG.
    pub(super) fn jpeg_segment(&mut self, marker: u8, data: &[u8]) {
        match marker {
            0xE1 => {
                if let Some(exif) = data.strip_prefix(b"Exif\0").and_then(|rest| rest.get(1..)) {
                    self.orientation(exif);
                }
            }
            0xE2 if data.starts_with(b"ICC_PROFILE\0") => self.digest("icc", data),
            0xE2 if data.starts_with(b"urn:iso:std:iso:ts:21496:-1\0") => self.digest("gainmap", data),
            _ => {}
        }
    }

    /// Records what follows the first image of a JPEG whose index says that there are others.
    pub(super) fn jpeg_images(&mut self, images: &[u8]) {
        self.digest("images", images);
    }

    /// Records a chunk of a PNG.
    pub(super) fn png_chunk(&mut self, kind: &[u8; 4], data: &[u8]) {
        match kind {
            b"eXIf" => self.orientation(data.strip_prefix(b"Exif\0\0").unwrap_or(data)),
            b"iCCP" => self.digest("icc", data),
            b"gAMA" => self.add("gamma", &hex(data)),
            b"cHRM" => self.add("chromaticities", &hex(data)),
            b"sRGB" => self.add("srgb", &hex(data)),
            b"cICP" => self.add("cicp", &hex(data)),
            b"mDCV" | b"mDCv" => self.add("mastering", &hex(data)),
            b"cLLI" | b"cLLi" => self.add("light", &hex(data)),
            b"acTL" => self.add("animated", "true"),
            _ => {}
        }
    }

    /// Whether the pixels are no more than one of several pictures.
    pub(super) fn is_animated(&self) -> bool {
        self.0.iter().any(|(name, _)| *name == "animated")
    }

    /// As a JSON object of texts, in canonical form (RFC 8785).
    pub fn json(&self) -> String {
        let mut json = String::from("{");
        for (name, value) in &self.0 {
            let comma = if json.len() > 1 { "," } else { "" };
            json.push_str(&[comma, "\"", name, "\":\"", value, "\""].concat());
        }
        json.push('}');
        json
    }
}

/// The orientations that Exif data names: tag 0x0112 of the first directory; readers differ in which of several
/// counts.
fn orientations(exif: &[u8]) -> impl Iterator<Item = u16> {
    let tiff = Tiff::new(exif).into_iter();
    tiff.flat_map(|tiff| tiff.entries(0x0112).filter_map(move |at| tiff.short(at.saturating_add(8))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exif(head: &[u8; 4], rest: &[u8]) -> Vec<u8> {
        [head.as_slice(), rest].concat()
    }

    #[test]
    fn orientation_in_both_byte_orders() {
        let little = exif(
            b"II*\0",
            b"\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\0\0\0\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0",
        );
        let big = exif(b"MM\0*", b"\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0");
        assert_eq!(orientations(&little).collect::<Vec<_>>(), [6]);
        assert_eq!(orientations(&big).collect::<Vec<_>>(), [3]);
        let twice = exif(
            b"MM\0*",
            b"\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0\x01\0\0\x01\x12\0\x03\0\0\0\x01\0\x06\0\0",
        );
        assert_eq!(orientations(&twice).collect::<Vec<_>>(), [1, 6]);
        for length in 0..little.len() {
            assert!(orientations(&little[..length]).count() <= 1);
        }
        assert_eq!(orientations(b"II*\0\xFF\xFF\xFF\xFF").count(), 0);
    }

    #[test]
    fn what_changes_the_display_is_recorded_as_often_as_it_stands() {
        let mut display = Display::default();
        assert_eq!(display.json(), "{}");
        display.png_chunk(b"gAMA", &[0, 0, 0xB1, 0x8F]);
        display.png_chunk(b"gAMA", &[0, 1, 0x86, 0xA0]);
        display.png_chunk(b"tEXt", b"x");
        display.png_chunk(b"cICP", &[1, 13, 0, 1]);
        assert_eq!(display.json(), "{\"cicp\":\"010d0001\",\"gamma\":\"0000b18f 000186a0\"}");
    }
}
