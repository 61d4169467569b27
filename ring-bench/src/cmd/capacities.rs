//! `--capacities FILE --budget B`: nodes with fractional capacities, made into weights.

use std::path::Path;

use ring_bench::error::BenchError;
use ring_bench::names::readable_path;
use ring_core::{Change, weights_from_capacities};

/// Reads lines `id TAB number` and gives an add for each, in the order of the lines, with weights that
/// sum to `budget`.
pub(crate) fn read(path: &Path, budget: u32) -> Result<Vec<Change>, BenchError> {
    let name = readable_path(path);
    let bytes = std::fs::read(path)
        .map_err(|error| BenchError::usage(format!("{name}: cannot be read: {error}")))?;
    let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let mut nodes = Vec::new();
    if !bytes.is_empty() {
        for (index, line) in lines.split(|&byte| byte == b'\n').enumerate() {
            let node =
                parse(line).map_err(|reason| BenchError::usage(reason).at(&place(path, index)))?;
            nodes.push(node);
        }
    }
    let capacities: Vec<f64> = nodes.iter().map(|&(_, capacity)| capacity).collect();
    let weights = weights_from_capacities(&capacities, budget)
        .map_err(|error| BenchError::usage(error.to_string()).at(&name))?;
    Ok(nodes.iter().zip(weights).map(|(&(id, _), weight)| Change::add(id, weight)).collect())
}

/// Where the node of this index, from 0, stands.
pub(crate) fn place(path: &Path, index: usize) -> String {
    format!("{}: line {}", readable_path(path), index + 1)
}

fn parse(line: &[u8]) -> Result<(&str, f64), String> {
    let line = std::str::from_utf8(line)
        .map_err(|error| format!("the text is not UTF-8 at column {}", error.valid_up_to() + 1))?;
    let (id, number) = line
        .rsplit_once('\t')
        .ok_or("there is no TAB, but a line is an id, a TAB and a capacity")?;
    match number.parse::<f64>() {
        Ok(capacity) if capacity.is_finite() && capacity > 0.0 => Ok((id, capacity)),
        _ if number.ends_with('\r') => Err(format!(
            "the capacity {number:?} ends with CR, but lines end with LF alone; was the file written on Windows?"
        )),
        _ => Err(format!("the capacity {number:?} is not a finite number above 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_id_a_tab_and_a_number() {
        assert_eq!(parse(b"a\t1.5"), Ok(("a", 1.5)));
        assert_eq!(parse(b"\t2e3"), Ok(("", 2000.0)));
        assert_eq!(parse(b"a\tb\t3"), Ok(("a\tb", 3.0)));
        for wrong in [
            &b"a"[..],
            b"a 1",
            b"a\t",
            b"a\t0",
            b"a\t-1",
            b"a\tnan",
            b"a\tinf",
            b"a\t1\r",
            b"\xff\t1",
        ] {
            assert!(parse(wrong).is_err(), "{}", wrong.escape_ascii());
        }
    }
}
