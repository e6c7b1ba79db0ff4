//! Model of the dispatcher, from its contract: which word leaves in which cycle, and where the program goes on.

use bitline_units::array::isa::Opcode;
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::duality::isa::codes::{Condition, Kind, MaskOp, MemoryOp, ScalarOp, Source, Space, Trap};
use bitline_units::duality::isa::compute::has;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{DualityParams, MASK_ROWS, MOST_INDEX, SLOTS};

use super::scalar_unit::ScalarInputs;
use super::window::Entry;

/// What the dispatcher does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// Nothing has run since the reset.
    #[default]
    Nothing,
    /// A program runs.
    Runs,
    /// It waits for the answer of a look at a row.
    Looks,
    /// A word may not run; what came before it ends.
    Closing,
    /// The program was stopped.
    Trapped,
    /// It has ended.
    Finished,
}

/// The dispatcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatcher {
    /// What it does.
    pub doing: Doing,
    /// Words that each window has got.
    pub issued: [u16; SLOTS],
    /// Words of memory that have left, and that have ended.
    pub memory: [u16; 2],
    /// The first that was not done: why, its number and its slot.
    pub fault: Option<(u8, u32, u8)>,
    /// Windows of the bundle, while it can be joined.
    pub bundle: Option<u64>,
    /// What the program ends with, or why it was stopped.
    pub code: u8,
    /// The word that may not run, and its slot.
    pub stopped: (u32, u8),
}

/// What it sees in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// A program begins.
    pub start: bool,
    /// The program that runs is to stop, and no word of memory has its steps.
    pub stop: bool,
    /// Words leave in bundles.
    pub lockstep: bool,
    /// Arrays of a thread.
    pub arrays: u64,
    /// The word that comes next.
    pub word: Option<Word>,
    /// Why it may not run, as was known when it was written.
    pub trap: Option<u8>,
    /// Its number.
    pub pc: u32,
    /// The oldest word that the ring keeps.
    pub frontier: u32,
    /// The scalar unit runs.
    pub scalar_busy: bool,
    /// What its registers hold that the word names as a and b.
    pub values: [Option<u32>; 2],
    /// Windows that have room.
    pub room: [bool; SLOTS],
    /// Words that have ended in each.
    pub ended: [u16; SLOTS],
    /// Nothing waits or runs in any.
    pub idle: bool,
    /// The answer of a look at a row.
    pub tested: Option<bool>,
    /// A word of memory ends: why it was not done, or 0; its number and its slot.
    pub memory_end: Option<(u8, u32, u8)>,
    /// Commands that were refused, in each window: why, and the number of the word.
    pub refused: [Option<(u64, u32)>; SLOTS],
}

/// What it does in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The word is done, or has left: the one that comes next.
    pub step: Option<u32>,
    /// A jump leads there.
    pub away: bool,
    /// It begins a loop that ends before this word.
    pub open: Option<u32>,
    /// The scalar unit begins.
    pub scalar: Option<ScalarInputs>,
    /// A word for windows, and which.
    pub push: Option<(Entry, u64)>,
}

impl Dispatcher {
    /// A program runs.
    pub fn running(&self) -> bool {
        matches!(self.doing, Doing::Runs | Doing::Looks | Doing::Closing)
    }

