//! The assembler: a text into a program.
//!
//! A line is a declaration ([`super::source`]), a label, or a statement; `#` begins a comment.
//!
//! ```text
//! add      d a b           and every other operation of the array; divrem d e a b, select d a b e
//! fadd.f32 d a b           formats and sets behind the name: mul.skip, fmul.f16
//! move     d a             d may be in several arrays
//! ld.global.32 d [a + 4]   st.shared.8 [a] b   atom.cas.global.32 d [a] b s   ld.spill d [7]
//! shuffle  d [a + 1] b     reduce.add d b      of the crossbar, within `segment=THREADS`, else the whole bank
//! s.add    %d %a 5         s.select %d %c %a %b
//! mask.enter m             mask.taken m p      mask.open
//! loop     done            the words up to the label `done` are a loop
//! jump     again           jump.zero %n out    jump.any m again
//! end      0
//! ```
//! Behind the operands: `wait=02m` (windows and memory port), `if=active`, `if=p` and `unless=p` (threads that take
//! part), `scratch=ROW` (else the first rows that no register of that array has), `n=BITS` (else from the operands),
//! `round=zero|down|up`, `flush=operands|results|both`.

use std::collections::HashMap;

use super::codes::{Condition, Element, Kind, MaskOp, MemoryOp, ScalarOp, Space};
use super::field::*;
use super::legal::{Fault, Rules};
use super::operand::is_name;
use super::program::Program;
use super::source::{Declared, MOST_LINES, Placed, Token, end, placed, tokens};
use super::word::Word;
use crate::duality::params::{DualityParams, SLOTS};
use crate::error::{Error, Result};

mod bank;
mod compute;
mod options;

pub(super) use bank::reduction;
pub(super) use compute::{default_bits, default_width};
use options::Options;

/// A program from its text. `origin` stands in messages, and names the program if the text does not.
///
/// # Errors
/// [`Error::Syntax`] with line and column of the first mistake.
pub fn assemble(text: &str, origin: &str, params: &DualityParams) -> Result<Program> {
    let stem = std::path::Path::new(origin).file_stem().unwrap_or_default().to_string_lossy().to_string();
    let name = if is_name(&stem) { stem } else { "program".into() };
    let mut assembler = Assembler { declared: Declared::new(&name), labels: HashMap::new(), rules: None, params };
    assembler.program(text).map_err(|(line, column, reason)| Error::Syntax {
        origin: origin.into(),
        line,
        reason: format!("column {column}: {reason}"),
    })
}

struct Assembler<'a> {
    declared: Declared,
    /// Numbers of the words that labels stand before.
    labels: HashMap<String, usize>,
    /// The rules, once it is known how many arrays a thread has.
    rules: Option<Rules>,
    params: &'a DualityParams,
}

/// A statement: its line and its words.
type Statement<'a> = (usize, Vec<Token<'a>>);

