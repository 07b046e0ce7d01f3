//! The directories of TIFF, as Exif and the Multi-Picture index have them.

/// TIFF data of one byte order.
#[derive(Clone, Copy)]
pub(super) struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..4)? {
            b"II*\0" => Some(Self { bytes, little: true }),
            b"MM\0*" => Some(Self { bytes, little: false }),
            _ => None,
        }
    }

    pub fn short(self, at: usize) -> Option<u16> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    pub fn long(self, at: usize) -> Option<u32> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// A number in the byte order of the data.
    pub fn written(self, number: u32) -> [u8; 4] {
        if self.little { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    /// Where the entries of this tag stand in the first directory.
    pub fn entries(self, tag: u16) -> impl Iterator<Item = usize> {
        let directory = self.long(4).map_or(usize::MAX, |at| at as usize);
        let count = usize::from(self.short(directory).unwrap_or(0));
        let entry = move |n: usize| directory.saturating_add(2).saturating_add(n.saturating_mul(12));
        (0..count).map(entry).filter(move |at| self.short(*at) == Some(tag))
    }
}
