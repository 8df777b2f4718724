//! Throughput of reading logs, in MB/s and as a ratio to a typed, borrowed serde_json parse of the same bytes in the same
//! run. `cargo bench --bench throughput [-- FILE…]`; without a file, logs of every generator are made up: of the size in
//! MB that TURNPOINT_BENCH_MB names, else 40. `-- --write DIR` writes them there instead and measures nothing; `-- --parts
//! FILE` times each extractor. Peak memory
//! is that of a process of its own that does what `inspect` does with the file.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program of its own that times and prints")]

#[path = "synthetic/mod.rs"]
mod synthetic;

use std::{
    borrow::Cow,
    fmt, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use turnpoint::{extract::EXTRACTORS, model::facts::Facts, pipeline, source::open::Input};

/// That of the program.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Each figure is the best of several runs, the stages taking turns: so many that about this much is read per stage.
const READ_PER_STAGE: usize = 600 << 20;

/// Name of a stage, and what it does with a file.
type Stage = (&'static str, fn(&Path));

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = std::env::var("TURNPOINT_BENCH_MB").ok().and_then(|n| n.parse().ok()).unwrap_or(40) << 20;
    if let Some(at) = arguments.iter().position(|a| a == "--write") {
        let folder = PathBuf::from(arguments.get(at + 1).expect("--write DIR"));
        fs::create_dir_all(&folder).expect("a folder");
        return made_up(&folder, size).iter().for_each(|path| println!("{}", path.display()));
    }
    if let Some(at) = arguments.iter().position(|a| a == "--peak") {
        inspect(Path::new(&arguments[at + 1]));
        return println!("{}", peak());
    }
    let by_part = arguments.iter().any(|a| a == "--parts");
    let named: Vec<PathBuf> = arguments.iter().map(PathBuf::from).filter(|p| p.is_file()).collect();
    if !named.is_empty() {
        return named.iter().for_each(|path| if by_part { breakdown(path) } else { report(path) });
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in made_up(folder.path(), size) {
        report(&path);
    }
}

/// Writes a log of every generator; each must be recognised as what it is meant to be.
fn made_up(folder: &Path, size: usize) -> Vec<PathBuf> {
    let mut made = Vec::new();
    for (format, name, generate) in synthetic::GENERATORS {
        let path = folder.join(name);
        fs::write(&path, generate(size)).expect("room for the log");
        let read = pipeline::read(&Input::file(&path).expect("a file"), Default::default()).expect("a log");
        assert_eq!(read.format, *format, "{name}");
        made.push(path);
    }
    made
}

/// Times the stages on one file and prints a line for each.
fn report(path: &Path) {
    let size = fs::metadata(path).expect("a file").len() as f64 / 1e6;
    let stages: [Stage; 4] = [
        ("typed parse", typed),
        ("sniff and read", read),
        ("read without redaction", plain),
        ("read and analyse", analyse),
    ];
    let mut best = [Duration::MAX; 4];
    for _ in 0..(READ_PER_STAGE as f64 / 1e6 / size).clamp(3.0, 60.0) as usize {
        for ((_, stage), best) in stages.iter().zip(&mut best) {
            let began = Instant::now();
            stage(path);
            *best = began.elapsed().min(*best);
        }
    }
    let peak = peak_of(path);
    println!("{} ({size:.1} MB), peak memory of inspect {peak:.0} MB, {:.2} of the file", path.display(), peak / size);
    for ((name, _), time) in stages.iter().zip(best) {
        let ratio = best[0].as_secs_f64() / time.as_secs_f64();
        println!("  {name:32} {:8.0} MB/s  {ratio:.2} of the typed parse", size / time.as_secs_f64());
    }
}

fn read(path: &Path) {
    let input = Input::file(path).expect("a file");
    pipeline::read(&input, Default::default()).expect("a session");
}

fn plain(path: &Path) {
    let input = Input::file(path).expect("a file");
    pipeline::read(&input, pipeline::ReadOptions { redact: false }).expect("a session");
}

fn analyse(path: &Path) {
    let input = Input::file(path).expect("a file");
    let reading = pipeline::read(&input, Default::default()).expect("a session");
    for session in &reading.sessions {
        std::hint::black_box(pipeline::analyze(session, &Default::default()));
    }
}

/// Times each extractor and inference on a file, once: where the analysis spends its time.
fn breakdown(path: &Path) {
    let reading = pipeline::read(&Input::file(path).expect("a file"), Default::default()).expect("a session");
    let mut spent: Vec<(&str, Duration)> = Vec::new();
    let mut add = |name, began: Instant| match spent.iter_mut().find(|(known, _)| *known == name) {
        Some((_, time)) => *time += began.elapsed(),
        None => spent.push((name, began.elapsed())),
    };
    for session in &reading.sessions {
        let mut facts = Facts::default();
        for extractor in EXTRACTORS {
            let began = Instant::now();
            extractor.run(session, &mut facts);
            add(extractor.name(), began);
        }
        let began = Instant::now();
        std::hint::black_box(turnpoint::infer::run(session, &facts, &Default::default()));
        add("infer", began);
    }
    println!("{}", path.display());
    for (name, time) in spent {
        println!("  {name:32} {:8.1} ms", time.as_secs_f64() * 1e3);
    }
}

/// What `inspect` does with a file.
fn inspect(path: &Path) {
    let reading = pipeline::read(&Input::file(path).expect("a file"), Default::default()).expect("a session");
    for session in &reading.sessions {
        std::hint::black_box((pipeline::todo_lists(session), session.tree_accounting()));
    }
}

/// Peak memory of this process so far in kB; 0 where the system does not tell.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Peak memory in MB of a process that inspects a file.
fn peak_of(path: &Path) -> f64 {
    let program = std::env::current_exe().expect("this program");
    let run = std::process::Command::new(program).arg("--peak").arg(path).output().expect("it runs");
    String::from_utf8_lossy(&run.stdout).trim().parse::<f64>().unwrap_or(f64::NAN) / 1e3
}

/// The yardstick: every line into borrowed structs of its envelope, message and blocks; a document into borrowed values
/// of every kind.
fn typed(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    if path.extension().is_some_and(|e| e == "json") {
        let text = simdutf8::basic::from_utf8(&bytes).expect("a valid log");
        std::hint::black_box(serde_json::from_str::<Weight>(text).expect("a valid log").0);
        return;
    }
    let codex = bytes.starts_with(b"{\"timestamp\"")
        && memchr::memmem::find(&bytes[..4096.min(bytes.len())], b"session_meta").is_some();
    let claude = memchr::memmem::find(&bytes[..4096.min(bytes.len())], b"parentUuid").is_some();
    let mut texts = 0;
    for line in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let text = simdutf8::basic::from_utf8(line).expect("a valid log");
        texts += match (codex, claude) {
            (true, _) => serde_json::from_str::<Rollout>(text).expect("a valid log").weight(),
            (_, true) => serde_json::from_str::<Record>(text).expect("a valid log").weight(),
            _ => serde_json::from_str::<Weight>(text).expect("a valid log").0,
        };
    }
    std::hint::black_box(texts);
}

/// Bytes of all strings of a value, borrowed where they have no escapes: the yardstick for formats without structs here.
struct Weight(usize);

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = Weight;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_unit<E: Error>(self) -> Result<Weight, E> {
                Ok(Weight(0))
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Weight, E> {
                Ok(Weight(0))
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<Weight, E> {
                Ok(Weight(0))
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Weight, E> {
                Ok(Weight(0))
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Weight, E> {
                Ok(Weight(0))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Weight, E> {
                Ok(Weight(std::hint::black_box(text.to_string()).len()))
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Weight, E> {
                Ok(Weight(text.len()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Weight, A::Error> {
                let mut sum = 0;
                while let Some(Weight(weight)) = seq.next_element()? {
                    sum += weight;
                }
                Ok(Weight(sum))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Weight, A::Error> {
                let mut sum = 0;
                while let Some((Weight(key), Weight(value))) = map.next_entry()? {
                    sum += key + value;
                }
                Ok(Weight(sum))
            }
        }
        deserializer.deserialize_any(Shape)
    }
}

/// A line of a Codex rollout; the copies of a compaction are passed over, as any reader would.
#[derive(Deserialize)]
struct Rollout<'a> {
    #[serde(borrow)]
    timestamp: Option<Str<'a>>,
    #[serde(borrow, rename = "type", default)]
    kind: Str<'a>,
    #[serde(borrow)]
    payload: Option<Payload<'a>>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Str<'a>,
    #[serde(borrow)]
    name: Option<Str<'a>>,
    #[serde(borrow)]
    arguments: Option<Str<'a>>,
    #[serde(borrow)]
    call_id: Option<Str<'a>>,
    #[serde(borrow)]
    output: Option<Content<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

impl Rollout<'_> {
    fn weight(&self) -> usize {
        self.kind.0.len()
            + self.timestamp.as_ref().map_or(0, |t| t.0.len())
            + self.payload.as_ref().map_or(0, |p| {
                let texts = [&p.name, &p.arguments, &p.call_id].into_iter().flatten().map(|s| s.0.len()).sum::<usize>();
                let contents = [&p.output, &p.content].into_iter().flatten().map(Content::weight).sum::<usize>();
                p.kind.0.len() + texts + contents
            })
    }
}

#[derive(Deserialize, Default)]
#[serde(transparent)]
struct Str<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Str<'a>,
    #[serde(borrow)]
    uuid: Option<Str<'a>>,
    #[serde(borrow, rename = "parentUuid")]
    parent: Option<Str<'a>>,
    #[serde(borrow)]
    timestamp: Option<Str<'a>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<Str<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Str<'a>,
    #[serde(borrow)]
    text: Option<Str<'a>>,
    #[serde(borrow)]
    id: Option<Str<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

/// A text, or blocks.
enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text or blocks")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Content<'de>, E> {
                Ok(Content::Text(text.into()))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Content<'de>, E> {
                Ok(Content::Text(text.to_string().into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content<'de>, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Shape)
    }
}

impl Record<'_> {
    /// Bytes of its texts: what keeps the parse from being thrown away.
    fn weight(&self) -> usize {
        let ids = [&self.uuid, &self.parent, &self.timestamp].into_iter().flatten().map(|s| s.0.len()).sum::<usize>();
        let message = self
            .message
            .as_ref()
            .map_or(0, |m| m.id.as_ref().map_or(0, |s| s.0.len()) + m.content.as_ref().map_or(0, Content::weight));
        self.kind.0.len() + ids + message
    }
}

impl Content<'_> {
    fn weight(&self) -> usize {
        match self {
            Content::Text(text) => text.len(),
            Content::Blocks(blocks) => blocks.iter().map(Block::weight).sum(),
        }
    }
}

impl Block<'_> {
    fn weight(&self) -> usize {
        let texts = [&self.text, &self.id].into_iter().flatten().map(|s| s.0.len()).sum::<usize>();
        self.kind.0.len() + texts + self.content.as_ref().map_or(0, Content::weight)
    }
}
