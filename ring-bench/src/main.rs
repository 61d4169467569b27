//! The command `ring-bench`. Its verbs stand in [`cmd`], one a file.

mod cmd;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
