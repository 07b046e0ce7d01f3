//! What lives in the instance between calls: keys, rings, documents under verification.
//!
//! JavaScript holds numbers, not pointers: after a trap a new instance is built, and a number of
//! the old one must then mean nothing instead of some place in the new one's memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use sx_core::error::{Code, Error, Result};
use sx_core::keys::SecretKey;
use sx_core::ring::Ring;
use sx_core::verify::Verification;

pub enum Object {
    Secret(SecretKey),
    Ring(Ring),
    Verification(Verification),
}

struct Table {
    next: u32,
    objects: BTreeMap<u32, Object>,
}

thread_local! {
    static TABLE: RefCell<Table> = const { RefCell::new(Table { next: 1, objects: BTreeMap::new() }) };
}

/// Makes the numbers of this instance begin at `first`.
pub fn start_at(first: u32) {
    TABLE.with_borrow_mut(|table| table.next = first);
}

pub fn add(object: Object) -> Result<u32> {
    TABLE.with_borrow_mut(|table| {
        let handle = table.next;
        table.next = handle.checked_add(1).ok_or_else(stale)?;
        table.objects.insert(handle, object);
        Ok(handle)
    })
}

pub fn remove(handle: u32) -> Option<Object> {
    TABLE.with_borrow_mut(|table| table.objects.remove(&handle))
}

/// How many objects there are; lets tests see leaks.
pub fn count() -> usize {
    TABLE.with_borrow(|table| table.objects.len())
}

pub fn with_secret<T>(handle: u32, work: impl FnOnce(&SecretKey) -> Result<T>) -> Result<T> {
    TABLE.with_borrow(|table| match table.objects.get(&handle) {
        Some(Object::Secret(key)) => work(key),
        _ => Err(stale()),
    })
}

pub fn with_ring<T>(handle: u32, work: impl FnOnce(&mut Ring) -> Result<T>) -> Result<T> {
    TABLE.with_borrow_mut(|table| match table.objects.get_mut(&handle) {
        Some(Object::Ring(ring)) => work(ring),
        _ => Err(stale()),
    })
}

pub fn with_verification<T>(handle: u32, work: impl FnOnce(&Verification) -> Result<T>) -> Result<T> {
    TABLE.with_borrow(|table| match table.objects.get(&handle) {
        Some(Object::Verification(verification)) => work(verification),
        _ => Err(stale()),
    })
}

pub fn take_verification(handle: u32) -> Result<Verification> {
    match remove(handle) {
        Some(Object::Verification(verification)) => Ok(verification),
        _ => Err(stale()),
    }
}

fn stale() -> Error {
    Error::new(Code::Internal, "An object of the WebAssembly core is gone.")
}
