//! Sessions that begin with a copy of another one: which turns the other one has, where its file lies beside.

use std::collections::BTreeSet;

use serde_json::Error as SyntaxError;

use super::record::Record;
use crate::{
    base::{locate::Locator, time::Timestamp},
    source::{
        frame::{LINE_CAP, Lines, Records, json_lines},
        lenient::{Text, lenient},
        open::Input,
    },
};

/// Copies of copies are followed this far.
const DEEPEST: usize = 16;

/// Turns of the session that the input begins with a copy of; none where it begins with no copy, or the other is not
/// found, or each names the other and this one is the older.
pub fn copied_turns(input: &Input) -> BTreeSet<String> {
    let mut turns = Turns::default();
    let Some((own, other)) = copied_from(input) else { return turns.0 };
    if let Some(parent) = find(input, &other).filter(|parent| !begins_circle(&own, parent)) {
        // A parent that breaks off tells what it can.
        _ = json_lines(&parent, &mut Default::default(), &mut turns);
    }
    turns.0
}

/// Ids of an input and of the session that it begins with a copy of: the second record names another than the first.
fn copied_from(input: &Input) -> Option<(String, String)> {
    let mut lines = Lines::new(input.reader().ok()?, LINE_CAP);
    let own = named(&mut lines)?;
    let other = named(&mut lines)?;
    (own != other).then_some((own, other))
}

/// Whether a session is, over its parents, a copy of itself: then the one of the least id, which is the oldest where ids
/// tell the time, is taken for the first of the circle.
fn begins_circle(first: &str, parent: &Input) -> bool {
    let mut parent = Some(parent.clone());
    let mut oldest = true;
    for _ in 0..DEEPEST {
        let Some((id, other)) = parent.as_ref().and_then(copied_from) else { return false };
        oldest &= *first < *id;
        if other == first {
            return oldest;
        }
        parent = parent.and_then(|parent| find(&parent, &other));
    }
    false
}

/// The session that the next line names.
fn named<R: std::io::BufRead>(lines: &mut Lines<R>) -> Option<String> {
    let line = lines.next_line().ok()??;
    let record: Record = serde_json::from_slice(line.bytes).ok()?;
    (record.kind.get() == Some("session_meta")).then_some(())?;
    record.payload.id.owned()
}

/// Names of the files of a folder.
struct Names(Vec<String>);

impl Names {
    fn of(files: Vec<Input>) -> Self {
        Self(files.iter().map(|file| file.file_name().to_string()).collect())
    }
}

/// The file of a session: beside, or in the folder of the day on which it began.
fn find(input: &Input, id: &str) -> Option<Input> {
    if !id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') || id.len() < 8 {
        return None;
    }
    let within = |folder: &str| {
        let names = input.index(folder, Names::of);
        let name = names.0.iter().find(|name| name.contains(id) && *name != input.file_name())?;
        input.beside(&format!("{folder}/{name}"))
    };
    within(".").or_else(|| days(id).iter().find_map(|day| within(&format!("../../../{day}"))))
}

/// Folders of the day that an id tells the time of. Their names are local dates, ids are in UTC: the days around count.
fn days(id: &str) -> Vec<String> {
    const DAY: i64 = 86_400_000;
    let Some(began) = time_of(id) else { return Vec::new() };
    [0, -DAY, DAY]
        .iter()
        .map(|shift| Timestamp::from_millis(began + shift).iso().chars().take(10).collect::<String>().replace('-', "/"))
        .collect()
}

/// Milliseconds that an id begins with (UUID version 7).
fn time_of(id: &str) -> Option<i64> {
    is_timed(id).then(|| i64::from_str_radix(&format!("{}{}", &id[..8], &id[9..13]), 16).ok())?
}

/// Whether an id begins with its time, so that older ones sort first.
pub fn is_timed(id: &str) -> bool {
    id.len() == 36 && id.is_ascii() && id.as_bytes()[14] == b'7' && id.as_bytes()[8] == b'-'
}

lenient! {
    /// A line, for its turn only.
    struct Turn<'a> {
        kind: Text<'a> = "type",
        payload: TurnOf<'a> = "payload",
    }
}

lenient! {
    /// Which turn.
    struct TurnOf<'a> {
        turn_id: Text<'a> = "turn_id",
    }
}

#[derive(Default)]
struct Turns(BTreeSet<String>);

impl Records for Turns {
    fn record(&mut self, text: &str, _: Locator) -> Result<(), SyntaxError> {
        let turn: Turn = serde_json::from_str(text)?;
        if turn.kind.get() == Some("turn_context") {
            self.0.extend(turn.payload.turn_id.owned());
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_their_time() {
        let id = "0199aaaa-0000-7000-8000-000000000006";
        assert_eq!(days(id)[0], "2025/10/03");
        assert!(days("not-timed").is_empty());
    }
}
