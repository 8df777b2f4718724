//! How fast measurements are read off outputs, in MB/s of one thread: outputs without any (200 MB/s wanted) and outputs
//! that are little else (30 MB/s). `cargo bench --bench measurements [-- NAME…]`; NAME chooses shapes.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program of its own that times and prints")]

#[path = "outputs/mod.rs"]
mod outputs;

use std::{
    fs,
    time::{Duration, Instant},
};

use outputs::{MEASURED, PLAIN, Shape};
use turnpoint::extract::bench;

/// That of the program.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Bytes of a shape that are read per run.
const SIZE: usize = 4 << 20;

/// Each figure is the best of so many runs.
const RUNS: usize = 5;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for (kind, wanted, shapes) in [("without measurements", 200, PLAIN), ("measurements", 30, MEASURED)] {
        let shapes = shapes.iter().filter(|s| chosen.is_empty() || chosen.iter().any(|c| s.name.contains(c.as_str())));
        let (mut bytes, mut spent) = (0, Duration::ZERO);
        for shape in shapes {
            let (size, time) = measured(shape);
            (bytes, spent) = (bytes + size, spent + time);
            println!("  {:24} {:8.0} MB/s", shape.name, speed(size, time));
        }
        println!("{kind}: {:.0} MB/s, wanted {wanted}", speed(bytes, spent));
    }
}

/// Bytes of the outputs of a shape, and the best time that reading them took.
fn measured(shape: &Shape) -> (usize, Duration) {
    let outputs = shape.outputs(SIZE);
    let run = |_| {
        let begun = Clock::now();
        outputs.iter().for_each(|text| _ = std::hint::black_box(bench::extract(text, shape.mode)));
        begun.elapsed()
    };
    (outputs.iter().map(String::len).sum(), (0..RUNS).map(run).min().unwrap_or_default())
}

/// What this thread has run so far, where the system tells; else the time of day. Other programs take their share of a
/// machine, and none of this one's.
enum Clock {
    Ran(Duration),
    Day(Instant),
}

impl Clock {
    fn now() -> Self {
        ran().map_or_else(|| Clock::Day(Instant::now()), Clock::Ran)
    }

    fn elapsed(&self) -> Duration {
        match self {
            Clock::Ran(before) => ran().unwrap_or_default().saturating_sub(*before),
            Clock::Day(before) => before.elapsed(),
        }
    }
}

/// Time on a processor.
fn ran() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(told.split(' ').next()?.parse().ok()?))
}

fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9)
}
