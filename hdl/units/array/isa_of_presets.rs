//! What the instruction set says of presets and registers, which it does not know.

use crate::array::isa::reference::markdown;
use crate::array::isa::row::Operand;
use crate::array::isa::transfer::{Cover, FIELDS, covers};
use crate::array::params::{MemoryPort, Params, Sensing};
use crate::array::presets::{PRESETS, preset};
use crate::array::registers::REGISTERS;

/// The line of an operation of this name.
fn of(params: &Params, name: &str) -> String {
    let text = markdown(params);
    let line = text.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).to_string()
}

#[test]
fn every_operation_has_its_line() {
    for params in PRESETS.iter().map(|preset| preset.params()) {
        let (name, text) = (&params.name, markdown(&params));
        for opcode in params.opcodes() {
            let names = [format!("| `{}` | ", opcode.mnemonic()), format!("| `{}.", opcode.mnemonic())];
            assert!(names.iter().any(|start| text.contains(start)), "{name}: {opcode}");
        }
        let cells = |line: &str| line.matches(" |").count();
        let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("| ")).collect();
        assert!(lines.iter().all(|l| cells(l) == cells(lines[0])), "{name}: {text}");
    }
}

#[test]
fn an_operation_that_one_set_has_is_there() {
    let paper = preset("paper").expect("a preset");
    assert_eq!(paper.sensing, Sensing::AndNor);
    let bare = Params { latches: Vec::new(), ..paper };
    assert!(of(&bare, "mul.fast").contains("not in this design, which lacks latch `"));
    assert!(of(&bare, "mul.baseline").contains("| 1 to 64 | "), "{}", of(&bare, "mul.baseline"));
    assert!(!markdown(&bare).contains("| `mul` |"));
}

#[test]
fn what_becomes_of_the_tags_is_said() {
    let params = preset("default").expect("a preset");
    let tag = |name: &str| of(&params, name).trim_end_matches(" |").rsplit(' ').next().map(str::to_string);
    for (name, said) in
        [("add", "kept"), ("tag_store", "kept"), ("lt", "result"), ("search", "result"), ("select", "result")]
    {
        assert_eq!(tag(name).as_deref(), Some(said), "{name}");
    }
    assert_eq!([tag("mul"), tag("divrem")], ["lost", "lost"].map(|word| Some(word.to_string())));
}

#[test]
fn transfers_are_there_with_a_way_to_memory() {
    let none = preset("tiny").expect("a preset");
    assert!(of(&none, "load_memory").contains("no way to memory"));
    assert!(of(&none, "load").contains("| 1 to 64 |"));
    let port = Params { memory_port: MemoryPort::Axi64, ..none };
    assert!(of(&port, "store_memory").contains("| 1 to 8 | | a: n |"), "no wider than there are columns");
    assert!(of(&port, "load").contains("not in this design, whose rows come and go by `load_memory`"));
    assert!(of(&port, "store").contains("`store_memory`"));
}

#[test]
fn no_operand_is_beyond_its_cover_and_few_are_far_within() {
    for name in ["tiny", "default", "paper"] {
        let params = preset(name).expect("exists");
        let mut far = 0;
        for opcode in params.opcodes() {
            for (operand, cover) in Operand::ALL.into_iter().zip(covers(&params, opcode)) {
                assert_ne!(cover, Cover::All, "{opcode} {operand:?}");
                far += u32::from(cover == Cover::FourN);
            }
        }
        assert!(far < 12, "{name}: {far} operands have the widest cover");
    }
}

#[test]
fn fields_of_transfers_are_fields_of_registers() {
    let fields: Vec<&str> = REGISTERS.iter().flat_map(|r| r.fields).map(|f| f.name).collect();
    assert!(FIELDS.iter().all(|(field, _)| fields.contains(field)));
}
