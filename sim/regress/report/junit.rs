//! The report as JUnit XML, which CI systems show.

use quick_junit::{NonSuccessKind, Property, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use crate::regress::case::{Case, Status};
use crate::regress::merge::Merged;
use crate::regress::plan::Plan;
use std::time::Duration;

/// A suite for each campaign, preset and engine, a test case for each seed. Cases that have not run are skipped ones.
///
/// # Panics
/// Never: memory takes what is written to it.
pub fn junit<'a>(plan: &Plan, cases: impl Iterator<Item = &'a Case>, merged: &Merged) -> String {
    let mut report = JunitReport::new("bitline regress");
    let mut suite: Option<TestSuite> = None;
    for case in cases {
        let name = case.suite();
        if suite.as_ref().is_none_or(|suite| suite.name.as_str() != name) {
            report.add_test_suites(suite.take());
            suite = Some(new_suite(&name, plan));
        }
        let test = test_case(case, merged);
        let suite = suite.as_mut().expect("there is one");
        let time = |of: Option<Duration>| of.unwrap_or_default() + test.time.unwrap_or_default();
        (suite.time, report.time) = (Some(time(suite.time)), Some(time(report.time)));
        suite.add_test_case(test);
    }
    report.add_test_suites(suite);
    report.to_string().expect("memory takes what is written to it")
}

fn new_suite(name: &str, plan: &Plan) -> TestSuite {
    let mut suite = TestSuite::new(name);
    let header = &plan.header;
    for (name, value) in [("commit", &header.commit), ("plan", &header.plan), ("parameters", &header.parameters)] {
        suite.add_property(Property::new(name, value.as_str()));
    }
    suite
}

fn test_case(case: &Case, merged: &Merged) -> TestCase {
    let record = merged.records[case.number].as_ref();
    let status = match record.map(|record| record.status) {
        Some(Status::Passed) => TestCaseStatus::success(),
        Some(Status::Failed) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Some(Status::Error) => TestCaseStatus::non_success(NonSuccessKind::Error),
        None => TestCaseStatus::skipped(),
    };
    let mut test = TestCase::new(format!("seed {}", case.seed), status);
    test.set_classname(format!("{}.{}.{}", case.campaign, case.preset, case.engine));
    match record {
        None => drop(test.status.set_message("has not run")),
        Some(record) => {
            test.set_time(Duration::from_secs_f64(record.seconds.clamp(0.0, 1e9)));
            if record.status != Status::Passed {
                test.status.set_message(record.message.as_str());
                test.status.set_description(format!("{}\nagain: {}", record.message, case.replay()));
            }
        }
    }
    test
}
