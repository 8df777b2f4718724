//! Words, operators, redirections and here-documents of a command line.

/// What stands behind a simple command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`, `|&`
    Pipe,
    /// `;`, a newline, a parenthesis
    Sequence,
    /// `&`
    Background,
    /// The end of the line.
    End,
}

/// A simple command as typed: assignments, words, redirections.
#[derive(Clone, PartialEq, Debug)]
pub struct RawCommand {
    /// `NAME=value` before the program.
    pub env: Vec<(String, String)>,
    /// Program and arguments, unquoted.
    pub words: Vec<String>,
    /// Targets of `>`, `>>`, `&>`; descriptors and `/dev/null` left out.
    pub writes: Vec<String>,
    /// Text of a here-document or here-string.
    pub stdin: Option<String>,
    /// What stands behind it.
    pub op: Op,
}

/// The simple commands of a line; a line that breaks off inside a quote or here-document is read to its end.
pub fn raw_commands(line: &str) -> Vec<RawCommand> {
    let mut lexer = Lexer { text: line, at: 0, now: empty(), pending: Vec::new(), done: Vec::new() };
    lexer.run();
    lexer.done
}

/// A here-document whose body follows at the next newline.
struct Heredoc {
    delimiter: String,
    strips_tabs: bool,
    /// Position of its command in `done`; that of the current one is `done.len()`.
    command: usize,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    now: RawCommand,
    pending: Vec<Heredoc>,
    done: Vec<RawCommand>,
}

