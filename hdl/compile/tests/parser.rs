//! The parser on whole files: the examples, text printed and read again, and every kind of error with its place.

use crate::common;
use bitline_compile::ptx::parse;
use pretty_assertions::assert_eq;

#[test]
fn examples_are_read_and_printed_and_read_again() {
    let texts = common::texts();
    assert!(texts.len() >= 11, "{} files", texts.len());
    for (name, text) in texts {
        let module = parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        assert!(!module.kernels.is_empty(), "{name}");
        let printed = module.to_string();
        let again = parse("printed", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again.without_places(), module.without_places(), "{name}");
    }
}

/// A kernel around these lines; the first of them is line 9.
fn kernel(lines: &str) -> String {
    format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 a, .param .align 4 .b8 s[12])\n\
         {{\n.reg .pred %p<4>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n.reg .f32 %f<9>; \
         .reg .f64 %d<9>;\n.shared .align 4 .b8 tile[64];\n{lines}\nret;\n}}\n"
    )
}

#[test]
fn what_is_legal_is_read() {
    let lines = [
        "mov.pred %p1, -1;",
        "add.rn.ftz.f32 %f1, %f2, 0f3F800000;",
        "fma.rn.f64 %d1, %d2, %d3, 0d3FF0000000000000;",
        "fma.rn.ftz.sat.f16 %rs1, %rs2, %rs3, %rs4; setp.num.and.ftz.f16 %p1|%p2, %rs1, %rs2, %p3; neg.f16 %rs1, %rs1;",
        "ld.param.u8 %rs1, [s+11];",
        "ld.global.s16 %r1, [%r2+-4];",
        "ld.shared.v2.f32 {%f1, _}, [tile+8];",
        "st.global.v4.u32 [%r1], {%r2, %r3, 5, %r4};",
        "@!%p1 bra.uni L; L:",
        "atom.global.add.u32 _, [%r1], 1;",
        "setp.lt.and.u32 %p1|%p2, %r1, 4294967295, !%p3;",
        "mov.u32 %r1, tile; mov.u32 %r2, tile+4;",
        "mov.b64 %rd1, {%r1, %r2}; mov.b32 {%rs1, %rs2}, %r1;",
        "mul.wide.s32 %rd1, %r1, -3; mad.wide.u16 %r1, %rs1, 7, %r2;",
        "cvta.shared.u32 %r1, tile; cvta.to.global.u32 %r1, %r2;",
        "selp.f32 %f1, %f2, 0f00000000, %p1; slct.f32.s32 %f1, %f2, 0f3F800000, %r1;",
        "cvt.rni.sat.u8.f32 %r1, %f1; cvt.u32.u16 %r1, %rs1; cvt.rn.f32.s64 %f1, %rd1;",
        "mov.u32 %r1, %tid.x; add.u32 %r1, %ctaid.z, 1;",
        "bar.sync 0; barrier.sync.aligned 0; membar.gl; fence.acq_rel.gpu;",
        "lop3.b32 %r1, %r2, %r3, %r4, 0x1E; shf.l.wrap.b32 %r1, %r2, %r3, 7;",
        "add.cc.u32 %r1, %r2, %r3; addc.cc.s64 %rd1, %rd2, -1; madc.hi.cc.u32 %r1, %r2, %r3, 0; subc.u32 %r1, %r2, 1;",
        "dp4a.s32.u32 %r1, %r2, %r3, %r4; dp2a.hi.u32.s32 %r1, %r2, %r3, 0; fns.b32 %r1, %r2, 0, -1;",
        "szext.wrap.s32 %r1, %r2, 5; bmsk.clamp.b32 %r1, 3, %r2; lop3.and.b32 _|%p1, %r1, %r2, %r3, 150, !%p2;",
        "bar.red.popc.u32 %r1, 0, !%p1; barrier.cta.red.or.aligned.pred %p1, 0, %p1;",
        ".reg .f16 %h<3>; .reg .f16x2 %hh<3>; mov.b32 {%h1, %h2}, %hh1; fma.rn.relu.f16x2 %hh1, %hh2, %r1, %hh1;",
        "setp.lt.ftz.f16x2 %p1|%p2, %r1, %r2; set.gt.u32.bf16x2 %r1, %r2, %r3; cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
        "atom.global.add.noftz.f16x2 %r1, [%r2], %r3; red.shared.add.noftz.bf16 [tile], %rs1;",
        "add.rz.f64 %d1, %d2, %d3; rcp.rp.f64 %d1, %d2; rsqrt.approx.f64 %d1, %d2; tanh.approx.bf16x2 %r1, %r2;",
        "testp.finite.f32 %p1, %f1; isspacep.shared %p1, %r1; ldu.global.u32 %r1, [%r2];",
        "{ .reg .b32 %r<3>, t; mov.b32 t, %r1; { .reg .b64 t; mov.b64 t, 5; } mov.b32 %r2, t; } mov.b32 %r1, %r2;",
        ".loc 1 7 3\nadd.s32 %r1, %r2, %r3; .pragma \"nounroll\";",
    ];
    for line in lines {
        let module = parse("k.ptx", &kernel(line)).unwrap_or_else(|error| panic!("{line}\n{error}"));
        let printed = module.to_string();
        let again = parse("printed", &printed).unwrap_or_else(|error| panic!("{line}\n{error}\n{printed}"));
        assert_eq!(again.without_places(), module.without_places(), "{line}");
    }
}

