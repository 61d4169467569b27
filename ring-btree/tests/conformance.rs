//! The shared suite.

use ring_btree::BTreeRing;

ring_core::conformance_tests!(BTreeRing);
