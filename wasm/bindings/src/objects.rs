//! What lives in the instance between calls: keys, signers, rings, documents under verification.
//!
//! JavaScript holds numbers, not pointers: after a trap a new instance is built, and a number of
//! the old one must then mean nothing instead of some place in the new one's memory.

use crate::alone::Alone;
use crate::{Thrown, gone};
use alloc::sync::Arc;
use alloc::vec::Vec;
use sx_core::agreement_field::AgreementCheck;
use sx_core::error::{Code, Error, Result};
use sx_core::hash::Hasher;
use sx_core::image::ImageVerification;
use sx_core::keys::SecretKey;
use sx_core::ring::Ring;
use sx_core::signer::Signer;
use sx_core::text::TextVerification;
use sx_core::verify::Verification;
use wasm_bindgen::prelude::wasm_bindgen;

/// The number of an object: whole, from 1 to 2^53 - 1, never used twice.
pub type Handle = f64;

/// The first number that a double does not tell from its successor.
const END: u64 = 1 << 53;

/// What an object can be.
pub trait Kind: Sized {
    fn into_object(self) -> Object;
    fn of(object: &mut Object) -> Option<&mut Self>;
    fn from_object(object: Object) -> Option<Self>;
}

macro_rules! kinds {
    ($($name:ident($kind:ty),)*) => {
        pub enum Object { $($name($kind),)* }

        $(impl Kind for $kind {
            fn into_object(self) -> Object {
                Object::$name(self)
            }
            fn of(object: &mut Object) -> Option<&mut Self> {
                match object {
                    Object::$name(it) => Some(it),
                    _ => None,
                }
            }
            fn from_object(object: Object) -> Option<Self> {
                match object {
                    Object::$name(it) => Some(it),
                    _ => None,
                }
            }
        })*
    };
}

kinds! {
    Secret(Arc<SecretKey>),
    Signer(Signer),
    Ring(Ring),
    Verification(Verification),
    Text(TextVerification),
    Hash(Hasher),
    Image(ImageVerification),
    Agreement(AgreementCheck),
}

struct Table {
    next: u64,
    /// By their numbers, which only grow.
    objects: Vec<(u64, Object)>,
}

const EMPTY: Table = Table { next: 1, objects: Vec::new() };

impl Table {
    fn position(&self, handle: Handle) -> Option<usize> {
        let number = number(handle)?;
        self.objects.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    fn get(&mut self, handle: Handle) -> Option<&mut Object> {
        let position = self.position(handle)?;
        self.objects.get_mut(position).map(|(_, object)| object)
    }
}

#[cfg(target_arch = "wasm32")]
static TABLE: Alone<Table> = Alone::new(EMPTY);
#[cfg(not(target_arch = "wasm32"))]
thread_local!(static TABLE: Alone<Table> = const { Alone::new(EMPTY) });

/// Works on the table. Nothing that is done so may come back here.
fn table<R>(work: impl FnOnce(&mut Table) -> R) -> R {
    #[cfg(target_arch = "wasm32")]
    return TABLE.with(work);
    #[cfg(not(target_arch = "wasm32"))]
    TABLE.with(|table| table.with(work))
}

/// The number in a handle, if it can be one.
fn number(handle: Handle) -> Option<u64> {
    let number = handle as u64; // saturates; the comparison refuses fractions and what is out of range
    (number as f64 == handle && (1..END).contains(&number)).then_some(number)
}

pub fn add(object: impl Kind) -> Result<Handle> {
    table(|table| {
        let handle = table.next;
        if handle >= END {
            return Err(Error::new(Code::Internal, "The WebAssembly core has no object numbers left."));
        }
        table.next = handle.saturating_add(1);
        table.objects.push((handle, object.into_object()));
        Ok(handle as f64)
    })
}

/// Works on an object.
///
/// Errors: `Internal` for a number that is not one of its kind's; those of `work`.
pub fn with<K: Kind, T>(handle: Handle, work: impl FnOnce(&mut K) -> Result<T>) -> Result<T> {
    table(|table| work(table.get(handle).and_then(K::of).ok_or_else(gone)?))
}

/// Takes an object out. One of another kind is gone as well.
///
/// Errors: `Internal` for a number that is not one of its kind's.
pub fn take<K: Kind>(handle: Handle) -> Result<K> {
    remove(handle).and_then(K::from_object).ok_or_else(gone)
}

fn remove(handle: Handle) -> Option<Object> {
    table(|table| table.position(handle).map(|position| table.objects.remove(position).1))
}

/// Makes numbers go on at `first`, after those of an instance that has trapped.
#[wasm_bindgen(js_name = startHandlesAt)]
pub fn start_handles_at(first: Handle) -> Thrown<()> {
    let first = number(first).ok_or_else(gone)?;
    table(|table| table.next = table.next.max(first));
    Ok(())
}

/// How many objects there are; lets tests see leaks.
#[wasm_bindgen(js_name = countHandles)]
pub fn count_handles() -> usize {
    table(|table| table.objects.len())
}

#[wasm_bindgen]
pub fn free(handle: Handle) {
    remove(handle);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sx_core::json::Limits;

    const LAST: f64 = 9_007_199_254_740_991.0;

    fn verification() -> Verification {
        Verification::start(b"{}", &Limits::default())
    }

    fn is_ring(handle: Handle) -> bool {
        with(handle, |_: &mut Ring| Ok(())).is_ok()
    }

    // Each test has a thread and so a table of its own.

    #[test]
    fn numbers_are_not_used_again() {
        let first = add(verification()).unwrap();
        assert_eq!(first, 1.0);
        assert_eq!(count_handles(), 1);
        free(first);
        assert_eq!(count_handles(), 0);
        assert_eq!(add(verification()), Ok(2.0));
        assert!(start_handles_at(100.0).is_ok());
        assert_eq!(add(verification()), Ok(100.0));
        assert!(start_handles_at(7.0).is_ok());
        assert_eq!(add(verification()), Ok(101.0));
    }

    #[test]
    fn numbers_end_before_they_are_ambiguous() {
        assert!(start_handles_at(LAST).is_ok());
        assert_eq!(add(verification()), Ok(LAST));
        for _ in 0..2 {
            assert_eq!(add(verification()).map_err(|error| error.code), Err(Code::Internal));
        }
        assert_eq!(count_handles(), 1);
        assert!(take::<Verification>(LAST).is_ok());
    }

    #[test]
    fn an_object_is_of_one_kind_and_is_taken_once() {
        let ring = add(Ring::default()).unwrap();
        let document = add(verification()).unwrap();
        assert!(is_ring(ring) && !is_ring(document));
        assert!(take::<Verification>(document).is_ok());
        assert_eq!(take::<Verification>(document).err().map(|error| error.code), Some(Code::Internal));
        assert!(take::<Verification>(ring).is_err());
        assert!(!is_ring(ring));
    }

    #[test]
    fn what_is_no_number_of_an_object_is_refused() {
        let ring = add(Ring::default()).unwrap();
        for bad in [0.0, -1.0, 0.5, 1.5, 2.0, LAST, LAST + 1.0, f64::NAN, f64::INFINITY] {
            assert!(!is_ring(bad), "{bad}");
            free(bad);
        }
        assert!(is_ring(ring));
        for bad in [0.0, -1.0, 1.5, LAST + 1.0, f64::NAN, f64::INFINITY] {
            assert!(start_handles_at(bad).is_err(), "{bad}");
        }
        assert_eq!(add(verification()), Ok(2.0));
    }
}
