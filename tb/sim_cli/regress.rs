//! `sim regress` from outside: shards, merging, resuming after a kill, reports, Slurm's scripts without a Slurm, and
//! what it says to bad input.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::{names, sim, text, write};

/// The program, as words.
const PROGRAM: [&str; 2] = [env!("CARGO_BIN_EXE_bitline"), "sim"];

/// The program, to be started in ways of its own.
fn sim_command() -> Command {
    let mut command = Command::new(PROGRAM[0]);
    command.args(&PROGRAM[1..]);
    command
}

/// Small cases: 2 campaigns, 6 seeds.
const SMALL: [&str; 8] =
    ["regress", "--campaign", "array.random,array.streams", "--seeds", "6", "--size", "4", "--jobs"];

/// Records by the case's number, without the time that they took.
fn records(path: &Path) -> BTreeMap<u64, String> {
    let content = std::fs::read_to_string(path).expect("a results file");
    let line = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        value["seconds"] = 0.into();
        (value["case"].as_u64().expect("a number"), value.to_string())
    };
    content.lines().skip(1).map(line).collect()
}

fn passes(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// What a line with all counts says of so many cases that have passed.
fn all_passed(cases: usize) -> String {
    format!("{cases} cases: {cases} passed, 0 failed, 0 could not run, 0 not run; ")
}

#[test]
fn shards_give_what_one_machine_gives() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let whole = at("whole.jsonl");
    let printed = passes(&sim(&[&SMALL[..], &["2", "--results", &shown(&whole)]].concat()));
    assert!(printed.contains(&all_passed(12)), "{printed}");
    assert_eq!(records(&whole).len(), 12);

    let plan = shown(&at("plan.json"));
    let printed = passes(&sim(&[
        "regress",
        "plan",
        "--campaign",
        "array.random,array.streams",
        "--seeds",
        "6",
        "--size",
        "4",
        "--out",
        &plan,
    ]));
    assert!(printed.contains("plan.json: 12 cases, plan "), "{printed}");
    let mut files = Vec::new();
    for shard in ["1/5", "2/5", "3/5", "4/5", "5/5"] {
        let file = at(&format!("shard-{}.jsonl", &shard[..1]));
        let printed =
            passes(&sim(&["regress", "--plan", &plan, "--shard", shard, "--jobs", "1", "--results", &shown(&file)]));
        assert!(printed.contains(&all_passed(records(&file).len())), "{printed}");
        files.push(file);
    }
    let all: BTreeMap<u64, String> = files.iter().flat_map(|file| records(file)).collect();
    assert_eq!(all, records(&whole));

    let paths: Vec<String> = files.iter().map(|file| shown(file)).collect();
    let merge = |paths: &[String], more: &[&str]| {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        sim(&[&["regress", "merge"], &paths[..], more].concat())
    };
    let (xml, page) = (shown(&at("r.xml")), shown(&at("r.html")));
    let printed = passes(&merge(&paths, &["--junit", &xml, "--html", &page]));
    assert!(printed.contains(&all_passed(12)), "{printed}");
    let read = |path: &str| std::fs::read_to_string(path).expect("a report");
    assert_eq!(read(&xml).matches("<testcase ").count(), 12);
    assert!(read(&page).contains("<span class=\"good\">passed</span>"));
    // Twice the same result is one; a missing shard is told, and no success.
    let twice: Vec<String> = paths.iter().chain([&shown(&whole)]).cloned().collect();
    let printed = passes(&merge(&twice, &["--plan", &plan]));
    assert!(printed.contains("12 cases (12 ran twice): 12 passed, 0 failed"), "{printed}");
    let output = merge(&paths[1..], &["--html", &page]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("12 cases: 9 passed, 0 failed, 0 could not run, 3 not run; "));
    assert!(read(&page).contains("<span class=\"open\">not complete</span>"));
}

