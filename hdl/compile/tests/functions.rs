//! Functions in one instruction, and what the headers make of them: words compute what the interpreter says, to the
//! last bit, and results are as close to binary64's as PTX and CUDA ask for.
//!
//! `scripts/figures.sh cuda-functions` puts the table that is printed into the manual.

use crate::common::launches::preset;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::{ast::Module, parse};
use bitline_compile::words::Words;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A kernel that takes x and y, and stores what each of the codes leaves in `%f3` of `%f1` and `%f2`.
fn kernel(codes: &[&str]) -> Module {
    let stores: String =
        (0..).zip(codes).map(|(at, code)| format!("{code} st.global.f32 [%r4+{}], %f3;\n", 4 * at)).collect();
    let text = format!(
        ".version 4.2\n.target sm_50\n.address_size 32\n\
         .visible .entry k(.param .u32 x, .param .u32 y, .param .u32 z)\n\
         {{\n.reg .b32 %r<9>; .reg .f32 %f<9>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, {BLOCK}, %r1; shl.b32 %r2, %r1, 2;\n\
         ld.param.u32 %r3, [x]; add.s32 %r3, %r3, %r2; ld.global.f32 %f1, [%r3];\n\
         ld.param.u32 %r3, [y]; add.s32 %r3, %r3, %r2; ld.global.f32 %f2, [%r3];\n\
         ld.param.u32 %r4, [z]; mad.lo.s32 %r4, %r1, {}, %r4;\n{stores}ret;\n}}",
        4 * codes.len()
    );
    parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Threads of a block.
const BLOCK: usize = 32;

/// Its launch for pairs of numbers, filled up with zeros, a thread for each.
fn launch(pairs: &[[f32; 2]], codes: usize) -> Plan {
    let blocks = pairs.len().div_ceil(BLOCK);
    let buffer = |bits: Vec<u64>| Argument::Buffer(Buffer::of("u32".parse().expect("a type"), bits));
    let of = |which: usize| {
        let mut bits: Vec<u64> = pairs.iter().map(|pair| pair[which].to_bits().into()).collect();
        bits.resize(blocks * BLOCK, 0);
        buffer(bits)
    };
    let arguments = vec![of(0), of(1), buffer(vec![0; blocks * BLOCK * codes])];
    Plan { grid: [blocks as u32, 1, 1], block: [BLOCK as u32, 1, 1], arguments, limit: u64::MAX, ..Plan::new("k") }
}

/// The results' bits, those of each thread after those of the one before.
fn results(buffers: &[Option<Buffer>]) -> Vec<u32> {
    buffers[2].as_ref().expect("a buffer").bits().map(|bits| bits as u32).collect()
}

/// The array has another NaN.
fn same(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { 0x7fff_ffff } else { bits }
}

/// Numbers of all kinds, and powers of numbers that may be had exactly, in words and by the interpreter.
#[test]
fn words_compute_what_the_interpreter_says() {
    let codes: Vec<String> = ["ex2", "lg2", "rsqrt", "sin", "cos"]
        .iter()
        .flat_map(|name| ["approx", "approx.ftz"].map(|how| format!("{name}.{how}.f32 %f3, %f1;")))
        .chain([TANH.into()])
        .collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let seed = 17;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let tiny = f32::MIN_POSITIVE;
    let mut numbers = vec![0.0, -0.0, 1.0, -1.0, 4.0, 0.25, 127.5, 128.0, -126.0, -126.5, -149.0, -151.0, 3.0, 1e38];
    numbers.extend([tiny, tiny / 8.0, -tiny / 8.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -7.0, 0.1, -1e-38]);
    numbers.extend((0..12).map(|_| random.random_range(-30.0..30.0_f32)));
    numbers.extend((0..29).map(|_| f32::from_bits(random.random())));
    let pairs: Vec<[f32; 2]> = numbers.iter().map(|&x| [x, 0.0]).collect();
    let (module, plan) = (kernel(&codes), launch(&pairs, codes.len()));
    let expected = results(&plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}")).buffers);
    for (name, arrays) in [("small", 1), ("small", 4), ("tiny", 1)] {
        let params = preset(name);
        let words = Words { arrays: Some(arrays), ..Words::new(&params) };
        let found = results(&plan.words(&module, &words).unwrap_or_else(|error| panic!("{name}: {error}")).buffers);
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let of = || format!("{name}: {} of {:e}", codes[at % codes.len()], numbers[at / codes.len()]);
            assert_eq!(same(*found), same(*expected), "{}", of());
        }
    }
    // 2^4, and what flushing makes of 2^−149 and of a logarithm of 2^−129.
    let of = |number: f32, code: usize| {
        let at = numbers.iter().position(|x| x.to_bits() == number.to_bits()).expect("it is there");
        f32::from_bits(expected[at * codes.len() + code])
    };
    assert_eq!([of(4.0, 0), of(-149.0, 0), of(-149.0, 1)], [16.0, f32::from_bits(1), 0.0]);
    assert_eq!([of(tiny / 8.0, 2), of(tiny / 8.0, 3), of(0.25, 4)], [-129.0, f32::NEG_INFINITY, 2.0]);
    assert_eq!([of(-tiny / 8.0, 6), of(-tiny / 8.0, 7), of(0.0, 8)], [-tiny / 8.0, -0.0, 1.0]);
}

