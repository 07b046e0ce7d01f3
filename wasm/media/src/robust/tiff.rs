//! The directories of TIFF, as the Multi-Picture index has them.

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

    /// Where the first directory ends, and where its entries of this tag stand; nothing if not all of it is there.
    pub fn entries(self, tag: u16) -> Option<(usize, impl Iterator<Item = usize>)> {
        let start = (self.long(4)? as usize).checked_add(2)?;
        let count = usize::from(self.short(start.checked_sub(2)?)?);
        let end = start.checked_add(count.checked_mul(12)?)?;
        let entries = (start..end).step_by(12).filter(move |at| self.short(*at) == Some(tag));
        (end <= self.bytes.len()).then_some((end, entries))
    }
}
