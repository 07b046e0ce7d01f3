//! What the standard library would bring, in a quarter of its size.

/// The allocator that the standard library uses for WebAssembly too.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A trap, without a text that nobody reads.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
