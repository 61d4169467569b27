//! Random histories: programs of changes run in lock-step on the backend's ring and on the
//! reference ring, compared through the public API after every step.
//!
//! The programs are the same each time. `PROPTEST_CASES` asks for more of them (a program each),
//! `PROPTEST_RNG_SEED` for others. A program that fails is made smaller before it is shown.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::super::backend::Backend;
use super::super::reference::ReferenceRing;
use super::super::support::{NASTY_IDS, Numbers, State};
use super::super::test_hash::TestHash;
use crate::hash::Hash64;
use crate::invariants::{check, check_change};
use crate::membership::Change;
use crate::ring::Ring;
use crate::snapshot::Snapshot;

/// Programs for each hash, unless the environment asks for another number.
const PROGRAMS: u32 = 200;

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Add(String, u32),
    Remove(String),
    SetWeight(String, u32),
    Apply(Vec<Change>),
    Limit(u32),
    /// Written as JSON, read and loaded.
    Reload,
}

/// A history: V, how many nodes stand there from the start, and the steps.
#[derive(Clone, Debug)]
struct Program {
    vnodes_per_weight: u32,
    /// Beside many tokens that stay, those of a step are few: stores take other ways then.
    bystanders: u32,
    steps: Vec<Step>,
}

/// Ids that a careless ring mixes up, and others from all of Unicode.
fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![
        // Those that begin with one another, together more often than by chance.
        4 => prop::sample::select(&NASTY_IDS[..12]).prop_map(str::to_owned),
        3 => prop::sample::select(NASTY_IDS).prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..5).prop_map(String::from_iter),
    ]
}

/// Mostly small; 0, and one whose tokens pass every limit, now and then.
fn any_weight() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 1_u32..=4, 1 => Just(0), 1 => Just(u32::MAX)]
}

fn any_change(ids: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (ids.clone(), any_weight()).prop_map(|(id, weight)| Change::add(id, weight)),
        2 => ids.clone().prop_map(Change::remove),
        2 => (ids, any_weight()).prop_map(|(id, weight)| Change::set_weight(id, weight)),
    ]
}

fn any_step(ids: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (ids.clone(), any_weight()).prop_map(|(id, weight)| Step::Add(id, weight)),
        3 => ids.clone().prop_map(Step::Remove),
        3 => (ids.clone(), any_weight()).prop_map(|(id, weight)| Step::SetWeight(id, weight)),
        4 => prop::collection::vec(any_change(ids), 0..7).prop_map(Step::Apply),
        1 => (0_u32..250).prop_map(Step::Limit),
        1 => Just(Step::Reload),
    ]
}

/// Programs over a handful of ids each, so that they are added, changed and removed again.
fn any_program() -> impl Strategy<Value = Program> {
    let bystanders = prop_oneof![3 => Just(0_u32), 2 => Just(16)];
    let parts = (1_u32..=6, bystanders, prop::collection::vec(any_id(), 1..9));
    parts.prop_flat_map(|(vnodes_per_weight, bystanders, ids)| {
        prop::collection::vec(any_step(prop::sample::select(ids)), 1..16)
            .prop_map(move |steps| Program { vnodes_per_weight, bystanders, steps })
    })
}

fn run_programs<B: Backend>(backend: &B, hashes: &[TestHash]) {
    let from_environment = Config::default();
    let asked = |name: &str| std::env::var_os(name).is_some();
    let config = Config {
        cases: if asked("PROPTEST_CASES") { from_environment.cases } else { PROGRAMS },
        rng_seed: if asked("PROPTEST_RNG_SEED") {
            from_environment.rng_seed
        } else {
            RngSeed::Fixed(0x0072_696e_6773)
        },
        // What failed once belongs into the suite as a case of its own, not into a file beside it.
        failure_persistence: None,
        max_shrink_iters: 400,
        ..from_environment
    };
    for hash in hashes {
        let mut runner = TestRunner::new(config.clone());
        let result = runner.run(&any_program(), |program| {
            run_program(backend, hash, &program).map_err(TestCaseError::fail)
        });
        if let Err(error) = result {
            panic!("under {hash:?}: {error}");
        }
    }
}

