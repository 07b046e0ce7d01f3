//! Sorting, compiled once: the sorts of the standard library are generic, and would be half of this module.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The places `0..len` in order; equal ones stay as they are.
#[inline(never)]
pub(crate) fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..len).collect();
    let mut width = 1_usize;
    while width < len {
        let mut merged = Vec::with_capacity(len);
        for pair in sorted.chunks(width.saturating_mul(2)) {
            let (mut left, mut right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            while let (Some((a, more_left)), Some((b, more_right))) =
                (left.split_first(), right.split_first())
            {
                if compare(*a, *b).is_gt() {
                    merged.push(*b);
                    right = more_right;
                } else {
                    merged.push(*a);
                    left = more_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        sorted = merged;
        width = width.saturating_mul(2);
    }
    sorted
}

/// Sorts; equal ones stay as they are.
pub(crate) fn sort<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    // Each item goes to its place, from the place where one is that comes there.
    for start in 0..order.len() {
        let mut at = start;
        while let Some(from) =
            order.get_mut(at).map(|from| core::mem::replace(from, at)).filter(|from| *from != start)
        {
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts, and drops what is there twice.
pub(crate) fn unique<T: Ord>(items: &mut Vec<T>) {
    sort(items, &T::cmp);
    items.dedup();
}

/// A text that is there twice.
pub(crate) fn twice<'a>(texts: &[&'a str]) -> Option<&'a str> {
    let order = order(texts.len(), &|a, b| texts.get(a).cmp(&texts.get(b)));
    let sorted = || order.iter().filter_map(|at| texts.get(*at).copied());
    sorted().zip(sorted().skip(1)).find(|(a, b)| a == b).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_as_the_standard_library_does() {
        let mut seed = 3_u32;
        for len in 0..70_u32 {
            let mut items: Vec<(u32, u32)> = (0..len)
                .map(|at| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 29, at)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort(&mut items, &|a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
            let mut keys: Vec<u32> = items.into_iter().rev().map(|(key, _)| key).collect();
            expected.dedup_by_key(|(key, _)| *key);
            unique(&mut keys);
            assert!(keys.iter().eq(expected.iter().map(|(key, _)| key)));
        }
        assert_eq!(twice(&["b", "a", "c", "a"]), Some("a"));
        assert_eq!(twice(&["b", "a", "c"]), None);
    }
}
