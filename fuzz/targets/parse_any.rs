//! Any bytes as a log of any format: the first byte picks the parser (or the front door, which sniffs). Reading and
//! analysing never panic, the accounting law holds, two runs agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::{
    pipeline,
    source::{format::FORMATS, open::Input},
};

fuzz_target!(|bytes: &[u8]| {
    let Some((pick, rest)) = bytes.split_first() else { return };
    let input = Input::from_bytes("fuzz", rest.to_vec());
    let sessions = match FORMATS.get(*pick as usize) {
        Some(format) => format.parse(&input).map(|parsed| parsed.sessions),
        // Seeds are whole logs: their own first byte belongs to them.
        None => pipeline::read(&Input::from_bytes("fuzz", bytes.to_vec()), Default::default()).map(|r| r.sessions),
    };
    for session in sessions.iter().flatten().flat_map(|s| s.tree()) {
        let a = &session.accounting;
        assert_eq!(a.used + a.skipped_total() + a.unknown_total() + a.damaged, a.read);
        let analysis = pipeline::analyze(session, &Default::default());
        assert_eq!(format!("{analysis:?}"), format!("{:?}", pipeline::analyze(session, &Default::default())));
    }
});
