//! Kinds of operations that the rules on rows speak of.

use bitline_units::array::isa::Opcode;
use bitline_units::array::params::{Params, Sensing};

/// Whether columns see both bits of the two rows read.
pub(super) fn two_port(params: &Params) -> bool {
    params.sensing == Sensing::TwoPort
}

/// ⌈log2 n⌉.
pub(super) fn log2(n: u32) -> u32 {
    n.max(1).next_power_of_two().ilog2()
}

pub(super) fn is_two_row_logic(op: Opcode) -> bool {
    matches!(op, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Nand | Opcode::Nor | Opcode::Xnor)
}

pub(super) fn is_equality(op: Opcode) -> bool {
    matches!(op, Opcode::Eq | Opcode::Ne)
}

pub(super) fn is_order(op: Opcode) -> bool {
    use Opcode::{GeS, GeU, GtS, GtU, LeS, LeU, LtS, LtU};
    matches!(op, LtU | LtS | LeU | LeS | GtU | GtS | GeU | GeS)
}

pub(super) fn is_choice(op: Opcode) -> bool {
    matches!(op, Opcode::MinU | Opcode::MinS | Opcode::MaxU | Opcode::MaxS)
}

pub(super) fn is_shift(op: Opcode) -> bool {
    matches!(op, Opcode::Shl | Opcode::Shr | Opcode::Sar)
}

pub(super) fn is_rotation(op: Opcode) -> bool {
    matches!(op, Opcode::Rotl | Opcode::Rotr)
}

pub(super) fn is_unsigned_division(op: Opcode) -> bool {
    matches!(op, Opcode::DivU | Opcode::RemU | Opcode::DivRemU)
}

pub(super) fn is_signed_division(op: Opcode) -> bool {
    matches!(op, Opcode::DivS | Opcode::RemS | Opcode::DivRemS)
}

pub(super) fn is_dot(op: Opcode) -> bool {
    matches!(op, Opcode::DotU | Opcode::DotS)
}
