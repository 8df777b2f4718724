//! What was put into a file and taken out of it, held against its edits and its known content.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    base::path::{base_name, same_file},
    infer::audit::{contents, ledger::holds_word},
    model::{
        audit::{ClaimKind, Ruling},
        facts::{FileAct, FileTouch},
        message::{Message, PartKind, ToolKind},
    },
    text::pattern::Regex,
};

/// Something that was put into a file.
pub static ADDED: Rule = Rule {
    name: "added-to-file",
    kind: ClaimKind::File,
    about: "Something in a code span is said to have been added to a named file; an edit of that file holds it, or the file as it is known at that time does not.",
    example: "\"Added `flush` to `pack.rs`.\" where the last writing of `pack.rs`, shown whole, holds no `flush`: contradicted",
    limits: "Contradicted only where the whole of the file is known, which a formatter or a script may have changed unseen; what stands in code spans is taken word for word.",
    against: "the file as the log shows it does not hold it",
    missing: "no change of that file is shown",
    judge: added,
};

/// Something that a file is said not to hold any more.
pub static REMOVED: Rule = Rule {
    name: "gone-from-file",
    kind: ClaimKind::File,
    about: "A named file is said to hold something in a code span no longer; an edit took it out, or the file as it is known at that time still holds it.",
    example: "\"`pack.rs` no longer uses `flush_all`.\" where the last reading of the file shows it: contradicted",
    limits: "Only \"no longer\" is held against the content: what is removed in one place may stay in another. A comment that names it counts.",
    against: "the file as the log shows it still holds it",
    missing: "",
    judge: removed,
};

/// ``Added `x` to `a/b.rs` ``
static ADDED_TO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:added|inserted|introduced|wrote|registered)\b[^`.\n]{0,40}`([^`\n]{3,60})`[^`.\n]{0,40}\b(?:to|in|into)\b[^`.\n]{0,20}`([\w./-]+\.\w{1,5})`").expect("valid")
});

/// `` `a/b.rs`: added `x` ``
static IN_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)`([\w./-]+\.\w{1,5})`\**\s?(?:[:—–-]|\()\s?(?:added|inserted|introduced|registered)\b[^`.\n]{0,40}`([^`\n]{3,60})`").expect("valid")
});

/// `` `a/b.rs` no longer uses `x` ``
static NO_LONGER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)`([\w./-]+\.\w{1,5})`[^`.\n]{0,20}\bno longer (?:contains?|has|holds?|uses?|mentions?|references?|imports?|calls?|includes?)\b[^`.\n]{0,30}`([^`\n]{3,60})`").expect("valid")
});

fn added(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let (what, file) = match ADDED_TO.captures(said.text) {
        Some(found) => (found.get(1)?, found.get(2)?),
        None => IN_FILE.captures(said.text).and_then(|found| Some((found.get(2)?, found.get(1)?)))?,
    };
    if is_intent(said.text) {
        return None;
    }
    let (words, path) = (bare(what.as_str()), file.as_str());
    let put = log.first(("put", &format!("{words} in {path}")), said.message, || {
        contents::touches(log, path, log.end()).find(|f| puts(log, f, words)).map(|f| f.evidence.clone())
    });
    if let Some(place) = put {
        return Some(Judgement::new(Ruling::Supported, format!("a change of {path} holds it"), vec![place]));
    }
    if let Some(content) = contents::of(log, path, said.message) {
        let places = vec![log.session.whole(content.last), log.session.whole(content.since)];
        if content.text.contains(words) {
            return Some(Judgement::new(Ruling::Supported, format!("{path} holds it"), places));
        }
        // A file that others wrote may say it otherwise; one that was written here is known to the last word.
        let changed =
            contents::touches(log, path, said.message).any(|f| matches!(f.act, FileAct::Edited | FileAct::Written));
        let why = format!("{path}, as it is shown, does not hold `{words}`");
        return (changed && is_name(words))
            .then(|| Judgement::new(Ruling::Contradicted, why, places).by(said, [what.range()]));
    }
    // What another tool or a sub-agent may have done is not known.
    let name = base_name(path);
    let given = log.first(("input", name), said.message, || log.first_message(|m| acts_on(m, name)));
    let agent = || log.first(("agent", ""), said.message, || log.first_message(|m| m.tool() == Some(ToolKind::Agent)));
    (said.reports && given.is_none() && agent().is_none()).then(|| {
        let why = format!("no change of {path} is shown before");
        Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [file.range()])
    })
}

fn removed(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = NO_LONGER.captures(said.text)?;
    let (file, what) = (found.get(1)?, found.get(2)?);
    if is_intent(said.text) {
        return None;
    }
    let (path, words) = (file.as_str(), bare(what.as_str()));
    let content = contents::of(log, path, said.message);
    if let Some(content) = &content {
        let places = vec![log.session.whole(content.last), log.session.whole(content.since)];
        let holds = holds_word(&content.text, words);
        let (ruling, why) = match holds {
            true => (Ruling::Contradicted, format!("{path}, as it is shown, still holds `{words}`")),
            false => (Ruling::Supported, format!("{path}, as it is shown, does not hold it")),
        };
        return Some(Judgement::new(ruling, why, places).by(said, [what.range()]));
    }
    let mut took =
        log.edits().iter().rev().filter(|edit| edit.touch.message < said.message && same_file(&edit.touch.path, path));
    let out = took.find(|edit| edit.removed.iter().any(|line| line.contains(words)))?;
    Some(Judgement::new(Ruling::Supported, format!("an edit of {path} took it out"), vec![out.touch.evidence.clone()]))
}

/// What stands in a code span without the brackets of a call.
fn bare(words: &str) -> &str {
    words.trim().trim_end_matches("()").trim()
}

/// Whether words are a name that a file holds letter by letter: no phrase, no example with gaps.
fn is_name(words: &str) -> bool {
    words.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-')) && !words.contains("..")
}

/// Whether a change of a file puts in words.
fn puts(log: &Ledger, touch: &FileTouch, words: &str) -> bool {
    let message = log.session.message(touch.message);
    let inputs = message.parts.iter().filter(|part| part.kind == PartKind::Input);
    matches!(touch.act, FileAct::Edited | FileAct::Written) && inputs.clone().any(|part| part.text.contains(words))
}

/// Whether a call that may change files names one.
fn acts_on(message: &Message, name: &str) -> bool {
    let looks = matches!(message.tool(), None | Some(ToolKind::Read | ToolKind::Search | ToolKind::Todo));
    !looks && message.parts.iter().any(|part| part.kind == PartKind::Input && part.text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_what_is_said_of_them() {
        let of = |re: &Regex, text: &str| re.captures(text).map(|c| (c[1].to_string(), c[2].to_string()));
        assert_eq!(of(&ADDED_TO, "Added `flush()` to `src/pack.rs`."), Some(("flush()".into(), "src/pack.rs".into())));
        assert_eq!(of(&IN_FILE, "`pack.rs`: added the `flush` call"), Some(("pack.rs".into(), "flush".into())));
        assert_eq!(of(&NO_LONGER, "`pack.rs` no longer uses `flush`"), Some(("pack.rs".into(), "flush".into())));
        assert_eq!(of(&ADDED_TO, "Added a test for `flush`."), None);
        assert!(is_name("flush_all") && !is_name("a b"));
    }
}
