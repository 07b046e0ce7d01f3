//! Normal forms of URLs: two that differ may be two requests, so nothing is decoded, sorted or dropped but the fragment.
//!
//! What the URL standard (WHATWG) says is left to the URL parser of the platform: its result is passed with the text.

use alloc::string::String;

use crate::codes::Code;
use crate::problem::Problem;

/// In characters.
const LONGEST: usize = 8192;

/// The normal form of a URL that is to be signed. `parsed` is the URL as the platform's parser writes it (WHATWG, `href`), or
/// empty if it cannot read it.
///
/// Errors: `InvalidOption`, which says what is wrong with it.
pub fn normalise(url: &str, parsed: &str) -> Result<String, Problem> {
    if labels(url).any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"))) {
        return Err(wrong("has a host in Punycode: pass the host name in Unicode"));
    }
    normal_form(url, parsed)
}

/// The normal form of a URL that a server knows. A host in Punycode is all right there: the server has parsed it itself.
///
/// Errors: `InvalidOption`, which says what is wrong with it.
pub(crate) fn normal_form(url: &str, parsed: &str) -> Result<String, Problem> {
    check(url).map_err(wrong)?;
    let (origin, rest) = split(parsed).ok_or_else(|| wrong("cannot be parsed"))?;
    let of_port = origin.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    if of_port.map_or(origin, |(host, _)| host).ends_with('.') {
        return Err(wrong("has a host that ends with a dot"));
    }
    if !parsed.is_ascii() {
        return Err(wrong("cannot be parsed"));
    }
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let mut normal = String::from(origin);
    encode(rest, &mut normal);
    Ok(normal)
}

/// Whether the target of a request line (RFC 9112, section 3.2.1) is the one of a URL in normal form, as it came: no
/// server then takes it for another one. `parsed` is as in [`normalise`], for the origin followed by the target.
///
/// Errors: `UrlMismatch`, also for targets that have another form.
pub fn is_target_of(target: &str, url: &str, parsed: &str) -> Result<String, Problem> {
    let normal =
        normal_form(url, parsed).map_err(|problem| Problem { code: Code::UrlMismatch, ..problem })?;
    let mut written = String::new();
    encode(target, &mut written);
    let expected = split(&normal).map(|(_, rest)| rest);
    if target.starts_with('/') && expected == Some(&written) {
        return Ok(normal);
    }
    Err(Problem::new(Code::UrlMismatch, "The request target is not in normal form."))
}

fn wrong(what: &str) -> Problem {
    Problem::new(Code::InvalidOption, ["The URL ", what, "."].concat())
}

/// What is wrong with a URL as it was passed, if something is.
fn check(url: &str) -> Result<(), &'static str> {
    if url.chars().count() > LONGEST {
        return Err("is longer than 8,192 characters");
    }
    if url.chars().any(|c| c <= ' ' || c == '\u{7F}') {
        return Err("has a space or a control character");
    }
    if url.contains('\\') {
        return Err("has a backslash");
    }
    let of_scheme = |scheme: &str| {
        let (start, rest) = url.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    };
    let Some(rest) = of_scheme("https://").or_else(|| of_scheme("http://")) else {
        return Err("is not absolute: it must begin with https:// or http://");
    };
    let authority = authority(rest);
    if authority.is_empty() {
        return Err("has no host");
    }
    if authority.contains('@') {
        return Err("has a user name or password");
    }
    if authority.contains('%') {
        return Err("has a host with a percent sign");
    }
    let mut after_percent = rest.split('%').skip(1);
    let is_triplet = |after: &str| {
        after.as_bytes().first_chunk::<2>().is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    if !after_percent.all(is_triplet) {
        return Err("has a percent sign without two hexadecimal digits");
    }
    Ok(())
}

/// What stands before path, query and fragment.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// What stands between the dots of a host.
fn labels(url: &str) -> impl Iterator<Item = &str> {
    let after_scheme = url.split_once('/').and_then(|(_, rest)| rest.strip_prefix('/'));
    authority(after_scheme.unwrap_or_default()).split('.')
}

/// The origin of a URL that was parsed, and what follows it.
fn split(url: &str) -> Option<(&str, &str)> {
    let (path, _) = url.bytes().enumerate().filter(|(_, byte)| *byte == b'/').nth(2)?;
    url.split_at_checked(path)
}

