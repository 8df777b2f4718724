//! OpenTelemetry spans of generative models as OTLP writes them in JSON (`resourceSpans`), one export a line or one
//! document: what Copilot in Visual Studio writes, and other programs that keep to the `gen_ai` conventions. Spans stand
//! in the order in which they were exported; whether prompts and results are in them is a choice of the program. A chat
//! span repeats all messages before it.

use std::collections::{BTreeMap, HashSet};

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, time::Timestamp},
    model::{
        accounting::Accounting,
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, NoticeKind, Outcome, Usage},
        session::Session,
    },
    source::{
        Parsed,
        document::Source,
        exit_words::ending,
        fields::{compact, fields},
        frame::{Records, checked, json_lines},
        json::closed,
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Otel;

lenient! {
    /// An export.
    struct Export<'a> { resources: List<Resource<'a>> = "resourceSpans" }
}

lenient! {
    /// Spans of one program.
    struct Resource<'a> {
        resource: Any<Named<'a>> = "resource",
        scopes: List<Scope<'a>> = "scopeSpans",
    }
}

lenient! {
    /// The program.
    struct Named<'a> { attributes: List<Attribute<'a>> = "attributes" }
}

lenient! {
    /// Spans of one library.
    struct Scope<'a> { spans: List<Span<'a>> = "spans" }
}

lenient! {
    /// A span.
    struct Span<'a> {
        trace: Text<'a> = "traceId",
        id: Text<'a> = "spanId",
        name: Text<'a> = "name",
        start: Any<Number> = "startTimeUnixNano",
        end: Any<Number> = "endTimeUnixNano",
        status: Any<Status<'a>> = "status",
        attributes: List<Attribute<'a>> = "attributes",
    }
}

lenient! {
    /// How a span ended: 1 well, 2 with an error.
    struct Status<'a> {
        code: Raw<'a> = "code",
        message: Any<Text<'a>> = "message",
    }
}

lenient! {
    /// An attribute.
    struct Attribute<'a> {
        key: Text<'a> = "key",
        value: Any<Of<'a>> = "value",
    }
}

lenient! {
    /// Its value.
    struct Of<'a> {
        text: Text<'a> = "stringValue",
        whole: Any<Number> = "intValue",
        number: Any<Number> = "doubleValue",
        flag: Flag = "boolValue",
        list: Raw<'a> = "arrayValue",
    }
}

lenient! {
    /// A message in an attribute.
    struct Message<'a> {
        role: Text<'a> = "role",
        parts: List<Part<'a>> = "parts",
        content: Any<Text<'a>> = "content",
    }
}

lenient! {
    /// A part of a message.
    struct Part<'a> {
        kind: Text<'a> = "type",
        content: Any<Text<'a>> = "content",
        id: Any<Text<'a>> = "id",
        name: Any<Text<'a>> = "name",
        arguments: Raw<'a> = "arguments",
        response: Raw<'a> = "response",
        result: Raw<'a> = "result",
    }
}

