//! [`Hash64`], and the three hashes that ship with it.
//!
//! | hash | name in snapshots | for |
//! |---|---|---|
//! | [`Fnv1aFmix64`] | `fnv1a64-fmix64` | the default: a dozen lines in any language |
//! | [`Xxh3`] | `xxh3-64` | speed: the shortest time per key |
//! | [`SipHash13`] | `siphash-1-3` | keys or node ids that an adversary may choose |
//!
//! A ring is only as even as its hash. The hash has to spread *similar* inputs (`node-1#7`,
//! `node-1#8`) over all 64 bits, because ring order looks at the top bits first. Plain FNV-1a does
//! not: the last bytes of its input hardly reach the top bits, so that the tokens of a node stand
//! in clumps. The finaliser `fmix64` mends that; it cannot mend collisions, since it maps equal
//! states to equal hashes. Collisions of FNV-1a can be made at will, so use [`SipHash13`] where
//! somebody hostile chooses what is hashed.

/// A deterministic hash from bytes to 64 bits, with a stable name.
///
/// The same bytes must give the same hash in every process, on every machine, for ever: placement
/// follows from it. [`std::hash::Hasher`]s make no such promise, which is why this is a trait of
/// its own. A ring never stores hashes of keys, but it stores the hashes of its tokens, and it
/// computes them again to find the tokens of a node that leaves. A hash that gives another answer
/// the second time breaks the ring's invariants (never memory safety, and no lookup panics).
///
/// # Examples
///
/// A hash of your own: CRC-like toys are fine for tests, never for balance.
///
/// ```
/// use ring_core::Hash64;
///
/// #[derive(Clone, Debug)]
/// struct FirstByte;
///
/// impl Hash64 for FirstByte {
///     fn hash64(&self, bytes: &[u8]) -> u64 {
///         u64::from(bytes.first().copied().unwrap_or(0)) << 56
///     }
///     fn name(&self) -> &str {
///         "example-first-byte"
///     }
/// }
/// assert_eq!(FirstByte.hash64(b"\x01x"), 1 << 56);
/// ```
pub trait Hash64 {
    /// Hashes `bytes`, which may be empty.
    fn hash64(&self, bytes: &[u8]) -> u64;

    /// The name that snapshots carry. Two hashes of one name must agree on every input, but for
    /// the secret of a keyed hash. Names are compared byte for byte.
    fn name(&self) -> &str;

    /// Whether the hash depends on a secret that no snapshot carries. A ring under a keyed hash
    /// loads only from a snapshot with a fingerprint, since nothing else tells whether the secret
    /// is the same.
    fn is_keyed(&self) -> bool {
        false
    }

    /// Writes the hashes of `out.len()` tokens of one node in a row: `out[k]` becomes the hash of
    /// the bytes `node_id + "#" + (first_index + k)`.
    ///
    /// The provided method hashes each token id from its start. A hash that works byte after byte
    /// can keep its state after `node_id + "#"` instead; the answers must be the same. Callers
    /// keep `first_index + out.len()` within `u32::MAX + 1`.
    fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
        let mut token_id = Vec::with_capacity(node_id.len() + 1 + Decimal::MAX_DIGITS);
        token_id.extend_from_slice(node_id.as_bytes());
        token_id.push(b'#');
        let prefix = token_id.len();
        token_id.extend_from_slice(Decimal::new(first_index).digits());
        for hash in out {
            *hash = self.hash64(&token_id);
            // Nearly always only the last digit changes.
            if !increment(&mut token_id[prefix..]) {
                token_id.insert(prefix, b'1');
            }
        }
    }
}

/// Hashes through what points to a hash, so that a hash can be chosen at run time.
macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<T: Hash64 + ?Sized> Hash64 for $pointer {
            fn hash64(&self, bytes: &[u8]) -> u64 {
                (**self).hash64(bytes)
            }
            fn name(&self) -> &str {
                (**self).name()
            }
            fn is_keyed(&self) -> bool {
                (**self).is_keyed()
            }
            fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
                (**self).hash_tokens(node_id, first_index, out);
            }
        }
    )*};
}

through!(&T, Box<T>, std::sync::Arc<T>);

