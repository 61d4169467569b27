//! Keys as lines of bytes, read in constant memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::BenchError;
use crate::names::readable_path;

/// How many keys [`Keys::next_batch`] gives at once: as many as a ring looks up in one go.
pub const BATCH: usize = 64;

/// Bytes asked for in one read. Lines may be longer; then the buffer grows to hold one.
const READ_SIZE: usize = 64 * 1024;

/// No key is longer. A guard against input without any end of line, such as a device.
const LONGEST_KEY: usize = 1 << 30;

/// Lines of bytes without their LF, from a file or standard input.
///
/// A CR stays part of the key, an empty line is the empty key, a last line needs no LF, and an empty
/// file has no keys. Input is handed on as it arrives, in chunks of whole lines.
///
/// # Examples
///
/// ```
/// use ring_bench::keys::KeyLines;
///
/// let mut lines = KeyLines::new("keys", Box::new(&b"a\n\nb\r\nlast"[..]));
/// let mut found = Vec::new();
/// while let Some(keys) = lines.next_chunk()? {
///     found.extend(keys.map(<[u8]>::to_vec));
/// }
/// assert_eq!(found, [&b"a"[..], b"", b"b\r", b"last"]);
/// # Ok::<(), ring_bench::error::BenchError>(())
/// ```
pub struct KeyLines {
    source: Box<dyn Read>,
    /// What messages call the source.
    name: String,
    /// `..taken` was handed out, `taken..filled` is the beginning of a line whose end is to come.
    buffer: Vec<u8>,
    taken: usize,
    filled: usize,
    longest: usize,
    /// Whether any key was handed out: errors before are bad input, later ones failed work.
    started: bool,
}

impl KeyLines {
    /// Opens the file at `path`; `-` is standard input.
    ///
    /// # Errors
    ///
    /// A usage error where the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, BenchError> {
        if path.as_os_str() == "-" {
            return Ok(Self::stdin());
        }
        let name = readable_path(path);
        match File::open(path) {
            Ok(file) => Ok(Self::new(&name, Box::new(file))),
            Err(error) => Err(BenchError::usage(format!("{name}: cannot be read: {error}"))),
        }
    }

    /// The lines of standard input.
    #[must_use]
    pub fn stdin() -> Self {
        Self::new("standard input", Box::new(io::stdin().lock()))
    }

    /// The lines of `source`, which messages call `name`.
    #[must_use]
    pub fn new(name: &str, source: Box<dyn Read>) -> Self {
        Self::with_sizes(name, source, READ_SIZE, LONGEST_KEY)
    }

    fn with_sizes(name: &str, source: Box<dyn Read>, read_size: usize, longest: usize) -> Self {
        Self {
            source,
            name: name.to_owned(),
            buffer: vec![0; read_size],
            taken: 0,
            filled: 0,
            longest,
            started: false,
        }
    }

    /// The next keys, as many whole lines as one read brings; `None` at the end.
    ///
    /// # Errors
    ///
    /// The source cannot be read, or a key is longer than 1 GiB: bad input before the first key was
    /// handed out, failed work after.
    pub fn next_chunk(&mut self) -> Result<Option<Keys<'_>>, BenchError> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        loop {
            if self.filled == self.buffer.len() {
                self.grow()?;
            }
            let read = match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(&format!("cannot be read: {error}"))),
            };
            let new = self.filled..self.filled + read;
            self.filled = new.end;
            if read == 0 {
                self.taken = self.filled;
                return Ok((self.taken > 0).then(|| self.keys()));
            }
            if let Some(last) = memchr::memrchr(b'\n', &self.buffer[new.clone()]) {
                self.taken = new.start + last + 1;
                return Ok(Some(self.keys()));
            }
        }
    }

    fn keys(&mut self) -> Keys<'_> {
        self.started = true;
        Keys::of(&self.buffer[..self.taken])
    }

    fn grow(&mut self) -> Result<(), BenchError> {
        if self.filled > self.longest {
            let reason =
                format!("a line is longer than {} bytes, which no key may be", self.longest);
            return Err(self.error(&reason));
        }
        self.buffer.resize(2 * self.buffer.len(), 0);
        Ok(())
    }

    fn error(&self, reason: &str) -> BenchError {
        let sentence = format!("{}: {reason}", self.name);
        if self.started { BenchError::failed(sentence) } else { BenchError::usage(sentence) }
    }
}

