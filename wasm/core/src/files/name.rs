//! Names of files that are harmless everywhere.

use crate::layout::is_device_name;
use crate::unseen::is_hidden;
use alloc::string::String;

/// In bytes of UTF-8: the longest that file systems take.
const LONGEST: usize = 255;

/// What a name is called that has nothing left.
const NAMELESS: &str = "file";

/// The last part of a name, without what is not seen or does not belong at its ends, and with `_` for what means
/// something to a system (protocol, section 6). A safe name stays as it is.
pub fn safe(name: &str) -> String {
    let mut safe = String::new();
    for character in name.chars() {
        match character {
            '/' | '\\' => safe.clear(),
            '<' | '>' | ':' | '"' | '|' | '?' | '*' => safe.push('_'),
            ' ' if safe.is_empty() => {}
            c if c.is_control() || is_hidden(c) => {}
            c => safe.push(c),
        }
    }
    if is_device_name(&safe) {
        safe.insert(0, '_');
    }
    while safe.len() > LONGEST || safe.ends_with(['.', ' ']) {
        safe.pop();
    }
    if safe.is_empty() {
        safe.push_str(NAMELESS);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    #[test]
    fn names_lose_what_is_not_theirs() {
        for (given, expected) in [
            ("invoice.pdf", "invoice.pdf"),
            (".profile", ".profile"),
            ("Zoë 世界.txt", "Zoë 世界.txt"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\system.ini", "system.ini"),
            ("a/b\\c", "c"),
            ("", "file"),
            ("..", "file"),
            ("a/", "file"),
            (" . ", "file"),
            ("notes.txt. .", "notes.txt"),
            ("  notes", "notes"),
            ("a\u{0}b\n\u{1b}[31mc\u{7f}\u{85}", "ab[31mc"),
            ("cod\u{202e}fdp.exe", "codfdp.exe"),
            ("a\u{200b}\u{feff}\u{e0041}b", "ab"),
            ("a\u{2028}b\u{2029}c", "abc"),
            ("a.txt:stream", "a.txt_stream"),
            ("<>:\"|?*", "_______"),
            ("con", "_con"),
            ("NUL.tar.gz", "_NUL.tar.gz"),
            ("lpt1.txt", "_lpt1.txt"),
            ("COM\u{b9}", "_COM\u{b9}"),
            ("con .txt", "_con .txt"),
            ("con . .", "_con"),
            ("console", "console"),
        ] {
            assert_eq!(safe(given), expected, "{given:?}");
        }
        assert_eq!(safe(&"é".repeat(300)), "é".repeat(127));
        assert_eq!(safe(&format!("con.{}", "x".repeat(251))).len(), LONGEST);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_safe_name_is_safe(name in "(con|nul|\\.|/|[ -~]|\u{202e}|\\PC|\\s){0,300}") {
            let safe = safe(&name);
            prop_assert_eq!(super::safe(&safe), safe.clone());
            prop_assert!((1..=LONGEST).contains(&safe.len()));
            let has_bad = safe.contains(['/', '\\', ':', '\0', '\n', '\u{202e}']);
            prop_assert!(!has_bad);
            prop_assert!(safe != "." && safe != ".." && !safe.ends_with(['.', ' ']));
            prop_assert!(!is_device_name(&safe));
        }
    }
}
