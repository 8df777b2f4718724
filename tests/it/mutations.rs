//! Every fixture of every format, spoilt in every way that real logs are: each record replaced by garbage, each value by
//! one of another type, ids repeated, parents missing or circular. Whatever is left must read without a panic, obey the
//! laws, and read the same twice.

use std::{collections::BTreeSet, path::Path};

use turnpoint::{
    base::error::Error,
    model::session::Session,
    source::{
        format::{FORMATS, Format},
        open::Input,
    },
    text::partial_json::{self, Node, Value},
};

use crate::cases;

/// At most so many spoilt variants of one kind for one fixture.
const MOST: usize = 120;

/// The fixtures that are single files of text, with the format that reads them.
fn texts() -> Vec<(&'static dyn Format, String, String)> {
    let mut found = Vec::new();
    for (format, _, path) in cases::all() {
        let Some(format) = FORMATS.iter().find(|f| f.name() == format) else { continue };
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() || ending == "sql" {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        found.push((*format, path.display().to_string(), text));
    }
    found
}

/// Reads spoilt bytes by the format itself, whatever sniffing would say, and by the front door.
#[track_caller]
fn survive(format: &'static dyn Format, name: &str, what: &str, bytes: &[u8]) {
    let read = || format.parse(&Input::from_bytes("spoilt", bytes.to_vec()));
    let parsed = match read() {
        Ok(parsed) => parsed,
        Err(Error::Unreadable { .. }) => return,
        Err(error) => panic!("{name}, {what}: {error}"),
    };
    assert!(parsed.unassigned.balanced(), "{name}, {what}");
    for session in parsed.sessions.iter().flat_map(Session::tree) {
        assert!(session.accounting.balanced(), "{name}, {what}: {:?}", session.accounting);
        let firsts: Vec<u32> = session.steps.iter().map(|s| s.first.0).collect();
        assert!(firsts.is_sorted_by(|a, b| a < b), "{name}, {what}: steps rise");
        let numbers: BTreeSet<u32> = session.messages.iter().map(|m| m.number).collect();
        let own = session.numbering == turnpoint::model::session::Numbering::Own;
        assert!(own || numbers.len() == session.messages.len(), "{name}, {what}: numbers are unique");
    }
    let again = read().map(|p| p.sessions).unwrap_or_default();
    assert!(parsed.sessions == again, "{name}, {what}: two runs differ");
    // The front door may decline; it must not panic.
    if let Err(Error::Internal { reason, .. }) =
        turnpoint::pipeline::read(&Input::from_bytes("spoilt", bytes.to_vec()), Default::default())
    {
        panic!("{name}, {what}: {reason}");
    }
}

/// Every so many of them, so that no more than [`MOST`] are taken.
fn sampled<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step)
}

#[test]
fn records_replaced_by_garbage() {
    const GARBAGE: &[&str] =
        &["{", "}", "garbage", "[]", "null", "7", "\"x\"", "{\"type\":7}", "{\"type\":\"user\"}", "{}", "\u{0}"];
    for (format, name, text) in texts() {
        let lines: Vec<&str> = text.lines().collect();
        let places: Vec<(usize, &str)> =
            (0..lines.len()).flat_map(|at| GARBAGE.iter().map(move |garbage| (at, *garbage))).collect();
        for (at, garbage) in sampled(places) {
            let mut spoilt = lines.clone();
            spoilt[at] = garbage;
            survive(format, &name, &format!("line {} is {garbage}", at + 1), spoilt.join("\n").as_bytes());
        }
    }
}

/// Bytes of every value below a node, with the key of its member.
fn values<'a>(node: &Node<'a>, key: &str, offset: usize, into: &mut Vec<(String, std::ops::Range<usize>, bool)>) {
    let scalar = !matches!(node.value, Value::List(_) | Value::Object(_) | Value::TooDeep);
    into.push((key.to_string(), offset + node.span.start..offset + node.span.end, scalar));
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| values(item, key, offset, into)),
        Value::Object(members) => members.iter().for_each(|(key, item)| values(item, key, offset, into)),
        _ => {}
    }
}

