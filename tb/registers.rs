//! The register block on random bus traffic and with real commands: in lock step with its model, natively and under
//! Verilator, with the same seeds.

mod busy;
mod flags;
mod traffic;

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traffic::traffic;

use super::judges::{innocent, judged};
use super::lint::{quiet, simulators};
use bitline::array::blocks::{Top, design};
use bitline::array::registers::*;
use bitline::isa::command::ErrorCode;
use bitline::isa::operation::{Context, Operation};
use bitline::isa::{Command, Opcode};
use bitline::params::Params;
use bitline::presets::{PRESETS, preset};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::lockstep::array::TopLockstep;
use bitline::sim::model::axil_regs::STAGED;
use bitline::sim::model::axil_slave::Offer;
use bitline::sim::model::compute_top::{TopInputs, TopOutputs};
use bitline::sim::vectors::{Case, Stimulus};

/// How often each thing happened.
type Coverage = BTreeMap<String, u64>;

/// A bus master with pauses, and both ends of the streams.
struct Bus<E: Engine> {
    top: TopLockstep<E>,
    rng: ChaCha8Rng,
    /// A channel starts an offer, or takes one, with one chance in this many.
    pace: u32,
    offer: TopInputs,
    addresses: VecDeque<u32>,
    data: VecDeque<(u32, u8)>,
    reads: VecDeque<u32>,
    beats: VecDeque<u64>,
    received: Vec<(u64, bool)>,
    /// Writes answered.
    written: u64,
    /// Answers of reads.
    answers: Vec<u32>,
    coverage: Coverage,
}

impl<E: Engine> Bus<E> {
    fn new(engine: E, params: &Params, seed: u64) -> Bus<E> {
        Bus {
            top: TopLockstep::new(engine, params, seed),
            rng: ChaCha8Rng::seed_from_u64(seed),
            pace: 1,
            offer: TopInputs::default(),
            addresses: VecDeque::new(),
            data: VecDeque::new(),
            reads: VecDeque::new(),
            beats: VecDeque::new(),
            received: Vec::new(),
            written: 0,
            answers: Vec::new(),
            coverage: Coverage::new(),
        }
    }

    fn queue_write(&mut self, offset: u64, data: u32, strobes: u8) {
        self.addresses.push_back(offset as u32);
        self.data.push_back((data, strobes));
    }

    fn count(&mut self, what: &str, happened: bool) {
        *self.coverage.entry(what.into()).or_default() += u64::from(happened);
    }

    /// One cycle: what is on offer stays until it is taken.
    fn cycle(&mut self) -> TopOutputs {
        let pace = self.pace;
        let mut go = || self.rng.random_range(0..pace) == 0;
        let axil = self.offer.axil;
        let offer = TopInputs {
            axil: Offer {
                write_address: axil.write_address.or_else(|| self.addresses.front().copied().filter(|_| go())),
                write_data: axil.write_data.or_else(|| self.data.front().copied().filter(|_| go())),
                take_response: go(),
                read_address: axil.read_address.or_else(|| self.reads.front().copied().filter(|_| go())),
                take_data: go(),
            },
            beat: self.offer.beat.or_else(|| self.beats.front().copied().filter(|_| go())),
            take: go(),
        };
        let before = self.top.model.registers.slave;
        let outputs = self.top.cycle(&offer).unwrap_or_else(|d| panic!("{d}"));
        let answer = &outputs.axil;
        self.offer = offer;
        if offer.axil.write_address.is_some() && answer.write_address_ready {
            self.addresses.pop_front();
            self.offer.axil.write_address = None;
        }
        if offer.axil.write_data.is_some() && answer.write_data_ready {
            self.data.pop_front();
            self.offer.axil.write_data = None;
        }
        if offer.axil.read_address.is_some() && answer.read_address_ready {
            self.reads.pop_front();
            self.offer.axil.read_address = None;
        }
        if offer.beat.is_some() && outputs.unit.beat_ready {
            self.beats.pop_front();
            self.offer.beat = None;
        }
        self.written += u64::from(answer.response.is_some() && offer.axil.take_response);
        self.answers.extend(answer.data.map(|data| data.0).filter(|_| offer.axil.take_data));
        self.received.extend(outputs.unit.beat.filter(|_| offer.take));
        self.count("address waits for data", before.address.is_some() && before.data.is_none());
        self.count("data wait for address", before.address.is_none() && before.data.is_some());
        self.count("a write and a read in one cycle", before.write().is_some() && before.read().is_some());
        self.count("a response waits", before.written && !offer.axil.take_response);
        self.count("read data wait", before.read_data.is_some() && !offer.axil.take_data);
        self.count("interrupt", outputs.irq);
        let strobes = before.write().map_or(15, |w| w.strobes);
        self.count("no strobe", strobes == 0);
        self.count("some strobes", strobes != 0 && strobes != 15);
        let past = |number: u32| u64::from(number) * 4 > REG_FLAGS;
        self.count("a read beyond the last register", before.read().is_some_and(past));
        self.count("a write beyond the last register", before.write().is_some_and(|w| past(w.number)));
        if let Some(refusal) = outputs.unit.activity.refusal {
            self.count(&format!("refusal {}", refusal.code), true);
        }
        outputs
    }

