//! Kernels on integers.

use rand::Rng;

use super::{Places, Setup, Task};
use crate::model::duality::{FlatMemory, Launch};

pub(super) fn vecadd(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let n = setup.elements();
    let (a, b) = (setup.integers(n, u32::MAX), setup.integers(n, u32::MAX));
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &a);
    memory.place(vectors[1], &b);
    memory.map(vectors[2], 4 * n, true);
    let sums = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let parameters = vec![vectors[0], vectors[1], vectors[2], n, setup.cta()];
    let launches = vec![setup.line(n, parameters)];
    Task { memory, launches, expected: vec![(vectors[2], sums)], size: format!("{n} elements") }
}

pub(super) fn pathfinder(setup: &mut Setup) -> Task {
    let Places { vectors, shared } = setup.places;
    // One CTA, which does not fill the control block.
    let (columns, rows) = (setup.threads - 3, 12);
    let costs = setup.integers(columns * rows, 10);
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &costs);
    memory.map(vectors[1], 4 * columns, true);
    let width = columns as usize;
    let mut best = costs[..width].to_vec();
    for row in costs.chunks(width).skip(1) {
        let above = best.clone();
        for (at, cost) in row.iter().enumerate() {
            let around = &above[at.saturating_sub(1)..(at + 2).min(width)];
            best[at] = cost + around.iter().min().expect("at least two");
        }
    }
    let shared_bytes = (4 * columns).next_multiple_of(64);
    memory.map(shared, shared_bytes, true);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [columns, 1, 1],
        parameters: vec![vectors[0], vectors[1], columns, rows],
        shared_bytes,
        shared_base: shared,
        ..Launch::default()
    };
    let size = format!("{columns} columns, {rows} rows");
    Task { memory, launches: vec![launch], expected: vec![(vectors[1], best)], size }
}

pub(super) fn bfs(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let n = setup.elements();
    let (mut first, mut edges) = (vec![0], Vec::new());
    for _ in 0..n {
        // Some nodes have no edge, some have many.
        let count = [0, 1, 2, 3, 3, 9][setup.rng.random_range(0..6)];
        edges.extend((0..count).map(|_| setup.rng.random_range(0..n)));
        first.push(edges.len() as u32);
    }
    edges[..1].fill(n / 2);
    let mut levels = vec![u32::MAX; n as usize];
    let root = first.windows(2).position(|ends| ends[0] < ends[1]).expect("some node has an edge");
    levels[root] = 0;
    let start = levels.clone();
    let mut level = 0;
    loop {
        let mut found = false;
        for node in 0..n as usize {
            if levels[node] != level {
                continue;
            }
            for &to in &edges[first[node] as usize..first[node + 1] as usize] {
                if levels[to as usize] == u32::MAX {
                    levels[to as usize] = level + 1;
                    found = true;
                }
            }
        }
        if !found {
            break;
        }
        level += 1;
    }
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &first);
    memory.place(vectors[1], &edges);
    memory.place(vectors[2], &start);
    memory.place(vectors[3], &[0]);
    let launches = (0..=level).map(|level| {
        let parameters = vec![vectors[0], vectors[1], vectors[2], n, level, vectors[3], setup.cta()];
        setup.line(n, parameters)
    });
    let launches = launches.collect();
    let size = format!("{n} nodes, {} edges, {} levels", edges.len(), level + 1);
    Task { memory, launches, expected: vec![(vectors[2], levels), (vectors[3], vec![level])], size }
}

pub(super) fn histogram(setup: &mut Setup) -> Task {
    let Places { vectors, .. } = setup.places;
    let (bytes, bins) = (5 * setup.threads + 3, 32);
    let words = setup.integers(bytes.div_ceil(4), u32::MAX);
    let mut counts = vec![7; bins as usize];
    let mut memory = FlatMemory::default();
    memory.place(vectors[0], &words);
    memory.place(vectors[1], &counts);
    for i in 0..bytes {
        counts[(words[i as usize / 4] >> (8 * (i % 4)) & (bins - 1)) as usize] += 1;
    }
    // CTAs for half of a second wave.
    let threads = setup.threads + setup.threads / 2;
    let parameters = vec![vectors[0], vectors[1], bytes, threads, setup.cta(), bins - 1];
    let launches = vec![setup.line(threads, parameters)];
    Task { memory, launches, expected: vec![(vectors[1], counts)], size: format!("{bytes} bytes, {bins} counts") }
}
