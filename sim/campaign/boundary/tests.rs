//! The model of legality against the table of operations, against damaged tables, and against the hardware.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::super::{Bench, Failure, params};
use super::{every_placement, judged, near, placements, random, seconds_around, stack, widths_around};
use crate::array::blocks::{Top, design};
use crate::engine::engine;
use crate::isa::command::ErrorCode;
use crate::isa::operation::{Context, Disjoint, Operation, Role};
use crate::isa::rows::Rows;
use crate::isa::{Command, Opcode, Set};
use crate::model::arith::{Inputs, evaluate};
use crate::model::legality::{Use, faults, regions, seconds, widths};
use crate::params::{Columns, Latch, Memory, Params, Sensing};
use crate::presets::PRESETS;

fn passes<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|f| panic!("{f}"))
}

/// Designs with every latch and set.
fn complete(rows: usize) -> Vec<Params> {
    let modes = Columns::ALL.into_iter().flat_map(|kind| Memory::ALL.map(|memory| (kind, memory)));
    modes.map(|(kind, memory)| params(kind, memory, rows, 8)).collect()
}

/// Presets, designs with every latch and set, and designs that lack some.
fn designs() -> Vec<Params> {
    let mut all: Vec<Params> = PRESETS.iter().map(|preset| preset.params()).collect();
    for whole in complete(256) {
        for mut latches in [vec![], vec![Latch::Hold], vec![Latch::Predicate, Latch::Delay]] {
            latches.retain(|latch| whole.radix == 2 || latch.suits(whole.sensing));
            all.push(Params { latches, rows: 64, ..whole.clone() });
        }
        all.extend(Set::ALL.map(|set| Params { sets: vec![set], rows: 32, ..whole.clone() }));
        all.push(whole);
    }
    all
}

/// Every operation of every set, with a second width that it takes at width `n`.
fn shapes(n: u8, design: &Params) -> Vec<Command> {
    let all = Set::ALL.into_iter().flat_map(|set| Opcode::ALL.iter().map(move |&opcode| (set, opcode)));
    let shape = all.map(|(set, opcode)| {
        let shape = Command { set, ..Command::new(opcode, n) };
        Command { second: seconds(&shape, design).map_or(0, |range| (*range.start()).clamp(3, 127) as u8), ..shape }
    });
    shape.collect()
}

/// The same shape at another width.
fn at_width(shape: Command, n: u8, design: &Params) -> Command {
    let shape = Command { width: n, ..shape };
    Command { second: seconds(&shape, design).map_or(0, |range| (*range.start()).clamp(3, 127) as u8), ..shape }
}

/// Operands one after the other.
fn apart(mut command: Command, design: &Params) -> Command {
    let all = regions(&command, design);
    stack(&mut command, 0, &all);
    command
}

#[test]
fn encoder_and_model_agree_at_every_width() {
    let (mut legal, mut illegal) = (0, 0);
    for design in designs() {
        for shape in shapes(8, &design) {
            for n in widths_around(&shape, &design) {
                for second in seconds_around(&at_width(shape, n, &design), &design) {
                    let command = apart(Command { width: n, second, ..shape }, &design);
                    let refused = passes(judged(&design, &command)).is_some();
                    *(if refused { &mut illegal } else { &mut legal }) += 1;
                }
            }
        }
    }
    println!("{legal} legal, {illegal} illegal");
    assert!(legal > 5_000 && illegal > 5_000);
}

#[test]
fn encoder_and_model_agree_near_every_boundary() {
    let mut seen = BTreeSet::new();
    for (design, seed) in designs().iter().zip(40..) {
        println!("design {}, seed {seed}", design.name);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Floating-point operations are in few designs.
        for _ in 0..if design.float { 8_000 } else { 2_000 } {
            let command = near(&mut rng, design);
            let code = passes(judged(design, &command)).map(|code| code.name());
            seen.extend([(None, code), (Some(command.opcode), code)]);
        }
    }
    for code in ErrorCode::OF_SETUP {
        assert!(seen.contains(&(None, Some(code.name()))), "{code:?} was never met");
    }
    for &opcode in Opcode::ALL {
        for code in [None, Some("width"), Some("rows")] {
            assert!(seen.contains(&(Some(opcode), code)), "{opcode} never met {code:?}");
        }
    }
}

