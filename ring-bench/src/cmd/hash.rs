//! `hash`: the 64-bit hash of each key.

use std::path::PathBuf;

use ring_bench::error::BenchError;
use ring_bench::hashes::{AnyHash, HashTask};
use ring_bench::keys::KeyLines;
use ring_bench::output::Stdout;
use ring_core::Hash64;

use super::options::{self, SecretArgs, hash_names};

/// Hash keys: 16 lower-case hexadecimal digits, a TAB, the key
///
/// Keys are lines of bytes without their LF; a CR is part of the key, an empty line the empty key.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  printf 'user:42\\n' | ring-bench hash
  ring-bench hash --hash xxh3-64 --keys keys.txt
  head -c 16 /dev/urandom | od -An -vtx1 | tr -d ' \\n' > secret.hex
  ring-bench hash --hash siphash-1-3 --hash-secret-file secret.hex --keys keys.txt")]
pub(crate) struct Args {
    /// The hash
    #[arg(long, value_name = "NAME", value_parser = hash_names(), default_value = AnyHash::NAMES[0])]
    hash: String,

    #[command(flatten)]
    secret: SecretArgs,

    /// Where the keys are, a line each; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    keys: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), BenchError> {
    let hash = AnyHash::named(&args.hash, args.secret.read()?)?;
    args.secret.check_used(&[hash])?;
    hash.with(HashKeys { keys: options::keys(&args.keys)? })
}

struct HashKeys {
    keys: KeyLines,
}

impl HashTask for HashKeys {
    type Output = Result<(), BenchError>;

    fn run<H: Hash64>(mut self, hash: H) -> Self::Output {
        let mut out = Stdout::new();
        while let Some(keys) = self.keys.next_chunk()? {
            for key in keys {
                out.buffer.extend_from_slice(&digits_and_tab(hash.hash64(key)));
                out.buffer.extend_from_slice(key);
                out.buffer.push(b'\n');
                out.line_done()?;
            }
            // The next read may wait: what is known is shown first.
            out.flush()?;
        }
        Ok(())
    }
}

fn digits_and_tab(hash: u64) -> [u8; 17] {
    let mut text = [b'\t'; 17];
    for (pair, byte) in text.chunks_exact_mut(2).zip(hash.to_be_bytes()) {
        pair.copy_from_slice(&HEX_PAIRS[usize::from(byte)]);
    }
    text
}

/// The two digits of every byte: one step a byte instead of one a digit.
const HEX_PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_formatter() {
        for hash in [0, 1, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, u64::MAX] {
            assert_eq!(digits_and_tab(hash).as_slice(), format!("{hash:016x}\t").as_bytes());
        }
    }
}
