//! Any bytes as a SQLite database, behind a valid beginning of one: an error or a reading, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::{pipeline, source::open::Input};

/// A header whose page size and versions are sane, so that damage further in is reached.
const HEADER: &[u8] = b"SQLite format 3\0\x10\x00\x01\x01\x00\x40\x20\x20";

fuzz_target!(|bytes: &[u8]| {
    let mut database = bytes.to_vec();
    let head = HEADER.len().min(database.len());
    database[..head].copy_from_slice(&HEADER[..head]);
    let _ = pipeline::read(&Input::from_bytes("fuzz", database), Default::default());
});
