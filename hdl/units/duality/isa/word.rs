//! A word: 128 bits that are read and written by the table of fields.

use std::fmt;

use super::codes::{Kind, MemoryOp, Source, Space, Trap};
use super::field::{FIELDS, Field, KIND, MEMORY_OP, SOURCE, SPACE, used};

/// A word of a program. Any 128 bits are a word; [`super::legal`] says which may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word(pub u128);

/// Why a word may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The code that the hardware stops with.
    pub code: Trap,
    /// The field.
    pub field: &'static str,
    /// What it holds.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl Illegal {
    /// A field whose value breaks a rule.
    pub fn new(code: Trap, field: &'static str, value: impl ToString, rule: impl Into<String>) -> Illegal {
        Illegal { code, field, value: value.to_string(), rule: rule.into() }
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.field, self.value, self.rule)
    }
}

impl Word {
    /// An empty word of a kind.
    pub fn new(kind: Kind) -> Word {
        Word::default().with(KIND, kind.code())
    }

    /// What a field holds.
    #[inline]
    pub const fn get(self, field: Field) -> u64 {
        field.get(self.0)
    }

    /// Of a word of memory: whether its address, or a term of it, is in rows of the array of its slot.
    #[inline]
    pub fn address_in_rows(self) -> bool {
        let rows = [Source::Row.code(), Source::Indexed.code()].contains(&self.get(SOURCE));
        rows && self.get(SPACE) != Space::Spill.code() && !self.reduces()
    }

    /// Of a word of memory: whether the crossbar does it.
    #[inline]
    pub fn crosses(self) -> bool {
        self.get(SPACE) == Space::Bank.code()
    }

    /// Of a word of memory: whether it is a reduction, which has no address.
    #[inline]
    pub fn reduces(self) -> bool {
        self.crosses() && self.get(MEMORY_OP) != MemoryOp::Load.code()
    }

    /// The same word with another value in a field.
    ///
    /// # Panics
    /// If the value has more bits than the field: who makes words checks values first ([`Word::try_with`]).
    #[must_use]
    #[inline]
    pub fn with(self, field: Field, value: u64) -> Word {
        assert!(value <= field.most(), "{} = {value}: has more than {} bits", field.name, field.bits);
        Word(self.0 & !field.mask() | u128::from(value) << field.lsb)
    }

    /// The same word with another value in a field.
    ///
    /// # Errors
    /// [`Illegal`] if the value has more bits than the field.
    #[inline]
    pub fn try_with(self, field: Field, value: u64) -> Result<Word, Illegal> {
        if value > field.most() {
            return Err(Illegal::new(Trap::Immediate, field.name, value, format!("must be 0 to {}", field.most())));
        }
        Ok(self.with(field, value))
    }

    /// What it is.
    ///
    /// # Errors
    /// [`Illegal`] if no word is of this kind, or bits are set that the kind does not use.
    #[inline]
    pub fn kind(self) -> Result<Kind, Illegal> {
        let code = self.get(KIND);
        let Some(kind) = Kind::from_code(code) else {
            let names: Vec<String> = Kind::ALL.iter().map(|kind| format!("{} ({kind})", kind.code())).collect();
            return Err(Illegal::new(Trap::Kind, KIND.name, code, format!("must be one of {}", names.join(", "))));
        };
        let stray = self.0 & !used(kind);
        if stray != 0 {
            let rule = format!("a {kind} word has no field there: must be 0");
            return Err(Illegal::new(Trap::Unused, "bits", format!("{stray:#x}"), rule));
        }
        Ok(kind)
    }

    /// Its fields with what they hold, as far as its kind is known.
    pub fn fields(self) -> Vec<(Field, u64)> {
        let kind = Kind::from_code(self.get(KIND));
        let own = FIELDS.iter().filter(|field| kind.is_some_and(|kind| field.is_of(kind)));
        own.map(|&field| (field, self.get(field))).collect()
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#034x}", self.0)
    }
}
