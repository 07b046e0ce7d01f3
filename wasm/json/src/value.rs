//! JSON values. An object holds its members once each and in the order of RFC 8785.

use alloc::string::String;
use alloc::vec::{IntoIter, Vec};
use core::cmp::Ordering;

/// A JSON value.
///
/// Values nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH) are never read; code that builds
/// them by hand pays for their depth in stack.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number. The reader only makes finite ones, and never a negative zero.
    Number(f64),
    /// A string of Unicode scalar values.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(value) = self { Some(*value) } else { None }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(value) = self { Some(value) } else { None }
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items, to be changed, if this is an array.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The object, to be changed, if this is one.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// The members of a JSON object: unique names, always in the order of RFC 8785 section 3.2.3
/// (by UTF-16 code units), so that writing needs no sorting and equality no look-ups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    members: Vec<(String, Value)>,
}

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// An object of `members`, which are unique and in order.
    pub(super) fn from_ordered(members: Vec<(String, Value)>) -> Self {
        debug_assert!(members.iter().zip(members.iter().skip(1)).all(|(a, b)| order(&a.0, &b.0).is_lt()));
        Self { members }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether there is a member `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// The value of the member `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(self.position(name).ok()?).map(|(_, value)| value)
    }

    /// The value of the member `name`, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let position = self.position(name).ok()?;
        self.members.get_mut(position).map(|(_, value)| value)
    }

    /// Sets the member `name`, and returns the value it had before.
    pub fn insert(&mut self, name: String, value: Value) -> Option<Value> {
        if self.members.last().is_none_or(|(last, _)| order(last, &name).is_lt()) {
            self.members.push((name, value));
            return None;
        }
        match self.position(&name) {
            Ok(position) => self.members.get_mut(position).map(|(_, old)| core::mem::replace(old, value)),
            Err(position) => {
                self.members.insert(position, (name, value));
                None
            }
        }
    }

    /// Takes the member `name` out, and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let position = self.position(name).ok()?;
        Some(self.members.remove(position).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> + DoubleEndedIterator {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(other, _)| order(other, name))
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = IntoIter<(String, Value)>;

    /// The members in order.
    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl FromIterator<(String, Value)> for Object {
    /// An object of members in any order; of those with the same name the last one counts.
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut object = Self::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Object {
    /// An object of members in any order; of those with the same name the last one counts.
    fn from(members: [(&str, Value); N]) -> Self {
        members.into_iter().map(|(name, value)| (name.into(), value)).collect()
    }
}

/// Members of an object that people write; beyond them [`sort`] cannot compare each with each.
const FEW: usize = 24;

/// Brings `members` into order and returns a name that is there twice.
///
/// Small: the sorts of the standard library are a tenth of all else that is downloaded to read and write JSON.
pub fn sort(members: &mut [(String, Value)]) -> Option<&str> {
    if members.len() <= FEW {
        insertion_sort(members)
    } else {
        heap_sort(members)
    }
    let mut pairs = members.iter().zip(members.iter().skip(1));
    pairs.find(|(a, b)| a.0 == b.0).map(|(a, _)| a.0.as_str())
}

/// Not inlined: each sort compares in several places, and the core is downloaded.
#[inline(never)]
fn is_before(members: &[(String, Value)], a: usize, b: usize) -> bool {
    match (members.get(a), members.get(b)) {
        (Some((a, _)), Some((b, _))) => order(a, b).is_lt(),
        _ => false,
    }
}

fn insertion_sort(members: &mut [(String, Value)]) {
    for end in 1..members.len() {
        let mut at = end;
        while at > 0 && is_before(members, at, at.saturating_sub(1)) {
            members.swap(at, at.saturating_sub(1));
            at = at.saturating_sub(1);
        }
    }
}

/// Never quadratic, whatever the order that somebody chose.
fn heap_sort(members: &mut [(String, Value)]) {
    let len = members.len();
    for root in (0..len >> 1).rev() {
        sift_down(members, root);
    }
    for end in (1..len).rev() {
        members.swap(0, end);
        sift_down(members.get_mut(..end).unwrap_or_default(), 0);
    }
}

/// Lets a member sink in a heap below those that come after it.
fn sift_down(heap: &mut [(String, Value)], mut root: usize) {
    loop {
        let left = root.saturating_mul(2).saturating_add(1);
        let right = left.saturating_add(1);
        let last = if is_before(heap, left, right) { right } else { left };
        if !is_before(heap, root, last) {
            return;
        }
        heap.swap(root, last);
        root = last;
    }
}

/// The order of member names: by UTF-16 code units (RFC 8785 section 3.2.3).
///
/// This is the order of the UTF-8 bytes, but for one case: the surrogates of characters beyond
/// U+FFFF (which begin with F0..F4) come before U+E000..U+FFFF (which begin with EE or EF).
/// These five and two bytes never continue a character, so the first pair that differs decides.
pub fn order(a: &str, b: &str) -> Ordering {
    let rank = |byte: &u8| if matches!(byte, 0xEE | 0xEF) { byte | 0x10 } else { *byte };
    let (a, b) = common_blocks_skipped(a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

/// What is left of both after the blocks of 16 bytes at their start that are the same.
fn common_blocks_skipped<'a>(mut a: &'a [u8], mut b: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    while let (Some((x, a_rest)), Some((y, b_rest))) =
        (a.split_first_chunk::<16>(), b.split_first_chunk::<16>())
    {
        if x != y {
            break;
        }
        (a, b) = (a_rest, b_rest);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;
    use proptest::prelude::*;

    /// Names in which characters of every length in UTF-8 meet, after prefixes of any length.
    fn name() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            Just('a'),
            Just('\u{7F}'),
            Just('\u{80}'),
            Just('\u{D7FF}'),
            Just('\u{E000}'),
            Just('\u{FB33}'),
            Just('\u{FFFF}'),
            Just('\u{10000}'),
            Just('\u{1F600}'),
            Just('\u{10FFFF}'),
            any::<char>(),
        ];
        (0..40_usize, prop::collection::vec(character, 0..4))
            .prop_map(|(prefix, end)| core::iter::repeat_n('p', prefix).chain(end).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn names_are_in_the_order_of_their_utf16_code_units(a in name(), b in name()) {
            prop_assert_eq!(order(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }

        #[test]
        fn members_are_sorted_however_many_there_are_and_in_whatever_order(
            names in prop_oneof![
                prop::collection::vec(name(), 0..2 * FEW),
                prop::collection::vec("[a-c]{0,2}", 0..2 * FEW),
                (0..300_usize).prop_map(|n| (0..n).map(|at| std::format!("{:03}", at.wrapping_mul(7919) % 1000)).collect()),
                (0..300_usize).prop_map(|n| (0..n).rev().map(|at| std::format!("{at:03}")).collect()),
            ]
        ) {
            let mut members: Vec<_> = names.iter().map(|name| (name.clone(), Value::Null)).collect();
            let twice = sort(&mut members).map(ToString::to_string);
            let mut expected = names;
            expected.sort_by(|a, b| order(a, b));
            prop_assert!(members.iter().map(|(name, _)| name).eq(&expected));
            let mut seen = std::collections::BTreeSet::new();
            prop_assert_eq!(twice.is_some(), expected.iter().any(|name| !seen.insert(name)));
            prop_assert!(twice.is_none_or(|name| expected.iter().filter(|other| **other == name).count() > 1));
        }

        #[test]
        fn an_object_is_a_map_that_stays_in_order(
            steps in prop::collection::vec((any::<bool>(), 0..12_u8, any::<bool>()), 0..60)
        ) {
            let mut object = Object::new();
            let mut model = std::collections::BTreeMap::new();
            for (insert, key, value) in &steps {
                let key = key.to_string();
                if *insert {
                    prop_assert_eq!(object.insert(key.clone(), (*value).into()), model.insert(key, Value::Bool(*value)));
                } else {
                    prop_assert_eq!(object.remove(&key), model.remove(&key));
                }
                prop_assert_eq!(object.len(), model.len());
                prop_assert!(object.iter().eq(model.iter().map(|(k, v)| (k.as_str(), v))));
            }
            for key in 0..12_u8 {
                let key = key.to_string();
                prop_assert_eq!(object.get(&key), model.get(&key));
                prop_assert_eq!(object.contains(&key), model.contains_key(&key));
            }
            let collected: Object =
                steps.iter().map(|(_, key, value)| (key.to_string(), Value::Bool(*value))).collect();
            let last: std::collections::BTreeMap<_, _> =
                steps.iter().map(|(_, key, value)| (key.to_string(), Value::Bool(*value))).collect();
            prop_assert!(collected.into_iter().eq(last));
        }
    }
}