impl Format for Otel {
    fn name(&self) -> &'static str {
        "vs-copilot-otel"
    }

    fn about(&self) -> &'static str {
        "OpenTelemetry spans of generative models (OTLP in JSON), as Copilot in Visual Studio writes them"
    }

    fn card(&self) -> Card {
        Card {
            agent: "GitHub Copilot",
            versions: "Visual Studio 18; `gen_ai` conventions of 2025 and 2026",
            records: &[Recorded::Times, Recorded::Models, Recorded::Tokens, Recorded::Failures, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, of) = seen.vote(|n| has(n, &["resourceSpans"]));
        let document = seen.document().is_some_and(|n| has(n, &["resourceSpans"]));
        let marked = seen.text().contains("\"gen_ai.");
        match (marked, own > 0 && own * 2 >= of || document) {
            (true, true) => Sniff::Yes(92, format!("{own} of {of} lines hold spans with `gen_ai` attributes")),
            (false, true) => Sniff::No("spans without `gen_ai` attributes".into()),
            _ => Sniff::No("no `resourceSpans`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        let sample = input.sample()?;
        let head = String::from_utf8_lossy(&sample.head);
        let on_lines = head.lines().any(|line| line.starts_with("{\"") && line.trim_end().ends_with('}'));
        if on_lines || !sample.whole {
            json_lines(input, &mut diagnostics, &mut loader)?;
        } else {
            let bytes = input.bytes()?;
            let source = Source::of(&bytes);
            let document = source.cut(&["resourceSpans"]);
            for item in document.list("resourceSpans") {
                loader.resource(item.raw, item.place);
                if let Some(closed) = (!item.whole).then(|| closed(item.raw, "spans")).flatten() {
                    loader.resource(&closed, item.place);
                }
            }
            source.report(&document, &mut diagnostics, &mut loader.unassigned);
        }
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}

/// What is kept of a span.
#[derive(Clone)]
struct Kept {
    place: Locator,
    name: String,
    start: Option<f64>,
    end: Option<f64>,
    failed: Option<String>,
    attributes: BTreeMap<String, String>,
}

impl Kept {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    fn time(&self) -> Option<Timestamp> {
        self.start.and_then(Timestamp::from_number)
    }
}

/// Spans by conversation, in order of the first one.
#[derive(Default)]
struct Loader {
    conversations: Vec<(String, Vec<Kept>, Accounting)>,
    diagnostics: Diagnostics,
    unassigned: Accounting,
    version: Option<String>,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let export: Export = serde_json::from_str(text)?;
        if !checked(&export.stray, export.fault(), place, &mut self.diagnostics) {
            self.unassigned.damaged();
            return Ok(());
        }
        let mut into = None;
        for resource in &export.resources.items {
            into = self.spans(resource, place).or(into);
        }
        self.count(into);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.unassigned.damaged();
    }
}

impl Loader {
    fn resource(&mut self, raw: &str, place: Locator) {
        match serde_json::from_str::<Resource>(raw) {
            Ok(resource) if checked(&resource.stray, resource.fault(), place, &mut self.diagnostics) => {
                let into = self.spans(&resource, place);
                self.count(into);
            }
            _ => self.unassigned.damaged(),
        }
    }

    /// Counts a record for the conversation that took it, or for none.
    fn count(&mut self, into: Option<usize>) {
        match into {
            Some(at) => self.conversations[at].2.used(),
            None => self.unassigned.skipped("no span of a model"),
        }
    }

    /// Keeps the spans of a program; where the last one went.
    fn spans(&mut self, resource: &Resource, place: Locator) -> Option<usize> {
        let program = values(&resource.resource.0.attributes);
        self.version = self.version.take().or_else(|| program.get("service.version").cloned());
        let mut into = None;
        for span in resource.scopes.items.iter().flat_map(|scope| &scope.spans.items) {
            let attributes = values(&span.attributes);
            if !attributes.keys().any(|key| key.starts_with("gen_ai.")) {
                continue;
            }
            let key = attributes.get("gen_ai.conversation.id").cloned();
            let key = key.or_else(|| span.trace.owned()).unwrap_or_default();
            let status = &span.status.0;
            let failed = status.code.is_some_and(|raw| matches!(raw.get(), "2" | "\"STATUS_CODE_ERROR\""));
            let failed = failed.then(|| status.message.0.get().unwrap_or_default().to_string());
            let failed = failed.or_else(|| attributes.get("error.type").cloned());
            let kept = Kept {
                place,
                name: span.name.get().unwrap_or_default().to_string(),
                start: span.start.0.get(),
                end: span.end.0.get(),
                failed,
                attributes,
            };
            let at = self.conversations.iter().position(|(known, ..)| *known == key).unwrap_or_else(|| {
                self.conversations.push((key, Vec::new(), Accounting::default()));
                self.conversations.len() - 1
            });
            self.conversations[at].1.push(kept);
            into = Some(at);
        }
        into
    }

    fn finish(mut self, format: &'static str, stem: &str, mut diagnostics: Diagnostics) -> Parsed {
        diagnostics.extend(self.diagnostics);
        let version = self.version.clone();
        let told = self.conversations.drain(..).map(|(id, spans, accounting)| {
            let mut session = SessionBuilder::new(format);
            session.info.id = if id.is_empty() { stem.to_string() } else { id };
            session.info.version.clone_from(&version);
            session.accounting = accounting;
            Teller::new(session).tell(spans)
        });
        let sessions = told.collect();
        Parsed { sessions, unassigned: self.unassigned, diagnostics }.settled()
    }
}

/// Attributes as text.
fn values(attributes: &List<Attribute>) -> BTreeMap<String, String> {
    let text = |value: &Of| {
        let number = value.whole.0.get().or(value.number.0.get()).map(crate::text::number::plain);
        let list = || value.list.map(|raw| compact(raw.get()));
        value.text.get().map(str::to_string).or(number).or_else(list)
    };
    attributes.items.iter().filter_map(|a| Some((a.key.owned()?, text(&a.value.0)?))).collect()
}

struct Teller {
    session: SessionBuilder,
    /// Prompts, calls and results that were told: chat spans repeat them.
    prompts: usize,
    calls: HashSet<String>,
    results: HashSet<String>,
}

impl Teller {
    fn new(session: SessionBuilder) -> Self {
        Self { session, prompts: 0, calls: HashSet::new(), results: HashSet::new() }
    }

    /// By the time of their beginning; spans without one keep their place.
    fn tell(mut self, mut spans: Vec<Kept>) -> Session {
        let mut last = f64::NEG_INFINITY;
        for span in &mut spans {
            last = *span.start.get_or_insert(last);
        }
        spans.sort_by(|a, b| a.start.partial_cmp(&b.start).unwrap_or(std::cmp::Ordering::Equal));
        let chats = spans.iter().any(|span| span.get("gen_ai.output.messages").is_some() && !agent(span));
        for span in &spans {
            match span.get("gen_ai.operation.name").unwrap_or_default() {
                "execute_tool" => self.tool(span),
                // A span of the agent repeats what its chat spans hold.
                _ if agent(span) && chats => self.seen(span),
                _ => self.chat(span),
            }
        }
        self.session.finish()
    }

    fn seen(&mut self, span: &Kept) {
        let model = span.get("gen_ai.response.model").or(span.get("gen_ai.request.model"));
        self.session.model(model.unwrap_or_default());
        if let Some(name) = span.get("gen_ai.agent.name") {
            self.session.info.agent.get_or_insert_with(|| name.to_string());
        }
    }

    fn origin(&self, span: &Kept) -> Origin {
        let turn = Some(format!("span {} {}", span.place.record, span.name));
        Origin { time: span.time(), place: span.place, turn, ..Default::default() }
    }

    fn chat(&mut self, span: &Kept) {
        self.seen(span);
        let mut prompts = 0;
        for message in messages(span.get("gen_ai.input.messages")) {
            prompts += self.given(&message, prompts, span);
        }
        self.prompts = self.prompts.max(prompts);
        let number = |name: &str| span.get(name).and_then(|n| n.parse::<f64>().ok()).map(|n| n as u64);
        let cached = number("gen_ai.usage.cache_read.input_tokens").or(number("gen_ai.usage.cache_read_input_tokens"));
        let mut usage = Some(Usage {
            input: number("gen_ai.usage.input_tokens").map(|n| n.saturating_sub(cached.unwrap_or(0))),
            output: number("gen_ai.usage.output_tokens"),
            cache_read: cached,
            ..Default::default()
        });
        let model = span.get("gen_ai.response.model").or(span.get("gen_ai.request.model")).map(str::to_string);
        for message in messages(span.get("gen_ai.output.messages")) {
            let origin = Origin { model: model.clone(), usage: usage.take(), ..self.origin(span) };
            self.answered(&message, origin);
        }
        if let Some(failed) = &span.failed {
            self.session.notice(NoticeKind::Fault, span.place, span.time(), failed.as_str());
        }
    }

    /// A message of the input: a prompt that was not told yet, or results. Gives how many prompts it holds.
    fn given(&mut self, message: &Message, before: usize, span: &Kept) -> usize {
        let user = message.role.get() == Some("user");
        let mut prompts = 0;
        let bare = message.content.0.get().filter(|_| message.parts.items.is_empty());
        for text in bare.into_iter().chain(message.parts.items.iter().filter_map(said)) {
            if user {
                prompts += 1;
                if before + prompts > self.prompts {
                    self.session.user(Origin { turn: None, ..self.origin(span) }, text);
                }
            }
        }
        for part in message.parts.items.iter().filter(|part| part.kind.get() == Some("tool_call_response")) {
            let id = part.id.0.get().unwrap_or_default();
            if self.calls.contains(id) && self.results.insert(id.to_string()) {
                let raw = part.response.or(part.result).map_or("", |raw| raw.get());
                let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| compact(raw));
                let ended = ending(&text);
                self.session.result(id, ResultOf::new(text, span.place).ended(ended));
            }
        }
        prompts
    }

    fn answered(&mut self, message: &Message, mut origin: Origin) {
        let mut thought = String::new();
        let bare = message.content.0.get().filter(|_| message.parts.items.is_empty());
        if let Some(text) = bare.filter(|text| !text.trim().is_empty()) {
            self.session.text(origin.clone(), text);
            origin.usage = None;
        }
        for part in &message.parts.items {
            let reasoning = |thought: &mut String| std::mem::take(thought);
            match part.kind.get().unwrap_or_default() {
                "reasoning" => thought += part.content.0.get().unwrap_or_default(),
                "tool_call" => {
                    let (id, name) = (part.id.0.owned(), part.name.0.get().unwrap_or_default());
                    if id.as_ref().is_none_or(|id| self.calls.insert(id.clone())) {
                        let ids = Aliases { call: id, ..Default::default() };
                        let origin = Origin { ids, reasoning: reasoning(&mut thought), ..origin.clone() };
                        self.session.call(
                            origin,
                            name,
                            kind_of(name),
                            arguments(part.arguments.map_or("", |r| r.get())),
                        );
                    }
                }
                _ => {
                    if let Some(text) = said(part).filter(|text| !text.trim().is_empty()) {
                        let origin = Origin { reasoning: reasoning(&mut thought), ..origin.clone() };
                        self.session.text(origin, text);
                    }
                }
            }
            if part.kind.get() != Some("reasoning") {
                origin.usage = None;
            }
        }
    }

    /// The span of a tool: the call, unless a chat span told it, and its result.
    fn tool(&mut self, span: &Kept) {
        let name = span.get("gen_ai.tool.name").unwrap_or(span.name.trim_start_matches("execute_tool "));
        let id = span.get("gen_ai.tool.call.id").map(str::to_string);
        if id.as_ref().is_none_or(|id| self.calls.insert(id.clone())) {
            let ids = Aliases { call: id.clone(), ..Default::default() };
            let origin = Origin { ids, turn: None, ..self.origin(span) };
            let input = arguments(span.get("gen_ai.tool.call.arguments").unwrap_or(""));
            self.session.call(origin, name, kind_of(name), input);
        }
        let told = span.get("gen_ai.tool.call.result");
        if told.is_none() && span.failed.is_none() {
            return;
        }
        let text = told.or(span.failed.as_deref()).unwrap_or_default();
        let ended = match (ending(text), &span.failed) {
            ((Outcome::NotRecorded | Outcome::Ok, exit), Some(_)) => (Outcome::Failed, exit),
            (ended, _) => ended,
        };
        let time = span.end.and_then(Timestamp::from_number);
        let result = ResultOf { time, ..ResultOf::new(text, span.place) }.ended(ended);
        match id {
            Some(id) if self.results.insert(id.clone()) => _ = self.session.result(&id, result),
            Some(_) => {}
            None => _ = self.session.result_of_last(result),
        }
    }
}

fn agent(span: &Kept) -> bool {
    span.get("gen_ai.operation.name")
        .is_some_and(|name| matches!(name, "invoke_agent" | "create_agent" | "invoke_workflow"))
}

fn said<'p>(part: &'p Part) -> Option<&'p str> {
    part.content.0.get().filter(|_| matches!(part.kind.get(), Some("text") | None))
}

/// Arguments: an object, or a text that holds one.
fn arguments(raw: &str) -> Vec<crate::model::builder::Field> {
    match serde_json::from_str::<String>(raw) {
        Ok(text) => fields(&text),
        Err(_) => fields(raw),
    }
}

fn messages(text: Option<&str>) -> Vec<Message<'_>> {
    serde_json::from_str::<Vec<Message>>(text.unwrap_or("[]")).unwrap_or_default()
}
