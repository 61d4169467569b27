//! Reading the golden vectors in `testdata/`. What the files hold stands in `testdata/README.md`.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::backend::Backend;
use crate::hash::{Fnv1aFmix64, Hash64, SipHash13, Xxh3};
use crate::membership::Change;
use crate::ring::Ring;

/// The text of a file in `testdata/`.
///
/// # Panics
///
/// Where the file cannot be read: then the sources are not complete.
#[must_use]
pub fn text(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(file);
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("the golden vectors {file} cannot be read: {error}"))
}

/// The vectors of one file in `testdata/`.
///
/// # Panics
///
/// Where the file is missing or no JSON.
#[must_use]
pub fn read(file: &str) -> Value {
    serde_json::from_str(&text(file)).unwrap_or_else(|error| panic!("{file} is no JSON: {error}"))
}

/// A JSON object, of whose members only known ones may be there: one that a reader does not know
/// would otherwise be skipped, and with it what it says.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    members: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// `value` as an object with no members but `known` ones.
    ///
    /// # Panics
    ///
    /// Where it is another value or has another member.
    #[must_use]
    pub fn of(value: &'a Value, known: &[&str]) -> Self {
        let Some(members) = value.as_object() else { panic!("{value} is no object") };
        if let Some(other) = members.keys().find(|name| !known.contains(&name.as_str())) {
            panic!("this reader does not know the member {other:?}; it knows {known:?}");
        }
        Self { members }
    }

    /// The member, where it is there.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// The member.
    ///
    /// # Panics
    ///
    /// Where it is missing.
    #[must_use]
    pub fn value(&self, name: &str) -> &'a Value {
        self.optional(name).unwrap_or_else(|| panic!("the member {name:?} is missing"))
    }

    /// A member that is text.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn text(&self, name: &str) -> &'a str {
        string(self.value(name))
    }

    /// A member that is a list.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn list(&self, name: &str) -> &'a [Value] {
        list(self.value(name))
    }

    /// A member that is a whole number below 2^32.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn number(&self, name: &str) -> u32 {
        number(self.value(name))
    }

    /// A member that is a count.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn count(&self, name: &str) -> usize {
        let count = self.value(name).as_u64().and_then(|count| usize::try_from(count).ok());
        count.unwrap_or_else(|| panic!("{name:?} is no count"))
    }

    /// A member that is a count of hashes: a decimal number as text.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn hashes(&self, name: &str) -> u128 {
        self.text(name).parse().unwrap_or_else(|_| panic!("{name:?} is no count of hashes"))
    }

    /// A member that is a hash.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn hash(&self, name: &str) -> u64 {
        hash(self.value(name))
    }

    /// A member that is bytes in hex.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let hex = self.text(name);
        let pairs = (0..hex.len()).step_by(2).map(|at| hex.get(at..at + 2));
        let bytes: Option<Vec<u8>> = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
        bytes.unwrap_or_else(|| panic!("{name:?} is no bytes in hex: {hex:?}"))
    }

    /// A key: `key` as text or `key_hex` as bytes.
    ///
    /// # Panics
    ///
    /// Where neither or both are there.
    #[must_use]
    pub fn key(&self) -> Vec<u8> {
        match (self.optional("key"), self.optional("key_hex")) {
            (Some(key), None) => string(key).as_bytes().to_vec(),
            (None, Some(_)) => self.bytes("key_hex"),
            _ => panic!("exactly one of key and key_hex is due"),
        }
    }

    /// The hash that a ring or a loader names, with its secret.
    ///
    /// # Panics
    ///
    /// Where the name is unknown, or a secret is there or missing against the rules.
    #[must_use]
    pub fn golden_hash(&self) -> GoldenHash {
        let name = self.optional("hash").map_or("fnv1a64-fmix64", string);
        match (name, self.optional("secret_hex")) {
            ("fnv1a64-fmix64", None) => GoldenHash::Default(Fnv1aFmix64),
            ("xxh3-64", None) => GoldenHash::Xxh3(Xxh3),
            ("siphash-1-3", Some(_)) => {
                let secret = <[u8; 16]>::try_from(self.bytes("secret_hex"));
                GoldenHash::SipHash(SipHash13::with_secret(secret.expect("a secret is 16 bytes")))
            }
            (other, _) => panic!("{other:?} is no hash, or its secret is wrong"),
        }
    }
}

