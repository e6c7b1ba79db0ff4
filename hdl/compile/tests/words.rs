//! The example kernels as words of the control block, each against the interpreter of PTX: memory is the same, bit by
//! bit, with several blocks at once, blocks that do not fill the control block, and several waves.

use crate::common;
use crate::common::launches::{LAUNCHES, both, plan, preset};
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::words::{Ran, Words};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::Kind;
use bitline_units::duality::isa::field::{SCALE, WIDTH_A};
use pretty_assertions::assert_eq;

/// Runs all launches on a preset; those that it has no room for are named with what they lack.
fn all(name: &str, refused: &[(&str, &str)]) {
    let params = preset(name);
    for launch in LAUNCHES {
        let known = refused.iter().find(|one| one.0 == format!("{} {}", launch.0, launch.1));
        match (both(launch, &Words::new(&params)), known) {
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
            ("gaussian.ptx eliminate", block),
            ("nn.ptx nn", block),
            ("gameoflife.ptx generation", " words, the ring 32"),
            ("matmul.ptx matmul", block),
            ("reduce.ptx reduce", block),
            ("histogram.ptx histogram", block),
            ("histogram64.ptx histogram", block),
            ("lud.ptx below", " words, the ring 32"),
            ("tricubic.ptx tricubic", " words, the ring 32"),
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
        both(launch, &Words::new(&params)).unwrap_or_else(|error| panic!("{} {}: {error}", launch.0, launch.1));
        ran += 1;
    }
    assert_eq!(ran, 15);
}

/// Runs a kernel of one thread, compiled for launches of any size: of one thread alone little is left.
fn compile(body: &str, params: &DualityParams) -> Result<Ran, String> {
    let text = format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 n)\n{{\n.reg .pred %p<4>; \
         .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<40>; .reg .f64 %g<4>; .shared .align 4 .b8 s[64];\n{body}\n}}"
    );
    let module = bitline_compile::ptx::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan { arguments: vec!["u32:7".parse().expect("a number")], ..Plan::new("k") };
    plan.words(&module, &Words { general: true, ..Words::new(params) }).map_err(|error| error.to_string())
}

/// Reciprocals in every direction, against the interpreter of PTX: of numbers of all kinds.
#[test]
fn reciprocals() {
    let numbers = [0.0_f32, -0.0, 1.0, 3.0, -7.0, 1e38, -1e-38, f32::MIN_POSITIVE / 8.0, f32::INFINITY, 0.1, 2.5e20];
    let hows = ["approx", "approx.ftz", "rn", "rz", "rm.ftz", "rp"];
    let text = format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 in, .param .u32 out)\n{{\n\
         .reg .b32 %r<9>; .reg .f32 %f<9>; ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out];\n\
         mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; add.s32 %r1, %r1, %r4; ld.global.f32 %f1, [%r1];\n\
         mad.lo.s32 %r2, %r3, {}, %r2;\n{}ret;\n}}",
        4 * hows.len(),
        (0..)
            .zip(hows)
            .map(|(at, how)| format!("rcp.{how}.f32 %f2, %f1; st.global.f32 [%r2+{}], %f2;\n", 4 * at))
            .collect::<String>()
    );
    let module = bitline_compile::ptx::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let buffer = |bits: Vec<u64>| Argument::Buffer(Buffer::of("u32".parse().expect("a type"), bits));
    let given = buffer(numbers.iter().map(|x| u64::from(x.to_bits())).collect());
    let arguments = vec![given, buffer(vec![0; numbers.len() * hows.len()])];
    let plan = Plan { block: [numbers.len() as u32, 1, 1], arguments, ..Plan::new("k") };
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let params = preset("small");
    let found = plan.words(&module, &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
    let bits = |buffers: &[Option<Buffer>]| buffers[1].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
    assert_eq!(bits(&found.buffers), bits(&expected.buffers));
    assert_eq!(bits(&expected.buffers)[6 * 3 + 2], u64::from((1.0_f32 / 3.0).to_bits()));
}

