//! Programs of ring operations, run in lock-step on both backends and on the reference ring.

mod answers;
mod program;

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use ring_btree::BTreeRing;
use ring_core::conformance::ReferenceRing;
use ring_core::{Change, Diff, HASH_SPACE, Ring, RingError, Snapshot, check, check_change, diff};
use ring_sortedvec::SortedVecRing;

use crate::hash::CutHash;
use answers::{Answers, assert_same_state};
use program::{Program, Step};

/// Tokens in a ring at most: room for every path that a larger ring takes, and no more, since the
/// reference ring is slow.
const MOST_TOKENS: u128 = 700;

/// Runs a program on three rings, which must stay alike and sound.
///
/// # Panics
///
/// Where the library is wrong.
pub fn run(bytes: &[u8]) {
    let mut input = Unstructured::new(bytes);
    let Ok(program) = Program::arbitrary(&mut input) else { return };
    let Some(mut rings) = Rings::new(&program) else { return };
    for step in &program.steps {
        let before = rings.clone();
        let changes = rings.take(step, &program);
        rings.assert_sound(&before, changes.as_deref(), &program);
    }
}

/// The three rings.
#[derive(Clone)]
struct Rings {
    vector: SortedVecRing<CutHash>,
    tree: BTreeRing<CutHash>,
    reference: ReferenceRing<CutHash>,
}

impl Rings {
    fn new(program: &Program) -> Option<Self> {
        let (vnodes, hash) = (program.vnodes_per_weight, &program.hash);
        let vector = SortedVecRing::with_hash(vnodes, hash.clone());
        let tree = BTreeRing::with_hash(vnodes, hash.clone());
        let reference = ReferenceRing::with_hash(vnodes, hash.clone());
        if vnodes == 0 {
            assert_eq!(vector.err(), Some(RingError::ZeroVnodes));
            assert_eq!(tree.err(), Some(RingError::ZeroVnodes));
            return None;
        }
        Some(Self { vector: vector.ok()?, tree: tree.ok()?, reference: reference.ok()? })
    }

    /// Takes a step on all three and compares what they say; returns the changes that it was.
    fn take(&mut self, step: &Step, program: &Program) -> Option<Vec<Change>> {
        let changes = program.changes(step, &self.reference);
        if let Some(changes) = &changes {
            let tokens = self.tokens_after(changes);
            if tokens > MOST_TOKENS && tokens <= u128::from(self.vector.token_limit()) {
                return Some(Vec::new());
            }
        }
        let vector = take_one(&mut self.vector, step, program);
        let tree = take_one(&mut self.tree, step, program);
        let reference = take_one(&mut self.reference, step, program);
        assert_eq!(vector, reference, "sorted vector, reference: {step:?}");
        assert_eq!(tree, reference, "tree, reference: {step:?}");
        changes
    }

    /// What the ring would hold, worked out without it.
    fn tokens_after(&self, changes: &[Change]) -> u128 {
        let mut weights: BTreeMap<&str, u32> =
            self.reference.nodes().map(|node| (node.id(), node.weight())).collect();
        for change in changes {
            match change {
                Change::Add { id, weight } | Change::SetWeight { id, weight } => {
                    weights.insert(id, *weight);
                }
                Change::Remove { id } => {
                    weights.remove(id.as_str());
                }
            }
        }
        let sum: u128 = weights.values().copied().map(u128::from).sum();
        sum * u128::from(self.reference.vnodes_per_weight())
    }

    fn assert_sound(&self, before: &Self, changes: Option<&[Change]>, program: &Program) {
        assert_same_state(&self.vector, &self.reference, program);
        assert_same_state(&self.tree, &self.reference, program);
        assert!(self.vector == self.tree);
        assert!(self.tree == self.vector);
        for checked in [check(&self.vector), check(&self.tree)] {
            if let Err(violation) = checked {
                panic!("{violation}");
            }
        }

        // A step that is no change must leave everything as it was.
        let changes = changes.unwrap_or(&[]);
        for checked in [
            check_change(&before.vector, &self.vector, changes),
            check_change(&before.tree, &self.tree, changes),
        ] {
            if let Err(violation) = checked {
                panic!("{violation}");
            }
        }

        assert_eq!(diff(&self.tree, &self.vector).map(|same| same.moved()), Ok(0));
        match diff(&before.vector, &self.tree) {
            Ok(moved) => assert_moves(&moved, &before.reference, &self.reference),
            Err(error) => panic!("{error}"),
        }
    }
}

