//! The structured result that Claude Code writes beside what the model saw (`toolUseResult`). Only what the text does
//! not tell is kept; copies of outputs and of whole files are not.

use serde_json::value::RawValue;

use crate::source::{
    fields::compact,
    lenient::{Flag, Present, Raw, Text, lenient},
};

lenient! {
    /// As it stands in JSON; an error is a bare string.
    pub struct ToolUseResult<'a> {
        agent_id: Text<'a> = "agentId",
        background: Text<'a> = "backgroundTaskId",
        interrupted: Flag = "interrupted",
        timed_out: Present = "timedOutAfterMs",
        interpretation: Text<'a> = "returnCodeInterpretation",
        persisted: Text<'a> = "persistedOutputPath",
        task: Raw<'a> = "task",
        tasks: Raw<'a> = "tasks",
        task_id: Raw<'a> = "taskId",
        success: Raw<'a> = "success",
        updated: Raw<'a> = "updatedFields",
        change: Raw<'a> = "statusChange",
        error: Raw<'a> = "error",
        answers: Raw<'a> = "answers",
        plan: Raw<'a> = "plan",
    }
}

/// What is kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Structured {
    /// Session id of a started sub-agent.
    pub agent: Option<String>,
    /// The command went on in the background.
    pub background: bool,
    /// The call was stopped before its end.
    pub interrupted: bool,
    /// The call was stopped by its time limit.
    pub timed_out: bool,
    /// A status other than 0 that the harness takes for success (`grep` without a match).
    pub accepted_status: bool,
    /// The output was cut and the whole put into this file.
    pub persisted: Option<String>,
    /// The user or a rule refused the call.
    pub denied: bool,
    /// Compact JSON by name, for extractors: `task`, `tasks`, `taskUpdate`, `answers`, `plan`, `backgroundTaskId`.
    pub extra: Vec<(&'static str, String)>,
}

impl ToolUseResult<'_> {
    /// What is kept of it; `None` when nothing is.
    pub fn keep(&self, denied: bool) -> Option<Box<Structured>> {
        let kept = Structured {
            agent: self.agent_id.owned(),
            background: self.background.get().is_some(),
            interrupted: self.interrupted.set(),
            timed_out: self.timed_out.0,
            accepted_status: self.interpretation.get().is_some(),
            persisted: self.persisted.owned(),
            denied,
            extra: self.extra(),
        };
        (kept != Structured::default()).then(|| Box::new(kept))
    }

    fn extra(&self) -> Vec<(&'static str, String)> {
        let mut extra = Vec::new();
        // A job's record is called `task` too, but names itself by `task_id` and repeats the output.
        if let Some(task) = self.task.filter(|raw| raw.get().starts_with('{') && !raw.get().contains("\"task_id\"")) {
            extra.push(("task", compact(task.get())));
        }
        if let Some(tasks) = self.tasks {
            extra.push(("tasks", compact(tasks.get())));
        }
        if self.task_id.is_some() && (self.success.is_some() || self.change.is_some()) {
            extra.push(("taskUpdate", self.update()));
        }
        if let Some(answers) = self.answers {
            extra.push(("answers", compact(answers.get())));
        }
        if let Some(plan) = self.plan {
            extra.push(("plan", compact(plan.get())));
        }
        if let Some(id) = self.background.get() {
            extra.push(("backgroundTaskId", serde_json::Value::from(id).to_string()));
        }
        extra
    }

    fn update(&self) -> String {
        let fields: [(&str, Raw); 5] = [
            ("success", self.success),
            ("taskId", self.task_id),
            ("updatedFields", self.updated),
            ("statusChange", self.change),
            ("error", self.error),
        ];
        let one = |(name, raw): (&str, Option<&RawValue>)| raw.map(|r| format!("\"{name}\":{}", compact(r.get())));
        format!("{{{}}}", fields.into_iter().filter_map(one).collect::<Vec<_>>().join(","))
    }
}
