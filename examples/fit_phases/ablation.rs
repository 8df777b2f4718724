//! What each part of the table is worth, measured on sessions that were left out.

use std::borrow::Cow;

use turnpoint::{
    infer::fit::{self, Agreement, Labelled},
    model::phase::PhaseKind,
};

use crate::{
    folds::{self, Ground, agreement},
    labels::Session,
};

/// Cues that rest on task lists, by how their names begin.
const TODO: &[&str] = &["active:", "after-todo:", "list:", "todo:"];
/// Cues that rest on user messages.
const USER: &[&str] = &["act:ask", "asked:", "ends:ask", "starts:ask", "turn:", "user:"];

/// Phases of a session by a table.
type Decode = fn(&Labelled, &str) -> Result<Vec<(PhaseKind, bool)>, String>;

/// The table, as Markdown.
pub fn table(sessions: &[Session], ground: &Ground) -> Result<String, String> {
    let mut text =
        String::from("| weights | boundaries F1 | kappa | segments F1 | drawn |\n|---|---:|---:|---:|---:|\n");
    let all: Vec<&Session> = sessions.iter().collect();
    let by_hand = |decode: Decode| agreement(&all, |session| decode(&session.labelled, &ground.table));
    text += &row("by hand, each step alone", &by_hand(fit::step_by_step)?);
    text += &row("by hand", &by_hand(fit::decoded)?);
    text += &row("fitted", &fitted(sessions, ground, &[], fit::decoded)?);
    text += &row("fitted, without cues of task lists", &fitted(sessions, ground, TODO, fit::decoded)?);
    text += &row("fitted, without cues of user messages", &fitted(sessions, ground, USER, fit::decoded)?);
    text += &row("fitted, each step alone", &fitted(sessions, ground, &[], fit::step_by_step)?);
    Ok(text)
}

fn row(name: &str, sum: &Agreement) -> String {
    let (boundaries, kappa, segments) = (sum.boundaries(), sum.kappa(), sum.segments());
    format!("| {name} | {boundaries:.3} | {kappa:.3} | {segments:.3} | {} of {} |\n", sum.drawn, sum.labelled)
}

/// Leaves each session and its relatives out in turn; cues of the families are struck out everywhere.
fn fitted(sessions: &[Session], ground: &Ground, without: &[&str], decode: Decode) -> Result<Agreement, String> {
    let sessions: Vec<Session> = sessions.iter().map(|session| session.without(without)).collect();
    let mut sum = Agreement::default();
    for (session, fitted) in folds::left_out(&sessions, ground)? {
        sum.add(&Agreement::of(&session.labelled, &decode(&session.labelled, &fitted.table)?));
    }
    Ok(sum)
}

impl Session {
    /// The same without the cues whose names begin so.
    fn without(&self, families: &[&str]) -> Self {
        let mut session = self.clone();
        for step in &mut session.labelled.cues {
            let stays = |cue: &(Cow<'static, str>, f64)| !families.iter().any(|family| cue.0.starts_with(family));
            step.here.retain(stays);
            step.cut.retain(stays);
        }
        session
    }
}
