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

    /// Score of staying in one kind over these steps, with leaving it after them unless the session ends there.
    pub fn stretch(&self, kind: usize, steps: std::ops::Range<usize>) -> f64 {
        let mut state = self.entry(steps.start, kind);
        for step in steps.start + 1..steps.end {
            state = self.next(step, kind, state);
        }
        let exit = if steps.end < self.len() { self.exit(kind, state) } else { 0.0 };
        exit + steps.map(|step| self.emission[step][kind]).sum::<f64>()
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

/// How many steps from the beginning are decided: however the session goes on after the first `known` steps, all paths
/// share them.
pub fn decided(problem: &Problem, known: usize) -> usize {
    if known == 0 || problem.is_empty() {
        return 0;
    }
    let mut row = problem.opening();
    let mut back = Vec::with_capacity(known);
    for step in 1..known {
        let (next, from) = advance(problem, step, &row);
        row = next;
        back.push(from);
    }
    let states = (0..KINDS).flat_map(|kind| (0..problem.states[kind]).map(move |state| (kind, state)));
    let mut live: Vec<(usize, usize)> = states.filter(|(kind, state)| row[*kind][*state] > NEVER).collect();
    for step in (0..known).rev() {
        if live.len() == 1 {
            return step + 1;
        }
        let Some(from) = step.checked_sub(1).map(|before| &back[before]) else { break };
        live = live.iter().map(|(kind, state)| from[*kind][*state]).map(|f| (f.kind.into(), f.state.into())).collect();
        live.sort_unstable();
        live.dedup();
    }
    0
}

fn advance(problem: &Problem, step: usize, row: &Row) -> (Row, [[From; STATES]; KINDS]) {
    let mut next = EMPTY;
    let mut from = [[From { kind: 0, state: 0, begins: false }; STATES]; KINDS];
    for kind in 0..KINDS {
        for (state, score) in row[kind].iter().enumerate().take(problem.states[kind]) {
            let to = problem.next(step, kind, state);
            if *score > next[kind][to] {
                next[kind][to] = *score;
                from[kind][to] = From { kind: kind as u8, state: state as u8, begins: false };
            }
        }
    }
    let exits: [(f64, usize); KINDS] = std::array::from_fn(|kind| best_exit(problem, row, kind));
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
    let mut result = Posterior::default();
    sweep(problem, |place| {
        result.label.push(place.labels());
        result.begins.push(place.beginnings());
    });
    result.label.reverse();
    result.begins.reverse();
    result
}

/// How often each kind follows each other, expected under the scores.
pub type Passages = [[f64; KINDS]; KINDS];

/// What [`posterior`] gives, with the passages from kind to kind: what a table is fitted by.
pub fn expected(problem: &Problem) -> (Posterior, Passages) {
    let mut result = Posterior::default();
    let mut passages = [[0.0; KINDS]; KINDS];
    sweep(problem, |place| {
        result.label.push(place.labels());
        result.begins.push(place.beginnings());
        place.add_passages(&mut passages);
    });
    result.label.reverse();
    result.begins.reverse();
    (result, passages)
}

/// A step between all paths that lead to it and all that lead away.
struct Place<'a> {
    problem: &'a Problem,
    step: usize,
    /// Values of the paths up to the step.
    row: &'a Row,
    /// How the step was entered; none for the first.
    entry: Option<&'a Entry>,
    /// Values of the paths after the step.
    after: &'a Row,
    total: f64,
    passage: &'a Passages,
}

/// The values with which phases end before a step and begin at it.
#[derive(Clone)]
struct Entry {
    exits: [f64; KINDS],
    entered: [f64; KINDS],
}

/// Goes back over the steps, from the last to the first, and shows each between what comes before and after.
fn sweep(problem: &Problem, mut each: impl FnMut(&Place)) {
    if problem.is_empty() {
        return;
    }
    // Sums over the kind before are taken outside the logarithm: the passages are the same at every step.
    let passage: Passages = std::array::from_fn(|from| std::array::from_fn(|to| problem.transition[from][to].exp()));
    let (rows, entries) = forward(problem, &passage);
    let total = log_sum(rows[problem.len() - 1].iter().flatten().copied());
    let mut after = [[0.0; STATES]; KINDS];
    for step in (0..problem.len()).rev() {
        let entry = step.checked_sub(1).map(|before| &entries[before]);
        each(&Place { problem, step, row: &rows[step], entry, after: &after, total, passage: &passage });
        if step > 0 {
            after = retreat(problem, step, &after, &passage);
        }
    }
}

