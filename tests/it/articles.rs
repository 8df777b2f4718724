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

/// Tags that templates and drawings make.
const KNOWN_TAGS: &str = "svg desc rect text line polyline polygon circle path g tspan details summary figure html head meta link title style body a header \
                          h1 h2 h3 p nav ul li main section div table thead tbody tr th td code span aside article pre mark time footer";

/// An attribute's value.
static VALUE: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| regex::Regex::new(r#""[^"]*""#).unwrap());

/// The opening tags of a page with their attributes, comments and style aside.
fn tags(page: &str) -> Vec<String> {
    let style = regex::Regex::new(r"(?s)<style>.*?</style>|<!--.*?-->").unwrap();
    let tag = regex::Regex::new(r"<([a-zA-Z][^>]*)>").unwrap();
    tag.captures_iter(&style.replace_all(page, "")).map(|c| c[1].to_string()).collect()
}

/// Every page: references lead to the evidence and back, nothing is loaded, nothing runs, headings are in order.
#[test]
fn pages_are_whole_and_need_nothing_else() {
    let attribute = regex::Regex::new(r#"\b(id|href)="([^"]*)""#).unwrap();
    for (log, mut arguments, expected) in cases() {
        arguments.extend(["--format".to_string(), "html".to_string()]);
        let page = write(&log, &arguments);
        let (mut ids, mut links) = (Vec::new(), Vec::new());
        for tag in tags(&page) {
            let name = tag.split_whitespace().next().unwrap();
            assert!(
                !["script", "iframe", "object", "embed", "form", "img", "base"].contains(&name),
                "{expected}: <{tag}>"
            );
            let bare = VALUE.replace_all(&tag, "");
            assert!(!bare.contains(" on") && !bare.contains("style"), "{expected}: <{tag}>");
            for found in attribute.captures_iter(&tag) {
                let list = if &found[1] == "id" { &mut ids } else { &mut links };
                list.push(found[2].to_string());
            }
        }
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "{expected}: an id stands twice");
        for link in links.iter().filter(|l| *l != "data:,") {
            let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{expected}: a link to {link}"));
            assert!(ids.iter().any(|id| id == target), "{expected}: nothing is at {link}");
        }
        assert_eq!(page.matches("<h1").count(), 1, "{expected}");
        assert!(page.contains("default-src 'none'") && page.contains("<html lang=\"en\">"), "{expected}");
        assert_eq!(page, write(&log, &arguments), "{expected}: twice the same bytes");
    }
}

/// A hostile log cannot break out of a page: every opening tag is one of the templates'.
#[test]
fn hostile_text_makes_no_tag() {
    let log = super::root().join("fixtures/article/hostile/log.txt");
    let page = write(&log, &["retro".to_string(), "--format".to_string(), "html".to_string()]);
    for tag in tags(&page) {
        let name = tag.split_whitespace().next().unwrap();
        assert!(KNOWN_TAGS.split(' ').any(|known| known == name), "<{tag}>");
    }
    assert!(page.contains("&lt;script&gt;alert("), "{page}");
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
}

/// In each flavour an article passes its check, and a changed digit is found, in front matter too.
#[test]
fn flavours_are_checked_like_the_rest() {
    for (log, arguments, expected) in cases() {
        for flavour in ["mdbook", "mkdocs"] {
            let mut arguments = arguments.clone();
            arguments.extend(["--flavour".to_string(), flavour.to_string()]);
            let article = write(&log, &arguments);
            assert_eq!(article.starts_with("---\ntitle: \""), flavour == "mkdocs", "{expected}");
            let (code, said) = check(&article, &log);
            assert_eq!(code, 0, "{expected} {flavour}: {said}");
            // The first digit stands in the front matter, where there is one.
            if expected.contains("/runs/") {
                let at = article.find(|c: char| c.is_ascii_digit()).unwrap();
                let digit = (article.as_bytes()[at] - b'0' + 3) % 10;
                let changed = format!("{}{digit}{}", &article[..at], &article[at + 1..]);
                let (code, said) = check(&changed, &log);
                assert_eq!(code, 1, "{expected} {flavour}, byte {at}: {said}");
            }
        }
    }
}

/// A cap leaves whole sections out and says which; what is left passes its check.
#[test]
fn a_capped_article_ends_with_a_section() {
    let log = super::root().join("fixtures/example/session.jsonl");
    let whole = write(&log, &["retro".to_string()]);
    let cap = whole.len() / 2;
    let capped = write(&log, &["retro".to_string(), "--max-bytes".to_string(), cap.to_string()]);
    assert!(capped.len() <= cap, "{} of {cap}", capped.len());
    assert!(capped.contains("*Left out here for want of room: ") && capped.contains(", Names.*"), "{capped}");
    let (code, said) = check(&capped, &log);
    assert_eq!(code, 0, "{said}");
    let run = program().args(["retro", "--max-bytes", "50"]).arg(&log).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
}

/// `retro -o DIR` writes everything, the same each time, and follows no link out of the folder.
#[test]
fn a_folder_holds_the_articles_and_their_index() {
    let log = super::root().join("fixtures/example/session.jsonl");
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("out");
    let make = || program().arg("retro").arg(&log).arg("-o").arg(&folder).output().unwrap();
    let read = || -> Vec<(String, Vec<u8>)> {
        let name = |path: &Path| path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        super::cases::walkdir(&folder).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
    };
    let run = make();
    assert!(run.status.success() && run.stdout.is_empty());
    assert!(String::from_utf8_lossy(&run.stderr).contains("index.html"));
    let first = read();
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    for wanted in ["index.html", "index.md", "retrospective.html", "retrospective.manifest.json", "retrospective.md"] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    assert!(names.iter().filter(|n| n.starts_with("turning-point-") && n.ends_with(".html")).count() >= 2, "{names:?}");
    let index = String::from_utf8(std::fs::read(folder.join("index.html")).unwrap()).unwrap();
    for page in names.iter().filter(|n| n.ends_with(".html") && **n != "index.html") {
        assert!(index.contains(&format!("href=\"{page}\"")), "{page}");
    }
    let markdown = std::fs::read_to_string(folder.join("retrospective.md")).unwrap();
    let shown = regex::Regex::new(r#"(?:src|srcset)="([^"]+)""#).unwrap();
    let pictures: Vec<String> = shown.captures_iter(&markdown).map(|c| c[1].to_string()).collect();
    assert!(!pictures.is_empty() && pictures.iter().all(|p| names.contains(&p.as_str())), "{pictures:?}");
    let (code, said) = check(&markdown, &log);
    assert_eq!(code, 0, "{said}");
    assert!(make().status.success());
    assert_eq!(read(), first, "twice the same bytes");
    #[cfg(unix)]
    {
        let outside = home.path().join("outside.md");
        std::fs::write(&outside, "mine").unwrap();
        std::fs::remove_file(folder.join("index.md")).unwrap();
        std::os::unix::fs::symlink(&outside, folder.join("index.md")).unwrap();
        assert_eq!(make().status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");
    }
}

/// Texts that would end an element, an attribute, a comment, a style sheet or a table, in any order.
fn hostile() -> impl proptest::strategy::Strategy<Value = String> {
    let pieces = [
        "</style>",
        "<script>alert(1)</script>",
        "\" onload=\"x",
        "' onerror='x",
        "-->",
        "<!--",
        "]]>",
        "</pre></mark>",
        "&lt;b&gt;",
        "`",
        "**",
        "|",
        "{{ title }}",
        "{% include \"style.css\" %}",
        "\u{202e}",
        "\u{1b}[31m",
        "<svg onload=x>",
        "\0",
        "é",
        " a ",
    ];
    use proptest::prelude::*;
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 1..12).prop_map(|parts| parts.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]

    /// Whatever stands in a request, a task, a tool's name, its output and the closing text: a page has the tags of its
    /// template and no other, and what a browser would run is not among them.
    #[test]
    fn no_text_breaks_out_of_a_page(asked in hostile(), task in hostile(), tool in hostile(), output in hostile()) {
        use serde_json::json;
        use turnpoint::{pipeline, source::open::Input, text::template::Templates};
        let todos = |status: &str| json!({"todos": [{"content": task, "priority": "high", "status": status}]});
        let line = |text: &str| text.replace(['\n', '\0'], " ");
        let log = format!(
            "<msg id=1>\n[user] please do {}\n\n<msg id=2>\n[assistant] [todowrite] {}\n\n<msg id=3>\n[assistant] [bash] {}\nerror: {}\n\n\
             <msg id=4>\n[assistant] [{}] {{}}\nok\n\n<msg id=5>\n[assistant] [todowrite] {}\n\n<msg id=6>\n[assistant] Done: {} works.\n",
            line(&asked), todos("in_progress"), json!({"command": output}), line(&output), line(&tool).replace(']', ""),
            todos("completed"), line(&asked),
        );
        let input = Input::from_bytes("log.txt", log.into_bytes());
        let reading = pipeline::read(&input, Default::default()).unwrap();
        let session = &reading.sessions[0];
        let analysis = pipeline::analyze(session, &Default::default());
        let order = pipeline::Order {
            kind: turnpoint::model::article::ArticleKind::Retrospective,
            subject: None,
            words: 900,
            log: "log.txt",
            input: "0",
            flavour: Default::default(),
            pictures: "",
            most_bytes: None,
        };
        let templates = Templates::new(&[]).unwrap();
        if let Ok(written) = pipeline::write(session, &analysis, &order, &templates) {
            let page = pipeline::page(session, &written.article, &order, &templates).unwrap();
            let name = |tag: &String| tag.split([' ', '/']).next().unwrap().to_string();
            for tag in tags(&page) {
                proptest::prop_assert!(KNOWN_TAGS.split(' ').any(|known| known == name(&tag)), "<{}>", tag);
                let bare = VALUE.replace_all(&tag, "");
                proptest::prop_assert!(!bare.contains(" on"), "<{}>", tag);
            }
            proptest::prop_assert!(!page.contains(['\u{202e}', '\u{1b}', '\0']), "something hidden");
            proptest::prop_assert_eq!(page.matches("</style>").count(), 1);
        }
    }
}
