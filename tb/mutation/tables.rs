//! Changed fields of flow, control and setup words. The model keeps the original tables; the ROM words themselves are
//! left out of the comparison where they pass through registers, so that only what they do can give a mutant away.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::Rng;

use super::essence::essence;
use super::{Table, stride};
use bitline::array::blocks::flow_control::FlowControl;
use bitline::array::blocks::{Top, design};
use bitline::isa::microcode::Microcode;
use bitline::isa::word::{Field, OPCODES, PAGE, control, directory, flow, setup};
use bitline::isa::{Command, Opcode};
use bitline::params::{Memory, Params, Sensing};
use bitline::sim::campaign::params;
use bitline::sim::campaign::place::place;
use bitline::sim::campaign::random::shapes;
use bitline::sim::campaign::{Bench, illegal};
use bitline::sim::engine::{Engine, Lookup, Native, engine};
use bitline::sim::lockstep::Lockstep;
use bitline::sim::model::compute_unit::{ComputeUnit, Inputs};
use bitline::sim::model::flow_control::FlowControl as FlowState;

/// Registers through which ROM words and sums of their fields pass.
const PASSAGES: [&str; 17] = [
    "sequencer.flow.word",
    "sequencer.flow.head_word",
    "sequencer.flow.start_word",
    "sequencer.addresses.word",
    "sequencer.setup.values.word",
    "sequencer.setup.values.sums_word",
    "sequencer.setup.values.sums_base",
    "sequencer.setup.values.sums_linear",
    "sequencer.setup.values.act_word",
    "sequencer.setup.values.act_value",
    "sequencer.setup.values.act_first",
    "sequencer.setup.values.act_second",
    "sequencer.setup.values.act_end",
    "sequencer.setup.values.act_second_end",
    "sequencer.adder.sum_multi_rows",
    "sequencer.adder.row_multi_rows",
    "sequencer.issue.ready_multi_rows",
];

macro_rules! fields {
    ($module:ident: $($field:ident)+) => { [$((stringify!($field), $module::$field)),+] };
}

const FLOW: [(&str, Field); 16] = fields!(flow: KIND END MAY_STOP HEAD TARGET X_LOAD Y_LOAD Z STRIDE KEY_SHIFT TOKEN DRAIN KEYED
    A_UNLESS_DONE POINT TAKE);
const CONTROL: [(&str, Field); 33] = fields!(control: X Y GATE OUT NEXT ACTIONS PREDICATED MERGE MULTI A_EN B_EN W_EN W_ON_EXIT
    FLIP_X FLIP_Y FLIP_OUT STEER_X STEER_Y A_BASE A_INDEX A_IMMEDIATE B_BASE B_INDEX B_IMMEDIATE W_BASE W_INDEX W_IMMEDIATE
    J J_ZERO I L LOAD STORE);
const SETUP: [(&str, Field); 9] = fields!(setup: KIND OPERAND N TERM CONSTANT SHIFT TO TEST TARGET);

/// One bit of one field of one word.
#[derive(Clone, Copy, Debug)]
struct Mutant {
    table: Table,
    address: usize,
    field: &'static str,
    bit: usize,
}

/// Widths of the commands.
const WIDTHS: [u8; 28] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 24, 31, 32, 33, 47, 48, 63, 64];
/// So many of a word's users, the shortest, run on the mutated hardware before the models are asked for a better one.
const FIRST: usize = 6;
/// One mutant in so many is tried where there is floating point, with seven times as many words, most of them in long
/// commands. A prime, as all such numbers: it meets every bit of every field.
const FLOATS: usize = 227;

impl Mutant {
    /// The tables with its word.
    fn of(&self, code: &Microcode, word: u128) -> Microcode {
        let mut code = code.clone();
        let table = match self.table {
            Table::Flow => &mut code.flow,
            Table::Control => &mut code.control,
            Table::Setup => &mut code.setup,
        };
        table[self.address] = word;
        code
    }
}

/// A command, and opcode and set in place of its own.
type Sent = (Command, Option<(u8, u8)>);

/// The command at the port, with rows to load and room for rows to store.
fn inputs((command, codes): Sent) -> Inputs {
    Inputs { command: Some(command), beat: Some(command.key), take: true, codes }
}

