//! Sessions put together or thinned out after they were built: one story that lies in several files.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    builder::{by_id, by_number, group},
    message::Message,
    session::{Numbering, Session},
};

/// By what a message is known again in another file: the producer's id of its call, part or message, else its time and
/// words. `None` for one that has neither.
pub fn key(message: &Message) -> Option<u64> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let ids = &message.ids;
    // Keys are compared within one run and never written: the hasher need not be stable over versions.
    let mut hash = DefaultHasher::new();
    match ids.call.as_ref().or(ids.part.as_ref()) {
        Some(id) => id.hash(&mut hash),
        None => {
            ids.message.as_ref().map(|id| id.hash(&mut hash)).or_else(|| message.time.map(|t| t.hash(&mut hash)))?;
            message.prose().hash(&mut hash);
        }
    }
    message.kind.word().hash(&mut hash);
    Some(hash.finish())
}

/// How two sessions that share messages belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinship {
    /// They share nothing.
    None,
    /// The second holds all of the first.
    Contained,
    /// The second is held by the first.
    Contains,
    /// They share a part, and each goes on in its own way.
    Forked,
}

/// How `b` belongs to `a`, by the keys of their messages.
pub fn kinship(a: &[Option<u64>], b: &[Option<u64>]) -> Kinship {
    let known: HashSet<u64> = a.iter().flatten().copied().collect();
    let there: HashSet<u64> = b.iter().flatten().copied().collect();
    if known.is_disjoint(&there) {
        return Kinship::None;
    }
    // A message without a key is nobody's copy.
    let all = |of: &[Option<u64>], other: &HashSet<u64>| of.iter().all(|k| k.is_some_and(|k| other.contains(&k)));
    match (all(a, &there), all(b, &known)) {
        (true, _) => Kinship::Contained,
        (_, true) => Kinship::Contains,
        _ => Kinship::Forked,
    }
}

impl Session {
    /// Keys of its messages.
    pub fn keys(&self) -> Vec<Option<u64>> {
        self.messages.iter().map(key).collect()
    }

    /// The session without the messages that `known` holds. Their records are counted as skipped for `reason`; one that
    /// also gave a message that stays is still used.
    #[must_use]
    pub fn without(mut self, known: &HashSet<u64>, reason: &str) -> Self {
        let gone: Vec<bool> = self.messages.iter().map(|m| key(m).is_some_and(|k| known.contains(&k))).collect();
        let records = |wanted: bool| -> BTreeSet<u32> {
            let of = self.messages.iter().zip(&gone).filter(|(_, gone)| **gone == wanted).map(|(m, _)| m);
            of.flat_map(|m| [Some(m.place), m.call.as_ref().and_then(|c| c.result_at)])
                .flatten()
                .map(|place| place.record)
                .collect()
        };
        let repeated = records(true).difference(&records(false)).count() as u64;
        let moved = repeated.min(self.accounting.used);
        self.accounting.used -= moved;
        if moved > 0 {
            *self.accounting.skipped.entry(reason.to_string()).or_default() += moved;
        }
        let mut kept_before = Vec::with_capacity(gone.len() + 1);
        let mut kept = 0;
        for gone in &gone {
            kept_before.push(kept);
            kept += u32::from(!gone);
        }
        kept_before.push(kept);
        // A notice amid what is gone goes with it.
        let amid = |before: u32| before > 0 && gone.get(before as usize - 1) == Some(&true);
        self.notices.retain(|notice| !amid(notice.before));
        for notice in &mut self.notices {
            notice.before = kept_before.get(notice.before as usize).copied().unwrap_or(kept);
        }
        let mut at = gone.iter();
        self.messages.retain(|_| !at.next().expect("one mark a message"));
        self.indexed()
    }

    /// The session with what `later` goes on with: its messages, notices, sub-agents and accounts behind this one's.
    #[must_use]
    pub fn followed_by(mut self, later: Session) -> Self {
        let offset = self.messages.len() as u32;
        self.messages.extend(later.messages);
        self.notices.extend(later.notices.into_iter().map(|mut notice| {
            notice.before += offset;
            notice
        }));
        self.branches.extend(later.branches);
        self.take_subagents(later.subagents);
        self.accounting.merge(&later.accounting);
        self.diagnostics.extend(later.diagnostics);
        let (info, other) = (&mut self.info, later.info);
        for model in other.models {
            if !info.models.contains(&model) {
                info.models.push(model);
            }
        }
        // The later file knows better what the session is called now.
        info.title = other.title.or(info.title.take());
        info.version = other.version.or(info.version.take());
        info.cwd = info.cwd.take().or(other.cwd);
        info.branch = other.branch.or(info.branch.take());
        info.usage = other.usage.or(info.usage.take());
        self.indexed()
    }

