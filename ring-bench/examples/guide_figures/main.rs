//! Draws the pictures and measures the tables of the guide in `ring-core`'s documentation.
//!
//! ```text
//! cargo run --release --example guide_figures            writes ring-core/src/guide/figures/*
//! cargo run --release --example guide_figures balance    prints the files whose names start so
//! ```
//!
//! Everything comes from real rings, owes nothing to a clock, and is the same on every machine. The test
//! `guide` of this crate fails where a committed file is not what this program makes.

use std::error::Error;
use std::io::Write as _;

mod figures;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = figures::all()?;
    let mut out = std::io::stdout().lock();
    if wanted.is_empty() {
        for figure in &all {
            std::fs::write(figures::folder().join(figure.name), &figure.content)?;
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
