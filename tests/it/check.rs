//! Articles held against their logs: `fixtures/check/<name>/{log.txt,article.md}` with the report beside them, our own
//! articles with every digit changed, and the reference articles where they are at hand.

use std::{fs, path::Path};

use turnpoint::{
    check::{log::Log, manifest, others, ours, trailer::Trailer},
    model::{article::ArticleKind, session::Session, verdict::Verdict},
    pipeline::{self, Order, Written},
    render::plain,
    source::open::Input,
    text::template::Templates,
};

use crate::root;

fn session(path: &Path) -> Session {
    pipeline::read(&Input::file(path).unwrap(), Default::default()).unwrap().sessions.remove(0)
}

#[test]
fn reports_on_articles_by_others() {
    let mut cases: Vec<_> = fs::read_dir(root().join("fixtures/check")).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let session = session(&case.join("log.txt"));
        let article = fs::read_to_string(case.join("article.md")).unwrap();
        let report = plain::check::text("article.md", &others::check(&article, &Log::new(&session)));
        let expected = case.join("report.txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &report).unwrap();
        }
        assert_eq!(report, fs::read_to_string(&expected).unwrap_or_default(), "{}", case.display());
    }
}

/// An article of the example log, with what it takes to check it.
struct Own {
    session: Session,
    identity: String,
    written: Written,
}

impl Own {
    fn new(kind: ArticleKind) -> Self {
        let path = root().join("fixtures/example/session.jsonl");
        let session = session(&path);
        let identity = Input::file(&path).unwrap().identity().unwrap();
        let analysis = pipeline::analyze(&session, &Default::default());
        let subject = analysis.facts.todos.first().map(|t| t.message);
        let subject = subject.filter(|_| kind == ArticleKind::TurningPoint);
        let order = Order {
            kind,
            subject,
            words: 900,
            log: "session.jsonl",
            input: &identity,
            flavour: Default::default(),
            pictures: "",
            most_bytes: None,
        };
        let written = pipeline::write(&session, &analysis, &order, &Templates::new(&[]).unwrap()).unwrap();
        Self { session, identity, written }
    }

    /// What is false in a text that was this article, by comparison with what the rules give.
    fn falses(&self, article: &str) -> usize {
        let Some(trailer) = Trailer::of(article) else { return 0 };
        let report = ours::check(article, &self.written.markdown, &trailer, &Log::new(&self.session));
        report.count(Verdict::False) + trailer.faults(article, &self.session, &self.identity).len()
    }
}

#[test]
fn no_changed_digit_of_our_own_articles_passes() {
    let spot = regex::Regex::new(r"(?:^|[^\w.#/-])(\d)").unwrap();
    for kind in [ArticleKind::Retrospective, ArticleKind::TurningPoint] {
        let own = Own::new(kind);
        let text = &own.written.markdown;
        assert_eq!(own.falses(text), 0, "{text}");
        for found in spot.captures_iter(text) {
            let at = found.get(1).unwrap().start();
            let digit = (text.as_bytes()[at] - b'0' + 3) % 10;
            let mutant = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
            assert!(own.falses(&mutant) > 0, "passes: {}", &mutant[..(at + 20).min(mutant.len())]);
        }
    }
}

#[test]
fn sentences_of_ours_may_go_but_not_move() {
    let own = Own::new(ArticleKind::Retrospective);
    let text = &own.written.markdown;
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("- ") || l.starts_with("| ")).collect();
    let Some(row) = rows.last() else { return };
    assert_eq!(own.falses(&text.replacen(&format!("{row}\n"), "", 1)), 0);
    let moved = text.replacen(&format!("{row}\n"), "", 1).replacen("\n## ", &format!("\n{row}\n\n## "), 1);
    assert!(own.falses(&moved) > 0, "{moved}");
}

