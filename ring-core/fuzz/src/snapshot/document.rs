//! Documents that are snapshots but for a mistake or two.

use core::fmt::Write as _;

use arbitrary::{Arbitrary, Unstructured};

use crate::id::Id;

/// Values that stand in a wrong place, or nearly in the right one.
const VALUES: &[&str] = &[
    "null",
    "true",
    "1",
    "01",
    "1.0",
    "1e0",
    "1E+0",
    "-0",
    "-1",
    "0",
    "2.5",
    "600",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "\"1\"",
    "\"\"",
    "\"hash-ring\"",
    "\"HASH-RING\"",
    "\"xxh3-64\"",
    "\"0123456789abcdef\"",
    "\"0123456789ABCDEF\"",
    "\"+123456789abcdef\"",
    "\"0123456789abcde\"",
    "\"0x23456789abcdef\"",
    "\"\\ud83d\\ude00\\/\"",
    "\"\\ud83d\"",
    "\"\\ude00\\ud83d\"",
    "\"\\u0000\"",
    "\"\t\"",
    "[]",
    "[null]",
    "[{}]",
    "[[\"a\",1]]",
    "{}",
    "{\"id\":\"a\"}",
];

const NAMES: &[&str] = &[
    "format",
    "version",
    "hash",
    "vnodes_per_weight",
    "nodes",
    "fingerprint",
    "id",
    "weight",
    "Format",
    "tokens",
    "f\\u006frmat",
    "",
];

/// Where blanks may stand, and what is none.
const BLANKS: &[&str] = &["", "", "", "", " ", "\n", "\t\r", "\u{b}", "\u{a0}", "\u{feff}", "x"];

type Members = Vec<(String, String)>;

/// A snapshot's text with up to three mistakes.
pub(super) struct Text(pub(super) String);

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut mistakes = u.int_in_range(0..=3)?;
        let mut nodes = Vec::new();
        for _ in 0..u.int_in_range(0..=4)? {
            let mut members = vec![("id".to_owned(), quoted(&u.arbitrary::<Id>()?.0))];
            if u.arbitrary()? {
                members.push(("weight".to_owned(), u.int_in_range(1..=9_u8)?.to_string()));
            }
            if mistakes > 0 && u.ratio(1, 4)? {
                mistakes -= 1;
                spoil(u, &mut members)?;
            }
            nodes.push(object(u, &members)?);
        }
        if mistakes > 0 && nodes.len() > 1 && u.ratio(1, 4)? {
            mistakes -= 1;
            let node = u.choose(&nodes)?.clone();
            nodes.push(node);
        }

        let mut members: Members = vec![
            ("format".to_owned(), "\"hash-ring\"".to_owned()),
            ("version".to_owned(), "1".to_owned()),
            ("nodes".to_owned(), format!("[{}]", nodes.join(","))),
        ];
        if u.arbitrary()? {
            members.push(("hash".to_owned(), "\"fnv1a64-fmix64\"".to_owned()));
        }
        if u.arbitrary()? {
            members.push(("vnodes_per_weight".to_owned(), u.int_in_range(1..=70_u8)?.to_string()));
        }
        if u.arbitrary()? {
            members.push(("fingerprint".to_owned(), format!("\"{:016X}\"", u.arbitrary::<u64>()?)));
        }
        for _ in 0..mistakes {
            spoil(u, &mut members)?;
        }
        let mut text = object(u, &members)?;
        if u.ratio(1, 8)? {
            text.insert_str(0, u.choose(BLANKS)?);
            text.push_str(u.choose(BLANKS)?);
        }
        Ok(Self(text))
    }
}

/// Changes a value or a name, says something twice, leaves something out, or moves it.
fn spoil(u: &mut Unstructured<'_>, members: &mut Members) -> arbitrary::Result<()> {
    let Some(last) = members.len().checked_sub(1) else { return Ok(()) };
    let at = u.int_in_range(0..=last)?;
    match u.int_in_range(0..=5)? {
        0 | 1 => (*u.choose(VALUES)?).clone_into(&mut members[at].1),
        2 => (*u.choose(NAMES)?).clone_into(&mut members[at].0),
        3 => members.push(members[at].clone()),
        4 => drop(members.remove(at)),
        _ => members.swap(at, 0),
    }
    Ok(())
}

fn object(u: &mut Unstructured<'_>, members: &Members) -> arbitrary::Result<String> {
    let blank = if u.ratio(1, 8)? { *u.choose(BLANKS)? } else { "" };
    let mut text = format!("{{{blank}");
    for (nth, (name, value)) in members.iter().enumerate() {
        let comma = if nth == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}\"{name}\"{blank}:{value}");
    }
    text.push('}');
    Ok(text)
}

/// A JSON string that escapes what it must, and every second letter for practice.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for (nth, c) in text.chars().enumerate() {
        if c < ' ' || c == '"' || c == '\\' || nth % 2 == 1 {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(json, "\\u{unit:04x}");
            }
        } else {
            json.push(c);
        }
    }
    json.push('"');
    json
}
