//! Model of the control block, from its contract: ring, dispatcher, scalar unit, windows, and the arrays of all banks.

use std::rc::Rc;

use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::params::Params;
use bitline_units::duality::isa::codes::Source;
use bitline_units::duality::isa::compute::Operations;
use bitline_units::duality::isa::field::{DATA_SLOT, MODIFIER, SCALAR_A, SCALAR_B, SLOT, SOURCE};
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{DualityParams, SLOTS};
use bitline_units::duality::passes::MemoryStep;

use super::dispatcher::{Dispatcher, Doing, Seen, trap};
use super::instruction_ring::{InstructionRing, RingInputs};
use super::memory_turns::MemoryTurns;
use super::scalar_unit::{ScalarInputs, ScalarUnit};
use super::window::{Entry, Window, WindowInputs};
use crate::compute_array::ComputeArray;

/// The control block.
#[derive(Clone)]
pub struct ControlBlock {
    params: Rc<DualityParams>,
    array: Rc<Params>,
    /// Words.
    pub ring: InstructionRing,
    /// Hands them out.
    pub dispatcher: Dispatcher,
    /// Values that all threads share.
    pub scalars: ScalarUnit,
    /// Issue windows.
    pub windows: Vec<Window>,
    /// Arrays: four of bank 0, four of bank 1, and so on.
    pub members: Vec<ComputeArray>,
    /// What each gets from another; while its window has no word, anything.
    pub sent: Vec<Option<Vec<u64>>>,
    /// Words of memory that have left and not ended.
    turns: MemoryTurns,
    /// A row without a 1.
    nothing: Vec<u64>,
    /// A word of memory has had a step, and not its last.
    stepped: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockInputs {
    /// A program begins.
    pub start: bool,
    /// The program that runs, if one does, is to stop.
    pub stop: bool,
    /// Words leave in bundles.
    pub lockstep: bool,
    /// Arrays of a thread: 0 four, 1 two, 2 one.
    pub arrays: u8,
    /// A word that the host offers.
    pub write: Option<u128>,
    /// A scalar register that it writes.
    pub set: Option<(u8, u32)>,
    /// The step that is asked for of the word of memory.
    pub memory: Option<MemoryStep>,
    /// With the step that ends it: why it was not done, or 0.
    pub memory_trap: u8,
    /// What each array gets from memory, and in which columns.
    pub memory_rows: Option<Rc<MemoryRows>>,
}

/// What comes from memory, a row for each array: columns, and those that it comes for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRows {
    /// The row.
    pub data: Vec<Vec<u64>>,
    /// Columns.
    pub places: Vec<Vec<u64>>,
}

/// What it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockOutputs {
    /// A word is taken if offered.
    pub ready: bool,
    /// At most half of the ring is in use.
    pub doorbell: bool,
    /// The word that comes next.
    pub pc: u32,
    /// The oldest word that the ring keeps.
    pub frontier: u32,
    /// The word that is written next.
    pub tail: u32,
    /// A word of memory waits for its steps: the word, and the scalar register that it names.
    pub memory: Option<(u128, Option<u32>)>,
    /// The rows that arrays send to memory in this cycle.
    pub memory_sent: Option<Vec<Vec<u64>>>,
    /// A row from memory is written.
    pub memory_taken: bool,
    /// A program runs.
    pub running: bool,
    /// It has ended, with this code.
    pub finished: Option<u8>,
    /// It was stopped: why, and before which word of which slot.
    pub trapped: Option<(u8, u32, u8)>,
}

impl ControlBlock {
    /// A control block with nothing in its rows; `words` is what its ring holds.
    pub fn new(params: &DualityParams, words: Vec<u128>) -> ControlBlock {
        let operations = Rc::new(Operations::new(params));
        let array = params.array();
        let code = Rc::new(Microcode::assemble(&array));
        let window = |slot| Window::new(slot, params.window, Rc::clone(&operations), Rc::clone(&code));
        let members = SLOTS * params.banks;
        ControlBlock {
            ring: InstructionRing::new(words),
            dispatcher: Dispatcher::default(),
            scalars: ScalarUnit::default(),
            windows: (0..SLOTS).map(window).collect(),
            members: vec![ComputeArray::new(&array); members],
            sent: vec![Some(vec![0; params.columns.div_ceil(64)]); members],
            turns: MemoryTurns::new(params.window),
            nothing: vec![0; params.columns.div_ceil(64)],
            stepped: false,
            params: Rc::new(params.clone()),
            array: Rc::new(array),
        }
    }

    /// Parameters of the arrays.
    pub fn array(&self) -> &Params {
        &self.array
    }

