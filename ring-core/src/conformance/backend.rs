//! What the suite needs of a backend, and the macro that gives it.

use core::fmt::Debug;

use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::ring::Ring;
use crate::snapshot::Snapshot;

/// A hash that the suite can put into a backend's ring.
pub trait SuiteHash: Hash64 + Clone + Debug + Send + Sync + 'static {}

impl<H: Hash64 + Clone + Debug + Send + Sync + 'static> SuiteHash for H {}

/// A kind of ring, as the suite makes rings of it.
///
/// [`conformance_tests!`](crate::conformance_tests) implements it for a ring type; rings that are
/// broken on purpose implement it by hand.
pub trait Backend: Sync {
    /// The ring under the hash `H`.
    type Ring<H: SuiteHash>: Ring<Hash = H> + Clone + Debug + PartialEq + Send + Sync + 'static;

    /// `new`: an empty ring under the default hash.
    ///
    /// # Errors
    ///
    /// Those of the ring's constructor.
    fn empty(&self, vnodes_per_weight: u32) -> Result<Self::Ring<Fnv1aFmix64>, RingError>;

    /// `with_hash`: an empty ring.
    ///
    /// # Errors
    ///
    /// Those of the ring's constructor.
    fn empty_with_hash<H: SuiteHash>(
        &self,
        vnodes_per_weight: u32,
        hasher: H,
    ) -> Result<Self::Ring<H>, RingError>;

    /// `from_snapshot`: a ring under the default hash.
    ///
    /// # Errors
    ///
    /// Those of the ring's constructor.
    fn load(&self, snapshot: &Snapshot) -> Result<Self::Ring<Fnv1aFmix64>, RingError>;

    /// `from_snapshot_with_hash`.
    ///
    /// # Errors
    ///
    /// Those of the ring's constructor.
    fn load_with_hash<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
    ) -> Result<Self::Ring<H>, RingError>;

    /// `from_snapshot_within`: a ring with a token limit of the caller's.
    ///
    /// # Errors
    ///
    /// Those of the ring's constructor.
    fn load_within<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<Self::Ring<H>, RingError>;
}

/// Runs the suite on a ring type: one `#[test]` for each case.
///
/// The argument is the name of a type with one parameter, the hash, and the constructors `new`,
/// `with_hash`, `from_snapshot`, `from_snapshot_with_hash` and `from_snapshot_within`. One line in
/// `tests/conformance.rs` is all that a backend needs.
///
/// # Examples
///
/// ```
/// use ring_core::conformance::ReferenceRing;
///
/// ring_core::conformance_tests!(ReferenceRing);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! conformance_tests {
    ($ring:ident) => {
        $crate::__conformance_backend!($ring, ConformanceSubject);
        $crate::__conformance_cases!(ConformanceSubject, $crate::__conformance_test_each);
    };
}

/// Implements `Backend` for a ring type, as a unit struct of the second name.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_backend {
    ($ring:ident, $subject:ident) => {
        struct $subject;

        impl $crate::conformance::Backend for $subject {
            type Ring<H: $crate::conformance::SuiteHash> = $ring<H>;

            fn empty(
                &self,
                vnodes_per_weight: u32,
            ) -> Result<Self::Ring<$crate::Fnv1aFmix64>, $crate::RingError> {
                $ring::new(vnodes_per_weight)
            }

            fn empty_with_hash<H: $crate::conformance::SuiteHash>(
                &self,
                vnodes_per_weight: u32,
                hasher: H,
            ) -> Result<Self::Ring<H>, $crate::RingError> {
                $ring::with_hash(vnodes_per_weight, hasher)
            }

            fn load(
                &self,
                snapshot: &$crate::Snapshot,
            ) -> Result<Self::Ring<$crate::Fnv1aFmix64>, $crate::RingError> {
                $ring::from_snapshot(snapshot)
            }

            fn load_with_hash<H: $crate::conformance::SuiteHash>(
                &self,
                snapshot: &$crate::Snapshot,
                hasher: H,
            ) -> Result<Self::Ring<H>, $crate::RingError> {
                $ring::from_snapshot_with_hash(snapshot, hasher)
            }

            fn load_within<H: $crate::conformance::SuiteHash>(
                &self,
                snapshot: &$crate::Snapshot,
                hasher: H,
                token_limit: u32,
            ) -> Result<Self::Ring<H>, $crate::RingError> {
                $ring::from_snapshot_within(snapshot, hasher, token_limit)
            }
        }
    };
}

/// Writes a `#[test]` for each case of the list.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_test_each {
    ($subject:ident: $($module:ident { $($case:ident)* })*) => {
        $(mod $module {
            $(#[test]
            fn $case() {
                $crate::conformance::run(
                    &super::$subject,
                    concat!(stringify!($module), "::", stringify!($case)),
                );
            })*
        })*
    };
}