    /// Hangs sub-agents below it; one that is there already is not repeated.
    pub fn take_subagents(&mut self, agents: Vec<Session>) {
        for agent in agents {
            match self.subagents.iter_mut().find(|known| known.info.id == agent.info.id) {
                Some(known) => known.accounting.merge(&agent.without(&keys_of(known), "repeated").accounting),
                None => self.subagents.push(agent),
            }
        }
    }

    /// Numbers, steps and indexes made anew.
    fn indexed(mut self) -> Self {
        if self.numbering == Numbering::Counted {
            for (i, message) in self.messages.iter_mut().enumerate() {
                message.number = i as u32 + 1;
            }
        }
        self.steps = group(&self.messages, self.numbering == Numbering::Own);
        (self.by_id, self.by_number) = (by_id(&self.messages), by_number(&self.messages));
        self
    }
}

/// Keys of a session's messages as a set.
pub fn keys_of(session: &Session) -> HashSet<u64> {
    session.keys().into_iter().flatten().collect()
}

/// Joins sessions that tell one story, in the order of their beginnings: files of one session one after the other,
/// copies dropped, forks without what they copied, sub-agents below the session that started them.
pub fn join(mut sessions: Vec<Session>) -> Vec<Session> {
    sessions.sort_by_key(|s| (s.started().is_none(), s.started()));
    let mut told: Vec<Session> = Vec::new();
    for session in sessions {
        told = add(told, session);
    }
    adopt(told)
}

fn add(mut told: Vec<Session>, new: Session) -> Vec<Session> {
    let keys = new.keys();
    let kin = told.iter().map(|old| kinship(&old.keys(), &keys)).collect::<Vec<_>>();
    let same = |old: &Session| old.info.id == new.info.id && is_unique(&new.info.id);
    let Some(at) = kin.iter().position(|k| *k != Kinship::None).or_else(|| told.iter().position(same)) else {
        told.push(new);
        return told;
    };
    let old = told.remove(at);
    let joined = match (kin[at], old.info.id == new.info.id) {
        (Kinship::Contains, _) => absorb(old, new),
        (Kinship::Contained, _) => absorb(new, old),
        (_, true) => {
            let known = keys_of(&old);
            old.followed_by(new.without(&known, "repeated"))
        }
        (_, false) => {
            let (known, origin) = (keys_of(&old), old.info.id.clone());
            let mut fork = new.without(&known, "replayed");
            fork.info.continues.get_or_insert(origin);
            told.insert(at, old);
            told.push(fork);
            return told;
        }
    };
    told.insert(at, joined);
    told
}

/// A session that holds all messages of another takes over what only the other knew.
fn absorb(mut whole: Session, part: Session) -> Session {
    let known = keys_of(&whole);
    let rest = part.without(&known, "repeated");
    whole.accounting.merge(&rest.accounting);
    if rest.info.id != whole.info.id {
        whole.info.also.push(rest.info.id);
    }
    whole.info.title = whole.info.title.take().or(rest.info.title);
    whole.take_subagents(rest.subagents);
    whole
}

/// Sub-agents that lie in files of their own go below the session that started them.
fn adopt(told: Vec<Session>) -> Vec<Session> {
    let ids: HashMap<String, usize> = told.iter().enumerate().map(|(i, s)| (s.info.id.clone(), i)).collect();
    let holder = |i: usize| told[i].info.parent.as_ref().and_then(|p| ids.get(p)).copied().filter(|p| *p != i);
    let holders: Vec<Option<usize>> = (0..told.len()).map(holder).collect();
    // A circle of parents hangs nowhere: its members stay as they are.
    let rooted = |mut i: usize| {
        for _ in 0..holders.len() {
            match holders[i] {
                Some(up) => i = up,
                None => return true,
            }
        }
        false
    };
    let mut depth_first: Vec<usize> = (0..told.len()).collect();
    let depth = |mut i: usize| {
        let mut depth = 0;
        while let Some(up) = holders[i].filter(|_| depth < holders.len()) {
            i = up;
            depth += 1;
        }
        depth
    };
    depth_first.sort_by_key(|i| std::cmp::Reverse(depth(*i)));
    let hung: Vec<bool> = (0..told.len()).map(|i| holders[i].is_some() && rooted(i)).collect();
    let mut told: Vec<Option<Session>> = told.into_iter().map(Some).collect();
    for i in depth_first.into_iter().filter(|i| hung[*i]) {
        if let (Some(up), Some(agent)) = (holders[i], told[i].take())
            && let Some(parent) = told[up].as_mut()
        {
            parent.take_subagents(vec![agent]);
        }
    }
    told.into_iter().flatten().collect()
}