impl Assembler<'_> {
    fn program(&mut self, text: &str) -> std::result::Result<Program, (usize, usize, String)> {
        let mut statements: Vec<Statement<'_>> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if number > MOST_LINES {
                return Err((number, 1, format!("a text has at most {MOST_LINES} lines")));
            }
            let words = tokens(line);
            self.line(&words, &mut statements, number).map_err(|(column, why)| (number, column, why))?;
        }
        let rules = Rules::new(self.params, self.declared.arrays);
        self.rules = Some(rules);
        let mut words = Vec::new();
        for (line, statement) in &statements {
            let word = self.statement(statement).map_err(|(column, why)| (*line, column, why))?;
            words.push(word);
        }
        let rules = self.rules.as_ref().expect("set above");
        rules.program(&words).map_err(|Fault { pc, illegal }| {
            let place = statements.get(pc).map_or((1, 1), |(line, words)| (*line, words[0].column));
            (place.0, place.1, format!("word {pc}: {illegal}"))
        })?;
        let specials = self.declared.specials.iter().map(|(special, register)| {
            (*special, register.slot().expect("declared for one array"), register.row, register.rows)
        });
        let program = Program {
            name: self.declared.name.clone(),
            arrays: self.declared.arrays,
            specials: specials.collect(),
            words,
            lines: statements.iter().map(|(line, _)| *line as u32).collect(),
        };
        program.check(self.params).map_err(|error| (1, 1, error.to_string()))?;
        Ok(program)
    }

    /// Takes a line: declarations and labels at once, statements for later.
    fn line<'t>(&mut self, words: &[Token<'t>], statements: &mut Vec<Statement<'t>>, number: usize) -> Placed<()> {
        let mut words = words;
        while let Some((first, rest)) = words.split_first() {
            let Some(name) = first.text.strip_suffix(':') else { break };
            if !is_name(name) {
                return Err((first.column, format!("label = {name:?}: must be a name of letters, digits and _")));
            }
            if self.labels.insert(name.into(), statements.len()).is_some() {
                return Err((first.column, format!("label {name:?} is given twice")));
            }
            words = rest;
        }
        match words.first() {
            Some(first) if first.text.starts_with('.') => self.declared.take(words, self.params),
            Some(_) => {
                statements.push((number, words.to_vec()));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn statement(&self, words: &[Token<'_>]) -> Placed<Word> {
        let mut options = Options::of(&words[1..], &self.declared)?;
        let operands = std::mem::take(&mut options.operands);
        let mut reader = Reader { words: &operands, at: 0, end: end(words), declared: &self.declared };
        let verb = words[0];
        let (head, tail) = verb.text.split_once('.').unwrap_or((verb.text, ""));
        let word = match head {
            "move" if tail.is_empty() => moved(&mut reader)?,
            "ld" | "st" | "atom" => memory(verb, &mut reader, &mut options)?,
            "shuffle" | "reduce" => bank::bank(self, verb, &mut reader, &mut options)?,
            "s" => scalar(verb, tail, &mut reader)?,
            "mask" => mask(verb, tail, &mut reader)?,
            "jump" | "loop" => self.jump(verb, &mut reader)?,
            "end" if tail.is_empty() => {
                let code = reader.next_if().map_or(Ok(0), |token| {
                    let code = placed(token, self.declared.names.number(token.text))?;
                    let rule = || (token.column, format!("code = {code}: must be 0 to {}", CODE.most()));
                    u64::try_from(code).ok().filter(|&code| code <= CODE.most()).ok_or_else(rule)
                })?;
                Word::new(Kind::End).with(CODE, code)
            }
            _ => compute::compute(self, verb, &mut reader, &mut options)?,
        };
        reader.done()?;
        options.finish(word.with(WAIT, options.wait))
    }

    fn jump(&self, verb: Token<'_>, reader: &mut Reader<'_, '_>) -> Placed<Word> {
        let condition = listed(verb, verb.text, Condition::named, Condition::ALL.iter().map(|c| c.name()))?;
        let mut word = Word::new(Kind::Jump).with(CONDITION, condition.code());
        match condition {
            Condition::Zero | Condition::NotZero => word = word.with(A, reader.scalar()?),
            Condition::Any | Condition::None => {
                let (row, slot) = reader.row()?;
                word = word.with(A, row).with(SLOT, slot.trailing_zeros().into());
            }
            Condition::Always | Condition::Loop => {}
        }
        let label = reader.next("a label")?;
        let named = self.labels.get(label.text).copied();
        let number = || self.declared.names.number(label.text.strip_prefix('@')?).ok();
        let target = named.or_else(|| number().and_then(|target| usize::try_from(target).ok()));
        let Some(target) = target.filter(|&target| target as u64 <= TARGET.most()) else {
            return Err((label.column, format!("{:?} is no label", label.text)));
        };
        Ok(word.with(TARGET, target as u64))
    }
}

/// Takes operands one by one.
struct Reader<'w, 't> {
    words: &'w [Token<'t>],
    at: usize,
    end: usize,
    declared: &'w Declared,
}

impl<'t> Reader<'_, 't> {
    fn next_if(&mut self) -> Option<Token<'t>> {
        let token = self.words.get(self.at).copied();
        self.at += usize::from(token.is_some());
        token
    }

    fn next(&mut self, what: &str) -> Placed<Token<'t>> {
        self.next_if().ok_or_else(|| (self.end, format!("{what} is missing")))
    }

    fn expect(&mut self, text: &str) -> Placed<()> {
        let token = self.next(&format!("{text:?}"))?;
        if token.text == text {
            Ok(())
        } else {
            Err((token.column, format!("{:?}: {text:?} belongs here", token.text)))
        }
    }

    fn done(&mut self) -> Placed<()> {
        match self.next_if() {
            Some(token) => Err((token.column, format!("{:?}: the statement has no more operands", token.text))),
            None => Ok(()),
        }
    }

    /// Rows as they are: without sign and shift.
    fn plain(&mut self, what: &str) -> Placed<(Token<'t>, super::operand::Register)> {
        let token = self.next(what)?;
        let register = self.declared.read(token)?;
        if register.shift != 0 {
            return Err((token.column, format!("{:?}: only first sources are shifted", token.text)));
        }
        Ok((token, register))
    }

    /// A single row, and the arrays that it is in. Of masks, which are in all arrays, the first one stands for all.
    fn row(&mut self) -> Placed<(u64, u64)> {
        let (token, register) = self.plain("a row")?;
        if register.rows != 1 {
            return Err((token.column, format!("{:?}: must be a single row, not {}", token.text, register.rows)));
        }
        Ok((register.row, register.slots))
    }

    fn scalar(&mut self) -> Placed<u64> {
        let token = self.next("a scalar register")?;
        placed(token, self.declared.names.scalar(token.text))
    }
}

