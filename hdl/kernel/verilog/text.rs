//! Verilog text of constants, bits of nets, and widths of indices.

use num_bigint::BigUint;

/// Text of a constant: decimal when small, else hexadecimal.
pub(super) fn constant(value: &BigUint, width: u32) -> String {
    if width == 1 {
        return format!("1'b{value}");
    }
    if width <= 4 { format!("{width}'d{value}") } else { format!("{width}'h{value:x}") }
}

pub(super) fn zero(width: u32) -> String {
    constant(&BigUint::default(), width)
}

/// Bits of a net.
pub(super) fn part(name: &str, net_width: u32, low: u32, width: u32) -> String {
    match (net_width, width) {
        (1, _) => name.to_string(),
        (w, _) if w == width => name.to_string(),
        (_, 1) => format!("{name}[{low}]"),
        _ => format!("{name}[{}:{low}]", low + width - 1),
    }
}

/// Bits that count up to, but not including, `limit`.
pub(super) fn index_bits(limit: usize) -> u32 {
    (usize::BITS - (limit - 1).leading_zeros()).max(1)
}
