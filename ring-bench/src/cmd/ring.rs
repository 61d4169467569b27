//! `ring`: writes a ring's snapshot, or its fingerprint.

use std::path::PathBuf;

use clap::value_parser;
use ring_bench::error::BenchError;
use ring_bench::hashes::AnyHash;
use ring_bench::output;
use ring_bench::ring_file::RingFile;
use ring_core::{Change, DEFAULT_VNODES_PER_WEIGHT, Hash64 as _, Ring as _};
use ring_sortedvec::SortedVecRing;

use super::capacities;
use super::changes::{self, ChangeArgs};
use super::options::{SecretArgs, hash_names, positive};

/// Build or change a ring and write its snapshot
///
/// The snapshot is a small JSON document with the nodes, their weights and a fingerprint, which
/// every other verb reads. The ring begins empty, or as --ring has it; the nodes of --capacities
/// are added, then come the changes, all of it as one batch. A node that is added without a
/// weight weighs 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench ring --add cache-a --add cache-b=2 --out ring.json
  ring-bench ring --ring ring.json --remove cache-a --set-weight cache-b=3
  ring-bench ring --ring ring.json --vnodes 200 --hash xxh3-64 --out other.json
  printf 'big\\t7.5\\nsmall\\t2.5\\n' > sizes.tsv
  ring-bench ring --capacities sizes.tsv --budget 100
  ring-bench ring --ring ring.json --fingerprint")]
pub(crate) struct Args {
    /// Begin with the ring in this snapshot instead of an empty one
    #[arg(long, value_name = "FILE")]
    ring: Option<PathBuf>,

    /// Tokens per unit of weight [default: as in --ring, else 100]
    #[arg(long, value_name = "V", value_parser = positive, allow_negative_numbers = true)]
    vnodes: Option<u32>,

    /// The hash [default: as in --ring, else fnv1a64-fmix64]
    #[arg(long, value_name = "NAME", value_parser = hash_names())]
    hash: Option<String>,

    #[command(flatten)]
    secret: SecretArgs,

    #[command(flatten)]
    changes: ChangeArgs,

    /// Add the nodes in this file, lines of `id TAB capacity`, with weights by capacity
    #[arg(long, value_name = "FILE", requires = "budget")]
    capacities: Option<PathBuf>,

    /// The sum of the weights that --capacities makes
    #[arg(long, value_name = "B", value_parser = positive, requires = "capacities")]
    #[arg(allow_negative_numbers = true)]
    budget: Option<u32>,

    /// Write the snapshot to this file, whole or not at all, instead of standard output
    #[arg(long, value_name = "FILE", value_parser = value_parser!(PathBuf))]
    out: Option<PathBuf>,

    /// Print the fingerprint alone, as 16 hexadecimal digits
    #[arg(long)]
    fingerprint: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    let ring = build(args)?;
    let snapshot = ring.snapshot();
    if let Some(path) = &args.out {
        output::write_file(path, snapshot.to_json().as_bytes())?;
    }
    match (args.fingerprint, &args.out, snapshot.fingerprint()) {
        (true, _, Some(fingerprint)) => output::print(&format!("{fingerprint:016x}\n")),
        (_, Some(_), _) => Ok(()),
        (_, None, _) => output::print(&snapshot.to_json()),
    }
}

fn build(args: &Args) -> Result<SortedVecRing<AnyHash>, BenchError> {
    let (mut ring, mut batch) = begin(args)?;
    let kept = batch.len();
    if let (Some(path), Some(budget)) = (&args.capacities, args.budget) {
        batch.extend(capacities::read(path, budget)?);
    }
    let sized = batch.len();
    batch.extend_from_slice(args.changes.as_slice());
    changes::apply(&mut ring, &batch, |index| {
        match (index.checked_sub(sized), &args.capacities) {
            (Some(change), _) => args.changes.place(change),
            (None, Some(path)) => capacities::place(path, index.saturating_sub(kept)),
            (None, None) => String::new(),
        }
    })?;
    Ok(ring)
}

/// The ring to begin with, and the nodes that are still to be added to it: those of a ring whose V or
/// hash is to be another.
fn begin(args: &Args) -> Result<(SortedVecRing<AnyHash>, Vec<Change>), BenchError> {
    let usage = |error: ring_core::RingError| BenchError::usage(error.to_string());
    let secret = args.secret.read()?;
    let Some(path) = &args.ring else {
        let hash = AnyHash::named(args.hash.as_deref().unwrap_or(AnyHash::NAMES[0]), secret)?;
        args.secret.check_used(&[hash])?;
        let ring = SortedVecRing::with_hash(args.vnodes.unwrap_or(DEFAULT_VNODES_PER_WEIGHT), hash);
        return Ok((ring.map_err(usage)?, Vec::new()));
    };
    let file = RingFile::read(path)?;
    let file_hash = file.hash(secret)?;
    let hash = match &args.hash {
        Some(name) => AnyHash::named(name, secret)?,
        None => file_hash,
    };
    args.secret.check_used(&[hash, file_hash])?;
    let ring: SortedVecRing<AnyHash> = file.build(file_hash)?;
    let vnodes = args.vnodes.unwrap_or(ring.vnodes_per_weight());
    if vnodes == ring.vnodes_per_weight() && hash.name() == file_hash.name() {
        return Ok((ring, Vec::new()));
    }
    let nodes = ring.nodes().map(|node| Change::add(node.id(), node.weight())).collect();
    Ok((SortedVecRing::with_hash(vnodes, hash).map_err(usage)?, nodes))
}
