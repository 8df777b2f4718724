//! What producers call their tools. Version 1. A row a kind; names sorted, in lower case.

use crate::model::{builder::Field, message::ToolKind};

#[rustfmt::skip]
const TOOLS: &[(ToolKind, &[&str])] = &[
    (ToolKind::Agent, &[
        "agent", "codebase_investigator", "codebase_search_agent", "createsubagent", "delegate",
        "delegate_task", "delegate_to_agent", "dispatch_agent", "librarian", "new_task", "newtask", "oracle", "runsubagent",
        "sessions_spawn", "spawn_agent", "spawn_agents_on_csv", "subagent", "task", "use_subagents",
    ]),
    (ToolKind::Edit, &[
        "appliedapplydiff", "applieddiff", "apply_diff", "apply_patch", "applypatch", "delete", "delete_file",
        "edit", "edit_existing_file", "edit_file", "edit_file_v2", "edit_notebook", "editedexistingfile",
        "editnotebook", "editor", "file_change", "file_editor", "fileedit", "insert", "insert_content",
        "insert_edit", "insert_edit_into_file", "insertcontent", "insertedit", "multi_edit",
        "multi_replace_string_in_file", "multiedit", "multireplacestring", "notebookedit", "patch", "replace",
        "replace_in_file", "replace_string_in_file", "replacestring", "search_and_replace", "search_replace",
        "searchandreplace", "single_find_and_replace", "str_replace", "str_replace_based_edit_tool",
        "str_replace_editor", "strreplace", "strreplacefile", "text_editor", "undo_edit",
    ]),
    (ToolKind::Job, &[
        "await", "bashoutput", "close_agent", "get_terminal_output", "interrupt_agent", "job_kill",
        "job_output", "killbash", "killshell", "list_agents", "list_bash", "list_powershell", "process",
        "read_agent", "read_bash", "read_powershell", "read_thread_terminal", "resume_agent", "send_input",
        "send_message", "session_status", "sessions_history", "sessions_yield", "stop_bash", "stop_powershell",
        "subagents", "taskoutput", "taskstop", "wait", "wait_agent", "write_bash", "write_powershell",
        "write_stdin",
    ]),
    (ToolKind::Plan, &[
        "create_plan", "createplan", "enter_plan_mode", "enterplanmode", "exit_plan_mode", "exitplanmode",
        "exitspecmode", "plan_enter", "plan_exit", "plan_mode_respond", "plandisplay", "switch_mode",
        "switchmode",
    ]),
    (ToolKind::Question, &[
        "ask", "ask_followup_question", "ask_question", "ask_user", "ask_user_question", "askquestion",
        "askquestions", "askuser", "askuserquestion", "followup", "question", "request_user_input",
        "vscode_askquestions",
    ]),
    (ToolKind::Read, &[
        "cat", "fs_read", "goto", "image_read", "look_at", "memory_get", "notebookread", "open", "open_file",
        "read", "read_file", "read_file_v2", "read_files", "read_many_files", "read_mcp_resource",
        "read_multiple_files", "readfile", "readlints", "readmediafile", "scroll_down", "scroll_up",
        "show_file", "view", "view_diff", "view_image", "viewfiles",
    ]),
    (ToolKind::Search, &[
        "ast_grep", "codebase_search", "codebasesearch", "codesearch", "file_glob_search", "file_search",
        "find", "find_file", "find_path", "finder", "findfiles", "findtextinfiles", "glob", "glob_file_search",
        "grep", "grep_search", "list", "list_code_definition_names", "list_dir", "list_dir_v2",
        "list_directory", "list_files", "list_mcp_resource_templates", "list_mcp_resources",
        "listcodedefinitionnames", "listdirectory", "listfiles", "listfilesrecursive", "listfilestoplevel",
        "ls", "lsp", "memory_search", "rg", "ripgrep_raw_search", "search", "search_codebase", "search_dir",
        "search_file", "search_file_content", "search_files", "searchcodebase", "searchfiles",
        "semantic_search", "semantic_search_full", "semanticsearch", "sourcegraph", "tool_search", "toolsearch",
    ]),
    (ToolKind::Shell, &[
        "bash", "bash_command", "bash_tool", "bashexecution", "cmd", "command", "command_execution",
        "container.exec", "exec", "exec_command", "execute", "execute_bash", "execute_command",
        "execute_ipython_cell", "js_repl", "local_shell_call", "powershell", "python", "run_command",
        "run_command_in_terminal", "run_commands", "run_in_terminal", "run_ipython", "run_shell_command",
        "run_terminal_cmd", "run_terminal_cmd_v2", "run_terminal_command", "run_terminal_command_v2", "shell",
        "shell_command", "swe_agent_action", "terminal", "unified_exec",
    ]),
    (ToolKind::Todo, &[
        "checklist", "manage_todo_list", "plan_update", "read_todos", "readtodos", "set_todo_list",
        "settodolist", "task_progress", "task_tracker", "task_tracking", "taskcreate", "taskget", "tasklist",
        "taskupdate", "todo", "todo__write", "todo_list", "todo_read", "todo_write", "todolist", "todoread",
        "todos", "todowrite", "update_plan", "update_todo", "update_todo_list", "update_todos",
        "updatetodolist", "updatetodos", "updatetodostoolcall", "write_todos", "writechecklist", "writetodos",
    ]),
    (ToolKind::Web, &[
        "agentic_fetch", "browser", "browser_action", "fetch", "fetch_url_content", "fetch_web_content",
        "fetch_webpage", "fetchurl", "fetchwebpage", "google_web_search", "read_web_page", "search_web",
        "searchweb", "web_fetch", "web_search", "webfetch", "websearch",
    ]),
    (ToolKind::Write, &[
        "create", "create_file", "create_new_file", "createfile", "fs_write", "newfilecreated", "write",
        "write_file", "write_to_file", "writefile",
    ]),
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
        .find_map(|n| TOOLS.iter().find(|row| row.1.binary_search(n).is_ok()))
        .map_or(ToolKind::Other, |row| row.0)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_lower_case_and_stand_once() {
        for (kind, names) in TOOLS {
            assert!(names.is_sorted_by(|a, b| a < b), "{kind:?}");
            for name in *names {
                assert_eq!((name.to_lowercase().as_str(), kind_of(name)), (*name, *kind));
            }
        }
    }

    #[test]
    fn names_are_known_in_any_case_and_behind_prefixes() {
        assert_eq!(kind_of("Bash"), ToolKind::Shell);
        assert_eq!(kind_of("mcp__files__read_file"), ToolKind::Read);
        assert_eq!(kind_of("functions.exec_command"), ToolKind::Shell);
        assert_eq!(kind_of("copilot_readFile"), ToolKind::Read);
        assert_eq!(kind_of("frobnicate"), ToolKind::Other);
    }
}
