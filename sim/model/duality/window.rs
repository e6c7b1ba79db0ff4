//! Model of an issue window, from its contract: the words that wait, the steps of the oldest one, and the commands that
//! the sequencer has.
//!
//! What a compute word asks comes from the words' own description ([`Operations::shape`]), not from the hardware's way to
//! find it. Of words that may not run the model takes those whose command the array refuses.

use std::rc::Rc;

use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::Params;
use bitline_units::duality::isa::codes::{Kind, MaskOp, Predicate, Source};
use bitline_units::duality::isa::compute::{Operations, Shape};
use bitline_units::duality::isa::entry::{COUNT_BITS, entry};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{ACTIVE_ROW, LAUNCH_ROW, SLOTS};
use bitline_units::duality::passes::Pass;

use super::row_unit::{RowPass, RowUnit};
use super::rows::extend;
use crate::command_queue::Waiting;
use crate::compute_array::Issue;
use crate::queue::Queue;
use crate::sequencer::Sequencer;

/// A word that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The word.
    pub word: Word,
    /// What the scalar register holds that it names; nothing if nobody has written that.
    pub scalar: Option<u32>,
    /// Its number.
    pub pc: u32,
    /// Words that each window had got before it.
    pub before: [u16; SLOTS],
}

impl Entry {
    /// The array whose rows others get.
    pub fn source(&self) -> usize {
        self.word.get(SLOT) as usize
    }

    /// The word in which the hardware keeps it; a scalar register that was never written reads 0 here.
    pub fn pack(&self) -> [u64; entry::WIDTH.div_ceil(64)] {
        let mut bits = [0; entry::WIDTH.div_ceil(64)];
        let mut put = |lsb: usize, width: usize, value: u128| {
            for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                bits[(lsb + bit) / 64] |= 1 << ((lsb + bit) % 64);
            }
        };
        put(entry::WORD_LSB, entry::WORD_BITS, self.word.0);
        put(entry::SCALAR_LSB, entry::SCALAR_BITS, self.scalar.unwrap_or_default().into());
        put(entry::PC_LSB, entry::PC_WIDTH, self.pc.into());
        for (window, &count) in self.before.iter().enumerate() {
            put(entry::BEFORE_LSB + COUNT_BITS * window, COUNT_BITS, count.into());
        }
        bits
    }
}

/// What a window does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing: the next word has not begun.
    #[default]
    Ready,
    /// A compute word takes shape; so many cycles to go.
    Shapes(u8),
    /// The next of its steps waits for the arrays.
    Works,
    /// A pass runs.
    Runs,
    /// A command is offered to the sequencer.
    Offers,
    /// A command whose result is chosen runs.
    Drains,
    /// A word of several windows waits for the others.
    Meets,
    /// It has begun, and this window receives.
    Receives,
    /// The answer of a look at a row is on its way; so many cycles to go.
    Answers(u8),
}

/// A step of a word: a pass, with its place among those of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A pass; one of no rows is passed over.
    Pass(RowPass),
    /// The command.
    Command,
}

/// The window.
#[derive(Clone)]
pub struct Window {
    slot: u64,
    operations: Rc<Operations>,
    code: Rc<Microcode>,
    /// Words that wait.
    pub words: Queue<Entry>,
    /// Passes.
    pub rows: RowUnit,
    /// Commands.
    pub sequencer: Sequencer,
    /// What is done.
    pub state: State,
    /// Steps of the oldest word that are to come, the next one first.
    steps: Vec<Step>,
    /// Commands that the sequencer has.
    pub flying: u8,
    /// Words that have ended.
    pub ended: u16,
    /// The first command that was refused: why, and the number of its word.
    pub refused: Option<(u64, u32)>,
    /// The number of the word whose command came last.
    last_pc: u32,
    /// The command of the oldest word was refused.
    dropped: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowInputs {
    /// A program begins: a refusal is forgotten.
    pub start: bool,
    /// A word comes.
    pub push: Option<Entry>,
    /// Words that have ended, of each window.
    pub ended: [u16; SLOTS],
    /// A word of several windows begins.
    pub go: bool,
    /// Wired-OR of the tags, a cycle late.
    pub tag_any: bool,
}

impl Window {
    /// An idle window of this slot, with room for `depth` words.
    pub fn new(slot: usize, depth: usize, operations: Rc<Operations>, code: Rc<Microcode>) -> Window {
        let sequencer = Sequencer::new(operations.array());
        Window {
            slot: slot as u64,
            operations,
            code,
            words: Queue::new(depth),
            rows: RowUnit::default(),
            sequencer,
            state: State::Ready,
            steps: vec![],
            flying: 0,
            ended: 0,
            refused: None,
            last_pc: 0,
            dropped: false,
        }
    }

