//! Joint decoding: the best sequence of phases under additive scores, in linear time, and how clear it is.
//!
//! Each phase is a short chain of sub-states that counts its steps; leaving early costs. So a stretch of one or two
//! steps needs more evidence than a long one, without a table of lengths. Knows nothing of sessions: only numbers.

/// How many kinds of phase there are.
pub const KINDS: usize = 17;

/// Longest chain of sub-states.
pub const STATES: usize = 4;

/// Scores of one session, ready to decode.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Score of each kind at each step.
    pub emission: Vec<[f64; KINDS]>,
    /// Score of beginning each kind at each step; the first row is not used.
    pub cut: Vec<[f64; KINDS]>,
    /// Score of going from one kind to another (or beginning the same anew).
    pub transition: Vec<[f64; KINDS]>,
    /// Score of beginning the session with a kind.
    pub start: [f64; KINDS],
    /// Sub-states of each kind, 1 to [`STATES`].
    pub states: [usize; KINDS],
    /// Cost of leaving a kind one sub-state early.
    pub early: [f64; KINDS],
    /// Whether a step counts towards the length of its phase.
    pub counts: Vec<bool>,
    /// Whether a phase that begins here may be short.
    pub short_allowed: Vec<bool>,
}

/// A decoded step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// Position of the kind.
    pub kind: usize,
    /// Whether a phase begins here.
    pub begins: bool,
}

/// How clear the labels and boundaries are, 0–1, by forward–backward.
#[derive(Clone, Debug, Default)]
pub struct Posterior {
    /// Probability, under the scores, of each kind at each step.
    pub label: Vec<[f64; KINDS]>,
    /// Probability that a phase of the kind begins at each step.
    pub begins: Vec<[f64; KINDS]>,
}

/// Value of each sub-state of each kind.
type Row = [[f64; STATES]; KINDS];

const NEVER: f64 = f64::NEG_INFINITY;
const EMPTY: Row = [[NEVER; STATES]; KINDS];

impl Problem {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.emission.len()
    }

    /// Whether there is nothing to decode.
    pub fn is_empty(&self) -> bool {
        self.emission.is_empty()
    }

    /// The sub-state in which a phase begins at a step: where it may be short, the last one.
    fn entry(&self, step: usize, kind: usize) -> usize {
        if self.short_allowed[step] { self.states[kind] - 1 } else { 0 }
    }

    /// The sub-state after one more step.
    fn next(&self, step: usize, kind: usize, state: usize) -> usize {
        if self.counts[step] { (state + 1).min(self.states[kind] - 1) } else { state }
    }

    /// What leaving a kind from a sub-state costs, as a negative score.
    fn exit(&self, kind: usize, state: usize) -> f64 {
        -self.early[kind] * (self.states[kind] - 1 - state) as f64
    }

    fn opening(&self) -> Row {
        let mut row = EMPTY;
        for (kind, states) in row.iter_mut().enumerate() {
            states[self.entry(0, kind)] = self.start[kind] + self.emission[0][kind];
        }
        row
    }
}

/// Where the best path into a sub-state came from: the state before, in the same phase or another.
#[derive(Clone, Copy)]
struct From {
    kind: u8,
    state: u8,
    begins: bool,
}

/// The best sequence. Ties go to the kind listed first, and to staying.
pub fn best(problem: &Problem) -> Vec<Decoded> {
    if problem.is_empty() {
        return Vec::new();
    }
    let mut row = problem.opening();
    let mut back: Vec<[[From; STATES]; KINDS]> = Vec::with_capacity(problem.len());
    for step in 1..problem.len() {
        let (next, from) = advance(problem, step, &row);
        row = next;
        back.push(from);
    }
    let (kind, state, _) = best_end(&row);
    trace(&back, kind, state)
}

