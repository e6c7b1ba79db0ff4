//! Which words may run, one by one and as a program.

use std::fmt;

use super::codes::{Condition, Element, Kind, MaskOp, MemoryOp, Predicate, ScalarOp, Source, Space, Trap};
use super::compute::{Operations, Shape, idle, predicate, within};
use super::field::*;
use super::word::{Illegal, Word};
use crate::duality::params::{DualityParams, SCALARS};

/// A word of a program that may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its number.
    pub pc: usize,
    /// Why.
    pub illegal: Illegal,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "word {}: {}", self.pc, self.illegal)
    }
}

/// The rules of a design, for a launch that gives each thread so many arrays.
pub struct Rules {
    operations: Operations,
    ring: usize,
    rows: u64,
    columns: u64,
    arrays: u64,
    crossbar: bool,
}

fn refuse<T>(code: Trap, field: Field, value: impl ToString, rule: impl Into<String>) -> Result<T, Illegal> {
    Err(Illegal::new(code, field.name, value, rule))
}

fn code<T>(found: Option<T>, word: Word, field: Field) -> Result<T, Illegal> {
    found.map_or_else(|| refuse(Trap::Code, field, word.get(field), "is no code of its list"), Ok)
}

impl Rules {
    /// Those of a design whose threads have 1, 2 or 4 arrays.
    pub fn new(params: &DualityParams, arrays: usize) -> Rules {
        let operations = Operations::new(params);
        let [rows, columns, arrays] = [params.rows, params.columns, arrays].map(|number| number as u64);
        Rules { operations, ring: params.ring, rows, columns, arrays, crossbar: params.crossbar > 0 }
    }

    /// Operations of the arrays.
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// Whether a word may run. Targets of jumps are matters of a program.
    ///
    /// # Errors
    /// [`Illegal`] with the first rule broken.
    pub fn check(&self, word: Word) -> Result<Kind, Illegal> {
        let kind = word.kind()?;
        for field in [SLOT, DATA_SLOT].into_iter().filter(|field| field.is_of(kind)) {
            self.slot(word, field)?;
        }
        let waits = word.get(WAIT) & !(1 << SLOT_COUNT);
        if waits >> self.arrays != 0 {
            let rule = format!("a thread has {} arrays, and as many windows are in use", self.arrays);
            return refuse(Trap::Slot, WAIT, format!("{:#07b}", word.get(WAIT)), rule);
        }
        match kind {
            Kind::Compute => self.operations.shape(word).map(|_| ())?,
            Kind::Move => self.moved(word)?,
            Kind::Memory => self.memory(word)?,
            Kind::Scalar => scalar(word)?,
            Kind::Mask => self.mask(word)?,
            Kind::Jump => self.jump(word)?,
            Kind::End => {}
        }
        Ok(kind)
    }

    /// What a compute word asks for.
    ///
    /// # Errors
    /// As [`Rules::check`].
    pub fn shape(&self, word: Word) -> Result<Shape, Illegal> {
        self.operations.shape(word)
    }

    fn slot(&self, word: Word, field: Field) -> Result<(), Illegal> {
        if word.get(field) < self.arrays {
            return Ok(());
        }
        refuse(Trap::Slot, field, word.get(field), format!("a thread has {} arrays", self.arrays))
    }

    fn rows(&self, field: Field, from: u64, number: u64, written: bool) -> Result<(), Illegal> {
        within(field, from, number, self.rows, written)
    }

    fn moved(&self, word: Word) -> Result<(), Illegal> {
        let targets = word.get(TARGETS);
        if targets == 0 || targets >> self.arrays != 0 || targets >> word.get(SLOT) & 1 == 1 {
            let rule = format!("must name arrays of the {}, at least one, and not the source's own", self.arrays);
            return refuse(Trap::Slot, TARGETS, format!("{targets:#06b}"), rule);
        }
        let rows = word.get(WIDTH) + 1;
        self.rows(A, word.get(A), rows, false)?;
        self.rows(D, word.get(D), rows, true)
    }

