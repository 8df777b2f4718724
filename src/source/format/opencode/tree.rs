//! The store of opencode before 1.2: a tree of JSON files, one a session, a message, a part. A session is read by the file
//! with what is known of it; the others are parts. In the earliest versions a project had a tree of its own, in which the
//! parts lie by session and message. Ids are those of the file names: moves from one layout to the next left stale ones
//! inside. Sub-agents are sessions beside the one that started them, and are read with it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    super::{Card, Format},
    STORED,
    message::Found,
    session::{self, Message},
    shape::SessionInfo,
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    model::{message::NoticeKind, session::Session},
    source::{
        Parsed, agents,
        json::{Repairs, pair_surrogates, text_of},
        lenient::{Text, lenient},
        open::Input,
        seen::{self, Seen, has},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct OpencodeTree;

/// Sessions below one another deeper than this are not followed.
const DEEPEST: usize = 8;

impl Format for OpencodeTree {
    fn name(&self) -> &'static str {
        "opencode-tree"
    }

    fn about(&self) -> &'static str {
        "the JSON files of opencode's store before 1.2"
    }

    fn card(&self) -> Card {
        Card { agent: "opencode", versions: "0.3 to 1.1", records: STORED }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let Some(document) = seen.document() else { return Sniff::No("no JSON document".into()) };
        let id = seen::text(document, "id");
        match () {
            () if id.starts_with("ses_") && has(document, &["time"]) && !has(document, &["messages"]) => {
                Sniff::Yes(92, "what opencode knows of a session, with a `ses_` id".into())
            }
            () if id.starts_with("msg_") && has(document, &["sessionID", "role"]) => {
                Sniff::Part(90, "a session of opencode: name the file `session/…/ses_….json` of its store".into())
            }
            () if id.starts_with("prt_") && has(document, &["messageID", "type"]) => {
                Sniff::Part(90, "a message of opencode: name the file `session/…/ses_….json` of its store".into())
            }
            () if is_list_of(document, &["content", "status", "priority"]) => {
                Sniff::Part(40, "a session: it is the list of tasks beside it".into())
            }
            () if is_list_of(document, &["file", "before", "after", "additions", "deletions"]) => {
                Sniff::Part(40, "a session of opencode: it is the list of files that it changed".into())
            }
            () if has(document, &["id", "worktree", "time"]) => {
                Sniff::Part(60, "a project of opencode: its sessions are files of their own".into())
            }
            () => Sniff::No("no object with a `ses_` id and a time".into()),
        }
    }

    fn part_of(&self, input: &Input) -> Option<String> {
        let bytes = input.bytes().ok()?;
        let (text, _) = text_of(&bytes);
        let info: SessionInfo = serde_json::from_str(&text).ok()?;
        let parent = info.parent.get().filter(|id| is_name(id))?;
        let lead = input.beside(&format!("{parent}.json"))?;
        Some(format!("the session of {}, whose sub-agent it is", lead.name))
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut parsed = Parsed::default();
        let mut sessions = vec![read(self.name(), input, &input.bytes()?, &mut parsed.diagnostics)];
        let below = input.index(".", Below::of);
        let mut met = BTreeSet::from([input.stem().to_string()]);
        let mut next = vec![input.stem().to_string()];
        for _ in 0..DEEPEST {
            let names = next.iter().filter_map(|id| below.0.get(id)).flatten();
            let children: Vec<Input> = names.filter_map(|name| input.beside(name)).collect();
            next = children.iter().map(|child| child.stem().to_string()).collect();
            for child in children.iter().filter(|child| met.insert(child.stem().to_string())) {
                sessions.push(read(self.name(), child, &child.bytes()?, &mut parsed.diagnostics));
            }
        }
        for session in agents::families(sessions, |_| None) {
            parsed.add(session);
        }
        Ok(parsed)
    }
}

/// Whether a list holds only objects with these members.
fn is_list_of(document: &Node, names: &[&str]) -> bool {
    let mut items = document.list().unwrap_or_default().iter().filter(|item| item.whole).peekable();
    items.peek().is_some() && items.all(|item| has(item, names))
}

/// Whether an id can be the name of a file.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

lenient! {
    /// A session, for its parent only.
    struct Child<'a> {
        parent: Text<'a> = "parentID",
    }
}

/// Names of the files of the sessions in a folder that have parents, by these.
struct Below(BTreeMap<String, Vec<String>>);

