//! Which hardware register each piece of the cycle model's state stands for.
//!
//! A visitor gets the path of a register and the value that it must hold, always in the same order; `None` where the value does not
//! matter in this cycle (fields of a pipeline stage without a row).

use crate::isa::uop::ColumnControl;
use crate::isa::word::{self, COMMAND, command, control};
use crate::params::{Latch, Memory, Params, Sensing};
use crate::sim::model::command_queue::Waiting;
use crate::sim::model::command_setup::{CommandSetup, Stage, word_at};
use crate::sim::model::compute_array::{ComputeArray, Issue};
use crate::sim::model::compute_unit::ComputeUnit;
use crate::sim::model::flow_control::{Fetched, FlowControl};
use crate::sim::model::sequencer::Sequencer;

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
    setup(&unit.sequencer.setup, visit);
    flow(&unit.sequencer.flow, &unit.code.flow, visit);
    addresses(params, &unit.sequencer, visit);
    issue(params, &unit.sequencer, visit);
    array(params, &unit.array, visit);
}

fn setup(setup: &CommandSetup, visit: &mut Visit<'_>) {
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.setup.busy", setup.busy.into());
    one("sequencer.setup.ready", setup.ready.into());
    one("sequencer.setup.armed", setup.armed.into());
    one("sequencer.setup.bank", setup.bank.into());
    one("sequencer.setup.n", setup.n.into());
    one("sequencer.setup.m", setup.m.into());
    one("sequencer.setup.triple", setup.triple.into());
    one("sequencer.setup.width_rows", setup.width_rows);
    one("sequencer.setup.log2", setup.log2.into());
    one("sequencer.setup.stages", setup.stages.into());
    one("sequencer.setup.first_0", setup.first[1].into());
    one("sequencer.setup.first_1", setup.first[2].into());
    one("sequencer.setup.first_2", setup.first[3].into());
    one("sequencer.setup.first_3", setup.first[4].into());
    one("sequencer.setup.first_4", setup.first[5].into());
    one("sequencer.setup.end_0", setup.end[1].into());
    one("sequencer.setup.end_1", setup.end[2].into());
    one("sequencer.setup.end_2", setup.end[3].into());
    one("sequencer.setup.end_3", setup.end[4].into());
    one("sequencer.setup.end_4", setup.end[5].into());
    one("sequencer.setup.address", setup.address.into());
    one("sequencer.setup.rom_valid", setup.rom.valid.into());
    one("sequencer.setup.word_valid", setup.word.valid.into());
    one("sequencer.setup.sums_valid", setup.sums.valid.into());
    one("sequencer.setup.act_valid", setup.act.valid.into());
    let start = &setup.start;
    one("sequencer.setup.entry", start.entry.into());
    one("sequencer.setup.x", start.x.into());
    one("sequencer.setup.y", start.y.into());
    one("sequencer.setup.z", start.z.into());
    one("sequencer.setup.i", start.i.into());
    one("sequencer.setup.stride", start.stride.into());
    one("sequencer.setup.min_width", start.min_width.into());
    one("sequencer.setup.stop", start.stop.into());
    one("sequencer.setup.key", start.key);
    one("sequencer.setup.carry", start.carry.into());
    one("sequencer.setup.keep_tag", start.keep_tag.into());
    one("sequencer.setup.scan", start.scan.into());
    let twos = |value: i32| (value & 0xfff) as u64;
    let mut of = |stage: &Stage, path, value: u64| visit(path, stage.valid.then_some(&[value]));
    of(&setup.word, "sequencer.setup.word", setup.word.word as u64);
    of(&setup.sums, "sequencer.setup.sums_word", setup.sums.word as u64);
    of(&setup.sums, "sequencer.setup.sums_base", twos(setup.sums.base));
    of(&setup.sums, "sequencer.setup.sums_linear", twos(setup.sums.linear));
    of(&setup.act, "sequencer.setup.act_word", setup.act.word as u64);
    of(&setup.act, "sequencer.setup.act_value", twos(setup.act.value));
    let first = |field: crate::isa::word::Field| setup.first[field.get(setup.act.word) as usize & 7];
    of(&setup.act, "sequencer.setup.act_first", first(word::setup::OPERAND).into());
    of(&setup.act, "sequencer.setup.act_second", first(word::setup::TO).into());
    of(&setup.act, "sequencer.setup.act_end", setup.act.ends[0].into());
    of(&setup.act, "sequencer.setup.act_second_end", setup.act.ends[1].into());
}

