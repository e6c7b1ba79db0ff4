//! Addresses of 64 bits on ways that programs seldom take: what is legal there runs, and what is not is an error, as
//! the interpreter of PTX says.

use crate::common::launches::preset;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;

/// Threads, each with a number of 64 bits: `%d1`, whose lower half is `%r1` and whose upper half is `%r2`.
const THREADS: usize = 4;
const PROLOGUE: &str = "ld.param.u64 %d10, [elements]; cvta.to.global.u64 %d0, %d10; ld.param.u64 %d11, [numbers];\n\
     cvta.to.global.u64 %d11, %d11; ld.param.u64 %d12, [out]; cvta.to.global.u64 %d12, %d12;\n\
     mov.u32 %r0, %tid.x; mul.wide.u32 %d13, %r0, 8; add.s64 %d11, %d11, %d13; add.s64 %d12, %d12, %d13;\n\
     ld.global.u64 %d1, [%d11]; ld.global.v2.u32 {%r1, %r2}, [%d11]; mov.u64 %d5, 7;";

/// A kernel that reads `%r5` or `%d5`, numbers of the threads, and the parameters `a`, `b`, `n` and `m`.
struct Case {
    body: &'static str,
    numbers: [u64; THREADS],
    long: [u64; 2],
    short: [u32; 2],
    legal: bool,
}

const fn case(body: &'static str, numbers: [u64; THREADS]) -> Case {
    Case { body, numbers, long: [0; 2], short: [0; 2], legal: true }
}

const fn wrong(body: &'static str, numbers: [u64; THREADS]) -> Case {
    Case { legal: false, ..case(body, numbers) }
}

const fn long(body: &'static str, a: u64, b: u64, legal: bool) -> Case {
    Case { long: [a, b], legal, ..case(body, [0; THREADS]) }
}

const fn short(body: &'static str, n: u32, m: u32, legal: bool) -> Case {
    Case { short: [n, m], legal, ..case(body, [0; THREADS]) }
}

const ELEMENT: &str = "mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d0, %d2;";
const BYTES: &str = "shl.b64 %d2, %d2, 2; add.s64 %d3, %d0, %d2; ld.global.u32 %r5, [%d3];";
const FAR: u64 = 1 << 32;
const NEGATIVE: u64 = u64::MAX;

/// Accesses on ten lines at multiples of a number by powers of two: those on the later lines lead beyond 32 bits.
const MANY: &str = "mul.wide.s32 %d2, %r1, 4; setp.lt.u32 %p1, %r1, 9; selp.b64 %d2, 0, %d2, %p1;\n\
    shr.u32 %r3, %r1, 12; setp.eq.u32 %p2, %r3, 1; setp.eq.u32 %p3, %r3, 1024; mov.u32 %r6, 1073741824;\n\
    selp.b32 %r7, %r6, 0, %p2; selp.b32 %r8, %r6, 0, %p3; mov.u32 %r9, 0; ld.global.u32 %r10, [%d11+4];\n\
    mul.wide.s32 %d3, %r10, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 8; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 16; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r7, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 32; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 64; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 12; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 24; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r10, 48; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];\n\
    mul.wide.s32 %d3, %r8, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r5, [%d3];";

