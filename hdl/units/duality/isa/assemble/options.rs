//! What stands behind the operands of a statement: `key=value`.

use crate::array::isa::format::{Mode, Rounding};
use crate::duality::isa::codes::Predicate;
use crate::duality::isa::field::*;
use crate::duality::isa::operand::Register;
use crate::duality::isa::source::{Declared, Placed, Token, placed};
use crate::duality::isa::word::Word;
use crate::duality::params::SLOTS;

/// Threads of a bank at most.
const MOST_COLUMNS: u64 = 256;

/// A statement's operands and options. Options that the statement has no use for are errors.
#[derive(Default)]
pub(super) struct Options<'t> {
    /// Words that are no options.
    pub operands: Vec<Token<'t>>,
    /// Windows and memory port to wait for.
    pub wait: u64,
    /// Threads that take part.
    chosen: Option<(Token<'t>, Predicate, Register)>,
    scratch: Option<(Token<'t>, u64)>,
    width: Option<(Token<'t>, u64)>,
    segment: Option<(Token<'t>, u64)>,
    mode: Option<(Token<'t>, Mode)>,
}

impl<'t> Options<'t> {
    /// Takes the options out of a statement.
    pub fn of(words: &[Token<'t>], declared: &Declared) -> Placed<Options<'t>> {
        let mut options = Options::default();
        let mut seen: Vec<&str> = Vec::new();
        for &token in words {
            let Some((key, value)) = token.text.split_once('=') else {
                options.operands.push(token);
                continue;
            };
            let fail = |why: String| (token.column, why);
            if seen.contains(&key) {
                return Err(fail(format!("{key} is given twice")));
            }
            seen.push(key);
            let number = |most: u64| {
                let number = placed(token, declared.names.number(value))?;
                let rule = || fail(format!("{key} = {value}: must be 0 to {most}"));
                u64::try_from(number).ok().filter(|&number| number <= most).ok_or_else(rule)
            };
            match key {
                "wait" => options.wait = waits(value).map_err(fail)?,
                "if" | "unless" => {
                    let register = placed(token, declared.names.register(value))?;
                    if register.rows != 1 || register.shift != 0 {
                        return Err(fail(format!("{value:?}: must be a single row")));
                    }
                    let active = value == "active";
                    let predicate = match key {
                        "if" if active => Predicate::Active,
                        "if" => Predicate::Where,
                        _ => Predicate::Unless,
                    };
                    if options.chosen.is_some() {
                        return Err(fail("if and unless: one of them".into()));
                    }
                    options.chosen = Some((token, predicate, register));
                }
                "scratch" => options.scratch = Some((token, number(S.most())?)),
                "n" => options.width = Some((token, number(64)?)),
                "segment" => options.segment = Some((token, number(MOST_COLUMNS)?)),
                "round" => {
                    let names = Rounding::ALL.map(|round| round.name()).join(", ");
                    let found = Rounding::ALL.into_iter().find(|round| round.name() == value);
                    let rounding = found.ok_or_else(|| fail(format!("round = {value:?}: must be one of {names}")))?;
                    let before = options.mode.map_or(Mode::default(), |mode| mode.1);
                    options.mode = Some((token, Mode { rounding, ..before }));
                }
                "flush" => {
                    let (operands, results) = match value {
                        "operands" => (true, false),
                        "results" => (false, true),
                        "both" => (true, true),
                        _ => return Err(fail(format!("flush = {value:?}: must be operands, results or both"))),
                    };
                    let before = options.mode.map_or(Mode::default(), |mode| mode.1);
                    options.mode = Some((token, Mode { flush_operands: operands, flush_results: results, ..before }));
                }
                _ => {
                    let rule = "must be wait, if, unless, scratch, n, segment, round or flush";
                    return Err(fail(format!("{key:?}: {rule}")));
                }
            }
        }
        Ok(options)
    }

    /// Puts the threads that take part into a word whose data are in one of these arrays.
    pub fn predicate(&mut self, word: Word, slots: u64) -> Placed<Word> {
        let Some((token, predicate, register)) = self.chosen.take() else { return Ok(word) };
        let word = word.with(PREDICATE, predicate.code());
        if predicate == Predicate::Active {
            return Ok(word);
        }
        if register.slots & slots == 0 {
            return Err((token.column, format!("{:?}: must be in the array that is written", token.text)));
        }
        Ok(word.with(E, register.row))
    }

    /// The scratch row, if it was given.
    pub fn scratch(&mut self) -> Option<u64> {
        self.scratch.take().map(|(_, row)| row)
    }

    /// The width, if it was given.
    pub fn width(&mut self) -> Option<u64> {
        self.width.take().map(|(_, width)| width)
    }

    /// Threads of a segment: a power of two, all threads of a bank if it was not given.
    pub fn segment(&mut self, columns: u64) -> Placed<u64> {
        let Some((token, threads)) = self.segment.take() else { return Ok(columns) };
        if threads.is_power_of_two() && threads <= columns {
            return Ok(threads);
        }
        Err((token.column, format!("segment = {threads}: must be a power of two of at most {columns} threads")))
    }

    /// The mode of a floating-point operation.
    pub fn mode(&mut self) -> Mode {
        self.mode.take().map_or(Mode::default(), |(_, mode)| mode)
    }

    /// Complains about options that nobody has taken.
    pub fn finish(&self, word: Word) -> Placed<Word> {
        let left = [
            self.chosen.map(|(token, ..)| token),
            self.scratch.map(|(token, _)| token),
            self.width.map(|(token, _)| token),
            self.segment.map(|(token, _)| token),
            self.mode.map(|(token, _)| token),
        ];
        match left.into_iter().flatten().next() {
            Some(token) => Err((token.column, format!("{:?} means nothing here", token.text))),
            None => Ok(word),
        }
    }
}

/// Windows by their digits, and `m` for the memory port.
fn waits(text: &str) -> Result<u64, String> {
    text.chars().try_fold(0, |waits, c| {
        let bit = match c {
            'm' => SLOTS as u32,
            _ => c.to_digit(SLOTS as u32).ok_or_else(|| format!("wait = {text:?}: must be digits 0 to 3 and m"))?,
        };
        Ok(waits | 1 << bit)
    })
}
