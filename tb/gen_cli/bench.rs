//! The bench of the target `verilator`: it passes, and notices what is wrong.

use super::*;

#[test]
fn the_bench_passes_and_notices_what_is_wrong() {
    if require("verilator").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out");
    let told = run("make", &[], &out).unwrap();
    assert!(told.lines().any(|l| l.starts_with("PASS ")), "{told}");
    let told = run("make", &["STALLS=1"], &out).unwrap();
    assert!(told.lines().any(|l| l.starts_with("PASS ")), "{told}");
    // One bit of the last row expected of the last operation, one error code, a cycle more or less, one tag.
    let vectors = fs::read_to_string(out.join("vectors/vectors.txt")).unwrap();
    let at = vectors.rfind("\nexpect ").unwrap() + 1;
    let end = at + vectors[at..].find('\n').unwrap();
    let flipped =
        char::from_digit(vectors[end - 1..end].chars().next().unwrap().to_digit(16).unwrap() ^ 1, 16).unwrap();
    let wrong_row = format!("{}{flipped}{}", &vectors[..end - 1], &vectors[end..]);
    let at = vectors.rfind("\ncycles ").unwrap() + 1;
    let line = vectors[at..].lines().next().unwrap();
    let cycles: u64 = line[7..].parse().unwrap();
    let other = |cycles| format!("{}cycles {cycles}{}", &vectors[..at], &vectors[at + line.len()..]);
    let wrong = [
        ("row", wrong_row),
        ("code", vectors.replacen("refused 3", "refused 4", 1)),
        ("operand", vectors.replacen("refused 5 1", "refused 5 2", 1)),
        ("more cycles", other(cycles - 1)),
        ("fewer cycles", other(cycles + 1)),
        ("tag", vectors.replacen("tags 1", "tags 0", 1)),
        ("format", vectors.replace("case", "cas")),
    ];
    for (name, wrong) in wrong {
        assert_ne!(wrong, vectors, "{name}");
        fs::write(out.join("wrong.txt"), wrong).unwrap();
        let error = run("make", &["VECTORS=wrong.txt"], &out).expect_err(name).to_string();
        assert!(error.contains(if name == "format" { "vectors, line" } else { "\nFAIL case" }), "{error}");
    }
}

/// The bench of designs with a way to memory, without and with pauses: one has rows of more than one beat, one
/// floating point and the second adder of radix 4; one has wide rows and no way to memory. In CI
/// `custom::a_design_is_written_with_them` runs the bench of the first.
#[test]
#[ignore = "their ROMs take the C++ compiler minutes: scripts/check-deep.sh"]
fn the_bench_of_other_designs_passes() {
    if require("verilator").is_none() {
        return;
    }
    let float = "rows = 512\nfloat = true\nradix = 4\nsets = [\"fast\"]\n";
    for (port, shape) in [("axi64", "columns = 128\n"), ("stream", float), ("axi64", ""), ("none", "columns = 128\n")] {
        let folder = scratch();
        let config = format!("base = \"tiny\"\nmemory_port = \"{port}\"\n{shape}");
        fs::write(folder.path().join("c.toml"), config).unwrap();
        good(folder.path(), &["--target", "verilator", "--config", "c.toml", "--out", "out"]);
        let out = folder.path().join("out");
        for stalls in ["STALLS=0", "STALLS=1"] {
            let told = run("make", &[stalls], &out).unwrap();
            assert!(told.lines().any(|l| l.starts_with("PASS ")), "{port}, {stalls}: {told}");
        }
    }
}

/// From unknown values, in four-state simulation; without a reset something stays unknown.
#[test]
fn no_unknown_value_survives_a_reset() {
    if require("iverilog").is_none() {
        return;
    }
    for port in ["none", "axi64", "stream"] {
        let folder = scratch();
        let config = format!("base = \"tiny\"\nmemory_port = \"{port}\"\n");
        fs::write(folder.path().join("c.toml"), config).unwrap();
        good(folder.path(), &["--target", "verilator", "--config", "c.toml", "--out", "out"]);
        let out = folder.path().join("out");
        let told = run("make", &["four-state"], &out).unwrap();
        assert!(told.lines().any(|l| l.starts_with("PASS ")), "{port}: {told}");
        let bench = fs::read_to_string(out.join("four_state.v")).unwrap();
        let without = bench.replacen("reg rst = 1", "reg rst = 0", 1);
        assert_ne!(without, bench);
        fs::write(out.join("four_state.v"), without).unwrap();
        let error = run("make", &["four-state"], &out).expect_err("there was no reset").to_string();
        assert!(error.contains("is unknown"), "{error}");
    }
}

/// What the shipped bench notices, as `make mutants` tells: a lower bound, since some changes are none. Those of CI are
/// drawn anew whenever the netlist changes, and nothing is proven there; of so few it is now and then less.
#[test]
fn the_bench_notices_mutants() {
    if require("verilator").is_none() || require("yosys").is_none() || deep() && require("yosys-abc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", "out"]);
    // Of changes that are noticed none may be proven to change nothing.
    let (settings, count, least) = if deep() { ("PROVE_ALL=1", "150", 80) } else { ("PROOF_SECONDS=0", "12", 50) };
    let told = run("env", &[settings, "sh", "mutants.sh", count], &folder.path().join("out")).unwrap();
    print!("{told}");
    let score = told.trim().rsplit(' ').nth(3).and_then(|word| word.parse::<u32>().ok()).expect("a score");
    assert!(score >= least, "{told}");
}
