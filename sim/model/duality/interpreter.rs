//! The judge: runs a program for a grid of threads, word by word, thread by thread.

use bitline_units::array::isa::Opcode;
use bitline_units::array::isa::format::FORMATS;
use bitline_units::array::isa::opcode::Conversion;
use bitline_units::duality::isa::codes::*;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::legal::Rules;
use bitline_units::duality::isa::{Program, Word};
use bitline_units::duality::params::{ACTIVE_ROW, DualityParams, LAUNCH_ROW, SCALARS, SLOTS};
use bitline_units::error::Result as Checked;

use super::launch::{Launch, Outcome, Stop};
use super::memory::FlatMemory;
use super::rows::{Rows, extend};
use super::scalar;
use super::watch::{Computed, Nobody, Watch};
use crate::arith::{Inputs, evaluate};

/// Runs a program; `seed` fills the rows, `limit` is how many words may be executed.
///
/// # Errors
/// [`bitline_units::error::Error::Parameter`] for a launch that cannot be; what stopped the program is inside.
pub fn run(
    params: &DualityParams,
    program: &Program,
    launch: &Launch,
    memory: &mut FlatMemory,
    seed: u64,
    limit: u64,
) -> Checked<Result<Outcome, Stop>> {
    run_watched(params, program, launch, memory, [seed, limit], &mut Nobody)
}

/// The same, while somebody looks on.
///
/// # Errors
/// As [`run`].
pub fn run_watched(
    params: &DualityParams,
    program: &Program,
    launch: &Launch,
    memory: &mut FlatMemory,
    [seed, limit]: [u64; 2],
    watch: &mut dyn Watch,
) -> Checked<Result<Outcome, Stop>> {
    DualityParams::check_arrays(program.arrays)?;
    launch.check(params, program.arrays)?;
    let threads = params.threads(program.arrays);
    let rules = Rules::new(params, program.arrays);
    let mut judge = Judge {
        rows: Rows::new(threads, program.arrays, seed),
        legal: program.words.iter().map(|&word| rules.check(word).map_err(|illegal| illegal.code)).collect(),
        words: &program.words,
        arrays: program.arrays as u64,
        launch,
        memory,
        scalars: [0; SCALARS],
        cta: vec![None; threads],
        outcome: Outcome::default(),
        limit,
        watch,
    };
    let total = launch.ctas();
    let at_once = threads as u64 / launch.cta();
    for first in (0..total).step_by(at_once as usize) {
        if let Some(seed) = judge.watch.wave() {
            judge.rows = Rows::new(threads, program.arrays, seed);
        }
        judge.fill(program, first);
        if let Err(stop) = judge.wave() {
            return Ok(Err(stop));
        }
    }
    Ok(Ok(judge.outcome))
}

/// Runs a program once on rows that hold something, without memory: in threads whose place in `there` is true. Returns
/// the code with which it ended, and leaves rows and scalar registers as the program has.
///
/// # Errors
/// What stopped the program.
pub fn execute(
    params: &DualityParams,
    program: &Program,
    rows: &mut Rows,
    there: &[bool],
    scalars: &mut [u32; SCALARS],
    limit: u64,
) -> Result<u64, Stop> {
    let rules = Rules::new(params, program.arrays);
    let mut judge = Judge {
        rows: std::mem::replace(rows, Rows::new(0, program.arrays, 0)),
        legal: program.words.iter().map(|&word| rules.check(word).map_err(|illegal| illegal.code)).collect(),
        words: &program.words,
        arrays: program.arrays as u64,
        launch: &Launch::default(),
        memory: &mut FlatMemory::default(),
        scalars: *scalars,
        cta: there.iter().map(|there| there.then_some(0)).collect(),
        outcome: Outcome::default(),
        limit,
        watch: &mut Nobody,
    };
    let stopped = judge.wave();
    (*rows, *scalars) = (judge.rows, judge.scalars);
    stopped.map(|()| judge.outcome.code)
}

