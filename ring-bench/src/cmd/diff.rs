//! `diff`: what moves between two rings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ring_bench::error::BenchError;
use ring_bench::hashes::AnyHash;
use ring_bench::keys::{BATCH, KeyLines};
use ring_bench::names::readable;
use ring_bench::output;
use ring_bench::ring_file::RingFile;
use ring_bench::table::{Align, Table};
use ring_core::{Diff, Hash64 as _, Ring as _};
use ring_sortedvec::SortedVecRing;
use serde::Serialize;

use super::changes::{ChangeArgs, GROUP};
use super::options::{self, ReportFormat, SecretArgs, part};

/// Show what moves between two rings: exactly, and among your keys
///
/// The rings are two snapshots, or one before and after changes. What moves is counted in places of
/// the hash space, of which there are 2^64, by pair of old and new owner.
#[derive(Debug, clap::Args)]
#[command(override_usage = "\
ring-bench diff --from <A> --to <B> [OPTIONS]
       ring-bench diff --ring <A> [CHANGES] [OPTIONS]")]
#[command(after_help = "\
Examples:
  ring-bench diff --from before.json --to after.json
  ring-bench diff --ring ring.json --add cache-c --remove cache-a
  ring-bench diff --ring ring.json --set-weight cache-b=3 --keys keys.txt
  ring-bench diff --from before.json --to after.json --format json | jq .moved_fraction")]
pub(crate) struct Args {
    /// The snapshot of the ring before
    #[arg(long, value_name = "A", requires = "to", conflicts_with = GROUP)]
    from: Option<PathBuf>,

    /// The snapshot of the ring after
    #[arg(long, value_name = "B", requires = "from", conflicts_with = GROUP)]
    to: Option<PathBuf>,

    /// The snapshot of the ring that the changes are made to
    #[arg(long, value_name = "A", conflicts_with_all = ["from", "to"])]
    ring: Option<PathBuf>,

    #[command(flatten)]
    changes: ChangeArgs,

    #[command(flatten)]
    secret: SecretArgs,

    /// Count the moved keys of this file, a line each; `-` is standard input
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,

    /// How the report is written
    #[arg(long, value_enum, default_value = "text")]
    format: ReportFormat,
}

/// The document `ring-diff/1`.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    hash: &'a str,
    from_fingerprint: String,
    to_fingerprint: String,
    moved: String,
    moved_fraction: f64,
    flows: Vec<Flow<'a>>,
    keys_total: Option<u64>,
    keys_moved: Option<u64>,
}

#[derive(Serialize)]
struct Flow<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    moved: String,
    fraction: f64,
    keys: Option<u64>,
}

type AnyRing = SortedVecRing<AnyHash>;

pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    let (before, after, place) = rings(args)?;
    let diff = ring_core::diff(&before, &after)
        .map_err(|error| BenchError::usage(error.to_string()).at(&place))?;
    let keys = match &args.keys {
        None => None,
        Some(path) => Some(count_keys(&before, &after, &diff, options::keys(path)?)?),
    };
    let report = report(&before, &after, &diff, keys.as_ref());
    match args.format {
        ReportFormat::Json => options::print_json(&report),
        ReportFormat::Text => output::print(&text(&report, &before, &after)),
    }
}

/// The ring before, the one after, and what messages call them.
fn rings(args: &Args) -> Result<(AnyRing, AnyRing, String), BenchError> {
    let secret = args.secret.read()?;
    let read = |path: &Path| -> Result<(RingFile, AnyHash), BenchError> {
        let file = RingFile::read(path)?;
        let hash = file.hash(secret)?;
        Ok((file, hash))
    };
    match (&args.from, &args.to, &args.ring) {
        (Some(from), Some(to), _) => {
            let (from, from_hash) = read(from)?;
            let (to, to_hash) = read(to)?;
            args.secret.check_used(&[from_hash, to_hash])?;
            let place = format!("{} and {}", from.name(), to.name());
            Ok((from.build(from_hash)?, to.build(to_hash)?, place))
        }
        (_, _, Some(ring)) => {
            let (file, hash) = read(ring)?;
            args.secret.check_used(&[hash])?;
            let before: AnyRing = file.build(hash)?;
            let mut after = before.clone();
            args.changes.apply_to(&mut after)?;
            Ok((before, after, file.name()))
        }
        _ => Err(BenchError::usage(
            "two rings are needed: --from A --to B, or --ring A and changes to it",
        )),
    }
}

