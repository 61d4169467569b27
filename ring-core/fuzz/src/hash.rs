//! A hash cut to any number of bits, in any place.

use arbitrary::{Arbitrary, Unstructured};
use ring_core::{Fnv1aFmix64, Hash64, SipHash13, Xxh3};

/// One of the library's hashes, of which only some bits are left, so that tokens collide, crowd
/// into one arc, or stand at the very ends of the hash space.
///
/// It asks the inner hash for tokens in a row, as a ring does, so that the short cuts taken there
/// are tested as well.
#[derive(Clone, Debug)]
pub(crate) struct CutHash {
    inner: Inner,
    /// The bits that are left.
    mask: u64,
    /// What is flipped afterwards.
    flip: u64,
    name: String,
}

#[derive(Clone, Debug)]
enum Inner {
    Fnv(Fnv1aFmix64),
    Xxh3(Xxh3),
    Sip(SipHash13),
}

impl CutHash {
    fn cut(&self, hash: u64) -> u64 {
        (hash & self.mask) ^ self.flip
    }
}

impl Hash64 for CutHash {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        self.cut(match &self.inner {
            Inner::Fnv(hash) => hash.hash64(bytes),
            Inner::Xxh3(hash) => hash.hash64(bytes),
            Inner::Sip(hash) => hash.hash64(bytes),
        })
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_keyed(&self) -> bool {
        matches!(self.inner, Inner::Sip(_))
    }

    fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
        match &self.inner {
            Inner::Fnv(hash) => hash.hash_tokens(node_id, first_index, out),
            Inner::Xxh3(hash) => hash.hash_tokens(node_id, first_index, out),
            Inner::Sip(hash) => hash.hash_tokens(node_id, first_index, out),
        }
        for hash in out {
            *hash = self.cut(*hash);
        }
    }
}

impl<'a> Arbitrary<'a> for CutHash {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let inner = match u.int_in_range(0..=3)? {
            0 | 1 => Inner::Fnv(Fnv1aFmix64),
            2 => Inner::Xxh3(Xxh3),
            _ => Inner::Sip(SipHash13::with_secret([u.arbitrary()?; 16])),
        };
        // Few bits are what makes collisions.
        let bits: u32 =
            if u.arbitrary()? { u.int_in_range(0..=12)? } else { u.int_in_range(0..=64)? };
        let low = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        let mask = match u.int_in_range(0..=3)? {
            // All round the ring, in one arc, at both ends of each of several arcs.
            0 | 1 => low.rotate_right(bits),
            2 => low,
            _ => low.rotate_left(u.int_in_range(0..=63)?),
        };
        let flip = *u.choose(&[0, 0, u64::MAX, !mask, 1 << 63])?;
        let kind = match &inner {
            Inner::Fnv(hash) => hash.name(),
            Inner::Xxh3(hash) => hash.name(),
            Inner::Sip(hash) => hash.name(),
        };
        let name = format!("cut-{kind}-{mask:016x}-{flip:016x}");
        Ok(Self { inner, mask, flip, name })
    }
}
