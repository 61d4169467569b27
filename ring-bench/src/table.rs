//! Plain aligned tables of ids and numbers.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

/// Where a column's cells stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For ids and other words.
    Left,
    /// For numbers.
    Right,
}

/// Rows under a header, each column as wide as its widest cell.
///
/// # Examples
///
/// ```
/// use ring_bench::table::{Align, Table};
///
/// let mut table = Table::new(&[("node", Align::Left), ("keys", Align::Right)]);
/// table.row(["cache-a".to_owned(), "1024".to_owned()]);
/// table.row(["b".to_owned(), "9".to_owned()]);
/// assert_eq!(table.render(), "node     keys\ncache-a  1024\nb           9\n");
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    aligns: Vec<Align>,
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns.
    #[must_use]
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let mut table = Self {
            aligns: columns.iter().map(|&(_, align)| align).collect(),
            widths: vec![0; columns.len()],
            rows: Vec::new(),
        };
        table.row(columns.iter().map(|&(name, _)| name.to_owned()));
        table
    }

    /// Appends a row, a cell a column; cells that are missing stay empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().take(self.widths.len()).collect();
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = cell.width().max(*width);
        }
        self.rows.push(cells);
    }

    /// The table as text: header first, two blanks between columns, none at the end of a line.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let start = text.len();
            let cells = row.iter().zip(&self.widths).zip(&self.aligns);
            for (column, ((cell, &width), align)) in cells.enumerate() {
                if column > 0 {
                    text.push_str("  ");
                }
                let gap = width - cell.width();
                // Writing to a string cannot fail.
                let _ = match align {
                    Align::Left => write!(text, "{cell}{:gap$}", ""),
                    Align::Right => write!(text, "{:gap$}{cell}", ""),
                };
            }
            text.truncate(text.trim_end_matches(' ').len().max(start));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        let mut table = Table::new(&[("n", Align::Left), ("k", Align::Right)]);
        table.row(["키".to_owned(), "1".to_owned()]);
        assert_eq!(table.render(), "n   k\n키  1\n");
    }
}
