//! Drawings of rings as circles.

use ring_core::{Hash64, Ring, RingError, diff};
use ring_sortedvec::SortedVecRing;

use super::hashes::{PlainFnv1a, numbered_nodes};
use super::placement::{degrees, key_between, largest, ratios};
use super::ring_of;
use super::svg::{Anchor, COLOURS, Circle, Drawing, Point};

/// Tokens a node on the small rings: four, so that three nodes make a dozen.
const VNODES: u32 = 4;

/// Width of the band that shows who owns an arc.
const BAND: f64 = 16.0;

/// The ring of a dozen tokens: nodes r, s and t, whose tokens happen to stand
/// far enough apart to be read.
fn dozen() -> Result<SortedVecRing, RingError> {
    ring_of(VNODES, [("r", 1), ("s", 1), ("t", 1)])
}

fn colour(node: &str) -> &'static str {
    let place = ["r", "s", "t", "u"].iter().position(|&id| id == node).unwrap_or(0);
    COLOURS[place]
}

/// The middle of an arc.
fn middle((from, to): (f64, f64)) -> f64 {
    from + (to - from).rem_euclid(360.0) / 2.0
}

/// The arcs of a ring: where each starts and ends, and its owner.
fn arcs(ring: &SortedVecRing) -> Vec<((f64, f64), &str)> {
    let tokens: Vec<_> = ring.tokens().collect();
    let before = tokens.iter().cycle().skip(tokens.len() - 1);
    before
        .zip(&tokens)
        .map(|(before, token)| ((degrees(before.hash()), degrees(token.hash())), token.node_id()))
        .collect()
}

/// The owners' bands; `strength` says how strongly an arc is drawn.
fn bands(drawing: &mut Drawing, circle: Circle, ring: &SortedVecRing, strength: f64) {
    for (arc, owner) in arcs(ring) {
        let style = format!(
            "stroke=\"{}\" stroke-width=\"{BAND}\" stroke-opacity=\"{strength}\"",
            colour(owner)
        );
        drawing.arc(circle, arc, 0.0, &style);
    }
}

/// The tokens as marks on the band, their ids outside, and hash 0 at the top.
fn tokens(drawing: &mut Drawing, circle: Circle, ring: &SortedVecRing) {
    let zero = BAND / 2.0;
    drawing.line(circle.at(0.0, -zero), circle.at(0.0, zero + 6.0), "stroke-width=\"1.5\"");
    drawing.text(circle.at(0.0, zero + 14.0), Anchor::Middle, 11, "0");
    for token in ring.tokens() {
        let at = degrees(token.hash());
        let mark = Circle { centre: circle.at(at, 0.0), radius: 5.0 };
        let style = format!(
            "fill=\"{}\" stroke=\"currentColor\" stroke-width=\"1.5\"",
            colour(token.node_id())
        );
        drawing.circle(mark, &style);
        label(drawing, circle, at, &token.token_id());
    }
}

/// A name outside the circle, away from it on either side.
fn label(drawing: &mut Drawing, circle: Circle, at: f64, name: &str) {
    let anchor = if at < 180.0 { Anchor::Start } else { Anchor::End };
    drawing.text(circle.at(at, 16.0), anchor, 12, name);
}

/// A key as a diamond on the band with its name outside, and the walk from it inside.
fn walk(drawing: &mut Drawing, circle: Circle, key: &str, (from, to): (f64, f64), out: f64) {
    let centre = circle.at(from, 0.0);
    let corners = [(0.0, -8.0), (6.0, 0.0), (0.0, 8.0), (-6.0, 0.0)]
        .map(|(x, y)| Point { x: centre.x + x, y: centre.y + y });
    drawing.polygon(&corners, "fill=\"#fff\" stroke=\"#222\" stroke-width=\"1.5\"");
    label(drawing, circle, from, &format!("key {key}"));
    drawing.line(circle.at(from, -BAND / 2.0 - 2.0), circle.at(from, out), "stroke-width=\"1.5\"");
    // The arrow's tip is where the walk ends, so its line stops a little before.
    drawing.arc(circle, (from, to - 3.0), out, "stroke=\"currentColor\" stroke-width=\"1.5\"");
    drawing.arrow_head(circle, to, out);
}

