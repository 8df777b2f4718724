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

/// A step between all paths that lead to it and all that lead away. Values are shares, not scores: each row up to a step
/// is scaled to sum to one, and what comes after by the same factors, so that their products are probabilities.
struct Place<'a> {
    odds: &'a Odds,
    /// Shares of the paths up to the step.
    row: &'a Row,
    /// How the step was entered; none for the first.
    entry: Option<&'a Entry>,
    /// Shares of the paths after the step.
    after: &'a Row,
    /// Share of beginning each kind at the step and of all that follows.
    begun: [f64; KINDS],
}

/// The shares with which phases end before a step and begin at it.
struct Entry {
    exits: [f64; KINDS],
    entered: [f64; KINDS],
    /// Sum of the row at the step before it was scaled.
    scale: f64,
}

/// Exponentials of those scores that are the same at every step.
struct Odds {
    passage: Passages,
    exit: Row,
    states: [usize; KINDS],
}

/// Below the best kind of a step by more than this no kind can come back; the bound keeps every share above zero.
const HOPELESS: f64 = -150.0;

/// Odds of a score against the best.
fn odds(score: f64) -> f64 {
    if score == NEVER { 0.0 } else { score.clamp(HOPELESS, -HOPELESS).exp() }
}

impl Odds {
    fn of(problem: &Problem) -> Self {
        let exit = |kind, state| if state < problem.states[kind] { odds(problem.exit(kind, state)) } else { 0.0 };
        Self {
            passage: std::array::from_fn(|from| problem.transition[from].map(odds)),
            exit: std::array::from_fn(|kind| std::array::from_fn(|state| exit(kind, state))),
            states: problem.states,
        }
    }
}

/// Odds of the kinds at a step, the best having one.
fn weighed(scores: &[f64; KINDS]) -> [f64; KINDS] {
    let best = scores.iter().copied().fold(NEVER, f64::max);
    scores.map(|score| odds(score - best))
}

/// Goes back over the steps, from the last to the first, and shows each between what comes before and after.
fn sweep(problem: &Problem, mut each: impl FnMut(&Place)) {
    if problem.is_empty() {
        return;
    }
    let odds = Odds::of(problem);
    let (rows, entries) = forward(problem, &odds);
    let mut after = [[1.0; STATES]; KINDS];
    for step in (0..problem.len()).rev() {
        let entry = step.checked_sub(1).map(|before| &entries[before]);
        let here = weighed(&problem.emission[step]);
        let begun = match entry {
            Some(entry) => begun(problem, step, &after, &here, entry.scale),
            None => [0.0; KINDS],
        };
        each(&Place { odds: &odds, row: &rows[step], entry, after: &after, begun });
        if let Some(entry) = entry {
            after = retreat(problem, step, &after, &here, &begun, entry.scale, &odds);
        }
    }
}

fn forward(problem: &Problem, odds: &Odds) -> (Vec<Row>, Vec<Entry>) {
    let mut first = problem.opening();
    let best = first.iter().flatten().copied().fold(NEVER, f64::max);
    first.iter_mut().flatten().for_each(|value| *value = self::odds(*value - best));
    scale(&mut first);
    let (mut rows, mut entries) = (vec![first], Vec::with_capacity(problem.len()));
    for step in 1..problem.len() {
        let last = &rows[step - 1];
        let exits =
            std::array::from_fn(|kind| last[kind].iter().zip(odds.exit[kind]).map(|(row, exit)| row * exit).sum());
        let entered = through(&exits, |from, to| odds.passage[from][to]);
        let here = weighed(&problem.emission[step]);
        let mut next = [[0.0; STATES]; KINDS];
        for kind in 0..KINDS {
            for (state, share) in last[kind].iter().enumerate().take(problem.states[kind]) {
                next[kind][problem.next(step, kind, state)] += share;
            }
            next[kind][problem.entry(step, kind)] += entered[kind] * self::odds(problem.cut[step][kind]);
            next[kind].iter_mut().for_each(|value| *value *= here[kind]);
        }
        let scale = scale(&mut next);
        rows.push(next);
        entries.push(Entry { exits, entered, scale });
    }
    (rows, entries)
}