    /// One clock edge.
    pub fn step(&mut self, seen: &Seen) -> Done {
        let mut done = Done::default();
        let stops = seen.stop && self.fault.is_none() && matches!(self.doing, Doing::Runs | Doing::Looks);
        let pending = |window: usize| self.issued[window] != seen.ended[window];
        let quiet = seen.idle && !(0..SLOTS).any(pending);
        let refused = seen.refused.iter().enumerate().find_map(|(slot, refused)| refused.map(|found| (slot, found)));
        match (self.doing, seen.word) {
            (Doing::Runs, _) if refused.is_some() || self.fault.is_some() => self.doing = Doing::Closing,
            (Doing::Runs, Some(word)) => match seen.trap.or_else(|| lost(seen, word)) {
                Some(trap) => {
                    self.doing = Doing::Closing;
                    self.code = trap;
                    self.stopped = (seen.pc, word.get(SLOT) as u8);
                }
                None => self.dispatch(seen, word, quiet, &mut done),
            },
            (Doing::Looks, Some(word)) => {
                if let Some(any) = seen.tested {
                    let taken = any == (word.get(CONDITION) == Condition::Any.code());
                    done.step = Some(if taken { word.get(TARGET) as u32 } else { seen.pc + 1 });
                    done.away = taken;
                    self.doing = Doing::Runs;
                }
            }
            (Doing::Closing, _) if quiet => {
                self.doing = Doing::Trapped;
                // A word of memory that was not done, or a command that was refused, came before.
                if let Some((code, pc, slot)) = self.fault {
                    (self.code, self.stopped) = (code, (pc, slot));
                }
                if let Some((slot, (code, pc))) = refused {
                    self.stopped = (pc, slot as u8);
                    self.code = match code {
                        code if code == ErrorCode::Opcode as u64 => Trap::Missing,
                        code if code == ErrorCode::Rows as u64 => Trap::Rows,
                        code if code == ErrorCode::Overlap as u64 => Trap::Overlap,
                        _ => Trap::Width,
                    } as u8;
                }
            }
            _ => {}
        }
        if let Some(end) = seen.memory_end {
            self.memory[1] = self.memory[1].wrapping_add(1);
            self.fault = self.fault.or(Some(end).filter(|end| end.0 != 0));
        }
        if stops && self.fault.is_none() {
            self.fault = Some((Trap::Aborted as u8, done.step.unwrap_or(seen.pc), 0));
        }
        assert!(!seen.start || !self.running(), "a program begins while none runs");
        if seen.start {
            self.fault = None;
            self.doing = Doing::Runs;
            self.bundle = None;
        }
        done
    }

