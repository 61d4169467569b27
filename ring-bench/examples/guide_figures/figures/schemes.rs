//! Other ways to give keys to nodes, each in a few lines, written after the papers that the guide names.

use ring_core::{Fnv1aFmix64, Hash64 as _, Ring as _};
use ring_sortedvec::SortedVecRing;

use super::{float, ring_of};

/// Gives each key a node: an index into `nodes`.
pub(super) type Scheme = fn(nodes: &[String], keys: &[String]) -> Vec<usize>;

/// The schemes of the table, by name.
pub(super) const ALL: [(&str, Scheme); 6] = [
    ("the ring, V = 100", ring),
    ("`hash % N`", modulo),
    ("jump", jump),
    ("rendezvous", rendezvous),
    ("Maglev, 65,537 slots", maglev),
    ("multi-probe, 21 probes", multi_probe),
];

fn hash(bytes: &[u8]) -> u64 {
    Fnv1aFmix64.hash64(bytes)
}

/// `value % modulus` as an index.
fn remainder(value: u64, modulus: usize) -> usize {
    usize::try_from(value % modulus as u64).unwrap_or(0)
}

/// A ring of these nodes; the list of nodes is never long.
fn ring_with(vnodes: u32, nodes: &[String]) -> SortedVecRing {
    ring_of(vnodes, nodes.iter().map(|node| (node.clone(), 1)))
        .unwrap_or_else(|error| panic!("the nodes of the table are valid: {error}"))
}

fn ring(nodes: &[String], keys: &[String]) -> Vec<usize> {
    let ring = ring_with(100, nodes);
    owners(nodes, keys.iter().filter_map(|key| ring.get_node(key)))
}

/// Node ids as indices into `nodes`.
fn owners<'a>(nodes: &[String], ids: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let places: std::collections::BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
    ids.map(|id| places[id]).collect()
}

fn modulo(nodes: &[String], keys: &[String]) -> Vec<usize> {
    keys.iter().map(|key| remainder(hash(key.as_bytes()), nodes.len())).collect()
}

/// Lamping and Veach 2014: jumps from bucket to bucket, each jump as far as chance would have it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the algorithm is defined on truncated floats; every number here is below 2^53"
)]
fn jump(nodes: &[String], keys: &[String]) -> Vec<usize> {
    let bucket = |mut state: u64| {
        let (mut bucket, mut next) = (0, 0_u64);
        while next < nodes.len() as u64 {
            bucket = next;
            state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
            let draw = ((state >> 33) + 1) as f64;
            next = ((bucket + 1) as f64 * (2_147_483_648.0 / draw)) as u64;
        }
        bucket as usize
    };
    keys.iter().map(|key| bucket(hash(key.as_bytes()))).collect()
}

/// Thaler and Ravishankar 1998: the node that scores highest with the key.
fn rendezvous(nodes: &[String], keys: &[String]) -> Vec<usize> {
    let nodes: Vec<u64> = nodes.iter().map(|node| hash(node.as_bytes())).collect();
    let best = |key: u64| {
        let score = |node: u64| {
            let mut pair = [0; 16];
            pair[..8].copy_from_slice(&node.to_be_bytes());
            pair[8..].copy_from_slice(&key.to_be_bytes());
            hash(&pair)
        };
        (0..nodes.len()).max_by_key(|&place| score(nodes[place])).unwrap_or(0)
    };
    keys.iter().map(|key| best(hash(key.as_bytes()))).collect()
}

/// Eisenbud et al. 2016: nodes take turns at a table, each in an order of its own.
fn maglev(nodes: &[String], keys: &[String]) -> Vec<usize> {
    const SLOTS: usize = 65_537;
    let mut turns: Vec<(usize, usize)> = nodes
        .iter()
        .map(|node| {
            let offset = remainder(hash(format!("{node} offset").as_bytes()), SLOTS);
            let skip = remainder(hash(format!("{node} skip").as_bytes()), SLOTS - 1) + 1;
            (offset, skip)
        })
        .collect();
    let mut table = vec![None; SLOTS];
    let mut filled = 0;
    'fill: loop {
        for (node, (next, skip)) in turns.iter_mut().enumerate() {
            while table[*next].is_some() {
                *next = (*next + *skip) % SLOTS;
            }
            table[*next] = Some(node);
            filled += 1;
            if filled == SLOTS {
                break 'fill;
            }
        }
    }
    let slot = |key: &String| table[remainder(hash(key.as_bytes()), SLOTS)].unwrap_or(0);
    keys.iter().map(slot).collect()
}

/// Appleton and O'Reilly 2015: one token a node, and several probes a key; the probe that is closest to its token
/// wins.
fn multi_probe(nodes: &[String], keys: &[String]) -> Vec<usize> {
    const PROBES: u64 = 21;
    let ring = ring_with(1, nodes);
    let closest = |key: &String| {
        let first = hash(key.as_bytes());
        // An odd step from a second hash gives probes that are distinct.
        let step = hash(&first.to_be_bytes()) | 1;
        (0..PROBES)
            .filter_map(|probe| {
                let at = first.wrapping_add(step.wrapping_mul(probe));
                let token = ring.walk(at).next()?;
                Some((token.hash().wrapping_sub(at), token.node_id()))
            })
            .min()
            .map(|(_, id)| id)
    };
    owners(nodes, keys.iter().filter_map(closest))
}

/// What a scheme does to `keys` keys when a node comes and when one goes.
pub(super) struct Moves {
    /// Keys of the fullest node over the mean.
    pub(super) fullest: f64,
    /// Part of the keys that move when a node comes, and the part that moves between nodes that were there.
    pub(super) added: (f64, f64),
    /// The same for a node that goes, and the part that moves between nodes that stay.
    pub(super) removed: (f64, f64),
}

/// Measures a scheme on `node-0` … and `user:0` …; the node that goes is `node-20`.
///
/// The last node takes the place of the one that goes: for schemes that number the nodes, that moves less than
/// numbering all of them anew.
pub(super) fn measure(scheme: Scheme, nodes: usize, keys: usize) -> Moves {
    let keys: Vec<String> = (0..keys).map(|key| format!("user:{key}")).collect();
    let before: Vec<String> = (0..nodes).map(|node| format!("node-{node}")).collect();
    let mut more = before.clone();
    let new = format!("node-{nodes}");
    more.push(new.clone());
    let mut less = before.clone();
    let gone = less.swap_remove(20);

    let place = |nodes: &[String]| -> Vec<String> {
        scheme(nodes, &keys).into_iter().map(|place| nodes[place].clone()).collect()
    };
    let owners = place(&before);
    let mut loads = std::collections::BTreeMap::<&String, usize>::new();
    for owner in &owners {
        *loads.entry(owner).or_default() += 1;
    }
    let moves = |after: &[String], changed: &String| {
        let part = |count: usize| float(count) / float(keys.len());
        let moved = owners.iter().zip(after).filter(|(from, to)| from != to);
        let needless = moved.clone().filter(|(from, to)| *from != changed && *to != changed);
        (part(moved.count()), part(needless.count()))
    };
    Moves {
        fullest: float(loads.values().copied().max().unwrap_or(0)) * float(nodes)
            / float(keys.len()),
        added: moves(&place(&more), &new),
        removed: moves(&place(&less), &gone),
    }
}
