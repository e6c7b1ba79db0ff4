//! Two loops that share their beginning, as clang makes of `continue`: threads that go the short way meet those that go
//! the long way only where all of them begin again.

use bitline_compile::launch::Plan;
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
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
    }
}
