//! Which register each piece of the model's state stands for.

use super::{Place, Visit};
use crate::cache::{CacheOp, control};
use crate::model::compute_cache::ComputeCache;
use crate::model::compute_cache::bank::{Bank, RowOp};
use crate::model::compute_cache::interconnect::Purpose;
use crate::model::compute_cache::table::Entry;
use crate::model::compute_cache::waves::Phase;

/// Block numbers have 19 bits, numbers inside a sub-array 13.
const BLOCK: u32 = 0x7_ffff;
const LOCAL: u32 = 0x1fff;

/// Passes every register but key rows.
pub fn registers(model: &ComputeCache, visit: &mut Visit<'_>) {
    for (number, entry) in model.table.entries.iter().enumerate() {
        table_entry(number, entry.as_ref(), visit);
    }
    let mut one = |instance, register, value: Option<u64>| {
        visit(Place { instance, number: 0, register }, value.as_ref().map(std::slice::from_ref));
    };
    let table = &model.table;
    one("instructions", "tail", Some(table.tail as u64));
    one("instructions", "next", Some(table.next as u64));
    one("instructions", "head", Some(table.head as u64));
    dispatch(model, &mut one);
    waves(model, &mut one);
    near(model, &mut one);
    interconnect(model, &mut one);
    let wide = &model.interconnect;
    let mut row = |instance, register, value: Option<&[u64]>| visit(Place { instance, number: 0, register }, value);
    row("bus", "written", wide.written.as_ref().map(|w| &w.0[..]));
    row("bus", "written_mask", wide.written.as_ref().map(|w| &w.1[..]));
    row("bus", "block", wide.block.as_deref());
    row("bus", "key_held", wide.key.as_deref());
    row("near_path", "held", model.near.held.as_deref());
    for (number, b) in model.banks.iter().enumerate() {
        bank(model, number, b, visit);
    }
}

fn table_entry(number: usize, entry: Option<&Entry>, visit: &mut Visit<'_>) {
    let mut one = |register, value: Option<u64>| {
        visit(Place { instance: "instructions.entries_#", number, register }, value.as_ref().map(std::slice::from_ref));
    };
    let field = |value: fn(&Entry) -> u64| entry.map(value);
    one("valid", Some(entry.is_some().into()));
    one("waiting", Some(entry.is_some_and(|e| e.waiting).into()));
    one("finished", field(|e| e.finished.into()));
    one("op", field(|e| e.instruction.op.into()));
    one("grain", field(|e| e.instruction.grain.into()));
    one("a", field(|e| e.instruction.a.into()));
    one("b", field(|e| e.instruction.b.into()));
    one("d", field(|e| e.instruction.d.into()));
    one("size", field(|e| e.instruction.size.into()));
    one("tag", field(|e| e.instruction.tag.into()));
    one("left", field(|e| e.left.into()));
    one("mask", field(|e| e.mask));
    one("code", field(|e| e.fault.map_or(0, |f| f.code as u64)));
    one("fault", field(|e| e.fault.map_or(0, |f| f.address.into())));
}

type One<'a> = dyn FnMut(&'static str, &'static str, Option<u64>) + 'a;

fn dispatch(model: &ComputeCache, one: &mut One<'_>) {
    let dispatch = &model.dispatch;
    let mut one = |register, value| one("dispatch", register, value);
    let held = dispatch.held;
    let plan = held.and_then(|h| h.plan.ok());
    let fault = held.map(|h| h.plan.err());
    let has = |bit| plan.map(|p| u64::from(p.op.has(bit)));
    one("held", Some(held.is_some().into()));
    one("slot", held.map(|h| h.slot as u64));
    one("op", plan.map(|p| p.op as u64));
    one("grain", held.map(|h| h.grain.into()));
    one("code", fault.map(|f| f.map_or(0, |f| f.code as u64)));
    one("address", fault.map(|f| f.map_or(0, |f| f.address.into())));
    one("a", plan.map(|p| p.a.into()));
    one("b", plan.map(|p| p.b.into()));
    one("d", plan.map(|p| p.d.into()));
    one("blocks", plan.map(|p| p.blocks.into()));
    one("two", has(control::B));
    one("keyed", has(control::KEY));
    one("write", has(control::D));
    one("gives", has(control::MASK));
    one("is_near", plan.map(|p| p.near.into()));
    one("key_valid", Some(dispatch.key_valid.into()));
    one("key_block", dispatch.key_block.map(u64::from));
}

