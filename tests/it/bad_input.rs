//! Inputs that no agent wrote, or that something went wrong with: one clear error where nothing can be read, never a
//! panic, never a silent empty success.

use turnpoint::{
    base::{diag::DiagCode, error::Error},
    model::session::Session,
    pipeline,
    source::open::Input,
};

const PROMPT: &str =
    r#"{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1","message":{"role":"user","content":"Go."}}"#;

fn read(bytes: impl Into<Vec<u8>>) -> Result<Session, String> {
    match pipeline::read(&Input::from_bytes("log.jsonl", bytes.into()), Default::default()) {
        Ok(mut reading) => Ok(reading.sessions.remove(0)),
        Err(error) => {
            let told = error.to_string();
            assert!(told.contains("log.jsonl") && !told.contains('\n'), "names the input on one line: {told}");
            assert!(matches!(error, Error::Unreadable { .. } | Error::Unrecognised { .. } | Error::NoTurns { .. }));
            Err(told)
        }
    }
}

#[test]
fn nothing_to_read_is_an_error() {
    assert!(read("").is_err());
    assert!(read("\n\n \r\n").is_err());
    assert!(read(vec![0; 4096]).is_err());
    assert!(read((0..=255).cycle().take(9000).collect::<Vec<u8>>()).is_err());
    assert!(read("\u{feff}").is_err());
    assert!(read("{").is_err());
    assert!(read("[[[[").is_err());
    assert!(read("{\"a\":".repeat(100_000)).is_err());
    assert!(read("{\"loglines\":[").is_err());
    assert!(read("{\"loglines\":{}}").is_err());
}

#[test]
fn bookkeeping_without_a_turn_is_an_error() {
    let told = read("{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n").expect_err("no turn");
    assert!(told.contains("1 records read: 1 skipped"), "{told}");
}

#[test]
fn a_long_line_is_read() {
    let long = format!("{}\n{}\n", PROMPT.replace("Go.", &"x".repeat(20 << 20)), PROMPT.replace("u1", "u2"));
    let session = read(long).expect("readable");
    assert_eq!(session.messages[0].prose().len(), 20 << 20);
    assert_eq!(session.messages.len(), 2);
}

#[test]
fn hundreds_of_records_on_one_line_are_read() {
    let lines: Vec<String> = (0..500).map(|i| PROMPT.replace("u1", &format!("u{i}"))).collect();
    let session = read(lines.concat()).expect("readable");
    assert_eq!((session.messages.len(), session.accounting.read), (500, 500));
    assert_eq!(session.diagnostics.count(DiagCode::RecordsGlued), 1);
}

#[test]
fn circles_of_any_size_end() {
    let link = |i: usize, n: usize| {
        PROMPT
            .replace("null", &format!("\"u{}\"", (i + 1) % n))
            .replace("\"uuid\":\"u1\"", &format!("\"uuid\":\"u{i}\""))
    };
    for n in [1, 2, 3, 3000] {
        let log: Vec<String> = (0..n).map(|i| link(i, n)).collect();
        let session = read(log.join("\n")).expect("readable");
        assert_eq!(session.messages.len(), n);
        assert_eq!(session.diagnostics.count(DiagCode::ParentCircular), 1, "{n}");
    }
}

#[test]
fn nul_padding_in_the_middle_and_at_the_end_is_dropped() {
    let log = [PROMPT.as_bytes(), b"\n\0\0\0\0", PROMPT.replace("u1", "u2").as_bytes(), b"\n\0\0\0\0"].concat();
    let session = read(log).expect("readable");
    assert_eq!(session.messages.len(), 2);
    assert_eq!(session.diagnostics.count(DiagCode::NulPadding), 2);
}

#[test]
fn noise_lines_cost_only_themselves() {
    let log = format!("Welcome!\n{PROMPT}\n<html>\n");
    let session = read(log).expect("readable");
    assert_eq!((session.messages.len(), session.accounting.damaged), (1, 2));
}

