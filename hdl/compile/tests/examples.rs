//! The example kernels in the interpreter, each against plain Rust: bit by bit, for their arithmetic is in the same
//! order and rounded the same way.

mod programs;

use crate::common;
use bitline_compile::launch::{Argument, Buffer, Element, Outcome, Plan};
use pretty_assertions::assert_eq;

fn element(name: &str) -> Element {
    name.parse().expect("a type")
}

fn floats(seed: u64, count: usize) -> Vec<f32> {
    let buffer = Buffer::random(element("f32"), count as u64, seed, Some(("-4", "4"))).expect("numbers");
    buffer.bits().map(|bits| f32::from_bits(bits as u32)).collect()
}

fn whole(seed: u64, count: usize, low: &str, high: &str) -> Vec<i32> {
    let buffer = Buffer::random(element("s32"), count as u64, seed, Some((low, high))).expect("numbers");
    buffer.bits().map(|bits| bits as i32).collect()
}

fn f(numbers: &[f32]) -> Argument {
    Argument::Buffer(Buffer::of(element("f32"), numbers.iter().map(|x| u64::from(x.to_bits()))))
}

fn i(numbers: &[i32]) -> Argument {
    Argument::Buffer(Buffer::of(element("s32"), numbers.iter().map(|x| *x as u64)))
}

fn b(numbers: &[u8]) -> Argument {
    Argument::Buffer(Buffer::of(element("u8"), numbers.iter().map(|x| u64::from(*x))))
}

fn number(x: i32) -> Argument {
    Argument::Number { element: element("s32"), bits: u64::from(x as u32) }
}

fn real(x: f32) -> Argument {
    Argument::Number { element: element("f32"), bits: u64::from(x.to_bits()) }
}

fn run(file: &str, kernel: &str, grid: [u32; 3], block: [u32; 3], arguments: Vec<Argument>) -> Outcome {
    let plan = Plan { grid, block, arguments, ..Plan::new(kernel) };
    plan.interpret(&common::module(file), &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"))
}

fn bits(outcome: &Outcome, index: usize) -> Vec<u64> {
    outcome.buffers[index].as_ref().expect("a buffer").bits().collect()
}

fn as_f32(outcome: &Outcome, index: usize) -> Vec<f32> {
    bits(outcome, index).iter().map(|bits| f32::from_bits(*bits as u32)).collect()
}

fn as_i32(outcome: &Outcome, index: usize) -> Vec<i32> {
    bits(outcome, index).iter().map(|bits| *bits as i32).collect()
}

/// Numbers by their bits, so that −0 and NaN count.
fn same(found: &[f32], expected: &[f32]) {
    let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected));
}

#[test]
fn vecadd() {
    let (a, x) = (floats(1, 1000), floats(2, 1000));
    let outcome =
        run("vecadd.ptx", "vecadd", [4, 1, 1], [256, 1, 1], vec![f(&a), f(&x), f(&[0.0; 1001]), number(1000)]);
    let sums = a.iter().zip(&x).map(|(a, x)| a + x).chain([0.0]).collect::<Vec<_>>();
    same(&as_f32(&outcome, 2), &sums);
    assert_eq!((outcome.counts.threads, outcome.counts.barriers), (1024, 0));
}

#[test]
fn nn() {
    let records = floats(3, 600);
    let arguments = vec![f(&records), f(&[9.0; 300]), number(300), real(1.25), real(-0.5)];
    let outcome = run("nn.ptx", "nn", [5, 1, 1], [64, 1, 1], arguments);
    let distance = |pair: &[f32]| {
        let (x, y) = (pair[0] - 1.25, pair[1] + 0.5);
        (x * x + y * y).sqrt()
    };
    same(&as_f32(&outcome, 1), &records.chunks(2).map(distance).collect::<Vec<_>>());
}

