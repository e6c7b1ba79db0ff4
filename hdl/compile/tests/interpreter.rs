//! The interpreter: instructions on values whose results are known, and what no thread may do.

use crate::common;
use bitline_compile::error::Result;
use bitline_compile::launch::{Outcome, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;

/// Runs a kernel of these lines; `out` is a buffer of `u64:8` in `%rd0`.
fn run(lines: &str, block: [u32; 3]) -> Result<Outcome> {
    let text = format!(
        ".version 7.0\n.target sm_50\n.address_size 64\n.const .u32 c[2] = {{7, 9}};\n.extern .shared .b8 dynamic[];\n\
         .visible .entry k(.param .u64 out)\n{{ .reg .pred %p<4>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; \
         .reg .f32 %f<9>; .reg .f64 %d<9>; .shared .b32 tile[4]; .local .b32 own[2];\nld.param.u64 %rd0, [out];\n\
         {lines}\nret; }}\n"
    );
    let arguments = vec!["zero:u64:8".parse().expect("an argument")];
    let plan = Plan { block, arguments, limit: 10_000, shared: 8, ..Plan::new("k") };
    plan.interpret(&parse("k.ptx", &text).unwrap_or_else(|error| panic!("{lines}\n{error}")), &mut |_, _| ())
}

fn first(lines: &str) -> u64 {
    let outcome = run(lines, [1; 3]).unwrap_or_else(|error| panic!("{lines}\n{error}"));
    outcome.buffers[0].as_ref().expect("a buffer").bits().next().expect("an element")
}

/// The result of `instruction` on constants, which are put into registers.
fn of(instruction: &str, ty: &str, operands: &[u64]) -> u64 {
    let (result, registers) = match ty {
        "b64" => ("%rd8", ["%rd1", "%rd2", "%rd3", "%rd4"]),
        "b16" => ("%rs8", ["%rs1", "%rs2", "%rs3", "%rs4"]),
        _ => ("%r8", ["%r1", "%r2", "%r3", "%r4"]),
    };
    let mut lines = String::new();
    for (register, value) in registers.iter().zip(operands) {
        lines += &format!("mov.{ty} {register}, {value};\n");
    }
    let sources = registers[..operands.len()].join(", ");
    let size = if ty == "b16" {
        "u16"
    } else if ty == "b64" {
        "u64"
    } else {
        "u32"
    };
    first(&format!("{lines}{instruction} {result}, {sources};\nst.global.{size} [%rd0], {result};"))
}

fn of32(instruction: &str, operands: &[u64]) -> u64 {
    of(instruction, "b32", operands)
}

#[test]
fn integers() {
    assert_eq!(of32("add.sat.s32", &[0x7fff_ffff, 5]), 0x7fff_ffff);
    assert_eq!(of32("mul.hi.s32", &[0xffff_ffff, 2]), 0xffff_ffff);
    assert_eq!(of32("mul.hi.u32", &[0xffff_ffff, 2]), 1);
    assert_eq!(of("mul.hi.u64", "b64", &[u64::MAX, u64::MAX]), u64::MAX - 1);
    assert_eq!(of("mul.lo.u64", "b64", &[u64::MAX, 3]), u64::MAX - 2);
    assert_eq!(of("mad.hi.s64", "b64", &[1 << 63, 2, 5]), 4);
    assert_eq!(of32("mul24.lo.s32", &[0x00ff_ffff, 3]), 0xffff_fffd);
    assert_eq!(of32("mul24.hi.u32", &[0x00ff_ffff, 0x0100_0001]), 255);
    assert_eq!(of32("sad.s32", &[0xffff_fffd, 4, 10]), 17);
    assert_eq!(of32("div.s32", &[0xffff_fff9, 2]), 0xffff_fffd);
    assert_eq!((of32("div.u32", &[7, 0]), of32("rem.u32", &[7, 0])), (0xffff_ffff, 7));
    assert_eq!((of32("div.s32", &[1 << 31, 0xffff_ffff]), of32("rem.s32", &[0xffff_fff9, 2])), (1 << 31, 0xffff_ffff));
    assert_eq!(of("min.s16", "b16", &[0xffff, 1]), 0xffff);
    assert_eq!(of("max.u16", "b16", &[0xffff, 1]), 0xffff);
    assert_eq!((of32("popc.b32", &[0xf0f1]), of32("clz.b32", &[0]), of32("clz.b32", &[1])), (9, 32, 31));
    assert_eq!(
        (of32("bfind.u32", &[0]), of32("bfind.u32", &[9]), of32("bfind.s32", &[0xffff_fff0])),
        (0xffff_ffff, 3, 3)
    );
    assert_eq!(of32("bfind.shiftamt.u32", &[9]), 28);
    assert_eq!((of32("brev.b32", &[1]), of("brev.b64", "b64", &[2])), (1 << 31, 1 << 62));
    assert_eq!((of32("bfe.s32", &[0xf0, 4, 4]), of32("bfe.u32", &[0xf0, 4, 4])), (0xffff_ffff, 15));
    assert_eq!((of32("bfe.s32", &[1 << 31, 30, 9]), of32("bfe.u32", &[5, 40, 3])), (0xffff_fffe, 0));
    assert_eq!(of32("bfi.b32", &[5, 0xffff_ffff, 8, 4]), 0xffff_f5ff);
    assert_eq!(
        (of32("shl.b32", &[1, 32]), of32("shr.s32", &[1 << 31, 99]), of32("shr.u32", &[1 << 31, 99])),
        (0, 0xffff_ffff, 0)
    );
    assert_eq!((of32("shf.l.wrap.b32", &[0x8000_0001, 2, 33]), of32("shf.l.clamp.b32", &[3, 2, 33])), (5, 3));
    assert_eq!((of32("shf.r.wrap.b32", &[2, 1, 1]), of32("shf.r.clamp.b32", &[2, 1, 64])), (0x8000_0001, 1));
    assert_eq!(of32("prmt.b32", &[0x8041_4243, 0x5051_5253, 0x4b30]), 0x53ff_8043);
    assert_eq!(
        (of32("prmt.b32.f4e", &[0x3210, 0x7654_0000 >> 16, 1]), of32("prmt.b32.rc8", &[0x44_3322, 0, 1])),
        (0x5400_0032, 0x3333_3333)
    );
    assert_eq!((of32("cnot.b32", &[0]), of32("not.b32", &[0]), of32("abs.s32", &[1 << 31])), (1, 0xffff_ffff, 1 << 31));
    assert_eq!(first("mov.b32 %r1, -2; mul.wide.s32 %rd1, %r1, 3; st.global.u64 [%rd0], %rd1;"), (-6_i64) as u64);
    assert_eq!(
        first("mov.b32 %r1, 240; lop3.b32 %r2, %r1, 204, 170, 0x96; st.global.u32 [%rd0], %r2;"),
        240 ^ 204 ^ 170
    );
}

fn float(instruction: &str, operands: &[f32]) -> u32 {
    let registers: Vec<String> = (1..=operands.len()).map(|at| format!("%f{at}")).collect();
    let moves: String =
        registers.iter().zip(operands).map(|(r, x)| format!("mov.b32 {r}, 0f{:08X};\n", x.to_bits())).collect();
    first(&format!("{moves}{instruction} %f8, {};\nst.global.f32 [%rd0], %f8;", registers.join(", "))) as u32
}

#[test]
fn floats() {
    let tiny = f32::from_bits(5);
    assert_eq!((float("add.f32", &[tiny, tiny]), float("add.ftz.f32", &[tiny, tiny])), (10, 0));
    assert_eq!(float("mul.ftz.f32", &[-f32::MIN_POSITIVE, 0.5]), 0x8000_0000);
    assert_eq!(
        (float("add.rp.f32", &[1.0, 1.0e-30]), float("add.rz.f32", &[1.0, 1.0e-30])),
        (0x3f80_0001, 0x3f80_0000)
    );
    assert_eq!(float("add.sat.f32", &[f32::NAN, 1.0]), 0);
    assert_eq!(float("sub.f32", &[f32::INFINITY, f32::INFINITY]), 0x7fff_ffff);
    assert_eq!(
        float("fma.rn.f32", &[1.000_000_1, 1.000_000_1, -1.000_000_2]),
        1.000_000_1_f32.mul_add(1.000_000_1, -1.000_000_2).to_bits()
    );
    assert_eq!((float("min.f32", &[f32::NAN, 2.0]), float("max.f32", &[-0.0, 0.0])), (2.0_f32.to_bits(), 0));
    assert_eq!(
        (float("rcp.rn.f32", &[3.0]), float("sqrt.rn.f32", &[2.0])),
        ((1.0_f32 / 3.0).to_bits(), 2.0_f32.sqrt().to_bits())
    );
    assert_eq!(
        (float("ex2.approx.f32", &[3.0]), float("lg2.approx.f32", &[8.0])),
        (8.0_f32.to_bits(), 3.0_f32.to_bits())
    );
    assert_eq!((float("neg.f32", &[0.0]), float("copysign.f32", &[-1.0, 3.0])), (1 << 31, (-3.0_f32).to_bits()));
    let double = "mov.f64 %d1, 0d3FF0000000000000; fma.rn.f64 %d2, %d1, %d1, %d1; st.global.f64 [%rd0], %d2;";
    assert_eq!(first(double), 2.0_f64.to_bits());
}

#[test]
fn conversions_and_comparisons() {
    let convert = |suffix: &str, from: f32| {
        first(&format!("mov.f32 %f1, 0f{:08X}; cvt.{suffix}.f32 %r1, %f1; st.global.u32 [%rd0], %r1;", from.to_bits()))
    };
    assert_eq!(
        [convert("rni.s32", 2.5), convert("rzi.s32", -2.9), convert("rmi.s32", -2.1), convert("rpi.s32", 2.1)],
        [2, 0xffff_fffe, 0xffff_fffd, 3]
    );
    assert_eq!(
        [convert("rzi.s32", f32::NAN), convert("rzi.s32", 1.0e20), convert("rzi.u32", -5.0)],
        [0, 0x7fff_ffff, 0]
    );
    assert_eq!(convert("rzi.u8", 300.0), 255);
    assert_eq!(of32("cvt.s32.s8", &[0x80]), 0xffff_ff80);
    assert_eq!(of32("cvt.sat.u8.s32", &[0xffff_fff0]), 0);
    let up = "mov.b32 %r1, 16777217; cvt.rp.f32.u32 %f1, %r1; st.global.f32 [%rd0], %f1;";
    assert_eq!(first(up) as u32, 16_777_218.0_f32.to_bits());
    for (word, less, equal, nan) in
        [("lt", 1, 0, 0), ("ltu", 1, 0, 1), ("ne", 1, 0, 0), ("neu", 1, 0, 1), ("num", 1, 1, 0), ("nan", 0, 0, 1)]
    {
        let compare = |a: f32, b: f32| {
            let (a, b) = (a.to_bits(), b.to_bits());
            first(&format!(
                "setp.{word}.f32 %p1, 0f{a:08X}, 0f{b:08X}; selp.b32 %r1, 1, 0, %p1; st.global.u32 [%rd0], %r1;"
            ))
        };
        assert_eq!([compare(1.0, 2.0), compare(2.0, 2.0), compare(f32::NAN, 2.0)], [less, equal, nan], "{word}");
    }
    let joined = "setp.eq.s32 %p3, 0, 0; setp.lt.and.s32 %p1|%p2, 1, 2, !%p3; selp.b32 %r1, 2, 4, %p1; \
        selp.b32 %r2, 1, 0, %p2; add.s32 %r1, %r1, %r2; st.global.u32 [%rd0], %r1;";
    assert_eq!(first(joined), 4);
}

#[test]
fn memories() {
    // A load extends to its register; constants, shared and local memory lie apart; generic addresses reach each.
    assert_eq!(first("st.global.u8 [%rd0+9], 200; ld.global.s8 %r1, [%rd0+9]; st.global.u32 [%rd0], %r1;") as i32, -56);
    assert_eq!(first("ld.const.u32 %r1, [c+4]; st.global.u32 [%rd0], %r1;"), 9);
    let generic = "mov.u64 %rd1, tile; cvta.shared.u64 %rd2, %rd1; st.shared.u32 [tile+4], 77; ld.u32 %r1, [%rd2+4]; \
        isspacep.shared %p1, %rd2; selp.b32 %r2, %r1, 0, %p1; st.global.u32 [%rd0], %r2;";
    assert_eq!(first(generic), 77);
    assert_eq!(first("st.local.u32 [own+4], 5; ld.local.u32 %r1, [own+4]; st.global.u32 [%rd0], %r1;"), 5);
    assert_eq!(first("st.shared.u64 [dynamic], 6; ld.shared.u64 %rd1, [dynamic]; st.global.u64 [%rd0], %rd1;"), 6);
    assert_eq!(
        first("st.global.v2.u32 [%rd0], {3, 4}; ld.global.v2.u32 {%r1, _}, [%rd0]; st.global.u32 [%rd0+4], %r1;"),
        3 << 32 | 3
    );
    // Threads add in the order of their numbers.
    let order = "mov.u32 %r1, %tid.x; atom.global.exch.b32 %r2, [%rd0], %r1; st.global.u32 [%rd0+4], %r2;";
    let outcome = run(order, [4, 1, 1]).expect("runs");
    assert_eq!(outcome.buffers[0].as_ref().expect("a buffer").bits().next(), Some(2 << 32 | 3));
    // What is written before a barrier is seen behind it.
    let turn = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, tile; add.s64 %rd2, %rd2, %rd1; \
        st.shared.u32 [%rd2], %r1; bar.sync 0; xor.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, tile; \
        add.s64 %rd4, %rd4, %rd3; ld.shared.u32 %r3, [%rd4]; add.s64 %rd5, %rd0, %rd1; st.global.u32 [%rd5], %r3;";
    let outcome = run(turn, [4, 1, 1]).expect("runs");
    let bits: Vec<u64> = outcome.buffers[0].as_ref().expect("a buffer").bits().take(2).collect();
    assert_eq!(bits, [2 << 32 | 3, 1]);
}

#[test]
fn what_no_thread_may_do_is_told_with_thread_and_line() {
    let cases = [
        (
            "st.global.u32 [%rd0+64], 1;",
            "global address 0x10040, 4 bytes: in no buffer; the one below, argument 0, has 64",
        ),
        ("st.global.u32 [%rd0+2], 1;", "global address 0x10002: must be a multiple of 4"),
        ("ld.global.u32 %r1, [0];", "in no buffer, below all of them"),
        ("mov.u64 %rd1, tile; ld.shared.u32 %r1, [%rd1+64];", "shared address 0x40, 4 bytes: there are 24"),
        ("add.s32 %r1, %r2, 1;", "%r2 is read before it is written"),
        ("L: bra L;", "10000 instructions have not been enough"),
        ("trap;", "the kernel stops here by itself"),
        ("mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 1;", "const memory cannot be written"),
    ];
    for (lines, expected) in cases {
        let error = run(lines, [1; 3]).expect_err(lines).to_string();
        assert!(error.starts_with("k.ptx, line 9: block (0, 0, 0), thread (0, 0, 0): `"), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    let error =
        run("mov.u32 %r1, %tid.y; setp.eq.u32 %p1, %r1, 1; @%p1 trap;", [2, 2, 1]).expect_err("trap").to_string();
    assert!(error.contains("thread (0, 1, 0)"), "{error}");
    // Ended threads are not waited for; threads at another barrier are an error.
    assert!(run("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 1; @%p1 ret; bar.sync 0;", [4, 1, 1]).is_ok());
    let apart = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 1; @%p1 bra L;\nbar.sync 0;\nret; L: bar.sync 0;";
    let error = run(apart, [4, 1, 1]).expect_err("apart").to_string();
    let expected = "line 11: block (0, 0, 0), thread (1, 0, 0): waits at this barrier, and others of its block at the \
        one of line 10";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn launches_are_checked() {
    let module = common::module("vecadd.ptx");
    let arguments = ["zero:f32:4", "zero:f32:4", "zero:f32:4", "s32:4"];
    let plan = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|text| text.parse().expect("an argument")).collect();
        Plan { arguments, block: [4, 1, 1], ..Plan::new("vecadd") }
    };
    let params = DualityParams::preset("cb").expect("a preset");
    let words = |plan: &Plan| plan.words(&module, &Words::new(&params)).expect_err("refused").to_string();
    let fails = |plan: Plan| {
        let errors = [plan.interpret(&module, &mut |_, _| ()).expect_err("refused").to_string(), words(&plan)];
        assert_eq!(errors[0], errors[1]);
        errors[0].clone()
    };
    assert!(plan(&arguments).interpret(&module, &mut |_, _| ()).is_ok());
    let cases = [
        (Plan { kernel: "add".into(), ..plan(&arguments) }, "kernel = add: must be a kernel of vecadd.ptx: vecadd"),
        (
            Plan { block: [64, 32, 1], ..plan(&arguments) },
            "block = 64,32,1: 2048 threads: a block must have from 1 to 1024",
        ),
        (Plan { block: [0, 1, 1], ..plan(&arguments) }, "block = 0,1,1: 0 threads"),
        (Plan { grid: [0, 1, 1], ..plan(&arguments) }, "grid = 0,1,1: must be from 1 to 2147483648 blocks"),
        (Plan { grid: [u32::MAX; 3], ..plan(&arguments) }, "grid = 4294967295,4294967295,4294967295: must be"),
        (
            Plan { shared: 1 << 20, ..plan(&arguments) },
            "shared = 1048576: bytes with the kernel's own: must be at most 49152",
        ),
        (plan(&arguments[..3]), "number of arguments = 3: vecadd takes 4"),
        (
            plan(&["s32:1", "zero:f32:4", "zero:f32:4", "f32:4"]),
            "argument 3 (vecadd_param_3) = f32:4: vecadd takes a .u32 here",
        ),
        (
            plan(&["s64:1", "zero:f32:4", "zero:f32:4", "s32:4"]),
            "argument 0 (vecadd_param_0) = s64:1: vecadd takes a .u32 here",
        ),
    ];
    for (plan, expected) in cases {
        let error = fails(plan);
        assert!(error.contains(expected), "{error}");
    }
}
