//! Large logs made up for measuring: one generator a format, each with the proportions of real sessions (a call and its
//! result per turn, now and then a file copy, an image or a compaction copy). The same size gives the same bytes.

use std::fmt::Write;

/// A generator: name of the format, and what it makes of a size in bytes.
pub type Generator = (&'static str, &'static str, fn(usize) -> String);

/// All generators: format, file name, function.
pub const GENERATORS: &[Generator] = &[
    ("claude-code", "claude-code.jsonl", claude_code),
    ("codex-rollout", "codex-rollout.jsonl", codex),
    ("codex-rollout", "codex-compacted.jsonl", codex_compacted),
    ("gemini-session", "gemini-session.jsonl", gemini),
    ("qwen", "qwen.jsonl", qwen),
    ("pi-session", "pi-session.jsonl", pi),
    ("openai-messages", "openai-messages.json", openai),
    ("atif", "atif.json", atif),
    ("opencode-export", "opencode-export.json", opencode),
];

/// What a build prints: colours, quotes, other alphabets.
fn output() -> String {
    "   Compiling mill v0.1.0 (/work/mill)\\n\\u001b[32mok\\u001b[0m 17 passed; “0” failed\\n".repeat(20)
}

/// A source file as it stands inside a JSON string.
fn file() -> String {
    "fn grind(sacks: u32) -> u32 {\\n    sacks * 2 // \\\"twice\\\"\\n}\\n".repeat(120)
}

/// Turns until the size is reached.
fn filled(size: usize, mut log: String, mut turn: impl FnMut(&mut String, usize)) -> String {
    log.reserve(size + (1 << 20));
    let mut n = 0;
    while log.len() < size {
        n += 1;
        turn(&mut log, n);
    }
    log
}

/// Claude Code: the result written twice (as the model saw it and structured), file copies, signs of life.
fn claude_code(size: usize) -> String {
    let (output, file) = (output(), file());
    let mut parent = "null".to_string();
    filled(size, String::new(), |log, n| {
        let head = |kind: &str, uuid: &str, parent: &str| {
            format!(
                "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/work/mill\",\
                 \"sessionId\":\"s\",\"version\":\"2.1.40\",\"gitBranch\":\"main\",\"type\":\"{kind}\",\
                 \"uuid\":\"{uuid}\",\"timestamp\":\"2026-03-01T09:00:00.000Z\","
            )
        };
        let (call, result) = (format!("a{n}"), format!("u{n}"));
        let original = if n % 5 == 0 { file.as_str() } else { "" };
        writeln!(
            log,
            "{}\"message\":{{\"id\":\"m{n}\",\"role\":\"assistant\",\"model\":\"x\",\"content\":[{{\"type\":\"text\",\
             \"text\":\"I run the tests again.\"}},{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\",\
             \"input\":{{\"command\":\"cargo test {n}\",\"description\":\"Run tests\"}}}}],\
             \"usage\":{{\"input_tokens\":4,\"output_tokens\":30}}}}}}\n\
             {}\"toolUseResult\":{{\"stdout\":\"{output}\",\"stderr\":\"\",\"interrupted\":false,\
             \"originalFile\":\"{original}\"}},\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\
             \"tool_use_id\":\"t{n}\",\"content\":\"{output}\",\"is_error\":false}}]}}}}\n\
             {}\"data\":{{\"type\":\"bash_progress\",\"fullOutput\":\"{output}\"}},\"toolUseID\":\"x\"}}",
            head("assistant", &call, &parent),
            head("user", &result, &format!("\"{call}\"")),
            head("progress", &format!("p{n}"), &format!("\"{result}\"")),
        )
        .expect("a string");
        parent = format!("\"p{n}\"");
    })
}

const CODEX_HEAD: &str = "{\"timestamp\":\"2026-03-01T09:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\
    \"0199aaaa-0000-7000-8000-000000000006\",\"timestamp\":\"2026-03-01T09:00:00.000Z\",\"cwd\":\"/work/mill\",\
    \"originator\":\"codex_cli\",\"cli_version\":\"0.130.0\"}}\n";

