//! C01: the fast way alone says what `verify_strict` says, for keys and signatures that were made against it.

use std::vec::Vec;

use super::{Kept, Key, base_table};
use crate::hostile::{Hostile, Said, strict, weak_pairs};

/// Of three ways in one run; two runs go side by side.
const CASES: usize = 50_000;

#[test]
fn c01_unseen_and_kept_as_verify_strict() {
    compare(11);
}

#[test]
fn c01_unseen_and_kept_as_verify_strict_with_other_numbers() {
    compare(12);
}

fn compare(seed: u64) {
    let mut hostile = Hostile::new(seed);
    let keys: Vec<Key> = hostile.keys.iter().map(|key| Key::new(&key.raw).unwrap()).collect();
    let kept: Vec<Kept> = keys.iter().map(Key::keep).collect();
    let mut said = Said::NOTHING;
    for number in 0..CASES {
        let case = hostile.case(number);
        let theirs = strict(case.raw, &case.message, &case.signature);
        let (key, kept) = (&keys[case.key], &kept[case.key]);
        let ours = [
            key.confirms_with(&case.message, &case.signature, || None),
            key.confirms_with(&case.message, &case.signature, || Some(base_table())),
            kept.confirms(&case.message, &case.signature),
        ];
        let kind = case.kind;
        assert_eq!(ours, [theirs; 3], "{kind}: {:x?} {:x?} {:x?}", case.raw, case.message, case.signature);
        said.note(kind, theirs);
    }
    said.check(CASES);
}

#[test]
fn c01_no_pair_of_small_order_is_a_signature() {
    let ran = weak_pairs(|raw, message, signature| {
        assert!(Key::new(raw).is_none() && !strict(raw, message, signature));
    });
    assert_eq!(ran, 14 * 14 * 8 * 3);
}
