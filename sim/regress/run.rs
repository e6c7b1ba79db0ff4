//! Running cases: a queue, as many workers as there are jobs, and one place where results arrive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use super::campaigns::{Done, Mismatch};
use super::case::{Case, Record, Status};
use super::choice::Choice;
use super::designs::Designs;
use super::plan::Plan;
use crate::error::Result;

/// Runs cases, `jobs` at a time. Each record goes to `arrived` as soon as its case has finished, in the order of the
/// ends; `false` from there, or an error, stops: cases that run come to their end and arrive no more.
///
/// # Errors
/// That of `arrived`.
pub fn run(
    cases: &[&Case],
    jobs: usize,
    work: &(dyn Fn(&Case) -> Record + Sync),
    arrived: &mut dyn FnMut(&Case, Record) -> Result<bool>,
) -> Result<()> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    // Nobody listens any more: the run has been stopped.
                    if sender.send((*case, work(case))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (case, record) in receiver {
            let goes_on = arrived(case, record);
            if !matches!(goes_on, Ok(true)) {
                stopped.store(true, Ordering::Relaxed);
                return goes_on.map(|_| ());
            }
        }
        Ok(())
    })
}

/// Runs one case. A panic is a failure of the case.
pub fn one(case: &Case, designs: &Designs) -> Record {
    let begin = Instant::now();
    let campaign = Plan::campaign(case);
    let engine = Choice::named(&case.engine).and_then(|choice| designs.engine(campaign.subject, &case.preset, choice));
    let engine = match engine {
        Ok(engine) => engine,
        Err(e) => {
            let why = Mismatch { message: e.to_string(), at: None };
            return Record::ended(case, Status::Error, why, begin.elapsed().as_secs_f64());
        }
    };
    let ended = catch_unwind(AssertUnwindSafe(|| (campaign.run)(&case.preset, engine, case.seed, case.size)));
    let seconds = begin.elapsed().as_secs_f64();
    match ended.unwrap_or_else(|panic| Err(panicked(&*panic))) {
        Ok(Done { commands, cycles }) => Record {
            case: case.number,
            status: Status::Passed,
            commands,
            cycles,
            message: String::new(),
            cycle: None,
            path: None,
            seconds,
        },
        Err(why) => Record::ended(case, Status::Failed, why, seconds),
    }
}

/// What a panic has said.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Mismatch {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    Mismatch { message: format!("panicked: {}", text.unwrap_or("without a message")), at: None }
}
