//! Addresses as users write them: a number, or a part of the board with an offset.

use crate::error::{Error, Result};
use crate::system::SystemParams;
use crate::system::protocol::{
    ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE, DUALITY_BASE, DUALITY_MEMORY_BASE,
};

/// Parts that a board may have: name, first address, what is there.
pub const PARTS: [(&str, u32, &str); 7] = [
    ("board", BOARD_BASE, "the board's own registers"),
    ("array", ARRAY_BASE, "the compute array's registers"),
    ("array-memory", ARRAY_MEMORY_BASE, "the array's memory"),
    ("duality", DUALITY_BASE, "the Duality Cache's registers"),
    ("duality-memory", DUALITY_MEMORY_BASE, "the Duality Cache's memory"),
    ("ccs-memory", CCS_MEMORY_BASE, "the cache compute system's memory"),
    ("ccs", CCS_BASE, "the cache compute system's registers"),
];

/// Bytes of a part, 0 if the board does not have it; registers as far as the table goes.
pub fn bytes(params: &SystemParams, part: &str) -> u64 {
    match part {
        "duality" if params.duality.is_some() => 1 << bitline_units::duality::registers::ADDRESS_BITS,
        "duality" => 0,
        "duality-memory" => params.duality.as_ref().map_or(0, |duality| 8 * duality.memory_words as u64),
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

/// Refuses words and bytes that are not there before anything is sent: a whole number of words, at word addresses, that
/// ends within the 32 bits of an address and, if it begins in a memory, within that memory. What begins elsewhere is
/// the board's to judge.
///
/// # Errors
/// [`Error::Parameter`].
pub fn check(params: &SystemParams, address: u32, count: u64) -> Result<()> {
    if !address.is_multiple_of(4) {
        return Err(Error::parameter("address", format!("{address:#x}"), "must be a multiple of 4"));
    }
    if count == 0 {
        return Err(Error::parameter("count", count, "must be at least 1"));
    }
    let end = u64::from(address) + count;
    let part = PARTS.iter().find(|(name, base, _)| {
        let base = u64::from(*base);
        name.ends_with("memory") && (base..base + bytes(params, name)).contains(&u64::from(address))
    });
    if let Some((name, base, _)) = part {
        let size = bytes(params, name);
        if end > u64::from(*base) + size {
            let rule = format!("{count} bytes from here end beyond {name}, which has {size} bytes from {base:#010x}");
            return Err(Error::parameter("address", format!("{address:#010x}"), rule));
        }
    }
    if end > 1 << 32 {
        let rule = format!("{count} bytes from here end beyond 32 bits of address");
        return Err(Error::parameter("address", format!("{address:#010x}"), rule));
    }
    Ok(())
}

/// Bytes that a range may have at most which begins at this address.
pub fn room(params: &SystemParams, address: u32) -> u64 {
    let ends = PARTS.iter().map(|(name, base, _)| (u64::from(*base), u64::from(*base) + bytes(params, name)));
    let inside = ends.filter(|(base, end)| (*base..*end).contains(&u64::from(address))).map(|(_, end)| end).next();
    inside.unwrap_or(1 << 32) - u64::from(address)
}

/// A part of the board, for programs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Part {
    /// Its name in addresses.
    pub name: &'static str,
    /// First address.
    pub address: u32,
    /// Bytes.
    pub bytes: u64,
    /// What is there.
    pub what: &'static str,
}

/// The address map.
pub fn parts(params: &SystemParams) -> Vec<Part> {
    let part = |&(name, address, what)| Part { name, address, bytes: bytes(params, name), what };
    PARTS.iter().map(part).filter(|part| part.bytes > 0).collect()
}

/// The address map, for people.
pub fn map(params: &SystemParams) -> String {
    let parts = parts(params);
    let width = parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    let line = |part: &Part| {
        let Part { name, address, bytes, what } = part;
        format!("{address:#010x}  {bytes:>8}  {name:<width$}  {what}\n")
    };
    parts.iter().map(line).collect()
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
    fn what_is_not_there_is_refused() {
        let params = SystemParams::preset("tiny").expect("named");
        let said = |address, count| check(&params, address, count).map_err(|e| e.to_string());
        for (address, count) in [(ARRAY_MEMORY_BASE, 4096), (ARRAY_MEMORY_BASE + 4092, 4), (0x3000_0000, 1 << 28)] {
            assert_eq!(said(address, count), Ok(()), "{address:#x}");
        }
        for (address, count, wanted) in [
            (ARRAY_MEMORY_BASE + 4092, 8, "8 bytes from here end beyond array-memory, which has 4096 bytes"),
            (ARRAY_MEMORY_BASE + 2, 4, "address = 0x20000002: must be a multiple of 4"),
            (CCS_BASE, 0, "count = 0: must be at least 1"),
            (0xffff_fffc, 8, "end beyond 32 bits of address"),
        ] {
            let message = said(address, count).expect_err("must be refused");
            assert!(message.contains(wanted), "{message}");
        }
        assert_eq!((room(&params, ARRAY_MEMORY_BASE + 96), room(&params, 0xf000_0000)), (4000, 1 << 28));
    }

    #[test]
    fn the_map_has_every_part() {
        let map = map(&SystemParams::preset("tiny").expect("named"));
        assert_eq!(map.lines().count(), PARTS.len() - 2, "no Duality Cache");
        assert!(map.contains("0x20000000      4096  array-memory"), "{map}");
        let params = SystemParams::preset("duality-tiny").expect("named");
        assert_eq!(super::map(&params).lines().count(), PARTS.len());
        assert!(super::map(&params).contains("0x28000000     65536  duality-memory"), "{}", super::map(&params));
        assert_eq!(room(&params, DUALITY_MEMORY_BASE + 96), 65440);
    }
}
