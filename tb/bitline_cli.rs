//! The program `bitline` from outside: its subcommands, completions of shells, manual pages, and bad input.

use std::process::{Command, Output};

fn bitline(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bitline")).args(args).output().expect("the binary is built")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn help_names_every_command() {
    let output = bitline(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for name in ["gen", "sim", "host", "completions", "man"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{name}: {help}");
    }
    for name in ["gen", "sim", "host"] {
        let output = bitline(&[name, "--help"]);
        assert!(text(&output.stdout).contains(&format!("Usage: bitline {name}")), "{}", text(&output.stdout));
        let version = text(&bitline(&[name, "--version"]).stdout);
        assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    }
}

#[test]
fn completions_know_options_of_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = bitline(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = text(&output.stdout);
        for word in ["dry-run", "self-test", "wave", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // A shell that is there reads them without a complaint, and then knows the program.
    let script = text(&bitline(&["completions", "bash"]).stdout);
    let read = Command::new("bash").args(["--norc", "-c", &format!("{script}\ncomplete -p bitline")]).output();
    if let Ok(read) = read {
        assert!(read.status.success() && read.stderr.is_empty(), "{}", text(&read.stderr));
        assert!(text(&read.stdout).contains("bitline"));
    }
    let output = bitline(&["completions", "tcsh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("tcsh") && text(&output.stderr).contains("fish"));
}

#[test]
fn a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("share/man1");
    let output = bitline(&["man", "--out", &out.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = |name: &str| {
        let path = out.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    assert!(page("bitline-sim-run.1").contains("wave") && page("bitline-gen.1").contains("target"));
    assert!(page("bitline-host-self-test.1").contains("quick"));
    let pages = std::fs::read_dir(&out).expect("a folder").count();
    assert_eq!(text(&output.stdout), format!("{pages} pages in {}\n", out.display()));
    // The page on its own is the first of them.
    assert_eq!(text(&bitline(&["man"]).stdout), page("bitline.1"));
    for entry in std::fs::read_dir(&out).expect("a folder") {
        let path = entry.expect("an entry").path();
        let page = std::fs::read_to_string(&path).expect("text");
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{}", path.display());
    }
    // A file in the folder's place.
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").expect("a file");
    let output = bitline(&["man", "--out", &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: ") && text(&output.stderr).contains("file"));
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "mine");
}

#[test]
fn without_a_command_it_says_what_there_is() {
    let output = bitline(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage: bitline") && text(&output.stderr).contains("host"));
    let output = bitline(&["generate"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("generate"));
}
