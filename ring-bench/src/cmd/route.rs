//! `route`: the nodes of each key.

use std::io::Write as _;
use std::path::PathBuf;

use ring_bench::error::BenchError;
use ring_bench::hashes::HashTask;
use ring_bench::keys::{BATCH, KeyLines};
use ring_bench::output::Stdout;
use ring_bench::ring_file::RingFile;
use ring_btree::BTreeStore;
use ring_core::{Hash64, HashRing, Ring, TokenStore};
use ring_sortedvec::SortedVecStore;

use super::console::{self, Color};
use super::options::{self, SecretArgs, count};

/// Route keys: for each key the nodes that own it, in input order
///
/// Keys are lines of bytes without their LF; a CR is part of the key, an empty line the empty key.
/// tsv is the key, then its nodes, separated by TABs. jsonl is an object a key:
/// `{"key":…,"nodes":[…],"shortfall":n}`, with `key_hex` in place of `key` where the bytes are not
/// UTF-8; the shortfall says how many of the nodes asked for the ring does not have. In tsv a key that
/// holds a TAB looks like a key with nodes: use jsonl for such keys. Memory does not grow with the
/// number of keys.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  printf 'user:1\\nuser:2\\n' | ring-bench route --ring ring.json
  ring-bench route --ring ring.json --keys keys.txt --replicas 2
  ring-bench route --ring ring.json --keys keys.txt | cut -f2 | sort | uniq -c
  ring-bench route --ring ring.json --keys keys.txt --format jsonl | jq -r '.nodes[0]'")]
pub(crate) struct Args {
    /// The ring's snapshot
    #[arg(long, value_name = "FILE")]
    ring: PathBuf,

    #[command(flatten)]
    secret: SecretArgs,

    /// Where the keys are, a line each; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    keys: PathBuf,

    /// How many distinct nodes a key gets, its owner first
    #[arg(long, value_name = "R", default_value = "1", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    replicas: usize,

    /// What keeps the ring's tokens; the answers are the same
    #[arg(long, value_enum, value_name = "NAME", default_value = "sortedvec")]
    backend: Backend,

    /// How lines are written
    #[arg(long, value_enum, default_value = "tsv")]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Backend {
    Sortedvec,
    Btree,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Tsv,
    Jsonl,
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    let file = RingFile::read(&args.ring)?;
    let hash = file.hash(args.secret.read()?)?;
    args.secret.check_used(&[hash])?;
    let short = hash.with(RouteKeys { args, file: &file })?;
    if let Some(Short { keys, nodes }) = short {
        console::warning(
            color,
            &format!(
                "{keys} {} fewer nodes than the {} asked for, since {} has {nodes}",
                if keys == 1 { "key got" } else { "keys got" },
                args.replicas,
                file.name()
            ),
        );
    }
    Ok(())
}

/// How many keys did not get all nodes asked for, in a ring of so many nodes.
struct Short {
    keys: u64,
    nodes: usize,
}

struct RouteKeys<'a> {
    args: &'a Args,
    file: &'a RingFile,
}

impl HashTask for RouteKeys<'_> {
    type Output = Result<Option<Short>, BenchError>;

    fn run<H: Hash64>(self, hash: H) -> Self::Output {
        match self.args.backend {
            Backend::Sortedvec => self.on::<SortedVecStore, H>(hash),
            Backend::Btree => self.on::<BTreeStore, H>(hash),
        }
    }
}

impl RouteKeys<'_> {
    fn on<S: TokenStore, H: Hash64>(self, hash: H) -> Result<Option<Short>, BenchError> {
        let Args { replicas, format, .. } = *self.args;
        let ring: HashRing<S, H> = self.file.build(hash)?;
        if format == Format::Tsv && replicas > 0 {
            self.check_ids(&ring)?;
        }
        let keys = options::keys(&self.args.keys)?;
        let mut lines = Lines { out: Stdout::new(), format, short: 0 };
        if replicas == 1 {
            owners(&ring, keys, &mut lines)?;
        } else {
            replica_sets(&ring, keys, replicas, &mut lines)?;
        }
        let nodes = ring.node_count();
        Ok((lines.short > 0).then_some(Short { keys: lines.short, nodes }))
    }

    /// Refuses ids that would break a line of tsv.
    fn check_ids<R: Ring>(&self, ring: &R) -> Result<(), BenchError> {
        let breaks = |id: &str| id.contains(['\t', '\n', '\r']);
        match ring.nodes().find(|node| breaks(node.id())) {
            None => Ok(()),
            Some(node) => Err(BenchError::usage(format!(
                "node {:?} holds a TAB, LF or CR, which tsv cannot show; use --format jsonl",
                node.id()
            ))
            .at(&self.file.name())),
        }
    }
}

