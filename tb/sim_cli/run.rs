//! `sim run` as users met it: noise that looks like results, pipes, files without an end, readers of its output.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::{names, program, sim, text, write};

/// Runs with this on the standard input.
fn piped(args: &[&str], input: &[u8], folder: &std::path::Path) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .arg("sim")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    // A program that does not read all of it closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_dot_product_without_a_cleared_sum_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let start = "design preset=tiny\nvector x width=4\nvector acc width=8\nload x list 1 2 3\n";
    let file = write(folder.path(), "p.bl", format!("{start}dot d=acc a=x b=x\nstore acc csv o.csv\n"));
    let output = sim(&["run", &file]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    let message = text(&output.stderr);
    assert!(message.contains("p.bl, line 5: dot: d = acc: rows 4 to 11 hold what was there at power-up"), "{message}");
    assert!(message.contains("begin with `zero d=acc`"), "{message}");
    assert_eq!(names(folder.path()), ["p.bl"]);
    let file = write(folder.path(), "p.bl", format!("{start}zero d=acc\ndot d=acc a=x b=x\nsum acc expect=14\n"));
    let output = sim(&["run", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("sum acc = 14\n"), "{}", text(&output.stdout));
}

#[test]
fn standard_input_and_output() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let start = "design preset=tiny\nvector x width=8\n";
    // A program from the standard input, in both forms.
    for (form, program) in [
        ("assembly", format!("# comment\n\n{start}load x list 5 6\nprint x\n")),
        (
            "TOML",
            "# comment\n[design]\npreset = \"tiny\"\n[[vector]]\nname = \"x\"\nwidth = 8\nload = { list = [5, 6] \
        }\nprint = true\n"
                .into(),
        ),
        ("TOML", "commands = [\"print x\"]\n[[vector]]\nname = \"x\"\nwidth = 8\nload = { list = [5, 6] }\n".into()),
    ] {
        let output = piped(&["run", "-"], program.as_bytes(), at);
        assert_eq!(output.status.code(), Some(0), "{form}: {}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with("x = 5 6\n"), "{form}: {}", text(&output.stdout));
    }
    let output = piped(&["run", "-"], b"vector x\n", at);
    assert!(
        text(&output.stderr).contains("standard input, line 1: vector x: needs width="),
        "{}",
        text(&output.stderr)
    );
    // Data through it: the result is alone on the standard output.
    let file = write(at, "p.bl", format!("{start}load x csv - column=b\nadd d=x a=x b=x\nprint x\nstore x csv -\n"));
    let output = piped(&["run", &file], b"a,b\n1,2\n3,40\n", at);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "x\n4\n80\n"));
    assert!(text(&output.stderr).starts_with("x = 4 80\n\ndesign tiny"), "{}", text(&output.stderr));
    let output = piped(&["run", &file], b"a,b\n1,2\n3,400\n", at);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    assert!(text(&output.stderr).contains("standard input, line 3: element 1 = 400"), "{}", text(&output.stderr));
    // Once.
    let twice = write(at, "q.bl", format!("{start}load x csv -\nload x csv -\n"));
    let output = piped(&["run", &twice], b"1\n", at);
    assert!(
        text(&output.stderr).contains("q.bl, line 4: load x: standard input: is read before"),
        "{}",
        text(&output.stderr)
    );
    let output = piped(&["run", "-"], format!("{start}load x csv -\n").as_bytes(), at);
    assert!(
        text(&output.stderr).contains("line 3: load x: standard input: is read before"),
        "{}",
        text(&output.stderr)
    );
    // Files of that name are another matter.
    write(at, "-", "7\n8\n");
    let named = write(at, "r.bl", format!("{start}load x csv ./-\nprint x\n"));
    assert!(text(&sim(&["run", &named]).stdout).starts_with("x = 7 8\n"));
}

