//! Target `token_order`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ring_fuzz::token_order::run(bytes));
