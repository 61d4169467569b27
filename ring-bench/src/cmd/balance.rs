//! `balance`: how evenly a ring shares out the hash space, and keys.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use ring_bench::error::BenchError;
use ring_bench::hashes::AnyHash;
use ring_bench::keys::{BATCH, KeyLines};
use ring_bench::names::readable;
use ring_bench::output;
use ring_bench::ring_file::RingFile;
use ring_bench::table::{Align, Table};
use ring_core::{Ring as _, shares};
use ring_sortedvec::SortedVecRing;
use serde::Serialize;

use super::changes::ChangeArgs;
use super::options::{self, ReportFormat, SecretArgs, part};

/// Show how evenly a ring shares out the hash space, and your keys
///
/// A node's share is its exact part of the hash space; the expected one is its weight over the sum of
/// the weights. The ratio of the two is 1 where a node owns just what its weight asks for. With
/// changes the report has the ring before and after.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench balance --ring ring.json
  ring-bench balance --ring ring.json --keys keys.txt
  ring-bench balance --ring ring.json --add cache-c --set-weight cache-a=2
  ring-bench balance --ring ring.json --format json | jq .max_over_mean")]
pub(crate) struct Args {
    /// The ring's snapshot
    #[arg(long, value_name = "FILE")]
    ring: PathBuf,

    #[command(flatten)]
    changes: ChangeArgs,

    #[command(flatten)]
    secret: SecretArgs,

    /// Count the keys of this file by node, a line each; `-` is standard input
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_enum, default_value = "text")]
    format: ReportFormat,
}

const SCHEMA: &str = "ring-balance/1";

/// The document `ring-balance/1`.
#[derive(Serialize)]
struct Balance<'a> {
    schema: &'static str,
    fingerprint: String,
    tokens_total: usize,
    keys_total: Option<u64>,
    nodes: Vec<Node<'a>>,
    max_over_mean: Option<f64>,
    min_over_mean: Option<f64>,
    max_over_min: Option<f64>,
    cv: Option<f64>,
    keys_max_over_mean: Option<f64>,
    keys_min_over_mean: Option<f64>,
    keys_max_over_min: Option<f64>,
    keys_cv: Option<f64>,
}

#[derive(Serialize)]
struct Node<'a> {
    id: &'a str,
    weight: u32,
    tokens: usize,
    arc: String,
    share: f64,
    expected_share: f64,
    ratio: f64,
    keys: Option<u64>,
    key_ratio: Option<f64>,
}

/// The document with changes.
#[derive(Serialize)]
struct BeforeAndAfter<'a> {
    schema: &'static str,
    before: Balance<'a>,
    after: Balance<'a>,
}

type AnyRing = SortedVecRing<AnyHash>;

pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    let file = RingFile::read(&args.ring)?;
    let hash = file.hash(args.secret.read()?)?;
    args.secret.check_used(&[hash])?;
    let before: AnyRing = file.build(hash)?;
    let mut rings = vec![before];
    if !args.changes.is_empty() {
        let mut after = rings[0].clone();
        args.changes.apply_to(&mut after)?;
        rings.push(after);
    }
    let mut counters: Vec<Counter<'_>> = rings.iter().map(Counter::new).collect();
    let mut total = None;
    if let Some(path) = &args.keys {
        total = Some(count_keys(&mut counters, options::keys(path)?)?);
    }
    let mut balances = counters.iter().map(|counter| counter.balance(total));
    match (args.format, balances.next(), balances.next()) {
        (ReportFormat::Json, Some(before), Some(after)) => {
            options::print_json(&BeforeAndAfter { schema: SCHEMA, before, after })
        }
        (ReportFormat::Json, ring, _) => options::print_json(&ring),
        (ReportFormat::Text, Some(before), Some(after)) => {
            output::print(&format!("Before\n{}\nAfter\n{}", text(&before), text(&after)))
        }
        (ReportFormat::Text, ring, _) => {
            output::print(&ring.as_ref().map(text).unwrap_or_default())
        }
    }
}

/// A ring, and how many keys each of its nodes owns, by place in id order.
struct Counter<'a> {
    ring: &'a AnyRing,
    places: HashMap<&'a str, usize>,
    keys: Vec<u64>,
}

impl<'a> Counter<'a> {
    fn new(ring: &'a AnyRing) -> Self {
        let places = ring.nodes().enumerate().map(|(place, node)| (node.id(), place)).collect();
        Self { ring, places, keys: vec![0; ring.node_count()] }
    }

