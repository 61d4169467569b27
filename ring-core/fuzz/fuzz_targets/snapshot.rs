//! Target `snapshot`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ring_fuzz::snapshot::run(bytes));
