//! Addresses as users write them: a number, or a part of the board with an offset.

use crate::error::{Error, Result};
use crate::system::SystemParams;
use crate::system::protocol::{ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE};

/// Parts of the board: name, first address, what is there.
pub const PARTS: [(&str, u32, &str); 5] = [
    ("board", BOARD_BASE, "the board's own registers"),
    ("array", ARRAY_BASE, "the compute array's registers"),
    ("array-memory", ARRAY_MEMORY_BASE, "the array's memory"),
    ("ccs-memory", CCS_MEMORY_BASE, "the cache compute system's memory"),
    ("ccs", CCS_BASE, "the cache compute system's registers"),
];

/// Bytes of a part; registers as far as the table goes.
pub fn bytes(params: &SystemParams, part: &str) -> u64 {
    match part {
        "board" => 1 << 6,
        "array" => 1 << crate::array::registers::ADDRESS_BITS,
        "array-memory" => 8 * params.array_memory_words as u64,
        "ccs-memory" => (params.ccs_memory_lines * params.ccs.line_bytes()) as u64,
        _ => crate::ccs::registers::SPAN,
    }
}

/// A number, decimal or with 0x.
///
/// # Errors
/// [`Error::Parameter`] if it is none, or more than 32 bits.
pub fn number(name: &str, text: &str) -> Result<u32> {
    let digits = text.replace('_', "");
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.map_err(|_| Error::parameter(name, text, "must be a number of up to 32 bits, decimal or with 0x"))
}

/// The address that a text means: `0x20000010`, `array-memory`, `ccs-memory+0x40`.
///
/// # Errors
/// [`Error::Parameter`] if it means none.
pub fn address(text: &str) -> Result<u32> {
    let (part, offset) = text.split_once('+').unwrap_or((text, "0"));
    let Some((_, base, _)) = PARTS.iter().find(|known| known.0 == part) else {
        let known = PARTS.map(|part| part.0).join(", ");
        let rule = format!(
            "must be a number of up to 32 bits, decimal or with 0x, or one of {known}, with +OFFSET or without"
        );
        return number("address", text).map_err(|_| Error::parameter("address", text, rule));
    };
    let offset = number("offset", offset)?;
    base.checked_add(offset).ok_or_else(|| Error::parameter("address", text, "must be within 32 bits"))
}

/// The address map, for people.
pub fn map(params: &SystemParams) -> String {
    let line = |&(name, base, what): &(&str, u32, &str)| {
        format!("{base:#010x}  {:>8}  {name:<12}  {what}\n", bytes(params, name))
    };
    PARTS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_written() {
        for (text, value) in [
            ("16", 16),
            ("0x2000_0010", 0x2000_0010),
            ("array-memory", ARRAY_MEMORY_BASE),
            ("ccs-memory+0x40", CCS_MEMORY_BASE + 0x40),
            ("board+4", 4),
        ] {
            assert_eq!(address(text).expect(text), value);
        }
        for text in ["", "ram", "0x1_0000_0000", "-4", "array+x", "ccs+0xffffffff", "array +4"] {
            let message = address(text).expect_err(text).to_string();
            assert!(message.contains("must be"), "{message}");
        }
        assert!(address("ram").expect_err("no part").to_string().contains("ccs-memory"));
    }

    #[test]
    fn the_map_has_every_part() {
        let map = map(&SystemParams::preset("tiny").expect("named"));
        assert_eq!(map.lines().count(), PARTS.len());
        assert!(map.contains("0x20000000      4096  array-memory"), "{map}");
    }
}
