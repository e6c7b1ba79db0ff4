//! What `gen` says to its users: lines and rules of tables, nothing that steers a terminal, files that were edited.

use std::fs;
use std::process::Command;

use super::{bad, generate, good, scratch, text};

/// Tables of a board's file have their lines, keys and rules as everything else has.
#[test]
fn wrong_tables_of_boards_are_refused() {
    let folder = scratch();
    let file = folder.path().join("my.toml");
    let cases: [(&str, &[&str]); 5] = [
        ("clock_mhz = 60\narray = 3\n", &["line 2", "`array = 3`", "the name of a preset, or a table of keys"]),
        (
            "base = \"tiny\"\n\n[array]\nbase = \"tiny\"\ncolumns = 12\n",
            &["line 5", "array: columns = 12: must be one of"],
        ),
        ("[array]\nbase = \"tiny\"\ncolums = 8\n", &["line 3", "unknown field `colums`", "`columns`", "`memory_port`"]),
        ("[array]\nrows = 32\n", &["line 1", "array: columns: missing"]),
        ("base = \"tiny\"\n[ccs]\nlanes = \"many\"\n", &["line 3", "`lanes = \"many\"`"]),
    ];
    for (toml, parts) in cases {
        fs::write(&file, toml).unwrap();
        bad(folder.path(), &["--target", "vc709", "--config", "my.toml"], &[parts, &["my.toml"]].concat());
        let message = text(&generate(folder.path(), &["--target", "vc709", "--config", "my.toml"]).stderr);
        assert!(!message.contains("untagged") && !message.contains("variant"), "{message}");
    }
}

/// What a file holds does not reach the terminal as it is.
#[test]
fn messages_have_no_control_characters() {
    let folder = scratch();
    let file = folder.path().join("my.toml");
    for toml in ["base = \"tiny\"\nname = \"\u{1b}[31m\u{7}\"\n", "base = \"\u{1b}]0;title\u{7}\"\n", "\u{1b}[2J = 3\n"]
    {
        fs::write(&file, toml).unwrap();
        let message = text(&generate(folder.path(), &["--target", "generic", "--config", "my.toml"]).stderr);
        assert!(message.starts_with("error: my.toml, line ") && message.contains("\\u{1b}"), "{message:?}");
        assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
    }
}

/// Files that somebody has changed are not lost.
#[test]
fn edited_files_are_kept_and_told() {
    let folder = scratch();
    let run = ["--target", "generic", "--preset", "tiny", "--out", "out"];
    good(folder.path(), &run);
    let out = folder.path().join("out");
    let edited = out.join("rtl/bl_compute_unit.v");
    let original = fs::read_to_string(&edited).unwrap();
    fs::write(&edited, format!("{original}// mine\n")).unwrap();
    let told = good(folder.path(), &[&run[..], &["--dry-run"]].concat());
    assert!(
        told.contains("would keep out/rtl/bl_compute_unit.v, which was edited, as rtl/bl_compute_unit.v.orig"),
        "{told}"
    );
    assert!(!out.join("rtl/bl_compute_unit.v.orig").exists());
    let told = good(folder.path(), &run);
    assert!(
        told.contains("kept out/rtl/bl_compute_unit.v, which was edited, as rtl/bl_compute_unit.v.orig\n"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&edited).unwrap(), original);
    assert_eq!(fs::read_to_string(out.join("rtl/bl_compute_unit.v.orig")).unwrap(), format!("{original}// mine\n"));
    assert!(!good(folder.path(), &run).contains("kept"));
}

/// Neither threads nor stacks beyond the usual are needed: where the system grants few, designs are made all the same.
#[cfg(target_os = "linux")]
#[test]
fn little_stack_and_no_threads_suffice() {
    let folder = scratch();
    let script = "ulimit -s 4096; exec \"$0\" gen --target vc709 --preset tiny --out out";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_bitline")])
        .env("RUST_BACKTRACE", "1")
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{}", text(&output.stderr));
    // In the kernel's list of tasks there is never a second one.
    let mut child = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .arg("gen")
        .args(["--target", "vc709", "--preset", "tiny", "--out", "again"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("gen runs");
    let tasks = format!("/proc/{}/task", child.id());
    let mut most = 0;
    while child.try_wait().expect("it was started").is_none() {
        most = most.max(fs::read_dir(&tasks).map_or(0, Iterator::count));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(most, 1, "threads");
}
