#![no_main]
//! The pixels of a png image: reading ends, and what is written is found again.

use sx_media::robust::{self, Reading};

const PAYLOAD: &str = "{}";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if !sx_media::format::Format::of(bytes).is_some_and(|format| format.name() == "png") {
        return;
    }
    let _ = robust::read(bytes);
    let Ok(prepared) = robust::prepare(bytes, &|_| robust::needed_bits(PAYLOAD)) else { return };
    let Ok(file) = robust::embed(bytes, PAYLOAD, &prepared.room, &prepared.sha256) else { return };
    let Reading::Found(found) = robust::read(&file) else { panic!("nothing found") };
    assert_eq!((found.payload.as_str(), found.exact, found.sha256), (PAYLOAD, true, prepared.sha256));
});