const CASES: &[Case] = &[
    // A parameter of 32 bits in a register of 64, with and without a sign.
    short("ld.param.u32 %d2, [n]; BYTES", 5, 4, true),
    short("ld.param.u32 %d2, [n]; BYTES", 0xffff_fffe, 4, false),
    short("ld.param.s32 %d2, [n]; add.s64 %d2, %d2, 3; BYTES", 0xffff_fffe, 4, true),
    short("ld.param.s32 %d2, [n]; add.s64 %d2, %d2, 3; BYTES", 0xffff_fff0, 4, false),
    case("ld.global.u32 %d2, [%d11]; BYTES", [1, 2, 3, FAR + 4]),
    wrong("ld.global.u32 %d2, [%d11]; BYTES", [1, 2, 3, 0xc000_0000]),
    // One of two addresses, of which the other is wrong.
    case(
        "ELEMENT setp.lt.u32 %p1, %r1, 64; selp.b64 %d3, %d3, %d0, %p1; ld.global.u32 %r5, [%d3];",
        [1, 2, 3, 1 << 30],
    ),
    case(
        "ELEMENT setp.ge.u32 %p1, %r1, 64; selp.b64 %d3, %d0, %d3, %p1; ld.global.u32 %r5, [%d3];",
        [1, 1 << 30, 3, 4],
    ),
    wrong(
        "ELEMENT setp.lt.u32 %p1, %r1, 64; selp.b64 %d3, %d0, %d3, %p1; ld.global.u32 %r5, [%d3];",
        [1, 2, 1 << 30, 4],
    ),
    wrong(
        "ELEMENT setp.ge.u32 %p1, %r1, 64; selp.b64 %d3, %d3, %d0, %p1; ld.global.u32 %r5, [%d3];",
        [1, 2, 3, 1 << 30],
    ),
    // Parameters of more than 32 bits whose sum is an address, or that are data, or are compared.
    long("sub.s64 %d2, %d8, %d9; BYTES", FAR + 8, FAR, true),
    long("sub.s64 %d2, %d8, %d9; BYTES", FAR + 8, 2 * FAR, false),
    long(
        "mov.u64 %d5, %d8; setp.lt.u64 %p1, %d8, 16; mov.u64 %d2, %d8; @%p1 bra A; bra B;\nA: BYTES\nB:",
        FAR + 5,
        0,
        true,
    ),
    long(
        "mov.u64 %d5, %d8; setp.ne.u64 %p1, %d8, -1; mov.u64 %d2, %d8; @%p1 bra A; bra B;\nA: BYTES\nB:",
        NEGATIVE,
        0,
        true,
    ),
    long("mov.u64 %d2, %d8; BYTES", FAR + 5, 0, false),
    long("cvta.to.global.u64 %d3, %d8; ld.global.u32 %r5, [%d3];", 0x1_0008, 0, true),
    long("cvta.to.global.u64 %d3, %d8; ld.global.u32 %r5, [%d3];", FAR + 0x1_0008, 0, false),
    long("cvta.to.global.u64 %d3, %d8; sub.s64 %d3, %d3, %d9; ld.global.u32 %r5, [%d3];", FAR + 0x1_0008, FAR, true),
    long("shl.b64 %d4, %d8, 2; add.s64 %d3, %d0, %d4; ld.global.u32 %r5, [%d3];", 5, 0, true),
    long("shl.b64 %d4, %d8, 2; add.s64 %d3, %d0, %d4; ld.global.u32 %r5, [%d3];", FAR + 5, 0, false),
    long("mul.lo.s64 %d2, %d8, %d9; BYTES", 3, 2, true),
    long("mul.lo.s64 %d2, %d8, %d9; BYTES", 1 << 33, 1 << 31, true),
    long("mul.lo.s64 %d2, %d8, %d9; BYTES", 1 << 33, 1 << 27, false),
    // Of what some bits are left, nothing else counts.
    case(
        "ELEMENT and.b64 %d2, %d2, 124; add.s64 %d3, %d0, %d2; ld.global.u32 %r5, [%d3];",
        [1, 0xf000_0001, 1 << 30, 77],
    ),
    case("ELEMENT and.b64 %d3, %d3, -8; ld.global.u32 %r5, [%d3];", [1, 2, 3, 4]),
    wrong("ELEMENT and.b64 %d3, %d3, -8; ld.global.u32 %r5, [%d3];", [1, 2, 1 << 30, 4]),
    // Products by 0 and by large numbers.
    case("mul.wide.s32 %d2, %r1, 0; BYTES", [1, 2, 3, 1 << 31]),
    case("mul.wide.u32 %d2, %r1, 0x80000000; BYTES", [0; 4]),
    wrong("mul.wide.u32 %d2, %r1, 0x80000000; BYTES", [0, 0, 1, 0]),
    case("mul.wide.u32 %d2, %r1, 0xffffffff; BYTES", [0; 4]),
    wrong("mul.wide.u32 %d2, %r1, 0xffffffff; BYTES", [0, 4, 0, 0]),
    // The bits of a floating-point number.
    case("ld.global.f64 %f1, [%d11]; mov.b64 %d2, %f1; BYTES", [1, 2, 3, 4]),
    wrong("ld.global.f64 %f1, [%d11]; mov.b64 %d2, %f1; BYTES", [1, 2, FAR + 3, 4]),
    // Numbers beyond 31 bits on the way to an address.
    case(
        "cvt.u64.u32 %d2, %r1; cvt.u64.u32 %d3, %r2; sub.s64 %d2, %d2, %d3; BYTES",
        [2_999_999_995 << 32 | 3_000_000_000, 5, 6, 7],
    ),
    wrong("cvt.u64.u32 %d2, %r1; cvt.u64.u32 %d3, %r2; sub.s64 %d2, %d2, %d3; BYTES", [3 << 32 | 0xc000_0003, 5, 6, 7]),
    case(
        "cvt.u64.u32 %d2, %r1; sub.s64 %d2, %d2, 536870656; BYTES",
        [0x1fff_ff01, 0x1fff_ff02, 0x1fff_ff03, 0x1fff_ff04],
    ),
    wrong(
        "cvt.u64.u32 %d2, %r1; sub.s64 %d2, %d2, 536870656; BYTES",
        [0x1fff_ff01, 0x1fff_ff02, 0x5fff_ff03, 0x1fff_ff04],
    ),
    case(
        "ELEMENT mul.wide.u32 %d4, %r2, 4; sub.s64 %d3, %d3, %d4; ld.global.u32 %r5, [%d3];",
        [0x7000_0000 << 32 | 0x7000_0004, 5, 6, 7],
    ),
    wrong(
        "ELEMENT mul.wide.u32 %d4, %r2, 4; sub.s64 %d3, %d3, %d4; ld.global.u32 %r5, [%d3];",
        [0x3000_0000 << 32 | 0x7000_0004, 5, 6, 7],
    ),
    // A number in front of variables that begin at 0.
    case(
        "shl.b64 %d2, %d1, 2; mov.u64 %d4, own; add.s64 %d3, %d4, %d2; ld.shared.u32 %r5, [%d3+8];",
        [0, 1, NEGATIVE, NEGATIVE - 1],
    ),
    wrong(
        "shl.b64 %d2, %d1, 2; mov.u64 %d4, own; add.s64 %d3, %d4, %d2; ld.shared.u32 %r5, [%d3+8];",
        [0, 1, NEGATIVE - 2, 1],
    ),
    wrong(
        "shl.b64 %d2, %d1, 2; mov.u64 %d4, own; add.s64 %d3, %d4, %d2; ld.shared.u32 %r5, [%d3+8];",
        [0, 1, 1 << 30, 1],
    ),
    // A number behind one just below 4 GiB, and behind names.
    case("cvt.u64.u32 %d3, %r1; ld.shared.u32 %r5, [%d3+8];", [0, 4, 244, FAR + 4]),
    wrong("cvt.u64.u32 %d3, %r1; ld.shared.u32 %r5, [%d3+8];", [0, 4, 0xffff_fffc, 8]),
    case("ld.shared.u32 %r5, [own+12];", [0; 4]),
    wrong("ld.shared.u32 %r5, [own+4294967304];", [0; 4]),
    wrong("setp.eq.u32 %p1, %r1, 1; @%p1 ld.shared.u32 %r5, [own+4294967304];", [0, 0, 1, 0]),
    case("setp.eq.u32 %p1, %r1, 1; @%p1 ld.shared.u32 %r5, [own+4294967304];", [0, 0, 2, 0]),
    wrong("ld.shared.u32 %r5, [4294967304];", [0; 4]),
    // A generic address that leads nowhere before something is added to it.
    case("ELEMENT sub.s64 %d3, %d3, 70000; cvta.global.u64 %d4, %d3; ld.u32 %r5, [%d4+70000];", [1, 2, 3, 4]),
    wrong("ELEMENT sub.s64 %d3, %d3, 70000; cvta.global.u64 %d4, %d3; ld.u32 %r5, [%d4+70000];", [1, 2, 3, 1 << 30]),
    // One below 0 whose lower half is in the window of shared memory: the first buffer is at 64 KiB.
    wrong("ELEMENT ld.u32 %r5, [%d3];", [1, 2, 0xffbf_c000, 4]),
    // An access that none comes to, since a trap is before it.
    wrong(
        "ELEMENT\nsetp.gt.u32 %p1, %r1, 64; mov.u32 %r6, 1;\n@%p1 trap;\nld.global.u32 %r5, [%d3];",
        [1, 2, 3, 1 << 30],
    ),
    // How often a loop turns is read before it.
    wrong(
        "ELEMENT ld.global.u32 %r5, [%d3];\nshl.b32 %r5, %r5, 30;\n\
         L: add.s32 %r5, %r5, -1; setp.ne.s32 %p1, %r5, 0; @%p1 bra L;",
        [1 << 30; 4],
    ),
    // Many lines, each with a check.
    wrong(MANY, [1 << 12, 2, 3, 4]),
    wrong(MANY, [1 << 22, 2, 3, 4]),
    // A loop that what is read keeps going, and a stop because of it.
    wrong(
        "ELEMENT\nL: ld.global.u32 %r6, [%d3]; ld.global.u32 %r5, [%d3+4]; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;",
        [1 << 30; 4],
    ),
    wrong("ELEMENT \nL: ld.global.u32 %r5, [%d3]; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;", [1 << 30; 4]),
    wrong("ELEMENT ld.global.u32 %r5, [%d3]; setp.ne.u32 %p1, %r5, 0;\n@%p1 trap;", [1 << 30, 1, 1, 1]),
    // The same, where a branch in the loop says whether it ends, or what ends it.
    wrong(
        "ELEMENT \nL: ld.global.u32 %r5, [%d3]; setp.ne.u32 %p1, %r5, 0; @%p1 bra M; bra E;\nM: bra L;\nE:",
        [1 << 30; 4],
    ),
    wrong(
        "ELEMENT mov.u32 %r6, 0;\nL: ld.global.u32 %r5, [%d3]; setp.ne.u32 %p1, %r5, 0; @%p1 bra M; mov.u32 %r6, 1;\n\
         M: mov.u32 %r7, %r6; setp.eq.u32 %p2, %r7, 0; @%p2 bra L;",
        [1 << 30; 4],
    ),
    // A loop that ends when something is written: where it should be, or elsewhere before.
    wrong(
        "ELEMENT \nL: st.global.u32 [%d3], 7; ld.volatile.global.u32 %r5, [%d0]; setp.ne.u32 %p1, %r5, 7; @%p1 bra L;",
        [1 << 30 | 8; 4],
    ),
    wrong(
        "ELEMENT st.global.u32 [%d3], 7;\n\
         L: ld.volatile.global.u32 %r5, [%d0]; setp.eq.u32 %p1, %r5, 7; @%p1 bra L;",
        [1 << 30; 4],
    ),
    case(
        "ELEMENT \nL: st.global.u32 [%d3], 7; ld.volatile.global.u32 %r5, [%d0]; setp.ne.u32 %p1, %r5, 7; @%p1 bra L;",
        [0; 4],
    ),
    // A pointer that comes by the same lower half again and again.
    wrong(
        "ELEMENT \nL: ld.global.u32 %r5, [%d3]; add.s64 %d3, %d3, 4294967296; setp.lt.u64 %p1, %d3, -1; @%p1 bra L;",
        [1 << 30; 4],
    ),
    // A quotient by 3, which is a product by a number beyond 32 bits: of a multiple of 3, and of another number.
    case("cvt.s64.s32 %d4, %r1; mul.lo.s64 %d2, %d4, -6148914691236517205; BYTES", [3, 6, 9, 12]),
    wrong("cvt.s64.s32 %d4, %r1; mul.lo.s64 %d2, %d4, -6148914691236517205; BYTES", [3, 6, 9, 1]),
    wrong("cvt.s64.s32 %d4, %r1; mul.lo.s64 %d2, %d4, 4294967296; BYTES", [0, 0, 1, 0]),
    case("cvt.s64.s32 %d4, %r1; mul.lo.s64 %d2, %d4, 4294967296; BYTES", [0, 0, 0, 1 << 32]),
];

