//! The micro-programs, one file per family. Each file gives, for every operation of its family, what it asks of its
//! operands and its tables for both sensing modes.
//!
//! A count of the form "paper: n" names the formula of Duality Cache (ISCA 2019), Table 1.

mod arith;
mod bits;
mod compare;
mod cordic_atan;
mod cordic_exp;
mod cordic_log;
mod cordic_rows;
mod cordic_sincos;
mod cordic_sqrt;
mod div;
mod div_and_nor;
mod div_signed;
mod dot_radix_4;
mod float_add;
mod float_add_baseline;
mod float_add_flushed;
mod float_add_flushed_and_nor;
mod float_add_round;
mod float_add_two_bits;
mod float_add_two_bits_up;
mod float_atan;
mod float_class;
mod float_compare;
mod float_div;
mod float_div_baseline;
mod float_div_flushed;
mod float_div_round;
mod float_div_two_bits;
mod float_exceptions;
mod float_exp;
mod float_flushed;
mod float_fma;
mod float_fma_operands;
mod float_fma_product;
mod float_fma_rows;
mod float_fma_sum;
mod float_fma_window;
mod float_from_int;
mod float_integral;
mod float_log;
mod float_mul;
mod float_mul_and_nor;
mod float_mul_baseline;
mod float_mul_flushed;
mod float_mul_flushed_and_nor;
mod float_mul_gathered;
mod float_mul_radix_4;
mod float_mul_round;
mod float_mul_rows;
mod float_narrow;
mod float_operation;
mod float_pack;
mod float_passes;
mod float_quotient_rows;
mod float_ratio;
mod float_rcp;
mod float_rcp_flushed;
mod float_round;
mod float_rows;
mod float_rsqrt;
mod float_sign;
mod float_sincos;
mod float_sqrt;
mod float_sqrt_flushed;
mod float_sqrt_two_bits;
mod float_sqrt_way;
mod float_sum;
mod float_tan;
mod float_tanh;
mod float_tanh_short;
mod float_to_float;
mod float_to_int;
mod float_turns;
mod float_unpack;
mod float_unpacked;
mod float_widen;
mod logic;
mod mul;
mod mul_low;
mod mul_radix_4;
mod shift;

use crate::array::isa::custom;
use crate::array::isa::opcode::{Conversion, Opcode};
use crate::array::isa::operation::{Context, Operation};

/// The description of `opcode` on the given hardware.
pub fn operation(opcode: Opcode, cx: Context) -> Operation {
    let operation = tables(opcode, cx);
    // Programs of floating point are written for `TwoPort`.
    if opcode.needs_float() && !cx.two_port() { operation.on_and_nor(cx) } else { operation }
}

/// The description with the tables as they are written.
fn tables(opcode: Opcode, cx: Context) -> Operation {
    use Opcode as O;
    match opcode {
        O::Load | O::Store | O::Copy | O::Zero | O::Set | O::Not | O::Fill => logic::one_row(opcode),
        O::And | O::Or | O::Xor | O::Nand | O::Nor | O::Xnor => logic::two_rows(opcode),
        O::TagLoad | O::TagStore => logic::tag(opcode),
        O::Select => logic::select(cx),
        O::Add | O::AddCarry => arith::add(opcode),
        O::Sub => arith::sub(cx),
        O::Neg => arith::neg(),
        O::Abs => arith::abs(cx),
        O::Eq | O::Ne => compare::equal(opcode),
        O::LtU | O::LtS | O::LeU | O::LeS | O::GtU | O::GtS | O::GeU | O::GeS => compare::order(opcode, cx),
        O::MinU | O::MinS | O::MaxU | O::MaxS => compare::min_max(opcode, cx),
        O::MulU | O::MulS => mul::mul(opcode, cx),
        O::MulLow => mul_low::mul_low(cx),
        O::MulConst => mul_low::mul_const(),
        O::DotU | O::DotS => mul_low::dot(opcode, cx),
        O::DivU | O::RemU | O::DivRemU => div::unsigned(opcode, cx),
        O::DivS | O::RemS | O::DivRemS => div_signed::signed(opcode, cx),
        O::Shl | O::Shr | O::Sar => shift::shift(opcode, cx),
        O::Rotl | O::Rotr => shift::rotate(opcode, cx),
        O::Popcount => bits::popcount(),
        O::Clz => bits::clz(cx),
        O::Search => bits::search(cx),
        O::FAdd | O::FSub => float_add::add(opcode, cx),
        O::FMul => float_mul::mul(cx),
        O::FFma => float_fma::fma(cx),
        O::FDiv => float_div::div(cx),
        O::FSqrt => float_sqrt::sqrt(cx),
        O::FExp2 | O::FExp => float_exp::exponential(opcode),
        O::FLog2 | O::FLog => float_log::logarithm(opcode),
        O::FSin | O::FCos => float_sincos::sine_or_cosine(opcode),
        O::FTanh => float_tanh::hyperbolic_tangent(),
        O::FTan => float_tan::tangent(),
        O::FAtan => float_atan::arctangent(),
        O::FRcp => float_rcp::reciprocal(cx),
        O::FRsqrt => float_rsqrt::reciprocal_root(cx),
        O::FEq | O::FLt | O::FLe => float_compare::compare(opcode, cx),
        O::FMin | O::FMax | O::FMinimum | O::FMaximum => float_compare::min_max(opcode, cx),
        O::FUnordered => float_compare::unordered(cx),
        O::FClass => float_class::class(),
        O::FUnpack => float_unpack::unpack(cx),
        O::FSum => float_sum::sum(cx),
        O::FPack => float_pack::pack(cx),
        O::FRound => float_integral::integral(cx),
        O::CordicSinCos => cordic_sincos::sin_cos(),
        O::CordicAtan => cordic_atan::atan(),
        O::CordicExp => cordic_exp::exp(),
        O::CordicLog => cordic_log::log(),
        O::CordicSqrt => cordic_sqrt::sqrt(),
        O::FNeg | O::FAbs | O::FCopySign => float_sign::sign(opcode),
        O::Custom0 | O::Custom1 | O::Custom2 | O::Custom3 | O::Custom4 | O::Custom5 => own(opcode, cx),
        _ => conversion(opcode, cx),
    }
}

/// The description of an operation of the library's user. Designs have it only where there is one
/// ([`crate::array::params::Params::check`]).
fn own(opcode: Opcode, cx: Context) -> Operation {
    let described = custom::of(opcode).and_then(|custom| (custom.operation)(opcode, cx));
    described.unwrap_or_else(|| panic!("{opcode:?}: nothing is registered for {cx:?}"))
}

/// The description of a conversion.
fn conversion(opcode: Opcode, cx: Context) -> Operation {
    if let Some(from) = opcode.source_format() {
        return float_to_float::to_float(opcode, from, cx);
    }
    match opcode.conversion().expect("every other operation has a family of its own") {
        Conversion::ToInteger(format) => float_to_int::to_int(opcode, format, cx),
        Conversion::FromInteger(format) => float_from_int::from_int(opcode, format, cx),
    }
}
