//! The forms in which a record is shown: one file per form.
//!
//! [`tables`] decides once which figure stands in which cell; [`terminal`] and [`markdown`] only draw. [`csv`] writes
//! the samples, [`html`] draws a whole run with its figures ([`svg`]), [`exact`] tabulates what owes nothing to a clock,
//! and JSON is the record itself. [`gate`] and [`github`] show a record of the gate.

pub mod csv;
pub mod exact;
pub mod gate;
pub mod github;
pub mod html;
pub mod html_figures;
pub mod html_ring;
pub mod markdown;
pub mod number;
#[cfg(feature = "peers")]
pub mod peers;
pub mod svg;
pub mod tables;
pub mod terminal;
