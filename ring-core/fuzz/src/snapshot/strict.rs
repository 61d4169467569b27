//! The snapshot format by the letter, on a small JSON reader of its own: numbers stay text, and
//! members that stand twice stay two.

use std::collections::BTreeMap;

/// What a snapshot says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) hash: String,
    pub(super) vnodes_per_weight: u32,
    pub(super) nodes: BTreeMap<String, u32>,
    pub(super) fingerprint: Option<u64>,
}

/// Reads a snapshot, or says why it is none.
pub(super) fn read(json: &str) -> Result<Document, String> {
    let mut reader = Reader { rest: json };
    let value = reader.value(0)?;
    reader.skip_blanks();
    if !reader.rest.is_empty() {
        return Err("text stands after the end".to_owned());
    }

    let members = Members::of(&value)?;
    members.only(&["format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint"])?;
    if members.text("format")? != Some("hash-ring") {
        return Err("the format is another".to_owned());
    }
    if members.number("version")? != Some(1) {
        return Err("the version is another".to_owned());
    }
    let Some(Value::Array(list)) = members.get("nodes") else {
        return Err("there is no array of nodes".to_owned());
    };
    let mut nodes = BTreeMap::new();
    for node in list {
        let members = Members::of(node)?;
        members.only(&["id", "weight"])?;
        let id = members.text("id")?.ok_or("a node has no id")?;
        if nodes.insert(id.to_owned(), members.number("weight")?.unwrap_or(1)).is_some() {
            return Err(format!("{id:?} stands twice"));
        }
    }
    Ok(Document {
        hash: members.text("hash")?.unwrap_or("fnv1a64-fmix64").to_owned(),
        vnodes_per_weight: members.number("vnodes_per_weight")?.unwrap_or(100),
        nodes,
        fingerprint: members.text("fingerprint")?.map(fingerprint).transpose()?,
    })
}

fn fingerprint(text: &str) -> Result<u64, String> {
    let digits = text.len() == 16 && text.chars().all(|c| c.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(fingerprint) if digits => Ok(fingerprint),
        _ => Err(format!("{text:?} is no fingerprint")),
    }
}

enum Value {
    /// `null`, `true` or `false`, which stand nowhere in a snapshot.
    Word,
    Number(String),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// The members of an object, each of which stands once.
struct Members<'a>(BTreeMap<&'a str, &'a Value>);

impl<'a> Members<'a> {
    fn of(value: &'a Value) -> Result<Self, String> {
        let Value::Object(list) = value else { return Err("this is no object".to_owned()) };
        let mut members = BTreeMap::new();
        for (name, value) in list {
            if members.insert(name.as_str(), value).is_some() {
                return Err(format!("the member {name:?} stands twice"));
            }
        }
        Ok(Self(members))
    }

    fn only(&self, known: &[&str]) -> Result<(), String> {
        match self.0.keys().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(format!("nobody knows the member {name:?}")),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).copied()
    }

    fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("{name:?} is no text")),
        }
    }

    /// A whole number from 1 to `u32::MAX`, written with digits alone.
    fn number(&self, name: &str) -> Result<Option<u32>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                match text.parse::<u32>() {
                    Ok(number @ 1..) => Ok(Some(number)),
                    _ => Err(format!("{name:?} is out of range")),
                }
            }
            Some(_) => Err(format!("{name:?} is no whole number")),
        }
    }
}