/// Whether two hashes place alike: the same name, and the same answers on a few probes, which
/// tells keyed hashes with different secrets apart (and impostors that borrow a name).
///
/// Four probes of 64 bits: two different secrets pass by accident once in 2^256 tries.
pub fn same_hash<A: Hash64 + ?Sized, B: Hash64 + ?Sized>(a: &A, b: &B) -> bool {
    const PROBES: [&[u8]; 4] = [b"", b"node#0", b"hash-ring probe", b"\x00\xff\x80"];
    a.name() == b.name() && PROBES.iter().all(|p| a.hash64(p) == b.hash64(p))
}

/// The default hash: 64-bit FNV-1a, then the finaliser `fmix64` of `MurmurHash3`.
///
/// FNV-1a is by Fowler, Noll and Vo (offset basis `CBF29CE484222325`, prime `100000001B3`);
/// `fmix64` is by Austin Appleby. Simple enough for any language, and even on short similar ids.
/// Not for input that an adversary chooses: `node-b60q8m41dwp` and `node-ryw353ea3uk` leave FNV-1a
/// in the same state, so that two nodes of these names collide on every token.
///
/// # Complexity
///
/// O(length), one multiplication a byte, each waiting for the one before.
///
/// # Examples
///
/// ```
/// use ring_core::{Fnv1aFmix64, Hash64};
///
/// assert_eq!(Fnv1aFmix64.hash64(b""), 0xefd0_1f60_ba99_2926);
/// assert_eq!(Fnv1aFmix64.hash64("user:42".as_bytes()), 0x9988_17be_e671_8248);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv1aFmix64;

impl Hash64 for Fnv1aFmix64 {
    #[inline]
    fn hash64(&self, bytes: &[u8]) -> u64 {
        FnvState::new().write(bytes).finish()
    }

    fn name(&self) -> &'static str {
        "fnv1a64-fmix64"
    }

    fn hash_tokens(&self, node_id: &str, first_index: u32, out: &mut [u64]) {
        let after_prefix = FnvState::new().write(node_id.as_bytes()).write(b"#");
        let mut index = Decimal::new(first_index);
        // The state before the last digit serves up to ten tokens in a row.
        let mut before_last = None;
        for hash in out {
            let digits = index.digits();
            let (leading, last) = digits.split_at(digits.len() - 1);
            let state = match before_last {
                Some(state) if last != b"0" => state,
                _ => after_prefix.write(leading),
            };
            before_last = Some(state);
            *hash = state.write(last).finish();
            index.increment();
        }
    }
}

/// A 64-bit FNV-1a state on its way, for input that comes in pieces.
#[derive(Clone, Copy)]
pub(crate) struct FnvState(u64);

impl FnvState {
    const PRIME: u64 = 0x0100_0000_01b3;

    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    #[inline]
    pub(crate) fn write(self, bytes: &[u8]) -> Self {
        let step = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(Self::PRIME);
        // Eight bytes without a loop around them. It would cost as much as what it repeats.
        let eights = bytes.chunks_exact(8);
        let rest = eights.remainder();
        let state = eights.fold(self.0, |state, eight| match eight.first_chunk::<8>() {
            Some(eight) => eight.iter().fold(state, step),
            None => state,
        });
        Self(rest.iter().fold(state, step))
    }

    /// `fmix64` of the state: the default hash of all that was written.
    #[inline]
    pub(crate) fn finish(self) -> u64 {
        let mut h = self.0;
        h ^= h >> 33;
        h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^= h >> 33;
        h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 33)
    }
}

/// A `u32` in plain decimal on the stack: the digits of a token's index.
#[derive(Clone, Copy)]
pub(crate) struct Decimal {
    buffer: [u8; Self::MAX_DIGITS],
    start: usize,
}

impl Decimal {
    /// Digits of `u32::MAX`.
    pub(crate) const MAX_DIGITS: usize = 10;

    pub(crate) fn new(mut value: u32) -> Self {
        const DIGITS: &[u8; 10] = b"0123456789";
        let mut buffer = [b'0'; Self::MAX_DIGITS];
        let mut start = Self::MAX_DIGITS;
        loop {
            start -= 1;
            buffer[start] = DIGITS[(value % 10) as usize];
            value /= 10;
            if value == 0 {
                return Self { buffer, start };
            }
        }
    }

    pub(crate) fn digits(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Adds one. Past ten digits it goes on with other ten digits; no index is that large.
    fn increment(&mut self) {
        if !increment(&mut self.buffer[self.start..]) {
            self.start = self.start.saturating_sub(1);
            self.buffer[self.start] = b'1';
        }
    }
}

/// Adds one to a number in decimal digits. `false` where it has no room for one digit more; then
/// all are zeros.
fn increment(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return true;
        }
        *digit = b'0';
    }
    false
}