#[test]
fn what_has_no_words_is_named_with_its_line() {
    let params = preset("small");
    let begin = "ld.param.u32 %r1, [n]; cvt.u64.u32 %d1, %r1; mov.b32 %f1, %r1; mov.u32 %r2, %tid.x; \
                 mov.b64 %g1, %d1; mov.b32 %r3, 0; mov.b32 %f2, %r3;";
    // What nobody reads would not be looked at.
    let end = "st.shared.u32 [s], %r3; st.shared.f32 [s], %f2; ret;";
    for (body, message) in [
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
        let error = compile(&format!("{begin}\n{body}\n{end}"), &params).expect_err(body);
        assert!(error.starts_with("k.ptx, line ") && error.contains(message), "{error}");
    }
}

/// Products and sums with one rounding: in all directions, with sources that are immediates or the same for all
/// threads, in threads that a branch leaves out, flushed or not, in double precision as well.
#[test]
fn fused_products_and_sums() {
    let body = "
        .reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<4>; .reg .f64 %g<9>;
        ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u32 %r3, [z]; ld.param.f32 %f5, [s];
        mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 2; add.s32 %r1, %r1, %r5; add.s32 %r2, %r2, %r5;
        ld.global.f32 %f1, [%r1]; ld.global.f32 %f2, [%r2];
        mul.rn.f32 %f3, %f1, %f2; neg.f32 %f3, %f3;
        fma.rn.f32 %f4, %f1, %f2, %f3;
        fma.rz.f32 %f4, %f5, %f4, %f1;
        setp.lt.f32 %p1, %f1, %f2;
        @%p1 bra A;
        fma.rm.ftz.f32 %f4, %f4, 0f3EAAAAAB, %f2;
        A: fma.rp.f32 %f6, 0f3EAAAAAB, %f5, 0f3F800001;
        fma.rn.ftz.f32 %f4, %f4, %f6, %f4;
        mad.rn.f32 %f1, %f1, %f4, %f2;
        mov.b32 %r6, %f1; cvt.u64.u32 %d1, %r6; shl.b64 %d1, %d1, 30; mov.b64 %g1, %d1;
        fma.rn.f64 %g2, %g1, 0d3FE5555555555555, %g1; mov.b64 %d2, %g2; cvt.u32.u64 %r7, %d2;
        add.s32 %r3, %r3, %r5; st.global.f32 [%r3], %f4; st.global.f32 [%r3+128], %f1; st.global.u32 [%r3+256], %r7;
        ret;";
    let text = format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 x, .param .u32 y, .param .u32 z, \
         .param .f32 s)\n{{\n{body}\n}}"
    );
    let module = bitline_compile::ptx::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let arguments = ["random:f32:32:31:-4..4", "random:f32:32:32:-4..4", "zero:f32:96", "f32:0.1"];
    let arguments = arguments.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{error}"))).collect();
    let plan = Plan { block: [32, 1, 1], arguments, ..Plan::new("k") };
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let found = plan.words(&module, &Words::new(&preset("cb"))).unwrap_or_else(|error| panic!("{error}"));
    let bits = |buffer: &Option<bitline_compile::launch::Buffer>| buffer.as_ref().map(|b| b.bits().collect::<Vec<_>>());
    assert_eq!(bits(&found.buffers[2]), bits(&expected.buffers[2]));
    let results = bits(&expected.buffers[2]).expect("a buffer");
    let apart: std::collections::BTreeSet<u64> = results.iter().copied().collect();
    assert!(apart.len() > 80, "{results:x?}");
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
        "mov.u32 %r1, %tid.x; mov.b32 %r0, 0;\nA:\n{}add.s32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, 3; @%p1 bra A; \
         st.shared.u32 [s], %r39; ret;",
        many.repeat(4)
    );
    let error = compile(&ring, &params).expect_err("a long loop");
    assert!(error.contains("the loop has ") && error.ends_with(" words, the ring 128"), "{error}");
    assert!(error.starts_with("k.ptx, line "), "{error}");
    let wide = "mov.u32 %r1, %tid.x; cvt.u64.u32 %d1, %r1; mov.b64 %g1, %d1; \
                mul.rn.f64 %g2, %g1, %g1; mul.rn.f64 %g2, %g2, %g1; st.shared.f64 [s], %g2; ret;";
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
    let who = "block (0, 0, 0), thread (0, 0, 0)";
    assert_eq!(error, format!("k.ptx, line 9, column 1: {who}: word 1: trap misaligned (17), address 0x2"));
}

