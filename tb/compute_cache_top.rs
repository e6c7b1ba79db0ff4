//! The compute cache behind AXI4-Lite: registers, instructions and memory as a bus master sees them, with pauses on
//! every channel, natively and under Verilator; against plain operations on bytes.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judges::{innocent, judged};
use super::lint::quiet;
use bitline::compute_cache::blocks::compute_cache_top;
use bitline::compute_cache::registers::*;
use bitline::compute_cache::{CacheGeometry, CacheInstruction, CacheOp};
use bitline::kernel::netlist::NetId;
use bitline::sim::engine::{Engine, Lookup, engine};
use bitline::sim::external::tool::require;
use bitline::sim::model::cache_arith::execute;

/// What an instruction gives: its tag, and its mask or an error's code and address.
type Answer = (u8, Result<u64, (u32, u32)>);

/// A bus master. Channels of a transfer go at their own pace.
struct Master<E: Engine> {
    engine: E,
    rng: ChaCha8Rng,
    /// One chance in this many to offer or to take.
    pace: u32,
    cycles: u64,
}

impl<E: Engine> Master<E> {
    fn new(mut engine: E, seed: u64) -> Master<E> {
        engine.design().inputs.clone().into_iter().for_each(|input| engine.set_input(input, &[0]));
        engine.tick(true);
        Master { engine, rng: ChaCha8Rng::seed_from_u64(seed), pace: 1, cycles: 0 }
    }

    fn net(&self, name: &str) -> NetId {
        let path = format!("s_axil_{name}");
        self.engine.design().find_net(&path).unwrap_or_else(|| panic!("the design has no signal {path}"))
    }

    fn set(&mut self, name: &str, value: u64) {
        let net = self.net(name);
        self.engine.set_input(net, &[value]);
    }

    fn get(&mut self, name: &str) -> u64 {
        let net = self.net(name);
        self.engine.low(net)
    }

    fn tick(&mut self) {
        // What the slave offers stays until it is taken, whatever the master does.
        let offers = [("bvalid", "bready", "bresp"), ("rvalid", "rready", "rdata")];
        let before = offers.map(|(valid, _, payload)| (self.get(valid), self.get(payload)));
        let taken = offers.map(|(_, ready, _)| {
            let ready = self.net(ready);
            self.engine.value(ready)[0]
        });
        self.engine.tick(false);
        self.cycles += 1;
        for (i, (valid, _, payload)) in offers.into_iter().enumerate() {
            if before[i].0 == 1 && taken[i] == 0 {
                assert_eq!((self.get(valid), self.get(payload)), before[i], "{valid} in cycle {}", self.cycles);
            }
        }
    }

    fn go(&mut self) -> bool {
        self.rng.random_range(0..self.pace) == 0
    }

    /// Offers on channels, each a valid with its ready, until all have been taken; then waits for a response.
    fn transfer(&mut self, channels: &[&str], response: [&str; 2]) -> u64 {
        let mut left: Vec<(&str, bool)> = channels.iter().map(|&channel| (channel, false)).collect();
        for _ in 0..100_000 {
            for (channel, offered) in &mut left {
                *offered |= self.go();
                self.set(&format!("{channel}valid"), u64::from(*offered));
            }
            let take = self.go();
            self.set(response[1], take.into());
            let answered = take && self.get(response[0]) == 1;
            let data = self.get("rdata");
            let taken: Vec<bool> =
                left.iter().map(|(channel, offered)| *offered && self.get(&format!("{channel}ready")) == 1).collect();
            self.tick();
            for ((channel, _), _) in left.iter().zip(&taken).filter(|(_, taken)| **taken) {
                self.set(&format!("{channel}valid"), 0);
            }
            left = left.into_iter().zip(taken).filter(|(_, taken)| !taken).map(|(channel, _)| channel).collect();
            if answered {
                assert!(left.is_empty(), "a response before its request");
                self.set(response[1], 0);
                return data;
            }
        }
        panic!("no response");
    }

