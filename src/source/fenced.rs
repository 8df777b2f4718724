//! Fenced blocks of transcripts written in Markdown. What stands in them is often Markdown with fences of its own, which
//! nobody escaped, so that the closing fence has to be told from those.

/// A fenced block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fenced<'a> {
    /// What stands behind the opening fence.
    pub info: &'a str,
    /// What stands between the fences.
    pub text: &'a str,
    /// First byte behind the closing fence's line.
    pub end: usize,
}

/// The block that a text begins with, blank lines before it passed over. It ends at the first closing fence behind which
/// `closes` accepts the text, else at the last one; without any, at the end of the text.
pub fn fenced<'a>(text: &'a str, mut closes: impl FnMut(&str) -> bool) -> Option<Fenced<'a>> {
    let lead = text.len() - text.trim_start_matches(['\n', '\r']).len();
    let opening = text[lead..].lines().next()?;
    let marks = opening.len() - opening.trim_start_matches('`').len();
    if marks < 3 {
        return None;
    }
    let (fence, info) = opening.split_at(marks);
    let start = (lead + text[lead..].find('\n').map_or(text.len() - lead, |at| at + 1)).min(text.len());
    let (mut at, mut last) = (start, None);
    for line in text[start..].split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == fence {
            last = Some((at, end));
            if closes(&text[end..]) {
                break;
            }
        }
        at = end;
    }
    let (stop, end) = last.unwrap_or((text.len(), text.len()));
    let body = &text[start..stop];
    Some(Fenced { info: info.trim(), text: body.strip_suffix('\n').unwrap_or(body), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_where_the_caller_accepts_the_rest() {
        let text = "\n```json\n{}\n```\nrest";
        let block = fenced(text, |_| true).expect("a block");
        assert_eq!((block.info, block.text, &text[block.end..]), ("json", "{}", "rest"));
        let nested = "```\na\n```sh\nb\n```\nc\n```\n\n**Tool";
        assert_eq!(fenced(nested, |rest| rest.starts_with("\n**")).expect("a block").text, "a\n```sh\nb\n```\nc");
        assert_eq!(fenced("```\ncut", |_| true).expect("a block").text, "cut");
        assert_eq!(fenced("```\n```\n", |_| true).expect("a block").text, "");
        assert!(fenced("text", |_| true).is_none());
    }
}
