//! Reading what a run wrote. Every error names file and line.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::BenchError;
use crate::record::Observation;
use crate::report::csv::COLUMNS;

/// The largest file of a run that is read.
const MAX_FILE: u64 = 1 << 30;

/// The bytes of a file in `folder`.
///
/// # Errors
///
/// A failure where it cannot be read or is larger than any run writes.
pub fn bytes(folder: &Path, name: &str) -> Result<Vec<u8>, BenchError> {
    let path = folder.join(name);
    let failed = |e: std::io::Error| BenchError::failed(format!("{name}: cannot be read: {e}"));
    let metadata = std::fs::metadata(&path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(BenchError::failed(format!("{name}: is no regular file")));
    }
    let size = metadata.len();
    if size > MAX_FILE {
        return Err(BenchError::failed(format!(
            "{name}: has {size} bytes, more than any run writes ({MAX_FILE})"
        )));
    }
    std::fs::read(&path).map_err(failed)
}

/// The text of a file in `folder`.
///
/// # Errors
///
/// As [`bytes`], and where it is not UTF-8.
pub fn text(folder: &Path, name: &str) -> Result<String, BenchError> {
    String::from_utf8(bytes(folder, name)?)
        .map_err(|e| BenchError::failed(format!("{name}: is not UTF-8: {e}")))
}

/// The JSON document in a file of `folder`.
///
/// # Errors
///
/// As [`text`], and where it is no such document.
pub fn json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T, BenchError> {
    serde_json::from_slice(&bytes(folder, name)?)
        .map_err(|e| BenchError::failed(format!("{name}: is not what a run writes: {e}")))
}

/// The rows of a CSV text with these columns.
///
/// # Errors
///
/// A failure that names the line: another header, another number of fields, a quote that does not end, a last line cut
/// short.
pub fn csv(text: &str, columns: &[&str]) -> Result<Vec<Vec<String>>, BenchError> {
    let failed = |line: usize, what: &str| Err(BenchError::failed(format!("line {line}: {what}")));
    if text.is_empty() {
        return Err(BenchError::failed(format!(
            "the header {} was expected, the file is empty",
            columns.join(",")
        )));
    }
    if !text.ends_with('\n') {
        return failed(text.lines().count(), "the file ends in the middle of a line");
    }
    let mut rows = Vec::new();
    let (mut row, mut field) = (Vec::new(), String::new());
    let (mut quoted, mut line) = (false, 1);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                field.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                if row.len() != columns.len() {
                    return failed(
                        line,
                        &format!("there are {} fields, not {}", row.len(), columns.len()),
                    );
                }
                rows.push(std::mem::take(&mut row));
                line += 1;
            }
            other => field.push(other),
        }
    }
    if quoted {
        return failed(line, "a quote does not end");
    }
    if rows.is_empty() || rows[0] != columns {
        return failed(1, &format!("the header is not {}", columns.join(",")));
    }
    rows.remove(0);
    Ok(rows)
}

/// Every sample of a run.
///
/// # Errors
///
/// A failure that names file, line and field.
pub fn samples(folder: &Path) -> Result<Vec<Observation>, BenchError> {
    const NAME: &str = "samples.csv";
    let rows = csv(&text(folder, NAME)?, &COLUMNS).map_err(|e| e.at(NAME))?;
    rows.iter()
        .enumerate()
        .map(|(at, row)| {
            observation(row).map_err(|column| {
                BenchError::failed(format!(
                    "{NAME}: line {}: {column} is no value of its kind",
                    at + 2
                ))
            })
        })
        .collect()
}

/// A row of `samples.csv`; the error is the column at fault.
fn observation(row: &[String]) -> Result<Observation, &'static str> {
    fn number<T: std::str::FromStr>(row: &[String], at: usize) -> Result<T, &'static str> {
        row[at].parse().map_err(|_| COLUMNS[at])
    }
    let each = |text: &str| -> Option<Vec<u64>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(' ').map(|ns| ns.parse().ok()).collect()
    };
    let read_ns: f64 = number(row, 18)?;
    Ok(Observation {
        workload: row[0].clone(),
        nodes: number(row, 1)?,
        vnodes: number(row, 2)?,
        experiment: row[3].clone(),
        operation: row[4].clone(),
        regime: row[5].clone(),
        control: row[6].clone(),
        sitting: number(row, 7)?,
        pair: number(row, 8)?,
        sample: number(row, 9)?,
        worker: number(row, 10)?,
        first: match row[11].as_str() {
            "0" => false,
            "1" => true,
            _ => return Err(COLUMNS[11]),
        },
        backend: row[12].clone(),
        count: number(row, 13)?,
        elapsed_ns: number(row, 14)?,
        readings: number(row, 15)?,
        checksum: u64::from_str_radix(&row[16], 16).map_err(|_| COLUMNS[16])?,
        tokens: number(row, 17)?,
        read_ns: if read_ns.is_finite() { read_ns } else { return Err(COLUMNS[18]) },
        each_ns: each(&row[19]).ok_or(COLUMNS[19])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::csv::render;

    #[test]
    fn samples_come_back_as_they_were() {
        let observation = Observation {
            workload: "5x10 file:a,\"b\".txt".to_owned(),
            nodes: 5,
            vnodes: 10,
            experiment: "update".to_owned(),
            operation: "add".to_owned(),
            regime: "exclusive".to_owned(),
            control: "main".to_owned(),
            sitting: 0,
            pair: 1,
            sample: 2,
            worker: 1,
            first: true,
            backend: "btree".to_owned(),
            count: 2,
            elapsed_ns: 250_000,
            readings: 1,
            checksum: u64::MAX,
            tokens: 50,
            read_ns: 0.1 + 0.2,
            each_ns: vec![7, u64::MAX],
        };
        let folder = tempfile::tempdir().unwrap();
        let both = [observation.clone(), Observation { each_ns: Vec::new(), ..observation }];
        std::fs::write(folder.path().join("samples.csv"), render(&both)).unwrap();
        assert_eq!(samples(folder.path()).unwrap(), both);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        let columns = ["a", "b"];
        for (text, words) in [
            ("", "the file is empty"),
            ("a,b", "line 1: the file ends in the middle of a line"),
            ("a,b\n1,2", "line 2: the file ends"),
            ("a,c\n1,2\n", "line 1: the header is not a,b"),
            ("a,b\n1,2\n1\n", "line 3: there are 1 fields, not 2"),
            ("a,b\n1,\"2\n", "quote"),
        ] {
            let error = csv(text, &columns).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        assert_eq!(csv("a,b\n\"x,\"\"\",\n", &columns).unwrap(), [["x,\"", ""]]);
    }
}
