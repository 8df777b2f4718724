//! Text mode: the command stands in a fence of the model's text, and its result comes back in the user's place. So do
//! trajectories of version 1, and so does the console print every run.

use crate::{
    model::message::{Exit, Outcome},
    source::{
        chat::{
            content::{Answer, Call, Piece},
            message::Role,
            tell::Turn,
        },
        exit_words::ending,
        format::shell_session,
    },
};

/// Reads messages in order.
#[derive(Debug, Default)]
pub struct TextMode {
    acted: Acted,
}

/// What the model's last message did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Acted {
    /// It has not spoken yet, or its call has its result.
    #[default]
    Nothing,
    /// It gave a command.
    Command,
    /// It gave none, or several: the harness complains.
    Amiss,
}

impl TextMode {
    /// Takes the command out of a message's text, or makes a result of it.
    pub fn turn(&mut self, turn: &mut Turn) {
        let said = match turn.pieces.as_slice() {
            [.., Piece::Said(text)] => text.clone(),
            _ => return self.acted = Acted::Nothing,
        };
        match turn.role {
            Role::Assistant => {
                self.acted = match command(&said) {
                    Some(pieces) => {
                        turn.pieces.pop();
                        turn.pieces.extend(pieces);
                        Acted::Command
                    }
                    None => Acted::Amiss,
                }
            }
            Role::User if self.acted == Acted::Command => {
                let answer = Answer { text: said, ..Default::default() };
                turn.role = Role::Tool;
                turn.pieces = vec![Piece::Result(answer)];
                self.acted = Acted::Nothing;
            }
            // A complaint about the answer's form.
            Role::User if self.acted == Acted::Amiss => turn.role = Role::System,
            _ => {}
        }
    }
}

/// The text and the command of an answer that gives exactly one.
fn command(text: &str) -> Option<Vec<Piece>> {
    let fences = ["```mswea_bash_command", "```bash", "```sh"];
    let fence = fences.iter().find(|fence| text.contains(*fence))?;
    let (before, body) = text.split_once(fence)?;
    let (_, body) = body.split_once('\n')?;
    let end = body.find("\n```").or(body.starts_with("```").then_some(0))?;
    let after = body[end..].trim_start_matches(['\n', '`']);
    if after.contains(fence) {
        return None;
    }
    Some([said(before), Some(call(&body[..end])), said(after)].into_iter().flatten().collect())
}

/// A text, where it says anything.
pub fn said(text: &str) -> Option<Piece> {
    Some(Piece::Said(text.trim().to_string())).filter(|_| !text.trim().is_empty())
}

/// A call of the shell.
pub fn call(command: &str) -> Piece {
    Piece::Call(Call { id: None, name: "bash".to_string(), input: shell_session::input(command) })
}

/// How a call ended, by the text that came back and by what stands beside it: a status, an exception.
pub fn ended(text: &str, code: Option<i32>, failed: bool) -> Option<(Outcome, Exit)> {
    let denied = ["Command not executed", "Commands not executed"].iter().any(|words| text.starts_with(words));
    if denied || text.ends_with("action was not executed") {
        return Some((Outcome::Denied, Exit::NotRecorded));
    }
    if text.starts_with("Interrupted by user") {
        return Some((Outcome::Interrupted, Exit::NotRecorded));
    }
    match code {
        Some(0) if !failed => Some((Outcome::Ok, Exit::Code(0))),
        // -1 stands for a command that did not come to its end.
        Some(-1) => Some((Outcome::Failed, Exit::Killed)),
        Some(code) => Some((Outcome::Failed, Exit::Code(code))),
        None if failed && ending(text).0 == Outcome::NotRecorded => Some((Outcome::Failed, Exit::NotRecorded)),
        None => None,
    }
}
