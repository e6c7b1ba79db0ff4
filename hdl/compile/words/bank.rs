//! Exchanges in warps by the crossbar: shuffles of a lane that is there, reductions and votes of all lanes.

use bitline_units::duality::isa::codes::{Element, MemoryOp, Predicate, Space};

use super::code::{Code, Part, Start};
use super::fill::cut;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::Operand;
use crate::ptx::types::Word;

impl Select<'_> {
    /// `shfl` of a lane of the thread's own warp.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn shuffle(&mut self) -> Result<()> {
        let (start, offset) = match self.operand(2)? {
            Home::Rows(part) => (Start::Rows(cut(part, 32), 0, None), 0),
            Home::Scalar(name) => (Start::Scalar(name), 0),
            Home::Number(lane) => (Start::Zero, lane as u32),
        };
        self.exchange(MemoryOp::Load, start, offset)
    }

    /// `redux` and `vote` of all lanes of a warp.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn reduce(&mut self) -> Result<()> {
        let it = self.it();
        let pick = |unsigned, signed| if it.ty().is_signed() { signed } else { unsigned };
        let words = [Word::Add, Word::Min, Word::Max, Word::And, Word::Or, Word::Xor, Word::All, Word::Any];
        let op = match it.words.one_of(&words) {
            Some(Word::Add) => MemoryOp::Add,
            Some(Word::Min) => pick(MemoryOp::MinU, MemoryOp::MinS),
            Some(Word::Max) => pick(MemoryOp::MaxU, MemoryOp::MaxS),
            Some(Word::And | Word::All) => MemoryOp::And,
            Some(Word::Or | Word::Any) => MemoryOp::Or,
            Some(Word::Xor) => MemoryOp::Xor,
            _ => return self.refuse("the crossbar does not do it"),
        };
        self.exchange(op, Start::Zero, 0)
    }

    /// A word of the crossbar with the rows of operand 1.
    fn exchange(&mut self, op: MemoryOp, start: Start, offset: u32) -> Result<()> {
        let Operand::Register(register) = self.it().operands[0] else { return self.refuse("such a result") };
        let home = self.operand(1)?;
        let (d, _) = self.result(register);
        let mut b = self.in_rows(home, d.rows);
        if b.rows < d.rows {
            let whole = self.rows(d.rows);
            self.fill(whole, Home::Rows(b), Predicate::All);
            b = whole;
        }
        let predicate = self.active();
        self.emit(Code::Memory {
            op,
            space: Space::Bank,
            element: Element::B8,
            signed: false,
            d: Some(d),
            b: Some(Part { signed: false, ..b }),
            s: None,
            start,
            offset,
            predicate,
        });
        Ok(())
    }
}