/// What runs on the mutants of a mode.
struct Trials {
    commands: Vec<Sent>,
    /// For each word: the commands that use it.
    users: BTreeMap<(Table, usize), Vec<usize>>,
}

impl Trials {
    fn new(bench: &mut Bench<Native>) -> Trials {
        let params = bench.params().clone();
        let mut commands = Vec::new();
        for shape in shapes(bench, &WIDTHS) {
            let operation = bench.operation(shape.opcode, shape.set);
            let mut command = Command { key: bench.rng().random(), ..shape };
            if place(bench.rng(), &params, &operation, &mut command) {
                commands.push((command, None));
            }
        }
        for _ in 0..3 {
            commands.extend(illegal::broken(bench).into_iter().map(|(command, _)| (command, None)));
        }
        for set in params.sets.clone() {
            for opcode in [bitline::isa::Opcode::Load, bitline::isa::Opcode::Store] {
                commands.push((Command { set, ..Command::new(opcode, 3) }, None));
            }
        }
        for entry in 0..directory(params.pages()) {
            let opcode = (entry / PAGE * OPCODES + entry % OPCODES) as u8;
            let set = (entry % PAGE / OPCODES) as u8;
            if bitline::isa::Opcode::from_code(opcode.into()).is_none() || set == 3 {
                commands.push((Command::new(bitline::isa::Opcode::Copy, 4), Some((opcode, set))));
            }
        }
        let mut users: BTreeMap<(Table, usize), Vec<usize>> = BTreeMap::new();
        let mut unit = ComputeUnit::new(&params);
        let mut cycles = Vec::new();
        for (index, &command) in commands.iter().enumerate() {
            let (words, took) = used(&mut unit, command);
            cycles.push(took);
            words.into_iter().for_each(|word| users.entry(word).or_default().push(index));
        }
        users.values_mut().for_each(|list| list.sort_by_key(|&user| cycles[user]));
        Trials { commands, users }
    }
}

/// Words that a command uses, and its cycles.
fn used(unit: &mut ComputeUnit, sent: Sent) -> (Vec<(Table, usize)>, u32) {
    let (mut words, mut cycles) = (Vec::new(), 0);
    let mut inputs = inputs(sent);
    loop {
        let s = &unit.sequencer;
        let fetched = &s.address.fetched;
        if fetched.valid {
            let address = usize::from(fetched.address);
            words.extend([(Table::Flow, address), (Table::Control, address)]);
        }
        if s.setup.busy && s.setup.verdict.valid {
            words.push((Table::Setup, usize::from(s.setup.address) - 5));
        }
        let outputs = unit.step(&inputs);
        cycles += 1;
        if !outputs.busy && inputs.command.is_none() {
            words.sort_unstable();
            words.dedup();
            return (words, cycles);
        }
        inputs.command = inputs.command.filter(|_| !outputs.command_ready);
    }
}

/// Whether two models with different tables differ in anything but the table's words while a command runs.
fn differ(original: &mut ComputeUnit, changed: &mut ComputeUnit, params: &Params, sent: Sent) -> bool {
    for unit in [&mut *original, &mut *changed] {
        unit.reset(params);
        unit.sequencer.setup.bases = Default::default();
        unit.sequencer.setup.counts = Default::default();
    }
    let bits = original.array.sram.bits.clone();
    changed.array.sram.bits.clone_from(&bits);
    let mut inputs = inputs(sent);
    loop {
        let outputs = original.step(&inputs);
        let flow = |s: &bitline::sim::model::sequencer::Sequencer| {
            (FlowState { head_word: 0, ..s.flow }, s.indices, s.ready, s.tokens)
        };
        let setup = |s: &bitline::sim::model::sequencer::Sequencer| {
            let setup = &s.setup;
            (setup.start, setup.busy, setup.ready, setup.bases, setup.counts, setup.values.end)
        };
        // What a word that does not exist means, the model does not say.
        let Ok(others) = catch_unwind(AssertUnwindSafe(|| changed.step(&inputs))) else { return true };
        let (p, q) = (&original.sequencer, &changed.sequencer);
        if others != outputs || flow(p) != flow(q) || setup(p) != setup(q) {
            return true;
        }
        if !outputs.busy && inputs.command.is_none() {
            return false;
        }
        inputs.command = inputs.command.filter(|_| !outputs.command_ready);
    }
}

