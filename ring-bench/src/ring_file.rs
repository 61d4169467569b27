//! Rings and secrets in files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ring_core::{Hash64, HashRing, Snapshot, TokenStore};

use crate::error::BenchError;
use crate::hashes::AnyHash;
use crate::names::readable_path;

/// A snapshot with the place it came from.
///
/// Every error names the file, and the line and column where the text is at fault.
#[derive(Debug, Clone)]
pub struct RingFile {
    path: PathBuf,
    snapshot: Snapshot,
}

impl RingFile {
    /// Reads the snapshot at `path`. The ring is not built yet.
    ///
    /// # Errors
    ///
    /// A usage error where the file cannot be read or is no snapshot.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let usage = |reason: String| BenchError::usage(reason).at(&readable_path(path));
        if path.as_os_str() == "-" {
            return Err(usage(
                "the file of a ring was expected; standard input is /dev/stdin, and a file of this name ./-"
                    .to_owned(),
            ));
        }
        let bytes =
            read_document(path).map_err(|error| usage(format!("cannot be read: {error}")))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let good = &bytes[..error.valid_up_to()];
            let line_start = memchr::memrchr(b'\n', good).map_or(0, |end| end + 1);
            usage(format!(
                "malformed snapshot: the text is not UTF-8 at line {} column {}",
                memchr::memchr_iter(b'\n', good).count() + 1,
                good.len() - line_start + 1
            ))
        })?;
        let snapshot = Snapshot::from_json(text).map_err(|error| usage(error.to_string()))?;
        Ok(Self { path: path.to_path_buf(), snapshot })
    }

    /// The hash that the snapshot names.
    ///
    /// # Errors
    ///
    /// A usage error for an unknown name, and for a keyed hash without a secret.
    pub fn hash(&self, secret: Option<[u8; 16]>) -> Result<AnyHash, BenchError> {
        AnyHash::named(self.snapshot.hash(), secret).map_err(|error| error.at(&self.name()))
    }

    /// Builds the ring under `hash`.
    ///
    /// # Errors
    ///
    /// A usage error where the hash is not the snapshot's, the tokens pass the limit, or the
    /// fingerprint is another.
    pub fn build<S: TokenStore, H: Hash64>(&self, hash: H) -> Result<HashRing<S, H>, BenchError> {
        HashRing::from_snapshot_with_hash(&self.snapshot, hash)
            .map_err(|error| BenchError::usage(error.to_string()).at(&self.name()))
    }

    /// What messages call the file.
    #[must_use]
    pub fn name(&self) -> String {
        readable_path(&self.path)
    }
}

/// Reads a JSON document to its end, unless it cannot be one: what does not begin with `{` is handed
/// back after its first piece, so that an endless device is not read until memory is full.
fn read_document(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(64 * 1024).read_to_end(&mut bytes)?;
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Reads a hash's secret: 32 hexadecimal digits of either case, and at most an end of line. The first
/// two digits are the first byte.
///
/// # Errors
///
/// A usage error that never shows what the file holds.
pub fn read_secret(path: &Path) -> Result<[u8; 16], BenchError> {
    let usage = |reason: String| BenchError::usage(reason).at(&readable_path(path));
    let mut text = Vec::new();
    // A few bytes more than are allowed tell that it is too long.
    File::open(path)
        .and_then(|file| file.take(64).read_to_end(&mut text))
        .map_err(|error| usage(format!("cannot be read: {error}")))?;
    let line = text.strip_suffix(b"\n").unwrap_or(&text);
    let digits = line.strip_suffix(b"\r").unwrap_or(line);
    secret(digits).ok_or_else(|| {
        usage("a hash secret is 32 hexadecimal digits on one line and nothing else".to_owned())
    })
}

fn secret(digits: &[u8]) -> Option<[u8; 16]> {
    let nibble = |digit: u8| char::from(digit).to_digit(16).and_then(|n| u8::try_from(n).ok());
    let mut secret = [0; 16];
    if digits.len() != 2 * secret.len() {
        return None;
    }
    for (byte, pair) in secret.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_read_first_byte_first() {
        let digits = b"000102030405060708090a0b0c0d0eFf";
        let mut expected: [u8; 16] = std::array::from_fn(|i| u8::try_from(i).expect("small"));
        expected[15] = 0xff;
        assert_eq!(secret(digits), Some(expected));
        for wrong in [
            &digits[1..],
            b"",
            b"000102030405060708090a0b0c0d0e0g",
            b"+00102030405060708090a0b0c0d0e0f",
        ] {
            assert_eq!(secret(wrong), None);
        }
    }
}
