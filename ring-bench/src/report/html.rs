//! A run as one page: no network, no script, light and dark.

use std::fmt::Write as _;

use crate::report::html_figures as figures;
use crate::report::svg::escape;
use crate::report::tables::{Sheet, heading, sheets};
use crate::report::{exact, html_ring};
use crate::results::regimes;
use crate::results::run_dir::Run;

/// Colours are the blue and the vermilion of Okabe and Ito's palette, told apart by every kind of colour blindness; the
/// two backends also differ in the shape of their points and the dash of their lines.
const STYLE: &str = include_str!("html/style.css");

/// The whole page.
#[must_use]
pub fn render(run: &Run) -> String {
    let record = &run.record;
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>Consistent-hash rings: sorted vector and B-tree</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>Consistent-hash rings: sorted vector and B-tree</h1>\n"
    );
    let class = record.class.name();
    let _ = writeln!(page, "<p class=\"class {class}\">{}</p>", class_sentence(class));
    page.push_str("<ul class=\"facts\">\n");
    for line in heading(record) {
        let _ = writeln!(page, "<li>{}</li>", escape(&line));
    }
    page.push_str("</ul>\n<h2>Which backend</h2>\n<ul>\n");
    for verdict in &record.verdicts {
        let _ = writeln!(
            page,
            "<li><strong>{}</strong>: {}</li>",
            escape(&verdict.workload),
            escape(&verdict.reason)
        );
    }
    page.push_str("</ul>\n");
    if !record.warnings.is_empty() {
        page.push_str("<h2>Before you believe it</h2>\n<ul>\n");
        for warning in &record.warnings {
            let _ = writeln!(page, "<li>{}</li>", escape(warning));
        }
        page.push_str("</ul>\n");
    }
    page.push_str("<h2>Figures</h2>\n");
    page.push_str(LEGEND);
    page.push_str("<div class=\"figures\">\n");
    for figure in figures::all(run).into_iter().chain(html_ring::figures()) {
        let _ = writeln!(
            page,
            "<figure id=\"{}\">\n{}\n<figcaption><strong>{}</strong> {} <span class=\"class-note\">({class})</span></figcaption>\n</figure>",
            figure.id,
            figure.svg,
            escape(&figure.title),
            escape(&figure.caption)
        );
    }
    page.push_str("</div>\n<h2>Tables</h2>\n");
    let beside = regimes::sheet(&run.beside.regimes);
    for sheet in sheets(record).into_iter().chain(beside).chain(exact::sheets(&run.exact)) {
        page.push_str(&table(&sheet, class));
    }
    page.push_str(FOOT);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// What a class means, for readers.
fn class_sentence(class: &str) -> &'static str {
    match class {
        "reference" => "Class reference: the figures may be cited.",
        "smoke" => "Class smoke: this run shows that everything works. Decide nothing by it.",
        _ => {
            "Class indicative: the figures tell which of two is faster on this machine. Do not cite them as absolute times."
        }
    }
}

const LEGEND: &str = "<p class=\"legend\"><span class=\"a\"><svg viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"line a\" d=\"M0 6h34\"/><g class=\"point a\"><circle cx=\"17\" cy=\"6\" r=\"4.5\"/></g></svg> sortedvec</span> \
<span class=\"b\"><svg viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"line b\" d=\"M0 6h34\"/><g class=\"point b\"><rect x=\"13\" y=\"2\" width=\"8\" height=\"8\"/></g></svg> btree</span> \
<span>Bars and bands are 95 % intervals over sittings, process pairs and samples.</span></p>\n";

const FOOT: &str = "<h2>How to read and cite this</h2>\n<p>METHODOLOGY.md says what each experiment means, BIAS.md how the figures may mislead. \
<code>ring-bench verify</code> computes every cell again from the samples beside this page. Cite the version and commit of manifest.json with the SHA-256 of manifest.json itself.</p>\n";

/// A table: words to the left, numbers to the right.
fn table(sheet: &Sheet, class: &str) -> String {
    let mut text = format!(
        "<div class=\"table\"><table>\n<caption>{} <span class=\"class-note\">({class})</span></caption>\n<thead><tr>",
        escape(&sheet.title)
    );
    for column in &sheet.columns {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escape(column));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in &sheet.rows {
        text.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let _ = if at == 0 {
                write!(text, "<th scope=\"row\">{}</th>", escape(cell))
            } else {
                write!(text, "<td>{}</td>", escape(cell))
            };
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table></div>\n");
    text
}