/// Lines of text, one below the other.
fn lines(drawing: &mut Drawing, at: Point, anchor: Anchor, lines: &[&str]) {
    let mut at = at;
    for line in lines {
        drawing.text(at, anchor, 13, line);
        at.y += 20.0;
    }
}

/// A dozen tokens, the arcs that they own, and one key on its way to its owner.
pub(super) fn lookup() -> Result<String, RingError> {
    let ring = dozen()?;
    let (key, hash) = key_between(ring.hasher(), 137.0, 142.0);
    let owner = ring.owner_at(hash).unwrap_or_default();
    let token = ring.walk(hash).next();
    let end = token.map_or(0.0, |token| degrees(token.hash()));

    let mut drawing = Drawing::new(
        720,
        340,
        "A ring of twelve tokens of three nodes: each token owns the arc that ends at it, and a key belongs \
         to the first token clockwise after its hash",
    );
    let circle = Circle { centre: Point { x: 190.0, y: 170.0 }, radius: 115.0 };
    bands(&mut drawing, circle, &ring, 1.0);
    tokens(&mut drawing, circle, &ring);
    for (arc, owner) in arcs(&ring) {
        if (arc.1 - arc.0).rem_euclid(360.0) > 12.0 {
            drawing.text(circle.at(middle(arc), -18.0), Anchor::Middle, 13, owner);
        }
    }
    walk(&mut drawing, circle, &key, (degrees(hash), end), -34.0);

    let token = token.map(|token| token.token_id()).unwrap_or_default();
    lines(
        &mut drawing,
        Point { x: 400.0, y: 90.0 },
        Anchor::Start,
        &[
            "Twelve tokens: four each of nodes r, s and t.",
            "A token stands where its id is hashed to.",
            "It owns the arc that ends at it, up to the",
            "token before it; the letters say who owns what.",
            "",
            &format!("The key {key} is hashed to the diamond."),
            &format!("The first token clockwise from there is {token},"),
            &format!("so the key belongs to node {owner}."),
        ],
    );
    Ok(drawing.finish())
}

/// The same ring before and after node u came; what moved stands out.
pub(super) fn change() -> Result<String, RingError> {
    let before = dozen()?;
    let mut after = before.clone();
    after.add_node("u", 1)?;
    let moved = diff(&before, &after)?;

    let mut drawing = Drawing::new(
        720,
        370,
        "The ring of twelve tokens before and after node u came: only the arcs that end at a token of u changed \
         owner, all of them to u",
    );
    let left = Circle { centre: Point { x: 185.0, y: 185.0 }, radius: 105.0 };
    let right = Circle { centre: Point { x: 535.0, y: 185.0 }, radius: 105.0 };
    bands(&mut drawing, left, &before, 1.0);
    tokens(&mut drawing, left, &before);
    bands(&mut drawing, right, &after, 0.25);
    for arc in moved.arcs() {
        // The last hash that did not move is one before the first that did: no eye sees the difference.
        let span = (degrees(*arc.hashes.start()), degrees(*arc.hashes.end()));
        let style =
            format!("stroke=\"{}\" stroke-width=\"{BAND}\"", colour(arc.to.unwrap_or_default()));
        drawing.arc(right, span, 0.0, &style);
        for circle in [left, right] {
            drawing.arc(circle, span, -BAND, "stroke=\"currentColor\" stroke-width=\"3\"");
        }
        let owners = [(left, arc.from), (right, arc.to)];
        for (circle, owner) in owners {
            drawing.text(
                circle.at(middle(span), -30.0),
                Anchor::Middle,
                13,
                owner.unwrap_or_default(),
            );
        }
    }
    tokens(&mut drawing, right, &after);
    let percent = format!("{:.1} % moved,", moved.moved_fraction() * 100.0);
    lines(&mut drawing, Point { x: 185.0, y: 175.0 }, Anchor::Middle, &["before:", "12 tokens"]);
    lines(
        &mut drawing,
        Point { x: 535.0, y: 165.0 },
        Anchor::Middle,
        &["after:", &percent, "all of it to u"],
    );
    lines(
        &mut drawing,
        Point { x: 360.0, y: 355.0 },
        Anchor::Middle,
        &[
            "The inner lines mark what changed owner, with the owner's letter. Pale arcs did not change.",
        ],
    );
    Ok(drawing.finish())
}