    /// Nothing runs on the arrays.
    fn free(&self) -> bool {
        self.sequencer.idle() && self.flying == 0 && !self.rows.busy()
    }

    /// Nothing waits or runs.
    pub fn idle(&self) -> bool {
        self.words.count == 0 && self.sequencer.idle() && self.flying == 0
    }

    /// A word of several windows that can begin: where rows come from, and the windows that get them, of those that the
    /// launch uses.
    pub fn meets(&self, in_use: u64) -> Option<(u64, u64)> {
        let word = self.words.head().filter(|_| self.state == State::Meets && self.free())?.word;
        let mask = word.get(KIND) == Kind::Mask.code();
        Some((word.get(SLOT), if mask { in_use & !(1 << self.slot) } else { word.get(TARGETS) }))
    }

    /// Whether the next word is held by words of other windows.
    pub fn waits(&self) -> bool {
        self.state == State::Meets && self.free()
    }

    /// Whether the answer of a look at a row is there.
    pub fn answers(&self) -> bool {
        self.state == State::Answers(0)
    }

    /// One clock edge. Returns what the arrays do.
    ///
    /// # Panics
    /// If a word is not legal.
    pub fn step(&mut self, inputs: &WindowInputs) -> Issue {
        let free = self.free();
        let busy = self.rows.busy();
        let mut issue = self.rows.issue();
        let (mut start, mut finished, mut popped, mut passed) = (None, false, false, false);
        let (before, flying) = (self.state, self.flying);
        let offered = match self.state {
            State::Offers => Some(Waiting::new(&self.command(), None)),
            _ => None,
        };
        let activity = self.sequencer.step(&self.code, offered.as_ref(), inputs.tag_any, true, true);
        if !busy {
            issue = activity.issue;
        }
        match self.state {
            State::Ready => self.begin(&inputs.ended),
            State::Shapes(0) => self.go_on(),
            State::Shapes(left) => self.state = State::Shapes(left - 1),
            State::Works => match self.steps.first() {
                Some(Step::Pass(pass)) if pass.count == 0 => passed = true,
                Some(&Step::Pass(pass)) if free => {
                    start = Some(pass);
                    self.state = State::Runs;
                }
                _ => {}
            },
            State::Runs => passed = !busy,
            State::Offers if activity.accepted => {
                self.steps.remove(0);
                popped = self.steps.is_empty();
                self.state = if popped { State::Ready } else { State::Drains };
            }
            State::Drains if free => {
                self.state = State::Works;
                finished = self.dropped;
            }
            State::Meets if inputs.go => {
                let word = self.head().word;
                let sends = word.get(SLOT) == self.slot;
                self.steps = shared(word, sends);
                self.state = if sends { State::Works } else { State::Receives };
            }
            State::Receives => self.state = State::Works,
            State::Answers(0) => finished = true,
            State::Answers(left) => self.state = State::Answers(left - 1),
            State::Offers | State::Drains | State::Meets => {}
        }
        if passed {
            self.steps.remove(0);
            let looks = self.head().word.get(KIND) == Kind::Jump.code();
            match self.steps.is_empty() {
                true if looks => self.state = State::Answers(1),
                true => finished = true,
                false => self.go_on(),
            }
        }
        if finished {
            self.state = State::Ready;
            self.steps.clear();
        }
        if inputs.start {
            self.refused = None;
        }
        let drained = before == State::Drains;
        if let Some(refusal) = activity.refusal {
            self.refused = self.refused.or(Some((refusal.code, self.last_pc)));
            self.dropped |= drained;
        }
        if before == State::Ready {
            self.dropped = false;
        }
        if activity.accepted {
            self.last_pc = self.head().pc;
        }
        self.rows.step(start);
        self.words.step(inputs.push, popped || finished);
        // The last row of a command is the end of its word, but for one whose result is still to be chosen: that is the
        // last command that the sequencer has.
        let counts = activity.last && !(drained && flying == 1);
        let lost = activity.refusal.is_some() && !drained;
        self.ended = self.ended.wrapping_add(u16::from(counts) + u16::from(lost) + u16::from(finished));
        self.flying += u8::from(activity.accepted);
        self.flying -= u8::from(activity.last) + u8::from(activity.refusal.is_some());
        issue
    }

    fn head(&self) -> &Entry {
        self.words.head().expect("there is a word in work")
    }

    fn shape(&self) -> Shape {
        self.operations.asked(self.head().word).unwrap_or_else(|illegal| panic!("{illegal}"))
    }

