//! The vocabulary of grammars: where a line may stand, and what its groups give.

use std::borrow::Cow;

use super::{Run, Seen};
use crate::{extract::bench::adapter::build::Spec, model::metric::Direction};

/// Where a line may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It begins a run.
    Begins,
    /// It begins a run where none is being read.
    Opens,
    /// Only within a run.
    Within,
    /// It is the last one of a run.
    Ends,
    /// Its parameters hold for the lines below, until one of the same level or an outer one (a lower number).
    Heads(u8),
}

/// One kind of line.
#[derive(Clone)]
pub struct Rule {
    /// Its pattern.
    pub(super) like: Cow<'static, str>,
    /// Where it may stand.
    pub(super) place: Place,
    /// What its groups give, besides what their names say.
    pub(super) gives: &'static [Give],
    /// Its name may stand on the line above.
    pub(super) above: bool,
}

const fn rule(like: &'static str, place: Place, gives: &'static [Give]) -> Rule {
    Rule { like: Cow::Borrowed(like), place, gives, above: false }
}

/// A line that begins a run.
pub const fn begins(like: &'static str, gives: &'static [Give]) -> Rule {
    rule(like, Place::Begins, gives)
}

/// A line that begins a run where none is being read, and belongs to the one that is.
pub const fn opens(like: &'static str, gives: &'static [Give]) -> Rule {
    rule(like, Place::Opens, gives)
}

/// A line within a run.
pub const fn line(like: &'static str, gives: &'static [Give]) -> Rule {
    rule(like, Place::Within, gives)
}

/// The line that ends a run.
pub const fn ends(like: &'static str, gives: &'static [Give]) -> Rule {
    rule(like, Place::Ends, gives)
}

/// A line whose groups say by their names what they give.
pub fn tells(like: impl Into<String>) -> Rule {
    Rule { like: Cow::Owned(like.into()), place: Place::Within, gives: &[], above: false }
}

/// A line whose parameters hold for those below it; an outer level has a lower number.
pub fn heads(level: u8, like: impl Into<String>) -> Rule {
    Rule { place: Place::Heads(level), ..tells(like) }
}

/// A line that is the tool's and says nothing.
pub const fn noise(like: &'static str) -> Rule {
    line(like, &[])
}

impl Rule {
    /// Its name may stand on the line above, where that is not the tool's otherwise.
    pub fn named_above(self) -> Self {
        Self { above: true, ..self }
    }

    /// What else its groups give.
    pub fn gives(self, gives: &'static [Give]) -> Self {
        Self { gives, ..self }
    }
}

/// How the direction of a figure is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Better {
    /// From its name and unit.
    ByName,
    /// It has none, or this.
    Told(Option<Direction>),
}

/// What kind of thing a group gives.
#[derive(Clone, Copy)]
pub(super) enum Kinds {
    Figure,
    Pairs,
    Setting,
    Whole,
    Quality,
    Section,
    Row(&'static [Spec]),
    Each(&'static str, &'static [Give]),
    Code(Code),
}

/// What a table cannot say.
pub type Code = fn(&mut Run, &Seen);

/// What a line gives. In names and units `$1` … `$9` stand for groups, `$~1` … for the same
/// without zeros at the end, `$s` for the section.
#[derive(Clone, Copy)]
pub struct Give {
    pub(super) kind: Kinds,
    /// The group; 0 where `key` names it.
    pub(super) group: usize,
    /// The name of the group.
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// The group that holds the unit, the spread, the bounds, a suffix by which it is multiplied; 0 for none.
    pub(super) beside: Beside,
    pub(super) better: Better,
    pub(super) stat: &'static str,
    pub(super) own: &'static [(&'static str, &'static str)],
    pub(super) derived: bool,
}

/// Groups that belong to the one of a figure; 0 for none.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside {
    pub unit: usize,
    pub spread: usize,
    pub lo: usize,
    pub hi: usize,
    pub times: usize,
}