/// Makes a row sum to one; what it summed to.
fn scale(row: &mut Row) -> f64 {
    let sum: f64 = row.iter().flatten().sum();
    row.iter_mut().flatten().for_each(|value| *value /= sum);
    sum
}

/// Shares carried over to each kind from all kinds.
fn through(values: &[f64; KINDS], passage: impl Fn(usize, usize) -> f64) -> [f64; KINDS] {
    std::array::from_fn(|to| (0..KINDS).map(|from| values[from] * passage(from, to)).sum())
}

/// Share of beginning each kind at a step and of all that follows.
fn begun(problem: &Problem, step: usize, after: &Row, here: &[f64; KINDS], scale: f64) -> [f64; KINDS] {
    let share =
        |kind: usize| odds(problem.cut[step][kind]) * here[kind] * after[kind][problem.entry(step, kind)] / scale;
    std::array::from_fn(share)
}

/// Shares after the step before `step`.
fn retreat(
    problem: &Problem,
    step: usize,
    after: &Row,
    here: &[f64; KINDS],
    begun: &[f64; KINDS],
    scale: f64,
    odds: &Odds,
) -> Row {
    let left = through(begun, |to, from| odds.passage[from][to]);
    let mut before = [[0.0; STATES]; KINDS];
    for kind in 0..KINDS {
        for state in 0..problem.states[kind] {
            let stay = here[kind] * after[kind][problem.next(step, kind, state)] / scale;
            before[kind][state] = stay + odds.exit[kind][state] * left[kind];
        }
    }
    before
}

impl Place<'_> {
    fn labels(&self) -> [f64; KINDS] {
        std::array::from_fn(|kind| {
            (0..self.odds.states[kind]).map(|state| self.row[kind][state] * self.after[kind][state]).sum()
        })
    }

    fn beginnings(&self) -> [f64; KINDS] {
        let Some(entry) = self.entry else { return self.labels() };
        std::array::from_fn(|kind| entry.entered[kind] * self.begun[kind])
    }

    fn add_passages(&self, passages: &mut Passages) {
        let Some(entry) = self.entry else { return };
        for ((sums, exit), passage) in passages.iter_mut().zip(entry.exits).zip(self.odds.passage) {
            for ((sum, begun), passage) in sums.iter_mut().zip(self.begun).zip(passage) {
                *sum += exit * begun * passage;
            }
        }
    }
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

    /// All sequences of some steps.
    fn paths(steps: usize) -> Vec<Vec<Decoded>> {
        let first = (0..KINDS).map(|kind| vec![Decoded { kind, begins: true }]).collect();
        (1..steps).fold(first, |paths: Vec<Vec<Decoded>>, _| {
            let on = |path: &Vec<Decoded>| {
                let stays = Decoded { kind: path[path.len() - 1].kind, begins: false };
                let next = std::iter::once(stays).chain((0..KINDS).map(|kind| Decoded { kind, begins: true }));
                next.map(|step| path.iter().copied().chain([step]).collect()).collect::<Vec<_>>()
            };
            paths.iter().flat_map(on).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn posteriors_are_those_of_all_paths(mut problem in arbitrary()) {
            problem.emission.truncate(3);
            problem.transition[3] = [0.7; KINDS];
            let paths = paths(problem.len());
            let odds: Vec<f64> = paths.iter().map(|path| score(&problem, path).exp()).collect();
            let all: f64 = odds.iter().sum();
            let posterior = posterior(&problem);
            for step in 0..problem.len() {
                for kind in 0..KINDS {
                    let share = |holds: &dyn Fn(Decoded) -> bool| {
                        paths.iter().zip(&odds).filter(|(path, _)| holds(path[step])).map(|(_, odds)| odds / all).sum::<f64>()
                    };
                    prop_assert!((posterior.label[step][kind] - share(&|d| d.kind == kind)).abs() < 1e-9);
                    let begins = share(&|d| d.kind == kind && d.begins);
                    prop_assert!((posterior.begins[step][kind] - begins).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn scores_of_any_size_give_probabilities(mut problem in arbitrary(), by in prop_oneof![Just(1e3), Just(1e9)]) {
            problem.emission.iter_mut().flatten().for_each(|score| *score *= by);
            problem.cut.iter_mut().flatten().for_each(|score| *score *= by);
            for row in &posterior(&problem).label {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{row:?}");
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
