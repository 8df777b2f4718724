//! Services and background jobs: starts, readings, ends, in one ledger keyed by the name under which they were started.
//!
//! A reading belongs to a job only by name: its unit, its container, its log file, its id. `active` says that a process
//! runs, not that it answers; only a readiness line makes it ready. A job whose end the log does not show stays open.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use crate::text::pattern::Regex;

use super::{
    Extractor,
    error_lines::{last_line, line_at},
};
use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{Facts, Job, JobState},
        message::{Exit, Message, MessageKind, PartKind, ToolKind},
        session::Session,
    },
};

/// See the module.
pub struct Jobs;

impl Extractor for Jobs {
    fn name(&self) -> &'static str {
        "jobs"
    }

    fn about(&self) -> &'static str {
        "Services and background jobs: starts, readings, ends"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut ledger = Ledger { session, facts, open: Vec::new() };
        for (at, message) in session.iter() {
            ledger.notices_before(at);
            ledger.read(at, message);
        }
        facts.jobs = ledger.open.into_iter().map(|o| o.job).filter(|j| !j.readings.is_empty()).collect();
    }
}

/// `  36% Completed | 23/64 [10:08<18:02]`, `step 12/100`; not `a 3/4 turn`.
static PROGRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:%[^\n\d]{0,24}|\b(?:steps?|epochs?|iter(?:ations?)?|batch(?:es)?|shards?|files?|progress|completed|downloaded|processed|loaded)\b[^\n\d]{0,12})(?P<n>\d{1,9})\s*(?:/|of)\s*(?P<m>\d{1,9})\b")
        .expect("valid")
});

/// `Uvicorn running on`, `Application startup complete.`, `fired up and ready to roll!`; not `not ready`.
static READY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)uvicorn running on|startup complete|fired up and ready|server (?:is )?(?:now )?(?:ready|listening|running|started)|(?:^|[^\w.])listening (?:on|at) |ready (?:to (?:serve|accept|roll)|for connections|in \d)|accepting connections|serving (?:on|at|http)|started server|running (?:on|at) https?://|compiled successfully|HTTP/[\d.]+ 200|\blocal:\s+https?://")
        .expect("valid")
});

/// `done, 0 errors`, `finished in 3 s`; not `not done`.
static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^\W*(?:all )?(?:done|finished|completed?)\b|\b(?:exit(?:ed)?(?: with)?(?: code| status)?[: =]+0\b)|<status>completed</status>|\bprocess exited\b|\btraining (?:complete|finished)")
        .expect("valid")
});

/// `active`, `inactive`, `failed` alone on a line; not `active users`.
static UNIT_STATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*(?:Active: )?(active|activating|inactive|failed|deactivating)\b(?: \([\w:=, -]+\)[^\n]*)?$")
        .expect("valid")
});

