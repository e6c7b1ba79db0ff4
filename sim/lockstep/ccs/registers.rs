//! Which register each piece of the model's state stands for.

use std::fmt::Arguments;

use crate::ccs::registers::{REG_A, REG_LAUNCH};
use crate::ccs::{CcsError, CcsGeometry, Flip};
use crate::lockstep::ccs_unit;
use crate::model::ccs::core::Core;
use crate::model::ccs::fetch::Fetch;
use crate::model::ccs::generator::Generator;
use crate::model::ccs::launcher::{Job, Launcher, Phase};
use crate::model::ccs::requests::Requests;
use crate::model::ccs::scoreboard::{RESULTS, Scoreboard};
use crate::model::ccs::waiting::{WAITING, Waiting, WaitingStep};

/// Gets a register and its value; nothing where it does not matter.
pub type Visit<'a> = dyn FnMut(Arguments<'_>, Option<u64>) + 'a;

/// Bits of counters that go round.
const FETCHES: u32 = 32;

/// Visits registers whose paths follow from the names of fields.
macro_rules! same {
    ($visit:ident, $prefix:literal, $from:expr; $($name:ident)+) => {
        $($visit(format_args!(concat!($prefix, ".", stringify!($name))), Some($from.$name.into()));)+
    };
}

/// Every register.
pub fn registers(model: &Core, visit: &mut Visit<'_>) {
    let registers = &model.registers;
    // Nothing is kept at the place of `launch`.
    for (i, &value) in registers.staged.iter().enumerate().filter(|(i, _)| REG_A + 4 * *i as u64 != REG_LAUNCH) {
        visit(format_args!("registers.staged_{i}"), Some(value.into()));
    }
    same!(visit, "registers", registers; enable done line completed kept);
    visit(format_args!("registers.last_result"), Some(registers.result.into()));
    visit(format_args!("registers.cycles_low"), Some(registers.cycles & 0xffff_ffff));
    visit(format_args!("registers.cycles_high"), Some(registers.cycles >> 32));
    launcher(&model.geometry, &model.launcher, visit);
    generator(&model.generator, visit);
    fetch(&model.fetch, visit);
    scoreboard(&model.scoreboard, visit);
    for (k, row) in model.tags.rows.iter().enumerate() {
        visit(format_args!("tags.valid_{k}"), Some(row.is_some().into()));
    }
    let stage = &model.word_stage;
    same!(visit, "word_stage", stage; valid young to_store to_drop);
    visit(format_args!("word_stage.line_held"), Some(stage.line.into()));
    visit(format_args!("word_stage.value_held"), Some(stage.value.into()));
    visit(format_args!("word_stage.strobes_held"), Some(stage.strobes.into()));
    for (k, &lane) in stage.lanes.iter().enumerate() {
        visit(format_args!("word_stage.lanes_held_{k}"), Some(lane.into()));
    }
    same!(visit, "writer", model.writer; unacknowledged sent many);
    for (g, &word) in model.store.candidates.iter().enumerate() {
        visit(format_args!("store.candidates_{g}"), Some(word.into()));
    }
    if model.store.candidates.len() > 1 {
        visit(format_args!("store.which"), Some(model.store.which as u64));
    }
    let processor = &model.processor;
    same!(visit, "processor", processor; kept_waiting calm hit reply reply_data reply_error);
    visit(format_args!("processor.state"), Some(processor.state as u64));
    visit(format_args!("processor.write"), Some(processor.access.write.into()));
    visit(format_args!("processor.address"), Some(processor.access.address.into()));
    // Of a read they mean nothing.
    let data = Some(processor.access).filter(|access| access.write).map(|access| access.data);
    visit(format_args!("processor.value"), data.map(|data| data.0.into()));
    visit(format_args!("processor.bytes"), data.map(|data| data.1.into()));
    ccs_unit::registers(&model.unit, model.geometry.element_bits, &mut |path, value| {
        visit(format_args!("unit.{path}"), value);
    });
}

