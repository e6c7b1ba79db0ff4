//! Kernels of clang's on numbers of other widths: integers of 128 bits, 16-bit floats in pairs, directed rounding of
//! binary64, reductions over a barrier; by the interpreter and by words, against plain arithmetic.

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const THREADS: usize = 48;

/// What all buffers hold behind a kernel that is given some, and writes `words` elements for each thread to a last one.
fn run(kernel: &str, inputs: &[Vec<u64>], words: usize, element: &str) -> Vec<Vec<u64>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/numbers/numbers.ptx");
    let module = parse("numbers.ptx", &std::fs::read_to_string(path).expect("the file is there"));
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    let buffer = |bits: &[u64]| Buffer::of(element.parse().expect("a type"), bits.iter().copied());
    let mut arguments: Vec<Argument> = inputs.iter().map(|bits| Argument::Buffer(buffer(bits))).collect();
    arguments.push(Argument::Buffer(buffer(&vec![0; words * THREADS])));
    let plan = Plan { grid: [2, 1, 1], block: [THREADS as u32 / 2, 1, 1], arguments, ..Plan::new(kernel) };
    let out = |buffers: &[Option<Buffer>]| -> Vec<Vec<u64>> {
        buffers.iter().map(|buffer| buffer.as_ref().expect("a buffer").bits().collect()).collect()
    };
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let params = DualityParams::preset("cb").expect("a preset");
    let words = Words { checked: true, tries: 0, ..Words::new(&params) };
    let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(out(&ran.buffers), out(&expected.buffers), "{kernel}");
    out(&expected.buffers)
}

