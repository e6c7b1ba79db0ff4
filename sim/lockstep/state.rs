//! Which hardware register each piece of the cycle model's state stands for.
//!
//! A visitor gets the path of a register and the value that it must hold, always in the same order; `None` where the value does not
//! matter in this cycle (fields of a pipeline stage without a row).

use crate::isa::uop::ColumnControl;
use crate::isa::word::{self, COMMAND, Field, SetupKind, command, control};
use crate::params::{Latch, Memory, Params, Sensing};
use crate::sim::model::address_adder::{AddressAdder, Row};
use crate::sim::model::command_queue::Waiting;
use crate::sim::model::command_setup::{CommandSetup, Refusal, Verdict, word_at};
use crate::sim::model::compute_array::{ComputeArray, Issue};
use crate::sim::model::compute_unit::ComputeUnit;
use crate::sim::model::flow_control::Fetched;
use crate::sim::model::sequencer::Sequencer;
use crate::sim::model::setup_value::{SetupValue, Stage};
use crate::sim::model::start_registers::Start;

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
    flow(&unit.sequencer, &unit.code.flow, visit);
    addresses(params, &unit.sequencer, visit);
    adder(params, &unit.sequencer.adder, visit);
    issue(params, &unit.sequencer, visit);
    array(params, &unit.array, visit);
}

fn setup(setup: &CommandSetup, visit: &mut Visit<'_>) {
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.setup.busy", setup.busy.into());
    one("sequencer.setup.illegal", setup.illegal.into());
    one("sequencer.setup.ready", setup.ready.into());
    one("sequencer.setup.armed", setup.armed.into());
    one("sequencer.setup.bank", setup.bank.into());
    one("sequencer.setup.address", setup.address.into());
    one("sequencer.setup.rom_valid", setup.rom.valid.into());
    verdict(&setup.verdict, &setup.values, visit);
    values(&setup.values, visit);
    start(&setup.start, visit);
}

/// What a word in the verdict stage says.
fn verdict(v: &Verdict, values: &SetupValue, visit: &mut Visit<'_>) {
    let field = |field: Field| field.get(v.word);
    let to = field(word::setup::TO);
    let (extent, value) = (v.is(SetupKind::Extent), v.is(SetupKind::Value));
    let mut one = |path, value: bool| visit(path, Some(&[value.into()]));
    one("sequencer.setup.jump", v.valid && v.jump);
    one("sequencer.setup.refuse", v.valid && v.refusal.is_some());
    one("sequencer.setup.complete", v.is(SetupKind::Start));
    one("sequencer.setup.base", v.base().is_some());
    one("sequencer.setup.extent", extent);
    one("sequencer.setup.count", value && (16..24).contains(&to));
    one("sequencer.setup.store", value);
    let mut of = |matters: bool, path, value: u64| visit(path, (v.valid && matters).then_some(&[value]));
    let refusal = v.refusal.unwrap_or(Refusal { code: 0, operand: 0 });
    of(v.refusal.is_some(), "sequencer.setup.code", refusal.code);
    of(v.refusal.is_some(), "sequencer.setup.operand", refusal.operand);
    of(v.jump || v.is(SetupKind::Start), "sequencer.setup.target", field(word::setup::TARGET));
    let operand = field(word::setup::OPERAND);
    let row = if extent { values.first[operand as usize].into() } else { v.value as u64 & 0x3ff };
    of(v.base().is_some(), "sequencer.setup.base_number", v.base().unwrap_or(0) as u64);
    of(v.base().is_some(), "sequencer.setup.base_value", row);
    of(extent, "sequencer.setup.extent_operand", operand);
    of(value || v.is(SetupKind::Start), "sequencer.setup.to", to);
    of(value || extent, "sequencer.setup.value", twos(v.value));
    of(value, "sequencer.setup.is_one", (v.value & 0x7f == 1).into());
    of(value, "sequencer.setup.is_two", (v.value & 0x7f == 2).into());
    of(value, "sequencer.setup.is_zero", (v.value == 0).into());
}

