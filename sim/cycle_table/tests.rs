//! The table against what it is measured from.

use super::*;

fn rows(ops: &[&str], widths: &[u8]) -> Vec<CycleRow> {
    let ops = ops.iter().map(|op| op.to_string()).collect();
    let selection = Selection { ops, widths: widths.to_vec(), ..Selection::default() };
    measure(&selection, Engine::Model, 11, &mut |_, _| ()).expect("results are right")
}

#[test]
fn every_operation_has_every_variant() {
    let rows = rows(&[], &[8]);
    // Without the row streams and the two operations of one row.
    let float =
        Opcode::ALL.iter().filter(|opcode| opcode.is_float() && !opcode.is_function() && !opcode.is_unpacked()).count();
    // Nor has a function of binary32 numbers, and there are no unpacked ones of formats of 8 bits.
    let unpacked = Opcode::ALL.iter().filter(|opcode| opcode.is_unpacked()).count();
    let functions = Opcode::ALL.iter().filter(|opcode| opcode.is_function()).count();
    // No fixed-point function has so few bits.
    let cordic = Opcode::ALL.iter().filter(|opcode| opcode.is_cordic()).count();
    let opcodes = Opcode::ALL.len() - 4 - float - functions - unpacked - cordic;
    let conversions = Opcode::ALL.iter().filter(|opcode| opcode.conversion().is_some()).count();
    // Two formats have 8 bits. A conversion has a format of its own.
    let modes = Context::all().into_iter().filter(|cx| !cx.radix_4()).count();
    let float = (float - conversions) * 2 * modes + conversions * modes;
    // With radix 4, `mul` and `dot` in both signs and `mul_low` have rows: unsigned `mul` in the fast set alone, signed
    // `mul` in all but the papers'. So have `fmul` and `ffma`, in two formats and all sets.
    let products = 2 * 2 * 2 * 3;
    assert_eq!(rows.len(), opcodes * modes + float + 2 * (3 * 3 + 2 + 1) + products);
    assert_eq!(rows.iter().filter(|row| row.format.is_some()).count(), float + products);
    assert_eq!(self::rows(&["tag_load", "tag_store"], &[1]).len(), 2 * modes);
    let over: Vec<_> = rows.iter().filter(|r| r.verdict() == Verdict::Missed).collect();
    assert!(over.is_empty(), "above their targets: {over:?}");
}

/// On behavioural memory nothing stalls: the count is the formula, except for branches of the skip set.
#[test]
fn behavioural_counts_are_the_formulas() {
    for row in rows(&["add", "sub", "mul", "mul_low", "divrem", "lt", "shl", "popcount", "search"], &[8, 16]) {
        if row.memory == Memory::Behavioural && row.set != Set::Skip {
            assert_eq!(row.rtl_cycles, row.formula_cycles, "{row:?}");
        }
    }
}

/// Fixed-point functions take fewer cycles than the paper has for as many steps; no data change them.
#[test]
fn cordic_counts() {
    let all = rows(&["cordic_sincos", "cordic_exp", "cordic_log", "cordic_sqrt", "cordic_atan"], &[16, 32]);
    assert_eq!(all.len(), 5 * 2 * 12);
    for row in &all {
        println!("{} {} {} {}: {} cycles", row.op, row.width, row.memory, row.set.name(), row.rtl_cycles);
        let waits = row.rtl_cycles - row.formula_cycles;
        assert!(if row.memory == Memory::Behavioural { waits == 0 } else { waits <= 40 }, "{row:?}");
        // Rows that are made for `AndNor` columns are more.
        let tenths = if row.sensing == Sensing::TwoPort { 4 } else { 6 };
        assert!(row.paper_cycles.is_none_or(|paper| 10 * row.rtl_cycles < tenths * paper), "{row:?}");
    }
}

