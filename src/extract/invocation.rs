//! What a command line runs that prints something of its own: the script or program, what it works on, its settings.

use crate::{
    base::path::base_name,
    model::command::{Invocation, Setting, SimpleCommand, Times},
};

/// Classes of commands that print what stands elsewhere, or nothing.
const BYSTANDERS: &[&str] = &[
    "copy",
    "diff",
    "help",
    "list",
    "log-read",
    "noop",
    "poll",
    "read",
    "search",
    "time",
    "vcs-read",
    "wait",
    "web",
    "write-heredoc",
];

/// Classes of commands that measure.
const MEASURING: &[&str] = &["eval-bench", "load-bench", "microbench"];

/// Classes of commands that look at the state of the machine.
const LOOKING: &[&str] = &["cluster-read", "hw-query", "http-probe", "kernel-log", "net-query"];

/// Endings of scripts that are named on a command line.
const SCRIPTS: &[&str] = &[".js", ".mjs", ".pl", ".py", ".rb", ".sh", ".ts"];

/// Programs of which the first plain word says what they do.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: &[&str] = &[
    "bun", "cargo", "deno", "dotnet", "go", "gradle", "gradlew", "just", "make", "mise", "mix", "mvn", "node", "npm",
    "perf", "pnpm", "poetry", "swift", "task", "uv", "yarn",
];

/// Sub-commands of which the next word says what is run: `npm run test:ci`.
const RUNNING: &[&str] = &["run", "run-script"];

/// Words of a line that repeat what they stand around.
const LOOPS: &[&str] = &["for", "while", "until", "xargs", "parallel", "watch"];

/// Of a command line as a whole; `None` where all of it only shows what stands elsewhere.
pub fn of(line: &str, parts: &[SimpleCommand]) -> Option<Invocation> {
    // A copy by `dd` prints how fast it was.
    let prints = |p: &&SimpleCommand| p.program == "dd" || !BYSTANDERS.contains(&p.class.0.as_str());
    let own: Vec<&SimpleCommand> = parts.iter().filter(prints).collect();
    // The last benchmark or script is what the line is for: what stands before it prepares, what follows looks at it.
    let last = |fits: &dyn Fn(&SimpleCommand) -> bool| own.iter().rev().find(|p| fits(p));
    let part = last(&|p| MEASURING.contains(&p.class.0.as_str()))
        .or_else(|| last(&|p| is_script(&p.program) || script(p).is_some()))
        .or_else(|| last(&|p| !LOOKING.contains(&p.class.0.as_str())))
        .or(own.last())?;
    let (by, first) = called(part);
    let mut found = Invocation { by, on: part.on.clone(), ..Invocation::default() };
    let exports = parts.iter().filter(|p| matches!(p.program.as_str(), "export" | "set" | "env"));
    let exported = exports.flat_map(|p| p.args.iter().filter_map(|a| assignment(a)));
    found.settings.extend(exported);
    found
        .settings
        .extend(part.env.iter().map(|(name, value)| Setting { name: name.clone(), value: Some(value.clone()) }));
    read_arguments(&part.args[first..], &mut found);
    found.times = times(line, own.iter().filter(|p| called(p).0 == found.by).count());
    Some(found)
}

/// `for i in 1 2 3; do x; done` repeats x, unless what it runs over is used.
fn times(line: &str, calls: usize) -> Times {
    let words: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    if calls > 1 || !words.iter().any(|word| LOOPS.contains(word)) {
        return if calls > 1 { Times::Varied } else { Times::Once };
    }
    let variables = words.windows(2).filter(|w| w[0] == "for").map(|w| w[1]);
    let mut used =
        variables.clone().filter(|name| line.contains(&format!("${name}")) || line.contains(&format!("${{{name}")));
    let counted = variables.count() > 0 && words.iter().all(|word| !LOOPS.contains(word) || *word == "for");
    if counted && used.next().is_none() { Times::Repeated } else { Times::Varied }
}

/// The script that a command runs: its position among the arguments.
fn script(part: &SimpleCommand) -> Option<usize> {
    part.args.iter().position(|a| is_script(a))
}

fn is_script(word: &str) -> bool {
    SCRIPTS.iter().any(|end| word.ends_with(end)) && !word.starts_with('-')
}

/// What is called, and where its own arguments begin.
fn called(part: &SimpleCommand) -> (String, usize) {
    named(&part.program, &part.args)
}

