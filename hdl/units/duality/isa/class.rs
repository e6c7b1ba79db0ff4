//! What a window has to know of each operation: how many rows its operands have, and where they come from. The rows
//! follow from the operation's own description; here they become codes of a ROM.

use super::compute::has;
use super::field::OPCODE;
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::isa::row::Operand;
use crate::array::isa::word::{Field, layout};
use crate::array::isa::{Opcode, Set};
use crate::array::params::Params;
use crate::duality::passes::Pass;

/// How many rows an operand has. The width is the word's, and of a number of a format the number's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Size {
    /// None: there is no such operand.
    None = 0,
    /// One.
    One = 1,
    /// As many as the width.
    Width = 2,
    /// Twice as many.
    Twice = 3,
    /// One more than the width.
    More = 4,
    /// One more than the logarithm of the width.
    Log2 = 5,
    /// The second width.
    Second = 6,
    /// Ten: a class.
    Ten = 7,
    /// Eight: a number of a format that the operation fixes. So are the next three.
    Eight = 8,
    /// Sixteen.
    Sixteen = 9,
    /// Thirty-two.
    ThirtyTwo = 10,
    /// Sixty-four.
    SixtyFour = 11,
}

layout! {
    /// What the ROM says of an operation.
    class {
        /// Words have it.
        KNOWN: 1 => KNOWN_LSB, KNOWN_BITS;
        /// Its widths are those of the word's format.
        FLOAT: 1 => FLOAT_LSB, FLOAT_BITS;
        /// The modifier says how it rounds and flushes.
        MODE: 1 => MODE_LSB, MODE_WIDTH;
        /// Its second source is a key: a factor that all threads share.
        KEY: 1 => KEY_LSB, KEY_BITS;
        /// Its result has rows of its own width, which the immediate names.
        ACCUMULATES: 1 => ACCUMULATES_LSB, ACCUMULATES_BITS;
        /// It writes a second result.
        SECOND_RESULT: 1 => SECOND_RESULT_LSB, SECOND_RESULT_BITS;
        /// [`super::Size`] of the first source.
        A_ROWS: 4 => A_ROWS_LSB, A_ROWS_BITS;
        /// [`super::Size`] of the second source.
        B_ROWS: 4 => B_ROWS_LSB, B_ROWS_BITS;
        /// [`super::Size`] of the result.
        D_ROWS: 4 => D_ROWS_LSB, D_ROWS_BITS;
        /// [`Pass`](crate::duality::passes::Pass) that it is where all threads share b; 0 if there is none.
        PASS: crate::duality::passes::PASS_BITS => PASS_LSB, PASS_WIDTH;
    }
}

impl Size {
    const ALL: [Size; 12] = [
        Size::None,
        Size::One,
        Size::Width,
        Size::Twice,
        Size::More,
        Size::Log2,
        Size::Second,
        Size::Ten,
        Size::Eight,
        Size::Sixteen,
        Size::ThirtyTwo,
        Size::SixtyFour,
    ];

    /// So many rows, for a width and a second width.
    pub fn rows(self, width: u32, second: u32) -> u32 {
        match self {
            Size::None => 0,
            Size::One => 1,
            Size::Width => width,
            Size::Twice => 2 * width,
            Size::More => width + 1,
            Size::Log2 => width.next_power_of_two().ilog2() + 1,
            Size::Second => second,
            Size::Ten => 10,
            Size::Eight => 8,
            Size::Sixteen => 16,
            Size::ThirtyTwo => 32,
            Size::SixtyFour => 64,
        }
    }
}

/// The ROM's word for an operation; 0 if words do not have it.
///
/// # Panics
/// If an operand of the operation has another number of rows than those of [`Size`].
pub fn word(params: &Params, opcode: Opcode) -> u64 {
    if !has(opcode) || !params.knows(opcode) {
        return 0;
    }
    let operation = Operation::of(opcode, Context::of(params, Set::Fast));
    let float = opcode.is_float() && opcode.conversion().is_none();
    let size = |operand| {
        let Some(extent) = operation.extent_of(operand) else { return Size::None };
        // Of a format, n and m are the widths of its parts, with two bits in both.
        let rows = |n: i32, m: i32| extent.rows.value(n, m) as u32;
        let widths = [(26, 8), (55, 11), (13, 5), (6, 4), (64, 3), (8, 64), (16, 16)];
        let same = |size: &Size| {
            widths.iter().all(|&(n, m)| {
                let width = if float { n + m - 2 } else { n };
                size.rows(width as u32, m as u32) == rows(n, m)
            })
        };
        Size::ALL.into_iter().find(same).unwrap_or_else(|| panic!("{opcode}: {operand:?} has {} rows", extent.rows))
    };
    let role = |operand| operation.extent_of(operand).map(|extent| extent.role);
    let mut word = 0;
    class::KNOWN.set(&mut word, 1);
    class::FLOAT.set(&mut word, float.into());
    class::MODE.set(&mut word, opcode.is_float().into());
    class::KEY.set(&mut word, (opcode == Opcode::MulConst).into());
    class::ACCUMULATES.set(&mut word, (role(Operand::D) == Some(Role::Accumulator)).into());
    class::SECOND_RESULT.set(&mut word, (role(Operand::E) == Some(Role::Result)).into());
    class::A_ROWS.set(&mut word, size(Operand::A) as u64);
    class::B_ROWS.set(&mut word, size(Operand::B) as u64);
    class::D_ROWS.set(&mut word, size(Operand::D) as u64);
    class::PASS.set(&mut word, Pass::of(opcode).map_or(0, Pass::code));
    word as u64
}

/// The ROM, by opcode.
pub fn words(params: &Params) -> Vec<u64> {
    (0..=OPCODE.most()).map(|code| Opcode::from_code(code).map_or(0, |opcode| word(params, opcode))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duality::params::DualityParams;

    #[test]
    fn second_results_are_as_wide_as_the_first() {
        let params = DualityParams::preset("tiny").expect("it is there").array();
        let mut known = 0;
        for (code, &word) in words(&params).iter().enumerate().filter(|(_, word)| **word != 0) {
            let opcode = Opcode::from_code(code as u64).expect("it is known");
            let operation = Operation::of(opcode, Context::of(&params, Set::Fast));
            if class::SECOND_RESULT.get(word.into()) == 1 {
                let rows = |operand| operation.extent_of(operand).map(|extent| extent.rows);
                assert_eq!(rows(Operand::E), rows(Operand::D), "{opcode}");
            }
            known += 1;
        }
        assert_eq!(known, Opcode::ALL.iter().filter(|&&opcode| has(opcode)).count());
    }
}
