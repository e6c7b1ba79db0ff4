//! Campaigns on designs with exception flags.

use super::*;
use crate::model::arith::Inputs;

/// Designs with exception flags: what each command raises, and coverage of their programs, which are others.
#[test]
fn exception_flags_reach_everything() {
    let params = Params { exception_flags: true, ..params(Columns::Radix4, Memory::BlockRam, 512, 16) };
    let mut bench = bench(&params, 23);
    passes(exhaustive::short(&mut bench));
    passes(exhaustive::uniform(&mut bench));
    passes(alike::every_operation(&mut bench, Set::Skip, 64, 64).map(|_| ()));
    passes(standard(&mut bench, Effort::Full));
    passes(float::cancelling(&mut bench));
    println!("{}{} commands", bench.coverage, bench.commands);
    let missing = bench.coverage.missing();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What each command raises, alone and in chains.
#[test]
fn exceptions_of_commands() {
    for memory in memories(Memory::BlockRam) {
        let params = Params { exception_flags: true, ..params(Columns::TwoPort, memory, 512, 128) };
        let mut bench = bench(&params, 24);
        passes(float::every_mode(&mut bench, 1).map(|_| ()));
        passes(standard(&mut bench, Effort::Sample));
        assert!(bench.commands > 1000);
    }
}

/// A command that raises something else than it should fails a campaign.
#[test]
fn a_wrong_exception_is_noticed() {
    let params = Params { exception_flags: true, ..params(Columns::TwoPort, Memory::Behavioural, 512, 16) };
    let mut bench = bench(&params, 25);
    // 1 by 0 in one column, 1 by 1 in all others, of f16.
    let operation = bench.operation(Opcode::FDiv, Set::Fast);
    let mut command = Command { second: 5, set: Set::Fast, ..Command::new(Opcode::FDiv, 13) };
    Case::place(&operation, &mut command, 0);
    let divisor = |column| if column == 3 { 0 } else { 0x3c00 };
    let inputs = (0..16).map(|column| Inputs { a: 0x3c00, b: divisor(column), ..Inputs::default() }).collect();
    passes(exhaustive::one(&mut bench, &operation, Case { command, inputs }));
    assert_eq!(bench.raised, [2]);
    for wrong in [&[0][..], &[3], &[], &[2, 0]] {
        assert!(bench.compare_raised(wrong).is_err(), "{wrong:?}");
    }
}
