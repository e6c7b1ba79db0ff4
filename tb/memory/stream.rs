//! Element streams in the place of memory: random commands with pauses on both streams, in lock step; rows and elements
//! compared with plain integers.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Coverage, must, params};
use bitline::array::blocks::{Top, design};
use bitline::array::registers::*;
use bitline::isa::transfer::{Transfer, widest};
use bitline::isa::{Command, Opcode};
use bitline::params::{MemoryPort, Params};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::lockstep::array::StreamLockstep;
use bitline::sim::model::axil_slave::Offer;
use bitline::sim::model::memory::stream::StreamInputs;
use bitline::sim::vectors::read_elements;

/// A host between two FIFOs.
struct Fifos<E: Engine> {
    unit: StreamLockstep<E>,
    rng: ChaCha8Rng,
    pace: u32,
    beat: Option<u64>,
    elements: VecDeque<u64>,
    expected: VecDeque<(u64, bool)>,
    coverage: Coverage,
}

impl<E: Engine> Fifos<E> {
    /// One cycle; whether the bus master's write has been answered.
    fn cycle(&mut self, axil: &mut Offer) -> (bool, bool) {
        if self.beat.is_none() && self.rng.random_range(0..self.pace) == 0 {
            self.beat = self.elements.pop_front();
        }
        let take = self.rng.random_range(0..self.pace) == 0;
        let outputs = must(self.unit.cycle(&StreamInputs { axil: *axil, beat: self.beat, take }));
        *self.coverage.entry("an element waits to come in").or_default() +=
            u64::from(self.beat.is_some() && !outputs.beat_ready);
        *self.coverage.entry("an element waits to go out").or_default() +=
            u64::from(outputs.core.out.is_some() && !take);
        if outputs.beat_ready {
            self.beat = None;
        }
        if let Some(out) = outputs.core.out.filter(|_| take) {
            assert_eq!(Some(out), self.expected.pop_front());
        }
        let answer = &outputs.core.axil;
        if answer.write_address_ready {
            axil.write_address = None;
        }
        if answer.write_data_ready {
            axil.write_data = None;
        }
        (answer.response.is_some(), outputs.core.busy)
    }

    fn write(&mut self, offset: u64, data: u32) {
        let mut axil = Offer {
            write_address: Some(offset as u32),
            write_data: Some((data, 15)),
            take_response: true,
            ..Offer::default()
        };
        while !self.cycle(&mut axil).0 {}
    }

    fn push(&mut self, c: &Command, opcode: u8) {
        let first = u32::from(opcode) << COMMAND_OPCODE_LSB | u32::from(c.width) << COMMAND_WIDTH_LSB;
        self.write(REG_COMMAND, first);
        self.write(REG_COMMAND_AB, u32::from(c.a) << COMMAND_A_LSB | u32::from(c.b) << COMMAND_B_LSB);
        self.write(REG_COMMAND_DE, u32::from(c.d) << COMMAND_D_LSB | u32::from(c.e) << COMMAND_E_LSB);
        self.write(REG_KEY_LOW, u32::MAX);
        self.write(REG_KEY_HIGH, u32::MAX);
        self.write(REG_PUSH, 0);
    }

    fn finish(&mut self) {
        for _ in 0..100_000 {
            if !self.cycle(&mut Offer::default()).1 && self.expected.is_empty() && self.elements.is_empty() {
                return;
            }
        }
        panic!("the unit stays busy");
    }
}

fn random<E: Engine>(engine: E, params: &Params, seed: u64, rounds: u32) -> Coverage {
    println!("{}, streams, seed {seed}", params.name);
    let mut host = Fifos {
        unit: StreamLockstep::new(engine, params, seed),
        rng: ChaCha8Rng::seed_from_u64(seed),
        pace: 1,
        beat: None,
        elements: VecDeque::new(),
        expected: VecDeque::new(),
        coverage: Coverage::new(),
    };
    for round in 0..rounds {
        host.pace = host.rng.random_range(1..5);
        let n = host.rng.random_range(1..=widest(params).min(params.rows / 3));
        let count = host.rng.random_range(1..=params.columns);
        let loaded: Vec<u64> = (0..count).map(|_| host.rng.random()).collect();
        let mask = u64::MAX >> (64 - n);
        let transfer = |store, row: usize| Transfer {
            store,
            width: n as u8,
            row: row as u16,
            count: count as u16,
            address: 0,
            stride: 0,
        };
        host.elements.extend(&loaded);
        let load = transfer(false, 0);
        host.push(&load.command(), load.opcode());
        let not = Command { a: 0, d: n as u16, ..Command::new(Opcode::Not, n as u8) };
        host.push(&not, Opcode::Not as u8);
        let store = transfer(true, n);
        host.expected.extend(loaded.iter().enumerate().map(|(k, word)| (!word & mask, k + 1 == count)));
        host.push(&store.command(), store.opcode());
        // A load behind a store, wherever their addresses would be.
        let loaded: Vec<u64> = (0..count).map(|_| host.rng.random()).collect();
        host.elements.extend(&loaded);
        host.push(&load.command(), load.opcode());
        host.finish();
        let rows = read_elements(&host.unit, 0, n);
        assert!(rows.iter().zip(&loaded).all(|(&row, &word)| row == u128::from(word & mask)));
        assert!(rows[count..].iter().all(|&row| row == 0));
        if round % 3 == 2 {
            // In the middle of a load.
            host.elements.extend((0..count as u64 / 2 + 1).collect::<Vec<_>>());
            host.push(&load.command(), load.opcode());
            (0..30).for_each(|_| _ = host.cycle(&mut Offer::default()));
            must(host.unit.reset(&StreamInputs::default()));
            host.elements.clear();
            host.beat = None;
        }
    }
    host.coverage
}

#[test]
fn every_register_is_compared() {
    let params = params("tiny", MemoryPort::Stream);
    let unit = StreamLockstep::new(engine(&design(&params, Top::Registers).expect("legal")), &params, 1);
    assert_eq!(unit.unseen(), Vec::<&str>::new());
}

#[test]
fn elements_stream_in_and_out() {
    for (base, columns) in [("tiny", 8), ("paper", 64)] {
        let params = Params { columns, rows: 128, ..params(base, MemoryPort::Stream) };
        let netlist = design(&params, Top::Registers).expect("legal");
        let coverage = random(engine(&netlist), &params, 31, 40);
        assert!(coverage.values().all(|&count| count > 0), "{coverage:?}");
        if require("verilator").is_some() && columns == 8 {
            let model = Verilated::build_with(&netlist, &cache_folder(), Build::Open).unwrap_or_else(|e| panic!("{e}"));
            random(model, &params, 32, 12);
        }
        if require("iverilog").is_some() && columns == 8 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            random(model, &params, 33, 2);
        }
    }
}
