//! `worker`: the hidden verb of the processes that measure.

use ring_bench::error::BenchError;
use ring_bench::lockstep::worker;

/// Measures on behalf of another process of this program, which asks on standard input.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Be slower by this many percent: the gate's positive control
    #[cfg(feature = "slowdown")]
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    slow_by: u32,
}

#[cfg(feature = "slowdown")]
pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    use ring_bench::gate::slowdown;

    slowdown::set(args.slow_by);
    worker::run_with(slowdown::build)
}

#[cfg(not(feature = "slowdown"))]
pub(crate) fn run(_: &Args) -> Result<(), BenchError> {
    worker::run()
}
