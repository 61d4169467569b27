//! Accepted changes: slowdowns that somebody wants for a reason, written down with an end.

use std::path::Path;

use serde::Deserialize;

use crate::error::BenchError;
use crate::gate::record::AcceptedRow;

/// The file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accepted: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    benchmark: String,
    backend: Option<String>,
    ratio: f64,
    reason: String,
    expires: String,
}

/// The accepted changes, with what became of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Accepted {
    rows: Vec<AcceptedRow>,
}

impl Accepted {
    /// Reads a file: `[[accepted]]` tables with `benchmark`, `ratio`, `reason`, `expires`, and `backend` where only one
    /// of them is meant. `today` is the day in days since 1970.
    ///
    /// # Errors
    ///
    /// A usage error for what is no such file, a ratio not over 1, an empty reason, or a day that is none.
    pub fn parse(text: &str, today: u64) -> Result<Self, BenchError> {
        let file: File = toml::from_str(text)
            .map_err(|e| BenchError::usage(e.to_string().trim_end().to_owned()))?;
        let mut rows = Vec::new();
        for entry in file.accepted {
            let wrong = |what: String| {
                BenchError::usage(format!("the accepted change of {}: {what}", entry.benchmark))
            };
            if !(entry.ratio > 1.0 && entry.ratio.is_finite()) {
                return Err(wrong(format!("the ratio {} is not over 1", entry.ratio)));
            }
            if entry.reason.trim().is_empty() {
                return Err(wrong("there is no reason".to_owned()));
            }
            let last = day(&entry.expires).ok_or_else(|| {
                wrong(format!("{:?} is no day such as 2027-03-31", entry.expires))
            })?;
            rows.push(AcceptedRow {
                benchmark: entry.benchmark,
                backend: entry.backend,
                ratio: entry.ratio,
                reason: entry.reason,
                expires: entry.expires,
                expired: last < today,
                used: false,
            });
        }
        Ok(Self { rows })
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and where it cannot be read.
    pub fn read(path: &Path, today: u64) -> Result<Self, BenchError> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| BenchError::usage(format!("{place}: cannot be read: {e}")))?;
        Self::parse(&text, today).map_err(|e| e.at(&place))
    }

    /// Refuses an entry that is about nothing the gate knows: it would accept nothing, unseen.
    ///
    /// # Errors
    ///
    /// A usage error that names it.
    pub fn check(&self, known: impl Fn(&str, Option<&str>) -> bool) -> Result<(), BenchError> {
        match self.rows.iter().find(|row| !known(&row.benchmark, row.backend.as_deref())) {
            Some(row) => Err(BenchError::usage(format!(
                "the accepted change of {}{}: there is nothing of that name; `gate --list` names the benchmarks",
                row.benchmark,
                row.backend.as_deref().map_or(String::new(), |backend| format!(" ({backend})"))
            ))),
            None => Ok(()),
        }
    }

    /// Whether a slowdown to `ratio` is accepted.
    pub fn takes(&mut self, benchmark: &str, backend: Option<&str>, ratio: f64) -> bool {
        let mut taken = false;
        for row in &mut self.rows {
            let meant = row.benchmark == benchmark
                && (row.backend.is_none() || row.backend.as_deref() == backend);
            if meant && !row.expired && ratio <= row.ratio {
                row.used = true;
                taken = true;
            }
        }
        taken
    }

    /// The entries, in the order of the file.
    #[must_use]
    pub fn into_rows(self) -> Vec<AcceptedRow> {
        self.rows
    }
}

/// Days since 1970 of a day written as `YYYY-MM-DD`; `None` for what is none.
///
/// Counted in the proleptic Gregorian calendar from 1 March, so that the leap day is a year's last.
#[must_use]
pub fn day(text: &str) -> Option<u64> {
    let fields: Vec<&str> = text.split('-').collect();
    let [year, month, day] = fields[..] else { return None };
    let digits = |field: &str, len: usize| {
        let fits = field.len() == len && field.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| field.parse::<u64>().ok()).flatten()
    };
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // March is month 0 of its year; January and February belong to the year before.
    let (year, month) =
        if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + of_year;
    // 719,468 days lie between 1 March of year 0 and 1970.
    days.checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[accepted]]
        benchmark = "get/100x100"
        backend = "btree"
        ratio = 1.08
        reason = "checks the ring's version first"
        expires = "2027-03-31"

        [[accepted]]
        benchmark = "build/100x100"
        ratio = 1.5
        reason = "sorts twice"
        expires = "2026-01-01"
    "#;

    #[test]
    fn days_are_counted_from_1970() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1970-02-28", 58),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("2024-12-31", 20_088),
            ("2100-03-01", 47_541),
        ] {
            assert_eq!(day(text), Some(days), "{text}");
        }
        for text in [
            "2023-02-29",
            "2100-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-1-01",
            "2023-01-00",
            "soon",
            "1969-12-31",
            "+023-01-01",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn a_change_is_accepted_up_to_its_ratio_and_its_day() {
        let today = day("2027-03-31").unwrap();
        let mut accepted = Accepted::parse(FILE, today).unwrap();
        assert!(!accepted.takes("get/100x100", Some("btree"), 1.09));
        assert!(!accepted.takes("get/100x100", Some("sortedvec"), 1.05));
        assert!(!accepted.takes("build/100x100", Some("btree"), 1.2), "it has expired");
        assert!(accepted.takes("get/100x100", Some("btree"), 1.08));
        let rows = accepted.into_rows();
        assert!(rows[0].used && !rows[0].expired);
        assert!(!rows[1].used && rows[1].expired);
        let mut late = Accepted::parse(FILE, today + 1).unwrap();
        assert!(!late.takes("get/100x100", Some("btree"), 1.01));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let entry = |field: &str, value: &str| {
            FILE.lines()
                .map(|line| {
                    if line.trim_start().starts_with(field) {
                        format!("{field} = {value}")
                    } else {
                        line.to_owned()
                    }
                })
                .collect::<Vec<_>>()
                .join("\n")
        };
        for (text, word) in [
            (entry("ratio", "0.9"), "not over 1"),
            (entry("ratio", "inf"), "not over 1"),
            (entry("reason", "\" \""), "no reason"),
            (entry("expires", "\"2027-02-30\""), "2027-02-30"),
            (entry("benchmark", "3"), "string"),
            (entry("reason", "\"x\"\nwhy = 1"), "why"),
            ("[[accept]]".to_owned(), "accept"),
        ] {
            let error = Accepted::parse(&text, 0).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(word), "{error}");
        }
        let accepted = Accepted::parse(FILE, 0).unwrap();
        assert!(accepted.check(|name, _| name != "nothing").is_ok());
        let error = accepted.check(|name, backend| name == "get/100x100" && backend.is_none());
        assert!(error.unwrap_err().to_string().contains("get/100x100 (btree)"));
        assert_eq!(Accepted::parse("", 0).unwrap(), Accepted::default());
    }
}