/// A trap names block and thread as the interpreter of PTX does, in whatever wave they are.
#[test]
fn traps_name_block_and_thread() {
    let text = ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 n)\n{\n\
                .reg .pred %p<2>; .reg .b32 %r<9>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n\
                mov.u32 %r3, %tid.y;\nmad.lo.s32 %r2, %r3, 12, %r2;\nmov.u32 %r3, %ctaid.x;\n\
                mov.u32 %r4, %ctaid.y;\nmad.lo.s32 %r3, %r4, 7, %r3;\nmad.lo.s32 %r2, %r3, 48, %r2;\n\
                shl.b32 %r5, %r2, 2;\n\
                setp.ne.s32 %p1, %r2, %r1;\n@%p1 ret;\nst.global.u32 [%r5+1073741824], %r2;\nret;\n}";
    let module = bitline_compile::ptx::parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    for (params, arrays) in [("small", 1), ("small", 4), ("cb", 2)] {
        let params = preset(params);
        for number in [0, 11, 48 * 30 + 17, 48 * 34 + 47] {
            let arguments = vec![format!("u32:{number}").parse().expect("a number")];
            let plan = Plan { grid: [7, 5, 1], block: [12, 4, 1], arguments, ..Plan::new("k") };
            let words = Words { arrays: Some(arrays), ..Words::new(&params) };
            let error = plan.words(&module, &words).expect_err("no memory there").to_string();
            let (block, thread) = (number / 48, number % 48);
            let (block, thread) = ([block % 7, block / 7], [thread % 12, thread / 12]);
            let who = format!("block ({}, {}, 0), thread ({}, {}, 0): ", block[0], block[1], thread[0], thread[1]);
            assert!(error.contains(&who), "{number}: {error}");
            let error = plan.interpret(&module, &mut |_, _| ()).expect_err("no memory there").to_string();
            assert!(error.contains(&who), "{number}: {error}");
        }
    }
}

/// Sums of floating-point numbers are made in the order of threads, blocks one after the other: the order decides the
/// last bits. In global memory subnormal numbers are flushed, in shared memory they are not.
#[test]
fn sums_of_numbers_follow_threads() {
    let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 x, .param .u32 sum, \
                .param .u32 old)\n{ .reg .b32 %r<9>; .reg .f32 %f<5>; .shared .align 4 .b8 s[4]; \
                mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1; \
                shl.b32 %r1, %r1, 2; ld.param.u32 %r4, [x]; add.s32 %r4, %r4, %r1; ld.global.f32 %f1, [%r4]; \
                ld.param.u32 %r5, [sum]; ld.param.u32 %r6, [old]; add.s32 %r6, %r6, %r1; \
                atom.global.add.f32 %f2, [%r5], %f1; st.global.f32 [%r6], %f2; \
                mov.b32 %f3, 0f00000000; st.shared.f32 [s], %f3; bar.sync 0; red.shared.add.f32 [s], 0f00000003; \
                bar.sync 0; ld.shared.f32 %f4, [s]; st.global.f32 [%r6+240], %f4; \
                red.global.add.f32 [%r5+4], 0f00000003; ret; }";
    let module = bitline_compile::ptx::parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let arguments = ["random:f32:60:5:-9..9", "zero:f32:2", "zero:f32:120"].map(|text| text.parse().expect("legal"));
    let plan = Plan { grid: [3, 1, 1], block: [20, 1, 1], arguments: arguments.to_vec(), ..Plan::new("k") };
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}")).buffers;
    for name in ["tiny", "small"] {
        let params = DualityParams { rows: 512, ..preset(name) };
        let ran = plan.words(&module, &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ran.buffers, expected, "{name}");
    }
    let bits = |at: usize| expected[at].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
    assert_eq!((bits(1)[1], bits(2)[60]), (0, 60));
    // In another order the sum is another one.
    let Argument::Buffer(x) = &plan.arguments[0] else { unreachable!("it is a buffer") };
    let back: Vec<u64> = x.bits().collect();
    let sum = back.iter().rev().fold(0.0_f32, |sum, &bits| sum + f32::from_bits(bits as u32));
    assert_ne!(u64::from(sum.to_bits()), bits(1)[0]);
}

