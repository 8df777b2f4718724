//! Where agents keep their logs. One row an agent and place; every place that exists is searched, whatever the system,
//! since folders are shared between systems (WSL, containers, synchronised homes).
#![allow(clippy::disallowed_methods, reason = "lists folders; files are opened by Input")]

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Where a row begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A folder that an environment variable names.
    Env(&'static str),
    /// The home folder.
    Home,
    /// `$XDG_DATA_HOME`, else `~/.local/share`.
    Data,
    /// `$XDG_CONFIG_HOME`, else `~/.config`; `~/Library/Application Support`; `%APPDATA%`: where editors keep what
    /// belongs to the user.
    Editor,
    /// `~/Library/Application Support` (macOS).
    Library,
    /// `%APPDATA%` (Windows).
    Roaming,
    /// `%LOCALAPPDATA%` (Windows).
    Local,
    /// The working directory and the folders above it.
    Project,
}

/// Logs of one agent at one place.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// The agent, as its makers spell it.
    pub agent: &'static str,
    /// Where the path begins.
    pub base: Base,
    /// Folder below it; "" for the base itself.
    pub folder: &'static str,
    /// Patterns of files below that; `**` crosses folders, `*` does not.
    pub files: &'static [&'static str],
}

const fn row(agent: &'static str, base: Base, folder: &'static str, files: &'static [&'static str]) -> Store {
    Store { agent, base, folder, files }
}

const CLAUDE: &[&str] = &["projects/**/*.jsonl"];
const CODEX: &[&str] = &["sessions/**/rollout-*.jsonl*", "archived_sessions/**/rollout-*.jsonl*"];
const OPENCODE: &[&str] = &["opencode*.db", "storage/session/**/*.json", "project/*/storage/session/info/*.json"];
const GEMINI: &[&str] = &["tmp/*/chats/**/session-*.json*", "tmp/*/chats/**/*.jsonl"];
const PI: &[&str] = &["sessions/**/*.jsonl"];
const TASKS: &[&str] = &["User/globalStorage/*/tasks/*/api_conversation_history.json"];
const CHATS: &[&str] =
    &["User/workspaceStorage/*/chatSessions/*.json*", "User/globalStorage/emptyWindowChatSessions/*.json*"];
const CURSOR: &[&str] = &["User/globalStorage/state.vscdb"];
const GOOSE: &[&str] = &["sessions.db", "*.jsonl"];

