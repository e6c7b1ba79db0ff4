//! `isspacep` and `trap`: what a generic address is in, and threads that stop everything.

use crate::common::launches::preset;
use bitline_compile::error::Error;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::{ast::Module, parse};
use bitline_compile::words::Words;
use pretty_assertions::assert_eq;

/// Threads ask of an address, each of one in another space, which spaces it is in: a bit each of `global`, `shared`,
/// `const` and `local`. With `local`, the fourth kind of address is of a variable of the thread, else of shared memory.
fn asks(pointers: u32, local: bool) -> Module {
    let p = format!("u{pointers}");
    let cvt = if pointers == 64 { "cvt.u64.u32" } else { "mov.u32" };
    let (fourth, space) = if local { ("mine", "local") } else { ("tile+8", "shared") };
    let questions: String = ["global", "shared", "const", "local"]
        .iter()
        .zip(0..)
        .map(|(space, bit)| {
            let bit = 1 << bit;
            format!("isspacep.{space} %p1, %a1; selp.b32 %r2, {bit}, 0, %p1; or.b32 %r3, %r3, %r2;\n")
        })
        .collect();
    // The value there is asked for as well: addresses are right.
    let text = format!(
        ".version 6.0\n.target sm_50\n.address_size {pointers}\n\
         .const .align 4 .b8 before[8]; .const .align 4 .u32 c = 1000; .global .align 4 .u32 g = 2000;\n\
         .visible .entry k(.param .{p} out)\n{{\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b{pointers} %a<9>;\n\
         .shared .align 4 .b8 tile[16]; .local .align 4 .b8 mine[8];\n\
         mov.u32 %r1, %tid.x; st.shared.u32 [tile], 3000; st.shared.u32 [tile+8], 4000; st.local.u32 [mine], 4000;\n\
         bar.sync 0; mov.{p} %a2, {fourth}; cvta.{space}.{p} %a1, %a2;\n\
         setp.eq.u32 %p2, %r1, 0; @!%p2 bra B; mov.{p} %a2, g; cvta.global.{p} %a1, %a2;\n\
         B: setp.eq.u32 %p2, %r1, 1; @!%p2 bra C; mov.{p} %a2, tile; cvta.shared.{p} %a1, %a2;\n\
         C: setp.eq.u32 %p2, %r1, 2; @!%p2 bra D; mov.{p} %a2, c; cvta.const.{p} %a1, %a2;\n\
         D: mov.u32 %r3, 0;\n{questions}ld.u32 %r4, [%a1]; add.u32 %r3, %r3, %r4;\n\
         shl.b32 %r5, %r1, 2; {cvt} %a3, %r5; ld.param.{p} %a4, [out]; add.{p} %a4, %a4, %a3;\n\
         st.global.u32 [%a4], %r3; ret;\n}}"
    );
    parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn addresses_are_in_one_space() {
    for (pointers, local) in [(32, false), (64, false), (32, true), (64, true)] {
        let module = asks(pointers, local);
        let out = Argument::Buffer(Buffer::of("u32".parse().expect("a type"), vec![0; 8]));
        let plan = Plan { block: [8, 1, 1], arguments: vec![out], ..Plan::new("k") };
        let fourth = if local { 4000 + 8 } else { 4000 + 2 };
        let expected: Vec<u64> = [2000 + 1, 3000 + 2, 1000 + 4].into_iter().chain([fourth; 5]).collect();
        let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        let bits = |buffers: &[Option<Buffer>]| buffers[0].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
        assert_eq!(bits(&interpreted.buffers), expected, "{pointers} {local}");
        let params = preset("cb");
        for arrays in [1, 2, 4] {
            for general in [false, true] {
                let words = Words { arrays: Some(arrays), general, checked: true, ..Words::new(&params) };
                let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(bits(&ran.buffers), expected, "{pointers} {local} {arrays} {general}");
            }
        }
    }
}

/// Two pieces of shared memory, behind a variable there and what `--shared` asks for, and constants in a buffer.
#[test]
fn arguments_lead_to_shared_and_constant_memory() {
    for (pointers, cvt) in [(32, "mov.u32"), (64, "cvt.u64.u32")] {
        let p = format!("u{pointers}");
        let text = format!(
            ".version 6.0\n.target sm_50\n.address_size {pointers}\n.shared .align 4 .b8 own[20];\n\
             .visible .entry k(.param .{p} .ptr .shared .align 4 a, .param .{p} .ptr .shared b,\n\
             .param .{p} .ptr .const .align 4 c, .param .{p} .ptr .global out)\n{{\n\
             .reg .b32 %r<9>; .reg .b{pointers} %a<9>;\n\
             mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; {cvt} %a1, %r2; xor.b32 %r3, %r2, 124; {cvt} %a2, %r3;\n\
             ld.param.{p} %a3, [a]; ld.param.{p} %a4, [b]; ld.param.{p} %a5, [c]; ld.param.{p} %a6, [out];\n\
             st.shared.u32 [own+16], 5000; add.{p} %a5, %a5, %a1; ld.const.u32 %r4, [%a5];\n\
             add.{p} %a7, %a3, %a1; st.shared.u32 [%a7], %r4; add.{p} %a7, %a4, %a1; st.shared.u32 [%a7], %r1;\n\
             bar.sync 0;\n\
             add.{p} %a7, %a3, %a2; ld.shared.u32 %r4, [%a7]; add.{p} %a7, %a4, %a2; ld.shared.u32 %r5, [%a7];\n\
             ld.shared.u32 %r6, [own+16]; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;\n\
             add.{p} %a6, %a6, %a1; st.global.u32 [%a6], %r4; ret;\n}}"
        );
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(parse("k.ptx", &module.to_string()).expect("PTX").without_places(), module.without_places());
        let arguments = ["local:u32:32", "local:u8:128", "steps:u32:32:100", "zero:u32:32"];
        let arguments = arguments.map(|text| text.parse().expect("legal")).to_vec();
        let plan = Plan { block: [32, 1, 1], shared: 3, arguments, ..Plan::new("k") };
        let expected: Vec<u64> = (0..32).map(|at| 5000 + 101 * (31 - at)).collect();
        let bits = |buffers: &[Option<Buffer>]| buffers[3].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
        let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bits(&interpreted.buffers), expected, "{pointers}");
        let params = preset("cb");
        for arrays in [1, 2, 4] {
            let words = Words { arrays: Some(arrays), checked: true, ..Words::new(&params) };
            let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(bits(&ran.buffers), expected, "{pointers} {arrays}");
        }
        // A thread more than there is room for.
        let long = Plan { block: [33, 1, 1], ..plan.clone() };
        assert!(long.interpret(&module, &mut |_, _| ()).is_err());
    }
}

