//! `compare --peers`: our rings beside other crates.

use ring_bench::error::BenchError;

use super::compare::Args;
use super::console::Color;

#[cfg(feature = "peers")]
pub(super) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    use ring_bench::lockstep::link::Program;
    use ring_bench::output;
    use ring_bench::peers::run::{Effort, Options, PeersRun, run as measure};
    use ring_bench::report::peers::{markdown, terminal};
    use ring_bench::report::terminal::Style;

    use super::console;
    use super::progress::Bar;

    let options = Options {
        seed: args.seed,
        keys: args.keys_count,
        effort: if args.quick { Effort::quick() } else { Effort::full() },
    };
    let progress = Bar::new();
    let PeersRun { record, observations } =
        measure(&options, &Program::this("ring-bench")?, &progress)?;
    drop(progress);

    // A failed export must not take the table with it: minutes of measuring stand in it.
    let exported = args.export(&record, &observations, &markdown(&record));
    for warning in &record.warnings {
        console::warning(color, warning);
    }
    output::print(&terminal(&record, Style { color: color.on_stdout() }))?;
    exported
}

#[cfg(not(feature = "peers"))]
pub(super) fn run(_: &Args, _: Color) -> Result<(), BenchError> {
    Err(BenchError::usage(
        "--peers: this program was built without the other crates; run `cargo run --release --features peers -- compare \
         --peers`",
    ))
}
