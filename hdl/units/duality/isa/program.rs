//! Programs, and the binary files that hold them (`.dcp`).
//!
//! ```text
//! magic "BLDC", version, configuration hash (64 bits), arrays of a thread, rows used,
//! name: length and bytes; special registers: number, and code, array, first row, rows of each;
//! words: number, and 16 bytes of each; line table: a line of the text for each word; checksum (64 bits)
//! ```
//! Numbers have 32 bits unless stated, little-endian. The checksum is FNV-1a over all bytes before it: what was changed
//! on its way is noticed. A file that is read holds a program that may run, or it is an error.

use super::codes::Special;
use super::legal::Rules;
use super::operand::is_name;
use super::word::Word;
use crate::array::isa::Opcode;
use crate::duality::params::{DualityParams, MASK_ROWS};
use crate::error::{Error, Result};
use crate::regmap::fnv1a;

/// First bytes of a file.
pub const MAGIC: [u8; 4] = *b"BLDC";
/// Version of the format.
pub const VERSION: u32 = 1;
/// Most words of a program.
pub const MOST_WORDS: usize = 1 << 16;
/// Most special registers of a launch, each in the rows of one array.
pub const MOST_SPECIALS: usize = 8;

/// A special register that the launch writes: which, array, first row, number of rows.
pub type Placement = (Special, u64, u64, u64);

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What messages call it.
    pub name: String,
    /// Arrays of a thread: 1, 2 or 4.
    pub arrays: usize,
    /// What the launch writes.
    pub specials: Vec<Placement>,
    /// Its words.
    pub words: Vec<Word>,
    /// For each word the line of the text that it comes from; 0 where there is none.
    pub lines: Vec<u32>,
}

impl Program {
    /// Refuses a program that may not run on a design.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the word, its field, the value and the rule.
    pub fn check(&self, params: &DualityParams) -> Result<()> {
        let refuse =
            |what: &str, value: String, rule: String| Err(Error::Parameter { parameter: what.into(), value, rule });
        if !is_name(&self.name) || self.name.len() > 32 {
            return refuse("name", format!("{:?}", self.name), "must be a name of up to 32 characters".into());
        }
        DualityParams::check_arrays(self.arrays)?;
        if self.words.is_empty() || self.words.len() > MOST_WORDS {
            return refuse("words", self.words.len().to_string(), format!("must be 1 to {MOST_WORDS}"));
        }
        if self.specials.len() > MOST_SPECIALS {
            return refuse("specials", self.specials.len().to_string(), format!("must be 0 to {MOST_SPECIALS}"));
        }
        for &(special, slot, row, rows) in &self.specials {
            let fits = row >= MASK_ROWS && row + rows <= params.rows as u64 && (1..=32).contains(&rows);
            if slot >= self.arrays as u64 || !fits {
                let value = format!("{slot}:{row}:{rows}");
                let rule = format!(
                    "at most 32 rows from {MASK_ROWS} to {} of arrays 0 to {}",
                    params.rows - 1,
                    self.arrays - 1
                );
                return refuse(special.name(), value, rule);
            }
        }
        if self.lines.len() != self.words.len() {
            return refuse(
                "lines",
                self.lines.len().to_string(),
                format!("must be as many as words, {}", self.words.len()),
            );
        }
        Rules::new(params, self.arrays).program(&self.words).or_else(|fault| {
            let field = format!("{}, word {}, {}", self.name, fault.pc, fault.illegal.field);
            refuse(&field, fault.illegal.value, fault.illegal.rule)
        })
    }

    /// The row behind the last that the program names, scratch rows included.
    pub fn rows(&self, params: &DualityParams) -> u64 {
        use super::field::{A, B, D, E, S, WIDTH, WIDTH_A};
        let rules = Rules::new(params, self.arrays);
        let end = |word: &Word| match rules.check(*word) {
            Ok(super::Kind::Compute) => rules.shape(*word).map_or(0, |shape| {
                let named = [Some(shape.d), shape.a.map(|a| a.0), shape.b, shape.e, Some((word.get(S), shape.scratch))];
                named.into_iter().flatten().map(|(row, rows)| row + rows).max().unwrap_or(0)
            }),
            Ok(super::Kind::Move) => word.get(A).max(word.get(D)) + word.get(WIDTH) + 1,
            Ok(super::Kind::Memory) => {
                let data = [D, B, S].map(|field| word.get(field)).into_iter().max().unwrap_or(0) + word.get(WIDTH) + 1;
                let address = if word.get(super::field::SOURCE) == 0 { word.get(A) + word.get(WIDTH_A) + 1 } else { 0 };
                data.max(address).max(word.get(E) + 1)
            }
            Ok(super::Kind::Mask) => word.get(A).max(word.get(D)) + 1,
            Ok(super::Kind::Jump) => word.get(A) + 1,
            _ => 0,
        };
        let launched = self.specials.iter().map(|&(_, _, row, rows)| row + rows);
        self.words.iter().map(end).chain(launched).max().unwrap_or(0).max(MASK_ROWS)
    }

