//! Two loops that share their beginning, as clang makes of `continue`: threads that go the short way meet those that go
//! the long way only where all of them begin again.

use bitline_compile::launch::Plan;
use bitline_compile::ptx::parse;
use bitline_compile::words::{Ran, Rule, Words};
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

const TEXT: &str = ".version 6.0
.target sm_50
.address_size 32
.visible .entry k(.param .u32 out, .param .u32 n)
{
.reg .pred %p<4>; .reg .b32 %r<12>;
ld.param.u32 %r1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r3, %tid.x; mov.u32 %r4, -1; mov.u32 %r5, 0;
OUTER: mad.lo.u32 %r5, %r5, 3, 1;
INNER: add.s32 %r4, %r4, 1; setp.ge.u32 %p1, %r4, %r2; @%p1 bra DONE;
add.u32 %r6, %r4, %r3; and.b32 %r6, %r6, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra LATCH;
mad.lo.u32 %r5, %r5, 5, 2; mul.lo.u32 %r7, %r4, %r3; and.b32 %r7, %r7, 2; setp.ne.u32 %p3, %r7, 0; @%p3 bra INNER;
mad.lo.u32 %r5, %r5, 7, 3;
LATCH: mad.lo.u32 %r5, %r5, 11, 4; bra OUTER;
DONE: shl.b32 %r8, %r3, 2; add.u32 %r8, %r8, %r1; st.global.u32 [%r8], %r5; ret;
}
";

/// What a thread leaves, by plain numbers.
fn expected(thread: u32, n: u32) -> u64 {
    let (mut i, mut sum) = (u32::MAX, 0_u32);
    let step = |sum: u32, by: u32, more: u32| sum.wrapping_mul(by).wrapping_add(more);
    'outer: loop {
        sum = step(sum, 3, 1);
        loop {
            i = i.wrapping_add(1);
            if i >= n {
                return sum.into();
            }
            if (i + thread) & 1 != 0 {
                sum = step(sum, 5, 2);
                if i.wrapping_mul(thread) & 2 != 0 {
                    continue;
                }
                sum = step(sum, 7, 3);
            }
            sum = step(sum, 11, 4);
            continue 'outer;
        }
    }
}

/// A loop that begins where the kernel does, which threads leave one after the other: all of them begin it.
#[test]
fn a_loop_at_the_beginning() {
    let params = DualityParams::preset("tiny").expect("a preset");
    for first in ["", "mov.u32 %r9, 0;"] {
        let text = format!(
            ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out)\n{{\n\
             .reg .pred %p<2>; .reg .b32 %r<10>;\n{first}\n\
             L: ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; add.u32 %r1, %r1, %r3;\n\
             ld.global.u32 %r4, [%r1]; add.u32 %r4, %r4, %r2; add.u32 %r4, %r4, 1; st.global.u32 [%r1], %r4;\n\
             setp.lt.u32 %p1, %r4, 50; @%p1 bra L; ret;\n}}\n"
        );
        let module = parse("begin.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let arguments = vec!["zero:u32:8".parse().expect("an argument")];
        let plan = Plan { block: [8, 1, 1], arguments, ..Plan::new("k") };
        // The first multiple of what a thread adds that is not below 50.
        let expected: Vec<u64> = (1..=8_u64).map(|step| 50_u64.next_multiple_of(step)).collect();
        for simple in [false, true] {
            let words = Words { checked: true, simple, ..Words::new(&params) };
            let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
            let left: Vec<u64> = ran.buffers[0].as_ref().expect("a buffer").bits().collect();
            assert_eq!(left, expected, "{first} {simple}");
        }
    }
}

#[test]
fn loops_with_one_beginning() {
    let module = parse("meets.ptx", TEXT).unwrap_or_else(|error| panic!("{error}"));
    let params = DualityParams { rows: 512, ring: 128, ..DualityParams::preset("tiny").expect("a preset") };
    for n in [0, 1, 9] {
        let arguments = ["zero:u32:8".to_string(), format!("u32:{n}")];
        let arguments = arguments.iter().map(|text| text.parse().expect("an argument")).collect();
        let plan = Plan { block: [8, 1, 1], arguments, ..Plan::new("k") };
        let expected: Vec<u64> = (0..8).map(|thread| expected(thread, n)).collect();
        for arrays in [1, 2, 4] {
            let words = Words { checked: true, arrays: Some(arrays), ..Words::new(&params) };
            let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
            let left: Vec<u64> = ran.buffers[0].as_ref().expect("a buffer").bits().collect();
            assert_eq!(left, expected, "n {n}, {arrays} arrays");
        }
        if n == 9 {
            // Without the masks that it needs it goes wrong.
            let words = Words { without: Some(Rule::Beginnings), arrays: Some(1), ..Words::new(&params) };
            let ran = Plan { limit: 100_000, ..plan }.words(&module, &words);
            let left = |ran: &Ran| ran.buffers[0].as_ref().expect("a buffer").bits().collect::<Vec<u64>>();
            assert!(ran.is_err() || ran.is_ok_and(|ran| left(&ran) != expected));
        }
    }
}
