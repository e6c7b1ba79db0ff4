use super::*;

#[test]
fn the_table_is_the_papers_and_seven_more() {
    assert_eq!(COMMANDS.len(), 48 + 7);
    for (code, command) in COMMANDS.iter().enumerate() {
        assert_eq!(usize::from(command.code), code, "{}", command.name);
        assert_eq!(CcsCommand::named(command.name), Some(command));
        let operands = format!("{:?}", command.operands).to_uppercase();
        assert!(command.name.ends_with(&operands), "{}: {operands}", command.name);
    }
    let count = |kind, operands| COMMANDS.iter().filter(|c| c.kind == kind && c.operands == operands).count();
    // What a lane makes of an element that does not count is 0 in every reduction.
    let compares = |c: &&CcsCommand| c.second as u8 >= Second::Less as u8;
    assert!(COMMANDS.iter().filter(compares).all(|c| c.kind == Kind::Map));
    let counts = |kind| [Operands::Vv, Operands::Vc, Operands::V, Operands::C].map(|operands| count(kind, operands));
    assert_eq!(counts(Kind::Map), [15 + 5, 18 + 2, 2, 1]);
    assert_eq!(counts(Kind::Reduce), [3, 3, 6, 0]);
    assert_eq!(CcsCommand::from_code(55), None);
}

#[test]
fn read_ports_are_checked() {
    let parse = |text: &str| CcsGeometry::parse(text, "file", "file").map(|geometry| geometry.read_ports);
    assert_eq!([parse("base = \"tiny\""), parse("read_ports = 2")].map(Result::ok), [Some(1), Some(2)]);
    for wrong in ["read_ports = 0", "read_ports = 3", "read_ports = 2\nmemory = \"axi128\""] {
        let said = parse(wrong).expect_err(wrong).to_string();
        assert!(said.contains("read_ports"), "{said}");
    }
    // A design with one port has the hash that it had without the key.
    let one = serde_json::to_string(&CcsGeometry::preset("tiny").expect("named")).expect("text");
    assert!(!one.contains("read_ports"), "{one}");
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