#[test]
fn errors_have_a_place_and_say_what_to_do() {
    let cases = [
        ("add.s32 %r1, %r2;", "column 17: found ;, expected , and another operand of `add.s32`"),
        ("add.s32 %r1, %r2, %r3, %r4;", "column 22: `add.s32`: too many operands"),
        ("add.s32 %r1, %r2, %r77;", "column 19: %r77 is not declared in k"),
        ("add.s32 %r1, %r2, %f1;", "column 19: `add.s32`: %f1 is .f32, where .s32 is expected"),
        ("add.s32 %r1, %r2, %rs1;", "column 19: `add.s32`: %rs1 is .b16, where .s32 is expected"),
        ("and.b16 %rs1, %rs2, 65536;", "column 21: 65536: must be from -32768 to 65535 to have .b16"),
        ("add.rn.f32 %f1, %f2, 1;", "column 22: expected a constant of .f32, such as 1.5 or its bits, 0f3FC00000"),
        ("add.rn.f32 %f1, %f2, 0d3FF0000000000000;", "column 22: 0d3FF0000000000000: a float of 64 bits, where .f32"),
        ("frob.s32 %r1, %r2;", "column 1: `frob` is no instruction of PTX ISA 8.7"),
        ("add.rn.f32x2 %rd1, %rd2, %rd3;", "column 1: `add.rn.f32x2` is refused: two numbers in a register"),
        ("add.rn.f16x2 %r1, %r2, %f1;", "column 24: `add.rn.f16x2`: %f1 is .f32, where .f16x2 is expected"),
        ("setp.lt.f16x2 %p1, %r1, %r2;", "column 18: `setp.lt.f16x2` writes a predicate for each half: expected |"),
        (
            "bar.arrive 0, 64;",
            "column 1: `bar.arrive` is refused: threads run in step and meet at a barrier all together",
        ),
        ("bar.red.popc.u32 %r1, 0, 64, %p1;", "column 26: `bar.red.popc.u32`: found 64, expected a register"),
        ("mov.b128 %rd1, %rd2;", "column 1: `mov.b128` is refused: needs sm_70 and assembly by hand"),
        ("rsqrt.approx.ftz.f64 %d1, %d2;", "column 1: `rsqrt.approx.ftz.f64` is refused: a rougher function"),
        ("ld.global.f16 %rs1, [%r1];", "column 1: `ld.global.f16` is refused: memory has no such types"),
        ("lop3.or.b32 %r1, %r2, %r3, %r4, 1, %p1;", "column 16: found ,, expected | and a predicate"),
        ("add.cc.s16 %rs1, %rs2, %rs3;", "column 1: `add.cc.s16` has no suffix of `add sat? s32` or"),
        ("add.rz.f16 %rs1, %rs2, %rs3;", "column 1: `add.rz.f16` has no suffix of `add sat? s32` or"),
        ("add.f16 %rs1, %rs2, 0.5;", "column 21: 16-bit floats have no constants; move their bits by mov.b16"),
        ("call.uni f;", "column 10: `call.uni`: f is not declared; a function stands before its calls"),
        ("tex.2d.v4.f32.s32 {%f1}, [t];", "column 1: `tex.2d.v4.f32.s32` is refused: there are no textures; read"),
        ("shfl.idx.b32 %r1, %r2, 0, 31;", "column 1: `shfl.idx.b32` is refused: who takes part must be said"),
        ("match.any.b32 %r1, %r2;", "column 1: `match.any.b32` has no suffix of `match any sync b32|b64` or"),
        ("activemask.b32 %r1;", "column 1: `activemask.b32` is refused: threads of a warp may be anywhere"),
        ("brx.idx %r1, t;", "-fno-jump-tables"),
        ("mov.u32 %r1, %warpid;", "column 14: %warpid is not there yet; use %laneid"),
        ("mov.u32 %r1, %tid;", "column 14: %tid: must be followed by .x, .y or .z"),
        ("mov.u32 %r1, %clock;", "column 14: %clock is refused"),
        ("bra nowhere;", "column 5: the label nowhere has no place in k"),
        ("L: L: ret;", "column 4: the label L stands twice"),
        ("bar.sync 1;", "column 10: barrier 1: there is barrier 0 only"),
        ("bar.sync 0, 64;", "column 11: `bar.sync`: a part of a block at a barrier is refused"),
        ("ld.global.u32 %r1, [%rd1];", "column 21: `ld.global.u32`: %rd1 is .b64, where .u32 is expected"),
        ("ld.global.u32 %r1, [tile];", "column 21: `ld.global.u32`: tile lies in .shared"),
        ("ld.param.u32 %r1, [s+12];", "column 20: s+12: 4 bytes are not all in its 12"),
        ("ld.param.u32 %r1, [s+2];", "column 20: s+2: must be aligned to 4"),
        ("ld.param.u32 %r1, [8];", "column 20: `ld.param.u32`: parameters have no such address"),
        ("st.param.u32 [%r1], 5;", "column 1: `st.param.u32`: a parameter is read only"),
        ("setp.lt.s32 %p1|%p1, %r1, 0;", "column 17: `setp.lt.s32` writes a predicate twice"),
        ("ld.global.v2.u32 {%r1, %r1}, [%r2];", "column 24: a vector writes a register twice"),
        ("ld.global.v2.u32 {%r1}, [%r2];", "column 22: `ld.global.v2.u32`: 1 parts, must be 2"),
        ("mov.b64 {%r1, %r2, %r3}, %rd1;", "column 9: `mov.b64`: 3 parts of 32 bits are not 64"),
        ("lop3.b32 %r1, %r2, %r3, %r4, 256;", "column 1: `lop3.b32`: the table must be a constant from 0 to 255"),
        ("setp.lt.b32 %p1, %r1, %r2;", "column 1: `setp.lt.b32`: bits are equal or not"),
        ("setp.lo.s32 %p1, %r1, %r2;", "column 1: `setp.lo.s32`: lo, ls, hi and hs compare unsigned numbers"),
        ("{ .reg .b32 t; } mov.b32 t, 1;", "column 26: t is not declared in k"),
        (".reg .b32 %r<3>;", "column 11: the register %r is declared twice"),
        (".reg .e4m3 %h<3>;", "column 6: .e4m3: registers have no such type"),
        (".local .align 3 .b8 l[4];", "column 15: align 3: must be a power of two up to 4096"),
        (".shared .b32 x[] ;", "x[]: only .extern .shared memory gets its size from the launch"),
        (".shared .b32 x[999999999999];", "x: must have at most 268435456 bytes"),
        ("add.s32 %r1, %r2, 99999999999999999999;", "must be a whole number of at most 64 bits"),
    ];
    for (line, expected) in cases {
        let error = parse("k.ptx", &kernel(line)).expect_err(line).to_string();
        let place = error.strip_prefix("k.ptx, line 9, ").unwrap_or_else(|| panic!("{line}: {error}"));
        assert!(place.contains(expected), "{line}\n{error}\n{expected}");
    }
}