/// One of a list, by its name.
fn listed<'n, T>(
    verb: Token<'_>,
    name: &str,
    find: impl Fn(&str) -> Option<T>,
    names: impl Iterator<Item = &'n str>,
) -> Placed<T> {
    let all = || names.collect::<Vec<_>>().join(", ");
    find(name).ok_or_else(|| (verb.column, format!("{name:?}: must be one of {}", all())))
}

fn moved(reader: &mut Reader<'_, '_>) -> Placed<Word> {
    let (_, to) = reader.plain("where rows go")?;
    let (token, from) = reader.plain("where rows come from")?;
    if to.rows != from.rows {
        return Err((token.column, format!("{:?} has {} rows, the target {}", token.text, from.rows, to.rows)));
    }
    let word = Word::new(Kind::Move).with(SLOT, placed(token, from.slot())?).with(TARGETS, to.slots);
    Ok(word.with(WIDTH, from.rows - 1).with(D, to.row).with(A, from.row))
}

fn memory(verb: Token<'_>, reader: &mut Reader<'_, '_>, options: &mut Options<'_>) -> Placed<Word> {
    // The longest name first: atom.min.s before atom.min.
    let mut ops: Vec<MemoryOp> = MemoryOp::ALL.to_vec();
    ops.sort_by_key(|op| std::cmp::Reverse(op.name().len()));
    let found = ops.into_iter().find_map(|op| Some((op, verb.text.strip_prefix(op.name())?.strip_prefix('.')?)));
    let all = || MemoryOp::ALL.iter().map(|op| op.name()).collect::<Vec<_>>().join(", ");
    let rule = || (verb.column, format!("{:?}: must be one of {}, and a space", verb.text, all()));
    let (op, rest) = found.ok_or_else(rule)?;
    let (space, size) = rest.split_once('.').unwrap_or((rest, ""));
    let spaces = Space::ALL.iter().filter(|&&space| space != Space::Bank);
    let named = |name: &str| Space::named(name).filter(|&space| space != Space::Bank);
    let space = listed(verb, space, named, spaces.map(|space| space.name()))?;
    let (size, extend) = size.strip_prefix('s').map_or((size, false), |size| (size, true));
    let element = match (space, size) {
        (Space::Spill, "") => Element::B8,
        _ => listed(verb, size, Element::named, Element::ALL.iter().map(|element| element.name()))?,
    };
    let mut word = Word::new(Kind::Memory).with(MEMORY_OP, op.code()).with(SPACE, space.code());
    word = word.with(ELEMENT, element.code()).with(EXTEND, extend.into());
    let mut data: Option<(u64, u64)> = None;
    let mut take = |reader: &mut Reader<'_, '_>, word: Word, field: Field| -> Placed<Word> {
        let (token, register) = reader.plain("rows of data")?;
        let slot = placed(token, register.slot())?;
        if let Some((slot_before, rows)) = data.replace((slot, register.rows)) {
            if (slot_before, rows) != (slot, register.rows) {
                let rule = "all data are in one array, and have as many rows";
                return Err((token.column, format!("{:?}: {rule}", token.text)));
            }
        }
        Ok(word.with(field, register.row).with(WIDTH, register.rows - 1).with(DATA_SLOT, slot))
    };
    if op != MemoryOp::Store {
        word = take(reader, word, D)?;
    }
    word = address(reader, word, space == Space::Spill)?;
    if op != MemoryOp::Load {
        word = take(reader, word, B)?;
    }
    if op == MemoryOp::Compare {
        word = take(reader, word, S)?;
    }
    if !word.address_in_rows() {
        word = word.with(SLOT, word.get(DATA_SLOT));
    }
    options.predicate(word, 1 << word.get(DATA_SLOT))
}

