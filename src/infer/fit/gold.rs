//! The labels of a session as a path of the decoder: where several kinds count as right, those that the scores like best.

use super::Labelled;
use crate::infer::decode::{Decoded, Problem};

/// A segment's best score with a kind, and which choice for the segment before it led there.
type Choice = (f64, usize, usize);

/// The best path with exactly the labelled boundaries and accepted kinds.
pub fn path(labelled: &Labelled, problem: &Problem) -> Vec<Decoded> {
    let starts: Vec<usize> = (0..problem.len()).filter(|step| labelled.begins[*step]).collect();
    let mut rows: Vec<Vec<Choice>> = Vec::with_capacity(starts.len());
    for (i, &from) in starts.iter().enumerate() {
        let to = starts.get(i + 1).copied().unwrap_or(problem.len());
        let choice = |kind: usize| {
            let (before, back) = rows.last().map_or((problem.start[kind], 0), |last| best_before(problem, last, kind));
            let cut = if i > 0 { problem.cut[from][kind] } else { 0.0 };
            (before + cut + problem.stretch(kind, from..to), kind, back)
        };
        let row = labelled.accepted[from].iter().map(|kind| choice(kind.index())).collect();
        rows.push(row);
    }
    let kinds = trace(&rows);
    let mut segment = 0;
    let step = |step: usize| {
        segment += usize::from(step > 0 && labelled.begins[step]);
        Decoded { kind: kinds[segment], begins: labelled.begins[step] }
    };
    (0..problem.len()).map(step).collect()
}

fn best_before(problem: &Problem, last: &[Choice], kind: usize) -> (f64, usize) {
    let passages = last.iter().map(|(score, before, _)| score + problem.transition[*before][kind]);
    first_best(passages)
}

fn trace(rows: &[Vec<Choice>]) -> Vec<usize> {
    let mut at = rows.last().map_or(0, |row| first_best(row.iter().map(|choice| choice.0)).1);
    let mut kinds = Vec::with_capacity(rows.len());
    for row in rows.iter().rev() {
        kinds.push(row[at].1);
        at = row[at].2;
    }
    kinds.reverse();
    kinds
}

/// The highest value and its position; of equals the first.
fn first_best(values: impl Iterator<Item = f64>) -> (f64, usize) {
    let better = |best: (f64, usize), (at, value): (usize, f64)| if value > best.0 { (value, at) } else { best };
    values.enumerate().fold((f64::NEG_INFINITY, 0), better)
}