    /// Writes, and waits for the response.
    fn write(&mut self, offset: u64, data: u32) {
        let until = self.written + self.addresses.len() as u64 + 1;
        self.queue_write(offset, data, 15);
        for _ in 0..10_000 {
            if self.written == until {
                return;
            }
            self.cycle();
        }
        panic!("no response to a write of {offset:#x}");
    }

    /// Reads, and waits for the data. No other read may be under way.
    fn read(&mut self, offset: u64) -> u32 {
        self.answers.clear();
        self.reads.push_back(offset as u32);
        for _ in 0..10_000 {
            if let Some(answer) = self.answers.pop() {
                return answer;
            }
            self.cycle();
        }
        panic!("no data from {offset:#x}");
    }

    fn stage(&mut self, command: &Command) {
        for (offset, word) in STAGED.into_iter().zip(staged(command)) {
            self.write(offset, word);
        }
    }

    fn wait(&mut self) {
        for _ in 0..100_000 {
            if self.read(REG_STATUS) >> STATUS_BUSY_LSB & 1 == 0 {
                return;
            }
        }
        panic!("the unit stays busy");
    }
}

/// A command as the staged registers hold it.
fn staged(c: &Command) -> [u32; 6] {
    let row = |low: u16, high: u16| u32::from(low) << COMMAND_A_LSB | u32::from(high) << COMMAND_B_LSB;
    [
        (c.opcode as u32) << COMMAND_OPCODE_LSB
            | (c.set as u32) << COMMAND_SET_LSB
            | u32::from(c.width) << COMMAND_WIDTH_LSB
            | u32::from(c.second) << COMMAND_SECOND_LSB,
        row(c.a, c.b),
        row(c.d, c.e),
        row(c.s, 0),
        c.key as u32,
        (c.key >> 32) as u32,
    ]
}

/// A legal command, as far as the array has rows for it.
fn legal(params: &Params, rng: &mut impl Rng) -> Command {
    let opcodes = params.opcodes();
    let opcode = opcodes[rng.random_range(0..opcodes.len())];
    let set = params.sets[rng.random_range(0..params.sets.len())];
    let op = Operation::of(opcode, Context::of(params, set));
    let n = rng.random_range(op.widths.0..=op.widths.1.min(6).max(op.widths.0));
    let n = if op.power_of_two { n.next_power_of_two().min(op.widths.1) } else { n };
    let m = op.seconds(n).map_or(0, |(low, _)| low) as u8;
    let mut command = Command { set, second: m, key: rng.random(), ..Command::new(opcode, n) };
    Case::place(&op, &mut command, 0);
    command
}

