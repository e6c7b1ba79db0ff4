//! Programs that are nearly right. What is accepted gives the same results whatever memory held at power-up.

use std::path::Path;

use bitline::error::Result;
use bitline::params::Params;
use bitline::sim::job::{self, Outcome, Plan};
use bitline::sim::machine::{Machine, ModelMachine, fill_rows};
use proptest::prelude::*;

use super::{Effort, edited, edits, hold, is_told};

/// What the programs begin from: every statement, most kinds of operations.
const PROGRAMS: [&str; 5] = [
    "\
design preset=tiny rows=128
vector x width=8
vector y width=8 row=16
vector s width=9
vector p width=16
load x list 200 7 0 255
load y value 9
addc d=s a=x b=y
mul d=p a=x b=y
print s limit=3 base=16
expect s[0..8] list 209 16 9 8
sum p
min x expect=0
",
    "\
design preset=paper columns=8 rows=128
elements 19
vector x width=6 signed
vector y width=6 signed
vector t width=1
vector q width=6 signed
load x value -3
load y rows 0x0f 0b1 0x3c 0xff 0x55 0x00
lt.s d=t a=x b=y
select d=q a=x b=y e=t
print q
count t
max q
store q csv \"out.csv\" column=q
",
    "\
design preset=tiny rows=256 sets=fast
vector a width=5
vector b width=3
vector d width=5
vector acc width=12
load a list 1 2 3 4 5 6 7 8 9 10
load b list 0 1 2 3 4 5 6 7 0 1
rotl d=d a=a b=b
shl d=d a=a b=b n=5 m=3
zero d=acc
dot d=acc a=a b=d
search a=a key=5
tag_store d=b[0..1]
print acc
print b[0..1]
store acc raw \"o.bin\" bytes=2
",
    "\
design preset=tiny rows=64 latches=hold,predicate
vector a width=7
vector b width=7
vector q width=7
vector r width=7
load a value 100
load b list 7 0 3
divrem d=q e=r a=a b=b
abs d=q a=q
popcount d=r[0..4] a=a n=7
print q
print r
expect q[1..] value 0
",
    "\
vector x width=4
vector high of=x[2..4]
elements 3
design preset=tiny
load x value 9
not d=x a=x
print high
count high
",
];

/// Seeds of what memory holds at power-up.
const SEEDS: [u64; 2] = [1, 2];

fn planned(text: &str) -> Result<Plan> {
    let source = job::parse("p.bl", Path::new("/nowhere"), text)?;
    let params = match &source.design {
        Some(design) => design.value.params().map_err(|error| source.error(design.line, error))?,
        None => bitline::presets::preset("tiny")?,
    };
    job::plan(&source, &params, None)
}

fn ran(plan: &Plan, params: &Params, seed: u64) -> Result<Outcome> {
    let mut machine = ModelMachine::new(params);
    fill_rows(&mut machine as &mut dyn Machine, seed);
    job::run(plan, &mut machine, &mut |_, _| {})
}

#[test]
fn programs_that_are_nearly_right() {
    let (accepted, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let strategy = (0..PROGRAMS.len(), edits(5));
    hold(Effort { cases: 3000 }, &strategy, |(number, edits)| {
        let text = edited(PROGRAMS[number], &edits);
        let plan = match planned(&text) {
            Ok(plan) => plan,
            Err(error) => {
                refused.set(refused.get() + 1);
                return is_told(&error.to_string(), "p.bl, line ");
            }
        };
        // What takes long is no matter for this test.
        if plan.chunks() > 8 || plan.params.rows * plan.params.columns > 1 << 15 {
            return Ok(());
        }
        let outcomes = SEEDS.map(|seed| ran(&plan, &plan.params, seed));
        let [Ok(one), Ok(two)] = outcomes else {
            let error = outcomes.into_iter().find_map(Result::err).expect("one has failed");
            return is_told(&error.to_string(), "p.bl, line ");
        };
        accepted.set(accepted.get() + 1);
        prop_assert_eq!(&one.printed, &two.printed, "results depend on what was there at power-up");
        prop_assert_eq!((&one.files, &one.failures), (&two.files, &two.failures));
        Ok(())
    });
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(accepted > 100 && refused > 100, "{accepted} ran, {refused} were refused: one of both is hardly tried");
}

/// The same as TOML.
#[test]
fn toml_programs_that_are_nearly_right() {
    let toml = include_str!("../../examples/programs/score.toml").replace("csv = \"../data/sensors.csv\"", "value = 3");
    let toml =
        toml.lines().map(|line| if line.starts_with("load = { value = 3,") { "load = { value = 3 }" } else { line });
    let toml = toml.collect::<Vec<_>>().join("\n");
    hold(Effort { cases: 8000 }, &edits(4), |edits| {
        let text = edited(&toml, &edits);
        match job::parse_toml("p.toml", Path::new("/nowhere"), &text) {
            Err(error) => is_told(&error.to_string(), "p.toml, line "),
            Ok(source) => {
                let params = source.design.as_ref().map(|design| design.value.params());
                let Some(Ok(params)) = params else { return Ok(()) };
                job::plan(&source, &params, None).map_or_else(|e| is_told(&e.to_string(), "p.toml, line "), |_| Ok(()))
            }
        }
    });
}