#[test]
fn heads_of_files_are_checked() {
    let cases = [
        ("", "line 1, column 1: a module begins with .version, .target and .address_size; .version is missing"),
        (".version 4.2\n.target sm_50\n.visible .entry k() { ret; }", ".address_size (32 or 64) is missing"),
        (".version 4.2 .version 4.2", "line 1, column 14: .version stands twice"),
        (".version 4.2\n.target sm_50\n.address_size 16", "line 3, column 15: address_size 16: must be 32 or 64"),
        (".version 4.2\n.target gfx900", "line 2, column 9: target gfx900: must be an architecture such as sm_50"),
        (".version 4.2\n.target sm_5x", "line 2, column 9: target sm_5x: must be an architecture such as sm_50"),
        (".version 4.2\n.target sm_50, sm_1234", "line 2, column 16: target sm_1234: must be an architecture"),
    ];
    for (text, expected) in cases {
        let error = parse("k.ptx", text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n{error}");
    }
    let head = ".version 4.2\n.target sm_50\n.address_size 64\n";
    let cases = [
        (".func () { ret; }", "found {, expected a function's name"),
        (".extern .entry k();", "a kernel that is elsewhere cannot run"),
        (".visible .entry k() { ret; } .visible .entry k() { ret; }", "the kernel k stands twice"),
        (".visible .entry k() { ret;", "the text ends before k does"),
        (".func f() { ret;", "the text ends before f does"),
        (".visible .entry k() .maxntid 0x1ffffffff { ret; }", "must be at most 4294967295"),
        (".global .u32 a; .global .u32 a;", "the variable a stands twice"),
        (".global .u8 a[2] = {1, 2, 3};", "has more values than elements"),
        (".global .u32 p = k;", "addresses in variables"),
        (".shared .u32 s = 4;", "memory holds nothing at first"),
        (".visible .entry k(.param .pred p) { ret; }", "memory holds no .pred"),
        (".tex .u32 t;", ".tex: expected .entry, .func, or a variable"),
    ];
    for (text, expected) in cases {
        let error = parse("k.ptx", &format!("{head}{text}")).expect_err(text).to_string();
        assert!(error.contains(expected) && error.contains("line 4"), "{text}\n{error}");
    }
}

#[test]
fn variables_hold_what_is_written() {
    let text = ".version 7.8\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n\
        .const .align 8 .f32 c[3] = {0f3F800000, 2.5};\n.global .align 2 .u16 t[2][2] = {{1, 2}, {3, -1}};\n\
        .extern .shared .align 16 .b8 dynamic[];\n.section .debug_x { .b8 1 }\n";
    let module = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let [c, t, dynamic] = &module.variables[..] else { panic!("{:?}", module.variables) };
    assert_eq!((c.bytes(), c.align, &c.initial[..]), (12, 8, &[0, 0, 128, 63, 0, 0, 32, 64][..]));
    assert_eq!((t.count, &t.initial[..]), (Some(4), &[1, 0, 2, 0, 3, 0, 255, 255][..]));
    assert_eq!((dynamic.count, dynamic.align), (None, 16));
    let again = parse("printed", &module.to_string()).unwrap_or_else(|error| panic!("{error}\n{module}"));
    assert_eq!(again.without_places(), module.without_places());
}
