//! Names in messages and tables: on one line, and with nothing in them that a terminal would obey.

use std::path::Path;

/// A node id as people can read it in a line of text: as it is, or quoted with escapes where it is
/// empty, has blanks at its ends, or holds what a terminal would not show.
///
/// # Examples
///
/// ```
/// use ring_bench::names::readable;
///
/// assert_eq!(readable("cache-a"), "cache-a");
/// assert_eq!(readable(""), r#""""#);
/// assert_eq!(readable("a\tb"), r#""a\tb""#);
/// ```
#[must_use]
pub fn readable(id: &str) -> String {
    let quoted = format!("{id:?}");
    if quoted.len() == id.len() + 2 && id.trim() == id && !id.is_empty() {
        id.to_owned()
    } else {
        quoted
    }
}

/// A path as people can read it in a message, by the rule of [`readable`].
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(ring_bench::names::readable_path(Path::new("rings/a b.json")), "rings/a b.json");
/// assert_eq!(ring_bench::names::readable_path(Path::new("a\nb")), r#""a\nb""#);
/// ```
#[must_use]
pub fn readable_path(path: &Path) -> String {
    readable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_cannot_be_seen_are_quoted() {
        for (id, text) in [
            ("키", "키"),
            ("a b", "a b"),
            (" a", "\" a\""),
            ("\u{202e}x", "\"\\u{202e}x\""),
            ("\u{1b}[31m", "\"\\u{1b}[31m\""),
            ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ] {
            assert_eq!(readable(id), text);
        }
    }
}
