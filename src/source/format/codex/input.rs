//! What a call does and with which arguments, out of the several forms in which a model's call is written.

use serde_json::value::RawValue;

use super::{
    record::{decoded, is_object},
    script::{self, Literal, Nested},
};
use crate::{
    model::{builder::Field, message::ToolKind},
    source::{
        fields::fields,
        lenient::{List, Number, Raw, Text, lenient},
        tool_names::kind_of,
    },
};

/// A call, read.
pub struct Input {
    /// What the tool does.
    pub kind: ToolKind,
    /// Its arguments.
    pub fields: Vec<Field>,
    /// A plan that a script wrote among other things: a call of its own for readers of plans.
    pub plan: Option<Vec<Field>>,
}

/// A call with JSON arguments.
pub fn function(name: &str, arguments: Raw) -> Input {
    let kind = kind_of(name);
    let text = arguments.map(decoded).unwrap_or_default();
    let mut fields = fields(&text);
    if kind == ToolKind::Shell {
        fields.iter_mut().for_each(unwrap);
    }
    Input { kind, fields, plan: None }
}

/// A call whose input is a text: a patch, a script, sometimes JSON.
pub fn custom(name: &str, input: &str) -> Input {
    if is_object(input) {
        let raw = serde_json::from_str::<&RawValue>(input).ok();
        return function(name, raw);
    }
    let nested = if kind_of(name) == ToolKind::Shell { script::calls(input) } else { Vec::new() };
    match nested.is_empty() {
        true if kind_of(name) == ToolKind::Shell => Input { kind: ToolKind::Other, ..plain("code", input) },
        true => Input { kind: kind_of(name), ..plain("input", input) },
        false => scripted(&nested, input),
    }
}

/// A call whose only argument is a text.
fn plain(name: &str, input: &str) -> Input {
    Input { kind: ToolKind::Other, fields: vec![field(name, input)], plan: None }
}

fn field(name: &str, text: impl Into<String>) -> Field {
    Field { name: Some(name.to_string()), text: text.into(), cut: None }
}

/// An argument, where it is known.
pub fn named(name: &str, text: Option<&str>) -> Option<Field> {
    text.map(|text| field(name, text))
}

/// Names of the argument that holds a command, and of the one that holds a patch.
const COMMANDS: &[&str] = &["cmd", "command"];
const PATCHES: &[&str] = &["input", "patch"];

fn scripted(nested: &[Nested], source: &str) -> Input {
    let of = |kind: ToolKind| nested.iter().filter(move |call| kind_of(&call.name) == kind);
    let texts = |kind: ToolKind, names: &[&str]| {
        let one = |call: &Nested| {
            let input = call.input.as_ref()?;
            input.text().or_else(|| names.iter().find_map(|name| input.get(name)?.text())).map(str::to_string)
        };
        of(kind).filter_map(one).collect::<Vec<_>>().join("\n")
    };
    let (commands, patches) = (texts(ToolKind::Shell, COMMANDS), texts(ToolKind::Edit, PATCHES));
    let plan = of(ToolKind::Todo).filter_map(|call| call.input.as_ref()).next_back().map(members);
    let ran = of(ToolKind::Shell).next().is_some();
    let edited = of(ToolKind::Edit).next().is_some();
    let kind = match nested {
        _ if ran => ToolKind::Shell,
        _ if edited => ToolKind::Edit,
        _ if plan.is_some() => ToolKind::Todo,
        [first, rest @ ..] if rest.iter().all(|call| kind_of(&call.name) == kind_of(&first.name)) => {
            kind_of(&first.name)
        }
        _ => ToolKind::Other,
    };
    let mut fields = Vec::new();
    if !commands.is_empty() {
        fields.push(field("cmd", commands));
    }
    if let Some(place) = of(ToolKind::Shell).find_map(|call| call.input.as_ref()?.get("workdir")?.text()) {
        fields.push(field("workdir", place));
    }
    if !patches.is_empty() {
        fields.push(field("input", patches));
    }
    let apart = ran || edited;
    match nested {
        _ if kind == ToolKind::Todo => fields.extend(plan.clone().unwrap_or_default()),
        [only] if !apart => fields.extend(only.input.as_ref().map(members).unwrap_or_default()),
        _ => {}
    }
    fields.push(field("code", source));
    Input { kind, fields, plan: plan.filter(|_| apart) }
}