fn codex_turn(log: &mut String, n: usize, output: &str) {
    let line = |kind: &str, payload: String| {
        format!("{{\"timestamp\":\"2026-03-01T09:00:01.000Z\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
    };
    *log += &line(
        "response_item",
        "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"Run it once more.\"}]}".into(),
    );
    *log += &line(
        "response_item",
        format!(
            "{{\"type\":\"function_call\",\"name\":\"exec_command\",\"arguments\":\"{{\\\"cmd\\\":\\\"cargo test {n}\\\"}}\",\"call_id\":\"c{n}\"}}"
        ),
    );
    *log += &line(
        "response_item",
        format!(
            "{{\"type\":\"function_call_output\",\"call_id\":\"c{n}\",\"output\":\"Chunk ID: a\\nProcess exited with code 0\\nOutput:\\n{output}\"}}"
        ),
    );
    let counts = "{\"input_tokens\":900,\"cached_input_tokens\":800,\"output_tokens\":30,\"reasoning_output_tokens\":9,\"total_tokens\":930}";
    *log += &line(
        "event_msg",
        format!(
            "{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{counts},\"last_token_usage\":{counts}}}}}"
        ),
    );
}

/// Codex: reasoning, a call, its output, token counts.
fn codex(size: usize) -> String {
    let output = output();
    filled(size, CODEX_HEAD.to_string(), |log, n| codex_turn(log, n, &output))
}

/// Codex after many compactions: nearly all of the log are copies of the history, images among them.
fn codex_compacted(size: usize) -> String {
    let (output, file) = (output(), file());
    let image = "iVBORw0KGgo".repeat(20_000);
    let message = format!(
        "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"{file}\"}},\
         {{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,{image}\"}}]}}"
    );
    let history = [message.as_str(); 12].join(",");
    filled(size, CODEX_HEAD.to_string(), |log, n| {
        codex_turn(log, n, &output);
        if n % 2 == 0 {
            *log += &format!(
                "{{\"timestamp\":\"2026-03-01T09:00:02.000Z\",\"type\":\"compacted\",\"payload\":{{\"message\":\"Summary {n}.\",\
                 \"replacement_history\":[{history}]}}}}\n"
            );
        }
    })
}

fn gemini(size: usize) -> String {
    let output = output();
    let head = "{\"sessionId\":\"s\",\"projectHash\":\"p\",\"startTime\":\"2026-03-01T09:00:00.000Z\",\"kind\":\"main\"}\n\
        {\"id\":\"u0\",\"timestamp\":\"2026-03-01T09:00:00.000Z\",\"type\":\"user\",\"content\":[{\"text\":\"Run the tests.\"}]}\n";
    filled(size, head.to_string(), |log, n| {
        *log += &format!(
            "{{\"id\":\"g{n}\",\"timestamp\":\"2026-03-01T09:00:01.000Z\",\"type\":\"gemini\",\"content\":\"I run the tests again.\",\
             \"model\":\"x\",\"tokens\":{{\"input\":900,\"output\":30,\"cached\":0,\"thoughts\":2,\"tool\":0,\"total\":932}},\
             \"toolCalls\":[{{\"id\":\"c{n}\",\"name\":\"run_shell_command\",\"args\":{{\"command\":\"cargo test {n}\"}},\
             \"status\":\"success\",\"timestamp\":\"2026-03-01T09:00:01.500Z\",\"result\":[{{\"functionResponse\":{{\"id\":\"c{n}\",\
             \"name\":\"run_shell_command\",\"response\":{{\"output\":\"{output}\"}}}}}}]}}]}}\n"
        );
    })
}

fn qwen(size: usize) -> String {
    let output = output();
    let mut parent = "null".to_string();
    filled(size, String::new(), |log, n| {
        let head = |uuid: &str, parent: &str, kind: &str| {
            format!(
                "{{\"uuid\":\"{uuid}\",\"parentUuid\":{parent},\"sessionId\":\"s\",\"timestamp\":\"2026-03-01T09:00:00.000Z\",\
                 \"type\":\"{kind}\",\"cwd\":\"/work/mill\",\"version\":\"0.9.0\","
            )
        };
        let (call, result) = (format!("a{n}"), format!("r{n}"));
        *log += &format!(
            "{}\"model\":\"x\",\"message\":{{\"role\":\"model\",\"parts\":[{{\"text\":\"I run the tests again.\"}},\
             {{\"functionCall\":{{\"id\":\"c{n}\",\"name\":\"run_shell_command\",\"args\":{{\"command\":\"cargo test {n}\"}}}}}}]}}}}\n\
             {}\"message\":{{\"role\":\"user\",\"parts\":[{{\"functionResponse\":{{\"id\":\"c{n}\",\"name\":\"run_shell_command\",\
             \"response\":{{\"output\":\"{output}\"}}}}}}]}},\"toolCallResult\":{{\"callId\":\"c{n}\",\"status\":\"success\"}}}}\n",
            head(&call, &parent, "assistant"),
            head(&result, &format!("\"{call}\""), "tool_result"),
        );
        parent = format!("\"{result}\"");
    })
}

fn pi(size: usize) -> String {
    let output = output();
    let head = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T09:00:00Z\",\"cwd\":\"/work/mill\"}\n";
    let mut parent = "null".to_string();
    filled(size, head.to_string(), |log, n| {
        let (call, result) = (format!("a{n}"), format!("r{n}"));
        *log += &format!(
            "{{\"type\":\"message\",\"id\":\"{call}\",\"parentId\":{parent},\"timestamp\":\"2026-03-01T09:00:00Z\",\"message\":\
             {{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"I run the tests again.\"}},{{\"type\":\"toolCall\",\
             \"id\":\"c{n}\",\"name\":\"bash\",\"arguments\":{{\"command\":\"cargo test {n}\"}}}}],\"provider\":\"p\",\"model\":\"x\",\
             \"stopReason\":\"toolUse\",\"usage\":{{\"input\":50,\"output\":20,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":70}},\
             \"timestamp\":1772355600000}}}}\n\
             {{\"type\":\"message\",\"id\":\"{result}\",\"parentId\":\"{call}\",\"timestamp\":\"2026-03-01T09:00:01Z\",\"message\":\
             {{\"role\":\"toolResult\",\"toolCallId\":\"c{n}\",\"toolName\":\"bash\",\"isError\":false,\"content\":[{{\"type\":\"text\",\
             \"text\":\"{output}\"}}],\"timestamp\":1772355601000}}}}\n"
        );
        parent = format!("\"{result}\"");
    })
}

