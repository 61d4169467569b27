//! Target `histories`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ring_fuzz::histories::run(bytes));
