//! The lines of an assembler text, cut into words with their columns, and the declarations at its beginning.
//!
//! ```text
//! .name    vecadd            how messages call the program
//! .arrays  4                 arrays of a thread: 1, 2 or 4
//! .reg     x 0 32            a register: 32 rows of array 0, behind all registers that it has so far
//! .reg     y 123:40:32.s     rows 40 to 71 of arrays 1, 2 and 3, signed
//! .mask    m                 a mask row, the same in all arrays
//! .scalar  count 3           another name for %3
//! .const   four 4            another name for 4
//! .special tid.x x           what the launch writes into x
//! ```
//! Rows 0 and 1 are taken: the masks `launch` and `active` have these names.

use super::codes::Special;
use super::operand::{Names, Register, Text, integer, is_name, narrow, slots};
use crate::duality::params::{ACTIVE_ROW, DualityParams, LAUNCH_ROW, MASK_ROWS, SLOTS};

/// Most bytes of a line, and most lines of a text: enough for the longest program many times over.
pub const MOST_LINES: usize = 1 << 17;

/// A word of a line and its column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word.
    pub text: &'a str,
    /// Its column.
    pub column: usize,
}

/// A message and its column.
pub type Placed<T> = Result<T, (usize, String)>;

/// The words of a line. Commas are spaces; brackets stand alone; `#` begins a comment.
pub fn tokens(line: &str) -> Vec<Token<'_>> {
    let code = line.split('#').next().unwrap_or_default();
    let (mut found, mut begin) = (Vec::new(), None);
    let mut column = 0;
    let mut word = |begin: &mut Option<(usize, usize)>, end: usize| {
        if let Some((from, column)) = begin.take() {
            found.push(Token { text: &code[from..end], column });
        }
    };
    for (at, c) in code.char_indices() {
        column += 1;
        if c.is_whitespace() || c == ',' {
            word(&mut begin, at);
        } else if c == '[' || c == ']' {
            word(&mut begin, at);
            word(&mut Some((at, column)), at + 1);
        } else if begin.is_none() {
            begin = Some((at, column));
        }
    }
    word(&mut begin, code.len());
    found
}

/// What the declarations of a text say.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The program's name.
    pub name: String,
    /// Arrays of a thread.
    pub arrays: usize,
    /// Names of registers, scalars and constants.
    pub names: Names,
    /// What the launch writes: array, first row, number of rows.
    pub specials: Vec<(Special, Register)>,
    /// First free row of each array.
    pub free: [u64; SLOTS],
}

impl Declared {
    /// Nothing yet, for a program that is called after its file.
    pub fn new(stem: &str) -> Declared {
        let mut names = Names::default();
        let mask = |row| Register { slots: (1 << SLOTS) - 1, row, rows: 1, signed: false, shift: 0 };
        names.registers.insert("launch".into(), mask(LAUNCH_ROW));
        names.registers.insert("active".into(), mask(ACTIVE_ROW));
        Declared { name: stem.into(), arrays: SLOTS, names, specials: Vec::new(), free: [MASK_ROWS; SLOTS] }
    }

