//! 16-bit floating-point numbers, one or two in a register, and directed rounding of binary64: by the interpreter and
//! by words, against a crate that computes them in software.

use crate::common::threads::both;
use rand::{Rng, SeedableRng};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const NEAREST: Round = Round::NearestTiesToEven;
const BLOCK: u32 = 48;

/// Three pairs of 16-bit numbers for each thread, in the lower halves: special ones of both formats, any, and some
/// whose sums cancel.
fn halves(seed: u64) -> Vec<[u64; 3]> {
    println!("seed {seed}");
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let special: [u64; 16] = [
        0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x3f80, 0xbf80,
        0x7f7f,
    ];
    let mut number = |at: usize| match at % 4 {
        0 => special[random.random_range(0..special.len())],
        1 => 0x3f00 | random.random_range(0..0x100) | random.random_range(0..2) << 15,
        _ => random.random_range(0..1 << 16),
    };
    (0..384).map(|at| [0, 1, 2].map(|index| number(at + index) | number(at / 4 + index) << 16)).collect()
}

/// One NaN for all, of two numbers of a format whose infinity this is.
fn one_nan<const INFINITY: u64>(bits: u64) -> u64 {
    let of = |half: u64| if half & 0x7fff > INFINITY { 0x7fff } else { half };
    (0..4).map(|at| of(bits >> (16 * at) & 0xffff) << (16 * at)).sum()
}

/// Runs lines on pairs, and compares each half of the lower word with what `each` makes of the halves.
fn pairs<F: Float>(lines: &str, numbers: &[[u64; 3]], infinity: u64, each: impl Fn([F; 3]) -> F) {
    let same = if infinity == 0x7c00 { one_nan::<0x7c00> } else { one_nan::<0x7f80> };
    let found = both(lines, BLOCK, numbers, same);
    for (three, found) in numbers.iter().zip(found) {
        for shift in [0, 16] {
            let expected = each(three.map(|pair| F::from_bits((pair >> shift & 0xffff).into())));
            let expected = if expected.is_nan() { 0x7fff } else { expected.to_bits() as u64 };
            assert_eq!(same(found[0] >> shift & 0xffff), expected, "{lines}\nof {three:x?}, half {shift}");
        }
    }
}

fn relu<F: Float>(x: F) -> F {
    if !x.is_nan() && x.is_negative() { F::ZERO } else { x }
}

/// Every operation on two numbers in one.
fn arithmetic<F: Float>(ty: &str, infinity: u64, numbers: &[[u64; 3]]) {
    let on = |what: &str, sources: &str| format!("{what}.{ty} %r1, {sources}; cvt.u64.u32 %d8, %r1;");
    pairs(&on("add", "%b0, %b1"), numbers, infinity, |[a, b, _]: [F; 3]| (a + b).value);
    pairs(&on("sub.rn", "%b0, %b1"), numbers, infinity, |[a, b, _]: [F; 3]| (a - b).value);
    pairs(&on("mul", "%b0, %b1"), numbers, infinity, |[a, b, _]: [F; 3]| (a * b).value);
    let fused = |[a, b, c]: [F; 3]| a.mul_add_r(b, c, NEAREST).value;
    pairs(&on("fma.rn", "%b0, %b1, %b2"), numbers, infinity, fused);
    pairs(&on("fma.rn.relu", "%b0, %b1, %b2"), numbers, infinity, |three| relu(fused(three)));
    let guarded = format!("mov.b32 %r1, %b0; setp.lt.s32 %p1, %b1, 0; @%p1 neg.{ty} %r1, %r1; cvt.u64.u32 %d8, %r1;");
    let found = both(&guarded, BLOCK, numbers, |bits| bits);
    for (three, found) in numbers.iter().zip(found) {
        let flipped = if three[1] >> 31 & 1 == 1 { three[0] ^ 0x8000_8000 } else { three[0] };
        assert_eq!(found[0], flipped, "{three:x?}");
    }
    let abs = both(&on("abs", "%b0"), BLOCK, numbers, |bits| bits);
    assert!(numbers.iter().zip(abs).all(|(three, found)| found[0] == three[0] & 0x7fff_7fff));
    let least = |larger: bool| {
        move |[a, b, _]: [F; 3]| match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => {
                if a.is_negative() == larger {
                    b
                } else {
                    a
                }
            }
            _ => {
                if (a < b) == larger {
                    b
                } else {
                    a
                }
            }
        }
    };
    pairs(&on("min", "%b0, %b1"), numbers, infinity, least(false));
    pairs(&on("max", "%b0, %b1"), numbers, infinity, least(true));
}