/// The table lists the rows that the operations' meaning asks for, and what becomes of them.
#[test]
fn table_lists_the_same_rows() {
    for design in complete(256) {
        for shape in shapes(8, &design) {
            let operation = Operation::of(shape.opcode, Context::of(&design, shape.set));
            for n in widths_around(&shape, &design).into_iter().filter(|&n| operation.check_width(n).is_ok()) {
                let mut command = at_width(shape, n, &design);
                (command.a, command.b, command.d, command.e, command.s) = (10, 20, 30, 40, 50);
                let mut table: Vec<_> = command.ranges(&operation).into_iter().filter(|r| r.2 < r.3).collect();
                table.sort_by_key(|range| range.0.name());
                let table = table.into_iter().map(|(operand, role, first, end)| {
                    let used = match role {
                        Role::Source => Use::Read,
                        Role::Result => Use::Written,
                        Role::Accumulator => Use::Updated,
                        Role::Scratch => Use::Scratch,
                    };
                    (operand.name().to_string(), first..end, used)
                });
                let ours = regions(&command, &design);
                let model = ours.iter().map(|r| (r.operand.to_string(), r.rows.clone(), r.used));
                assert_eq!(table.collect::<Vec<_>>(), model.collect::<Vec<_>>(), "{command}");
                // The arithmetic model gives as many bits.
                let result = evaluate(shape.opcode, n.into(), command.second.into(), 0, Inputs::default());
                for (operand, bits) in
                    [('d', result.d), ('e', result.e)].map(|(o, bits)| (o, bits.map(|(_, bits)| bits)))
                {
                    let written = ours.iter().find(|r| r.operand == operand && r.used.changes());
                    let load = shape.opcode == Opcode::Load;
                    assert!(load || written.map(|r| r.rows.len() as u32) == bits, "{command}: {operand}");
                }
            }
        }
    }
}

/// Copies of an operation's description with one thing wrong.
fn damaged(operation: &Operation) -> Vec<(String, Operation)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Operation)| {
        let mut copy = operation.clone();
        change(&mut copy);
        all.push((what, copy));
    };
    for by in [-1, 1] {
        for at in 0..operation.extents.len() {
            let longer = |rows: Rows| rows + by;
            add(format!("extent {at} by {by}"), &|o| o.extents[at].rows = longer(o.extents[at].rows));
        }
        let (low, high) = operation.widths;
        // Widths of formats lie within bounds that are wider anyway, and one less than a power of two is none.
        let wider_low = (operation.formats || operation.power_of_two && low > 2) && by < 0;
        let wider_high = (operation.formats || operation.power_of_two && high < 64) && by > 0;
        if low as i16 + by > 0 && !wider_low {
            add(format!("least width by {by}"), &|o| o.widths.0 = (low as i16 + by) as u8);
        }
        // No second width goes with a larger first one where its bounds meet.
        let wider = i32::from(high) + i32::from(by);
        if wider <= 64
            && !wider_high
            && operation.second.is_none_or(|(least, most)| least.value(wider, 0) <= most.value(wider, 0))
        {
            add(format!("largest width by {by}"), &|o| o.widths.1 = (high as i16 + by) as u8);
        }
        if let Some((least, most)) = operation.second {
            add(format!("least second width by {by}"), &|o| o.second = Some((least + by, most)));
            // A command has no room for more than 127.
            if most.value(8, 0) + i32::from(by) < 128 {
                add(format!("largest second width by {by}"), &|o| o.second = Some((least, most + by)));
            }
        }
    }
    if operation.formats {
        add("formats".into(), &|o| o.formats = false);
    }
    // 1 is a power of two.
    if operation.widths != (1, 1) {
        add("powers of two".into(), &|o| o.power_of_two = !o.power_of_two);
    }
    for at in 0..operation.extents.len() {
        add(format!("without extent {at}"), &|o| {
            o.extents.remove(at);
        });
        for other in 0..at {
            let (first, second) = (operation.extents[at].operand, operation.extents[other].operand);
            let rule = |d: &Disjoint| [(d.first, d.second), (d.second, d.first)].contains(&(first, second));
            match operation.disjoint.iter().position(rule) {
                Some(rule) => {
                    add(format!("without overlap rule {rule}"), &|o| {
                        o.disjoint.remove(rule);
                    });
                    add(format!("the other start in overlap rule {rule}"), &|o| o.disjoint[rule].same_start ^= true);
                }
                None => add(format!("a rule for {first:?} and {second:?}"), &|o| {
                    o.disjoint.push(Disjoint { first, second, same_start: false });
                }),
            }
        }
    }
    all
}

