//! Sets of small numbers that share what they have in common: what an event has in its past.

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::sorting::{order, unique};

/// A set of numbers as the words that are not zero: (which word, its 64 bits), ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bits(Vec<(u32, u64)>);

/// A set that several events have.
pub(crate) type Set = Rc<Bits>;

fn place(bit: u32) -> (u32, u64) {
    (bit >> 6, 1 << (bit & 63))
}

/// The numbers of a set, ascending.
pub(crate) struct Numbers<'a> {
    words: core::slice::Iter<'a, (u32, u64)>,
    index: u32,
    /// What is left of the word.
    word: u64,
}

impl Iterator for Numbers<'_> {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        while self.word == 0 {
            (self.index, self.word) = *self.words.next()?;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word.wrapping_sub(1);
        Some(self.index.wrapping_mul(64).wrapping_add(bit))
    }
}

impl Bits {
    fn word(&self, index: u32) -> u64 {
        let position = self.0.binary_search_by_key(&index, |(index, _)| *index);
        position.ok().and_then(|at| self.0.get(at)).map_or(0, |(_, word)| *word)
    }

    pub fn contains(&self, bit: u32) -> bool {
        let (index, mask) = place(bit);
        self.word(index) & mask != 0
    }

    pub fn insert(&mut self, bit: u32) {
        let (index, mask) = place(bit);
        match self.0.binary_search_by_key(&index, |(index, _)| *index) {
            Ok(at) => self.0.iter_mut().skip(at).take(1).for_each(|(_, word)| *word |= mask),
            Err(at) => self.0.insert(at, (index, mask)),
        }
    }

    pub fn with(&self, bit: u32) -> Set {
        let mut more = self.clone();
        more.insert(bit);
        Rc::new(more)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|(_, word)| word.count_ones()).fold(0, u32::saturating_add)
    }

    /// How long it takes to go through it.
    pub fn words(&self) -> usize {
        self.0.len()
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        let mut others = other.0.iter();
        self.0.iter().all(|(index, word)| {
            others
                .find(|(other, _)| other >= index)
                .is_some_and(|(other, more)| other == index && word & !more == 0)
        })
    }

    pub fn iter(&self) -> Numbers<'_> {
        Numbers { words: self.0.iter(), index: 0, word: 0 }
    }

    /// What is not in another one.
    pub fn without(&self, other: &Self) -> Self {
        self.masked(&|index| !other.word(index))
    }

    /// What is in another one, too, and not in a third.
    pub fn common(&self, other: &Self, but: &Self) -> Self {
        self.masked(&|index| other.word(index) & !but.word(index))
    }

    fn masked(&self, mask: &dyn Fn(u32) -> u64) -> Self {
        let words = self.0.iter().map(|(index, word)| (*index, word & mask(*index)));
        Self(words.filter(|(_, word)| *word != 0).collect())
    }
}

/// Joins sets. Keeps its memory between them.
#[derive(Default)]
pub(crate) struct Joiner {
    words: Vec<u64>,
    touched: Vec<u32>,
}

impl Joiner {
    /// The union. The very set that is one of `sets`, if that is the union.
    pub fn join(&mut self, sets: &[&Set]) -> Set {
        let Some((first, rest)) = sets.split_first() else { return Set::default() };
        if rest.iter().all(|set| Rc::ptr_eq(first, set) || set.is_empty()) {
            return Rc::clone(first);
        }
        self.touched.clear();
        for (at, set) in sets.iter().enumerate() {
            if at > 0 && sets.get(at.wrapping_sub(1)).is_some_and(|before| Rc::ptr_eq(before, set)) {
                continue;
            }
            for (index, word) in &set.0 {
                self.add(*index, *word);
            }
        }
        unique(&mut self.touched);
        let mut union = Bits(Vec::with_capacity(self.touched.len()));
        for index in &self.touched {
            let word = self.words.get_mut(*index as usize).map_or(0, core::mem::take);
            union.0.push((*index, word));
        }
        match sets.iter().find(|set| ****set == union) {
            Some(same) => Rc::clone(same),
            None => Rc::new(union),
        }
    }

    fn add(&mut self, index: u32, word: u64) {
        let at = index as usize;
        if at >= self.words.len() {
            let grown = at.saturating_add(1).next_power_of_two();
            self.words.resize(grown, 0);
        }
        if let Some(slot) = self.words.get_mut(at) {
            if *slot == 0 {
                self.touched.push(index);
            }
            *slot |= word;
        }
    }
}

/// Numbers for sets, the same for equal ones: the number of each, and the first set of each number.
pub(crate) fn numbers(sets: &[&Set]) -> (Vec<u32>, Vec<usize>) {
    let same = |a: &Set, b: &Set| if Rc::ptr_eq(a, b) { Ordering::Equal } else { a.cmp(b) };
    let order = order(sets.len(), &|a, b| match (sets.get(a), sets.get(b)) {
        (Some(a), Some(b)) => same(a, b),
        _ => Ordering::Equal,
    });
    let (mut numbers, mut firsts) = (vec![0; sets.len()], Vec::new());
    let mut last: Option<&Set> = None;
    for at in order {
        let (Some(set), Some(number)) = (sets.get(at), numbers.get_mut(at)) else { continue };
        if last.is_none_or(|last| same(last, set).is_ne()) {
            firsts.push(at);
        }
        last = Some(set);
        *number = u32::try_from(firsts.len()).unwrap_or(u32::MAX).saturating_sub(1);
    }
    (numbers, firsts)
}

/// A flag for each of so many things.
#[derive(Clone, Debug)]
pub(crate) struct Flags(Vec<bool>);

impl Flags {
    pub fn new(len: usize) -> Self {
        Self(vec![false; len])
    }

    pub fn get(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }

    /// Sets the flag, and says whether that is new.
    pub fn set(&mut self, at: usize) -> bool {
        self.0.get_mut(at).is_some_and(|flag| !core::mem::replace(flag, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_are_sets() {
        let mut seed = 7_u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        let mut joiner = Joiner::default();
        for _ in 0..500 {
            let models: Vec<BTreeSet<u32>> =
                (0..next(4)).map(|_| (0..next(8)).map(|_| next(300)).collect()).collect();
            let sets: Vec<Set> = models
                .iter()
                .map(|model| {
                    Rc::new(model.iter().fold(Bits::default(), |set, bit| (*set.with(*bit)).clone()))
                })
                .collect();
            let union: BTreeSet<u32> = models.iter().flatten().copied().collect();
            let joined = joiner.join(&sets.iter().collect::<Vec<_>>());
            assert!(joined.iter().eq(union.iter().copied()));
            assert_eq!((joined.len() as usize, joined.is_empty()), (union.len(), union.is_empty()));
            for (set, model) in sets.iter().zip(&models) {
                assert!(set.is_subset(&joined));
                assert_eq!(joined.is_subset(set), union.is_subset(model));
                assert!((0..300).all(|bit| set.contains(bit) == model.contains(&bit)));
                let (first, other) = (&sets[0], &models[0]);
                assert!(joined.without(set).iter().eq(union.difference(model).copied()));
                let common = joined.common(set, first);
                assert!(common.iter().eq(model.difference(other).copied()));
                assert_eq!(common.is_empty(), common.iter().next().is_none());
            }
            if let Some(same) = sets.iter().find(|set| ***set == *joined) {
                assert!(sets.iter().any(|set| Rc::ptr_eq(set, &joined)), "{same:?} is copied");
            }
        }
    }
}
