//! What producers call their tools. Version 1. Sorted by kind, then name; one row a tool.

use crate::model::message::ToolKind;

#[rustfmt::skip]
const TOOLS: &[(&str, ToolKind)] = &[
    ("agent", ToolKind::Agent), ("dispatch_agent", ToolKind::Agent), ("spawn_agent", ToolKind::Agent), ("task", ToolKind::Agent),
    ("apply_patch", ToolKind::Edit), ("edit", ToolKind::Edit), ("multiedit", ToolKind::Edit), ("notebookedit", ToolKind::Edit),
    ("patch", ToolKind::Edit), ("replace", ToolKind::Edit), ("str_replace", ToolKind::Edit), ("str_replace_editor", ToolKind::Edit),
    ("strreplacefile", ToolKind::Edit),
    ("bashoutput", ToolKind::Job), ("killbash", ToolKind::Job), ("killshell", ToolKind::Job), ("taskoutput", ToolKind::Job),
    ("taskstop", ToolKind::Job), ("write_stdin", ToolKind::Job),
    ("enterplanmode", ToolKind::Plan), ("exit_plan_mode", ToolKind::Plan), ("exitplanmode", ToolKind::Plan),
    ("askuserquestion", ToolKind::Question), ("ask_user", ToolKind::Question), ("question", ToolKind::Question),
    ("cat", ToolKind::Read), ("notebookread", ToolKind::Read), ("read", ToolKind::Read), ("read_file", ToolKind::Read),
    ("readfile", ToolKind::Read), ("read_many_files", ToolKind::Read), ("view", ToolKind::Read), ("view_image", ToolKind::Read),
    ("codebase_search", ToolKind::Search), ("find", ToolKind::Search), ("glob", ToolKind::Search), ("grep", ToolKind::Search),
    ("list", ToolKind::Search), ("list_directory", ToolKind::Search), ("ls", ToolKind::Search), ("lsp", ToolKind::Search),
    ("search", ToolKind::Search), ("search_file_content", ToolKind::Search), ("toolsearch", ToolKind::Search),
    ("bash", ToolKind::Shell), ("container.exec", ToolKind::Shell), ("exec", ToolKind::Shell), ("exec_command", ToolKind::Shell),
    ("execute", ToolKind::Shell), ("execute_command", ToolKind::Shell), ("local_shell_call", ToolKind::Shell),
    ("powershell", ToolKind::Shell), ("run_shell_command", ToolKind::Shell), ("run_terminal_cmd", ToolKind::Shell),
    ("shell", ToolKind::Shell), ("shell_command", ToolKind::Shell), ("terminal", ToolKind::Shell),
    ("checklist", ToolKind::Todo), ("manage_todo_list", ToolKind::Todo), ("plan_update", ToolKind::Todo),
    ("set_todo_list", ToolKind::Todo), ("settodolist", ToolKind::Todo), ("task_tracker", ToolKind::Todo),
    ("task_tracking", ToolKind::Todo), ("taskcreate", ToolKind::Todo), ("taskget", ToolKind::Todo),
    ("tasklist", ToolKind::Todo), ("taskupdate", ToolKind::Todo), ("todo", ToolKind::Todo),
    ("todo__write", ToolKind::Todo), ("todo_list", ToolKind::Todo), ("todo_read", ToolKind::Todo),
    ("todo_write", ToolKind::Todo), ("todoread", ToolKind::Todo), ("todos", ToolKind::Todo),
    ("todowrite", ToolKind::Todo), ("update_plan", ToolKind::Todo), ("update_todo", ToolKind::Todo),
    ("update_todo_list", ToolKind::Todo), ("update_todos", ToolKind::Todo), ("updatetodolist", ToolKind::Todo),
    ("updatetodos", ToolKind::Todo), ("updatetodostoolcall", ToolKind::Todo), ("write_todos", ToolKind::Todo),
    ("writechecklist", ToolKind::Todo), ("writetodos", ToolKind::Todo),
    ("fetch", ToolKind::Web), ("fetchurl", ToolKind::Web), ("searchweb", ToolKind::Web), ("web_fetch", ToolKind::Web),
    ("web_search", ToolKind::Web), ("webfetch", ToolKind::Web), ("websearch", ToolKind::Web),
    ("create", ToolKind::Write), ("create_file", ToolKind::Write), ("write", ToolKind::Write), ("write_file", ToolKind::Write),
    ("writefile", ToolKind::Write),
];

/// What a tool does, by its name in any letter case; MCP and namespaced names by their last part.
pub fn kind_of(name: &str) -> ToolKind {
    let lower = name.to_ascii_lowercase();
    let bare = lower.rsplit("__").next().unwrap_or(&lower);
    let last = bare.rsplit(['.', ':', '/']).next().unwrap_or(bare);
    [lower.as_str(), bare, last]
        .iter()
        .find_map(|n| TOOLS.iter().find(|row| row.0 == *n))
        .map_or(ToolKind::Other, |row| row.1)
}
