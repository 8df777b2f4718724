//! Sessions found without a path, by the beginning of an id, in folders and in archives: one story each, nothing twice.

use std::{io::Write, path::Path};

use assert_cmd::Command;

use crate::root;

/// A line of a Claude Code session; `uuid` and `words` tell it apart, `minute` is its time.
fn line(session: &str, uuid: &str, parent: &str, role: &str, words: &str, minute: u32) -> String {
    let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
    let content =
        if role == "user" { format!("\"{words}\"") } else { format!("[{{\"type\":\"text\",\"text\":\"{words}\"}}]") };
    format!(
        "{{\"parentUuid\":{parent},\"isSidechain\":false,\"sessionId\":\"{session}\",\"type\":\"{role}\",\"uuid\":\"{uuid}\",\
         \"cwd\":\"/w/proj\",\"version\":\"2.1.0\",\"timestamp\":\"2026-02-01T10:{minute:02}:00.000Z\",\
         \"message\":{{\"role\":\"{role}\",\"content\":{content}}}}}\n"
    )
}

const A: &str = "0a1b2c3d-0000-4000-8000-00000000000a";
const B: &str = "0a1b9999-0000-4000-8000-00000000000b";

fn first() -> String {
    [line(A, "u1", "", "user", "Measure the parser.", 1), line(A, "u2", "u1", "assistant", "12 ms.", 2)].concat()
}

/// Goes on in a file of its own that begins with a copy of the first one under a new session id.
fn resumed() -> String {
    let copied = first().replace(A, B);
    copied + &line(B, "u3", "u2", "user", "And the writer?", 8) + &line(B, "u4", "u3", "assistant", "7 ms.", 9)
}

struct Machine(tempfile::TempDir);

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = machine.0.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        machine
    }

    fn path(&self, below: &str) -> String {
        self.0.path().join(below).to_string_lossy().into_owned()
    }

    /// Exit code, standard output, standard error of a run whose home folder is this one.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnpoint"));
        command.env_clear().env("HOME", self.0.path()).current_dir(root());
        let output = command.args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

const STORE: &str = ".claude/projects/-w-proj/";

#[test]
fn sessions_lists_what_agents_left_and_filters_it() {
    let machine = Machine::new(&[(&format!("{STORE}{A}.jsonl"), &first())]);
    let (code, out, err) = machine.run(&["sessions"]);
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 2, ""), "{out}");
    for word in [A, "Claude Code", "2026-02-01 10:01:00", "1:00", "/w/proj"] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let (_, json, _) = machine.run(&["sessions", "--json"]);
    assert!(json.contains("\"schema\":\"turnpoint.sessions/1\"") && json.contains("\"cost_usd\":null"), "{json}");
    let lines = |filter: &[&str]| machine.run(&[&["sessions", "--json"], filter].concat()).1.lines().count();
    assert_eq!((lines(&["--agent", "claude"]), lines(&["--agent", "codex"])), (1, 0));
    assert_eq!(
        (lines(&["--project", "/w"]), lines(&["--project", "/w/pro"]), lines(&["--project", "PROJ"])),
        (1, 1, 1)
    );
    assert_eq!(lines(&["--project", "/elsewhere"]), 0);
    assert_eq!(
        (lines(&["--since", "2026-02-01"]), lines(&["--since", "2026-02-02"]), lines(&["--until", "2026-02-01"])),
        (1, 0, 0)
    );
    assert_eq!(machine.run(&["sessions", "--since", "soon"]).0, 2);
    let (code, out, err) = Machine::new(&[]).run(&["sessions"]);
    assert_eq!((code, out.as_str(), err.lines().count()), (0, "", 1));
    // A folder that was named should hold some.
    let machine = Machine::new(&[("empty/notes.txt", "no log")]);
    let (code, out, err) = machine.run(&["sessions", &machine.path("empty")]);
    assert_eq!((code, out.as_str(), err.lines().count()), (1, "", 1));
    assert!(err.contains("empty: holds no session log"), "{err}");
}