    fn balance(&self, keys_total: Option<u64>) -> Balance<'a> {
        let nodes: Vec<Node<'a>> = shares(self.ring)
            .into_iter()
            .zip(&self.keys)
            .map(|(share, &keys)| Node {
                id: share.id,
                weight: share.weight,
                tokens: share.tokens,
                arc: share.arc.to_string(),
                share: share.share,
                expected_share: share.expected,
                ratio: share.share / share.expected,
                keys: keys_total.map(|_| keys),
                key_ratio: keys_total
                    .and_then(|total| part(keys, total))
                    .map(|part| part / share.expected),
            })
            .collect();
        let space = Spread::of(nodes.iter().map(|node| Some(node.ratio)));
        let keys = Spread::of(nodes.iter().map(|node| node.key_ratio));
        Balance {
            schema: SCHEMA,
            fingerprint: format!("{:016x}", self.ring.fingerprint()),
            tokens_total: self.ring.token_count(),
            keys_total,
            max_over_mean: space.as_ref().map(|spread| spread.max),
            min_over_mean: space.as_ref().map(|spread| spread.min),
            max_over_min: space.as_ref().and_then(Spread::max_over_min),
            cv: space.as_ref().map(|spread| spread.cv),
            keys_max_over_mean: keys.as_ref().map(|spread| spread.max),
            keys_min_over_mean: keys.as_ref().map(|spread| spread.min),
            keys_max_over_min: keys.as_ref().and_then(Spread::max_over_min),
            keys_cv: keys.as_ref().map(|spread| spread.cv),
            nodes,
        }
    }
}

/// Counts the keys by owner in each ring; returns how many there are.
fn count_keys(counters: &mut [Counter<'_>], mut keys: KeyLines) -> Result<u64, BenchError> {
    let mut total = 0;
    let mut owners = Vec::with_capacity(BATCH);
    while let Some(mut chunk) = keys.next_chunk()? {
        let mut batch = [&b""[..]; BATCH];
        loop {
            let keys = chunk.next_batch(&mut batch);
            if keys.is_empty() {
                break;
            }
            total += keys.len() as u64;
            for counter in &mut *counters {
                owners.clear();
                counter.ring.get_node_batch(keys, &mut owners);
                for place in owners.iter().filter_map(|owner| counter.places.get((*owner)?)) {
                    counter.keys[*place] += 1;
                }
            }
        }
    }
    Ok(total)
}

/// How ratios to the expected part spread around 1.
struct Spread {
    max: f64,
    min: f64,
    cv: f64,
}

impl Spread {
    /// `None` where there are no ratios.
    fn of(ratios: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let ratios: Vec<f64> = ratios.collect::<Option<_>>()?;
        let squares: f64 = ratios.iter().map(|ratio| (ratio - 1.0).powi(2)).sum();
        Some(Self {
            max: ratios.iter().copied().reduce(f64::max)?,
            min: ratios.iter().copied().reduce(f64::min)?,
            cv: (squares / options::float(ratios.len() as u64)).sqrt(),
        })
    }

    /// `None` where the smallest is 0.
    fn max_over_min(&self) -> Option<f64> {
        Some(self.max / self.min).filter(|ratio| ratio.is_finite())
    }
}

fn text(balance: &Balance<'_>) -> String {
    let mut text = format!(
        "ring  {}, {}\n",
        balance.fingerprint,
        options::size(balance.nodes.len(), balance.tokens_total)
    );
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
    if !balance.nodes.is_empty() {
        let _ = writeln!(
            text,
            "share of the hash space: max/mean {}, min/mean {}, max/min {}, cv {}",
            number(balance.max_over_mean),
            number(balance.min_over_mean),
            number(balance.max_over_min),
            number(balance.cv)
        );
    }
    if let Some(total) = balance.keys_total {
        let _ = writeln!(
            text,
            "{total} keys: max/mean {}, min/mean {}, max/min {}, cv {}",
            number(balance.keys_max_over_mean),
            number(balance.keys_min_over_mean),
            number(balance.keys_max_over_min),
            number(balance.keys_cv)
        );
    }
    if balance.nodes.is_empty() {
        return text;
    }
    let mut columns = vec![("node", Align::Left)];
    let numbers = ["weight", "tokens", "share %", "expected %", "ratio", "keys", "key ratio"];
    let shown = if balance.keys_total.is_some() { numbers.len() } else { numbers.len() - 2 };
    columns.extend(numbers[..shown].iter().map(|&name| (name, Align::Right)));
    let mut table = Table::new(&columns);
    for node in &balance.nodes {
        table.row([
            readable(node.id),
            node.weight.to_string(),
            node.tokens.to_string(),
            format!("{:.4}", 100.0 * node.share),
            format!("{:.4}", 100.0 * node.expected_share),
            format!("{:.4}", node.ratio),
            node.keys.map_or(String::new(), |keys| keys.to_string()),
            number(node.key_ratio),
        ]);
    }
    text.push('\n');
    text += &table.render();
    text
}