/// The launcher's ROM word: legal, a, b, map, constant, flips, flip's bits, then the unit's control word.
fn word(job: &Job) -> u64 {
    let [a, b, map] = job.vectors();
    let flip = job.command.map_or(0, |command| command.flip_word(32, job.unsigned));
    let flips = job.command.is_some_and(|command| command.flip != Flip::None);
    let bits = [job.command.is_some(), a, b, map, job.second_constant(), flips, flip & 1 == 1, flip >> 31 == 1];
    bits.iter().enumerate().fold(job.control() << 8, |word, (i, &bit)| word | u64::from(bit) << i)
}

fn launcher(geometry: &CcsGeometry, launcher: &Launcher, visit: &mut Visit<'_>) {
    let job = &launcher.job;
    same!(visit, "launcher", launcher; stopping over several early rests beyond bad_answer dropped);
    for i in 0..3 {
        visit(format_args!("launcher.odd_{i}"), Some(launcher.odd[i].into()));
        visit(format_args!("launcher.apart_{i}"), Some(launcher.apart[i].into()));
    }
    for (name, phase) in [("checking", Phase::Checking), ("deciding", Phase::Deciding), ("running", Phase::Running)] {
        visit(format_args!("launcher.{name}"), Some((launcher.phase == phase).into()));
    }
    visit(format_args!("launcher.reset"), Some(launcher.resetting.into()));
    visit(format_args!("launcher.code"), Some(launcher.error.map_or(0, |error: CcsError| error as u64)));
    let broken = job.broken.iter().enumerate().fold(0, |bits, (i, &bit)| bits | u64::from(bit) << i);
    visit(format_args!("launcher.broken"), Some(broken));
    visit(format_args!("launcher.word"), Some(word(job)));
    visit(format_args!("launcher.stores"), Some(job.store.into()));
    visit(format_args!("launcher.reach"), Some(job.extent.into()));
    visit(format_args!("launcher.stride_left"), Some(job.stride_left.into()));
    visit(format_args!("launcher.constant_held"), Some(job.constant.into()));
    visit(format_args!("launcher.flip_held"), Some(job.flip.into()));
    for k in 0..geometry.lanes {
        visit(format_args!("launcher.mask_held_{k}"), Some(job.mask[k].into()));
    }
}

fn generator(generator: &Generator, visit: &mut Visit<'_>) {
    let (row, step) = (&generator.row, &generator.step);
    same!(visit, "generator", generator; pending rows_left row_valid valid);
    same!(visit, "generator", step; low high last_high left first last place);
    visit(format_args!("generator.row_low"), Some(row.low.into()));
    visit(format_args!("generator.row_high"), Some(row.high.into()));
    visit(format_args!("generator.row_left"), Some(row.left.into()));
    visit(format_args!("generator.row_place"), Some(row.place.into()));
    for (i, &over) in row.over.iter().enumerate() {
        visit(format_args!("generator.row_over_{i}"), Some(over.into()));
    }
    for i in 0..3 {
        visit(format_args!("generator.rows_{i}"), Some(generator.addresses[i].into()));
        visit(format_args!("generator.strides_{i}"), Some(generator.strides[i].into()));
        visit(format_args!("generator.row_lines_{i}"), Some(row.lines[i].into()));
        visit(format_args!("generator.lines_{i}"), Some(step.lines[i].into()));
    }
}

fn fetch(fetch: &Fetch, visit: &mut Visit<'_>) {
    let (looked, held) = (&fetch.looked, &fetch.held);
    same!(visit, "fetch", fetch; closed fills apart valid drained);
    same!(visit, "fetch", held; second_comes conflicts);
    same!(visit, "fetch", held.step; low high first last);
    visit(format_args!("fetch.waits"), Some((held.lines() > 0).into()));
    visit(format_args!("fetch.waits_two"), Some((held.lines() == 2).into()));
    visit(format_args!("fetch.looked"), Some(fetch.looked_up.into()));
    visit(format_args!("fetch.looked_low"), Some(looked.step.low.into()));
    visit(format_args!("fetch.looked_high"), Some(looked.step.high.into()));
    visit(format_args!("fetch.looked_first"), Some(looked.step.first.into()));
    visit(format_args!("fetch.looked_last"), Some(looked.step.last.into()));
    for (i, &suspect) in looked.suspects.iter().flatten().enumerate() {
        visit(format_args!("fetch.suspects_{i}"), Some(suspect.into()));
    }
    for (i, &there) in looked.there.iter().enumerate() {
        visit(format_args!("fetch.there_{i}"), Some(there.into()));
    }
    for i in 0..2 {
        visit(format_args!("fetch.looked_lines_{i}"), Some(looked.step.lines[i].into()));
        visit(format_args!("fetch.lines_{i}"), Some(held.step.lines[i].into()));
        visit(format_args!("fetch.misses_{i}"), Some(held.misses[i].into()));
    }
    visit(format_args!("fetch.first_row"), Some(held.rows[0].into()));
    visit(format_args!("fetch.second_row"), Some(held.rows[1].into()));
    same!(visit, "fetch.flight", fetch.flight; steps reductions);
    requests(&fetch.requests, visit);
    waiting(&fetch.waiting, visit);
}

