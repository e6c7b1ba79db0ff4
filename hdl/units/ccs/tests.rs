use super::*;

#[test]
fn the_table_is_the_papers() {
    assert_eq!(COMMANDS.len(), 48);
    for (code, command) in COMMANDS.iter().enumerate() {
        assert_eq!(usize::from(command.code), code, "{}", command.name);
        assert_eq!(CcsCommand::named(command.name), Some(command));
        let operands = format!("{:?}", command.operands).to_uppercase();
        assert!(command.name.ends_with(&operands), "{}: {operands}", command.name);
    }
    let count = |kind, operands| COMMANDS.iter().filter(|c| c.kind == kind && c.operands == operands).count();
    assert_eq!([Operands::Vv, Operands::Vc, Operands::V, Operands::C].map(|o| count(Kind::Map, o)), [15, 18, 2, 1]);
    assert_eq!([Operands::Vv, Operands::Vc, Operands::V, Operands::C].map(|o| count(Kind::Reduce, o)), [3, 3, 6, 0]);
    assert_eq!(CcsCommand::from_code(48), None);
}

#[test]
fn codes_of_errors_fit() {
    assert!(CcsError::ALL.iter().all(|&e| (e as u8) < 1 << CCS_ERROR_BITS && CcsError::from_code(e as u8) == Some(e)));
}

#[test]
fn control_words_fit() {
    for command in &COMMANDS {
        for unsigned in [false, true] {
            assert!(control::unit_control(command, unsigned) < 1 << control::UNIT_CONTROL_BITS, "{}", command.name);
        }
    }
}
