//! What the audit costs beside the rest of the analysis. `cargo bench --bench audit [-- FILE…]`: with files (or folders) the
//! time of extracting and inferring, of the whole audit, and of the part that an article asks for, over all of them; without,
//! over a log that is made up.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program of its own that times and prints")]

#[path = "synthetic/mod.rs"]
mod synthetic;

use std::{
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use turnpoint::{infer::audit::for_article, model::session::Session, pipeline, source::open::Input};

/// Each figure is the best of so many runs.
const RUNS: usize = 3;

/// Bytes of the log that is made up.
const SIZE: usize = 20 << 20;

/// Time of each stage: analysis, audit, the part for an article.
type Stages = [Duration; 3];

fn main() {
    let named: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).filter(|path| path.exists()).collect();
    let files: Vec<PathBuf> = named.iter().flat_map(|path| files(path)).collect();
    let mut total = Stages::default();
    let mut worst: Option<(f64, String)> = None;
    let mut add = |name: String, input: &Input| {
        let Ok(reading) = pipeline::read(input, Default::default()) else { return };
        let times = reading.sessions.iter().map(best).fold(Stages::default(), sum);
        let share = times[1].as_secs_f64() / times[0].as_secs_f64().max(f64::EPSILON);
        // Of a moment's work a share says nothing.
        let long = times[0] > Duration::from_millis(20);
        if long && worst.as_ref().is_none_or(|(most, _)| share > *most) {
            worst = Some((share, name));
        }
        total = sum(total, times);
    };
    for path in &files {
        if let Ok(input) = Input::file(path) {
            add(path.display().to_string(), &input);
        }
    }
    if files.is_empty() {
        for (_, name, generate) in synthetic::GENERATORS {
            add((*name).to_string(), &Input::from_bytes(*name, generate(SIZE).into_bytes()));
        }
    }
    let [analysis, audit, article] = total.map(|time| time.as_secs_f64() * 1e3);
    println!("analysis          {analysis:10.1} ms");
    println!("audit             {audit:10.1} ms, {:.3} of the analysis", audit / analysis);
    println!("for an article    {article:10.1} ms, {:.3} of the analysis", article / analysis);
    if let Some((share, name)) = worst {
        println!("largest share     {share:10.3} in {name}");
    }
}

fn best(session: &Session) -> Stages {
    let mut best = [Duration::MAX; 3];
    for _ in 0..RUNS {
        let began = Instant::now();
        let analysis = pipeline::analyze(session, &Default::default());
        let analysed = began.elapsed();
        let began = Instant::now();
        black_box(pipeline::audit(session, &analysis));
        let audited = began.elapsed();
        let began = Instant::now();
        black_box(for_article(session, &analysis.facts, &analysis.findings));
        let told = began.elapsed();
        best = [best[0].min(analysed), best[1].min(audited), best[2].min(told)];
    }
    best
}

fn sum(a: Stages, b: Stages) -> Stages {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// A file, or all below a folder, in order.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_path_buf()];
    }
    let entries = std::fs::read_dir(path).expect("a folder");
    let mut inside: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    inside.sort();
    inside.iter().flat_map(|path| files(path)).collect()
}