/// Recordings whose rows are longer, more or more often rewritten than any terminal's, and logs of nothing but headers.
#[test]
fn hostile_terminals_are_read_in_linear_time() {
    let cast = |texts: &[String]| {
        let events = texts.iter().map(|text| format!("[1.5, \"o\", \"$ x\\r\\n{text}\"]\n"));
        events.fold("{\"version\": 2, \"width\": 99999, \"height\": 99999}\n".to_string(), |log, event| log + &event)
    };
    let escape = |codes: &str| codes.replace('^', "\\u001b");
    let step = "\nmini-swe-agent (step 1, $0.00):\n";
    let logs = [
        cast(&["x".repeat(5 << 20)]),
        cast(&["\\n".repeat(1 << 20)]),
        cast(&vec!["x".to_string(); 100_000]),
        cast(&[escape("^[2J^[9999;9999Hx").repeat(50_000)]),
        cast(&["x".repeat(1000) + &escape("^[P^[@").repeat(50_000)]),
        cast(&["x".repeat(5000) + &escape("^[999A^[999B").repeat(50_000)]),
        step.to_string() + &"```\nx\n```\n\n".repeat(30_000) + &"Tool:\n".repeat(30_000),
        step.to_string() + &"Tool:\n\n".repeat(100_000),
        format!("{step}On.\n").repeat(20_000),
    ];
    let begun = std::time::Instant::now();
    for log in logs {
        assert!(read(log).is_ok());
    }
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

/// A long text that messages refer to endlessly is not put in the place of every reference.
#[test]
fn references_do_not_multiply_a_text() {
    let long = "x".repeat(1 << 20);
    let said = (0..200).map(|i| format!("{{\"id\":\"m{i}\",\"role\":\"user\",\"content\":\"attachment://a\"}}"));
    let sample = format!(
        "{{\"id\":\"s\",\"epoch\":1,\"messages\":[{}],\"attachments\":{{\"a\":\"{long}\"}}}}",
        said.collect::<Vec<_>>().join(",")
    );
    let log = format!("{{\"version\":2,\"eval\":{{\"task\":\"t\"}},\"samples\":[{sample}]}}");
    let session = read(log).expect("readable");
    let bytes: usize = session.messages.iter().map(|m| m.prose().len()).sum();
    assert_eq!(session.messages.len(), 200);
    assert!(session.messages[0].prose() == long && bytes < 16 << 20, "{bytes}");
    assert_eq!(session.diagnostics.count(DiagCode::ContentCut), 1);
}

/// A new list that holds no message takes none away.
#[test]
fn a_list_of_anything_replaces_no_messages() {
    let head = "{\"sessionId\":\"s\",\"projectHash\":\"p\",\"startTime\":\"2026-02-01T10:00:00Z\",\"messages\":[]}\n";
    let said = "{\"id\":\"a\",\"timestamp\":\"2026-02-01T10:00:01Z\",\"type\":\"user\",\"content\":\"Go.\"}\n\
        {\"id\":\"b\",\"timestamp\":\"2026-02-01T10:00:02Z\",\"type\":\"gemini\",\"content\":\"Gone.\"}\n";
    let session = read(format!("{head}{said}{{\"$set\":{{\"messages\":[null,1,{{}}]}}}}\n")).expect("readable");
    assert_eq!((session.messages.len(), session.accounting.damaged), (2, 1));
    let session = read(format!("{head}{said}{{\"$set\":{{\"messages\":[]}}}}\n"));
    assert!(session.is_err(), "an empty list is a conversation that was taken back");
}

/// A session of VS Code on one line is a document however its members are spaced.
#[test]
fn a_document_on_one_line_is_no_log_of_operations() {
    let part = "{\"kind\": \"markdownContent\", \"value\": \"Done.\"}";
    let request = format!("{{\"requestId\": \"r\", \"message\": {{\"text\": \"Go.\"}}, \"response\": [{part}]}}");
    let log = format!("{{\"version\": 3, \"sessionId\": \"s\", \"requests\": [{request}]}}");
    let (spaced, tight) = (read(log.clone()).expect("readable"), read(log.replace("\": ", "\":")).expect("readable"));
    assert!(!spaced.messages.is_empty());
    assert_eq!(spaced.messages.len(), tight.messages.len());
}

/// Half of the lines in one format's shape say less than all of them in another's.
#[test]
fn a_whole_vote_beats_half_of_one() {
    let user = "{\"type\":\"user\",\"session_id\":\"s\",\"uuid\":\"u\",\"parent_tool_use_id\":null,\
        \"message\":{\"role\":\"user\",\"content\":\"Go.\"}}\n";
    let told = "{\"type\":\"assistant\",\"session_id\":\"s\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\
        \"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}]}}\n";
    let reading = pipeline::read(&Input::from_bytes("log.jsonl", [user, told].concat().into()), Default::default());
    assert_eq!(reading.expect("readable").format, "claude-stream-json");
}
