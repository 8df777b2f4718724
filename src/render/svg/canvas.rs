//! What pictures are drawn on: shapes and text as SVG elements, top to bottom. The only file that writes markup, so that
//! nothing of a log can become any.

use super::{
    measure,
    theme::{Role, Theme, colour},
};
use crate::text::{number, quote};

/// Width of every picture; its height is what is drawn. Narrow, so that text can be read on a phone.
pub const WIDTH: f64 = 560.0;
/// Room at the edges.
pub const MARGIN: f64 = 14.0;
/// Size of plain text.
pub const TEXT: f64 = 13.0;
/// Size of text at axes and in keys.
pub const SMALL: f64 = 12.0;
/// Size of the title.
const TITLE: f64 = 15.0;
/// Bold text is wider by this.
const BOLD: f64 = 1.1;
/// From one line of small text to the next.
pub const LINE: f64 = 17.0;

/// Faces that are there without being loaded.
const FONTS: &str = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Noto Sans, Arial, sans-serif";

/// Where text begins relative to its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// At it.
    Start,
    /// Around it.
    Middle,
    /// It ends there.
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// Without gaps.
    Solid,
    /// Long pieces.
    Dashed,
    /// Short pieces.
    Dotted,
}

/// How a point is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A filled disc.
    Disc,
    /// A ring.
    Ring,
    /// A filled square.
    Square,
    /// A filled diamond.
    Diamond,
    /// A filled triangle that points up.
    Triangle,
    /// Two crossed lines.
    Cross,
}

/// A picture in the making.
pub struct Canvas {
    theme: Theme,
    body: String,
    /// Down to where it is drawn.
    pub y: f64,
}

impl Canvas {
    /// An empty one.
    pub fn new(theme: Theme) -> Self {
        Self { theme, body: String::new(), y: MARGIN }
    }

    /// The title, on two lines at most.
    pub fn heading(&mut self, title: &str) {
        for line in measure::wrap(&clean(title), TITLE * BOLD, WIDTH - 2.0 * MARGIN, 3) {
            self.y += TITLE;
            let fill = self.colour(Role::Ink);
            let at = format!("x=\"{}\" y=\"{}\"", n(MARGIN), n(self.y));
            let text = quote::markup(&line);
            self.push(&format!(
                "<text {at} font-size=\"{}\" font-weight=\"600\" fill=\"{fill}\">{text}</text>",
                n(TITLE)
            ));
            self.y += 5.0;
        }
        self.y += 4.0;
    }

    /// One line of text whose base is at a point; what has no room in `room` is left out with a mark.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, role: Role, size: f64, text: &str, room: f64) {
        let text = clean(text);
        let fill = format!("fill=\"{}\"", self.colour(role));
        self.letters(at, anchor, size, &fill, &measure::fit(&text, size, room));
    }

    /// A label over lines, which are kept off its letters.
    pub fn label(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let (ink, ground) = (self.colour(Role::Ink), self.colour(Role::Ground));
        let look = format!("fill=\"{ink}\" stroke=\"{ground}\" stroke-width=\"3\" paint-order=\"stroke\"");
        self.letters((x, y), anchor, SMALL, &look, &clean(text));
    }

    fn letters(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, look: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, size, text) = (n(x), n(y), n(size), quote::markup(text));
        self.push(&format!("<text x=\"{x}\" y=\"{y}\"{anchor} font-size=\"{size}\" {look}>{text}</text>"));
    }

    /// A line of small text over the whole width, below what is drawn.
    pub fn note(&mut self, text: &str) {
        for line in measure::wrap(&clean(text), SMALL, WIDTH - 2.0 * MARGIN, 3) {
            self.y += LINE;
            self.text((MARGIN, self.y), Anchor::Start, Role::Muted, SMALL, &line, WIDTH);
        }
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), role: Role, width: f64, stroke: Stroke) {
        self.path(&[from, to], role, width, stroke);
    }

    /// A line through points.
    pub fn path(&mut self, points: &[(f64, f64)], role: Role, width: f64, stroke: Stroke) {
        let dash = match stroke {
            Stroke::Solid => "",
            Stroke::Dashed => " stroke-dasharray=\"6 4\"",
            Stroke::Dotted => " stroke-dasharray=\"2 3\"",
        };
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect();
        let colour = self.colour(role);
        self.push(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>",
            points.join(" "),
            n(width)
        ));
    }

    /// A filled box.
    pub fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, role: Role) {
        let fill = self.colour(role);
        self.push(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\" fill=\"{fill}\"/>",
            n(x),
            n(y),
            n(width.max(1.5)),
            n(height)
        ));
    }

    /// A mark at a point.
    pub fn mark(&mut self, (x, y): (f64, f64), shape: Shape, role: Role, r: f64) {
        let (colour, ground) = (self.colour(role), self.colour(Role::Ground));
        let closed = |points: &[(f64, f64)]| {
            let points: Vec<String> =
                points.iter().map(|(dx, dy)| format!("{},{}", n(x + dx * r), n(y + dy * r))).collect();
            format!("<polygon points=\"{}\" fill=\"{colour}\"/>", points.join(" "))
        };
        let circle = |rest: &str| format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {rest}/>", n(x), n(y), n(r));
        let element = match shape {
            Shape::Disc => circle(&format!("fill=\"{colour}\"")),
            Shape::Ring => circle(&format!("fill=\"{ground}\" stroke=\"{colour}\" stroke-width=\"2\"")),
            Shape::Square => closed(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Shape::Diamond => closed(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]),
            Shape::Triangle => closed(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
            Shape::Cross => {
                let (a, b, c, d) = (n(x - r), n(x + r), n(y - r), n(y + r));
                format!(
                    "<path d=\"M{a} {c}L{b} {d}M{a} {d}L{b} {c}\" stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\"/>"
                )
            }
        };
        self.push(&element);
    }

    /// A disc with a few characters in it: the mark that a key explains.
    pub fn badge(&mut self, (x, y): (f64, f64), label: &str) {
        self.mark((x, y), Shape::Disc, Role::Ink, 8.5);
        self.text((x, y + 4.0), Anchor::Middle, Role::Ground, 11.0, label, 30.0);
    }

    /// The finished document.
    pub fn finish(self, slug: &str, title: &str, description: &str) -> String {
        let id = format!("tp-{}-{}", safe(slug), self.theme.word());
        let (title, description) = (quote::markup(title), quote::markup(description));
        let (w, h) = (n(WIDTH), n((self.y + MARGIN).ceil()));
        let ground = self.colour(Role::Ground);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\">\n\
             <title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-desc\">{description}</desc>\n\
             <rect width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"{ground}\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn colour(&self, role: Role) -> &'static str {
        colour(self.theme, role)
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

/// Text as it is shown, before it is measured.
fn clean(text: &str) -> String {
    quote::terminal_line(text)
}

/// Letters, digits and dashes of a name: what may stand in ids and file names.
pub fn safe(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

/// A coordinate: one decimal at most, so that the same picture has the same bytes everywhere.
fn n(value: f64) -> String {
    let text = number::fixed(if value.is_finite() { value } else { 0.0 }, 1);
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}