impl Below {
    fn of(files: Vec<Input>) -> Self {
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in files {
            let Ok(bytes) = file.bytes() else { continue };
            if memchr::memmem::find(&bytes, b"\"parentID\"").is_none() {
                continue;
            }
            let (text, _) = text_of(&bytes);
            let parent = serde_json::from_str::<Child>(&text).ok().and_then(|child| child.parent.owned());
            if let Some(parent) = parent.filter(|id| id != file.stem()) {
                below.entry(parent).or_default().push(file.file_name().to_string());
            }
        }
        Self(below)
    }
}

/// A file of the store as text, repaired; what had to be done is noted.
fn text(file: &Input, place: Locator, diagnostics: &mut Diagnostics) -> Option<String> {
    let bytes = match file.bytes() {
        Ok(bytes) => bytes,
        Err(error) => {
            diagnostics.add(DiagCode::RecordDamaged, place, error.to_string());
            return None;
        }
    };
    Some(repaired(&bytes, place, diagnostics))
}

fn repaired(bytes: &[u8], place: Locator, diagnostics: &mut Diagnostics) -> String {
    let (text, mut repairs): (Cow<str>, Repairs) = text_of(bytes);
    let paired = pair_surrogates(&text);
    repairs.surrogates |= paired.is_some();
    for (code, told) in repairs.list() {
        diagnostics.add(code, place, told);
    }
    paired.unwrap_or_else(|| text.into_owned())
}

/// A session with its messages.
fn read(format: &'static str, input: &Input, bytes: &[u8], diagnostics: &mut Diagnostics) -> Session {
    let id = input.stem();
    let raw = repaired(bytes, Locator::default(), diagnostics);
    let info: SessionInfo = serde_json::from_str(&raw).unwrap_or_else(|error| {
        diagnostics.add(DiagCode::RecordDamaged, Locator::default(), format!("{}: {error}", input.file_name()));
        SessionInfo::default()
    });
    let mut session = session::begin(format, &info, id);
    let mut messages = Vec::new();
    for (layout, file) in message_files(input, id) {
        let record = messages.len() as u32 + 1;
        let place = Locator { record, ..Locator::default() };
        let Some(info) = text(&file, place, &mut session.diagnostics) else {
            session.accounting.damaged();
            continue;
        };
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&info) {
            let code = if error.is_eof() { DiagCode::RecordTorn } else { DiagCode::RecordDamaged };
            session.diagnostics.add(code, place, format!("{}: {error}", file.file_name()));
        }
        let place = Locator { bytes: ByteSpan::new(0, info.len()), ..place };
        let own = file.stem().to_string();
        let mut parts = Vec::new();
        for part in input.folder(&layout.parts(id, &own)) {
            if let Some(raw) = text(&part, place, &mut session.diagnostics) {
                parts.push(Found { id: Some(Cow::Owned(part.stem().to_string())), raw: Cow::Owned(raw), place });
            }
        }
        messages.push(Message { id: Some(Cow::Owned(own)), info: Cow::Owned(info), parts, place });
    }
    session::tell(&mut session, &messages, &info.revert);
    let todos = [format!("../../todo/{id}.json"), format!("../todo/{id}.json")];
    if let Some(list) = todos.iter().find_map(|path| input.beside(path)) {
        let list = text(&list, Locator::default(), &mut session.diagnostics).unwrap_or_default();
        session.notice(NoticeKind::Meta, Locator::default(), None, list);
    }
    session.finish()
}

/// How the tree lies about the file of a session.
#[derive(Clone, Copy)]
enum Layout {
    /// `session/<project>/<session>.json`, `message/<session>/`, `part/<message>/`.
    Flat,
    /// `session/info/<session>.json`, `session/message/<session>/`, `session/part/<session>/<message>/`.
    PerProject,
}

impl Layout {
    fn messages(self, session: &str) -> String {
        match self {
            Layout::Flat => format!("../../message/{session}"),
            Layout::PerProject => format!("../message/{session}"),
        }
    }

    fn parts(self, session: &str, message: &str) -> String {
        match self {
            Layout::Flat => format!("../../part/{message}"),
            Layout::PerProject => format!("../part/{session}/{message}"),
        }
    }
}

/// The files of the messages of a session.
fn message_files(input: &Input, session: &str) -> Vec<(Layout, Input)> {
    if !is_name(session) {
        return Vec::new();
    }
    let files = |layout: Layout| input.folder(&layout.messages(session)).into_iter().map(move |file| (layout, file));
    let flat: Vec<(Layout, Input)> = files(Layout::Flat).collect();
    if flat.is_empty() { files(Layout::PerProject).collect() } else { flat }
}
