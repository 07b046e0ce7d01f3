//! What holds for every file, whatever its bytes.

use sx_media::metadata::{self, Channel};

pub fn check(bytes: &[u8]) {
    let Ok(scan) = metadata::scan(&bytes) else { return };
    let content = scan.content.assemble(bytes);
    assert_eq!(content.len(), scan.content.size());
    if let Ok(stripped) = metadata::strip(&bytes) {
        let stripped = stripped.assemble(bytes);
        let again = metadata::scan(&stripped.as_slice()).unwrap();
        assert_eq!(again.channel, Channel::Empty);
        assert_eq!(again.content.assemble(&stripped), content, "what is covered does not depend on being signed");
    }
    let Ok(signed) = metadata::embed(&bytes, "e30") else { return };
    let signed = signed.assemble(bytes);
    let found = metadata::scan(&signed.as_slice()).unwrap();
    assert!(matches!(&found.channel, Channel::Signed { payload, .. } if payload == "e30"));
    assert_eq!(found.content.assemble(&signed), content);
    if let Channel::Signed { payload, .. } = &scan.channel {
        // The one rule: only what embedding writes is taken for signed.
        let same = metadata::embed(&bytes, payload).unwrap().assemble(bytes);
        let without = |file: &[u8]| match metadata::scan(&file).unwrap().c2pa {
            Some(store) => [&file[..store.start], &file[store.end..]].concat(),
            None => file.to_vec(),
        };
        let webp = bytes.starts_with(b"RIFF"); // whose size counts the store
        if !webp || scan.c2pa.is_none() {
            assert_eq!(without(&same), without(bytes));
        }
    }
}