/// The hardware's ROMs.
struct Roms {
    /// Following rows, targets, rows.
    flow: [usize; 3],
    control: usize,
    setup: usize,
}

impl Roms {
    fn of(engine: &Native) -> Roms {
        let rom =
            |path: &str| engine.design().find_memory(path).unwrap_or_else(|| panic!("the design has no ROM {path}"));
        Roms {
            flow: ["following", "targets", "starts"].map(|name| rom(&format!("sequencer.flow.{name}"))),
            control: rom("sequencer.addresses.rom"),
            setup: rom("sequencer.setup.rom"),
        }
    }

    /// Makes one word of a table `to`, in the hardware.
    fn change(&self, engine: &mut Native, flow: &Flow, mutant: &Mutant, to: u128) {
        match mutant.table {
            Table::Control => engine.set_word(self.control, mutant.address, &[to as u64, (to >> 64) as u64]),
            Table::Setup => engine.set_word(self.setup, mutant.address, &[to as u64]),
            Table::Flow => flow
                .places(mutant.address, to)
                .for_each(|(table, row, word)| engine.set_word(self.flow[table], row, &[word])),
        }
    }
}

/// Flow words, and for each the rows whose target it is.
struct Flow {
    words: Vec<u128>,
    targeting: BTreeMap<usize, Vec<usize>>,
}

impl Flow {
    fn of(words: &[u128]) -> Flow {
        let mut targeting: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (row, &word) in words.iter().enumerate() {
            targeting.entry(flow::TARGET.get(word) as usize).or_default().push(row);
        }
        Flow { words: words.to_vec(), targeting }
    }

    /// What the three ROMs of [`FlowControl::tables`] hold otherwise, or again, if the word at an address is `to`: ROM,
    /// row, word.
    fn places(&self, address: usize, to: u128) -> impl Iterator<Item = (usize, usize, u64)> {
        let target = flow::TARGET.get(to) as usize;
        let reached = if target == address { to } else { self.words.get(target).copied().unwrap_or(0) };
        let before = address.checked_sub(1).map(|row| (0, row, to as u64));
        let from = self.targeting.get(&address).into_iter().flatten();
        let from = from.filter(move |&&row| row != address).map(move |&row| (1, row, to as u64));
        before.into_iter().chain(from).chain([(1, address, reached as u64), (2, address, to as u64)])
    }
}

/// Runs a command on mutated hardware, on these rows or on random ones; whether lock-step notices.
fn notices(unit: &mut Lockstep<Native>, sent: Sent, seed: u64, rows: Option<&[u64]>) -> bool {
    unit.restart(seed);
    let words = unit.params().columns.div_ceil(64);
    for (row, bits) in rows.into_iter().flat_map(|rows| rows.chunks(words)).enumerate() {
        unit.set_row(row, bits);
    }
    let mut inputs = inputs(sent);
    loop {
        let Ok(outputs) = unit.cycle(&inputs) else { return true };
        if !outputs.busy && inputs.command.is_none() {
            return false;
        }
        inputs.command = inputs.command.filter(|_| !outputs.command_ready);
    }
}

