//! `choose`: which backend a workload should take.

use std::fmt::Write as _;
use std::time::Duration;

use ring_bench::choose::workload::{Lookups, PRESETS, Workload};
use ring_bench::choose::{Choice, Constraints, Excluded, run as choose};
use ring_bench::error::BenchError;
use ring_bench::lockstep::link::Program;
use ring_bench::mix::MixKind;
use ring_bench::output;
use ring_bench::report::number::{count, ratio_interval, time};
use ring_bench::routine::Regime;
use ring_bench::stats::real;
use ring_bench::table::{Align, Table};

use super::console::{self, Color};
use super::options::{self, ReportFormat};
use super::progress::Bar;

/// Choose the backend for a workload: by cost, with pauses, memory and how sure it is
///
/// Measures lookups alone and changes alone in pairs of processes, and from them the cost of a changed node with its
/// lookups. The line between the two is checked by running the mixed workload. Constraints filter first, then cost
/// decides. The verdict is `undecidable` where the interval of the cost ratio holds 1, the sittings disagree, two copies
/// of one backend differ by more than a third of the effect, or (on a ring that fits the second-level cache) the mixed
/// workload is more than 15 % off the line. Takes up to a minute; the exit code is 0 whatever the verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Presets: cache-fleet, cdn-edge, kv-shards, autoscaling-churn, giant

A workload file is TOML; only the first two fields are required, unknown ones are errors:
  nodes = 100
  lookups_per_change = 1000      # for each changed node; or \"only\" where nothing changes
  name = \"mine\"                  vnodes = 100            max_weight = 1
  batch = 1                      change = \"node\"         # or \"weight\"
  regime = \"exclusive\"           # or \"published\"         hash = \"fnv1a64-fmix64\"
  corpus = \"uniform(16)\"         # or \"file:keys.txt\"     keys = 1048576    seed = 42

Examples:
  ring-bench choose cache-fleet
  ring-bench choose workload.toml --max-pause 50us --max-memory 4MiB
  ring-bench choose --nodes 1000 --vnodes 128 --lookups-per-change 1
  ring-bench choose --nodes 10 --vnodes 100 --lookups-per-change only --format json
  ring-bench choose kv-shards --max-over-mean 1.2")]
pub(crate) struct Args {
    /// A preset or a workload file; flags change single fields of it
    #[arg(value_name = "PRESET|FILE")]
    workload: Option<String>,

    /// Nodes
    #[arg(long, value_name = "N", value_parser = options::count)]
    nodes: Option<usize>,

    /// Tokens per unit of weight
    #[arg(long, value_name = "V", value_parser = options::positive)]
    vnodes: Option<u32>,

    /// The largest weight: each node weighs 1 to this
    #[arg(long, value_name = "W", value_parser = options::positive)]
    max_weight: Option<u32>,

    /// Hash of the ring
    #[arg(long, value_name = "NAME", value_parser = options::hash_names())]
    hash: Option<String>,

    /// Lookups for each changed node, or `only` where nothing changes
    #[arg(long, visible_alias = "lookups", value_name = "L")]
    lookups_per_change: Option<Lookups>,

    /// Nodes that one change touches
    #[arg(long, value_name = "B", value_parser = options::positive)]
    batch: Option<u32>,

    /// What a change does: nodes join and leave, or weights go up and down
    #[arg(long, value_enum, value_name = "KIND")]
    change: Option<ChangeName>,

    /// Whether changes are made in place, or to a copy that is then published to readers
    #[arg(long, value_enum, value_name = "REGIME")]
    regime: Option<RegimeName>,

    /// Keys, by the name of a corpus; see `ring-bench compare --help`
    #[arg(long, value_name = "NAME")]
    corpus: Option<String>,

    /// How many keys
    #[arg(long, value_name = "N", value_parser = options::count)]
    keys_count: Option<usize>,

    /// Seed of keys, weights, changes and order
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Leave out a backend whose readers wait longer: the time that 99 % of the lookups due during a change stay within
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    max_pause: Option<Duration>,

    /// Leave out a backend whose rings take more at the worst moment, such as 4MiB; published rings are there twice
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_hyphen_values = true)]
    max_memory: Option<u64>,

    /// Also find the smallest V that keeps the fullest node within this many times its expected share, with 99 %
    /// probability
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    max_over_mean: Option<f64>,

    /// How the result is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ChangeName {
    Node,
    Weight,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RegimeName {
    Exclusive,
    Published,
}

