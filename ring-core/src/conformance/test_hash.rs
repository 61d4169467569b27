//! [`TestHash`]: one hash that a test can shape as it runs.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::hash::{Fnv1aFmix64, Hash64};

/// A hash chosen at run time, so that one type of ring serves every test.
///
/// Accidental collisions of 64-bit hashes are far too rare to be tested as they come. Cut short,
/// the default hash collides all the time and still looks like a hash; a table puts tokens and keys
/// exactly where a test wants them.
///
/// # Examples
///
/// ```
/// use ring_core::Hash64;
/// use ring_core::conformance::TestHash;
///
/// assert_eq!(TestHash::cut(8).hash64(b"a"), 0x8200_0000_0000_0000);
/// assert_eq!(TestHash::cut_low(8).hash64(b"a"), 0x5b);
/// assert_eq!(TestHash::constant(7).hash64(b"a"), 7);
/// assert_eq!(TestHash::table([("a#0", 1)]).hash64(b"a#0"), 1);
/// ```
#[derive(Clone)]
pub struct TestHash {
    name: String,
    form: Form,
}

#[derive(Clone)]
enum Form {
    /// The default hash, and only these bits of it.
    Masked(u64),
    Constant(u64),
    /// Values for exact inputs, the default hash for all others.
    Table(Arc<BTreeMap<Vec<u8>, u64>>),
    /// The default hash, which panics on inputs that start so while the switch is on.
    Panicking {
        prefix: Vec<u8>,
        armed: Arc<AtomicBool>,
    },
    /// Another answer each time.
    Fickle(Arc<AtomicU64>),
}

impl TestHash {
    fn of(form: Form, name: String) -> Self {
        Self { name, form }
    }

    /// The default hash in full.
    #[must_use]
    pub fn full() -> Self {
        Self::masked(u64::MAX)
    }

    /// The default hash, bits outside of `mask` zero.
    #[must_use]
    pub fn masked(mask: u64) -> Self {
        Self::of(Form::Masked(mask), format!("test-mask-{mask:016x}"))
    }

    /// The `bits` highest bits of the default hash, the others zero: the tokens stand at
    /// 2^`bits` places all round the ring. 0 gives 0 always, 64 and more the full hash.
    #[must_use]
    pub fn cut(bits: u32) -> Self {
        let dropped = 64_u32.saturating_sub(bits);
        Self::masked(u64::MAX.checked_shl(dropped).unwrap_or(0))
    }

    /// The `bits` lowest bits of the default hash: all tokens stand in one short arc.
    #[must_use]
    pub fn cut_low(bits: u32) -> Self {
        let dropped = 64_u32.saturating_sub(bits);
        Self::masked(u64::MAX.checked_shr(dropped).unwrap_or(0))
    }

    /// The same hash for every input.
    #[must_use]
    pub fn constant(hash: u64) -> Self {
        Self::of(Form::Constant(hash), format!("test-constant-{hash:016x}"))
    }

    /// These hashes for these inputs (token ids and keys), and the default hash for all others.
    #[must_use]
    pub fn table<T: AsRef<[u8]>>(hashes: impl IntoIterator<Item = (T, u64)>) -> Self {
        let table: BTreeMap<Vec<u8>, u64> =
            hashes.into_iter().map(|(input, hash)| (input.as_ref().to_vec(), hash)).collect();
        // Hashes of one name have to agree, so the name says what the table holds.
        let digest = Fnv1aFmix64.hash64(format!("{table:?}").as_bytes());
        Self::of(Form::Table(Arc::new(table)), format!("test-table-{digest:016x}"))
    }

    /// The default hash, until [`arm`](Self::arm) makes it panic on inputs that start with
    /// `prefix`.
    #[must_use]
    pub fn panicking(prefix: &str) -> Self {
        let form = Form::Panicking { prefix: prefix.as_bytes().to_vec(), armed: Arc::default() };
        Self::of(form, "test-panicking".to_owned())
    }

    /// Makes a [`panicking`](Self::panicking) hash and its clones panic from now on, or no longer.
    /// Other hashes take no notice.
    pub fn arm(&self, on: bool) {
        if let Form::Panicking { armed, .. } = &self.form {
            armed.store(on, Ordering::SeqCst);
        }
    }

    /// A hash that breaks its contract: each call gives another answer.
    #[must_use]
    pub fn fickle() -> Self {
        Self::of(Form::Fickle(Arc::default()), "test-fickle".to_owned())
    }
}

impl Hash64 for TestHash {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        match &self.form {
            Form::Masked(mask) => Fnv1aFmix64.hash64(bytes) & mask,
            Form::Constant(hash) => *hash,
            Form::Table(table) => {
                table.get(bytes).copied().unwrap_or_else(|| Fnv1aFmix64.hash64(bytes))
            }
            Form::Panicking { prefix, armed } => {
                assert!(
                    !(armed.load(Ordering::SeqCst) && bytes.starts_with(prefix)),
                    "the test's hash panics, as it was told to"
                );
                Fnv1aFmix64.hash64(bytes)
            }
            Form::Fickle(calls) => {
                // A few bits, so that places meet by chance.
                let call = calls.fetch_add(1, Ordering::SeqCst);
                Fnv1aFmix64.hash64(&call.to_le_bytes()) & 0xff00_0000_0000_0000
            }
        }
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for TestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TestHash").field(&self.name).finish()
    }
}
