//! Kernels on numbers of binary32. What plain Rust computes has the same order of operations, so that results are the
//! same bit by bit.

use super::{Places, Setup, Task, bits};
use crate::model::duality::{FlatMemory, Launch};

pub(super) fn nn(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let n = setup.elements();
    let (places, wanted) = (setup.numbers(2 * n), setup.numbers(2));
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &bits(&places));
    memory.map(vectors[1], 4 * n, true);
    let distance = |place: &[f32]| {
        let (x, y) = (place[0] - wanted[0], place[1] - wanted[1]);
        x * x + y * y
    };
    let distances: Vec<f32> = places.chunks(2).map(distance).collect();
    let parameters = vec![vectors[0], vectors[1], n, wanted[0].to_bits(), wanted[1].to_bits(), setup.cta()];
    let launches = vec![setup.line(n, parameters)];
    Task { memory, launches, expected: vec![(vectors[1], bits(&distances))], size: format!("{n} places") }
}

pub(super) fn gaussian(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let n = if setup.threads > 64 { 24 } else { 6 };
    let mut a = setup.numbers(n * n);
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &bits(&a));
    memory.map(vectors[1], 4 * n * n, true);
    let (size, mut launches) = (n as usize, Vec::new());
    for k in 0..size - 1 {
        let factors: Vec<f32> = (0..size).map(|i| a[i * size + k] / a[k * size + k]).collect();
        let at = vectors[1] + 4 * n * k as u32;
        memory.place(at, &bits(&factors));
        let parameters = vec![vectors[0], at, n, k as u32, setup.cta()];
        launches.push(setup.line((n - k as u32) * (n - k as u32 - 1), parameters));
        for i in k + 1..size {
            for j in k..size {
                a[i * size + j] -= factors[i] * a[k * size + j];
            }
        }
    }
    Task { memory, launches, expected: vec![(vectors[0], bits(&a))], size: format!("{n} × {n}, {} steps", n - 1) }
}

pub(super) fn backprop(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let (inputs, outputs) = (16, setup.elements());
    let (x, w) = (setup.numbers(inputs), setup.numbers(inputs * outputs));
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &bits(&x));
    memory.place(vectors[1], &bits(&w));
    memory.map(vectors[2], 4 * outputs, true);
    let unit = |j: usize| {
        let terms = x.iter().zip(w.chunks(outputs as usize)).map(|(x, row)| row[j] * x);
        let sum = terms.fold(0.0f32, |sum, term| sum + term);
        if sum > 0.0 { sum } else { 0.0 }
    };
    let out: Vec<f32> = (0..outputs as usize).map(unit).collect();
    let parameters = vec![vectors[0], vectors[1], vectors[2], inputs, outputs, setup.cta()];
    let launches = vec![setup.line(outputs, parameters)];
    let size = format!("{inputs} inputs, {outputs} outputs");
    Task { memory, launches, expected: vec![(vectors[2], bits(&out))], size }
}

pub(super) fn hotspot(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let columns = if setup.threads > 64 { 48 } else { 5 };
    let rows = setup.elements() / columns + 1;
    let n = columns * rows;
    let heat: Vec<f32> = setup.numbers(n).into_iter().map(|number| number + 320.0).collect();
    let power = setup.numbers(n);
    let (c, rx, ry, rz) = (0.0625f32, 0.1f32, 0.15f32, 0.0125f32);
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &bits(&heat));
    memory.place(vectors[1], &bits(&power));
    memory.map(vectors[2], 4 * n, true);
    let (wide, high) = (columns as usize, rows as usize);
    let step = |at: usize| {
        let (x, y) = (at % wide, at / wide);
        let t = heat[at];
        let double = t + t;
        let west = if x > 0 { heat[at - 1] } else { t };
        let east = if x + 1 < wide { heat[at + 1] } else { t };
        let north = if y > 0 { heat[at - wide] } else { t };
        let south = if y + 1 < high { heat[at + wide] } else { t };
        let across = (west + east - double) * rx;
        let along = (north + south - double) * ry;
        t + (power[at] + along + across + (80.0 - t) * rz) * c
    };
    let after: Vec<f32> = (0..wide * high).map(step).collect();
    let constants = [c, rx, ry, rz].map(f32::to_bits);
    let mut parameters = vec![vectors[0], vectors[1], vectors[2], columns, rows, n];
    parameters.extend(constants);
    parameters.push(setup.cta());
    let launches = vec![setup.line(n, parameters)];
    Task { memory, launches, expected: vec![(vectors[2], bits(&after))], size: format!("{columns} × {rows}") }
}

pub(super) fn matmul(setup: &mut Setup) -> Task {
    let Places { vectors, shared } = setup.places;
    // Tiles whose threads are a quarter of the control block at most.
    let (tile, n) = if setup.threads >= 1024 {
        (16, 64)
    } else if setup.threads >= 64 {
        (4, 24)
    } else {
        (2, 6)
    };
    let (a, b) = (setup.numbers(n * n), setup.numbers(n * n));
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &bits(&a));
    memory.place(vectors[1], &bits(&b));
    memory.map(vectors[2], 4 * n * n, true);
    let size = n as usize;
    let term = |at: usize| {
        let (row, column) = (at / size, at % size);
        (0..size).fold(0.0f32, |sum, k| sum + a[row * size + k] * b[k * size + column])
    };
    let product: Vec<f32> = (0..size * size).map(term).collect();
    let bytes = 4 * tile * tile;
    let shared_bytes = (2u32 * bytes).next_multiple_of(64);
    memory.map(shared, shared_bytes * (setup.threads / (tile * tile)), true);
    let launch = Launch {
        grid: [n / tile, n / tile, 1],
        block: [tile, tile, 1],
        parameters: vec![vectors[0], vectors[1], vectors[2], n, tile, bytes],
        shared_bytes,
        shared_base: shared,
        ..Launch::default()
    };
    let expected = vec![(vectors[2], bits(&product))];
    Task { memory, launches: vec![launch], expected, size: format!("{n} × {n}, tiles of {tile} × {tile}") }
}
