//! How long 10,000 steps take once they are parsed and their facts are read: each inference by itself, and those that
//! phases and turning points need together (50 ms wanted). `cargo bench --bench phases [-- STEPS]`.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program of its own that times and prints")]

use std::time::{Duration, Instant};

use turnpoint::{extract, infer::INFERENCES, model::findings::Findings, pipeline, source::open::Input};

/// That of the program.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The inferences that `phases` and `turning-points` print.
const WANTED: &[&str] = &["phases", "arcs", "lanes", "turning"];

/// Each figure is the best of so many runs.
const RUNS: usize = 7;

/// What an agent does, over and over, in stretches.
const BLOCKS: &[&str] = &[
    "[bash] {\"command\":\"cargo test\"}\nrunning 3 tests\ntest result: ok. 3 passed; 0 failed",
    "[bash] {\"command\":\"cargo test --workspace\"}\nerror[E0308]: mismatched types\n --> src/a.rs:3:4",
    "[edit] {\"filePath\":\"src/a.rs\",\"oldString\":\"a\",\"newString\":\"b\"}\nEdit applied.",
    "[bash] {\"command\":\"git status\"}\nOn branch main\nnothing to commit",
    "[read] {\"filePath\":\"src/a.rs\"}\n1 fn a() {}\n2 fn b() {}",
    "The cause is the cache: I fix it now.",
    "[bash] {\"command\":\"python bench.py --batch 8\"}\nmean 1.92 ms, 310 GB/s",
    "[bash] {\"command\":\"systemctl restart web\"}\n",
];

/// A session that turns every seven steps, with a user message now and then.
fn transcript(steps: usize) -> String {
    let block = |n: usize| match n % 97 {
        1 => format!("<msg id={n}>\n[user] Now look into part {n} and make it faster.\n\n"),
        _ => format!("<msg id={n}>\n[assistant] {}\n\n", BLOCKS[(n / 7 + n % 3) % BLOCKS.len()]),
    };
    (1..=steps).map(block).collect()
}

fn main() {
    let steps = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(10_000);
    let input = Input::from_bytes("long.txt", transcript(steps).into_bytes());
    let session = pipeline::read(&input, Default::default()).expect("a log").sessions.remove(0);
    let facts = extract::run(&session);
    let mut best = vec![Duration::MAX; INFERENCES.len()];
    for _ in 0..RUNS {
        let mut findings = Findings::default();
        for (inference, best) in INFERENCES.iter().zip(&mut best) {
            let begun = Instant::now();
            inference.run(&session, &facts, &Default::default(), &mut findings);
            *best = begun.elapsed().min(*best);
        }
    }
    let mut sum = Duration::ZERO;
    for (inference, time) in INFERENCES.iter().zip(best) {
        println!("  {:12} {:6.1} ms", inference.name(), time.as_secs_f64() * 1e3);
        if WANTED.contains(&inference.name()) {
            sum += time;
        }
    }
    println!("{} steps: {:.1} ms, wanted 50", session.steps.len(), sum.as_secs_f64() * 1e3);
}
