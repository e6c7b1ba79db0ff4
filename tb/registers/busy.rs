//! When the unit is busy.

use bitline::array::blocks::{Top, design};
use bitline::isa::{Command, Opcode};
use bitline::presets::PRESETS;
use bitline::sim::engine::engine;
use bitline::sim::lockstep::Lockstep;
use bitline::sim::model::compute_unit::Inputs;

/// A row that has left the array and that nobody takes keeps the unit busy.
#[test]
fn busy_until_the_last_row_has_left() {
    for p in &PRESETS {
        let params = p.params();
        let mut unit = Lockstep::new(engine(&design(&params, Top::ComputeUnit).unwrap()), &params, 76);
        let store = Command { a: 3, set: params.sets[0], ..Command::new(Opcode::Store, 1) };
        unit.cycle(&Inputs { command: Some(store), ..Inputs::default() }).unwrap_or_else(|d| panic!("{d}"));
        let mut cycle = |take| unit.cycle(&Inputs { take, ..Inputs::default() }).unwrap_or_else(|d| panic!("{d}"));
        for n in 0..200 {
            let outputs = cycle(false);
            assert!(outputs.busy, "{}: cycle {n}", p.name);
            assert!(n < 100 || outputs.beat.is_some(), "{}: the row is there", p.name);
        }
        let beats = params.columns.div_ceil(params.beat_bits());
        (0..beats).for_each(|_| assert!(cycle(true).busy, "{}", p.name));
        assert!(!cycle(false).busy, "{}", p.name);
    }
}
