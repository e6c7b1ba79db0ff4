//! State of command setup and start registers.

use super::{Visit, flagged};
use crate::isa::word::{self, Field, SetupKind};
use crate::model::command_setup::{CommandSetup, Refusal, Verdict};
use crate::model::setup_value::{SetupValue, Stage};
use crate::model::start_registers::Start;

pub(super) fn setup(setup: &CommandSetup, visit: &mut Visit<'_>) {
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