/// Values of the JSON in a text: of each line, or of the document that it is.
fn all_values(text: &str) -> Vec<(String, std::ops::Range<usize>, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(node) =
            line.starts_with('{').then(|| partial_json::read(line)).and_then(|p| p.node).filter(|n| n.whole)
        {
            values(&node, "", at, &mut found);
        }
        at += line.len();
    }
    if found.is_empty()
        && let Some(node) = partial_json::read(text).node
    {
        values(&node, "", 0, &mut found);
    }
    found
}

#[test]
fn values_of_other_types() {
    const OTHERS: &[&str] =
        &["null", "true", "-1", "1e300", "\"\"", "\"\\ud800 x\"", "[]", "[[{}]]", "{}", "{\"a\":{\"b\":[1]}}"];
    for (format, name, text) in texts() {
        let places: Vec<_> = all_values(&text).into_iter().enumerate().collect();
        for (i, (key, range, _)) in sampled(places) {
            let mut spoilt = text.clone();
            let other = OTHERS[i % OTHERS.len()];
            spoilt.replace_range(range, other);
            survive(format, &name, &format!("`{key}` is {other}"), spoilt.as_bytes());
        }
    }
}

/// Format and messages of bytes that come through the front door.
fn read(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let reading = turnpoint::pipeline::read(&Input::from_bytes("spoilt", bytes.to_vec()), Default::default()).ok()?;
    Some((reading.format, reading.sessions.iter().flat_map(Session::tree).map(|s| s.messages.len()).sum()))
}