#[test]
fn a_kill_loses_no_finished_case() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("r.jsonl");
    let file = shown(&path);
    let size = ["regress", "--campaign", "array.random", "--seeds", "60", "--size", "60"];
    let arguments = [&size[..], &["--jobs", "2", "--results", &file]].concat();
    let start = || {
        let mut command = sim_command();
        command.args(&arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the binary is built")
    };
    let lines = || std::fs::read(&path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    let mut finished = 0;
    for wanted in [4, 9] {
        let mut child = start();
        let begin = Instant::now();
        while lines() < wanted && begin.elapsed() < Duration::from_secs(300) {
            assert!(child.try_wait().expect("a child").is_none(), "it ends by itself: {finished}");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let before = finished;
        finished = records(&path).len();
        assert!((wanted - 1..60).contains(&finished) && finished > before, "{finished}");
    }
    // A line that the kill has torn, as it may.
    let mut bytes = std::fs::read(&path).expect("a results file");
    bytes.extend(&b"{\"case\":59,\"status\":\"fai"[..]);
    std::fs::write(&path, bytes).expect("the folder can be written");
    let output = sim(&arguments);
    let printed = passes(&output);
    assert!(text(&output.stderr).contains(&format!("{finished} of 60 cases have results already")));
    assert!(printed.contains(&all_passed(60)) && printed.contains("its last line was not finished and is dropped"));
    assert_eq!(records(&path).len(), 60);
    let output = sim(&arguments);
    assert!(passes(&output).contains(&all_passed(60)));
    assert!(text(&output.stderr).contains("60 of 60 cases have results already"));
}

/// A failed case in a results file ends with 1, and everything that is said of it names its seed and how to run it
/// again.
#[test]
fn failures_are_told_and_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| shown(&folder.path().join(name));
    let (good, bad, xml, page) = (at("good.jsonl"), at("bad.jsonl"), at("r.xml"), at("r.html"));
    passes(&sim(&[&SMALL[..], &["2", "--results", &good]].concat()));
    let content = std::fs::read_to_string(&good).expect("a results file");
    let told = "hardware and model differ: seed 2, cycle 77, unit.carry: expected 1, actual 0";
    let failed = format!(
        "{{\"case\":1,\"status\":\"failed\",\"commands\":0,\"cycles\":0,\"message\":\"{told}\",\
         \"cycle\":77,\"path\":\"unit.carry\",\"seconds\":1.0}}"
    );
    let changed = |line: &str| if line.starts_with("{\"case\":1,") { failed.clone() } else { line.to_string() };
    let lines: Vec<String> = content.lines().map(changed).collect();
    std::fs::write(&bad, lines.join("\n") + "\n").expect("the folder can be written");
    let replay = "sim regress --campaign array.random --preset tiny --engine native --seed 2 --seeds 1 --size 4";
    for output in [
        sim(&["regress", "merge", &bad, "--junit", &xml, "--html", &page]),
        sim(&[&SMALL[..], &["2", "--results", &bad, "--junit", &xml, "--html", &page]].concat()),
    ] {
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let read = |path: &str| std::fs::read_to_string(path).expect("a report");
        for text in [text(&output.stdout), read(&xml), read(&page)] {
            assert!(text.contains(told) && text.contains(replay), "{text}");
        }
        assert!(read(&page).contains("cycle 77 at <code>unit.carry</code>"));
    }
    // The command that is named runs that case alone, and nothing is wrong with it.
    assert!(passes(&sim(&replay.split(' ').skip(1).collect::<Vec<_>>())).contains(&all_passed(1)));
    let output = sim(&["regress", "merge", &good, &bad]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.contains("bad.jsonl: case 1: failed: hardware and model differ")
            && message.contains("but another run of it: passed")
    );
}

/// One case, with these arguments behind it.
fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["regress", "--campaign", "array.random", "--seeds", "1"], more].concat()
}