/// What ended in SIGABRT: memory is full of a record without an end.
#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let start = "design preset=tiny\nvector x width=8\n";
    for (load, wanted) in [
        ("csv /dev/zero", "/dev/zero: does not end where it must"),
        ("pgm /dev/zero", "/dev/zero: holds more than"),
        ("raw /dev/zero", "/dev/zero: holds more than 67108864 bytes"),
    ] {
        let file = write(at, "p.bl", format!("{start}load x {load}\n"));
        let output = sim(&["run", &file]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{load}: {message}");
        assert!(message.contains("p.bl, line 3: load x: ") && message.contains(wanted), "{load}: {message}");
    }
    let file = write(at, "p.bl", format!("{start}load x csv -\n"));
    let quoted = [b"1\n\"".as_slice(), "2\n".repeat(1 << 20).as_bytes()].concat();
    let output = piped(&["run", &file], &quoted, at);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a quote without one"), "{}", text(&output.stderr));
    for args in [&["run", "/dev/zero.bl"][..], &["run", &program("first.bl"), "--config", "/dev/zero"]] {
        assert_eq!(sim(args).status.code(), Some(2), "{args:?}");
    }
    std::os::unix::fs::symlink("/dev/zero", at.join("endless.bl")).expect("the folder can be written");
    let message = text(&sim(&["run", &at.join("endless.bl").display().to_string()]).stderr);
    assert!(message.contains("endless.bl: holds more than 16777216 bytes"), "{message}");
}

#[test]
fn a_report_for_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = "design preset=tiny\nvector x width=8 signed\nload x list 1 -2 3 4 5 6 7 8 9\nadd d=x a=x b=x\nprint \
    x limit=3\n\
                 min x\nstore x csv o.csv\nexpect x[0..1] value 0\n";
    let file = write(folder.path(), "p.bl", lines);
    let output = sim(&["run", &file, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["printed"][0]["values"], serde_json::json!([2, -4, 6]));
    assert_eq!(report["printed"][1]["across"], "min");
    assert_eq!((&report["printed"][1]["values"][0], &report["printed"][1]["element"]), (&(-4).into(), &1.into()));
    assert_eq!((&report["design"]["columns"], &report["chunks"]), (&8.into(), &2.into()));
    assert_eq!((&report["commands"][0]["line"], &report["commands"][0]["rtl_cycles"]), (&4.into(), &16.into()));
    assert_eq!(report["across"][0]["stream_cycles"], 16);
    assert!(report["files"][0].as_str().expect("a path").ends_with("o.csv"));
    // A failure is in it, too, and changes the status.
    let file = write(folder.path(), "p.bl", format!("{lines}expect x value 1\n"));
    let output = sim(&["run", &file, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), report["failures"].as_array().map(Vec::len)), (Some(1), Some(1)));
}

#[test]
fn progress_is_told_where_there_is_no_terminal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(folder.path(), "p.bl", "design preset=tiny\nelements 80\nvector x width=8\nzero d=x\nset d=x\n");
    let told = |seconds: &str| {
        let mut sim = Command::new(env!("CARGO_BIN_EXE_bitline"));
        let output =
            sim.args(["sim", "run", &file]).env("BITLINE_PROGRESS", seconds).output().expect("the binary is built");
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    let lines = told("0");
    assert_eq!(lines.lines().count(), 19, "{lines}");
    assert!(lines.starts_with("1 of 20 commands, ") && lines.ends_with(" s left\n"), "{lines}");
    assert_eq!(told("3600"), "");
}

/// Values of a signal of a VCD file, by time.
fn changes(wave: &str, name: &str) -> Vec<(u64, String)> {
    // $var wire WIDTH CODE NAME $end
    let codes = wave.lines().filter(|line| line.starts_with("$var")).map(|line| line.split(' ').skip(3));
    let code = codes.map(|mut words| (words.next(), words.next())).find(|(_, found)| *found == Some(name));
    let code = code.and_then(|(code, _)| code).unwrap_or_else(|| panic!("{name}"));
    let (mut time, mut found) = (0, Vec::new());
    for line in wave.lines() {
        if let Some(number) = line.strip_prefix('#') {
            time = number.parse().expect("a time");
        } else if let Some(value) = line.strip_suffix(code) {
            if let Some(value) = value.strip_prefix('b').and_then(|value| value.strip_suffix(' ')) {
                found.push((time, value.into()));
            } else if value == "0" || value == "1" {
                found.push((time, value.into()));
            }
        }
    }
    found
}