/// A number followed by a unit.
fn split(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// Takes `50us`, `3ms`, `800ns`, `1s`.
fn duration(text: &str) -> Result<Duration, String> {
    let rule = "a time is a whole number with its unit: ns, us, ms or s, such as 50us";
    match split(text) {
        Some((n, "ns")) => Ok(Duration::from_nanos(n)),
        Some((n, "us" | "µs")) => Ok(Duration::from_micros(n)),
        Some((n, "ms")) => Ok(Duration::from_millis(n)),
        Some((n, "s")) => Ok(Duration::from_secs(n)),
        _ => Err(rule.to_owned()),
    }
}

/// Takes `4MiB`, `512KiB`, `1GiB`, `20MB`, `4096`.
fn bytes(text: &str) -> Result<u64, String> {
    let rule = "a size is a whole number of bytes, or with KiB, MiB, GiB, kB, MB or GB";
    let factor = match split(text) {
        Some((_, "" | "B")) => 1,
        Some((_, "KiB")) => 1 << 10,
        Some((_, "MiB")) => 1 << 20,
        Some((_, "GiB")) => 1 << 30,
        Some((_, "kB")) => 1_000,
        Some((_, "MB")) => 1_000_000,
        Some((_, "GB")) => 1_000_000_000,
        _ => return Err(rule.to_owned()),
    };
    split(text).and_then(|(n, _)| n.checked_mul(factor)).ok_or_else(|| rule.to_owned())
}

impl Args {
    /// The workload that file or preset and flags make up.
    fn workload(&self) -> Result<Workload, BenchError> {
        let mut workload = match (&self.workload, self.nodes, self.lookups_per_change) {
            (Some(name), ..) => Workload::named(name)?,
            (None, Some(nodes), Some(lookups)) => Workload::new(nodes, lookups),
            _ => {
                let presets: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
                return Err(BenchError::usage(format!(
                    "choose needs a preset ({}), a workload file, or at least --nodes and --lookups-per-change",
                    presets.join(", ")
                )));
            }
        };
        macro_rules! take {
            ($($field:ident = $flag:expr),* $(,)?) => {
                $(if let Some(value) = $flag { workload.$field = value; })*
            };
        }
        take!(
            nodes = self.nodes,
            vnodes = self.vnodes,
            max_weight = self.max_weight,
            hash = self.hash.clone(),
            lookups_per_change = self.lookups_per_change,
            batch = self.batch,
            corpus = self.corpus.clone(),
            seed = self.seed,
            change = self.change.map(|change| match change {
                ChangeName::Node => MixKind::Node,
                ChangeName::Weight => MixKind::Weight,
            }),
            regime = self.regime.map(|regime| match regime {
                RegimeName::Exclusive => Regime::Exclusive,
                RegimeName::Published => Regime::Published,
            }),
        );
        workload.keys = self.keys_count.or(workload.keys);
        workload.check()?;
        Ok(workload)
    }
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    let workload = args.workload()?;
    let constraints = Constraints {
        max_pause: args.max_pause,
        max_memory: args.max_memory,
        max_over_mean: args.max_over_mean,
    };
    let progress = Bar::new();
    let choice = choose(&workload, &constraints, &Program::this("ring-bench")?, &progress)?;
    drop(progress);
    for warning in &choice.warnings {
        console::warning(color, warning);
    }
    match args.format {
        ReportFormat::Text => output::print(&text(&choice)),
        ReportFormat::Json => options::print_json(&choice),
    }
}

fn text(choice: &Choice) -> String {
    let settings = &choice.settings;
    let mut text = format!(
        "{}: {} nodes, {} tokens per unit of weight, {} lookups for each changed node, {} nodes a change, keys {}\n\n",
        choice.workload,
        count(real(settings.nodes as u64)),
        settings.vnodes,
        settings.lookups_per_change,
        settings.batch,
        settings.corpus,
    );
    let mut columns = vec![("", Align::Left)];
    let names: Vec<&str> = choice.cost_ns.keys().map(String::as_str).rev().collect();
    columns.extend(names.iter().map(|name| (*name, Align::Right)));
    let mut table = Table::new(&columns);
    let mut line = |name: &str, cell: &dyn Fn(&str) -> Option<String>| {
        let cells: Vec<Option<String>> = names.iter().map(|name| cell(name)).collect();
        if cells.iter().any(Option::is_some) {
            let mut row = vec![name.to_owned()];
            row.extend(cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_owned())));
            table.row(row);
        }
    };
    line("one lookup", &|name| choice.lookup_ns.get(name).map(|ns| time(*ns)));
    line("one changed node", &|name| choice.update_ns.get(name).map(|ns| time(*ns)));
    line("the workload, a changed node", &|name| choice.cost_ns.get(name).map(|ns| time(*ns)));
    let pause = |name: &str, of: fn(&ring_bench::choose::measure::Pause) -> Option<u64>| {
        choice.pause_ns.get(name).and_then(of).map(|ns| time(real(ns)))
    };
    line("pause in a change, p50", &|name| pause(name, |p| p.p50));
    line("pause in a change, p99", &|name| pause(name, |p| p.p99));
    line("pause in a change, p99.9", &|name| pause(name, |p| p.p999));
    line("pause in a change, longest", &|name| pause(name, |p| p.max));
    line("bytes at the worst moment", &|name| choice.bytes.get(name).map(|n| count(real(*n))));
    text += &table.render();
    let ratio = &choice.cost_ratio;
    let _ = writeln!(
        text,
        "\ncost ratio btree/sortedvec {}, {} cheaper with probability {:.3} ({} process pairs over {} sittings)",
        ratio_interval(ratio.median, ratio.low, ratio.high),
        choice.cheaper,
        choice.p_cheaper,
        choice.pairs,
        choice.sittings
    );
    match &choice.break_even {
        Some(even) => {
            let _ = writeln!(
                text,
                "break-even at {} [{}, {}] lookups for each changed node: {}",
                count(even.lookups_per_change),
                count(even.low),
                count(even.high),
                choice.break_even_reason
            );
        }
        None => {
            let _ = writeln!(text, "no break-even: {}", choice.break_even_reason);
        }
    }
    if !choice.checks.is_empty() {
        text += "\nthe mixed workload beside the model (off by: the median over rounds, each beside its own prediction):\n";
        let mut table = Table::new(&[
            ("", Align::Left),
            ("lookups a change", Align::Right),
            ("predicted", Align::Right),
            ("measured", Align::Right),
            ("off by", Align::Right),
        ]);
        for check in &choice.checks {
            table.row([
                check.backend.clone(),
                count(real(check.lookups_per_change)),
                time(check.predicted_ns),
                time(check.measured_ns),
                format!("{:+.1} %", check.error * 100.0),
            ]);
        }
        text += &table.render();
    }
    for excluded in &choice.excluded {
        text += &left_out(excluded);
    }
    if let Some(vnodes) = &choice.vnodes {
        let _ = writeln!(text, "\n{}", vnodes.sentence(settings.nodes));
        for name in &names {
            let bytes = vnodes.bytes.get(*name).map_or("-".to_owned(), |n| count(real(*n)));
            let lookup = vnodes.lookup_ns.get(*name).map_or("-".to_owned(), |ns| time(*ns));
            let _ = writeln!(text, "  {name}: {bytes} bytes, {lookup} a lookup");
        }
    }
    let _ = writeln!(text, "\n{}", choice.reason);
    text
}

