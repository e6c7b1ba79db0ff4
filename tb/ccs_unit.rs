//! The compute unit of a cache compute system: random steps of every command with pauses, masks and rows, natively and
//! in other simulators, in lock step with the model; what comes out, and when, against plain arithmetic.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lint::quiet;
use bitline::ccs::blocks::ccs_unit;
use bitline::ccs::control::{MAP_LATENCY, reduce_latency, unit_control};
use bitline::ccs::{COMMANDS, CcsCommand, CcsGeometry, Flip, Kind, Operands};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::lockstep::ccs::UnitLockstep;
use bitline::sim::model::ccs::arith::{map, reduce};
use bitline::sim::model::ccs::unit::{Step, UnitInputs};

fn geometry(lanes: usize, element_bits: usize) -> CcsGeometry {
    CcsGeometry { name: "unit".into(), lanes, element_bits, lines: 4, ..CcsGeometry::preset("vc709").expect("named") }
}

/// Runs commands and checks what they give.
struct Host<E: Engine> {
    unit: UnitLockstep<E>,
    geometry: CcsGeometry,
    rng: ChaCha8Rng,
    inputs: UnitInputs,
    /// Operands of the step before.
    operands: Option<(Vec<u32>, Vec<u32>)>,
    /// Cycle, which lanes count, and what is mapped in them.
    mapped: VecDeque<(u64, Vec<bool>, Option<Vec<u32>>)>,
    reduced: VecDeque<(u64, u32)>,
}