/// Only threads that come to a trap make one, and the first of them is named with the line.
#[test]
fn threads_stop_by_themselves() {
    let begin = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out, .param .u32 n)\n{\n\
                 .reg .pred %p<4>; .reg .b32 %r<9>; mov.u32 %r1, %tid.x; ld.param.u32 %r3, [n];\n\
                 ld.param.u32 %r4, [out]; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5;\n";
    let end = "mov.u32 %r6, 7; st.global.u32 [%r4], %r6; ret;\n}";
    let params = preset("small");
    // The number of the kernel, and the first thread of twelve that stops.
    for (body, cases) in [
        ("setp.eq.u32 %p1, %r1, %r3;\n@%p1 trap;\n", &[(3, Some(3)), (0, Some(0)), (12, None)][..]),
        ("setp.lt.u32 %p1, %r1, %r3;\n@%p1 bra A;\ntrap;\nA:\n", &[(12, None), (5, Some(5)), (0, Some(0))][..]),
        ("setp.ne.u32 %p1, %r3, 0;\n@%p1 trap;\n", &[(0, None), (1, Some(0))][..]),
        // What clang makes of its builtin: nothing comes behind it, and others wait nowhere for who has come there.
        (
            "mov.u32 %r2, 0;\nL: setp.eq.u32 %p1, %r1, %r3; @%p1 bra T; bar.sync 0; add.u32 %r2, %r2, 1;\n\
             setp.lt.u32 %p2, %r2, 4; setp.ge.u32 %p3, %r3, 40; @%p3 bra T; @%p2 bra L; bra E;\nT: trap;\nexit;\nE:\n",
            &[(12, None), (6, Some(6)), (40, Some(0))][..],
        ),
        // Where all go the same way, in a loop and behind one, and threads have gone before.
        (
            "setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0;\n\
             @%p1 bra E;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; @%p2 bra L; setp.eq.u32 %p2, %r2, %r3;\n\
             @%p2 trap; setp.gt.u32 %p2, %r3, 99;\n@%p2 bra L;\nE:\n",
            &[(0, None), (4, Some(4)), (11, Some(11)), (50, None)][..],
        ),
    ] {
        let text = format!("{begin}{body}{end}");
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let line = text.lines().position(|line| line.contains("trap")).expect("it is there") + 1;
        for &(number, thread) in cases {
            let out = Argument::Buffer(Buffer::of("u32".parse().expect("a type"), vec![0; 12]));
            let n: Argument = format!("u32:{number}").parse().expect("legal");
            let plan = Plan { block: [12, 1, 1], arguments: vec![out, n], ..Plan::new("k") };
            let interpreted = plan.interpret(&module, &mut |_, _| ()).map(|ran| ran.buffers);
            for arrays in [1, 2] {
                let words = Words { arrays: Some(arrays), checked: true, ..Words::new(&params) };
                let ran = plan.words(&module, &words).map(|ran| ran.buffers);
                let Some(thread) = thread else {
                    assert_eq!(ran.as_ref().expect("it ends"), interpreted.as_ref().expect("it ends"), "{text}");
                    continue;
                };
                let who = format!("block (0, 0, 0), thread ({thread}, 0, 0)");
                let expected = format!("k.ptx, line {line}, column 1: {who}: `trap`: the kernel stops here by itself");
                assert_eq!(ran.expect_err(body).to_string(), expected, "{text}");
                let error = interpreted.as_ref().expect_err(body);
                assert!(matches!(error, Error::Run { thread: [x, 0, 0], .. } if *x == thread), "{error}");
                assert!(error.to_string().contains(&format!("line {line}: ")), "{error}");
            }
        }
    }
}

