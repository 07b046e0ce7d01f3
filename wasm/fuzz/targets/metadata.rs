//! What holds for every file, whatever its bytes.

#[path = "memory.rs"]
mod memory;

use sx_media::metadata::{self, Channel, Scan};
use sx_media::pieces::Pieces;
use sx_media::problem::Problem;

/// What reading may take beside the file itself. In bytes.
const BESIDE: usize = 2 << 20;

fn scan(bytes: &[u8]) -> Result<Scan, Problem> {
    memory::within(BESIDE, || metadata::scan(&bytes))
}

fn embed(bytes: &[u8], payload: &str) -> Result<Pieces, Problem> {
    memory::within(BESIDE, || metadata::embed(&bytes, payload))
}

pub fn check(bytes: &[u8]) {
    let Ok(found) = scan(bytes) else { return };
    let content = found.content.assemble(bytes);
    assert_eq!(content.len(), found.content.size());
    if let Ok(stripped) = memory::within(BESIDE, || metadata::strip(&bytes)) {
        let stripped = stripped.assemble(bytes);
        let again = scan(&stripped).unwrap();
        assert_eq!(again.channel, Channel::Empty);
        assert_eq!(again.content.assemble(&stripped), content, "what is covered does not depend on being signed");
    }
    let Ok(signed) = embed(bytes, "e30") else { return };
    let signed = signed.assemble(bytes);
    let again = scan(&signed).unwrap();
    assert!(matches!(&again.channel, Channel::Signed { payload, .. } if payload == "e30"));
    assert_eq!(again.content.assemble(&signed), content);
    if let Channel::Signed { payload, .. } = &found.channel {
        // The one rule: only what embedding writes is taken for signed.
        let same = embed(bytes, payload).unwrap().assemble(bytes);
        let without = |file: &[u8]| match scan(file).unwrap().c2pa {
            Some(store) => [&file[..store.start], &file[store.end..]].concat(),
            None => file.to_vec(),
        };
        let webp = bytes.starts_with(b"RIFF"); // whose size counts the store
        if !webp || found.c2pa.is_none() {
            assert_eq!(without(&same), without(bytes));
        }
    }
}