fn requests(requests: &Requests, visit: &mut Visit<'_>) {
    same!(visit, "fetch.requests", requests; waits missing);
    visit(format_args!("fetch.requests.asked"), Some((requests.asked % FETCHES).into()));
    visit(format_args!("fetch.requests.arrived"), Some((requests.arrived % FETCHES).into()));
    for (name, request) in [("first", requests.first), ("next", requests.next)] {
        for i in 0..2 {
            visit(format_args!("fetch.requests.{name}_needs_{i}"), Some(request.needs[i].into()));
            visit(format_args!("fetch.requests.{name}_lines_{i}"), Some(request.lines[i].into()));
        }
    }
}

/// A waiting step's word: rows, lanes, first, last, waits for a line, waits for two.
pub fn waiting_word(waiting: &WaitingStep) -> u64 {
    let WaitingStep { rows: [a, b], step, lines } = waiting;
    let numbers =
        [a, b, &step.low, &step.high].into_iter().rev().fold(0, |word, &number| word << 7 | u64::from(number));
    let flags = [step.first, step.last, *lines > 0, *lines == 2];
    flags.iter().enumerate().fold(numbers, |word, (i, &flag)| word | u64::from(flag) << (28 + i))
}

fn waiting(waiting: &Waiting, visit: &mut Visit<'_>) {
    same!(visit, "fetch.waiting", waiting; valid many came here issued);
    visit(format_args!("fetch.waiting.one"), Some((waiting.here >= 1).into()));
    visit(format_args!("fetch.waiting.two"), Some((waiting.here >= 2).into()));
    visit(format_args!("fetch.waiting.head"), Some(waiting_word(&waiting.head)));
    visit(format_args!("fetch.waiting.out"), Some(waiting_word(&waiting.out) & ((1 << 30) - 1)));
    visit(format_args!("fetch.waiting.front"), Some(waiting.front as u64));
    visit(format_args!("fetch.waiting.back"), Some(((waiting.front + waiting.queue.len()) % WAITING) as u64));
    visit(format_args!("fetch.waiting.some"), Some((!waiting.queue.is_empty()).into()));
}

fn scoreboard(scoreboard: &Scoreboard, visit: &mut Visit<'_>) {
    let (front, length) = (scoreboard.front, scoreboard.queue.len());
    let back = (front + length) % RESULTS;
    same!(visit, "scoreboard", scoreboard; tight came);
    visit(format_args!("scoreboard.front"), Some(front as u64));
    visit(format_args!("scoreboard.back"), Some(back as u64));
    visit(format_args!("scoreboard.some"), Some((length > 0).into()));
    visit(format_args!("scoreboard.new_line"), Some(scoreboard.new.0.into()));
    visit(format_args!("scoreboard.new_place"), Some(scoreboard.new.1.into()));
    visit(format_args!("scoreboard.new_at"), Some(scoreboard.new_at as u64));
    for k in 0..RESULTS {
        let result = scoreboard.queue.get((k + RESULTS - front) % RESULTS);
        visit(format_args!("scoreboard.valid_{k}"), Some(result.is_some().into()));
        visit(format_args!("scoreboard.keys_{k}"), result.map(|result| Scoreboard::key(result.line).into()));
        visit(format_args!("scoreboard.first_{k}"), Some((k == front).into()));
        visit(format_args!("scoreboard.next_{k}"), Some((k == back).into()));
    }
}