#[test]
fn pairs_of_binary16() {
    arithmetic::<Half>("f16x2", 0x7c00, &halves(51));
    // In registers of these types, as older versions of clang have them.
    let lines = "{ .reg .f16 %q<4>; .reg .f16x2 %qq<3>; mov.b32 %qq1, %b0; mov.b32 {%q1, %q2}, %qq1; mov.b32 %qq2, %b1;
                 mov.b32 {%q3, _}, %qq2; sub.rn.f16 %q1, %q1, %q3; mov.b32 {_, %q3}, %b1; sub.rn.f16 %q2, %q2, %q3;
                 mov.b32 %qq1, {%q1, %q2}; mov.b32 %r1, %qq1; cvt.u64.u32 %d8, %r1; }";
    pairs(lines, &halves(50), 0x7c00, |[a, b, _]: [Half; 3]| (a - b).value);
}

#[test]
fn pairs_of_bfloat16() {
    arithmetic::<BFloat>("bf16x2", 0x7f80, &halves(52));
}

/// Single bfloat16 numbers, and their conversions, as clang has them for sm_80 and sm_90.
#[test]
fn bfloat16_and_conversions() {
    let numbers = halves(53);
    let single = |x: BFloat| -> Single { x.convert_r(NEAREST, &mut false).value };
    let lines = "mov.b32 {%h1, %h2}, %b0; mov.b32 {%h3, %h4}, %b1; cvt.f32.bf16 %f1, %h1; cvt.f32.bf16 %f2, %h3;
                 fma.rn.f32 %f3, %f1, %f2, %f1; cvt.rn.bf16.f32 %h5, %f3; cvt.f32.bf16 %f1, %h2;
                 cvt.f32.bf16 %f2, %h4; fma.rn.f32 %f3, %f1, %f2, %f1; cvt.rn.bf16.f32 %h6, %f3;
                 mov.b32 %r1, {%h5, %h6}; cvt.u64.u32 %d8, %r1;";
    pairs(lines, &numbers, 0x7f80, |[a, b, _]: [BFloat; 3]| {
        single(a).mul_add_r(single(b), single(a), NEAREST).value.convert_r(NEAREST, &mut false).value
    });
    for (how, to) in [("rn", NEAREST), ("rz", Round::TowardZero)] {
        let lines = format!(
            "cvt.u64.u32 %d8, %b0; mov.b32 %f1, %b0; mov.b32 %f2, %b1; cvt.{how}.bf16x2.f32 %r1, %f2, %f1;
             cvt.{how}.relu.f16x2.f32 %r2, %f2, %f1; cvt.{how}.relu.bf16.f32 %h1, %f1; cvt.{how}.relu.f16.f32 %h2, %f2;
             setp.lt.u16 %p1, %h2, 0x8000;
             @!%p1 mov.b16 %h1, 0; cvt.u64.u16 %d9, %h1;
             mov.b64 %d8, {{%r1, %r2}};"
        );
        // The halves of two formats have infinities of their own: a NaN is looked for below.
        let found = both(&lines, BLOCK, &numbers, |bits| one_nan::<0x7f80>(bits & 0xffff_ffff));
        for (three, found) in numbers.iter().zip(found) {
            let number = |at: usize| Single::from_bits(three[at].into());
            let of = |x: Single| -> BFloat { x.convert_r(to, &mut false).value };
            let half = |x: Single| -> Half { x.convert_r(to, &mut false).value };
            let bits = |nan: bool, bits: u128| if nan { 0x7fff } else { bits as u64 };
            let brain = |x: BFloat| bits(x.is_nan(), x.to_bits());
            let small = |x: Half| bits(x.is_nan(), x.to_bits());
            let expected = [0, 1].map(|at| brain(of(number(at))));
            assert_eq!(found[0] & 0xffff_ffff, expected[0] | expected[1] << 16, "{how} of {three:x?}");
            let expected = [0, 1].map(|at| small(relu(half(number(at)))));
            assert_eq!(found[0] >> 32, expected[0] | expected[1] << 16, "{how} of {three:x?}");
            assert_eq!(found[1], brain(relu(of(number(0)))), "{how} of {three:x?}");
        }
    }
}

