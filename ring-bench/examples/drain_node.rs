//! Recipe: drain a node that serves long sessions.
//!
//! A session stays with the ring that it began with, so it never changes its node. New sessions use
//! the newest ring, which the draining node has left. When its last session has ended, the node can
//! be switched off.
//!
//! For data instead of sessions the order is copy, publish, delete: see the example `redis_cluster`.
//!
//! ```text
//! cargo run --example drain_node
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::sync::Arc;

use ring_core::{Change, Ring as _};
use ring_sortedvec::SortedVecRing;

const DRAINING: &str = "node-3";

/// A session: its id, and the ring that it began with. Between processes, send that ring's number
/// with the session instead, and keep the last few rings.
struct Session {
    id: String,
    ring: Arc<SortedVecRing>,
    /// Where it began; only to check that it stays there.
    began_at: String,
}

impl Session {
    fn begin(number: u32, ring: &Arc<SortedVecRing>) -> Self {
        let id = format!("session:{number}");
        let began_at = ring.get_node(&id).unwrap_or_default().to_owned();
        Self { id, ring: Arc::clone(ring), began_at }
    }

    fn node(&self) -> Option<&str> {
        self.ring.get_node(&self.id)
    }
}

fn count_by_node(sessions: &VecDeque<Session>) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for session in sessions {
        *counts.entry(session.node().unwrap_or_default()).or_default() += 1;
    }
    counts
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = (1..=5).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let mut newest = Arc::new(ring);
    let mut sessions: VecDeque<Session> = (0..5_000).map(|i| Session::begin(i, &newest)).collect();
    let mut next = 5_000;

    // The draining starts: new sessions never go there any more.
    let mut without = SortedVecRing::clone(&newest);
    without.remove_node(DRAINING);
    newest = Arc::new(without);

    let mut left = count_by_node(&sessions)[DRAINING];
    println!("sessions at {DRAINING}: {left}");
    assert!(left > 0);
    let mut rounds = 0;
    while left > 0 {
        // In each round the 500 oldest sessions end and 500 others begin.
        sessions.drain(..500);
        sessions.extend((next..next + 500).map(|i| Session::begin(i, &newest)));
        next += 500;
        rounds += 1;

        assert!(sessions.iter().all(|session| session.node() == Some(&session.began_at)));
        let now = count_by_node(&sessions).get(DRAINING).copied().unwrap_or(0);
        assert!(now <= left, "no session comes to the draining node");
        left = now;
        println!("after round {rounds}: {left}");
    }
    assert!(rounds <= 10, "all that began before the draining have ended after ten rounds");
    assert!(sessions.iter().all(|session| session.node() == newest.get_node(&session.id)));
    println!("{DRAINING} can be switched off; {next} sessions never changed their node");
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
