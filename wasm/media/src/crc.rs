//! CRC-32 as PNG uses it (ISO 3309; PNG, annex D).

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut n: usize = 0;
    while n < 256 {
        let mut value = n as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        #[allow(clippy::indexing_slicing)] // evaluated by the compiler
        {
            table[n] = value;
        }
        n += 1;
    }
    table
};

/// The CRC-32 of these parts, one after the other.
///
/// ```
/// assert_eq!(sx_media::crc::crc32(&[b"1234", b"56789"]), 0xCBF4_3926);
/// ```
pub fn crc32(parts: &[&[u8]]) -> u32 {
    let step = |value: u32, byte: &u8| {
        let index = usize::from((value as u8) ^ byte);
        TABLE.get(index).copied().unwrap_or(0) ^ (value >> 8)
    };
    !parts.iter().flat_map(|part| part.iter()).fold(u32::MAX, step)
}
