//! The register block's description is consistent.

use super::*;
use crate::array::isa::command::ErrorCode;
use crate::array::isa::{Opcode, row::Operand};
use crate::array::params::COLUMNS;
use crate::array::presets::{PRESETS, preset};
use std::collections::HashSet;

#[test]
fn fields_hold_every_value_that_may_occur() {
    let bits = |r: &str, f: &str| {
        register(r).unwrap().fields.iter().find(|x| x.name == f).unwrap_or_else(|| panic!("{r}.{f}")).bits
    };
    let needs = |largest: usize| (usize::BITS - largest.leading_zeros()) as usize;
    assert_eq!(bits("command", "opcode"), 8);
    assert!(bits("command", "opcode") > needs(crate::array::isa::word::OPCODES - 1));
    assert!(Opcode::ALL.iter().all(|o| needs(o.code() as usize) <= bits("command", "opcode")));
    assert!(Set::ALL.iter().all(|&s| needs(s as usize) <= bits("command", "set")));
    assert_eq!(bits("command", "width"), needs(64));
    assert_eq!(bits("command_s", "s"), needs(1024 - 1));
    assert!(ErrorCode::ALL.iter().all(|e| needs(e.code() as usize) <= bits("error", "code")));
    assert!(Operand::ALL.iter().all(|&o| needs(o as usize) <= bits("error", "operand")));
    assert_eq!(bits("geometry", "rows"), needs(1024));
    assert!(COLUMNS.iter().all(|c| needs(c.ilog2() as usize) <= bits("geometry", "log2_columns")));
    assert_eq!(bits("status", "free"), needs(16));
}

#[test]
fn constants_are_those_of_the_table() {
    assert_eq!(register("status").unwrap().offset, REG_STATUS);
    assert_eq!(register("push").unwrap().offset, REG_PUSH);
    let field = register("command").unwrap().fields.iter().find(|f| f.name == "width").unwrap();
    assert_eq!((field.lsb, field.mask()), (COMMAND_WIDTH_LSB, 0x7f << COMMAND_WIDTH_LSB));
    assert_eq!(register("id").unwrap().fields[0].mask(), u32::MAX);
}

#[test]
fn identification_says_what_the_design_is() {
    for p in &PRESETS {
        let params = p.params();
        for (r, f, value) in identification(&params) {
            let field = register(r).unwrap().fields.iter().find(|x| x.name == f).unwrap();
            assert_eq!(u64::from(value) >> field.bits, 0, "{}: {r}.{f} = {value}", p.name);
        }
    }
    let default = preset("default").unwrap();
    let value = |name| reset_value(&default, register(name).unwrap());
    assert_eq!(value("geometry"), 8 << 16 | 512);
    assert_eq!(value("features"), 8 << 16 | 3 << 8 | 3 << 4 | 3);
    assert_eq!(value("status"), 8 << 8 | 2);
    assert_eq!(u64::from(value("hash_high")) << 32 | u64::from(value("hash_low")), configuration_hash(&default));
}

#[test]
fn hashes_tell_configurations_apart() {
    // Test vectors of the FNV-1a reference.
    assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    let base = preset("default").unwrap();
    let mut hashes: HashSet<u64> = PRESETS.iter().map(|p| configuration_hash(&p.params())).collect();
    let mut swapped = base.clone();
    swapped.latches.reverse();
    swapped.sets.reverse();
    assert_eq!(configuration_hash(&swapped), configuration_hash(&base), "order says nothing");
    for change in [Params { rows: 256, ..base.clone() }, Params { command_fifo: 4, ..base.clone() }] {
        assert!(hashes.insert(configuration_hash(&change)));
    }
}
