//! A hash chosen while the program runs, by the name that snapshots carry.

use ring_core::{Fnv1aFmix64, Hash64, SipHash13, Xxh3};

use crate::error::BenchError;

/// One of the hashes that ship with `ring-core`.
///
/// As a [`Hash64`] it asks which one it is at every call. Where that would cost, in a loop over keys,
/// [`AnyHash::with`] chooses once and hands the concrete hash to generic code.
///
/// # Examples
///
/// ```
/// use ring_bench::hashes::AnyHash;
/// use ring_core::Hash64;
///
/// let hash = AnyHash::named("fnv1a64-fmix64", None)?;
/// assert_eq!(hash.hash64(b"user:42"), 0x9988_17be_e671_8248);
/// assert!(AnyHash::named("siphash-1-3", None).is_err());
/// # Ok::<(), ring_bench::error::BenchError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum AnyHash {
    /// `fnv1a64-fmix64`, the default.
    Fnv1aFmix64(Fnv1aFmix64),
    /// `xxh3-64`, the fast one.
    Xxh3(Xxh3),
    /// `siphash-1-3`, the keyed one.
    SipHash13(SipHash13),
}

/// Work that is compiled once for each hash; see [`AnyHash::with`].
pub trait HashTask {
    /// What the work returns.
    type Output;

    /// Does the work with `hash`.
    fn run<H: Hash64>(self, hash: H) -> Self::Output;
}

impl AnyHash {
    /// The names of all hashes, the default first.
    pub const NAMES: [&str; 3] = ["fnv1a64-fmix64", "xxh3-64", Self::KEYED];

    /// The hash that needs a secret.
    pub const KEYED: &str = "siphash-1-3";

    /// The hash of this name. `secret` is for the keyed hash alone; the others leave it unused.
    ///
    /// # Errors
    ///
    /// An unknown name; the keyed hash without a secret.
    pub fn named(name: &str, secret: Option<[u8; 16]>) -> Result<Self, BenchError> {
        match (name, secret) {
            ("fnv1a64-fmix64", _) => Ok(Self::Fnv1aFmix64(Fnv1aFmix64)),
            ("xxh3-64", _) => Ok(Self::Xxh3(Xxh3)),
            (Self::KEYED, Some(secret)) => Ok(Self::SipHash13(SipHash13::with_secret(secret))),
            (Self::KEYED, None) => Err(BenchError::usage(format!(
                "the hash {} needs a secret, given with --hash-secret-file FILE (32 hexadecimal digits)",
                Self::KEYED
            ))),
            _ => Err(BenchError::usage(format!(
                "the hash {name:?} is unknown, the hashes are {}",
                Self::NAMES.join(", ")
            ))),
        }
    }

    /// Runs `task` with the concrete hash, so that nothing is asked again in its loops.
    pub fn with<T: HashTask>(self, task: T) -> T::Output {
        match self {
            Self::Fnv1aFmix64(hash) => task.run(hash),
            Self::Xxh3(hash) => task.run(hash),
            Self::SipHash13(hash) => task.run(hash),
        }
    }
}

impl Hash64 for AnyHash {
    #[inline]
    fn hash64(&self, bytes: &[u8]) -> u64 {
        match self {
            Self::Fnv1aFmix64(hash) => hash.hash64(bytes),
            Self::Xxh3(hash) => hash.hash64(bytes),
            Self::SipHash13(hash) => hash.hash64(bytes),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Fnv1aFmix64(hash) => hash.name(),
            Self::Xxh3(hash) => hash.name(),
            Self::SipHash13(hash) => hash.name(),
        }
    }

    fn is_keyed(&self) -> bool {
        match self {
            Self::Fnv1aFmix64(hash) => hash.is_keyed(),
            Self::Xxh3(hash) => hash.is_keyed(),
            Self::SipHash13(hash) => hash.is_keyed(),
        }
    }

    fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
        match self {
            Self::Fnv1aFmix64(hash) => hash.hash_tokens(node_id, first_index, out),
            Self::Xxh3(hash) => hash.hash_tokens(node_id, first_index, out),
            Self::SipHash13(hash) => hash.hash_tokens(node_id, first_index, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NameOf;

    impl HashTask for NameOf {
        type Output = String;

        fn run<H: Hash64>(self, hash: H) -> String {
            hash.name().to_owned()
        }
    }

    #[test]
    fn every_name_gives_the_hash_of_that_name() {
        for name in AnyHash::NAMES {
            let hash = AnyHash::named(name, Some([3; 16])).expect("a listed name");
            assert_eq!(hash.name(), name);
            assert_eq!(hash.with(NameOf), name);
            assert_eq!(hash.is_keyed(), name == AnyHash::KEYED);
        }
        assert_eq!(AnyHash::NAMES[0], Fnv1aFmix64.name());
    }

    #[test]
    fn an_unknown_name_and_a_missing_secret_are_usage_errors() {
        let unknown = AnyHash::named("md5", None).expect_err("unknown");
        assert_eq!(
            unknown.to_string(),
            "the hash \"md5\" is unknown, the hashes are fnv1a64-fmix64, xxh3-64, siphash-1-3"
        );
        assert_eq!(AnyHash::named(AnyHash::KEYED, None).expect_err("no secret").exit_code(), 2);
    }
}