#[test]
fn a_wave_says_what_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = "design preset=tiny\nvector left width=4\nvector total width=5\nload left value 3\n\naddc d=total \
    a=left b=left\nnot d=left a=left\n";
    let file = write(folder.path(), "p.bl", lines);
    let wave = |more: &[&str]| {
        let path = folder.path().join("w.vcd").display().to_string();
        let output = sim(&[&["run", &file, "--wave", &path], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        std::fs::read_to_string(path).expect("a wave")
    };
    let short = wave(&[]);
    let number = |digits: &str| u128::from_str_radix(digits, 2).expect("binary digits");
    let said = |name: &str| changes(&short, name).into_iter().map(|(_, value)| number(&value)).collect::<Vec<_>>();
    assert_eq!(said("line"), [6, 7]);
    let letters = |value: u128| {
        let bytes = value.to_be_bytes();
        String::from_utf8(bytes.into_iter().filter(|&b| b != 0).collect()).expect("letters")
    };
    assert_eq!(said("operation").into_iter().map(letters).collect::<Vec<_>>(), ["addc", "not"]);
    assert_eq!(said("operand_d").into_iter().map(letters).collect::<Vec<_>>(), ["total", "left"]);
    // Two edges in every cycle of ten units.
    let clock = changes(&short, "clk");
    for (edge, (time, value)) in clock.iter().enumerate() {
        assert_eq!((*time, value.as_str()), (5 * edge as u64, ["1", "0"][edge % 2]));
    }
    assert!(clock.len() > 20);
    // Bit 1 of the sum 6 = 0b00110, in every column.
    let bit = changes(&short, "bit_1");
    assert!(!bit.is_empty() && short.contains("$scope module total $end"), "{short}");
    assert!(!short.contains("row_00 ") && short.matches(" bit_").count() == 9);
    let long = wave(&["--all-rows"]);
    assert_eq!((long.matches("$end").count() - short.matches("$end").count(), long.contains(" row_31 ")), (34, true));
    let output = sim(&["run", &file, "--all-rows"]);
    assert_eq!(output.status.code(), Some(2), "--all-rows without a wave");
}

/// Only some cycles, and the last ones before a failure.
#[test]
fn a_wave_shows_the_cycles_that_are_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let start = "design preset=tiny\nvector x width=4\nvector sum width=5\nload x value 3\naddc d=sum a=x b=x\n";
    let file = write(folder.path(), "p.bl", start.to_string());
    let wrong = write(folder.path(), "wrong.bl", format!("{start}expect sum value 7\n"));
    let path = folder.path().join("w.vcd");
    let run = |file: &str, options: &[&str]| {
        let wave = path.display().to_string();
        let output = sim(&[&["run", file, "--wave", &wave], options].concat());
        let written = std::fs::read_to_string(&path).ok();
        let _ = std::fs::remove_file(&path);
        (output.status.code(), text(&output.stderr), written)
    };
    let rises = |wave: Option<String>| {
        let clock = changes(&wave.expect("a wave"), "clk");
        clock.into_iter().filter(|(_, value)| value == "1").map(|(time, _)| time / 10).collect::<Vec<_>>()
    };
    let (status, _, wave) = run(&file, &["--wave-from", "4", "--wave-to", "9"]);
    assert_eq!((status, rises(wave)), (Some(0), vec![4, 5, 6, 7, 8, 9]));
    let (_, _, all) = run(&file, &[]);
    let cycles = rises(all).len() as u64;
    let (status, message, wave) = run(&file, &["--wave-from", "100000"]);
    assert_eq!((status, wave), (Some(2), None));
    assert!(message.contains(&format!("wave-from = 100000: the run ends after {cycles} cycles")), "{message}");
    let (status, message, _) = run(&file, &["--wave-from", "9", "--wave-to", "4"]);
    assert!(status == Some(2) && message.contains("wave-to = 4: must be at least wave-from = 9"), "{message}");
    let (status, _, wave) = run(&file, &["--wave-last", "3"]);
    assert_eq!((status, wave), (Some(0), None), "nothing has failed");
    let (status, message, wave) = run(&wrong, &["--wave-last", "3"]);
    assert_eq!((status, rises(wave)), (Some(1), vec![cycles - 3, cycles - 2, cycles - 1]));
    assert!(message.contains("wave: ") && message.contains("w.vcd"), "{message}");
    let output = sim(&["run", &file, "--wave-last", "3"]);
    assert_eq!(output.status.code(), Some(2), "--wave-last without a wave");
}
