//! A command line taken apart as a shell would: simple commands in order, wrappers peeled, here-documents kept apart.
//!
//! It reads what was typed, it does not evaluate: variables stay as written, branches of an `if` all count, a line that
//! the log cuts off is read as far as it goes.

mod lex;
mod peel;

use lex::{Op, RawCommand};

/// A simple command, wrappers peeled, not yet classified.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Simple {
    /// Base name of the program.
    pub program: String,
    /// Arguments, unquoted.
    pub args: Vec<String>,
    /// Where wrappers sent it, outermost first.
    pub on: Vec<String>,
    /// Environment set on the line.
    pub env: Vec<(String, String)>,
    /// Files that its output is redirected into.
    pub writes: Vec<String>,
    /// Text of its here-document or here-string.
    pub stdin: Option<String>,
    /// Reads the output of the command before it.
    pub piped: bool,
    /// Runs in the background.
    pub background: bool,
    /// Its exit status decides nothing.
    pub status_hidden: bool,
}

/// Deepest nesting of `bash -c` in `ssh` in `$( … )` that is followed.
const DEPTH: usize = 6;

/// The simple commands of a line, in order.
pub fn commands(line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    read_line(line, &Simple::default(), 0, &mut found);
    found
}

/// Reads a line that runs under `outer` (its place, background, hidden status) and appends its commands.
fn read_line(line: &str, outer: &Simple, depth: usize, found: &mut Vec<Simple>) {
    if depth > DEPTH {
        return;
    }
    let raw = lex::raw_commands(line);
    let options = ShellOptions::of(&raw);
    for (i, command) in raw.iter().enumerate() {
        let background = outer.background || command.op == Op::Background;
        let status_hidden = outer.status_hidden || hides_status(&raw[i..], options);
        let piped = i > 0 && raw[i - 1].op == Op::Pipe;
        let simple = Simple { piped, background, status_hidden, ..outer.clone() };
        peel::unwrap(command, simple, depth, found);
    }
}

/// `set -e` and `set -o pipefail` change which statuses decide.
#[derive(Clone, Copy, Default)]
struct ShellOptions {
    exits_on_error: bool,
    pipefail: bool,
}

impl ShellOptions {
    fn of(raw: &[RawCommand]) -> Self {
        let sets: Vec<&RawCommand> = raw.iter().filter(|c| c.words.first().is_some_and(|w| w == "set")).collect();
        let has = |test: &dyn Fn(&str) -> bool| sets.iter().any(|c| c.words[1..].iter().any(|w| test(w)));
        Self {
            exits_on_error: has(&|w| w.starts_with('-') && !w.starts_with("--") && w.contains('e')),
            pipefail: has(&|w| w == "pipefail"),
        }
    }
}

/// Whether the exit status of the first of these commands is lost to what follows it on the line.
fn hides_status(rest: &[RawCommand], options: ShellOptions) -> bool {
    let mut in_own_pipe = true;
    for (i, command) in rest.iter().enumerate() {
        let more = i + 1 < rest.len();
        match command.op {
            Op::Pipe if in_own_pipe && more && !options.pipefail => return true,
            Op::Pipe => {}
            Op::And => in_own_pipe = false,
            Op::Or | Op::Background => return more || command.op == Op::Background,
            Op::Sequence => return more && !options.exits_on_error,
            Op::End => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(line: &str) -> Vec<String> {
        commands(line).into_iter().map(|c| c.program).collect()
    }

    #[test]
    fn quotes_hold_operators_together() {
        assert_eq!(programs(r#"echo "a && b; c" && ls | wc -l"#), ["echo", "ls", "wc"]);
        assert_eq!(programs("grep -n 'x | y' f; cat g"), ["grep", "cat"]);
    }

    #[test]
    fn wrappers_are_peeled_repeatedly() {
        assert_eq!(programs("sudo -u root env A=1 timeout -k 5 60 nice -n 10 stdbuf -oL pytest -q"), ["pytest"]);
        assert_eq!(
            programs("ssh -p 22 gpu1 'cd /srv && docker exec -it web bash -lc \"pytest -q | tail -3\"'"),
            ["cd", "pytest", "tail"]
        );
        assert_eq!(commands("ssh gpu1 'docker exec web ls'")[0].on, ["gpu1", "web"]);
        assert_eq!(programs("uv run --with rich python -m pytest tests"), ["pytest"]);
    }

    #[test]
    fn heredocs_are_no_commands() {
        let found = commands("cat > a.py <<'EOF'\nimport os; rm -rf /\nEOF\npython a.py");
        assert_eq!(found.iter().map(|c| c.program.as_str()).collect::<Vec<_>>(), ["cat", "python"]);
        assert_eq!(found[0].writes, ["a.py"]);
        assert_eq!(found[0].stdin.as_deref(), Some("import os; rm -rf /\n"));
    }

    #[test]
    fn hidden_statuses() {
        let hidden = |line: &str| commands(line).iter().map(|c| c.status_hidden).collect::<Vec<_>>();
        assert_eq!(hidden("pytest | tail -3"), [true, false]);
        assert_eq!(hidden("cargo build && cargo test"), [false, false]);
        assert_eq!(hidden("cargo build && cargo test | tail"), [false, true, false]);
        assert_eq!(hidden("pytest; echo done"), [true, false]);
        assert_eq!(hidden("pytest || true"), [true, false]);
        assert_eq!(hidden("set -eo pipefail; pytest | tail; ls"), [false, false, false, false]);
    }

    #[test]
    fn assignments_and_substitutions() {
        let found = commands("CUDA=0 X=$(git rev-parse HEAD) python t.py");
        assert_eq!(found[0].env.len(), 2);
        assert_eq!(programs("ID=$(docker ps -q)"), ["docker"]);
    }

    #[test]
    fn any_text_is_survived() {
        for line in ["'", "\"$(", "<<", "a <<EOF\nb", "((((", "&&&&||;;", "\\", "$(`", "ssh", "bash -c", "é>é<é"] {
            commands(line);
        }
    }
}
