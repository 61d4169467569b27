//! Tables of what owes nothing to a clock.

use crate::experiments::balance::AFTER_ADD;
use crate::record::ExactFigure;
use crate::report::number::percent;
use crate::report::tables::Sheet;

/// The title of the table of shares.
pub const BALANCE: &str = "how even shares are, over rings with fresh ids";
/// The title of the table of shares after a change.
pub const BALANCE_AFTER: &str = "how even shares are after a node joined, over the same rings";
/// The title of the table of keys.
pub const BALANCE_KEYS: &str = "how even 20,000 keys are, over the same rings";
/// The title of the table of keys after a change.
pub const BALANCE_KEYS_AFTER: &str =
    "how even 20,000 keys are after a node joined, over the same rings";
/// The title of the table of moves.
pub const MOVE: &str = "what a change moves, over rings with fresh ids";
/// The title of the table of popular keys.
pub const POPULARITY: &str = "popular keys: more tokens do not help";
/// The title of the table of a hash without avalanche.
pub const AVALANCHE: &str = "a hash without avalanche ruins the balance";
/// The title of the table of adversaries.
pub const ADVERSARY: &str = "an adversary against an unkeyed hash";

/// How a value is written.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Ratio,
    Percent,
    /// Two measures as one band, in percent.
    Band(&'static str),
    /// The same as ratios.
    Range(&'static str),
}

/// A figure by experiment, case and measure; `None` where it is not there or no number.
#[must_use]
pub fn value(figures: &[ExactFigure], experiment: &str, case: &str, measure: &str) -> Option<f64> {
    figures
        .iter()
        .find(|f| f.experiment == experiment && f.case == case && f.measure == measure)?
        .value
        .parse()
        .ok()
}

/// The cases of an experiment, in their order.
#[must_use]
pub fn cases<'a>(figures: &'a [ExactFigure], experiment: &str) -> Vec<&'a str> {
    let own = figures.iter().filter(|figure| figure.experiment == experiment);
    let mut cases: Vec<&str> = own.map(|figure| figure.case.as_str()).collect();
    cases.dedup();
    cases
}

/// A column: its name, its measure, how it is written.
type Column<'a> = (&'a str, &'a str, Form);

fn sheet(
    figures: &[ExactFigure],
    experiment: &str,
    title: &str,
    columns: &[Column],
) -> Option<Sheet> {
    sheet_of(figures, experiment, title, columns, "")
}

/// A table of measures whose names end with `suffix`.
fn sheet_of(
    figures: &[ExactFigure],
    experiment: &str,
    title: &str,
    columns: &[Column],
    suffix: &str,
) -> Option<Sheet> {
    let cases = cases(figures, experiment);
    if cases.is_empty() {
        return None;
    }
    let value =
        |case: &str, measure: &str| value(figures, experiment, case, &format!("{measure}{suffix}"));
    let cell = |case: &str, measure: &str, form: Form| {
        let Some(found) = value(case, measure) else { return "-".to_owned() };
        match form {
            Form::Plain => format!("{found:.0}"),
            Form::Ratio => format!("{found:.3}"),
            Form::Percent => percent(found),
            Form::Band(high) => match value(case, high) {
                Some(high) => format!("{:.2} to {:.2} %", found * 100.0, high * 100.0),
                None => "-".to_owned(),
            },
            Form::Range(high) => match value(case, high) {
                Some(high) => format!("{found:.3} to {high:.3}"),
                None => "-".to_owned(),
            },
        }
    };
    let rows = cases
        .iter()
        .map(|case| {
            let mut row = vec![(*case).to_owned()];
            row.extend(columns.iter().map(|(_, measure, form)| cell(case, measure, *form)));
            row
        })
        .collect();
    let mut names = vec![String::new()];
    names.extend(columns.iter().map(|(name, ..)| (*name).to_owned()));
    Some(Sheet { title: title.to_owned(), columns: names, rows })
}

/// How even shares are: of the hash space and of keys, each before and after a join, by the same columns.
fn balance(figures: &[ExactFigure]) -> Vec<Option<Sheet>> {
    use Form::{Plain, Range, Ratio};
    let space = [
        ("rings", "rings", Plain),
        ("max/mean", "max_over_mean", Ratio),
        ("worst ring", "max_over_mean_worst", Ratio),
        ("law, 1 in 1000", "law_max_over_mean_bound", Ratio),
        ("min/mean", "min_over_mean", Ratio),
        ("worst ring", "min_over_mean_worst", Ratio),
        ("law, 1 in 1000", "law_min_over_mean_bound", Ratio),
        ("max/min", "max_over_min", Ratio),
        ("cv", "cv", Ratio),
        ("law", "law_cv", Ratio),
        ("law, 4 deviations", "law_cv_low", Range("law_cv_high")),
    ];
    let keys = [
        ("rings", "rings", Plain),
        ("max/mean", "keys_max_over_mean", Ratio),
        ("min/mean", "keys_min_over_mean", Ratio),
        ("max/min", "keys_max_over_min", Ratio),
        ("cv", "keys_cv", Ratio),
        ("law", "law_keys_cv", Ratio),
    ];
    let tables: [(&str, &[Column], &str); 4] = [
        (BALANCE, &space, ""),
        (BALANCE_AFTER, &space, AFTER_ADD),
        (BALANCE_KEYS, &keys, ""),
        (BALANCE_KEYS_AFTER, &keys, AFTER_ADD),
    ];
    tables
        .map(|(title, columns, suffix)| sheet_of(figures, "balance", title, columns, suffix))
        .into()
}

/// All tables.
#[must_use]
pub fn sheets(figures: &[ExactFigure]) -> Vec<Sheet> {
    use Form::{Band, Percent, Plain, Ratio};
    let others = [
        sheet(
            figures,
            "move",
            MOVE,
            &[
                ("moved", "moved_mean", Percent),
                ("law", "law_mean", Percent),
                ("least to most", "moved_least", Band("moved_most")),
                ("law, 99.9 %", "law_low", Band("law_high")),
                ("rings within", "rings_within", Plain),
                ("keys moved", "keys_moved_mean", Percent),
                ("by hash % N", "modulo_keys_moved_mean", Percent),
                ("replica sets", "replica_sets_changed", Percent),
                ("law", "law_replica_sets_changed", Percent),
                ("worst survivor", "worst_survivor_growth", Ratio),
            ],
        ),
        sheet(
            figures,
            "popularity",
            POPULARITY,
            &[
                ("of the keys, the top key", "top_key", Percent),
                ("of the keys, the top node", "top_node", Percent),
                ("an even part", "even_part", Percent),
            ],
        ),
        sheet(
            figures,
            "avalanche",
            AVALANCHE,
            &[
                ("max/mean", "max_over_mean", Ratio),
                ("min/mean", "min_over_mean", Ratio),
                ("cv", "cv", Ratio),
            ],
        ),
        sheet(
            figures,
            "adversary",
            ADVERSARY,
            &[
                ("keys at one node", "top_node", Percent),
                ("first id: share/expected", "first_over_expected", Ratio),
                ("second id", "second_over_expected", Ratio),
            ],
        ),
    ];
    balance(figures).into_iter().chain(others).flatten().collect()
}