/// A value that is text.
///
/// # Panics
///
/// Where it is not.
#[must_use]
pub fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// A value that is a list.
///
/// # Panics
///
/// Where it is not, or where it has nothing in it at the top of a file.
#[must_use]
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// A value that is a whole number below 2^32.
///
/// # Panics
///
/// Where it is not.
#[must_use]
pub fn number(value: &Value) -> u32 {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.unwrap_or_else(|| panic!("{value} is no whole number below 2^32"))
}

/// A value that is a hash: 16 lower-case hex digits.
///
/// # Panics
///
/// Where it is not.
#[must_use]
pub fn hash(value: &Value) -> u64 {
    let text = string(value);
    let parsed = u64::from_str_radix(text, 16).ok();
    let parsed = parsed.filter(|hash| format!("{hash:016x}") == text);
    parsed.unwrap_or_else(|| panic!("{text:?} is no hash"))
}

/// Ids in a list.
///
/// # Panics
///
/// Where it is no list of text.
#[must_use]
pub fn ids(value: &Value) -> Vec<&str> {
    list(value).iter().map(string).collect()
}

/// The hash of a golden ring, chosen as the file is read.
#[derive(Clone, Copy, Debug)]
pub enum GoldenHash {
    /// The default hash.
    Default(Fnv1aFmix64),
    /// XXH3.
    Xxh3(Xxh3),
    /// SipHash-1-3 under the vector's secret.
    SipHash(SipHash13),
}

impl GoldenHash {
    fn inner(&self) -> &dyn Hash64 {
        match self {
            Self::Default(hash) => hash,
            Self::Xxh3(hash) => hash,
            Self::SipHash(hash) => hash,
        }
    }
}

impl Hash64 for GoldenHash {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        self.inner().hash64(bytes)
    }
    fn name(&self) -> &str {
        self.inner().name()
    }
    fn is_keyed(&self) -> bool {
        self.inner().is_keyed()
    }
    fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
        self.inner().hash_tokens(node_id, first_index, out);
    }
}

/// The parts of a golden ring.
#[derive(Debug)]
pub struct GoldenRing<'a> {
    /// Its hash.
    pub hash: GoldenHash,
    /// V.
    pub vnodes_per_weight: u32,
    /// Ids and weights, in the order to add them.
    pub nodes: Vec<(&'a str, u32)>,
}

impl<'a> GoldenRing<'a> {
    /// Reads a ring of the files.
    ///
    /// # Panics
    ///
    /// Where it is none.
    #[must_use]
    pub fn of(value: &'a Value) -> Self {
        let ring = Members::of(value, &["hash", "secret_hex", "vnodes_per_weight", "nodes"]);
        let nodes = ring.list("nodes").iter().map(|node| {
            let node = Members::of(node, &["id", "weight"]);
            (node.text("id"), node.number("weight"))
        });
        Self {
            hash: ring.golden_hash(),
            vnodes_per_weight: ring.number("vnodes_per_weight"),
            nodes: nodes.collect(),
        }
    }

    /// The ring under its own hash: added one by one where there are few nodes, as one batch
    /// otherwise.
    ///
    /// # Panics
    ///
    /// Where the backend refuses it.
    pub fn build<B: Backend>(&self, backend: &B) -> B::Ring<GoldenHash> {
        let mut ring = backend
            .empty_with_hash(self.vnodes_per_weight, self.hash)
            .expect("a golden ring has a V above 0");
        if self.nodes.len() <= 12 {
            for (id, weight) in &self.nodes {
                assert_eq!(ring.add_node(id, *weight), Ok(()), "adding {id:?}");
            }
        } else {
            let adds: Vec<Change> =
                self.nodes.iter().map(|&(id, weight)| Change::add(id, weight)).collect();
            assert_eq!(ring.apply(&adds), Ok(()));
        }
        ring
    }
}