fn flow(flow: &FlowControl, rom: &[u128], visit: &mut Visit<'_>) {
    let word = flow.active.then(|| [word_at(rom, flow.pc) as u64]);
    visit("sequencer.flow.word", word.as_ref().map(|word| &word[..]));
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.flow.active", flow.active.into());
    one("sequencer.flow.pc", flow.pc.into());
    one("sequencer.flow.x", flow.x.into());
    one("sequencer.flow.y", flow.y.into());
    one("sequencer.flow.z", flow.z.into());
    one("sequencer.flow.stride", flow.stride.into());
    one("sequencer.flow.n", flow.n.into());
    one("sequencer.flow.stop", flow.stop.into());
    one("sequencer.flow.key", flow.key);
    one("sequencer.flow.empty", flow.empty.into());
    one("sequencer.flow.position", flow.position.into());
    one("sequencer.flow.scanning", flow.scanning.into());
    one("sequencer.flow.width", flow.width.into());
    one("sequencer.flow.scan_left", flow.scan_left.into());
    one("sequencer.flow.tokens", flow.tokens.into());
    one("sequencer.flow.waiting", flow.waiting.into());
    one("sequencer.flow.bank", flow.bank.into());
    one("sequencer.flow.first", flow.first.into());
    one("sequencer.flow.carry", flow.carry.into());
    one("sequencer.flow.keep_tag", flow.keep_tag.into());
    one("sequencer.flow.i", flow.i_start.into());
}