#[test]
fn a_manifest_holds_until_a_place_changes() {
    let own = Own::new(ArticleKind::Retrospective);
    let check = |text: &str| manifest::check(text, &own.session, &own.identity).count(Verdict::False);
    assert_eq!(check(&own.written.manifest), 0);
    let hash = regex::Regex::new(r#""hash": "([0-9a-f]{8})""#).unwrap();
    let changed = hash.replace(&own.written.manifest, "\"hash\": \"00000000\"");
    assert_eq!(check(&changed), usize::from(changed != own.written.manifest.as_str()));
    assert!(check("{") > 0);
}

/// The reference articles lie beside the project and are no part of it.
fn reference(path: &str) -> Option<std::path::PathBuf> {
    let path = root().join("../shared").join(path);
    if !path.exists() {
        eprintln!("not at hand, not tested: {}", path.display());
    }
    path.exists().then_some(path)
}

/// A reference article above the line that ends it, and the session that it is about.
fn golden(article: &str, log: &str) -> Option<(String, Session)> {
    let text = fs::read_to_string(reference(article)?).unwrap();
    let text = text.split("\n---\n").next().unwrap().to_string();
    Some((text, session(&reference(log)?)))
}

const GOLDEN: [(&str, &str); 2] = [
    ("examples/golden/article-002.md", "gold/seeds/002/session.txt"),
    ("examples/golden/retrospective-kb-082406.md", "corpus/bracketed/kb-082406_opencode_deepseek_deepseek-v4.txt"),
];

#[test]
fn nothing_in_the_reference_articles_is_called_false() {
    for (article, log) in GOLDEN {
        let Some((text, session)) = golden(article, log) else { return };
        let report = others::check(&text, &Log::new(&session));
        assert_eq!(report.count(Verdict::False), 0, "{}", plain::check::text(article, &report));
    }
}

#[test]
fn most_changes_of_the_reference_articles_are_found() {
    let figure = regex::Regex::new(r"(?:^|[\s(|])(\d+\.\d+|\d{3,})(?:[^\d†]|$)").unwrap();
    let quote = regex::Regex::new(r#""(\S+ \S+) (\S+) (\S+ \S[^"\n]*)""#).unwrap();
    let reference = regex::Regex::new(r"\[msg (\d+)\]").unwrap();
    for (article, log) in GOLDEN {
        let Some((text, session)) = golden(article, log) else { return };
        let log = Log::new(&session);
        let found = |mutant: &str| others::check(mutant, &log).count(Verdict::False) > 0;
        let (mut all, mut caught) = ([0; 3], [0; 3]);
        let mut count = |kind: usize, mutant: String| {
            all[kind] += 1;
            caught[kind] += usize::from(found(&mutant));
        };
        for hit in figure.captures_iter(&text) {
            let (number, end) = (hit.get(1).unwrap(), hit.get(1).unwrap().end());
            let line = &text[text[..end].rfind('\n').map_or(0, |n| n + 1)..];
            let line = line.lines().next().unwrap_or("");
            let message = number.as_str().parse().is_ok_and(|n| log.has(n));
            if !message && !line.contains('†') && (line.contains("[msg") || line.starts_with('|')) {
                let digit = (text.as_bytes()[end - 1] - b'0' + 3) % 10;
                count(0, format!("{}{digit}{}", &text[..end - 1], &text[end..]));
            }
        }
        for hit in quote.captures_iter(&text) {
            let word = hit.get(2).unwrap();
            count(1, format!("{}zebra{}", &text[..word.start()], &text[word.end()..]));
        }
        let cited: Vec<_> = reference.captures_iter(&text).map(|c| c.get(1).unwrap()).collect();
        for pair in cited.windows(2).filter(|p| p[0].as_str() != p[1].as_str()) {
            let (a, b) = (pair[0], pair[1]);
            let between = &text[a.end()..b.start()];
            let (head, tail) = (&text[..a.start()], &text[b.end()..]);
            count(2, format!("{head}{}{between}{}{tail}", b.as_str(), a.as_str()));
        }
        eprintln!("{article}: figures, quotations, swapped references: {caught:?} of {all:?}");
        for (caught, all) in caught.into_iter().zip(all) {
            assert!(caught * 10 >= all * 7, "{article}: {caught} of {all}");
        }
    }
}

#[test]
fn a_published_article_is_faulted_for_its_slips_alone() {
    for (number, slips) in [("000", 0), ("002", 1), ("004", 1)] {
        let article = format!("examples/article-{number}.txt");
        let Some(path) = reference(&article) else { return };
        let Some(log) = reference(&format!("gold/seeds/{number}/session.txt")) else { return };
        let session = session(&log);
        let report = others::check(&fs::read_to_string(path).unwrap(), &Log::new(&session));
        assert_eq!(report.count(Verdict::False), slips, "{}", plain::check::text(&article, &report));
    }
}