/// Whether an id can be taken for one that no other session has: long and random, not the name of a file or a task.
pub fn is_unique(id: &str) -> bool {
    const HEX: usize = 16;
    const RANDOM: usize = 20;
    let bare = id.rsplit_once('_').map_or(id, |(_, bare)| bare);
    let hex = bare.bytes().filter(u8::is_ascii_hexdigit).count();
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    hex >= HEX && bare.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        || bare.len() >= RANDOM && digits >= 2 && bare.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::{locate::Locator, time::Timestamp},
        model::{
            builder::{Origin, SessionBuilder},
            message::Aliases,
        },
    };

    /// A session whose user texts have the ids that the letters of `ids` name.
    fn session(id: &str, ids: &str) -> Session {
        let mut session = SessionBuilder::new("test");
        session.info.id = id.to_string();
        for (i, letter) in ids.chars().enumerate() {
            let place = Locator { record: i as u32 + 1, ..Locator::default() };
            let ids = Aliases { message: Some(letter.to_string()), ..Aliases::default() };
            let time = Some(Timestamp::from_millis(i64::from(u32::from(letter)) * 1000));
            session.user(Origin { ids, place, time, ..Origin::default() }, letter.to_string());
            session.accounting.used();
        }
        session.finish()
    }

    fn told(sessions: Vec<Session>) -> Vec<(String, String, Option<String>)> {
        let words = |s: &Session| s.messages.iter().map(|m| m.prose()).collect::<String>();
        let joined = join(sessions);
        assert!(joined.iter().all(|s| s.accounting.balanced()));
        joined.iter().map(|s| (s.info.id.clone(), words(s), s.info.continues.clone())).collect()
    }

    const ID: &str = "0199aaaa-0000-7000-8000-000000000006";

    #[test]
    fn files_of_one_session_are_one_after_the_other() {
        let one = |id: &str, words: &str| (id.to_string(), words.to_string(), None);
        assert_eq!(told(vec![session(ID, "cd"), session(ID, "ab")]), [one(ID, "abcd")]);
        assert_eq!(told(vec![session(ID, "abc"), session(ID, "bcd")]), [one(ID, "abcd")]);
        assert_eq!(told(vec![session(ID, "ab"), session(ID, "ab")]), [one(ID, "ab")]);
        // Names of tasks are no ids: two runs of one task are two sessions.
        assert_eq!(told(vec![session("task-12973", "ab"), session("task-12973", "cd")]).len(), 2);
    }

    #[test]
    fn a_copy_that_goes_on_replaces_what_it_copied_and_a_fork_drops_it() {
        let resumed = told(vec![session("a", "abc"), session("b", "abcd")]);
        assert_eq!(resumed, [("b".to_string(), "abcd".to_string(), None)]);
        let forked = told(vec![session("a", "abcx"), session("b", "abcd")]);
        assert_eq!(forked[1], ("b".to_string(), "d".to_string(), Some("a".to_string())));
        assert_eq!(forked[0].1, "abcx");
    }

    #[test]
    fn sub_agents_hang_below_their_parents_and_circles_hang_nowhere() {
        let child = |id: &str, words: &str, parent: &str| {
            let mut agent = session(id, words);
            agent.info.parent = Some(parent.to_string());
            agent
        };
        let tree = join(vec![session("a", "a"), child("c", "c", "b"), child("b", "b", "a")]);
        assert_eq!((tree.len(), tree[0].tree().len()), (1, 3));
        assert_eq!(join(vec![child("x", "x", "y"), child("y", "y", "x")]).len(), 2);
    }

    #[test]
    fn ids_are_told_from_names() {
        for id in
            [ID, "ses_0123456789abcdefGHIJKL", "T-5de701fc-7454-4858-a249-95cac4fd3b51", "01JABCDEFGHJKMNPQRSTVWXYZ0"]
        {
            assert!(is_unique(id.trim_start_matches("T-")), "{id}");
        }
        for name in ["session", "scikit-learn__scikit-learn-12973", "trajectory", "1", "rollout"] {
            assert!(!is_unique(name), "{name}");
        }
    }
}
