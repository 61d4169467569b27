//! Samples as CSV in long form: a header, then a row for each timed pass of each worker in each phase.
//!
//! Raw numbers, so that every figure can be computed again. Fields are quoted as RFC 4180 says where they must be;
//! lines end with LF.

use crate::record::Observation;

/// The columns, in order.
pub const COLUMNS: [&str; 20] = [
    "workload",
    "nodes",
    "vnodes",
    "experiment",
    "operation",
    "regime",
    "control",
    "sitting",
    "pair",
    "sample",
    "worker",
    "first",
    "backend",
    "count",
    "elapsed_ns",
    "readings",
    "checksum",
    "tokens",
    "read_ns",
    "each_ns",
];

/// All observations, with a header.
#[must_use]
pub fn render(observations: &[Observation]) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for o in observations {
        let fields = [
            quoted(&o.workload),
            o.nodes.to_string(),
            o.vnodes.to_string(),
            quoted(&o.experiment),
            quoted(&o.operation),
            quoted(&o.regime),
            quoted(&o.control),
            o.sitting.to_string(),
            o.pair.to_string(),
            o.sample.to_string(),
            o.worker.to_string(),
            u8::from(o.first).to_string(),
            quoted(&o.backend),
            o.count.to_string(),
            o.elapsed_ns.to_string(),
            o.readings.to_string(),
            format!("{:016x}", o.checksum),
            o.tokens.to_string(),
            // The shortest digits that read back as the same number.
            o.read_ns.to_string(),
            each(&o.each_ns),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// Single times, a blank between two.
fn each(times: &[u64]) -> String {
    times.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// A field, in quotes where it holds what would end it.
pub(crate) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_field_for_each_column() {
        let observation = Observation {
            workload: "5x10 file:a,\"b\".txt".to_owned(),
            nodes: 5,
            vnodes: 10,
            experiment: "lookup".to_owned(),
            operation: "get".to_owned(),
            regime: "throughput".to_owned(),
            control: "main".to_owned(),
            sitting: 0,
            pair: 1,
            sample: 2,
            worker: 1,
            first: true,
            backend: "btree".to_owned(),
            count: 9,
            elapsed_ns: 250_000,
            readings: 1,
            checksum: 255,
            tokens: 50,
            read_ns: 20.5,
            each_ns: vec![7, 9],
        };
        let text = render(&[observation]);
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap().split(',').count(), COLUMNS.len());
        assert_eq!(
            lines.next().unwrap(),
            "\"5x10 file:a,\"\"b\"\".txt\",5,10,lookup,get,throughput,main,0,1,2,1,1,btree,9,250000,1,00000000000000ff,50,20.5,7 9"
        );
        assert_eq!(render(&[]).lines().count(), 1);
    }
}
