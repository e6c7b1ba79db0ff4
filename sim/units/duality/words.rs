//! Random words that may run, and programs of them: loops, jumps over words, words that wait for anything.
//!
//! Rows from [`SCRATCH`] on are scratch rows and nothing else, so that all other rows can be compared with those of the
//! judge, which has no scratch rows.

use bitline_units::array::isa::format::{E5M2, F32, FORMATS, Format};
use bitline_units::array::isa::opcode::Conversion;
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Opcode, Set};
use bitline_units::duality::isa::codes::{Condition, Kind, MaskOp, MemoryOp, Predicate, ScalarOp, Source, Space, Trap};
use bitline_units::duality::isa::compute::{has, names_format};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::legal::Rules;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{DualityParams, MASK_ROWS, SLOTS};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Rows from here on are scratch.
pub const SCRATCH: u64 = 96;
/// Scalar registers from here on count loops.
const COUNTERS: u64 = 28;

/// Makes words.
pub struct Maker<'a> {
    /// The rules of the design, for a launch.
    pub rules: Rules,
    /// Arrays of a thread.
    pub arrays: u64,
    rows: u64,
    ring: usize,
    /// Threads of a bank, if a crossbar joins them.
    bank: Option<u64>,
    /// Bits of the widest integers.
    pub widest: u64,
    /// Randomness.
    pub rng: &'a mut ChaCha8Rng,
}

impl<'a> Maker<'a> {
    /// For a design, and a launch that gives each thread so many arrays.
    pub fn new(params: &DualityParams, arrays: usize, widest: u64, rng: &'a mut ChaCha8Rng) -> Maker<'a> {
        let rules = Rules::new(params, arrays);
        let bank = (params.crossbar > 0).then_some(params.columns as u64);
        Maker { rules, arrays: arrays as u64, rows: params.rows as u64, ring: params.ring, bank, widest, rng }
    }

    fn below(&mut self, most: u64) -> u64 {
        self.rng.random_range(0..most)
    }

    fn row(&mut self, count: u64) -> u64 {
        self.rng.random_range(MASK_ROWS..=SCRATCH - count.min(SCRATCH - MASK_ROWS))
    }

    fn any_row(&mut self) -> u64 {
        self.below(SCRATCH)
    }

    fn waits(&mut self) -> u64 {
        // The memory port is never busy here: waiting for it is legal.
        if self.below(3) == 0 {
            (self.below(1 << SLOTS) & ((1 << self.arrays) - 1)) | self.below(2) << SLOTS
        } else {
            0
        }
    }

    /// A compute word; it may break a rule.
    fn compute(&mut self) -> Word {
        // Functions have few formats, one of them only that of 32 bits.
        let fits = |opcode: Opcode| has(opcode) && (!opcode.is_function() || self.widest >= u64::from(F32.bits()));
        let choices: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|&opcode| fits(opcode)).collect();
        let opcode = choices[self.rng.random_range(0..choices.len())];
        let set = [Set::Fast, Set::Skip][self.rng.random_range(0..2)];
        let operation = self.rules.operations().operation(opcode, set);
        let float = opcode.is_float();
        let mut word = Word::new(Kind::Compute).with(OPCODE, opcode.code()).with(SET, set as u64);
        let n = if names_format(opcode) {
            let own: Vec<Format> = operation.own_formats().collect();
            let fits = |at: &usize| own.contains(&FORMATS[*at]) && u64::from(FORMATS[*at].bits()) <= self.widest;
            let fits: Vec<usize> = (0..FORMATS.len()).filter(fits).collect();
            let format = fits[self.rng.random_range(0..fits.len())];
            word = word.with(FORMAT, format as u64 + 1);
            FORMATS[format].bits().into()
        } else {
            let any = 1 + self.below(self.widest);
            [1, 2, 4, 8, 16, any, any][self.rng.random_range(0..7)].min(self.widest)
        };
        word = word.with(WIDTH, n - 1).with(D, self.row(n)).with(S, [0, SCRATCH][self.rng.random_range(0..2)]);
        let has_operand = |operand| operation.extent_of(operand).is_some();
        if float {
            word = word.with(MODIFIER, self.below(16));
        }
        if has_operand(Operand::A) {
            // Of a number of a format, all rows.
            let number = match opcode.conversion() {
                Some(Conversion::ToInteger(format)) => Some(format.bits()),
                Some(Conversion::FromInteger(_)) => None,
                None => opcode.source_format().map(Format::bits).or(float.then_some(n as u32)),
            };
            let rows = if self.below(2) == 0 { n } else { 1 + self.below(n) };
            let rows = if opcode == Opcode::Fill { 1 } else { number.map_or(rows, u64::from) };
            word = word.with(A, self.any_row()).with(WIDTH_A, rows - 1);
            if number.is_none() {
                word = word.with(SIGN_A, self.below(2));
            }
            if !float && self.below(3) == 0 {
                word = word.with(MODIFIER, self.below(n.min(32)));
            }
        }
        let amount = operation.second.is_some();
        if has_operand(Operand::B) || opcode == Opcode::MulConst {
            let most = if amount { 7 } else { n };
            let bits = if float || !amount && self.below(2) == 0 { n } else { 1 + self.below(most) };
            let source = match opcode {
                Opcode::MulConst => 1 + self.below(2),
                Opcode::DotU | Opcode::DotS => 0,
                _ => self.below(3),
            };
            let bits = if source > 0 { bits.min(32) } else { bits };
            word = word.with(WIDTH_B, bits - 1).with(SOURCE, source);
            let value = self.rng.random::<u32>();
            word = match Source::from_code(source) {
                Some(Source::Immediate) => word.with(IMMEDIATE, u64::from(value) & ((1 << bits) - 1)),
                Some(Source::Scalar) => word.with(B, self.below(32)),
                _ => word.with(B, self.any_row()),
            };
            word = if float { word } else { word.with(SIGN_B, self.below(2)) };
        }
        if matches!(opcode, Opcode::DotU | Opcode::DotS) {
            word = word.with(IMMEDIATE, 2 * n + self.below(20));
        }
        word = word.with(PREDICATE, self.below(4) * self.below(2));
        let chosen = matches!(Predicate::from_code(word.get(PREDICATE)), Some(Predicate::Where | Predicate::Unless));
        if has_operand(Operand::E) || chosen { word.with(E, self.row(n)) } else { word }
    }

