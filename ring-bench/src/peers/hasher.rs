//! The hashes that peers are given.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use ring_core::{Fnv1aFmix64, Hash64, SipHash13, Xxh3};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::subject::SECRET;

/// A hash of ours that a worker can make by itself.
pub(crate) trait OwnHash: Hash64 + Clone + 'static {
    /// Makes it.
    fn make() -> Self;
}

impl OwnHash for Fnv1aFmix64 {
    fn make() -> Self {
        Self
    }
}

impl OwnHash for Xxh3 {
    fn make() -> Self {
        Self
    }
}

impl OwnHash for SipHash13 {
    fn make() -> Self {
        Self::with_secret(SECRET)
    }
}

/// A hash that a worker can make by itself.
pub(crate) trait PeerHash: BuildHasher + Clone + 'static {
    /// Makes it.
    fn make() -> Self;
}

impl PeerHash for RandomState {
    fn make() -> Self {
        Self::new()
    }
}

impl PeerHash for BuildHasherDefault<DefaultHasher> {
    fn make() -> Self {
        Self::default()
    }
}

impl PeerHash for fnv::FnvBuildHasher {
    fn make() -> Self {
        Self::default()
    }
}

impl PeerHash for hashring::DefaultHashBuilder {
    fn make() -> Self {
        Self
    }
}

impl PeerHash for BuildHasherDefault<hrw_hash::DefaultHasher> {
    fn make() -> Self {
        Self::default()
    }
}

/// XXH3 for crates that take a [`BuildHasher`]: the one-shot function, since its streaming form takes several times as
/// long for keys this short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Xxh3Build;

impl PeerHash for Xxh3Build {
    fn make() -> Self {
        Self
    }
}

impl BuildHasher for Xxh3Build {
    type Hasher = Xxh3Hasher;

    #[inline]
    fn build_hasher(&self) -> Xxh3Hasher {
        Xxh3Hasher { state: 0 }
    }
}

/// Hashes each write in one shot, with what came before as its seed.
///
/// A text writes its bytes and then one byte that ends it. That byte is mixed in without a hash of its own: whoever
/// hashes one text would else pay for two.
#[derive(Debug, Clone)]
pub(crate) struct Xxh3Hasher {
    state: u64,
}

impl Hasher for Xxh3Hasher {
    // As for our rings: no peer pays for a call.
    #[expect(clippy::inline_always, reason = "short keys, for which the call is what costs")]
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        self.state = xxh3_64_with_seed(bytes, self.state);
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.state ^= u64::from(byte);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_costs_one_hash_and_its_end() {
        for text in ["", "a", "0123456789abcdef", &"long ".repeat(100)] {
            let expected = Xxh3.hash64(text.as_bytes()) ^ 0xff;
            assert_eq!(Xxh3Build.hash_one(text), expected);
            assert_eq!(Xxh3Build.hash_one(text), expected);
        }
    }

    #[test]
    fn fields_are_told_apart() {
        let hash = |value: (u32, u32)| Xxh3Build.hash_one(value);
        assert_ne!(hash((1, 2)), hash((2, 1)));
        assert_ne!(Xxh3Build.hash_one(("ab", "c")), Xxh3Build.hash_one(("a", "bc")));
    }
}
