//! `sim cuda` with kernels in OpenCL C: what they leave, worked out here, on PTX and on words.

use std::path::{Path, PathBuf};

use super::{skipped, source, text};

const ENGINES: [&str; 2] = ["interpreter", "words"];

fn file() -> PathBuf {
    source("tb/cuda_cli/opencl.cl")
}

/// What buffers hold behind a launch on an engine, in text, a number a line: those of `outs`.
fn left(engine: &str, kernel: &str, sizes: [&str; 2], arguments: &[String], outs: &[usize]) -> Vec<Vec<String>> {
    left_of(&file(), engine, kernel, sizes, arguments, outs)
}

/// The same with a kernel of a file.
fn left_of(
    file: &Path,
    engine: &str,
    kernel: &str,
    sizes: [&str; 2],
    arguments: &[String],
    outs: &[usize],
) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = super::sim_cuda(file, kernel);
    command.args(["--engine", engine, "--preset", "small", "--grid", sizes[0], "--block", sizes[1]]);
    arguments.iter().for_each(|argument| _ = command.args(["--arg", argument]));
    let path = |out: &usize| folder.path().join(format!("{out}.csv"));
    outs.iter().for_each(|out| _ = command.arg("--out").arg(format!("{out}:{}", path(out).display())));
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{kernel} on {engine}: {}", text(&output.stderr));
    let read = |out| std::fs::read_to_string(path(out)).expect("it is written").lines().map(str::to_string).collect();
    outs.iter().map(read).collect()
}

/// The same as numbers.
fn numbers<T: std::str::FromStr>(texts: &[String]) -> Vec<T> {
    let number = |text: &String| text.parse().unwrap_or_else(|_| panic!("{text} is a number"));
    texts.iter().map(number).collect()
}

/// A buffer with these numbers, in a file of the folder.
fn given<T: std::fmt::Display>(folder: &tempfile::TempDir, kind: &str, name: &str, numbers: &[T]) -> String {
    let path = folder.path().join(name);
    let lines: String = numbers.iter().map(|number| format!("{number}\n")).collect();
    std::fs::write(&path, lines).expect("the folder can be written");
    format!("csv:{kind}:{}", path.display())
}

#[test]
fn local_memory_is_an_argument() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let input: Vec<i32> = (0..64).map(|at| 7 * at * at - 300).collect();
    let table = [3, 1, 4, 1];
    let expected = (0..64).map(|at| {
        let (block, thread) = (at / 32 * 32, at % 32);
        input[block + 31 - thread] * [10, -3][thread % 2] + table[thread % 4] + input[block]
    });
    let expected: Vec<i32> = expected.collect();
    let weights = given(&folder, "s32", "weights.csv", &[10, -3]);
    let arguments =
        [given(&folder, "s32", "in.csv", &input), "zero:s32:64".into(), "local:s32:32".into(), weights.clone()];
    for engine in ENGINES {
        let found = left(engine, "reversed", ["2", "32"], &arguments, &[1]);
        assert_eq!(numbers::<i32>(&found[0]), expected, "{engine}");
    }
    // A buffer is in the wrong memory; an array in none.
    let refused = |at: usize, argument: &str| {
        let mut arguments = arguments.clone();
        arguments[at] = argument.into();
        let mut command = super::sim_cuda(&file(), "reversed");
        arguments.iter().for_each(|argument| _ = command.args(["--arg", argument]));
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let said = refused(2, "zero:s32:32");
    assert!(said.contains("reversed takes shared memory here, such as local:f32:64"), "{said}");
    let said = refused(1, "local:s32:32");
    assert!(said.contains("128 bytes of shared memory: reversed takes a .u32 here"), "{said}");
    let said = refused(2, "local:s32:13000");
    assert!(said.contains("shared = 520") && said.contains("must be at most 49152"), "{said}");
}

/// The example: sums in the order of a tree, for which the launch gives local memory.
#[test]
fn an_example_reduces() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let given_numbers: Vec<f32> = (0..1000).map(|at| (at * 193 % 777) as f32 / 16.0 - 20.0).collect();
    let tree = |numbers: &[f32]| {
        let mut parts = [0.0; 128];
        parts[..numbers.len()].copy_from_slice(numbers);
        for distance in [64, 32, 16, 8, 4, 2, 1] {
            (0..distance).for_each(|at| parts[at] += parts[at + distance]);
        }
        parts[0]
    };
    let expected: Vec<f32> = given_numbers.chunks(128).map(tree).collect();
    let arguments = [
        given(&folder, "f32", "in.csv", &given_numbers),
        "zero:f32:8".into(),
        "s32:1000".into(),
        "local:f32:128".into(),
    ];
    for engine in ENGINES {
        let example = source("examples/cuda/opencl-reduce.cl");
        let found = left_of(&example, engine, "reduce", ["8", "128"], &arguments, &[1]);
        assert_eq!(numbers::<f32>(&found[0]), expected, "{engine}");
    }
}

