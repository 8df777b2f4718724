//! Patterns of lines: spelled, compiled, and what the names of their groups say.

use crate::text::pattern::{Regex, RegexSet};

use super::rule::{Beside, Give, Kinds, Rule};

/// `[-+]1,234.5e-06`
const NUMBER: &str = r"[-+−]?(?:\d[\d,']*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?";
/// A number and a word behind it.
const QUANTITY: &str = r"[-+−]?(?:\d[\d,']*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s?(?:[%A-Za-zµμ][\w/µμ%]*)?";

/// A pattern in which `{n}` is a number and `{q}` a number with the unit that is printed behind it.
pub fn pattern(text: &str) -> Regex {
    Regex::new(&spelled(text)).expect("fixed pattern")
}

fn spelled(text: &str) -> String {
    text.replace("{n}", NUMBER).replace("{q}", QUANTITY)
}

/// The pattern of a rule: for the whole line, blanks around it aside, unless it says itself where it begins.
fn whole(like: &str) -> String {
    if like.starts_with('^') { spelled(like) } else { format!(r"^\s*(?:{})\s*$", spelled(like)) }
}

/// Rules, compiled.
#[derive(Debug)]
pub struct Patterns {
    /// All patterns, in the order of the rules.
    pub set: RegexSet,
    /// Each by itself.
    pub each: Vec<Regex>,
    /// Patterns within a line.
    pub inner: Vec<(&'static str, Regex)>,
    /// What the names of the groups say, by rule.
    pub named: Vec<Named>,
}

/// What the names of a rule's groups say.
#[derive(Default)]
pub struct Named {
    /// Figures, each with the groups beside it.
    pub figures: Vec<Give>,
    /// Parameters: the group and its name.
    pub params: Vec<(usize, String)>,
}

impl std::fmt::Debug for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} figures, {:?}", self.figures.len(), self.params)
    }
}

impl Patterns {
    /// Compiles rules, whose named groups are these figures or parameters.
    pub fn new(rules: &[Rule], figures: &[Give]) -> Self {
        let all: Vec<String> = rules.iter().map(|rule| whole(&rule.like)).collect();
        let each: Vec<Regex> = all.iter().map(|p| Regex::new(p).expect("fixed pattern")).collect();
        let inner = rules.iter().flat_map(|rule| rule.gives).filter_map(|give| match give.kind {
            Kinds::Each(like, _) => Some((like, Regex::new(like).expect("fixed pattern"))),
            _ => None,
        });
        let (inner, named) = (inner.collect(), each.iter().map(|pattern| Named::of(pattern, figures)).collect());
        Patterns { set: RegexSet::new(&all).expect("fixed patterns"), each, inner, named }
    }
}

impl Named {
    fn of(pattern: &Regex, figures: &[Give]) -> Self {
        let group = |name: &str| pattern.capture_names().position(|n| n == Some(name)).unwrap_or(0);
        let mut all = Named::default();
        for (at, name) in pattern.capture_names().enumerate().filter_map(|(at, name)| Some((at, name?))) {
            if let Some(figure) = figures.iter().find(|figure| figure.key == name) {
                let end = |end: &str| group(&format!("{name}{end}"));
                let beside =
                    Beside { unit: end("_unit"), spread: end("_pm"), lo: end("_lo"), hi: end("_hi"), times: 0 };
                all.figures.push(Give { group: at, beside, ..*figure });
            } else if !["_lo", "_hi", "_pm", "_unit"].iter().any(|end| name.ends_with(end)) {
                all.params.push((at, name.to_string()));
            }
        }
        all
    }
}
