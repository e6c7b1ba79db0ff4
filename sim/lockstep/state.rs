//! Which hardware register each piece of the cycle model's state stands for.
//!
//! A visitor gets the path of a register and the value that it must hold, always in the same order; `None` where the value does not
//! matter in this cycle (fields of a pipeline stage without a row).

mod flow;
mod rows;
mod setup;

use crate::isa::uop::ColumnControl;
use crate::isa::word::{COMMAND, Field, command, control};
use crate::model::command_queue::Waiting;
use crate::model::compute_array::{ComputeArray, Issue};
use crate::model::compute_unit::ComputeUnit;
use crate::params::{Latch, Memory, Params, Sensing};

/// Gets a register's path and value.
pub type Visit<'a> = dyn FnMut(&'static str, Option<&[u64]>) + 'a;

/// Every register of the unit.
pub fn registers(params: &Params, unit: &ComputeUnit, visit: &mut Visit<'_>) {
    let one = |visit: &mut Visit<'_>, path, value: u64| visit(path, Some(&[value]));
    one(visit, "commands.tail", unit.queue.tail.into());
    one(visit, "commands.front", unit.queue.front.into());
    one(visit, "commands.count", unit.queue.count.into());
    visit("loader.data", Some(&unit.loader.data));
    one(visit, "loader.beats", unit.loader.beats.into());
    one(visit, "loader.full", unit.loader.full.into());
    visit("storer.data", Some(&unit.storer.data));
    one(visit, "storer.beats", unit.storer.beats.into());
    one(visit, "storer.busy", unit.storer.busy.into());
    one(visit, "storer.sending", unit.storer.sending.into());
    one(visit, "storer.last", unit.storer.last.into());
    setup::setup(&unit.sequencer.setup, visit);
    flow::flow(&unit.sequencer, &unit.code.flow, visit);
    rows::addresses(params, &unit.sequencer, visit);
    rows::adder(params, &unit.sequencer.adder, visit);
    rows::issue(params, &unit.sequencer, visit);
    array(params, &unit.array, visit);
}

/// A count with the flag that says whether it is 1.
pub fn flagged(count: u8) -> u64 {
    u64::from(count) | u64::from(count == 1) << 7
}

fn array(params: &Params, array: &ComputeArray, visit: &mut Visit<'_>) {
    visit("array.any", Some(&[array.tag_any.into()]));
    visit("array.peripheral.carry", Some(&array.column.c));
    visit("array.peripheral.tag", Some(&array.column.t));
    if params.has(Latch::Hold) {
        visit("array.peripheral.hold", Some(&array.column.h));
    }
    if params.has(Latch::Predicate) && params.sensing == Sensing::TwoPort {
        visit("array.peripheral.predicate", Some(&array.column.p));
    }
    if params.has(Latch::Delay) && params.sensing == Sensing::AndNor {
        visit("array.peripheral.delay", Some(&array.column.d));
    }
    if params.memory == Memory::BlockRam {
        in_flight(params, &array.read, PIPELINE[0], visit);
        in_flight(params, &array.compute, PIPELINE[1], visit);
        let read = |line: Option<usize>| u64::from(line.is_some());
        visit("array.block_ram_0.a_read", Some(&[read(array.read.lines.a)]));
        visit("array.block_ram_0.b_read", Some(&[read(array.read.lines.b)]));
        visit("array.block_ram_0.row_a", Some(&array.row[0]));
        visit("array.block_ram_0.row_b", Some(&array.row[1]));
    }
}

const PIPELINE: [[&str; 7]; 2] = [
    [
        "array.column_1",
        "array.write_enable_1",
        "array.write_row_1",
        "array.load_1",
        "array.store_1",
        "array.a_sensed_1",
        "array.b_sensed_1",
    ],
    [
        "array.column_2",
        "array.write_enable_2",
        "array.write_row_2",
        "array.load_2",
        "array.store_2",
        "array.a_sensed_2",
        "array.b_sensed_2",
    ],
];

fn in_flight(params: &Params, issue: &Issue, paths: [&'static str; 7], visit: &mut Visit<'_>) {
    visit(paths[0], Some(&[pack(&issue.column)]));
    visit(paths[1], Some(&[issue.write.is_some().into()]));
    visit(paths[2], issue.write.map(|row| [row as u64]).as_ref().map(|row| &row[..]));
    visit(paths[3], Some(&[issue.load.into()]));
    visit(paths[4], Some(&[issue.store.into()]));
    if params.sensing == Sensing::AndNor {
        visit(paths[5], Some(&[issue.lines.a.is_some().into()]));
        visit(paths[6], Some(&[(issue.lines.b.is_some() && !issue.lines.merge).into()]));
    }
}

/// The column control as it travels in hardware.
pub fn pack(c: &ColumnControl) -> u64 {
    let at = |field: Field, value: u64| value << field.lsb;
    at(control::X, c.x.code())
        | at(control::Y, c.y.code())
        | at(control::GATE, c.gate.into())
        | at(control::OUT, c.out.code())
        | at(control::NEXT, c.next.code())
        | at(control::C, c.c.code())
        | at(control::H, c.h.code())
        | at(control::T, c.t.code())
        | at(control::P, c.p.code())
        | at(control::D, c.d.code())
        | at(control::PREDICATED, c.predicated.into())
}

/// A command as it waits in the queue.
pub fn pack_command(waiting: &Waiting) -> [u64; COMMAND.div_ceil(64)] {
    let c = &waiting.command;
    let mut bits = 0u128;
    command::OPCODE.set(&mut bits, waiting.opcode.into());
    command::SET.set(&mut bits, waiting.set.into());
    command::WIDTH_N.set(&mut bits, u64::from(c.width) & 0x7f);
    command::SECOND.set(&mut bits, u64::from(c.second) & 0x7f);
    for (field, row) in
        [command::A, command::B, command::D, command::E, command::S].iter().zip([c.a, c.b, c.d, c.e, c.s])
    {
        field.set(&mut bits, u64::from(row) & 0x3ff);
    }
    let key = u128::from(c.key);
    let low = bits | key << command::WIDTH;
    [low as u64, (low >> 64) as u64, (key >> (128 - command::WIDTH)) as u64]
}