/// Sums of binary64 numbers, and counters that begin anew, are loops of words, in which the lowest thread comes first.
#[test]
fn counters_and_wide_sums_follow_threads() {
    let text = ".version 6.0\n.target sm_60\n.address_size 32\n.visible .entry k(.param .u32 x, .param .u32 sum, \
                .param .u32 old)\n{ .reg .b32 %r<9>; .reg .f64 %d<3>; .reg .pred %p; \
                mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1; \
                shl.b32 %r2, %r1, 3; ld.param.u32 %r4, [x]; add.s32 %r4, %r4, %r2; ld.global.f64 %d1, [%r4]; \
                ld.param.u32 %r5, [sum]; ld.param.u32 %r6, [old]; shl.b32 %r2, %r1, 4; add.s32 %r6, %r6, %r2; \
                atom.global.add.f64 %d2, [%r5], %d1; st.global.f64 [%r6], %d2; \
                atom.global.inc.u32 %r7, [%r5+8], 6; st.global.u32 [%r6+8], %r7; \
                setp.ne.s32 %p, %r1, 7; @%p atom.global.dec.u32 %r8, [%r5+12], 4; \
                @%p st.global.u32 [%r6+12], %r8; red.global.add.f64 [%r5+16], 0d3FF0000000000000; \
                red.global.inc.u32 [%r5+24], %r1; ret; }";
    let module = bitline_compile::ptx::parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let arguments = ["random:f64:60:5:-9..9", "zero:u64:4", "zero:u32:240"].map(|text| text.parse().expect("legal"));
    let plan = Plan { grid: [3, 1, 1], block: [20, 1, 1], arguments: arguments.to_vec(), ..Plan::new("k") };
    let Argument::Buffer(x) = &plan.arguments[0] else { unreachable!("it is a buffer") };
    let (mut sum, mut down, mut expected) = (0.0_f64, 0, Vec::new());
    for (thread, bits) in x.bits().enumerate() {
        expected.extend([sum.to_bits() & 0xffff_ffff, sum.to_bits() >> 32, thread as u64 % 7]);
        sum += f64::from_bits(bits);
        expected.push(if thread == 7 { 0 } else { down });
        down = if thread == 7 { down } else { [4, 0, 1, 2, 3][down as usize] };
    }
    let counted = (0..60).fold(0, |count, limit| if count >= limit { 0 } else { count + 1 });
    let sums = [sum.to_bits(), (60 % 7) | (down << 32), 60.0_f64.to_bits(), counted];
    let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}")).buffers;
    let bits = |buffers: &[Option<Buffer>], at: usize| buffers[at].as_ref().expect("it is there").bits().collect();
    assert_eq!((bits(&interpreted, 1), bits(&interpreted, 2)), (sums.to_vec(), expected.clone()));
    for name in ["small", "cb"] {
        let ran = plan.words(&module, &Words::new(&preset(name))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((bits(&ran.buffers, 1), bits(&ran.buffers, 2)), (sums.to_vec(), expected.clone()), "{name}");
    }
}