#[test]
fn bad_input_is_status_2_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let results = shown(&here.join("r.jsonl"));
    passes(&sim(&[&SMALL[..], &["2", "--results", &results]].concat()));
    let content = std::fs::read_to_string(&results).expect("a results file");
    let value: serde_json::Value = serde_json::from_str(content.lines().next().expect("a header")).expect("JSON");
    let key = |key: &str| value[key].as_str().expect("text").to_string();
    let commit = write(here, "commit.jsonl", content.replacen(&key("commit"), "feed", 1));
    let parameters = write(here, "parameters.jsonl", content.replacen(&key("parameters"), "feed", 1));
    let picture = write(here, "picture.jsonl", [0x89, b'P', b'N', b'G', b'\n', 0xff]);
    let empty = write(here, "empty.jsonl", "");
    let whole = shown(here);
    let before = names(here);
    let cases: [(Vec<&str>, &str); 24] = [
        (small(&["--engine", "quartus"]), "engine = quartus: must be native, reference, verilator or icarus"),
        (small(&["--preset", "huge"]), "preset = huge: must be tiny, "),
        (vec!["regress", "--campaign", "fly"], "campaign = fly: must be array.random, "),
        (small(&["--size", "0"]), "size = 0: must be 1 to "),
        (vec!["regress", "--seeds", "0"], "seeds = 0: must be at least 1"),
        (vec!["regress", "--seeds=-1"], "invalid value '-1'"),
        (small(&["--jobs", "0"]), "invalid value '0' for '--jobs <JOBS>'"),
        (small(&["--shard", "4/3"]), "shard = 4/3: must be i/n with 1 ≤ i ≤ n"),
        (small(&["--results", &results]), "r.jsonl: is of another plan (hash "),
        (vec!["regress", "merge", &commit], "commit.jsonl: is of commit feed, and this program of "),
        (vec!["regress", "merge", &parameters], "parameters.jsonl: is of other parameters (hash feed"),
        (vec!["regress", "merge", &results, &commit], "commit.jsonl: is of commit feed"),
        (vec!["regress", "merge", &picture], "picture.jsonl, line 1: is no header of a regression's results"),
        (vec!["regress", "merge", &empty], "none of them holds results"),
        (vec!["regress", "merge", "nowhere.jsonl"], "nowhere.jsonl: "),
        (vec!["regress", "merge"], "required arguments were not provided"),
        (vec!["regress", "merge", &results, "--html", &whole], "is a folder"),
        (small(&["--results", "/dev/full"]), "/dev/full: is not a regular file"),
        (small(&["--results", "/nowhere/r.jsonl"]), "/nowhere/r.jsonl: "),
        (vec!["regress", "--plan", "nowhere.json"], "nowhere.json: "),
        (vec!["regress", "--plan", &results], "r.jsonl: is no plan of a regression: "),
        (vec!["regress", "--plan", &results, "--seeds", "3"], "cannot be used with"),
        (small(&["--slurm"]), "required arguments were not provided"),
        (small(&["--wait"]), "required arguments were not provided"),
    ];
    for (args, wanted) in cases {
        let output = sim(&args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(wanted), "{args:?}\n says {message}\n not  {wanted}");
        assert!(!message.contains("panicked"), "{message}");
        assert_eq!(names(here), before, "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(&results).expect("a results file"), content);
}

/// An engine whose program is not there is told before anything runs.
#[test]
fn a_missing_simulator_is_status_2() {
    for (engine, program) in [("verilator", "verilator"), ("icarus", "iverilog")] {
        let output = sim_command()
            .args(["regress", "--seeds", "1", "--engine", engine])
            .env("PATH", "/nowhere")
            .output()
            .expect("the binary is built");
        assert_eq!(output.status.code(), Some(2));
        let wanted = format!("{program}: is not installed, and the engine {engine} needs it");
        assert!(text(&output.stderr).contains(&wanted), "{}", text(&output.stderr));
    }
}

/// A disk that fills up in the middle of a run: what was written before is kept, and the run goes on from it.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_what_was_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("r.jsonl");
    // Files may have 1024 bytes, which is room for the header and a few cases.
    let run = "ulimit -f 2; trap '' XFSZ; exec \"$0\" \"$@\"";
    let file = shown(&path);
    let arguments = [&SMALL[..], &["1", "--results", &file]].concat();
    let mut command = Command::new("sh");
    let output = command.args(["-c", run]).args(PROGRAM).args(&arguments).output().expect("a shell");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("r.jsonl: File too large") && message.contains("the run can go on from it"), "{message}");
    let kept = records(&path);
    assert!((1..12).contains(&kept.len()), "{kept:?}");
    let output = sim(&arguments);
    assert!(passes(&output).contains(&all_passed(12)));
    assert!(text(&output.stderr).contains(&format!("{} of 12 cases have results already", kept.len())));
    let all = records(&path);
    assert!(kept.iter().all(|(case, record)| all[case] == *record));
}

/// A stand-in for `sbatch`, as the only one in PATH: `body` is a shell script. Runs `sim` with these arguments.
#[cfg(unix)]
fn with_sbatch(folder: &Path, body: &str, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).expect("the folder can be written");
    for (name, body) in [("sbatch", body), ("scancel", "echo \"$1\" >>\"$0.log\"")] {
        let path = PathBuf::from(write(&bin, name, format!("#!/bin/sh\n{body}\n")));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    }
    let mut command = sim_command();
    command.args(arguments).env("PATH", &bin).output().expect("the binary is built")
}