    /// The window that drives an array of a bank, when a thread has so many.
    fn window_of(member: usize, arrays: usize) -> usize {
        member % arrays
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &BlockInputs) -> BlockOutputs {
        let arrays = SLOTS >> inputs.arrays.min(2);
        let word = self.ring.word().map(Word);
        let named = |field| word.map_or(0, |word| word.get(field) as u8);
        let sum = word.is_some_and(|word| word.get(SOURCE) == Source::Indexed.code());
        let first = named(if sum { MODIFIER } else { SCALAR_A });
        let scalars = self.scalars.shown(first, named(SCALAR_B));
        let ended: [u16; SLOTS] = std::array::from_fn(|window| self.windows[window].ended);
        let any: Vec<bool> = (0..SLOTS)
            .map(|window| {
                let mut members = self.members.iter().enumerate();
                members.any(|(member, array)| Self::window_of(member % SLOTS, arrays) == window && array.tag_any)
            })
            .collect();
        let go = self.meetings(arrays);
        // A word of memory has its steps when all its windows have it, and it is its turn.
        let number = self.dispatcher.memory[1];
        let held: [bool; SLOTS] = std::array::from_fn(|window| self.windows[window].memory_meets(number).is_some());
        let entry = self.windows.iter().find_map(|window| window.memory_meets(number)).copied();
        let places = |entry: &Entry| [SLOT, DATA_SLOT].map(|field| entry.word.get(field) as usize);
        let entry = entry.filter(|entry| places(entry).iter().all(|&window| held[window]));
        let bad = self.dispatcher.fault.is_some();
        let asked = entry.and(if bad { Some(MemoryStep::End) } else { inputs.memory });
        let memory_of = |window: usize| {
            let [slot, data] = places(&entry?);
            let own = match asked? {
                MemoryStep::End => window == slot || window == data,
                MemoryStep::Address => window == slot,
                _ => window == data,
            };
            asked.filter(|_| own)
        };
        let memory: [Option<MemoryStep>; SLOTS] = std::array::from_fn(memory_of);
        let memory_end = entry
            .filter(|_| asked == Some(MemoryStep::End))
            .map(|entry| (inputs.memory_trap, entry.pc, entry.source() as u8));
        let runs: [Option<bool>; SLOTS] = std::array::from_fn(|window| self.windows[window].memory_port());
        let room = std::array::from_fn(|window| self.windows[window].words.ready());
        let idle = self.windows.iter().all(Window::idle);
        let tested = (0..SLOTS).find_map(|window| self.windows[window].answers().then(|| any[window]));
        let (pc, frontier) = (self.ring.at, self.ring.frontier());
        let refused = std::array::from_fn(|window| self.windows[window].refused);
        let (doing, code, stopped) = (self.dispatcher.doing, self.dispatcher.code, self.dispatcher.stopped);
        let done = self.dispatcher.step(&Seen {
            start: inputs.start,
            stop: inputs.stop && (entry.is_none() && !self.stepped || asked == Some(MemoryStep::End)),
            lockstep: inputs.lockstep,
            arrays: arrays as u64,
            word,
            trap: self.ring.trap().filter(|&trap| trap != 0),
            pc,
            frontier,
            scalar_busy: scalars.busy,
            values: scalars.values,
            room,
            ended,
            idle,
            tested,
            refused,
            memory_end,
        });
        if let Some(step) = asked {
            self.stepped = step != MemoryStep::End;
        }
        self.turns.step(done.push.map(|(entry, _)| entry.word), memory_end.is_some());
        let sources: Vec<Option<usize>> =
            (0..SLOTS).map(|window| self.windows[window].words.head().map(|entry| entry.source())).collect();
        let counted = number;
        let mut issues = vec![];
        for (number, window) in self.windows.iter_mut().enumerate() {
            let push = done.push.filter(|(_, windows)| windows >> number & 1 == 1).map(|(entry, _)| entry);
            let (start, go, tag_any, memory) = (inputs.start, go[number], any[number], memory[number]);
            let memory_ended = counted;
            issues.push(window.step(&WindowInputs { start, push, ended, go, memory, memory_ended, tag_any }));
        }
        let (mut memory_sent, mut memory_taken) = (false, false);
        for (member, array) in self.members.iter_mut().enumerate() {
            let window = Self::window_of(member % SLOTS, arrays);
            let mut row = self.sent[member].as_ref().unwrap_or(&self.nothing).clone();
            if runs[window] == Some(true) {
                // What threads keep that nothing comes for is the row that the array reads in this cycle.
                let kept = array.sensed();
                let from = inputs.memory_rows.as_ref().map(|rows| (&rows.data[member], &rows.places[member]));
                for (at, limb) in row.iter_mut().enumerate() {
                    let (data, place) = from.map_or((0, 0), |(data, places)| (data[at], places[at]));
                    *limb = data & place | kept[at] & !place;
                }
            }
            let effects = array.step(&issues[window], &row);
            memory_sent |= effects.stored && runs[window].is_some();
            memory_taken |= effects.loaded && runs[window] == Some(true);
        }
        for member in 0..self.members.len() {
            let (bank, own) = (member / SLOTS, member % SLOTS);
            // The others of its thread: a thread with two arrays has 0 and 1, or 2 and 3.
            let source = sources[Self::window_of(own, arrays.max(2))];
            let source = source.map(|source| if arrays == SLOTS { source } else { own & 2 | source });
            self.sent[member] = source.map(|source| self.members[SLOTS * bank + source].stored.clone());
        }
        let mut scalar = done.scalar.unwrap_or(ScalarInputs { a: first, ..ScalarInputs::default() });
        scalar.set = inputs.set;
        self.scalars.step(&scalar);
        // What is wrong with a word is found out as it is written.
        let written = inputs.write.and_then(|word| trap(&self.params, arrays as u64, self.ring.filled, Word(word)));
        let ring = RingInputs {
            restart: inputs.start,
            write: inputs.write,
            trap: written.map_or(0, |trap| trap as u8),
            step: done.step,
            away: done.away,
            open: done.open,
        };
        let ring = self.ring.step(&ring);
        BlockOutputs {
            ready: ring.ready,
            doorbell: ring.doorbell,
            memory: entry.filter(|_| !bad).map(|entry| (entry.word.0, entry.scalar)),
            memory_sent: memory_sent.then(|| self.members.iter().map(|member| member.stored.clone()).collect()),
            memory_taken,
            pc,
            frontier,
            tail: ring.tail,
            running: matches!(doing, Doing::Runs | Doing::Looks | Doing::Closing),
            finished: (doing == Doing::Finished).then_some(code),
            trapped: (doing == Doing::Trapped).then_some((code, stopped.0, stopped.1)),
        }
    }