/// A predicate as a number is a copy of its row: of 16, 32 and 64 bits, of ones as well, and in threads that a branch
/// leaves out.
#[test]
fn predicates_become_numbers() {
    let text = |low: &str| {
        format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 x, .param .u32 z)\n{{\n\
             .reg .pred %p<3>; .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %d<3>;\n\
             ld.param.u32 %r1, [x]; ld.param.u32 %r2, [z]; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2;\n\
             add.s32 %r1, %r1, %r4; ld.global.s32 %r5, [%r1]; setp.lt.s32 %p1, %r5, 3; setp.gt.s32 %p2, %r5, 5;\n\
             selp.b32 %r6, 1, {low}, %p1; selp.u16 %h1, 1, {low}, %p1; selp.s64 %d1, -1, {low}, %p1;\n\
             @%p2 bra A;\nselp.b32 %r6, -1, {low}, %p1;\nA: cvt.u32.u16 %r7, %h1;\n\
             shl.b32 %r4, %r3, 4; add.s32 %r2, %r2, %r4; st.global.u32 [%r2], %r6; st.global.u32 [%r2+4], %r7;\n\
             st.global.u64 [%r2+8], %d1; ret;\n}}"
        )
    };
    let words = |low: &str| {
        let module = bitline_compile::ptx::parse("k.ptx", &text(low)).unwrap_or_else(|error| panic!("{error}"));
        let arguments = ["random:s32:32:91:0..9", "zero:u32:128"].map(|text| text.parse().expect("a buffer"));
        let plan = Plan { block: [32, 1, 1], arguments: arguments.to_vec(), ..Plan::new("k") };
        let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        let ran = plan.words(&module, &Words::new(&preset("cb"))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ran.buffers, expected.buffers, "{low}");
        ran.compiled.program.words.len()
    };
    // Numbers that are no predicate's take two words and more.
    assert!(words("0") + 4 <= words("2"));
}

/// Words of memory shift indices that nobody else reads as addresses, in the same block and behind branches; what
/// others read, or is shifted further, is a word of its own.
#[test]
fn indices_are_shifted_by_words_of_memory() {
    let run = |body: &str| {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 x, .param .u32 z)\n{{\n\
             .reg .pred %p<3>; .reg .b32 %r<12>;\nld.param.u32 %r1, [x]; ld.param.u32 %r2, [z]; mov.u32 %r3, %tid.x;\n\
             {body}\nret;\n}}"
        );
        let module = bitline_compile::ptx::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let arguments = ["random:u32:1024:7:0..255", "zero:u32:1024"].map(|text| text.parse().expect("a buffer"));
        let plan = Plan { block: [64, 1, 1], arguments: arguments.to_vec(), ..Plan::new("k") };
        let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        let ran = plan.words(&module, &Words::new(&preset("cb"))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ran.buffers, expected.buffers, "{body}");
        let memory = |word: &&Word| word.kind().is_ok_and(|kind| kind == Kind::Memory);
        let words = ran.compiled.program.words.iter().filter(memory);
        words.map(|word| (word.get(SCALE), word.get(WIDTH_A) + 1)).collect::<Vec<_>>()
    };
    let sum = "add.s32 %r5, %r1, %r4; add.s32 %r6, %r2, %r4;";
    let copy = "ld.global.u32 %r7, [%r5]; st.global.u32 [%r6], %r7;";
    assert_eq!(run(&format!("shl.b32 %r4, %r3, 2; {sum} {copy}")), [(2, 6); 2]);
    assert_eq!(run(&format!("add.s32 %r3, %r3, 9; shl.b32 %r4, %r3, 3; {sum} {copy}")), [(3, 7); 2]);
    let behind = format!("shl.b32 %r4, %r3, 2; {sum} setp.gt.u32 %p1, %r3, 40; @%p1 bra A; {copy}\nA:");
    assert_eq!(run(&behind), [(2, 6); 2]);
    assert_eq!(run(&format!("shl.b32 %r4, %r3, 4; {sum} {copy}")), [(0, 10); 2]);
    let others = "shl.b32 %r4, %r3, 2; add.s32 %r5, %r1, %r4; add.s32 %r6, %r2, %r4; st.global.u32 [%r6], %r5;";
    assert_eq!(run(others), [(0, 8)]);
}
