//! The compute unit with its way to memory: transfers of every width, alignment, stride and bus, between operations,
//! with stalls, errors and resets; in lock step with the model, memory and rows compared with plain integers.

mod judge;
mod stream;

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lint::{quiet, simulators};
use bitline::array::blocks::{Top, design};
use bitline::array::registers::REG_COMPLETED;
use bitline::isa::command::ErrorCode;
use bitline::isa::transfer::{Transfer, element_bytes, widest};
use bitline::isa::{Command, Opcode};
use bitline::kernel::netlist::Netlist;
use bitline::params::{MemoryPort, Params};
use bitline::presets::preset;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::lockstep::Divergence;
use bitline::sim::lockstep::array::MemoryLockstep;
use bitline::sim::units::array::memory::host::{Fault, Host};
use bitline::sim::units::array::memory::{AxiMemory, DECODE_ERROR, OKAY, SLAVE_ERROR, Traffic};
use bitline::sim::vectors::{Rows, read_elements, write_elements};

const BASE: u64 = 0x8000_0000;
const SIZE: usize = 64 * 1024;

fn params(base: &str, memory_port: MemoryPort) -> Params {
    Params { memory_port, command_fifo: 8, ..preset(base).expect("exists") }
}

fn host<E: Engine>(engine: E, params: &Params, seed: u64) -> Host<E> {
    println!("{}, {:?}, seed {seed}", params.name, params.memory_port);
    let memory = AxiMemory::new(BASE, SIZE, params.memory_port.bus_bits() as u64 / 8, seed);
    Host::new(MemoryLockstep::new(engine, params, seed), memory)
}

#[test]
fn every_register_is_compared() {
    let params = params("tiny", MemoryPort::Axi64);
    let unit = MemoryLockstep::new(engine(&design(&params, Top::Registers).expect("legal")), &params, 1);
    assert_eq!(unit.unseen(), Vec::<&str>::new());
}

/// How often each thing happened.
type Coverage = BTreeMap<&'static str, u64>;

/// What rows and memory must hold, one command after the other; and its errors, of which the first is told.
struct Expected {
    rows: Plain,
    memory: AxiMemory,
    errors: Vec<Fault>,
}

/// Rows without hardware.
struct Plain {
    columns: usize,
    rows: Vec<Vec<u64>>,
}

impl Rows for Plain {
    fn columns(&self) -> usize {
        self.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.rows[row].clone()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.rows[row] = bits.to_vec();
    }
}

impl Expected {
    fn new<E: Engine>(host: &Host<E>) -> Expected {
        let params = host.unit.params();
        let rows = (0..params.rows).map(|row| host.unit.row(row)).collect();
        let rows = Plain { columns: params.columns, rows };
        Expected { rows, memory: host.memory.clone(), errors: vec![] }
    }

    fn fails(&mut self, code: ErrorCode, operand: u64, index: u32, address: u64) {
        self.errors.push(Fault { code: code.code(), operand, index, address });
    }

    /// What a transfer does, by plain bytes.
    fn transfer(&mut self, t: &Transfer, params: &Params, index: u32) {
        if let Some((code, operand)) = t.fault(params) {
            let address = if code == ErrorCode::Address { t.address } else { 0 };
            return self.fails(code, operand, index, address);
        }
        let bytes = element_bytes(t.width);
        let step = if t.stride == 0 { i64::from(bytes) } else { t.stride.into() };
        let address = |k: u16| t.address.wrapping_add_signed(step * i64::from(k));
        let answers = |k: u16| (0..bytes).map(move |b| address(k) + u64::from(b));
        let failed = |memory: &AxiMemory, at: u64| Some(memory.answers(at)).filter(|&response| response != OKAY);
        let code = |response| if response == DECODE_ERROR { ErrorCode::Decode } else { ErrorCode::Slave };
        let width = usize::from(t.width);
        if t.store {
            let elements = read_elements(&self.rows, t.row.into(), width);
            let mut first = None;
            for k in 0..t.count {
                for (byte, at) in answers(k).enumerate() {
                    match failed(&self.memory, at) {
                        Some(response) => first = first.or(Some((response, at))),
                        None => {
                            let at = self.memory.at(at);
                            self.memory.bytes[at] = (elements[usize::from(k)] >> (8 * byte)) as u8;
                        }
                    }
                }
            }
            if let Some((response, _)) = first {
                // The burst's address is looked at elsewhere.
                self.fails(code(response), 0, index, u64::MAX);
            }
        } else {
            let wrong = (0..t.count).find_map(|k| {
                // A chunk of 64 bits shares its beat's answer.
                answers(k).find_map(|at| failed(&self.memory, at)).map(|response| (response, address(k)))
            });
            if let Some((response, at)) = wrong {
                return self.fails(code(response), 0, index, at);
            }
            let mut elements = vec![0; self.rows.columns];
            for k in 0..t.count {
                elements[usize::from(k)] = self.memory.element(address(k), bytes).into();
            }
            write_elements(&mut self.rows, t.row.into(), width, &elements);
        }
    }

