//! Any text as benchmark output, through cleaner and recognisers: tables are rectangular, every span leads back to bytes of
//! the text as recorded, two runs agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::extract::bench::{self, Mode};

fuzz_target!(|text: &str| {
    for mode in [Mode::Output, Mode::Prose] {
        let found = bench::extract(text, mode);
        assert_eq!(format!("{found:?}"), format!("{:?}", bench::extract(text, mode)));
        assert!(found.metrics.iter().all(|metric| metric.span.of(text).is_some()));
        assert!(found.quality_span.is_none_or(|span| span.of(text).is_some()));
        for table in &found.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
            assert!(table.rows.iter().flatten().all(|cell| cell.span.of(text).is_some()));
        }
    }
});
