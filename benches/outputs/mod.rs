//! What tools print, made up for measuring: outputs without measurements (most of what a session holds) and outputs that
//! are little else, one generator a shape. The same size gives the same bytes.

use std::fmt::Write;

use turnpoint::extract::bench::Mode;

/// A shape: its name, how it is read, what writes its `n`-th piece.
pub struct Shape {
    /// Name of the shape.
    pub name: &'static str,
    /// Printed by a program, or written by somebody.
    pub mode: Mode,
    write: fn(&mut String, &mut Dice),
}

/// Bytes of one output: what a tool prints before an agent's harness cuts it off.
const OUTPUT: usize = 16 << 10;

impl Shape {
    /// Outputs of this shape, of so many bytes in all.
    pub fn outputs(&self, size: usize) -> Vec<String> {
        let mut dice = Dice(1);
        let one = |_| {
            let mut text = String::with_capacity(OUTPUT + 4096);
            while text.len() < OUTPUT {
                (self.write)(&mut text, &mut dice);
            }
            text
        };
        (0..size.div_ceil(OUTPUT)).map(one).collect()
    }
}

const fn printed(name: &'static str, write: fn(&mut String, &mut Dice)) -> Shape {
    Shape { name, mode: Mode::Output, write }
}

const fn written(name: &'static str, write: fn(&mut String, &mut Dice)) -> Shape {
    Shape { name, mode: Mode::Prose, write }
}

/// Outputs without measurements.
pub const PLAIN: &[Shape] = &[
    printed("build log", build_log),
    printed("coloured log", coloured),
    printed("listing", listing),
    printed("code", code),
    printed("numbered code", numbered),
    printed("diff", diff),
    printed("search hits", hits),
    printed("JSON", json),
    written("prose", prose),
];

/// Outputs that are measurements.
pub const MEASURED: &[Shape] = &[
    printed("pipe table", pipes),
    printed("fixed columns", fixed),
    printed("key and value", keys),
    printed("separated", separated),
    printed("assignments", assignments),
    printed("records", records),
    printed("a tool's report", report),
    written("figures in prose", figures),
];

/// Numbers that look like chance.
pub struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn word(&mut self) -> &'static str {
        const WORDS: &[&str] =
            &["mill", "wheel", "sack", "grain", "stone", "river", "flour", "gear", "sluice", "miller", "cart", "sieve"];
        WORDS[self.below(WORDS.len() as u64) as usize]
    }

    fn decimal(&mut self, below: u64) -> String {
        format!("{}.{:02}", self.below(below), self.below(100))
    }
}

macro_rules! put {
    ($out:expr, $($what:tt)*) => { writeln!($out, $($what)*).expect("a string") };
}

fn build_log(out: &mut String, dice: &mut Dice) {
    for _ in 0..8 {
        let (word, n) = (dice.word(), dice.below(40));
        put!(out, "   Compiling {word}-core v0.{n}.{} (/work/{word}/crates/core)", dice.below(9));
        put!(out, "[{n}/412] Building CXX object src/CMakeFiles/{word}.dir/{}.cpp.o", dice.word());
        put!(out, "gcc -O2 -g -Wall -I../include -I/usr/include/{word} -c -o build/{word}.o src/{word}.c");
    }
    put!(out, "warning: unused variable: `{}`", dice.word());
    put!(out, "   --> src/{}.rs:{}:{}", dice.word(), dice.below(900), dice.below(80));
    put!(out, "    |\n{} |     let {} = grind(&sacks, 4);", dice.below(900) + 100, dice.word());
    put!(out, "    |         ^^^^^ help: if this is intentional, prefix it with an underscore\n    |");
    put!(out, "    = note: `#[warn(unused_variables)]` on by default\n");
    put!(out, "npm warn deprecated {}@{}.2.0: use the other one", dice.word(), dice.below(9));
    put!(out, "test {}::tests::turns_{} ... ok", dice.word(), dice.below(90));
    put!(out, "Step {}/17 : COPY --from=builder /work/{} /usr/local/bin/", dice.below(17), dice.word());
    put!(out, " ---> {:08x}{:04x}", dice.below(1 << 31), dice.below(1 << 16));
}

fn coloured(out: &mut String, dice: &mut Dice) {
    put!(out, "\x1b[1m\x1b[32m   Compiling\x1b[0m {} v1.{}.0", dice.word(), dice.below(60));
    put!(out, "\x1b[33mwarn\x1b[0m \x1b[2m2026-01-02\x1b[0m {} was given {} of them", dice.word(), dice.below(60));
    put!(out, "  \x1b[31m✗\x1b[0m {} › grinds {} sacks", dice.word(), dice.below(60));
}

