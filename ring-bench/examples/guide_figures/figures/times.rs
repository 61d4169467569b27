//! The tables of times. No clock runs here: they are read from runs that were measured by `ring-bench` and stand in
//! its folder, so that they are the same on every machine too.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ring_bench::record::{Class, Environment, RatioRow, Row};
use ring_bench::report::number::{Unit, count, plus_minus, ratio_interval};
use ring_bench::results::run_dir::Env;
use ring_bench::stats::Interval;
use serde::Deserialize;

use super::float;

/// What is read of the document of `ring-bench compare --peers`.
#[derive(Deserialize)]
pub(crate) struct Peers {
    schema: String,
    class: Class,
    contenders: Vec<Listed>,
    rows: Vec<Row>,
    ratios: Vec<RatioRow>,
    environment: Environment,
}

#[derive(Deserialize)]
struct Listed {
    label: String,
    contender: String,
    hash: String,
    package: String,
    note: String,
}

/// What is read of the `results.json` of the reference run.
#[derive(Deserialize)]
struct Backends {
    class: Class,
    rows: Vec<Row>,
}

/// The hash that the schemes are compared under.
const HASH: &str = "xxh3-64";

/// The schemes of the table: as the page calls them, and as the run does.
const SCHEMES: [(&str, &str); 6] = [
    ("ring on a sorted vector", "SortedVecRing"),
    ("ring on a tree", "BTreeRing"),
    ("`hash % N`", "hash % N"),
    ("jump", "jumphash"),
    ("rendezvous", "hrw-hash"),
    ("Maglev", "maglev"),
];

/// How a reader comes to its ring: as the page says it, and as the run does.
const READERS: [(&str, &str); 4] = [
    ("the ring alone, nobody changes it", "SortedVecRing"),
    ("`SharedRing`, a `reader` for each thread", "SharedRing, reader handle"),
    ("`SharedRing`, `load` for each lookup", "SharedRing, guard a lookup"),
    ("`RwLock`, a read lock for each lookup", "RwLock<SortedVecRing>"),
];

/// The ring's nodes where readers are compared.
const READERS_NODES: usize = 100;

fn bench_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where the document of `compare --peers` stands that the tables show.
pub(crate) fn peers_place() -> PathBuf {
    bench_folder().join("reference-peers.json")
}

/// Reads a document of `compare --peers` that figures may be taken from.
pub(crate) fn read_peers(text: &str) -> Result<Peers, Box<dyn Error>> {
    let peers: Peers = serde_json::from_str(text)
        .map_err(|error| format!("this is no document of `ring-bench compare --peers`: {error}"))?;
    if peers.schema != "ring-peers/1" {
        return Err(
            format!("the schema is {:?}, but must be \"ring-peers/1\"", peers.schema).into()
        );
    }
    if peers.class == Class::Smoke {
        return Err(
            "the class is smoke, and such figures are no evidence: measure without --quick".into(),
        );
    }
    Ok(peers)
}

/// The committed document; `None` where none was published yet.
fn committed() -> Result<Option<Peers>, Box<dyn Error>> {
    let place = peers_place();
    if !place.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&place)?;
    read_peers(&text).map(Some).map_err(|error| format!("{}: {error}", place.display()).into())
}

fn half_width(row: &Row) -> f64 {
    Interval { median: row.median, low: row.low, high: row.high, coverage: 0.0 }.half_width()
}

/// A time with its uncertainty.
fn cell(row: Option<&Row>, unit: Unit) -> String {
    row.map_or_else(
        || "-".to_owned(),
        |row| format!("{} {}", unit.write(row.median), plus_minus(half_width(row))),
    )
}

/// Where and how a run was measured, as a sentence.
fn circumstances(class: Class, environment: &Environment) -> String {
    let machine = &environment.machine;
    let kind = if machine.virtual_machine { "a virtual machine" } else { "a machine" };
    format!(
        "Class {}, {kind} with {} processors ({}): read the ratios, not the times.",
        class.name(),
        machine.cpus,
        machine.cpu
    )
}

impl Peers {
    fn contender(&self, name: &str, hash: &str) -> Option<&Listed> {
        self.contenders.iter().find(|one| one.contender == name && one.hash == hash)
    }