fn mutants(code: &Microcode) -> Vec<Mutant> {
    let mut all = Vec::new();
    let mut add = |table: Table, words: usize, fields: &[(&'static str, Field)]| {
        for address in 0..words {
            for &(field, at) in fields {
                all.extend((0..at.bits).map(|bit| Mutant { table, address, field, bit: at.lsb + bit }));
            }
        }
    };
    add(Table::Flow, code.flow.len(), &FLOW);
    add(Table::Control, code.control.len(), &CONTROL);
    add(Table::Setup, code.setup.len(), &SETUP);
    all
}

/// One in `part` of the mutants.
fn all_noticed(sensing: Sensing, memory: Memory, part: usize) {
    let params = params(sensing, memory, 512, 8);
    let seed = 17;
    let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine(&netlist), &params, seed);
    let trials = Trials::new(&mut bench);
    let mut unit = bench.unit;
    PASSAGES.iter().for_each(|path| unit.ignore(path));
    let code = unit.model.code.clone();
    let flow = Flow::of(&code.flow);
    let roms = Roms::of(&unit.engine);
    let mut original = ComputeUnit::new(&params);
    let mut indifferent: BTreeMap<(Table, &str), usize> = BTreeMap::new();
    let (mut noticed, mut same, mut unused) = (0, 0, 0);
    let mut survivors: BTreeMap<(Table, &str), Vec<String>> = BTreeMap::new();
    for mutant in mutants(&code).into_iter().step_by(stride(part)) {
        let words = match mutant.table {
            Table::Flow => &code.flow,
            Table::Control => &code.control,
            Table::Setup => &code.setup,
        };
        let old = words[mutant.address];
        let new = old ^ 1 << mutant.bit;
        let Some(users) = trials.users.get(&(mutant.table, mutant.address)) else {
            unused += 1;
            continue;
        };
        let other = code.flow.get(mutant.address).copied().unwrap_or(0);
        if essence(&params, mutant.table, old, other) == essence(&params, mutant.table, new, other) {
            same += 1;
            continue;
        }
        roms.change(&mut unit.engine, &flow, &mutant, new);
        let mut tried = users.iter().take(FIRST).enumerate();
        let mut found = tried.any(|(at, &user)| notices(&mut unit, trials.commands[user], at as u64, None));
        let mut equal = false;
        if !found {
            let mut changed = ComputeUnit { code: mutant.of(&code, new), ..original.clone() };
            let telling = users.iter().map(|&user| trials.commands[user]).find_map(|command| {
                let rows = original.array.sram.bits.clone();
                differ(&mut original, &mut changed, &params, command).then_some((command, rows))
            });
            equal = telling.is_none();
            found = telling.is_some_and(|(command, rows)| notices(&mut unit, command, seed, Some(&rows)));
        }
        roms.change(&mut unit.engine, &flow, &mutant, old);
        if found {
            noticed += 1;
        } else if equal {
            *indifferent.entry((mutant.table, mutant.field)).or_default() += 1;
        } else {
            let text = format!("{mutant:?} {old:#x} {:?}", trials.commands[users[0]].0.opcode);
            survivors.entry((mutant.table, mutant.field)).or_default().push(text);
        }
    }
    println!(
        "{sensing} {memory}: {noticed} noticed, {same} the same by rule, {} the same in every command, {unused} in \
         unused words",
        indifferent.values().sum::<usize>()
    );
    println!("the same in every command: {indifferent:?}");
    for (key, list) in &survivors {
        println!("{key:?}: {} survive", list.len());
        list.iter().take(6).for_each(|text| println!("    {text}"));
    }
    assert!(survivors.is_empty());
}

/// The places of a changed word are those at which the ROMs of the tables differ.
#[test]
fn places_of_flow_words() {
    let params = params(Sensing::AndNor, Memory::Behavioural, 64, 8);
    let words = Microcode::assemble_only(&params, &[Opcode::DivU, Opcode::Search]).flow;
    let (flow, before) = (Flow::of(&words), FlowControl::tables(&words));
    for address in 0..words.len() {
        for bit in 0..flow::TARGET.lsb + flow::TARGET.bits {
            let mut changed = words.clone();
            changed[address] ^= 1 << bit;
            let mut tables = before.clone();
            flow.places(address, changed[address]).for_each(|(table, row, word)| tables[table][row] = word);
            assert_eq!(tables, FlowControl::tables(&changed), "word {address}, bit {bit}");
            flow.places(address, words[address]).for_each(|(table, row, word)| tables[table][row] = word);
            assert_eq!(tables, before, "word {address}, bit {bit}");
        }
    }
}

#[test]
fn and_nor_behavioural_tables() {
    all_noticed(Sensing::AndNor, Memory::Behavioural, 83);
}

#[test]
fn and_nor_block_ram_tables() {
    all_noticed(Sensing::AndNor, Memory::BlockRam, 83);
}

#[test]
fn two_port_behavioural_tables() {
    all_noticed(Sensing::TwoPort, Memory::Behavioural, FLOATS);
}

#[test]
fn two_port_block_ram_tables() {
    all_noticed(Sensing::TwoPort, Memory::BlockRam, FLOATS);
}
