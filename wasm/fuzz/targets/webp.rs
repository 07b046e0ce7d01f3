#![no_main]
mod metadata;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if sx_media::format::Format::of(bytes).is_some_and(|format| format.name() == "webp") {
        metadata::check(bytes);
    }
});