    /// What an operation does, by plain integers.
    fn operation(&mut self, c: &Command) {
        let n = usize::from(c.width);
        let (a, b) = (read_elements(&self.rows, c.a.into(), n), read_elements(&self.rows, c.b.into(), n));
        let d: Vec<u128> = a.iter().zip(&b).map(|(&a, &b)| plain(c.opcode, a, b)).collect();
        let width = if c.opcode == Opcode::MulU { 2 * n } else { n };
        write_elements(&mut self.rows, c.d.into(), width, &d);
    }
}

fn plain(opcode: Opcode, a: u128, b: u128) -> u128 {
    match opcode {
        Opcode::Add => a.wrapping_add(b),
        Opcode::Sub => a.wrapping_sub(b),
        Opcode::Xor => a ^ b,
        Opcode::MulU => a * b,
        Opcode::Not => !a,
        Opcode::Copy => a,
        other => unreachable!("{other} is not used here"),
    }
}

/// A transfer somewhere in memory, sometimes partly outside, sometimes not legal.
fn some_transfer(rng: &mut ChaCha8Rng, params: &Params) -> Transfer {
    let width = rng.random_range(1..=widest(params)) as u8;
    let bytes = i32::from(element_bytes(width));
    let count = if rng.random_ratio(1, 4) { params.columns } else { rng.random_range(1..=params.columns) } as u16;
    let row = rng.random_range(0..=params.rows - usize::from(width)) as u16;
    let stride = match rng.random_range(0..8) {
        0..4 => 0,
        4 => bytes,
        // Elements must not overlap: what the last store leaves would depend on the order in a beat.
        5 => rng.random_range(bytes..40.max(bytes + 1)),
        6 => -rng.random_range(bytes..40.max(bytes + 1)),
        _ => rng.random_range(60..200),
    };
    let span = i64::from(if stride == 0 { bytes } else { stride }) * i64::from(count - 1);
    let room = SIZE as i64 - span.abs() - 2 * i64::from(bytes);
    // Near a multiple of 4 KiB more often than chance would have it.
    let place = if rng.random_ratio(1, 3) {
        (rng.random_range(0..16) * 4096 + rng.random_range(-40..40)).clamp(0, room - 1)
    } else {
        rng.random_range(0..room)
    };
    let address = BASE + place as u64 + (-span).max(0) as u64;
    let legal = Transfer { store: rng.random(), width, row, count, address, stride };
    match rng.random_range(0..40) {
        0 => Transfer { width: 0, ..legal },
        1 => Transfer { width: widest(params) as u8 + 1, ..legal },
        2 => Transfer { count: 0, ..legal },
        3 => Transfer { count: params.columns as u16 + 1, ..legal },
        4 => Transfer { row: (params.rows - usize::from(width) + 1) as u16, ..legal },
        5 => Transfer { address: u64::MAX - 3, stride: 64, count: 2, ..legal },
        6 => Transfer { address: 3, stride: -64, count: 2, ..legal },
        7 => Transfer { address: BASE + SIZE as u64 - 16, stride: 0, ..legal },
        _ => legal,
    }
}

