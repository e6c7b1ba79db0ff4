//! The binary `host` from outside: against a board that it simulates itself on a pseudo-terminal, and with bad input.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serialport::SerialPort;

/// What the simulated boards of these tests are. The rate makes no difference to how fast they run.
const BOARD: [&str; 4] = ["--preset", "tiny", "--baud", "20000000"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn host(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bitline")).arg("host").args(args).output().expect("the binary is built")
}

/// A simulated board.
struct Server {
    child: Child,
    port: String,
}

impl Server {
    fn start(args: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bitline"))
            .args(["host", "simulate"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary is built");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("text");
        let port = line.trim().rsplit(' ').next().expect("a word").to_string();
        assert!(port.starts_with('/'), "{line}");
        Server { child, port }
    }

    fn double() -> Server {
        Server::start(&[&["--engine", "model"], &BOARD[..]].concat())
    }

    /// Arguments for this board, and what it answers.
    fn host(&self, args: &[&str]) -> Output {
        host(&[&["--port", &self.port, "--timeout", "20"], &BOARD[..], args].concat())
    }

    /// What it prints, where all must go well.
    fn says(&self, args: &[&str]) -> String {
        let output = self.host(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.stderr.is_empty(), "no progress bar without a terminal: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Fails with status 2, and says this.
fn refused(output: &Output, wanted: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: ") && said.contains(wanted), "{said}\nlacks {wanted}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
}

#[test]
fn a_board_is_used() {
    let board = Server::double();
    let info = board.says(&["info"]);
    assert!(info.contains("20000000 baud") && info.contains("0xc0000000       256  ccs"), "{info}");
    // Words, bytes, programs, commands.
    board.says(&["write", "array-memory+8", "1", "0xdeadbeef"]);
    let read = board.says(&["read", "0x20000008", "2"]);
    assert_eq!(read, "0x20000008  0x00000001\n0x2000000c  0xdeadbeef\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let bytes: Vec<u8> = (0..=250).collect();
    std::fs::write(path("in"), &bytes).expect("the folder can be written");
    board.says(&["load", "ccs-memory", &path("in")]);
    board.says(&["store", "ccs-memory", "251", &path("out")]);
    assert_eq!(std::fs::read(path("out")).expect("it was written"), bytes);
    let sum = board.says(&["launch", "sumv", "--length", "2", "--a", "4"]);
    assert_eq!(sum, format!("SUMV = {} ({:#x})\n", 0x0706_0504 + 0x0b0a_0908, 0x0706_0504 + 0x0b0a_0908));
    std::fs::write(
        path("p.bl"),
        "vector x width=4\nvector y width=5\nload x list 3 9 15\naddc d=y a=x b=x\nprint y\nexpect y list 6 18 30\n",
    )
    .expect("the folder can be written");
    let ran = board.says(&["run", &path("p.bl")]);
    assert!(ran.contains("6 18 30") && ran.contains("addc"), "{ran}");
    // Tests.
    let report: serde_json::Value =
        serde_json::from_str(&board.says(&["self-test", "--quick", "--format", "json"])).expect("JSON");
    assert_eq!((&report["passed"], &report["commands"][0]), (&true.into(), &48.into()));
    let report = board.says(&["self-test", "--quick", "--details", "--seed", "7"]);
    assert!(report.ends_with("PASSED\n") && report.contains("operations of the array: 53 of 53"), "{report}");
    let memory = board.says(&["memory-test", "--bytes", "512"]);
    assert_eq!(memory.matches("  512       0").count(), 6, "{memory}");
    assert!(board.says(&["throughput", "--blocks", "2"]).contains("of what the line allows"));
}

/// A refusal by the bus, another board, a bitstream of another kind.
#[test]
fn what_is_wrong_is_told() {
    let board = Server::double();
    let output = board.host(&["read", "0x30000000"]);
    refused(&output, "read at 0x30000000: status bus after 0 of 1 words\n  try: there is nothing at this address");
    let as_small = ["--port", &board.port, "--preset", "small", "--baud", "20000000", "--timeout", "20"];
    let output = host(&[&as_small[..], &["self-test"]].concat());
    refused(&output, "configuration = 0x");
    let said = text(&output.stderr);
    assert!(
        said.contains("preset small at") && said.contains("try: tell the tool what the board is: --preset tiny"),
        "{said}"
    );
    // A command that is refused is a result.
    let output = board.host(&["launch", "ADDVV", "--length", "0"]);
    assert_eq!((output.status.code(), text(&output.stdout).contains("refused: length")), (Some(1), true));
    let output = board.host(&["launch", "ADD", "--length", "4"]);
    refused(&output, "command = ADD: must be one of ADDVV");
    let output = board.host(&["store", "array-memory+2", "4", "/tmp/never"]);
    refused(&output, "address = 0x20000002: must be a multiple of 4");
}

/// The board's end of the line is gone while it is used; afterwards there is no such port.
#[test]
fn a_cable_is_pulled() {
    let mut board = Server::double();
    let args = [&["--port", &board.port], &BOARD[..], &["throughput", "--blocks", "1000000"]].concat();
    let child = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .arg("host")
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    std::thread::sleep(Duration::from_millis(700));
    board.child.kill().expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    refused(&output, "is gone, in the middle of");
    assert!(text(&output.stderr).contains("try: plug the cable in"));
    board.child.wait().expect("it has ended");
    refused(&board.host(&["info"]), &format!("port = {}", board.port));
}

#[test]
fn nobody_answers() {
    let (_near, far) = serialport::TTYPort::pair().expect("pseudo-terminals");
    let port = far.name().expect("a name");
    drop(far);
    let output = host(&["--port", &port, "--timeout", "0.05", "info"]);
    refused(&output, &format!("nothing answers on {port}: no byte within 0.05"));
    assert!(text(&output.stderr).contains("(--baud)"));
}

#[test]
fn ports_that_are_none() {
    refused(&host(&["info"]), "port = : must be given (--port); serial ports here: ");
    let output = host(&["--port", "/dev/ttyNONE7", "info"]);
    refused(&output, "port = /dev/ttyNONE7: ");
    assert!(text(&output.stderr).contains("try: serial ports here: "), "{}", text(&output.stderr));
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = file.path().display().to_string();
    refused(&host(&["--port", &path, "info"]), &format!("port = {path}: "));
}

#[test]
fn bad_input() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = file.path().display().to_string();
    for (args, wanted) in [
        (vec!["--preset", "huge", "info"], "preset = huge: must be one of vc709, small, tiny"),
        (vec!["--baud", "3", "info"], "baud = 3: must be from 1200"),
        (vec!["--clock", "3", "info"], "clock_mhz = 3: must be from 10"),
        (vec!["--timeout", "0", "--port", "x", "info"], "timeout = 0: must be from 0.001"),
        (vec!["--folder", "/nowhere", "info"], "/nowhere/manifest.json"),
        (vec!["read", "ram"], "address = ram: must be a number"),
        (vec!["read", "array", "many"], "count = many: must be a number"),
        (vec!["write", "array", "0x1ffffffff"], "word = 0x1ffffffff: must be a number"),
        (vec!["load", "array", "/nowhere/file"], "/nowhere/file"),
        (vec!["run", "/nowhere/p.bl"], "/nowhere/p.bl"),
        (vec!["run", &path], "must end in .bl or .toml"),
        (vec!["simulate", "--rtl", "/nowhere"], "/nowhere/manifest.json"),
        (vec!["simulate", "--engine", "paper"], "must be model, native or verilator"),
    ] {
        let output = host(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(wanted), "{args:?}: {said}");
    }
}
