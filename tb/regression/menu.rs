//! The menu of parameters: designs in which every pair of choices occurs run a sample of the campaigns natively, and
//! the tools find nothing to say about their Verilog (yosys, slow on wide arrays and on ROMs, reads some of the
//! narrow ones). With `BITLINE_DEEP=1` in the environment, every combination, queue depths in turn: 3500 designs, and
//! yosys reads all narrow ones.

use std::collections::BTreeSet;

use super::{netlist, passes};
use crate::lint;
use bitline::isa::Set;
use bitline::params::{COLUMNS, Latch, Memory, MemoryPort, Params, Sensing};
use bitline::sim::campaign::{Bench, Effort, standard};
use bitline::sim::engine::engine;
use bitline::sim::external::tool::deep;

/// Rows: the smallest design, powers of two, and others, which only `Behavioural` memory takes (block RAM takes the
/// next power of two in their place).
const ROWS: [usize; 5] = [16, 64, 200, 256, 1000];
/// Columns up to which yosys reads a design: of a wide one it checks each column's drivers for half a minute. The
/// presets, of up to 256 columns, it reads elsewhere.
const NARROW: usize = 32;
const FIFOS: [usize; 4] = [2, 4, 8, 16];
const LATCHES: [&[Latch]; 5] =
    [&[], &[Latch::Hold], &[Latch::Hold, Latch::Predicate], &[Latch::Hold, Latch::Delay], Latch::ALL];
const SETS: [&[Set]; 5] =
    [&[Set::Fast], &[Set::Baseline], &[Set::Skip], &[Set::Fast, Set::Skip], &[Set::Baseline, Set::Skip, Set::Fast]];

/// Choices of each parameter.
const CHOICES: [usize; 7] = [COLUMNS.len(), ROWS.len(), 2, 2, LATCHES.len(), SETS.len(), FIFOS.len()];

/// A choice for each parameter.
type Point = [usize; 7];

fn params(point: Point) -> Params {
    let [columns, rows, sensing, memory, latches, sets, fifo] = point;
    let memory = Memory::ALL[memory];
    let rows = ROWS[rows];
    Params {
        name: "menu".into(),
        rows: if memory == Memory::BlockRam { rows.next_power_of_two() } else { rows },
        columns: COLUMNS[columns],
        sensing: Sensing::ALL[sensing],
        memory,
        latches: LATCHES[latches].to_vec(),
        sets: SETS[sets].to_vec(),
        command_fifo: FIFOS[fifo],
        memory_port: MemoryPort::None,
        float: false,
        radix: 2,
        custom: Vec::new(),
        exception_flags: false,
        unpacked: false,
    }
}

/// Every combination, the last parameter fastest.
fn all() -> impl Iterator<Item = Point> {
    (0..CHOICES.iter().product::<usize>()).map(|mut index| {
        let mut point = [0; 7];
        for (choice, &choices) in point.iter_mut().zip(&CHOICES).rev() {
            *choice = index % choices;
            index /= choices;
        }
        point
    })
}

/// The pairs of choices in a design.
fn pairs(point: &Point) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
    (0..7).flat_map(move |i| (0..i).map(move |j| (i, point[i], j, point[j])))
}

/// Few designs in which every pair of choices occurs: always the one with the most new pairs.
fn pairwise() -> Vec<Point> {
    let everything: Vec<Point> = all().collect();
    let mut missing: BTreeSet<_> = everything.iter().flat_map(pairs).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |point: &&Point| pairs(point).filter(|pair| missing.contains(pair)).count();
        let best = *everything.iter().max_by_key(gain).expect("the menu is not empty");
        for pair in pairs(&best) {
            missing.remove(&pair);
        }
        chosen.push(best);
    }
    chosen
}

fn points() -> Vec<Point> {
    if !deep() {
        return pairwise();
    }
    all()
        .step_by(FIFOS.len())
        .enumerate()
        .map(|(index, mut point)| {
            point[6] = index % FIFOS.len();
            point
        })
        .collect()
}

/// Every `parts`th design from `part` on.
fn part(part: usize, parts: usize) {
    let mut designs = 0;
    for (seed, point) in points().into_iter().enumerate().skip(part).step_by(parts) {
        let params = params(point);
        let netlist = netlist(&params);
        let synthesis = params.columns <= NARROW && (deep() || designs < 2);
        let lint = if synthesis { lint::quiet } else { lint::simulators };
        lint(&netlist).unwrap_or_else(|e| panic!("{params:?}: {e}"));
        let mut bench = Bench::new(engine(&netlist), &params, seed as u64);
        println!("seed {seed}: {params:?}");
        passes(standard(&mut bench, Effort::Sample));
        designs += 1;
    }
    println!("{designs} designs");
    assert!(designs >= 5);
}

#[test]
fn menu_first_part() {
    part(0, 4);
}

#[test]
fn menu_second_part() {
    part(1, 4);
}

#[test]
fn menu_third_part() {
    part(2, 4);
}

#[test]
fn menu_fourth_part() {
    part(3, 4);
}

#[test]
fn pairs_are_all_there() {
    let chosen = pairwise();
    println!("{} designs of {}", chosen.len(), all().count());
    let wanted: BTreeSet<_> = all().collect::<Vec<_>>().iter().flat_map(pairs).collect();
    let covered: BTreeSet<_> = chosen.iter().flat_map(pairs).collect();
    assert_eq!(covered, wanted);
    assert!(chosen.len() < 60);
}
