//! Proof that the suite bites: rings and stores with one mistake each, which it has to reject.
//!
//! `cargo test -p ring-core --test broken -- --nocapture` prints which case rejects what.

mod stores;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ring_core::conformance::{Backend, BrokenReference, Case, Fault, panic_text, suite};
use ring_core::{Invariant, RingError};

use stores::{NAMES, StoreBackend};

/// What the suite says of broken rings so far.
#[derive(Default)]
struct Verdicts {
    /// One line each: the fault, and the case and the invariant that rejected it.
    table: Vec<String>,
    accepted: Vec<String>,
    /// Cases that have rejected something.
    bit: BTreeSet<&'static str>,
}

impl Verdicts {
    /// Runs the short cases up to the first one that rejects the ring; and also, of the short cases
    /// after it, those that have not rejected anything yet. The long cases have their turn only
    /// where no short one has rejected the ring.
    fn judge<B: Backend>(&mut self, name: &str, backend: &B) {
        let mut first = None;
        let (long, short): (Vec<_>, Vec<_>) =
            suite::<B>().into_iter().partition(|case| is_long(case.name()));
        for case in short.into_iter().chain(long) {
            if first.is_some() && (self.bit.contains(case.name()) || is_long(case.name())) {
                continue;
            }
            if let Some(message) = rejection(&case, backend) {
                self.bit.insert(case.name());
                first.get_or_insert((case.name(), rule(&message, case.name())));
            }
        }
        match first {
            Some((case, rule)) => self.table.push(format!("{name:<36} {rule:<3} {case}")),
            None => self.accepted.push(name.to_owned()),
        }
    }

    /// Runs one long case that has to reject this ring.
    fn judge_by<B: Backend>(&mut self, name: &str, backend: &B, long: &str) {
        let case = suite::<B>().into_iter().find(|case| case.name() == long);
        let case = case.expect("the suite has this case");
        if rejection(&case, backend).is_some() {
            self.bit.insert(case.name());
            self.table.push(format!("{name:<36} -   {long} (a long case, run by itself)"));
        }
    }
}

/// The message with which a case rejects the backend's rings.
fn rejection<B: Backend>(case: &Case<B>, backend: &B) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| case.run(backend))).err()?;
    Some(panic_text(&*panic).to_owned())
}

/// Cases that take so long that each is tried on one fault only.
fn is_long(case: &str) -> bool {
    case.starts_with("statistics::")
        || case.starts_with("histories::")
        || case.ends_with("_than_sixteen_bits")
        || case == "i1_order::large_batches_stand_in_ring_order"
        || case == "i1_order::hash_cut_to_eight_bits"
}

/// The invariant that a rejection names: the checker's, or else that of the case's module.
fn rule(message: &str, case: &str) -> &'static str {
    let labels = || Invariant::ALL.into_iter().map(Invariant::label);
    let named = labels().find(|label| message.contains(&format!("{label} (")));
    named.or_else(|| labels().find(|label| case.starts_with(&label.to_lowercase()))).unwrap_or("-")
}

#[expect(clippy::print_stdout, reason = "the table is what the command above is for")]
#[test]
fn the_suite_rejects_every_fault() {
    let mut verdicts = Verdicts::default();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for &fault in Fault::ALL {
        verdicts.judge(&format!("{fault:?}"), &BrokenReference(fault));
    }
    for (number, name) in NAMES.iter().enumerate().skip(1) {
        verdicts.judge(name, &StoreBackend(number));
    }
    for (fault, long) in [
        (Fault::HashWithoutFinaliser, "statistics::balance_is_as_even_as_theory_says"),
        (
            Fault::HashWithoutFinaliser,
            "statistics::the_fullest_and_the_emptiest_node_stay_within_theory",
        ),
        (Fault::HashWithoutFinaliser, "statistics::an_add_moves_as_much_as_theory_says"),
        (Fault::HashWithoutFinaliser, "statistics::a_removal_moves_as_much_as_theory_says"),
        (Fault::HashWithoutFinaliser, "statistics::keys_spread_and_move_as_theory_says"),
        (Fault::RemovalByHash, "i1_order::hash_cut_to_eight_bits"),
        (Fault::CollisionOverwritten, "i1_order::large_batches_stand_in_ring_order"),
        (Fault::WeightIgnored, "statistics::weights_share_out_the_space"),
        (Fault::RemovalByPrefix, "histories::under_the_default_hash"),
        (Fault::TiesByIdThenIndex, "histories::under_a_hash_of_4_bits"),
        (Fault::CollisionOverwritten, "histories::under_a_hash_of_8_bits"),
        (Fault::TiesByInsertionOrder, "histories::under_a_hash_of_12_bits"),
    ] {
        verdicts.judge_by(&format!("{fault:?}"), &BrokenReference(fault), long);
    }
    std::panic::set_hook(usual);

    println!("{:<36} {:<3} rejected first by", "fault", "");
    println!("{}", verdicts.table.join("\n"));
    let accepted: &[String] = &[];
    assert_eq!(verdicts.accepted, accepted, "the suite does not see these faults");
    let cases = suite::<BrokenReference>();
    let toothless: Vec<&str> =
        cases.iter().map(Case::name).filter(|name| !verdicts.bit.contains(name)).collect();
    println!("{} faults, {} cases", Fault::ALL.len() + NAMES.len() - 1, cases.len());
    let none: &[&str] = &[];
    assert_eq!(toothless, none, "no fault makes these cases fail");
}

/// Nothing but the fault is wrong with these rings. (What the long cases say of them follows: they
/// are the reference ring, which passes them.)
#[test]
fn without_a_fault_the_same_rings_pass() {
    for case in suite::<BrokenReference>().iter().filter(|case| !is_long(case.name())) {
        case.run(&BrokenReference(Fault::Nothing));
    }
    for case in suite::<StoreBackend>() {
        case.run(&StoreBackend(0));
    }
}

/// A fault that is in the enum but not in its list would never be judged.
#[test]
fn every_fault_is_listed_once() {
    let listed: Vec<usize> = Fault::ALL.iter().map(|&fault| fault as usize).collect();
    assert_eq!(listed, (1..=listed.len()).collect::<Vec<_>>());
    let error: Option<RingError> = BrokenReference(Fault::Nothing).empty(0).err();
    assert_eq!(error, Some(RingError::ZeroVnodes));
}