/// Every operation that fits the array, through the registers, its results against plain integers.
fn operations<E: Engine>(engine: E, params: &Params, seed: u64) {
    println!("seed {seed}");
    let mut bus = Bus::new(engine, params, seed);
    for (register_name, field, value) in identification(params) {
        let register = register(register_name).expect("the table has it");
        let field = register.fields.iter().find(|f| f.name == field).expect("the register has it");
        let read = (bus.read(register.offset) & field.mask()) >> field.lsb;
        assert_eq!(read, value, "{register_name}.{}", field.name);
    }
    assert_eq!(bus.read(REG_ID), MAGIC);
    bus.write(REG_CONTROL, 1 << CONTROL_DONE_ENABLE_LSB);
    let mut stimulus = Stimulus::new(seed);
    let mut ran = 0;
    for &set in &params.sets {
        for opcode in params.opcodes() {
            if matches!(opcode, Opcode::Load | Opcode::Store) {
                continue;
            }
            let op = Operation::of(opcode, Context::of(params, set));
            let n = 4.clamp(op.widths.0, op.widths.1);
            let m = op.seconds(n).map_or(0, |(low, _)| low) as u8;
            let mut command = Command { set, second: m, key: stimulus.value(64), ..Command::new(opcode, n) };
            if usize::from(Case::place(&op, &mut command, 1)) > params.rows || command.check(params).is_err() {
                continue;
            }
            let mut input = || stimulus.inputs(opcode, n.into(), m.into(), command.key);
            let inputs: Vec<_> = (0..params.columns).map(|_| input()).collect();
            let mut tags = vec![0u64; params.columns.div_ceil(64)];
            for (i, input) in inputs.iter().enumerate() {
                tags[i / 64] |= u64::from(input.tag) << (i % 64);
            }
            let case = Case { command, inputs };
            bus.top.set_tags(&tags);
            case.load(&op, &mut bus.top);
            bus.pace = stimulus.rng().random_range(1..4);
            bus.stage(&command);
            bus.write(REG_PUSH, 1);
            bus.wait();
            let tags = bus.top.model.unit.array.column.t.clone();
            case.compare(&bus.top, &tags).unwrap_or_else(|e| panic!("{e}"));
            let tag_any = bus.read(REG_STATUS) >> STATUS_TAG_ANY_LSB & 1 == 1;
            assert_eq!(tag_any, tags.iter().any(|&t| t != 0), "{command}");
            ran += 1;
            assert_eq!(bus.read(REG_COMPLETED), ran);
            assert_eq!(bus.read(REG_INTERRUPT), 1 << INTERRUPT_DONE_LSB, "{command}");
            assert!(bus.cycle().irq, "{command}");
            bus.write(REG_INTERRUPT, 1 << INTERRUPT_DONE_LSB);
            bus.cycle();
            assert!(!bus.cycle().irq, "{command}");
        }
    }
    assert!(ran > 30, "{ran} operations ran");
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (0, 0));
    let cycles = u64::from(bus.read(REG_CYCLES_LOW)) | u64::from(bus.read(REG_CYCLES_HIGH)) << 32;
    assert!(cycles > u64::from(ran) && cycles < bus.top.cycle_count());
    println!("{}: {ran} operations, {cycles} busy cycles of {}", params.name, bus.top.cycle_count());
}

