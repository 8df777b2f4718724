//! Wordings by which a sentence is known for what it is: one table for what assistants state, one for what users ask.
//!
//! A row is a name, a pattern, a sentence it is for and one it must leave alone; the test at the end holds every row to
//! both. Rows stand in order of precedence: a sentence is what the first matching row says. Patterns are read without
//! regard to case. The tables hold more than one language where the corpus does.

use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};

use crate::{
    model::facts::{RequestKind, StatementKind},
    text::pattern::in_ascii,
};

/// A wording and what it makes of a sentence.
pub struct Cue<K: 'static> {
    /// What the sentence is.
    pub kind: K,
    /// The pattern.
    pub pattern: &'static str,
    /// A sentence that it matches.
    #[cfg_attr(not(test), allow(dead_code, reason = "examples for the reader and for the test"))]
    pub yes: &'static str,
    /// A sentence that it must not match.
    #[cfg_attr(not(test), allow(dead_code, reason = "examples for the reader and for the test"))]
    pub no: &'static str,
}

/// A compiled table.
pub struct Cues<K: 'static> {
    rows: &'static [Cue<K>],
    set: RegexSet,
}

impl<K: Copy> Cues<K> {
    fn new(rows: &'static [Cue<K>]) -> Self {
        let patterns = rows.iter().map(|r| in_ascii(&format!("(?i){}", r.pattern)));
        let set = RegexSetBuilder::new(patterns).dfa_size_limit(32 << 20).build();
        Self { rows, set: set.expect("the table's patterns are tested") }
    }

    /// What the first matching row makes of a sentence.
    pub fn kind(&self, sentence: &str) -> Option<K> {
        self.set.matches(sentence).iter().next().map(|i| self.rows[i].kind)
    }
}

/// What an assistant's sentence states.
pub static STATEMENTS: LazyLock<Cues<StatementKind>> = LazyLock::new(|| Cues::new(STATEMENT_ROWS));
/// What a user's clause asks.
pub static REQUESTS: LazyLock<Cues<RequestKind>> = LazyLock::new(|| Cues::new(REQUEST_ROWS));

use RequestKind as R;
use StatementKind as S;

