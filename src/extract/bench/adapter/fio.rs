//! fio. IOPS and bandwidth per direction, latencies in the unit that each line names; bandwidth and IOPS over time,
//! buckets, CPU, disk statistics and the group's summary repeat or explain them.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, Run, Seen, code, each, fig, line, opens, quality, section, setting, value_of},
};

/// `min=29, max=8080, avg=64.74, stdev=173.06`: the deviation is no result.
const SPREAD: &str = r"\b(min|max|avg)=\s*([\d.]+[kM]?)";

/// See the module.
pub static TOOL: Tool = Tool {
    name: "fio",
    about: "input and output of disks by fio: IOPS, bandwidth, latencies and their percentiles",
    marks: &["fio-3.", "fio-2.", "(groupid=", "clat percentiles"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    // `seq: (g=0): rw=read, bs=(R) 128KiB-128KiB, (W) …, (T) …, ioengine=libaio, iodepth=16`
    opens(r"(\S+): \(g=\d+\): rw=(\w+), bs=(?:\(R\) )?(\w+).*, ioengine=(\w+), iodepth=(\d+)", &[code(job)]),
    line(r"\.\.\.|fio-[\d.]+.*|Starting \d+ .*|\S+: Laying out IO file.*|Jobs: .*", &[]),
    opens(
        r"(\S+): \(groupid=\d+, jobs=(\d+)\): err=\s*(\d+).*",
        &[code(results), setting(2, "jobs"), quality(3, "errors")],
    ),
    // `  read: IOPS=15.2k, BW=59.5MiB/s (62.4MB/s)(238MiB/4004msec)`
    line(
        r"(read|write|trim)\s*: IOPS=([\d.]+[kM]?), BW=([\d.]+\w+/s).*",
        &[section("$1", ""), fig(2, "$s IOPS").unit("IOPS").higher(), fig(3, "$s BW").higher()],
    ),
    line(
        r"(slat) \((\w+)\): (min=.*)",
        &[section("$s", "$2"), each(3, SPREAD, &[fig(2, "$s slat $1").unit("=").lower()])],
    ),
    line(
        r"(clat) \((\w+)\): (min=.*)",
        &[section("$s", "$2"), each(3, SPREAD, &[fig(2, "$s clat $1").unit("=").lower()])],
    ),
    line(
        r"(lat) \((\w+)\): (min=.*)",
        &[section("$s", "$2"), each(3, SPREAD, &[fig(2, "$s lat $1").unit("=").lower()])],
    ),
    line(r"(clat|lat) percentiles \((\w+)\):", &[section("$s", "$2")]),
    line(r"\| (.*th=\[.*)", &[each(1, r"([\d.]+)th=\[\s*(\d+)\]", &[fig(2, "$s clat p$~1").unit("=").lower()])]),
    line(
        r"bw \(.*\)\s*: .*|iops\s*: .*|lat \(\w+\)\s*: .*|cpu\s*: .*|IO depths\s*: .*|submit\s*: .*|complete\s*: .*",
        &[],
    ),
    line(r"issued rwts: .*|latency\s*: .*|Run status group .*|(?:READ|WRITE|TRIM): .*|Disk stats .*|\w+: ios=.*", &[]),
];

/// Most jobs whose description is kept.
const JOBS: usize = 64;

/// A job is described before the runs begin.
fn job(run: &mut Run, seen: &Seen) {
    let names = ["job", "rw", "bs", "ioengine", "iodepth"];
    let params = names.iter().enumerate().map(|(i, name)| (name.to_string(), value_of(seen.group(i + 1)))).collect();
    if run.named.len() < JOBS {
        run.named.push((seen.group(1).to_string(), params));
    }
}

/// The results of a job begin: what was said of it before goes with them.
fn results(run: &mut Run, seen: &Seen) {
    let own = run.named.iter().find(|(name, _)| name == seen.group(1)).map(|(_, params)| params.clone());
    run.params = own.unwrap_or_else(|| vec![("job".into(), value_of(seen.group(1)))]);
}