/// Appends path and query with the characters encoded that not every parser encodes, and triplets in upper case.
fn encode(rest: &str, out: &mut String) {
    let mut hex = 0;
    let mut is_query = false;
    for character in rest.chars() {
        is_query |= character == '?';
        match character {
            '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' | '[' | ']' => triplet(character, out),
            '\'' if is_query => triplet(character, out),
            _ if hex > 0 => out.push(character.to_ascii_uppercase()),
            _ => out.push(character),
        }
        hex = if character == '%' { 2_u8 } else { hex.saturating_sub(1) };
    }
}

fn triplet(character: char, out: &mut String) {
    let digit = |value: u32| char::from_digit(value & 15, 16).unwrap_or('0').to_ascii_uppercase();
    let code = u32::from(character);
    out.extend(['%', digit(code >> 4), digit(code)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_decoded_and_triplets_are_in_upper_case() {
        for (path, normal) in [
            ("/a%2fb", "/a%2Fb"),
            ("/a%2", "/a%2"),
            ("/%e2%82%ac?q=%c3%a9", "/%E2%82%AC?q=%C3%A9"),
            ("/p^|?q[]=1", "/p%5E%7C?q%5B%5D=1"),
            ("/it's?it's", "/it's?it%27s"),
            ("/a+b", "/a+b"),
        ] {
            let mut out = String::new();
            encode(path, &mut out);
            assert_eq!(out, normal);
        }
    }

    #[test]
    fn a_url_says_what_is_wrong_with_it() {
        for (url, what) in [
            ("/rel", "is not absolute: it must begin with https:// or http://"),
            ("ftp://x/", "is not absolute: it must begin with https:// or http://"),
            ("https:/example.com", "is not absolute: it must begin with https:// or http://"),
            ("https:///example.com", "has no host"),
            ("https://u:p@example.com/", "has a user name or password"),
            ("https://@example.com/", "has a user name or password"),
            ("https://example.com\\@evil.com/", "has a backslash"),
            ("https://example.com/a b", "has a space or a control character"),
            ("https://example.com/a\u{7F}", "has a space or a control character"),
            ("https://example.com/%zz", "has a percent sign without two hexadecimal digits"),
            ("https://example.com/%", "has a percent sign without two hexadecimal digits"),
            ("https://example.com/%a", "has a percent sign without two hexadecimal digits"),
            ("https://ex%61mple.com/", "has a host with a percent sign"),
        ] {
            assert_eq!(check(url), Err(what), "{url}");
        }
        assert_eq!(check("HTTPS://API.Example.com:443/v1/../v1/orders?b=2&a=1#frag"), Ok(()));
    }

    #[test]
    fn a_host_in_punycode_is_not_signed_and_a_server_knows_it() {
        for url in [
            "https://xn--bcher-kva.example/",
            "https://a.XN--bcher-kva.example/",
            "http://xn--bcher-kva.example",
        ] {
            assert!(normalise(url, url).unwrap_err().message.contains("Punycode"), "{url}");
        }
        let url = "https://xn--bcher-kva.example/";
        assert_eq!(normal_form(url, url).as_deref(), Ok(url));
        assert_eq!(is_target_of("/", url, url).as_deref(), Ok(url));
        assert_eq!(normalise("https://b\u{FC}cher.example/", url).as_deref(), Ok(url));
        assert!(normalise("https://example.com/xn--a", "https://example.com/xn--a").is_ok());
    }

    #[test]
    fn a_host_does_not_end_with_a_dot() {
        for url in ["https://example.com./", "https://example.com.:8443/x"] {
            assert!(normalise(url, url).unwrap_err().message.contains("ends with a dot"), "{url}");
        }
        assert_eq!(normalise("https://1.2.3.4", "https://1.2.3.4/").as_deref(), Ok("https://1.2.3.4/"));
    }

    #[test]
    fn r09_a_target_is_in_its_normal_form() {
        let at = |target: &str, parsed: &str| {
            let url = ["https://example.com", target].concat();
            is_target_of(target, &url, &["https://example.com", parsed].concat()).is_ok()
        };
        assert!(at("/a%2fb?q[]=1", "/a%2fb?q[]=1"));
        assert!(!at("/a/../b", "/b"));
        assert!(!at("/./", "/"));
        assert!(!at("/a#b", "/a"));
        assert!(!at("", "/"));
    }
}
