//! Tests of the vectors: what they cover, and that they are what the models say.

use super::*;
use bitline_units::array::isa::format::Mode;
use bitline_units::array::isa::word::{OPCODES, SetupKind, UNKNOWN_ENTRY, setup};
use bitline_units::array::presets::{PRESETS, preset};

#[test]
fn every_operation_of_every_preset_has_a_vector() {
    for p in &PRESETS {
        let params = p.params();
        let all = vectors(&params, 1).unwrap();
        let with = |test: &dyn Fn(&Command) -> bool| {
            all.iter().any(|v| v.steps.iter().any(|s| s.refusal.is_none() && test(&s.command)))
        };
        for opcode in params.opcodes() {
            let rows = matches!(opcode, Opcode::Load | Opcode::Store);
            assert!(rows || with(&|c| c.opcode == opcode), "{}: {opcode}", p.name);
        }
        for &set in &params.sets {
            assert!(with(&|c| c.set == set));
        }
        let refused = |code: ErrorCode| {
            let with = |s: &Step| s.refusal.is_some_and(|r| r.0 == code.code());
            all.iter().any(|v| v.steps.iter().any(with))
        };
        for code in [ErrorCode::Width, ErrorCode::Rows, ErrorCode::Overlap, ErrorCode::SecondWidth] {
            assert!(refused(code), "{}: {code:?}", p.name);
        }
    }
}

/// Micro-programs for one mode alone are executed, too.
#[test]
fn operations_that_flush_have_vectors() {
    let params = Params { columns: 8, float: true, ..preset("default").unwrap() };
    let all = vectors(&params, 1).unwrap();
    for opcode in [Opcode::FMul, Opcode::FDiv, Opcode::FSqrt] {
        let operation = Operation::of(opcode, Context::of(&params, params.sets[0]));
        let flushes = |step: &Step| {
            let command = &step.command;
            command.opcode == opcode
                && Mode::of_key(command.key) == Mode::FLUSHED
                && operation.has_flushed(command.width)
                && step.refusal.is_none()
        };
        assert!(all.iter().any(|vector| vector.steps.iter().any(flushes)), "{opcode}");
    }
}

#[test]
fn refused_commands_are_refused_by_the_cycle_model_too() {
    let params = preset("paper").unwrap();
    let unit = ComputeUnit::new(&params);
    for vector in vectors(&params, 3).unwrap() {
        let mut unit = unit.clone();
        for Step { command, codes, refusal, .. } in vector.steps {
            let told = Executed::default().run(&mut unit, command, codes).refusal.map(|r| (r.code, r.operand));
            assert_eq!(told, refusal, "{command}");
        }
    }
}

#[test]
fn every_word_of_the_roms_is_executed() {
    for p in &PRESETS {
        let params = p.params();
        let mut unit = ComputeUnit::new(&params);
        let code = unit.code.clone();
        let mut executed = Executed::default();
        for vector in vectors(&params, 1).unwrap() {
            for (row, bits) in &vector.before {
                unit.array.sram.set_row(*row, bits);
            }
            for step in vector.steps.iter().filter(|step| step.reset.is_none()) {
                let ran = executed.run(&mut unit, step.command, step.codes);
                assert_eq!(Some(ran.cycles), step.cycles, "{}", step.command);
            }
        }
        // Rows come and go by programs of their own, which whoever replays the vectors runs.
        let moves = [Opcode::Load, Opcode::Store]
            .map(|opcode| code.programs.iter().find(|p| p.0 == opcode.name()).expect("all designs have it").1);
        let program = |at: usize| &code.programs.iter().rev().find(|p| p.1 <= at).expect("one is first").0;
        let rows = |at: &usize| !executed.rows.contains(&(*at as u16)) && !moves.contains(at);
        let left: Vec<_> = (0..code.flow.len()).filter(rows).map(program).collect();
        // A shift by scratch rows and back more than once takes more than 32 rows.
        let unreached = if params.rows == 32 { ["sar", "shl", "shr"].map(|name| [name; 6]).concat() } else { vec![] };
        assert_eq!(left.len(), unreached.len(), "{}: {left:?}", p.name);
        assert!(left.iter().all(|name| unreached.contains(&name.as_str())), "{}: {left:?}", p.name);
        // Directory and setup of load and store.
        let start = |at: usize| setup::KIND.get(code.setup[at]) == SetupKind::Start as u64;
        let moved = |at: usize| start(at) && moves.contains(&(setup::TARGET.get(code.setup[at]) as usize));
        let entry = |at: usize| at < UNKNOWN_ENTRY && at % OPCODES < 2;
        let left = |at: &usize| !executed.setup.contains(&(*at as u16)) && !moved(*at) && !entry(*at);
        let left: Vec<_> = (0..code.setup.len()).filter(left).collect();
        assert!(left.is_empty(), "{}: setup words {left:?}", p.name);
    }
}

#[test]
fn the_seed_decides() {
    let params = preset("tiny").unwrap();
    assert_eq!(vectors(&params, 5).unwrap(), vectors(&params, 5).unwrap());
    assert_ne!(vectors(&params, 5).unwrap(), vectors(&params, 6).unwrap());
}

#[test]
fn rows_are_printed_with_column_0_last() {
    assert_eq!(hexadecimal(&[0x1], 8), "01");
    assert_eq!(hexadecimal(&[0xab, 0xf], 128), "000000000000000f00000000000000ab");
}