#[test]
fn backprop() {
    let (input, weight) = (floats(4, 64), floats(5, 64 * 16));
    let arguments = vec![f(&input), f(&weight), f(&[0.0; 64]), number(16)];
    let outcome = run("backprop.ptx", "layer", [1, 4, 1], [16, 16, 1], arguments);
    let mut partial = vec![0.0; 64];
    for block in 0..4 {
        for unit in 0..16 {
            let row = |own: usize| block * 16 + own;
            let mut tree: Vec<f32> = (0..16).map(|own| weight[row(own) * 16 + unit] * input[row(own)]).collect();
            for apart in [8, 4, 2, 1] {
                (0..apart).for_each(|own| tree[own] += tree[own + apart]);
            }
            partial[block * 16 + unit] = tree[0];
        }
    }
    same(&as_f32(&outcome, 2), &partial);
    assert_eq!(outcome.counts.barriers, 4 * 6);

    let (last, delta) = (floats(6, 64 * 16), floats(7, 16));
    let arguments = vec![f(&weight), f(&last), f(&delta), f(&input), number(16), real(0.3), real(0.75)];
    let outcome = run("backprop.ptx", "adjust", [1, 4, 1], [16, 16, 1], arguments);
    let step = |at: usize| 0.3 * delta[at % 16] * input[at / 16] + 0.75 * last[at];
    same(&as_f32(&outcome, 1), &(0..64 * 16).map(step).collect::<Vec<f32>>());
    same(&as_f32(&outcome, 0), &(0..64 * 16).map(|at| weight[at] + step(at)).collect::<Vec<f32>>());
}

#[test]
fn hotspot() {
    let (columns, rows) = (37_usize, 21_usize);
    let (power, from) = (floats(8, columns * rows), floats(9, columns * rows));
    let mut arguments = vec![f(&power), f(&from), f(&vec![0.0; columns * rows])];
    arguments.extend([number(columns as i32), number(rows as i32)]);
    arguments.extend([0.5, 0.1, 0.2, 0.05, 3.0].map(real));
    let outcome = run("hotspot.ptx", "hotspot", [3, 2, 1], [16, 16, 1], arguments);
    let cell = |at: usize| {
        let (x, y) = (at % columns, at / columns);
        let here = from[at];
        let north = if y == 0 { here } else { from[at - columns] };
        let south = if y == rows - 1 { here } else { from[at + columns] };
        let west = if x == 0 { here } else { from[at - 1] };
        let east = if x == columns - 1 { here } else { from[at + 1] };
        let change = power[at] + (north + south - 2.0 * here) * 0.2 + (east + west - 2.0 * here) * 0.1;
        here + 0.5 * (change + (3.0 - here) * 0.05)
    };
    same(&as_f32(&outcome, 2), &(0..columns * rows).map(cell).collect::<Vec<f32>>());
}

#[test]
fn pathfinder() {
    let (columns, steps) = (500_usize, 3_usize);
    let (wall, from) = (whole(10, columns * 5, "0", "9"), whole(11, columns, "0", "99"));
    let arguments =
        vec![i(&wall), i(&from), i(&vec![-1; columns]), number(columns as i32), number(2), number(steps as i32)];
    let outcome = run("pathfinder.ptx", "pathfinder", [2, 1, 1], [256, 1, 1], arguments);
    let mut cost = from;
    for row in 2..2 + steps {
        let best = |x: usize| (x.saturating_sub(1)..=(x + 1).min(columns - 1)).map(|x| cost[x]).min().expect("one");
        cost = (0..columns).map(|x| best(x) + wall[row * columns + x]).collect();
    }
    assert_eq!(as_i32(&outcome, 2), cost);
}

#[test]
fn bfs() {
    let nodes = 300_usize;
    let degrees = whole(12, nodes, "1", "4");
    let mut first = vec![0];
    degrees.iter().for_each(|degree| first.push(first[first.len() - 1] + degree));
    let edges = whole(13, first[nodes] as usize, "0", "299");
    let mut level = vec![-1; nodes];
    level[7] = 0;
    let mut frontier = vec![0; nodes];
    frontier[7] = 1;
    let (mut found, mut edge) = (level.clone(), vec![7_usize]);
    for depth in 1..=50 {
        let arguments = vec![
            i(&first),
            i(&edges),
            b(&frontier),
            b(&vec![0; nodes]),
            i(&found),
            i(&[0]),
            number(nodes as i32),
            number(depth),
        ];
        let outcome = run("bfs.ptx", "bfs", [3, 1, 1], [128, 1, 1], arguments);
        frontier = bits(&outcome, 3).iter().map(|bits| *bits as u8).collect();
        found = as_i32(&outcome, 4);
        // The same by a queue.
        let mut next = Vec::new();
        for v in edge {
            for w in &edges[first[v] as usize..first[v + 1] as usize] {
                if level[*w as usize] < 0 {
                    level[*w as usize] = depth;
                    next.push(*w as usize);
                }
            }
        }
        edge = next;
        assert_eq!((as_i32(&outcome, 5)[0] != 0, &found), (!edge.is_empty(), &level), "depth {depth}");
        if edge.is_empty() {
            assert!(depth > 3, "too small a graph");
            return;
        }
    }
    panic!("the search does not end");
}