/// Under `.ftz` subnormal numbers of binary32 are flushed, and none of binary16.
#[test]
fn small_numbers_are_binary32_s() {
    let numbers = halves(58);
    let lines = "mov.b32 {%h1, %h2}, %b0; cvt.ftz.f32.f16 %f1, %h1; mov.b32 %r1, %f1; mov.b32 {%h3, %h4}, %b1;
                 cvt.ftz.f32.bf16 %f2, %h3; mov.b32 %r2, %f2; mov.b64 %d8, {%r1, %r2};";
    let same = |bits: u64| {
        let nan = |bits: u64| if f32::from_bits(bits as u32).is_nan() { 0x7fff_ffff } else { bits & 0xffff_ffff };
        nan(bits) | nan(bits >> 32) << 32
    };
    for (three, found) in numbers.iter().zip(both(lines, BLOCK, &numbers, same)) {
        let half: Single = Half::from_bits((three[0] & 0xffff).into()).convert_r(NEAREST, &mut false).value;
        let brain = f32::from_bits((three[1] as u32) << 16);
        let brain = if brain.is_subnormal() { 0.0_f32.copysign(brain) } else { brain };
        let expected = u64::from(brain.to_bits()) << 32 | half.to_bits() as u64;
        assert_eq!(same(found[0]), same(expected), "{three:x?}");
    }
}

/// Comparisons of both halves, as predicates, masks and numbers.
#[test]
fn comparisons_of_pairs() {
    let numbers = halves(54);
    let lines = "setp.gt.s32 %p3, %b2, 0; mov.pred %p1, %p3; setp.lt.and.f16x2 %p1|%p2, %b0, %b1, %p1;
                 selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2; or.b32 %r1, %r1, %r2;
                 set.geu.u32.f16x2 %r2, %b0, %b1; mov.b64 %d8, {%r1, %r2}; set.neu.or.bf16x2.bf16x2 %r3, %b0, %b1, !%p3;
                 set.le.ftz.f16x2.f16x2 %r4, %b0, %b2; mov.b64 %d9, {%r3, %r4};";
    let found = both(lines, BLOCK, &numbers, |bits| bits);
    for (three, found) in numbers.iter().zip(found) {
        let half = |at: usize, shift: u32| Half::from_bits((three[at] >> shift & 0xffff).into());
        let brain = |at: usize, shift: u32| BFloat::from_bits((three[at] >> shift & 0xffff).into());
        let flushed = |x: Half| if x.is_denormal() { Half::ZERO } else { x };
        let positive = three[2] as u32 as i32 > 0;
        let mut expected = [0_u64; 2];
        for (at, shift) in [(0, 0), (1, 16)] {
            let (a, b, c) = (half(0, shift), half(1, shift), half(2, shift));
            expected[0] |= u64::from(a < b && positive) << at;
            expected[0] |= if a < b { 0 } else { 0xffff << (32 + shift) };
            expected[1] |= if brain(0, shift) != brain(1, shift) || !positive { 0x3f80 << shift } else { 0 };
            expected[1] |= if flushed(a) <= flushed(c) { 0x3c00 << (32 + shift) } else { 0 };
        }
        assert_eq!(found, expected, "{three:x?}");
    }
}

