//! The instruction set is consistent, and geometries are checked.

use super::*;

#[test]
fn codes_and_names_are_unique() {
    for (i, op) in CacheOp::ALL.into_iter().enumerate() {
        assert_eq!(CacheOp::from_code(op as u8), Some(op));
        assert!((op as usize) < 1 << CACHE_OP_BITS);
        assert!(CacheOp::ALL[..i].iter().all(|other| other.name() != op.name()));
        assert_ne!(op.has(control::D), op.has(control::MASK), "{op:?}: a destination or a mask");
        assert!(!(op.has(control::B) && op.has(control::KEY)), "{op:?}: b is an operand or a key");
    }
    assert_eq!(CacheOp::from_code(0), None);
}

#[test]
fn presets_are_legal_and_have_their_sizes() {
    let sizes = CACHE_PRESETS.map(|(name, ..)| {
        let geometry = CacheGeometry::preset(name).expect("named");
        geometry.check().unwrap_or_else(|e| panic!("{name}: {e}"));
        (geometry.bytes(), geometry.page())
    });
    assert_eq!(sizes, [(2 << 20, 4096), (256 << 10, 1024), (32 << 10, 256), (256, 64)]);
    assert!(CacheGeometry::preset("l4").is_err());
}

#[test]
fn bad_parameters_are_refused() {
    let base = CacheGeometry::preset("l2").expect("named");
    let bad = [
        ("block_bytes", CacheGeometry { block_bytes: 32, ..base.clone() }),
        ("banks", CacheGeometry { banks: 3, ..base.clone() }),
        ("sub_arrays", CacheGeometry { sub_arrays: 0, ..base.clone() }),
        ("partitions", CacheGeometry { partitions: 32, ..base.clone() }),
        ("rows", CacheGeometry { rows: 100, ..base.clone() }),
        ("rows", CacheGeometry { rows: 1024, partitions: 16, ..base.clone() }),
        ("instructions", CacheGeometry { instructions: 16, ..base.clone() }),
        ("issue", CacheGeometry { issue: 16, ..base.clone() }),
    ];
    for (name, geometry) in bad {
        let error = geometry.check().expect_err(name).to_string();
        assert!(error.starts_with(&format!("{name} = ")), "{error}");
    }
}

/// Each rule by an example, in a memory of 32 KiB with pages of 256 bytes.
#[test]
fn rules_are_applied_in_order() {
    let geometry = CacheGeometry::preset("l1").expect("named");
    let check = |op, a, b, d, size| CacheInstruction::new(op, a, b, d, size).check(&geometry);
    let code = |op, a, b, d, size| check(op, a, b, d, size).expect_err("a rule is broken");
    let fault = |code, address| CacheFault { code, address };
    assert_eq!(code(CacheOp::Copy, 0, 0, 64, 0), fault(CacheError::Size, 0));
    assert_eq!(code(CacheOp::Copy, 1, 0, 64, 96), fault(CacheError::Size, 96));
    assert_eq!(code(CacheOp::Copy, 0, 0, 64, LARGEST + 64), fault(CacheError::Size, LARGEST + 64));
    assert_eq!(code(CacheOp::Compare, 0, 0, 0, 576), fault(CacheError::Size, 576));
    assert_eq!(code(CacheOp::Copy, 8, 0, 3, 64), fault(CacheError::Alignment, 8));
    assert_eq!(code(CacheOp::Copy, 0, 0, 3, 64), fault(CacheError::Alignment, 3));
    assert_eq!(code(CacheOp::And, 0, 32704, 0, 128), fault(CacheError::Outside, 32704));
    assert_eq!(code(CacheOp::Search, 0, 32768, 0, 512), fault(CacheError::Outside, 32768));
    assert_eq!(code(CacheOp::Zero, 9, 9, 0xffff_ffc0, 64), fault(CacheError::Outside, 0xffff_ffc0));
    assert_eq!(code(CacheOp::Xor, 0, 4096, 64, 128), fault(CacheError::Overlap, 64));
    assert_eq!(CacheInstruction { op: 15, ..Default::default() }.check(&geometry), Err(fault(CacheError::Opcode, 0)));
    let clmul = |grain, size| CacheInstruction { grain, ..CacheInstruction::new(CacheOp::Clmul, 0, 256, 0, size) };
    assert_eq!(clmul(3, 64).check(&geometry), Err(fault(CacheError::Granularity, 0)));
    assert_eq!(clmul(0, 1024).check(&geometry), Err(fault(CacheError::Size, 1024)));
    assert!(clmul(1, 1024).check(&geometry).is_ok() && clmul(2, 2048).check(&geometry).is_ok());
    let plan = check(CacheOp::Xor, 256, 512, 256, 128).expect("d may be a");
    assert_eq!((plan.a, plan.b, plan.d, plan.blocks, plan.near), (4, 8, 4, 2, false));
    assert!(check(CacheOp::Xor, 256, 512, 1088, 128).expect("legal").near);
    assert!(!check(CacheOp::Search, 256, 64, 0, 64).expect("legal").near, "a key may lie anywhere");
    assert!(!check(CacheOp::Zero, 1, 1, 64, 64).expect("a and b do not count").near);
}

#[test]
fn files_start_from_a_preset() {
    let parse = |text| CacheGeometry::parse(text, "my.toml", "my file");
    let geometry = parse("base = \"l1\"\nbanks = 4\n").expect("legal");
    let sizes = (&geometry.name[..], geometry.banks, geometry.issue, geometry.rows, geometry.partitions);
    assert_eq!(sizes, ("my_file", 4, 4, 128, 2));
    let wrong = [
        ("\nbank = 4", "my.toml, line 2"),
        ("banks = 3", "my.toml, line 1: banks = 3"),
        ("base = \"big\"", "my.toml, line 1: base = big"),
        ("name = \"a b\"", "name = a b"),
        ("issue = 16", "issue = 16"),
    ];
    for (text, part) in wrong {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(part), "{error}");
    }
}
