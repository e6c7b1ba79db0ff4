//! Parts of kernels that only some threads run, in which all of these go the same way: they jump, and have words for
//! masks at the beginning alone.

use bitline_compile::launch::Plan;
use bitline_compile::ptx::parse;
use bitline_compile::words::{Ran, Rule, Words};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Kind;
use pretty_assertions::assert_eq;

/// Behind a guard, two loops in each other with a branch in them, on numbers that are the same for all threads.
const GUARDED: &str = "setp.ge.u32 %p1, %r3, 6; @%p1 bra DONE;
mov.u32 %r4, 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra STORE;
OUTER: mad.lo.u32 %r5, %r5, 3, 1; mov.u32 %r6, 0;
INNER: setp.ge.u32 %p2, %r6, %r4; @%p2 bra LATCH;
and.b32 %r7, %r6, 1; setp.eq.u32 %p3, %r7, 0; @%p3 bra EVEN;
mad.lo.u32 %r5, %r5, 5, 2; bra BOTH;
EVEN: add.u32 %r5, %r5, 7;
BOTH: add.u32 %r6, %r6, 1; bra INNER;
LATCH: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r2; @%p2 bra OUTER;
STORE: mad.lo.u32 %r5, %r5, 2, 1;
DONE: ";

/// A thread goes through the outer loop as often as its number says, and leaves the inner one early if its number is
/// odd: some wait while others run the loop behind it, whose turns are the same for all.
const SEVERAL: &str = "mov.u32 %r4, 0;
OUTER: mov.u32 %r6, 0;
INNER: add.u32 %r6, %r6, 1; mad.lo.u32 %r5, %r5, 3, %r6;
and.b32 %r7, %r3, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra SAME;
setp.lt.u32 %p2, %r6, %r2; @%p2 bra INNER;
SAME: @%p1 bra ODD; add.u32 %r5, %r5, 1; bra BOTH;
ODD: add.u32 %r5, %r5, 2;
BOTH: mov.u32 %r8, 0;
TURN: mad.lo.u32 %r5, %r5, 5, %r8; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r2; @%p3 bra TURN;
add.u32 %r5, %r5, %r8;
add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r3; @%p1 bra OUTER;
";

/// What runs behind the guarded loop is not the next block: the others of the outer branch are between.
const BETWEEN: &str = "setp.eq.u32 %p1, %r2, 0; @%p1 bra SIX;
and.b32 %r6, %r3, 4; setp.eq.u32 %p2, %r6, 0; @%p2 bra SEVEN;
mov.u32 %r4, 0; mad.lo.u32 %r5, %r5, 3, 3;
LOOP: mad.lo.u32 %r5, %r5, 3, 9; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra LOOP;
bra SEVEN;
SIX: add.u32 %r5, %r5, 7;
SEVEN: ";

/// Only some threads come to where all that do leave an endless loop.
const ENDLESS: &str = "L: and.b32 %r6, %r5, 4; setp.eq.u32 %p1, %r6, 0; @%p1 bra B;
add.u32 %r5, %r5, 16; setp.lt.u32 %p2, %r2, 6; @%p2 bra DONE;
B: add.u32 %r5, %r5, 1; bra L;
DONE: ";

/// What a thread leaves, by its number and n.
type Expected = fn(u32, u32) -> u64;

fn between(thread: u32, n: u32) -> u64 {
    match (n, thread & 4) {
        (0, _) => (thread + 7).into(),
        (_, 0) => thread.into(),
        _ => (0..3).fold(thread * 3 + 3, |sum, _| sum * 3 + 9).into(),
    }
}

fn endless(thread: u32, _: u32) -> u64 {
    (thread.max(4) + 16).into()
}

fn guarded(thread: u32, n: u32) -> u64 {
    let mut sum = thread;
    if thread < 6 {
        for i in 0..n {
            sum = sum.wrapping_mul(3).wrapping_add(1);
            for k in 0..i {
                sum = if k % 2 == 1 { sum.wrapping_mul(5).wrapping_add(2) } else { sum.wrapping_add(7) };
            }
        }
        sum = sum.wrapping_mul(2).wrapping_add(1);
    }
    sum.into()
}

fn several(thread: u32, n: u32) -> u64 {
    let mut sum = thread;
    for _ in 0..=thread {
        for k in 1..=if thread % 2 == 1 { 1 } else { n.max(1) } {
            sum = sum.wrapping_mul(3).wrapping_add(k);
        }
        sum = sum.wrapping_add(1 + thread % 2);
        for k in 0..n.max(1) {
            sum = sum.wrapping_mul(5).wrapping_add(k);
        }
        sum = sum.wrapping_add(n.max(1));
    }
    sum.into()
}

fn run(body: &str, n: u32, words: &Words<'_>) -> bitline_compile::error::Result<Ran> {
    let text = format!(
        ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out, .param .u32 n)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<12>;\n\
         ld.param.u32 %r1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r3, %tid.x; mov.u32 %r5, %r3;\n{body}\
         shl.b32 %r9, %r3, 2; add.u32 %r9, %r9, %r1; st.global.u32 [%r9], %r5; ret;\n}}\n"
    );
    let module = parse("regions.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let arguments = ["zero:u32:8".to_string(), format!("u32:{n}")];
    let arguments = arguments.iter().map(|text| text.parse().expect("an argument")).collect();
    Plan { block: [8, 1, 1], arguments, limit: 100_000, ..Plan::new("k") }.words(&module, words)
}

fn left(ran: &Ran) -> Vec<u64> {
    ran.buffers[0].as_ref().expect("a buffer").bits().collect()
}

#[test]
fn threads_that_go_together_need_no_masks() {
    let params = DualityParams { rows: 512, ring: 128, ..DualityParams::preset("tiny").expect("a preset") };
    let kernels: [(&str, Expected); 4] =
        [(GUARDED, guarded), (SEVERAL, several), (BETWEEN, between), (ENDLESS, endless)];
    for (body, expected) in kernels {
        for n in [0, 1, 2, 5] {
            let expected: Vec<u64> = (0..8).map(|thread| expected(thread, n)).collect();
            for arrays in [1, 2, 4] {
                let words = Words { checked: true, arrays: Some(arrays), ..Words::new(&params) };
                let ran = run(body, n, &words).unwrap_or_else(|error| panic!("{body}: {error}"));
                assert_eq!(left(&ran), expected, "{body}, n {n}, {arrays} arrays");
                if body == GUARDED {
                    // The row is cleared, all threads go to one side of the guard or to the other, those of it enter.
                    let all = ran.compiled.program.words.iter();
                    assert_eq!(all.filter(|word| word.kind() == Ok(Kind::Mask)).count(), 4);
                }
            }
        }
    }
    // Where others come to a block by another way, it must have a mask.
    let words = Words { without: Some(Rule::Entrances), arrays: Some(1), ..Words::new(&params) };
    let expected: Vec<u64> = (0..8).map(|thread| several(thread, 5)).collect();
    assert!(run(SEVERAL, 5, &words).map_or(true, |ran| left(&ran) != expected));
}