/// Runs one program in lock-step; an error says what went apart, at which step.
fn run_program<B: Backend>(backend: &B, hash: &TestHash, program: &Program) -> Result<(), String> {
    let vnodes = program.vnodes_per_weight;
    let text = |error: crate::RingError| error.to_string();
    let mut subject = backend.empty_with_hash(vnodes, hash.clone()).map_err(text)?;
    let mut reference = ReferenceRing::with_hash(vnodes, hash.clone()).map_err(text)?;
    let bystanders: Vec<Change> =
        (0..program.bystanders).map(|node| Change::add(format!("bystander-{node}"), 1)).collect();
    subject.apply(&bystanders).map_err(text)?;
    reference.apply(&bystanders).map_err(text)?;
    for (position, step) in program.steps.iter().enumerate() {
        let at = |what: String| format!("step {position}, {step:?}: {what}");
        let before = subject.clone();
        let (given, due) = match step {
            Step::Add(id, weight) => {
                (subject.add_node(id, *weight), reference.add_node(id, *weight))
            }
            Step::SetWeight(id, weight) => {
                (subject.set_weight(id, *weight), reference.set_weight(id, *weight))
            }
            Step::Apply(changes) => (subject.apply(changes), reference.apply(changes)),
            Step::Limit(limit) => {
                (subject.set_token_limit(*limit), reference.set_token_limit(*limit))
            }
            Step::Remove(id) => {
                let (given, due) = (subject.remove_node(id), reference.remove_node(id));
                if given != due {
                    return Err(at(format!("remove_node gives {given}, {due} is due")));
                }
                (Ok(()), Ok(()))
            }
            Step::Reload => {
                let limit = subject.token_limit();
                let json = subject.snapshot().to_json();
                let read = Snapshot::from_json(&json).map_err(text)?;
                subject = backend.load_within(&read, hash.clone(), limit).map_err(text)?;
                (Ok(()), Ok(()))
            }
        };
        if given != due {
            return Err(at(format!("the ring gives {given:?}, the reference {due:?}")));
        }
        check(&subject).map_err(|violation| at(violation.to_string()))?;
        let changes = match step {
            Step::Add(id, weight) => vec![Change::add(id, *weight)],
            Step::Remove(id) => vec![Change::remove(id)],
            Step::SetWeight(id, weight) => vec![Change::set_weight(id, *weight)],
            Step::Apply(changes) => changes.clone(),
            Step::Limit(_) | Step::Reload => vec![],
        };
        check_change(&before, &subject, &changes).map_err(|violation| at(violation.to_string()))?;
        compare(&subject, &reference, position as u64).map_err(at)?;
    }
    Ok(())
}

/// Compares all answers of the two rings.
fn compare<R: Ring>(
    subject: &R,
    reference: &ReferenceRing<TestHash>,
    seed: u64,
) -> Result<(), String> {
    let (given, due) = (State::of(subject), State::of(reference));
    if given != due {
        return Err(format!("the ring is {given:?}, the reference {due:?}"));
    }
    let keys: Vec<String> = Numbers::seeded(seed).take(6).map(|key| key.to_string()).collect();
    let mut hashes: Vec<u64> = Numbers::seeded(seed).take(6).chain([0, u64::MAX]).collect();
    hashes.extend(keys.iter().map(|key| subject.hasher().hash64(key.as_bytes())));
    let count = reference.node_count();
    for &hash in &hashes {
        same("owner_at", &subject.owner_at(hash), &reference.owner_at(hash))?;
        for r in [1, 2, count, count + 1] {
            let (given, due) = (subject.replicas_at(hash, r), reference.replicas_at(hash, r));
            same("replicas_at", &given, &due)?;
        }
        let walk = |token: crate::Token<'_>| (token.hash(), token.token_id());
        let given = subject.walk(hash).map(walk).take(5).collect::<Vec<_>>();
        same("walk", &given, &reference.walk(hash).map(walk).take(5).collect())?;
    }
    for key in &keys {
        same("get_node", &subject.get_node(key), &reference.get_node(key))?;
        let given = subject.replicas(key).collect::<Vec<_>>();
        same("replicas", &given, &reference.replicas(key).collect())?;
        same("get_replicas", &subject.get_replicas(key, 3), &reference.get_replicas(key, 3))?;
    }
    let (mut given, mut due) = (Vec::new(), Vec::new());
    subject.get_node_batch(&keys, &mut given);
    subject.owners_at(&hashes, &mut given);
    reference.get_node_batch(&keys, &mut due);
    reference.owners_at(&hashes, &mut due);
    same("the batch lookup", &given, &due)
}

fn same<T: PartialEq + core::fmt::Debug>(call: &str, given: &T, due: &T) -> Result<(), String> {
    if given == due {
        return Ok(());
    }
    Err(format!("{call} gives {given:?}, {due:?} is due"))
}

pub(in super::super) fn under_the_default_hash<B: Backend>(backend: &B) {
    run_programs(backend, &[TestHash::full()]);
}

/// Hashes of 4 bits, all round the ring and all in one arc.
pub(in super::super) fn under_a_hash_of_4_bits<B: Backend>(backend: &B) {
    run_programs(backend, &[TestHash::cut(4), TestHash::cut_low(4)]);
}

/// Hashes of 8 bits, all round the ring and all in one arc.
pub(in super::super) fn under_a_hash_of_8_bits<B: Backend>(backend: &B) {
    run_programs(backend, &[TestHash::cut(8), TestHash::cut_low(8)]);
}

/// Hashes of 12 bits, all round the ring and all in one arc.
pub(in super::super) fn under_a_hash_of_12_bits<B: Backend>(backend: &B) {
    run_programs(backend, &[TestHash::cut(12), TestHash::cut_low(12)]);
}
