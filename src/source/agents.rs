//! Sub-agents put where they belong: below the session whose call started them.

use std::collections::HashMap;

use crate::model::{
    message::{Message, MessageKind, ToolKind},
    session::Session,
};

/// A sub-agent's session and the call that started it, as far as the log says.
#[derive(Debug)]
pub struct Agent {
    /// Id of the call.
    pub spawned_by: Option<String>,
    /// Its session.
    pub session: Session,
}

/// Hangs the agents below `main`, or below each other where an agent started another.
pub fn attach(main: Session, agents: Vec<Agent>) -> Session {
    let mut all: Vec<Option<Session>> = vec![Some(main)];
    let mut calls = Vec::new();
    for agent in agents {
        calls.push(agent.spawned_by);
        all.push(Some(agent.session));
    }
    let parents: Vec<usize> = (1..all.len()).map(|i| adopt(&mut all, i, calls[i - 1].take())).collect();
    // The last first: whatever hangs below an agent is there before the agent itself is hung up. An agent that seems to
    // hang below a later one hangs below the main session.
    for i in (1..all.len()).rev() {
        let parent = if parents[i - 1] < i { parents[i - 1] } else { 0 };
        if let Some(session) = all[i].take()
            && let Some(holder) = all[parent].as_mut()
        {
            holder.subagents.insert(0, session);
        }
    }
    all.swap_remove(0).expect("the main session is never hung up")
}

/// Hangs sessions below those that they name as their parents; one whose parent is not among them stands for itself.
/// Nothing else is changed in their order. The call that started one is the one that names it, else `call` says.
pub fn families(sessions: Vec<Session>, call: impl Fn(&Session) -> Option<String>) -> Vec<Session> {
    let place: HashMap<String, usize> = sessions.iter().enumerate().map(|(i, s)| (s.info.id.clone(), i)).collect();
    let parents: Vec<Option<usize>> =
        sessions.iter().map(|s| s.info.parent.as_ref().and_then(|p| place.get(p).copied())).collect();
    let heads: Vec<usize> = (0..sessions.len()).map(|i| head_of(i, &parents)).collect();
    let mut by_head: Vec<Vec<(usize, Session)>> = sessions.iter().map(|_| Vec::new()).collect();
    for (i, session) in sessions.into_iter().enumerate() {
        by_head[heads[i]].push((i, session));
    }
    let grown = |(head, mut family): (usize, Vec<(usize, Session)>)| {
        // Parents come before their children.
        family.sort_by_key(|(i, _)| (depth(*i, head, &parents), *i));
        let mut members = family.into_iter().map(|(_, session)| session);
        let main = members.next()?;
        let agents = members.map(|session| Agent { spawned_by: call(&session), session });
        Some(attach(main, agents.collect()))
    };
    by_head.into_iter().enumerate().filter_map(grown).collect()
}

/// Sessions below one another deeper than this are taken for a circle.
const DEEPEST: usize = 64;

/// The session at the top of the one at `i`; itself when its parents run in a circle.
fn head_of(i: usize, parents: &[Option<usize>]) -> usize {
    let mut at = i;
    for _ in 0..DEEPEST {
        match parents[at] {
            Some(above) => at = above,
            None => return at,
        }
    }
    i
}

fn depth(i: usize, head: usize, parents: &[Option<usize>]) -> usize {
    std::iter::successors(Some(i), |at| parents[*at].filter(|_| *at != head)).take(DEEPEST).count()
}

/// Finds the call that started agent `i`, notes it on both sides, and gives the position of the session that made it.
fn adopt(all: &mut [Option<Session>], i: usize, call: Option<String>) -> usize {
    let agent = all[i].as_ref().expect("nothing is hung up yet");
    let (id, prompt) = (agent.info.id.clone(), first_prompt(agent).map(str::to_string));
    let spawned = |m: &Message| m.call.as_ref().and_then(|made| made.spawned.clone());
    let by_call = |m: &Message| match &call {
        Some(call) => m.ids.call.as_ref() == Some(call),
        None => spawned(m).as_ref() == Some(&id),
    };
    let by_prompt = |m: &Message| {
        let same = prompt.is_some() && m.input("prompt") == prompt.as_deref();
        same && call.is_none() && m.tool() == Some(ToolKind::Agent) && spawned(m).is_none()
    };
    let find = |test: &dyn Fn(&Message) -> bool| {
        let made = |session: &Session| session.messages.iter().position(|m| m.tool().is_some() && test(m));
        (0..all.len()).filter(|at| *at != i).find_map(|at| Some((at, made(all[at].as_ref()?)?)))
    };
    let found = find(&by_call).or_else(|| find(&by_prompt));
    let Some((holder, message)) = found else { return 0 };
    let parent = all[holder].as_mut().expect("nothing is hung up yet");
    let parent_id = parent.info.id.clone();
    let message = &mut parent.messages[message];
    let spawned_by = message.ids.call.clone();
    let title = message.input("description").map(str::to_string);
    if let Some(call) = message.call.as_mut() {
        call.spawned.get_or_insert(id);
    }
    let info = &mut all[i].as_mut().expect("nothing is hung up yet").info;
    info.spawned_by = spawned_by;
    info.parent = Some(parent_id);
    info.title = info.title.take().or(title);
    holder
}

fn first_prompt(session: &Session) -> Option<&str> {
    session.messages.iter().find(|m| m.kind == MessageKind::User).map(|m| m.prose())
}
