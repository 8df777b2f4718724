//! What producers call their tools. Version 1. Sorted by kind, then name; one row a tool.

use crate::model::{builder::Field, message::ToolKind};

#[rustfmt::skip]
const TOOLS: &[(&str, ToolKind)] = &[
    ("agent", ToolKind::Agent), ("dispatch_agent", ToolKind::Agent), ("runsubagent", ToolKind::Agent), ("spawn_agent", ToolKind::Agent), ("task", ToolKind::Agent),
    ("apply_patch", ToolKind::Edit), ("edit", ToolKind::Edit), ("edit_file", ToolKind::Edit), ("file_editor", ToolKind::Edit), ("insert", ToolKind::Edit), ("multiedit", ToolKind::Edit), ("notebookedit", ToolKind::Edit),
    ("patch", ToolKind::Edit), ("replace", ToolKind::Edit), ("str_replace", ToolKind::Edit), ("str_replace_editor", ToolKind::Edit), ("str_replace_based_edit_tool", ToolKind::Edit), ("text_editor", ToolKind::Edit),
    ("strreplacefile", ToolKind::Edit),
    ("bashoutput", ToolKind::Job), ("killbash", ToolKind::Job), ("killshell", ToolKind::Job), ("taskoutput", ToolKind::Job),
    ("taskstop", ToolKind::Job), ("write_stdin", ToolKind::Job),
    ("enterplanmode", ToolKind::Plan), ("exit_plan_mode", ToolKind::Plan), ("exitplanmode", ToolKind::Plan),
    ("askuserquestion", ToolKind::Question), ("ask_user", ToolKind::Question), ("question", ToolKind::Question),
    ("cat", ToolKind::Read), ("notebookread", ToolKind::Read), ("read", ToolKind::Read), ("read_file", ToolKind::Read),
    ("readfile", ToolKind::Read), ("read_many_files", ToolKind::Read), ("open", ToolKind::Read), ("goto", ToolKind::Read), ("scroll_down", ToolKind::Read), ("scroll_up", ToolKind::Read), ("view", ToolKind::Read), ("view_image", ToolKind::Read),
    ("codebase_search", ToolKind::Search), ("find_file", ToolKind::Search), ("list_files", ToolKind::Search), ("search_dir", ToolKind::Search), ("search_file", ToolKind::Search), ("find", ToolKind::Search), ("glob", ToolKind::Search), ("grep", ToolKind::Search),
    ("list", ToolKind::Search), ("list_directory", ToolKind::Search), ("ls", ToolKind::Search), ("lsp", ToolKind::Search),
    ("search", ToolKind::Search), ("search_file_content", ToolKind::Search), ("toolsearch", ToolKind::Search),
    ("bash", ToolKind::Shell), ("bash_command", ToolKind::Shell), ("execute_bash", ToolKind::Shell), ("execute_ipython_cell", ToolKind::Shell), ("python", ToolKind::Shell), ("run_ipython", ToolKind::Shell), ("swe_agent_action", ToolKind::Shell), ("container.exec", ToolKind::Shell), ("exec", ToolKind::Shell), ("exec_command", ToolKind::Shell),
    ("execute", ToolKind::Shell), ("execute_command", ToolKind::Shell), ("local_shell_call", ToolKind::Shell),
    ("powershell", ToolKind::Shell), ("run_shell_command", ToolKind::Shell), ("run_terminal_cmd", ToolKind::Shell),
    ("shell", ToolKind::Shell), ("shell_command", ToolKind::Shell), ("terminal", ToolKind::Shell),
    ("manage_todo_list", ToolKind::Todo), ("settodolist", ToolKind::Todo), ("taskcreate", ToolKind::Todo), ("task_tracker", ToolKind::Todo), ("taskget", ToolKind::Todo), ("tasklist", ToolKind::Todo),
    ("taskupdate", ToolKind::Todo), ("todo", ToolKind::Todo), ("todo_write", ToolKind::Todo), ("todoread", ToolKind::Todo),
    ("todowrite", ToolKind::Todo), ("update_plan", ToolKind::Todo), ("update_todo_list", ToolKind::Todo),
    ("write_todos", ToolKind::Todo),
    ("fetch", ToolKind::Web), ("fetchurl", ToolKind::Web), ("searchweb", ToolKind::Web), ("web_fetch", ToolKind::Web),
    ("web_search", ToolKind::Web), ("webfetch", ToolKind::Web), ("websearch", ToolKind::Web),
    ("create", ToolKind::Write), ("create_file", ToolKind::Write), ("write", ToolKind::Write), ("write_file", ToolKind::Write),
    ("writefile", ToolKind::Write),
];

/// Tools that view, create and change files by one name; which of them a call does is its field `command`.
const EDITORS: &[&str] = &["file_editor", "str_replace_based_edit_tool", "str_replace_editor", "text_editor"];

/// What a call does: by the tool's name, of an editor that is several tools in one also by its input.
pub fn kind_of_call(name: &str, input: &[Field]) -> ToolKind {
    let kind = kind_of(name);
    if !EDITORS.contains(&name.to_ascii_lowercase().as_str()) {
        return kind;
    }
    match input.iter().find(|f| f.name.as_deref() == Some("command")).map(|f| f.text.as_str()) {
        Some("view") => ToolKind::Read,
        Some("create") => ToolKind::Write,
        _ => kind,
    }
}

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
