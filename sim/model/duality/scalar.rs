//! The scalar unit: what its operations compute, in plain integers.

use bitline_units::duality::isa::codes::ScalarOp;

/// The result of an operation; `c` is what a selection looks at.
pub fn evaluate(op: ScalarOp, a: u32, b: u32, c: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match op {
        ScalarOp::Set => b,
        ScalarOp::Add => a.wrapping_add(b),
        ScalarOp::Sub => a.wrapping_sub(b),
        ScalarOp::And => a & b,
        ScalarOp::Or => a | b,
        ScalarOp::Xor => a ^ b,
        ScalarOp::Shl => a.checked_shl(b).unwrap_or(0),
        ScalarOp::Shr => a.checked_shr(b).unwrap_or(0),
        ScalarOp::Sar => (signed_a >> b.min(31)) as u32,
        ScalarOp::Mul => a.wrapping_mul(b),
        ScalarOp::LtU => u32::from(a < b),
        ScalarOp::LtS => u32::from(signed_a < signed_b),
        ScalarOp::Eq => u32::from(a == b),
        ScalarOp::MinU => a.min(b),
        ScalarOp::MinS => signed_a.min(signed_b) as u32,
        ScalarOp::MaxU => a.max(b),
        ScalarOp::MaxS => signed_a.max(signed_b) as u32,
        ScalarOp::Select => {
            if c != 0 {
                a
            } else {
                b
            }
        }
    }
}
