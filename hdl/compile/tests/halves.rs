//! Arithmetic of binary16 numbers: words against the interpreter, which its own tests hold against another crate; and
//! a kernel of clang's.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use bitline_compile::launch::{Argument, Buffer, Element, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;
use rand::{Rng, SeedableRng};

const THREADS: usize = 576;

/// Three numbers for each thread: pairs of special ones, products near the smallest normal number, any.
fn numbers() -> [Vec<u64>; 3] {
    let seed = 4;
    println!("seed {seed}");
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let special: [u64; 12] = [0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01];
    let mut found = [(); 3].map(|()| Vec::new());
    for thread in 0..THREADS {
        let mut any = || random.random_range(0..1_u64 << 16);
        let three = match thread {
            0..144 => [special[thread / 12], special[thread % 12], special[thread % 11]],
            // 2^-7 or 2^-6 times 2^-8, each times less than 2: products around 2^-14, and what is added to one.
            144..288 => {
                let (a, b) = (any() & 0x3ff | 0x2000, any() & 0x3ff | 0x1c00 | any() & 0x8000);
                [a + (any() & 0x400), b, any() & 0x83ff]
            }
            288..320 => [0x2000 + (any() & 3), 0x1fff - (any() & 3), 0],
            _ => [any(), any(), any()],
        };
        found.iter_mut().zip(three).for_each(|(numbers, number)| numbers.push(number));
    }
    found
}

/// What a kernel stores that has the three numbers in %h1, %h2 and %h3, and stores %h9: a NaN is one number.
fn run(body: &str, words: bool) -> Vec<u64> {
    let text = format!(
        ".version 6.0\n.target sm_60\n.address_size 32\n\
         .visible .entry k(.param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<10>; .reg .b32 %r<20>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n\
         shl.b32 %r4, %r4, 1; ld.param.u32 %r5, [a]; ld.param.u32 %r6, [b]; ld.param.u32 %r7, [c];\n\
         ld.param.u32 %r8, [d]; add.s32 %r5, %r5, %r4; add.s32 %r6, %r6, %r4; add.s32 %r7, %r7, %r4;\n\
         add.s32 %r8, %r8, %r4; ld.global.b16 %h1, [%r5]; ld.global.b16 %h2, [%r6]; ld.global.b16 %h3, [%r7];\n\
         {body}\nst.global.b16 [%r8], %h9; ret;\n}}"
    );
    let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let element: Element = "u16".parse().expect("a type");
    let mut buffers: Vec<Buffer> = numbers().map(|numbers| Buffer::of(element, numbers)).to_vec();
    buffers.push(Buffer::of(element, (0..THREADS).map(|_| 0)));
    let arguments = buffers.into_iter().map(Argument::Buffer).collect();
    let plan = Plan { grid: [9, 1, 1], block: [64, 1, 1], arguments, ..Plan::new("k") };
    let params = DualityParams::preset("small").expect("a preset");
    let found = if words {
        plan.words(&module, &Words { checked: true, tries: 0, ..Words::new(&params) }).map(|ran| ran.buffers)
    } else {
        plan.interpret(&module, &mut |_, _| ()).map(|outcome| outcome.buffers)
    };
    let found = found.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let number = |bits: u64| if bits & 0x7fff > 0x7c00 { 0x7fff } else { bits };
    found[3].as_ref().expect("a buffer").bits().map(number).collect()
}

#[test]
fn words_compute_what_the_interpreter_does() {
    for body in [
        "add.f16 %h9, %h1, %h2;",
        "add.rn.ftz.f16 %h9, %h1, %h2;",
        "sub.rn.sat.f16 %h9, %h1, %h2;",
        "mul.rn.f16 %h9, %h1, %h2;",
        "mul.ftz.f16 %h9, %h1, %h2;",
        "fma.rn.f16 %h9, %h1, %h2, %h3;",
        "fma.rn.ftz.sat.f16 %h9, %h1, %h2, %h3;",
        "neg.f16 %h8, %h1; abs.ftz.f16 %h9, %h2; add.f16 %h9, %h8, %h9;",
        "neg.ftz.f16 %h8, %h1; min.f16 %h8, %h8, %h2; max.ftz.f16 %h9, %h8, %h3;",
        // A constant by its bits, under a guard.
        "mov.b16 %h9, 0x3C00; setp.lt.ftz.f16 %p1, %h1, %h2; @%p1 mul.f16 %h9, %h9, %h3;",
        "setp.neu.and.f16 %p1|%p2, %h1, %h2, %p3; selp.b16 %h9, %h3, %h2, %p1; @%p2 add.f16 %h9, %h9, %h1;",
    ] {
        let body = format!("setp.ne.s16 %p3, %h3, 0;\n{body}");
        let expected = run(&body, false);
        for (thread, (found, expected)) in run(&body, true).into_iter().zip(&expected).enumerate() {
            let operands = numbers().map(|numbers| numbers[thread]);
            // Just below the smallest normal number the array flushes what rounding would make that number of.
            let below = body.contains(".ftz") && expected & 0x7fff == 0x400 && found == expected & 0x8000;
            assert!(below || found == *expected, "{body} of {operands:x?}: {found:#x}, not {expected:#x}");
        }
    }
}

#[test]
fn comparisons_are_those_of_numbers() {
    let [a, b, _] = numbers();
    for (word, holds) in [
        ("lt", (|order| order == Some(Less)) as fn(Option<Ordering>) -> bool),
        ("geu", |order| order != Some(Less)),
        ("ne", |order| matches!(order, Some(Less | Greater))),
        ("equ", |order| matches!(order, None | Some(Equal))),
        ("nan", |order| order.is_none()),
    ] {
        let body = format!("setp.{word}.f16 %p1, %h1, %h2; selp.b16 %h9, 1, 0, %p1;");
        let wanted: Vec<u64> =
            a.iter().zip(&b).map(|(a, b)| u64::from(holds(value(*a).partial_cmp(&value(*b))))).collect();
        assert_eq!(run(&body, false), wanted, "{word}");
        assert_eq!(run(&body, true), wanted, "words of {word}");
    }
}

/// A binary16 number, by its definition.
fn value(bits: u64) -> f64 {
    let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64);
    let magnitude = match exponent {
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        0 => fraction / f64::from(1 << 24),
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}
