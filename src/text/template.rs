//! The only door to Tera: built-in templates, embedded, and a user's own that replace them by name. It reads no files:
//! the caller hands the texts over. Numbers arrive formatted. For Markdown, texts arrive escaped and stay as they are; in
//! templates whose name ends in `.html` every value is escaped where it is printed.

use std::io::{self, Write};

use serde::Serialize;
use tera::{Context, ErrorKind, Tera};

use crate::base::error::Error;

/// The embedded templates: name and text. Adding one is a file in `templates/` and a row here.
#[rustfmt::skip]
pub const BUILT_IN: &[(&str, &str)] = &[
    ("article.html", include_str!("../../templates/article.html")),
    ("article.md", include_str!("../../templates/article.md")),
    ("index.html", include_str!("../../templates/index.html")),
    ("index.md", include_str!("../../templates/index.md")),
    ("page.html", include_str!("../../templates/page.html")),
    ("pieces.html", include_str!("../../templates/pieces.html")),
    ("style.css", include_str!("../../templates/style.css")),
];

/// Most bytes that one rendering may write. Templates may come from elsewhere, and Tera has no limit of its own.
pub const MOST_BYTES: usize = 16 << 20;

/// A set of templates, ready to render. Shared freely between threads.
#[derive(Clone, Debug)]
pub struct Templates {
    /// Prints values as they are.
    plain: Tera,
    /// Escapes every value for HTML, also in what a page includes.
    html: Tera,
}

impl Templates {
    /// The built-in templates; `own` holds a user's, name and text, which replace or join them.
    ///
    /// # Errors
    /// [`Error::Setup`] with file, line and column when a template is no valid one.
    ///
    /// ```
    /// use serde::Serialize;
    /// use turnpoint::text::template::Templates;
    ///
    /// #[derive(Serialize)]
    /// struct View {
    ///     name: &'static str,
    /// }
    /// let own = [("greeting.md".to_string(), "Hello, {{ name }}.".to_string())];
    /// let templates = Templates::new(&own).unwrap();
    /// assert_eq!(templates.render("greeting.md", &View { name: "reader" }).unwrap(), "Hello, reader.");
    /// ```
    pub fn new(own: &[(String, String)]) -> Result<Self, Error> {
        // Escaping for Markdown is done before, by `text::quote`, for the kind of text at hand.
        Ok(Self { plain: engine(own, &[])?, html: engine(own, &[""])? })
    }

    /// Renders a template with a view. A field that the template names and the view lacks is an error, not a blank.
    ///
    /// # Errors
    /// [`Error::Setup`] when there is no such template, when it names what the view does not hold, or when the result
    /// exceeds [`MOST_BYTES`].
    pub fn render(&self, name: &str, view: &impl Serialize) -> Result<String, Error> {
        let context = Context::from_serialize(view).map_err(|e| setup(&e))?;
        let mut out = Capped { bytes: Vec::new(), full: false };
        let engine = if name.ends_with(".html") { &self.html } else { &self.plain };
        let result = engine.render_to(name, &context, &mut out);
        if out.full {
            return Err(Error::Setup(format!("template {name}: writes more than {} MiB", MOST_BYTES >> 20)));
        }
        result.map_err(|e| setup(&e))?;
        Ok(String::from_utf8(out.bytes).expect("templates and values are UTF-8"))
    }
}

/// All templates in one engine, with values escaped in those whose names end so.
fn engine(own: &[(String, String)], escaped: &[&'static str]) -> Result<Tera, Error> {
    let mut engine = Tera::new();
    engine.autoescape_on(escaped.to_vec());
    let built_in = BUILT_IN.iter().map(|(name, text)| (*name, *text));
    let own = own.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    engine.add_raw_templates(built_in.chain(own)).map_err(|e| setup(&e))?;
    Ok(engine)
}

/// One line: `template article.md:3:7: message`, with Tera's own list of what would have been there.
fn setup(error: &tera::Error) -> Error {
    let text = match error.kind() {
        ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => {
            let span = report.span();
            format!("{}:{}:{}: {}", report.filename(), span.start_line, span.start_col + 1, report.message())
        }
        other => other.to_string(),
    };
    Error::Setup(format!("template {}", text.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// Collects bytes up to the cap.
struct Capped {
    bytes: Vec<u8>,
    full: bool,
}

impl Write for Capped {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + part.len() > MOST_BYTES {
            self.full = true;
            return Err(io::Error::other("the rendering is too long"));
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct View {
        word: &'static str,
    }

    fn with(text: &str) -> Result<Templates, Error> {
        Templates::new(&[("own.md".into(), text.into())])
    }

    fn render(text: &str) -> Result<String, Error> {
        with(text)?.render("own.md", &View { word: "a < b & c" })
    }

    #[test]
    fn values_are_not_escaped_again() {
        assert_eq!(render("{{ word }}").unwrap(), "a < b & c");
    }

    #[test]
    fn pages_escape_every_value_also_in_what_they_include() {
        let own = [("own.html", "{{ word }} {% include \"part.txt\" %}"), ("part.txt", "<i title=\"{{ word }}\">")]
            .map(|(name, text)| (name.to_string(), text.to_string()));
        let page = Templates::new(&own).unwrap().render("own.html", &View { word: "\"<b>&'" }).unwrap();
        assert_eq!(page, "&quot;&lt;b&gt;&amp;&#39; <i title=\"&quot;&lt;b&gt;&amp;&#39;\">");
    }

    #[test]
    fn a_template_of_the_users_own_replaces_the_built_in_one() {
        let own = [("article.md".to_string(), "mine: {{ word }}".to_string())];
        let text = Templates::new(&own).unwrap().render("article.md", &View { word: "x" }).unwrap();
        assert_eq!(text, "mine: x");
    }

    #[test]
    fn faults_name_file_line_and_column() {
        let fault = with("one\n{{ word").unwrap_err().to_string();
        assert!(fault.starts_with("template own.md:2:"), "{fault}");
        let fault = render("one\ntwo {{ nothing }}").unwrap_err().to_string();
        assert!(fault.starts_with("template own.md:2:8: ") && fault.contains("nothing"), "{fault}");
        assert!(!fault.contains('\n'), "{fault}");
    }

    #[test]
    fn a_template_that_never_ends_is_stopped() {
        let long = "{% for a in range(end=20000) %}{% for b in range(end=2000) %}{{ word }}{% endfor %}{% endfor %}";
        let fault = render(long).unwrap_err().to_string();
        assert!(fault.contains("16 MiB"), "{fault}");
    }

    #[test]
    fn an_unknown_template_is_named() {
        let fault = Templates::new(&[]).unwrap().render("none.md", &View { word: "" }).unwrap_err().to_string();
        assert!(fault.contains("none.md"), "{fault}");
    }
}
