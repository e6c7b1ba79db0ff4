//! Plans, results files and merging, with cases whose results are made up.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::campaigns::Mismatch;
use super::choice::Choice;
use super::designs::Designs;
use super::report::{Report, html, junit};
use super::results::{Appender, read_of};
use super::run::{one, run};
use super::*;
use crate::error::Result;
use crate::kernel::netlist::{Expr, ExprId, ExprKind, Netlist, Unary};

const COMMIT: &str = "0123abcd";

fn request() -> Request {
    Request {
        campaigns: vec!["array.random".into(), "array.streams".into()],
        presets: vec![],
        engines: vec!["native".into()],
        seed: 5,
        seeds: 10,
        size: None,
    }
}

fn plan() -> Plan {
    Plan::new(&request(), COMMIT).unwrap_or_else(|e| panic!("{e}"))
}

/// A result that follows from the case alone.
fn made_up(case: &Case) -> Record {
    let n = case.number as u64;
    let why = || Mismatch { message: format!("wrong <&> in \u{1b}[1mcase {n}"), at: Some((n, "a.b".into())) };
    let mut record = Record::ended(case, Status::Failed, why(), 0.25);
    if !n.is_multiple_of(7) || n == 0 {
        let message = String::new();
        record =
            Record { status: Status::Passed, commands: n, cycles: 10 * n, message, cycle: None, path: None, ..record };
    }
    record
}

fn text(result: Result<impl std::fmt::Debug>) -> String {
    result.expect_err("this is wrong").to_string()
}

#[test]
fn plans_are_the_same_everywhere() {
    let (first, second) = (plan(), plan());
    assert_eq!(first, second);
    assert_eq!(first.cases.len(), 20);
    assert!(first.cases.iter().enumerate().all(|(at, case)| case.number == at && (5..15).contains(&case.seed)));
    // The order in which things were asked for does not count, nor how often.
    let twice =
        Request { campaigns: ["array.streams", "array.random", "array.random"].map(String::from).into(), ..request() };
    assert_eq!(Plan::new(&twice, COMMIT).map(|plan| plan.header.plan).ok(), Some(first.header.plan.clone()));
    for other in [Request { seed: 6, ..request() }, Request { size: Some(3), ..request() }] {
        assert_ne!(Plan::new(&other, COMMIT).map(|plan| plan.header.plan).ok(), Some(first.header.plan.clone()));
    }
}

