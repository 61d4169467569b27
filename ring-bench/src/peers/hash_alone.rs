//! A reference kernel: the hash of the key, and nothing else. No lookup that starts from bytes can be faster.

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::{Changes, Peer};
use crate::error::BenchError;

/// A hash.
pub(crate) struct HashAlone<H>(H);

impl<H: OwnHash> Peer for HashAlone<H> {
    const CHANGES: Changes = Changes::None;
    const OWNS: bool = false;

    fn build(_: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self(H::make()))
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.hash64(key.as_bytes())
    }
}