    /// Whether it has an operation on floating-point numbers.
    pub fn has_float(&self) -> bool {
        let float = |word: &Word| {
            word.get(super::field::KIND) == super::Kind::Compute.code()
                && Opcode::from_code(word.get(super::field::OPCODE)).is_some_and(Opcode::is_float)
        };
        self.words.iter().any(float)
    }

    /// The file.
    pub fn to_bytes(&self, params: &DualityParams) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let put = |bytes: &mut Vec<u8>, value: u64| bytes.extend((value as u32).to_le_bytes());
        put(&mut bytes, VERSION.into());
        bytes.extend(params.hash().to_le_bytes());
        put(&mut bytes, self.arrays as u64);
        put(&mut bytes, self.rows(params));
        put(&mut bytes, self.name.len() as u64);
        bytes.extend(self.name.as_bytes());
        put(&mut bytes, self.specials.len() as u64);
        for &(special, slot, row, rows) in &self.specials {
            [special.code(), slot, row, rows].into_iter().for_each(|value| put(&mut bytes, value));
        }
        put(&mut bytes, self.words.len() as u64);
        self.words.iter().for_each(|word| bytes.extend(word.0.to_le_bytes()));
        self.lines.iter().for_each(|&line| put(&mut bytes, line.into()));
        let sum = fnv1a(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// The program in a file that messages call `origin`, checked.
    ///
    /// # Errors
    /// [`Error::File`] if it is none, was changed, or was made for another design; [`Error::Parameter`] if the program
    /// may not run.
    pub fn from_bytes(bytes: &[u8], origin: &str, params: &DualityParams) -> Result<Program> {
        let program = Reader { bytes, at: 0 }.program(params).map_err(|reason| Error::file(origin, reason))?;
        program.check(params)?;
        Ok(program)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> std::result::Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("ends after {} bytes, in the middle of something", self.bytes.len()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> std::result::Result<u32, String> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    fn long(&mut self) -> std::result::Result<u64, String> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    fn count(&mut self, what: &str, most: usize) -> std::result::Result<usize, String> {
        let count = self.number()? as usize;
        if count <= most { Ok(count) } else { Err(format!("{what} = {count}: must be 0 to {most}")) }
    }

    fn program(&mut self, params: &DualityParams) -> std::result::Result<Program, String> {
        if self.take(4).ok() != Some(&MAGIC[..]) {
            return Err("is no program file: it does not begin with BLDC".into());
        }
        let version = self.number()?;
        if version != VERSION {
            return Err(format!("version = {version}: must be {VERSION}"));
        }
        let body = self.bytes.len().saturating_sub(8);
        let sum = self.bytes.get(body..).and_then(|sum| Some(u64::from_le_bytes(sum.try_into().ok()?)));
        let found = fnv1a(&self.bytes[..body]);
        if sum != Some(found) {
            return Err(format!(
                "its bytes have the checksum {found:#018x}, which is not what it says: it was changed"
            ));
        }
        let hash = self.long()?;
        if hash != params.hash() {
            let (name, own) = (&params.name, params.hash());
            return Err(format!("was made for a design with hash {hash:#018x}; {name} has {own:#018x}"));
        }
        let arrays = self.number()? as usize;
        let rows = self.number()?;
        let length = self.count("length of the name", 32)?;
        let name = std::str::from_utf8(self.take(length)?).map_err(|_| "its name is not text".to_string())?.to_string();
        let specials = (0..self.count("specials", MOST_SPECIALS)?).map(|_| {
            let code = u64::from(self.number()?);
            let special =
                Special::from_code(code).ok_or_else(|| format!("special = {code}: is no special register"))?;
            Ok((special, self.number()?.into(), self.number()?.into(), self.number()?.into()))
        });
        let specials = specials.collect::<std::result::Result<Vec<Placement>, String>>()?;
        let count = self.count("words", MOST_WORDS)?;
        let words = (0..count).map(|_| {
            let bytes = self.take(16)?.try_into().expect("sixteen bytes");
            Ok(Word(u128::from_le_bytes(bytes)))
        });
        let words = words.collect::<std::result::Result<Vec<Word>, String>>()?;
        let lines = (0..count).map(|_| self.number()).collect::<std::result::Result<Vec<u32>, String>>()?;
        if self.at != body {
            return Err(format!("has {} bytes behind its line table", body.abs_diff(self.at)));
        }
        let program = Program { name, arrays, specials, words, lines };
        if program.check(params).is_ok() && program.rows(params) != u64::from(rows) {
            return Err(format!("rows = {rows}: the program has {}", program.rows(params)));
        }
        Ok(program)
    }
}
