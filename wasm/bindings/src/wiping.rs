//! An allocator that leaves nothing behind.
//!
//! Passwords, seeds and PKCS#8 cross the boundary through memory that the generated glue asks for
//! and gives back, and buffers that grow move. No type of ours sees those copies, so every block
//! is overwritten when it is given back, whatever was in it.
//!
//! `unsafe` because the trait of an allocator has no other form.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::hint::black_box;

/// That which the standard library uses for WebAssembly.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: Wiping<dlmalloc::GlobalDlmalloc> = Wiping(dlmalloc::GlobalDlmalloc);
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: Wiping<std::alloc::System> = Wiping(std::alloc::System);

/// A trap, without a text that nobody reads.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

struct Wiping<A>(A);

// SAFETY: blocks come from and go back to `A`, with the layouts that the caller promises to be
// right. `realloc` is the trait's own: a new block, a copy, and `dealloc` of the old one.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Wiping<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `A` asks for.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: likewise.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is the caller's, of this size, until it is given back; and likewise.
        unsafe {
            block.write_bytes(0, layout.size());
            // The compiler may drop writes to memory that nobody reads; now somebody might.
            self.0.dealloc(black_box(block), layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;
    use std::cell::RefCell;

    /// Keeps what stood in the blocks that were given back.
    #[derive(Default)]
    struct Recorder(RefCell<Vec<Vec<u8>>>);

    // SAFETY: passes everything on.
    unsafe impl GlobalAlloc for Recorder {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            let content = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            self.0.borrow_mut().push(content.to_vec());
            unsafe { System.dealloc(block, layout) }
        }
    }

    fn filled(allocator: &impl GlobalAlloc, layout: Layout) -> *mut u8 {
        let block = unsafe { allocator.alloc(layout) };
        unsafe { block.write_bytes(0x5A, layout.size()) };
        block
    }

    #[test]
    fn blocks_go_back_empty() {
        let allocator = Wiping(Recorder::default());
        for size in [1, 7, 32, 4097] {
            let layout = Layout::from_size_align(size, 8).unwrap();
            let block = filled(&allocator, layout);
            unsafe { allocator.dealloc(block, layout) };
            assert_eq!(allocator.0.0.take(), [vec![0; size]]);
        }
    }

    #[test]
    fn blocks_that_move_leave_nothing_behind_and_keep_what_they_hold() {
        let allocator = Wiping(Recorder::default());
        let layout = Layout::from_size_align(100, 8).unwrap();
        for (size, kept) in [(1000, 100), (10, 10)] {
            let block = filled(&allocator, layout);
            let moved = unsafe { allocator.realloc(block, layout, size) };
            assert_eq!(allocator.0.0.take(), [vec![0; 100]]);
            assert_eq!(unsafe { std::slice::from_raw_parts(moved, kept) }, vec![0x5A; kept]);
            unsafe { allocator.dealloc(moved, Layout::from_size_align(size, 8).unwrap()) };
            allocator.0.0.take();
        }
    }

    #[test]
    fn zeroed_blocks_are_zeroed() {
        let layout = Layout::from_size_align(64, 8).unwrap();
        let block = unsafe { ALLOCATOR.alloc_zeroed(layout) };
        assert_eq!(unsafe { std::slice::from_raw_parts(block, 64) }, [0; 64]);
        unsafe { ALLOCATOR.dealloc(block, layout) };
    }
}
