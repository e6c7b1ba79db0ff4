//! The table of programs, and small runs of it.

use std::path::Path;

use super::program::{Slot, Step};
use super::*;

fn table() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/cuda/report.toml");
    Table::read(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn wanted(figures: &[u32]) -> Wanted {
    Wanted::new(figures, true).expect("figures")
}

fn one(name: &str, figures: &[u32]) -> Measured {
    let table = table();
    let programs = table.chosen(&[name.to_string()]).expect("a program");
    measure::measure(&table, programs[0], &wanted(figures)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What the figures are about holds of a run: parts are no more than the whole, and what was not wanted is not there.
#[test]
fn parts_are_no_more_than_the_whole() {
    let all = one("laplacian", &[6, 7, 13, 14]);
    let plain = all.simple.expect("Figure 13");
    let fast = all.fast.expect("Figure 7");
    for cost in [&all.cost, &plain, &fast] {
        assert!(0 < cost.compute && cost.compute < cost.cycles, "{cost:?}");
        assert_eq!(cost.compute + cost.memory(), cost.cycles);
        assert!(cost.at_work() > 0.9 && cost.at_work() <= 1.0, "a wave on a control block: {cost:?}");
        assert!(cost.arrays > 0 && cost.asked() > 0, "{cost:?}");
    }
    assert!(fast.cycles <= all.cost.cycles && fast.compute == all.cost.compute);
    // 512 threads, each with five loads, or a store less at the edge.
    assert_eq!((all.launches, all.threads, all.waves), (1, 512, 1));
    assert!(all.shares.is_empty(), "one wave fills no half of the control blocks");
    let few = one("laplacian", &[6]);
    assert_eq!((few.cost, few.fast, few.simple), (all.cost, None, None));
}

/// Turns, buffers that change places, and the end of a search in breadth are those of the host code.
#[test]
fn programs_do_what_their_host_code_does() {
    let ran = one("bfs", &[6]).ran.expect("it ran");
    let number = |name: &str| ran.names.iter().position(|one| one == name).expect("a buffer");
    let (now, next, more) = (number("now"), number("next"), number("more"));
    let launches: Vec<_> = ran
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Launch { slots, .. } => Some(slots),
            Step::Clear(_) => None,
        })
        .collect();
    for (turn, slots) in launches.iter().enumerate() {
        let (from, to) = if turn % 2 == 0 { (now, next) } else { (next, now) };
        assert_eq!(slots[2..4], [Slot::Buffer(from), Slot::Buffer(to)]);
        assert_eq!(slots[7], Slot::Number(turn as u64 + 1));
    }
    assert_eq!(ran.steps[..2], [Step::Clear(next), Step::Clear(more)]);
    // A search in plain Rust.
    let bits = |name: &str, of: &[bitline_compile::launch::Buffer]| of[number(name)].bits().collect::<Vec<_>>();
    let (first, edges) = (bits("first", &ran.before), bits("edges", &ran.before));
    let mut level = vec![u64::from(u32::MAX); first.len() - 1];
    let mut queue = std::collections::VecDeque::from([0]);
    level[0] = 0;
    while let Some(node) = queue.pop_front() {
        for edge in first[node]..first[node + 1] {
            let to = edges[edge as usize] as usize;
            if level[to] == u64::from(u32::MAX) {
                level[to] = level[node] + 1;
                queue.push_back(to);
            }
        }
    }
    assert_eq!(bits("level", &ran.after), level);
    let deepest = level.iter().filter(|&&level| level < 1000).max().expect("levels");
    assert_eq!(launches.len() as u64, deepest + 1, "the last turn finds nothing");
}

/// Two products of numbers that come from memory: no compiler knows anything of them.
const PRODUCTS: &str = "\
.version 6.0
.target sm_50
.address_size 32
.visible .entry products(.param .u32 a, .param .u32 b, .param .u32 c)
{
    .reg .b32 %r<16>;
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [b];
    ld.param.u32 %r3, [c];
    mov.u32 %r4, %tid.x;
    mov.u32 %r5, %ctaid.x;
    shl.b32 %r6, %r5, 12;
    shl.b32 %r7, %r4, 2;
    add.s32 %r8, %r6, %r7;
    add.s32 %r9, %r1, %r8;
    add.s32 %r10, %r2, %r8;
    ld.global.u32 %r11, [%r9];
    ld.global.u32 %r12, [%r10];
    mul.lo.s32 %r13, %r11, %r12;
    mul.lo.s32 %r14, %r11, %r11;
    add.s32 %r13, %r13, %r14;
    add.s32 %r15, %r3, %r8;
    st.global.u32 [%r15], %r13;
    ret;
}
";

/// Operations of programs take what their sets of micro-programs take: a product of small numbers skips most of its
/// rows.
#[test]
fn small_factors_skip() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.toml");
    std::fs::write(folder.path().join("products.ptx"), PRODUCTS).expect("written");
    let text = "[server]\npreset = \"cb\"\nrows = 256\ncache_sets = 64\nslices = 2\nways = 3\n\
                memory = { name = \"ddr4\", times = 1 }\nfast_memory = { name = \"gddr5\", times = 1 }\nshares = [1]\n\
                [[program]]\nname = \"products\"\nfile = \"products.ptx\"\nsize = { n = 1024 }\n\
                buffers = { a = \"random:s32:{n}:1:0..9\", b = \"random:s32:{n}:2:0..9\", c = \"zero:s32:{n}\" }\n\
                [[program.launch]]\nkernel = \"products\"\ngrid = [\"1\"]\nblock = [\"n\"]\n\
                arguments = [\"a\", \"b\", \"c\"]\n";
    std::fs::write(&path, text).expect("written");
    let own = Table::read(&path).unwrap_or_else(|e| panic!("{e}"));
    let program = own.chosen(&[]).expect("all")[0];
    let measured = measure::measure(&own, program, &wanted(&[12])).unwrap_or_else(|e| panic!("{e}"));
    let found = latencies(&measured.sampled.iter().collect::<Vec<_>>()).expect("results are right");
    let product = found.iter().find(|one| one.operation == "integer multiply").expect("two");
    let (baseline, skip) = (product.baseline.expect("there is one"), product.skip.expect("there is one"));
    let formula = |n: f64| n * n + 3.0 * n - 2.0;
    assert_eq!((product.executed, product.measured), (2, 2));
    assert_eq!(baseline, formula(32.0), "Neural Cache's formula");
    assert!(skip < baseline / 4.0 && skip < product.fast && product.fast < baseline, "{product:?}");
    let stack = one("hotspot3d", &[12]);
    let found = latencies(&stack.sampled.iter().collect::<Vec<_>>()).expect("results are right");
    let sum = found.iter().find(|one| one.operation == "floating-point add").expect("sums");
    // A question, and rows that are right for both answers, are the most that skipping costs.
    assert!(sum.baseline.is_some_and(|baseline| baseline > sum.fast), "{sum:?}");
    assert!(sum.skip.is_some_and(|skip| skip < sum.fast + 40.0), "{sum:?}");
    assert!(sum.executed >= 16 && sum.measured == 4, "{sum:?}");
}