    /// Windows in which a word of several begins: it is the oldest in all of them, and nothing runs there.
    fn meetings(&self, arrays: usize) -> [bool; SLOTS] {
        let in_use = (1 << arrays) - 1;
        let meets: Vec<Option<(u64, u64)>> = self.windows.iter().map(|window| window.meets(in_use)).collect();
        let mut go = [false; SLOTS];
        for (source, meeting) in meets.iter().enumerate() {
            let Some((_, targets)) = meeting.filter(|&(from, _)| from == source as u64) else { continue };
            let others: Vec<usize> = (0..SLOTS).filter(|window| targets >> window & 1 == 1).collect();
            if others.iter().all(|&other| meets[other].is_some_and(|(from, _)| from == source as u64)) {
                others.into_iter().chain([source]).for_each(|window| go[window] = true);
            }
        }
        go
    }

    /// A clock edge with the reset on has passed: memories keep their words.
    pub fn reset(&mut self) {
        self.ring.reset();
        self.dispatcher.reset();
        self.scalars.reset();
        self.windows.iter_mut().for_each(Window::reset);
        self.turns.reset();
        for member in &mut self.members {
            let mut array = ComputeArray::new(&self.array);
            std::mem::swap(&mut array.sram, &mut member.sram);
            array.latch.clone_from(&member.latch);
            *member = array;
        }
        self.sent.fill(Some(self.nothing.clone()));
        self.stepped = false;
    }

    /// Registers that are judged by what the control block does.
    pub fn judged(path: &str) -> bool {
        Window::judged(path) || path.starts_with("scalars.") && ScalarUnit::judged(path)
    }
}

state! {
    ControlBlock(self) {
        in ring = self.ring;
        in dispatcher = self.dispatcher;
        in scalars = self.scalars;
        in windows[] = &self.windows, (&self.array);
        in turns = self.turns;
        in members[] = &self.members, (&self.array);
        sent[] = &self.sent;
        self => stepped;
    }

    BlockInputs(self, members: usize) {
        self => start, stop, lockstep, arrays;
        write_valid = self.write.is_some();
        write_data = self.write.unwrap_or_default();
        put = self.set.is_some();
        put_number = self.set.map_or(0, |set| set.0);
        put_value = self.set.map_or(0, |set| set.1);
        memory_asks = self.memory.is_some();
        memory_step = self.memory.map(|step| step as u8);
        self => memory_trap;
        let rows = self.memory_rows.as_deref();
        memory_data[member in 0..members] = rows.map(|rows| &rows.data[member]);
        memory_where[member in 0..members] = rows.map(|rows| &rows.places[member]);
    }

    BlockOutputs(self, members: usize) {
        write_ready = self.ready;
        self => doorbell, pc, frontier, tail, running, memory_taken;
        memory_valid = self.memory.is_some();
        memory_word = self.memory.map(|memory| memory.0);
        memory_scalar = self.memory.and_then(|memory| memory.1);
        memory_sent = self.memory_sent.is_some();
        memory_rows[member in 0..members] = self.memory_sent.as_ref().map(|rows| &rows[member]);
        finished = self.finished.is_some();
        trapped = self.trapped.is_some();
        code = self.finished.or(self.trapped.map(|trapped| trapped.0));
        when (let Some(trapped) = self.trapped) {
            trap_pc = trapped.1;
            trap_slot = trapped.2;
        }
    }
}
