//! What lives as long as the instance. A WebAssembly module has one thread; on other targets, where only the
//! tests run, each thread has its own.
#![cfg_attr(target_arch = "wasm32", allow(unsafe_code))]

use core::cell::RefCell;

/// A value that one piece of work at a time has for itself.
pub struct Alone<T>(RefCell<T>);

// SAFETY: without atomics there are no threads that could share memory with this one.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
unsafe impl<T> Sync for Alone<T> {}

impl<T> Alone<T> {
    pub const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.borrow_mut())
    }
}
