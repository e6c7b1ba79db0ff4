//! `bitline` and the three programs of the sources from outside: what is installed, that each alias is the subcommand
//! of its name, completions and manual pages.

use std::path::Path;
use std::process::{Command, Output};

const ALIASES: [(&str, &str); 3] =
    [("gen", env!("CARGO_BIN_EXE_gen")), ("sim", env!("CARGO_BIN_EXE_sim")), ("host", env!("CARGO_BIN_EXE_host"))];

fn run(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().expect("the binary is built")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// What Cargo knows of a package of the workspace: `cargo metadata` is asked, as `cargo install` reads the same.
fn binaries(package: &str) -> Vec<String> {
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = facts["packages"].as_array().expect("a list");
    let found = packages.iter().find(|found| found["name"] == package).expect("it is in the workspace");
    let targets = found["targets"].as_array().expect("a list").iter();
    let is_binary = |target: &&serde_json::Value| target["kind"].as_array().expect("a list").iter().any(|k| k == "bin");
    targets.filter(is_binary).map(|target| target["name"].as_str().expect("a name").to_string()).collect()
}

#[test]
fn one_program_is_installed() {
    assert_eq!(binaries("bitline"), ["bitline"]);
    let mut found = binaries("bitline-cli");
    found.sort();
    assert_eq!(found, ["gen", "host", "sim"]);
}

#[test]
fn each_alias_is_the_program_of_its_name() {
    for (name, program) in ALIASES {
        let help = run(program, &["--help"]);
        assert_eq!(help.status.code(), Some(0), "{name}");
        assert!(text(&help.stdout).contains(&format!("Usage: {name} ")), "{name}: {}", text(&help.stdout));
        let bad = run(program, &["--no-such-option"]);
        assert_eq!(bad.status.code(), Some(2), "{name}");
        assert!(text(&bad.stderr).contains("--no-such-option"), "{name}");
    }
    let list = text(&run(ALIASES[0].1, &["--list"]).stdout);
    assert!(list.contains("vc709"), "{list}");
    let format = text(&run(ALIASES[1].1, &["help-format"]).stdout);
    assert!(format.contains("vector"), "{format}");
    let refused = run(ALIASES[2].1, &["--preset", "none", "info"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).starts_with("error: "), "{}", text(&refused.stderr));
}

/// The programs leave no file here that only one of them would know.
#[test]
fn aliases_are_thin() {
    for (name, _) in ALIASES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("programs/{name}.rs"));
        let lines = std::fs::read_to_string(&path).expect("the source").lines().count();
        assert!(lines < 10, "{} has {lines} lines: what it does belongs into the library", path.display());
    }
}