/// Routes each key to its owner, many at once, so that their memory accesses overlap.
fn owners<R: Ring>(ring: &R, mut keys: KeyLines, lines: &mut Lines) -> Result<(), BenchError> {
    let mut owners: Vec<Option<&str>> = Vec::with_capacity(BATCH);
    while let Some(mut chunk) = keys.next_chunk()? {
        let mut batch = [&b""[..]; BATCH];
        loop {
            let keys = chunk.next_batch(&mut batch);
            if keys.is_empty() {
                break;
            }
            owners.clear();
            ring.get_node_batch(keys, &mut owners);
            for (key, owner) in keys.iter().zip(&owners) {
                lines.write(key, owner.as_slice(), usize::from(owner.is_none()))?;
            }
        }
        lines.out.flush()?;
    }
    Ok(())
}

fn replica_sets<R: Ring>(
    ring: &R,
    mut keys: KeyLines,
    replicas: usize,
    lines: &mut Lines,
) -> Result<(), BenchError> {
    while let Some(chunk) = keys.next_chunk()? {
        for key in chunk {
            let set = ring.get_replicas(key, replicas);
            lines.write(key, set.nodes(), set.shortfall())?;
        }
        lines.out.flush()?;
    }
    Ok(())
}

/// Writes a line a key, and counts those that came up short.
struct Lines {
    out: Stdout,
    format: Format,
    short: u64,
}

impl Lines {
    #[inline]
    fn write(&mut self, key: &[u8], nodes: &[&str], shortfall: usize) -> Result<(), BenchError> {
        self.short += u64::from(shortfall > 0);
        match self.format {
            Format::Tsv => tsv(&mut self.out.buffer, key, nodes),
            Format::Jsonl => jsonl(&mut self.out.buffer, key, nodes, shortfall),
        }
        self.out.line_done()
    }
}

#[inline]
fn tsv(line: &mut Vec<u8>, key: &[u8], nodes: &[&str]) {
    line.extend_from_slice(key);
    if nodes.is_empty() {
        line.push(b'\t');
    }
    for node in nodes {
        line.push(b'\t');
        line.extend_from_slice(node.as_bytes());
    }
    line.push(b'\n');
}

fn jsonl(line: &mut Vec<u8>, key: &[u8], nodes: &[&str], shortfall: usize) {
    // Writing to a vector cannot fail, and strings always have a JSON form.
    if let Ok(key) = std::str::from_utf8(key) {
        line.extend_from_slice(b"{\"key\":");
        let _ = serde_json::to_writer(&mut *line, key);
    } else {
        line.extend_from_slice(b"{\"key_hex\":\"");
        for byte in key {
            let _ = write!(line, "{byte:02x}");
        }
        line.push(b'"');
    }
    line.extend_from_slice(b",\"nodes\":");
    let _ = serde_json::to_writer(&mut *line, nodes);
    let _ = writeln!(line, ",\"shortfall\":{shortfall}}}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut line = Vec::new();
        write(&mut line);
        String::from_utf8(line).expect("UTF-8")
    }

    #[test]
    fn tsv_always_has_the_first_tab() {
        assert_eq!(line(|out| tsv(out, b"k", &[])), "k\t\n");
        assert_eq!(line(|out| tsv(out, b"", &["a"])), "\ta\n");
        assert_eq!(line(|out| tsv(out, b"k\r", &["a", ""])), "k\r\ta\t\n");
    }

    #[test]
    fn jsonl_escapes_text_and_spells_other_bytes_in_hex() {
        assert_eq!(
            line(|out| jsonl(out, "a\"\t\0키".as_bytes(), &["\n", ""], 2)),
            "{\"key\":\"a\\\"\\t\\u0000키\",\"nodes\":[\"\\n\",\"\"],\"shortfall\":2}\n"
        );
        assert_eq!(
            line(|out| jsonl(out, b"\xff\x00a", &[], 0)),
            "{\"key_hex\":\"ff0061\",\"nodes\":[],\"shortfall\":0}\n"
        );
    }
}
