//! Throughput of reading a Claude Code session, in MB/s and as a ratio to a typed, borrowed serde_json parse of the same
//! bytes in the same run. `cargo bench --bench throughput [-- FILE…]`; without a file a session of 200 MB is made up.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program of its own that times and prints")]

use std::{
    borrow::Cow,
    fmt::{self, Write},
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use turnpoint::{pipeline, source::open::Input};

/// Size of the made-up session.
const SYNTHETIC: usize = 200 << 20;
/// Each figure is the best of several runs, the stages taking turns: so many that about this much is read per stage.
const READ_PER_STAGE: usize = 600 << 20;

/// Name of a stage, and what it does with a file.
type Stage = (&'static str, fn(&Path));

fn main() {
    let named: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).filter(|p| p.is_file()).collect();
    if named.is_empty() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("synthetic.jsonl");
        fs::write(&path, synthetic(SYNTHETIC)).expect("room for the session");
        return report(&path);
    }
    named.iter().for_each(|path| report(path));
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
    println!("{} ({size:.1} MB), peak memory {}", path.display(), peak());
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

/// Peak memory of the process so far, where the system tells.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_string(), |line| line.trim().to_string())
}

/// The yardstick: every line into borrowed structs of the envelope, the message and its blocks.
fn typed(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    let mut texts = 0;
    for line in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let text = simdutf8::basic::from_utf8(line).expect("a valid log");
        let record: Record = serde_json::from_str(text).expect("a valid log");
        texts += record.weight();
    }
    std::hint::black_box(texts);
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

/// A session of about `size` bytes with the proportions of real ones: a call and its result per turn, the result
/// written twice (as the model saw it and structured), now and then a file copy, a sign of life and bookkeeping.
fn synthetic(size: usize) -> String {
    let mut log = String::with_capacity(size + (1 << 20));
    let output = "   Compiling mill v0.1.0 (/work/mill)\\n\\u001b[32mok\\u001b[0m 17 passed; “0” failed\\n".repeat(20);
    let file = "fn grind(sacks: u32) -> u32 {\\n    sacks * 2 // \\\"twice\\\"\\n}\\n".repeat(120);
    let mut parent = "null".to_string();
    let mut n = 0;
    while log.len() < size {
        n += 1;
        let head = |kind: &str, uuid: &str, parent: &str| {
            format!(
                "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/work/mill\",\
                 \"sessionId\":\"s\",\"version\":\"2.1.40\",\"gitBranch\":\"main\",\"type\":\"{kind}\",\
                 \"uuid\":\"{uuid}\",\"timestamp\":\"2026-03-01T09:00:00.000Z\","
            )
        };
        let (call, result) = (format!("a{n}"), format!("u{n}"));
        let original = if n % 5 == 0 { file.as_str() } else { "" };
        writeln!(
            log,
            "{}\"message\":{{\"id\":\"m{n}\",\"role\":\"assistant\",\"model\":\"x\",\"content\":[{{\"type\":\"text\",\
             \"text\":\"I run the tests again.\"}},{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\",\
             \"input\":{{\"command\":\"cargo test {n}\",\"description\":\"Run tests\"}}}}],\
             \"usage\":{{\"input_tokens\":4,\"output_tokens\":30}}}}}}\n\
             {}\"toolUseResult\":{{\"stdout\":\"{output}\",\"stderr\":\"\",\"interrupted\":false,\
             \"originalFile\":\"{original}\"}},\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\
             \"tool_use_id\":\"t{n}\",\"content\":\"{output}\",\"is_error\":false}}]}}}}\n\
             {}\"data\":{{\"type\":\"bash_progress\",\"fullOutput\":\"{output}\"}},\"toolUseID\":\"x\"}}",
            head("assistant", &call, &parent),
            head("user", &result, &format!("\"{call}\"")),
            head("progress", &format!("p{n}"), &format!("\"{result}\"")),
        )
        .expect("a string");
        parent = format!("\"p{n}\"");
    }
    log
}
