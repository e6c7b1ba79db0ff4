//! Wrong reports are noticed.

use super::*;

/// Whether a unit's columns report anything else than they should in one of these forms.
fn differs(unit: &mut ComputeUnit, params: &Params, forms: &[Form]) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    forms.iter().any(|&form| {
        modes(form.opcode).any(|mode| {
            let case = Case { params, form, set: Set::Fast, key: mode.key() };
            (0..if form.source().is_some_and(|format| format.bits() == 8) { 8 } else { 4 }).any(|_| {
                let operands = numbers(form, &mut rng);
                let flags = case.run(unit, &operands).0;
                flags.iter().enumerate().any(|(column, &flags)| flags != case.judged(&operands, column).1)
            })
        })
    })
}

/// Where a form's program begins.
fn origin(unit: &mut ComputeUnit, params: &Params, form: Form) -> usize {
    let case = Case { params, form, set: Set::Fast, key: 0 };
    let Form { opcode, n, m } = form;
    let operation = case.operation();
    let command = Command { s: 256, d: 128, b: 64, e: 192, second: m, ..Command::new(opcode, n) };
    let rows: u16 = Operand::ALL.map(|operand| rows_of(&operation, operand, n, m)).iter().sum();
    assert!(rows < 512, "{opcode}");
    let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
    loop {
        let outputs = unit.step(&inputs);
        inputs.command = inputs.command.filter(|_| !outputs.command_ready);
        assert_eq!(outputs.activity.refusal, None, "{opcode} {n} {m}");
        if unit.sequencer.flow.active {
            let origin = unit.sequencer.flow.pc.into();
            while unit.step(&inputs).busy {}
            return origin;
        }
    }
}

/// Mutants: of each row that reports another exception, or none. Gives how many were tried and those that were missed.
pub(super) fn mutants(params: &Params, which: impl Fn(Opcode) -> bool) -> (usize, Vec<String>) {
    let mut unit = ComputeUnit::new(params);
    let (mut tried, mut missed) = (0, vec![]);
    let ends: Vec<usize> =
        unit.code.programs[1..].iter().map(|program| program.1).chain([unit.code.flow.len()]).collect();
    for opcode in Opcode::ALL.iter().copied().filter(|opcode| opcode.is_float() && which(*opcode)) {
        let mut forms = std::collections::BTreeMap::<usize, Vec<Form>>::new();
        for form in Form::all(opcode) {
            forms.entry(origin(&mut unit, params, form)).or_default().push(form);
        }
        for (first, forms) in forms {
            let program = unit.code.programs.iter().position(|program| program.1 == first).expect("a program");
            for row in (first..ends[program])
                .filter(|&row| (1..START.into()).contains(&unit.code.reports[row]))
                .collect::<Vec<_>>()
            {
                let code = unit.code.reports[row];
                for other in [0, code % 5 + 1] {
                    unit.code.reports[row] = other;
                    tried += 1;
                    if !differs(&mut unit, params, &forms) {
                        missed.push(format!("{opcode} {}, row {}: {other} for {code}", forms[0].n, row - first));
                    }
                    unit.code.reports[row] = code;
                }
            }
        }
    }
    println!("{tried} mutants, missed {missed:?}");
    (tried, missed)
}

fn two_port() -> Params {
    Params { sets: vec![Set::Fast], ..params(Memory::Behavioural, 2) }
}

#[test]
fn a_wrong_report_in_any_row_is_noticed() {
    let (tried, missed) = mutants(&two_port(), |opcode| ROUNDED.contains(&opcode));
    assert!(tried > 60 && missed.is_empty(), "{tried} mutants, missed {missed:?}");
}

#[test]
fn a_wrong_report_in_any_row_of_conversions_is_noticed() {
    let (tried, missed) =
        mutants(&two_port(), |opcode| opcode.conversion().is_some() || opcode.source_format().is_some());
    assert!(tried > 60 && missed.is_empty(), "{tried} mutants, missed {missed:?}");
}

#[test]
fn a_wrong_report_in_any_other_row_is_noticed() {
    let other = |opcode: Opcode| {
        others::reports(opcode)
            && !ROUNDED.contains(&opcode)
            && opcode.conversion().is_none()
            && opcode.source_format().is_none()
    };
    let (tried, missed) = mutants(&two_port(), other);
    assert!(tried > 20 && missed.is_empty(), "{tried} mutants, missed {missed:?}");
}
