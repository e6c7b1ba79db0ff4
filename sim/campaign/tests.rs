//! The campaigns on the native engine, in all four modes.

mod baseline;
mod bytes;
mod exceptions;

use std::collections::BTreeSet;

use rand::Rng;

use super::float::{self, Class};
use super::{Bench, Effort, Failure, alike, exhaustive, illegal, params, standard};
use crate::array::blocks::{Top, design};
use crate::engine::{Native, engine};
use crate::external::tool::{deep, some_of};
use crate::isa::format::{E5M2, FORMATS, Mode};
use crate::isa::microcode::Microcode;
use crate::isa::operation::{Context, Operation};
use crate::isa::uop::{self, LATCHES};
use crate::isa::word::{Field, control, flow, setup};
use crate::isa::{Command, Opcode, Set};
use crate::params::{Columns, Latch, Memory, Params, Sensing};
use crate::vectors::Case;

fn bench(params: &Params, seed: u64) -> Bench<Native> {
    println!("seed {seed}");
    let netlist = design(params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    Bench::new(engine(&netlist), params, seed)
}

fn passes(result: Result<(), Failure>) {
    result.unwrap_or_else(|f| panic!("{f}"));
}

/// Both memories with `BITLINE_DEEP=1`, else one: they differ in when they show a row.
fn memories(one: Memory) -> Vec<Memory> {
    if deep() { Memory::ALL.to_vec() } else { vec![one] }
}

/// Everything that coverage asks for, on many rows: 64-bit operands fit.
fn reaches_everything(kind: impl Into<Columns>, memory: Memory) {
    let rows = if memory == Memory::BlockRam { 512 } else { 500 };
    let mut bench = bench(&params(kind, memory, rows, 16), 21);
    passes(exhaustive::short(&mut bench));
    passes(exhaustive::uniform(&mut bench));
    passes(alike::every_set(&mut bench));
    passes(standard(&mut bench, Effort::Full).and_then(|()| float::cancelling(&mut bench)));
    let flushed = |operation: &Operation| operation.flushed.is_some();
    passes(float::every_mode_of(&mut bench, 1, flushed, |mode| mode == Mode::FLUSHED).map(|_| ()));
    println!("{}{} commands", bench.coverage, bench.commands);
    let missing = bench.coverage.missing();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn and_nor_behavioural_reaches_everything() {
    reaches_everything(Sensing::AndNor, Memory::Behavioural);
}

#[test]
fn and_nor_block_ram_reaches_everything() {
    reaches_everything(Sensing::AndNor, Memory::BlockRam);
}

/// In CI the other memory of these columns, and the other columns of this memory, reach everything.
#[test]
#[ignore = "takes long: scripts/check-deep.sh"]
fn two_port_behavioural_reaches_everything() {
    reaches_everything(Sensing::TwoPort, Memory::Behavioural);
}

#[test]
fn two_port_block_ram_reaches_everything() {
    reaches_everything(Sensing::TwoPort, Memory::BlockRam);
}

/// In CI such columns with exception flags reach everything.
#[test]
#[ignore = "takes long: scripts/check-deep.sh"]
fn radix_4_reaches_everything() {
    reaches_everything(Columns::Radix4, Memory::BlockRam);
}

/// Every format and mode, on both memories; what the formats can hold was met, as operands and as results.
#[test]
fn floating_point_in_every_mode() {
    for memory in Memory::ALL {
        let rows = if memory == Memory::BlockRam { 512 } else { 500 };
        let mut bench = bench(&params(Sensing::TwoPort, memory, rows, 128), 33);
        let met = float::every_mode(&mut bench, some_of(3, 2)).unwrap_or_else(|f| panic!("{f}"));
        println!("{memory}: {} commands, {} cycles, {met:?}", bench.commands, bench.unit.cycle_count());
        for format in FORMATS {
            let classes = [Class::Zero, Class::Subnormal, Class::Normal, Class::Infinite, Class::Nan];
            for class in classes.into_iter().filter(|&class| format.infinities || class != Class::Infinite) {
                let (operands, results) = met.get(&(format.name, class)).copied().unwrap_or_default();
                assert!(operands > 20 && results > 20, "{format} {class:?}: {operands} operands, {results} results");
            }
        }
    }
}

/// Functions of every number of the formats of 16 bits, to nearest; with `BITLINE_DEEP=1` in every mode.
#[test]
fn functions_of_every_short_number() {
    let mut bench = bench(&params(Sensing::TwoPort, Memory::Behavioural, 500, 512), 45);
    let functions: Vec<Opcode> = bench.params().opcodes().into_iter().filter(|opcode| opcode.is_function()).collect();
    let modes: Vec<Mode> = if deep() { Mode::all().collect() } else { vec![Mode::default()] };
    let mut looked = 0;
    for opcode in functions {
        let operation = bench.operation(opcode, Set::Fast);
        for format in operation.own_formats().filter(|format| format.bits() == 16) {
            for &mode in &modes {
                let before = bench.unit.cycle_count();
                let failed = |f| panic!("{opcode} {format} {mode:?}: {f}");
                float::every_number(&mut bench, opcode, format, mode).unwrap_or_else(failed);
                println!("{opcode} {format} {mode:?}: {} cycles", bench.unit.cycle_count() - before);
                looked += 1;
            }
        }
    }
    assert_eq!(looked, 9 * 2 * modes.len());
}

fn and_nor_with_float(memory: Memory, rows: usize, columns: usize) -> Params {
    Params { float: true, unpacked: true, ..params(Sensing::AndNor, memory, rows, columns) }
}

/// The same on the papers' cell, whose rows are made from those of the other sensing.
#[test]
fn floating_point_with_and_nor() {
    for memory in memories(Memory::Behavioural) {
        let mut bench = bench(&and_nor_with_float(memory, 512, 128), 37);
        let met = float::every_mode(&mut bench, 1).unwrap_or_else(|f| panic!("{f}"));
        println!("{memory}: {} commands, {} cycles, {met:?}", bench.commands, bench.unit.cycle_count());
        let results = |class| met.iter().filter(move |((_, of), _)| *of == class).map(|(_, (_, results))| *results);
        assert_eq!(results(Class::Subnormal).filter(|&results| results > 20).count(), FORMATS.len());
    }
}

/// The same of what has micro-programs of its own with radix 4; every other operation is checked with radix 2.
#[test]
fn floating_point_with_radix_4() {
    for memory in memories(Memory::BlockRam) {
        let mut bench = bench(&params(Columns::Radix4, memory, 512, 128), 36);
        let met = float::every_mode_of(&mut bench, 12, Operation::takes_two_bits, |_| true);
        let met = met.unwrap_or_else(|f| panic!("{f}"));
        println!("{memory}: {} commands, {} cycles, {met:?}", bench.commands, bench.unit.cycle_count());
        let results = |class| met.iter().filter(move |((_, of), _)| *of == class).map(|(_, (_, results))| *results);
        assert_eq!(results(Class::Subnormal).filter(|&results| results > 20).count(), FORMATS.len());
    }
}

/// The mode for which some operations have micro-programs of their own, on all columns.
#[test]
fn floating_point_that_is_flushed() {
    for (columns, memory) in
        Columns::ALL.into_iter().flat_map(|c| memories(Memory::BlockRam).into_iter().map(move |m| (c, m)))
    {
        let mut bench = bench(&params(columns, memory, 512, 256), 39);
        let own = |operation: &Operation| operation.flushed.is_some();
        let met = float::every_mode_of(&mut bench, 60, own, |mode| mode == Mode::FLUSHED);
        let met = met.unwrap_or_else(|f| panic!("{f}"));
        println!("{memory}: {} commands, {} cycles, {met:?}", bench.commands, bench.unit.cycle_count());
        let of = |class| met.iter().filter(move |((_, of), _)| *of == class);
        assert!(of(Class::Subnormal).all(|(_, &(operands, results))| operands > 200 && results == 0));
        assert!(of(Class::Normal).all(|(_, &(_, results))| results > 5_000));
    }
}

/// What the set `skip` leaves out, on columns that are alike.
#[test]
fn floating_point_on_columns_that_are_alike() {
    for memory in memories(Memory::Behavioural) {
        let rows = if memory == Memory::BlockRam { 512 } else { 500 };
        let mut bench = bench(&params(Sensing::TwoPort, memory, rows, 256), 35);
        let shorter = alike::every_operation(&mut bench, Set::Skip, 24, usize::MAX).unwrap_or_else(|f| panic!("{f}"));
        println!("{memory}: {} commands, {shorter} shorter, {} cycles", bench.commands, bench.unit.cycle_count());
        assert!(shorter > bench.commands / 4, "{memory}: {shorter} of {}", bench.commands);
    }
}

/// Fixed-point functions at every width and number of steps, on both memories.
#[test]
fn cordic_with_every_number_of_steps() {
    for memory in Memory::ALL {
        let mut bench = bench(&params(Sensing::TwoPort, memory, 512, 16), 34);
        let params = bench.params().clone();
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_cordic()) {
            let operation = bench.operation(opcode, Set::Fast);
            for n in [16, 32] {
                let (low, high) = operation.seconds(n).expect("it has steps");
                for second in low..=high {
                    let mut command = Command { second: second as u8, ..Command::new(opcode, n) };
                    Case::place(&operation, &mut command, 1);
                    let mut inputs = || bench.stimulus.inputs(opcode, n.into(), second as u32, 0);
                    let case = Case { command, inputs: (0..params.columns).map(|_| inputs()).collect() };
                    passes(exhaustive::one(&mut bench, &operation, case));
                }
            }
        }
        println!("{memory}: {} commands, {} cycles", bench.commands, bench.unit.cycle_count());
    }
}

fn lacks(params: Params) {
    let mut bench = bench(&params, 5);
    passes(illegal::every_rule(&mut bench));
    passes(illegal::unknown_codes(&mut bench));
    passes(standard(&mut bench, Effort::Sample));
}

/// Designs that lack latches or sets refuse what needs them, and run the rest.
#[test]
fn designs_without_latches_and_sets() {
    for (sensing, memory, latches, sets) in [
        (Sensing::AndNor, Memory::Behavioural, vec![], vec![Set::Baseline]),
        (Sensing::AndNor, Memory::BlockRam, vec![Latch::Hold], vec![Set::Fast]),
        (Sensing::TwoPort, Memory::BlockRam, vec![Latch::Hold], vec![Set::Skip]),
        (Sensing::TwoPort, Memory::Behavioural, vec![Latch::Predicate], vec![Set::Fast, Set::Baseline]),
    ] {
        lacks(Params { latches, sets, ..params(sensing, memory, 64, 8) });
    }
    for latches in [vec![], vec![Latch::Hold], vec![Latch::Predicate]] {
        lacks(Params { latches, sets: vec![Set::Fast], ..params(Columns::Radix4, Memory::BlockRam, 64, 8) });
    }
}

/// The comparison leaves no register and no memory out.
#[test]
fn lock_step_sees_everything() {
    let mut unseen = Vec::new();
    for kind in Columns::ALL {
        for memory in Memory::ALL {
            let bench = bench(&params(kind, memory, 32, 8), 1);
            unseen.extend(bench.unit.unseen().into_iter().map(|path| format!("{kind:?} {memory}: {path}")));
        }
    }
    assert_eq!(unseen, Vec::<String>::new());
}

/// A code of the micro-operation that no row of any mode uses would be hardware for nothing.
#[test]
fn every_code_is_used() {
    let mut used: BTreeSet<(&str, u64)> = BTreeSet::new();
    for kind in Columns::ALL {
        for memory in Memory::ALL {
            let code = Microcode::assemble(&params(kind, memory, 512, 8));
            let mut note = |words: &[u128], fields: &[(&'static str, Field)]| {
                for &word in words {
                    used.extend(fields.iter().map(|&(name, field)| (name, field.get(word))));
                }
            };
            note(&code.flow, &FLOW);
            note(&code.control, &CONTROL);
            if kind == Columns::Radix4 {
                // The second adder's codes stand where others have D's action and predication.
                note(&code.control, &[("second", uop::SECOND)]);
                let known: Vec<_> = LATCHES.iter().filter(|latch| latch.field != uop::D.field).collect();
                note(&code.control, &known.iter().map(|latch| (latch.letter, latch.field)).collect::<Vec<_>>());
            } else {
                note(&code.control, &LATCHES.iter().map(|latch| (latch.letter, latch.field)).collect::<Vec<_>>());
                note(&code.control, &[("predicated", control::PREDICATED)]);
            }
            note(&code.setup, &SETUP);
            for &word in &code.control {
                let on = |field: Field| field.get(word);
                let flips = [
                    ("x", control::X, control::FLIP_X, control::STEER_X),
                    ("y", control::Y, control::FLIP_Y, control::STEER_Y),
                ];
                for (name, operand, flip, steer) in flips {
                    used.insert((name, on(operand) ^ (on(flip) | on(steer))));
                }
                used.insert(("out", on(control::OUT) ^ (on(control::FLIP_OUT) << 1)));
            }
        }
    }
    // The issue stage clears these latches before each command.
    used.insert(("c", uop::C_ZERO));
    used.extend(LATCHES.iter().filter_map(|latch| latch.clear.map(|action| (latch.letter, action))));
    let count = |name: &'static str, wanted: &[u64]| {
        for &code in wanted {
            assert!(used.contains(&(name, code)), "{name} code {code} is used by no row");
        }
    };
    let codes = |n: u64| (0..n).collect::<Vec<_>>();
    count("x", &uop::X::ALL.iter().map(|x| x.code()).collect::<Vec<_>>());
    count("y", &uop::Y::ALL.iter().map(|y| y.code()).collect::<Vec<_>>());
    count("second", &uop::Second::ALL.iter().map(|code| code.code()).collect::<Vec<_>>());
    for latch in LATCHES {
        count(latch.letter, &latch.actions.iter().map(|&(_, code)| code).collect::<Vec<_>>());
    }
    for (name, n) in [
        ("out", 5),
        ("next", 5),
        ("gate", 2),
        ("predicated", 2),
        ("merge", 2),
        ("multi", 4),
        ("index", 5),
        ("j", 4),
        ("i", 6),
        ("l", 3),
        ("kind", 7),
        ("x_load", 8),
        ("y_load", 3),
        ("z", 3),
        ("stride", 4),
        ("point", 2),
        ("take", 2),
        ("key_shift", 3),
        ("token", 4),
        ("head", 2),
        ("setup kind", 8),
        ("term", 6),
        ("test", 4),
        ("operand", 6),
    ] {
        count(name, &codes(n));
    }
}

const FLOW: [(&str, Field); 10] = [
    ("kind", flow::KIND),
    ("x_load", flow::X_LOAD),
    ("y_load", flow::Y_LOAD),
    ("z", flow::Z),
    ("stride", flow::STRIDE),
    ("key_shift", flow::KEY_SHIFT),
    ("token", flow::TOKEN),
    ("head", flow::HEAD),
    ("point", flow::POINT),
    ("take", flow::TAKE),
];

const CONTROL: [(&str, Field); 13] = [
    ("x", control::X),
    ("y", control::Y),
    ("out", control::OUT),
    ("next", control::NEXT),
    ("gate", control::GATE),
    ("merge", control::MERGE),
    ("multi", control::MULTI),
    ("index", control::A_INDEX),
    ("index", control::B_INDEX),
    ("index", control::W_INDEX),
    ("j", control::J),
    ("i", control::I),
    ("l", control::L),
];

const SETUP: [(&str, Field); 4] =
    [("setup kind", setup::KIND), ("term", setup::TERM), ("test", setup::TEST), ("operand", setup::OPERAND)];