/// How an error is told.
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    /// In units in the last place of the exact value.
    Units,
    /// Part of the exact value, as the exponent of 2.
    Relative,
    /// As the exponent of 2.
    Absolute,
}
use Measure::{Absolute, Relative, Units};

/// A function of x and y, for some of its arguments.
struct Row {
    name: &'static str,
    code: &'static str,
    arguments: &'static str,
    draw: fn(&mut ChaCha8Rng) -> [f32; 2],
    exact: fn(f64, f64) -> f64,
    measure: Measure,
    /// What PTX or CUDA allow for an x, and how they say it.
    allowed: fn(f64) -> f64,
    promise: &'static str,
}

const EX2: &str = "ex2.approx.f32 %f3, %f1;";
const LG2: &str = "lg2.approx.f32 %f3, %f1;";
const SIN: &str = "sin.approx.f32 %f3, %f1;";
const COS: &str = "cos.approx.f32 %f3, %f1;";
const TANH: &str = "tanh.approx.f32 %f3, %f1;";
const RSQRT: &str = "rsqrt.approx.f32 %f3, %f1;";
// As scripts/cuda/device.h has them.
const EXP: &str = "mul.rn.f32 %f4, %f1, 0f3FB8AA3B; ex2.approx.f32 %f3, %f4;";
const LOG: &str = "lg2.approx.f32 %f4, %f1; mul.rn.f32 %f3, %f4, 0f3F317218;";
const POW: &str = "lg2.approx.f32 %f4, %f1; mul.rn.f32 %f4, %f2, %f4; ex2.approx.f32 %f3, %f4;";

fn positive(random: &mut ChaCha8Rng) -> [f32; 2] {
    [f32::from_bits(random.random_range(f32::MIN_POSITIVE.to_bits()..f32::INFINITY.to_bits())), 0.0]
}

fn one_turn(random: &mut ChaCha8Rng) -> [f32; 2] {
    let turn = std::f32::consts::TAU;
    [random.random_range(-turn..=turn), 0.0]
}

fn near_one(random: &mut ChaCha8Rng) -> [f32; 2] {
    [random.random_range(0.5..=2.0), 0.0]
}

fn far_from_one(random: &mut ChaCha8Rng) -> [f32; 2] {
    let [x, y] = positive(random);
    [if (0.5..=2.0).contains(&x) { 8.0 * x } else { x }, y]
}

/// What CUDA says, but for rounding that down: the product is within 2⁻¹⁸ up to 64, and log₂ e is rounded, too.
fn fast_exponential(x: f64) -> f64 {
    2.0 + (1.173 * x).abs()
}

