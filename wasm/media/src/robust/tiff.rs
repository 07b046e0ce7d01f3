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

    /// Where the entry of this tag stands in the first directory.
    pub fn entry(self, tag: u16) -> Option<usize> {
        let directory = self.long(4)? as usize;
        let count = usize::from(self.short(directory)?);
        let entry = |n: usize| directory.saturating_add(2).saturating_add(n.saturating_mul(12));
        (0..count).map(entry).find(|at| self.short(*at) == Some(tag))
    }
}
