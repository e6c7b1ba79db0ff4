//! How long words take, by the tables of micro-programs and passes, and when they begin: a clock that knows what the
//! schedule needs of the control block.
//!
//! The dispatcher hands words out in program order, one a cycle, as far as windows have room; a word begins when it is
//! the oldest of all its windows and nothing runs there. Commands are set up early, which is not counted. A word of
//! memory takes the time of its rows at the port; in a whole unit, that of the threads, one after the other, if all
//! lines are in the cache ways but one.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use bitline_model::duality::steps::{self, Step, looks, windows_of};
use bitline_model::float::questions;
use bitline_units::array::isa::assemble::assemble;
use bitline_units::array::isa::format::Mode;
use bitline_units::array::isa::operation::{Context, Variant};
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{Kind, MaskOp, MemoryOp, Predicate, Source, Space};
use bitline_units::duality::isa::compute::Operations;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::SLOTS;
use bitline_units::duality::passes::Pass;

/// Cycles of a word that computes besides its rows: until it has found them, or until the array is filled and drained.
const SHAPE: u64 = 6;
/// Cycles until windows have met, and from a step of a word of memory to its first row.
const MEET: u64 = 2;
const ASKED: u64 = 3;
/// Cycles for which a command waits for an answer of its columns, on block RAM.
const ANSWER: u64 = 8;
/// Cycles until a line is there that is not in the cache ways, and those of the memory unit's passes besides rows and
/// threads: of a look at the threads of a group, and of an access of them, to a cycle or two what its model has
/// (`bitline_model::duality::system`).
const MISS: u64 = 100;
const LOOK: u64 = 5;
const ACCESS: u64 = 7;
/// Cycles until a scalar register can be read, and those of an answer to a look at a row.
const SCALAR: u64 = 3;

/// Rows that a word takes from array to array. More have only results of which a word that is free to be in the same
/// array copies what is wanted.
pub(super) const MOST_MOVED: u64 = WIDTH.most() + 1;

/// Cycles of words on a design.
#[derive(Clone)]
pub struct Costs {
    operations: Operations,
    /// Of words that compute: schedules are tried with the same ones again and again.
    computing: RefCell<HashMap<Word, u64>>,
    /// Of commands that ask their columns.
    skipping: RefCell<HashMap<(Opcode, u8, u64), u64>>,
    /// Of moves, by rows.
    moves: OnceCell<Vec<Timed>>,
    /// Banks that share a port to memory.
    banks: u64,
    /// Turns that the crossbar takes for a row, if there is one.
    crossing: u64,
    /// Words that wait in a window.
    depth: usize,
    /// Groups of threads of a wave, and its threads, if words of memory take a turn for each.
    turns: Option<(u64, u64)>,
    /// The same without turns.
    alone: Option<Box<Costs>>,
}

impl Costs {
    /// Those of a design, with one port to memory for all banks.
    pub fn new(params: &DualityParams) -> Costs {
        let (computing, skipping, moves) = (RefCell::default(), RefCell::default(), OnceCell::new());
        let (operations, banks, depth) = (Operations::new(params), params.banks as u64, params.window);
        let crossing = (params.columns / params.crossbar.max(1)) as u64;
        Costs { operations, computing, skipping, moves, banks, crossing, depth, turns: None, alone: None }
    }

    /// Those in a whole unit, for waves of so many groups of threads and so many threads.
    pub fn with_turns(params: &DualityParams, groups: u64, threads: u64) -> Costs {
        Costs { turns: Some((groups, threads)), alone: Some(Box::new(Costs::new(params))), ..Costs::new(params) }
    }

    /// Those of a control block by itself in which every bank has a port to memory.
    pub fn with_port_a_bank(params: &DualityParams) -> Costs {
        Costs { banks: 1, ..Costs::new(params) }
    }

    /// Those on a control block by itself.
    pub fn alone(&self) -> &Costs {
        self.alone.as_deref().unwrap_or(self)
    }