/// The arcs are the hashes that have another owner, judged by the owners themselves at every place
/// where one can change.
fn assert_moves<R: Ring>(moved: &Diff<'_>, before: &R, after: &R) {
    let tokens = before.tokens().chain(after.tokens());
    let mut places: Vec<u64> = tokens.map(|token| token.hash().wrapping_add(1)).collect();
    // An arc without a change inside starts at each of these.
    places.push(0);
    places.sort_unstable();
    places.dedup();
    let mut due: BTreeMap<(Option<&str>, Option<&str>), u128> = BTreeMap::new();
    for (nth, &start) in places.iter().enumerate() {
        let next = places.get(nth + 1).map_or(HASH_SPACE, |&next| u128::from(next));
        let owners = (before.owner_at(start), after.owner_at(start));
        if owners.0 != owners.1 {
            *due.entry(owners).or_insert(0) += next - u128::from(start);
        }
        let arc = moved.arcs().partition_point(|arc| *arc.hashes.end() < start);
        let arc = moved.arcs().get(arc).filter(|arc| arc.hashes.contains(&start));
        let given = arc.map_or((None, None), |arc| (arc.from, arc.to));
        let changed = owners.0 != owners.1;
        assert_eq!(given, if changed { owners } else { (None, None) }, "at {start:#x}");
    }
    let flows = moved.flows().iter().map(|flow| ((flow.from, flow.to), flow.moved));
    assert!(flows.eq(due), "{:?}", moved.flows());
}

/// What a ring said to a step.
#[derive(Debug, PartialEq)]
enum Said {
    Changed(Result<(), RingError>),
    Removed(bool),
    Loaded(Vec<Result<(), RingError>>),
    Answered(Box<Answers>),
}

fn take_one<R: Loaded>(ring: &mut R, step: &Step, program: &Program) -> Said {
    match step {
        Step::Add(node, weight) => Said::Changed(ring.add_node(program.id(*node), weight.0)),
        Step::Remove(node) => Said::Removed(ring.remove_node(program.id(*node))),
        Step::SetWeight(node, weight) => {
            Said::Changed(ring.set_weight(program.id(*node), weight.0))
        }
        Step::AddMany(..) | Step::RemoveMany(_) | Step::Apply(_) => {
            Said::Changed(ring.apply(&program.changes(step, ring).unwrap_or_default()))
        }
        Step::Limit(limit) => Said::Changed(ring.set_token_limit(limit.0)),
        Step::Reload { fingerprint } => Said::Loaded(reload(ring, *fingerprint)),
        Step::Look { keys, r } => {
            let keys: Vec<&[u8]> = keys.0.iter().map(|key| &*key.0).collect();
            Said::Answered(Box::new(Answers::of(ring, &keys, *r)))
        }
    }
}

/// Goes on with a ring loaded from its own snapshot, written and read; also loads what must be
/// refused, and says how.
fn reload<R: Loaded>(ring: &mut R, with_fingerprint: bool) -> Vec<Result<(), RingError>> {
    let json = ring.snapshot().to_json();
    let own = match Snapshot::from_json(&json) {
        Ok(own) => own,
        Err(error) => panic!("{json:?} was written, but {error}"),
    };
    assert_eq!(own, ring.snapshot());
    let with = |hash: &str, fingerprint: Option<u64>| {
        let nodes = own.nodes().map(|node| (node.id().to_owned(), node.weight())).collect();
        match Snapshot::new(hash, own.vnodes_per_weight(), nodes, fingerprint) {
            Ok(snapshot) => snapshot,
            Err(error) => panic!("a ring's own parts make no snapshot: {error}"),
        }
    };
    let limit = ring.token_limit();
    let other = own.fingerprint().map(|fingerprint| fingerprint ^ 1);
    let tokens = u32::try_from(ring.token_count()).unwrap_or(u32::MAX);
    let trials = [
        (with("another", own.fingerprint()), limit),
        (with(own.hash(), other), limit),
        (own.clone(), tokens),
        (own.clone(), tokens.saturating_sub(1)),
        (if with_fingerprint { own.clone() } else { with(own.hash(), None) }, limit),
    ];
    let mut said = Vec::new();
    for (snapshot, limit) in trials {
        let loaded = R::load(&snapshot, ring.hasher().clone(), limit);
        said.push(loaded.as_ref().map(|_| ()).map_err(Clone::clone));
        if let Ok(loaded) = loaded {
            let old_limit = ring.token_limit();
            *ring = loaded;
            // Below the tokens it never is: the ring had this limit before.
            assert_eq!(ring.set_token_limit(old_limit), Ok(()));
        }
    }
    said
}

/// A ring that can be loaded.
trait Loaded: Ring<Hash = CutHash> + Sized {
    fn load(snapshot: &Snapshot, hash: CutHash, limit: u32) -> Result<Self, RingError>;
}

macro_rules! loaded {
    ($($ring:ident)*) => {$(
        impl Loaded for $ring<CutHash> {
            fn load(snapshot: &Snapshot, hash: CutHash, limit: u32) -> Result<Self, RingError> {
                Self::from_snapshot_within(snapshot, hash, limit)
            }
        }
    )*};
}

loaded!(SortedVecRing BTreeRing ReferenceRing);
