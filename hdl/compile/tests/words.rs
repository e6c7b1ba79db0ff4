//! The example kernels as words of the control block, each against the interpreter of PTX: memory is the same, bit by
//! bit, with several blocks at once, blocks that do not fill the control block, and several waves.

mod common;

use bitline_compile::launch::{Argument, Plan};
use bitline_compile::words::{Ran, Words};
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

/// A launch: file, kernel, blocks, threads of a block, arguments.
type Launch = (&'static str, &'static str, [u32; 3], [u32; 3], &'static [&'static str]);

const LAUNCHES: &[Launch] = &[
    (
        "vecadd.ptx",
        "vecadd",
        [5, 1, 1],
        [16, 1, 1],
        &["random:f32:75:1:-4..4", "random:f32:75:2:-4..4", "zero:f32:76", "s32:75"],
    ),
    (
        "backprop.ptx",
        "layer",
        [1, 4, 1],
        [16, 16, 1],
        &["random:f32:64:4:-4..4", "random:f32:1024:5:-4..4", "zero:f32:64", "s32:16"],
    ),
    (
        "backprop.ptx",
        "adjust",
        [1, 2, 1],
        [16, 16, 1],
        &[
            "random:f32:512:5:-4..4",
            "random:f32:512:6:-4..4",
            "random:f32:16:7:-4..4",
            "random:f32:32:4:-4..4",
            "s32:16",
            "f32:0.3",
            "f32:0.75",
        ],
    ),
    (
        "hotspot.ptx",
        "hotspot",
        [2, 2, 1],
        [16, 16, 1],
        &[
            "random:f32:525:8:-4..4",
            "random:f32:525:9:-4..4",
            "zero:f32:525",
            "s32:25",
            "s32:21",
            "f32:0.5",
            "f32:0.1",
            "f32:0.2",
            "f32:0.05",
            "f32:3.0",
        ],
    ),
    (
        "pathfinder.ptx",
        "pathfinder",
        [2, 1, 1],
        [256, 1, 1],
        &["random:s32:2500:10:0..9", "random:s32:500:11:0..99", "zero:s32:500", "s32:500", "s32:2", "s32:3"],
    ),
    (
        "bfs.ptx",
        "bfs",
        [3, 1, 1],
        [16, 1, 1],
        &[
            "csv:s32:first",
            "random:s32:200:13:0..39",
            "random:u8:40:14:0..1",
            "zero:u8:40",
            "random:s32:40:15:-1..2",
            "zero:s32:1",
            "s32:40",
            "s32:2",
        ],
    ),
    (
        "gaussian.ptx",
        "eliminate",
        [3, 3, 1],
        [8, 8, 1],
        &["random:f32:400:14:-4..4", "random:f32:20:15:-4..4", "random:f32:400:16:-4..4", "s32:20", "s32:3"],
    ),
    (
        "gameoflife.ptx",
        "generation",
        [4, 3, 1],
        [8, 4, 1],
        &["random:u8:300:16:0..1", "zero:u8:300", "s32:30", "s32:10"],
    ),
    (
        "matvec.ptx",
        "matvec",
        [3, 1, 1],
        [32, 1, 1],
        &["random:f32:2310:17:-4..4", "random:f32:33:18:-4..4", "zero:f32:70", "s32:70", "s32:33"],
    ),
    (
        "matmul.ptx",
        "matmul",
        [2, 2, 1],
        [16, 16, 1],
        &["random:f32:1024:19:-4..4", "random:f32:1024:20:-4..4", "zero:f32:1024", "s32:32"],
    ),
    (
        "nn.ptx",
        "nn",
        [5, 1, 1],
        [64, 1, 1],
        &["random:f32:600:22:-90..90", "zero:f32:300", "s32:300", "f32:12.5", "f32:-7"],
    ),
    (
        "gaussian.ptx",
        "multipliers",
        [2, 1, 1],
        [16, 1, 1],
        &["random:f32:400:14:-4..4", "zero:f32:400", "s32:20", "s32:3"],
    ),
    ("histogram.ptx", "histogram", [3, 1, 1], [96, 1, 1], &["random:u8:1000:21:0..255", "zero:s32:256", "s32:1000"]),
    ("histogram64.ptx", "histogram", [3, 1, 1], [96, 1, 1], &["random:u8:1000:21:0..255", "zero:s32:256", "s32:1000"]),
];

fn plan(launch: &Launch) -> Plan {
    let (_, kernel, grid, block, arguments) = *launch;
    let argument = |text: &&str| {
        if *text != "csv:s32:first" {
            return text.parse().unwrap_or_else(|error| panic!("{error}"));
        }
        // Where the edges of each node begin: some have none, some have many.
        let element = "s32".parse().expect("a type");
        let mut firsts: Vec<u64> = (0..41_u64).map(|node| (node * 37 % 190).max(node * 4)).collect();
        firsts.sort_unstable();
        Argument::Buffer(bitline_compile::launch::Buffer::of(element, firsts))
    };
    Plan { grid, block, arguments: arguments.iter().map(argument).collect(), ..Plan::new(kernel) }
}