    /// A word of a kind; it may break a rule.
    fn draw(&mut self, kind: Kind) -> Word {
        let word = match kind {
            Kind::Compute => self.compute(),
            Kind::Move => {
                let rows = 1 + self.below(16);
                let word = Word::new(kind).with(WIDTH, rows - 1).with(TARGETS, self.below(1 << SLOTS));
                word.with(A, self.below(SCRATCH + 1 - rows)).with(D, self.row(rows))
            }
            Kind::Scalar => {
                let op = ScalarOp::ALL[self.rng.random_range(0..ScalarOp::ALL.len())];
                let word = Word::new(kind).with(SCALAR_OP, op.code()).with(SCALAR_D, self.below(COUNTERS));
                let word = if op == ScalarOp::Set { word } else { word.with(SCALAR_A, self.below(32)) };
                let word = if op == ScalarOp::Select { word.with(SCALAR_C, self.below(32)) } else { word };
                if self.below(2) == 0 {
                    word.with(SCALAR_B, self.below(32))
                } else {
                    let value: u32 = self.rng.random::<u32>() >> self.below(32);
                    word.with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, value.into())
                }
            }
            _ => {
                let op = MaskOp::ALL[self.rng.random_range(0..MaskOp::ALL.len())];
                let predicate = matches!(op, MaskOp::Taken | MaskOp::Other);
                let word = Word::new(kind).with(MASK_OP, op.code());
                let word = if predicate || op == MaskOp::Enter { word.with(A, self.row(1)) } else { word };
                if matches!(op, MaskOp::Open | MaskOp::Enter) { word } else { word.with(D, self.row(1)) }
            }
        };
        let in_array = matches!(kind, Kind::Compute | Kind::Move)
            || kind == Kind::Mask
                && matches!(MaskOp::from_code(word.get(MASK_OP)), Some(MaskOp::Taken | MaskOp::Other));
        let word = if in_array { word.with(SLOT, self.below(self.arrays)) } else { word };
        word.with(WAIT, self.waits())
    }

    /// A word that may run: of a compute word, no operand is in scratch rows, and its scratch rows are there.
    pub fn word(&mut self) -> Word {
        let kinds = [Kind::Compute, Kind::Compute, Kind::Compute, Kind::Move, Kind::Scalar, Kind::Mask];
        loop {
            // Threads with one array have nothing to move.
            let kind = kinds[self.rng.random_range(0..kinds.len())];
            let word = self.draw(kind);
            if self.rules.check(word).is_err() {
                continue;
            }
            if kind != Kind::Compute {
                return word;
            }
            let shape = self.rules.shape(word).expect("it may run");
            let operands = [Some(shape.d), shape.a.map(|a| a.0), shape.b, shape.e];
            let outside = operands.into_iter().flatten().all(|(from, rows)| from + rows <= SCRATCH);
            if outside && shape.scratch <= self.rows - SCRATCH {
                return word;
            }
        }
    }

    /// A program of about so many words, with its end.
    pub fn program(&mut self, length: usize) -> Vec<Word> {
        let mut words = vec![];
        while words.len() < length {
            self.piece(&mut words, 0);
        }
        let code = self.below(256);
        words.push(Word::new(Kind::End).with(CODE, code).with(WAIT, self.waits()));
        words
    }

    /// A word of the crossbar that may not run, if there is one, now and then.
    fn bad_crossing(&mut self) -> Option<(Word, Trap)> {
        let threads = self.bank.filter(|_| self.rng.random())?;
        let word = Word::new(Kind::Memory).with(SPACE, Space::Bank.code()).with(D, 8);
        let most = u64::from(threads.ilog2());
        let choices = [
            (word.with(MEMORY_OP, MemoryOp::Store.code()), Trap::Code),
            (word.with(MEMORY_OP, MemoryOp::Exchange.code()), Trap::Code),
            (word.with(S, most + 1), Trap::Width),
            (word.with(S, most + 256).with(MEMORY_OP, MemoryOp::Xor.code()), Trap::Width),
            (word.with(S, most).with(D, 1), Trap::Rows),
            (word.with(DATA_SLOT, 3).with(D, 1), if self.arrays < SLOTS as u64 { Trap::Slot } else { Trap::Rows }),
        ];
        Some(choices[self.rng.random_range(0..choices.len())])
    }

    /// A word that may not run, and why the hardware stops before it.
    pub fn bad(&mut self, pc: usize) -> (Word, Trap) {
        if let Some(bad) = self.bad_crossing() {
            return bad;
        }
        let jump = |target: u64| Word::new(Kind::Jump).with(TARGET, target);
        let opcode = |opcode: Opcode| Word::new(Kind::Compute).with(OPCODE, opcode.code());
        // One bit, in rows that are there.
        let and = opcode(Opcode::And).with(D, SCRATCH - 1).with(A, 4).with(B, 6);
        let plus = opcode(Opcode::Add).with(WIDTH, 3).with(WIDTH_A, 1 + self.below(3)).with(WIDTH_B, 2);
        let plus = plus.with(SOURCE, 1 + self.below(2));
        let divide = opcode(Opcode::DivU).with(WIDTH, 3).with(WIDTH_A, 3).with(WIDTH_B, 3);
        let divide = divide.with(D, 9).with(A, 13).with(B, 17);
        let short = FORMATS.iter().position(|&format| format == E5M2).expect("it is one of them") as u64 + 1;
        let function = opcode(Opcode::FTanh).with(FORMAT, short).with(WIDTH, 7).with(WIDTH_A, 7);
        let foreign = self.arrays < SLOTS as u64;
        let last = self.rows - 1;
        let choices = [
            (Word(7), Trap::Kind),
            (jump(0).with(CONDITION, Condition::Always.code()).with(WIDTH, 9), Trap::Unused),
            (and.with(SLOT, 3), if foreign { Trap::Slot } else { Trap::Rows }),
            (and.with(WAIT, 8), if foreign { Trap::Slot } else { Trap::Rows }),
            (opcode(Opcode::Load).with(D, 8), Trap::Code),
            (opcode(Opcode::Zero), Trap::Rows),
            (and.with(D, last).with(WIDTH, 1).with(WIDTH_A, 1).with(WIDTH_B, 1), Trap::Rows),
            (and.with(D, 5).with(WIDTH, 3).with(WIDTH_A, 3).with(WIDTH_B, 3), Trap::Overlap),
            // Operations that are a pass.
            (plus.with(D, last).with(A, 4), Trap::Rows),
            (plus.with(D, 9).with(A, last), Trap::Rows),
            (plus.with(D, 5).with(A, 4), Trap::Overlap),
            (plus.with(D, 4).with(A, 5), Trap::Overlap),
            (plus.with(D, 9).with(A, last).with(OPCODE, Opcode::LtS.code()), Trap::Rows),
            // Scratch rows of its own: those of passes would be written before the command is looked at.
            (divide.with(S, last), Trap::Rows),
            (opcode(Opcode::Zero).with(SET, 3).with(D, 9), Trap::Missing),
            // A function of a format that it does not have; the array says so.
            (function.with(D, 9).with(A, 30).with(S, SCRATCH), Trap::Width),
            (Word::new(Kind::Move).with(D, 8), Trap::Slot),
            (Word::new(Kind::Move).with(D, 8).with(TARGETS, 1), Trap::Slot),
            (Word::new(Kind::Memory).with(D, 8).with(MEMORY_OP, 15), Trap::Code),
            (Word::new(Kind::Memory).with(D, 1), Trap::Rows),
            (Word::new(Kind::Scalar).with(SCALAR_OP, 31), Trap::Code),
            (Word::new(Kind::Scalar).with(SOURCE, 2), Trap::Code),
            (Word::new(Kind::Mask).with(MASK_OP, 7), Trap::Code),
            (Word::new(Kind::Mask).with(MASK_OP, MaskOp::Join.code()).with(D, 1), Trap::Rows),
            (Word::new(Kind::Mask).with(MASK_OP, MaskOp::Enter.code()), Trap::Rows),
            (Word::new(Kind::Mask).with(MASK_OP, MaskOp::Clear.code()).with(D, 256), Trap::Rows),
            (Word::new(Kind::Mask).with(MASK_OP, MaskOp::Enter.code()).with(A, 300), Trap::Rows),
            (jump(0).with(CONDITION, Condition::Any.code()).with(A, 256), Trap::Rows),
            (Word::new(Kind::Memory).with(D, last).with(WIDTH, 31), Trap::Rows),
            (opcode(Opcode::DivRemU).with(D, 9).with(A, 11).with(B, 13).with(E, 1).with(S, 20), Trap::Rows),
            (and.with(D, 9).with(S, 1).with(WIDTH, 3), Trap::Rows),
            (jump(0).with(CONDITION, 6), Trap::Code),
            (jump(1 << 20), Trap::Target),
            (jump(pc as u64 + 1).with(CONDITION, Condition::Loop.code()), Trap::Target),
            (jump((pc + self.ring) as u64 + 1).with(CONDITION, Condition::Loop.code()), Trap::Loop),
            (jump(pc as u64 - 1), Trap::Target),
        ];
        let (word, trap) = choices[self.rng.random_range(0..choices.len())];
        // Without other arrays to be told, a slot or a wait of a fourth is in order: something else is not.
        let fitting = if trap == Trap::Rows && !foreign && (word.get(SLOT) == 3 || word.get(WAIT) == 8) {
            word.with(D, 0)
        } else {
            word
        };
        (fitting, trap)
    }

    /// A word, a loop, or words that a jump may leave out.
    fn piece(&mut self, words: &mut Vec<Word>, depth: u64) {
        let jump = |condition: Condition, target: usize| {
            Word::new(Kind::Jump).with(CONDITION, condition.code()).with(TARGET, target as u64)
        };
        match self.below(8) {
            0 if depth < 2 => {
                let counter = COUNTERS + depth;
                let set = Word::new(Kind::Scalar).with(SCALAR_OP, ScalarOp::Set.code()).with(SCALAR_D, counter);
                let times = 1 + self.below(3);
                words.push(set.with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, times));
                let begin = words.len();
                words.push(Word::default());
                let most = if depth == 0 { self.ring - 4 } else { 6 };
                let length = 1 + self.rng.random_range(0..most / 2);
                while words.len() - begin < length {
                    self.piece(words, depth + 1);
                }
                let back = Word::new(Kind::Scalar).with(SCALAR_OP, ScalarOp::Sub.code()).with(SCALAR_D, counter);
                let back = back.with(SCALAR_A, counter).with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, 1);
                words.push(back);
                words.push(jump(Condition::NotZero, begin + 1).with(A, counter));
                let end = words.len();
                if end - begin > self.ring {
                    // Too long for the ring: its words run once.
                    words[begin] = Word::new(Kind::Mask).with(MASK_OP, MaskOp::Open.code());
                    words.truncate(end - 1);
                } else {
                    words[begin] = jump(Condition::Loop, end);
                }
            }
            1 => {
                let at = words.len();
                words.push(Word::default());
                for _ in 0..=self.below(3) {
                    let word = self.word();
                    words.push(word);
                }
                let target = words.len();
                let condition =
                    [Condition::Always, Condition::Zero, Condition::NotZero, Condition::Any, Condition::None];
                let condition = condition[self.rng.random_range(0..condition.len())];
                let word = jump(condition, target).with(WAIT, self.waits());
                words[at] = match condition {
                    Condition::Zero | Condition::NotZero => word.with(A, self.below(32)),
                    Condition::Any | Condition::None => {
                        word.with(SLOT, self.below(self.arrays)).with(A, self.any_row())
                    }
                    _ => word,
                };
            }
            _ => {
                let word = self.word();
                words.push(word);
            }
        }
    }
}
