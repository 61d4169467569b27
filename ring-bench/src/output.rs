//! Where data goes: standard output, and files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::error::BenchError;
use crate::names::readable_path;

/// How much is gathered before it is written.
const BUFFER_SIZE: usize = 64 * 1024;

/// Standard output, written in large pieces that end with a whole line.
///
/// Append lines to [`buffer`](Self::buffer) and call [`line_done`](Self::line_done) after each, or
/// after a few; [`flush`](Self::flush) before waiting for more input, and at the end.
#[derive(Debug)]
pub struct Stdout {
    out: io::Stdout,
    /// What is still to be written. Whole lines only, whenever a method of this type is called.
    pub buffer: Vec<u8>,
}

impl Default for Stdout {
    fn default() -> Self {
        Self::new()
    }
}

impl Stdout {
    /// Standard output with an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self { out: io::stdout(), buffer: Vec::with_capacity(2 * BUFFER_SIZE) }
    }

    /// Writes the buffer out where it is full.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    #[inline]
    pub fn line_done(&mut self) -> Result<(), BenchError> {
        if self.buffer.len() < BUFFER_SIZE { Ok(()) } else { self.flush() }
    }

    /// Writes the buffer out.
    ///
    /// # Errors
    ///
    /// [`BenchError::PipeClosed`] where the reader has gone, [`BenchError::Failed`] for anything else.
    pub fn flush(&mut self) -> Result<(), BenchError> {
        let mut out = self.out.lock();
        let written = out.write_all(&self.buffer).and_then(|()| out.flush());
        self.buffer.clear();
        // One long key should not keep its memory for the rest of the run.
        self.buffer.shrink_to(2 * BUFFER_SIZE);
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => BenchError::PipeClosed,
            _ => BenchError::failed(format!("standard output: cannot be written: {error}")),
        })
    }
}

/// Writes `text` to standard output.
///
/// # Errors
///
/// As [`Stdout::flush`].
pub fn print(text: &str) -> Result<(), BenchError> {
    let mut out = Stdout { out: io::stdout(), buffer: text.as_bytes().to_vec() };
    out.flush()
}

/// Writes a file whole or not at all: into a temporary file beside it, then in its place by one
/// rename, so that a failure leaves what was there.
///
/// An existing file keeps its permissions, and a symbolic link stays one. What is not a regular file
/// (a pipe, a device) is written to as it is.
///
/// # Errors
///
/// [`BenchError::Failed`] where the file cannot be written: it is a directory or read-only, its
/// directory is missing, the disk is full. [`BenchError::Usage`] for `-`, which other programs take for standard output.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<(), BenchError> {
    if path.as_os_str() == "-" {
        return Err(BenchError::usage(
            "-: a file was expected; standard output is /dev/stdout, and a file of this name ./-",
        ));
    }
    replace(path, contents).map_err(|error| {
        BenchError::failed(format!("{}: cannot be written: {error}", readable_path(path)))
    })
}

fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut target = path.to_path_buf();
    if let Some(metadata) = &existing {
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return File::options().write(true).open(path)?.write_all(contents);
        }
        if metadata.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        target = fs::canonicalize(path)?;
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let place = readable_path(directory);
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no directory {place}"),
        ));
    }
    let mut temporary = new_file_in(directory).map_err(without_place)?;
    temporary.write_all(contents)?;
    if let Some(metadata) = &existing {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    // Without it a crash after the rename could leave an empty file in place of the old one.
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    Ok(())
}

/// A temporary file with the permissions that a new file has, not those of a private one.
fn new_file_in(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ring-bench-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// The system's error without the name of the temporary file, which the user never gave.
fn without_place(error: io::Error) -> io::Error {
    match error.to_string().rsplit_once(" at path ") {
        Some((words, _)) => io::Error::new(error.kind(), words.to_owned()),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("a directory");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("ring.json");
        write_file(&path, b"one").expect("written");
        write_file(&path, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("readable"), b"two");
        assert_eq!(names(directory.path()), ["ring.json"]);
    }

    #[test]
    fn a_failure_leaves_nothing_new_and_destroys_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let missing = directory.path().join("missing").join("ring.json");
        let error = write_file(&missing, b"x").expect_err("no such directory");
        assert_eq!(error.exit_code(), 1);
        assert!(error.to_string().starts_with(&missing.display().to_string()), "{error}");
        assert!(error.to_string().contains("no directory"), "{error}");
        assert!(!error.to_string().contains(".ring-bench-"), "{error}");
        assert_eq!(write_file(Path::new("-"), b"x").expect_err("no file").exit_code(), 2);
        let sealed = new_file_in(&directory.path().join("missing")).expect_err("no directory");
        assert!(!without_place(sealed).to_string().contains(".ring-bench-"));
        assert!(write_file(directory.path(), b"x").is_err());
        assert!(names(directory.path()).is_empty());

        let path = directory.path().join("kept");
        fs::write(&path, b"old").expect("written");
        let mut permissions = fs::metadata(&path).expect("there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("set");
        assert!(write_file(&path, b"new").is_err());
        assert_eq!(fs::read(&path).expect("readable"), b"old");
        assert_eq!(names(directory.path()), ["kept"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("script");
        fs::write(&path, b"old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("set");
        let link = directory.path().join("link");
        symlink(&path, &link).expect("linked");
        write_file(&link, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o750);

        write_file(Path::new("/dev/null"), b"gone").expect("written");
        assert!(fs::metadata("/dev/null").expect("there").file_type().is_char_device());
    }
}
