//! Programs of several launches, one behind the other, and kernels that belong together.

use pretty_assertions::assert_eq;

use super::{as_f32, as_i32, b, f, floats, i, number, real, run, same, whole};

/// By tiles as by rows: each element loses the same products in the same order.
#[test]
fn lud() {
    let size = 32_usize;
    let mut found = floats(70, size * size);
    (0..size).for_each(|at| found[at * size + at] += 40.0);
    let mut a = found.clone();
    for first in (0..size).step_by(8) {
        let left = ((size - first) / 8 - 1) as u32;
        let one = [8, 1, 1];
        let kernels = [
            ("diagonal", [1, 1, 1], one),
            ("beside", [left, 1, 1], one),
            ("below", [left, 1, 1], one),
            ("inside", [left, left, 1], [8, 4, 1]),
        ];
        for (kernel, grid, block) in kernels.into_iter().filter(|kernel| kernel.1[0] > 0) {
            let arguments = vec![f(&found), number(size as i32), number(first as i32)];
            found = as_f32(&run("lud.ptx", kernel, grid, block, arguments), 0);
        }
    }
    for t in 0..size {
        for row in t + 1..size {
            a[row * size + t] /= a[t * size + t];
            (t + 1..size).for_each(|column| a[row * size + column] -= a[row * size + t] * a[t * size + column]);
        }
    }
    same(&found, &a);
}

#[test]
fn streamcluster() {
    let (n, dimensions, candidate) = (90_usize, 5_usize, 41_usize);
    let (points, weight, cost) = (floats(71, n * dimensions), floats(72, n), floats(73, n));
    let arguments = vec![f(&points), f(&weight), f(&vec![0.0; n]), number(90), number(5), number(41)];
    let there = as_f32(&run("streamcluster.ptx", "price", [3, 1, 1], [32, 1, 1], arguments), 2);
    let distance = |i: usize| {
        let apart = |k: usize| points[k * n + i] - points[k * n + candidate];
        (0..dimensions).fold(0.0, |sum, k| sum + apart(k) * apart(k)) * weight[i]
    };
    let expected: Vec<f32> = (0..n).map(distance).collect();
    same(&there, &expected);
    assert_eq!(there[candidate], 0.0);

    let (centre, closed) = (whole(74, n, "0", "9"), [0, 1, 0, 0, 1, 0, 0, 0, 1, 0]);
    let arguments = vec![f(&there), f(&cost), i(&centre), b(&closed), number(90), number(41)];
    let outcome = run("streamcluster.ptx", "reassign", [3, 1, 1], [32, 1, 1], arguments);
    let moves = |i: &usize| there[*i] < cost[*i] || [1, 4, 8].contains(&centre[*i]);
    let moving = (0..n).filter(moves).count();
    assert!(moving > 10 && moving < n - 10, "{moving} of {n} points move");
    same(&as_f32(&outcome, 1), &(0..n).map(|i| if moves(&i) { there[i] } else { cost[i] }).collect::<Vec<_>>());
    assert_eq!(as_i32(&outcome, 2), (0..n).map(|i| if moves(&i) { 41 } else { centre[i] }).collect::<Vec<_>>());
}

#[test]
fn tricubic() {
    let [nx, ny, nz] = [13_usize, 9, 6];
    let (from, weights) = (floats(75, nx * ny * nz), floats(76, 12));
    let mut arguments = vec![f(&from), f(&vec![9.0; nx * ny * nz]), f(&weights)];
    arguments.extend([nx, ny, nz].map(|size| number(size as i32)));
    let outcome = run("tricubic.ptx", "tricubic", [2, 3, 1], [8, 4, 1], arguments);
    let at = |x: usize, y: usize, z: usize| (z * ny + y) * nx + x;
    let cell = |cell: usize| {
        let (x, y, z) = (cell % nx, cell / nx % ny, cell / nx / ny);
        let inside = |at: usize, size: usize| at > 0 && at < size - 2;
        if !(inside(x, nx) && inside(y, ny) && inside(z, nz)) {
            return 9.0;
        }
        let product = |i: usize, y: usize, z: usize| weights[i] * from[at(x + i - 1, y, z)];
        let row = |y: usize, z: usize| (1..4).fold(product(0, y, z), |sum, i| sum + product(i, y, z));
        let plane = |z: usize| (0..4).fold(0.0, |sum, j| sum + weights[4 + j] * row(y + j - 1, z));
        (0..4).fold(0.0, |sum, k| sum + weights[8 + k] * plane(z + k - 1))
    };
    same(&as_f32(&outcome, 1), &(0..nx * ny * nz).map(cell).collect::<Vec<f32>>());
}

