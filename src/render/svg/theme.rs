//! Colours. They can be told apart by people who see fewer of them, and no meaning rests on them alone: rows have names,
//! marks have shapes, lines have dashes.

use crate::model::phase::PhaseKind;

/// For which background a picture is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// A light page.
    Light,
    /// A dark page.
    Dark,
}

impl Theme {
    /// Both, in the order in which files are written.
    pub const ALL: [Theme; 2] = [Theme::Light, Theme::Dark];

    /// Word of it, as in file names.
    pub fn word(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// A role that a colour plays; what is drawn names roles only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Behind everything.
    Ground,
    /// Text and marks.
    Ink,
    /// Text of less weight.
    Muted,
    /// Lines of the grid.
    Grid,
    /// The line that a picture is about.
    Accent,
    /// A second line.
    Second,
    /// A third line.
    Third,
    /// What a phase serves.
    Phase(PhaseKind),
}

/// Roles that are no phases, light and dark.
#[rustfmt::skip]
const COLOURS: &[(Role, &str, &str)] = &[
    (Role::Ground, "#ffffff", "#0d1117"),
    (Role::Ink,    "#1f2328", "#e6edf3"),
    (Role::Muted,  "#59636e", "#9aa4af"),
    (Role::Grid,   "#d8dee4", "#30363d"),
    (Role::Accent, "#0b5cad", "#6cb6ff"),
    (Role::Second, "#b3400e", "#f0a35e"),
    (Role::Third,  "#1a7f5a", "#56d4a4"),
];

/// Groups of phases, light and dark.
#[rustfmt::skip]
const GROUPS: &[(&str, &str, &str)] = &[
    ("understand", "#4477aa", "#7fb2e5"),
    ("prepare",    "#107f96", "#66ccee"),
    ("build",      "#228833", "#5cc46c"),
    ("ship",       "#8a6d00", "#d6c04a"),
    ("check",      "#c23340", "#ee7785"),
    ("measure",    "#aa3377", "#dd77bb"),
    ("close",      "#6b5b95", "#b7a6e0"),
    ("other",      "#6b6b6b", "#bbbbbb"),
];

/// The colour of a role.
pub fn colour(theme: Theme, role: Role) -> &'static str {
    let row = match role {
        Role::Phase(kind) => GROUPS.iter().find(|row| row.0 == kind.group()).map(|row| (row.1, row.2)),
        role => COLOURS.iter().find(|row| row.0 == role).map(|row| (row.1, row.2)),
    };
    let (light, dark) = row.expect("every role has a row");
    match theme {
        Theme::Light => light,
        Theme::Dark => dark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast as the accessibility guidelines of the web compute it.
    fn contrast(a: &str, b: &str) -> f64 {
        let light = |colour: &str| {
            let channel = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_marks_stand_out() {
        for theme in Theme::ALL {
            let on_ground = |role| contrast(colour(theme, role), colour(theme, Role::Ground));
            for role in [Role::Ink, Role::Muted, Role::Accent, Role::Second, Role::Third] {
                assert!(on_ground(role) >= 4.5, "{theme:?} {role:?} {}", on_ground(role));
            }
            for kind in PhaseKind::ALL {
                assert!(on_ground(Role::Phase(kind)) >= 3.0, "{theme:?} {kind:?}");
            }
        }
    }
}
