//! The command as its users meet it: every test runs the real binary and reads like a script.

mod bad_rings;
mod balance;
mod diff;
mod exports;
mod keys;
mod ring;
mod route;
mod script;
mod streams;
mod usage;
mod vectors;