/// Across and down, at edges of even and odd lines: by the standard's formulas, with points mirrored.
#[test]
fn dwt2d() {
    let (columns, rows) = (21_usize, 14_usize);
    let picture = whole(77, columns * rows, "-128", "127");
    for across in [true, false] {
        let (points, lines) = if across { (columns, rows) } else { (rows, columns) };
        let sizes = [columns, points, lines, usize::from(across)].map(|size| number(size as i32));
        let arguments = [vec![i(&picture), i(&vec![0; columns * rows])], sizes.to_vec()].concat();
        let outcome = run("dwt2d.ptx", "lift", [3, 4, 1], [8, 4, 1], arguments);
        let at = |line: usize, point: usize| if across { line * columns + point } else { point * columns + line };
        let mut expected = vec![0; columns * rows];
        for line in 0..lines {
            let last = points as i32 - 1;
            let point = |k: i32| picture[at(line, (last - (last - k.abs()).abs()) as usize)];
            let difference = |k: i32| point(2 * k + 1) - (point(2 * k) + point(2 * k + 2)).div_euclid(2);
            let means = points.div_ceil(2);
            for k in 0..means {
                let k_th = k as i32;
                // What is mirrored at the end of an odd line is the difference before.
                let behind = if 2 * k_th < last { difference(k_th) } else { difference(k_th - 1) };
                let before = if k > 0 { difference(k_th - 1) } else { difference(0) };
                expected[at(line, k)] = point(2 * k_th) + (before + behind + 2).div_euclid(4);
                if 2 * k_th < last {
                    expected[at(line, means + k)] = behind;
                }
            }
        }
        assert_eq!(as_i32(&outcome, 1), expected, "across: {across}");
    }
}

