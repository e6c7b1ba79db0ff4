//! The Duality Cache's AXI4-Lite address space, described once, in the way of [`crate::regmap`]: registers from 0, then
//! parameters from [`PARAMETERS`] on, special registers from [`SPECIALS`] on and DC-pages from [`PAGES`] on.
//!
//! What a launch is made of can only be written while none is under way. A write that may not be has no effect, is
//! answered with SLVERR, and is counted in `refused`.

mod lines;
mod table;

use crate::duality::params::{DualityParams, MOST_INDEX, PC_BITS, SCALARS};
use crate::regmap::{Field, Register, Reset, fnv1a, writable_in};

pub use super::isa::program::MOST_SPECIALS;
pub use lines::*;
pub use table::*;

/// Bits of a byte address.
pub const ADDRESS_BITS: usize = 11;
/// Bytes that the registers take.
pub const SPAN: u64 = 0x100;
/// Byte address of parameter 0: a word for each scalar register. They are written whole, and read 0.
pub const PARAMETERS: u64 = 0x100;
/// Byte address of the first special register: a word for each, as [`special_word`] says. They are written whole, and
/// read 0.
pub const SPECIALS: u64 = 0x180;
/// Byte address of the first DC-page: a word for each, as [`page_word`] says. They are written whole, and read 0.
pub const PAGES: u64 = 0x400;
/// DC-pages that are mapped at a time: page n of the address space has entry n modulo this.
pub const MOST_PAGES: usize = 256;
/// log2 of a DC-page's bytes.
pub const PAGE_LOG: usize = 16;
/// `BTDC` in ASCII, the first character in the lowest byte.
pub const MAGIC: u32 = u32::from_le_bytes(*b"BTDC");

const COUNT: usize = table::REGISTERS.len() + lines::REGISTERS.len();
const ALL: [Register; COUNT] = {
    let mut all = [table::REGISTERS[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        let from = table::REGISTERS.len();
        all[at] = if at < from { table::REGISTERS[at] } else { lines::REGISTERS[at - from] };
        at += 1;
    }
    all
};
/// Every register, in the order of offsets.
pub const REGISTERS: &[Register] = &ALL;

/// The bits of a register that keep what is written to them. 0 where there is no register.
pub const fn writable(offset: u64) -> u64 {
    writable_in(REGISTERS, offset)
}

/// The word of a special register in the list from [`SPECIALS`] on: its code, and the rows of which array hold it.
pub fn special_word(code: u64, slot: u64, row: u64, rows: u64) -> u32 {
    (1 << 31 | (rows - 1) << 25 | row << 16 | slot << 8 | code) as u32
}

/// The word of a DC-page in the table from [`PAGES`] on: page `page` of the address space is where memory has page
/// `physical`, both counted in pages of 64 KiB.
pub fn page_word(page: u32, physical: u16, writable: bool) -> u32 {
    1 << 31 | u32::from(writable) << 30 | (page >> MOST_PAGES.ilog2()) << 16 | u32::from(physical)
}

/// The register of this name.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}

/// What a register holds after reset in the design with these parameters.
pub fn reset_value(params: &DualityParams, register: &Register) -> u32 {
    let value = |f: &Field| match f.reset {
        Reset::Value(value) => value,
        Reset::Design => design_value(params, register.name, f.name),
    };
    register.fields.iter().map(|f| value(f) << f.lsb).fold(0, |sum, bits| sum | bits)
}

fn design_value(params: &DualityParams, register: &str, field: &str) -> u32 {
    let version = |part: &str| part.parse::<u32>().expect("cargo checks the version");
    let halves = |hash: u64| [hash as u32, (hash >> 32) as u32];
    let ([low, high], [program_low, program_high]) = (halves(configuration_hash(params)), halves(params.hash()));
    match (register, field) {
        ("version", "patch") => version(env!("CARGO_PKG_VERSION_PATCH")),
        ("version", "minor") => version(env!("CARGO_PKG_VERSION_MINOR")),
        ("version", "major") => version(env!("CARGO_PKG_VERSION_MAJOR")),
        ("geometry", "columns") => params.columns.ilog2(),
        ("geometry", "banks") => params.banks as u32,
        ("geometry", "rows") => params.rows.ilog2(),
        ("geometry", "ring") => params.ring.ilog2(),
        ("geometry", "blocks") => params.blocks as u32,
        ("cache", "ways") => params.cache_ways as u32,
        ("cache", "sets") => params.cache_sets.ilog2(),
        ("cache", "mshr") => params.mshr.ilog2(),
        ("cache", "lines") => params.line_operations.into(),
        ("hash_low", "hash") => low,
        ("hash_high", "hash") => high,
        ("program_low", "hash") => program_low,
        ("program_high", "hash") => program_high,
        ("ways", "enabled") => (1 << params.cache_ways) - 1,
        _ => unreachable!("a test asks for every field"),
    }
}

/// Identifies a design: FNV-1a over its parameters as JSON, the name apart.
pub fn configuration_hash(params: &DualityParams) -> u64 {
    let mut seen = serde_json::to_value(params).expect("numbers and strings always serialise");
    seen.as_object_mut().expect("parameters are a table").remove("name");
    fnv1a(seen.to_string().as_bytes())
}

const _: () = assert!(MOST_INDEX < 1 << PC_BITS && SCALARS * 4 == (SPECIALS - PARAMETERS) as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duality::isa::codes::{Special, Trap};
    use crate::duality::params::DUALITY_PRESETS;

    #[test]
    fn fields_hold_every_value_that_may_occur() {
        for (name, ..) in DUALITY_PRESETS {
            let params = DualityParams::preset(name).expect("named");
            for r in REGISTERS {
                for f in r.fields.iter().filter(|f| f.reset == Reset::Design) {
                    let value = design_value(&params, r.name, f.name);
                    assert_eq!(u64::from(value) >> f.bits, 0, "{name}: {}.{}", r.name, f.name);
                }
            }
            for arrays in [1, 2, 4] {
                let threads = params.threads(arrays) as u64;
                for (r, f) in [("block_x", "count"), ("at_once", "count")] {
                    let field = register(r).and_then(|r| r.fields.iter().find(|x| x.name == f)).expect("named");
                    assert_eq!(threads >> field.bits, 0, "{name}: {r}");
                }
            }
        }
        assert!(Trap::ALL.iter().all(|trap| trap.code() < 256) && Special::ALL.iter().all(|&s| s.code() < 8));
        assert!(REGISTERS.iter().all(|r| r.offset < SPAN));
    }

    #[test]
    fn words_of_the_lists_have_their_fields() {
        assert_eq!(special_word(6, 3, 511, 32), 1 << 31 | 31 << 25 | 511 << 16 | 3 << 8 | 6);
        assert_eq!(page_word(0x1234, 0xfedc, true), 0xc012_fedc);
        assert_eq!(page_word(0x34, 1, false), 0x8000_0001);
    }

    #[test]
    fn the_hash_tells_designs_apart_but_not_names() {
        let tiny = DualityParams::preset("tiny").expect("it is there");
        let hash = configuration_hash(&tiny);
        assert_eq!(configuration_hash(&DualityParams { name: "other".into(), ..tiny.clone() }), hash);
        assert_ne!(configuration_hash(&DualityParams { cache_sets: 32, ..tiny.clone() }), hash);
        assert_eq!(DualityParams { cache_sets: 32, ..tiny.clone() }.hash(), tiny.hash(), "programs see no cache");
    }
}