fn listing(out: &mut String, dice: &mut Dice) {
    put!(out, "total {}", dice.below(900));
    for _ in 0..12 {
        let (size, day, word) = (dice.below(90_000), dice.below(28) + 1, dice.word());
        put!(
            out,
            "-rw-r--r--  1 miller miller {size:>8} Mar {day:>2} 09:{:02} {word}_{}.rs",
            dice.below(60),
            dice.below(90)
        );
    }
    for _ in 0..12 {
        put!(out, "./crates/{}/src/{}/{}_{}.rs", dice.word(), dice.word(), dice.word(), dice.below(90));
    }
    for _ in 0..6 {
        put!(
            out,
            "{:07x} Let the {} turn with the {} (#{})",
            dice.below(1 << 28),
            dice.word(),
            dice.word(),
            dice.below(900)
        );
    }
    put!(out, "");
}

fn code(out: &mut String, dice: &mut Dice) {
    let (a, b, n) = (dice.word(), dice.word(), dice.below(90));
    put!(out, "/// Turns the {a} of the {b}, at most {n} times.");
    put!(out, "pub fn {a}_{b}({a}s: &[Sack], limit: usize) -> Result<Vec<u8>, Error> {{");
    put!(out, "    let mut {b} = Vec::with_capacity({n});");
    put!(out, "    for (i, {a}) in {a}s.iter().enumerate().take(limit) {{");
    put!(out, "        if {a}.weight > {n} && {a}.kind == Kind::{b} {{ continue; }}");
    put!(out, "        {b}.push({a}.grind(i, 0x{n:02x})? as u8);");
    put!(out, "    }}\n    Ok({b})\n}}\n");
    put!(out, "def {a}({b}, *, limit={n}, name=\"{a}\"):");
    put!(out, "    \"\"\"Turns it.\"\"\"\n    result = [{b}[i] * {n} for i in range(limit)]");
    put!(out, "    return {{\"{a}\": result, \"count\": len(result)}}\n");
    put!(
        out,
        "static int {a}_{b}(struct {a} *p, int n)\n{{\n\tint i;\n\tfor (i = 0; i < n; i++) {{\n\t\tp->{b}[i] += {n};\n\t}}\n\treturn 0;\n}}\n"
    );
}

fn numbered(out: &mut String, dice: &mut Dice) {
    let mut text = String::new();
    (0..6).for_each(|_| code(&mut text, dice));
    for (n, line) in text.lines().enumerate() {
        put!(out, "{:>6}\u{2192}{line}", n + 1);
    }
}

fn diff(out: &mut String, dice: &mut Dice) {
    let (a, b, n) = (dice.word(), dice.word(), dice.below(90));
    put!(
        out,
        "diff --git a/src/{a}.rs b/src/{a}.rs\nindex {:07x}..{:07x} 100644",
        dice.below(1 << 28),
        dice.below(1 << 28)
    );
    put!(out, "--- a/src/{a}.rs\n+++ b/src/{a}.rs\n@@ -{n},7 +{n},9 @@ fn {b}(sacks: u32) {{");
    put!(out, "     let {a} = {b}(sacks, {n});\n-    let weight = {a} * 2;\n+    let weight = {a} * {n};");
    put!(
        out,
        "+    if weight > {n} {{\n+        return Err(Error::TooHeavy(weight));\n+    }}\n     {a}.push(weight);\n }}\n"
    );
    put!(out, " src/{a}.rs | {n} +++++-----\n 1 file changed, {n} insertions(+), 4 deletions(-)\n");
}

fn hits(out: &mut String, dice: &mut Dice) {
    for _ in 0..6 {
        let (a, b) = (dice.word(), dice.word());
        put!(out, "src/{a}/{b}.rs:{}:    let {b} = {a}.turn({}, \"{b}\");", dice.below(900), dice.below(9));
        put!(out, "{}:    pub fn {a}(&self) -> &{b} {{", dice.below(900));
    }
    put!(out, "");
}

fn json(out: &mut String, dice: &mut Dice) {
    let (a, b) = (dice.word(), dice.word());
    put!(
        out,
        "{{\n  \"name\": \"{a}\",\n  \"id\": {},\n  \"tags\": [\"{b}\", \"{a}\"],\n  \"nested\": {{",
        dice.below(90_000)
    );
    put!(
        out,
        "    \"created\": \"2026-03-0{}T09:00:00Z\",\n    \"open\": true,\n    \"stars\": {}\n  }}\n}},",
        dice.below(9) + 1,
        dice.below(900)
    );
}

