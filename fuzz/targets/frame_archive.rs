//! Any bytes as a compressed file or an archive of logs: members are read under the caps or are errors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::source::open::Input;

fuzz_target!(|bytes: &[u8]| {
    open(&Input::from_bytes("fuzz", bytes.to_vec()));
});

fn open(input: &Input) {
    let _ = input.sample();
    match input.archive() {
        Ok(Some(archive)) => input.members(&archive).iter().take(8).for_each(open),
        Ok(None) => _ = input.bytes(),
        Err(_) => {}
    }
}