#[rustfmt::skip]
const STATEMENT_ROWS: &[Cue<StatementKind>] = &[
    Cue { kind: S::Concession, pattern: r"\byou(?:'re|’re| are| were) (?:absolutely |completely |totally |quite )?(?:right|correct)\b", yes: "You are right.", no: "You are running two servers." },
    Cue { kind: S::Concession, pattern: r"\bmy (?:mistake|bad|error)\b|\bI (?:was|am) (?:wrong|mistaken)\b|\bI (?:stand corrected|withdraw|retract|misread|misunderstood|misjudged)\b", yes: "I withdraw it as the first target.", no: "Withdraw the money." },
    Cue { kind: S::Concession, pattern: r"\b(?:my|our) (?:[\w-]+ ){0,3}(?:hypothesis|assumption|guess|theory|diagnosis|analysis|claim|estimate|expectation|suspicion|change|fix|approach) (?:was|were|is|turned out(?: to be)?) (?:\w+ )?(?:wrong|incorrect|mistaken|false|off)\b", yes: "So my GEMM hypothesis was wrong.", no: "The path was wrong." },
    Cue { kind: S::Concession, pattern: r"^(?:ah,? |yes,? |ok,? )?(?:good (?:point|catch)|fair (?:point|enough))\b|^I apologi[sz]e\b|你说得对|我错了|是我的错", yes: "Good catch, that path is stale.", no: "It is a good point to start from." },
    Cue { kind: S::Fallback, pattern: r"\bif\b.{3,120}(?:fail|crash|break|hang|error|n't|n’t| not |oom|out of memory|too (?:slow|large|big)|unstable|unavailable).{0,80}\b(?:(?:we|I)(?:'ll|’ll| can| will| could)? )?(?:then )?(?:fall(?:ing)? back|revert|switch(?:ing)? (?:back )?to|go(?:ing)? back|try|use|keep|drop)\b", yes: "If CUDA graph crashes, fall back to mem-fraction 0.92.", no: "If it works, keep it." },
    Cue { kind: S::Fallback, pattern: r"\bas a (?:fallback|backup|last resort),? (?:I|we|keep|use|try)\b|\b(?:I|we)(?:'ll|’ll| will| can)? keep .{3,60} as a (?:fallback|backup)\b|\bplan b\b|\b(?:otherwise|failing that),? (?:I|we)(?:'ll|’ll| will| can)\b|如果.{2,60}(?:失败|崩溃|不行).{0,20}(?:就|则|改用|回退)", yes: "As a fallback we keep the old kernel.", no: "Otherwise identical." },
    Cue { kind: S::Hypothesis, pattern: r"\b(?:my|the|our|a|working) (?:working |main |first |best |current |leading )?(?:hypothesis|guess|suspicion|theory)(?: is\b| now\b|:)|\bI(?:'m| am)? (?:strongly )?suspect|\b(?:is|are) (?:my|the) (?:prime |main |likely )?(?:suspect|suspicion)", yes: "My working hypothesis: the expert GEMMs.", no: "So my GEMM hypothesis was wrong." },
    Cue { kind: S::Hypothesis, pattern: r"\b(?:most |very )?(?:likely|probably|possibly|perhaps|maybe) (?:(?:it|this|that)(?:'s| is) )?(?:because|caused|due|comes? from|the (?:cause|culprit|reason|issue|problem))\b|\b(?:likely|probable|possible|suspected) (?:cause|culprit)\b|\b(?:might|may|could) be (?:the (?:cause|culprit|reason|issue|problem)|because|caused|due to|causing)\b", yes: "This is probably because the mask is off.", no: "It may be run twice." },
    Cue { kind: S::Cause, pattern: r"\broot cause(?::| (?:is|was|:|identified|found))|\bthe (?:(?:real|actual|main|underlying|core|key) )?(?:issue|problem|culprit|cause|bug|reason) (?:is|was|turned out|here is|lies|:)|^(?:ah|aha|oh)?[,! ]*(?:I )?(?:found|got) (?:it|the (?:\w+ )?(?:bug|issue|problem|cause|culprit|root cause))\b", yes: "The issue is Triton doesn't support indexing.", no: "The issue tracker is down." },
    Cue { kind: S::Cause, pattern: r"\b(?:was|is|were|are|been) (?:the |a )?(?:actual |real |root )?(?:caused by|due to|because|the (?:\w+ )?(?:cause|culprit|problem|root cause|bug|issue))\b|\bturns out (?:that|the|it|this|to be)\b|问题(?:是|在于|出在)|原因是|根本原因", yes: "JSON quoting was the problem.", no: "This is a problem statement." },
    Cue { kind: S::Decision, pattern: r"^(?:\W*(?:ok(?:ay)?|so|then|now|good|great|right|alright)\b[,.!]? )*(?:I(?:'ll|’ll| will)|we(?:'ll|’ll| will)|let's|let’s|I'm|I’m|I am) (?:just |now |therefore |instead )?(?:use|go(?:ing)? with|stick(?:ing)? (?:with|to)|keep|revert|switch(?:ing)?|drop|opt(?:ing)? for|choos\w+|pick|skip(?:ping)?|adopt|abandon|put|replace)\b|^(?:\W*(?:ok(?:ay)?|so|then|now|good|great|right|alright)\b[,.!]? )*let me (?:just |now |therefore |instead )?(?:go with|stick (?:with|to)|revert|switch|drop|opt for|choose|skip|adopt|abandon)\b", yes: "I'll use Triton with online softmax.", no: "I'll read the file." },
    Cue { kind: S::Decision, pattern: r"\bI(?:'ve|’ve| have)? (?:decided|chose|chosen|opted|settled|picked|went with)\b|\b(?:going|go) with\b|^(?:revert(?:ing)?|switch(?:ing)?) (?:back )?(?:to|from)\b|\bthe (?:best|better|right|cleanest|simplest|safest) (?:option|choice|approach|fix|path|way) (?:is|here|forward)\b|\b(?:not|no longer) (?:needed|necessary)\b|(?:我|我们)(?:决定|选择|改用)", yes: "Reverting to elementwise.", no: "He decided nothing." },
    Cue { kind: S::Proposal, pattern: r"#\d+ (?:[\w-]+ ){0,3}(?:target|priority|candidate|recommendation|option|fix)\b|\boptimi[sz]ation target\b|\b(?:is|are) (?:now )?the next target\b|^(?:(?:the|my|recommended|suggested|possible) )?(?:next steps?|recommendations?|follow-?ups?)\b.{0,3}(?:$|[:(]| (?:is|are|would|could)\b)", yes: "The #1 Optimization Target: Expert Parallelism", no: "Step 1 is done." },
    Cue { kind: S::Proposal, pattern: r"\bI(?:'d|’d| would)? (?:recommend|suggest|propose|advise)\b|\b(?:my|the) (?:recommendation|suggestion|proposal)(?: is\b|:)|\bworth (?:trying|considering|doing|a try|testing)\b|\bwe could (?:also |instead )?\w+|\bnext open item\b|\b(?:levers|options|candidates|possibilities|ideas) (?:are|remain)\b|建议", yes: "I'd recommend the smaller batch.", no: "It recommends nothing." },
    Cue { kind: S::Assumption, pattern: r"\bI(?:'m|’m| am|'ll|’ll| will)? (?:assum(?:e|ing)|presum(?:e|ing))\b|^(?:so )?assuming\b|\bpresumably\b|\bthe assumption (?:is|here)\b|\bI take it (?:that|as)\b|\bshould be (?:fine|safe|ok|okay|enough|stable|sufficient)\b|假设|假定", yes: "I'm assuming the server restarts itself.", no: "It assumes a shape." },
    Cue { kind: S::Expectation, pattern: r"\b(?:should|expect(?:ed|ing|s)?(?: to)?|will|would|likely to|estimate[sd]?|anticipate[sd]?|so(?: it(?:'s| is))? about|ETA)\b.{0,90}?(?:\d[\d.,]*\s*(?:%|x\b|×|[mµun]?s\b|sec|min|hours?|h\b|[KMGT]i?B|tok|[GT]FLOP|times\b|fold)|\b(?:half an hour|an? (?:minute|hour|few (?:minutes|seconds|hours))|a couple of|twice|halve|double)\b)", yes: "540 GB in 64 shards, so about half an hour.", no: "The shape should be (B, 32)." },
    Cue { kind: S::Shortfall, pattern: r"^\W*(?:(?:status|state|result|outcome|verdict)\W{1,4})?(?:still |currently )?(?:blocked(?:[,.:;]| by\b| on\b| [-–—]|$)|not (?:yet )?(?:done|finished|complete|solved|fixed|resolved|merged|deployed)\b)", yes: "Blocked, but not by the code.", no: "Blocked accounts are listed." },
    Cue { kind: S::Shortfall, pattern: r"\b(?:ci|prs?|pull requests?|branch|builds?|pipeline|jobs?|tests?|checks?|suite|deploy(?:ment)?|goal|task|workflow|migration|merge)\b(?: [\w`/.-]+){0,3}? (?:is|are|remains?|stays?) (?:still |currently |now )?(?:blocked|red|failing|unfinished|incomplete)\b|\bstill (?:fails?|failing|broken|red|blocked|unresolved|crash(?:es|ing))\b", yes: "The PR is currently red.", no: "Tests are not failing any more." },
    Cue { kind: S::Shortfall, pattern: r"\bI(?:'m|’m| am| was)? (?:(?:could|can|was|am|did|have)(?: not|n't|n’t)|cannot|unable to|not able to)\b.{0,20}?\b(?:run|test|tested|verify|verified|reproduce|complete|finish|push|pushed|build|fix|solve|confirm|access|install|reach|get)\b|\bunable to (?:run|test|verify|complete|finish|push|build|fix|solve|confirm)\b", yes: "I could not run the end-to-end tests here.", no: "I can run them again." },
    Cue { kind: S::Shortfall, pattern: r"\b(?:not|n't|n’t) (?:yet )?(?:been )?(?:run|tested|verified|pushed|committed|implemented|documented|deployed|merged|reached|achieved|finished|done|pass(?:ed|ing)?|succeed(?:ed)?)\b|\bnot [\w-]+ yet\b", yes: "The flag is not documented yet.", no: "The flag is not known." },
    Cue { kind: S::Shortfall, pattern: r"\b(?:falls? short of|short of|miss(?:es|ed)|(?:did|does)(?: not|n't|n’t) (?:reach|meet)|exceed(?:s|ed)?) (?:the|its|our) (?:[\w-]+ ){0,2}?(?:target|goal|threshold|limit|budget)\b|(?:未能|没有|没能|尚未)(?:完成|通过|达到|成功|解决|验证)", yes: "The model exceeds the size limit.", no: "It stays within the size limit." },
    Cue { kind: S::Completion, pattern: r"^(?:\W*(?:and|so|great|perfect|excellent|ok(?:ay)?)\b[,!:]? ?)*\W*(?:(?:all|everything|it|that|this)(?:'s|’s| is| are|)? )?(?:done|complete[d]?|finished|fixed|committed|pushed|deployed|merged|shipped)\b(?:[.!:,* —–-]|$)|\b(?:task|work|implementation|migration|refactor\w*|change|profiling|sweep|setup|deployment) (?:is|are) (?:now )?(?:complete|completed|done|finished|in place)\b", yes: "Profiling is done, all of it is in report.md.", no: "When it is done we go on." },
    Cue { kind: S::Completion, pattern: r"\b(?:all|both|every) (?:[\w`*/.-]+ ){1,5}?(?:pass(?:es|ed)?|passing|succeed(?:s|ed)?|green)\b|\b(?:all pass|everything (?:passes|works|succeeds|builds))\b|\b(?:tests?|checks?|lint|build|ci|suite|typecheck) (?:\w+ )?(?:pass(?:es|ed)?|succeed(?:s|ed)|(?:is|are) (?:now )?(?:green|clean|passing))\b|\b\d+(?:/\d+)? (?:\w+ )?(?:tests?|checks?|specs?|cases?|seeds?) (?:all )?(?:pass|passed|passing)\b|\b\d+ passed\b|\b\d+/\d+ (?:pass|passed|passing)\b", yes: "All three smoke tests pass: 91 with reasoning shown.", no: "The passage is long." },
    Cue { kind: S::Completion, pattern: r"\b(?:is|are) (?:now |all |up and )?(?:fixed|working|running|ready|up|live|deployed|resolved|restored|in place|implemented)\b|\bworks(?: (?:now|correctly|fine|perfectly|well|end.to.end))?(?:[.!,]|$)|\b(?:all of it|everything) is (?:in|at|under)\b|\bfinished without\b|\banswers correctly\b|\bwent through\b|\bstill (?:right|correct|works)\b|\b(?:I(?:'ve|’ve| have)) (?:now |also |successfully )?(?:added|fixed|implemented|updated|created|removed|completed|written|committed|pushed|replaced|refactored|moved|renamed|verified|left)\b|已(?:经)?(?:完成|修复)|全部通过", yes: "vLLM is ready with profiler enabled!", no: "A working directory is needed." },
    Cue { kind: S::Announcement, pattern: r"^(?:\W*(?:now|next|first|then|ok(?:ay)?|good|great|perfect|right|so|also|excellent|alright|finally)\b[,.!:]? )*(?:let me|let's|let’s|I'll|I’ll|I will|I'm going to|I’m going to|I am going to|I need to|we need to|now the|next the)\b|^(?:我来|让我|现在|接下来)", yes: "Let me try a targeted optimization for D=64:", no: "They let me in." },
];

