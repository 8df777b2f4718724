//! Rows of *Check first* for what the user forbade and the log shows done before the user spoke again.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::check_first::row_of;
use crate::{
    base::{ids::MessageIdx, path::base_name},
    model::{
        article::ArticleRow,
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{Request, RequestKind},
        message::Outcome,
    },
    report::{Material, phrase::shortened},
    text::terms::terms,
};

/// See the module.
pub fn rows<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let wishes = m.facts.requests.iter().filter(|r| r.kind == RequestKind::Constraint);
    wishes.filter_map(|r| broken(m, r)).take(1)
}

/// `don't actually run the revert script yet`, `do not push`; not `don't run it twice`: that allows it once.
static FORBIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:but|however|and|also|please),? )*(?:do not|don['’]?t|never) (?:actually |yet |ever |you )?(?P<verb>commit|push|run|execute|start)\b(?P<object>[^.;,]*?)(?: yet| here| now| anything| any ?thing)*\W*$")
        .expect("valid")
});

/// Words that forbid a way of doing it, not the thing.
static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:again|as|at|before|directly|for|if|in|more|on|outside|than|to|twice|unless|until|when|while|with|without)\b")
        .expect("valid")
});

fn broken(m: &Material, wish: &Request) -> Option<ArticleRow> {
    let found = FORBIDDEN.captures(m.session.quoted(&wish.evidence))?;
    let (verb, object) = (found["verb"].to_lowercase(), found["object"].trim());
    if LIMITED.is_match(object) {
        return None;
    }
    let until = m.next_user(wish.message).unwrap_or(MessageIdx(m.last.0 + 1));
    let mut after = m.facts.commands.iter().filter(|c| wish.message < c.message && c.message < until && went_on(m, c));
    let (run, act) = after.find_map(|run| Some((run, act(m, run, &verb, object)?)))?;
    let phrase = m.derived("done-against-wish").weighing(9).quote(&shortened(m.session, &wish.evidence, 14)).cell();
    row_of(phrase.say("done after it: ").code(&act), vec![wish.message, run.message])
}

/// Whether a command ran: one that failed half way was started all the same.
fn went_on(m: &Material, run: &CommandRun) -> bool {
    let outcome = m.session.message(run.message).call.as_ref().map(|call| call.outcome);
    run.ran && !matches!(outcome, None | Some(Outcome::Denied))
}

/// Where a command does what was forbidden.
fn act(m: &Material, run: &CommandRun, verb: &str, object: &str) -> Option<Evidence> {
    let by_git = |act: &str| run.parts.iter().any(|p| p.program == "git" && p.args.first().is_some_and(|a| a == act));
    match verb {
        // What exactly is not to be pushed, words do not tell surely.
        "commit" | "push" if object.is_empty() && by_git(verb) => {
            m.session.cite_words(run.message, &format!("git {verb}"))
        }
        "commit" | "push" => None,
        _ => run
            .parts
            .iter()
            .filter(|part| is_meant(part, object))
            .find_map(|p| m.session.cite_words(run.message, &p.called)),
    }
}

/// Whether a command is the script that was spoken of: all the words of its name are.
fn is_meant(part: &SimpleCommand, object: &str) -> bool {
    let name = base_name(&part.called);
    let Some((stem, _)) = name.rsplit_once('.').filter(|_| !name.contains(' ')) else {
        return object.trim_matches('`') == part.called && part.called.contains(' ');
    };
    let (named, spoken) = (terms(stem), terms(object));
    object.contains(name) || !named.is_empty() && named.is_subset(&spoken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_and_what_only_limited() {
        let of = |text: &str| FORBIDDEN.captures(text).map(|c| (c["verb"].to_string(), c["object"].trim().to_string()));
        assert_eq!(
            of("However, don't actually run the undo script yet."),
            Some(("run".into(), "the undo script".into()))
        );
        assert_eq!(of("Do not push!"), Some(("push".into(), String::new())));
        assert_eq!(of("It does not run."), None);
        assert!(LIMITED.is_match("it twice") && !LIMITED.is_match("the undo script"));
    }
}
