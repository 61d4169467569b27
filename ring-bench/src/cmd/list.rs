//! `list` and `show`: what can be named, and what a name stands for.

use ring_bench::choose::workload::{PRESETS, Workload};
use ring_bench::corpus::Keys;
use ring_bench::error::BenchError;
use ring_bench::hashes::AnyHash;
use ring_bench::output;
use ring_bench::routine::Routine;
use ring_bench::subject::{BACKENDS, corpus_of};
use ring_bench::table::{Align, Table};

/// Corpora with what each is.
const CORPORA: [(&str, &str); 10] = [
    ("uniform(16)", "random ids of 16 characters, or as many as stand there"),
    ("uuid", "random version-4 UUIDs"),
    ("sequential", "user:1, user:2, ..."),
    ("paths", "object paths with shared prefixes, of varied lengths"),
    ("zipf(0.99)", "uniform ids, drawn by Zipf's law"),
    ("zipf(1.2)", "the same, steeper"),
    ("hot(1000)", "a thousand uniform ids, drawn evenly"),
    ("one-arc", "uniform ids that all fall before one token"),
    ("on-tokens", "the token ids themselves"),
    ("far-arcs", "uniform ids, in turn from both halves of the hash space"),
];

/// List what can be named: presets, corpora, hashes, backends, routines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench list
  ring-bench show cache-fleet")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<(), BenchError> {
    let mut table = Table::new(&[("kind", Align::Left), ("name", Align::Left), ("", Align::Left)]);
    let mut row = |kind: &str, name: &str, words: &str| {
        table.row([kind.to_owned(), name.to_owned(), words.to_owned()]);
    };
    for (name, text) in PRESETS {
        row("preset", name, text.lines().next().unwrap_or_default().trim_start_matches("# "));
    }
    for (name, words) in CORPORA {
        row("corpus", name, words);
    }
    for name in AnyHash::NAMES {
        row("hash", name, if name == AnyHash::KEYED { "keyed" } else { "" });
    }
    for name in BACKENDS {
        row("backend", name, "");
    }
    for routine in Routine::ALL {
        let phases: Vec<String> =
            routine.phases().iter().map(|p| format!("{} ({})", p.operation, p.regime)).collect();
        row("routine", routine.name(), &phases.join(" and "));
    }
    output::print(&table.render())
}

/// Show what a name of `list` stands for: a preset's file, the first keys of a corpus
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench show cache-fleet > mine.toml
  ring-bench show 'zipf(1.2)'")]
pub(crate) struct ShowArgs {
    /// A preset, workload file, corpus, hash, backend or routine
    #[arg(value_name = "NAME")]
    name: String,
}

/// Keys of a corpus that are shown.
const SHOWN: usize = 10;

pub(crate) fn show(args: &ShowArgs) -> Result<(), BenchError> {
    let name = args.name.as_str();
    if let Some((_, text)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
        return output::print(text);
    }
    if AnyHash::NAMES.contains(&name) {
        return output::print(&format!(
            "{name}: a 64-bit hash{}\n",
            if name == AnyHash::KEYED { " with a 128-bit secret" } else { "" }
        ));
    }
    if BACKENDS.contains(&name) {
        return output::print(&format!("{name}: the crate ring-{name}\n"));
    }
    if let Ok(routine) = name.parse::<Routine>() {
        let phases = routine.phases().iter();
        let lines = phases.map(|p| format!("{}: {}, {}\n", p.experiment, p.operation, p.regime));
        return output::print(&lines.collect::<String>());
    }
    if let Ok(keys) = name.parse::<Keys>() {
        return show_keys(&keys);
    }
    let workload = Workload::named(name).map_err(|_| {
        BenchError::usage(format!(
            "there is nothing called {name:?}; `ring-bench list` shows what there is"
        ))
    })?;
    super::options::print_json(&workload)
}

fn show_keys(keys: &Keys) -> Result<(), BenchError> {
    let mut workload = Workload::new(100, ring_bench::choose::workload::Lookups::Only);
    workload.corpus = keys.to_string();
    workload.keys = Some(1_000);
    let spec = workload.spec(BACKENDS[0]);
    let corpus = corpus_of(&spec)?;
    let info = corpus.info(&spec.corpus()?);
    let mut text = format!(
        "{}: the first of {} keys ({} distinct), seed {}, on a ring of 100 nodes with 100 tokens each\nsha256 {}\n",
        info.name, info.keys, info.distinct, info.seed, info.sha256
    );
    for key in corpus.keys(0..corpus.len().min(SHOWN)) {
        text += &format!("  {}\n", ring_bench::names::readable(&String::from_utf8_lossy(key)));
    }
    output::print(&text)
}
