//! The checkers name each invariant that is broken, and find nothing wrong with a ring that is right.

use ring_core::conformance::{
    Backend, BrokenReference, BrokenRing, Fault, ReferenceRing, TestHash,
};
use ring_core::{Change, Invariant, Ring, check, check_change};

/// A ring with this fault, under a hash with collisions, after these changes one by one.
fn broken(fault: Fault, changes: &[Change]) -> BrokenRing<TestHash> {
    let ring = BrokenReference(fault).empty_with_hash(12, TestHash::cut(6));
    let mut ring = ring.expect("V is above 0");
    for change in changes {
        // A broken ring may refuse what it should not.
        let _ = ring.apply(std::slice::from_ref(change));
    }
    ring
}

fn reference(changes: &[Change]) -> ReferenceRing<TestHash> {
    let mut ring = ReferenceRing::with_hash(12, TestHash::cut(6)).expect("V is above 0");
    assert_eq!(ring.apply(changes), Ok(()));
    ring
}

fn adds() -> Vec<Change> {
    ["a", "b", "a#1", "c"].map(|id| Change::add(id, 2)).to_vec()
}

#[track_caller]
fn assert_check(fault: Fault, last: &[Change], due: Invariant) {
    let changes = [adds(), last.to_vec()].concat();
    let ring = broken(fault, &changes);
    let violation = check(&ring).expect_err("the ring is broken");
    assert_eq!(violation.invariant, due, "{violation}");
    let text = violation.to_string();
    assert!(text.starts_with(&format!("{} (", due.label())), "{text}");
}

#[test]
fn check_names_i1_to_i4() {
    assert_check(Fault::TiesByNumber, &[], Invariant::Order);
    assert_check(Fault::TiesByInsertionOrder, &[], Invariant::Order);
    assert_check(Fault::WalkGoesRoundTwice, &[], Invariant::Order);
    assert_check(
        Fault::NodesByUtf16,
        &[Change::add("\u{ff4e}", 1), Change::add("\u{1f600}", 1)],
        Invariant::Membership,
    );
    assert_check(Fault::RemovalForgetsWeight, &[Change::remove("b")], Invariant::Membership);
    assert_check(Fault::RemovalByPrefix, &[Change::remove("a")], Invariant::Completeness);
    assert_check(Fault::CollisionOverwritten, &[], Invariant::Completeness);
    assert_check(
        Fault::LeftoverAfterWeightChange,
        &[Change::set_weight("b", 1)],
        Invariant::Completeness,
    );
    assert_check(Fault::NoWrapAround, &[], Invariant::Ownership);
    assert_check(Fault::StrictlyAfter, &[], Invariant::Ownership);
    assert_check(Fault::LastOfEqualHashesOwns, &[], Invariant::Ownership);
}

#[test]
fn check_passes_a_ring_that_is_right() {
    let ring = broken(Fault::Nothing, &adds());
    assert_eq!(check(&ring), Ok(()));
    assert_eq!(check(&reference(&[])), Ok(()));
    assert_eq!(check(&reference(&adds())), Ok(()));
}

#[track_caller]
fn assert_change(fault: Fault, change: &Change, due: Invariant) {
    let before = broken(fault, &adds());
    let mut after = before.clone();
    let _ = after.apply(std::slice::from_ref(change));
    let violation = check_change(&before, &after, std::slice::from_ref(change))
        .expect_err("the change goes wrong");
    assert_eq!(violation.invariant, due, "{violation}");
}

#[test]
fn check_change_names_i5_to_i7() {
    let lower = Change::set_weight("b", 1);
    assert_change(Fault::LeftoverAfterWeightChange, &lower, Invariant::HistoryIndependence);
    assert_change(Fault::TiesByInsertionOrder, &lower, Invariant::HistoryIndependence);
    assert_change(Fault::RemovalByHash, &Change::remove("b"), Invariant::HistoryIndependence);
    assert_change(Fault::FailedAddChangesWeight, &Change::add("b", 5), Invariant::Atomicity);
    assert_change(Fault::AddActsAsSetWeight, &Change::add("b", 5), Invariant::Atomicity);
    assert_change(Fault::ZeroWeightRemoves, &Change::set_weight("b", 0), Invariant::Atomicity);

    // What a broken ring owned comes back where a right one follows it: a move between bystanders.
    let add = Change::add("new", 1);
    let mut before = BrokenReference(Fault::OneTokenShort).empty(12).expect("V is above 0");
    let mut after = ReferenceRing::new(12).expect("V is above 0");
    assert_eq!((before.apply(&adds()), after.apply(&adds())), (Ok(()), Ok(())));
    assert_eq!(after.apply(std::slice::from_ref(&add)), Ok(()));
    let violation = check_change(&before, &after, &[add]).expect_err("bystanders exchanged hashes");
    assert_eq!(violation.invariant, Invariant::Monotonicity, "{violation}");
}

/// A batch that had to be refused and was not, and the other way round.
#[test]
fn check_change_knows_what_has_to_be_refused() {
    let before = reference(&adds());
    let refused = [Change::remove("b"), Change::add("c", 1)];
    assert_eq!(check_change(&before, &before, &refused), Ok(()));
    let mut accepted = before.clone();
    assert!(accepted.remove_node("b"));
    let violation = check_change(&before, &accepted, &refused).expect_err("it was accepted");
    assert_eq!(violation.invariant, Invariant::Atomicity);
    let fine = [Change::remove("b")];
    assert_eq!(check_change(&before, &accepted, &fine), Ok(()));
    let violation = check_change(&before, &before, &fine).expect_err("it was refused");
    assert_eq!(violation.invariant, Invariant::Atomicity);
}

/// Rings under other hashes cannot follow one another.
#[test]
fn check_change_refuses_another_hash() {
    let before = reference(&adds());
    let mut after = ReferenceRing::with_hash(12, TestHash::cut(7)).expect("V is above 0");
    assert_eq!(after.apply(&adds()), Ok(()));
    let violation = check_change(&before, &after, &[]).expect_err("the hashes differ");
    assert_eq!(violation.invariant, Invariant::HistoryIndependence);
    assert!(violation.detail.contains("test-mask"), "{violation}");
}
