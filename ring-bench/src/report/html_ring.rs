//! The ring itself, drawn as a circle before and after a node joins.

use std::fmt::Write as _;

use ring_core::{Ring, RingError, diff};
use ring_sortedvec::SortedVecRing;

use crate::report::html_figures::Figure;
use crate::report::svg::escape;
use crate::stats::real;

/// Nodes before the change.
const NODES: [&str; 4] = ["cache-a", "cache-b", "cache-c", "cache-d"];
/// The node that joins.
const JOINS: &str = "cache-e";
/// Tokens of each node: few, so that arcs can be seen.
const VNODES: u32 = 8;

/// Two drawings: before and after.
#[must_use]
pub fn figures() -> Vec<Figure> {
    // The rings are fixed and small; a ring that could not be built would be one that no test builds either.
    draw().unwrap_or_default()
}

fn draw() -> Result<Vec<Figure>, RingError> {
    let mut before = SortedVecRing::new(VNODES)?;
    for node in NODES {
        before.add_node(node, 1)?;
    }
    let mut after = before.clone();
    after.add_node(JOINS, 1)?;
    let diff = diff(&before, &after)?;
    let moved: Vec<(u64, u64)> =
        diff.arcs().iter().map(|arc| (*arc.hashes.start(), *arc.hashes.end())).collect();
    Ok(vec![
        Figure {
            id: "ring-before".to_owned(),
            title: "The ring before".to_owned(),
            caption: format!(
                "{} nodes with {VNODES} tokens each. A tick is a token; the arc that ends at it, clockwise, belongs to its node.",
                NODES.len()
            ),
            svg: circle(&before, &[], "The ring before a node joins"),
        },
        Figure {
            id: "ring-after".to_owned(),
            title: format!("The ring after {JOINS} has joined"),
            caption: format!(
                "The outer line marks the arcs that changed owner, {:.1} % of the space. All of them went to {JOINS}; nothing else moved.",
                diff.moved_fraction() * 100.0
            ),
            svg: circle(&after, &moved, "The ring after a node has joined"),
        },
    ])
}

/// A place on the circle of this radius: hash 0 at the top, clockwise.
fn place(hash: u64, radius: f64) -> [f64; 2] {
    let turn = real(hash >> 11) / real(1 << 53) * std::f64::consts::TAU;
    // Two digits, so that the last digits of sine and cosine, which differ between machines, do not show.
    [220.0 + radius * turn.sin(), 150.0 - radius * turn.cos()]
}

/// An arc from one hash to another, clockwise; as a whole circle where both are equal.
fn arc(class: &str, from: u64, to: u64, radius: f64, title: &str) -> String {
    let ([x1, y1], [x2, y2]) = (place(from, radius), place(to, radius));
    let large = u8::from(to.wrapping_sub(from) > 1 << 63);
    format!(
        "<path class=\"{class}\" d=\"M{x1:.2} {y1:.2}A{radius} {radius} 0 {large} 1 {x2:.2} {y2:.2}\"><title>{}</title></path>",
        escape(title)
    )
}

fn circle<R: Ring>(ring: &R, moved: &[(u64, u64)], words: &str) -> String {
    let nodes: Vec<&str> = ring.nodes().map(|node| node.id()).collect();
    let tokens: Vec<(u64, &str)> = ring.tokens().map(|t| (t.hash(), t.node_id())).collect();
    let mut body = String::new();
    let mut from = tokens.last().map_or(0, |(hash, _)| *hash);
    for (hash, node) in &tokens {
        let at = nodes.iter().position(|other| other == node).unwrap_or(0);
        body += &arc(&format!("arc n{at}"), from, *hash, 105.0, node);
        from = *hash;
    }
    for (hash, _) in &tokens {
        let ([x1, y1], [x2, y2]) = (place(*hash, 93.0), place(*hash, 117.0));
        let _ = write!(
            body,
            "<line class=\"token\" x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\"/>"
        );
    }
    for (from, to) in moved {
        body += &arc("moved", *from, *to, 126.0, "moved");
    }
    for (at, node) in nodes.iter().enumerate() {
        let y = 150.0 + (real(at as u64) - (real(nodes.len() as u64) - 1.0) / 2.0) * 20.0;
        let _ = write!(
            body,
            "<rect class=\"fill{at}\" x=\"172\" y=\"{:.1}\" width=\"12\" height=\"12\"/><text x=\"190\" y=\"{:.1}\">{}</text>",
            y - 6.0,
            y + 4.5,
            escape(node)
        );
    }
    format!(
        "<svg viewBox=\"0 0 440 300\" role=\"img\" aria-label=\"{words}\"><title>{words}</title>{body}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_rings_are_drawn_and_the_moved_arcs_are_marked() {
        let figures = figures();
        assert_eq!(figures.len(), 2);
        let count = |at: usize, what: &str| figures[at].svg.matches(what).count();
        assert_eq!(count(0, "class=\"token\""), 32);
        assert_eq!(count(1, "class=\"token\""), 40);
        assert_eq!(count(0, "class=\"moved\""), 0);
        assert!(count(1, "class=\"moved\"") > 0);
    }
}
