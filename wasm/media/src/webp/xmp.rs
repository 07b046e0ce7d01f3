//! Our element in an XMP packet (ISO 16684-1): a description with the payload as an attribute.

use crate::metadata;
use crate::source::Window;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

const BEFORE: &str = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\
    <x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\
    <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">";
const AFTER: &str = "</rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>";
const LIST_END: &[u8] = b"</rdf:RDF>";
const NAMESPACE: &str = "urn:sx-agent:schemas/image/v1/";
const OPEN: &str = "<rdf:Description rdf:about=\"\" \
    xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
    xmlns:sx=\"urn:sx-agent:schemas/image/v1/\" sx:added=\"";
const MIDDLE: &str = "\" sx:signature=\"";
const ATTRIBUTE: &[u8] = b" sx:signature=\"";
const CLOSE: &str = "\"/>";

/// What was added to the file beside our element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// The `VP8X` chunk.
    pub made_vp8x: bool,
    /// The XMP chunk.
    pub made_xmp: bool,
    /// The flag of `VP8X` that says that XMP follows.
    pub set_flag: bool,
}

impl Record {
    fn digit(self) -> u8 {
        b'0' | u8::from(self.made_vp8x) | u8::from(self.made_xmp) << 1 | u8::from(self.set_flag) << 2
    }

    fn of(digit: u8) -> Option<Self> {
        let bit = |mask: u8| digit & mask != 0;
        let record = Self { made_vp8x: bit(1), made_xmp: bit(2), set_flag: bit(4) };
        (record.digit() == digit).then_some(record)
    }
}

/// Our element.
pub(super) fn written(record: Record, payload: &str) -> String {
    let digit = char::from(record.digit());
    [OPEN, digit.encode_utf8(&mut [0]), MIDDLE, payload, CLOSE].concat()
}

/// A packet that holds nothing else.
pub(super) fn packet(record: Record, payload: &str) -> Vec<u8> {
    [BEFORE, &written(record, payload), AFTER].concat().into_bytes()
}

/// Where the list of descriptions ends: its last closing tag.
pub(super) fn end_of_descriptions(window: &mut Window<'_>, data: Range<usize>) -> Option<usize> {
    window.places(LIST_END, data).last()
}

/// How many elements of ours stand in `range`, those with some bytes changed included.
pub(super) fn count(window: &mut Window<'_>, range: Range<usize>) -> usize {
    let namespaces = window.places(NAMESPACE.as_bytes(), range.clone()).count();
    let attributes = window.places(ATTRIBUTE, range).count();
    namespaces.max(attributes)
}

/// Where our element starts that ends at `end`, and what it holds, if it is exactly as it is written.
pub(super) fn element(
    window: &mut Window<'_>,
    data: Range<usize>,
    end: usize,
) -> Option<(usize, Record, String)> {
    let start = window.places(OPEN.as_bytes(), data.start..end).next()?;
    let bytes = window.copy(start..end)?;
    let digit = bytes.get(OPEN.len())?;
    let record = Record::of(*digit)?;
    let from = OPEN.len().checked_add(1)?.checked_add(MIDDLE.len())?;
    let payload = metadata::payload(bytes.get(from..bytes.len().checked_sub(CLOSE.len())?)?)?;
    (written(record, &payload).as_bytes() == bytes).then_some((start, record, payload))
}
