//! Articles over small logs: each folder of `fixtures/article` holds a log and the articles that are written about it
//! (`retro.md`, `article-<message>.md`). Each is proofread by `check`, which must also find every changed digit.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Logs with the articles that are expected of them: arguments and the file that holds the text.
fn cases() -> Vec<(PathBuf, Vec<String>, String)> {
    let mut all = Vec::new();
    for file in super::files("fixtures/article").into_iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let log = file.parent().unwrap().join("log.txt");
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let arguments = match stem.strip_prefix("article-") {
            Some(message) => vec!["article".to_string(), "--at".to_string(), message.to_string()],
            None => vec![stem],
        };
        all.push((log, arguments, super::relative(&file)));
    }
    assert!(all.len() >= 4, "the cases are found");
    all
}

fn program() -> Command {
    Command::cargo_bin("turnpoint").unwrap()
}

fn write(log: &Path, arguments: &[String]) -> String {
    let run = program().args(arguments).arg(log).output().unwrap();
    assert!(run.status.success(), "{}: {}", log.display(), String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Exit code of `check` for an article and its log.
fn check(article: &str, log: &Path) -> (i32, String) {
    let run = program().arg("check").arg("-").arg("--session").arg(log).write_stdin(article).output().unwrap();
    (run.status.code().unwrap(), String::from_utf8_lossy(&run.stdout).into_owned())
}

#[test]
fn articles_are_as_expected_and_pass_their_check() {
    for (log, arguments, expected) in cases() {
        let article = write(&log, &arguments);
        super::expect_file(&expected, &article);
        let (code, said) = check(&article, &log);
        assert_eq!(code, 0, "{expected}: {said}");
    }
}

#[test]
fn every_changed_digit_is_found() {
    for (log, arguments, expected) in cases() {
        let article = write(&log, &arguments);
        let digits: Vec<usize> = article.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        for k in 0..20 {
            let at = digits[k * digits.len() / 20];
            let digit = (article.as_bytes()[at] - b'0' + 3) % 10;
            let changed = format!("{}{digit}{}", &article[..at], &article[at + 1..]);
            let (code, said) = check(&changed, &log);
            assert_eq!(code, 1, "{expected}, byte {at}: {said}");
        }
    }
}

#[test]
fn swapped_references_are_found() {
    for (log, arguments, expected) in cases() {
        let article = write(&log, &arguments);
        let references: Vec<(usize, &str)> = article
            .match_indices("[msg ")
            .filter_map(|(at, _)| Some((at, &article[at..at + article[at..].find(']')? + 1])))
            .collect();
        let Some((a, b)) = references.iter().zip(&references[1..]).find(|(a, b)| a.1 != b.1) else { continue };
        let between = &article[a.0 + a.1.len()..b.0];
        let swapped = format!("{}{}{between}{}{}", &article[..a.0], b.1, a.1, &article[b.0 + b.1.len()..]);
        let (code, said) = check(&swapped, &log);
        assert_eq!(code, 1, "{expected}: {said}");
    }
}

/// Markup of a log is shown, never obeyed: the article parses to no link, no HTML, no image.
#[test]
fn hostile_text_stays_text() {
    let log = super::root().join("fixtures/article/hostile/log.txt");
    let article = write(&log, &["retro".to_string()]);
    for (event, _) in
        pulldown_cmark::Parser::new_ext(&article, pulldown_cmark::Options::ENABLE_TABLES).into_offset_iter()
    {
        use pulldown_cmark::{Event, Tag};
        match event {
            Event::Html(html) | Event::InlineHtml(html) => assert!(html.starts_with("<!-- turnpoint"), "{html}"),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => panic!("a link to {dest_url}"),
            _ => {}
        }
    }
    assert!(!article.contains('\u{1b}') && !article.contains('\u{202e}'), "{article}");
}