    fn row(&self, label: &str, operation: &str, regime: &str, nodes: usize) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.backend == label
                && row.operation == operation
                && row.regime == regime
                && row.nodes == nodes
        })
    }

    /// The numbers of nodes that lookups were timed with, ascending.
    fn sizes(&self) -> Vec<usize> {
        let gets =
            self.rows.iter().filter(|row| row.operation == "get" && row.regime == "throughput");
        let mut sizes: Vec<usize> = gets.map(|row| row.nodes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// What each scheme costs; empty where no run was published.
pub(super) fn schemes() -> Result<String, Box<dyn Error>> {
    committed()?.map_or_else(|| Ok(String::new()), |peers| schemes_of(&peers))
}

pub(crate) fn schemes_of(peers: &Peers) -> Result<String, Box<dyn Error>> {
    let sizes = peers.sizes();
    let largest = *sizes.last().ok_or("the run has no lookups")?;
    let mut table = String::from("# What each costs in time\n\n");
    let _ = writeln!(
        table,
        "Medians of one run of `ring-bench compare --peers`, which stands in `ring-bench/reference-peers.json`; ± is half \
         an interval. Lookups are single calls of one thread, all under XXH3, which alone is the row *hash*. A crate's \
         change is timed under the hash that it ships with. {}\n",
        circumstances(peers.class, &peers.environment)
    );
    table += "| scheme | measured as |";
    for &nodes in &sizes {
        let _ = write!(table, " lookup, N = {} \\[ns] |", count(float(nodes)));
    }
    let size = count(float(largest));
    let _ = writeln!(table, " a node comes, N = {size} \\[µs] | memory, N = {size} \\[KiB] |");
    let _ = writeln!(table, "|---|---|{}", "--:|".repeat(sizes.len() + 2));
    for (name, contender) in SCHEMES {
        let own = peers
            .contender(contender, HASH)
            .ok_or_else(|| format!("the run has no contender {contender:?} under {HASH}"))?;
        let mut source = own.package.as_str();
        if source.is_empty() {
            source = "this repository";
        }
        let note = if own.note.is_empty() { String::new() } else { format!(": {}", own.note) };
        let _ = write!(table, "| {name} | {source}{note} |");
        for &nodes in &sizes {
            let _ = write!(
                table,
                " {} |",
                cell(peers.row(&own.label, "get", "throughput", nodes), Unit::Ns)
            );
        }
        let add = peers.row(&own.label, "add", "exclusive", largest).or_else(|| {
            let shipped = peers.contender(contender, "shipped")?;
            peers.row(&shipped.label, "add", "exclusive", largest)
        });
        let memory = peers.row(&own.label, "heap", "bulk", largest);
        let memory = memory.map_or_else(|| "-".to_owned(), |row| count(row.median / 1024.0));
        let _ = writeln!(table, " {} | {memory} |", cell(add, Unit::Us));
    }
    table += "| *hash* | |";
    for &nodes in &sizes {
        let label = format!("hash alone ({HASH})");
        let _ =
            write!(table, " {} |", cell(peers.row(&label, "get", "throughput", nodes), Unit::Ns));
    }
    table += " | |\n";
    Ok(table)
}

/// What a reader pays for its ring; empty where no run was published.
pub(super) fn readers() -> Result<String, Box<dyn Error>> {
    committed()?.map_or_else(|| Ok(String::new()), |peers| readers_of(&peers))
}

pub(crate) fn readers_of(peers: &Peers) -> Result<String, Box<dyn Error>> {
    let label = |contender: &str| format!("{contender} (fnv1a64-fmix64)");
    let bare = label(READERS[0].1);
    let base = peers
        .row(&bare, "get", "throughput", READERS_NODES)
        .ok_or_else(|| format!("the run has no lookups of {bare}"))?;
    let mut table = format!(
        "What a reader pays, nobody else asking at the same time ({READERS_NODES} nodes, V = {}). With several threads a \
         lock gets dearer, since all of them write to it. One run of `ring-bench compare --peers`, which stands in \
         `ring-bench/reference-peers.json`. {}\n\n| | one lookup, times that of the ring alone |\n|---|--:|\n",
        base.vnodes,
        circumstances(peers.class, &peers.environment)
    );
    for (name, contender) in READERS {
        let own = label(contender);
        let cell = if own == bare {
            format!("1 ({} ns)", Unit::Ns.write(base.median))
        } else {
            let ratio = peers.ratios.iter().find(|ratio| {
                ratio.of == own
                    && ratio.over == bare
                    && ratio.operation == "get"
                    && ratio.nodes == READERS_NODES
            });
            let ratio =
                ratio.ok_or_else(|| format!("the run does not compare {own} with {bare}"))?;
            ratio_interval(ratio.ratio, ratio.low, ratio.high)
        };
        let _ = writeln!(table, "| {name} | {} |", cell.replace('[', "\\["));
    }
    Ok(table)
}

/// What a change costs the one that makes it, in place and published, from the reference run of the two backends.
pub(super) fn changes() -> Result<String, Box<dyn Error>> {
    let folder = bench_folder().join("reference");
    let read = |file: &Path| {
        std::fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))
    };
    let backends: Backends = serde_json::from_str(&read(&folder.join("results.json"))?)?;
    let env: Env = serde_json::from_str(&read(&folder.join("env.json"))?)?;
    let mut table = format!(
        "What one node more costs (sorted vector; the reference run in `ring-bench/reference`). In place, under a lock, \
         every reader waits that long. Published, no reader waits, and the thread that changes the ring pays for the \
         copy. {}\n\n| tokens | in place \\[µs] | published \\[µs] |\n|--:|--:|--:|\n",
        circumstances(backends.class, &env.environment)
    );
    let adds = backends.rows.iter().filter(|row| {
        row.experiment == "update" && row.operation == "add" && row.backend == "sortedvec"
    });
    let mut sizes: Vec<u64> = adds.clone().map(|row| row.tokens).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for tokens in sizes {
        let of = |regime: &str| {
            let row = adds.clone().find(|row| row.tokens == tokens && row.regime == regime);
            row.map(|row| cell(Some(row), Unit::Us))
                .ok_or_else(|| format!("the run has no {regime} add at {tokens}"))
        };
        let (place, published) = (of("exclusive")?, of("published")?);
        let _ = writeln!(
            table,
            "| {} | {place} | {published} |",
            count(float(usize::try_from(tokens)?))
        );
    }
    Ok(table)
}