    /// A legal word leaves, if nothing holds it.
    fn dispatch(&mut self, seen: &Seen, word: Word, quiet: bool, done: &mut Done) {
        let kind = word.kind().expect("the word is legal");
        let condition = (kind == Kind::Jump).then(|| Condition::from_code(word.get(CONDITION)).expect("it is legal"));
        let slot = 1 << word.get(SLOT);
        let looks = matches!(condition, Some(Condition::Any | Condition::None));
        let windows: u64 = match kind {
            Kind::Compute => slot,
            Kind::Move => slot | word.get(TARGETS),
            Kind::Memory => slot | 1 << word.get(DATA_SLOT),
            Kind::Mask => (1 << seen.arrays) - 1,
            Kind::Jump if looks => slot,
            _ => 0,
        };
        let waits = word.get(WAIT) & ((1 << SLOTS) - 1);
        let of = |set: u64| (0..SLOTS).filter(move |window| set >> window & 1 == 1);
        let scalar = match kind {
            Kind::Scalar => true,
            Kind::Compute => word.get(SOURCE) == Source::Scalar.code(),
            Kind::Memory => word.get(SOURCE) >= Source::Scalar.code(),
            _ => matches!(condition, Some(Condition::Zero | Condition::NotZero)),
        };
        let joins = kind == Kind::Compute && waits == 0 && self.bundle.is_some_and(|used| used & slot == 0);
        let held = (seen.lockstep && !quiet && !joins)
            || (scalar && seen.scalar_busy)
            || match (windows, kind) {
                (0, Kind::End) => !quiet,
                (0, _) => {
                    let memory = word.get(WAIT) >> SLOTS == 1 && self.memory[0] != self.memory[1];
                    memory || of(waits).any(|window| self.issued[window] != seen.ended[window])
                }
                _ => of(windows).any(|window| !seen.room[window]),
            };
        if held {
            return;
        }
        if windows != 0 {
            let memory = kind == Kind::Memory;
            let scalar = seen.values[usize::from(!memory)];
            // Of what it waits for, it takes along what has not ended.
            let late = of(waits).filter(|&window| self.issued[window] != seen.ended[window]);
            let memory_late = word.get(WAIT) >> SLOTS & u64::from(self.memory[0] != self.memory[1]);
            let word = word.with(WAIT, late.fold(memory_late << SLOTS, |set, window| set | 1 << window));
            let entry = Entry { word, scalar, pc: seen.pc, before: self.issued, memory: self.memory[0] };
            done.push = Some((entry, windows));
            self.memory[0] = self.memory[0].wrapping_add(memory.into());
            of(windows).for_each(|window| self.issued[window] = self.issued[window].wrapping_add(1));
        }
        let joined = self.bundle.filter(|_| joins && !quiet).unwrap_or(0);
        self.bundle = (kind == Kind::Compute).then_some(joined | slot);
        if looks {
            self.doing = Doing::Looks;
            return;
        }
        if kind == Kind::End {
            self.doing = Doing::Finished;
            self.code = word.get(CODE) as u8;
            return;
        }
        if kind == Kind::Scalar {
            let number = |field: Field| word.get(field) as u8;
            let immediate = (word.get(SOURCE) == Source::Immediate.code()).then(|| word.get(IMMEDIATE) as u32);
            let (d, a, b, c) = (number(SCALAR_D), number(SCALAR_A), number(SCALAR_B), number(SCALAR_C));
            done.scalar =
                Some(ScalarInputs { start: true, operation: number(SCALAR_OP), d, a, b, c, immediate, set: None });
        }
        let a = || seen.values[0].expect("the register was written");
        let taken = match condition {
            Some(Condition::Always) => true,
            Some(Condition::Zero) => a() == 0,
            Some(Condition::NotZero) => a() != 0,
            _ => false,
        };
        let target = word.get(TARGET) as u32;
        done.step = Some(if taken { target } else { seen.pc + 1 });
        done.away = taken;
        done.open = (condition == Some(Condition::Loop)).then_some(target);
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = Dispatcher::default();
    }
}

/// Why it stops before a jump that is legal otherwise: the ring does not hold what it leads to any more.
fn lost(seen: &Seen, word: Word) -> Option<u8> {
    let jumps = word.get(KIND) == Kind::Jump.code() && word.get(CONDITION) != Condition::Loop.code();
    (jumps && word.get(TARGET) < u64::from(seen.frontier)).then_some(Trap::Target as u8)
}