/// Commands on both sides of each rule of a shape.
fn trials(shape: Command, design: &Params) -> Vec<Command> {
    let (range, powers) = widths(&shape, design);
    let short = if powers { 4.max(*range.start()) } else { 5.clamp(*range.start(), *range.end()) };
    let mut all = placements(&at_width(shape, short as u8, design), design);
    for n in widths_around(&shape, design).into_iter().filter(|n| (1..=64).contains(n)) {
        for second in seconds_around(&at_width(shape, n, design), design) {
            all.push(apart(Command { width: n, second, ..shape }, design));
        }
    }
    all
}

/// A table with any one rule wrong differs from the model; the table itself does not.
#[test]
fn every_damage_of_the_table_is_noticed() {
    let (mut count, mut missed) = (0, Vec::new());
    for design in complete(512) {
        for shape in shapes(8, &design).into_iter().filter(|shape| design.knows(shape.opcode)) {
            let operation = Operation::of(shape.opcode, Context::of(&design, shape.set));
            let trials: Vec<(Command, bool)> =
                trials(shape, &design).into_iter().map(|c| (c, faults(&c, &design).is_empty())).collect();
            let differs = |operation: &Operation| {
                trials.iter().find(|(command, legal)| command.fits(operation, &design).is_ok() != *legal)
            };
            if let Some((command, legal)) = differs(&operation) {
                panic!("{} {}: {command}: legal is {legal} by the model", design.sensing, design.memory);
            }
            for (what, damaged) in damaged(&operation) {
                count += 1;
                if differs(&damaged).is_none() {
                    missed.push(format!("{} {} {}.{}: {what}", design.sensing, design.memory, shape.opcode, shape.set));
                }
            }
        }
    }
    println!("{count} damaged tables");
    assert!(count > 5_000);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Every two operands at every distance in hardware: legal commands give the right results, operands that are only
/// read survive, and so do all other rows.
fn placed_in_hardware(sensing: Sensing, memory: Memory) {
    let design_params = params(sensing, memory, 64, 8);
    let netlist = design(&design_params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    println!("seed 31");
    let mut bench = Bench::new(engine(&netlist), &design_params, 31);
    passes(every_placement(&mut bench, &[1, 3, 4]));
    passes(random(&mut bench, 1_500));
    println!("{sensing} {memory}: {} commands, {} cycles", bench.commands, bench.unit.cycle_count());
}

#[test]
fn and_nor_behavioural_in_every_placement() {
    placed_in_hardware(Sensing::AndNor, Memory::Behavioural);
}

#[test]
fn and_nor_block_ram_in_every_placement() {
    placed_in_hardware(Sensing::AndNor, Memory::BlockRam);
}

#[test]
fn two_port_behavioural_in_every_placement() {
    placed_in_hardware(Sensing::TwoPort, Memory::Behavioural);
}

#[test]
fn two_port_block_ram_in_every_placement() {
    placed_in_hardware(Sensing::TwoPort, Memory::BlockRam);
}

/// Presets as they are, with their own latches and sets.
#[test]
fn presets_near_every_boundary() {
    for preset in &PRESETS {
        let design_params = preset.params();
        let netlist = design(&design_params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
        println!("{}: seed 32", preset.name);
        let mut bench = Bench::new(engine(&netlist), &design_params, 32);
        passes(random(&mut bench, if preset.name == "tiny" { 2_000 } else { 300 }));
    }
}
