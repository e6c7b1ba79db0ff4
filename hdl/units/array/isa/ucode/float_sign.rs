//! Signs of floating-point numbers: the top row of an operand, and the rows below it as they are. Nothing is rounded or
//! flushed, NaN keeps its code, and the mode means nothing.

use crate::array::isa::linear::Term;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Program, each, once};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::row;
use crate::array::isa::ucode::float_rows::{SIGN, linear};
use crate::array::isa::uop::Y;

/// d ← −a, |a|, or |a| with the sign of b.
pub(super) fn sign(opcode: Opcode) -> Operation {
    let bits = linear(1, Term::M, -2);
    let copy = row().b(A.j()).y(Y::B).write(D.j()).up();
    let top = row().write(D.j());
    let top = match opcode {
        Opcode::FNeg => top.b(A.j()).y(Y::NotB),
        Opcode::FCopySign => top.b(B.j()).y(Y::B),
        _ => top,
    };
    let mut operation = Operation::new(opcode, |n, m| n + m - 2).formats().source(A, bits);
    if opcode == Opcode::FCopySign {
        operation = operation.source(B, bits).apart_or_same(B, D);
    }
    let program = Program::new(opcode.name(), vec![each(SIGN, copy), once(top)]).keep_tag();
    operation.result(D, bits).apart_or_same(A, D).program(program)
}
