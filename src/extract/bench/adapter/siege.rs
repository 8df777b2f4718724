//! siege: the list, and the JSON that newer versions print, which leaves the units out.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, fig, line, opens, quality},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "siege",
    about: "HTTP load by siege: availability, response time, transaction rate, throughput",
    marks: &["transaction_rate", "Transaction rate:"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(4, RULES));

static RULES: &[Rule] = &[
    opens(r#"\{?\s*"?([Tt]ransactions)"?:\s+(\d+)(?: hits)?,?"#, &[fig(2, "$1")]),
    line(r#""?([Aa]vailability)"?:\s+([\d.]+)(?: %)?,?"#, &[fig(2, "$1").unit("%").higher()]),
    line(r#""?([Ee]lapsed[ _]time)"?:\s+([\d.]+)(?: secs)?,?"#, &[fig(2, "$1").unit("s")]),
    line(r#""?([Dd]ata[ _]transferred)"?:\s+([\d.]+)(?: MB)?,?"#, &[fig(2, "$1").unit("MB")]),
    line(r#""?([Rr]esponse[ _]time)"?:\s+([\d.]+)(?: secs)?,?"#, &[fig(2, "$1").unit("s").lower().stat("mean")]),
    line(r#""?([Rr]esponse[ _]time)"?:\s+([\d.]+ ms)"#, &[fig(2, "$1").lower().stat("mean")]),
    line(r#""?([Tt]ransaction[ _]rate)"?:\s+([\d.]+)(?: trans/sec)?,?"#, &[fig(2, "$1").unit("txn/s").higher()]),
    line(r#""?([Tt]hroughput)"?:\s+([\d.]+)(?: MB/sec)?,?"#, &[fig(2, "$1").unit("MB/s").higher()]),
    line(r#""?([Cc]oncurrency)"?:\s+([\d.]+),?"#, &[fig(2, "$1")]),
    line(r#""?([Ss]uccessful[ _]transactions)"?:\s+(\d+),?"#, &[fig(2, "$1")]),
    line(r#""?([Ff]ailed[ _]transactions)"?:\s+(\d+),?"#, &[fig(2, "$1").lower(), quality(2, "failed")]),
    line(r#""?([Ll]ongest[ _]transaction)"?:\s+([\d.]+)(?: ms)?,?"#, &[fig(2, "$1").unit("s").lower().stat("max")]),
    line(r#""?([Ss]hortest[ _]transaction)"?:\s+([\d.]+)(?: ms)?,?"#, &[fig(2, "$1").unit("s").lower().stat("min")]),
    line(r"\}|\{", &[]),
];