/// XXH3, 64 bits, seed 0, by Yann Collet: the fastest of the three. Not keyed.
///
/// # Examples
///
/// ```
/// use ring_core::{Hash64, Xxh3};
///
/// assert_eq!(Xxh3.hash64(b""), 0x2d06_8005_38d3_94c2);
/// ```
#[cfg(feature = "xxh3")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xxh3;

#[cfg(feature = "xxh3")]
impl Hash64 for Xxh3 {
    // Left to itself, the compiler finds it too large in a large program, and calls it.
    #[expect(clippy::inline_always, reason = "short keys, for which the call is what costs")]
    #[inline(always)]
    fn hash64(&self, bytes: &[u8]) -> u64 {
        xxhash_rust::xxh3::xxh3_64(bytes)
    }

    fn name(&self) -> &'static str {
        "xxh3-64"
    }
}

/// SipHash-1-3 under a 128-bit secret, by Aumasson and Bernstein: for keys and node ids that an
/// adversary may choose.
///
/// Whoever does not know the secret can neither aim keys at one node nor make two nodes collide.
/// The secret is never written into a snapshot and never printed; every process that routes has
/// to be given the same one. There is no default secret on purpose.
///
/// # Examples
///
/// ```
/// use ring_core::{Hash64, SipHash13};
///
/// let hash = SipHash13::with_secret([7; 16]);
/// assert_ne!(hash.hash64(b"a"), SipHash13::with_secret([8; 16]).hash64(b"a"));
/// assert_eq!(format!("{hash:?}"), "SipHash13 { secret: <redacted> }");
/// ```
#[cfg(feature = "siphash")]
#[derive(Clone, Copy)]
pub struct SipHash13 {
    keyed: siphasher::sip::SipHasher13,
}

#[cfg(feature = "siphash")]
impl SipHash13 {
    /// The hash under `secret`: its first eight bytes are k0, the last eight k1, little-endian.
    #[must_use]
    pub fn with_secret(secret: [u8; 16]) -> Self {
        Self { keyed: siphasher::sip::SipHasher13::new_with_key(&secret) }
    }
}

#[cfg(feature = "siphash")]
impl core::fmt::Debug for SipHash13 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("SipHash13 { secret: <redacted> }")
    }
}

#[cfg(feature = "siphash")]
impl Hash64 for SipHash13 {
    #[inline]
    fn hash64(&self, bytes: &[u8]) -> u64 {
        self.keyed.hash(bytes)
    }

    fn name(&self) -> &'static str {
        "siphash-1-3"
    }

    fn is_keyed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_count_like_formatting() {
        for start in [0, 7, 98, 995, 4_294_967_200] {
            let mut decimal = Decimal::new(start);
            for value in start..start.saturating_add(95) {
                assert_eq!(decimal.digits(), value.to_string().as_bytes());
                decimal.increment();
            }
        }
    }

    #[test]
    fn hashing_tokens_in_a_row_equals_hashing_each() {
        fn row<H: Hash64>(hash: &H) {
            for (id, first) in
                [("", 0), ("a", 5), ("node#1", 95), ("키", 9_990), ("x", u32::MAX - 20)]
            {
                let mut out = [0; 21];
                hash.hash_tokens(id, first, &mut out);
                for (&got, index) in out.iter().zip(first..=u32::MAX) {
                    assert_eq!(
                        got,
                        hash.hash64(format!("{id}#{index}").as_bytes()),
                        "{id}#{index}"
                    );
                }
            }
        }
        row(&Fnv1aFmix64);
        #[cfg(feature = "xxh3")]
        row(&Xxh3);
        #[cfg(feature = "siphash")]
        row(&SipHash13::with_secret([1; 16]));
    }

    #[test]
    fn check_values_of_the_default_hash() {
        for (input, hash) in [
            ("", 0xefd0_1f60_ba99_2926),
            ("a", 0x82a2_a958_a9be_ce5b),
            ("node#1", 0x37bd_0958_09cb_d0c0),
            ("키", 0xa94c_ee1b_288b_abca),
            ("user:42", 0x9988_17be_e671_8248),
        ] {
            assert_eq!(Fnv1aFmix64.hash64(input.as_bytes()), hash, "{input:?}");
        }
    }
}
