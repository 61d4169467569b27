//! Lookups allocate what their documentation says.

use ring_btree::BTreeRing;

ring_core::allocation_tests!(BTreeRing);