fn preset(name: &str) -> DualityParams {
    DualityParams::preset(name).expect("a preset")
}

/// Runs a launch both ways.
fn both(launch: &Launch, params: &DualityParams) -> Result<Ran, String> {
    let (module, plan) = (common::module(launch.0), plan(launch));
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let found = plan.words(&module, &Words::new(params)).map_err(|error| error.to_string())?;
    for (number, (found, expected)) in found.buffers.iter().zip(&expected.buffers).enumerate() {
        let bits =
            |buffer: &Option<bitline_compile::launch::Buffer>| buffer.as_ref().map(|b| b.bits().collect::<Vec<_>>());
        assert_eq!(bits(found), bits(expected), "{} {}, buffer {number}", launch.0, launch.1);
    }
    assert_eq!(found.outcome.threads, expected.counts.threads, "{}", launch.0);
    Ok(found)
}

/// Runs all launches on a preset; those that it has no room for are named with what they lack.
fn all(name: &str, refused: &[(&str, &str)]) {
    let params = preset(name);
    for launch in LAUNCHES {
        let known = refused.iter().find(|one| one.0 == format!("{} {}", launch.0, launch.1));
        match (both(launch, &params), known) {
            (Ok(ran), None) => {
                assert!(ran.compiled.rows <= params.rows as u64);
                println!(
                    "{name}, {} {}: {} words, {} rows, {} scalar registers, {} spill rows, {} waves",
                    launch.0,
                    launch.1,
                    ran.compiled.program.words.len(),
                    ran.compiled.rows,
                    ran.compiled.scalars,
                    ran.compiled.spilled,
                    ran.outcome.waves
                );
            }
            (Err(error), Some((_, why))) => assert!(error.contains(why), "{} {}: {error}", launch.0, launch.1),
            (Ok(_), Some((_, why))) => panic!("{} {} runs, in spite of {why}", launch.0, launch.1),
            (Err(error), None) => panic!("{} {}: {error}", launch.0, launch.1),
        }
    }
}

/// 256 rows: most kernels keep something in memory.
#[test]
fn examples_on_small() {
    all("small", &[]);
}

/// 512 rows, 4,096 threads.
#[test]
fn examples_on_cb() {
    all("cb", &[]);
}

/// 32 threads, and a ring of 32 words.
#[test]
fn examples_on_tiny() {
    let block = "must be 1 to 32 threads";
    all(
        "tiny",
        &[
            ("backprop.ptx layer", block),
            ("backprop.ptx adjust", block),
            ("hotspot.ptx hotspot", block),
            ("pathfinder.ptx pathfinder", block),
            ("bfs.ptx bfs", " words, the ring 32"),
            ("gaussian.ptx eliminate", block),
            ("nn.ptx nn", block),
            ("gameoflife.ptx generation", " words, the ring 32"),
            ("matmul.ptx matmul", " words, the ring 32"),
            ("histogram.ptx histogram", block),
            ("histogram64.ptx histogram", block),
        ],
    );
}

/// With a ring for their loops, kernels that have no size of their own run on few threads, too.
#[test]
fn examples_on_a_longer_ring() {
    let params = DualityParams { ring: 128, ..preset("tiny") };
    let launches = LAUNCHES.iter().filter(|launch| launch.3.iter().product::<u32>() <= 32);
    let mut ran = 0;
    for launch in launches {
        both(launch, &params).unwrap_or_else(|error| panic!("{} {}: {error}", launch.0, launch.1));
        ran += 1;
    }
    assert_eq!(ran, 5);
}

fn compile(body: &str, params: &DualityParams) -> Result<Ran, String> {
    let text = format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 n)\n{{\n.reg .pred %p<4>; \
         .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<40>; .reg .f64 %g<4>; .shared .align 4 .b8 s[64];\n{body}\n}}"
    );
    let module = bitline_compile::ptx::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan { arguments: vec!["u32:7".parse().expect("a number")], ..Plan::new("k") };
    plan.words(&module, &Words::new(params)).map_err(|error| error.to_string())
}