fn some_operation(rng: &mut ChaCha8Rng, params: &Params) -> Command {
    let opcodes = [Opcode::Add, Opcode::Sub, Opcode::Xor, Opcode::MulU, Opcode::Not, Opcode::Copy];
    let opcode = opcodes[rng.random_range(0..opcodes.len())];
    loop {
        let width = rng.random_range(1..=12.min(params.rows as u8 / 4));
        let mut row = || rng.random_range(0..params.rows as u16 - 2 * u16::from(width));
        let command = Command { a: row(), b: row(), d: row(), s: row(), ..Command::new(opcode, width) };
        if command.check(params).is_ok() {
            return command;
        }
    }
}

fn must<T>(result: Result<T, Box<Divergence>>) -> T {
    result.unwrap_or_else(|d| panic!("{d}"))
}

/// Random commands; rows and memory are compared whenever the unit is idle.
fn random<E: Engine>(engine: E, params: &Params, seed: u64, rounds: u32, commands: u32) -> (Coverage, Traffic) {
    let mut host = host(engine, params, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut coverage = Coverage::new();
    rng.fill(&mut host.memory.bytes[..]);
    // Commands since reset that were refused.
    let mut refused = 0;
    for round in 0..rounds {
        host.memory.pace = [1, 1, 2, 5][rng.random_range(0..4)];
        host.memory.latency = [0, 3, 30][rng.random_range(0..3)];
        host.memory.one_side = rng.random_ratio(1, 3);
        host.memory.faults.clear();
        if rng.random_ratio(1, 2) {
            let from = BASE + rng.random_range(0..SIZE as u64);
            let response = if rng.random() { SLAVE_ERROR } else { DECODE_ERROR };
            host.memory.faults.push((from..from + rng.random_range(1..12_000), response));
        }
        let mut expected = Expected::new(&host);
        for _ in 0..commands {
            let index = host.pushes;
            if rng.random_ratio(3, 5) {
                let transfer = some_transfer(&mut rng, params);
                expected.transfer(&transfer, params, index);
                must(host.transfer(&transfer));
            } else if rng.random_ratio(1, 20) {
                // Rows have no streams here.
                expected.fails(ErrorCode::Opcode, 0, index, 0);
                must(host.push(&Command::new(Opcode::Load, 1), rng.random_range(0..2)));
            } else if rng.random_ratio(1, 10) {
                // Found when its turn in the unit comes, when transfers behind it may have been looked at already.
                expected.fails(ErrorCode::Width, 0, index, 0);
                must(host.push(&Command { width: 0, ..some_operation(&mut rng, params) }, Opcode::Add as u8));
            } else {
                let command = some_operation(&mut rng, params);
                expected.operation(&command);
                must(host.push(&command, command.opcode as u8));
            }
            for (what, happened) in host.seen() {
                *coverage.entry(what).or_default() += happened;
            }
        }
        let fault = must(host.finish());
        check(&host, &expected, fault, params);
        refused += expected.errors.iter().filter(|e| e.code < ErrorCode::Slave.code()).count() as u32;
        assert_eq!(must(host.read(REG_COMPLETED)), host.pushes - refused, "commands that have ended");
        for (what, happened) in [
            ("a load fails", expected.errors.iter().any(|e| e.code >= 10 && e.address != u64::MAX)),
            ("a store fails", expected.errors.iter().any(|e| e.code >= 10 && e.address == u64::MAX)),
            ("a transfer is refused", expected.errors.iter().any(|e| e.code < 10)),
        ] {
            *coverage.entry(what).or_default() += u64::from(happened);
        }
        if round % 4 == 3 {
            // In the middle of something.
            for _ in 0..4 {
                must(host.transfer(&some_transfer(&mut rng, params)));
            }
            must(host.rest(rng.random_range(0..200)));
            must(host.reset());
            refused = 0;
            must(host.rest(5));
        }
    }
    for (what, happened) in host.seen() {
        *coverage.entry(what).or_default() += happened;
    }
    (coverage, host.memory.traffic)
}

fn check<E: Engine>(host: &Host<E>, expected: &Expected, fault: Fault, params: &Params) {
    for row in 0..params.rows {
        assert_eq!(host.unit.row(row), expected.rows.row(row), "row {row}");
    }
    if let Some(at) = (0..SIZE).find(|&at| host.memory.bytes[at] != expected.memory.bytes[at]) {
        let (actual, expected) = (host.memory.bytes[at], expected.memory.bytes[at]);
        panic!("byte {:#x}: expected {expected:#x}, actual {actual:#x}", BASE + at as u64);
    }
    let burst = |address: u64| address >= BASE - 4096;
    let known = |e: &Fault| {
        *e == fault || (e.address == u64::MAX && burst(fault.address) && Fault { address: u64::MAX, ..fault } == *e)
    };
    assert!(
        expected.errors.first().map_or(fault == Fault::default(), known),
        "the unit tells of {fault:?}, expected the first of {:?}",
        expected.errors
    );
}

/// A small unit with a memory.
pub(crate) fn small() -> (Netlist, Params) {
    let params = Params { columns: 64, rows: 128, ..params("tiny", MemoryPort::Axi128) };
    (design(&params, Top::Registers).expect("legal"), params)
}

/// Random commands on one that may be broken.
pub(crate) fn play(netlist: &Netlist, params: &Params, long: bool) {
    random(engine(netlist), params, 5, if long { 20 } else { 5 }, 16);
}

const PORTS: [MemoryPort; 4] = [MemoryPort::Axi64, MemoryPort::Axi128, MemoryPort::Axi256, MemoryPort::Axi512];

#[test]
fn random_commands_natively() {
    let mut all = Coverage::new();
    for (seed, port) in PORTS.into_iter().enumerate() {
        for (base, columns) in [("tiny", 8), ("tiny", 64), ("paper", 64)] {
            let params = Params { columns, rows: 128, ..params(base, port) };
            let netlist = design(&params, Top::Registers).expect("legal");
            let (coverage, traffic) = random(engine(&netlist), &params, seed as u64 + 1, 12, 20);
            println!("{traffic:?}");
            coverage.into_iter().for_each(|(what, count)| *all.entry(what).or_default() += count);
        }
    }
    assert!(all.values().all(|&count| count > 0), "{all:?}");
}

#[test]
fn random_commands_on_emitted_verilog() {
    for (port, columns) in [(MemoryPort::Axi64, 64), (MemoryPort::Axi512, 8)] {
        let params = Params { columns, rows: 128, ..params("tiny", port) };
        let netlist = design(&params, Top::Registers).expect("legal");
        if require("verilator").is_some() {
            let model = Verilated::build_with(&netlist, &cache_folder(), Build::Open).unwrap_or_else(|e| panic!("{e}"));
            random(model, &params, 11, 12, 20);
        }
        if require("iverilog").is_some() && columns == 8 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            random(model, &params, 12, 1, 6);
        }
    }
}

