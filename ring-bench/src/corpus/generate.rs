//! How each family of keys is made.

use serde_json::json;

use super::zipf::Zipf;
use super::{Corpus, Target};
use crate::error::BenchError;
use crate::seeded::Stream;
use crate::workload::Membership;

/// Five bits a character; none that a reader could mistake for another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Hashes that `one-arc` may try in all, whatever the ring.
const TRIES: u64 = 1 << 24;

/// A random id.
fn id(len: usize, stream: &mut Stream) -> Vec<u8> {
    let mut key = vec![0; len];
    stream.fill(&mut key);
    for byte in &mut key {
        *byte = ALPHABET[usize::from(*byte & 31)];
    }
    key
}

/// The length of the ids that other families are made of.
const ID: usize = 16;

impl Corpus {
    pub(super) fn fill_uniform(
        &mut self,
        count: usize,
        len: usize,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        self.note("length", json!(len));
        // Checked before anything is reserved, so that a huge product is refused and not attempted.
        let total = u32::try_from(count.saturating_mul(len)).map_err(|_| {
            BenchError::usage(format!(
                "a corpus takes less than 4 GiB; {count} keys of {len} bytes would not fit"
            ))
        })?;
        self.bytes.reserve_exact(total as usize);
        self.offsets.reserve_exact(count);
        for _ in 0..count {
            self.push(&id(len, stream))?;
        }
        Ok(())
    }

    pub(super) fn fill_uuid(
        &mut self,
        count: usize,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        for _ in 0..count {
            let mut raw = [0; 16];
            stream.fill(&mut raw);
            // Version 4, variant 1 (RFC 9562).
            raw[6] = raw[6] & 0x0f | 0x40;
            raw[8] = raw[8] & 0x3f | 0x80;
            let digits = super::hex(&raw);
            let parts =
                [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
            self.push(parts.join("-").as_bytes())?;
        }
        Ok(())
    }

    pub(super) fn fill_sequential(&mut self, count: usize) -> Result<(), BenchError> {
        (1..=count).try_for_each(|i| self.push(format!("user:{i}").as_bytes()))
    }

    pub(super) fn fill_paths(
        &mut self,
        count: usize,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        const KINDS: [&str; 5] =
            ["images", "videos/transcoded", "documents", "thumbnails/small", "logs/2024"];
        const ENDINGS: [&str; 4] = [".jpg", ".mp4", "", ".json.gz"];
        for _ in 0..count {
            let tenant = stream.below(200);
            let kind = KINDS[stream.index(KINDS.len())];
            let mut path = format!("/tenants/{tenant}/{kind}");
            for _ in 0..stream.below(4) {
                path.push('/');
                path.push_str(&super::hex(&stream.word().to_le_bytes()[..1]));
            }
            let name_len = 8 + stream.index(17);
            let name = id(name_len, stream);
            path.push('/');
            path.push_str(&String::from_utf8_lossy(&name));
            path.push_str(ENDINGS[stream.index(ENDINGS.len())]);
            self.push(path.as_bytes())?;
        }
        Ok(())
    }

    pub(super) fn fill_zipf(
        &mut self,
        count: usize,
        thousandths: u32,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        self.note("set", json!(count));
        let mut set = Self::empty();
        set.fill_uniform(count, ID, stream)?;
        let law = Zipf::new(count, thousandths);
        (0..count).try_for_each(|_| self.push(set.key(law.draw(stream))))
    }

    pub(super) fn fill_hot(
        &mut self,
        count: usize,
        k: usize,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        let mut set = Self::empty();
        set.fill_uniform(k, ID, stream)?;
        set.params.clear();
        (0..count).try_for_each(|_| self.push(set.key(stream.index(k))))
    }

    /// Keys are found by trying random ids. How many different ones follows from the arc's width and [`TRIES`].
    pub(super) fn fill_one_arc(
        &mut self,
        count: usize,
        target: &Target<'_>,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        self.note_target(target);
        let (after, width) = widest_arc(target)?;
        let expected = (u128::from(TRIES) * width) >> 64;
        let wanted = usize::try_from(expected).unwrap_or(usize::MAX).clamp(16, 1024).min(count);
        let mut set = Self::empty();
        while set.len() < wanted {
            let key = id(ID, stream);
            // Clockwise distance from the token before the arc: 0 is that token itself.
            let distance = (target.hash)(&key).wrapping_sub(after);
            if distance != 0 && u128::from(distance) <= width {
                set.push(&key)?;
            }
        }
        self.note("set", json!(set.len()));
        (0..count).try_for_each(|_| self.push(set.key(stream.index(set.len()))))
    }

    pub(super) fn fill_on_tokens(
        &mut self,
        count: usize,
        target: &Target<'_>,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        self.note_target(target);
        let nodes = &target.membership.nodes;
        if target.membership.token_count() == 0 {
            return Err(no_tokens("on-tokens"));
        }
        for _ in 0..count {
            let (node, weight) = &nodes[stream.index(nodes.len())];
            let index = stream.below(u64::from(*weight) * u64::from(target.membership.vnodes));
            self.push(format!("{node}#{index}").as_bytes())?;
        }
        Ok(())
    }

    pub(super) fn fill_far_arcs(
        &mut self,
        count: usize,
        target: &Target<'_>,
        stream: &mut Stream,
    ) -> Result<(), BenchError> {
        self.note("hash", json!(target.hash_name));
        for i in 0..count {
            let upper = i % 2 == 1;
            loop {
                let key = id(ID, stream);
                if ((target.hash)(&key) >> 63 == 1) == upper {
                    self.push(&key)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Records a parameter that the name leaves open.
    fn note(&mut self, name: &str, value: serde_json::Value) {
        self.params.insert(name.to_owned(), value);
    }

    /// Records which ring is attacked.
    fn note_target(&mut self, target: &Target<'_>) {
        let Membership { nodes, vnodes } = target.membership;
        self.note("nodes", json!(nodes.len()));
        self.note("vnodes", json!(vnodes));
        self.note("hash", json!(target.hash_name));
    }
}

fn no_tokens(corpus: &str) -> BenchError {
    BenchError::usage(format!(
        "the corpus {corpus} attacks the tokens of a ring; this ring has none"
    ))
}

/// The widest arc between two tokens: the hash it begins after, and how many hashes it has.
fn widest_arc(target: &Target<'_>) -> Result<(u64, u128), BenchError> {
    let mut hashes = Vec::new();
    for (node, weight) in &target.membership.nodes {
        for index in 0..u64::from(*weight) * u64::from(target.membership.vnodes) {
            hashes.push((target.hash)(format!("{node}#{index}").as_bytes()));
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    let (Some(&first), Some(&last)) = (hashes.first(), hashes.last()) else {
        return Err(no_tokens("one-arc"));
    };
    // A single token's arc is the whole circle; `wrapping_sub` alone would call it empty.
    let wrap = u128::from(first.wrapping_sub(last).wrapping_sub(1)) + 1;
    let inner = hashes.windows(2).map(|pair| (pair[0], u128::from(pair[1] - pair[0])));
    Ok(inner.fold((last, wrap), |widest, arc| if arc.1 > widest.1 { arc } else { widest }))
}