impl<E: Engine> Host<E> {
    fn new(engine: E, geometry: &CcsGeometry, seed: u64) -> Host<E> {
        Host {
            unit: UnitLockstep::new(engine, geometry, seed),
            geometry: geometry.clone(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            inputs: UnitInputs { mask: vec![true; geometry.lanes], ..UnitInputs::default() },
            operands: None,
            mapped: VecDeque::new(),
            reduced: VecDeque::new(),
        }
    }

    /// An element, often one at an end of the range.
    fn element(&mut self) -> u32 {
        let ones = self.geometry.ones();
        let sign = ones ^ (ones >> 1);
        match self.rng.random_range(0..6) {
            0 => [0, 1, ones, sign, sign - 1, sign + 1][self.rng.random_range(0..6)],
            1 => self.rng.random_range(0..2 * self.geometry.element_bits as u32),
            _ => self.rng.random::<u32>() & ones,
        }
    }

    fn line(&mut self) -> Vec<u32> {
        (0..self.geometry.lanes).map(|_| self.element()).collect()
    }

    fn cycle(&mut self) {
        // Above the elements there may be anything.
        let (a, b) = self.operands.take().unwrap_or_else(|| (self.line(), self.line()));
        let above = self.rng.random::<u32>() & !self.geometry.ones();
        let (a, b) = (a.iter().map(|x| x | above).collect(), b.iter().map(|x| x | above).collect());
        (self.inputs.a, self.inputs.b) = (a, b);
        let cycle = self.unit.cycle_count();
        let outputs = self.unit.cycle(&self.inputs).unwrap_or_else(|d| panic!("{d}"));
        self.inputs.step = None;
        let mapped = self.mapped.pop_front_if(|(at, ..)| *at == cycle);
        assert_eq!(outputs.y_valid, mapped.is_some(), "cycle {cycle}");
        let (_, counts, results) = mapped.unwrap_or((0, vec![false; self.geometry.lanes], None));
        assert_eq!(outputs.write, counts, "cycle {cycle}");
        if let Some(results) = results {
            for k in (0..self.geometry.lanes).filter(|&k| counts[k]) {
                assert_eq!(outputs.y[k], results[k], "cycle {cycle}, lane {k}");
            }
        }
        let reduced = self.reduced.pop_front_if(|(at, _)| *at == cycle);
        assert_eq!(outputs.result, reduced.map(|(_, value)| Some(value)), "cycle {cycle}");
    }

    /// Rows of steps with pauses; ends when all is out.
    fn command(&mut self, command: &CcsCommand, unsigned: bool, rows: usize, longest: usize) {
        let (lanes, bits) = (self.geometry.lanes, self.geometry.element_bits);
        let flip = command.flip_word(bits, unsigned);
        self.inputs.control = unit_control(command, unsigned);
        self.inputs.flip = flip;
        let stride = 1 << self.rng.random_range(0..lanes.ilog2());
        self.inputs.mask = (0..lanes).map(|k| k % stride == 0).collect();
        let pause = self.rng.random_range(0..3);
        for _ in 0..rows {
            let constant = self.element();
            let mut elements = vec![];
            let steps = self.rng.random_range(1..=longest);
            for step in 0..steps {
                while self.rng.random_range(0..=pause) > 0 {
                    self.cycle();
                }
                let a = self.line();
                let b = match (command.operands, command.flip) {
                    (Operands::Vv, _) => self.line(),
                    (Operands::Vc | Operands::C, _) => vec![constant; lanes],
                    (Operands::V, Flip::None) => a.clone(),
                    (Operands::V, _) => vec![flip; lanes],
                };
                let low = if step > 0 { 0 } else { self.rng.random_range(0..lanes) / stride * stride };
                let high = if step + 1 < steps { lanes - 1 } else { self.rng.random_range(low..lanes) };
                let counts: Vec<bool> = (0..lanes).map(|k| (low..=high).contains(&k) && k % stride == 0).collect();
                elements.extend((0..lanes).filter(|&k| counts[k]).map(|k| (a[k], b[k])));
                let at = self.unit.cycle_count();
                let results = (command.kind == Kind::Map)
                    .then(|| (0..lanes).map(|k| map(command.name, unsigned, bits, a[k], b[k])).collect());
                self.mapped.push_back((at + MAP_LATENCY as u64, counts, results));
                let (first, last) = (step == 0, step + 1 == steps && command.kind == Kind::Reduce);
                if last {
                    let result = reduce(command.name, unsigned, bits, &elements);
                    self.reduced.push_back((at + reduce_latency(lanes) as u64, result));
                }
                self.inputs.step = Some(Step { low: low as u8, high: high as u8, first, last });
                self.cycle();
                self.operands = Some((a, b));
            }
        }
        while !self.mapped.is_empty() || !self.reduced.is_empty() {
            self.cycle();
        }
    }
}

fn campaign<E: Engine>(engine: E, geometry: &CcsGeometry, seed: u64, rounds: usize, rows: usize) {
    println!("{geometry:?}, seed {seed}");
    let mut host = Host::new(engine, geometry, seed);
    assert_eq!(host.unit.unseen(), Vec::<&str>::new(), "not compared");
    for _ in 0..rounds {
        for command in &COMMANDS {
            for unsigned in [false, true] {
                host.command(command, unsigned, rows, 6);
            }
        }
        // A reset in the middle of something.
        let command = COMMANDS[host.rng.random_range(0..COMMANDS.len())];
        host.inputs.control = unit_control(&command, false);
        for _ in 0..host.rng.random_range(0..20) {
            let high = geometry.lanes as u8 - 1;
            let last = host.rng.random();
            host.inputs.step = Some(Step { low: 0, high, first: host.rng.random(), last });
            (host.inputs.a, host.inputs.b) = (host.line(), host.line());
            host.unit.cycle(&host.inputs).unwrap_or_else(|d| panic!("{d}"));
        }
        host.unit.reset(&host.inputs).unwrap_or_else(|d| panic!("{d}"));
        host.inputs.step = None;
    }
}

#[test]
fn every_command_natively() {
    for lanes in [4, 8] {
        for element_bits in [8, 16, 32] {
            let geometry = geometry(lanes, element_bits);
            campaign(engine(&ccs_unit(&geometry).expect("legal")), &geometry, 21, 4, 3);
        }
    }
}

#[test]
fn as_large_as_the_paper_natively() {
    let geometry = geometry(64, 32);
    campaign(engine(&ccs_unit(&geometry).expect("legal")), &geometry, 22, 1, 1);
}

#[test]
fn verilator_and_icarus() {
    for (lanes, element_bits, rounds) in [(4, 32, 0), (8, 16, 4)] {
        let geometry = geometry(lanes, element_bits);
        let netlist = ccs_unit(&geometry).expect("legal");
        if require("verilator").is_some() {
            let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 23, 2 + rounds, 2);
        }
        if require("iverilog").is_some() && lanes == 4 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 24, 1, 1);
        }
    }
}

#[test]
fn tools_are_quiet() {
    for (lanes, element_bits) in [(4, 8), (4, 16), (8, 32)] {
        let geometry = geometry(lanes, element_bits);
        quiet(&ccs_unit(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}

#[test]
fn bad_parameters_are_refused() {
    for (lanes, element_bits, name) in [(3, 32, "lanes"), (256, 8, "lanes"), (8, 64, "element_bits")] {
        let error = ccs_unit(&geometry(lanes, element_bits)).map(|_| ()).expect_err("not legal").to_string();
        assert!(error.starts_with(&format!("{name} = ")), "{error}");
    }
}
