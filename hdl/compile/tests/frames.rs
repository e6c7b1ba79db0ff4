//! Local memory at places that are computed: words find it in shared memory, and leave what plain numbers say.

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::ast::Module;
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

/// Each thread counts its eight numbers by their lowest three bits, in 32-bit counters by a local address or a generic
/// one, and notes the last of each kind in bytes; then stores the sums over both. A word of shared memory of the
/// kernel's own lies before them.
fn counts(pointers: u32) -> Module {
    let wide = pointers == 64;
    let (p, cvt) = (format!("u{pointers}"), if wide { "cvt.u64.u32" } else { "mov.u32" });
    let text = format!(
        ".version 6.0\n.target sm_50\n.address_size {pointers}\n\
         .visible .entry k(.param .{p} in, .param .{p} out)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b{pointers} %a<40>;\n\
         .shared .align 4 .b8 own[4]; .local .align 8 .b8 kinds[32]; .local .align 1 .b8 last[8];\n\
         mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n\
         mov.u32 %r4, %ntid.y; mul.lo.u32 %r4, %r4, %r2; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r1, %r5, %r4, %r1;\n\
         shl.b32 %r6, %r1, 5; {cvt} %a1, %r6; ld.param.{p} %a2, [in]; add.{p} %a2, %a2, %a1;\n\
         mov.{p} %a3, kinds; cvta.local.{p} %a4, %a3; mov.{p} %a5, last;\n\
         st.local.v2.u32 [kinds], {{0, 0}}; st.local.v2.u32 [kinds+8], {{0, 0}};\n\
         st.local.v2.u32 [kinds+16], {{0, 0}};\n\
         st.local.v2.u32 [kinds+24], {{0, 0}}; st.local.u8 [%a5], 0; st.local.u8 [last+1], 1;\n\
         st.local.u16 [last+2], 2;\n\
         st.local.u32 [last+4], 16909060; st.shared.u32 [own], 77; mov.u32 %r10, 0;\n\
         again: ld.global.u32 %r11, [%a2]; and.b32 %r12, %r11, 7; shl.b32 %r13, %r12, 2;\n\
         {cvt} %a6, %r13; {cvt} %a7, %r12; add.{p} %a8, %a3, %a6; add.{p} %a9, %a4, %a6; add.{p} %a10, %a5, %a7;\n\
         setp.lt.u32 %p1, %r12, 4; @%p1 bra low; ld.u32 %r14, [%a9]; add.u32 %r14, %r14, 1; st.u32 [%a9], %r14;\n\
         bra on; low: ld.local.u32 %r14, [%a8]; add.u32 %r14, %r14, 16; st.local.u32 [%a8], %r14;\n\
         on: st.local.u8 [%a10], %r11; add.{p} %a2, %a2, 4; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 8;\n\
         @%p2 bra again; mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r10, 0;\n\
         sum: shl.b32 %r13, %r10, 2; {cvt} %a6, %r13; {cvt} %a7, %r10; add.{p} %a8, %a3, %a6; add.{p} %a10, %a5, %a7;\n\
         ld.local.u32 %r14, [%a8]; mad.lo.u32 %r20, %r14, %r13, %r20; ld.local.u8 %r15, [%a10];\n\
         mad.lo.u32 %r21, %r15, %r13, %r21; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 8; @%p2 bra sum;\n\
         ld.shared.u32 %r22, [own]; add.u32 %r20, %r20, %r22; shl.b32 %r23, %r1, 3; {cvt} %a11, %r23;\n\
         ld.param.{p} %a12, [out]; add.{p} %a12, %a12, %a11; st.global.v2.u32 [%a12], {{%r20, %r21}}; ret;\n}}\n"
    );
    parse("frames.ptx", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// What plain numbers say of a thread's eight.
fn expected(numbers: &[u64]) -> [u64; 2] {
    let (mut kinds, mut last) = ([0_u64; 8], [0, 1, 2, 0, 4, 3, 2, 1]);
    for &number in numbers {
        let kind = (number & 7) as usize;
        kinds[kind] += if kind < 4 { 16 } else { 1 };
        last[kind] = number & 255;
    }
    let sum = |values: &[u64; 8]| values.iter().zip(0..).map(|(value, at)| value * 4 * at).sum::<u64>();
    [sum(&kinds) + 77, sum(&last)]
}

fn plan(block: [u32; 3], seed: u64) -> (Plan, Vec<u64>) {
    let threads = 2 * block.iter().product::<u32>() as u64;
    let element = "u32".parse().expect("a type");
    let numbers = Buffer::random(element, 8 * threads, seed, None).expect("numbers");
    let expected = numbers.bits().collect::<Vec<u64>>().chunks(8).flat_map(expected).collect();
    let out = format!("zero:u32:{}", 2 * threads).parse().expect("an argument");
    (Plan { grid: [2, 1, 1], block, arguments: vec![Argument::Buffer(numbers), out], ..Plan::new("k") }, expected)
}

fn out(buffers: &[Option<Buffer>]) -> Vec<u64> {
    buffers[1].as_ref().expect("a buffer").bits().collect()
}

#[test]
fn computed_places_are_found() {
    let params = DualityParams { rows: 512, columns: 32, ..DualityParams::preset("tiny").expect("a preset") };
    for (block, seed) in [([32, 1, 1], 1), ([5, 3, 1], 2), ([1, 7, 1], 3)] {
        let (plan, expected) = plan(block, seed);
        for module in [counts(32), counts(64)] {
            let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(out(&interpreted.buffers), expected, "{block:?}, interpreter");
            for (simple, general) in [(false, false), (true, false), (false, true)] {
                let words = Words { checked: true, tries: 2, simple, general, ..Words::new(&params) };
                let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(out(&ran.buffers), expected, "{block:?}, simple {simple}, general {general}");
                assert_eq!(ran.compiled.frame, 48);
            }
        }
    }
}

#[test]
fn frames_that_shared_memory_has_no_room_for_are_refused() {
    let text = ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out)\n{\n\
                .reg .b32 %r<9>; .local .align 4 .b8 v[6000]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2;\n\
                mov.u32 %r2, v; add.u32 %r2, %r2, %r1; st.local.u32 [%r2], %r1; ret;\n}\n";
    let module = parse("large.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let params = DualityParams::preset("small").expect("a preset");
    let plan = |threads| {
        let arguments = vec!["zero:u32:1".parse().expect("an argument")];
        Plan { block: [threads, 1, 1], arguments, ..Plan::new("k") }
    };
    plan(8).words(&module, &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
    let error = plan(9).words(&module, &Words::new(&params)).expect_err("more than there is").to_string();
    let said = "block = 9: threads, of which each has 6000 bytes of local memory, take 54000 bytes of shared memory \
                with all else there: must be at most 49152; use smaller blocks or arrays";
    assert_eq!(error, said);
}

/// Variables begin at multiples of what they ask for, whatever lies before them.
#[test]
fn variables_are_aligned() {
    let params = DualityParams { rows: 512, ..DualityParams::preset("tiny").expect("a preset") };
    for align in [4, 16, 32, 64, 256, 2048] {
        let text = format!(
            ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out)\n{{\n\
             .reg .b32 %r<9>; .shared .align 4 .b8 own[4]; .local .align 4 .b8 w[4]; .local .align {align} .b8 v[68];\n\
             mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; ld.param.u32 %r3, [out]; add.u32 %r3, %r3, %r2;\n\
             mov.u32 %r4, v; add.u32 %r5, %r4, %r2; st.local.u32 [%r5], %r1; mov.u32 %r6, w;\n\
             st.shared.u32 [own], %r6;\n\
             st.local.u32 [%r6], 5; ld.local.u32 %r7, [%r5]; and.b32 %r4, %r4, {}; shl.b32 %r4, %r4, 8;\n\
             or.b32 %r7, %r7, %r4; st.global.u32 [%r3], %r7; ret;\n}}\n",
            align - 1
        );
        let module = parse("aligned.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let arguments = vec!["zero:u32:6".parse().expect("an argument")];
        let plan = Plan { block: [6, 1, 1], arguments, ..Plan::new("k") };
        let ran = plan.words(&module, &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
        let left: Vec<u64> = ran.buffers[0].as_ref().expect("a buffer").bits().collect();
        assert_eq!(left, [0, 1, 2, 3, 4, 5], "{align}");
    }
}

/// Constants without end are refused before there is memory for them.
#[test]
fn more_constants_than_there_may_be() {
    let constants: String = (0..9).map(|at| format!(".const .align 4 .b8 c{at}[268435456];\n")).collect();
    let text = format!(".version 6.0\n.target sm_50\n.address_size 32\n{constants}.visible .entry k()\n{{\nret;\n}}\n");
    let module = parse("constants.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let params = DualityParams::preset("tiny").expect("a preset");
    let said = "constant memory = 2415919104: bytes: must be at most 65536";
    let plan = Plan::new("k");
    assert_eq!(plan.words(&module, &Words::new(&params)).expect_err("too many").to_string(), said);
    assert_eq!(plan.interpret(&module, &mut |_, _| ()).map(drop).expect_err("too many").to_string(), said);
}