    fn write(&mut self, address: u64, data: u32, strobes: u8) {
        for (name, value) in [("awaddr", address), ("wdata", data.into()), ("wstrb", strobes.into())] {
            self.set(name, value);
        }
        self.transfer(&["aw", "w"], ["bvalid", "bready"]);
    }

    fn read(&mut self, address: u64) -> u32 {
        self.set("araddr", address);
        self.transfer(&["ar"], ["rvalid", "rready"]) as u32
    }

    fn push(&mut self, instruction: &CacheInstruction) {
        let CacheInstruction { op, grain, a, b, d, size, tag } = *instruction;
        let operation = u32::from(op) << OPERATION_OPCODE_LSB
            | u32::from(grain) << OPERATION_GRAIN_LSB
            | u32::from(tag) << OPERATION_TAG_LSB;
        for (offset, value) in [(REG_A, a), (REG_B, b), (REG_D, d), (REG_SIZE, size), (REG_OPERATION, operation)] {
            self.write(offset, value, 15);
        }
        self.write(REG_PUSH, 1, 15);
    }

    /// The oldest result.
    fn pop(&mut self) -> Answer {
        let mut result = 0;
        for _ in 0..1000 {
            result = self.read(REG_RESULT);
            if result >> RESULT_VALID_LSB & 1 == 1 {
                break;
            }
        }
        assert_eq!(result >> RESULT_VALID_LSB & 1, 1, "no result");
        let mask = u64::from(self.read(REG_MASK_LOW)) | u64::from(self.read(REG_MASK_HIGH)) << 32;
        let (code, fault) = (result >> RESULT_CODE_LSB & 7, self.read(REG_FAULT));
        self.write(REG_POP, 0, 1);
        ((result >> RESULT_TAG_LSB) as u8, if code == 0 { Ok(mask) } else { Err((code, fault)) })
    }
}

fn identification<E: Engine>(master: &mut Master<E>, geometry: &CacheGeometry) {
    for register in REGISTERS {
        assert_eq!(master.read(register.offset), reset_value(geometry, register), "{}", register.name);
    }
    for (offset, field) in [(REG_A, u32::MAX), (REG_SIZE, u32::MAX), (REG_OPERATION, writable(REG_OPERATION) as u32)] {
        master.write(offset, u32::MAX, 0b0101);
        assert_eq!(master.read(offset), field & 0x00ff_00ff);
        master.write(offset, u32::MAX, 15);
        assert_eq!(master.read(offset), field);
    }
    assert_eq!(master.read(0x7c), 0, "beyond the last register");
    assert_eq!(master.read(0x1000 + REG_ID), 0, "beyond the registers");
}