    /// Cycles for which a word holds its windows; of a word that has none, those of the dispatcher.
    pub fn word(&self, word: Word) -> u64 {
        let Ok(kind) = word.kind() else { return 1 };
        match kind {
            Kind::Compute => *self.computing.borrow_mut().entry(word).or_insert_with(|| self.compute(word)),
            Kind::Move => Pass::Send.cycles(word.get(WIDTH) + 1) + MEET,
            Kind::Memory => self.memory(word),
            Kind::Mask => match MaskOp::from_code(word.get(MASK_OP)) {
                Some(MaskOp::Taken | MaskOp::Other) => Pass::SendTag.cycles(1) + Pass::Taken.cycles(1) + MEET,
                Some(op) => steps::passes(&steps::alone(word, op)),
                None => 1,
            },
            Kind::Jump if looks(word) => Pass::Test.cycles(1) + 1 + SCALAR,
            Kind::Scalar | Kind::Jump | Kind::End => 1,
        }
    }

    /// The same for clocks, which are asked far more often than words are made.
    pub fn timed(&self, word: Word) -> Timed {
        let kind = word.kind().unwrap_or(Kind::End);
        let named = matches!(kind, Kind::Compute | Kind::Memory) && word.get(SOURCE) == Source::Scalar.code()
            || kind == Kind::Memory && word.get(SOURCE) == Source::Indexed.code()
            || matches!(kind, Kind::Scalar | Kind::Jump) && !looks(word);
        Timed { kind, named, looks: looks(word), cycles: self.word(word) }
    }

    /// A move of so many rows.
    pub fn moved(&self, rows: u64) -> Timed {
        let all = || (1..=MOST_MOVED).map(|rows| self.timed(moved(rows))).collect();
        self.moves.get_or_init(all)[rows as usize - 1]
    }

    fn compute(&self, word: Word) -> u64 {
        let Ok(shape) = self.operations.asked(word) else { return 1 };
        let cycles = |step: &Step| match step {
            Step::Pass(pass) => pass.cycles(),
            Step::Command => {
                let set = Set::ALL.into_iter().find(|set| *set as u64 == word.get(SET)).unwrap_or(Set::Fast);
                let Command { opcode, width, second, key, .. } = shape.command;
                if set == Set::Skip && questions::asks(opcode) {
                    return self.skipping(&shape.command);
                }
                let operation = self.operations.operation(opcode, set);
                operation.cycles_with(width.into(), second.into(), key).max(1) as u64
            }
        };
        SHAPE + steps::compute(word, Some(0), &shape).iter().map(cycles).sum::<u64>()
    }

    /// Of a command that asks what its columns want, if they want nothing.
    fn skipping(&self, command: &Command) -> u64 {
        let (opcode, mode) = (command.opcode, Mode::of_key(command.key).key());
        let counted = || {
            let (n, m) = (command.width.into(), command.second.into());
            let context = Context::of(self.operations.array(), Set::Skip);
            let operation = self.operations.operation(opcode, Set::Skip);
            let applies = |variant: &&Variant| variant.applies_with(n, m, mode);
            let Some(variant) = operation.variants.iter().find(applies) else { return 1 };
            let answers = questions::answers(opcode, 0);
            let (rows, asked) = assemble(&variant.program, context).answered(n, m, answers);
            rows + ANSWER * asked
        };
        *self.skipping.borrow_mut().entry((opcode, command.width, mode)).or_insert_with(counted)
    }