const ROWS: [Row; 14] = [
    Row {
        name: "`ex2.approx`: `exp2f`",
        code: EX2,
        arguments: "−126 to 128",
        draw: |r| [r.random_range(-126.0..128.0), 0.0],
        exact: |x, _| x.exp2(),
        measure: Units,
        allowed: |_| 2.0,
        promise: "2",
    },
    Row {
        name: "`lg2.approx`: `log2f`",
        code: LG2,
        arguments: "0.5 to 2",
        draw: near_one,
        exact: |x, _| x.log2(),
        measure: Absolute,
        allowed: |_| -22.6,
        promise: "2^−22.6",
    },
    Row {
        name: "`lg2.approx`: `log2f`",
        code: LG2,
        arguments: "others",
        draw: far_from_one,
        exact: |x, _| x.log2(),
        measure: Relative,
        allowed: |_| -22.0,
        promise: "2^−22",
    },
    Row {
        name: "`rsqrt.approx`: `rsqrtf`",
        code: RSQRT,
        arguments: "positive",
        draw: positive,
        exact: |x, _| 1.0 / x.sqrt(),
        measure: Relative,
        allowed: |_| -22.9,
        promise: "2^−22.9",
    },
    Row {
        name: "`sin.approx`: `sinf`, `__sinf`",
        code: SIN,
        arguments: "−2π to 2π",
        draw: one_turn,
        exact: |x, _| x.sin(),
        measure: Absolute,
        allowed: |_| -20.9,
        promise: "2^−20.9",
    },
    Row {
        name: "`sin.approx`: `sinf`, `__sinf`",
        code: SIN,
        arguments: "all",
        draw: positive,
        exact: |x, _| x.sin(),
        measure: Absolute,
        allowed: |_| -24.0,
        promise: "",
    },
    Row {
        name: "`cos.approx`: `cosf`, `__cosf`",
        code: COS,
        arguments: "−2π to 2π",
        draw: one_turn,
        exact: |x, _| x.cos(),
        measure: Absolute,
        allowed: |_| -20.9,
        promise: "2^−20.9",
    },
    Row {
        name: "`cos.approx`: `cosf`, `__cosf`",
        code: COS,
        arguments: "all",
        draw: positive,
        exact: |x, _| x.cos(),
        measure: Absolute,
        allowed: |_| -24.0,
        promise: "",
    },
    Row {
        name: "`tanh.approx`: `tanhf`, `__tanhf`",
        code: TANH,
        arguments: "positive",
        draw: |r| if r.random() { positive(r) } else { [r.random_range(0.0..4.0), 0.0] },
        exact: |x, _| x.tanh(),
        measure: Relative,
        allowed: |_| -23.0,
        promise: "2^−11",
    },
    Row {
        name: "`__expf`, `expf`",
        code: EXP,
        arguments: "−1 to 1",
        draw: |r| [r.random_range(-1.0..1.0), 0.0],
        exact: |x, _| x.exp(),
        measure: Units,
        allowed: fast_exponential,
        promise: "2 + ⌊1.173 · abs(x)⌋",
    },
    Row {
        name: "`__expf`, `expf`",
        code: EXP,
        arguments: "−87 to 88",
        draw: |r| [r.random_range(-87.0..88.0), 0.0],
        exact: |x, _| x.exp(),
        measure: Units,
        allowed: fast_exponential,
        promise: "2 + ⌊1.173 · abs(x)⌋",
    },
    Row {
        name: "`__logf`, `logf`",
        code: LOG,
        arguments: "0.5 to 2",
        draw: near_one,
        exact: |x, _| x.ln(),
        measure: Absolute,
        allowed: |_| -21.41,
        promise: "2^−21.41",
    },
    Row {
        name: "`__logf`, `logf`",
        code: LOG,
        arguments: "others",
        draw: far_from_one,
        exact: |x, _| x.ln(),
        measure: Units,
        allowed: |_| 3.0,
        promise: "3",
    },
    Row {
        name: "`__powf`",
        code: POW,
        arguments: "0.1 to 10, y from −5 to 5",
        draw: |r| [r.random_range(0.1..10.0), r.random_range(-5.0..5.0)],
        exact: f64::powf,
        measure: Units,
        // The exponent is at most 16.7, and rounded twice.
        allowed: |_| 40.0,
        promise: "",
    },
];

/// A unit in the last place of a binary32 number of this size.
fn unit(value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    f64::from(exponent.max(-126) - 23).exp2()
}

/// Largest errors of random arguments, which are printed.
#[test]
fn errors_are_within_what_is_allowed() {
    let seed = 18;
    println!("seed {seed}");
    let count = if std::env::var("BITLINE_DEEP").is_ok() { 1_000_000 } else { 4_000 };
    println!("| function | x | largest error | PTX or CUDA allow |");
    println!("|---|---|--:|--:|");
    for row in &ROWS {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (module, mut worst) = (kernel(&[row.code]), 0.0_f64);
        let pairs: Vec<[f32; 2]> = (0..count).map(|_| (row.draw)(&mut random)).collect();
        for pairs in pairs.chunks(1 << 15) {
            let ran = launch(pairs, 1).interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
            for (&[x, y], found) in pairs.iter().zip(results(&ran.buffers)) {
                let exact = (row.exact)(x.into(), y.into());
                let error = (f64::from(f32::from_bits(found)) - exact).abs();
                let (error, allowed) = match (row.measure, (row.allowed)(x.into())) {
                    (Units, allowed) => (error / unit(exact), allowed),
                    (Relative, allowed) => ((error / exact).abs(), allowed.exp2()),
                    (Absolute, allowed) => (error, allowed.exp2()),
                };
                assert!(error <= allowed, "{} of {x:e}, {y:e}: {error:e}, and {allowed:e} allowed", row.name);
                worst = worst.max(error);
            }
        }
        assert!(worst > 0.0, "{}", row.name);
        let found = if row.measure == Units { format!("{worst:.2}") } else { format!("2^−{:.2}", -worst.log2()) };
        let how = match row.measure {
            Units => "units in the last place",
            Relative => "of the value",
            Absolute => "absolute",
        };
        let promise = if row.promise.is_empty() { String::new() } else { format!("{} {how}", row.promise) };
        println!("| {} | {} | {found} {how} | {promise} |", row.name, row.arguments);
    }
}