#[test]
fn what_has_no_words_is_named_with_its_line() {
    let params = preset("small");
    let begin = "ld.param.u32 %r1, [n]; cvt.u64.u32 %d1, %r1; mov.b32 %f1, %r1; mov.u32 %r2, %tid.x;";
    for (body, message) in [
        ("sin.approx.f32 %f2, %f1;", "`sin.approx.f32` has no words yet: the array has no such operation"),
        ("fma.rn.f32 %f2, %f1, %f1, %f1;", "the array has no fused multiplication; compile with -ffp-contract=off"),
        ("cvt.rn.f32.u32 %f2, %r1;", "conversions of floating-point numbers, and choices by them, are in no word"),
        ("cvt.rzi.s32.f32 %r3, %f1;", "conversions of floating-point numbers"),
        ("add.sat.s32 %r3, %r1, %r2;", "saturation; limit the result by min and max"),
        ("brev.b32 %r3, %r2;", "no operation of the array does it"),
        ("trap;", "`trap` has no words yet: the interpreter runs it"),
        (
            "setp.eq.s32 %p1, %r2, 0;\n@%p1 bra A;\nbar.sync 0;\nbra B;\nA: st.shared.u32 [s], %r1;\nB:",
            "a barrier that some threads may reach",
        ),
        (
            "A: setp.eq.s32 %p1, %r2, 0;\n@%p1 bra C;\nB: add.s32 %r1, %r1, 1;\nsetp.eq.s32 %p2, %r1, 9; @%p2 bra D;\n\
             C: add.s32 %r1, %r1, 2;\nbra B;\nD:",
            "a loop with two ways in has no words",
        ),
    ] {
        let error = compile(&format!("{begin}\n{body}\nret;"), &params).expect_err(body);
        assert!(error.starts_with("k.ptx, line ") && error.contains(message), "{error}");
    }
}

/// A special register that nobody looks at has no rows, and is written nowhere.
#[test]
fn what_nobody_reads_takes_no_rows() {
    let ran = compile("mov.u32 %r2, %tid.x; mov.b32 %f1, 0; div.rn.f32 %f2, %f1, %f1; ret;", &preset("small"));
    assert_eq!(ran.unwrap_or_else(|error| panic!("{error}")).compiled.program.specials, []);
}

/// What a design lacks is said with the number that is needed.
#[test]
fn too_few_rows_and_words() {
    let params = preset("small");
    let many: String = (2..40).map(|at| format!("mul.lo.s32 %r{at}, %r{}, %r{};\n", at - 1, at - 1)).collect();
    let ring = format!(
        "mov.u32 %r1, %tid.x; mov.b32 %r0, 0;\nA:\n{}add.s32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, 3; @%p1 bra A; ret;",
        many.repeat(4)
    );
    let error = compile(&ring, &params).expect_err("a long loop");
    assert!(error.contains("the loop has ") && error.ends_with(" words, the ring 128"), "{error}");
    let wide = "mov.u32 %r1, %tid.x; cvt.u64.u32 %d1, %r1; mov.b64 %g1, %d1; \
                mul.rn.f64 %g2, %g1, %g1; mul.rn.f64 %g2, %g2, %g1; ret;";
    let error = compile(wide, &params).expect_err("many rows");
    assert!(error.starts_with("rows = 256: k needs ") && error.ends_with(" rows of one array"), "{error}");
}

/// More values that are the same for all threads than there are scalar registers: some are in rows.
#[test]
fn many_scalars() {
    let params = preset("cb");
    let load: String = (2..40).map(|at| format!("add.s32 %r{at}, %r1, {at};\n")).collect();
    let sum: String = (2..39).map(|at| format!("add.s32 %r{at}, %r{at}, %r{}; ", at + 1)).collect();
    let body = format!("ld.param.u32 %r1, [n];\n{load}{sum}\nst.shared.u32 [s], %r2; ret;");
    let ran = compile(&body, &params).unwrap_or_else(|error| panic!("{error}"));
    assert!(ran.compiled.scalars <= 32, "{}", ran.compiled.scalars);
}

/// A block has at most 1,024 threads, whatever room there is: `tid` has rows for as many.
#[test]
fn blocks_are_those_of_ptx() {
    let launch = LAUNCHES.iter().find(|launch| launch.0 == "vecadd.ptx").expect("a launch");
    let plan = Plan { block: [2048, 1, 1], ..plan(launch) };
    let params = preset("cb");
    let error = plan.words(&common::module(launch.0), &Words::new(&params)).expect_err("too many").to_string();
    assert_eq!(error, "block = 2048,1,1: 2048 threads: a block must have from 1 to 1024");
}

/// A trap has the line of its word.
#[test]
fn traps_have_lines() {
    let body = "mov.u32 %r1, %tid.x;\nadd.s32 %r1, %r1, 2;\nst.global.u32 [%r1], %r1;\nret;";
    let error = compile(body, &preset("small")).expect_err("no memory there");
    assert_eq!(error, "k.ptx, line 9, column 1: word 1: trap misaligned (17), thread 0, address 0x2");
}
