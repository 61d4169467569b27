//! What GitHub understands: workflow commands that annotate a run, and the file that github-action-benchmark reads.

use std::fmt::Write as _;

use serde::Serialize;

use crate::gate::decide::Status;
use crate::gate::record::{GateRecord, Verdict};
use crate::report::gate::headline;
use crate::report::number::ratio_interval;

/// Annotations: a workflow command a line, the verdict first.
#[must_use]
pub fn annotations(record: &GateRecord) -> String {
    let level = match record.verdict {
        Verdict::Pass | Verdict::NoBase => "notice",
        Verdict::Inconclusive => "warning",
        Verdict::Regressed | Verdict::AnswersDiffer => "error",
    };
    let mut text = command(level, "ring-bench gate", &headline(record));
    for row in &record.benchmarks {
        let level = match row.status {
            Status::Regressed => "error",
            Status::Warn | Status::Unjudged => "warning",
            Status::Accepted => "notice",
            Status::Pass | Status::Faster => continue,
        };
        let mut message = format!(
            "{} head/base, slower in {} of {} process pairs, fails over {:.3}x",
            ratio_interval(row.ratio, row.low, row.high),
            row.slower,
            row.pairs,
            row.fail_above
        );
        if let Some(ir) = row.ir_ratio {
            // Writing to a string cannot fail.
            let _ = write!(message, ", {ir:.4}x instructions");
        }
        let title = format!("{}/{}: {}", row.backend, row.name, row.status.name());
        text.push_str(&command(level, &title, &message));
    }
    for row in record.exact.iter().filter(|row| !row.equal) {
        let level =
            if row.status == "better" || row.status == "accepted" { "notice" } else { "error" };
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let message = format!(
            "recorded {}, base {}, head {}",
            value(&row.recorded),
            value(&row.base),
            value(&row.head)
        );
        text.push_str(&command(level, &format!("{}: {}", row.name, row.status), &message));
    }
    for note in &record.notes {
        text.push_str(&command("notice", "ring-bench gate", note));
    }
    text
}

/// One workflow command.
fn command(level: &str, title: &str, message: &str) -> String {
    // What would end the command is written as the runner reads it back.
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    format!("::{level} title={}::{}\n", property(title), data(message))
}

/// An entry of the tool `customSmallerIsBetter` of github-action-benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Entry {
    name: String,
    unit: String,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<String>,
}

/// The head's figures for a trend chart: an array with `name`, `unit`, `value`, `range` and `extra`.
///
/// Times of different days are drawn, never judged: the same binary differs by a factor of two within an hour on a
/// shared machine. The exact counts beside them move only when the code does.
#[must_use]
pub fn trend(record: &GateRecord) -> String {
    let times = record.benchmarks.iter().map(|row| Entry {
        name: format!("{}/{}", row.backend, row.name),
        unit: "ns/op".to_owned(),
        value: row.head_ns,
        range: Some(format!("± {:.1} %", (row.high - row.low) / 2.0 / row.ratio * 100.0)),
        extra: Some(format!(
            "{} of the base, {} process pairs, {}",
            ratio_interval(row.ratio, row.low, row.high),
            row.pairs,
            row.status.name()
        )),
    });
    let counts = record.exact.iter().filter(|row| row.kind == "count").filter_map(|row| {
        let value = row.head.as_ref()?.parse().ok()?;
        Some(Entry {
            name: row.name.clone(),
            unit: "count".to_owned(),
            value,
            range: None,
            extra: None,
        })
    });
    let entries: Vec<Entry> = times.chain(counts).collect();
    serde_json::to_string_pretty(&entries).unwrap_or_else(|_| "[]".to_owned()) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::gate::tests::record;

    #[test]
    fn findings_become_annotations_and_nothing_breaks_out_of_them() {
        let mut record = record(Verdict::Regressed);
        record.notes = vec!["100 % of\nit".to_owned()];
        let text = annotations(&record);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("::error title=ring-bench gate::REGRESSED: "), "{text}");
        assert!(
            lines[1].starts_with("::error title=btree/get/100x100%3A regressed::1.10x"),
            "{text}"
        );
        assert!(
            lines[2].starts_with("::error title=bytes%3A worse::recorded 1, base -, head 2"),
            "{text}"
        );
        assert_eq!(lines[3], "::notice title=ring-bench gate::100 %25 of%0Ait");
        assert_eq!(lines.len(), 4);
        for (verdict, level) in [
            (Verdict::Pass, "::notice "),
            (Verdict::NoBase, "::notice "),
            (Verdict::Inconclusive, "::warning "),
            (Verdict::AnswersDiffer, "::error "),
        ] {
            let mut record = record.clone();
            record.verdict = verdict;
            assert!(annotations(&record).starts_with(level), "{verdict:?}");
        }
    }

    /// The shape of the example that github-action-benchmark publishes: an array of objects with `name`, `unit` and
    /// `value`, and `range` and `extra` where there are any.
    #[test]
    fn the_trend_file_has_the_members_of_the_published_example() {
        let value: serde_json::Value =
            serde_json::from_str(&trend(&record(Verdict::Pass))).unwrap();
        let entries = value.as_array().unwrap();
        assert_eq!(entries.len(), 3);
        for entry in entries {
            assert!(
                entry["name"].is_string()
                    && entry["unit"].is_string()
                    && entry["value"].is_number()
            );
            let known = ["name", "unit", "value", "range", "extra"];
            assert!(entry.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())));
            assert!(entry.get("range").is_none_or(serde_json::Value::is_string));
            assert!(entry.get("extra").is_none_or(serde_json::Value::is_string));
        }
        assert_eq!(entries[0]["name"], "btree/get/100x100");
        assert_eq!(entries[0]["unit"], "ns/op");
        assert_eq!(entries[2]["name"], "bytes");
        assert_eq!(entries[2]["value"], 2.0);
    }
}
