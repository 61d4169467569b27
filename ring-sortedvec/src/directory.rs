//! Where a hash's neighbourhood starts.
//!
//! Token hashes are uniform, so how far along the hash space a hash lies says where its first token
//! stands, give or take one or two. The directory cuts the space into buckets of equal width, two
//! to six for each token, and knows how many tokens stand before each. It is kept in blocks of one
//! cache line, of which a lookup reads one: the number of tokens before the block, and a byte for
//! each of its buckets, for the tokens of the block that stand before the bucket.
//!
//! A byte ends at 255. In a block with more tokens than that (an adversary's, or a hash that does
//! not spread) the byte is a lower bound, and a binary search inside the block does the rest.

use crate::tokens::{Near, Span, halves};

/// Buckets in a block.
const BUCKETS: usize = 60;

/// Buckets for each token in a new directory. With fewer than [`LEAST`] or more than [`MOST`] it is
/// built anew.
const WANTED: usize = 3;
const LEAST: usize = 2;
const MOST: usize = 6;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Block {
    /// Tokens before the block.
    before: u32,
    /// Tokens of the block before each bucket, at most 255.
    offsets: [u8; BUCKETS],
}

impl Block {
    const EMPTY: Self = Self { before: 0, offsets: [0; BUCKETS] };

    /// Takes over how many tokens stand in each bucket.
    fn count(&mut self, counts: [u32; BUCKETS]) {
        let mut before = 0;
        for (offset, count) in self.offsets.iter_mut().zip(counts) {
            *offset = u8::try_from(before).unwrap_or(u8::MAX);
            before += count;
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The blocks, and one more that says how many tokens there are.
    blocks: Vec<Block>,
}

impl Default for Directory {
    fn default() -> Self {
        Self::build(&[])
    }
}

impl Directory {
    /// The directory of `tokens`, which stand in ring order.
    pub(crate) fn build(tokens: &[Near]) -> Self {
        let blocks = (tokens.len() * WANTED).div_ceil(BUCKETS).max(1);
        let mut directory = Self { blocks: vec![Block::EMPTY; blocks + 1] };
        let mut at = 0;
        for block in 0..blocks {
            let mut counts = [0; BUCKETS];
            while let Some((of, bucket)) = tokens.get(at).map(|near| directory.place(near.high())) {
                if of != block {
                    break;
                }
                counts[bucket] += 1;
                at += 1;
            }
            directory.blocks[block].count(counts);
            directory.blocks[block + 1].before = index(at);
        }
        directory
    }

    /// Where the search for `hash` begins: every token before it has a lower hash.
    #[inline]
    pub(crate) fn start(&self, hash: u64) -> usize {
        let (block, bucket) = self.place(halves(hash).0);
        let block = &self.blocks[block];
        block.before as usize + usize::from(block.offsets[bucket])
    }

    /// Where the search for `hash` begins, and where it ends at the latest.
    pub(crate) fn span(&self, hash: u64) -> Span {
        let (block, _) = self.place(halves(hash).0);
        self.start(hash)..self.blocks[block + 1].before as usize
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

    /// Whether the number of buckets is right for so many tokens.
    fn suits(&self, tokens: usize) -> bool {
        let blocks = self.blocks.len() - 1;
        let buckets = blocks * BUCKETS;
        tokens * LEAST <= buckets && (blocks == 1 || buckets <= tokens * MOST)
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
        let count = (self.blocks[block + 1].before - self.blocks[block].before) as usize;
        if count.max(count + gone.len() - come.len()) > usize::from(u8::MAX) {
            // Bytes that have ended at 255 cannot be counted down again.
            return self.fill_block(block, tokens);
        }
        for token in gone {
            let bucket = self.place(token.high()).1;
            for (at, offset) in self.blocks[block].offsets.iter_mut().enumerate() {
                *offset -= u8::from(at > bucket);
            }
        }
        for token in come {
            let bucket = self.place(token.high()).1;
            for (at, offset) in self.blocks[block].offsets.iter_mut().enumerate() {
                *offset += u8::from(at > bucket);
            }
        }
    }

    /// Counts the offsets of a block whose bounds are right already.
    fn fill_block(&mut self, block: usize, tokens: &[Near]) {
        let (start, end) = (self.blocks[block].before, self.blocks[block + 1].before);
        let mut counts = [0_u32; BUCKETS];
        for token in &tokens[start as usize..end as usize] {
            counts[self.place(token.high()).1] += 1;
        }
        self.blocks[block].count(counts);
    }

    /// The block that the upper half of a hash falls in, and the bucket within it.
    #[inline]
    fn place(&self, high: u32) -> (usize, usize) {
        // How far along the blocks, and then how far along the buckets of that one: each time a
        // whole number above the point of a product, and what is left below it.
        let blocks = (self.blocks.len() - 1) as u64;
        let (block, rest) = halves(u64::from(high) * blocks);
        let (bucket, _) = halves(u64::from(rest) * BUCKETS as u64);
        (block as usize, bucket as usize)
    }

    fn block_of(&self, token: Near) -> usize {
        self.place(token.high()).0
    }
}

/// Adds what came and takes away what went.
fn shift(blocks: &mut [Block], come: usize, gone: usize) {
    let by = index(come).wrapping_sub(index(gone));
    if by != 0 {
        for block in blocks {
            block.before = block.before.wrapping_add(by);
        }
    }
}

/// A count of tokens in four bytes: a ring never holds more than `u32::MAX`.
fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
