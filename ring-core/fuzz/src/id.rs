//! Node ids that a careless ring mixes up.

use arbitrary::{Arbitrary, Unstructured};

/// What ids are put together from: prefixes of one another, the separator and digits in every
/// place, NUL and blanks, one letter composed and decomposed, characters that UTF-16 orders
/// otherwise than UTF-8, two ids whose FNV states agree, and a piece longer than small buffers.
const PIECES: &[&str] = &[
    "",
    "#",
    "a",
    "1",
    "0",
    "9",
    "A",
    "\0",
    " ",
    "\"\\",
    "\u{e9}",
    "e\u{301}",
    "\u{ff4e}",
    "\u{1f600}",
    "node-b60q8m41dwp",
    "node-ryw353ea3uk",
    "a-long-piece-a-long-piece-a-long-piece-a-long-piece-a-long-piece-a-long-piece-a-long-piece-\
     a-long-piece-a-long-piece-a-long-piece-a-long-piece",
];

/// An id of up to three pieces, or any text.
#[derive(Clone, Debug)]
pub(crate) struct Id(pub(crate) String);

impl<'a> Arbitrary<'a> for Id {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(match u.int_in_range(0..=4)? {
            4 => u.arbitrary::<&str>()?.to_owned(),
            pieces => {
                let mut id = String::new();
                for _ in 0..pieces {
                    id.push_str(u.choose(PIECES)?);
                }
                id
            }
        }))
    }
}