const fn give(kind: Kinds, group: usize, name: &'static str) -> Give {
    Give {
        kind,
        group,
        key: "",
        name,
        unit: "",
        beside: Beside { unit: 0, spread: 0, lo: 0, hi: 0, times: 0 },
        better: Better::Told(None),
        stat: "",
        own: &[],
        derived: false,
    }
}

/// A figure without a direction, in the unit printed beside it.
pub const fn fig(group: usize, name: &'static str) -> Give {
    give(Kinds::Figure, group, name)
}

/// A figure in a group that has a name. Which way is better follows from name and unit unless it is said. The groups
/// `x_lo`, `x_hi`, `x_pm` and `x_unit` are bounds, spread and unit of figure `x`; every group that names no figure is a
/// parameter of those on its line.
pub const fn figure(key: &'static str, name: &'static str) -> Give {
    Give { key, better: Better::ByName, ..give(Kinds::Figure, 0, name) }
}

/// Values in a group, each named by the unit behind it.
pub const fn pairs(group: usize) -> Give {
    Give { better: Better::ByName, ..give(Kinds::Pairs, group, "") }
}

/// A setting of what follows in the run.
pub const fn setting(group: usize, name: &'static str) -> Give {
    give(Kinds::Setting, group, name)
}

/// A setting of the whole run, wherever in it it stands.
pub const fn whole(group: usize, name: &'static str) -> Give {
    give(Kinds::Whole, group, name)
}

/// A count that says whether the figures may be trusted.
pub const fn quality(group: usize, name: &'static str) -> Give {
    give(Kinds::Quality, group, name)
}

/// A heading: what `$s` stands for below it, and its unit (`=` in a figure's).
pub const fn section(name: &'static str, unit: &'static str) -> Give {
    give(Kinds::Section, 0, name).unit(unit)
}

/// A row of a table: the groups from the first on are its cells. A table goes on while its columns are the same.
pub const fn row(columns: &'static [Spec]) -> Give {
    give(Kinds::Row(columns), 0, "")
}

/// The same for every place in a group that a pattern fits; the groups are then those of the pattern.
pub const fn each(group: usize, like: &'static str, gives: &'static [Give]) -> Give {
    give(Kinds::Each(like, gives), group, "")
}

/// Read by a function.
pub const fn code(read: Code) -> Give {
    give(Kinds::Code(read), 0, "")
}

impl Give {
    /// The name of its group.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The unit where none is printed; `/s` is put behind the printed one, `=` is the section's.
    pub const fn unit(self, unit: &'static str) -> Self {
        Give { unit, ..self }
    }

    /// Less is better.
    pub const fn lower(self) -> Self {
        Give { better: Better::Told(Some(Direction::Lower)), ..self }
    }

    /// More is better.
    pub const fn higher(self) -> Self {
        Give { better: Better::Told(Some(Direction::Higher)), ..self }
    }

    /// Neither is better.
    pub const fn open(self) -> Self {
        Give { better: Better::Told(None), ..self }
    }

    /// The name and the unit say which way is better.
    pub const fn by_name(self) -> Self {
        Give { better: Better::ByName, ..self }
    }

    /// Statistic; without this the name says it.
    pub const fn stat(self, stat: &'static str) -> Self {
        Give { stat, ..self }
    }

    /// Parameters of this figure alone: names and what they are made of.
    pub const fn with(self, own: &'static [(&'static str, &'static str)]) -> Self {
        Give { own, ..self }
    }

    /// The group that holds its spread.
    pub const fn spread(self, group: usize) -> Self {
        Give { beside: Beside { spread: group, ..self.beside }, ..self }
    }

    /// The group that holds a suffix by which it is multiplied.
    pub const fn times(self, group: usize) -> Self {
        Give { beside: Beside { times: group, ..self.beside }, ..self }
    }

    /// A difference or ratio that the tool computed: neither way is better.
    pub const fn derived(self) -> Self {
        Give { derived: true, ..self }
    }
}