/// Byte order marks, padding and line ends of Windows, and text in UTF-16.
#[test]
fn what_other_systems_add_changes_nothing() {
    let mut wrong = Vec::new();
    for (_, name, text) in texts() {
        let Some(whole) = read(text.as_bytes()) else { continue };
        let returns = text.replace("\r\n", "\n").replace('\n', "\r\n");
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let spoilt = [
            ("mark", [b"\xEF\xBB\xBF", text.as_bytes()].concat()),
            ("padding", [&[0; 9], text.as_bytes()].concat()),
            ("returns", returns.into_bytes()),
            ("UTF-16", wide),
        ];
        wrong.extend(spoilt.iter().filter_map(|(what, bytes)| {
            let now = read(bytes);
            (now != Some(whole)).then(|| format!("{name}, {what}: {whole:?} became {now:?}"))
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A text of more than a sample, in the first place where one stands and in the last.
#[test]
fn long_texts_do_not_hide_a_format() {
    const TEXTS: &[&str] = &["content", "text", "value", "message", "prompt", "instructions", "system", "output"];
    let long = "a long story ".repeat(10_000);
    let mut wrong = Vec::new();
    for (_, name, text) in texts() {
        let Some(whole) = read(text.as_bytes()) else { continue };
        let is_text = |value: &&(String, std::ops::Range<usize>, bool)| {
            let raw = &text[value.1.clone()];
            TEXTS.contains(&value.0.as_str())
                && raw.len() > 2
                && raw.starts_with('"')
                && !raw[1..].starts_with(['{', '['])
        };
        let values = all_values(&text);
        let texts: Vec<usize> = values.iter().filter(is_text).map(|value| value.1.end - 1).collect();
        for at in [texts.first(), texts.last()].into_iter().flatten() {
            let now = read([&text[..*at], " ", &long, &text[*at..]].concat().as_bytes());
            // A text that stands in two places is told twice when only one of them changes.
            if now.is_none_or(|now| now.0 != whole.0 || now.1 < whole.1) {
                wrong.push(format!("{name}, at {at}: {whole:?} became {now:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names of members that hold an id of the record itself, or of the record before it.
const IDS: &[&str] = &[
    "id",
    "uuid",
    "call_id",
    "callID",
    "tool_call_id",
    "toolCallId",
    "message_id",
    "messageId",
    "step_id",
    "tool_use_id",
];
const PARENTS: &[&str] =
    &["parentUuid", "parentId", "parent_id", "parentID", "parent", "cause", "leafUuid", "action_id"];

#[test]
fn ids_repeated_and_parents_missing_or_circular() {
    for (format, name, text) in texts() {
        let all = all_values(&text);
        let replaced = |names: &[&str], by: &dyn Fn(usize) -> String| {
            let mut spoilt = text.clone();
            for (i, (_, range, _)) in all.iter().enumerate().rev().filter(|(_, v)| v.2 && names.contains(&v.0.as_str()))
            {
                spoilt.replace_range(range.clone(), &by(i));
            }
            spoilt
        };
        let own: Vec<String> =
            all.iter().filter(|v| v.2 && IDS.contains(&v.0.as_str())).map(|v| text[v.1.clone()].to_string()).collect();
        let next = |i: usize| own.get(i % own.len().max(1)).cloned().unwrap_or_else(|| "\"x\"".into());
        survive(format, &name, "all ids are one", replaced(IDS, &|_| "\"same\"".into()).as_bytes());
        survive(format, &name, "no parent exists", replaced(PARENTS, &|i| format!("\"none-{i}\"")).as_bytes());
        survive(format, &name, "parents are anybody", replaced(PARENTS, &|i| next(i * 7 + 3)).as_bytes());
        survive(
            format,
            &name,
            "all parents are the last",
            replaced(PARENTS, &|_| next(own.len().wrapping_sub(1))).as_bytes(),
        );
        survive(format, &name, "everything twice", [text.as_str(), text.as_str()].concat().as_bytes());
    }
}

/// A store whose files are damaged: each in turn is emptied, cut, or replaced by garbage.
#[test]
fn stores_with_a_spoilt_file() {
    for (_, _, path) in
        cases::all().into_iter().filter(|case| case.2.is_dir() && case.2.extension().is_none_or(|e| e != "zip"))
    {
        for spoilt in crate::files(&crate::relative(&path)) {
            for damage in [&b""[..], b"{", b"garbage", b"[null]"] {
                let copy = tempfile::tempdir().unwrap();
                for file in crate::files(&crate::relative(&path)) {
                    let to = copy.path().join(file.strip_prefix(&path).unwrap());
                    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                    std::fs::write(&to, if file == spoilt { damage.to_vec() } else { std::fs::read(&file).unwrap() })
                        .unwrap();
                }
                read_all(copy.path());
            }
        }
    }
}

/// Reads a store; errors are let pass, faults of ours are not.
fn read_all(folder: &Path) {
    let inputs = turnpoint::source::walk::inputs(folder).unwrap();
    let each = |reading| match reading {
        Err(Error::Internal { input, reason }) => panic!("{input}: {reason}"),
        _ => Ok::<(), ()>(()),
    };
    turnpoint::pipeline::read_stories(inputs, Default::default(), || (), each).unwrap();
}

/// Databases that are cut or whose pages are garbage.
#[test]
fn spoilt_databases() {
    for (_, _, path) in cases::all().into_iter().filter(|case| case.2.extension().is_some_and(|e| e == "sql")) {
        let made = cases::made(&path);
        let bytes = std::fs::read(&made.path).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for i in 0..40 {
            let mut spoilt = bytes.clone();
            let at = bytes.len() * i / 40;
            match i % 2 {
                0 => spoilt.truncate(at.max(20)),
                _ => spoilt[at..].iter_mut().take(300).for_each(|b| *b = b.wrapping_mul(31).wrapping_add(7)),
            }
            std::fs::write(folder.path().join("spoilt.db"), &spoilt).unwrap();
            read_all(folder.path());
        }
    }
}