fn advance(problem: &Problem, step: usize, row: &Row) -> (Row, [[From; STATES]; KINDS]) {
    let mut next = EMPTY;
    let mut from = [[From { kind: 0, state: 0, begins: false }; STATES]; KINDS];
    for kind in 0..KINDS {
        for (state, value) in row[kind].iter().enumerate().take(problem.states[kind]) {
            let to = problem.next(step, kind, state);
            if *value > next[kind][to] {
                next[kind][to] = *value;
                from[kind][to] = From { kind: kind as u8, state: state as u8, begins: false };
            }
        }
    }
    let exits: Vec<(f64, usize)> = (0..KINDS).map(|kind| best_exit(problem, row, kind)).collect();
    for kind in 0..KINDS {
        let to = problem.entry(step, kind);
        for (before, (value, state)) in exits.iter().enumerate() {
            let value = value + problem.transition[before][kind] + problem.cut[step][kind];
            if value > next[kind][to] {
                next[kind][to] = value;
                from[kind][to] = From { kind: before as u8, state: *state as u8, begins: true };
            }
        }
        for value in &mut next[kind] {
            *value += problem.emission[step][kind];
        }
    }
    (next, from)
}

fn best_exit(problem: &Problem, row: &Row, kind: usize) -> (f64, usize) {
    let mut best = (NEVER, 0);
    for (state, value) in row[kind].iter().enumerate().take(problem.states[kind]) {
        let value = value + problem.exit(kind, state);
        if value > best.0 {
            best = (value, state);
        }
    }
    best
}

fn best_end(row: &Row) -> (usize, usize, f64) {
    let mut best = (0, 0, NEVER);
    for (kind, states) in row.iter().enumerate() {
        for (state, value) in states.iter().enumerate() {
            if *value > best.2 {
                best = (kind, state, *value);
            }
        }
    }
    best
}

fn trace(back: &[[[From; STATES]; KINDS]], mut kind: usize, mut state: usize) -> Vec<Decoded> {
    let mut path = Vec::with_capacity(back.len() + 1);
    for from in back.iter().rev() {
        let origin = from[kind][state];
        path.push(Decoded { kind, begins: origin.begins });
        (kind, state) = (origin.kind as usize, origin.state as usize);
    }
    path.push(Decoded { kind, begins: true });
    path.reverse();
    path
}

/// Forward–backward over the same scores.
pub fn posterior(problem: &Problem) -> Posterior {
    if problem.is_empty() {
        return Posterior::default();
    }
    let forward = forward(problem);
    let total = log_sum(forward[problem.len() - 1].iter().flatten().copied());
    let mut result = Posterior { label: Vec::new(), begins: Vec::new() };
    let mut backward = [[0.0; STATES]; KINDS];
    for step in (0..problem.len()).rev() {
        result.label.push(labels(problem, &forward[step], &backward, total));
        result.begins.push(beginnings(problem, step, &forward, &backward, total));
        if step > 0 {
            backward = retreat(problem, step, &backward);
        }
    }
    result.label.reverse();
    result.begins.reverse();
    result
}

fn forward(problem: &Problem) -> Vec<Row> {
    let mut rows = vec![problem.opening()];
    for step in 1..problem.len() {
        let last = &rows[step - 1];
        let exits = exits(problem, last);
        let mut next = EMPTY;
        for kind in 0..KINDS {
            for (state, value) in last[kind].iter().enumerate().take(problem.states[kind]) {
                let to = problem.next(step, kind, state);
                next[kind][to] = add_logs(next[kind][to], *value);
            }
            let entered = log_sum((0..KINDS).map(|before| exits[before] + problem.transition[before][kind]));
            let to = problem.entry(step, kind);
            next[kind][to] = add_logs(next[kind][to], entered + problem.cut[step][kind]);
            for value in &mut next[kind] {
                *value += problem.emission[step][kind];
            }
        }
        rows.push(next);
    }
    rows
}

/// Summed score of leaving each kind after a row.
fn exits(problem: &Problem, row: &Row) -> [f64; KINDS] {
    std::array::from_fn(|kind| {
        log_sum((0..problem.states[kind]).map(|state| row[kind][state] + problem.exit(kind, state)))
    })
}

/// Backward values of the step before `step`.
fn retreat(problem: &Problem, step: usize, after: &Row) -> Row {
    let entered: [f64; KINDS] = std::array::from_fn(|kind| {
        problem.cut[step][kind] + problem.emission[step][kind] + after[kind][problem.entry(step, kind)]
    });
    std::array::from_fn(|kind| {
        let left = log_sum((0..KINDS).map(|next| problem.transition[kind][next] + entered[next]));
        std::array::from_fn(|state| {
            if state >= problem.states[kind] {
                return NEVER;
            }
            let stay = problem.emission[step][kind] + after[kind][problem.next(step, kind, state)];
            add_logs(stay, problem.exit(kind, state) + left)
        })
    })
}