/// Functions by way of binary32, near what they are.
#[test]
fn functions_of_16_bits() {
    let numbers = halves(55);
    let lines = "ex2.approx.f16x2 %r1, %b0; tanh.approx.f16x2 %r2, %b0; mov.b64 %d8, {%r1, %r2};
                 mov.b32 {%h1, %h2}, %b1; tanh.approx.bf16 %h1, %h1; ex2.approx.ftz.bf16 %h2, %h2;
                 mov.b32 %r3, {%h1, %h2}; cvt.u64.u32 %d9, %r3;";
    // NaN of both formats in one.
    let found = both(lines, BLOCK, &numbers, one_nan::<0x7c00>);
    let mut looked_at = 0;
    for (three, found) in numbers.iter().zip(found) {
        let double = |x: Half| -> f64 {
            let wide: Double = x.convert_r(NEAREST, &mut false).value;
            f64::from_bits(wide.to_bits() as u64)
        };
        let half = |bits: u64| double(Half::from_bits((bits & 0xffff).into()));
        let brain = |bits: u64| f64::from(f32::from_bits((bits as u32 & 0xffff) << 16));
        for shift in [0, 16] {
            let (x, ex2, tanh) = (half(three[0] >> shift), half(found[0] >> shift), half(found[0] >> (32 + shift)));
            if (-14.0..15.9).contains(&x) {
                assert!((ex2 / x.exp2() - 1.0).abs() < (-9.9_f64).exp2(), "{x}: {ex2}");
                looked_at += 1;
            }
            assert!(x.is_nan() || (tanh - x.tanh()).abs() < (-10.987_f64).exp2(), "{x}: {tanh}");
        }
        let (x, tanh) = (brain(three[1]), brain(found[1]));
        assert!(x.is_nan() || (tanh - x.tanh()).abs() < (-8.0_f64).exp2(), "{x}: {tanh}");
        let (x, ex2) = (brain(three[1] >> 16), brain(found[1] >> 16));
        assert!(!(-126.0..127.9).contains(&x) || (ex2 / x.exp2() - 1.0).abs() < (-7.0_f64).exp2(), "{x}: {ex2}");
    }
    assert!(looked_at > 300, "{looked_at}");
}

/// Sums and differences, products, quotients, roots and reciprocals of binary64 in every direction.
#[test]
fn directed_rounding_of_binary64() {
    let seed = 56;
    println!("seed {seed}");
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let special = [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN, 3.0, -0.1];
    let mut number = |at: usize| match at % 3 {
        0 => special[random.random_range(0..special.len())],
        1 => random.random_range(-8.0..8.0),
        _ => f64::from_bits(random.random()),
    };
    let numbers: Vec<[u64; 3]> = (0..192).map(|at| [at, at / 3, at / 9].map(|at| number(at).to_bits())).collect();
    let same = |bits: u64| if f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits };
    for (how, to) in [("rz", Round::TowardZero), ("rm", Round::TowardNegative), ("rp", Round::TowardPositive)] {
        type Pick = fn([Double; 3], Round) -> Double;
        let operations: [(&str, &str, Pick); 6] = [
            ("add", "%g0, %g1", |[a, b, _], to| a.add_r(b, to).value),
            ("sub", "%g0, %g1", |[a, b, _], to| a.sub_r(b, to).value),
            ("mul", "%g0, %g1", |[a, b, _], to| a.mul_r(b, to).value),
            ("fma", "%g0, %g1, %g2", |[a, b, c], to| a.mul_add_r(b, c, to).value),
            ("div", "%g0, %g1", |[a, b, _], to| a.div_r(b, to).value),
            ("rcp", "%g0", |[a, _, _], to| Double::from_u128(1).value.div_r(a, to).value),
        ];
        for (name, sources, pick) in operations {
            let lines = format!(
                "mov.b64 %g0, %a0; mov.b64 %g1, %a1; mov.b64 %g2, %a2;
                 {name}.{how}.f64 %g3, {sources}; mov.b64 %d8, %g3;"
            );
            for (three, found) in numbers.iter().zip(both(&lines, BLOCK, &numbers, same)) {
                let expected = pick(three.map(|bits| Double::from_bits(bits.into())), to).to_bits() as u64;
                assert_eq!(same(found[0]), same(expected), "{name}.{how} of {:?}", three.map(f64::from_bits));
            }
        }
        // A root is the last number, or the first, whose square is not beyond.
        let lines = format!("mov.b64 %g0, %a0; abs.f64 %g0, %g0; sqrt.{how}.f64 %g1, %g0; mov.b64 %d8, %g1;");
        for (three, found) in numbers.iter().zip(both(&lines, BLOCK, &numbers, same)) {
            let (x, root) = (f64::from_bits(three[0]).abs(), f64::from_bits(found[0]));
            if !x.is_finite() || x == 0.0 {
                assert_eq!(same(root.to_bits()), same(x.to_bits()));
                continue;
            }
            let square = |y: f64, to| {
                let y = Double::from_bits(y.to_bits().into());
                f64::from_bits(y.mul_r(y, to).value.to_bits() as u64)
            };
            let (low, high) = if how == "rp" { (root.next_down(), root) } else { (root, root.next_up()) };
            assert!(
                square(low, Round::TowardNegative) <= x && square(high, Round::TowardPositive) >= x,
                "{x:e} {root:e}"
            );
        }
    }
    // 1 / √x, as near as the array has it.
    let lines = "mov.b64 %g0, %a0; abs.f64 %g0, %g0; rsqrt.approx.f64 %g1, %g0; mov.b64 %d8, %g1;";
    for (three, found) in numbers.iter().zip(both(lines, BLOCK, &numbers, same)) {
        let (x, root) = (f64::from_bits(three[0]).abs(), f64::from_bits(found[0]));
        let exact = 1.0 / x.sqrt();
        assert!(
            exact.is_nan() && root.is_nan() || exact == root || (root / exact - 1.0).abs() < 1e-15,
            "{x:e} {root:e}"
        );
    }
}