/// Reads JSON from the front.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// No snapshot is nested deeper than three levels.
    const DEEPEST: usize = 32;

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > Self::DEEPEST {
            return Err("it is nested too deep".to_owned());
        }
        self.skip_blanks();
        match self.rest.chars().next() {
            Some('{') => {
                let mut members = Vec::new();
                self.list('{', '}', |reader| {
                    reader.skip_blanks();
                    let name = reader.text()?;
                    reader.skip_blanks();
                    reader.expect(":")?;
                    members.push((name, reader.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Value::Object(members))
            }
            Some('[') => {
                let mut values = Vec::new();
                self.list('[', ']', |reader| {
                    values.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Value::Array(values))
            }
            Some('"') => self.text().map(Value::Text),
            Some('-' | '0'..='9') => self.number().map(Value::Number),
            _ => {
                for word in ["null", "true", "false"] {
                    if self.expect(word).is_ok() {
                        return Ok(Value::Word);
                    }
                }
                Err("no value stands here".to_owned())
            }
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        self.rest = self.rest.strip_prefix(text).ok_or_else(|| format!("{text:?} is missing"))?;
        Ok(())
    }

    fn list(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.expect(open.encode_utf8(&mut [0; 4]))?;
        let close = close.to_string();
        self.skip_blanks();
        if self.expect(&close).is_ok() {
            return Ok(());
        }
        loop {
            item(self)?;
            self.skip_blanks();
            if self.expect(&close).is_ok() {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    /// The text of a number: `-`, a whole part without leading zeros, a fraction, an exponent.
    fn number(&mut self) -> Result<String, String> {
        let whole = self.rest;
        let _ = self.expect("-");
        match self.digits() {
            0 => return Err("a number has no digits".to_owned()),
            1 => {}
            _ if whole.trim_start_matches('-').starts_with('0') => {
                return Err("a number starts with 0".to_owned());
            }
            _ => {}
        }
        if self.expect(".").is_ok() && self.digits() == 0 {
            return Err("a fraction has no digits".to_owned());
        }
        if self.expect("e").is_ok() || self.expect("E").is_ok() {
            let _ = self.expect("-").or_else(|_| self.expect("+"));
            if self.digits() == 0 {
                return Err("an exponent has no digits".to_owned());
            }
        }
        Ok(whole[..whole.len() - self.rest.len()].to_owned())
    }

    fn digits(&mut self) -> usize {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.rest.len() - rest.len();
        self.rest = rest;
        digits
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                '\0'..='\u{1f}' => return Err("a text holds a control character".to_owned()),
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.next()? {
            plain @ ('"' | '\\' | '/') => plain,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let mut units = vec![self.unit()?];
                if (0xd800..0xdc00).contains(&units[0]) {
                    self.expect("\\u")?;
                    units.push(self.unit()?);
                }
                String::from_utf16(&units)
                    .ok()
                    .and_then(|text| text.chars().next())
                    .ok_or("a surrogate stands alone")?
            }
            other => return Err(format!("{other:?} is no escape")),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, String> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.next()?.to_digit(16).ok_or("an escape has no four digits")?;
            unit = unit << 4 | u16::try_from(digit).map_err(|error| error.to_string())?;
        }
        Ok(unit)
    }

    fn next(&mut self) -> Result<char, String> {
        let next = self.rest.chars().next().ok_or("the text ends too early")?;
        self.rest = &self.rest[next.len_utf8()..];
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_strict_reader_takes_and_refuses_what_it_should() {
        let plain = r#"{"format":"hash-ring","version":1,"nodes":[{"id":"a","weight":2}]}"#;
        assert!(read(plain).is_ok());
        assert!(read(&plain.replace("\"a\"", r#""\ud83d\ude00\/""#)).is_ok());
        assert!(read(&plain.replace('2', "4294967295")).is_ok());
        for (from, to) in [
            ("1,", "1.0,"),
            ("1,", "1e0,"),
            ("1,", "01,"),
            ("1,", "-1,"),
            ("2", "0"),
            ("2", "4294967296"),
            ("2", "null"),
            ("2", "2,\"weight\":2"),
            ("2", "2,\"x\":2"),
            ("}]", "},{\"id\":\"a\"}]"),
            ("}]", "},]"),
            ("\"a\"", r#""\ud83d""#),
            ("\"a\"", r#""\ud83dA""#),
            ("\"a\"", "\"\n\""),
            ("]}", "],\"fingerprint\":\"+123456789abcdef\"}"),
            ("]}", "]} x"),
            ("{\"format", "\u{feff}{\"format"),
        ] {
            let broken = plain.replacen(from, to, 1);
            assert_ne!(broken, plain);
            assert!(read(&broken).is_err(), "{broken}");
        }
    }
}