#[test]
fn items_know_their_places() {
    if skipped() {
        return;
    }
    let [grid, block] = [[2_u32, 1, 3], [4, 3, 2]];
    let mut expected = vec![0; 2 * 2 * 3 * 24];
    let size = [0, 1, 2].map(|axis| grid[axis] * block[axis]);
    for (z, y, x) in (0..size[2]).flat_map(|z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| (z, y, x)))) {
        let at = ((z * size[1] + y) * size[0] + x) as usize;
        let local = (z % block[2] * block[1] + y % block[1]) * block[0] + x % block[0];
        expected[2 * at] = x | y << 4 | z << 8 | (x / block[0]) << 12 | local << 16;
        expected[2 * at + 1] = size[0] | block[1] << 8 | grid[0] << 16 | 3 << 24;
    }
    for engine in ENGINES {
        let arguments = [format!("zero:u32:{}", expected.len())];
        let found = left(engine, "places", ["2,1,3", "4,3,2"], &arguments, &[0]);
        assert_eq!(numbers::<u32>(&found[0]), expected, "{engine}");
    }
}

/// Numbers at edges, and others.
fn integers(seed: u32) -> Vec<i32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state ^ state >> 16) as i32
    };
    (0..64)
        .map(|at| match at % 4 {
            0 => [0, 1, -1, i32::MAX, i32::MIN, 255, -128, 0x7f][next() as usize % 8],
            1 => next() % 300,
            _ => next(),
        })
        .collect()
}

#[test]
fn integer_functions_are_those_of_opencl() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (a, b) = (integers(1), integers(2));
    let of = |(&x, &y): (&i32, &i32)| -> [i32; 20] {
        let (u, v, wide) = (x as u32, y as u32, i64::from(x) * i64::from(y));
        let bytes = (x as u8, y as u8);
        [
            x.min(y),
            u.max(v) as i32,
            x.clamp(-100, 100),
            x.unsigned_abs() as i32,
            x.abs_diff(y) as i32,
            x.saturating_add(y),
            u.saturating_sub(v) as i32,
            (wide >> 32) as i32,
            ((u64::from(u) * u64::from(v)) >> 32) as i32,
            ((x & 0xffff) * 77).wrapping_add(y),
            u.rotate_left(v % 32) as i32,
            u.count_ones() as i32,
            x.leading_zeros() as i32,
            ((i64::from(x) + i64::from(y)) >> 1) as i32,
            (u64::from(u) + u64::from(v)).div_ceil(2) as i32,
            if x < y { y } else { x },
            x & !0x0f0f_0f0f | y & 0x0f0f_0f0f,
            x.clamp(0, 255) | y.clamp(-32768, 32767) << 16,
            x << 16 | y & 0xffff,
            i32::from(bytes.0.rotate_left(u32::from(bytes.1) % 8)) << 8 | bytes.1.leading_zeros() as i32,
        ]
    };
    let expected: Vec<i32> = a.iter().zip(&b).flat_map(of).collect();
    let arguments = [
        given(&folder, "s32", "a.csv", &a),
        given(&folder, "s32", "b.csv", &b),
        format!("zero:s32:{}", expected.len()),
    ];
    for engine in ENGINES {
        let found = left(engine, "integers", ["2", "32"], &arguments, &[2]);
        let found = numbers::<i32>(&found[0]);
        for (at, (found, expected)) in found.chunks(20).zip(expected.chunks(20)).enumerate() {
            assert_eq!(found, expected, "{engine}: {} and {}", a[at], b[at]);
        }
    }
}

