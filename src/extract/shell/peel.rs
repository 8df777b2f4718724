//! Wrappers: programs that run another program. They are peeled until the program that does the work is found.

use super::{Simple, lex::RawCommand, read_line};

/// How the inner command stands behind a wrapper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// As words: `timeout 60 pytest -q`.
    Words,
    /// As one line, or as words that are joined into one: `ssh host 'a && b'`.
    Line,
    /// As the value of `-c` (`-lc`, `-ec`): `bash -c 'a && b'`.
    DashC,
    /// As a module name behind `-m`: `python -m pytest`.
    DashM,
}

/// A program that runs another.
struct Wrapper {
    program: &'static str,
    /// Sub-command that makes it one; "" where none is needed.
    sub: &'static str,
    /// Flags that take a value as the next word.
    valued: &'static [&'static str],
    /// Plain words between the flags and the inner command; the first is a place where `place` is set.
    skip: usize,
    /// Whether the first skipped word is a host, container or pane.
    place: bool,
    inner: Inner,
    /// Runs it in the background.
    detaches: bool,
}

const fn words(program: &'static str, sub: &'static str, valued: &'static [&'static str], skip: usize) -> Wrapper {
    Wrapper { program, sub, valued, skip, place: false, inner: Inner::Words, detaches: false }
}

const fn placed(program: &'static str, sub: &'static str, valued: &'static [&'static str], inner: Inner) -> Wrapper {
    Wrapper { program, sub, valued, skip: 1, place: true, inner, detaches: false }
}

const fn shell(program: &'static str, inner: Inner) -> Wrapper {
    Wrapper { program, sub: "", valued: &[], skip: 0, place: false, inner, detaches: false }
}

#[rustfmt::skip]
const DOCKER_RUN: &[&str] = &[
    "--add-host", "--cap-add", "--cpus", "--device", "--entrypoint", "--env-file", "--gpus", "--hostname", "--ipc", "--label",
    "--memory", "--mount", "--name", "--net", "--network", "--platform", "--publish", "--pull", "--restart", "--runtime",
    "--security-opt", "--shm-size", "--ulimit", "--user", "--volume", "--workdir", "--env", "-e", "-h", "-l", "-m", "-p", "-u", "-v", "-w",
];
const DOCKER_EXEC: &[&str] = &["--env", "--env-file", "--user", "--workdir", "-e", "-u", "-w"];

/// Sorted by program, then sub-command; one row a wrapper.
#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    shell("bash", Inner::DashC),
    words("chronic", "", &[], 0),
    words("command", "", &[], 0),
    words("conda", "run", &["-n", "--name", "-p", "--prefix", "--cwd"], 0),
    shell("dash", Inner::DashC),
    placed("docker", "exec", DOCKER_EXEC, Inner::Words),
    placed("docker", "run", DOCKER_RUN, Inner::Words),
    words("env", "", &["-u", "--unset", "-C", "--chdir", "-S"], 0),
    shell("eval", Inner::Line),
    words("exec", "", &["-a"], 0),
    words("ionice", "", &["-c", "-n", "-p"], 0),
    placed("kubectl", "exec", &["-n", "--namespace", "-c", "--container", "--context"], Inner::Words),
    Wrapper { program: "lxc-attach", sub: "", valued: &["-n", "--name"], skip: 0, place: false, inner: Inner::Words, detaches: false },
    words("mise", "exec", &["-C", "--cd"], 0),
    words("mise", "x", &["-C", "--cd"], 0),
    words("nice", "", &["-n", "--adjustment"], 0),
    Wrapper { program: "nohup", sub: "", valued: &[], skip: 0, place: false, inner: Inner::Words, detaches: true },
    words("npx", "", &["-p", "--package", "-c"], 0),
    words("numactl", "", &["-m", "-N", "-C"], 0),
    placed("pct", "exec", &[], Inner::Words),
    words("pipenv", "run", &[], 0),
    words("pnpm", "exec", &[], 0),
    placed("podman", "exec", DOCKER_EXEC, Inner::Words),
    placed("podman", "run", DOCKER_RUN, Inner::Words),
    words("poetry", "run", &[], 0),
    shell("python", Inner::DashM),
    Wrapper { program: "setsid", sub: "", valued: &[], skip: 0, place: false, inner: Inner::Words, detaches: true },
    shell("sh", Inner::DashC),
    words("srun", "", &["-N", "-n", "-p", "-t", "-A", "-J", "-w", "-c", "-G", "--partition", "--time"], 0),
    placed("ssh", "", &["-b", "-c", "-E", "-F", "-i", "-J", "-L", "-l", "-o", "-p", "-R", "-S", "-W"], Inner::Line),
    words("sshpass", "", &["-p", "-f", "-e"], 0),
    words("stdbuf", "", &["-i", "-o", "-e"], 0),
    words("sudo", "", &["-u", "-g", "-h", "-p", "-C", "-D"], 0),
    words("time", "", &["-f", "-o"], 0),
    words("timeout", "", &["-k", "-s", "--kill-after", "--signal"], 1),
    Wrapper { program: "tmux", sub: "new", valued: &["-s", "-n", "-c", "-t", "-x", "-y"], skip: 0, place: false, inner: Inner::Line, detaches: true },
    Wrapper { program: "tmux", sub: "new-session", valued: &["-s", "-n", "-c", "-t", "-x", "-y"], skip: 0, place: false, inner: Inner::Line, detaches: true },
    Wrapper { program: "tmux", sub: "send-keys", valued: &["-t"], skip: 0, place: false, inner: Inner::Line, detaches: true },
    words("torchrun", "", &["--nproc_per_node", "--nproc-per-node", "--nnodes", "--master_port", "--master-port"], 0),
    words("uv", "run", &["--with", "--python", "-p", "--extra", "--group", "--project", "--directory", "--env-file"], 0),
    words("uvx", "", &["--with", "--from", "--python"], 0),
    words("xargs", "", &["-I", "-n", "-P", "-L", "-d", "-s"], 0),
    shell("zsh", Inner::DashC),
];