/// Atomic sums come in the order of threads; those of 16 bits leave their neighbours alone.
#[test]
fn atomic_sums_of_16_bits() {
    let numbers: Vec<[u64; 3]> = halves(57).into_iter().take(96).collect();
    let half = |bits: u64| Half::from_bits((bits & 0xffff).into());
    // Small numbers, so that there is no NaN.
    let small: Vec<[u64; 3]> = numbers.iter().map(|three| three.map(|pair| pair & 0xb7ff_b7ff)).collect();
    let lines = ".shared .align 4 .b8 sums[16]; st.shared.v4.u32 [sums], {0, 0, 0, 0}; bar.sync 0;
                 mov.b32 {%h1, %h2}, %b0; and.b32 %r1, %x1, 1; shl.b32 %r1, %r1, 1;
                 mov.u32 %r2, sums; add.s32 %r1, %r1, %r2;
                 atom.shared.add.noftz.f16 %h3, [%r1], %h1; atom.shared.add.noftz.f16x2 %r3, [sums+4], %b1;
                 red.shared.add.noftz.bf16 [sums+10], %h2; cvt.u64.u16 %d8, %h3;
                 and.b32 %r4, %x1, 7; cvt.u16.u32 %h4, %r4;
                 add.s16 %h5, %h4, 1; atom.shared.cas.b16 %h6, [%r1+12], %h4, %h5; bar.sync 0;
                 ld.shared.u32 %r5, [sums+8]; ld.shared.u32 %r6, [sums+12];
                 xor.b32 %r5, %r5, %r6; mov.b64 %d9, {%r3, %r5};";
    let found = both(lines, BLOCK, &small, |bits| bits);
    for (block, found) in small.chunks(BLOCK as usize).zip(found.chunks(BLOCK as usize)) {
        let (mut sums, mut pair, mut brain) = ([Half::ZERO; 2], [Half::ZERO; 2], BFloat::ZERO);
        let mut counts = [0_u64; 2];
        for (thread, (three, found)) in block.iter().zip(found).enumerate() {
            let place = thread & 1;
            assert_eq!(found[0], sums[place].to_bits() as u64, "thread {thread}");
            sums[place] = (sums[place] + half(three[0])).value;
            assert_eq!(found[1] & 0xffff_ffff, pair[0].to_bits() as u64 | (pair[1].to_bits() as u64) << 16);
            pair = [0, 1].map(|at| (pair[at] + half(three[1] >> (16 * at))).value);
            brain = (brain + BFloat::from_bits((three[0] >> 16 & 0xffff).into())).value;
            counts[place] += u64::from(counts[place] == thread as u64 & 7);
        }
        let last = (brain.to_bits() as u64) << 16 ^ counts[0] ^ counts[1] << 16;
        assert!(found.iter().all(|found| found[1] >> 32 == last), "{last:x} {found:x?}");
        assert!(counts.iter().sum::<u64>() > 0);
    }
}