/// Paths of the registers that hold a fetched row, in one of the two stages.
struct StagePaths {
    valid: &'static str,
    fields: [&'static str; 11],
    rows: [&'static str; 2],
}

const ROM_STAGE: StagePaths = StagePaths {
    valid: "sequencer.addresses.rom_valid",
    fields: [
        "sequencer.addresses.rom_exit",
        "sequencer.addresses.rom_rest_a",
        "sequencer.addresses.rom_key_bits",
        "sequencer.addresses.rom_first",
        "sequencer.addresses.rom_last",
        "sequencer.addresses.rom_bank",
        "sequencer.addresses.rom_token",
        "sequencer.addresses.rom_keyed",
        "sequencer.addresses.rom_at",
        "sequencer.addresses.rom_carry",
        "sequencer.addresses.rom_keep_tag",
    ],
    rows: ["sequencer.addresses.rom_key_rows", "sequencer.addresses.rom_width_rows"],
};

const ADDRESS_STAGE: StagePaths = StagePaths {
    valid: "sequencer.addresses.row_valid",
    fields: [
        "sequencer.addresses.row_exit",
        "sequencer.addresses.row_rest_a",
        "sequencer.addresses.row_key_bits",
        "sequencer.addresses.row_first",
        "sequencer.addresses.row_last",
        "sequencer.addresses.row_bank",
        "sequencer.addresses.row_token",
        "sequencer.addresses.row_keyed",
        "sequencer.addresses.row_at",
        "sequencer.addresses.row_carry",
        "sequencer.addresses.row_keep_tag",
    ],
    rows: ["sequencer.addresses.row_key_rows", "sequencer.addresses.row_width_rows"],
};

fn fetched(params: &Params, f: &Fetched, paths: &StagePaths, visit: &mut Visit<'_>) {
    visit(paths.valid, Some(&[f.valid.into()]));
    let values: [u64; 11] = [
        f.exit.into(),
        f.rest_a.into(),
        f.key_bits.into(),
        f.first.into(),
        f.last.into(),
        f.bank.into(),
        f.token.into(),
        f.keyed.into(),
        f.position.into(),
        f.carry.into(),
        f.keep_tag.into(),
    ];
    for (path, value) in paths.fields.iter().zip(values) {
        visit(path, f.valid.then_some(&[value]));
    }
    if params.memory == Memory::Behavioural {
        for (path, value) in paths.rows.iter().zip([f.key, f.ones]) {
            visit(path, f.valid.then_some(&[value]));
        }
    }
}

fn addresses(params: &Params, sequencer: &Sequencer, visit: &mut Visit<'_>) {
    fetched(params, &sequencer.rom.fetched, &ROM_STAGE, visit);
    let first = sequencer.rom.fetched;
    visit("sequencer.addresses.rom_i", first.valid.then_some(&[first.i_start.into()]));
    fetched(params, &sequencer.address.fetched, &ADDRESS_STAGE, visit);
    let word = sequencer.address.word;
    visit("sequencer.addresses.word", sequencer.address.fetched.valid.then_some(&[word as u64, (word >> 64) as u64]));
    visit("sequencer.addresses.j", Some(&[sequencer.j.into()]));
    visit("sequencer.addresses.i", Some(&[sequencer.i.into()]));
    visit("sequencer.addresses.l", Some(&[sequencer.l.into()]));
}

fn issue(params: &Params, sequencer: &Sequencer, visit: &mut Visit<'_>) {
    let ready = &sequencer.ready;
    let (lines, row) = (&ready.issue.lines, &ready.issue);
    visit("sequencer.issue.ready", Some(&[ready.valid.into()]));
    let mut of = |matters: bool, path, value: u64| visit(path, (ready.valid && matters).then_some(&[value]));
    of(true, "sequencer.issue.ready_column", pack(&row.column));
    of(true, "sequencer.issue.ready_merge", lines.merge.into());
    if params.memory == Memory::Behavioural {
        of(true, "sequencer.issue.ready_multi", lines.multi.code());
        of(true, "sequencer.issue.ready_multi_rows", lines.mask);
    }
    of(true, "sequencer.issue.ready_a_enable", lines.a.is_some().into());
    of(lines.a.is_some(), "sequencer.issue.ready_a", lines.a.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_b_enable", lines.b.is_some().into());
    of(lines.b.is_some(), "sequencer.issue.ready_b", lines.b.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_write_enable", row.write.is_some().into());
    of(row.write.is_some(), "sequencer.issue.ready_write", row.write.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_load", row.load.into());
    of(true, "sequencer.issue.ready_store", row.store.into());
    of(true, "sequencer.issue.ready_token", ready.token.into());
    of(true, "sequencer.issue.ready_first", ready.first.into());
    of(true, "sequencer.issue.ready_last", ready.last.into());
    let tokens = [
        "sequencer.issue.tokens_0",
        "sequencer.issue.tokens_1",
        "sequencer.issue.tokens_2",
        "sequencer.issue.tokens_3",
    ];
    for (path, token) in tokens.iter().zip(sequencer.tokens).take(Sequencer::tag_latency(params.memory)) {
        visit(path, Some(&[token.into()]));
    }
    if params.memory == Memory::BlockRam {
        for (k, [flight, writes, written, loads]) in FLIGHT.into_iter().enumerate() {
            visit(flight, Some(&[sequencer.flight[k].into()]));
            let write = sequencer.writes[k];
            visit(writes, Some(&[write.is_some().into()]));
            visit(written, write.map(|row| [row as u64]).as_ref().map(|row| &row[..]));
            visit(loads, Some(&[sequencer.loads[k].into()]));
        }
    }
}

const FLIGHT: [[&str; 4]; 2] = [
    ["sequencer.issue.flight_0", "sequencer.issue.writes_0", "sequencer.issue.written_0", "sequencer.issue.loads_0"],
    ["sequencer.issue.flight_1", "sequencer.issue.writes_1", "sequencer.issue.written_1", "sequencer.issue.loads_1"],
];

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
    let at = |field: crate::isa::word::Field, value: u64| value << field.lsb;
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
