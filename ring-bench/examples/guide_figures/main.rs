//! Draws the pictures and measures the tables of the guide in `ring-core`'s documentation.
//!
//! ```text
//! cargo run --release --example guide_figures            writes ring-core/src/guide/figures/*
//! cargo run --release --example guide_figures balance    prints the files whose names start so
//! cargo run --release --example guide_figures -- --peers peers.json
//!     publishes a run of `ring-bench compare --peers --export-json peers.json`, and writes all figures
//! ```
//!
//! Drawings and tables come from real rings, owe nothing to a clock, and are the same on every machine. The tables of
//! times, `*_times.md`, are made of runs that stand in this crate: `reference/`, and `reference-peers.json`, which
//! `--peers` replaces. The test `guide` of this crate fails where a committed file is not what this program makes.

use std::error::Error;
use std::fs;
use std::io::Write as _;

mod figures;

fn main() -> Result<(), Box<dyn Error>> {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.first().is_some_and(|word| word == "--peers") {
        let [_, file] = wanted.as_slice() else {
            return Err("--peers takes one file, and nothing stands beside it".into());
        };
        publish(file).map_err(|error| format!("{file}: {error}"))?;
        wanted.clear();
    }
    let all = figures::all()?;
    let mut out = std::io::stdout().lock();
    if wanted.is_empty() {
        for figure in &all {
            fs::write(figures::folder().join(figure.name), &figure.content)?;
            writeln!(out, "{:6} bytes  {}", figure.content.len(), figure.name)?;
        }
        return Ok(());
    }
    for start in &wanted {
        let mut found = all.iter().filter(|figure| figure.name.starts_with(start)).peekable();
        if found.peek().is_none() {
            let names: Vec<&str> = all.iter().map(|figure| figure.name).collect();
            return Err(format!(
                "no figure's name starts with {start:?}; the figures are {}",
                names.join(", ")
            )
            .into());
        }
        for figure in found {
            write!(out, "{}", figure.content)?;
        }
    }
    Ok(())
}

/// Copies a document of `compare --peers` to where the tables of times are made from. One that lacks a figure is not.
fn publish(file: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let peers = figures::read_peers(&text)?;
    figures::schemes_of(&peers)?;
    figures::readers_of(&peers)?;
    fs::write(figures::peers_place(), text)?;
    Ok(())
}
