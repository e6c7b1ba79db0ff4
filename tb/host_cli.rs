//! The binary `host` from outside: against a board that it simulates itself on a pseudo-terminal, and with bad input.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use bitline::ccs::COMMANDS;
use serialport::SerialPort;

/// What the simulated boards of these tests are. The rate makes no difference to how fast they run.
const BOARD: [&str; 4] = ["--preset", "tiny", "--baud", "20000000"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn host(args: &[&str]) -> Output {
    let mut host = Command::new(env!("CARGO_BIN_EXE_bitline"));
    // However long something takes here, it is not told.
    host.arg("host").args(args).env("BITLINE_PROGRESS", "100000").output().expect("the binary is built")
}

/// The same with a Duality Cache.
const WITH_DUALITY: [&str; 4] = ["--preset", "duality-tiny", "--baud", "25000000"];

/// A simulated board.
struct Server {
    child: Child,
    port: String,
    what: &'static [&'static str],
}

impl Server {
    fn start(engine: &str, what: &'static [&'static str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bitline"))
            .args(["host", "simulate", "--engine", engine])
            .args(what)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary is built");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("text");
        let port = line.trim().rsplit(' ').next().expect("a word").to_string();
        assert!(port.starts_with('/'), "{line}");
        Server { child, port, what }
    }

    fn double() -> Server {
        Server::start("model", &BOARD)
    }

    /// Arguments for this board, and what it answers.
    fn host(&self, args: &[&str]) -> Output {
        host(&[&["--port", &self.port, "--timeout", "20"], self.what, args].concat())
    }

