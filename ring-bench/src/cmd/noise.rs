//! `noise`: what this machine can tell apart.

use ring_bench::error::BenchError;
use ring_bench::lockstep::link::Program;
use ring_bench::noise::{Noise, run as measure};
use ring_bench::output;
use ring_bench::report::number::{count, percent};
use ring_bench::stats::real;
use ring_bench::table::{Align, Table};

use super::options::{self, ReportFormat};
use super::progress::Bar;

/// Report how noisy this machine is: clock, null control, load, steal
///
/// Two processes with the same backend are measured in turn like the two of a comparison. What they differ by is noise,
/// and a smaller difference between two backends means nothing here. Takes about ten seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench noise
  ring-bench noise --format json")]
pub(crate) struct Args {
    /// Seed of keys and order
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,

    /// How the report is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    let progress = Bar::new();
    let noise = measure(args.seed, &Program::this("ring-bench")?, &progress)?;
    drop(progress);
    match args.format {
        ReportFormat::Text => output::print(&text(&noise)),
        ReportFormat::Json => options::print_json(&noise),
    }
}

fn text(noise: &Noise) -> String {
    let mut facts = Table::new(&[("", Align::Left), ("", Align::Left)]);
    let mut fact = |name: &str, value: String| facts.row([name.to_owned(), value]);
    let machine = &noise.machine;
    fact("processor", format!("{} ({} usable)", machine.cpu, machine.cpus));
    let caches: Vec<String> = machine
        .caches
        .iter()
        .map(|cache| {
            format!(
                "L{} {} {} KiB",
                cache.level,
                cache.kind.to_lowercase(),
                count(real(cache.bytes / 1024))
            )
        })
        .collect();
    fact("caches", if caches.is_empty() { "unknown".to_owned() } else { caches.join(", ") });
    fact(
        "system",
        format!(
            "{}{}",
            machine.kernel,
            if machine.virtual_machine { ", virtual machine" } else { "" }
        ),
    );
    fact(
        "clock",
        format!("{:.1} ns a reading, steps of {} ns", noise.clock.read_ns, noise.clock.step_ns),
    );
    fact(
        "pinned",
        match (&noise.unpinned, noise.cpu) {
            (Some(reason), _) => format!("no: {reason}"),
            (None, Some(cpu)) => format!("to processor {cpu}"),
            (None, None) => "no".to_owned(),
        },
    );
    fact(
        "load",
        noise.load.map_or_else(
            || "unknown".to_owned(),
            |load| {
                format!(
                    "{} busy, {} stolen, {:.2} tasks",
                    percent(load.busy),
                    percent(load.steal),
                    load.load_average
                )
            },
        ),
    );
    let mut nulls = Table::new(&[
        ("two copies of", Align::Left),
        ("doing", Align::Left),
        ("ratio", Align::Right),
        ("worst pair off by", Align::Right),
        ("pairs", Align::Right),
    ]);
    for null in &noise.nulls {
        nulls.row([
            null.backend.clone(),
            format!("{}, {}", null.operation, null.regime),
            format!("{:.3}x", null.ratio),
            percent(null.spread),
            null.pairs.to_string(),
        ]);
    }
    let facts = facts.render();
    format!(
        "{}\n{}\nnoise floor: {} (the worst pair of all)\n",
        facts.trim_start_matches('\n'),
        nulls.render(),
        percent(noise.floor())
    )
}