#[rustfmt::skip]
const REQUEST_ROWS: &[Cue<RequestKind>] = &[
    Cue { kind: R::Constraint, pattern: r"^(?:\W*(?:and|but|also|please|pls|so|just|ok|oh|note|important|however)\b[,:]? ?)*(?:(?:do not|don'?t|don’t|never|avoid|leave|keep (?:it|the|this|that|all|to|an?|both|every|[\w./-]*[./_]\w+)|only|without|stay|stick to|make sure|ensure|be sure|no need to|refrain)\b)", yes: "dont leave the prod service down overnight", no: "I don't know what it does" },
    Cue { kind: R::Constraint, pattern: r"\b(?:must|mustn'?t|shall not|may not|should(?: only| never|n'?t| not)|has to (?:stay|remain|be)|have to (?:stay|remain|be)|(?:is|are) (?:forbidden|not allowed|off.?limits|required|mandatory))\b|\b(?:please|pls) (?:do not|don'?t|don’t|never|avoid|keep)\b|[,;] (?:but )?(?:do not|don'?t|don’t|never|without) |\b(?:at most|at least|no more than|as long as)\b|不要|必须|不能|只能|禁止", yes: "The output must stay in one file", no: "it works mustard" },
    Cue { kind: R::Affirmation, pattern: r"^(?:\W*(?:ok(?:ay)?|yes|yep|yeah|yup|sure|nice|great|good|cool|perfect|thanks?|thank you|thx|lgtm|looks? good|sounds? good|go(?: on| ahead| for it)|continue|proceed|do it|agreed|correct|exactly|right|awesome|excellent|approved?|works|close|please|then|now|job|work|so far|well done|on|with it)\b[\s,.!]*)+$|^(?:好的?|可以|继续|是的|没问题|谢谢)[。！!，, ]*$", yes: "ok great, go ahead", no: "ok look into decoding" },
    Cue { kind: R::Asks, pattern: r"\?\W*$|？$|^(?:\W*(?:and|so|but|ok|hm+|also|then)\b[,]? )*(?:what(?:'s| is| are| does| about| do| did)?|why|how(?: much| many| do| does| is| are| about)|where)\b.{0,100}\b(?:it|we|you|I|us|this|that|the|there|they|anything|since|left)\b", yes: "where do the milliseconds per token go?", no: "whichever is quicker" },
    Cue { kind: R::Goal, pattern: r"\b(?:I(?:'d| would)? (?:want|like|need|wish)|I would like|we (?:want|need|should|have to)|you (?:should|need to|have to)|your (?:task|job|goal|mission) is|the (?:goal|task|aim|idea|objective) is|please|pls|could you|can you|would you|let'?s|let’s|lets)\b|帮我|请|我(?:想|要|需要)", yes: "I want to know before we change anything", no: "it wants nothing" },
    Cue { kind: R::Goal, pattern: r"\bfirst\b.{1,80}\bthen\b|\bwhichever\b|^(?:\W*(?:and|then|ok(?:ay)?|now|also|so|next|just|great|good|yes|no|nah|actually|first|finally|alright|instead|maybe|still)\b[,:.!]? )*(?:add|address|adjust|analy[sz]e|apply|benchmark|bring|build|bump|change|check|clean|clone|close|commit|compare|complete|configure|continue|convert|copy|create|debug|delete|deploy|describe|design|document|do|download|draft|drop|enable|explain|export|extend|extract|figure out|find|finish|fix|follow|generate|get|give|go|handle|help|implement|improve|include|increase|initiali[sz]e|inspect|install|integrate|investigate|launch|list|load|look|make|measure|merge|migrate|mount|move|open|optimi[sz]e|parse|patch|plan|port|prepare|print|profile|publish|push|put|read|rebase|redo|reduce|refactor|release|remove|rename|replace|report|reproduce|rerun|research|restart|restore|retry|return|revert|review|rewrite|roll|run|save|scan|search|send|set|setup|set up|ship|show|simplify|solve|split|start|stop|store|summari[sz]e|switch|take|tell|test|track|translate|try|tune|turn|undo|update|upgrade|use|validate|verify|wait|walk|work|write)\b", yes: "then measure it", no: "the user went away" },
];