    /// What it prints, where all must go well.
    fn says(&self, args: &[&str]) -> String {
        let output = self.host(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.stderr.is_empty(), "nothing went wrong: {}", text(&output.stderr));
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
    assert_eq!((&report["passed"], &report["commands"][0]), (&true.into(), &COMMANDS.len().into()));
    let report = board.says(&["self-test", "--quick", "--details", "--seed", "7"]);
    assert!(report.ends_with("PASSED\n") && report.contains("operations of the array: 53 of 53"), "{report}");
    let memory = board.says(&["memory-test", "--bytes", "512"]);
    assert_eq!(memory.matches("  512       0").count(), 6, "{memory}");
    assert!(board.says(&["throughput", "--blocks", "2"]).contains("of what the line allows"));
}

/// Programs of the Duality Cache: assembled or compiled from PTX, data from files and into files.
#[test]
fn a_duality_cache_is_used() {
    let board = Server::start("model", &WITH_DUALITY);
    let info = board.says(&["info"]);
    assert!(
        info.contains("duality memory      65536 bytes") && info.contains("0x18000000      2048  duality "),
        "{info}"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let root = env!("CARGO_MANIFEST_DIR");
    let source = format!("{root}/examples/duality/vecadd.dcs");
    let assembled = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .args(["sim", "duality-asm", "--preset", "tiny", "--out", &path("p.dcp"), &source])
        .output()
        .expect("the binary is built");
    assert!(assembled.status.success(), "{}", text(&assembled.stderr));
    let words = |from: u32| (0..20).flat_map(|k| (from * k + 7).to_le_bytes()).collect::<Vec<u8>>();
    std::fs::write(path("a"), words(3)).expect("the folder can be written");
    std::fs::write(path("b"), words(100)).expect("the folder can be written");
    let (a, b) = (format!("0x10000:{}", path("a")), format!("0x10100:{}", path("b")));
    let store = format!("0x10200:80:{}", path("sum"));
    let program = path("p.dcp");
    let launch = |rest: &[&str]| {
        let data = ["--load", &a, "--load", &b, "--zero", "0x10200:80", "--store", &store];
        let line = ["duality-launch", &program, "--grid", "5", "--block", "4"];
        board.host(&[&line[..], &data, rest].concat())
    };
    let given = |words: &[&'static str]| words.iter().flat_map(|word| ["--parameter", word]).collect::<Vec<_>>();
    let good = given(&["0x10000", "0x10100", "0x10200", "20", "4"]);
    let ran = launch(&good);
    assert!(text(&ran.stdout).starts_with("vecadd: ended with code 0\n"), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let sums: Vec<u8> = (0..20u32).flat_map(|k| (103 * k + 14).to_le_bytes()).collect();
    assert_eq!(std::fs::read(path("sum")).expect("it was written"), sums);
    let json: serde_json::Value =
        serde_json::from_str(&text(&launch(&[&good[..], &["--format", "json"]].concat()).stdout)).expect("JSON");
    assert_eq!((&json["program"], &json["code"]), (&"vecadd".into(), &0.into()));
    // What cannot be, and what stops a program.
    std::fs::remove_file(path("sum")).expect("it was written");
    let stopped = launch(&given(&["0x10000", "0x10100", "0x20200", "20", "4"]));
    refused(&stopped, "vecadd: refused with error 16 (word 9: trap unmapped (16), thread 0, address 0x20200)");
    refused(&launch(&[&good[..], &["--zero", "0x30000:0"]].concat()), "zero = 0x30000:0: must be 1 to 65536 bytes");
    refused(&launch(&[&good[..], &["--shared", "0x30000"]].concat()), "shared = 0x30000: must be ADDRESS:BYTES");
    refused(&launch(&[&good[..], &["--block", "9"]].concat()), "block");
    assert!(!folder.path().join("sum").exists(), "of a program that was stopped nothing is written");
    let none = ["--port", &board.port, "--preset", "tiny", "duality-launch", &program];
    refused(&host(&none), "preset = tiny: this board has no Duality Cache");
    let report = board.says(&["self-test", "--quick"]);
    assert!(report.contains("kernels of the Duality Cache: 4 of 9\n") && report.ends_with("PASSED\n"), "{report}");
    let memory = board.says(&["memory-test", "--bytes", "512"]);
    assert_eq!(memory.matches("  512       0").count(), 9, "{memory}");
}

/// A CUDA kernel on a simulated board: hardware, at the other end of a line.
#[test]
fn a_cuda_kernel_runs_on_a_board() {
    let board = Server::start("native", &WITH_DUALITY);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = format!("{}/examples/cuda/vecadd.ptx", env!("CARGO_MANIFEST_DIR"));
    let cuda = |engine: &[&str], out: &str| {
        let arguments = ["--arg", "random:f32:100:1", "--arg", "random:f32:100:2", "--arg", "zero:f32:100"];
        let kernel = ["sim", "cuda", &file, "--kernel", "vecadd", "--grid", "13", "--block", "8", "--arg"];
        let out = ["s32:100", "--out", &format!("2:{out}")];
        let run = Command::new(env!("CARGO_BIN_EXE_bitline"))
            .args(&kernel[..9])
            .args(arguments)
            .args([&kernel[9..], &out[..]].concat())
            .args(engine)
            .env("BITLINE_PROGRESS", "100000")
            .output();
        run.expect("the binary is built")
    };
    let on = ["--engine", "board", "--board", "duality-tiny", "--baud", "25000000", "--timeout", "20"];
    let ran = cuda(&[&on[..], &["--port", &board.port]].concat(), &path("board.csv"));
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    assert!(text(&ran.stdout).contains("a word of memory at work"), "{}", text(&ran.stdout));
    let judged = cuda(&[], &path("interpreter.csv"));
    assert!(judged.status.success(), "{}", text(&judged.stderr));
    let [board_said, interpreter_said] = ["board.csv", "interpreter.csv"]
        .map(|name| std::fs::read_to_string(folder.path().join(name)).expect("it was written"));
    assert_eq!(board_said.lines().count(), 100);
    assert_eq!(board_said, interpreter_said);
    for (options, wanted) in [
        (&["--engine", "words", "--port", "x"][..], "engine = words: --port, --board, --folder, --clock, --baud and"),
        (&["--engine", "board", "--preset", "cb", "--port", "x"], "preset = cb: the control block is the board's"),
        (&["--engine", "board", "--board", "tiny", "--port", "x"], "board = tiny: this board has no Duality Cache"),
        (&["--engine", "board", "--board", "duality-tiny"], "port = : must be given (--port)"),
        (&["--engine", "board", "--latency", "3"], "engine = board: "),
    ] {
        let output = cuda(options, &path("never.csv"));
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    }
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
    let output = board.host(&["launch", "ADD", "--length", "4"]);
    refused(&output, "command = ADD: must be one of ADDVV");
    let output = board.host(&["store", "array-memory+2", "4", "/tmp/never"]);
    refused(&output, "address = 0x20000002: must be a multiple of 4");
}

/// What cannot be is refused before anything is sent: no board is needed to hear it.
#[test]
fn requests_are_looked_at_before_they_are_sent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("large"), vec![0; 5000]).expect("the folder can be written");
    let (large, out) = (path("large"), path("out"));
    for (args, wanted) in [
        (vec!["read", "array-memory+2"], "address = 0x20000002: must be a multiple of 4"),
        (vec!["read", "array-memory+4092", "2"], "8 bytes from here end beyond array-memory, which has 4096 bytes"),
        (vec!["read", "ccs", "0"], "count = 0: must be at least 1"),
        (vec!["read", "0xf0000000", "0xffffffff"], "end beyond 32 bits of address"),
        (vec!["write", "array-memory+4092", "1", "2"], "8 bytes from here end beyond array-memory"),
        (vec!["write", "board+1", "1"], "address = 0x1: must be a multiple of 4"),
        (vec!["load", "array-memory", &large], "holds more than 4096 bytes"),
        (vec!["load", "array-memory", "/dev/zero"], "/dev/zero: holds more than 4096 bytes"),
        (vec!["store", "array-memory", "4097", &out], "4097 bytes from here end beyond array-memory"),
        (vec!["store", "array-memory", "0", &out], "count = 0: must be at least 1"),
        (vec!["launch", "ADDVV", "--length", "0"], "length = 0: must be at least 1"),
        (vec!["launch", "ADDVV", "--length", "4", "--a", "1"], "a = 0x1: must be a multiple of"),
        (vec!["launch", "SUMV", "--length", "4000000000"], "elements from here end beyond the memory"),
        (vec!["launch", "ADDVC", "--length", "4", "--unsigned", "--constant", "-5"], "constant = -5: must be 0 to"),
        (vec!["launch", "ADDVC", "--length", "4", "--constant", "five"], "constant = five: must be"),
    ] {
        refused(&host(&[&BOARD[..], &["--port", "/dev/ttyNONE7"], &args[..]].concat()), wanted);
    }
    assert!(!folder.path().join("out").exists());
}

/// Numbers below 0, both ways.
#[test]
fn results_and_constants_have_signs() {
    let board = Server::double();
    board.says(&["write", "ccs-memory", "0", "0", "0", "0"]);
    board.says(&["launch", "ADDVC", "--length", "4", "--constant", "-5", "--r", "64"]);
    let read = board.says(&["read", "ccs-memory+64"]);
    assert!(read.ends_with("  0xfffffffb\n"), "{read}");
    assert_eq!(board.says(&["launch", "SUMV", "--length", "4", "--a", "64"]), "SUMV = -20 (0xffffffec)\n");
    let unsigned = board.says(&["launch", "MAXV", "--length", "4", "--a", "64", "--unsigned"]);
    assert_eq!(unsigned, "MAXV = 4294967291 (0xfffffffb)\n");
}

/// For programs: a hash that keeps its bits, and the map; no cycles where nobody has counted any.
#[test]
fn what_a_double_says_is_true() {
    let board = Server::double();
    let info: serde_json::Value = serde_json::from_str(&board.says(&["info", "--format", "json"])).expect("JSON");
    let hash = info["hash"].as_str().expect("text");
    assert!(hash.len() == 18 && hash.starts_with("0x"), "{info}");
    assert!(board.says(&["info"]).contains(hash), "the same as for people");
    let memory = info["map"].as_array().expect("a map").iter().find(|part| part["name"] == "array-memory");
    assert_eq!(
        memory.map(|part| (part["address"].as_u64(), part["bytes"].as_u64())),
        Some((Some(0x2000_0000), Some(4096)))
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("p.bl").display().to_string();
    std::fs::write(&file, "vector x width=4\nload x value 3\nadd d=x a=x b=x\n").expect("the folder can be written");
    let ran = board.says(&["run", &file]);
    assert!(ran.contains("   1             -  add d=x a=x b=x\n"), "{ran}");
    assert!(ran.ends_with("cycles in which the array was busy, with setup: -\n"), "{ran}");
}

#[test]
fn help_begins_with_a_commands_own_options() {
    let help = text(&host(&["launch", "--help"]).stdout);
    let at = |part: &str| help.find(part).unwrap_or_else(|| panic!("{part} in {help}"));
    assert!(at("--length") < at("Board:") && at("Board:") < at("--port") && at("--port") < at("--timeout"), "{help}");
}

/// The board's end of the line is gone while it is used; afterwards there is no such port.
#[test]
fn a_cable_is_pulled() {
    let mut board = Server::double();
    let args = [&["--port", &board.port], &BOARD[..], &["throughput", "--blocks", "1000000"]].concat();
    let child = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .arg("host")
        .args(args)
        .env("BITLINE_PROGRESS", "100000")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    std::thread::sleep(Duration::from_millis(700));
    board.child.kill().expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    refused(&output, "was unplugged, or what was at its other end has ended, in the middle of");
    assert!(text(&output.stderr).contains("try: plug the cable in"));
    board.child.wait().expect("it has ended");
    refused(&board.host(&["info"]), &format!("port = {}", board.port));
}

/// The same in the middle of a program: with what to try, as everywhere.
#[test]
fn a_cable_is_pulled_while_a_program_runs() {
    let mut board = Server::double();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("p.bl").display().to_string();
    let lines =
        "elements 800000\nvector x width=8\nload x value 3\nadd d=x a=x b=x\nadd d=x a=x b=x\nstore x raw \"o.bin\"\n";
    std::fs::write(&file, lines).expect("the folder can be written");
    let child = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .arg("host")
        .args([&["--port", &board.port], &BOARD[..], &["run", &file]].concat())
        .env("BITLINE_PROGRESS", "100000")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    std::thread::sleep(Duration::from_millis(1500));
    board.child.kill().expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    refused(&output, "was unplugged, or what was at its other end has ended, in the middle of");
    assert!(text(&output.stderr).contains("try: plug the cable in"), "{}", text(&output.stderr));
    assert!(!folder.path().join("o.bin").exists());
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