/// All places. An agent's environment variable stands before its default, which is searched too: a log written before
/// the variable was set is no less a log.
#[rustfmt::skip]
pub const STORES: &[Store] = &[
    row("Claude Code",    Base::Env("CLAUDE_CONFIG_DIR"),  "",                    CLAUDE),
    row("Claude Code",    Base::Home,                      ".claude",             CLAUDE),
    row("Claude Code",    Base::Editor,                    "claude",              CLAUDE),
    row("Codex CLI",      Base::Env("CODEX_HOME"),         "",                    CODEX),
    row("Codex CLI",      Base::Home,                      ".codex",              CODEX),
    row("opencode",       Base::Env("OPENCODE_DB"),        "",                    &["opencode*.db"]),
    row("opencode",       Base::Data,                      "opencode",            OPENCODE),
    row("opencode",       Base::Local,                     "opencode",            OPENCODE),
    row("opencode",       Base::Roaming,                   "opencode",            OPENCODE),
    row("Gemini CLI",     Base::Env("GEMINI_CLI_HOME"),    ".gemini",             GEMINI),
    row("Gemini CLI",     Base::Home,                      ".gemini",             GEMINI),
    row("Qwen Code",      Base::Home,                      ".qwen",               &["projects/*/chats/*.jsonl", "tmp/*/chats/*.json*"]),
    row("Copilot CLI",    Base::Home,                      ".copilot",            &["session-state/*/events.jsonl", "session-state/*.jsonl", "history-session-state/*.json*"]),
    row("VS Code Copilot", Base::Editor,                   "Code",                CHATS),
    row("VS Code Copilot", Base::Editor,                   "Code - Insiders",     CHATS),
    row("VS Code Copilot", Base::Editor,                   "VSCodium",            CHATS),
    row("VS Code Copilot", Base::Home,                     ".vscode-server/data", CHATS),
    row("Cline family",   Base::Editor,                    "Code",                TASKS),
    row("Cline family",   Base::Editor,                    "Code - Insiders",     TASKS),
    row("Cline family",   Base::Editor,                    "VSCodium",            TASKS),
    row("Cline family",   Base::Editor,                    "Cursor",              TASKS),
    row("Cline family",   Base::Editor,                    "Windsurf",            TASKS),
    row("Cline family",   Base::Home,                      ".vscode-server/data", TASKS),
    row("Cline",          Base::Home,                      ".cline/data",         &["tasks/*/api_conversation_history.json", "sessions/*/*.messages.json"]),
    row("Cursor",         Base::Editor,                    "Cursor",              CURSOR),
    row("pi",             Base::Env("PI_CODING_AGENT_SESSION_DIR"), "",           &["**/*.jsonl"]),
    row("pi",             Base::Env("PI_CODING_AGENT_DIR"), "",                   PI),
    row("pi",             Base::Home,                      ".pi/agent",           PI),
    row("oh-my-pi",       Base::Home,                      ".omp/agent",          PI),
    row("pi",             Base::Home,                      ".prime/agent",        PI),
    row("OpenClaw",       Base::Home,                      ".openclaw",           &["agents/*/sessions/*.jsonl"]),
    row("Kimi CLI",       Base::Env("KIMI_SHARE_DIR"),     "",                    &["sessions/*/*/wire.jsonl", "sessions/*/*/context.jsonl"]),
    row("Kimi CLI",       Base::Home,                      ".kimi",               &["sessions/*/*/wire.jsonl", "sessions/*/*/context.jsonl"]),
    row("Kimi Code",      Base::Home,                      ".kimi-code",          &["sessions/*/*/agents/*/wire.jsonl"]),
    row("OpenHands",      Base::Home,                      ".openhands",          &["sessions/*/events/*.json", "conversations/*/events/*.json"]),
    row("OpenHands",      Base::Home,                      ".openhands-state",    &["sessions/*/events/*.json"]),
    row("Goose",          Base::Env("GOOSE_PATH_ROOT"),    "data/sessions",       GOOSE),
    row("Goose",          Base::Data,                      "goose/sessions",      GOOSE),
    row("Goose",          Base::Roaming,                   "Block/goose/data/sessions", GOOSE),
    row("Crush",          Base::Project,                   ".crush",              &["crush.db"]),
    row("Factory Droid",  Base::Home,                      ".factory",            &["sessions/**/*.jsonl"]),
    row("Amp",            Base::Data,                      "amp",                 &["threads/T-*.json"]),
    row("iFlow",          Base::Home,                      ".iflow",              &["projects/*/session-*.jsonl"]),
    row("Continue",       Base::Home,                      ".continue",           &["sessions/*-*.json"]),
    row("Zed",            Base::Data,                      "zed/threads",         &["threads.db"]),
    row("Zed",            Base::Library,                   "Zed/threads",         &["threads.db"]),
    row("Kiro CLI",       Base::Data,                      "kiro-cli",            &["data.sqlite3"]),
    row("Amazon Q CLI",   Base::Data,                      "amazon-q",            &["data.sqlite3"]),
    row("Junie",          Base::Home,                      ".junie",              &["sessions/*/events.jsonl"]),
    row("Devin CLI",      Base::Data,                      "devin/cli",           &["transcripts/*.json"]),
    row("SpecStory",      Base::Project,                   ".specstory",          &["history/*.md"]),
    row("Aider",          Base::Project,                   "",                    &[".aider.chat.history.md"]),
];

/// What the table is resolved against; filled by the program, which alone reads the environment.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The working directory.
    pub working: Option<PathBuf>,
    /// Environment variables that the table names, as far as they are set and not empty.
    pub variables: Vec<(&'static str, PathBuf)>,
}

/// Variables that [`Surroundings::variables`] is filled with, besides those of the table.
pub const VARIABLES: &[&str] = &["XDG_DATA_HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"];