/// The walk that finds three distinct nodes.
pub(super) fn replicas() -> Result<String, RingError> {
    let ring = dozen()?;
    let (key, hash) = key_between(ring.hasher(), 338.0, 345.0);
    let set = ring.replicas_at(hash, 3);

    let mut drawing = Drawing::new(
        720,
        340,
        "The walk from a key around the ring: a token whose node was met before is passed over, until three \
         distinct nodes are found",
    );
    let circle = Circle { centre: Point { x: 190.0, y: 170.0 }, radius: 115.0 };
    bands(&mut drawing, circle, &ring, 0.6);
    tokens(&mut drawing, circle, &ring);
    let mut met: Vec<&str> = Vec::new();
    let mut end = 0.0;
    for token in ring.walk(hash) {
        let new = !met.contains(&token.node_id());
        if new {
            met.push(token.node_id());
        }
        let at = degrees(token.hash());
        let step = if new { met.len().to_string() } else { "–".to_owned() };
        drawing.text(circle.at(at, -18.0), Anchor::Middle, if new { 16 } else { 12 }, &step);
        if met.len() == set.nodes().len() {
            end = at;
            break;
        }
    }
    walk(&mut drawing, circle, &key, (degrees(hash), end), -34.0);
    lines(
        &mut drawing,
        Point { x: 400.0, y: 110.0 },
        Anchor::Start,
        &[
            &format!("Three replicas of the key {key}:"),
            &format!("nodes {}, in this order.", set.nodes().join(", ")),
            "",
            "The walk goes on past the owner. A token",
            "whose node was met before is passed over",
            "(–): three copies stand on three nodes.",
        ],
    );
    Ok(drawing.finish())
}

/// The tokens of two of ten nodes, under a hash that spreads similar ids and under one that does not.
pub(super) fn clumps() -> Result<String, RingError> {
    let mut drawing = Drawing::new(
        720,
        330,
        "The hundred tokens of two nodes under FNV-1a without its finaliser, where they stand in clumps, and under \
         the default hash, where they are spread",
    );
    let left = Circle { centre: Point { x: 180.0, y: 150.0 }, radius: 105.0 };
    let right = Circle { centre: Point { x: 540.0, y: 150.0 }, radius: 105.0 };
    let plain = numbered_nodes(PlainFnv1a, 10, 100)?;
    let mixed = numbered_nodes(ring_core::Fnv1aFmix64, 10, 100)?;
    spread(&mut drawing, left, &plain, "FNV-1a alone");
    spread(&mut drawing, right, &mixed, "FNV-1a, fmix64");
    lines(
        &mut drawing,
        Point { x: 360.0, y: 295.0 },
        Anchor::Middle,
        &[
            "Outside: the 100 tokens of node-0. Inside: the 100 tokens of node-1. Ten nodes, V = 100.",
        ],
    );
    Ok(drawing.finish())
}

fn spread<R: Ring>(drawing: &mut Drawing, circle: Circle, ring: &R, name: &str)
where
    R::Hash: Hash64,
{
    drawing.circle(circle, "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1\"");
    for (node, from, to, colour) in
        [("node-0", 3.0, 18.0, COLOURS[0]), ("node-1", -18.0, -3.0, COLOURS[1])]
    {
        let ticks: Vec<(Point, Point)> = ring
            .tokens()
            .filter(|token| token.node_id() == node)
            .map(|token| degrees(token.hash()))
            .map(|at| (circle.at(at, from), circle.at(at, to)))
            .collect();
        drawing.strokes(&ticks, &format!("stroke=\"{colour}\" stroke-width=\"2\""));
    }
    let fullest = format!("{:.2} × the mean", largest(&ratios(ring)));
    let Point { x, y } = circle.centre;
    lines(drawing, Point { x, y: y - 20.0 }, Anchor::Middle, &[name, "fullest node:", &fullest]);
}
