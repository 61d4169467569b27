//! Lookups allocate what their documentation says.

use ring_sortedvec::SortedVecRing;

ring_core::allocation_tests!(SortedVecRing);
