//! Hashes that do not spread: what an adversary would choose, or a bad hash.

use ring_core::{Fnv1aFmix64, Hash64};

use super::hasher::OwnHash;

/// Bits that are cut off: all hashes lie in the first 2^-24 of the space, closer together than any directory looks.
const ARC: u32 = 24;

/// All tokens and all keys in one arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OneArc;

impl Hash64 for OneArc {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        Fnv1aFmix64.hash64(bytes) >> ARC
    }

    fn name(&self) -> &'static str {
        "one-arc"
    }
}

impl OwnHash for OneArc {
    fn make() -> Self {
        Self
    }
}

/// The first eight bits of a hash: 256 places for all tokens, told apart by their ids alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EightBits;

impl Hash64 for EightBits {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        Fnv1aFmix64.hash64(bytes) & 0xff00_0000_0000_0000
    }

    fn name(&self) -> &'static str {
        "eight-bits"
    }
}

impl OwnHash for EightBits {
    fn make() -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_crowd() {
        let hashes = |hash: &dyn Fn(&[u8]) -> u64| {
            let mut all: Vec<u64> = (0..5_000_u32).map(|i| hash(&i.to_le_bytes())).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let arc = hashes(&|bytes| OneArc.hash64(bytes));
        assert!(arc.len() == 5_000 && arc.iter().all(|&hash| hash < 1 << (64 - ARC)));
        assert_eq!(hashes(&|bytes| EightBits.hash64(bytes)).len(), 256);
    }
}