/// Words by which a user objects, when they stand within three messages of what they object to.
pub static OBJECTION: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        // "no, that is the old file"; not "no problem".
        r"(?i)^\W*(?:no|nope|nah|wait|stop|hm+|wrong|actually|but)\b(?: (?:no|that|this|it|you|I|the|why|not|its)\b|[,.!?:]|$)",
        // "this is not what I asked"; not "not now".
        r"(?i)\b(?:is|are|was|were|does|do|did|has|have|can)(?:n'?t|n’t| not| no)\b|\b(?:doesnt|isnt|didnt|wasnt|arent|cant|hasnt)\b",
        // "why did you delete it"; not "why is the sky blue".
        r"(?i)\bwhy (?:did|do|are|have|would|is it|does it|didn'?t) (?:you|it|not|still)\b|\b(?:wrong|incorrect|still (?:broken|failing|the same|not|fails|wrong|see)|not (?:what|right|true|correct)|instead of|you (?:forgot|missed|broke|ignored|didn'?t|skipped|said))\b",
        r"不对|不是|错了|为什么(?:你|没)",
    ])
    .expect("valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    fn hold<K>(rows: &[Cue<K>]) {
        for row in rows {
            let pattern = regex::Regex::new(&in_ascii(&format!("(?i){}", row.pattern))).unwrap();
            assert!(pattern.is_match(row.yes), "{:?} is for {:?}", row.pattern, row.yes);
            assert!(!pattern.is_match(row.no), "{:?} is not for {:?}", row.pattern, row.no);
        }
    }

    #[test]
    fn every_row_matches_its_sentence_and_leaves_the_other_alone() {
        hold(STATEMENT_ROWS);
        hold(REQUEST_ROWS);
    }

    #[test]
    fn objections_are_known_and_remarks_are_not() {
        assert!(OBJECTION.is_match("this gpu has no nvlink, so all to all is not better?"));
        assert!(OBJECTION.is_match("no, the other file"));
        assert!(!OBJECTION.is_match("no problem"));
        assert!(!OBJECTION.is_match("ok look into it"));
    }
}