    /// Rows of masks, addresses and data pass one by one, those of each bank after the other; then memory has them.
    fn memory(&self, word: Word) -> u64 {
        let data = word.get(WIDTH) + 1;
        let op = MemoryOp::from_code(word.get(MEMORY_OP)).unwrap_or(MemoryOp::Load);
        if word.crosses() {
            return self.turns.map_or(self.banks, |turns| turns.0) * self.crossing(word, op);
        }
        if let Some((groups, threads)) = self.turns.filter(|_| word.get(SPACE) != Space::Spill.code()) {
            // Every group is looked at, and asks for its lines; then each has its access, of loads all but the last.
            let addresses = if word.address_in_rows() { word.get(WIDTH_A) + 1 } else { 0 };
            let later = if op == MemoryOp::Load { groups - 1 } else { groups };
            let looks = groups * (addresses + LOOK) + threads;
            return MISS + looks + groups * data + later * ACCESS + threads * later / groups;
        }
        let steps = [
            (word.get(PREDICATE) != Predicate::All.code(), 1),
            (word.address_in_rows(), word.get(WIDTH_A) + 1),
            (op != MemoryOp::Load, data),
            (op == MemoryOp::Compare, data),
            (op != MemoryOp::Store, data),
        ];
        steps.iter().filter(|step| step.0).map(|step| step.1 * self.banks + ASKED).sum()
    }

    /// Rows of a group of threads pass to the crossbar and back; what it does meanwhile, and behind them.
    fn crossing(&self, word: Word, op: MemoryOp) -> u64 {
        let data = word.get(WIDTH) + 1;
        let shuffles = op == MemoryOp::Load;
        let turns = if self.crossing > 1 { self.crossing } else { 0 };
        let steps = [
            (true, 1),
            (shuffles, word.get(S) + turns),
            (word.address_in_rows(), word.get(WIDTH_A) + 1),
            (word.get(PREDICATE) != Predicate::All.code(), 1),
            (true, data),
            (shuffles, turns * data),
            (matches!(op, MemoryOp::MinU | MemoryOp::MinS | MemoryOp::MaxU | MemoryOp::MaxS), 2 * data),
            (true, data),
        ];
        steps.iter().filter(|step| step.0).map(|step| step.1 + ASKED).sum()
    }
}

/// What a clock asks of a word.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    pub kind: Kind,
    /// It waits for scalar registers.
    named: bool,
    /// The dispatcher waits for its answer.
    looks: bool,
    /// For how long it holds its windows.
    pub cycles: u64,
}

/// Numbers of windows.
fn of(windows: u64) -> impl Iterator<Item = usize> {
    (0..SLOTS).filter(move |window| windows >> window & 1 == 1)
}

/// What is on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// When each window has ended its words.
    pub free: [u64; SLOTS],
    /// When it has ended those that came last.
    ends: [[u64; 8]; SLOTS],
    /// When the port to memory has nothing to do.
    port: u64,
    /// When the last word has left the dispatcher.
    left: u64,
    /// When scalar registers can be read.
    scalars: u64,
}

impl Clock {
    /// A word comes; returns when it begins, and when it ends.
    pub fn push(&mut self, costs: &Costs, word: Word, arrays: u64) -> (u64, u64) {
        self.push_for(costs, costs.timed(word), windows_of(word, arrays))
    }

    /// The same of a word that is known, with these windows.
    pub fn push_for(&mut self, costs: &Costs, word: Timed, windows: u64) -> (u64, u64) {
        self.left = self.leaves(costs, word, windows);
        if windows == 0 {
            if word.kind == Kind::Scalar {
                self.scalars = self.left + SCALAR;
            }
            return (self.left, self.left);
        }
        let (begin, end) = self.holds(word, windows, self.left);
        for window in of(windows) {
            self.free[window] = end;
            self.ends[window].rotate_right(1);
            self.ends[window][0] = end;
        }
        if word.kind == Kind::Memory {
            self.port = end;
        }
        if word.looks {
            self.left = end;
        }
        (begin, end)
    }

    /// When a word would begin and end if it came now.
    pub fn times(&self, costs: &Costs, word: Timed, windows: u64) -> (u64, u64) {
        let left = self.leaves(costs, word, windows);
        if windows == 0 { (left, left) } else { self.holds(word, windows, left) }
    }

