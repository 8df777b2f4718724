//! What producers call their tools. Version 1. Sorted by kind, then name; one row a tool.

use crate::model::message::ToolKind;

#[rustfmt::skip]
const TOOLS: &[(&str, ToolKind)] = &[
    ("agent", ToolKind::Agent), ("dispatch_agent", ToolKind::Agent), ("spawn_agent", ToolKind::Agent), ("task", ToolKind::Agent),
    ("codebase_search_agent", ToolKind::Agent), ("librarian", ToolKind::Agent), ("new_task", ToolKind::Agent),
    ("newtask", ToolKind::Agent), ("oracle", ToolKind::Agent), ("runsubagent", ToolKind::Agent),
    ("sessions_spawn", ToolKind::Agent), ("use_subagents", ToolKind::Agent),
    ("apply_patch", ToolKind::Edit), ("edit", ToolKind::Edit), ("multiedit", ToolKind::Edit), ("notebookedit", ToolKind::Edit),
    ("patch", ToolKind::Edit), ("replace", ToolKind::Edit), ("str_replace", ToolKind::Edit), ("str_replace_editor", ToolKind::Edit),
    ("strreplacefile", ToolKind::Edit),
    ("appliedapplydiff", ToolKind::Edit), ("applieddiff", ToolKind::Edit), ("apply_diff", ToolKind::Edit),
    ("applypatch", ToolKind::Edit), ("delete", ToolKind::Edit), ("delete_file", ToolKind::Edit),
    ("edit_existing_file", ToolKind::Edit), ("edit_file", ToolKind::Edit), ("edit_file_v2", ToolKind::Edit),
    ("edit_notebook", ToolKind::Edit), ("editedexistingfile", ToolKind::Edit), ("editnotebook", ToolKind::Edit),
    ("editor", ToolKind::Edit), ("fileedit", ToolKind::Edit), ("insert_content", ToolKind::Edit),
    ("insert_edit", ToolKind::Edit), ("insert_edit_into_file", ToolKind::Edit), ("insertcontent", ToolKind::Edit),
    ("insertedit", ToolKind::Edit), ("multi_edit", ToolKind::Edit), ("multi_replace_string_in_file", ToolKind::Edit),
    ("multireplacestring", ToolKind::Edit), ("replace_in_file", ToolKind::Edit),
    ("replace_string_in_file", ToolKind::Edit), ("replacestring", ToolKind::Edit),
    ("search_and_replace", ToolKind::Edit), ("search_replace", ToolKind::Edit), ("searchandreplace", ToolKind::Edit),
    ("single_find_and_replace", ToolKind::Edit), ("strreplace", ToolKind::Edit), ("undo_edit", ToolKind::Edit),
    ("bashoutput", ToolKind::Job), ("killbash", ToolKind::Job), ("killshell", ToolKind::Job), ("taskoutput", ToolKind::Job),
    ("taskstop", ToolKind::Job), ("write_stdin", ToolKind::Job),
    ("await", ToolKind::Job), ("get_terminal_output", ToolKind::Job), ("list_bash", ToolKind::Job),
    ("list_powershell", ToolKind::Job), ("process", ToolKind::Job), ("read_agent", ToolKind::Job),
    ("read_bash", ToolKind::Job), ("read_powershell", ToolKind::Job), ("session_status", ToolKind::Job),
    ("sessions_history", ToolKind::Job), ("sessions_yield", ToolKind::Job), ("stop_bash", ToolKind::Job),
    ("stop_powershell", ToolKind::Job), ("subagents", ToolKind::Job), ("write_bash", ToolKind::Job),
    ("write_powershell", ToolKind::Job),
    ("enterplanmode", ToolKind::Plan), ("exit_plan_mode", ToolKind::Plan), ("exitplanmode", ToolKind::Plan),
    ("create_plan", ToolKind::Plan), ("createplan", ToolKind::Plan), ("exitspecmode", ToolKind::Plan),
    ("plan_mode_respond", ToolKind::Plan), ("switch_mode", ToolKind::Plan), ("switchmode", ToolKind::Plan),
    ("askuserquestion", ToolKind::Question), ("ask_user", ToolKind::Question), ("question", ToolKind::Question),
    ("ask", ToolKind::Question), ("ask_followup_question", ToolKind::Question), ("ask_question", ToolKind::Question),
    ("askquestion", ToolKind::Question), ("askquestions", ToolKind::Question), ("askuser", ToolKind::Question),
    ("followup", ToolKind::Question), ("vscode_askquestions", ToolKind::Question),
    ("cat", ToolKind::Read), ("notebookread", ToolKind::Read), ("read", ToolKind::Read), ("read_file", ToolKind::Read),
    ("readfile", ToolKind::Read), ("read_many_files", ToolKind::Read), ("view", ToolKind::Read), ("view_image", ToolKind::Read),
    ("look_at", ToolKind::Read), ("open_file", ToolKind::Read), ("read_file_v2", ToolKind::Read),
    ("read_files", ToolKind::Read), ("read_multiple_files", ToolKind::Read), ("readlints", ToolKind::Read),
    ("show_file", ToolKind::Read), ("view_diff", ToolKind::Read), ("viewfiles", ToolKind::Read),
    ("codebase_search", ToolKind::Search), ("find", ToolKind::Search), ("glob", ToolKind::Search), ("grep", ToolKind::Search),
    ("list", ToolKind::Search), ("list_directory", ToolKind::Search), ("ls", ToolKind::Search), ("lsp", ToolKind::Search),
    ("search", ToolKind::Search), ("search_file_content", ToolKind::Search), ("toolsearch", ToolKind::Search),
    ("ast_grep", ToolKind::Search), ("codebasesearch", ToolKind::Search), ("file_glob_search", ToolKind::Search),
    ("file_search", ToolKind::Search), ("finder", ToolKind::Search), ("findfiles", ToolKind::Search),
    ("findtextinfiles", ToolKind::Search), ("glob_file_search", ToolKind::Search), ("grep_search", ToolKind::Search),
    ("list_code_definition_names", ToolKind::Search), ("list_dir", ToolKind::Search),
    ("list_dir_v2", ToolKind::Search), ("list_files", ToolKind::Search), ("listcodedefinitionnames", ToolKind::Search),
    ("listdirectory", ToolKind::Search), ("listfiles", ToolKind::Search), ("listfilesrecursive", ToolKind::Search),
    ("listfilestoplevel", ToolKind::Search), ("rg", ToolKind::Search), ("ripgrep_raw_search", ToolKind::Search),
    ("search_codebase", ToolKind::Search), ("search_files", ToolKind::Search), ("searchcodebase", ToolKind::Search),
    ("searchfiles", ToolKind::Search), ("semantic_search", ToolKind::Search),
    ("semantic_search_full", ToolKind::Search), ("semanticsearch", ToolKind::Search),
    ("bash", ToolKind::Shell), ("container.exec", ToolKind::Shell), ("exec", ToolKind::Shell), ("exec_command", ToolKind::Shell),
    ("execute", ToolKind::Shell), ("execute_command", ToolKind::Shell), ("local_shell_call", ToolKind::Shell),
    ("powershell", ToolKind::Shell), ("run_shell_command", ToolKind::Shell), ("run_terminal_cmd", ToolKind::Shell),
    ("shell", ToolKind::Shell), ("shell_command", ToolKind::Shell), ("terminal", ToolKind::Shell),
    ("bash_tool", ToolKind::Shell), ("bashexecution", ToolKind::Shell), ("command", ToolKind::Shell),
    ("run_command", ToolKind::Shell), ("run_command_in_terminal", ToolKind::Shell), ("run_commands", ToolKind::Shell),
    ("run_in_terminal", ToolKind::Shell), ("run_terminal_cmd_v2", ToolKind::Shell),
    ("run_terminal_command", ToolKind::Shell), ("run_terminal_command_v2", ToolKind::Shell),
    ("manage_todo_list", ToolKind::Todo), ("settodolist", ToolKind::Todo), ("taskcreate", ToolKind::Todo), ("taskget", ToolKind::Todo), ("tasklist", ToolKind::Todo),
    ("taskupdate", ToolKind::Todo), ("todo", ToolKind::Todo), ("todo_write", ToolKind::Todo), ("todoread", ToolKind::Todo),
    ("todowrite", ToolKind::Todo), ("update_plan", ToolKind::Todo), ("update_todo_list", ToolKind::Todo),
    ("write_todos", ToolKind::Todo),
    ("checklist", ToolKind::Todo), ("read_todos", ToolKind::Todo), ("readtodos", ToolKind::Todo),
    ("task_progress", ToolKind::Todo), ("todo_read", ToolKind::Todo), ("update_todo", ToolKind::Todo),
    ("update_todos", ToolKind::Todo), ("updatetodolist", ToolKind::Todo), ("updatetodos", ToolKind::Todo),
    ("fetch", ToolKind::Web), ("fetchurl", ToolKind::Web), ("searchweb", ToolKind::Web), ("web_fetch", ToolKind::Web),
    ("web_search", ToolKind::Web), ("webfetch", ToolKind::Web), ("websearch", ToolKind::Web),
    ("browser_action", ToolKind::Web), ("fetch_url_content", ToolKind::Web), ("fetch_web_content", ToolKind::Web),
    ("fetch_webpage", ToolKind::Web), ("fetchwebpage", ToolKind::Web), ("read_web_page", ToolKind::Web),
    ("search_web", ToolKind::Web),
    ("create", ToolKind::Write), ("create_file", ToolKind::Write), ("write", ToolKind::Write), ("write_file", ToolKind::Write),
    ("writefile", ToolKind::Write),
    ("create_new_file", ToolKind::Write), ("createfile", ToolKind::Write), ("newfilecreated", ToolKind::Write),
    ("write_to_file", ToolKind::Write),
];

/// What editors put before the names of the tools that are their own.
const PREFIXES: &[&str] = &["builtin_", "copilot_", "vscode_"];

/// What a tool does, by its name in any letter case; MCP and namespaced names by their last part.
pub fn kind_of(name: &str) -> ToolKind {
    let lower = name.to_ascii_lowercase();
    let bare = lower.rsplit("__").next().unwrap_or(&lower);
    let last = bare.rsplit(['.', ':', '/']).next().unwrap_or(bare);
    let own = PREFIXES.iter().find_map(|prefix| lower.strip_prefix(prefix)).unwrap_or(&lower);
    [lower.as_str(), bare, last, own]
        .iter()
        .find_map(|n| TOOLS.iter().find(|row| row.0 == *n))
        .map_or(ToolKind::Other, |row| row.1)
}