#[test]
fn bad_tables_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.toml");
    let server = "[server]\npreset = \"cb\"\nrows = 256\ncache_sets = 64\nslices = 2\nways = 3\nmemory = { name = \
                  \"ddr4\", times = 1 }\nfast_memory = { name = \"gddr5\", times = 1 }\nshares = [1]\n";
    let program = "[[program]]\nname = \"p\"\nfile = \"p.ptx\"\nsize = { n = 4 }\nbuffers = { a = \"zero:f32:{n}\" }\n\
                   [[program.launch]]\nkernel = \"k\"\ngrid = [\"1\"]\nblock = [\"n\"]\narguments = [\"a\"]\n";
    let read = |text: String| {
        std::fs::write(&path, text).expect("written");
        Table::read(&path).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(read(format!("{server}{program}")), Ok(()));
    // A table beside it, which has programs and nothing else.
    let more = |text: &str| {
        std::fs::write(folder.path().join("more.toml"), text).expect("written");
        read(format!("more = [\"more.toml\"]\n{server}{program}"))
    };
    assert_eq!(more(&program.replace("\"p\"", "\"q\"")), Ok(()));
    let error = more(program).expect_err("p is there twice");
    assert_eq!(error, "program.name = p: must be that of one program");
    let error = more(server).expect_err("no programs");
    assert!(error.contains("more.toml, line 1: unknown field `server`"), "{error}");
    std::fs::remove_file(folder.path().join("more.toml")).expect("removed");
    let error = read(format!("more = [\"more.toml\"]\n{server}{program}")).expect_err("it is gone");
    assert!(error.contains("more.toml: "), "{error}");
    let cases = [
        (server.replace("slices = 2", "slices = 29"), program.into(), "server.slices = 29: must be 1 to 28"),
        (server.replace("ways = 3", "ways = 1"), program.into(), "server.ways = 1: must be 2 to 20"),
        (server.replace("[1]", "[3]"), program.into(), "server.shares = 3: must be 1 to 2"),
        (server.replace("ddr4", "ddr5"), program.into(), "memory = ddr5: must be bus or one of ddr4, gddr5"),
        (server.replace("rows = 256", "rows = 300"), program.into(), "rows = 300: must be one of 256, 512"),
        (
            server.replace("\"ddr4\", times = 1", "\"ddr4\", times = 0"),
            program.into(),
            "memory.times = 0: must be 1 to 64",
        ),
        (
            server.into(),
            program.replace("size = {", "quick = { m = 1 }\nsize = {"),
            "program.quick = p: m: must be one of size",
        ),
        (
            server.into(),
            program.replace("size = {", "clear = [\"b\"]\nsize = {"),
            "program.buffers = p: b: must be one of them",
        ),
        (
            server.into(),
            program.replace("size = {", "until = \"a\"\nsize = {"),
            "program.turns = p: none: until and swap are about turns",
        ),
        (server.into(), program.replace("kernel = \"k\"\n", ""), "line 14: missing field `kernel`"),
        (server.into(), program.replace("size = {", "frob = 1\nsize = {"), "unknown field `frob`"),
    ];
    for (server, program, rule) in cases {
        let error = read(format!("{server}{program}")).expect_err(rule);
        assert!(error.ends_with(rule) || error.contains(rule), "{error}\n{rule}");
    }
}

/// Figures that the paper does not have, and programs that the table does not have.
#[test]
fn unknown_names_are_refused() {
    let error = Wanted::new(&[6, 15], false).expect_err("no such figure").to_string();
    assert_eq!(error, "figure = 15: must be 6 to 14");
    let error = table().chosen(&["frob".to_string()]).expect_err("no such program").to_string();
    assert!(error.starts_with("program = frob: must be one of backprop, bfs, "), "{error}");
}