/// One word of memory in all threads that take part: `cta` has the place of each thread's CTA, if there is a thread,
/// and `scalar` is what the scalar register holds that the word names.
///
/// # Errors
/// Trap, thread and address of the first access that may not be; then nothing is written.
pub fn access(
    word: Word,
    launch: &Launch,
    cta: &[Option<u32>],
    rows: &mut Rows,
    scalar: u32,
    memory: &mut FlatMemory,
) -> Result<u64, Refused> {
    let mut judge = Judge {
        rows: std::mem::replace(rows, Rows::new(0, 1, 0)),
        legal: vec![],
        words: &[],
        arrays: SLOTS as u64,
        launch,
        memory,
        scalars: [scalar; SCALARS],
        cta: cta.to_vec(),
        outcome: Outcome::default(),
        limit: 0,
        watch: &mut Nobody,
    };
    let done = judge.memory(word);
    *rows = judge.rows;
    done.map(|()| judge.outcome.accesses)
}

/// What a launch puts into a control block that it fills with CTAs from number `first` on: for each thread the place of
/// its CTA, if there is a thread, and the values of the program's special registers.
pub fn filling(program: &Program, launch: &Launch, threads: usize, first: u64) -> Vec<Option<(u32, Vec<u64>)>> {
    let total = launch.ctas();
    let size = launch.cta();
    let ([x, y, _], [nx, ny, _]) = (launch.grid.map(u64::from), launch.block.map(u64::from));
    let thread = |thread: usize| {
        let (place, within) = (thread as u64 / size, thread as u64 % size);
        let number = first + place;
        let there = number < total && (place + 1) * size <= threads as u64;
        let value = |special| match special {
            Special::TidX => within % nx,
            Special::TidY => within / nx % ny,
            Special::TidZ => within / nx / ny,
            Special::CtaX => number % x,
            Special::CtaY => number / x % y,
            Special::CtaZ => number / x / y,
            Special::Thread => thread as u64,
        };
        there.then(|| (place as u32, program.specials.iter().map(|&(special, ..)| value(special)).collect()))
    };
    (0..threads).map(thread).collect()
}

/// A run.
pub(super) struct Judge<'a> {
    pub(super) rows: Rows,
    words: &'a [Word],
    legal: Vec<Result<Kind, Trap>>,
    pub(super) arrays: u64,
    pub(super) launch: &'a Launch,
    pub(super) memory: &'a mut FlatMemory,
    pub(super) scalars: [u32; SCALARS],
    /// The place of each thread's CTA in the control block, if there is a thread.
    pub(super) cta: Vec<Option<u32>>,
    pub(super) outcome: Outcome,
    limit: u64,
    pub(super) watch: &'a mut dyn Watch,
}

/// Why a word cannot be done: trap, thread, address.
pub type Refused = (Trap, Option<usize>, Option<u32>);