#[test]
fn every_case_is_in_one_shard() {
    let plan = plan();
    for count in [1, 2, 3, 19, 20, 33] {
        let shards: Vec<Shard> = (1..=count).map(|index| Shard { index, count }).collect();
        for case in &plan.cases {
            assert_eq!(shards.iter().filter(|shard| shard.has(case)).count(), 1);
        }
    }
    assert_eq!("3/8".parse::<Shard>().ok(), Some(Shard { index: 3, count: 8 }));
    for wrong in ["0/8", "9/8", "3", "3/", "/8", "a/b", "-1/8", "1/0", "99999999999/99999999999"] {
        assert!(text(wrong.parse::<Shard>()).starts_with(&format!("shard = {wrong}: must be i/n")));
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let one = |name: &str| vec![name.to_string()];
    let cases = [
        (Request { campaigns: one("array.fly"), ..request() }, "campaign = array.fly: must be array.random, "),
        (Request { presets: one("huge"), ..request() }, "preset = huge: must be tiny, "),
        (
            Request { engines: one("magic"), ..request() },
            "engine = magic: must be native, reference, verilator or icarus",
        ),
        (Request { seeds: 0, ..request() }, "seeds = 0: must be at least 1"),
        (
            Request { seed: u64::MAX, seeds: 2, ..request() },
            "seeds = 2: must be at least 1, and the last one below 2^64",
        ),
        (Request { seeds: 1 << 40, ..request() }, "more than 1000000 cases"),
        (Request { size: Some(0), ..request() }, "size = 0: must be 1 to 1000000 commands for array.random"),
        (Request { campaigns: one("array.exhaustive"), size: Some(5), ..request() }, "size = 5: must be 1 to 4 bits"),
    ];
    for (request, wanted) in cases {
        let message = text(Plan::new(&request, COMMIT));
        assert!(message.contains(wanted), "{message}\n not {wanted}");
    }
}

/// Runs what is open of a shard into a file, until so many cases have ended.
fn go(plan: &Plan, shard: Shard, path: &Path, most: usize) -> usize {
    let (mut appender, contents) = Appender::open(path, plan).unwrap_or_else(|e| panic!("{e}"));
    let mut merged = Merged::new(plan);
    merged.add_file(path, &contents).unwrap_or_else(|e| panic!("{e}"));
    let open: Vec<&Case> = merged.open(plan).into_iter().filter(|case| shard.has(case)).collect();
    let mut ran = 0;
    let outcome = run(&open, 3, &made_up, &mut |_, record| {
        appender.append(&record)?;
        ran += 1;
        Ok(ran < most)
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
    ran
}

#[test]
fn shards_resumed_and_merged_are_the_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan();
    let whole = folder.path().join("whole.jsonl");
    assert_eq!(go(&plan, Shard::WHOLE, &whole, usize::MAX), 20);
    let expected = merge(None, std::slice::from_ref(&whole), COMMIT).unwrap_or_else(|e| panic!("{e}")).1;
    assert_eq!((expected.count(Status::Passed), expected.count(Status::Failed)), (18, 2));

    let mut files = Vec::new();
    for index in 1..=3 {
        let path = folder.path().join(format!("{index}.jsonl"));
        // Two cases, then a kill in the middle of a line, then the rest.
        assert_eq!(go(&plan, Shard { index, count: 3 }, &path, 2), 2);
        let mut bytes = std::fs::read(&path).expect("a results file");
        bytes.extend(b"{\"case\":1,\"sta");
        std::fs::write(&path, bytes).expect("the folder can be written");
        let torn = read_of(&path, &plan).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((torn.records.len(), torn.torn), (2, 14));
        assert!(torn.note(&path).is_some_and(|note| note.ends_with("its last line was not finished and is dropped")));
        let left = plan.cases.iter().filter(|case| Shard { index, count: 3 }.has(case)).count() - 2;
        assert_eq!(go(&plan, Shard { index, count: 3 }, &path, usize::MAX), left);
        assert_eq!(read_of(&path, &plan).unwrap_or_else(|e| panic!("{e}")).torn, 0);
        files.push(path);
    }
    let (of, merged) = merge(None, &files, COMMIT).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((of, &merged), (plan.clone(), &expected));

    // A shard that ran twice counts once.
    files.push(whole);
    let merged = merge(Some(plan.clone()), &files, COMMIT).unwrap_or_else(|e| panic!("{e}")).1;
    assert_eq!((merged.duplicates, &merged.records), (20, &expected.records));
}

#[test]
fn a_case_with_two_results_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let record = made_up(&plan.cases[3]);
    for (path, cycles) in paths.iter().zip([30, 31]) {
        let mut appender = Appender::open(path, &plan).unwrap_or_else(|e| panic!("{e}")).0;
        appender.append(&Record { cycles, seconds: cycles as f64, ..record.clone() }).unwrap_or_else(|e| panic!("{e}"));
    }
    let message = text(merge(None, &paths, COMMIT));
    let wanted =
        "b: case 3: passed with 3 commands in 31 cycles, but another run of it: passed with 3 commands in 30 cycles";
    assert!(message.ends_with(wanted), "{message}");

    // What could not run is no result: whatever comes before or after it counts.
    let broken = Record { status: Status::Error, commands: 0, cycles: 0, message: "no disk".into(), ..record.clone() };
    for order in [[&broken, &record], [&record, &broken]] {
        let mut merged = Merged::new(&plan);
        order.into_iter().for_each(|record| merged.add(record).expect("they do not contradict each other"));
        assert_eq!(merged.records[3].as_ref(), Some(&record));
    }
}

#[test]
fn files_of_something_else_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan();
    let path = folder.path().join("r.jsonl");
    go(&plan, Shard::WHOLE, &path, 4);
    let good = std::fs::read_to_string(&path).expect("text");
    let other = Plan::new(&Request { seed: 6, ..request() }, COMMIT).unwrap_or_else(|e| panic!("{e}"));
    let parameters = &plan.header.parameters;
    let changes = [
        (good.clone(), &other, "r.jsonl: is of another plan (hash "),
        (good.replacen(COMMIT, "4567", 1), &plan, "r.jsonl: is of commit 4567, and this program of 0123abcd"),
        (good.replacen(parameters, "00", 1), &plan, "r.jsonl: is of other parameters (hash 00, here "),
        (good.replacen("\"format\":1", "\"format\":2", 1), &plan, "r.jsonl: has format 2, and this program reads"),
        (good.replacen("\"case\":", "\"case\":20", 1), &plan, "and the plan has 20 cases"),
        (good.replacen("\"status\"", "\"state\"", 1), &plan, "r.jsonl, line 2: is no case of a regression's results: "),
        ("columns\n1\n".into(), &plan, "r.jsonl, line 1: is no header of a regression's results: "),
    ];
    for (changed, plan, wanted) in changes {
        assert!(changed != good || plan.header.plan == other.header.plan);
        std::fs::write(&path, &changed).expect("the folder can be written");
        for message in
            [text(Appender::open(&path, plan)), text(merge(Some(plan.clone()), std::slice::from_ref(&path), COMMIT))]
        {
            assert!(message.contains(wanted), "{message}\n not {wanted}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("text"), changed, "a refused file stays as it is");
    }
    std::fs::write(&path, "").expect("the folder can be written");
    let message = text(merge(None, std::slice::from_ref(&path), COMMIT));
    assert!(message.contains("none of them holds results"), "{message}");
    assert!(text(Appender::open(folder.path(), &plan)).ends_with("is a folder"));
    let _first = Appender::open(&path, &plan).unwrap_or_else(|e| panic!("{e}"));
    assert!(text(Appender::open(&path, &plan)).ends_with("is being written by another run"));
}

#[test]
fn every_worker_takes_part_and_a_stop_stops() {
    let plan = plan();
    let cases: Vec<&Case> = plan.cases.iter().collect();
    let barrier = std::sync::Barrier::new(4);
    let mut arrived = Vec::new();
    // Each case waits for three others: fewer workers would wait for ever.
    let work = |case: &Case| {
        barrier.wait();
        made_up(case)
    };
    run(&cases, 4, &work, &mut |case, record| {
        assert_eq!(case.number, record.case);
        arrived.push(case.number);
        Ok(true)
    })
    .unwrap_or_else(|e| panic!("{e}"));
    arrived.sort_unstable();
    assert_eq!(arrived, (0..20).collect::<Vec<_>>());

    let (ran, mut seen) = (AtomicUsize::new(0), 0);
    let work = |case: &Case| {
        ran.fetch_add(1, Ordering::Relaxed);
        made_up(case)
    };
    let outcome = run(&cases, 1, &work, &mut |_, _| {
        seen += 1;
        Err(crate::error::Error::file("disk", "full"))
    });
    assert_eq!((text(outcome), seen), ("disk: full".into(), 1));
    assert!(ran.into_inner() <= 20);
}

#[test]
fn reports_tell_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan();
    let path = folder.path().join("r.jsonl");
    go(&plan, Shard { index: 1, count: 2 }, &path, usize::MAX);
    go(&plan, Shard { index: 2, count: 2 }, &path, 6);
    let merged = merge(None, &[path], COMMIT).unwrap_or_else(|e| panic!("{e}")).1;
    let report = Report::new(&plan, plan.cases.iter(), &merged);
    let (passed, failed) = (merged.count(Status::Passed), merged.count(Status::Failed));
    assert_eq!((report.suites.len(), report.total.passed, report.total.failed), (2, passed, failed));
    assert_eq!((report.total.missing, merged.missing(), report.passed()), (4, 4, false));

    let xml = junit(&plan, plan.cases.iter(), &merged);
    let tree = roxmltree::Document::parse(&xml).unwrap_or_else(|e| panic!("{e}: {xml}"));
    let count = |name: &str| tree.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!((count("testsuite"), count("testcase"), count("failure"), count("skipped")), (2, 20, failed, 4));
    let root = tree.root_element();
    assert_eq!(["tests", "failures"].map(|name| root.attribute(name)), [Some("20"), Some(&*failed.to_string())]);

    let page = html(&report);
    let first = merged.first_failure().expect("one has failed");
    let replay = plan.cases[first.case].replay();
    for wanted in ["<span class=\"bad\">failed</span>", "wrong &lt;&amp;&gt; in", &replay, COMMIT] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    assert!(!page.contains("wrong <&>"));
    assert!(report.text().contains(&format!("again: {replay}")) && xml.contains(&replay), "{}", report.text());
}

/// The compute unit of `tiny` whose loop counters take the complement of what their first register should.
fn damaged() -> Netlist {
    let mut netlist = (CAMPAIGNS[0].subject.netlist)("tiny").unwrap_or_else(|e| panic!("{e}"));
    let module = netlist.modules.iter_mut().find(|module| module.name.contains("loop_counters")).expect("it is there");
    let next = module.registers[0].next;
    let inverted = Expr { kind: ExprKind::Unary(Unary::Not, next), ..module.expr(next).clone() };
    module.exprs.push(inverted);
    module.registers[0].next = ExprId(module.exprs.len() as u32 - 1);
    netlist
}

/// A divergence comes with its seed, cycle and path, and the same case finds the same one again.
#[test]
fn a_divergence_is_told_and_comes_again() {
    let netlist = damaged();
    let plan = plan();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |case: &Case, choice: Choice| {
        let engine = choice.engine(&netlist, false, folder.path()).unwrap_or_else(|e| panic!("{e}"));
        (Plan::campaign(case).run)(&case.preset, engine, case.seed, case.size).expect_err("the hardware is wrong")
    };
    for case in [&plan.cases[0], &plan.cases[15]] {
        let why = run(case, Choice::Native);
        assert_eq!([run(case, Choice::Native), run(case, Choice::Reference)], [why.clone(), why.clone()]);
        let record = Record::ended(case, Status::Failed, why, 0.0);
        let path = record.path.clone().expect("it is a difference to the model");
        assert!(path.contains("loop_counters") || path.contains("counters"), "{path}");
        let cycle = record.cycle.expect("it has a cycle");
        let told = format!("hardware and model differ: seed {}, cycle {cycle}, {path}: expected ", case.seed);
        assert!(record.message.starts_with(&told), "{}", record.message);
    }
}

/// The list is what it says: names, sizes, and a case of each that passes.
#[test]
fn every_campaign_passes_a_small_case() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let designs = Designs::new(folder.path().into());
    for campaign in &CAMPAIGNS {
        let (unit, name) = campaign.name.split_once('.').expect("a unit's name and one of its own");
        assert!(unit == campaign.subject.name && !name.is_empty(), "{}", campaign.name);
        assert!((1..=campaign.largest).contains(&campaign.size), "{}", campaign.name);
        let request = Request { campaigns: vec![campaign.name.into()], seeds: 1, size: Some(1), ..request() };
        let plan = Plan::new(&request, COMMIT).unwrap_or_else(|e| panic!("{e}"));
        let record = one(&plan.cases[0], &designs);
        println!("{}: {record:?}", plan.cases[0].replay());
        assert!(record.status == Status::Passed && record.cycles > 0, "{record:?}");
        assert!(record.same(&one(&plan.cases[0], &designs)), "a case is the same whenever it runs");
    }
}