#[test]
fn tools_are_quiet() {
    for port in MemoryPort::ALL {
        let netlist = design(&params("tiny", port), Top::Registers).expect("legal");
        // yosys takes its time: once is enough for what all have in common.
        let said = if port == MemoryPort::Axi128 { quiet(&netlist) } else { simulators(&netlist) };
        said.unwrap_or_else(|e| panic!("{port:?}: {e}"));
    }
}

#[test]
fn a_vector_goes_in_and_out() {
    let params = params("tiny", MemoryPort::Axi64);
    let mut host = host(engine(&design(&params, Top::Registers).expect("legal")), &params, 1);
    for k in 0..8 {
        host.memory.set_element(BASE + 3 + k, 1, 17 * k + 5);
    }
    let load = Transfer { store: false, width: 8, row: 4, count: 8, address: BASE + 3, stride: 0 };
    host.transfer(&load).unwrap_or_else(|d| panic!("{d}"));
    let fault = host.finish().unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(fault, Fault::default());
    assert_eq!(read_elements(&host.unit, 4, 8), (0..8).map(|k| 17 * k + 5).collect::<Vec<u128>>());
    let store = Transfer { store: true, address: BASE + 0x101, stride: 3, ..load };
    host.transfer(&store).unwrap_or_else(|d| panic!("{d}"));
    host.finish().unwrap_or_else(|d| panic!("{d}"));
    for k in 0..8 {
        assert_eq!(host.memory.element(BASE + 0x101 + 3 * k, 1), 17 * k + 5, "element {k}");
    }
}