fn random(seed: u64) -> ChaCha8Rng {
    println!("seed {seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

#[test]
fn integers_of_128_bits() {
    let mut random = random(61);
    let mut numbers = || -> Vec<u128> {
        let mut any =
            |at: usize| -> u128 { if at.is_multiple_of(5) { u128::MAX << (at % 128) } else { random.random() } };
        (0..THREADS).map(|at| any(at) >> [0, 1, 64, 100][at % 4]).collect()
    };
    let inputs = [numbers(), numbers()];
    let halves = |numbers: &Vec<u128>| numbers.iter().flat_map(|x| [*x as u64, (x >> 64) as u64]).collect();
    let found = &run("wide", &inputs.each_ref().map(halves), 8, "u64")[2];
    for (thread, found) in found.chunks(8).enumerate() {
        let (x, y) = (inputs[0][thread], inputs[1][thread]);
        let shifted = if (x as i128) < y as i128 { x >> (y & 127) } else { y << (x & 127) };
        let expected = [x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), shifted];
        let found: Vec<u128> = found.chunks(2).map(|two| u128::from(two[1]) << 64 | u128::from(two[0])).collect();
        assert_eq!(found, expected, "{x:#x} {y:#x}");
    }
}

/// Pairs of numbers that are neither NaN nor large.
fn pairs(random: &mut ChaCha8Rng, infinity: u64) -> Vec<u64> {
    let mut number = || random.random_range(infinity / 3..infinity * 2 / 3) | random.random_range(0..2) << 15;
    (0..THREADS).map(|_| number() | number() << 16).collect()
}

fn half<F: Float>(pair: u64, at: u32) -> F {
    F::from_bits((pair >> (16 * at) & 0xffff).into())
}

#[test]
fn pairs_of_half() {
    let mut random = random(62);
    let inputs = [pairs(&mut random, 0x7c00), pairs(&mut random, 0x7c00)];
    let found = &run("halves", &inputs, 3, "u32")[2];
    for thread in 0..THREADS {
        for at in 0..2 {
            let [a, b] = [0, 1].map(|input| half::<Half>(inputs[input][thread], at));
            let by: Half = if at == 0 { "0.5" } else { "3" }.parse().expect("a number");
            let expected = [((a * b).value + a).value, (-a - b).value, (a * by).value];
            let found = [0, 1, 2].map(|index| half::<Half>(found[3 * thread + index], at));
            assert!(found.iter().zip(&expected).all(|(a, b)| a.bitwise_eq(*b)), "{a} {b}: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn pairs_of_bfloat16() {
    let mut random = random(63);
    let inputs = [pairs(&mut random, 0x7f80), pairs(&mut random, 0x7f80)];
    let found = &run("brains", &inputs, 3, "u32")[2];
    let nearest = Round::NearestTiesToEven;
    let single = |x: BFloat| -> Single { x.convert_r(nearest, &mut false).value };
    let brain = |x: Single| -> BFloat { x.convert_r(nearest, &mut false).value };
    for thread in 0..THREADS {
        let [a, b] = [0, 1].map(|input| [0, 1].map(|at| half::<BFloat>(inputs[input][thread], at)));
        let tenth: Single = "0.1".parse().expect("a number");
        let third = [if a[0] < b[1] { a[0] } else { -b[1] }, brain((single(a[0]) * tenth).value)];
        for at in 0..2 {
            // clang rounds to bfloat16 what is stored, and what is between to binary32.
            let product = (single(a[at]) * single(b[at])).value;
            let expected = [brain((product + single(a[at])).value), (a[at] + b[at]).value, third[at]];
            let found = [0, 1, 2].map(|index| half::<BFloat>(found[3 * thread + index], at as u32));
            assert!(
                found.iter().zip(&expected).all(|(a, b)| a.bitwise_eq(*b)),
                "{a:?} {b:?}: {found:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn directed_rounding() {
    let mut random = random(64);
    let mut numbers = || (0..THREADS).map(|_| random.random_range(0.0_f64..9.0).to_bits()).collect::<Vec<u64>>();
    let inputs = [numbers(), numbers()];
    let found = &run("directed", &inputs, 4, "u64")[2];
    for thread in 0..THREADS {
        let [a, b] = [0, 1].map(|input| Double::from_bits(inputs[input][thread].into()));
        let up = Round::TowardPositive;
        let expected =
            [a.add_r(b, Round::TowardZero).value, a.mul_add_r(b, b, up).value, a.div_r(b, Round::TowardNegative).value];
        let expected = expected.map(|x| x.to_bits() as u64);
        assert_eq!(found[4 * thread..][..3], expected, "{a} {b}");
        let root = Double::from_bits(found[4 * thread + 3].into());
        let below = root.next_down().value;
        assert!(root.mul_r(root, up).value >= b && below.mul_r(below, up).value <= b, "{b}: {root}");
    }
}

#[test]
fn reductions_over_a_barrier() {
    let mut random = random(65);
    let mut numbers: Vec<u64> = (0..THREADS).map(|_| random.random_range(0..512)).collect();
    // In the first block all have one of two bits, in the second one somebody has a high bit.
    numbers[..THREADS / 2].iter_mut().for_each(|number| *number |= 2);
    (numbers[THREADS / 2], numbers[THREADS - 1]) = (0, 1024);
    let found = &run("counted", &[numbers.clone()], 3, "u32")[1];
    for (numbers, found) in numbers.chunks(THREADS / 2).zip(found.chunks(3 * THREADS / 2)) {
        let count = numbers.iter().filter(|number| *number & 1 == 1).count() as u64;
        let (all, some) = (numbers.iter().all(|n| n & 6 != 0), numbers.iter().any(|n| n & 1024 != 0));
        let expected = [count, all.into(), some.into()];
        assert!(found.chunks(3).all(|found| *found == expected), "{found:?}, not {expected:?}");
    }
}

/// Sums of 16-bit numbers in memory come in the order of threads.
#[test]
fn sums_in_memory() {
    let mut random = random(66);
    let numbers = pairs(&mut random, 0x4c00);
    let found = run("summed", &[numbers.clone(), vec![0x1234, 0, 0, 0]], 2, "u32");
    let (mut single, mut both, mut brains) = (Half::ZERO, [Half::ZERO; 2], [BFloat::ZERO; 2]);
    let joined = |low: u128, high: u128| low as u64 | (high as u64) << 16;
    for (thread, pair) in numbers.into_iter().enumerate() {
        let before = [single.to_bits() as u64, joined(both[0].to_bits(), both[1].to_bits())];
        assert_eq!(found[2][2 * thread..][..2], before, "thread {thread}");
        single = (single + half(pair, 0)).value;
        both = [0, 1].map(|at| (both[at as usize] + half(pair, at)).value);
        brains = [0, 1].map(|at| (brains[at as usize] + half(pair, at)).value);
    }
    let [both, brains] =
        [joined(both[0].to_bits(), both[1].to_bits()), joined(brains[0].to_bits(), brains[1].to_bits())];
    assert_eq!(found[1], [joined(0x1234, single.to_bits()), both, brains, 0]);
}
