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
    "design preset=tiny rows=128\nvector x width=8\nvector y width=8 row=16\nvector s width=9\nvector p width=16\nload x list 200 7 0 \
     255\nload y value 9\naddc d=s a=x b=y\nmul d=p a=x b=y\nprint s limit=3 base=16\nexpect s[0..8] list 209 16 9 8\nsum p\nmin \
     x expect=0\n",
    "design preset=paper columns=8 rows=128\nelements 19\nvector x width=6 signed\nvector y width=6 signed\nvector t width=1\nvector q \
     width=6 signed\nload x value -3\nload y rows 0x0f 0b1 0x3c 0xff 0x55 0x00\nlt.s d=t a=x b=y\nselect d=q a=x b=y e=t\nprint \
     q\ncount t\nmax q\nstore q csv \"out.csv\" column=q\n",
    "design preset=tiny rows=256 sets=fast\nvector a width=5\nvector b width=3\nvector d width=5\nvector acc width=12\nload a list 1 2 3 \
     4 5 6 7 8 9 10\nload b list 0 1 2 3 4 5 6 7 0 1\nrotl d=d a=a b=b\nshl d=d a=a b=b n=5 m=3\nzero d=acc\ndot d=acc a=a b=d\nsearch \
     a=a key=5\ntag_store d=b[0..1]\nprint acc\nprint b[0..1]\nstore acc raw \"o.bin\" bytes=2\n",
    "design preset=tiny rows=64 latches=hold,predicate\nvector a width=7\nvector b width=7\nvector q width=7\nvector r width=7\nload a \
     value 100\nload b list 7 0 3\ndivrem d=q e=r a=a b=b\nabs d=q a=q\npopcount d=r[0..4] a=a n=7\nprint q\nprint r\nexpect q[1..] value 0\n",
    "vector x width=4\nvector high of=x[2..4]\nelements 3\ndesign preset=tiny\nload x value 9\nnot d=x a=x\nprint high\ncount high\n",
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
    hold(Effort { cases: 1500 }, &strategy, |(number, edits)| {
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
    hold(Effort { cases: 400 }, &edits(4), |edits| {
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