#[test]
fn gaussian() {
    let size = 20_usize;
    let (mut a, mut x) = (floats(14, size * size), floats(15, size));
    let (mut own_a, mut own_x) = (a.clone(), x.clone());
    for t in 0..size - 1 {
        let last = [number(size as i32), number(t as i32)];
        let arguments = [vec![f(&a), f(&vec![0.0; size])], last.to_vec()].concat();
        let m = as_f32(&run("gaussian.ptx", "multipliers", [2, 1, 1], [16, 1, 1], arguments), 1);
        let arguments = [vec![f(&a), f(&x), f(&m)], last.to_vec()].concat();
        let outcome = run("gaussian.ptx", "eliminate", [3, 3, 1], [8, 8, 1], arguments);
        (a, x) = (as_f32(&outcome, 0), as_f32(&outcome, 1));
        for row in t + 1..size {
            let m = own_a[row * size + t] / own_a[t * size + t];
            (t..size).for_each(|column| own_a[row * size + column] -= m * own_a[t * size + column]);
            own_x[row] -= m * own_x[t];
        }
        same(&a, &own_a);
        same(&x, &own_x);
    }
}

#[test]
fn gameoflife() {
    let (columns, rows) = (30_usize, 17_usize);
    let from: Vec<u8> = whole(16, columns * rows, "0", "1").iter().map(|x| *x as u8).collect();
    let arguments = vec![b(&from), b(&vec![7; columns * rows]), number(columns as i32), number(rows as i32)];
    let outcome = run("gameoflife.ptx", "generation", [4, 3, 1], [8, 8, 1], arguments);
    let cell = |at: usize| {
        let (x, y) = (at % columns, at / columns);
        let beside = |dx: usize, dy: usize| from[(y + dy) % rows * columns + (x + dx) % columns];
        let around = [0, 1, rows - 1].into_iter().flat_map(|dy| [0, 1, columns - 1].map(|dx| beside(dx, dy)));
        let around = around.sum::<u8>() - from[at];
        u64::from(around == 3 || around == 2 && from[at] == 1)
    };
    assert_eq!(bits(&outcome, 1), (0..columns * rows).map(cell).collect::<Vec<_>>());
}

#[test]
fn matvec() {
    let (rows, columns) = (70_usize, 33_usize);
    let (matrix, vector) = (floats(17, rows * columns), floats(18, columns));
    let arguments = vec![f(&matrix), f(&vector), f(&vec![0.0; rows]), number(rows as i32), number(columns as i32)];
    let outcome = run("matvec.ptx", "matvec", [3, 1, 1], [32, 1, 1], arguments);
    let row = |row: &[f32]| row.iter().zip(&vector).fold(0.0, |sum, (a, x)| sum + a * x);
    same(&as_f32(&outcome, 2), &matrix.chunks(columns).map(row).collect::<Vec<f32>>());
}

#[test]
fn matmul() {
    let n = 48_usize;
    let (a, x) = (floats(19, n * n), floats(20, n * n));
    let arguments = vec![f(&a), f(&x), f(&vec![0.0; n * n]), number(n as i32)];
    let outcome = run("matmul.ptx", "matmul", [3, 3, 1], [16, 16, 1], arguments);
    let cell = |at: usize| (0..n).fold(0.0, |sum, k| sum + a[at / n * n + k] * x[k * n + at % n]);
    same(&as_f32(&outcome, 2), &(0..n * n).map(cell).collect::<Vec<f32>>());
    assert_eq!(outcome.counts.barriers, 9 * 3 * 2);
}

