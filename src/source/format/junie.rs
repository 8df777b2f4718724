//! Events of JetBrains' Junie (`events.jsonl`): blocks that are updated until they are done, known by the id of their
//! step; the last state of each counts. Exit statuses are not in it.

use std::collections::HashMap;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Outcome, ToolKind, Usage},
    },
    source::{
        Parsed,
        exit_words::ending,
        fields::compact,
        frame::{Records, checked, json_lines},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        sections::Responses,
        seen::{Seen, at, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Junie;

lenient! {
    /// A line.
    struct Line<'a> {
        kind: Text<'a> = "kind",
        time: Number = "timestampMs",
        prompt: Any<Text<'a>> = "prompt",
        event: Any<Event<'a>> = "event",
    }
}

lenient! {
    /// An event.
    struct Event<'a> {
        agent: Block<'a> = "agentEvent",
        prompt: Any<Text<'a>> = "prompt",
    }
}

lenient! {
    /// A block, or what a response cost.
    struct Block<'a> {
        kind: Text<'a> = "kind",
        step: Text<'a> = "stepId",
        tool: Any<Text<'a>> = "toolType",
        text: Any<Text<'a>> = "text",
        details: Any<Text<'a>> = "details",
        command: Any<Text<'a>> = "command",
        output: Any<Text<'a>> = "output",
        status: Any<Text<'a>> = "status",
        result: Any<Text<'a>> = "result",
        files: Raw<'a> = "files",
        usage: List<Model<'a>> = "modelUsage",
    }
}

lenient! {
    /// Tokens of a model.
    struct Model<'a> {
        model: Text<'a> = "model",
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheInputTokens",
        cache_write: Number = "cacheCreateTokens",
        cost: Number = "cost",
    }
}