    /// The command of the oldest word. A factor is what the immediate or the scalar register says, as wide as the word.
    fn command(&self) -> Command {
        let Entry { word, scalar, .. } = *self.head();
        let mut command = self.shape().command;
        if command.opcode == Opcode::MulConst {
            let immediate = word.get(SOURCE) == Source::Immediate.code();
            let value = if immediate { word.get(IMMEDIATE) } else { scalar.expect("it was written").into() };
            let factor = extend(value, word.get(WIDTH_B) + 1, word.get(SIGN_B) == 1);
            command.key = extend(factor, word.get(WIDTH) + 1, false);
            // No operand b: the field goes along, and means nothing.
            command.b = word.get(B) as u16;
        }
        command
    }

    /// The next word begins, if it may.
    fn begin(&mut self, ended: &[u16; SLOTS]) {
        let Some(entry) = self.words.head() else { return };
        let waits = |window: &usize| entry.word.get(WAIT) >> window & 1 == 1;
        if (0..SLOTS).filter(waits).any(|window| (ended[window].wrapping_sub(entry.before[window]) as i16) < 0) {
            return;
        }
        let word = entry.word;
        match word.kind().expect("words are legal") {
            Kind::Compute => {
                self.steps = compute(word, entry.scalar, &self.shape());
                self.state = State::Shapes(4);
            }
            Kind::Move => self.state = State::Meets,
            Kind::Mask => match MaskOp::from_code(word.get(MASK_OP)).expect("words are legal") {
                MaskOp::Taken | MaskOp::Other => self.state = State::Meets,
                op => {
                    self.steps = alone(word, op);
                    self.state = State::Works;
                }
            },
            Kind::Jump => {
                let test = RowPass { from: row(word, A), extra: Some(LAUNCH_ROW as u16), ..one(Pass::Test) };
                self.steps = vec![Step::Pass(test)];
                self.state = State::Works;
            }
            Kind::Memory | Kind::Scalar | Kind::End => unreachable!("it is in no window"),
        }
    }

    /// The next step is looked at.
    fn go_on(&mut self) {
        self.state = if self.steps[0] == Step::Command { State::Offers } else { State::Works };
    }

    /// A clock edge with the reset on has passed: memories keep their words.
    pub fn reset(&mut self) {
        self.words.reset();
        let mut sequencer = Sequencer::new(self.operations.array());
        sequencer.setup.bases = self.sequencer.setup.bases;
        sequencer.setup.counts = self.sequencer.setup.counts;
        self.sequencer = sequencer;
        self.rows = RowUnit::default();
        (self.state, self.flying, self.ended) = (State::Ready, 0, 0);
        (self.refused, self.last_pc, self.dropped) = (None, 0, false);
        self.steps.clear();
    }