    /// When a word leaves the dispatcher.
    fn leaves(&self, costs: &Costs, word: Timed, windows: u64) -> u64 {
        let room = of(windows).map(|window| self.ends[window][costs.depth - 1]).max().unwrap_or(0);
        let left = (self.left + 1).max(room).max(if word.named { self.scalars } else { 0 });
        if word.kind == Kind::End { self.free.into_iter().fold(left, u64::max) } else { left }
    }

    /// Whether a word that begins then, as far as its windows are concerned, is there by then.
    pub fn leaves_by(&self, word: Timed, begin: u64) -> bool {
        begin > self.left && (!word.named || begin >= self.scalars)
    }

    /// When a word that has left the dispatcher holds its windows.
    fn holds(&self, word: Timed, windows: u64, left: u64) -> (u64, u64) {
        let begin = of(windows).map(|window| self.free[window]).fold(left, u64::max);
        let begin = begin.max(if word.kind == Kind::Memory { self.port } else { 0 });
        (begin, begin + word.cycles)
    }

    /// When everything has ended.
    pub fn end(&self) -> u64 {
        self.free.into_iter().fold(self.left, u64::max)
    }
}

/// A move of so many rows.
pub(super) fn moved(rows: u64) -> Word {
    Word::new(Kind::Move).with(WIDTH, rows - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_model::duality::system::Commands;
    use bitline_units::duality::isa::assemble::assemble as assembled;

    /// Words of one window follow each other, those of others do not wait, and a move meets both.
    #[test]
    fn windows_keep_their_order() {
        let params = DualityParams::preset("tiny").expect("a preset");
        let text = ".name k\n.arrays 2\n    fadd.f32 0:10:32 0:10:32 0:10:32 scratch=100\n    \
                    add 1:10:32 1:10:32 1:10:32\n    move 1:50:32 0:10:32\n    ld.global.32 0:60:32 [%0]\n    \
                    add 1:10:32 1:10:32 1:10:32\n    end 0\n";
        let program = assembled(text, "k.dcs", &params).expect("a program");
        let costs = Costs::new(&params);
        let mut clock = Clock::default();
        let times: Vec<(u64, u64)> = program.words.iter().map(|word| clock.push(&costs, *word, 2)).collect();
        assert!(times[1].1 < times[0].1, "{times:?}");
        assert_eq!(times[2].0, times[0].1);
        assert_eq!((times[3].0, times[4].0), (times[2].1, times[2].1));
        assert_eq!(times[5].0, times[3].1.max(times[4].1), "{times:?}");
        assert!(costs.word(program.words[0]) > 5 * costs.word(program.words[1]));
    }

    /// Commands that ask their columns take what the sequencer's model takes, if the columns want nothing.
    #[test]
    fn questions_take_what_the_sequencer_takes() {
        let params = DualityParams::preset("cb").expect("a preset");
        let text = ".name k\n.arrays 1\n    fmul.f32.skip 0:10:32 0:50:32 0:90:32 scratch=130\n    \
                    fdiv.f32.skip 0:10:32 0:50:32 0:90:32 scratch=130\n    \
                    fsqrt.f32.skip 0:10:32 0:50:32 scratch=130\n    \
                    ffma.f32.skip 0:10:32 0:50:32 0:90:32 0:122:32 scratch=154\n    end 0\n";
        let program = assembled(text, "k.dcs", &params).unwrap_or_else(|error| panic!("{error}"));
        let (costs, mut commands) = (Costs::new(&params), Commands::new(&params));
        for word in &program.words[..4] {
            let command = commands.operations.asked(*word).expect("it is legal").command;
            let taken = commands.cost(&command, questions::answers(command.opcode, 0)).behind;
            let counted = costs.skipping(&command);
            // Rows that wait for one just written are not counted.
            assert!(taken.abs_diff(counted) <= taken / 40, "{}: {taken}, {counted}", command.opcode);
            assert!(counted + 60 < commands.cost(&command, u8::MAX).behind, "{}", command.opcode);
        }
    }
}