fn empty() -> RawCommand {
    RawCommand { env: Vec::new(), words: Vec::new(), writes: Vec::new(), stdin: None, op: Op::End }
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let hit = self.rest().starts_with(token);
        if hit {
            self.at += token.len();
        }
        hit
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.close(Op::Sequence);
                    self.bodies();
                }
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                ';' | '(' | ')' => {
                    self.at += 1;
                    self.close(Op::Sequence);
                }
                '|' => {
                    let op = if self.eat("||") { Op::Or } else { Op::Pipe };
                    if op == Op::Pipe {
                        self.at += 1;
                        self.eat("&");
                    }
                    self.close(op);
                }
                '&' if self.eat("&&") => self.close(Op::And),
                '&' if self.eat("&>>") || self.eat("&>") => self.redirect_into(),
                '&' => {
                    self.at += 1;
                    self.close(Op::Background);
                }
                '<' | '>' => self.redirect(c),
                _ => self.take_word(),
            }
        }
        self.close(Op::End);
    }

    /// Ends the current command. A redirection without words belongs to nothing and is dropped.
    fn close(&mut self, op: Op) {
        let mut command = std::mem::replace(&mut self.now, empty());
        while command.words.first().is_some_and(|w| KEYWORDS.contains(&w.as_str())) {
            command.words.remove(0);
        }
        if command.words.first().is_some_and(|w| LOOP_HEADS.contains(&w.as_str())) {
            command.words.clear();
        }
        if !command.words.is_empty() || !command.env.is_empty() {
            command.op = op;
            self.done.push(command);
        } else if matches!(op, Op::And | Op::Or | Op::Pipe | Op::Background)
            && let Some(last) = self.done.last_mut()
            && last.op == Op::Sequence
        {
            last.op = op; // `( a; b ) | c`: what follows the group follows its last command
        }
    }

    fn redirect(&mut self, c: char) {
        if self.rest().starts_with("<(") || self.rest().starts_with(">(") {
            let start = self.at;
            self.at += 1;
            self.balanced();
            let word = self.text[start..self.at].to_string();
            self.now.words.push(word);
        } else if self.eat("<<<") {
            self.blanks();
            self.now.stdin = Some(self.word());
        } else if self.eat("<<") {
            let strips_tabs = self.eat("-");
            self.blanks();
            let delimiter = self.word();
            self.pending.push(Heredoc { delimiter, strips_tabs, command: self.done.len() });
        } else {
            self.at += 1;
            if c == '>' {
                self.redirect_into();
            } else {
                self.eat("&");
                self.blanks();
                self.word();
            }
        }
    }

    fn redirect_into(&mut self) {
        while self.eat(">") || self.eat("|") {}
        let descriptor = self.eat("&");
        self.blanks();
        let target = self.word();
        if !descriptor && !target.is_empty() && !target.starts_with("/dev/") {
            self.now.writes.push(target);
        }
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
    }

    fn take_word(&mut self) {
        let start = self.at;
        let word = self.word();
        if self.at == start {
            self.at += self.peek().map_or(1, char::len_utf8);
            return;
        }
        let descriptor = word.bytes().all(|b| b.is_ascii_digit()) && self.rest().starts_with(['<', '>']);
        if descriptor {
            return;
        }
        if self.now.words.is_empty()
            && let Some((name, value)) = assignment(&word)
        {
            self.now.env.push((name.to_string(), value.to_string()));
            return;
        }
        self.now.words.push(word);
    }

    /// One word, quotes removed, substitutions kept as written.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() || ";&|()<>".contains(c) => break,
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word),
                '\\' => {
                    self.at += 1;
                    if let Some(next) = self.peek() {
                        self.at += next.len_utf8();
                        if next != '\n' {
                            word.push(next);
                        }
                    }
                }
                '$' | '`' => self.substitution(&mut word),
                _ => {
                    word.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut String) {
        self.at += 1;
        let end = self.rest().find('\'').unwrap_or(self.rest().len());
        word.push_str(&self.text[self.at..self.at + end]);
        self.at = (self.at + end + 1).min(self.text.len());
    }

    fn double_quoted(&mut self, word: &mut String) {
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    self.at += 1;
                    let Some(next) = self.peek() else { return };
                    self.at += next.len_utf8();
                    if !"\"\\$`\n".contains(next) {
                        word.push('\\');
                    }
                    if next != '\n' {
                        word.push(next);
                    }
                }
                '$' | '`' => self.substitution(word),
                _ => {
                    word.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// `$( … )`, `${ … }`, `` ` … ` `` as written; a lone `$` is a character.
    fn substitution(&mut self, word: &mut String) {
        let start = self.at;
        self.at += 1;
        if self.text[start..].starts_with('`') {
            self.at += self.rest().find('`').map_or(self.rest().len(), |end| end + 1);
        } else if self.peek() == Some('(') {
            self.balanced();
        } else if self.peek() == Some('{') {
            self.at += self.rest().find('}').map_or(self.rest().len(), |end| end + 1);
        }
        word.push_str(&self.text[start..self.at]);
    }

    /// Moves past the parenthesis that opens here and what it encloses; quotes inside are respected.
    fn balanced(&mut self) {
        let mut depth = 0usize;
        let mut scratch = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\'' => self.single_quoted(&mut scratch),
                '\\' => {
                    self.at += 1;
                    self.at += self.peek().map_or(0, char::len_utf8);
                }
                _ => {
                    self.at += c.len_utf8();
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Reads the bodies of the here-documents that were announced on the line just ended.
    fn bodies(&mut self) {
        for heredoc in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while !self.rest().is_empty() {
                let end = self.rest().find('\n').map_or(self.rest().len(), |n| n + 1);
                let line = &self.text[self.at..self.at + end];
                self.at += end;
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if heredoc.strips_tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == heredoc.delimiter {
                    break;
                }
                body.push_str(line);
            }
            if let Some(command) = self.done.get_mut(heredoc.command) {
                command.stdin = Some(body);
            }
        }
    }
}

/// Words that open or close a compound command and run nothing themselves.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &["!", "do", "done", "elif", "else", "esac", "fi", "if", "then", "until", "while", "{", "}"];

/// Words whose command names a variable or pattern, not a program.
const LOOP_HEADS: &[&str] = &["case", "for", "function", "in", "select"];

/// `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let valid = |(i, b): (usize, u8)| b == b'_' || b.is_ascii_alphabetic() || (i > 0 && b.is_ascii_digit());
    (!name.is_empty() && name.bytes().enumerate().all(valid)).then_some((name, value))
}