/// `running in background with ID: bash_1`, `running with session ID 412`; not `Session ID  Title`.
static JOB_ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:(?:background|running|started) with (?:session |task |shell )?ID|background (?:task|shell|process|job) ID)[:\s]+`?([\w-]{1,40})").expect("valid")
});

/// `Output is being written to: /tmp/x.output`; not `written to disk`.
static JOB_LOG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)output (?:is being|will be) written to:? (\S+[\w])").expect("valid"));

/// `localhost:8000`, `--port 8000`, `http.server 8080`; not `12:30`.
static PORT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|[:=\s])(\d{4,5})(?:$|[/\s])").expect("valid"));

/// Answers to a probe that are none: refused, an error status, words of waiting; not `{"status":"ok"}`.
static SILENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)refused|failed|error|not |waiting|timed? ?out|couldn't|could not|null|\b(?:000|[45]\d\d)\b")
        .expect("valid")
});

/// Fields by which a tool names a background job.
pub const ID_FIELDS: &[&str] = &["bash_id", "shell_id", "task_id", "session_id", "shellId", "id", "pid"];

/// The id that a harness gives to the job that a call sent to the background.
pub fn id_of(output: &str) -> Option<String> {
    JOB_ID.captures(output).map(|c| c[1].to_string())
}

/// The file that a harness writes the output of a background job to.
pub fn log_of(output: &str) -> Option<String> {
    JOB_LOG.captures(output).map(|c| c[1].to_string())
}

/// The calls that poll what an earlier call sent to the background, by the call that started it, in order.
pub fn polls(session: &Session) -> BTreeMap<MessageIdx, Vec<MessageIdx>> {
    let mut started: HashMap<String, MessageIdx> = HashMap::new();
    let mut found: BTreeMap<MessageIdx, Vec<MessageIdx>> = BTreeMap::new();
    for (at, message) in session.iter() {
        match message.tool() {
            Some(ToolKind::Shell) => started.extend(id_of(message.output()).map(|id| (id, at))),
            Some(ToolKind::Job) if !ends_a_job(message) => {
                let ids = ID_FIELDS.iter().filter_map(|field| message.input(field));
                if let Some(start) = ids.filter_map(|id| started.get(id)).next() {
                    found.entry(*start).or_default().push(at);
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a call stops a job rather than reads it.
fn ends_a_job(message: &Message) -> bool {
    let name = message.call.as_ref().map_or("", |c| c.name.as_str()).to_ascii_lowercase();
    name.contains("kill") || name.contains("stop")
}

/// Classes of commands that start nothing worth a ledger when sent to the background.
const IDLE: &[&str] =
    &["noop", "wait", "help", "list", "read", "search", "kill", "stop", "log-read", "http-probe", "time"];

struct Open {
    job: Job,
    logs: Vec<String>,
    ids: Vec<String>,
    ports: Vec<String>,
}

struct Ledger<'a> {
    session: &'a Session,
    facts: &'a Facts,
    open: Vec<Open>,
}

impl Ledger<'_> {
    fn read(&mut self, at: MessageIdx, message: &Message) {
        match message.tool() {
            Some(ToolKind::Shell) => {
                let facts = self.facts;
                if let Ok(i) = facts.commands.binary_search_by_key(&at, |r| r.message) {
                    self.command(at, message, &facts.commands[i]);
                }
            }
            Some(ToolKind::Job) => self.poll(at, message),
            None if message.kind == MessageKind::User => {
                let text = message.prose();
                if text.contains("<task-id>") {
                    self.told(text, self.session.whole(at), at);
                }
            }
            _ => {}
        }
    }

    /// Notices that a background task ended stand between messages.
    fn notices_before(&mut self, at: MessageIdx) {
        let from = self.session.notices.partition_point(|n| n.before < at.0);
        let until = self.session.notices.partition_point(|n| n.before <= at.0);
        for notice in &self.session.notices[from..until] {
            if notice.text.contains("<task-id>") {
                self.told(&notice.text, self.session.whole(at), at);
            }
        }
    }

    fn told(&mut self, text: &str, evidence: Evidence, at: MessageIdx) {
        let ended = if text.contains("<status>failed") { JobState::Failed } else { JobState::Stopped };
        let running =
            |o: &Open| o.job.readings.last().is_some_and(|r| !matches!(r.1, JobState::Stopped | JobState::Failed));
        let named = |o: &Open| o.ids.iter().any(|id| text.contains(id.as_str()));
        for open in self.open.iter_mut().filter(|o| running(o) && named(o)) {
            open.job.readings.push((at, ended, evidence.clone()));
        }
    }

    fn command(&mut self, at: MessageIdx, message: &Message, run: &CommandRun) {
        if !run.ran {
            return;
        }
        let mut followed = Vec::new();
        for part in &run.parts {
            followed.extend(self.unit(at, part));
            followed.extend(self.container(at, part));
            if matches!(part.class.0.as_str(), "kill" | "stop") {
                self.killed(at, part, run);
            }
        }
        followed.extend(self.started(at, message, run));
        followed.extend(self.by_log(&run.line));
        followed.sort_unstable();
        followed.dedup();
        for job in followed {
            self.output(at, message, job);
        }
        self.probed(at, message, run);
    }

    /// An answer to a probe of the port that a job was started on: it serves.
    fn probed(&mut self, at: MessageIdx, message: &Message, run: &CommandRun) {
        let asked: Vec<String> = run.parts.iter().filter(|p| p.class.0 == "http-probe").flat_map(ports).collect();
        let up = |o: &Open| {
            o.job
                .readings
                .last()
                .is_some_and(|r| !matches!(r.1, JobState::Stopped | JobState::Failed | JobState::Ready))
        };
        let asks = |o: &Open| o.ports.iter().any(|p| asked.contains(p));
        let Some(job) = (0..self.open.len()).rev().find(|i| up(&self.open[*i]) && asks(&self.open[*i])) else { return };
        let Some(part) = message.part_at(PartKind::Output) else { return };
        let output = message.parts[part].text.as_str();
        let Some(line) = last_line(output) else { return };
        let answers = message.call.as_ref().is_some_and(|c| matches!(c.exit, Exit::Code(0) | Exit::NotRecorded));
        if !answers || SILENT.is_match(output) {
            return;
        }
        if let Some(evidence) = self.session.cite(at, part, line) {
            self.open[job].job.service = true;
            self.open[job].job.readings.push((at, JobState::Ready, evidence));
        }
    }

    /// `systemctl start x`, `journalctl -u x`, `service x restart`: the unit that the output is about.
    fn unit(&mut self, at: MessageIdx, part: &SimpleCommand) -> Vec<usize> {
        let words = part.args.iter().map(String::as_str);
        let plain: Vec<&str> = words.clone().filter(|a| !a.starts_with('-')).collect();
        let (verb, units): (&str, Vec<&str>) = match part.program.as_str() {
            "systemctl" => (plain.first().copied().unwrap_or(""), plain.iter().skip(1).copied().collect()),
            "service" => (plain.get(1).copied().unwrap_or(""), plain.first().copied().into_iter().collect()),
            "journalctl" => {
                let after = words.clone().skip_while(|a| !matches!(*a, "-u" | "--unit")).nth(1);
                ("status", after.into_iter().collect())
            }
            _ => return Vec::new(),
        };
        let state = match verb {
            "start" | "restart" | "reload-or-restart" => Some(JobState::Started),
            "stop" | "kill" => Some(JobState::Stopped),
            "status" | "is-active" => None,
            _ => return Vec::new(),
        };
        let named = units.into_iter().filter(|u| !u.contains(['$', '*', '"'])).filter(|u| u.len() > 1);
        named
            .map(|u| self.entry(u.strip_suffix(".service").unwrap_or(u), true))
            .collect::<Vec<_>>()
            .into_iter()
            .inspect(|job| self.push_named(at, *job, state))
            .collect()
    }

    /// `docker run --name x`, `docker stop x`, `docker compose up`: the container that the output is about.
    fn container(&mut self, at: MessageIdx, part: &SimpleCommand) -> Vec<usize> {
        if !matches!(part.program.as_str(), "docker" | "podman" | "docker-compose" | "pm2" | "supervisorctl") {
            return Vec::new();
        }
        let mut plain = part.args.iter().map(String::as_str).filter(|a| !a.starts_with('-'));
        let verb = plain.by_ref().find(|w| !matches!(*w, "compose" | "container")).unwrap_or("");
        let value = |flag: &str| part.args.iter().skip_while(|a| *a != flag).nth(1).map(String::as_str);
        let detached = part.args.iter().any(|a| matches!(a.as_str(), "-d" | "--detach" | "-dit" | "-itd"));
        let (name, state) = match verb {
            "run" if detached => (value("--name"), Some(JobState::Started)),
            "start" | "restart" => (plain.next_back(), Some(JobState::Started)),
            "stop" | "kill" => (plain.next_back(), Some(JobState::Stopped)),
            "logs" => (plain.next_back(), None),
            _ => return Vec::new(),
        };
        let Some(name) = name.filter(|n| !n.contains(['$', '*', '(']) && n.len() > 1) else { return Vec::new() };
        if state != Some(JobState::Started) && !self.open.iter().any(|o| o.job.name == name) {
            return Vec::new();
        }
        let job = self.entry(name, true);
        self.push_named(at, job, state);
        vec![job]
    }

    /// What the line sends to the background.
    fn started(&mut self, at: MessageIdx, message: &Message, run: &CommandRun) -> Vec<usize> {
        let by_tool =
            message.input("run_in_background") == Some("true") || message.input("is_background") == Some("true");
        let output = message.output();
        let id = id_of(output);
        let waits = run.parts.iter().any(|p| p.program == "wait");
        let works = |p: &&SimpleCommand| !IDLE.contains(&p.class.0.as_str()) && p.program != "cd";
        let sent: Vec<&SimpleCommand> = if by_tool || id.is_some() {
            run.parts.iter().filter(works).take(1).collect()
        } else {
            run.parts.iter().filter(|p| p.background && !waits).filter(works).collect()
        };
        let mut jobs = Vec::new();
        for part in sent {
            let Some(name) = name_of(part, &run.line) else { continue };
            let job = self.entry(&name, part.class.0 == "serve");
            let open = &mut self.open[job];
            open.logs.extend(part.writes.iter().filter(|w| !w.starts_with("/dev/")).cloned());
            open.logs.extend(log_of(output));
            open.ids.extend(id.clone());
            open.ports.extend(ports(part));
            self.push_named(at, job, Some(JobState::Started));
            jobs.push(job);
        }
        jobs
    }

    /// Jobs that a `kill` names, by a pattern of its own or inside the line.
    fn killed(&mut self, at: MessageIdx, part: &SimpleCommand, run: &CommandRun) {
        let patterns: Vec<&str> =
            part.args.iter().map(String::as_str).filter(|a| !a.starts_with('-') && a.len() > 3).collect();
        let evidence = self.session.cite_words(at, &part.program).unwrap_or_else(|| self.session.whole(at));
        for open in &mut self.open {
            let running = open.job.readings.last().is_some_and(|r| r.1 != JobState::Stopped);
            let named = patterns.iter().any(|p| open.job.name.contains(p) || p.contains(open.job.name.as_str()));
            if running
                && (named || run.line.contains(open.job.name.as_str()))
                && open.job.readings.last().is_some_and(|r| r.0 < at)
            {
                open.job.readings.push((at, JobState::Stopped, evidence.clone()));
            }
        }
    }

    /// The job started last whose log the line reads.
    fn by_log(&self, line: &str) -> Option<usize> {
        let reads = |o: &Open| o.logs.iter().any(|l| base_name(l).len() > 3 && line.contains(base_name(l)));
        let started = |o: &Open| o.job.readings.iter().rev().find(|r| r.1 == JobState::Started).map(|r| r.0);
        (0..self.open.len()).filter(|i| reads(&self.open[*i])).max_by_key(|i| (started(&self.open[*i]), *i))
    }

    /// A call that polls or stops a job by its id.
    fn poll(&mut self, at: MessageIdx, message: &Message) {
        let ids: Vec<&str> = ID_FIELDS.iter().filter_map(|f| message.input(f)).collect();
        let Some(job) =
            (0..self.open.len()).rev().find(|i| self.open[*i].ids.iter().any(|id| ids.contains(&id.as_str())))
        else {
            return;
        };
        if ends_a_job(message) {
            let evidence = self.session.whole(at);
            self.open[job].job.readings.push((at, JobState::Stopped, evidence));
        } else {
            self.output(at, message, job);
        }
    }

    /// Reads a job's state off an output that is about it.
    fn output(&mut self, at: MessageIdx, message: &Message, job: usize) {
        let Some(part) = message.part_at(PartKind::Output) else { return };
        let output = message.parts[part].text.as_str();
        let service = self.open[job].job.service;
        let mut read: Vec<(usize, JobState)> = Vec::new();
        read.extend(UNIT_STATE.captures_iter(output).last().filter(|_| service).map(unit_state));
        read.extend(PROGRESS.captures_iter(output).last().and_then(progress));
        read.extend(
            READY.find_iter(output).last().filter(|m| !denied(output, m.start())).map(|m| (m.start(), JobState::Ready)),
        );
        if !service {
            read.extend(ENDED.find_iter(output).last().map(|m| (m.start(), JobState::Stopped)));
        }
        read.extend(self.failed(at, output));
        read.sort_by_key(|r| r.0);
        for (place, state) in read {
            let line = line_at(output, place);
            let text = line.of(output).unwrap_or("");
            let start = line.start + text.len() - text.trim_start().len();
            if let Some(evidence) =
                self.session.cite(at, part, ByteSpan::new(start, line.start + text.trim_end().len()))
            {
                self.open[job].job.service |= state == JobState::Ready;
                self.open[job].job.readings.push((at, state, evidence));
            }
        }
    }

    /// A failure of the work that the message shows and that stands in its last lines.
    fn failed(&self, at: MessageIdx, output: &str) -> Option<(usize, JobState)> {
        let shown = self.facts.failures.iter().filter(|f| !f.tooling && f.seen.contains(&at));
        let place = shown.filter_map(|f| output.rfind(f.line.as_str())).max()?;
        (output[place..].lines().count() <= 3).then_some((place, JobState::Failed))
    }

    /// The job of a name, made on first sight.
    fn entry(&mut self, name: &str, service: bool) -> usize {
        if let Some(known) = self.open.iter().position(|o| o.job.name == name) {
            self.open[known].job.service |= service;
            return known;
        }
        let job = Job { name: name.to_string(), service, readings: Vec::new() };
        self.open.push(Open { job, logs: Vec::new(), ids: Vec::new(), ports: Vec::new() });
        self.open.len() - 1
    }

    fn push_named(&mut self, at: MessageIdx, job: usize, state: Option<JobState>) {
        let Some(state) = state else { return };
        let name = &self.open[job].job.name;
        let evidence = self.session.cite_words(at, name).unwrap_or_else(|| self.session.whole(at));
        self.open[job].job.readings.push((at, state, evidence));
    }
}

/// Port numbers among the arguments of a command.
fn ports(part: &SimpleCommand) -> Vec<String> {
    let found = part.args.iter().flat_map(|a| PORT.captures_iter(a));
    found.map(|c| c[1].to_string()).collect()
}

fn unit_state(found: regex::Captures) -> (usize, JobState) {
    let word = found.get(1).expect("the pattern has a group");
    let state = match word.as_str() {
        "active" | "activating" => JobState::Running,
        "failed" => JobState::Failed,
        _ => JobState::Stopped,
    };
    (word.start(), state)
}

fn progress(found: regex::Captures) -> Option<(usize, JobState)> {
    let (n, m): (u64, u64) = (found["n"].parse().ok()?, found["m"].parse().ok()?);
    (m >= 2 && n <= m).then_some((found.name("n")?.start(), JobState::Progress(n, m)))
}

/// Whether the words before a readiness sign deny it.
fn denied(output: &str, at: usize) -> bool {
    let line = line_at(output, at);
    let before = output.get(line.start..at).unwrap_or("").to_ascii_lowercase();
    ["not ", "waiting", "until", "n't ", "wait "].iter().any(|w| before.contains(w))
}

/// The name by which people know a command, as the line writes it: its script or module, a tool with its sub-command,
/// else the program.
fn name_of(part: &SimpleCommand, line: &str) -> Option<String> {
    let program = base_name(&part.program);
    let written = |name: &str| line.contains(name).then(|| name.to_string());
    let plain = |a: &&str| !a.starts_with('-') && !a.contains(char::is_whitespace);
    let args = || part.args.iter().map(String::as_str);
    if TOOLS.contains(&program)
        && let Some(sub) = args().find(plain)
    {
        return written(&format!("{program} {sub}")).or_else(|| written(program));
    }
    if !RUNNERS.contains(&program) && !program.starts_with("python") {
        return written(program);
    }
    let module = args().skip_while(|a| *a != "-m").nth(1);
    let is_script = |a: &&str| plain(a) && (a.contains('.') || a.contains('/'));
    let script = args().find(is_script).map(base_name);
    written(module.or(script).or_else(|| args().rfind(plain)).unwrap_or(program)).or_else(|| written(program))
}

/// Programs that run what their arguments name.
#[rustfmt::skip]
const RUNNERS: &[&str] = &["bash", "bun", "deno", "node", "npx", "perl", "poetry", "ruby", "sh", "torchrun", "tsx", "uv", "zsh"];

/// Programs known by their sub-command.
#[rustfmt::skip]
const TOOLS: &[&str] = &["cargo", "docker", "dotnet", "gh", "go", "gradle", "just", "kubectl", "make", "mise", "npm", "pnpm", "ray", "vllm", "yarn"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_from_words_like_them() {
        assert!(PROGRESS.is_match("shards:  36% Completed | 23/64 [10:08<18:02]"));
        assert!(!PROGRESS.is_match("a 3/4 turn"));
        assert!(READY.is_match("The server is fired up and ready to roll!"));
        assert!(!READY.is_match("the plan is ready"));
        assert!(ENDED.is_match("done, 0 errors"));
        assert!(!ENDED.is_match("not done"));
        assert!(UNIT_STATE.is_match("     Active: active (running) since today"));
        assert!(!UNIT_STATE.is_match("active users"));
        assert!(JOB_ID.is_match("Process running with session ID 412"));
        assert!(!JOB_ID.is_match("Session ID    Title"));
        assert!(PORT.is_match("http://localhost:8000/health"));
        assert!(!PORT.is_match("12:30"));
        assert!(SILENT.is_match("curl: (7) Connection refused"));
        assert!(!SILENT.is_match("{\"status\":\"ok\"}"));
        assert!(!JOB_LOG.is_match("written to disk"));
    }
}
