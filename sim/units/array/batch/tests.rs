//! Every set of a batch is as a run of its own, and data that would branch otherwise are refused.

use std::sync::Arc;

use rand::Rng;
use rand::seq::IndexedRandom;

use super::BatchArray;
use crate::campaign::random::seconds;
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::machine::{Engine, Machine, MachineRows};
use crate::params::Params;
use crate::presets::preset;
use crate::vectors::{Case, Rows, Stimulus};

const SETS: usize = 5;

/// A legal command of a set of programs, operands placed; nothing if this opcode has none.
fn command(params: &Params, set: Set, opcode: Opcode, stimulus: &mut Stimulus) -> Option<(Arc<Operation>, Command)> {
    let operation = Operation::of(opcode, Context::of(params, set));
    let (low, high) = operation.widths;
    let n = stimulus.rng().random_range(low..=high.min(params.rows as u8 / 4).max(low));
    let second = *seconds(&operation, n).choose(stimulus.rng())?;
    let mut command = Command { set, second, ..Command::new(opcode, n) };
    command.key = stimulus.value(n.into());
    Case::place(&operation, &mut command, 0);
    command.check(params).is_ok().then_some((operation, command))
}

/// Runs every opcode on other data in each set, beside a machine for each of them. Returns how many commands ran, and
/// how many were refused because of their data.
fn run(params: &Params, set: Set, seed: u64) -> (usize, usize) {
    println!("{params:?}, {set:?}, seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    let mut batch = BatchArray::new(params, SETS).expect("a preset");
    let mut machines: Vec<Box<dyn Machine>> =
        (0..SETS).map(|_| Engine::Native.machine(params, seed).expect("a preset")).collect();
    let (mut ran, mut refused) = (0, 0);
    let copy = |batch: &mut BatchArray, machines: &mut [Box<dyn Machine>]| {
        for (set, machine) in machines.iter_mut().enumerate() {
            let mut rows = batch.set(set).expect("nothing has diverged");
            (0..params.rows).for_each(|row| rows.set_row(row, &machine.row(row)));
            rows.set_tags(&machine.tags());
        }
    };
    copy(&mut batch, &mut machines);
    for &opcode in Opcode::ALL.iter().filter(|o| !matches!(o, Opcode::Load | Opcode::Store)) {
        let Some((operation, command)) = command(params, set, opcode, &mut stimulus) else { continue };
        let mut cycles = vec![];
        for (set, machine) in machines.iter_mut().enumerate() {
            let mut one = || stimulus.inputs(opcode, command.width.into(), command.second.into(), command.key);
            let case = Case { command, inputs: (0..params.columns).map(|_| one()).collect() };
            case.load(&operation, &mut batch.set(set).expect("nothing has diverged"));
            case.load(&operation, &mut MachineRows(machine.as_mut()));
            cycles.push(machine.execute(command).expect("the command is legal").rtl_cycles);
        }
        match batch.execute(&command) {
            Ok(_) => {
                ran += 1;
                assert!(cycles.iter().all(|&c| c == cycles[0]), "{command}: {cycles:?}");
            }
            Err(error) => {
                refused += 1;
                let text = error.to_string();
                assert!(text.contains("sequencer.tag_any: in cycle") && text.contains("data of set"), "{text}");
                batch = BatchArray::new(params, SETS).expect("a preset");
                copy(&mut batch, &mut machines);
            }
        }
        for (set, machine) in machines.iter().enumerate() {
            let rows = batch.set(set).expect("nothing has diverged");
            for row in 0..params.rows {
                assert_eq!(rows.row(row), machine.row(row), "{command}, set {set}, row {row}");
            }
            assert_eq!(rows.tags(), machine.tags(), "{command}, set {set}");
        }
    }
    (ran, refused)
}

#[test]
fn sets_are_as_runs_of_their_own() {
    for name in ["tiny", "default"] {
        let params = Params { columns: 16, rows: 128, ..preset(name).expect("a preset") };
        for &set in &params.sets {
            let (ran, refused) = run(&params, set, 1);
            assert!(ran > 20, "{name}, {set:?}: {ran} ran, {refused} refused");
            assert!(set == Set::Skip || refused == 0, "{name}, {set:?}: {refused} refused");
        }
    }
}

/// A multiplication of the set `skip` leaves out the rows of the multiplier that are 0 in every column.
#[test]
fn data_that_branch_otherwise_are_refused() {
    let params = Params { sets: vec![Set::Skip], ..preset("default").expect("a preset") };
    let operation = Operation::of(Opcode::MulU, Context::of(&params, Set::Skip));
    let mut command = Command { set: Set::Skip, ..Command::new(Opcode::MulU, 8) };
    Case::place(&operation, &mut command, 0);
    let run = |multipliers: [u64; 3]| {
        let mut batch = BatchArray::new(&params, 3).expect("a preset");
        for (set, b) in multipliers.into_iter().enumerate() {
            // Whichever operand is the multiplier.
            let inputs = crate::model::arith::Inputs { a: b, b, ..Default::default() };
            let case = Case { command, inputs: vec![inputs; params.columns] };
            case.load(&operation, &mut batch.set(set).expect("nothing has diverged"));
        }
        let done = batch.execute(&command).map_err(|e| e.to_string());
        (done, batch.set(0).err().map(|e| e.to_string()))
    };
    let (done, after) = run([0x51, 0x51, 0x51]);
    assert!(done.is_ok() && after.is_none(), "{done:?}");
    let (done, after) = run([0x51, 0x51, 0x55]);
    let text = done.expect_err("set 2 takes another way");
    assert!(text.starts_with("batch: sequencer.tag_any: in cycle") && text.contains("data of set 2 lead"), "{text}");
    assert_eq!(after, Some(text));
}