fn members(input: &Literal) -> Vec<Field> {
    let text = |value: &Literal| value.text().map_or_else(|| value.json(), str::to_string);
    match input {
        Literal::Object(members) => members.iter().map(|(name, value)| field(name, text(value))).collect(),
        other => vec![Field { name: None, text: text(other), cut: None }],
    }
}

lenient! {
    /// What a `local_shell_call` runs, or a search of the web looks for.
    pub struct Action<'a> {
        command: List<Text<'a>> = "command",
        cwd: Text<'a> = "working_directory",
        timeout: Number = "timeout_ms",
    }
}

/// A call of the provider's own shell.
pub fn local_shell(action: Raw) -> Input {
    let action: Action = action.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let words: Vec<&str> = action.command.items.iter().filter_map(Text::get).collect();
    let mut fields = vec![field("command", command_line(&words))];
    fields.extend(action.cwd.owned().map(|cwd| field("workdir", cwd)));
    fields.extend(action.timeout.count().map(|timeout| field("timeout_ms", timeout.to_string())));
    Input { kind: ToolKind::Shell, fields, plan: None }
}

/// A search of the web by the provider.
pub fn web_search(action: Raw, query: Option<&str>) -> Input {
    let mut found = action.map(|raw| fields(raw.get())).unwrap_or_default();
    found.retain(|field| field.text != "null");
    if found.is_empty() {
        found.extend(query.map(|query| field("query", query)));
    }
    Input { kind: ToolKind::Web, fields: found, plan: None }
}

/// A `command` that is a list of words becomes the command line that it is.
fn unwrap(field: &mut Field) {
    if field.name.as_deref().is_some_and(|name| COMMANDS.contains(&name))
        && field.text.starts_with('[')
        && let Ok(words) = serde_json::from_str::<Vec<String>>(&field.text)
    {
        field.text = command_line(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// The command line of a list of words: what a shell among them is given, else the words, quoted where they must be.
pub fn command_line(words: &[&str]) -> String {
    if let [shell, flag, script] = words
        && matches!(*flag, "-lc" | "-c" | "-ic" | "-Command")
        && matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "powershell.exe" | "pwsh"))
    {
        return (*script).to_string();
    }
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+".contains(c);
    let quoted = |word: &&str| match !word.is_empty() && word.chars().all(plain) {
        true => (*word).to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(input: &Input) -> Vec<String> {
        input.fields.iter().map(|f| format!("{}={}", f.name.as_deref().unwrap_or(""), f.text)).collect()
    }

    #[test]
    fn lists_of_words_are_command_lines() {
        assert_eq!(command_line(&["bash", "-lc", "ls | wc"]), "ls | wc");
        assert_eq!(command_line(&["rg", "a b", "it's"]), r"rg 'a b' 'it'\''s'");
        let raw =
            serde_json::from_str(r#""{\"command\":[\"bash\",\"-lc\",\"ls\"],\"workdir\":\"/w\"}""#).expect("JSON");
        assert_eq!(told(&function("shell", Some(raw))), ["command=ls", "workdir=/w"]);
    }

    #[test]
    fn scripts_are_what_they_call() {
        let shell = custom("exec", "const r = await tools.exec_command({cmd:\"ls\",workdir:\"/w\"});text(r.output)");
        assert_eq!(shell.kind, ToolKind::Shell);
        assert_eq!(told(&shell)[..2], ["cmd=ls", "workdir=/w"]);
        let plan = custom("exec", "await tools.update_plan({plan:[{step:\"a\",status:\"pending\"}]})");
        assert_eq!((plan.kind, plan.plan.is_some()), (ToolKind::Todo, false));
        assert_eq!(told(&plan)[0], r#"plan=[{"step":"a","status":"pending"}]"#);
        let both = custom("exec", "await tools.update_plan({plan:[]}); await tools.exec_command({cmd:'ls'})");
        assert_eq!((both.kind, both.plan.is_some()), (ToolKind::Shell, true));
        assert_eq!(custom("exec", "text(1 + 1)").kind, ToolKind::Other);
        assert_eq!(custom("apply_patch", "*** Begin Patch\n").kind, ToolKind::Edit);
    }
}
