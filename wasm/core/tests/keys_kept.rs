//! How many bytes kept keys take, counted by the allocator.
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects)]
#![allow(unsafe_code)] // an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sx_core::keys::{Algorithm, PublicKey, SecretKey, bound_kept, kept_keys};

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all of it is done by the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        NOW.set(NOW.get().saturating_add(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.set(NOW.get().saturating_sub(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The program drops its keys: what is left is what keeping them takes.
#[test]
fn c01_the_bytes_of_kept_keys_are_those_that_they_take() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let meet = |n: u8| {
            let secret = SecretKey::from_seed(algorithm, &[n; 32]).unwrap();
            let key = PublicKey::from_raw(algorithm, secret.public_key().to_raw()).unwrap();
            let signature = secret.sign(b"message", &[0; 32]).unwrap();
            assert!((0..10).all(|_| key.verify(b"message", &signature)));
        };
        bound_kept("0,").unwrap();
        bound_kept(",").unwrap();
        // The tables that all keys share, also the one for signing, and room for the first keys.
        (0..40).for_each(|n| meet(n % 4));
        let before = (kept_keys(), NOW.get());
        assert_eq!(before.0.0, 4);
        (4..20).for_each(meet);
        let after = (kept_keys(), NOW.get());
        assert_eq!(after.0.0, 20);
        let (said, taken) = (after.0.1 - before.0.1, after.1 - before.1);
        // What the allocator gives in addition: counters, and the list of kept keys.
        assert!(said <= taken && taken < said + 16 * 256, "{algorithm:?}: {said} said, {taken} taken");
    }
}
