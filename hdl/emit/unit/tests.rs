//! The record of every unit is consistent.

use std::collections::HashSet;

use super::*;
use bitline_units::regmap::{Access, Reset};

#[test]
fn records_name_what_there_is() {
    for unit in UNITS {
        let presets: Vec<&str> = (unit.presets)().iter().map(|preset| preset.0).collect();
        assert!(presets.contains(&unit.default_preset), "{}", unit.name);
        assert!((unit.preset)("no_such_preset").is_err(), "{}", unit.name);
        for costed in unit.cost.table {
            assert!(presets.contains(&costed.name) == costed.config.is_empty(), "{} {}", unit.name, costed.name);
            assert!(unit.targets.contains(&costed.target), "{} {}", unit.name, costed.name);
        }
    }
}

#[test]
fn registers_and_fields_do_not_overlap() {
    for unit in UNITS {
        let region = unit.regions.iter().find(|region| region.name == "registers").expect("registers are somewhere");
        let (mut names, mut next) = (HashSet::new(), 0);
        for r in unit.registers {
            let at = format!("{} {}", unit.name, r.name);
            assert!(names.insert(r.name), "{at} twice");
            assert!(r.offset % 4 == 0 && r.offset >= next && r.offset + 4 <= region.bytes, "{at}: {:#x}", r.offset);
            assert!(!r.doc.trim().is_empty(), "{at}");
            next = r.offset + 4;
            let (mut fields, mut bit) = (HashSet::new(), 0);
            for f in r.fields {
                assert!(fields.insert(f.name), "{at}.{} twice", f.name);
                assert!(f.bits > 0 && f.lsb >= bit && f.lsb + f.bits <= 32, "{at}.{}", f.name);
                bit = f.lsb + f.bits;
                if let Reset::Value(value) = f.reset {
                    assert_eq!(u64::from(value) >> f.bits, 0, "{at}.{}: reset value", f.name);
                    assert!(value == 0 || f.access != Access::WriteOnly, "{at}.{}", f.name);
                }
            }
        }
    }
}

#[test]
fn presets_differ_and_say_so() {
    for unit in UNITS {
        let mut hashes = HashSet::new();
        for (name, _) in (unit.presets)() {
            let design = (unit.preset)(name).unwrap_or_else(|e| panic!("{} {name}: {e}", unit.name));
            assert_eq!(design.name(), name);
            assert!(hashes.insert(design.hash()), "{} {name}", unit.name);
            let value = |name| unit.registers.iter().find(|r| r.name == name).map(|r| design.reset_value(r));
            let halves = (value("hash_low").expect("it is there"), value("hash_high").expect("it is there"));
            assert_eq!((u64::from(halves.1) << 32) | u64::from(halves.0), design.hash(), "{} {name}", unit.name);
        }
    }
}
