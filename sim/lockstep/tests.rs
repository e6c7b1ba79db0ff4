//! Every operation on the native engine in lock step with the model, results against the arithmetic model.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::ccs::UnitLockstep;
use super::line_port::LineMemoryLockstep;
use super::{Lockstep, Stop};
use crate::array::blocks::{Top, design};
use crate::ccs::blocks::ccs_unit;
use crate::ccs::blocks::line_memory::ccs_line_memory;
use crate::ccs::control::unit_control;
use crate::ccs::{CcsCommand, CcsGeometry, CcsMemory};
use crate::engine::{Engine, Lookup, Native, engine};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::model::ccs::line_port::LineRequests;
use crate::model::ccs::unit::{Step, UnitInputs};
use crate::model::compute_unit::Inputs;
use crate::params::{Columns, Latch, Memory, MemoryPort, Params, Sensing};
use crate::vectors::{Case, Stimulus};

pub(crate) fn params(kind: impl Into<Columns>, memory: Memory, rows: usize, columns: usize) -> Params {
    let kind = kind.into();
    let sensing = kind.sensing();
    Params {
        name: "test".into(),
        rows,
        columns,
        sensing,
        memory,
        latches: if kind == Columns::Radix4 { Latch::of(sensing) } else { Latch::ALL.to_vec() },
        sets: Set::ALL.to_vec(),
        command_fifo: 4,
        memory_port: MemoryPort::None,
        float: sensing == Sensing::TwoPort,
        radix: kind.radix(),
        custom: Vec::new(),
        exception_flags: false,
        unpacked: sensing == Sensing::TwoPort,
    }
}

/// Runs one random case of a command; false if its operands do not fit the array.
fn one<E: Engine>(unit: &mut Lockstep<E>, op: &Operation, mut command: Command, stimulus: &mut Stimulus) -> bool {
    let end = Case::place(op, &mut command, 1);
    if usize::from(end) > unit.params().rows {
        return false;
    }
    command.key = stimulus.value(64);
    let (n, m) = (command.width.into(), command.second.into());
    let columns = unit.params().columns;
    let inputs: Vec<_> = (0..columns).map(|_| stimulus.inputs(command.opcode, n, m, command.key)).collect();
    let mut tags = vec![0u64; columns.div_ceil(64)];
    for (i, input) in inputs.iter().enumerate() {
        tags[i / 64] |= u64::from(input.tag) << (i % 64);
    }
    let case = Case { command, inputs };
    unit.set_tags(&tags);
    case.load(op, unit);
    match unit.run(command) {
        Ok(_) => {}
        Err(Stop::Refused(r)) => panic!("{command}: refused {r:?}"),
        Err(Stop::Diverged(d)) => panic!("{command}: {d}"),
    }
    let tags = unit.model.array.column.t.clone();
    case.compare(unit, &tags).unwrap_or_else(|e| panic!("{e}"));
    true
}

/// Operations at every width that they take, with the least second one; how many ran.
fn at_every_width(
    unit: &mut Lockstep<Native>,
    sets: &[Set],
    stimulus: &mut Stimulus,
    which: impl Fn(Opcode) -> bool,
) -> usize {
    let mut ran = 0;
    for &set in sets {
        for opcode in unit.params().opcodes().into_iter().filter(|&opcode| which(opcode)) {
            let op = Operation::of(opcode, Context::of(unit.params(), set));
            for n in (op.widths.0..=op.widths.1).filter(|&n| op.check_width(n).is_ok()) {
                let m = op.seconds(n).map_or(0, |(low, _)| low) as u8;
                let command = Command { set, second: m, ..Command::new(opcode, n) };
                ran += usize::from(one(unit, &op, command, stimulus));
            }
        }
    }
    ran
}

#[test]
fn every_operation_on_the_native_engine() {
    let seed = 11;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for kind in Columns::ALL {
        for memory in Memory::ALL {
            let params = params(kind, memory, 128, 16);
            let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
            let mut unit = Lockstep::new(engine(&netlist), &params, seed);
            let moves = |opcode: Opcode| matches!(opcode, Opcode::Load | Opcode::Store);
            let ran = at_every_width(&mut unit, &Set::ALL, &mut stimulus, |opcode| !moves(opcode));
            println!("{kind:?} {memory}: {ran} commands, {} cycles", unit.cycle_count());
            assert!(ran > 1000);
        }
    }
}

/// Designs with exception flags: results, timing, and in every cycle what rows report and what is raised.
#[test]
fn operations_that_report() {
    let seed = 12;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for kind in Columns::ALL {
        for memory in Memory::ALL {
            let sets = [Set::Fast, Set::Skip];
            let params = params(kind, memory, 128, 16);
            let params = Params { exception_flags: true, float: true, sets: sets.to_vec(), ..params };
            params.check().unwrap_or_else(|e| panic!("{e}"));
            let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
            let mut unit = Lockstep::new(engine(&netlist), &params, seed);
            let ran = at_every_width(&mut unit, &sets, &mut stimulus, Opcode::needs_float);
            println!("{kind:?} {memory}: {ran} commands, {} cycles", unit.cycle_count());
            assert!(ran > 50);
        }
    }
}

