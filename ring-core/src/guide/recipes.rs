//! Programs to start from (being written).