/// Scores by sums around the means, as the formula is written; the place is that of the largest.
#[test]
fn correlation() {
    let (columns, rows, side) = (40_usize, 30_usize, 7_usize);
    let bytes = |seed| whole(seed, columns * rows, "0", "255").iter().map(|x| *x as u8).collect::<Vec<_>>();
    let (frame, mut next) = (bytes(78), bytes(79));
    let points = [12 * columns + 15, 14 * columns + 20, 16 * columns + 9, 9 * columns + 30].map(|at| at as i32);
    // Around the first point all is alike; the others are somewhere near by, in a picture that is darker.
    for y in 8..17 {
        next[y * columns + 6..y * columns + 25].fill(77);
    }
    let moves = [0, 2 * columns + 3, columns - 2, columns + 1];
    for (point, away) in points.iter().zip(moves).skip(1) {
        for k in 0..side * side {
            let at = *point as usize + k / side * columns + k % side - side / 2 * (columns + 1);
            next[at + away - columns] = frame[at] / 2;
        }
    }
    let arguments = vec![b(&frame), b(&next), i(&points), f(&[0.0; 128]), i(&[0; 4]), number(columns as i32)];
    let outcome = run("correlation.ptx", "track", [4, 1, 1], [8, 4, 1], arguments);
    let (scores, places) = (as_f32(&outcome, 3), as_i32(&outcome, 4));
    for (number, point) in points.iter().enumerate() {
        let around = |picture: &[u8], away: i32| {
            let at = |k: usize| point + away + ((k / side * columns + k % side) as i32) - (3 * (columns + 1)) as i32;
            let values: Vec<f64> = (0..side * side).map(|k| f64::from(picture[at(k) as usize])).collect();
            let mean = values.iter().sum::<f64>() / (side * side) as f64;
            values.iter().map(|value| value - mean).collect::<Vec<_>>()
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for place in 0..32 {
            let away = (place / 8 - 2) * columns as i32 + place % 8 - 4;
            let (a, b) = (around(&frame, 0), around(&next, away));
            let spread = (product(&a, &a) * product(&b, &b)).sqrt();
            let wanted = if spread > 0.0 { product(&a, &b) / spread } else { 0.0 };
            let found = f64::from(scores[number * 32 + place as usize]);
            assert!((found - wanted).abs() < 1e-6, "point {number}, place {place}: {found}, not {wanted}");
        }
        let best = (0..32).max_by(|a, b| {
            let score = |place: &i32| scores[number * 32 + *place as usize].max(0.0);
            score(a).total_cmp(&score(b)).then(b.cmp(a))
        });
        assert_eq!(Some(places[number]), best, "point {number}");
    }
    assert_eq!(places[1..], [3 * 8 + 7, 2 * 8 + 2, 2 * 8 + 5]);
}

/// All kernels one behind the other: buckets are what a count by hand says, and in the end values are in order.
#[test]
fn hybridsort() {
    let (n, buckets) = (500_usize, 32_usize);
    let mut values: Vec<f32> = floats(80, n).iter().map(|x| x * x / 4.0).collect();
    (0..n).step_by(20).for_each(|at| values[at] = values[n - 1 - at]);
    let (wide, block) = ([16, 1, 1], [32, 1, 1]);
    let ranged = [number(n as i32), number(buckets as i32), real(0.0), real(8.0)];
    let bucket = |value: f32| ((value * 8.0) as usize).min(buckets - 1);
    let mut counted = vec![0; buckets];
    values.iter().for_each(|value| counted[bucket(*value)] += 1);

    let arguments = [vec![f(&values), i(&vec![0; buckets])], ranged.to_vec()].concat();
    let counts = as_i32(&run("hybridsort.ptx", "count", wide, block, arguments), 1);
    assert_eq!(counts, counted);
    let arguments = vec![i(&counts), i(&vec![0; buckets + 1]), i(&vec![0; buckets])];
    let outcome = run("hybridsort.ptx", "offsets", [1, 1, 1], block, arguments);
    let first = as_i32(&outcome, 1);
    let sums = (0..=buckets).map(|bucket| counted[..bucket].iter().sum::<i32>()).collect::<Vec<_>>();
    assert_eq!((&first, &as_i32(&outcome, 2)[..]), (&sums, &sums[..buckets]));
    let arguments = [vec![f(&values), f(&vec![0.0; n]), i(&sums[..buckets])], ranged.to_vec()].concat();
    let mut now = as_f32(&run("hybridsort.ptx", "deal", wide, block, arguments), 1);
    assert!(now.iter().map(|value| bucket(*value)).is_sorted(), "values are in their buckets");

    let largest = *counted.iter().max().expect("buckets");
    assert!(largest > 32, "{largest} values in the largest bucket");
    for bits in 0..=largest.ilog2() {
        let [n, buckets, low, scale] = ranged.clone();
        let last = [n, number(bits as i32), buckets, low, scale];
        let arguments = [vec![f(&now), f(&vec![0.0; now.len()]), i(&first)], last.to_vec()].concat();
        now = as_f32(&run("hybridsort.ptx", "merge", wide, block, arguments), 1);
    }
    values.sort_by(f32::total_cmp);
    same(&now, &values);
}

/// A tree of multiples of seven, beside arithmetic.
#[test]
fn btree() {
    let (records, ways) = (230_usize, 8_usize);
    let sorted: Vec<i32> = (0..records as i32).map(|record| 7 * record).collect();
    let nodes = records.div_ceil(6);
    let (room, block) = (vec![0; 2 * nodes * ways], [32, 1, 1]);
    let arguments = vec![i(&sorted), i(&room), i(&room), i(&vec![0; nodes]), number(230), number(nodes as i32)];
    let outcome = run("btree.ptx", "leaves", [nodes as u32, 1, 1], block, arguments);
    let (mut keys, mut under, next) = (as_i32(&outcome, 1), as_i32(&outcome, 2), as_i32(&outcome, 3));
    assert_eq!(next, (1..nodes as i32).chain([-1]).collect::<Vec<_>>());
    let (mut below, mut first, mut height) = (0, nodes, 0);
    let mut count = nodes;
    while count > 1 {
        let level = [below, count, first].map(|size| number(size as i32));
        let arguments = [vec![i(&keys), i(&under)], level.to_vec()].concat();
        let outcome = run("btree.ptx", "level", [count as u32, 1, 1], block, arguments);
        (keys, under) = (as_i32(&outcome, 0), as_i32(&outcome, 1));
        (below, count) = (first, count.div_ceil(6));
        (first, height) = (first + count, height + 1);
    }
    assert_eq!((height, keys[below * ways]), (3, 0));

    let (wanted, length) = (whole(81, 200, "0", "1700"), whole(82, 200, "0", "90"));
    let tree = [number(200), number(below as i32), number(height)];
    let arguments = [vec![i(&keys), i(&under), i(&wanted), i(&[0; 200])], tree.to_vec()].concat();
    let found = as_i32(&run("btree.ptx", "find", [7, 1, 1], block, arguments), 3);
    let record = |key: &i32| if key % 7 == 0 && key / 7 < 230 { key / 7 } else { -1 };
    assert_eq!(found, wanted.iter().map(record).collect::<Vec<_>>());
    assert!(found.iter().filter(|record| **record >= 0).count() > 10);

    let buffers = vec![i(&keys), i(&under), i(&next), i(&wanted), i(&length), i(&[0; 200]), i(&[0; 200])];
    let outcome = run("btree.ptx", "range", [7, 1, 1], block, [buffers, tree.to_vec()].concat());
    let ranges = wanted.iter().zip(&length).map(|(low, length)| {
        let inside = (0..230).filter(|record| (*low..=low + length).contains(&(7 * record)));
        (inside.clone().count() as i32, inside.sum::<i32>())
    });
    let found: Vec<_> = as_i32(&outcome, 5).into_iter().zip(as_i32(&outcome, 6)).collect();
    assert_eq!(found, ranges.collect::<Vec<_>>());
}