/// Random words, instructions and results.
fn traffic<E: Engine>(engine: E, geometry: &CacheGeometry, seed: u64, steps: usize) -> Master<E> {
    println!("{geometry:?}, seed {seed}");
    let mut master = Master::new(engine, seed);
    identification(&mut master, geometry);
    let mut memory = vec![0u8; geometry.bytes()];
    for at in (0..geometry.bytes()).step_by(4) {
        let word: u32 = master.rng.random();
        master.write(WINDOW + at as u64, word, 15);
        memory[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    let mut expected: VecDeque<Answer> = VecDeque::new();
    for _ in 0..steps {
        master.pace = [1, 1, 2, 5][master.rng.random_range(0..4)];
        let at = master.rng.random_range(0..geometry.bytes()) & !3;
        match master.rng.random_range(0..8) {
            0..=1 => {
                let (word, strobes): (u32, u8) = (master.rng.random(), master.rng.random_range(0..16));
                master.write(WINDOW + at as u64, word, strobes);
                let bytes = word.to_le_bytes();
                (0..4).filter(|i| strobes >> i & 1 == 1).for_each(|i| memory[at + i] = bytes[i]);
            }
            2..=3 => {
                let word = u32::from_le_bytes(memory[at..at + 4].try_into().expect("four bytes"));
                assert_eq!(master.read(WINDOW + at as u64), word, "{at:#x}");
            }
            4..=6 if expected.len() < geometry.instructions => {
                let instruction = random(&mut master.rng, geometry);
                let result = execute(&mut memory, geometry, &instruction).map_err(|f| (f.code as u32, f.address));
                expected.push_back((instruction.tag, result));
                master.push(&instruction);
            }
            _ if !expected.is_empty() => assert_eq!(Some(master.pop()), expected.pop_front()),
            _ => {
                let beyond = WINDOW + geometry.bytes() as u64 + at as u64;
                if beyond < 2 * WINDOW {
                    master.write(beyond, 5, 15);
                    assert_eq!(master.read(beyond), 0);
                }
            }
        }
    }
    while let Some(result) = expected.pop_front() {
        assert_eq!(master.pop(), result);
    }
    for at in (0..geometry.bytes()).step_by(4) {
        let word = u32::from_le_bytes(memory[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(master.read(WINDOW + at as u64), word, "{at:#x} at the end");
    }
    // More pushes than there are places: the last are dropped.
    let zero = CacheInstruction::new(CacheOp::Zero, 0, 0, 0, geometry.block_bytes as u32);
    for _ in 0..geometry.instructions + 3 {
        master.push(&zero);
    }
    assert_eq!(master.read(REG_DROPPED), 3);
    assert_eq!(master.read(REG_STATUS), 1 << STATUS_BUSY_LSB | 1 << STATUS_RESULT_LSB);
    (0..geometry.instructions).for_each(|_| assert_eq!(master.pop(), (0, Ok(0))));
    assert_eq!(master.read(REG_STATUS), 1 << STATUS_READY_LSB);
    let low = master.read(REG_CYCLES_LOW);
    assert!(u64::from(low) < master.cycles && low > 0 && master.read(REG_CYCLES_HIGH) == 0);
    master
}

/// Mostly legal ones.
fn random(rng: &mut impl Rng, geometry: &CacheGeometry) -> CacheInstruction {
    let op = CacheOp::ALL[rng.random_range(0..CacheOp::ALL.len())];
    let block = geometry.block_bytes as u32;
    let mut address = || rng.random_range(0..geometry.blocks() as u32) * block;
    let (a, b, d) = (address(), address(), address());
    let size = rng.random_range(0..4) * block;
    let op = CacheInstruction { tag: rng.random(), ..CacheInstruction::new(op, a, b, d, size) };
    if rng.random_range(0..10) == 0 {
        CacheInstruction { op: rng.random_range(0..16), a: rng.random(), ..op }
    } else {
        op
    }
}

fn geometries() -> [CacheGeometry; 2] {
    let tiny = CacheGeometry::preset("tiny").expect("named");
    let wide = CacheGeometry { block_bytes: 64, banks: 4, issue: 4, instructions: 8, ..tiny.clone() };
    [tiny, wide]
}

#[test]
fn traffic_natively() {
    for geometry in geometries() {
        traffic(engine(&compute_cache_top(&geometry).expect("legal")), &geometry, 21, 600);
    }
}

#[test]
fn traffic_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let [geometry, _] = geometries();
    let netlist = compute_cache_top(&geometry).expect("legal");
    let master = traffic(judged(&netlist), &geometry, 22, 300);
    innocent(&master.engine, &["slave"], 1000);
}

/// The interrupt line follows a waiting result while it is enabled.
#[test]
fn interrupt_line_follows_results() {
    let [geometry, _] = geometries();
    let mut master = Master::new(engine(&compute_cache_top(&geometry).expect("legal")), 1);
    let irq = master.engine.design().find_net("irq").expect("the top has an interrupt line");
    let zero = CacheInstruction::new(CacheOp::Zero, 0, 0, 0, 8);
    master.push(&zero);
    (0..20).for_each(|_| master.tick());
    assert_eq!(master.engine.low(irq), 0);
    master.write(REG_CONTROL, 1 << CONTROL_RESULT_ENABLE_LSB, 15);
    (0..2).for_each(|_| master.tick());
    assert_eq!(master.engine.low(irq), 1);
    master.write(REG_POP, 1, 15);
    (0..2).for_each(|_| master.tick());
    assert_eq!(master.engine.low(irq), 0);
}

#[test]
fn tools_are_quiet() {
    for geometry in geometries() {
        quiet(&compute_cache_top(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