/// On block RAM few rows of a floating-point operation wait for the one before; counts are those of no other data.
#[test]
fn floating_point_counts() {
    let arithmetic = [
        "fadd", "fsub", "fmul", "fdiv", "fsqrt", "ffma", "frcp", "frsqrt", "fexp2", "fexp", "flog2", "flog", "fsin",
        "fcos", "ftan", "ftanh", "fatan",
    ];
    let others = ["flt", "fminimum", "funordered", "fclass", "fround", "funpack", "fsum", "fpack"];
    let all = rows(&[&arithmetic[..], &others].concat(), &[]);
    for row in all.iter().filter(|row| row.set == Set::Fast) {
        let format = row.format.expect("it has one");
        println!("{} {format} {}: {} cycles, {} scratch rows", row.op, row.memory, row.rtl_cycles, row.scratch_rows);
        let waits = row.rtl_cycles - row.formula_cycles;
        // Functions have many short passes, each of which begins with what the one before it has written.
        let function = Opcode::ALL.iter().any(|opcode| opcode.is_function() && opcode.mnemonic() == row.op);
        let most = if row.rtl_cycles > 2000 && format == "f32" || function { 60 } else { 20 };
        assert!(if row.memory == Memory::Behavioural { waits == 0 } else { waits <= most }, "{row:?}");
    }
    let single: Vec<_> = all.iter().filter(|row| row.format == Some("f32")).collect();
    let scratch = |row: &&CycleRow| match row.op {
        "flt" => 9,
        "fminimum" | "funordered" | "fclass" => 8,
        "fround" => 43,
        "funpack" => 4,
        "fsum" => 41,
        "fpack" => 47,
        "fexp2" | "fexp" => 103,
        "flog2" | "flog" => 88,
        "fsin" | "fcos" | "ftan" => 123,
        "ftanh" => 142,
        "fatan" => 134,
        _ => 48,
    };
    assert!(single.iter().all(|row| (row.width, row.scratch_rows) == (32, scratch(row))), "{single:?}");
}

/// Conversions between formats have rows by the result's format.
#[test]
fn conversions_between_formats_count() {
    let all = rows(&["f32_to_float", "f64_to_float", "f16_to_float", "e4m3_to_float"], &[]);
    for row in all.iter().filter(|row| row.set == Set::Fast) {
        let format = row.format.expect("it has one");
        println!("{} {format} {}: {} cycles, {} scratch rows", row.op, row.memory, row.rtl_cycles, row.scratch_rows);
        let waits = row.rtl_cycles - row.formula_cycles;
        assert!(if row.memory == Memory::Behavioural { waits == 0 } else { waits <= 12 }, "{row:?}");
        assert!(row.scratch_rows <= 48, "{row:?}");
        assert!(markdown(std::slice::from_ref(row)).contains(&format!(" | {format} | ")), "{row:?}");
    }
}

/// Conversions have rows by the integer's width.
#[test]
fn conversions_count() {
    for row in rows(&["f32_to_int", "f32_from_int", "f64_to_int", "e4m3_from_int"], &[]) {
        let format = row.format.expect("it has one");
        assert!(row.op.starts_with(format) && [8, 16, 32, 64].contains(&row.width), "{row:?}");
        if row.set == Set::Fast {
            let (sign, cycles) = (if row.signed { "signed" } else { "unsigned" }, row.rtl_cycles);
            println!("{} {sign} {} {}: {cycles} cycles, {} scratch", row.op, row.width, row.memory, row.scratch_rows);
            let waits = cycles - row.formula_cycles;
            assert!(if row.memory == Memory::Behavioural { waits == 0 } else { waits <= 30 }, "{row:?}");
        }
        assert!(markdown(std::slice::from_ref(&row)).contains(&format!(" | {} | ", row.width)), "{row:?}");
        assert!(row.scratch_rows <= 48 || row.width == 64 && row.op.contains("from"), "{row:?}");
    }
}

#[test]
fn baseline_is_the_papers() {
    for row in rows(&["add", "sub", "mul", "divrem"], &[8, 16]) {
        let exact = ["add", "sub", "mul"].contains(&row.op) && !row.signed;
        if row.set == Set::Baseline {
            let paper = row.paper_cycles.expect("the papers have a formula");
            assert!(row.rtl_cycles <= paper && (!exact || row.rtl_cycles == paper), "{row:?}");
        }
    }
}

/// The operands that prevent skipping make the worst case: other random operands beside them change nothing, and
/// without them no seed does worse.
#[test]
fn counts_do_not_depend_on_the_seed() {
    let ops = ["mul", "div", "divrem", "shl", "sar", "rotl", "search", "dot"].map(String::from).to_vec();
    let selection = Selection { ops, widths: vec![8], ..Selection::default() };
    let counts = |seed| {
        let rows = measure(&selection, Engine::Model, seed, &mut |_, _| ()).expect("results are right");
        rows.iter().map(|r| (r.rtl_cycles, r.latency_cycles)).collect::<Vec<_>>()
    };
    let first = counts(1);
    for seed in 2..8 {
        assert_eq!(counts(seed), first, "seed {seed}");
    }
}