fn forward(problem: &Problem, passage: &Passages) -> (Vec<Row>, Vec<Entry>) {
    let (mut rows, mut entries) = (vec![problem.opening()], Vec::with_capacity(problem.len()));
    for step in 1..problem.len() {
        let last = &rows[step - 1];
        let exits = exits(problem, last);
        let entered = through(&exits, |from, to| passage[from][to]);
        let mut next = EMPTY;
        for kind in 0..KINDS {
            for (state, score) in last[kind].iter().enumerate().take(problem.states[kind]) {
                let to = problem.next(step, kind, state);
                next[kind][to] = add_logs(next[kind][to], *score);
            }
            let to = problem.entry(step, kind);
            next[kind][to] = add_logs(next[kind][to], entered[kind] + problem.cut[step][kind]);
            for value in &mut next[kind] {
                *value += problem.emission[step][kind];
            }
        }
        rows.push(next);
        entries.push(Entry { exits, entered });
    }
    (rows, entries)
}

/// Summed score of leaving each kind after a row.
fn exits(problem: &Problem, row: &Row) -> [f64; KINDS] {
    std::array::from_fn(|kind| {
        log_sum((0..problem.states[kind]).map(|state| row[kind][state] + problem.exit(kind, state)))
    })
}

/// Values carried over to each kind from all kinds.
fn through(values: &[f64; KINDS], passage: impl Fn(usize, usize) -> f64) -> [f64; KINDS] {
    let high = values.iter().copied().fold(NEVER, f64::max);
    let shares = values.map(|value| (value - high).exp());
    std::array::from_fn(|to| high + (0..KINDS).map(|from| shares[from] * passage(from, to)).sum::<f64>().ln())
}

/// Backward values of the step before `step`.
fn retreat(problem: &Problem, step: usize, after: &Row, passage: &Passages) -> Row {
    let begun: [f64; KINDS] = std::array::from_fn(|kind| begun(problem, step, after, kind));
    let left = through(&begun, |to, from| passage[from][to]);
    std::array::from_fn(|kind| {
        std::array::from_fn(|state| {
            if state >= problem.states[kind] {
                return NEVER;
            }
            let stay = problem.emission[step][kind] + after[kind][problem.next(step, kind, state)];
            add_logs(stay, problem.exit(kind, state) + left[kind])
        })
    })
}

/// Value of beginning a kind at a step and of all that follows.
fn begun(problem: &Problem, step: usize, after: &Row, kind: usize) -> f64 {
    problem.cut[step][kind] + problem.emission[step][kind] + after[kind][problem.entry(step, kind)]
}

impl Place<'_> {
    fn labels(&self) -> [f64; KINDS] {
        std::array::from_fn(|kind| {
            let all = (0..self.problem.states[kind]).map(|state| self.row[kind][state] + self.after[kind][state]);
            (log_sum(all) - self.total).exp()
        })
    }

    fn beginnings(&self) -> [f64; KINDS] {
        let Some(entry) = self.entry else { return self.labels() };
        std::array::from_fn(|kind| {
            (entry.entered[kind] + begun(self.problem, self.step, self.after, kind) - self.total).exp()
        })
    }

    fn add_passages(&self, passages: &mut Passages) {
        let Some(entry) = self.entry else { return };
        let begun: [f64; KINDS] = std::array::from_fn(|to| begun(self.problem, self.step, self.after, to) - self.total);
        for ((sums, exit), passage) in passages.iter_mut().zip(entry.exits).zip(self.passage) {
            for ((sum, begun), passage) in sums.iter_mut().zip(begun).zip(passage) {
                *sum += (exit + begun).exp() * passage;
            }
        }
    }
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

    proptest! {
        #[test]
        fn passages_sum_to_the_boundaries(problem in arbitrary()) {
            let (posterior, passages) = expected(&problem);
            let begun: f64 = posterior.begins.iter().skip(1).flatten().sum();
            prop_assert!((passages.iter().flatten().sum::<f64>() - begun).abs() < 1e-9);
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
