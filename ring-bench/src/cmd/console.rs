//! Messages on standard error, and whether they are coloured. The one place that reads `NO_COLOR`.

use std::io::{self, IsTerminal as _, Write as _};

use clap::ColorChoice;
use ring_bench::error::BenchError;

/// When messages are coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless `NO_COLOR` is set or the terminal is a dumb one.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// The choice among the arguments of the process, for messages about arguments that do not parse.
    pub(crate) fn of_arguments() -> Self {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let of = |word: &str| match word {
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        };
        let joined = arguments.iter().filter_map(|a| of(a.to_str()?.strip_prefix("--color=")?));
        let apart = arguments
            .windows(2)
            .filter(|pair| pair[0] == "--color")
            .filter_map(|pair| of(pair[1].to_str()?));
        joined.chain(apart).last().unwrap_or_default()
    }

    pub(crate) fn for_clap(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }

    fn on_stderr(self) -> bool {
        self.on(io::stderr().is_terminal())
    }

    /// Whether data on standard output is coloured.
    pub(crate) fn on_stdout(self) -> bool {
        self.on(io::stdout().is_terminal())
    }

    fn on(self, terminal: bool) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                terminal
                    && !set("NO_COLOR")
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// Says why the command stopped.
pub(crate) fn error(color: Color, error: &BenchError) {
    say(color, "error", "\x1b[1;31m", &shortened(&error.to_string()));
}

/// A word of a message is cut to this many characters where it has more than [`LONGEST_WORD`].
const CUT_WORD: usize = 80;
/// Paths are longer than other values, and useless when cut.
const LONGEST_WORD: usize = 120;
const LONGEST_PATH: usize = 1000;

/// The message with its longest words cut: a value of a megabyte would push the sentence around it off the screen.
fn shortened(message: &str) -> String {
    let mut text = String::with_capacity(message.len().min(4096));
    for part in message.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        let length = word.chars().count();
        if length <= if word.contains('/') { LONGEST_PATH } else { LONGEST_WORD } {
            text += part;
            continue;
        }
        text.extend(word.chars().take(CUT_WORD));
        text += &format!("... ({length} characters)");
        text += &part[word.len()..];
    }
    text
}

/// Warns that files of a run are not those of its manifest.
pub(crate) fn warn_of_changes(color: Color, folder: &std::path::Path) {
    let changed = ring_bench::results::verify::changed_files(folder);
    if !changed.is_empty() {
        let message = format!(
            "{}: {} differ from what the manifest names, so figures may not be those of the run; see `verify`",
            folder.display(),
            changed.join(", ")
        );
        warning(color, &message);
    }
}

/// Says something that did not stop the command.
pub(crate) fn warning(color: Color, text: &str) {
    say(color, "warning", "\x1b[1;33m", text);
}

fn say(color: Color, word: &str, style: &str, text: &str) {
    let (on, off) = if color.on_stderr() { (style, "\x1b[0m") } else { ("", "") };
    // Where standard error is gone, there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{on}{word}:{off} {text}");
}

/// Tells who sits at a terminal that keys are awaited there.
pub(crate) fn say_if_waiting_for_keys() {
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "reading keys from the terminal, one a line, up to Ctrl-D");
    }
}

/// What clap says about arguments, as one sentence, with its tips on lines of their own. The usage
/// lines that it adds are left to `--help`.
pub(crate) fn usage(error: &clap::Error) -> BenchError {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let words = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = words(paragraphs.next().unwrap_or(&text));
    let mut sentence = first.trim_start_matches("error: ").to_owned();
    for tip in paragraphs.flat_map(str::lines).filter(|line| line.starts_with("  tip:")) {
        sentence.push('\n');
        sentence.push_str(tip);
    }
    BenchError::usage(sentence)
}

/// Prints the help or version that clap was asked for.
pub(crate) fn print_help(help: &clap::Error) -> Result<(), BenchError> {
    match help.print() {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(BenchError::PipeClosed),
        Err(error) => {
            Err(BenchError::failed(format!("standard output: cannot be written: {error}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_words_of_a_message_are_cut() {
        let short = "--add a=0: not a whole number\n  tip: 1";
        assert_eq!(shortened(short), short);
        let long = format!("--add {}: no\nmore", "x".repeat(100_000));
        let cut = shortened(&long);
        assert!(cut.starts_with("--add xxx") && cut.ends_with("characters) no\nmore"), "{cut}");
        assert!(cut.len() < 130, "{cut}");
        let path = format!("{}: no", "folder/".repeat(60));
        assert_eq!(shortened(&path), path);
    }
}
