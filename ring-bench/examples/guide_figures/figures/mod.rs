//! The figures of the guide: drawings as SVG, tables as Markdown.

use std::error::Error;
use std::path::PathBuf;

use ring_core::{Change, Ring as _, RingError};
use ring_sortedvec::SortedVecRing;

mod charts;
mod hashes;
mod placement;
mod rings;
mod schemes;
mod svg;
mod tables;
mod times;

pub(crate) use times::{peers_place, read_peers, readers_of, schemes_of};

/// One file of the guide.
pub(crate) struct Figure {
    /// The file's name within [`folder`].
    pub(crate) name: &'static str,
    /// What stands in it.
    pub(crate) content: String,
}

/// Where the guide keeps its figures.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../ring-core/src/guide/figures")
}

/// All figures, drawn and measured anew.
pub(crate) fn all() -> Result<Vec<Figure>, Box<dyn Error>> {
    let figure = |name, content| Figure { name, content };
    Ok(vec![
        figure("ring.svg", rings::lookup()?),
        figure("change.svg", rings::change()?),
        figure("replicas.svg", rings::replicas()?),
        figure("clumps.svg", rings::clumps()?),
        figure("balance.svg", charts::balance()?),
        figure("second.svg", charts::second_copy()?),
        figure("balance.md", tables::balance()?),
        figure("weights.md", tables::weights()?),
        figure("second.md", tables::second_copy()?),
        figure("hashes.md", tables::hashes()?),
        figure("schemes.md", tables::schemes()),
        figure("scheme_times.md", times::schemes()?),
        figure("reader_times.md", times::readers()?),
        figure("change_times.md", times::changes()?),
    ])
}

/// A ring of these nodes under the default hash, built as one change.
fn ring_of<I, T>(vnodes: u32, nodes: I) -> Result<SortedVecRing, RingError>
where
    I: IntoIterator<Item = (T, u32)>,
    T: Into<String>,
{
    let mut ring = SortedVecRing::new(vnodes)?;
    let adds: Vec<Change> = nodes.into_iter().map(|(id, weight)| Change::add(id, weight)).collect();
    ring.apply(&adds)?;
    Ok(ring)
}

/// The ids of the nodes of ring number `ring`: another number gives another draw of the tokens.
fn ids(ring: u32, nodes: u32) -> impl Iterator<Item = (String, u32)> {
    (0..nodes).map(move |node| (format!("r{ring}-node-{node}"), 1))
}

/// A whole number as a float; all numbers here are far below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of keys, nodes and tokens stay far below 2^53"
)]
fn float(count: usize) -> f64 {
    count as f64
}