#[test]
fn without_input_the_latest_finished_session_is_read_and_named() {
    let waiting = first().replace(A, B).replace("u1", "w1").replace("u2", "w2")
        + &line(B, "w3", "w2", "user", "Still there?", 30);
    let machine = Machine::new(&[
        (&format!("{STORE}{A}.jsonl"), &first()),
        (&format!("{STORE}{B}.jsonl"), &waiting),
        (
            &format!("{STORE}{A}/subagents/agent-x.jsonl"),
            &line("x", "s1", "", "user", "Look.", 40).replace("false", "true"),
        ),
    ]);
    let (code, out, err) = machine.run(&["inspect", "--json"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(A) && err.contains("reading") && err.contains(A), "{out}\n{err}");
    assert!(err.contains("still being written") && err.contains(B), "{err}");
    assert_eq!(Machine::new(&[]).run(&["inspect"]).0, 2, "nothing to read is wrong use");
}

#[test]
fn a_session_is_named_by_the_beginning_of_its_id() {
    let other = first().replace(A, B).replace("u1", "w1").replace("u2", "w2");
    let machine = Machine::new(&[(&format!("{STORE}{A}.jsonl"), &first()), (&format!("{STORE}{B}.jsonl"), &other)]);
    let (code, out, err) = machine.run(&["inspect", "--json", "0a1b9"]);
    assert_eq!((code, out.contains(B)), (0, true), "{err}");
    let (code, _, err) = machine.run(&["inspect", "0a1b"]);
    assert_eq!(code, 2);
    assert!(err.contains(A) && err.contains(B), "both are named: {err}");
    assert_eq!(machine.run(&["inspect", "ffffffff"]).0, 1);
    assert_eq!(machine.run(&["inspect", "0a"]).0, 2);
}

#[test]
fn a_copy_that_goes_on_is_one_story_and_nothing_counts_twice() {
    let machine = Machine::new(&[("logs/a.jsonl", &first()), ("logs/b.jsonl", &resumed())]);
    let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("logs")]);
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 1, ""), "{out}");
    assert!(out.contains(B) && out.contains("\"messages\":4"), "{out}");
    assert!(out.contains("\"read\":6,\"used\":4,\"skipped\":2"), "{out}");
}

fn archives(machine: &Machine, logs: &[(&str, String)]) -> Vec<String> {
    let tar = |out: &mut dyn Write| {
        let mut tar = tar::Builder::new(out);
        for (name, text) in logs {
            let mut header = tar::Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        let mut link = tar::Header::new_ustar();
        link.set_entry_type(tar::EntryType::Symlink);
        link.set_size(0);
        tar.append_link(&mut link, "evil.jsonl", "/etc/passwd").unwrap();
        tar.finish().unwrap();
    };
    let mut plain = Vec::new();
    tar(&mut plain);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(&plain).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in logs {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.start_file("inner.tar", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&plain).unwrap();
    let made = [
        ("logs.tar", plain.clone()),
        ("logs.tar.gz", gz.finish().unwrap()),
        ("logs.tar.zst", zstd::stream::encode_all(&plain[..], 1).unwrap()),
        ("logs.zip", zip.finish().unwrap().into_inner()),
    ];
    made.map(|(name, bytes)| {
        let path = machine.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    })
    .into()
}

#[test]
fn members_of_archives_are_read_like_files() {
    let machine = Machine::new(&[]);
    let other = first().replace(A, B).replace("u1", "w1").replace("u2", "w2");
    let logs = [("p/a.jsonl", first()), ("p/b.jsonl", other), ("p/notes.txt", "no log".to_string())];
    for path in archives(&machine, &logs) {
        let (code, out, err) = machine.run(&["inspect", "--json", &path]);
        assert_eq!((code, out.lines().count()), (0, 2), "{path}: {out}{err}");
        assert!(!out.contains("root:"), "links are not followed");
    }
}

#[test]
fn compressed_logs_are_read_as_they_are() {
    let machine = Machine::new(&[("a.jsonl", &first())]);
    let plain = machine.run(&["inspect", "--json", &machine.path("a.jsonl")]).1;
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(first().as_bytes()).unwrap();
    let packed = [
        ("a.jsonl.gz", gz.finish().unwrap()),
        ("a.jsonl.zst", zstd::stream::encode_all(first().as_bytes(), 1).unwrap()),
    ];
    for (name, bytes) in packed {
        std::fs::write(machine.path(name), &bytes).unwrap();
        assert_eq!(machine.run(&["inspect", "--json", &machine.path(name)]).1, plain);
        // Torn in the middle: what came before is not lost silently.
        std::fs::write(machine.path(name), &bytes[..bytes.len() / 2]).unwrap();
        let (code, _, err) = machine.run(&["inspect", "--json", &machine.path(name)]);
        assert_eq!((code, err.lines().count()), (1, 1), "{err}");
    }
}

#[test]
fn archives_that_lie_are_errors_of_their_own() {
    let machine = Machine::new(&[("logs/good.jsonl", &first())]);
    let path = archives(&machine, &[("a.jsonl", first())]).pop().unwrap();
    let mut zip = std::fs::read(path).unwrap();
    // The sizes in the local header and in the directory are blown up.
    for (mark, offset) in [(&b"PK\x03\x04"[..], 22), (&b"PK\x01\x02"[..], 24)] {
        let at = zip.windows(4).position(|w| w == mark).unwrap() + offset;
        zip[at..at + 4].copy_from_slice(&0x7fff_fff0_u32.to_le_bytes());
    }
    std::fs::write(machine.path("logs/lies.zip"), &zip).unwrap();
    std::fs::write(machine.path("logs/cut.zip"), &zip[..zip.len() / 3]).unwrap();
    let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("logs")]);
    assert!(code <= 1 && out.contains(A) && err.lines().count() <= 4, "{code} {out} {err}");
}