/// How many keys there are, and how many moved, by place in the list of flows.
struct KeyCounts {
    total: u64,
    moved: Vec<u64>,
}

/// Looks each key up in both rings and counts those whose owner is another.
fn count_keys(
    before: &AnyRing,
    after: &AnyRing,
    diff: &Diff<'_>,
    mut keys: KeyLines,
) -> Result<KeyCounts, BenchError> {
    let flows = diff.flows();
    let mut counts = KeyCounts { total: 0, moved: vec![0; flows.len()] };
    let (mut from, mut to) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    while let Some(mut chunk) = keys.next_chunk()? {
        let mut batch = [&b""[..]; BATCH];
        loop {
            let keys = chunk.next_batch(&mut batch);
            if keys.is_empty() {
                break;
            }
            from.clear();
            to.clear();
            before.get_node_batch(keys, &mut from);
            after.get_node_batch(keys, &mut to);
            for (key, (&from, &to)) in keys.iter().zip(from.iter().zip(&to)) {
                counts.total += 1;
                if from == to {
                    continue;
                }
                match flows.binary_search_by(|flow| (flow.from, flow.to).cmp(&(from, to))) {
                    Ok(place) => counts.moved[place] += 1,
                    Err(_) => return Err(contradiction(key, from, to)),
                }
            }
        }
    }
    Ok(counts)
}

/// Lookups and arcs are two ways to the same answer.
fn contradiction(key: &[u8], from: Option<&str>, to: Option<&str>) -> BenchError {
    BenchError::AnswersDiffer(format!(
        "key \"{}\" moves from {from:?} to {to:?}, but no arc of the hash space does",
        key.escape_ascii()
    ))
}

fn report<'a>(
    before: &'a AnyRing,
    after: &'a AnyRing,
    diff: &Diff<'a>,
    keys: Option<&KeyCounts>,
) -> Report<'a> {
    let flow = |(place, flow): (usize, &ring_core::Flow<'a>)| Flow {
        from: flow.from,
        to: flow.to,
        moved: flow.moved.to_string(),
        fraction: ring_core::fraction(flow.moved),
        keys: keys.map(|keys| keys.moved[place]),
    };
    Report {
        schema: "ring-diff/1",
        hash: before.hasher().name(),
        from_fingerprint: format!("{:016x}", before.fingerprint()),
        to_fingerprint: format!("{:016x}", after.fingerprint()),
        moved: diff.moved().to_string(),
        moved_fraction: diff.moved_fraction(),
        flows: diff.flows().iter().enumerate().map(flow).collect(),
        keys_total: keys.map(|keys| keys.total),
        keys_moved: keys.map(|keys| keys.moved.iter().sum()),
    }
}

fn text(report: &Report<'_>, before: &AnyRing, after: &AnyRing) -> String {
    let ring = |word: &str, fingerprint: &str, ring: &AnyRing| {
        format!(
            "{word:5}  {fingerprint}, {}, V {}\n",
            options::size(ring.node_count(), ring.token_count()),
            ring.vnodes_per_weight()
        )
    };
    let mut text = ring("from", &report.from_fingerprint, before);
    text += &ring("to", &report.to_fingerprint, after);
    let _ = writeln!(
        text,
        "moved  {:.4} % of the hash space, {} of 2^64 places",
        100.0 * report.moved_fraction,
        report.moved
    );
    if let (Some(total), Some(moved)) = (report.keys_total, report.keys_moved) {
        let percent =
            part(moved, total).map_or(String::new(), |part| format!(", {:.4} %", 100.0 * part));
        let _ = writeln!(text, "keys   {moved} of {total} moved{percent}");
    }
    if report.flows.is_empty() {
        return text;
    }
    let mut columns =
        vec![("from", Align::Left), ("to", Align::Left), ("% of space", Align::Right)];
    if report.keys_total.is_some() {
        columns.push(("keys", Align::Right));
    }
    let mut table = Table::new(&columns);
    let owner = |id: Option<&str>| id.map_or("(no node)".to_owned(), readable);
    for flow in &report.flows {
        let cells = [owner(flow.from), owner(flow.to), format!("{:.4}", 100.0 * flow.fraction)];
        table.row(cells.into_iter().chain(flow.keys.map(|keys| keys.to_string())));
    }
    text.push('\n');
    text += &table.render();
    text
}