/// Why a word with this number may not run in threads of so many arrays, as far as that is known when it is written.
pub fn trap(params: &DualityParams, arrays: u64, pc: u32, word: Word) -> Option<Trap> {
    let kind = match word.kind() {
        Ok(kind) => kind,
        Err(illegal) => return Some(illegal.code),
    };
    let rows = params.rows as u64;
    let condition = (kind == Kind::Jump).then(|| word.get(CONDITION));
    let looks = condition.is_some_and(|code| code == Condition::Any.code() || code == Condition::None.code());
    let in_array = matches!(kind, Kind::Compute | Kind::Move | Kind::Memory | Kind::Mask) || looks;
    let waits = word.get(WAIT) & ((1 << SLOTS) - 1);
    if in_array && word.get(SLOT) >= arrays || waits >> arrays != 0 {
        return Some(Trap::Slot);
    }
    let masks = |row: u64| (row < MASK_ROWS).then_some(Trap::Rows);
    match kind {
        Kind::Compute => {
            let known = Opcode::from_code(word.get(OPCODE)).is_some_and(|op| has(op) && params.array().knows(op));
            let set = params.sets.iter().any(|&set| set as u64 == word.get(SET));
            if !known {
                return Some(Trap::Code);
            }
            if !set {
                return Some(Trap::Missing);
            }
            // Results of both kinds, and scratch rows that begin among the masks.
            let second = matches!(Opcode::from_code(word.get(OPCODE)), Some(Opcode::DivRemU | Opcode::DivRemS));
            let scratch = (word.get(S) == MASK_ROWS - 1).then_some(Trap::Rows);
            masks(word.get(D)).or(second.then(|| masks(word.get(E))).flatten()).or(scratch)
        }
        Kind::Move => {
            let targets = word.get(TARGETS);
            if targets == 0 || targets >> arrays != 0 || targets >> word.get(SLOT) & 1 == 1 {
                return Some(Trap::Slot);
            }
            let count = word.get(WIDTH) + 1;
            let beyond = word.get(A) + count > rows || word.get(D) + count > rows;
            if beyond { Some(Trap::Rows) } else { masks(word.get(D)) }
        }
        Kind::Memory => {
            if word.get(DATA_SLOT) >= arrays {
                return Some(Trap::Slot);
            }
            let (op, space) = (MemoryOp::from_code(word.get(MEMORY_OP)), Space::from_code(word.get(SPACE)));
            let known = match space {
                None => false,
                Some(Space::Bank) => {
                    let crosses = op.is_some_and(|op| op == MemoryOp::Load || op.reduces());
                    params.crossbar > 0 && crosses
                }
                Some(_) => op.is_some(),
            };
            if !known {
                return Some(Trap::Code);
            }
            if space == Some(Space::Bank) && 1u128 << word.get(S).min(64) > params.columns as u128 {
                return Some(Trap::Width);
            }
            if word.get(MEMORY_OP) == MemoryOp::Store.code() {
                return None;
            }
            let beyond = word.get(D) + word.get(WIDTH) + 1 > rows;
            if beyond { Some(Trap::Rows) } else { masks(word.get(D)) }
        }
        Kind::Scalar => {
            let known = ScalarOp::from_code(word.get(SCALAR_OP)).is_some();
            (!known || word.get(SOURCE) > Source::Immediate.code()).then_some(Trap::Code)
        }
        Kind::Mask => match MaskOp::from_code(word.get(MASK_OP)) {
            None => Some(Trap::Code),
            Some(op) if word.get(A) >= rows || op != MaskOp::Enter && word.get(D) >= rows => Some(Trap::Rows),
            Some(MaskOp::Open) => None,
            Some(MaskOp::Enter) => masks(word.get(A)),
            Some(_) => masks(word.get(D)),
        },
        Kind::Jump => {
            let (target, pc) = (word.get(TARGET), u64::from(pc));
            match Condition::from_code(word.get(CONDITION)) {
                None => Some(Trap::Code),
                Some(_) if looks && word.get(A) >= rows => Some(Trap::Rows),
                Some(_) if target > MOST_INDEX => Some(Trap::Target),
                Some(Condition::Loop) if target <= pc + 1 => Some(Trap::Target),
                Some(Condition::Loop) => (target - pc > params.ring as u64).then_some(Trap::Loop),
                Some(_) => None,
            }
        }
        Kind::End => None,
    }
}

state! {
    Dispatcher(self) {
        state = match self.doing {
            Doing::Nothing => 0,
            Doing::Runs => 1,
            Doing::Looks => 2,
            Doing::Closing => 3,
            Doing::Trapped => 4,
            Doing::Finished => 5u8,
        };
        issued[] = self.issued;
        memory_issued = self.memory[0];
        memory_ended = self.memory[1];
        fault = self.fault.map_or(0, |fault| fault.0);
        when (let Some(fault) = self.fault) {
            fault_pc = fault.1;
            fault_slot = fault.2;
        }
        when (let Some(used) = self.bundle) {
            used = used;
        }
        bundle = self.bundle.is_some();
        result = self.code;
        when (self.doing == Doing::Trapped) {
            stopped_at = self.stopped.0;
            stopped_slot = self.stopped.1;
        }
    }
}
