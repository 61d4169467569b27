//! `--add`, `--remove` and `--set-weight`: one batch, in the order written.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use ring_bench::error::BenchError;
use ring_bench::names::readable;
use ring_core::{Change, Ring, RingError};

use super::options::positive;

/// Name of the group that holds the three options, for options that exclude them.
pub(crate) const GROUP: &str = "changes";

const HEADING: &str = "Changes (repeatable, applied as one batch in the order written)";
const ADD: &str = "add";
const REMOVE: &str = "remove";
const SET_WEIGHT: &str = "set-weight";

/// The changes among the arguments.
///
/// Written by hand where clap's derive would do for one option: the order across the three is what
/// counts, and only the positions of their values tell it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangeArgs {
    changes: Vec<Change>,
    /// Each change as it was written.
    written: Vec<String>,
}

impl ChangeArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn as_slice(&self) -> &[Change] {
        &self.changes
    }

    /// How change `index` was written.
    pub(crate) fn place(&self, index: usize) -> String {
        self.written.get(index).cloned().unwrap_or_default()
    }

    /// Applies the batch.
    pub(crate) fn apply_to<R: Ring>(&self, ring: &mut R) -> Result<(), BenchError> {
        apply(ring, &self.changes, |index| self.place(index))
    }
}

/// Applies a batch; an error names the change at fault by `place` of its index.
pub(crate) fn apply<R: Ring>(
    ring: &mut R,
    changes: &[Change],
    place: impl FnOnce(usize) -> String,
) -> Result<(), BenchError> {
    ring.apply(changes).map_err(|error| match error {
        RingError::InChange { index, cause } => {
            BenchError::usage(cause.to_string()).at(&place(index))
        }
        other => BenchError::usage(other.to_string()),
    })
}

impl clap::Args for ChangeArgs {
    fn augment_args(command: Command) -> Command {
        let change = |name: &'static str, value, help| {
            Arg::new(name)
                .long(name)
                .value_name(value)
                .help(help)
                .help_heading(HEADING)
                .action(ArgAction::Append)
                // Ids are any strings, so that one may begin with a hyphen.
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
        };
        command
            .arg(change(
                ADD,
                "ID[=WEIGHT]",
                "Add a node, of weight 1 unless given. The last `=` splits: an id with `=` is given \
                 with its weight",
            ))
            .arg(change(REMOVE, "ID", "Remove a node"))
            .arg(change(SET_WEIGHT, "ID=WEIGHT", "Give a node another weight. The last `=` splits"))
            .group(ArgGroup::new(GROUP).args([ADD, REMOVE, SET_WEIGHT]).multiple(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for ChangeArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for name in [ADD, REMOVE, SET_WEIGHT] {
            let indices = matches.indices_of(name).unwrap_or_default();
            let values = matches.get_many::<OsString>(name).unwrap_or_default();
            found.extend(indices.zip(values).map(|(index, value)| (index, name, value)));
        }
        found.sort_unstable_by_key(|&(index, _, _)| index);
        let mut changes = Self::default();
        for (_, name, value) in found {
            let written = format!("--{name} {}", readable(&value.to_string_lossy()));
            let change = parse(name, value).map_err(|reason| {
                clap::Error::raw(ErrorKind::ValueValidation, format!("{written}: {reason}"))
            })?;
            changes.changes.push(change);
            changes.written.push(written);
        }
        Ok(changes)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn parse(name: &str, value: &OsString) -> Result<Change, String> {
    let text = value.to_str().ok_or_else(|| {
        format!(
            "the id is not UTF-8 ({}), but a node id is",
            value.as_encoded_bytes().escape_ascii()
        )
    })?;
    match (name, text.rsplit_once('=')) {
        (REMOVE, _) => Ok(Change::remove(text)),
        (SET_WEIGHT, Some((id, number))) => Ok(Change::set_weight(id, weight(number)?)),
        (SET_WEIGHT, None) => Err("the weight is missing, as in --set-weight ID=WEIGHT".to_owned()),
        (_, None) => Ok(Change::add(text, 1)),
        (_, Some((id, number))) => {
            let weight = weight(number).map_err(|reason| {
                // `--add zone=a` means an id more likely than a weight.
                if number.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
                    reason
                } else {
                    format!(
                        "{reason} (an id that holds `=` is given with its weight: --add {text}=1)"
                    )
                }
            })?;
            Ok(Change::add(id, weight))
        }
    }
}

fn weight(number: &str) -> Result<u32, String> {
    positive(number).map_err(|reason| format!("the weight {number:?} is {reason}"))
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    fn changes(arguments: &[&str]) -> Result<Vec<Change>, String> {
        let command = ChangeArgs::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).map_err(|e| e.to_string())?;
        ChangeArgs::from_arg_matches(&matches).map(|args| args.changes).map_err(|e| e.to_string())
    }

    #[test]
    fn the_order_is_the_one_written_across_all_three_options() {
        let arguments =
            ["--remove", "a", "--add", "b=2", "--set-weight", "b=3", "--remove=b", "--add", "a"];
        let expected = [
            Change::remove("a"),
            Change::add("b", 2),
            Change::set_weight("b", 3),
            Change::remove("b"),
            Change::add("a", 1),
        ];
        assert_eq!(changes(&arguments), Ok(expected.to_vec()));
    }

    #[test]
    fn the_last_equals_sign_splits() {
        for (argument, change) in [
            ("--add=a", Change::add("a", 1)),
            ("--add=a=b=2", Change::add("a=b", 2)),
            ("--add==1", Change::add("", 1)),
            ("--add===7", Change::add("=", 7)),
            ("--add=", Change::add("", 1)),
            ("--remove=a=1", Change::remove("a=1")),
            ("--set-weight=a=b=2", Change::set_weight("a=b", 2)),
            ("--set-weight==4294967295", Change::set_weight("", u32::MAX)),
        ] {
            assert_eq!(changes(&[argument]), Ok(vec![change]), "{argument}");
        }
        assert_eq!(changes(&["--add", "-x"]), Ok(vec![Change::add("-x", 1)]));
    }

    #[test]
    fn weights_are_whole_numbers_from_1() {
        for weight in
            ["0", "-1", "1.5", "1000000000000", "4294967296", "+1", "", " 1", "1 ", "x", "1e3"]
        {
            for name in ["--add", "--set-weight"] {
                let error = changes(&[name, &format!("a={weight}")]).expect_err(weight);
                assert!(error.contains("whole number from 1 to 4294967295"), "{error}");
                let written = readable(&format!("a={weight}"));
                assert!(error.contains(&format!("{name} {written}: ")), "{error}");
            }
        }
        let hint = changes(&["--add", "zone=a"]).expect_err("no weight");
        assert!(hint.contains("--add zone=a=1"), "{hint}");
        assert!(changes(&["--set-weight", "a"]).expect_err("no weight").contains("missing"));
    }
}
