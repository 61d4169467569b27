//! The shared suite.

use ring_sortedvec::SortedVecRing;

ring_core::conformance_tests!(SortedVecRing);