fn prose(out: &mut String, dice: &mut Dice) {
    let (a, b, n) = (dice.word(), dice.word(), dice.below(90) + 2);
    put!(out, "## The {a} of the {b}\n");
    put!(
        out,
        "There are {n} files that name the {a}; {} of them do so twice, and the {b} is built from version 1.{n}.",
        n / 2
    );
    put!(out, "I looked at `src/{a}.rs` (lines {n}-{}) and found that the {b} is turned before it is read.\n", n + 40);
    put!(out, "1. Move the {a} into its own file.\n2. Add a test for issue #{n}.\n- [ ] Run all {n} tests again\n");
}

fn pipes(out: &mut String, dice: &mut Dice) {
    put!(out, "| batch | variant | latency (ms) | throughput (tok/s) | notes |\n|---:|:---|---:|---:|---|");
    for _ in 0..24 {
        put!(out, "| {} | {} | {} | {} | ok |", 1 << dice.below(8), dice.word(), dice.decimal(90), dice.decimal(9000));
    }
    put!(out, "");
}

fn fixed(out: &mut String, dice: &mut Dice) {
    put!(out, "{:<16}{:>8}{:>14}{:>14}{:>12}\n{}", "name", "batch", "mean (us)", "p99 (us)", "GB/s", "-".repeat(64));
    for _ in 0..24 {
        let (a, n) = (dice.word(), 1 << dice.below(8));
        put!(out, "{a:<16}{n:>8}{:>14}{:>14}{:>12}", dice.decimal(900), dice.decimal(2000), dice.decimal(800));
    }
    put!(out, "");
}

fn keys(out: &mut String, dice: &mut Dice) {
    put!(out, "============ Serving {} ============\nRequests sent:            {}", dice.word(), dice.below(900));
    put!(out, "Duration (s):             {}\nRequest throughput (req/s): {}", dice.decimal(90), dice.decimal(90));
    for name in ["Mean TTFT (ms)", "Median TTFT (ms)", "P99 TTFT (ms)", "Mean TPOT (ms)", "P99 TPOT (ms)"] {
        put!(out, "{name}:           {}", dice.decimal(900));
    }
    put!(out, "{}\n\n\nthe next one is read now\n", "=".repeat(40));
}

fn separated(out: &mut String, dice: &mut Dice) {
    put!(out, "name,batch,mean_ms,p99_ms,tok_s");
    for _ in 0..40 {
        let (a, n) = (dice.word(), 1 << dice.below(8));
        put!(out, "{a},{n},{},{},{}", dice.decimal(90), dice.decimal(200), dice.decimal(9000));
    }
    put!(out, "");
}

fn assignments(out: &mut String, dice: &mut Dice) {
    for _ in 0..24 {
        put!(
            out,
            "shape={} variant={} ms={} tflops={}",
            dice.below(9),
            dice.word(),
            dice.decimal(9),
            dice.decimal(900)
        );
    }
    put!(out, "\nthe next one is read now\n");
}

fn records(out: &mut String, dice: &mut Dice) {
    put!(out, "step {}: train loss {}, val loss {}", dice.below(900), dice.decimal(9), dice.decimal(9));
    put!(
        out,
        "{} x {} ops/sec ±{}% ({} runs sampled)",
        dice.word(),
        dice.below(90_000),
        dice.decimal(9),
        dice.below(99)
    );
    put!(
        out,
        "iter {} | loss {} | {} tok/s | {} ms/step",
        dice.below(900),
        dice.decimal(9),
        dice.decimal(900),
        dice.decimal(90)
    );
}

fn report(out: &mut String, dice: &mut Dice) {
    put!(
        out,
        "Running 10s test @ http://localhost:8080/{}\n  4 threads and {} connections",
        dice.word(),
        dice.below(900)
    );
    put!(out, "  Thread Stats   Avg      Stdev     Max   +/- Stdev");
    put!(out, "    Latency     {}ms   {}ms {}ms   94.21%", dice.decimal(9), dice.decimal(9), dice.decimal(900));
    put!(out, "    Req/Sec     {}k     1.02k   12.10k    71.00%\n  Latency Distribution", dice.decimal(9));
    put!(out, "     50%    {}ms\n     99%   {}ms", dice.decimal(9), dice.decimal(90));
    put!(out, "  {} requests in 10.01s, 238.54MB read", dice.below(900_000));
    put!(out, "Requests/sec:  {}\nTransfer/sec:     {}MB\n", dice.decimal(90_000), dice.decimal(90));
}

fn figures(out: &mut String, dice: &mut Dice) {
    let (a, n) = (dice.word(), dice.below(9) + 1);
    put!(out, "Median latency of the {a} fell from {}.5 ms to {}.2 ms at concurrency {}.", n + 9, n, 1 << n);
    put!(out, "Throughput went from 1,{n}59 to 1,842 tok/s, and the p99 TTFT is now {} ms.", dice.decimal(900));
    put!(out, "- {a}: {} tok/s with batch size {n}, ~{} GB/s of bandwidth\n", dice.decimal(900), dice.decimal(900));
}
