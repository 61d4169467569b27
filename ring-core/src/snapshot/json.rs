//! The JSON form of a snapshot, read strictly.
//!
//! The visitors are written by hand: derived ones also take an array for an object and `null` for
//! an optional member, and count on defaults that a snapshot must not have.

use core::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Snapshot;
use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::membership::DEFAULT_VNODES_PER_WEIGHT;

const FORMAT: &str = "hash-ring";
const VERSION: u32 = 1;

pub(super) fn read(json: &str) -> Result<Snapshot, RingError> {
    let malformed = |reason: String| RingError::MalformedSnapshot { reason };
    if json.starts_with('\u{feff}') {
        return Err(malformed(
            "a byte-order mark stands at line 1 column 1, but the text must begin with `{`"
                .to_owned(),
        ));
    }
    let document: Document = serde_json::from_str(json).map_err(|e| malformed(reason(&e, json)))?;
    let nodes = document.nodes.into_iter().map(|node| (node.id, node.weight)).collect();
    Snapshot::new(document.hash, document.vnodes_per_weight, nodes, document.fingerprint)
}

/// The parser's words, with a number that is no whole one as it was written: the parser knows only its value, and would
/// call `1e0` a `1.0` that stands nowhere.
fn reason(error: &serde_json::Error, json: &str) -> String {
    let words = error.to_string();
    let Some((before, rest)) = words.split_once("floating point `") else { return words };
    let Some((_, after)) = rest.split_once('`') else { return words };
    let line = json.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let until = line.as_bytes().get(..error.column()).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let length = until.iter().rev().take_while(|byte| is_part(byte)).count();
    match core::str::from_utf8(&until[until.len() - length..]) {
        Ok(number) if length > 0 => format!("{before}number `{number}`{after}"),
        _ => words,
    }
}

pub(super) fn write(snapshot: &Snapshot) -> String {
    use fmt::Write as _;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut json = format!(
        "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"hash\": {},\n  \
         \"vnodes_per_weight\": {},\n  \"nodes\": [",
        quoted(&snapshot.hash),
        snapshot.vnodes_per_weight
    );
    for (position, (id, weight)) in snapshot.nodes.iter().enumerate() {
        let separator = if position == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(json, "{separator}\n    {{ \"id\": {}, \"weight\": {weight} }}", quoted(id));
    }
    json.push_str(if snapshot.nodes.is_empty() { "]" } else { "\n  ]" });
    if let Some(fingerprint) = snapshot.fingerprint {
        let _ = write!(json, ",\n  \"fingerprint\": \"{fingerprint:016x}\"");
    }
    json.push_str("\n}\n");
    json
}

struct Document {
    hash: String,
    vnodes_per_weight: u32,
    nodes: Vec<NodeEntry>,
    fingerprint: Option<u64>,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, the snapshot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        const FIELDS: &[&str] =
            &["format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint"];
        let (mut format, mut version, mut hash) = (None, None, None);
        let (mut vnodes_per_weight, mut nodes, mut fingerprint) = (None, None, None);
        while let Some(field) = map.next_key::<String>()? {
            match field.as_str() {
                "format" => once(&mut format, "format", map.next_value_seed(Format)?)?,
                "version" => once(&mut version, "version", map.next_value_seed(Version)?)?,
                "hash" => once(&mut hash, "hash", map.next_value::<String>()?)?,
                "vnodes_per_weight" => {
                    let value = map.next_value_seed(Positive("vnodes_per_weight"))?;
                    once(&mut vnodes_per_weight, "vnodes_per_weight", value)?;
                }
                "nodes" => once(&mut nodes, "nodes", map.next_value_seed(NodeList)?)?,
                "fingerprint" => {
                    once(&mut fingerprint, "fingerprint", map.next_value_seed(Fingerprint)?)?;
                }
                unknown => return Err(de::Error::unknown_field(unknown, FIELDS)),
            }
        }
        let () = format.ok_or_else(|| de::Error::missing_field("format"))?;
        let () = version.ok_or_else(|| de::Error::missing_field("version"))?;
        Ok(Document {
            hash: hash.unwrap_or_else(|| Fnv1aFmix64.name().to_owned()),
            vnodes_per_weight: vnodes_per_weight.unwrap_or(DEFAULT_VNODES_PER_WEIGHT),
            nodes: nodes.ok_or_else(|| de::Error::missing_field("nodes"))?,
            fingerprint,
        })
    }
}

/// Sets a member that must not stand twice.
fn once<T, E: de::Error>(member: &mut Option<T>, name: &'static str, value: T) -> Result<(), E> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

struct NodeEntry {
    id: String,
    weight: u32,
}

impl<'de> Deserialize<'de> for NodeEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = NodeEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeEntry, A::Error> {
        let (mut id, mut weight) = (None, None);
        while let Some(field) = map.next_key::<String>()? {
            match field.as_str() {
                "id" => once(&mut id, "id", map.next_value::<String>()?)?,
                "weight" => once(&mut weight, "weight", map.next_value_seed(Positive("weight"))?)?,
                unknown => return Err(de::Error::unknown_field(unknown, &["id", "weight"])),
            }
        }
        Ok(NodeEntry {
            id: id.ok_or_else(|| de::Error::missing_field("id"))?,
            weight: weight.unwrap_or(1),
        })
    }
}

/// A list of nodes. It grows as nodes are read, never by what a length field might claim.
struct NodeList;

impl<'de> DeserializeSeed<'de> for NodeList {
    type Value = Vec<NodeEntry>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for NodeList {
    type Value = Vec<NodeEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element()? {
            nodes.push(node);
        }
        Ok(nodes)
    }
}

struct Format;

impl<'de> DeserializeSeed<'de> for Format {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

// Judged inside a visitor, so that the parser adds the place of this value to the error.
impl Visitor<'_> for Format {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FORMAT:?} as `format`")
    }

    fn visit_str<E: de::Error>(self, format: &str) -> Result<(), E> {
        if format == FORMAT {
            return Ok(());
        }
        Err(E::custom(format_args!("the format is {format:?}, but only {FORMAT:?} can be read")))
    }
}

struct Version;

impl<'de> DeserializeSeed<'de> for Version {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_u32(self)
    }
}

impl Visitor<'_> for Version {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Positive("version").expecting(f)
    }

    fn visit_u64<E: de::Error>(self, version: u64) -> Result<(), E> {
        if version == u64::from(VERSION) {
            return Ok(());
        }
        Err(E::custom(format_args!(
            "the version is {version}, but only version {VERSION} can be read"
        )))
    }
}

/// A whole number from 1 to `u32::MAX`, of this name.
#[derive(Clone, Copy)]
struct Positive(&'static str);

impl<'de> DeserializeSeed<'de> for Positive {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_u32(self)
    }
}

impl Visitor<'_> for Positive {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from 1 to {} as `{}`", u32::MAX, self.0)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u32, E> {
        match u32::try_from(value) {
            Ok(value @ 1..) => Ok(value),
            _ => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u32, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(de::Unexpected::Signed(value), &self)),
        }
    }
}

/// 16 hexadecimal digits of either case.
struct Fingerprint;

impl<'de> DeserializeSeed<'de> for Fingerprint {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Fingerprint {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("16 hexadecimal digits in quotes as `fingerprint`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
        if text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            if let Ok(fingerprint) = u64::from_str_radix(text, 16) {
                return Ok(fingerprint);
            }
        }
        Err(E::custom(format_args!(
            "the fingerprint is {text:?}, but a fingerprint is 16 hexadecimal digits"
        )))
    }
}
