//! What there is to choose from, as text for people and for programs.

use crate::Target;
use crate::unit::UNITS;
use bitline_units::boards::BOARDS;
use bitline_units::boards::board::Board;
use bitline_units::system::protocol::DEFAULT_BAUD;
use bitline_units::system::{DEFAULT_CLOCK_MHZ, SYSTEM_PRESETS};

/// Names as a sentence has them: `a, b or c`.
pub fn any_of(names: &[&str]) -> String {
    joined(names, "or")
}

fn joined(names: &[&str], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).into(),
        [rest @ .., last] => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// Targets, units, presets, for people to read.
pub fn list() -> String {
    let section = |title: &str, lines: Vec<(&str, String)>| {
        let lines = lines.into_iter().map(|(name, summary)| format!("  {name:13} {summary}\n"));
        format!("{title}:\n{}", lines.collect::<String>())
    };
    let mut text = section("targets", Target::all().iter().map(|t| (t.name(), t.summary())).collect());
    text += &section("units", UNITS.iter().map(|unit| (unit.name, unit.summary.into())).collect());
    for unit in UNITS {
        let presets = (unit.presets)().into_iter().map(|(name, summary)| (name, summary.into())).collect();
        text += &section(&format!("presets of {}", unit.name), presets);
    }
    let systems = SYSTEM_PRESETS.iter().map(|preset| (preset.0, preset.1.into())).collect();
    text + &section("presets of boards", systems)
}

/// The same for programs, with all that scripts need to loop over: a fact a line, its kind first, words apart by tabs.
/// Ends of lines in a word are `\n`, a word that is not there is `-`.
///
/// ```text
/// unit    NAME   IP   DEFAULT_PRESET             a unit; what follows is about the unit of this name
/// preset  UNIT   NAME
/// target  UNIT   NAME
/// sample  UNIT   NAME   TOML                     a small design that other tools are tried on
/// module  UNIT   PATTERN                         a module to synthesise
/// option  UNIT   OPTION                          for synth_xilinx
/// cost    UNIT   NAME   TOML   TARGET            a design in the table of costs
/// proof   UNIT   TOML   KEEP   MODULES           modules, apart by blanks, that are proven after synthesis; KEEP is
/// keep if it may drop no register beside  UNIT   TEXT                            what figures are compared with
/// board   NAME   PRESET   MHZ   PCIE   TOOLS     a board; PCIE is pcie if it has a connector
/// system  NAME                                   a preset of a board
/// ```
pub fn facts() -> String {
    let mut text = String::new();
    let mut fact = |words: &[&str]| {
        let word = |word: &&str| if word.is_empty() { "-".into() } else { word.replace('\n', "\\n") };
        text += &(words.iter().map(word).collect::<Vec<String>>().join("\t") + "\n");
    };
    for unit in UNITS {
        let name = unit.name;
        fact(&["unit", name, unit.ip, unit.default_preset]);
        (unit.presets)().iter().for_each(|preset| fact(&["preset", name, preset.0]));
        unit.targets.iter().for_each(|target| fact(&["target", name, target.name()]));
        unit.samples.iter().for_each(|(sample, config)| fact(&["sample", name, sample, config]));
        unit.cost.modules.iter().for_each(|module| fact(&["module", name, module]));
        unit.cost.options.iter().for_each(|option| fact(&["option", name, option]));
        unit.cost.table.iter().for_each(|c| fact(&["cost", name, c.name, c.config, c.target.name()]));
        let keep = if unit.proof.keep { "keep" } else { "" };
        if !unit.proof.modules.is_empty() {
            fact(&["proof", name, unit.proof.config, keep, &unit.proof.modules.join(" ")]);
        }
        fact(&["beside", name, unit.cost.beside]);
    }
    for board in BOARDS {
        let pcie = if board.pcie.is_some() { "pcie" } else { "" };
        fact(&["board", board.name, board.preset, &mhz(board).to_string(), pcie, board.family.tools()]);
    }
    SYSTEM_PRESETS.iter().for_each(|preset| fact(&["system", preset.0]));
    text
}

/// A board's clock unless another is asked for.
fn mhz(board: &Board) -> u32 {
    board.design_mhz.unwrap_or(DEFAULT_CLOCK_MHZ)
}

/// Boards by what `of` gives, each value with the boards that have it: `vc709 for vc709; tiny for arty-a7 and
/// ecp5-evn`.
fn by<T: ToString>(of: impl Fn(&Board) -> T) -> String {
    let mut values: Vec<(String, Vec<&str>)> = Vec::new();
    for board in BOARDS {
        let value = of(board).to_string();
        match values.iter_mut().find(|(other, _)| *other == value) {
            Some((_, names)) => names.push(board.name),
            None => values.push((value, vec![board.name])),
        }
    }
    let parts: Vec<String> =
        values.iter().map(|(value, names)| format!("{value} for {}", joined(names, "and"))).collect();
    parts.join("; ")
}

fn boards(able: impl Fn(&Board) -> bool) -> Vec<&'static str> {
    BOARDS.iter().filter(|board| able(board)).map(|board| board.name).collect()
}

/// Help on `--target`.
pub fn target_help() -> String {
    let all = Target::all();
    let others: Vec<&str> = all.iter().filter(|t| !matches!(t, Target::Board(_))).map(|t| t.name()).collect();
    format!("What to write: a board ({}), {}", any_of(&boards(|_| true)), any_of(&others))
}

/// Help on `--unit`.
pub fn unit_help() -> String {
    let units: Vec<String> = UNITS.iter().map(|unit| format!("{}, {}", unit.name, unit.summary)).collect();
    let names: Vec<&str> = units.iter().map(String::as_str).collect();
    format!(
        "What to build: {}. A board is a system of array and cache compute system, and takes no unit [default: {}]",
        names.join("; "),
        UNITS[0].name
    )
}

/// Help on `--preset`.
pub fn preset_help() -> String {
    let units: Vec<String> = UNITS.iter().map(|unit| format!("{} for {}", unit.default_preset, unit.name)).collect();
    format!("Named parameters [default: {}; of boards: {}]", units.join("; "), by(|board| board.preset))
}

/// Help on `--clock`.
pub fn clock_help() -> String {
    format!("Boards: clock of the design in MHz [default: {}]", by(mhz))
}

/// Help on `--baud`.
pub fn baud_help() -> String {
    format!("Boards: bits a second on the UART [default: {DEFAULT_BAUD}]")
}

/// Help on `--pcie`.
pub fn pcie_help() -> String {
    format!(
        "Boards with PCI Express ({}): also write a Vivado project that has the units behind XDMA, with DDR3 as their \
         memory, into the folder pcie",
        any_of(&boards(|board| board.pcie.is_some()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!([any_of(&[]), any_of(&["a"]), any_of(&["a", "b"])], ["", "a", "a or b"]);
        assert_eq!(any_of(&["a", "b", "c"]), "a, b or c");
    }

    #[test]
    fn facts_are_lines_of_words() {
        let facts = facts();
        for line in facts.lines() {
            let words: Vec<&str> = line.split('\t').collect();
            assert!(words.len() > 1 && words.iter().all(|word| !word.is_empty()), "{line}");
        }
        for line in ["unit\tcompute-unit\tbitline_compute_unit\tdefault", "board\tvc709\tvc709\t100\tpcie\tVivado"] {
            assert!(facts.lines().any(|l| l == line), "{line} in {facts}");
        }
    }
}
