//! The reference ring passes the suite that it is the measure of.

use ring_core::conformance::ReferenceRing;

ring_core::conformance_tests!(ReferenceRing);
