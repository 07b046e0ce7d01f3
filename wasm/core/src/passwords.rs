//! Where the password of a private key is looked for, and the text of a password file.

use crate::error::{Code, Error, Result};
use alloc::format;
use alloc::string::String;

/// Where a password is looked for, in order; the first place that has one decides (protocol,
/// section 13).
pub const SOURCES: &[&str] = &["argument", "environment", "config", "file", "vault"];

/// The password in a password file: all of it but one line end at its end, which an editor adds.
///
/// Errors: `CorruptStore` for what is not UTF-8, `PasswordRequired` for an empty password.
pub fn read_file(file: &[u8]) -> Result<&str> {
    let text = core::str::from_utf8(file)
        .map_err(|_| Error::new(Code::CorruptStore, "The password file is not UTF-8 text."))?;
    let password = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text);
    if password.is_empty() {
        return Err(Error::new(Code::PasswordRequired, "The password file is empty."));
    }
    Ok(password)
}

/// The text of a password file from which [`read_file`] gives back this password.
///
/// Errors: `PasswordRequired` for an empty password.
pub fn write_file(password: &str) -> Result<String> {
    if password.is_empty() {
        return Err(Error::new(Code::PasswordRequired, "The password is empty."));
    }
    // A line end of the password's own must not be the one that reading takes off.
    Ok(format!("{password}{}", if password.ends_with('\n') { "\n" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_end_is_taken_off() {
        for (file, password) in [
            ("secret", "secret"),
            ("secret\n", "secret"),
            ("secret\r\n", "secret"),
            ("secret\n\n", "secret\n"),
            ("secret\r\n\r\n", "secret\r\n"),
            ("secret\r\n\n", "secret\r\n"),
            ("secret\n\r\n", "secret\n"),
            ("secret\r", "secret\r"),
            ("\nsecret", "\nsecret"),
            (" secret \n", " secret "),
            ("\n\n", "\n"),
            ("\u{feff}secret\n", "\u{feff}secret"),
        ] {
            assert_eq!(read_file(file.as_bytes()), Ok(password), "{file:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for password in
            ["secret", "secret\n", "secret\r\n", "secret\r", "\n", "\r\n", "\r", "a\n\n", " ", "\0"]
        {
            assert_eq!(read_file(write_file(password).unwrap().as_bytes()), Ok(password), "{password:?}");
        }
        assert_eq!(write_file("secret").as_deref(), Ok("secret"));
        assert_eq!(write_file("secret\n").as_deref(), Ok("secret\n\n"));
    }

    #[test]
    fn empty_and_unreadable_files_are_named() {
        for empty in ["", "\n", "\r\n"] {
            let error = read_file(empty.as_bytes()).unwrap_err();
            assert_eq!(error, Error::new(Code::PasswordRequired, "The password file is empty."));
        }
        assert_eq!(read_file(b"\xff").unwrap_err().code, Code::CorruptStore);
        assert_eq!(write_file("").unwrap_err().code, Code::PasswordRequired);
    }
}