#[test]
fn words_and_interpreter_know_the_same_addresses() {
    let params = preset("cb");
    for case in CASES {
        let Case { body, numbers, long, short, legal } = case;
        let text = format!(
            ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 elements, \
             .param .u64 numbers, .param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)\n{{\n\
             .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<19>; .reg .f64 %f<3>; .shared .align 8 .b8 own[256];\n\
             {PROLOGUE} ld.param.u64 %d8, [a]; ld.param.u64 %d9, [b]; mov.u32 %r5, 0;\n\
             st.shared.u32 [own], 5; st.shared.u32 [own+4], 6; st.shared.u32 [own+8], 7; st.shared.u32 [own+12], 8;\n\
             {}\n cvt.u64.u32 %d6, %r5; add.s64 %d5, %d5, %d6; st.global.u64 [%d12], %d5;\nret;\n}}",
            body.replace("ELEMENT", ELEMENT).replace("BYTES", BYTES)
        );
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let element = |name: &str| name.parse().expect("a type");
        let buffer = |ty: &str, bits: Vec<u64>| Argument::Buffer(Buffer::of(element(ty), bits));
        let number = |ty: &str, bits: u64| Argument::Number { element: element(ty), bits };
        let arguments = vec![
            buffer("u32", (0..64).map(|at| at * 3 + 1).collect()),
            buffer("u64", numbers.to_vec()),
            buffer("u64", vec![0; THREADS]),
            number("u64", long[0]),
            number("u64", long[1]),
            number("u32", short[0].into()),
            number("u32", short[1].into()),
        ];
        let plan = Plan { block: [THREADS as u32, 1, 1], arguments, limit: 100_000, ..Plan::new("k") };
        let interpreted = plan.interpret(&module, &mut |_, _| ()).map(|ran| ran.buffers);
        assert_eq!(interpreted.is_ok(), *legal, "{body}: {:?}", interpreted.err());
        for (arrays, general) in [(1, false), (4, false), (1, true)] {
            let words = Words { arrays: Some(arrays), general, checked: true, tries: 2, ..Words::new(&params) };
            let ran = plan.words(&module, &words).map(|ran| ran.buffers);
            match &interpreted {
                Ok(buffers) => {
                    assert_eq!(ran.as_ref().map_err(ToString::to_string), Ok(buffers), "{body}\n{numbers:x?}")
                }
                Err(expected) => {
                    let (error, expected) = (ran.expect_err(body).to_string(), expected.to_string());
                    let line = |error: &str| error.split("line ").nth(1).map(|rest| rest[..2].to_string());
                    let several = error.contains("follows") && line(&error) < line(&expected);
                    assert!(several || line(&error) == line(&expected), "{body}\n{error}\n{expected}");
                    let own = expected.contains("`trap`");
                    let kinds = ["trap address", "trap unmapped", "trap window"];
                    let kinds = if own { &["`trap`"][..] } else { &kinds };
                    assert!(kinds.iter().any(|kind| error.contains(kind)), "{body}: {error}");
                }
            }
        }
    }
}