/// A unit in the middle of a multiplication, and what it is given.
fn multiplying(params: &Params) -> (Lockstep<Native>, Inputs) {
    let netlist = design(params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    let mut unit = Lockstep::new(engine(&netlist), params, 5);
    let op = Operation::of(Opcode::MulU, Context::of(params, Set::Fast));
    let mut command = Command { set: Set::Fast, ..Command::new(Opcode::MulU, 8) };
    Case::place(&op, &mut command, 0);
    let inputs = Inputs { command: Some(command), ..Inputs::default() };
    for _ in 0..100 {
        unit.cycle(&inputs).unwrap_or_else(|d| panic!("{d}"));
    }
    (unit, inputs)
}

/// A multiplication, in the middle of which something happens; the difference that the next cycle finds, if any.
fn disturbed(params: &Params, disturb: impl FnOnce(&mut Lockstep<Native>)) -> Option<String> {
    let (mut unit, inputs) = multiplying(params);
    disturb(&mut unit);
    unit.cycle(&inputs).err().map(|d| d.path)
}

#[test]
fn a_cycle_notices_every_wrong_register_that_a_comparison_of_everything_notices() {
    for memory in Memory::ALL {
        let (mut unit, _) = multiplying(&params(Sensing::TwoPort, memory, 128, 16));
        let (mut noticed, mut registers) = (0, 0);
        for register in 0..unit.engine.design().registers.len() {
            let held = unit.engine.register(register).to_vec();
            let net = unit.engine.design().registers[register].net;
            let top = unit.engine.design().net(net).width as usize - 1;
            let bits = [0, top].map(|bit| {
                let mut other = held.clone();
                other[bit / 64] ^= 1 << (bit % 64);
                unit.engine.set_register(register, &other);
                let [cycle, everything] = [false, true].map(|whole| unit.compare(whole).err());
                unit.engine.set_register(register, &held);
                unit.compare(false).unwrap_or_else(|d| panic!("{d}"));
                assert_eq!(cycle, everything);
                assert!(cycle.as_ref().is_none_or(|d| d.cycle == 100), "{cycle:?}");
                cycle.is_some()
            });
            noticed += usize::from(bits.iter().all(|&noticed| noticed));
            registers += 1;
        }
        println!("{memory}: {noticed} of {registers} registers");
        // Stages without a row may hold anything.
        assert!(noticed > 170);
    }
}

#[test]
fn a_model_that_changes_in_a_part_that_rests_is_noticed() {
    type Change = fn(&mut Lockstep<Native>);
    let changes: [(Change, &str); 5] = [
        (|unit| unit.model.sequencer.setup.values.n ^= 1, "sequencer.setup.values.n"),
        (|unit| unit.model.sequencer.setup.start.stop ^= true, "sequencer.start.stop"),
        (|unit| unit.model.sequencer.setup.counts[1][0] ^= 1, "sequencer.flow.counters.x_counts"),
        (|unit| unit.model.sequencer.flow.scanner.width ^= 1, "sequencer.flow.scanner.width"),
        (|unit| unit.model.queue.count ^= 1, "commands.count"),
    ];
    for (change, path) in changes {
        let (mut unit, _) = multiplying(&params(Sensing::TwoPort, Memory::Behavioural, 128, 16));
        unit.compare(false).unwrap_or_else(|d| panic!("{d}"));
        change(&mut unit);
        let found = unit.compare(false).expect_err(path);
        assert!(found.path.starts_with(path), "{found}, must be {path}");
        assert_eq!(found.cycle, 100);
    }
}

#[test]
fn a_wrong_row_is_found_in_the_very_cycle() {
    for memory in Memory::ALL {
        let params = params(Sensing::TwoPort, memory, 128, 16);
        assert_eq!(disturbed(&params, |_| ()), None);
        // A row that the command does not touch, and one bit of it.
        let hardware = disturbed(&params, |unit| {
            let (memory, row) = (unit.row_memories()[0], unit.row(120)[0]);
            unit.engine.set_word(memory, 120, &[row ^ 1]);
        });
        let model = disturbed(&params, |unit| {
            let row = unit.row(120)[0];
            unit.model.array.sram.write(120, &[row ^ 1], None);
        });
        assert!(hardware.as_ref().is_some_and(|path| path.ends_with("[120]")), "{hardware:?}");
        assert_eq!(hardware, model);
        // The command that came last.
        let mut slot = 0;
        let waiting = disturbed(&params, |unit| {
            slot = usize::from(unit.model.queue.tail.wrapping_sub(1) % 4);
            unit.model.queue.slots[slot].as_mut().expect("it was filled").set ^= 1;
        });
        assert_eq!(waiting, Some(format!("commands.memory[{slot}]")));
        let base = disturbed(&params, |unit| unit.model.sequencer.setup.bases[0][15] ^= 1);
        assert_eq!(base.as_deref(), Some("sequencer.addresses.a_bases[15]"));
    }
}

#[test]
fn a_wrong_output_is_found_where_outputs_are_compared_together_too() {
    type Change = fn(&mut Lockstep<Native>);
    let changes: [(Change, &str); 5] = [
        (|unit| unit.model.array.tag_any ^= true, "tag_any"),
        (|unit| unit.model.queue.count ^= 1, "queue_level"),
        (|unit| unit.model.loader.full ^= true, "s_axis_tready"),
        (|unit| unit.model.storer.sending ^= true, "m_axis_tvalid"),
        (|unit| unit.model.sequencer.ready.last ^= true, "finished"),
    ];
    for memory in Memory::ALL {
        let params = params(Sensing::TwoPort, memory, 128, 16);
        for (change, path) in changes {
            let (mut unit, inputs) = multiplying(&params);
            // The engine keeps what was asked for often; a row has to be at issue.
            while !unit.model.sequencer.ready.valid || unit.model.sequencer.blocked()[0] {
                unit.cycle(&inputs).unwrap_or_else(|d| panic!("{d}"));
            }
            let found = (change(&mut unit), unit.cycle(&inputs)).1.err().map(|d| d.path);
            assert_eq!(found.as_deref(), Some(path), "{memory}");
        }
    }
}

/// Lanes, which are compared side by side: each of their registers, in two of its bits.
#[test]
fn a_cycle_notices_every_wrong_register_of_every_lane() {
    for (lanes, element_bits) in [(16, 32), (16, 8), (4, 16)] {
        let (name, lines, memory, read_ports) = ("test".into(), 16, CcsMemory::Line, 1);
        let geometry = CcsGeometry { name, lanes, element_bits, lines, memory, read_ports };
        let netlist = ccs_unit(&geometry).unwrap_or_else(|e| panic!("{e}"));
        let mut unit = UnitLockstep::new(engine(&netlist), &geometry, 1);
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let step = Step { low: 0, high: lanes as u8 - 1, first: true, last: true };
        let inputs = |random: &mut ChaCha8Rng| UnitInputs {
            control: unit_control(CcsCommand::named("MULVV").expect("a command"), false),
            mask: vec![true; lanes],
            step: Some(step),
            a: (0..lanes).map(|_| random.random::<u32>() & geometry.ones()).collect(),
            b: (0..lanes).map(|_| random.random::<u32>() & geometry.ones()).collect(),
            ..UnitInputs::default()
        };
        // The engine has looked what is seldom in use, and outputs are compared together.
        for _ in 0..6000 {
            unit.cycle(&inputs(&mut random)).unwrap_or_else(|d| panic!("{d}"));
        }
        let mut noticed = 0;
        for register in 0..unit.engine.design().registers.len() {
            let held = unit.engine.register(register).to_vec();
            let net = unit.engine.design().net(unit.engine.design().registers[register].net);
            let (path, top) = (net.path.clone(), net.width as usize - 1);
            for bit in [0, top] {
                let mut other = held.clone();
                other[bit / 64] ^= 1 << (bit % 64);
                unit.engine.set_register(register, &other);
                let [cycle, everything] = [false, true].map(|whole| unit.compare(whole).err());
                unit.engine.set_register(register, &held);
                assert_eq!(cycle, everything);
                assert!(cycle.is_some() || !path.starts_with("lanes_"), "{path}, bit {bit}");
                noticed += usize::from(cycle.is_some());
            }
            unit.compare(false).unwrap_or_else(|d| panic!("{d}"));
        }
        println!("{lanes} lanes of {element_bits} bits: {noticed} bits");
        assert!(noticed > 60 * lanes);
    }
}

/// Memories that are compared together.
#[test]
fn a_wrong_word_is_found_in_every_one_of_many_memories() {
    let lines = CcsGeometry {
        name: "test".into(),
        lanes: 4,
        element_bits: 32,
        lines: 16,
        memory: CcsMemory::Line,
        read_ports: 1,
    };
    let netlist = ccs_line_memory(&lines, 16).unwrap_or_else(|e| panic!("{e}"));
    let mut unit = LineMemoryLockstep::new(engine(&netlist), &lines, 16, 3);
    let inputs = LineRequests::default();
    let cycle = |unit: &mut LineMemoryLockstep<Native>| unit.cycle(&inputs).err().map(|d| d.path);
    for byte in 0..16 {
        for line in [0, 7, 15] {
            assert_eq!(cycle(&mut unit), None);
            let memory = unit.engine.design().find_memory(&format!("rams_{byte}")).expect("a byte of every line");
            let held = unit.engine.memory(memory)[line];
            unit.engine.set_word(memory, line, &[held ^ 1]);
            assert_eq!(cycle(&mut unit), Some(format!("rams_{byte}[{line}]")));
            unit.engine.set_word(memory, line, &[held]);
            // What the model says that it has written.
            let element = byte / 4;
            unit.model.lines[line][element] ^= 1 << (byte % 4 * 8);
            unit.compare_memory().expect_err("all words are compared now");
            unit.model.lines[line][element] ^= 1 << (byte % 4 * 8);
        }
    }
}