#[cfg(unix)]
#[test]
fn without_slurm_and_with_one_that_refuses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shared = shown(&folder.path().join("shared"));
    let arguments = [&SMALL[..], &["1", "--slurm", "--shared", &shared, "--shards", "3"]].concat();
    let fails = |output: Output, wanted: &str| {
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(wanted), "{message}\n not {wanted}");
    };
    let output = sim_command().args(&arguments).env("PATH", "/nowhere").output();
    fails(
        output.expect("the binary is built"),
        "sbatch: is not installed: --slurm needs a machine on which Slurm takes jobs",
    );
    let refuse = "echo 'sbatch: error: invalid partition specified: fast' >&2; exit 1";
    fails(with_sbatch(folder.path(), refuse, &arguments), "sbatch: error: invalid partition specified: fast");
    fails(with_sbatch(folder.path(), "echo Submitted", &arguments), "printed \"Submitted\", which is no job's number");
    // The merge is refused: the array must not run for nobody.
    let second = "case \"$*\" in *dependency*) echo 'error: limit' >&2; exit 1;; *) echo 41;; esac";
    fails(with_sbatch(folder.path(), second, &arguments), "array job 41 was cancelled");
    assert_eq!(std::fs::read_to_string(folder.path().join("bin/scancel.log")).expect("it was called"), "41\n");
    // Another regression in the same folder.
    let other = ["regress", "--seeds", "1", "--slurm", "--shared", &shared];
    fails(with_sbatch(folder.path(), "echo 41", &other), "plan.json: is of another plan (hash ");
    fails(sim(&["regress", "--slurm", "--shared", "/dev/null/x"]), "/dev/null/x: ");
}

/// The scripts that Slurm would start, started by hand: a shard that is killed and requeued runs only what is left.
#[cfg(unix)]
#[test]
fn scripts_of_slurm_do_their_work() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shared = folder.path().join("it's shared");
    let at = shown(&shared);
    let slurm = ["1", "--slurm", "--shared", &at, "--shards", "3", "--sbatch=--partition=long"];
    let arguments = [&SMALL[..], &slurm].concat();
    let body = "echo \"$*\" >>\"$0.log\"; case \"$*\" in *dependency*) echo '42;cluster';; *) echo 41;; esac";
    let printed = passes(&with_sbatch(folder.path(), body, &arguments));
    assert!(printed.starts_with("12 cases in 3 shards: array job 41, merge job 42; "), "{printed}");
    let log = std::fs::read_to_string(folder.path().join("bin/sbatch.log")).expect("it was called");
    let calls: Vec<&str> = log.lines().collect();
    for wanted in
        ["--array=1-3", "--requeue", "--open-mode=append", "--cpus-per-task=1", "--partition=long", "shard.sh"]
    {
        assert!(calls[0].contains(wanted), "{wanted}: {log}");
    }
    assert!(calls[1].contains("--dependency=afterany:41") && calls[1].contains("--partition=long"), "{log}");

    let task = |task: &str, restart: &str| {
        let mut command = Command::new("sh");
        command.arg(shared.join("shard.sh")).env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_JOB_ID", "41");
        command.env("SLURM_RESTART_COUNT", restart).output().expect("a shell")
    };
    assert!(passes(&task("1", "0")).contains(&all_passed(4)));
    // The second shard was killed when it had two of its four cases, and in the middle of the third.
    passes(&task("2", "0"));
    let first = shared.join("shard-2.41.0.jsonl");
    let content = std::fs::read_to_string(&first).expect("its results");
    let kept: Vec<&str> = content.lines().take(3).collect();
    std::fs::write(&first, kept.join("\n") + "\n{\"case\":").expect("the folder can be written");
    let output = task("2", "1");
    assert!(passes(&output).contains(&all_passed(4)));
    assert!(text(&output.stderr).contains("2 of 4 cases have results already"), "{}", text(&output.stderr));
    assert_eq!(records(&shared.join("shard-2.41.1.jsonl")).len(), 2);

    let merge = || Command::new("sh").arg(shared.join("merge.sh")).output().expect("a shell");
    let output = merge();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("12 cases: 8 passed, 0 failed, 0 could not run, 4 not run; "));
    passes(&task("3", "0"));
    assert!(passes(&merge()).contains(&all_passed(12)));
    for report in ["report.xml", "report.html"] {
        assert!(std::fs::metadata(shared.join(report)).is_ok_and(|it| it.len() > 1000), "{report}");
    }
}

#[test]
fn campaigns_are_listed() {
    let printed = passes(&sim(&["regress", "list"]));
    for campaign in &bitline::sim::regress::CAMPAIGNS {
        assert!(printed.contains(&format!("| {} | ", campaign.name)), "{}", campaign.name);
    }
}