#[cfg(unix)]
#[test]
fn links_in_a_loop_and_names_that_are_no_text_do_not_matter() {
    use std::os::unix::ffi::OsStrExt;
    let machine = Machine::new(&[("logs/a.jsonl", &first())]);
    let folder = machine.0.path().join("logs");
    std::os::unix::fs::symlink(&folder, folder.join("loop")).unwrap();
    std::os::unix::fs::symlink("self", folder.join("self")).unwrap();
    let odd = folder.join(Path::new(std::ffi::OsStr::from_bytes(b"odd-\xff.jsonl")));
    std::fs::write(odd, first().replace(A, B).replace("u1", "w1").replace("u2", "w2")).unwrap();
    let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("logs")]);
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 2, ""), "{out}");
}

/// What of an archive is not read is told: a loss makes the run fail, a link does not.
#[test]
fn what_an_archive_holds_back_is_told() {
    let machine = Machine::new(&[]);
    let logs = [("a.jsonl", first()), ("b.jsonl", first().replace(A, B).replace("u1", "w1").replace("u2", "w2"))];
    let made = archives(&machine, &logs);
    let inspect = |path: &str| machine.run(&["inspect", "--json", path]);
    let (code, _, err) = inspect(&made[0]);
    assert_eq!((code, err.lines().count(), err.contains("not read: 1 link")), (0, 1, true), "{err}");
    // The header of the second member is damaged, or the archive ends in it or in its content.
    let tar = std::fs::read(&made[0]).unwrap();
    let second = 512 + first().len().div_ceil(512) * 512;
    let mut damaged = tar.clone();
    damaged[second + 148..second + 156].copy_from_slice(b"0000000\0");
    for (bytes, sessions) in [(&damaged[..], 1), (&tar[..second + 300], 1), (&tar[..second + 512 + 300], 2)] {
        let path = machine.path("torn.tar");
        std::fs::write(&path, bytes).unwrap();
        let (code, out, err) = inspect(&path);
        assert_eq!((code, out.lines().count()), (1, sessions), "{out}{err}");
        assert!(err.contains("its end, which is torn or damaged"), "{err}");
    }
    let torn = machine.path("torn.tar.gz");
    let gz = std::fs::read(&made[1]).unwrap();
    std::fs::write(&torn, &gz[..gz.len() - 20]).unwrap();
    let (code, out, err) = inspect(&torn);
    assert!(code == 1 && out.lines().count() == 2 && err.contains("torn"), "{out}{err}");
    // Encrypted, and two of one name.
    let zip = std::fs::read(&made[3]).unwrap();
    let changed = |offsets: [usize; 2], change: &dyn Fn(&mut [u8])| {
        let mut bytes = zip.clone();
        for (mark, offset) in [&b"PK\x03\x04"[..], b"PK\x01\x02"].into_iter().zip(offsets) {
            let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(mark)).take(2).collect();
            change(&mut bytes[places[1] + offset..]);
        }
        std::fs::write(machine.path("odd.zip"), bytes).unwrap();
        inspect(&machine.path("odd.zip"))
    };
    let (code, _, err) = changed([6, 8], &|flags| flags[0] |= 1);
    assert_eq!((code, err.contains("1 encrypted member")), (1, true), "{err}");
    let (code, _, err) = changed([30, 46], &|name| name[0] = b'a');
    assert_eq!((code, err.contains("1 member under the name of another")), (1, true), "{err}");
}