    /// Registers that are judged by what the window does.
    pub fn judged(path: &str) -> bool {
        let name = path.rsplit('.').next().unwrap_or(path);
        let own = ["state", "step", "timer", "cursor", "dropped", "command_pc"];
        path.contains(".shape.") || own.contains(&name)
    }
}

fn row(word: Word, field: Field) -> Option<u16> {
    Some(word.get(field) as u16)
}

/// A pass of one row.
fn one(pass: Pass) -> RowPass {
    RowPass { pass, count: 1, from: None, to: None, extra: None, value: 0 }
}

/// A source in scratch rows: rows that are 0, those that it has, and those by which it is extended.
struct Prepared {
    zeros: Option<u64>,
    own: u64,
    all: u64,
    place: u16,
    sign: bool,
}

impl Prepared {
    fn steps(&self, own: RowPass, negative: Option<bool>) -> Vec<Step> {
        let shift = self.zeros.unwrap_or(0);
        let copied = self.own.min(self.all - shift);
        let at = |behind: u64| Some(self.place + behind as u16);
        let rows = |count: u64, to: u64, pass: RowPass| Step::Pass(RowPass { count: count as u32, to: at(to), ..pass });
        let more = match negative {
            Some(negative) => RowPass { value: if negative { u64::MAX } else { 0 }, ..one(Pass::Constant) },
            None if self.sign => RowPass { extra: own.from.map(|from| from + copied as u16 - 1), ..one(Pass::Fill) },
            None => one(Pass::Constant),
        };
        let zeros = self.zeros.map(|zeros| rows(zeros, 0, one(Pass::Constant)));
        let others = [rows(copied, shift, own), rows(self.all - shift - copied, shift + copied, more)];
        zeros.into_iter().chain(others).collect()
    }
}

/// The steps of a compute word.
fn compute(word: Word, scalar: Option<u32>, shape: &Shape) -> Vec<Step> {
    let mut steps = vec![];
    let integers = word.get(FORMAT) == 0;
    if let Some(((from, own), all)) = shape.a {
        let zeros = if integers { word.get(MODIFIER) } else { 0 };
        if own != all || zeros != 0 {
            let copy = RowPass { from: Some(from as u16), ..one(Pass::Copy) };
            let (place, sign) = (shape.command.a, word.get(SIGN_A) == 1);
            steps.extend(Prepared { zeros: Some(zeros), own, all, place, sign }.steps(copy, None));
        }
    }
    if let Some(all) = shape.b_wanted.filter(|_| shape.command.opcode != Opcode::MulConst) {
        let place = shape.command.b;
        let sign = word.get(SIGN_B) == 1;
        match shape.b {
            Some((_, own)) if own == all => {}
            Some((from, own)) => {
                let copy = RowPass { from: Some(from as u16), ..one(Pass::Copy) };
                steps.extend(Prepared { zeros: None, own, all, place, sign }.steps(copy, None));
            }
            None => {
                let immediate = word.get(SOURCE) == Source::Immediate.code();
                let value = if immediate { word.get(IMMEDIATE) } else { scalar.expect("it was written").into() };
                let own = word.get(WIDTH_B) + 1;
                let negative = sign && value >> (own - 1) & 1 == 1;
                let constant = RowPass { value, ..one(Pass::Constant) };
                steps.extend(Prepared { zeros: None, own, all, place, sign }.steps(constant, Some(negative)));
            }
        }
    }
    steps.push(Step::Command);
    let chooser = match Predicate::from_code(word.get(PREDICATE)).expect("words are legal") {
        Predicate::All => return steps,
        Predicate::Active => (Pass::Choose, ACTIVE_ROW as u16),
        Predicate::Where => (Pass::Choose, word.get(E) as u16),
        Predicate::Unless => (Pass::ChooseOther, word.get(E) as u16),
    };
    let choose = |(place, to, rows): (u16, u64, u64)| {
        let pass = RowPass { from: Some(place), to: Some(to as u16), extra: Some(chooser.1), ..one(chooser.0) };
        Step::Pass(RowPass { count: rows as u32, ..pass })
    };
    // A second result that is chosen is not where the word names it.
    let second = shape.e.filter(|&(row, _)| u64::from(shape.command.e) != row).unwrap_or((0, 0));
    steps.push(choose((shape.command.d, shape.d.0, shape.d.1)));
    steps.push(choose((shape.command.e, second.0, second.1)));
    steps
}

/// The steps of a word of several windows.
fn shared(word: Word, sends: bool) -> Vec<Step> {
    if word.get(KIND) == Kind::Move.code() {
        let count = word.get(WIDTH) as u32 + 1;
        let pass = if sends {
            RowPass { count, from: row(word, A), ..one(Pass::Send) }
        } else {
            RowPass { count, to: row(word, D), ..one(Pass::Receive) }
        };
        return vec![Step::Pass(pass)];
    }
    let tag = if sends { RowPass { from: row(word, A), ..one(Pass::SendTag) } } else { one(Pass::ReceiveTag) };
    let taken = word.get(MASK_OP) == MaskOp::Taken.code();
    let pass = if taken { Pass::Taken } else { Pass::Other };
    vec![Step::Pass(tag), Step::Pass(merge(word, pass))]
}

/// The active mask goes to another row.
fn merge(word: Word, pass: Pass) -> RowPass {
    RowPass { to: row(word, D), extra: Some(ACTIVE_ROW as u16), ..one(pass) }
}

/// The steps of a mask word that looks at no row of another array.
fn alone(word: Word, op: MaskOp) -> Vec<Step> {
    let active = Some(ACTIVE_ROW as u16);
    let to_active = |from| RowPass { from, to: active, ..one(Pass::Copy) };
    let passes = match op {
        MaskOp::Open => vec![to_active(Some(LAUNCH_ROW as u16))],
        MaskOp::Enter => vec![to_active(row(word, A)), RowPass { to: row(word, A), ..one(Pass::Constant) }],
        MaskOp::Clear => vec![RowPass { to: row(word, D), ..one(Pass::Constant) }],
        MaskOp::Join | MaskOp::Taken | MaskOp::Other => vec![merge(word, Pass::Join)],
    };
    passes.into_iter().map(Step::Pass).collect()
}

state! {
    Window(self, params: &Params) {
        in words = self.words, (Entry::pack);
        in rows = self.rows;
        in sequencer = self.sequencer, (params, &self.code);
        self => flying;
        count = self.ended;
        bad = self.refused.is_some();
        bad_code = self.refused.map(|refused| refused.0);
        bad_pc = self.refused.map(|refused| refused.1);
    }
}