#[test]
fn float_functions_are_those_of_opencl() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let eighths = |seed| integers(seed).iter().map(|x| (x % 4000) as f32 / 8.0).collect::<Vec<f32>>();
    let (a, b) = (eighths(3), eighths(4));
    let of = |(&x, &y): (&f32, &f32)| -> [f32; 16] {
        [
            x.min(y),
            x.mul_add(y, 1.5),
            x * y + 1.5,
            x.abs().sqrt(),
            x.floor(),
            x.ceil(),
            x.trunc(),
            x.round_ties_even(),
            x.round(),
            x + (y - x) * 0.25,
            if y < x { 0.0 } else { 1.0 },
            if x == 0.0 { 0.0 } else { x.signum() },
            x.floor(),
            (x * 16.0).round_ties_even().clamp(0.0, 255.0),
            ((x * y + y * x) + x) + 2.0 * y,
            x.copysign(y),
        ]
    };
    let expected: Vec<f32> = a.iter().zip(&b).flat_map(of).collect();
    let arguments = [
        given(&folder, "f32", "a.csv", &a),
        given(&folder, "f32", "b.csv", &b),
        format!("zero:f32:{}", expected.len()),
    ];
    for engine in ENGINES {
        let found = left(engine, "floats", ["2", "32"], &arguments, &[2]);
        let found = numbers::<f32>(&found[0]);
        for (at, (found, expected)) in found.chunks(16).zip(expected.chunks(16)).enumerate() {
            assert_eq!(found, expected, "{engine}: {} and {}", a[at], b[at]);
        }
    }
}

/// Within what docs/cuda.md says of the functions.
#[test]
fn approximate_functions_are_near() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let a: Vec<f32> = (-31..33).map(|at| at as f32 / 8.0 + 0.0625).collect();
    let of = |x: &f32| -> [f64; 12] {
        let x = f64::from(*x);
        let t = ((x + 2.0) / 4.0).clamp(0.0, 1.0);
        [
            x.exp(),
            (x.abs() + 1.0).ln(),
            x.sin(),
            x.cos(),
            x.tanh(),
            x * x * x,
            x * x,
            1.0 / (x.abs() + 1.0).sqrt(),
            t * t * (3.0 - 2.0 * t),
            (x * x + 13.0).sqrt(),
            2.0 / (x * x + 4.0).sqrt(),
            x * x - 3.0,
        ]
    };
    let arguments = [given(&folder, "f32", "a.csv", &a), format!("zero:f32:{}", 12 * a.len())];
    for engine in ENGINES {
        let found = left(engine, "functions", ["2", "32"], &arguments, &[1]);
        let found = numbers::<f64>(&found[0]);
        for (x, found) in a.iter().zip(found.chunks(12)) {
            for (at, (found, exact)) in found.iter().zip(of(x)).enumerate() {
                assert!((found - exact).abs() < 2e-6 * exact.abs().max(1.0), "{engine}: {at} of {x}: {found}, {exact}");
            }
        }
    }
}

#[test]
fn vectors_are_taken_apart() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let a: Vec<f32> = (0..64).map(|at| (at * 37 % 101) as f32 / 64.0 - 0.5).collect();
    let b: Vec<i16> = (0..128).map(|at| at * 91 - 5000).collect();
    let (mut expected, mut bits) = (Vec::new(), Vec::new());
    for (x, y) in a.chunks(4).zip(b.chunks(8)) {
        let clamped = [0, 1, 2, 3].map(|at| (x[at] * 2.0).clamp(0.0, 1.0));
        expected.extend([3, 2, 1, 0].map(|at| clamped[at].max(clamped[(at + 1) % 4])));
        bits.extend([(7, 0), (0, 1)].map(|(at, of)| i32::from(y[at]) - i32::from(x[of] < 0.0)));
    }
    let arguments = [
        given(&folder, "f32", "a.csv", &a),
        given(&folder, "s16", "b.csv", &b),
        "zero:f32:64".into(),
        "zero:s32:32".into(),
    ];
    for engine in ENGINES {
        let found = left(engine, "vectors", ["1", "16"], &arguments, &[2, 3]);
        assert_eq!(numbers::<f32>(&found[0]), expected, "{engine}");
        assert_eq!(numbers::<i32>(&found[1]), bits, "{engine}");
    }
}

#[test]
fn atomic_operations_are_those_of_opencl() {
    if skipped() {
        return;
    }
    let ids = 0..96_i32;
    let differ = ids.clone().fold(0, |all, id| all ^ id);
    let expected = [-ids.clone().sum::<i32>(), 96, -1, -95, differ, 7, 2.5_f32.to_bits() as i32];
    for engine in ENGINES {
        let arguments = ["zero:s32:7", "zero:u32:1", "zero:s32:1"].map(str::to_string);
        let found = left(engine, "together", ["3", "32"], &arguments, &[0, 1, 2]);
        assert_eq!(numbers::<i32>(&found[0]), expected, "{engine}");
        assert_eq!((found[1][0].as_str(), found[2][0].as_str()), ("2147483743", "192"), "{engine}");
    }
}