/// The oldest kind of `.tar` has no mark, only a checksum.
#[test]
fn an_archive_without_a_mark_is_one() {
    let machine = Machine::new(&[]);
    let other = first().replace(A, B).replace("u1", "w1").replace("u2", "w2");
    let mut tar = std::fs::read(&archives(&machine, &[("a.jsonl", first()), ("b.jsonl", other)])[0]).unwrap();
    for at in [0, 512 + first().len().div_ceil(512) * 512] {
        tar[at + 257..at + 265].fill(0);
        tar[at + 148..at + 156].fill(b' ');
        let sum: u32 = tar[at..at + 512].iter().map(|b| u32::from(*b)).sum();
        tar[at + 148..at + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    std::fs::write(machine.path("v7.tar"), tar).unwrap();
    assert_eq!(machine.run(&["inspect", "--json", &machine.path("v7.tar")]).1.lines().count(), 2);
}

/// A member of a small archive that expands endlessly is an error of its own, and is not held.
#[test]
fn a_bomb_in_an_archive_costs_itself() {
    let machine = Machine::new(&[]);
    let other = first().replace(A, B).replace("u1", "w1").replace("u2", "w2");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text, blanks) in
        [("bomb.jsonl", first(), 80), ("good.jsonl", other, 0), ("zeros.bin", String::new(), 80)]
    {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
        let blank = vec![if text.is_empty() { 0 } else { b'\n' }; 1 << 20];
        (0..blanks).for_each(|_| zip.write_all(&blank).unwrap());
    }
    std::fs::write(machine.path("bombs.zip"), zip.finish().unwrap().into_inner()).unwrap();
    let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("bombs.zip")]);
    assert_eq!((code, out.lines().count()), (1, 1), "{out}{err}");
    assert!(out.contains(B) && err.contains("bomb.jsonl: expands beyond the caps"), "{err}");
}

/// What a database has not yet taken in lies beside it: in an archive too, and where a link leads to it.
#[test]
fn a_database_is_read_with_its_log_wherever_it_lies() {
    let machine = Machine::new(&[]);
    let path = machine.path("crush.db");
    let live = rusqlite::Connection::open(&path).unwrap();
    live.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
         CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,
             prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER);
         CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER,
             updated_at INTEGER, finished_at INTEGER);
         INSERT INTO sessions VALUES ('s-1', NULL, 'Measure', 1, 0, 0, 0.0, 1769940000, 1769940000);
         INSERT INTO messages VALUES ('m-1', 's-1', 'user', '[{\"type\":\"text\",\"data\":{\"text\":\"Go.\"}}]', NULL,
             1769940000, 1769940000, NULL);",
    )
    .unwrap();
    let beside = |name: &str| std::fs::read(format!("{path}{name}")).unwrap();
    let plain = machine.run(&["inspect", "--json", &path]).1;
    assert!(plain.contains("\"messages\":1"), "{plain}");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for suffix in ["", "-wal"] {
        zip.start_file(format!("x/crush.db{suffix}"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&beside(suffix)).unwrap();
    }
    std::fs::write(machine.path("db.zip"), zip.finish().unwrap().into_inner()).unwrap();
    assert!(machine.run(&["inspect", "--json", &machine.path("db.zip")]).1.contains("\"messages\":1"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, machine.path("link.db")).unwrap();
        assert!(machine.run(&["inspect", "--json", &machine.path("link.db")]).1.contains("\"messages\":1"));
    }
}

/// A link inside of what was given leads nowhere, at whatever depth a file is looked for beside a session.
#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed() {
    let agent = line(A, "s1", "", "user", "Secret.", 3).replace("false", "true");
    let log = first().replace(A, "s");
    let machine = Machine::new(&[
        ("elsewhere/subagents/agent-1.jsonl", &agent),
        ("logs/s.jsonl", &log),
        ("other/s.jsonl", &log),
        ("other/s/notes.txt", "none"),
    ]);
    for (link, to) in [("logs/s", "elsewhere"), ("other/s/subagents", "elsewhere/subagents")] {
        std::os::unix::fs::symlink(machine.path(to), machine.path(link)).unwrap();
    }
    for folder in ["logs", "other"] {
        let (code, out, _) = machine.run(&["inspect", "--json", &machine.path(folder)]);
        assert!(code == 0 && out.contains("\"messages\":2") && !out.contains("agent-1"), "{out}");
    }
}

