//! The modules of the core form layers: none needs, by whatever way, one that needs it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules below the crate's root that a source names, comments left out.
fn named(source: &str) -> BTreeSet<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: Vec<&str> = code.collect();
    let code = code.join("\n");
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        // `use crate::{a::X, b}` is not how this crate writes it; it would hide modules from this test.
        assert!(!after.starts_with('{'), "`crate::{{` names several modules at once");
        let name: String =
            after.chars().take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_').collect();
        if !name.is_empty() {
            found.insert(name);
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            found.extend(sources(&path).into_iter().map(|(_, text)| (name.clone(), text)));
        } else {
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// The modules in the order of their layers, or those that are part of a circle or above one.
fn layers(mut needs: BTreeMap<String, BTreeSet<String>>) -> Result<Vec<String>, Vec<String>> {
    let mut order = Vec::new();
    while !needs.is_empty() {
        let free: Vec<String> =
            needs.iter().filter(|(_, n)| n.is_empty()).map(|(name, _)| name.clone()).collect();
        if free.is_empty() {
            return Err(needs.into_keys().collect());
        }
        for name in free {
            needs.remove(&name);
            needs.values_mut().for_each(|others| others.retain(|other| *other != name));
            order.push(name);
        }
    }
    Ok(order)
}

fn needs() -> BTreeMap<String, BTreeSet<String>> {
    let mut needs = BTreeMap::<String, BTreeSet<String>>::new();
    for (module, text) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        if module != "lib" {
            let mut others = named(&text);
            others.remove(&module);
            needs.entry(module).or_default().extend(others);
        }
    }
    needs
}

#[test]
fn no_module_needs_one_that_needs_it() {
    let needs = needs();
    for (module, others) in &needs {
        let unknown: Vec<_> = others.iter().filter(|name| !needs.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "{module} names {unknown:?}, which this test does not see");
    }
    let order = layers(needs).unwrap_or_else(|circle| panic!("a circle among {circle:?}"));
    let at = |name: &str| order.iter().position(|module| module == name).unwrap();
    for (lower, upper) in [("json", "document"), ("document", "agent"), ("agent", "ring"), ("ring", "verify")]
    {
        assert!(at(lower) < at(upper), "{lower} stands below {upper}");
    }
}

#[test]
fn a_circle_is_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut needs = BTreeMap::<String, BTreeSet<String>>::new();
        for (from, to) in edges {
            needs.entry((*to).into()).or_default();
            needs.entry((*from).into()).or_default().insert((*to).into());
        }
        layers(needs)
    };
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]), Ok(vec!["c".into(), "b".into(), "a".into()]));
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "b")]), Err(vec!["a".into(), "b".into(), "c".into()]));
    let source = "//! `crate::x`\nuse crate::a::B;\nlet x = crate::c64::d();\n    // crate::e\n";
    assert_eq!(named(source).into_iter().collect::<Vec<_>>(), ["a", "c64"]);
}
