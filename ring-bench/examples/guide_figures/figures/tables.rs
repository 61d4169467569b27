//! The measured tables, as Markdown.

use std::fmt::Write as _;

use ring_core::{Fnv1aFmix64, Hash64, RingError, SipHash13, Xxh3};

use super::hashes::{JavaString, PlainFnv1a, numbered_nodes};
use super::placement::{copies_at, largest, median, ratios, variance};
use super::{ids, ring_of, schemes};

/// Rings that a row of the tables is measured on: the same setting with other node ids.
const RINGS: u32 = 100;

/// The nodes of the tables of weights and second copies.
pub(super) const UNEQUAL: [(&str, u32); 5] =
    [("n1", 1), ("n2", 1), ("n3", 1), ("n4", 2), ("n5", 5)];

/// A table's head; all columns are right-aligned.
fn head(columns: &[&str]) -> String {
    format!("| {} |\n|{}\n", columns.join(" | "), "--:|".repeat(columns.len()))
}

/// A whole number with commas.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The deviation of a share with `own` of `all` tokens, over its mean: the Beta law.
pub(super) fn law(own: u32, all: u32) -> f64 {
    (f64::from(all - own) / (f64::from(own) * f64::from(all + 1))).sqrt()
}

/// Balance of equal nodes: the law beside a hundred rings.
pub(super) fn balance() -> Result<String, RingError> {
    let mut table = head(&[
        "N",
        "V",
        "tokens",
        "cv by the law",
        "cv measured",
        "fullest ÷ mean",
        "worst of 100",
    ]);
    for (nodes, vnodes) in [
        (10, 1),
        (10, 10),
        (10, 100),
        (10, 1000),
        (100, 1),
        (100, 10),
        (100, 100),
        (100, 1000),
        (1000, 1),
        (1000, 10),
        (1000, 100),
    ] {
        let mut squares = 0.0;
        let mut fullest = Vec::new();
        for ring in 0..RINGS {
            let ratios = ratios(&ring_of(vnodes, ids(ring, nodes))?);
            squares += variance(&ratios);
            fullest.push(largest(&ratios));
        }
        let measured = (squares / f64::from(RINGS)).sqrt();
        let worst = largest(&fullest);
        let _ = writeln!(
            table,
            "| {} | {} | {} | {:.4} | {measured:.4} | {:.2} | {worst:.2} |",
            grouped(nodes),
            grouped(vnodes),
            grouped(nodes * vnodes),
            law(vnodes, nodes * vnodes),
            median(fullest),
        );
    }
    Ok(table)
}

/// The deviation of nodes of different weights.
pub(super) fn weights() -> Result<String, RingError> {
    const VNODES: u32 = 100;
    const NODES: [u32; 4] = [1, 2, 4, 8];
    let total: u32 = NODES.iter().sum();
    let mut squares = [0.0; NODES.len()];
    let mut sums = [0.0; NODES.len()];
    for ring in 0..RINGS {
        let nodes = NODES.iter().map(|&weight| (format!("r{ring}-weight-{weight}"), weight));
        let ratios = ratios(&ring_of(VNODES, nodes)?);
        for (place, ratio) in ratios.into_iter().enumerate() {
            squares[place] += (ratio - 1.0).powi(2);
            sums[place] += ratio;
        }
    }
    let mut table =
        head(&["weight", "tokens", "asked for", "mean share", "cv by the law", "cv measured"]);
    for (place, weight) in NODES.into_iter().enumerate() {
        let expected = f64::from(weight) / f64::from(total);
        let _ = writeln!(
            table,
            "| {weight} | {} | {expected:.4} | {:.4} | {:.4} | {:.4} |",
            weight * VNODES,
            expected * sums[place] / f64::from(RINGS),
            law(weight * VNODES, total * VNODES),
            (squares[place] / f64::from(RINGS)).sqrt(),
        );
    }
    Ok(table)
}

