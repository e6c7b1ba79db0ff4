//! The column of `scripts/synth.sh --all` that says what was verified: from what a regression has found, and nothing
//! else.

use std::process::Command;

use super::{sim, text};

#[test]
fn what_was_verified_comes_from_a_regression() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let xml = folder.path().join("regress.xml");
    let small = ["--campaign", "array.random,array.streams", "--preset", "tiny", "--seeds", "3", "--size", "4"];
    let report = ["--engine", "native", "--jobs", "2", "--junit", xml.to_str().expect("a plain path")];
    let ran = sim(&[&["regress"], &small[..], &report].concat());
    assert_eq!(ran.status.code(), Some(0), "{}{}", text(&ran.stdout), text(&ran.stderr));
    // The script's own function, without the synthesis around it.
    let script = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/synth.sh")).expect("a script");
    let begin = script.find("    verified() {").expect("the function");
    let end = begin + script[begin..].find("\n    }\n").expect("its end") + 7;
    assert!(script.contains("$placed | $(verified $what) |"), "the table has the column");
    let verified = |unit: &str, design: &str| {
        let call = format!("{}verified {unit} {design}", &script[begin..end]);
        let output = Command::new("bash").args(["-c", &call]).env("REGRESS", &xml).output().expect("bash");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim().to_string()
    };
    assert_eq!(verified("compute-unit", "tiny"), "native: 6 runs");
    assert_eq!(verified("compute-unit", "default"), "–", "it has not run");
    assert_eq!(verified("ccs", "tiny"), "–", "another unit");
    // One that failed.
    let good = std::fs::read_to_string(&xml).expect("a report");
    let bad = good.replacen(" failures=\"0\"", " failures=\"2\"", 2);
    assert_ne!(good, bad);
    std::fs::write(&xml, bad).expect("the folder can be written");
    assert!(verified("compute-unit", "tiny").starts_with("native: 6 runs, 2 FAILED"), "it says so");
    std::fs::remove_file(&xml).expect("it was there");
    assert_eq!(verified("compute-unit", "tiny"), "–", "nothing has run");
}
