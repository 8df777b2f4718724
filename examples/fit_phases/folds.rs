//! Fits with some sessions left out, and chooses the settings within those that are not.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use turnpoint::{
    infer::{
        self, Options,
        fit::{self, Agreement, Labelled, Ranked, Settings},
    },
    model::phase::PhaseKind,
};

use crate::labels::Session;

/// A fitted table and the settings that it was fitted with.
#[derive(Clone)]
pub struct Fitted {
    /// Its text.
    pub table: String,
    /// Chosen on the sessions that it was fitted on.
    pub settings: Settings,
}

impl Fitted {
    /// What it makes of a session.
    pub fn decoded(&self, session: &Labelled) -> Result<Vec<(PhaseKind, bool)>, String> {
        fit::decoded(session, &self.table)
    }
}

/// How strongly numbers may be held to where they began.
const PULLS: [f64; 3] = [5.0, 10.0, 20.0];
/// What a boundary may gain after the fit.
const BOUNDARIES: [f64; 8] = [0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];
/// Parts into which the sessions are split to choose the settings.
const PARTS: usize = 4;

/// What every fit begins with.
pub struct Ground {
    /// The table that a person set.
    pub table: String,
    /// The literate cases of the repository. They are invented, and so never left out.
    pub cases: Vec<Labelled>,
}

/// How often each case is looked at for once that a session is: they are short.
const CASES: usize = 4;

/// Each session with the table that was fitted without it and its relatives.
pub fn left_out<'a>(sessions: &'a [Session], ground: &Ground) -> Result<Vec<(&'a Session, Fitted)>, String> {
    let without = |relatives: &&str| {
        let others: Vec<&Session> = sessions.iter().filter(|s| s.relatives != **relatives).collect();
        let mut fitted = chosen_and_fitted(&others, ground)?;
        fitted.table = with_ranking(&others, &fitted.table);
        Ok((relatives.to_string(), fitted))
    };
    let all: Vec<&Session> = sessions.iter().collect();
    let fitted: BTreeMap<String, Fitted> = families(&all).par_iter().map(without).collect::<Result<_, String>>()?;
    Ok(sessions.iter().map(|session| (session, fitted[&session.relatives].clone())).collect())
}

/// Names of the sessions that are left out together.
fn families<'a>(sessions: &[&'a Session]) -> Vec<&'a str> {
    sessions.iter().map(|s| s.relatives.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Chooses the settings on sessions and fits on all of them.
pub fn chosen_and_fitted(sessions: &[&Session], ground: &Ground) -> Result<Fitted, String> {
    let settings = chosen(sessions, ground)?;
    Ok(Fitted { table: ground.fit(sessions, settings)?, settings })
}

/// How strongly the numbers of the ranking are held to where they began.
const RANKING_PULL: f64 = 3.0;

/// The same table with its ranking fitted to the turning points of the sessions, among the candidates that the table's own
/// phases give.
pub fn with_ranking(sessions: &[&Session], table: &str) -> String {
    let mut options = Options::default();
    options.weights = Some(table.to_string());
    let ranked = |session: &&Session| {
        let findings = infer::run(&session.log.0, &session.log.1, &options);
        Ranked { candidates: findings.turn_cues, turns: session.turns.clone() }
    };
    let ranked: Vec<Ranked> = sessions.iter().map(ranked).collect();
    fit::fit_ranking(&ranked.iter().collect::<Vec<_>>(), table, RANKING_PULL)
}

impl Ground {
    fn fit(&self, sessions: &[&Session], settings: Settings) -> Result<String, String> {
        let cases = (0..CASES).flat_map(|_| &self.cases);
        let labelled: Vec<&Labelled> = sessions.iter().map(|session| &session.labelled).chain(cases).collect();
        fit::fit(&labelled, &self.table, settings)
    }
}

/// Settings for parts that are left out in turn: boundaries are made so likely that as many are drawn as readers drew, and
/// the numbers are held as strongly as does best by the sum of the three measures.
fn chosen(sessions: &[&Session], ground: &Ground) -> Result<Settings, String> {
    let families = families(sessions);
    let part = |session: &Session| families.iter().position(|r| *r == session.relatives).unwrap_or(0) % PARTS;
    let mut best = (f64::NEG_INFINITY, Settings { pull: PULLS[0], boundary: 0.0 });
    for pull in PULLS {
        let mut counts = [Agreement::default(); BOUNDARIES.len()];
        for at in 0..PARTS {
            let (tested, fitted): (Vec<&Session>, Vec<&Session>) = sessions.iter().partition(|s| part(s) == at);
            let fitted = ground.fit(&fitted, Settings { pull, boundary: 0.0 })?;
            for (count, boundary) in counts.iter_mut().zip(BOUNDARIES) {
                let table = fit::with_boundary(&fitted, boundary);
                count.add(&agreement(&tested, |session| fit::decoded(&session.labelled, &table))?);
            }
        }
        let drawn = |at: &usize| counts[*at].drawn.abs_diff(counts[*at].labelled);
        let at = (0..BOUNDARIES.len()).min_by_key(drawn).unwrap_or(0);
        let sum = counts[at].boundaries() + counts[at].kappa() + counts[at].segments();
        if sum > best.0 {
            best = (sum, Settings { pull, boundary: BOUNDARIES[at] });
        }
    }
    Ok(best.1)
}

/// How well what is found agrees with the labels.
pub fn agreement(
    sessions: &[&Session],
    found: impl Fn(&Session) -> Result<Vec<(PhaseKind, bool)>, String>,
) -> Result<Agreement, String> {
    let mut sum = Agreement::default();
    for session in sessions {
        sum.add(&Agreement::of(&session.labelled, &found(session)?));
    }
    Ok(sum)
}

/// The measures in a line.
pub fn measured(
    sessions: &[&Session],
    found: impl Fn(&Session) -> Result<Vec<(PhaseKind, bool)>, String>,
) -> Result<String, String> {
    let sum = agreement(sessions, found)?;
    let (boundaries, kappa, segments) = (sum.boundaries(), sum.kappa(), sum.segments());
    Ok(format!(
        "F1@2 {boundaries:.3}, kappa {kappa:.3}, segment F1 {segments:.3}, {} of {} boundaries",
        sum.drawn, sum.labelled
    ))
}
