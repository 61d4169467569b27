//! The only source of randomness: `ChaCha8` streams named by a seed and a label, and integer derivations.
//!
//! Range and shuffle algorithms of the `rand` crates may change between versions, and a corpus must not change with
//! them. So the generator is driven directly, and everything derived from its words is written here.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// A deterministic stream of random words.
///
/// Two streams with different labels (or seeds) are independent, so that adding a draw to one experiment never
/// changes the keys of another.
///
/// # Examples
///
/// ```
/// use ring_bench::seeded::Stream;
///
/// let mut a = Stream::new(7, "doc");
/// let mut b = Stream::new(7, "doc");
/// assert_eq!(a.word(), b.word());
/// assert!(a.below(6) < 6);
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// The stream of `seed` and `label`: `ChaCha8` keyed with SHA-256 of the seed (8 bytes, little endian) and the label.
    #[must_use]
    pub fn new(seed: u64, label: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(seed.to_le_bytes());
        hasher.update(label.as_bytes());
        Self { rng: ChaCha8Rng::from_seed(hasher.finalize().into()) }
    }

    /// The next 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Fills `bytes` with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.rng.fill_bytes(bytes);
    }

    /// A number in `0..bound`, each equally likely; 0 where `bound` is 0 or 1.
    ///
    /// Multiplies a word by the bound and keeps the high half; words in the uneven rest are drawn again
    /// (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        let uneven = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.word()) * u128::from(bound);
            let [low, high] = halves(product);
            if low >= uneven {
                return high;
            }
        }
    }

    /// An index in `0..len`; 0 where `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// A fair coin.
    pub fn coin(&mut self) -> bool {
        self.word() >> 63 == 1
    }

    /// Puts `items` into a random order, each equally likely (Fisher and Yates, from the back).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// The low and the high 64 bits of a product.
fn halves(product: u128) -> [u64; 2] {
    let bytes = product.to_le_bytes();
    let mut low = [0; 8];
    let mut high = [0; 8];
    low.copy_from_slice(&bytes[..8]);
    high.copy_from_slice(&bytes[8..]);
    [u64::from_le_bytes(low), u64::from_le_bytes(high)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_for_ever() {
        // Written down once: a change of these values changes every corpus.
        let mut stream = Stream::new(42, "corpus/uniform");
        let words = [stream.word(), stream.word(), stream.word()];
        assert_eq!(
            words,
            [17_254_763_775_519_516_067, 934_221_863_856_873_738, 11_332_475_579_362_333_286]
        );
    }

    #[test]
    fn labels_and_seeds_part_the_streams() {
        let word = |seed, label| Stream::new(seed, label).word();
        assert_ne!(word(1, "a"), word(1, "b"));
        assert_ne!(word(1, "a"), word(2, "a"));
    }

    #[test]
    fn below_is_even_and_stays_below() {
        let mut stream = Stream::new(3, "below");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[stream.index(6)] += 1;
        }
        // Five standard deviations of a binomial count around 10,000.
        assert!(counts.iter().all(|&c| (9_540..=10_460).contains(&c)), "{counts:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
        let huge = (1 << 63) + 1;
        assert!((0..100).all(|_| stream.below(huge) < huge));
        // Three quarters of the words: without drawing again, one value in three would come twice as often.
        let mut thirds = [0_u32; 3];
        for _ in 0..3_000 {
            let value = stream.below(3 << 62);
            assert!(value < 3 << 62);
            thirds[usize::try_from(value % 3).unwrap()] += 1;
        }
        assert!(thirds.iter().all(|count| (870..=1_130).contains(count)), "{thirds:?}");
    }

    #[test]
    fn shuffle_keeps_every_item_and_reaches_every_order() {
        let mut stream = Stream::new(5, "shuffle");
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..400 {
            let mut items = [1, 2, 3, 4];
            stream.shuffle(&mut items);
            let mut sorted = items;
            sorted.sort_unstable();
            assert_eq!(sorted, [1, 2, 3, 4]);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 24);
    }
}