/// The first error is kept, with the number of its command, whatever follows; drops count as commands.
fn errors<E: Engine>(engine: E, params: &Params, seed: u64) {
    let mut bus = Bus::new(engine, params, seed);
    let error = |code: ErrorCode, operand: u32| code.code() as u32 | operand << ERROR_OPERAND_LSB;
    let load = Command { set: params.sets[0], ..Command::new(Opcode::Load, 16) };
    let bad = Command { width: 4, d: params.rows as u16 - 3, ..load };
    bus.stage(&bad);
    bus.write(REG_CONTROL, 1 << CONTROL_ERROR_ENABLE_LSB);
    bus.write(REG_PUSH, 0);
    bus.wait();
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (error(ErrorCode::Rows, 3), 0));
    assert!(bus.cycle().irq);
    // A second error changes nothing.
    bus.stage(&Command { width: 0, ..load });
    bus.write(REG_PUSH, 0);
    bus.wait();
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (error(ErrorCode::Rows, 3), 0));
    bus.write(REG_CONTROL, 1 << CONTROL_ERROR_CLEAR_LSB | 1 << CONTROL_ERROR_ENABLE_LSB);
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (0, 0));
    // One load runs and waits for beats, a second is set up behind it, and the queue fills.
    bus.stage(&load);
    let taken = params.command_fifo as u32 + 2;
    for _ in 0..taken {
        bus.write(REG_PUSH, 0);
        for _ in 0..40 {
            bus.cycle();
        }
    }
    let status = bus.read(REG_STATUS);
    assert_eq!(status >> STATUS_QUEUE_FULL_LSB & 1, 1, "{status:#x}");
    assert_eq!(status >> STATUS_FREE_LSB & 31, 0, "{status:#x}");
    bus.write(REG_PUSH, 0);
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (error(ErrorCode::Overflow, 0), 2 + taken));
    assert_eq!(bus.read(REG_STATUS) >> STATUS_ERROR_LSB & 1, 1);
    let beats = params.columns.div_ceil(64) as u64 * u64::from(taken) * u64::from(load.width);
    bus.beats.extend((0..beats).map(|beat| beat & 0x7f));
    bus.wait();
    assert_eq!(bus.read(REG_COMPLETED), taken);
    // The dropped command counts: the next refusal has the number after it.
    bus.write(REG_CONTROL, 1 << CONTROL_ERROR_CLEAR_LSB);
    bus.stage(&bad);
    bus.write(REG_PUSH, 0);
    bus.wait();
    assert_eq!((bus.read(REG_ERROR), bus.read(REG_ERROR_INDEX)), (error(ErrorCode::Rows, 3), 3 + taken));
}

/// Rows in and out over the streams.
fn streams<E: Engine>(engine: E, params: &Params, seed: u64) {
    let mut bus = Bus::new(engine, params, seed);
    bus.pace = 2;
    let rows = 4;
    let beats = rows * params.columns.div_ceil(64);
    let mask = if params.columns < 64 { (1 << params.columns) - 1 } else { u64::MAX };
    let sent: Vec<u64> = (0..beats).map(|_| bus.rng.random::<u64>() & mask).collect();
    bus.beats.extend(&sent);
    let load = Command { set: params.sets[0], d: 5, ..Command::new(Opcode::Load, rows as u8) };
    for command in [load, Command { a: 5, ..Command { opcode: Opcode::Store, ..load } }] {
        bus.stage(&command);
        bus.write(REG_PUSH, 0);
    }
    for _ in 0..10_000 {
        bus.cycle();
        if bus.received.len() == beats {
            break;
        }
    }
    let expected: Vec<(u64, bool)> = sent.iter().enumerate().map(|(i, &b)| (b, i + 1 == beats)).collect();
    assert_eq!(bus.received, expected);
}

#[test]
fn random_traffic_natively() {
    for (name, cycles) in [("tiny", 60_000), ("default", 12_000), ("paper", 12_000)] {
        let params = preset(name).unwrap();
        let netlist = design(&params, Top::Registers).unwrap();
        traffic(engine(&netlist), &params, 71, cycles);
    }
}

#[test]
fn commands_through_the_registers_natively() {
    for p in &PRESETS {
        let params = p.params();
        let netlist = design(&params, Top::Registers).unwrap();
        operations(engine(&netlist), &params, 72);
        errors(engine(&netlist), &params, 73);
        streams(engine(&netlist), &params, 74);
    }
}

#[test]
fn the_same_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let params = preset("tiny").unwrap();
    let netlist = design(&params, Top::Registers).unwrap();
    let build = || Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    innocent(&traffic(judged(&netlist), &params, 71, 20_000), &["slave"], 1000);
    operations(build(), &params, 72);
    errors(build(), &params, 73);
    streams(build(), &params, 74);
}

#[test]
fn tools_are_quiet_about_every_preset() {
    for (index, p) in PRESETS.iter().enumerate() {
        let netlist = design(&p.params(), Top::Registers).unwrap_or_else(|e| panic!("{}: {e}", p.name));
        let tools = if index == 0 || deep() { quiet } else { simulators };
        tools(&netlist).unwrap_or_else(|e| panic!("{}: {e}", p.name));
    }
}