fn waves(model: &ComputeCache, one: &mut One<'_>) {
    let mut one = |register, value| one("waves", register, value);
    let waves = &model.waves;
    let current = waves.current;
    let plan = current.map(|c| c.plan);
    let phase = match current.map(|c| c.phase) {
        None | Some(Phase::Run) => 0,
        Some(Phase::KeyRead) => 1,
        Some(Phase::KeyWait) => 2,
        Some(Phase::KeyWrite) => 3,
    };
    one("active", Some(current.is_some().into()));
    one("phase", Some(phase));
    one("op", plan.map(|p| p.op as u64));
    one("grain", current.map(|c| c.grain.into()));
    one("write", plan.map(|p| p.op.has(control::D).into()));
    one("gives", plan.map(|p| p.op.has(control::MASK).into()));
    one("slot", current.map(|c| c.slot as u64));
    one("a", plan.map(|p| (p.a & BLOCK).into()));
    one("b", plan.map(|p| (p.b & BLOCK).into()));
    one("d", plan.map(|p| (p.d & BLOCK).into()));
    one("left", plan.map(|p| p.blocks.into()));
    one("index", current.map(|c| u64::from(c.index % 64)));
    one("missed", Some(waves.missed.into()));
    one("sent", Some(waves.sent.is_some().into()));
    one("sent_slot", waves.sent.map(|s| s.0 as u64));
    one("sent_blocks", waves.sent.map(|s| s.1.into()));
    one("done", Some(waves.done.is_some().into()));
    one("done_slot", waves.done.map(|s| s.0 as u64));
    one("done_blocks", waves.done.map(|s| s.1.into()));
}

fn near(model: &ComputeCache, one: &mut One<'_>) {
    let mut one = |register, value| one("near_path", register, value);
    let current = model.near.current;
    one("active", Some(current.is_some().into()));
    one("op", current.map(|c| c.op as u64));
    one("grain", current.map(|c| c.grain.into()));
    one("two", current.map(|c| c.two().into()));
    one("write", current.map(|c| c.op.has(control::D).into()));
    one("slot", current.map(|c| c.slot as u64));
    one("a", current.map(|c| (c.a & BLOCK).into()));
    one("b", current.map(|c| (c.b & BLOCK).into()));
    one("second", Some(current.is_some_and(|c| c.second).into()));
    one("unread", Some(current.map_or(0, |c| c.unread.into())));
    one("d", current.map(|c| (c.d & BLOCK).into()));
    one("left", current.map(|c| c.left.into()));
    one("index", current.map(|c| u64::from(c.index % 64)));
}

fn interconnect(model: &ComputeCache, one: &mut One<'_>) {
    let mut one = |register, value| one("bus", register, value);
    let interconnect = &model.interconnect;
    let code = |purpose| match purpose {
        Purpose::None => 0,
        Purpose::NearFirst => 1,
        Purpose::NearLast => 2,
        Purpose::Key => 3,
        Purpose::Word => 4,
    };
    one("sent", Some(code(interconnect.sent)));
    one("got", Some(code(interconnect.got)));
    one("word_at", interconnect.word_at.map(|at| at as u64));
    one("word_there", Some(interconnect.word.is_some().into()));
    one("word", interconnect.word);
    one("word_before", Some(interconnect.word_before.into()));
}

fn bank(model: &ComputeCache, number: usize, bank: &Bank, visit: &mut Visit<'_>) {
    let mut one = |register, value: Option<u64>| {
        visit(Place { instance: "banks_#", number, register }, value.as_ref().map(std::slice::from_ref));
    };
    let sub_arrays = model.geometry.sub_arrays as u32;
    let command = bank.command;
    let local = |own: u32| u64::from((own / sub_arrays) & LOCAL);
    // A key has no block.
    let block = command.filter(|c| c.op != RowOp::Key);
    one("active", Some(command.is_some().into()));
    one("op", command.map(|c| c.op.code()));
    one("grain", command.and_then(|c| c.grain).map(u64::from));
    one("write", command.map(|c| c.writes().into()));
    one("gives", command.map(|c| c.gives().into()));
    one("sub", block.map(|c| u64::from(c.a % sub_arrays)));
    one("a", block.map(|c| local(c.a)));
    one("b", block.filter(|c| c.op != RowOp::Op(CacheOp::Search)).map(|c| local(c.b)));
    one("d", block.map(|c| local(c.d)));
    one("place", command.filter(|c| c.gives()).and_then(|c| c.place).map(u64::from));
    one("given", Some(bank.given.is_some().into()));
    one("bits", bank.given.map(|g| g.0.into()));
    one("at", bank.given.map(|g| g.1.into()));
}
