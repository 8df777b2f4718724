//! Tools whose output says more than its layout: what a row stands for, which figure is a setting, which unit a bare
//! number has. One file each. An adapter is asked about a page only when one of its marks stands in it; it takes whole
//! stretches of lines or declines with a reason, and the layouts read what nobody took.

mod ab;
mod asv;
mod asv_parameters;
mod autocannon;
mod bench_serving;
mod benchmark_dotnet;
mod benchmark_js;
mod benchstat;
mod build;
mod catch2;
mod console_time;
mod criterion;
mod dart;
mod dd;
mod divan;
mod dmon;
mod fio;
mod genai_perf;
mod gnu_time;
mod go_test;
mod google_benchmark;
mod google_benchmark_json;
mod grammar;
mod h2load;
mod hey;
mod hyperfine;
mod iai;
mod ioping;
mod iperf3;
mod jmh;
mod jmh_json;
mod k6;
mod libtest;
mod llama_batched_bench;
mod llama_bench;
mod lm_eval;
mod locale;
mod mitata;
mod mlperf_loadgen;
mod nanobench;
mod nccl_tests;
mod nonius;
mod nsys_stats;
mod nvidia_query;
mod oha;
mod openssl_speed;
mod perf_analyzer;
mod perf_stat;
mod pgbench;
mod pyperf;
mod pytest_benchmark;
mod redis_benchmark;
mod ruby;
mod sevenzip;
mod shell_time;
mod siege;
mod stress_ng;
mod sysbench;
mod timeit;
mod tinybench;
mod torch_profiler;
mod training;
mod trtllm_bench;
mod vegeta;
mod vitest;
mod wrk;
mod ycsb;
mod zstd_bench;

use std::ops::Range;

use super::{clean::Page, marks::Marks};
use crate::model::metric::{Measurement, MetricTable};

/// A stretch of lines that one tool printed, read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Taken {
    /// Its lines; nothing else reads them.
    pub lines: Range<usize>,
    /// Tables in it.
    pub tables: Vec<MetricTable>,
    /// Single figures in it.
    pub metrics: Vec<Measurement>,
    /// Counts that say whether the figures may be trusted: failed requests, wrong answers.
    pub quality: Vec<(String, f64)>,
    /// The line that says so; the first one where none is given.
    pub quality_at: Option<usize>,
}

/// Why an adapter does not read a page, one clause.
pub type Declined = &'static str;

/// One tool.
pub trait Adapter: Sync {
    /// Name of the tool, kebab-case: the `tool` of its tables.
    fn name(&self) -> &'static str;
    /// One clause: what it prints.
    fn about(&self) -> &'static str;
    /// Words of which at least one stands in every output of the tool.
    fn marks(&self) -> &'static [&'static str];
    /// Every stretch of the page that the tool printed, in order.
    ///
    /// # Errors
    /// Why nothing on the page is the tool's.
    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined>;
}

/// All adapters. Where two take the same lines, the earlier one has them; a test says that no fixture needs it.
pub static ADAPTERS: &[&dyn Adapter] = &[
    &ab::TOOL,
    &asv::Asv,
    &autocannon::TOOL,
    &bench_serving::TOOL,
    &benchmark_dotnet::BENCHMARK_DOTNET,
    &benchmark_js::BENCHMARK_JS,
    &benchstat::Benchstat,
    &catch2::Catch2,
    &console_time::CONSOLE_TIME,
    &criterion::CRITERION,
    &dart::DART,
    &dd::TOOL,
    &divan::Divan,
    &dmon::Dmon,
    &fio::TOOL,
    &genai_perf::TOOL,
    &gnu_time::TOOL,
    &go_test::GO_TEST,
    &google_benchmark::GoogleBenchmark,
    &google_benchmark_json::TOOL,
    &h2load::TOOL,
    &hey::TOOL,
    &hyperfine::HYPERFINE,
    &iai::IAI,
    &ioping::TOOL,
    &iperf3::TOOL,
    &jmh::Jmh,
    &jmh_json::TOOL,
    &k6::TOOL,
    &libtest::LIBTEST,
    &llama_batched_bench::TOOL,
    &llama_bench::TOOL,
    &lm_eval::LmEval,
    &mitata::MITATA,
    &mlperf_loadgen::TOOL,
    &nanobench::Nanobench,
    &nccl_tests::TOOL,
    &nonius::NONIUS,
    &nsys_stats::TOOL,
    &nvidia_query::NvidiaQuery,
    &oha::TOOL,
    &openssl_speed::TOOL,
    &perf_analyzer::TOOL,
    &perf_stat::TOOL,
    &pgbench::TOOL,
    &pyperf::PYPERF,
    &pytest_benchmark::PYTEST_BENCHMARK,
    &redis_benchmark::TOOL,
    &ruby::RUBY,
    &sevenzip::TOOL,
    &shell_time::TOOL,
    &siege::TOOL,
    &stress_ng::TOOL,
    &sysbench::TOOL,
    &timeit::TIMEIT,
    &tinybench::TINYBENCH,
    &torch_profiler::TOOL,
    &training::Training,
    &trtllm_bench::TOOL,
    &vegeta::TOOL,
    &vitest::VITEST,
    &wrk::TOOL,
    &ycsb::TOOL,
    &zstd_bench::TOOL,
];

/// Whether an adapter takes anything of a text.
pub fn takes(adapter: &dyn Adapter, text: &str) -> bool {
    let page = Page::new(text);
    let page = locale::in_points(&page).unwrap_or(page);
    let marked = adapter.marks().iter().any(|mark| text.contains(mark));
    marked && adapter.read(&page).is_ok_and(|taken| !taken.is_empty())
}

/// What the adapters take of a page, in the order of the lines, without overlaps. One that has no mark in it is not asked.
pub fn read(page: &Page, marks: &Marks) -> Vec<Taken> {
    let mut all: Vec<Taken> = Vec::new();
    let mut used = vec![false; page.lines.len()];
    let copy = marks.adapters().next().and_then(|_| locale::in_points(page));
    for adapter in marks.adapters().map(|at| ADAPTERS[at]) {
        for mut taken in adapter.read(copy.as_ref().unwrap_or(page)).unwrap_or_default() {
            let free = taken.lines.clone().all(|line| used.get(line).is_some_and(|used| !used));
            if free && !taken.lines.is_empty() {
                used[taken.lines.clone()].fill(true);
                copy.iter().for_each(|_| locale::as_printed(&mut taken));
                taken.tables.iter_mut().for_each(|table| table.tool = Some(adapter.name().to_string()));
                all.push(taken);
            }
        }
    }
    all.sort_by_key(|taken| taken.lines.start);
    all
}