/// A folder that may not be listed is told; not where the tests run as one who may list everything.
#[cfg(unix)]
#[test]
fn folders_that_cannot_be_listed_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new(&[("logs/a.jsonl", &first()), ("logs/shut/b.jsonl", &first())]);
    let shut = machine.0.path().join("logs/shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&shut).is_err() {
        let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("logs")]);
        assert_eq!((code, out.lines().count(), err.lines().count()), (1, 1, 1), "{err}");
        assert!(err.contains("shut: Permission denied"), "{err}");
        assert!(machine.run(&["inspect", &machine.path("logs/shut")]).2.contains("Permission denied"));
    }
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Sessions ask which of their neighbours belong to them; a thousand must not each look at a thousand.
#[test]
fn large_stores_are_read_in_good_time() {
    let mut files = Vec::new();
    for i in 0..1000 {
        let session = format!("00000000-0000-4000-8000-{i:012}");
        let task = "{\"type\":\"tool_use\",\"id\":\"t-ID\",\"name\":\"Task\",\"input\":{\"prompt\":\"Look.\"}}";
        let call = line(&session, "u2", "u1", "assistant", "x", 2).replace("{\"type\":\"text\",\"text\":\"x\"}", task);
        let log = line(&session, "u1", "", "user", "Go.", 1) + &call;
        files.push((
            format!("flat/{session}.jsonl"),
            log.replace("u1", &format!("u1-{i}")).replace("u2", &format!("u2-{i}")).replace("t-ID", &format!("t-{i}")),
        ));
        let agent = line(&session, &format!("a-{i}"), "", "user", "Look.", 3).replace("false", "true");
        files.push((format!("flat/agent-{i}.jsonl"), agent));
        let tree = format!(
            "{{\"id\":\"ses_{i}\",\"title\":\"t\",\"time\":{{\"created\":1,\"updated\":2}},\"parentID\":null}}"
        );
        files.push((format!("storage/session/p/ses_{i}.json"), tree));
        let said =
            format!("{{\"id\":\"msg_{i}\",\"sessionID\":\"ses_{i}\",\"role\":\"user\",\"time\":{{\"created\":1}}}}");
        files.push((format!("storage/message/ses_{i}/msg_{i}.json"), said));
        let part = format!("{{\"id\":\"prt_{i}\",\"messageID\":\"msg_{i}\",\"type\":\"text\",\"text\":\"Go.\"}}");
        files.push((format!("storage/part/msg_{i}/prt_{i}.json"), part));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let machine = Machine::new(&files);
    for folder in ["flat", "storage"] {
        let begun = std::time::Instant::now();
        let (code, out, err) = machine.run(&["inspect", "--json", &machine.path(folder)]);
        assert_eq!((code, out.lines().count()), (0, 1000), "{err}");
        // A second or two; by the square it was a minute.
        assert!(begun.elapsed().as_secs() < 20, "{folder}: {:?}", begun.elapsed());
    }
}

/// Two logs that each begin with a copy of the other: one of them is read.
#[test]
fn copies_of_each_other_do_not_vanish() {
    let (old, new) = ("01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000002");
    let meta = |id: &str| {
        format!(
            "{{\"timestamp\":\"2026-02-01T10:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",\"cwd\":\"/w\"}}}}\n"
        )
    };
    let turn = "{\"timestamp\":\"2026-02-01T10:00:01.000Z\",\"type\":\"turn_context\",\"payload\":{\"turn_id\":\"t-1\",\"cwd\":\"/w\",\"model\":\"m\"}}\n\
        {\"timestamp\":\"2026-02-01T10:00:02.000Z\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Go.\"}]}}\n";
    let log = |a: &str, b: &str| meta(a) + &meta(b) + turn;
    let machine = Machine::new(&[
        (&format!("logs/rollout-{old}.jsonl"), &log(old, new)),
        (&format!("logs/rollout-{new}.jsonl"), &log(new, old)),
    ]);
    let (code, out, err) = machine.run(&["inspect", "--json", &machine.path("logs")]);
    assert!(out.contains(old) && out.contains("\"messages\":1"), "{code} {out}{err}");
}

/// A log to which an agent goes on writing while it is read is read as far as it was, and obeys the laws.
#[test]
fn a_log_that_grows_while_it_is_read_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    std::fs::write(&path, first()).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            let mut n = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) && n < 20_000 {
                n += 1;
                let text = line(A, &format!("g{n}"), "u2", "user", "More.", 3);
                // Torn writes, as a real agent's buffers make them.
                let (a, b) = text.split_at(text.len() / 2);
                file.write_all(a.as_bytes()).unwrap();
                file.write_all(b.as_bytes()).unwrap();
            }
        });
        for _ in 0..20 {
            let input = turnpoint::source::open::Input::file(&path).unwrap();
            let reading = turnpoint::pipeline::read(&input, Default::default()).unwrap();
            let session = &reading.sessions[0];
            assert!(session.accounting.balanced() && session.messages.len() >= 2);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
