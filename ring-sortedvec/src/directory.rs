//! Where a hash's neighbourhood starts.
//!
//! Token hashes are uniform, so the top bits of a hash say where its first token stands, give or
//! take one or two. The directory cuts the hash space into buckets, two to four for each
//! token, and knows how many tokens stand before each. It is kept in two levels, so that it stays
//! in the nearest caches: a full count per block of 64 buckets, and one byte per bucket for the
//! tokens of its own block that stand before it.
//!
//! A byte ends at 255. In a block with more tokens than that (an adversary's, or a hash that does
//! not spread) the byte is a lower bound, and a binary search inside the block does the rest.

use crate::tokens::{Near, Span, halves};

/// Buckets in a block: a block's bytes fill one cache line.
const BLOCK: usize = 64;

/// Buckets for each token at the least; up to twice as many, since their number is a power of two.
const MIN_BUCKETS: usize = 2;

/// Never more buckets than half a hash tells apart.
const MAX_BUCKETS: usize = 1 << 31;

#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The upper half of a hash, shifted right by this, is its bucket.
    shift: u32,
    /// Tokens before each block, and at the end the number of all.
    blocks: Vec<u32>,
    /// Tokens of a bucket's own block before the bucket, at most 255.
    offsets: Vec<u8>,
}

impl Default for Directory {
    fn default() -> Self {
        Self::build(&[])
    }
}

impl Directory {
    /// The directory of `tokens`, which stand in ring order.
    pub(crate) fn build(tokens: &[Near]) -> Self {
        let buckets = wanted(tokens.len()).max(BLOCK);
        let mut directory = Self {
            shift: u32::BITS - buckets.trailing_zeros(),
            blocks: vec![0; buckets / BLOCK + 1],
            offsets: vec![0; buckets],
        };
        let mut end = 0;
        for block in 0..buckets / BLOCK {
            let start = end;
            end += directory.count_block(&tokens[start..], block);
            directory.blocks[block + 1] = index(end);
            directory.fill_block(block, tokens);
        }
        directory
    }

    /// Where the search for `hash` begins: every token before it has a lower hash.
    #[inline]
    pub(crate) fn start(&self, hash: u64) -> usize {
        let bucket = self.bucket(halves(hash).0);
        self.blocks[bucket / BLOCK] as usize + usize::from(self.offsets[bucket])
    }

    /// Where the search for `hash` begins, and where it ends at the latest.
    pub(crate) fn span(&self, hash: u64) -> Span {
        let block = self.bucket(halves(hash).0) / BLOCK;
        self.start(hash)..self.blocks[block + 1] as usize
    }

    /// Brings the directory in step with `tokens` after `removed` went and `inserted` came.
    ///
    /// # Complexity
    ///
    /// One addition a block, and a few for each block that a token left or joined.
    pub(crate) fn update(&mut self, removed: &[Near], inserted: &[Near], tokens: &[Near]) {
        if !self.suits(tokens.len()) {
            *self = Self::build(tokens);
            return;
        }
        self.shift_bounds(removed, inserted);
        let (mut removed, mut inserted) = (removed, inserted);
        while let Some(block) = self.next_block(removed, inserted) {
            let gone = self.take_block(&mut removed, block);
            let come = self.take_block(&mut inserted, block);
            self.update_block(block, gone, come, tokens);
        }
    }

    /// Whether the number of buckets is right for so many tokens. It may be half of what
    /// [`build`](Self::build) would take, so that one node that comes and goes does not build
    /// anew each time.
    fn suits(&self, tokens: usize) -> bool {
        let buckets = self.offsets.len();
        let wanted = wanted(tokens);
        wanted <= buckets && (buckets == BLOCK || buckets <= wanted * 2)
    }

    /// Moves the bounds of all blocks behind a token that went or came.
    fn shift_bounds(&mut self, removed: &[Near], inserted: &[Near]) {
        let mut shifted = 0;
        let (mut gone, mut come) = (0, 0);
        while let Some(block) = self.next_block(&removed[gone..], &inserted[come..]) {
            shift(&mut self.blocks[shifted..=block], come, gone);
            shifted = block + 1;
            gone += self.count_block(&removed[gone..], block);
            come += self.count_block(&inserted[come..], block);
        }
        shift(&mut self.blocks[shifted..], come, gone);
    }

    /// The lowest block that a token of either list is in.
    fn next_block(&self, removed: &[Near], inserted: &[Near]) -> Option<usize> {
        let first = |tokens: &[Near]| tokens.first().map(|&token| self.block_of(token));
        match (first(removed), first(inserted)) {
            (Some(gone), Some(come)) => Some(gone.min(come)),
            (gone, come) => gone.or(come),
        }
    }

    fn count_block(&self, tokens: &[Near], block: usize) -> usize {
        tokens.iter().take_while(|&&token| self.block_of(token) == block).count()
    }

    /// Splits the tokens of `block` off the front of `tokens`.
    fn take_block<'a>(&self, tokens: &mut &'a [Near], block: usize) -> &'a [Near] {
        let (front, rest) = tokens.split_at(self.count_block(tokens, block));
        *tokens = rest;
        front
    }

    /// Brings the offsets of a block up to date whose bounds are so already.
    fn update_block(&mut self, block: usize, gone: &[Near], come: &[Near], tokens: &[Near]) {
        let count = (self.blocks[block + 1] - self.blocks[block]) as usize;
        if count.max(count + gone.len() - come.len()) > usize::from(u8::MAX) {
            // Bytes that have ended at 255 cannot be counted down again.
            return self.fill_block(block, tokens);
        }
        for token in gone {
            let bucket = self.bucket(token.high()) % BLOCK;
            for (at, offset) in self.offsets[block * BLOCK..][..BLOCK].iter_mut().enumerate() {
                *offset -= u8::from(at > bucket);
            }
        }
        for token in come {
            let bucket = self.bucket(token.high()) % BLOCK;
            for (at, offset) in self.offsets[block * BLOCK..][..BLOCK].iter_mut().enumerate() {
                *offset += u8::from(at > bucket);
            }
        }
    }

    /// Counts the offsets of a block whose bounds are right already.
    fn fill_block(&mut self, block: usize, tokens: &[Near]) {
        let (start, end) = (self.blocks[block] as usize, self.blocks[block + 1] as usize);
        let mut counts = [0u32; BLOCK];
        for token in &tokens[start..end] {
            counts[self.bucket(token.high()) % BLOCK] += 1;
        }
        let mut before = 0;
        for (offset, count) in self.offsets[block * BLOCK..][..BLOCK].iter_mut().zip(counts) {
            *offset = u8::try_from(before).unwrap_or(u8::MAX);
            before += count;
        }
    }

    #[inline]
    fn bucket(&self, high: u32) -> usize {
        (high >> self.shift) as usize
    }

    fn block_of(&self, token: Near) -> usize {
        self.bucket(token.high()) / BLOCK
    }
}

/// The number of buckets that suits so many tokens best.
fn wanted(tokens: usize) -> usize {
    (tokens * MIN_BUCKETS).next_power_of_two().min(MAX_BUCKETS)
}

/// Adds what came and takes away what went.
fn shift(bounds: &mut [u32], come: usize, gone: usize) {
    let by = index(come).wrapping_sub(index(gone));
    for bound in bounds {
        *bound = bound.wrapping_add(by);
    }
}

/// A count of tokens in four bytes: a ring never holds more than `u32::MAX`.
fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