#[test]
fn verdicts() {
    let row = |rtl_cycles| CycleRow { rtl_cycles, target_cycles: Some(100), ..rows(&["add"], &[4])[0].clone() };
    let verdicts = [100, 101, 109, 110].map(|cycles| row(cycles).verdict());
    assert_eq!(verdicts, [Verdict::Met, Verdict::Allowed, Verdict::Allowed, Verdict::Missed]);
    assert!(markdown(&[row(109), row(110)]).contains("| 9 above target"));
    assert!(markdown(&[row(110)]).contains("| **10 above target** |\n"));
}

/// A group that disagrees says so, and a count that is missing is none.
#[test]
fn the_summary_has_a_line_for_each_group() {
    let selections = summary_selections();
    let mut rows = Vec::new();
    for selection in &selections {
        let narrow = Selection { ops: vec!["copy".into(), "not".into(), "mul".into()], ..selection.clone() };
        rows.extend(measure(&narrow, Engine::Model, 1, &mut |_, _| ()).expect("results are right"));
    }
    let text = summary(&rows);
    assert!(
        text.contains("| copy, not | 8 / 16 / 32 | 8 / 16 / 32 | 8 / 16 / 32 | 8 / 16 / 32 | 8 / 16 / 32 |\n"),
        "{text}"
    );
    let mul =
        "| mul n×n→2n | 86 / 302 / 1118 | 66 / 258 / 1026 | 66 / 258 / 1026 | 65 / 257 / 1025 | 65 / 257 / 1025 |";
    assert!(text.contains(mul), "{text}");
    assert!(text.contains("| select | – | – | – | – | – |\n"), "{text}");
    rows.iter_mut().filter(|row| row.op == "not" && row.width == 16).for_each(|row| row.rtl_cycles += 2);
    assert!(summary(&rows).contains("| 8 / 16–18 / 32 |"));
}

#[test]
fn json_has_the_agreed_keys() {
    let text = json(&rows(&["div"], &[8]));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let first = &value[0];
    let mut keys: Vec<&str> = first.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut agreed = [
        "op",
        "width",
        "signed",
        "sensing",
        "memory",
        "set",
        "rtl_cycles",
        "latency_cycles",
        "formula_cycles",
        "paper_cycles",
        "target_cycles",
        "format",
        "radix",
        "flushed",
        "exception_flags",
        "scratch_rows",
        "rows_read",
        "rows_written",
        "latch_updates",
        "energy_pj",
        "energy_pj_per_bit",
    ];
    agreed.sort_unstable();
    assert_eq!(keys, agreed);
    assert_eq!((&first["op"], &first["sensing"]), (&"div".into(), &"and_nor".into()));
    assert!(value.as_array().expect("an array").iter().any(|row| row["target_cycles"].is_null()));
}