/// An address in brackets: rows, which may be shifted up, a scalar register, rows `+` a scalar register or nothing, and
/// a number behind `+` or `-`.
fn address(reader: &mut Reader<'_, '_>, word: Word, spill: bool) -> Placed<Word> {
    use super::codes::Source;
    reader.expect("[")?;
    let base = reader.next("an address")?;
    let names = &reader.declared.names;
    let mut offset = 0;
    let mut word = word;
    if let (Ok(number), false) = (names.number(base.text), base.text.starts_with('%')) {
        offset = number;
        let source = if spill { Source::Row } else { Source::Immediate };
        word = word.with(SOURCE, source.code());
    } else if base.text.starts_with('%') {
        word = word.with(SOURCE, Source::Scalar.code()).with(A, placed(base, names.scalar(base.text))?);
    } else {
        let register = reader.declared.read(base)?;
        if register.shift > SCALE.most() || register.signed {
            let rule = format!("addresses are shifted by at most {} and not signed", SCALE.most());
            return Err((base.column, format!("{:?}: {rule}", base.text)));
        }
        word = word.with(SLOT, placed(base, register.slot())?);
        word = word.with(A, register.row).with(WIDTH_A, register.rows - 1).with(SCALE, register.shift);
    }
    let mut sign = reader.next("\"]\"")?;
    let rows = !spill && word.get(SOURCE) == Source::Row.code();
    if let Some(token) =
        reader.words.get(reader.at).filter(|next| rows && sign.text == "+" && next.text.starts_with('%'))
    {
        let number = placed(*token, reader.declared.names.scalar(token.text))?;
        reader.at += 1;
        word = word.with(SOURCE, Source::Indexed.code()).with(MODIFIER, number);
        sign = reader.next("\"]\"")?;
    }
    if sign.text == "+" || sign.text == "-" {
        let token = reader.next("an offset")?;
        let number = placed(token, reader.declared.names.number(token.text))?;
        offset = offset.saturating_add(if sign.text == "-" { number.saturating_neg() } else { number });
        reader.expect("]")?;
    } else if sign.text != "]" {
        return Err((sign.column, format!("{:?}: \"+\", \"-\" or \"]\" belongs here", sign.text)));
    }
    if !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&offset) {
        return Err((base.column, format!("offset = {offset}: must have 32 bits")));
    }
    Ok(word.with(IMMEDIATE, u64::from(offset as u32)))
}

fn scalar(verb: Token<'_>, name: &str, reader: &mut Reader<'_, '_>) -> Placed<Word> {
    use super::codes::Source;
    let op = listed(verb, name, ScalarOp::named, ScalarOp::ALL.iter().map(|op| op.name()))?;
    let mut word = Word::new(Kind::Scalar).with(SCALAR_OP, op.code()).with(SCALAR_D, reader.scalar()?);
    if op == ScalarOp::Select {
        word = word.with(SCALAR_C, reader.scalar()?);
    }
    if op != ScalarOp::Set {
        word = word.with(SCALAR_A, reader.scalar()?);
    }
    let token = reader.next("a second operand")?;
    if token.text.starts_with('%') {
        return Ok(word.with(SCALAR_B, placed(token, reader.declared.names.scalar(token.text))?));
    }
    let number = placed(token, reader.declared.names.number(token.text))?;
    if !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number) {
        return Err((token.column, format!("immediate = {number}: must have 32 bits")));
    }
    Ok(word.with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, u64::from(number as u32)))
}

fn mask(verb: Token<'_>, name: &str, reader: &mut Reader<'_, '_>) -> Placed<Word> {
    let op = listed(verb, name, MaskOp::named, MaskOp::ALL.iter().map(|op| op.name()))?;
    let mut word = Word::new(Kind::Mask).with(MASK_OP, op.code());
    match op {
        MaskOp::Open => {}
        MaskOp::Enter => word = word.with(A, reader.row()?.0),
        MaskOp::Join | MaskOp::Clear => word = word.with(D, reader.row()?.0),
        MaskOp::Taken | MaskOp::Other => {
            word = word.with(D, reader.row()?.0);
            let (row, slots) = reader.row()?;
            word = word.with(A, row).with(SLOT, slots.trailing_zeros().into());
        }
    }
    Ok(word)
}

/// The arrays of a text: as many as a thread can have.
const _: () = assert!(SLOTS == 4, "arrays are single digits in texts");