/// A value in the hardware's two's complement.
fn twos(value: i32) -> u64 {
    (value & 0xfff) as u64
}

fn values(values: &SetupValue, visit: &mut Visit<'_>) {
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.setup.values.n", values.n.into());
    one("sequencer.setup.values.m", values.m.into());
    one("sequencer.setup.values.triple", values.triple.into());
    one("sequencer.setup.values.minus_n", twos(values.minus_n));
    one("sequencer.setup.values.minus_m", twos(values.minus_m));
    one("sequencer.setup.values.log2", values.log2.into());
    one("sequencer.setup.values.stages", values.stages.into());
    one("sequencer.setup.values.excess", values.excess.into());
    one("sequencer.setup.values.first_0", values.first[1].into());
    one("sequencer.setup.values.first_1", values.first[2].into());
    one("sequencer.setup.values.first_2", values.first[3].into());
    one("sequencer.setup.values.first_3", values.first[4].into());
    one("sequencer.setup.values.first_4", values.first[5].into());
    one("sequencer.setup.values.end_0", values.end[1].into());
    one("sequencer.setup.values.end_1", values.end[2].into());
    one("sequencer.setup.values.end_2", values.end[3].into());
    one("sequencer.setup.values.end_3", values.end[4].into());
    one("sequencer.setup.values.end_4", values.end[5].into());
    one("sequencer.setup.values.word_valid", values.word.valid.into());
    one("sequencer.setup.values.sums_valid", values.sums.valid.into());
    one("sequencer.setup.values.act_valid", values.act.valid.into());
    let mut of = |stage: &Stage, path, value: u64| visit(path, stage.valid.then_some(&[value]));
    let (sums, act) = (&values.sums, &values.act);
    of(&values.word, "sequencer.setup.values.word", values.word.word as u64);
    of(sums, "sequencer.setup.values.sums_word", sums.word as u64);
    of(sums, "sequencer.setup.values.sums_base", twos(sums.base));
    of(sums, "sequencer.setup.values.sums_linear", twos(sums.linear));
    of(act, "sequencer.setup.values.act_word", act.word as u64);
    of(act, "sequencer.setup.values.act_value", twos(act.value));
    let first = |field: Field| values.first[field.get(act.word) as usize & 7];
    of(act, "sequencer.setup.values.act_first", first(word::setup::OPERAND).into());
    of(act, "sequencer.setup.values.act_second", first(word::setup::TO).into());
    of(act, "sequencer.setup.values.act_end", act.ends[0].into());
    of(act, "sequencer.setup.values.act_second_end", act.ends[1].into());
}

/// A count with the flag that says whether it is 1.
pub fn flagged(count: u8) -> u64 {
    u64::from(count) | u64::from(count == 1) << 7
}

fn start(start: &Start, visit: &mut Visit<'_>) {
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.start.width_rows", start.width_rows);
    one("sequencer.start.entry", start.entry.into());
    one("sequencer.start.x", flagged(start.x));
    one("sequencer.start.y", flagged(start.y));
    one("sequencer.start.z", flagged(start.z));
    one("sequencer.start.i", start.i.into());
    one("sequencer.start.stride", flagged(start.stride));
    one("sequencer.start.stride_two", (start.stride == 2).into());
    one("sequencer.start.rest", flagged(start.rest));
    one("sequencer.start.rest_doubled", flagged(start.rest_doubled));
    one("sequencer.start.min_width", start.min_width.into());
    one("sequencer.start.stop", start.stop.into());
    one("sequencer.start.key", start.key);
    one("sequencer.start.carry", start.carry.into());
    one("sequencer.start.keep_tag", start.keep_tag.into());
    one("sequencer.start.scan", start.scan.into());
}