    /// Takes a declaration; the first word begins with a point.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn take(&mut self, words: &[Token<'_>], params: &DualityParams) -> Placed<()> {
        let most = params.rows as u64;
        let first = words[0];
        let at = |index: usize, what: &str| -> Placed<Token<'_>> {
            words.get(index).copied().ok_or_else(|| (end(words), format!("{} needs {what}", first.text)))
        };
        let mut count = 3;
        match first.text {
            ".name" => {
                let name = at(1, "a name")?;
                if !is_name(name.text) || name.text.len() > 32 {
                    return Err((
                        name.column,
                        format!("name = {:?}: must be a name of up to 32 characters", name.text),
                    ));
                }
                self.name = name.text.into();
                count = 2;
            }
            ".arrays" => {
                let number = at(1, "1, 2 or 4")?;
                let arrays = integer(number.text).ok().and_then(|arrays| usize::try_from(arrays).ok()).unwrap_or(0);
                let check = DualityParams::check_arrays(arrays);
                check.map_err(|_| (number.column, format!("arrays = {}: must be 1, 2 or 4", number.text)))?;
                self.arrays = arrays;
                count = 2;
            }
            ".reg" => {
                let (name, place) = (at(1, "a name and rows")?, at(2, "rows")?);
                let register = if place.text.contains(':') {
                    let register = self.names.register(place.text).map_err(|why| (place.column, why))?;
                    self.keep(register);
                    register
                } else {
                    count = 4;
                    let rows = at(3, "a number of rows")?;
                    self.allot(place, rows, most)?
                };
                self.register(name, register)?;
            }
            ".mask" => {
                let name = at(1, "a name")?;
                let row = self.free.into_iter().max().unwrap_or(MASK_ROWS);
                if row >= most {
                    return Err((name.column, format!("no row is left: the arrays have {most}")));
                }
                self.free = [row + 1; SLOTS];
                let slots = (1 << self.arrays) - 1;
                self.register(name, Register { slots, row, rows: 1, signed: false, shift: 0 })?;
                count = 2;
            }
            ".scalar" => {
                let (name, number) = (at(1, "a name and a number")?, at(2, "a number")?);
                let text = format!("%{}", number.text.trim_start_matches('%'));
                let number = self.names.scalar(&text).map_err(|why| (number.column, why))?;
                fresh(&self.names.scalars, name)?;
                self.names.scalars.insert(name.text.into(), number);
            }
            ".const" => {
                let (name, number) = (at(1, "a name and a number")?, at(2, "a number")?);
                let value = self.names.number(number.text).map_err(|why| (number.column, why))?;
                fresh(&self.names.constants, name)?;
                self.names.constants.insert(name.text.into(), value);
            }
            ".special" => {
                let (what, place) = (at(1, "a special register and rows")?, at(2, "rows")?);
                let rule = || {
                    let all: Vec<&str> = Special::ALL.iter().map(|special| special.name()).collect();
                    (what.column, format!("{:?}: must be one of {}", what.text, all.join(", ")))
                };
                let special = Special::named(what.text).ok_or_else(rule)?;
                let register = self.names.register(place.text).map_err(|why| (place.column, why))?;
                let legal = register.rows <= 32 && register.row >= MASK_ROWS && register.shift == 0;
                if !legal || register.row + register.rows > most {
                    return Err((place.column, format!("{}: at most 32 rows, no masks, below {most}", place.text)));
                }
                register.slot().map_err(|why| (place.column, why))?;
                self.specials.push((special, register));
            }
            other => {
                let rule = "must be .name, .arrays, .reg, .mask, .scalar, .const or .special";
                return Err((first.column, format!("{other:?}: {rule}")));
            }
        }
        match words.get(count) {
            Some(more) => Err((more.column, format!("{:?}: {} has no more words", more.text, first.text))),
            None => Ok(()),
        }
    }

    /// What comes next is behind this register.
    fn keep(&mut self, register: Register) {
        for (slot, free) in self.free.iter_mut().enumerate() {
            if register.slots >> slot & 1 == 1 {
                *free = (*free).max(register.row + register.rows);
            }
        }
    }

    /// The next free rows of an array.
    fn allot(&mut self, slot: Token<'_>, rows: Token<'_>, most: u64) -> Placed<Register> {
        let which = slots(slot.text).map_err(|why| (slot.column, why))?;
        let (text, signed) = rows.text.strip_suffix(".s").map_or((rows.text, false), |text| (text, true));
        let number = integer(text).ok().and_then(|number| u64::try_from(number).ok());
        let rule = || (rows.column, format!("rows = {}: must be 1 to 64", rows.text));
        let number = number.filter(|number| (1..=64).contains(number)).ok_or_else(rule)?;
        let taken: Vec<usize> = (0..SLOTS).filter(|slot| which >> slot & 1 == 1).collect();
        let row = taken.iter().map(|&slot| self.free[slot]).max().unwrap_or(MASK_ROWS);
        if row + number > most {
            let reason = format!("no {number} rows are left of array {}: it has {most}", slot.text);
            return Err((rows.column, reason));
        }
        taken.into_iter().for_each(|slot| self.free[slot] = row + number);
        Ok(Register { slots: which, row, rows: number, signed, shift: 0 })
    }

    fn register(&mut self, name: Token<'_>, register: Register) -> Placed<()> {
        fresh(&self.names.registers, name)?;
        self.names.registers.insert(name.text.into(), register);
        Ok(())
    }

    /// The register that a word names.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(&self, token: Token<'_>) -> Placed<Register> {
        placed(token, self.names.register(token.text).and_then(|register| narrow(token.text, register)))
    }
}

/// A message at a word.
pub fn placed<T>(token: Token<'_>, result: Text<T>) -> Placed<T> {
    result.map_err(|why| (token.column, why))
}

/// The column behind a line's last word.
pub fn end(words: &[Token<'_>]) -> usize {
    words.last().map_or(1, |word| word.column + word.text.chars().count())
}

fn fresh<T>(names: &std::collections::HashMap<String, T>, name: Token<'_>) -> Placed<()> {
    if !is_name(name.text) {
        let rule = "must be a name of letters, digits and _, not beginning with a digit";
        return Err((name.column, format!("{:?}: {rule}", name.text)));
    }
    match names.contains_key(name.text) {
        true => Err((name.column, format!("{:?} is given twice", name.text))),
        false => Ok(()),
    }
}
