//! A comparison as text for a terminal: aligned tables, then a sentence a workload.

use std::fmt::Write as _;

use crate::record::CompareRecord;
use crate::report::tables::{Sheet, heading, sheets};
use crate::table::{Align, Table};

/// How the text is dressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Titles in bold.
    pub color: bool,
}

/// The whole comparison.
#[must_use]
pub fn render(record: &CompareRecord, style: Style) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for line in heading(record) {
        text.push_str(&line);
        text.push('\n');
    }
    for sheet in sheets(record) {
        text.push('\n');
        text.push_str(&title(&sheet.title, style));
        text.push('\n');
        text.push_str(&draw(&sheet));
    }
    text.push('\n');
    for verdict in &record.verdicts {
        let _ = writeln!(text, "{}: {}", title(&verdict.workload, style), verdict.reason);
    }
    text
}

pub(crate) fn title(text: &str, style: Style) -> String {
    if style.color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// A table: words to the left, numbers to the right.
#[must_use]
pub fn draw(sheet: &Sheet) -> String {
    let align = |at| if at == 0 { Align::Left } else { Align::Right };
    let columns: Vec<(&str, Align)> =
        sheet.columns.iter().enumerate().map(|(at, name)| (name.as_str(), align(at))).collect();
    let mut table = Table::new(&columns);
    for row in &sheet.rows {
        table.row(row.iter().cloned());
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let sheet = Sheet {
            title: String::new(),
            columns: vec![String::new(), "a [ns]".to_owned()],
            rows: vec![
                vec!["get".to_owned(), "9.50".to_owned()],
                vec!["search".to_owned(), "12.3".to_owned()],
            ],
        };
        assert_eq!(draw(&sheet), "        a [ns]\nget       9.50\nsearch    12.3\n");
    }
}