/// What nothing can have written is refused, where words are made of it: rows hold anything at power-up. The
/// interpreter of PTX says it when a thread comes there.
#[test]
fn registers_are_written_before_they_are_read() {
    let params = preset("cb");
    let begin = ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out)\n{\n\
                 .reg .pred %p<4>; .reg .b32 %r<9>;\nld.param.u32 %r0, [out];\n";
    for (line, register) in [
        ("st.global.u32 [%r0], %r5;", "`st.global.u32`: %r5"),
        ("add.s32 %r1, %r2, 1; st.global.u32 [%r0], %r1;", "`add.s32`: %r2"),
        ("st.global.u32 [%r3], %r0;", "`st.global.u32`: %r3"),
        ("selp.u32 %r1, 1, 2, %p1; st.global.u32 [%r0], %r1;", "`selp.u32`: %p1"),
        ("@%p2 bra L; st.global.u32 [%r0], 1; L:", "%p2"),
        ("@!%p3 st.global.u32 [%r0], 1;", "%p3"),
    ] {
        let text = format!("{begin}{line}\nret;\n}}");
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let out = Argument::Buffer(Buffer::of("u32".parse().expect("a type"), vec![0; 4]));
        let plan = Plan { block: [4, 1, 1], arguments: vec![out], ..Plan::new("k") };
        for error in [
            plan.words(&module, &Words::new(&params)).map(|_| ()).expect_err(line).to_string(),
            plan.interpret(&module, &mut |_, _| ()).map(|_| ()).expect_err(line).to_string(),
        ] {
            assert!(error.starts_with("k.ptx, line 8"), "{error}");
            assert!(error.contains(&format!("{register} is read before it is written")), "{error}");
        }
    }
}
