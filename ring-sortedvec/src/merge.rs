//! Splicing items in and out of a sorted vector, each item that stays moved at most once.

/// Removes the items at `positions`, which rise.
pub(crate) fn remove_at<T: Copy>(items: &mut Vec<T>, positions: &[usize]) {
    let Some(&first) = positions.first() else { return };
    let mut to = first;
    for (nth, &position) in positions.iter().enumerate() {
        let next = positions.get(nth + 1).copied().unwrap_or(items.len());
        items.copy_within(position + 1..next, to);
        to += next - (position + 1);
    }
    items.truncate(to);
}

/// Inserts what `of` makes of `inserted[k]` before the item that stands at `positions[k]` now; the
/// positions never fall. Works from the back, so that every segment moves straight to its final
/// place.
pub(crate) fn insert_at<T: Copy, U>(
    items: &mut Vec<T>,
    positions: &[usize],
    inserted: &[U],
    of: impl Fn(&U) -> T,
) {
    let mut end = items.len();
    let Some(filler) = inserted.first().map(&of) else { return };
    items.resize(end + inserted.len(), filler);
    for (before, (&position, item)) in positions.iter().zip(inserted).enumerate().rev() {
        items.copy_within(position..end, position + before + 1);
        items[position + before] = of(item);
        end = position;
    }
}
