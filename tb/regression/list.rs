//! The list of campaigns (`sim regress list`) on every engine: the same case drives the same commands in the same
//! cycles, whatever runs the hardware.

use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::regress::choice::Choice;
use bitline::sim::regress::designs::Designs;
use bitline::sim::regress::run::one;
use bitline::sim::regress::{CAMPAIGNS, Case, Plan, Request, Status};

/// Clock cycles of a case that slow engines can take.
const SHORT: u64 = 1000;

#[test]
fn every_campaign_is_the_same_on_every_engine() {
    let designs = Designs::new(cache_folder());
    let mut compared = [0; Choice::ALL.len()];
    for campaign in &CAMPAIGNS {
        let mut native = None;
        for choice in Choice::ALL {
            if choice.program().is_some_and(|program| require(program).is_none()) {
                continue;
            }
            let request = Request {
                campaigns: vec![campaign.name.into()],
                presets: vec![],
                engines: vec![choice.name().into()],
                seed: 3,
                seeds: 1,
                size: Some(campaign.size.div_ceil(20)),
            };
            let plan = Plan::new(&request, "tests").unwrap_or_else(|e| panic!("{e}"));
            let case: &Case = &plan.cases[0];
            // Icarus and the reference take what is short.
            if choice.share() > 1 && native.is_some_and(|(_, cycles)| cycles > SHORT) {
                continue;
            }
            let record = one(case, &designs);
            println!("{}: {} commands, {} cycles", case.replay(), record.commands, record.cycles);
            assert_eq!(record.status, Status::Passed, "{}: {}", case.replay(), record.message);
            let done = (record.commands, record.cycles);
            assert_eq!(done, *native.get_or_insert(done), "{}", case.replay());
            compared[Choice::ALL.iter().position(|&other| other == choice).expect("one of all")] += 1;
        }
    }
    println!("cases by engine: {compared:?}");
    assert_eq!(compared[0], CAMPAIGNS.len());
    // Enough of them are short.
    assert!(compared[1] >= 5, "{compared:?}");
}
