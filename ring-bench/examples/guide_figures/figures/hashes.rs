//! Hashes that a ring should not be built on, to show why.

use ring_core::{Hash64, HashRing, Ring as _, RingError};
use ring_sortedvec::SortedVecStore;

/// 64-bit FNV-1a without a finaliser: the last bytes of the input hardly reach the top bits.
#[derive(Clone, Copy)]
pub(super) struct PlainFnv1a;

impl Hash64 for PlainFnv1a {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, &byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    fn name(&self) -> &'static str {
        "example-fnv1a64"
    }
}

/// The string hash of Java, `31 × h + character` in 32 bits, at the top of 64: the same in every process, and
/// uneven.
#[derive(Clone, Copy)]
pub(super) struct JavaString;

impl Hash64 for JavaString {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        let hash = bytes
            .iter()
            .fold(0_u32, |hash, &byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
        u64::from(hash) << 32
    }

    fn name(&self) -> &'static str {
        "example-java-string"
    }
}

/// A ring of `node-0`, `node-1`, … of weight 1 under `hash`.
pub(super) fn numbered_nodes<H: Hash64>(
    hash: H,
    nodes: u32,
    vnodes: u32,
) -> Result<HashRing<SortedVecStore, H>, RingError> {
    let mut ring = HashRing::with_hash(vnodes, hash)?;
    let adds: Vec<ring_core::Change> =
        (0..nodes).map(|node| ring_core::Change::add(format!("node-{node}"), 1)).collect();
    ring.apply(&adds)?;
    Ok(ring)
}