fn flow(sequencer: &Sequencer, rom: &[u128], visit: &mut Visit<'_>) {
    let (flow, setup) = (&sequencer.flow, &sequencer.setup);
    let word = flow.active.then(|| [word_at(rom, flow.pc) as u64]);
    visit("sequencer.flow.word", word.as_ref().map(|word| &word[..]));
    let start_word = setup.armed.then(|| [word_at(rom, setup.start.entry) as u64]);
    visit("sequencer.flow.start_word", start_word.as_ref().map(|word| &word[..]));
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.flow.active", flow.active.into());
    one("sequencer.flow.pc", flow.pc.into());
    one("sequencer.flow.head", flow.head.into());
    one("sequencer.flow.head_word", flow.head_word as u64);
    one("sequencer.flow.stop", flow.stop.into());
    one("sequencer.flow.waiting", flow.waiting.into());
    one("sequencer.flow.bank", flow.bank.into());
    one("sequencer.flow.first", flow.first.into());
    one("sequencer.flow.carry", flow.carry.into());
    one("sequencer.flow.keep_tag", flow.keep_tag.into());
    one("sequencer.flow.i", flow.i_start.into());
    let counters = &flow.counters;
    one("sequencer.flow.counters.x", counters.x.into());
    one("sequencer.flow.counters.x_one", (counters.x == 1).into());
    one("sequencer.flow.counters.y", counters.y.into());
    one("sequencer.flow.counters.y_one", (counters.y == 1).into());
    one("sequencer.flow.counters.z", counters.z.into());
    one("sequencer.flow.counters.z_one", (counters.z == 1).into());
    one("sequencer.flow.counters.stride", counters.stride.into());
    one("sequencer.flow.counters.stride_one", (counters.stride == 1).into());
    one("sequencer.flow.counters.stride_two", (counters.stride == 2).into());
    one("sequencer.flow.counters.n", counters.n.into());
    one("sequencer.flow.counters.rest", counters.rest.into());
    one("sequencer.flow.counters.rest_one", (counters.rest == 1).into());
    one("sequencer.flow.counters.rest_doubled", counters.rest_doubled.into());
    one("sequencer.flow.counters.rest_doubled_one", (counters.rest_doubled == 1).into());
    one("sequencer.flow.counters.width_less_two", counters.width_less_two.into());
    one("sequencer.flow.counters.width_less_three", counters.width_less_three.into());
    let scanner = &flow.scanner;
    one("sequencer.flow.scanner.key", scanner.key);
    one("sequencer.flow.scanner.empty", scanner.empty.into());
    one("sequencer.flow.scanner.position", scanner.position.into());
    one("sequencer.flow.scanner.scanning", scanner.scanning.into());
    one("sequencer.flow.scanner.width", scanner.width.into());
    one("sequencer.flow.scanner.scan_left", scanner.scan_left.into());
    one("sequencer.flow.scanner.tokens", scanner.tokens.into());
    one("sequencer.flow.scanner.sent", scanner.sent.into());
    one("sequencer.flow.scanner.drained", scanner.drained.into());
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
    visit("sequencer.addresses.used_0", Some(&[sequencer.used[0].into()]));
    visit("sequencer.addresses.used_1", Some(&[sequencer.used[1].into()]));
    visit("sequencer.addresses.j", Some(&[sequencer.j.into()]));
    visit("sequencer.addresses.i", Some(&[sequencer.i.into()]));
    visit("sequencer.addresses.l", Some(&[sequencer.l.into()]));
}