impl Judge<'_> {
    /// Fills the control block with CTAs from this number on: masks, special registers, parameters.
    fn fill(&mut self, program: &Program, first: u64) {
        for (thread, found) in filling(program, self.launch, self.cta.len(), first).into_iter().enumerate() {
            self.cta[thread] = found.as_ref().map(|found| found.0);
            self.outcome.threads += u64::from(found.is_some());
            for slot in 0..self.arrays {
                for row in [LAUNCH_ROW, ACTIVE_ROW] {
                    self.rows.set(thread, slot, row, 1, found.is_some().into());
                }
            }
            let values = found.into_iter().flat_map(|found| found.1);
            for (&(_, slot, row, rows), value) in program.specials.iter().zip(values) {
                self.rows.set(thread, slot, row, rows, value.into());
            }
        }
        self.scalars = [0; SCALARS];
        self.scalars[..self.launch.parameters.len()].copy_from_slice(&self.launch.parameters);
        self.outcome.waves += 1;
    }

    /// Runs the program once.
    fn wave(&mut self) -> Result<(), Stop> {
        let mut pc = 0;
        loop {
            let stop = |trap, thread, address| Stop { trap, pc, thread, address };
            let Some(&word) = self.words.get(pc) else { return Err(stop(Some(Trap::PastEnd), None, None)) };
            let kind = self.legal[pc].map_err(|trap| stop(Some(trap), None, None))?;
            if self.limit == 0 {
                return Err(stop(None, None, None));
            }
            self.limit -= 1;
            self.watch.word(pc, &self.scalars);
            let mut next = pc + 1;
            match kind {
                Kind::Compute => self.compute(word),
                Kind::Move => self.moved(word),
                Kind::Memory => self.memory(word).map_err(|(trap, thread, at)| stop(Some(trap), thread, at))?,
                Kind::Scalar => self.scalar(word),
                Kind::Mask => self.mask(word),
                Kind::Jump => next = self.jump(word, next),
                Kind::End => {
                    self.outcome.words[kind as usize] += 1;
                    self.end(word);
                    return Ok(());
                }
            }
            self.outcome.words[kind as usize] += 1;
            pc = next;
        }
    }

    pub(super) fn threads(&self) -> std::ops::Range<usize> {
        0..self.cta.len()
    }

    /// Whether a thread takes part in a word that writes an array.
    pub(super) fn chosen(&self, word: Word, slot: u64, thread: usize) -> bool {
        match Predicate::from_code(word.get(PREDICATE)) {
            Some(Predicate::Active) => self.rows.bit(thread, slot, ACTIVE_ROW),
            Some(Predicate::Where) => self.rows.bit(thread, slot, word.get(E)),
            Some(Predicate::Unless) => !self.rows.bit(thread, slot, word.get(E)),
            _ => true,
        }
    }

    fn compute(&mut self, word: Word) {
        let op = Opcode::from_code(word.get(OPCODE)).expect("the word is legal");
        let slot = word.get(SLOT);
        let (bits, bits_a, bits_b) = (word.get(WIDTH) + 1, word.get(WIDTH_A) + 1, word.get(WIDTH_B) + 1);
        let amount = matches!(op, Opcode::Shl | Opcode::Shr | Opcode::Sar | Opcode::Rotl | Opcode::Rotr);
        let accumulates = matches!(op, Opcode::DotU | Opcode::DotS);
        let (n, m, shift, mode) = match (word.get(FORMAT) as usize).checked_sub(1) {
            Some(format) => (FORMATS[format].n().into(), FORMATS[format].m().into(), 0, word.get(MODIFIER)),
            None if op.is_float() => (bits as u32, 0, 0, word.get(MODIFIER)),
            None if accumulates => (bits as u32, word.get(IMMEDIATE) as u32, word.get(MODIFIER), 0),
            None => (bits as u32, if amount { bits_b as u32 } else { 0 }, word.get(MODIFIER), 0),
        };
        let taken_a = match (op.conversion(), op.source_format()) {
            (Some(Conversion::ToInteger(format)), _) | (_, Some(format)) => format.bits().into(),
            _ if op == Opcode::Fill => 1,
            _ => bits,
        };
        let taken_b = if amount { bits_b } else { bits };
        let common = match Source::from_code(word.get(SOURCE)) {
            Some(Source::Immediate) => Some(word.get(IMMEDIATE)),
            Some(Source::Scalar) => Some(self.scalars[word.get(B) as usize].into()),
            _ => None,
        };
        let low = |value: u64, bits: u64| extend(value, bits, false);
        let told = self.watch.computes(Computed { op, n, m });
        for thread in self.threads() {
            let a = self.rows.get(thread, slot, word.get(A), bits_a) as u64;
            let a = low(extend(a, bits_a, word.get(SIGN_A) == 1) << shift, taken_a);
            let b = common.unwrap_or_else(|| self.rows.get(thread, slot, word.get(B), bits_b) as u64);
            let b = low(extend(b, bits_b, word.get(SIGN_B) == 1), taken_b);
            let d = if accumulates { self.rows.get(thread, slot, word.get(D), m.into()) } else { 0 };
            let e = self.rows.get(thread, slot, word.get(E), if op == Opcode::FFma { bits } else { 1 }) as u64;
            let key = if op == Opcode::MulConst { b } else { mode };
            let chosen = self.chosen(word, slot, thread);
            let inputs = Inputs { a, b, d, e, tag: false };
            if told {
                self.watch.inputs(inputs);
            }
            let outputs = evaluate(op, n, m, key, inputs);
            for (field, output) in [(D, outputs.d), (E, outputs.e)] {
                if let Some((value, rows)) = output.filter(|_| chosen) {
                    self.rows.set(thread, slot, word.get(field), rows.into(), value);
                }
            }
        }
    }

    fn moved(&mut self, word: Word) {
        let rows = word.get(WIDTH) + 1;
        for thread in self.threads() {
            let value = self.rows.get(thread, word.get(SLOT), word.get(A), rows);
            for slot in (0..self.arrays).filter(|slot| word.get(TARGETS) >> slot & 1 == 1) {
                self.rows.set(thread, slot, word.get(D), rows, value);
            }
        }
    }

    fn scalar(&mut self, word: Word) {
        let op = ScalarOp::from_code(word.get(SCALAR_OP)).expect("the word is legal");
        let register = |field: Field| self.scalars[word.get(field) as usize];
        let immediate = word.get(SOURCE) == Source::Immediate.code();
        let b = if immediate { word.get(IMMEDIATE) as u32 } else { register(SCALAR_B) };
        self.scalars[word.get(SCALAR_D) as usize] = scalar::evaluate(op, register(SCALAR_A), b, register(SCALAR_C));
    }

    fn mask(&mut self, word: Word) {
        let op = MaskOp::from_code(word.get(MASK_OP)).expect("the word is legal");
        for thread in self.threads() {
            let predicate = self.rows.bit(thread, word.get(SLOT), word.get(A));
            for slot in 0..self.arrays {
                let bit = |row: u64| self.rows.bit(thread, slot, row);
                let (active, target, given) = (bit(ACTIVE_ROW), bit(word.get(D)), bit(word.get(A)));
                let mut put = |row: u64, bit: bool| self.rows.set(thread, slot, row, 1, bit.into());
                match op {
                    MaskOp::Open => put(ACTIVE_ROW, self.cta[thread].is_some()),
                    MaskOp::Enter => {
                        put(ACTIVE_ROW, given);
                        put(word.get(A), false);
                    }
                    MaskOp::Taken => put(word.get(D), target || active && predicate),
                    MaskOp::Other => put(word.get(D), target || active && !predicate),
                    MaskOp::Join => put(word.get(D), target || active),
                    MaskOp::Clear => put(word.get(D), false),
                }
            }
        }
    }

    /// Whether a row holds 1 in some thread that exists.
    fn any(&self, slot: u64, row: u64) -> bool {
        self.threads().any(|thread| self.cta[thread].is_some() && self.rows.bit(thread, slot, row))
    }

    fn jump(&self, word: Word, next: usize) -> usize {
        let register = self.scalars[word.get(A) as usize % SCALARS];
        let taken = match Condition::from_code(word.get(CONDITION)).expect("the word is legal") {
            Condition::Always => true,
            Condition::Zero => register == 0,
            Condition::NotZero => register != 0,
            Condition::Any => self.any(word.get(SLOT), word.get(A)),
            Condition::None => !self.any(word.get(SLOT), word.get(A)),
            Condition::Loop => false,
        };
        if taken { word.get(TARGET) as usize } else { next }
    }

    fn end(&mut self, word: Word) {
        if self.outcome.code == 0 {
            self.outcome.code = word.get(CODE);
        }
        let written = self.words.iter().filter(|word| word.get(KIND) == Kind::Mask.code()).map(|word| word.get(D));
        let mut rows: Vec<u64> = written.filter(|&row| row > ACTIVE_ROW && self.any(0, row)).collect();
        self.outcome.left.append(&mut rows);
        self.outcome.left.sort_unstable();
        self.outcome.left.dedup();
    }
}