fn openai(size: usize) -> String {
    let output = output();
    let head = "{\"messages\":[{\"role\":\"user\",\"content\":\"Run the tests.\"}".to_string();
    filled(size, head, |log, n| {
        *log += &format!(
            ",{{\"role\":\"assistant\",\"content\":\"I run the tests again.\",\"tool_calls\":[{{\"id\":\"c{n}\",\"type\":\"function\",\
             \"function\":{{\"name\":\"bash\",\"arguments\":\"{{\\\"command\\\":\\\"cargo test {n}\\\"}}\"}}}}]}},\
             {{\"role\":\"tool\",\"tool_call_id\":\"c{n}\",\"content\":\"{output}\"}}"
        );
    }) + "]}\n"
}

fn atif(size: usize) -> String {
    let output = output();
    let head = "{\"schema_version\":\"ATIF-v1.7\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\",\"version\":\"1\"},\"steps\":[\
        {\"step_id\":1,\"source\":\"user\",\"message\":\"Run the tests.\"}";
    filled(size, head.to_string(), |log, n| {
        *log += &format!(
            ",{{\"step_id\":{},\"timestamp\":\"2026-03-01T09:00:00Z\",\"source\":\"agent\",\"model_name\":\"x\",\"message\":\
             \"I run the tests again.\",\"tool_calls\":[{{\"tool_call_id\":\"c{n}\",\"function_name\":\"bash\",\"arguments\":\
             {{\"command\":\"cargo test {n}\"}}}}],\"observation\":{{\"results\":[{{\"source_call_id\":\"c{n}\",\"content\":\"{output}\"}}]}}}}",
            n + 1
        );
    }) + "]}\n"
}

fn opencode(size: usize) -> String {
    let output = output();
    let head = "{\"info\":{\"id\":\"ses_1\",\"title\":\"t\",\"version\":\"1.2.0\",\"directory\":\"/work/mill\"},\"messages\":[\
        {\"info\":{\"id\":\"msg_000000000\",\"sessionID\":\"ses_1\",\"role\":\"user\",\"time\":{\"created\":1772355600000}},\"parts\":\
        [{\"id\":\"prt_0\",\"type\":\"text\",\"text\":\"Run the tests.\"}]}";
    filled(size, head.to_string(), |log, n| {
        *log += &format!(
            ",{{\"info\":{{\"id\":\"msg_{n:09}\",\"sessionID\":\"ses_1\",\"role\":\"assistant\",\"modelID\":\"x\",\"time\":\
             {{\"created\":{created},\"completed\":{created}}}}},\"parts\":[{{\"id\":\"prt_{n}a\",\"type\":\"text\",\"text\":\
             \"I run the tests again.\"}},{{\"id\":\"prt_{n}b\",\"type\":\"tool\",\"callID\":\"c{n}\",\"tool\":\"bash\",\"state\":\
             {{\"status\":\"completed\",\"input\":{{\"command\":\"cargo test {n}\"}},\"output\":\"{output}\",\"title\":\"t\",\
             \"metadata\":{{\"exit\":0}},\"time\":{{\"start\":{created},\"end\":{created}}}}}}}]}}",
            created = 1_772_355_600_000_usize + n
        );
    }) + "]}\n"
}
