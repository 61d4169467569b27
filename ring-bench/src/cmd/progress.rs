//! Progress on standard error: the phase, what is done of it, how long the rest may take.

use std::cell::RefCell;
use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use ring_bench::compare::Progress;

/// A bar on standard error; nothing where that is no terminal.
///
/// It draws only when a step is done. A bar that ticks by itself would wake a thread beside the measurements.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: RefCell<Option<ProgressBar>>,
    shown: bool,
}

impl Bar {
    pub(crate) fn new() -> Self {
        Self { bar: RefCell::default(), shown: std::io::stderr().is_terminal() }
    }

    fn clear(&self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn phase(&self, name: &str, steps: u64) {
        self.clear();
        if !self.shown {
            return;
        }
        let bar = ProgressBar::new(steps);
        // A template that does not parse would leave the plain bar, which does as well.
        if let Ok(style) = ProgressStyle::with_template("{msg}: {pos}/{len} [{bar:30}] {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(name.to_owned());
        bar.tick();
        self.bar.replace(Some(bar));
    }

    fn step(&self) {
        if let Some(bar) = &*self.bar.borrow() {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
