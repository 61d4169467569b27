//! Any bytes read as a snapshot, against a strict reader that shares nothing with the library's.

mod document;
mod strict;

use arbitrary::{Arbitrary, Unstructured};
use ring_btree::BTreeRing;
use ring_core::{Fnv1aFmix64, Ring, RingError, Snapshot};
use ring_sortedvec::SortedVecRing;

use document::Text;
use strict::Document;

/// Tokens of a ring at most, so that a run stays fast.
const TOKEN_LIMIT: u32 = 600;

/// Reads a text in both ways, and builds rings of what both accept. Bytes that begin as a document
/// does are the text; others make one up.
///
/// # Panics
///
/// Where the library is wrong.
pub fn run(bytes: &[u8]) {
    if bytes.first().is_some_and(|byte| b"{[\" \n\xef".contains(byte)) {
        if let Ok(json) = core::str::from_utf8(bytes) {
            compare(json);
        }
    } else if let Ok(Text(json)) = Text::arbitrary(&mut Unstructured::new(bytes)) {
        compare(&json);
    }
}

fn compare(json: &str) {
    let given = Snapshot::from_json(json);
    match (&given, &strict::read(json)) {
        (Ok(snapshot), Ok(due)) => {
            assert_eq!(&view(snapshot), due);
            assert_written_form(snapshot, due);
            build(snapshot);
        }
        (Err(error), Err(_)) => assert_names_place(error),
        (Ok(_), Err(reason)) => panic!("{json:?} was accepted, though {reason}"),
        (Err(error), Ok(due)) => panic!("{json:?} was refused ({error}), though it is {due:?}"),
    }
}

fn view(snapshot: &Snapshot) -> Document {
    Document {
        hash: snapshot.hash().to_owned(),
        vnodes_per_weight: snapshot.vnodes_per_weight(),
        nodes: snapshot.nodes().map(|node| (node.id().to_owned(), node.weight())).collect(),
        fingerprint: snapshot.fingerprint(),
    }
}

/// What is written is read as the same, by both readers, and written as the same once more.
fn assert_written_form(snapshot: &Snapshot, due: &Document) {
    let json = snapshot.to_json();
    assert_eq!(strict::read(&json).as_ref(), Ok(due), "{json:?}");
    let again = Snapshot::from_json(&json);
    assert_eq!(again.as_ref(), Ok(snapshot), "{json:?}");
    assert_eq!(again.map(|again| again.to_json()), Ok(json));
    assert!(snapshot.nodes().map(|node| node.id()).is_sorted(), "nodes out of id order");
}

/// An error says where: by line and column, or by positions in the list of nodes.
fn assert_names_place(error: &RingError) {
    let text = error.to_string();
    let place = match error {
        RingError::MalformedSnapshot { .. } => text.contains("line ") && text.contains("column "),
        RingError::DuplicateInSnapshot { positions: (first, second), .. } => first < second,
        _ => false,
    };
    assert!(place, "no place in {error:?}: {text}");
}

/// Both backends make the same of it, an error included, and a ring's own snapshot loads again.
fn build(snapshot: &Snapshot) {
    let vector = SortedVecRing::from_snapshot_within(snapshot, Fnv1aFmix64, TOKEN_LIMIT);
    let tree = BTreeRing::from_snapshot_within(snapshot, Fnv1aFmix64, TOKEN_LIMIT);
    match (vector, tree) {
        (Ok(vector), Ok(tree)) => {
            assert!(vector == tree);
            let own = vector.snapshot();
            assert_eq!(own, tree.snapshot());
            assert!(snapshot.nodes().eq(own.nodes()));
            assert!(snapshot.fingerprint().is_none_or(|due| own.fingerprint() == Some(due)));
            let loaded = SortedVecRing::from_snapshot(&own);
            assert!(loaded.is_ok_and(|loaded| loaded == vector));
        }
        (Err(vector), Err(tree)) => assert_eq!(vector, tree),
        (vector, tree) => panic!("{vector:?}, {tree:?} of {snapshot:?}"),
    }
}