fn labels(problem: &Problem, forward: &Row, backward: &Row, total: f64) -> [f64; KINDS] {
    std::array::from_fn(|kind| {
        let all = (0..problem.states[kind]).map(|state| forward[kind][state] + backward[kind][state]);
        (log_sum(all) - total).exp()
    })
}

fn beginnings(problem: &Problem, step: usize, forward: &[Row], backward: &Row, total: f64) -> [f64; KINDS] {
    if step == 0 {
        return labels(problem, &forward[0], backward, total);
    }
    let exits = exits(problem, &forward[step - 1]);
    std::array::from_fn(|kind| {
        let entered = log_sum((0..KINDS).map(|before| exits[before] + problem.transition[before][kind]));
        let here = problem.cut[step][kind] + problem.emission[step][kind] + backward[kind][problem.entry(step, kind)];
        (entered + here - total).exp()
    })
}

/// ln(eᵃ + eᵇ).
fn add_logs(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == NEVER { high } else { high + (low - high).exp().ln_1p() }
}

/// ln of the sum of the exponentials.
fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let high = values.clone().fold(NEVER, f64::max);
    if high == NEVER { NEVER } else { high + values.map(|v| (v - high).exp()).sum::<f64>().ln() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flat(steps: usize) -> Problem {
        Problem {
            emission: vec![[0.0; KINDS]; steps],
            cut: vec![[-2.0; KINDS]; steps],
            transition: vec![[0.0; KINDS]; KINDS],
            start: [0.0; KINDS],
            states: [3; KINDS],
            early: [1.0; KINDS],
            counts: vec![true; steps],
            short_allowed: vec![false; steps],
        }
    }

    /// Score of a sequence, the long way.
    fn score(problem: &Problem, path: &[Decoded]) -> f64 {
        let mut total = problem.start[path[0].kind] + problem.emission[0][path[0].kind];
        let mut state = problem.entry(0, path[0].kind);
        for step in 1..path.len() {
            let (before, now) = (path[step - 1].kind, path[step]);
            if now.begins {
                total += problem.exit(before, state) + problem.transition[before][now.kind];
                total += problem.cut[step][now.kind];
                state = problem.entry(step, now.kind);
            } else {
                state = problem.next(step, now.kind, state);
            }
            total += problem.emission[step][now.kind];
        }
        total
    }

    fn arbitrary() -> impl Strategy<Value = Problem> {
        (2usize..6).prop_flat_map(|steps| {
            let rows = proptest::collection::vec(proptest::array::uniform17(-3.0..3.0f64), steps);
            let flags = proptest::collection::vec(any::<bool>(), steps);
            (rows, flags.clone(), flags).prop_map(move |(emission, counts, short_allowed)| Problem {
                emission,
                counts,
                short_allowed,
                ..flat(steps)
            })
        })
    }

    proptest! {
        #[test]
        fn posteriors_sum_to_one(problem in arbitrary()) {
            let posterior = posterior(&problem);
            for row in &posterior.label {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            for row in &posterior.begins {
                prop_assert!(row.iter().sum::<f64>() < 1.0 + 1e-9);
            }
        }

        #[test]
        fn no_single_change_beats_the_best(problem in arbitrary()) {
            let path = best(&problem);
            let top = score(&problem, &path);
            for step in 0..path.len() {
                for kind in 0..KINDS {
                    let mut other = path.clone();
                    other[step] = Decoded { kind, begins: true };
                    if let Some(next) = other.get_mut(step + 1) {
                        next.begins = true;
                    }
                    prop_assert!(score(&problem, &other) <= top + 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_blip_stays_in_its_phase() {
        let mut problem = flat(12);
        for row in &mut problem.emission {
            row[4] = 1.0;
        }
        problem.emission[6][7] = 3.0;
        assert!(best(&problem).iter().all(|d| d.kind == 4));
    }
}