    fn memory(&self, word: Word) -> Result<(), Illegal> {
        let op = code(MemoryOp::from_code(word.get(MEMORY_OP)), word, MEMORY_OP)?;
        let space = code(Space::from_code(word.get(SPACE)), word, SPACE)?;
        let element = code(Element::from_code(word.get(ELEMENT)), word, ELEMENT)?;
        let rows = word.get(WIDTH) + 1;
        match predicate(word)? {
            Predicate::Where | Predicate::Unless => self.rows(E, word.get(E), 1, false)?,
            _ => idle(word, &[E], "no predicate is in e")?,
        }
        let legal = match space {
            Space::Const => op == MemoryOp::Load,
            Space::Spill => !op.is_atomic(),
            Space::Bank => op == MemoryOp::Load || op.reduces(),
            _ => true,
        };
        if !legal {
            return refuse(Trap::Code, SPACE, space, format!("{op} does not work there"));
        }
        if space == Space::Bank {
            return self.crossing(word, op);
        }
        if op.is_atomic() {
            let bits = u64::from(8 * element.bytes());
            if bits < 32 || op == MemoryOp::FAdd && bits != 32 {
                return refuse(Trap::Code, ELEMENT, element, format!("{op} does not work on {bits} bits"));
            }
            if rows != bits {
                return refuse(Trap::Width, WIDTH, rows, format!("{op} works on all {bits} bits of an element"));
            }
            idle(word, &[EXTEND], "atomic operations extend nothing")?;
        }
        let (reads, writes) = (op != MemoryOp::Load, op != MemoryOp::Store);
        if reads {
            self.rows(B, word.get(B), rows, false)?
        } else {
            idle(word, &[B], "a load has no data to write")?
        }
        if writes {
            self.rows(D, word.get(D), rows, true)?
        } else {
            idle(word, &[D], "a store has no result")?
        }
        if op == MemoryOp::Compare {
            self.rows(S, word.get(S), rows, false)?;
        } else {
            idle(word, &[S], "only compare and swap has a second value")?;
        }
        if space == Space::Spill {
            let all = [PREDICATE, SOURCE, A, WIDTH_A, SCALE, ELEMENT, EXTEND];
            idle(word, &all, "spill rows move as they are, in all threads")?;
        }
        self.address(word)
    }

    /// A word of the crossbar: a shuffle, or a reduction.
    fn crossing(&self, word: Word, op: MemoryOp) -> Result<(), Illegal> {
        if !self.crossbar {
            return refuse(Trap::Missing, SPACE, Space::Bank, "this design has no crossbar");
        }
        idle(word, &[ELEMENT, EXTEND], "nothing is in memory")?;
        let rows = word.get(WIDTH) + 1;
        self.rows(B, word.get(B), rows, false)?;
        self.rows(D, word.get(D), rows, true)?;
        let most = u64::from(self.columns.ilog2());
        if word.get(S) > most {
            let rule = format!("log2 of a segment's threads must be 0 to {most}: a bank has {}", self.columns);
            return refuse(Trap::Width, S, word.get(S), rule);
        }
        idle(word, &[SCALE], "threads are counted one by one")?;
        if op == MemoryOp::Load {
            return self.address(word);
        }
        idle(word, &[A, WIDTH_A, SOURCE, MODIFIER, IMMEDIATE], "a reduction has no address")?;
        if word.get(SLOT) != word.get(DATA_SLOT) {
            let rule = format!("a reduction has no address: must be the data's, {}", word.get(DATA_SLOT));
            return refuse(Trap::Slot, SLOT, word.get(SLOT), rule);
        }
        Ok(())
    }

    /// Where the address of a memory word comes from.
    fn address(&self, word: Word) -> Result<(), Illegal> {
        let source = code(Source::from_code(word.get(SOURCE)), word, SOURCE)?;
        if source == Source::Indexed {
            register(word, MODIFIER)?;
        } else {
            idle(word, &[MODIFIER], "no sum is the address")?;
        }
        if word.address_in_rows() {
            let rows = word.get(WIDTH_A) + 1;
            if rows > 32 {
                return refuse(Trap::Width, WIDTH_A, rows, "addresses have at most 32 bits");
            }
            if rows + word.get(SCALE) > 32 {
                let rule = format!("addresses have at most 32 bits, and {rows} are in rows");
                return refuse(Trap::Width, SCALE, word.get(SCALE), rule);
            }
            return self.rows(A, word.get(A), rows, false);
        }
        if word.get(SLOT) != word.get(DATA_SLOT) {
            let rule = format!("no address is in rows: must be the data's, {}", word.get(DATA_SLOT));
            return refuse(Trap::Slot, SLOT, word.get(SLOT), rule);
        }
        idle(word, &[WIDTH_A, SCALE], "no address is in rows")?;
        match source {
            Source::Scalar => register(word, A),
            _ => idle(word, &[A], "no address is in rows"),
        }
    }

    fn mask(&self, word: Word) -> Result<(), Illegal> {
        let op = code(MaskOp::from_code(word.get(MASK_OP)), word, MASK_OP)?;
        let (predicate, target) =
            (matches!(op, MaskOp::Taken | MaskOp::Other), !matches!(op, MaskOp::Open | MaskOp::Enter));
        match op {
            MaskOp::Enter => self.rows(A, word.get(A), 1, true)?,
            _ if predicate => self.rows(A, word.get(A), 1, false)?,
            _ => idle(word, &[A], "the operation reads no row")?,
        }
        if !predicate {
            idle(word, &[SLOT], "all arrays hold the same")?;
        }
        if target { self.rows(D, word.get(D), 1, true) } else { idle(word, &[D], "the operation writes no other row") }
    }