impl Surroundings {
    fn variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, path)| path.clone())
    }

    /// Folders that a base stands for.
    fn folders(&self, base: Base) -> Vec<PathBuf> {
        let home = |below: &str| self.home.as_ref().map(|home| home.join(below));
        let found = match base {
            Base::Env(name) => vec![self.variable(name)],
            Base::Home => vec![self.home.clone()],
            Base::Data => vec![self.variable("XDG_DATA_HOME"), home(".local/share")],
            Base::Editor => vec![
                self.variable("XDG_CONFIG_HOME"),
                home(".config"),
                home("Library/Application Support"),
                self.variable("APPDATA"),
            ],
            Base::Library => vec![home("Library/Application Support")],
            Base::Roaming => vec![self.variable("APPDATA")],
            Base::Local => vec![self.variable("LOCALAPPDATA")],
            Base::Project => {
                let mut up: Vec<_> = self.working.iter().flat_map(|w| w.ancestors()).collect();
                // What lies directly in the home folder or above it is no project's.
                up.retain(|folder| self.home.as_ref().is_none_or(|home| !home.starts_with(folder)));
                up.into_iter().map(|folder| Some(folder.to_path_buf())).collect()
            }
        };
        found.into_iter().flatten().collect()
    }
}

/// Files of the stores that exist, with the agent whose place they lie in: sorted by path, each once.
pub fn files(around: &Surroundings) -> Vec<(PathBuf, &'static str)> {
    let mut found: Vec<(PathBuf, &'static str)> = Vec::new();
    for store in STORES {
        for base in around.folders(store.base) {
            let root = if store.folder.is_empty() { base } else { base.join(store.folder) };
            // A variable may name the file itself.
            if root.is_file() {
                found.push((root, store.agent));
                continue;
            }
            let wanted = patterns(store.files);
            let depth = deepest(store.files);
            found.extend(below(&root, &wanted, depth).into_iter().map(|path| (path, store.agent)));
        }
    }
    found.sort();
    found.dedup_by(|a, b| a.0 == b.0);
    // A log that lies there plain and compressed is one log.
    let plain: std::collections::BTreeSet<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
    found.retain(|(path, _)| path.extension().is_none_or(|e| e != "zst") || !plain.contains(&path.with_extension("")));
    found
}

fn patterns(globs: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().expect("the table holds patterns"));
    }
    set.build().expect("the table holds patterns")
}

/// How deep a walk for these patterns must go; `None` without a limit.
fn deepest(globs: &[&str]) -> Option<usize> {
    globs
        .iter()
        .map(|glob| (!glob.contains("**")).then(|| glob.split('/').count()))
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .max()
}

fn below(root: &Path, wanted: &GlobSet, depth: Option<usize>) -> Vec<PathBuf> {
    if !root.is_dir() {
        return Vec::new();
    }
    let walk = ignore::WalkBuilder::new(root).standard_filters(false).follow_links(false).max_depth(depth).build();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.strip_prefix(root).is_ok_and(|relative| wanted.is_match(relative)))
        .filter(|path| std::fs::metadata(path).is_ok_and(|meta| meta.len() > 0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_found_where_agents_keep_them() {
        let home = tempfile::tempdir().expect("a folder");
        let make = |path: &str| {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(&path, "{}").expect("written");
        };
        make(".claude/projects/-w/0b.jsonl");
        make(".claude/projects/-w/0b/subagents/agent-1.jsonl");
        make(".claude/history.jsonl");
        make(".codex/sessions/2026/01/02/rollout-x.jsonl");
        make(".codex/sessions/2026/01/02/rollout-x.jsonl.zst");
        make(".codex/sessions/2026/01/02/rollout-y.jsonl.zst");
        make("elsewhere/opencode.db");
        make("Library/Application Support/Code/User/globalStorage/a.b/tasks/1/api_conversation_history.json");
        make("p/q/.aider.chat.history.md");
        let around = Surroundings {
            home: Some(home.path().to_path_buf()),
            working: Some(home.path().join("p/q/r")),
            variables: vec![("OPENCODE_DB", home.path().join("elsewhere/opencode.db"))],
        };
        let found = files(&around);
        let names: Vec<(String, &str)> = found
            .iter()
            .map(|(path, agent)| (path.file_name().expect("a name").to_string_lossy().into_owned(), *agent))
            .collect();
        let want = [
            ("0b.jsonl", "Claude Code"),
            ("agent-1.jsonl", "Claude Code"),
            ("rollout-x.jsonl", "Codex CLI"),
            ("rollout-y.jsonl.zst", "Codex CLI"),
            ("api_conversation_history.json", "Cline family"),
            ("opencode.db", "opencode"),
            (".aider.chat.history.md", "Aider"),
        ];
        assert_eq!(names.len(), want.len(), "{names:?}");
        assert!(want.iter().all(|(name, agent)| names.contains(&(name.to_string(), agent))), "{names:?}");
    }
}
