//! Splicing tokens in and out of a sorted vector, each token that stays moved at most once.

use ring_core::Slot;

/// Removes the tokens at `positions`, which rise.
pub(crate) fn remove_at(slots: &mut Vec<Slot>, positions: &[usize]) {
    let Some(&first) = positions.first() else { return };
    let mut to = first;
    for (nth, &position) in positions.iter().enumerate() {
        let next = positions.get(nth + 1).copied().unwrap_or(slots.len());
        slots.copy_within(position + 1..next, to);
        to += next - (position + 1);
    }
    slots.truncate(to);
}

/// Inserts `inserted[k]` before the token that stands at `positions[k]` now; the positions never
/// fall. Works from the back, so that every segment moves straight to its final place.
pub(crate) fn insert_at(slots: &mut Vec<Slot>, positions: &[usize], inserted: &[Slot]) {
    let mut end = slots.len();
    let Some(&filler) = inserted.first() else { return };
    slots.resize(end + inserted.len(), filler);
    for (before, (&position, &slot)) in positions.iter().zip(inserted).enumerate().rev() {
        slots.copy_within(position..end, position + before + 1);
        slots[position + before] = slot;
        end = position;
    }
}