    fn jump(&self, word: Word) -> Result<(), Illegal> {
        match code(Condition::from_code(word.get(CONDITION)), word, CONDITION)? {
            Condition::Zero | Condition::NotZero => {
                idle(word, &[SLOT], "scalar registers are in no array")?;
                register(word, A)
            }
            Condition::Any | Condition::None => self.rows(A, word.get(A), 1, false),
            Condition::Always | Condition::Loop => idle(word, &[SLOT, A], "there is no condition"),
        }
    }

    /// Whether a program may run: its words, and where they lead.
    ///
    /// # Errors
    /// [`Fault`] with the first word that may not.
    pub fn program(&self, words: &[Word]) -> Result<(), Fault> {
        let at = |pc| move |illegal| Fault { pc, illegal };
        for (pc, &word) in words.iter().enumerate() {
            self.check(word).map_err(at(pc))?;
        }
        let jumps: Vec<(usize, Condition, usize)> = jumps(words).collect();
        let loops: Vec<(usize, usize)> =
            jumps.iter().filter(|jump| jump.1 == Condition::Loop).map(|&(pc, _, end)| (pc, end)).collect();
        for &(pc, condition, target) in &jumps {
            let led = if condition == Condition::Loop {
                self.opens(pc, target, words.len(), &loops)
            } else {
                leads(pc, target, words.len(), &loops)
            };
            led.map_err(at(pc))?;
        }
        let last = words.len().checked_sub(1);
        let ends = |pc: usize| {
            words[pc].get(KIND) == Kind::End.code()
                || jumps.iter().any(|&(at, condition, _)| at == pc && condition == Condition::Always)
        };
        if last.is_some_and(ends) {
            return Ok(());
        }
        let rule = "the last word must end the program, or jump in any case";
        let illegal = Illegal::new(Trap::PastEnd, "words", words.len(), rule);
        Err(Fault { pc: last.unwrap_or(0), illegal })
    }

    /// Whether a loop may begin.
    fn opens(&self, pc: usize, end: usize, words: usize, loops: &[(usize, usize)]) -> Result<(), Illegal> {
        if end <= pc + 1 || end > words {
            let rule = format!("a loop that begins at word {pc} ends before word {} to {words}", pc + 2);
            return refuse(Trap::Target, TARGET, end, rule);
        }
        if end - pc > self.ring {
            let rule = format!("the loop has {} words, the ring {}", end - pc, self.ring);
            return refuse(Trap::Loop, TARGET, end, rule);
        }
        match loops.iter().find(|&&(other, last)| other < pc && pc < last && last < end) {
            Some((other, last)) => {
                let rule = format!("the loop around it, from word {other} on, ends before word {last}");
                refuse(Trap::Loop, TARGET, end, rule)
            }
            None => Ok(()),
        }
    }
}

const SLOT_COUNT: usize = crate::duality::params::SLOTS;

/// The jumps and loops of a program: number of the word, condition, target.
pub fn jumps(words: &[Word]) -> impl Iterator<Item = (usize, Condition, usize)> + '_ {
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.get(KIND) == Kind::Jump.code())
        .filter_map(|(pc, word)| Some((pc, Condition::from_code(word.get(CONDITION))?, word.get(TARGET) as usize)))
}

/// Whether a jump leads to where the ring has words: forward, or back within a loop; into a loop through its beginning
/// alone.
fn leads(pc: usize, target: usize, words: usize, loops: &[(usize, usize)]) -> Result<(), Illegal> {
    if target >= words {
        return refuse(Trap::Target, TARGET, target, format!("the program has {words} words"));
    }
    let around = |&&(begin, end): &&(usize, usize)| begin <= pc && pc < end;
    if target <= pc && !loops.iter().filter(around).any(|&(begin, _)| begin <= target) {
        return refuse(Trap::Target, TARGET, target, "a jump back must be in a loop that begins there or before");
    }
    match loops.iter().find(|&&(begin, end)| begin < target && target < end && !(begin <= pc && pc < end)) {
        Some((begin, _)) => {
            refuse(Trap::Target, TARGET, target, format!("leads into the loop that begins at word {begin}"))
        }
        None => Ok(()),
    }
}

fn register(word: Word, field: Field) -> Result<(), Illegal> {
    if word.get(field) < SCALARS as u64 {
        return Ok(());
    }
    refuse(Trap::Register, field, word.get(field), format!("there are {SCALARS} scalar registers"))
}

fn scalar(word: Word) -> Result<(), Illegal> {
    let op = code(ScalarOp::from_code(word.get(SCALAR_OP)), word, SCALAR_OP)?;
    match code(Source::from_code(word.get(SOURCE)), word, SOURCE)? {
        Source::Row => idle(word, &[IMMEDIATE], "b is a register")?,
        Source::Immediate => idle(word, &[SCALAR_B], "b is the immediate")?,
        other => return refuse(Trap::Code, SOURCE, other, "registers are 0 (row) in scalar words"),
    }
    if op == ScalarOp::Set {
        idle(word, &[SCALAR_A], "set has one source")?;
    }
    idle(word, if op == ScalarOp::Select { &[] } else { &[SCALAR_C] }, "only select looks at c")
}