/// The keys of one chunk of whole lines.
pub struct Keys<'a> {
    bytes: &'a [u8],
    ends: memchr::Memchr<'a>,
    at: usize,
}

impl<'a> Keys<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, ends: memchr::memchr_iter(b'\n', bytes), at: 0 }
    }

    /// Fills `batch` from the front and returns what was filled; nothing at the end of the chunk.
    pub fn next_batch<'b>(&mut self, batch: &'b mut [&'a [u8]; BATCH]) -> &'b [&'a [u8]] {
        let mut count = 0;
        for (place, key) in batch.iter_mut().zip(self) {
            *place = key;
            count += 1;
        }
        &batch[..count]
    }
}

impl<'a> Iterator for Keys<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if let Some(end) = self.ends.next() {
            self.at = end + 1;
            return Some(&self.bytes[start..end]);
        }
        // Only the last line of all may lack its LF.
        self.at = self.bytes.len();
        (start < self.at).then(|| &self.bytes[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out at most `step` bytes a read.
    struct Slow {
        bytes: Vec<u8>,
        at: usize,
        step: usize,
    }

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.step.min(buffer.len()).min(self.bytes.len() - self.at);
            buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
            self.at += count;
            Ok(count)
        }
    }

    fn lines(text: &[u8], step: usize, read_size: usize) -> Vec<Vec<u8>> {
        let source = Slow { bytes: text.to_vec(), at: 0, step };
        let mut lines = KeyLines::with_sizes("keys", Box::new(source), read_size, 1 << 20);
        let mut found = Vec::new();
        while let Some(mut keys) = lines.next_chunk().expect("readable") {
            let mut batch = [&b""[..]; BATCH];
            loop {
                let keys = keys.next_batch(&mut batch);
                if keys.is_empty() {
                    break;
                }
                found.extend(keys.iter().map(|key| key.to_vec()));
            }
        }
        found
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let many = "0123456789".repeat(30).replace('5', "\n").into_bytes();
        let texts: [&[u8]; 10] = [
            b"",
            b"\n",
            b"\n\n",
            b"a",
            b"a\n",
            b"a\n\n",
            b"\na",
            b"a\r\nb\rc\n",
            b"\xff\x00\n\xfe",
            &many,
        ];
        for text in texts {
            let mut expected: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            // What follows the last LF is a line only if it is not empty.
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            for step in [1, 2, 3, 7, 4096] {
                for read_size in [1, 2, 5, 64, 4096] {
                    assert_eq!(
                        lines(text, step, read_size),
                        expected,
                        "{text:?} {step} {read_size}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_one_key() {
        let mut text = vec![b'x'; 100_000];
        text.extend_from_slice(b"\nshort");
        assert_eq!(lines(&text, 999, 16), [vec![b'x'; 100_000], b"short".to_vec()]);
    }

    #[test]
    fn input_without_an_end_of_line_is_refused_in_the_end() {
        let mut lines = KeyLines::with_sizes("keys", Box::new(io::repeat(b'x')), 16, 1000);
        let error = lines.next_chunk().err().expect("endless");
        assert_eq!(
            error.to_string(),
            "keys: a line is longer than 1000 bytes, which no key may be"
        );
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn an_error_after_the_first_key_is_failed_work() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        let error = KeyLines::new("keys", Box::new(Broken)).next_chunk().err().expect("broken");
        assert_eq!(error.exit_code(), 2);

        let mut lines = KeyLines::new("keys", Box::new(b"a\nhalf a li".chain(Broken)));
        assert_eq!(lines.next_chunk().expect("a line").expect("a line").count(), 1);
        let error = lines.next_chunk().err().expect("broken");
        assert_eq!(error.to_string(), "keys: cannot be read: the disk is gone");
        assert_eq!(error.exit_code(), 1);
    }
}