/// First and second copies of nodes of different weights, beside the law of drawing without putting back.
pub(super) fn second_copy() -> Result<String, RingError> {
    let mut first = [0.0; UNEQUAL.len()];
    let mut second = [0.0; UNEQUAL.len()];
    for ring in 0..RINGS {
        let nodes = UNEQUAL.map(|(id, weight)| (format!("r{ring}-{id}"), weight));
        let ring = ring_of(100, nodes)?;
        for (sums, copies) in
            [(&mut first, copies_at(&ring, 0)), (&mut second, copies_at(&ring, 1))]
        {
            for (sum, copy) in sums.iter_mut().zip(copies) {
                *sum += copy / f64::from(RINGS);
            }
        }
    }
    let total: f64 = UNEQUAL.iter().map(|node| f64::from(node.1)).sum();
    let part = |place: usize| f64::from(UNEQUAL[place].1) / total;
    let mut table = head(&[
        "node",
        "weight",
        "asked for",
        "first copies",
        "second copies by the law",
        "second copies",
        "both",
    ]);
    for (place, (id, weight)) in UNEQUAL.into_iter().enumerate() {
        let others = (0..UNEQUAL.len()).filter(|&other| other != place);
        let by_law: f64 = others.map(|other| part(other) * part(place) / (1.0 - part(other))).sum();
        let (first, second) = (first[place], second[place]);
        let _ = writeln!(
            table,
            "| {id} | {weight} | {:.3} | {first:.3} | {by_law:.3} | {second:.3} | {:.3} |",
            part(place),
            f64::midpoint(first, second),
        );
    }
    Ok(table)
}

/// What a hash does to balance, on ids that differ in their last characters only.
pub(super) fn hashes() -> Result<String, RingError> {
    let mut table = String::from(
        "| hash | 10 nodes: fullest ÷ mean | cv | 100 nodes: fullest ÷ mean | cv |\n|---|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, small: Vec<f64>, large: Vec<f64>| {
        let [small_cv, large_cv] = [&small, &large].map(|ratios| variance(ratios).sqrt());
        let [small, large] = [&small, &large].map(|ratios| largest(ratios));
        let _ =
            writeln!(table, "| {name} | {small:.3} | {small_cv:.4} | {large:.3} | {large_cv:.4} |");
    };
    row("FNV-1a without finaliser", under(PlainFnv1a, 10)?, under(PlainFnv1a, 100)?);
    row("Java's string hash", under(JavaString, 10)?, under(JavaString, 100)?);
    row("`Fnv1aFmix64`, the default", under(Fnv1aFmix64, 10)?, under(Fnv1aFmix64, 100)?);
    row("`Xxh3`", under(Xxh3, 10)?, under(Xxh3, 100)?);
    let secret = SipHash13::with_secret([7; 16]);
    row("`SipHash13`, one secret", under(secret, 10)?, under(secret, 100)?);
    let _ = writeln!(table, "| the law | | {:.4} | | {:.4} |", law(100, 1_000), law(100, 10_000));
    Ok(table)
}

fn under<H: Hash64>(hash: H, nodes: u32) -> Result<Vec<f64>, RingError> {
    Ok(ratios(&numbered_nodes(hash, nodes, 100)?))
}

/// The ring beside other schemes: 50 nodes, 100,000 keys.
pub(super) fn schemes() -> String {
    let mut table = String::from(
        "| scheme | fullest ÷ mean | moved by an add | needlessly | moved by a removal | needlessly |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    for (name, scheme) in schemes::ALL {
        let moves = schemes::measure(scheme, 50, 100_000);
        let percent = |part: f64| format!("{:.2} %", part * 100.0);
        let _ = writeln!(
            table,
            "| {name} | {:.2} | {} | {} | {} | {} |",
            moves.fullest,
            percent(moves.added.0),
            percent(moves.added.1),
            percent(moves.removed.0),
            percent(moves.removed.1),
        );
    }
    table
}