impl Format for Junie {
    fn name(&self) -> &'static str {
        "junie"
    }

    fn about(&self) -> &'static str {
        "events of JetBrains' Junie (`events.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Junie",
            versions: "2026",
            records: &[Recorded::Times, Recorded::Models, Recorded::Tokens, Recorded::Cost, Recorded::Failures],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, of) = seen.vote(|n| has(n, &["timestampMs"]) && at(n, &["event", "agentEvent", "kind"]).is_some());
        match own {
            0 => Sniff::No("no lines with `timestampMs` and `event.agentEvent.kind`".into()),
            own => Sniff::Yes(91, format!("{own} of {of} lines hold an event of the agent")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        let mut session = SessionBuilder::new(self.name());
        // Every session has a folder of its own.
        session.info.id = if input.stem() == "events" { input.folder_name() } else { input.stem() }.to_string();
        session.info.records_outcome = true;
        diagnostics.extend(std::mem::take(&mut loader.diagnostics));
        (session.accounting, session.diagnostics) = (std::mem::take(&mut loader.accounting), diagnostics);
        loader.tell(&mut session);
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

/// What was told, in order of its first record.
enum Told {
    Prompt(String),
    Said(String),
    Used { name: String, kind: ToolKind, input: Vec<Field>, output: Option<String>, status: String, last: Locator },
}

struct One {
    told: Told,
    step: Option<String>,
    place: Locator,
    time: Option<Timestamp>,
    ended: Option<Timestamp>,
    usage: Option<(Usage, Option<String>)>,
}

/// What stands for the step of a result, which has none.
const RESULT: &str = "result";

#[derive(Default)]
struct Loader {
    all: Vec<One>,
    by_step: HashMap<String, usize>,
    usage: Option<(Usage, Option<String>)>,
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut line: Line = serde_json::from_str(text)?;
        if checked(&line.stray, line.fault(), place, &mut self.diagnostics) {
            self.take(&mut line, place);
        } else {
            self.accounting.damaged();
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Loader {
    fn take(&mut self, line: &mut Line, place: Locator) {
        let time = line.time.get().and_then(Timestamp::from_number);
        let prompt = line.prompt.0.take().or_else(|| line.event.0.prompt.0.take());
        if let Some(prompt) = prompt.filter(|_| line.kind.get().is_some_and(|kind| kind.contains("User"))) {
            return self.add(Told::Prompt(prompt), None, time, place);
        }
        let block = &mut line.event.0.agent;
        let step = block.step.owned();
        let status = block.status.0.take().unwrap_or_default();
        let kind = block.kind.get().unwrap_or("(no kind)").to_string();
        let one = |name: &str, text: String| vec![Field { name: Some(name.to_string()), text, cut: None }];
        let told = match kind.as_str() {
            "LlmResponseMetadataEvent" => {
                self.usage = cost(&block.usage.items);
                return self.accounting.used();
            }
            "ResultBlockUpdatedEvent" => Told::Said(block.result.0.take().unwrap_or_default()),
            "TerminalBlockUpdatedEvent" => {
                let input = one("command", block.command.0.take().unwrap_or_default());
                let (name, output) = ("terminal".to_string(), block.output.0.take());
                Told::Used { name, kind: ToolKind::Shell, input, output, status, last: place }
            }
            "ToolBlockUpdatedEvent" => {
                let name = block.tool.0.take().unwrap_or_else(|| "tool".to_string());
                let (input, output) = (one("text", block.text.0.take().unwrap_or_default()), block.details.0.take());
                Told::Used { kind: kind_of(&name), name, input, output, status, last: place }
            }
            "ViewFilesBlockUpdatedEvent" => {
                let input = one("files", compact(block.files.map_or("", |raw| raw.get())));
                Told::Used { name: "viewFiles".into(), kind: ToolKind::Read, input, output: None, status, last: place }
            }
            "AgentPatchCreatedEvent" | "AgentCurrentStatusUpdatedEvent" => return self.accounting.skipped(&kind),
            _ => {
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                return self.accounting.unknown(&kind);
            }
        };
        // Results have no step of their own: the last one counts.
        let step = step.or_else(|| matches!(told, Told::Said(_)).then(|| RESULT.to_string()));
        self.add(told, step, time, place);
    }

    /// Adds what was told, or puts it in the place of an earlier state.
    fn add(&mut self, told: Told, step: Option<String>, time: Option<Timestamp>, place: Locator) {
        if matches!(told, Told::Prompt(_)) {
            self.by_step.remove(RESULT);
        }
        self.accounting.used();
        let usage = self.usage.take();
        if let Some(at) = step.as_ref().and_then(|step| self.by_step.get(step)) {
            let known = &mut self.all[*at];
            (known.told, known.ended) = (told, time);
            known.usage = known.usage.take().or(usage);
            return;
        }
        if let Some(step) = &step {
            self.by_step.insert(step.clone(), self.all.len());
        }
        self.all.push(One { told, step, place, time, ended: time, usage });
    }

    fn tell(self, session: &mut SessionBuilder) {
        let mut responses = Responses::default();
        for one in self.all {
            let (usage, model) = one.usage.map_or((None, None), |(usage, model)| (Some(usage), model));
            let step = one.step.filter(|step| step != RESULT);
            let ids = Aliases { part: step, ..Default::default() };
            let origin = Origin { ids, time: one.time, place: one.place, usage, model, ..Default::default() };
            match one.told {
                Told::Prompt(text) => {
                    responses.user();
                    session.user(Origin { usage: None, ..origin }, text);
                }
                Told::Said(text) => session.text(Origin { turn: responses.text(), ..origin }, text),
                Told::Used { name, kind, input, output, status, last } => {
                    session.call(Origin { turn: responses.call(), ..origin }, &name, kind, input);
                    let (words, exit) = ending(output.as_deref().unwrap_or_default());
                    let outcome = match status.as_str() {
                        "COMPLETED" => Outcome::Ok,
                        "FAILED" | "ERROR" => Outcome::Failed,
                        "CANCELLED" | "CANCELED" => Outcome::Interrupted,
                        _ => words,
                    };
                    if output.is_some() || outcome != Outcome::NotRecorded {
                        let result = ResultOf::new(output.unwrap_or_default(), last).ended((outcome, exit));
                        session.result_of_last(ResultOf { time: one.ended, ..result });
                    }
                }
            }
        }
    }
}

/// Tokens and cost of a response over all models that had a part in it, and the one that wrote most.
fn cost(models: &[Model]) -> Option<(Usage, Option<String>)> {
    let mut sum = Usage::default();
    for model in models {
        sum.add(&Usage {
            input: model.input.count(),
            output: model.output.count(),
            cache_read: model.cache_read.count(),
            cache_write: model.cache_write.count(),
            reasoning: None,
            cost: model.cost.get(),
        });
    }
    let first = models.iter().max_by_key(|model| model.output.count());
    (!sum.is_empty()).then(|| (sum, first.and_then(|model| model.model.owned())))
}
