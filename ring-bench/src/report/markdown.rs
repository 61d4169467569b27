//! A comparison as Markdown.

use std::fmt::Write as _;

use crate::record::CompareRecord;
use crate::report::tables::{Sheet, heading, sheets};

/// The whole comparison: circumstances, tables, verdicts, warnings.
#[must_use]
pub fn render(record: &CompareRecord) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for line in heading(record) {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    for sheet in sheets(record) {
        let _ = write!(text, "\n**{}**\n\n{}", escape(&sheet.title), draw(&sheet));
    }
    text.push('\n');
    for verdict in &record.verdicts {
        let _ = writeln!(text, "- **{}**: {}", escape(&verdict.workload), escape(&verdict.reason));
    }
    for warning in &record.warnings {
        let _ = writeln!(text, "- Warning: {}", escape(warning));
    }
    text
}

/// A table: words to the left, numbers to the right.
#[must_use]
pub fn draw(sheet: &Sheet) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rules: Vec<&str> =
        (0..sheet.columns.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
    let mut text = line(&sheet.columns);
    let _ = writeln!(text, "| {} |", rules.join(" | "));
    for row in &sheet.rows {
        text.push_str(&line(row));
    }
    text
}

/// Keeps what Markdown would read as its own: a cell's end, emphasis, and "about equal" struck through.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '|' | '*' | '~' | '`' | '<' | '[' | '\\' | '_') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_break_out_of_its_table() {
        let sheet = Sheet {
            title: String::new(),
            columns: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec!["x|y".to_owned(), "~".to_owned()]],
        };
        assert_eq!(draw(&sheet), "| a | b |\n| --- | ---: |\n| x\\|y | \\~ |\n");
    }
}