/// Two multiplier bits a cycle: the counts that radix 4 is there for.
#[test]
fn radix_4_counts() {
    let selection = radices_selection(&[32]);
    let rows = measure(&selection, Engine::Model, 11, &mut |_, _| ()).expect("results are right");
    let text = radices(&rows);
    println!("{text}");
    for line in [
        "| `mul` | 32 | 1026 | 515 | 1026 | 515 | 1.99 |",
        "| `mul signed` | 32 | 1026 | 515 | 1026 | 515 | 1.99 |",
        "| `mul_low` | 32 | 530 | 288 | 529 | 288 | 1.84 |",
        "| `dot` | 32 | 1057 | 545 | 1057 | 545 | 1.94 |",
        "| `dot signed` | 32 | 1058 | 546 | 1058 | 546 | 1.94 |",
        "| `fmul` | f32 | 1062 | 773 | 1056 | 767 | 1.37 |",
        "| `ffma` | f32 | 2001 | 1725 | 1988 | 1712 | 1.16 |",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let selection = Selection { ops: vec!["add".into()], radices: vec![4], ..Selection::default() };
    let refused = measure(&selection, Engine::Model, 1, &mut |_, _| ()).expect_err("it is no other").to_string();
    assert!(refused.starts_with("radix = 4: add has the micro-programs of radix 2"), "{refused}");
}

#[test]
fn unknown_selections_are_refused() {
    let selection = Selection { ops: vec!["sqrt".into()], ..Selection::default() };
    assert!(
        measure(&selection, Engine::Model, 1, &mut |_, _| ()).is_err_and(|e| e.to_string().starts_with("op = sqrt"))
    );
    let selection = Selection { widths: vec![65], ..Selection::default() };
    assert!(measure(&selection, Engine::Model, 1, &mut |_, _| ()).is_err());
    // Nothing measured is no success.
    for (ops, width, rule) in
        [(vec!["popcount"], 3, "1 to 64, powers of two"), (vec!["add", "dot"], 64, "of dot: 1 to 63")]
    {
        let ops = ops.into_iter().map(String::from).collect();
        let selection = Selection { ops, widths: vec![width], ..Selection::default() };
        let refused =
            measure(&selection, Engine::Model, 1, &mut |_, _| ()).expect_err("no row has this width").to_string();
        assert!(refused.starts_with(&format!("width = [{width}]")) && refused.contains(rule), "{refused}");
    }
}

/// Designs with exception flags: their rows, and no others.
#[test]
fn counts_with_exception_flags() {
    let selection = |ops: &[&str], exception_flags| Selection {
        ops: ops.iter().map(|op| op.to_string()).collect(),
        widths: vec![16],
        memory: vec![Memory::Behavioural],
        exception_flags,
        ..Selection::default()
    };
    let measured = |selection: &Selection| measure(selection, Engine::Model, 11, &mut |_, _| ());
    let [with, without] = [true, false].map(|flags| measured(&selection(&["fadd", "feq"], flags)).expect("it runs"));
    for row in &with {
        assert!(row.exception_flags && row.sensing == Sensing::TwoPort, "{row:?}");
        let same = |other: &&CycleRow| (other.op, other.format, other.set) == (row.op, row.format, row.set);
        let other = without.iter().filter(|row| row.sensing == Sensing::TwoPort).find(same).expect("it is there");
        // The papers' sum asks for 2(n − 1) shifts and five times whether any column is left; an answer takes 7 cycles.
        let waits = match row.set {
            Set::Fast => 0,
            Set::Skip => 10,
            Set::Baseline if row.op == "fadd" => 7 * (2 * 12 + 5),
            Set::Baseline => 0,
        };
        assert!(row.rtl_cycles > other.rtl_cycles, "{row:?} {other:?}");
        assert!(row.rtl_cycles - row.formula_cycles <= waits, "{row:?}");
    }
    assert!(markdown(&with).contains(", exception flags\n"));
    let refused = measured(&selection(&["fneg"], true)).expect_err("it reports nothing").to_string();
    assert!(refused.contains("op = fneg: reports no exceptions"), "{refused}");
}

/// Numbers to nearest without subnormal ones: micro-programs of their own, in the formats that have them.
#[test]
fn flushed_counts() {
    let selection = |ops: &[&str], radices: &[u8]| Selection {
        ops: ops.iter().map(|op| op.to_string()).collect(),
        radices: radices.to_vec(),
        flushed: true,
        ..Selection::default()
    };
    let measured = |selection: &Selection| measure(selection, Engine::Model, 11, &mut |_, _| ());
    let rows = measured(&selection(&[], &[])).expect("results are right");
    println!("{}", markdown(&rows));
    for row in &rows {
        let waits = row.rtl_cycles - row.formula_cycles;
        assert!(row.flushed && if row.memory == Memory::Behavioural { waits == 0 } else { waits <= 20 }, "{row:?}");
    }
    let of_columns = |row: &CycleRow, radix: u8| {
        let sensing = if radix == 0 { Sensing::AndNor } else { Sensing::TwoPort };
        (row.sensing, row.radix) == (sensing, radix.max(2))
    };
    // Radix 0: `AndNor`.
    let formats = |op: &str, radix| {
        let of = |row: &&CycleRow| {
            of_columns(row, radix) && (row.op, row.set, row.memory) == (op, Set::Fast, Memory::BlockRam)
        };
        rows.iter().filter(of).filter_map(|row| row.format).collect::<Vec<_>>()
    };
    assert_eq!(formats("fmul", 2), ["f32", "f64", "f16", "bf16"]);
    assert_eq!(formats("fmul", 4), ["f32", "f64", "f16", "bf16"]);
    assert_eq!(formats("fmul", 0), ["f32", "bf16"]);
    assert_eq!(["fadd", "fsub"].map(|op| [0, 2, 4].map(|radix| formats(op, radix))), [[["f32"]; 3]; 2]);
    // Goals of binary32, and which of them are known to be out of reach. A cycle more than is known is one too many.
    let verdicts = |op: &str, radix| {
        let of =
            |row: &&CycleRow| of_columns(row, radix) && (row.op, row.format, row.set) == (op, Some("f32"), Set::Fast);
        rows.iter().filter(of).map(CycleRow::verdict).collect::<Vec<_>>()
    };
    for (op, radix) in [("fmul", 4), ("fadd", 2), ("fsub", 2), ("fadd", 0), ("fsub", 0), ("fmul", 0)] {
        assert_eq!(verdicts(op, radix), [Verdict::Known; 2], "{op}, radix {radix}");
    }
    assert_eq!(["fdiv", "fsqrt"].map(|op| verdicts(op, 4)), [[Verdict::Met; 2]; 2]);
    assert_eq!(["fadd", "fsub"].map(|op| verdicts(op, 4)), [[Verdict::Met, Verdict::Allowed]; 2]);
    assert!(rows.iter().all(|row| row.verdict() != Verdict::Missed));
    let known = rows.iter().find(|row| row.verdict() == Verdict::Known).expect("there is one");
    let slower = CycleRow { formula_cycles: known.formula_cycles + 1, ..known.clone() };
    assert_eq!(slower.verdict(), Verdict::Missed);
    assert!(markdown(std::slice::from_ref(known)).contains(" above target: see DESIGN.md |\n"));
    assert_eq!(formats("fdiv", 2), ["f32", "f64", "f16", "bf16", "e5m2"]);
    assert_eq!([2, 4].map(|radix| formats("fsqrt", radix)), [["f32", "f64"]; 2]);
    assert_eq!(formats("frcp", 4), ["f32", "f64", "f16", "bf16"]);
    let single = |op, radix| {
        let of = |row: &&CycleRow| {
            of_columns(row, radix) && (row.op, row.format, row.memory) == (op, Some("f32"), Memory::Behavioural)
        };
        rows.iter().find(of).map(|row| row.rtl_cycles)
    };
    assert_eq!([0, 2, 4].map(|radix| single("fmul", radix)), [Some(683), Some(698), Some(367)]);
    assert_eq!([0, 2, 4].map(|radix| single("fadd", radix)), [Some(509), Some(373), Some(225)]);
    assert_eq!([single("fdiv", 2), single("fdiv", 4)], [Some(759), Some(408)]);
    assert_eq!([single("fsqrt", 2), single("fsqrt", 4)], [Some(456), Some(301)]);
    assert_eq!([single("frcp", 2), single("frcp", 4)], [None, Some(398)]);
    let refused = measured(&selection(&["add"], &[])).expect_err("integers have no such mode").to_string();
    assert!(refused.contains("flushed = add"), "{refused}");
}

/// Floating point by the papers' algorithms: the worst case takes every row that there is, close exponents fewer.
#[test]
fn floating_point_by_the_papers() {
    for (op, formats) in
        [("fadd", &["f32", "f16", "bf16"][..]), ("fsub", &["f32"]), ("fmul", &["f32"]), ("fdiv", &["f32"])]
    {
        let of = |data| {
            let (ops, sets, widths) = (vec![op.to_string()], vec![Set::Baseline], vec![16, 32]);
            let selection = Selection { ops, sets, widths, data, radices: vec![2], ..Selection::default() };
            let mut rows = measure(&selection, Engine::Model, 11, &mut |_, _| ()).expect("results are right");
            rows.retain(|row| formats.contains(&row.format.expect("it has one")));
            rows
        };
        let (worst, near, uniform) = (of(Data::Worst), of(Data::Near), of(Data::Uniform));
        assert_eq!(worst.len(), 4 * formats.len());
        for ((worst, near), uniform) in worst.iter().zip(&near).zip(&uniform) {
            let [most, close, any] = [worst, near, uniform].map(|row| row.rtl_cycles);
            let (format, formula) = (worst.format.expect("it has one"), worst.formula_cycles);
            println!("{op} {format} {} {}: {formula} rows, {most}, {close}, {any}", worst.sensing, worst.memory);
            assert!(most >= formula && any <= most && close < most, "{worst:?} {near:?} {uniform:?}");
            // What is not there is neither searched for to the end nor shifted.
            let sum = ["fadd", "fsub"].contains(&op) && format == "f32";
            assert!(!sum || 3 * close < 2 * most, "{worst:?} {near:?}");
        }
    }
}