/// Peels the wrappers off a raw command and appends what it runs. `outer` carries place, background and hidden status.
pub fn unwrap(raw: &RawCommand, mut outer: Simple, depth: usize, found: &mut Vec<Simple>) {
    outer.env.extend(raw.env.iter().cloned());
    if raw.words.is_empty() {
        for (_, value) in &raw.env {
            if let Some(inner) = value.strip_prefix("$(").and_then(|v| v.strip_suffix(')')) {
                read_line(inner, &Simple { env: Vec::new(), ..outer.clone() }, depth + 1, found);
            }
        }
        return;
    }
    let mut words = raw.words.clone();
    loop {
        while let Some((name, value)) = words.first().and_then(|w| w.split_once('=')).filter(|(n, _)| is_name(n)) {
            outer.env.push((name.to_string(), value.to_string()));
            words.remove(0);
        }
        let Some(first) = words.first() else { return };
        let program = base_name(first);
        let Some((wrapper, inner)) = WRAPPERS.iter().find_map(|w| Some((w, behind(w, &program, &words)?))) else {
            let (writes, stdin) = (raw.writes.clone(), raw.stdin.clone());
            found.push(Simple { program, args: words.split_off(1), writes, stdin, ..outer });
            return;
        };
        outer.background |= wrapper.detaches;
        outer.on.extend(inner.place);
        if matches!(wrapper.inner, Inner::Line | Inner::DashC) {
            read_line(&inner.words.join(" "), &outer, depth + 1, found);
            return;
        }
        words = inner.words;
    }
}

/// What a wrapper runs, and where.
struct Behind {
    place: Option<String>,
    words: Vec<String>,
}

/// What stands behind a wrapper; `None` when these words are not a use of it.
fn behind(wrapper: &Wrapper, program: &str, words: &[String]) -> Option<Behind> {
    if wrapper.program != program {
        return None;
    }
    match wrapper.inner {
        Inner::DashC => {
            let at = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c'))?;
            let line = words.get(at + 1)?.clone();
            return Some(Behind { place: None, words: vec![line] });
        }
        Inner::DashM => {
            let at =
                words.iter().position(|w| w == "-m").filter(|at| words[1..*at].iter().all(|w| w.starts_with('-')))?;
            let words = words[at + 1..].to_vec();
            return (!words.is_empty()).then_some(Behind { place: None, words });
        }
        Inner::Words | Inner::Line => {}
    }
    let mut at = 1;
    if !wrapper.sub.is_empty() {
        if words.get(1).map(String::as_str) != Some(wrapper.sub) {
            return None;
        }
        at = 2;
    }
    let mut place = None;
    let mut skip = wrapper.skip;
    while let Some(word) = words.get(at) {
        if word == "--" {
            at += 1;
            if skip == 0 {
                break;
            }
        } else if word.starts_with('-') && word.len() > 1 {
            at += if wrapper.valued.contains(&word.as_str()) { 2 } else { 1 };
        } else if skip > 0 {
            if wrapper.place && place.is_none() {
                place = Some(word.clone());
            }
            skip -= 1;
            at += 1;
        } else {
            break;
        }
    }
    let inner: Vec<String> = words.get(at..).unwrap_or_default().to_vec();
    (!inner.is_empty()).then_some(Behind { place, words: inner })
}

/// Base name of a program, without directory and `.exe`; a trailing version (`python3.11`) is cut from interpreters.
fn base_name(word: &str) -> String {
    let base = word.rsplit('/').next().unwrap_or(word);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let bare = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    if VERSIONED.contains(&bare) { bare.to_string() } else { base.to_string() }
}

/// Programs that are installed under names with a version.
const VERSIONED: &[&str] = &["clang", "clang++", "g++", "gcc", "node", "pip", "python"];

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
}