/// What a program with its arguments calls, and where its own arguments begin.
pub fn named(program: &str, args: &[String]) -> (String, usize) {
    if let Some(at) = args.iter().position(|a| is_script(a)).filter(|_| !is_script(program)) {
        return (base_name(&args[at]).to_string(), at + 1);
    }
    if let Some(at) = args.iter().position(|a| a == "-m").filter(|_| program.starts_with("python")) {
        return args.get(at + 1).map_or((program.to_string(), at), |module| (module.clone(), at + 2));
    }
    let plain = |a: &String| !a.starts_with(['-', '+']) && !a.contains(['=', '/', '.']);
    let Some(at) = args.iter().position(plain).filter(|at| *at <= 1 && WITH_SUBCOMMANDS.contains(&program)) else {
        return (program.to_string(), 0);
    };
    let runs = args.get(at + 1).filter(|next| RUNNING.contains(&args[at].as_str()) && plain(next));
    match runs {
        Some(task) => (format!("{program} {} {task}", args[at]), at + 2),
        None => (format!("{program} {}", args[at]), at + 1),
    }
}

fn read_arguments(args: &[String], found: &mut Invocation) {
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        if arg == "--" {
            continue;
        }
        if let Some(setting) = arg.strip_prefix('-').and_then(|_| glued(arg)) {
            found.settings.push(setting);
        } else if arg.starts_with('-') && arg.len() > 1 {
            let value = args.next_if(|next| is_value_of(arg, next)).cloned();
            found.settings.push(Setting { name: arg.clone(), value });
        } else if let Some(setting) = assignment(arg) {
            found.settings.push(setting);
        } else {
            found.operands.push(arg.clone());
        }
    }
}

/// `--chunk=64`, `-c100`, `-t4`: name and value in one word.
fn glued(arg: &str) -> Option<Setting> {
    let setting = |name: &str, value: &str| Some(Setting { name: name.to_string(), value: Some(value.to_string()) });
    if let Some((name, value)) = arg.split_once('=') {
        return setting(name, value);
    }
    let mut chars = arg[1..].chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str();
    rest.starts_with(|c: char| c.is_ascii_digit()).then(|| setting(&arg[..1 + letter.len_utf8()], rest))?
}

/// Whether the word behind a flag is its value. Behind a letter only a number is: `-v file` may be a switch. Words
/// behind one dash (`-bench X`) take a word, but no path.
fn is_value_of(flag: &str, next: &str) -> bool {
    let number = next.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    match flag.trim_start_matches('-').len() {
        _ if flag.starts_with("--") => number || !next.starts_with('-'),
        1 => number && !next.contains('/'),
        _ => number || !next.starts_with('-') && !next.contains('/'),
    }
}

/// `NAME=value`, `bs=1M`; not `a==b` or an address.
fn assignment(word: &str) -> Option<Setting> {
    let (name, value) = word.split_once('=')?;
    let named = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (named && begins && !value.is_empty() && !value.starts_with('='))
        .then(|| Setting { name: name.to_string(), value: Some(value.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::commands::parts;

    fn told(line: &str) -> String {
        let Some(found) = of(line, &parts(line)) else { return "nothing".into() };
        let settings: Vec<String> = found.settings.iter().map(Setting::written).collect();
        let more = match found.times {
            Times::Once => "",
            Times::Repeated => " repeated",
            Times::Varied => " varied",
        };
        format!("{} [{}] [{}]{more}", found.by, found.operands.join(" "), settings.join(" "))
    }

    #[test]
    fn what_runs_and_with_which_settings() {
        for (line, expected) in [
            (
                "cd /x && OMP_NUM_THREADS=4 python bench.py small --n=64 --fast | tail",
                "bench.py [small] [OMP_NUM_THREADS=4 --n 64 --fast]",
            ),
            ("wrk -t4 -c 100 -d30s http://h/a", "wrk [http://h/a] [-t 4 -c 100 -d 30s]"),
            ("dd if=/dev/zero of=x bs=1M count=10", "dd [] [if=/dev/zero of=x bs=1M count=10]"),
            ("cargo bench --bench decode -- big", "cargo bench [big] [--bench decode]"),
            ("export A=1; ./run.sh", "run.sh [] [A=1]"),
            ("for n in 1 2; do python b.py --n $n; done", "b.py [] [--n $n] varied"),
            ("go test -run '^$' -bench 'Run' ./x", "go test [./x] [-run ^$ -bench Run]"),
            ("for i in 1 2 3; do ./b.sh | grep ms; done", "b.sh [] [] repeated"),
            ("./b.sh a; ./b.sh b", "b.sh [b] [] varied"),
            ("G=0.5 ./bench.sh /a /b; ps -o rss= -p 3 | awk '{print}'", "bench.sh [/a /b] [G=0.5]"),
            ("cat results.txt", "nothing"),
            ("git log -3 && ls", "nothing"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