/// Paths of the registers that hold a row in one of the adder's stages.
struct RowPaths {
    valid: &'static str,
    fields: [&'static str; 12],
    multi: [&'static str; 2],
}

const SUM_STAGE: RowPaths = RowPaths {
    valid: "sequencer.adder.sum_valid",
    fields: [
        "sequencer.adder.sum_column",
        "sequencer.adder.sum_merge",
        "sequencer.adder.sum_a_enable",
        "sequencer.adder.sum_b_enable",
        "sequencer.adder.sum_write_enable",
        "sequencer.adder.sum_load",
        "sequencer.adder.sum_store",
        "sequencer.adder.sum_token",
        "sequencer.adder.sum_first",
        "sequencer.adder.sum_last",
        "sequencer.adder.sum_carry",
        "sequencer.adder.sum_keep_tag",
    ],
    multi: ["sequencer.adder.sum_multi", "sequencer.adder.sum_multi_rows"],
};

const ROW_STAGE: RowPaths = RowPaths {
    valid: "sequencer.adder.row_valid",
    fields: [
        "sequencer.adder.row_column",
        "sequencer.adder.row_merge",
        "sequencer.adder.row_a_enable",
        "sequencer.adder.row_b_enable",
        "sequencer.adder.row_write_enable",
        "sequencer.adder.row_load",
        "sequencer.adder.row_store",
        "sequencer.adder.row_token",
        "sequencer.adder.row_first",
        "sequencer.adder.row_last",
        "sequencer.adder.row_carry",
        "sequencer.adder.row_keep_tag",
    ],
    multi: ["sequencer.adder.row_multi", "sequencer.adder.row_multi_rows"],
};

fn row(params: &Params, row: &Row, paths: &RowPaths, visit: &mut Visit<'_>) {
    visit(paths.valid, Some(&[row.valid.into()]));
    let (issue, lines) = (&row.issue, &row.issue.lines);
    let values: [u64; 12] = [
        pack(&issue.column),
        lines.merge.into(),
        lines.a.is_some().into(),
        lines.b.is_some().into(),
        issue.write.is_some().into(),
        issue.load.into(),
        issue.store.into(),
        row.token.into(),
        row.first.into(),
        row.last.into(),
        row.carry.into(),
        row.keep_tag.into(),
    ];
    for (path, value) in paths.fields.iter().zip(values) {
        visit(path, row.valid.then_some(&[value]));
    }
    if params.memory == Memory::Behavioural {
        for (path, value) in paths.multi.iter().zip([lines.multi.code(), lines.mask]) {
            visit(path, row.valid.then_some(&[value]));
        }
    }
}

const BASES: [[&str; 2]; 3] = [
    ["sequencer.adder.sum_a_base", "sequencer.adder.sum_a_index"],
    ["sequencer.adder.sum_b_base", "sequencer.adder.sum_b_index"],
    ["sequencer.adder.sum_write_base", "sequencer.adder.sum_write_index"],
];

const SUMS: [&str; 3] = ["sequencer.adder.row_a", "sequencer.adder.row_b", "sequencer.adder.row_write"];

fn adder(params: &Params, adder: &AddressAdder, visit: &mut Visit<'_>) {
    row(params, &adder.sum, &SUM_STAGE, visit);
    for (k, [base, index]) in BASES.into_iter().enumerate() {
        visit(base, adder.sum.valid.then_some(&[adder.sum.bases[k].into()]));
        visit(index, adder.sum.valid.then_some(&[adder.sum.indices[k].into()]));
    }
    row(params, &adder.row, &ROW_STAGE, visit);
    for (k, sum) in SUMS.into_iter().enumerate() {
        visit(sum, adder.row.valid.then_some(&[adder.row.sum(k) as u64]));
    }
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
    let [blocked, again] = sequencer.blocked();
    visit("sequencer.issue.blocked", Some(&[blocked.into()]));
    if params.memory == Memory::BlockRam {
        visit("sequencer.issue.blocked_again", Some(&[again.into()]));
    }
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
        visit("sequencer.issue.flight_0", Some(&[sequencer.flight[0].into()]));
        visit("sequencer.issue.flight_1", Some(&[sequencer.flight[1].into()]));
        let write = sequencer.writes[0];
        visit("sequencer.issue.writes", Some(&[write.is_some().into()]));
        visit("sequencer.issue.written", write.map(|row| [row as u64]).as_ref().map(|row| &row[..]));
        visit("sequencer.issue.loads", Some(&[sequencer.loads[0].into()]));
    }
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
