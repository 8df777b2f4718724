//! Any bytes as a log: reading, analysing and telling never panic, the accounting law holds, two runs agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::{pipeline, source::open::Input};

fuzz_target!(|bytes: &[u8]| {
    let input = Input::from_bytes("fuzz", bytes.to_vec());
    let Ok(reading) = pipeline::read(&input, Default::default()) else { return };
    for session in reading.sessions.iter().flat_map(|s| s.tree()) {
        let a = &session.accounting;
        assert_eq!(a.used + a.skipped_total() + a.unknown_total() + a.damaged, a.read);
        let analysis = pipeline::analyze(session, &Default::default());
        assert_eq!(format!("{analysis:?}"), format!("{:?}", pipeline::analyze(session, &Default::default())));
    }
});