/// What has been found out is kept where a kernel begins with a loop.
#[test]
fn a_loop_at_the_beginning_keeps_it() {
    let text = ".version 6.0\n.target sm_50\n.address_size 64\n.global .align 4 .b8 all[64];\n.visible .entry k()\n{\n\
        .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<19>;\n\
        L: mov.u64 %d0, all; ld.global.u32 %r1, [%d0]; add.s32 %r2, %r1, 1; st.global.u32 [%d0], %r2;\n\
        mul.lo.s32 %r3, %r1, 1073741824; setp.ne.u32 %p1, %r1, 1; selp.b32 %r3, 0, %r3, %p1;\n\
        mul.wide.s32 %d1, %r3, 4; add.s64 %d2, %d0, %d1; st.global.u32 [%d2+8], 7;\n\
        setp.lt.u32 %p2, %r1, 4; @%p2 bra L;\nret;\n}";
    refused(text, vec![]);
}

/// What a loop's last turn makes of a register is known at its beginning, wherever the text has it.
#[test]
fn what_comes_back_to_a_loop_is_followed() {
    let text = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n\
        .reg .f32 %f<3>; .reg .pred %p<5>; .reg .b32 %r<19>; .reg .b64 %d<19>; ld.param.u64 %d17, [p];\n\
        ld.param.u64 %d18, [q]; cvta.to.global.u64 %d0, %d17; cvta.to.global.u64 %d1, %d18; mov.u32 %r5, 0;\n\
        H: mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d0, %d2; ld.global.u32 %r8, [%d3]; st.global.u32 [%d1+8], %r8;\n\
        ld.global.f32 %f1, [%d1]; st.global.u32 [%d1], 1; setp.eq.f32 %p1, %f1, 0f00000000; @%p1 bra C;\n\
        setp.neu.f32 %p2, %f1, 0f41000000; @%p2 bra E;\nA: mov.u32 %r5, %r9; bra H;\n\
        C: ld.global.u32 %r9, [%d1+4]; bra A;\nE: ret;\n}";
    let buffer = |bits: Vec<u64>| Argument::Buffer(Buffer::of("u32".parse().expect("a type"), bits));
    refused(text, vec![buffer(vec![1; 8]), buffer(vec![0, 1 << 30, 7, 0])]);
}

/// Neither the interpreter nor words do what one thread of a kernel asks for.
fn refused(text: &str, arguments: Vec<Argument>) {
    let module = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let params = preset("cb");
    let plan = Plan { block: [1, 1, 1], arguments, ..Plan::new("k") };
    assert!(plan.interpret(&module, &mut |_, _| ()).is_err());
    let error = plan.words(&module, &Words { arrays: Some(1), ..Words::new(&params) }).map(|ran| ran.buffers);
    assert!(error.as_ref().is_err_and(|error| error.to_string().contains("trap address")), "{error:?}");
}
