//! `wire.jsonl` of Kimi CLI and of Kimi Code: what happened in a session, event by event. The two share the file's name
//! and its first line; each event of Kimi CLI is wrapped in a `message`, those of Kimi Code stand bare.

use super::{cli::Cli, code::Code};
use crate::{
    base::{diag::Diagnostics, error::Error},
    source::{
        Parsed,
        format::{Card, Format, Recorded},
        frame::json_lines,
        open::Input,
        seen::{Seen, Texts, at, has, text},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct KimiWire;

impl Format for KimiWire {
    fn name(&self) -> &'static str {
        "kimi-wire"
    }

    fn about(&self) -> &'static str {
        "sessions of Kimi CLI and Kimi Code (`wire.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Kimi CLI, Kimi Code",
            versions: "protocol 1.1 to 1.10",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (cli, lines) = seen.vote(|line| is_cli(line) || is_metadata(line));
        let (code, _) = seen.vote(|line| is_code(line) || is_metadata(line));
        let events = seen.vote(|line| is_cli(line) || is_code(line)).0;
        match cli.max(code) {
            0 => Sniff::No("no event of Kimi CLI or Kimi Code".into()),
            own if own * 2 >= lines && events > 0 => {
                Sniff::Yes(92, format!("{own} of {lines} sampled lines are its events"))
            }
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its events")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let sample = input.sample()?;
        let texts = Texts::of(&sample);
        let seen = Seen::new(&sample, &texts);
        let is_cli = seen.vote(is_cli).0 > seen.vote(is_code).0;
        let mut diagnostics = Diagnostics::default();
        let (session, unread) = match is_cli {
            true => {
                let mut cli = Cli::default();
                json_lines(input, &mut diagnostics, &mut cli)?;
                (cli.finish(self.name(), input), diagnostics)
            }
            false => {
                let mut code = Code::default();
                json_lines(input, &mut diagnostics, &mut code)?;
                (code.finish(self.name(), input), diagnostics)
            }
        };
        let mut session = session;
        session.diagnostics.extend(unread);
        Ok(Parsed { sessions: vec![session], ..Parsed::default() })
    }
}

fn is_metadata(line: &Node) -> bool {
    text(line, "type") == "metadata" && line.get("protocol_version").is_some()
}

fn is_cli(line: &Node) -> bool {
    has(line, &["timestamp"]) && at(line, &["message", "type"]).is_some() && at(line, &["message", "payload"]).is_some()
}

fn is_code(line: &Node) -> bool {
    let kind = text(line, "type");
    has(line, &["time"])
        && ["context.", "turn.", "usage.record", "config.", "llm.", "tools."].iter().any(|w| kind.starts_with(w))
}

/// Name of the session's folder, where the file has the name that it has in all of them.
pub fn session_name(input: &Input) -> Option<String> {
    let named = matches!(input.file_name(), "context.jsonl" | "wire.jsonl");
    named.then(|| input.folder_name().to_string()).filter(|name| !name.is_empty())
}
