//! Two operations of one's own, in a program of one's own: what the library makes of them.
//!
//! `cargo run --release --example custom_operation` runs both on hardware in simulation, the cycle model beside it, and
//! compares every column with plain integers. With arguments the program is `bitline`, with two operations more:
//!
//! ```sh
//! cargo run --release --example custom_operation -- sim cycles --op average
//! ```

use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::custom::Custom;
use bitline::isa::element::Outputs;
use bitline::isa::linear::N;
use bitline::isa::operation::{Condition, Context, Operation};
use bitline::isa::program::{Program, each, once};
use bitline::isa::row::Operand::{A, B, D};
use bitline::isa::row::row;
use bitline::isa::uop::{Next, TagAction, X, Y};
use bitline::isa::{Command, Opcode};
use bitline::params::Params;
use bitline::presets::preset;
use bitline::sim::data::output::print;
use bitline::sim::machine::{Engine, MachineRows};
use bitline::sim::vectors::{Case, Stimulus};

/// The mean of two numbers without overflow: the sum's rows from the second one on, and the carry on top.
pub const AVERAGE: Custom = Custom {
    opcode: Opcode::Custom0,
    name: "average",
    meaning: "d ← ⌊(a + b) / 2⌋.",
    signed: false,
    operation: |opcode, _| {
        let add = row().x(X::A).y(Y::B).carry_next(Next::Majority);
        let lowest = once(add.a(A.row(0)).b(B.row(0)).up());
        let others = each(N - 1, add.a(A.j()).b(B.j()).write(D.j().plus(-1)).up());
        let carry = once(row().write(D.row(N - 1)));
        let all = Program::new("average", vec![lowest.clone(), others, carry.clone()]).keep_tag();
        let one_bit = Program::new("average, one bit", vec![lowest, carry]).keep_tag();
        let operation = Operation::new(opcode, |n, _| n + 1).source(A, N).source(B, N).result(D, N);
        let operation = operation.apart_or_same(A, D).apart_or_same(B, D);
        Some(operation.variant(&[Condition::AtLeastZero(N - 2)], all).program(one_bit))
    },
    arithmetic: |n, _, _, inputs| {
        let mean = (u128::from(inputs.a) + u128::from(inputs.b)) / 2;
        Outputs { d: Some((mean, n)), ..Outputs::default() }
    },
};

/// A bit that tells an odd number of ones from an even one: T collects it, the last cycle writes it.
pub const PARITY: Custom = Custom {
    opcode: Opcode::Custom1,
    name: "parity",
    meaning: "Row d and T ← whether a has an odd number of ones.",
    signed: false,
    operation: |opcode, _| {
        let flip = row().b(A.j()).y(Y::BXorT).tag(TagAction::W).write(D.row(0)).on_exit().up();
        let operation = Operation::new(opcode, |n, _| n).source(A, N).result(D, 1);
        Some(operation.program(Program::new("parity", vec![each(N, flip)])))
    },
    arithmetic: |_, _, _, inputs| {
        let odd = inputs.a.count_ones() % 2 == 1;
        Outputs { d: Some((odd.into(), 1)), tag: Some(odd), ..Outputs::default() }
    },
};

/// Runs an operation of 32 bits on random numbers in every column, and compares with its arithmetic.
fn demonstrate(params: &Params, custom: &Custom) -> Result<()> {
    let mut command = Command::new(custom.opcode, 32);
    let operation = Operation::of(custom.opcode, Context::of(params, command.set));
    Case::place(&operation, &mut command, 0);
    let mut stimulus = Stimulus::new(1);
    let inputs = (0..params.columns).map(|_| stimulus.inputs(custom.opcode, 32, 0, command.key)).collect();
    let case = Case { command, inputs };
    let mut machine = Engine::DEFAULT.machine(params, 1)?;
    case.load(&operation, &mut MachineRows(&mut *machine));
    let timing = machine.execute(command)?;
    let tags = machine.tags();
    let same = case.compare(&MachineRows(&mut *machine), &tags);
    same.map_err(|reason| Error::Command { command: command.to_string(), code: 0, reason })?;
    let (name, cycles, columns) = (custom.name, timing.rtl_cycles, params.columns);
    print(&format!("{name}: {columns} columns of 32 bits in {cycles} cycles, each with the result of plain integers\n"))
}

fn main() -> ExitCode {
    let registered = [AVERAGE, PARITY].into_iter().map(Custom::register).collect::<Result<Vec<Opcode>>>();
    let result = registered.and_then(|custom| {
        if std::env::args().len() > 1 {
            return Ok(bitline_cli::bitline());
        }
        let params = Params { custom, ..preset("default")? };
        params.check()?;
        [AVERAGE, PARITY].iter().try_for_each(|custom| demonstrate(&params, custom))?;
        Ok(ExitCode::SUCCESS)
    });
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
