//! Any text as benchmark output: tables are rectangular, spans lie in the text, two runs agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::extract::bench::{self, Mode};

fuzz_target!(|text: &str| {
    for mode in [Mode::Output, Mode::Prose] {
        let found = bench::extract(text, mode);
        assert_eq!(format!("{found:?}"), format!("{:?}", bench::extract(text, mode)));
        for table in &found.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
            assert!(table.rows.iter().flatten().all(|cell| cell.span.of(text).is_some()));
        }
    }
});