#[test]
fn reduce() {
    let (n, limit) = (250_usize, 1.5_f32);
    let numbers = floats(23, n);
    let arguments = vec![f(&numbers), f(&[0.0; 3]), i(&[0; 3]), real(limit), number(n as i32)];
    let outcome = run("reduce.ptx", "reduce", [3, 1, 1], [96, 1, 1], arguments);
    let warp = |numbers: &[f32]| {
        let mut sums = [0.0; 32];
        sums[..numbers.len()].copy_from_slice(numbers);
        for distance in [16, 8, 4, 2, 1] {
            (0..distance).for_each(|lane| sums[lane] += sums[lane + distance]);
        }
        sums[0]
    };
    let block = |block: &[f32]| block.chunks(32).map(warp).fold(0.0, |sum, part| sum + part);
    same(&as_f32(&outcome, 1), &numbers.chunks(96).map(block).collect::<Vec<f32>>());
    let above = numbers.chunks(96).map(|block| block.iter().filter(|x| **x > limit).count() as i32);
    assert_eq!(as_i32(&outcome, 2), above.collect::<Vec<_>>());
}

/// Prices in binary64, with the same polynomial for the normal distribution.
#[test]
fn blackscholes() {
    let n = 150_usize;
    let numbers = |seed, low, high| {
        let buffer = Buffer::random(element("f32"), n as u64, seed, Some((low, high))).expect("numbers");
        buffer.bits().map(|bits| f32::from_bits(bits as u32)).collect::<Vec<_>>()
    };
    let (price, strike, years) = (numbers(24, "5", "30"), numbers(25, "1", "100"), numbers(26, "0.25", "10"));
    let mut arguments = vec![f(&price), f(&strike), f(&years), f(&vec![0.0; n]), f(&vec![0.0; n]), number(n as i32)];
    arguments.extend([0.02, 0.065, 0.3].map(real));
    let outcome = run("blackscholes.ptx", "blackscholes", [3, 1, 1], [64, 1, 1], arguments);
    let normal = |d: f64| {
        let k = 1.0 / (1.0 + 0.2316419 * d.abs());
        let factors = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
        let above = 0.3989422804 * (-0.5 * d * d).exp() * factors.iter().fold(0.0, |sum, factor| k * (factor + sum));
        if d > 0.0 { 1.0 - above } else { above }
    };
    let (call, put) = (as_f32(&outcome, 3), as_f32(&outcome, 4));
    for at in 0..n {
        let [s, x, t] = [price[at], strike[at], years[at]].map(f64::from);
        let spread = 0.3 * t.sqrt();
        let d = ((s / x).ln() + 0.065 * t) / spread;
        let today = x * (-0.02 * t).exp();
        let value = s * normal(d) - today * normal(d - spread);
        for (found, wanted) in [(call[at], value), (put[at], value - s + today)] {
            assert!((f64::from(found) - wanted).abs() < 2e-5, "{s} {x} {t}: {found}, not {wanted}");
        }
    }
}

#[test]
fn histogram() {
    let data: Vec<u8> = whole(21, 3000, "0", "255").iter().map(|x| (x * x / 256) as u8).collect();
    let mut counts = vec![0; 256];
    data.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    // The second file has 64-bit pointers.
    for file in ["histogram.ptx", "histogram64.ptx"] {
        let arguments = vec![b(&data), i(&[0; 256]), number(3000)];
        let outcome = run(file, "histogram", [3, 1, 1], [96, 1, 1], arguments);
        assert_eq!(as_i32(&outcome, 1), counts, "{file}");
    }
}

/// Where clang is, what it makes of the sources is what the files say.
#[test]
fn ptx_is_what_clang_makes() {
    if std::process::Command::new("clang-19").arg("--version").output().is_err() {
        eprintln!("SKIPPED: clang-19 is not installed; the .ptx files are not compared with their sources");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = common::folder().join("../../scripts/cuda-ptx.sh");
    let status = std::process::Command::new(script).arg(folder.path()).status().expect("the script runs");
    assert!(status.success());
    for (name, text) in common::texts() {
        let made = std::fs::read_to_string(folder.path().join(&name)).expect("clang has written it");
        assert_eq!(made, text, "{name}");
    }
    let calls = ["inlined.ptx", "called.ptx", "called64.ptx", "unoptimized.ptx"].map(|name| ("calls", name));
    let parameters = ["parameters.ptx", "parameters32.ptx", "parameters-unoptimized.ptx"];
    let parameters = parameters.map(|name| ("parameters", name));
    for (of, name) in calls.into_iter().chain(parameters).chain([("numbers", "numbers.ptx")]) {
        let made = std::fs::read_to_string(folder.path().join(name)).expect("clang has written it");
        let text = std::fs::read_to_string(common::folder().join("../../hdl/compile/tests").join(of).join(name));
        assert_eq!(made, text.expect("the file is there"), "{name}");
    }
}