/// Who is left out and why, in units that people read.
fn left_out(excluded: &Excluded) -> String {
    let said = |n: u64| {
        if excluded.constraint.ends_with(" ns") {
            time(real(n))
        } else {
            format!("{} bytes", count(real(n)))
        }
    };
    let mut words = excluded.constraint.split(' ');
    let name = words.next().unwrap_or_default();
    let limit = words.next().and_then(|limit| limit.parse().ok()).map_or_else(String::new, said);
    let measured = said(excluded.measured);
    format!("{} is left out by {name} {limit}: it has {measured}\n", excluded.backend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said_in_units() {
        let excluded = |constraint: &str, measured| Excluded {
            backend: "btree".to_owned(),
            constraint: constraint.to_owned(),
            measured,
        };
        let said = left_out(&excluded("max-pause 50000 ns", 9_871_359));
        assert_eq!(said, "btree is left out by max-pause 50.00 \u{b5}s: it has 9.87 ms\n");
        let said = left_out(&excluded("max-memory 1024 bytes", 89_471));
        assert_eq!(said, "btree is left out by max-memory 1,024 bytes: it has 89,471 bytes\n");
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(duration("50us"), Ok(Duration::from_micros(50)));
        assert_eq!(duration("3 ms"), Ok(Duration::from_millis(3)));
        assert_eq!(bytes("4MiB"), Ok(4 << 20));
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("20MB"), Ok(20_000_000));
        for bad in ["", "50", "us", "-5us", "5.5us", "5 minutes"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        for bad in ["", "MiB", "-1", "4mib", "99999999999999999999GiB", "18446744073709551615KiB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
