//! Contents of ROMs, taken out of the emitted Verilog: a model gets them once it is there.
//!
//! A control block of the Duality Cache has ROMs with 190,000 words in all. As statements they take Verilator seven
//! eighths of its time and the C++ compiler half of its own. They are read from the text, and not from the netlist, so
//! that a word that is emitted wrongly is wrong in the model, too. Designs that differ in such words alone, which is
//! what other micro-programs are, share a model.

use num_bigint::BigUint;

use super::Verilated;
use crate::kernel::netlist::Netlist;

/// Fewer words than this stay in the text.
const FEW: usize = 64;

/// Words of a ROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    /// Its module.
    pub module: String,
    /// Its name there.
    pub name: String,
    /// Numbers of words, and what they are.
    pub words: Vec<(usize, Vec<u64>)>,
}

impl Contents {
    /// Whether it is this memory of this module.
    pub fn fills(&self, module: &str, name: &str) -> bool {
        self.module == module && self.name == name
    }
}

impl Verilated {
    /// Gives ROMs what they hold.
    pub(super) fn fill(&mut self, netlist: &Netlist, contents: &[Contents]) {
        for ((instance, name), place) in self.names.memories.iter().zip(&self.memories) {
            let module = &netlist.module(self.names.instances[*instance].1).name;
            let own = contents.iter().find(|contents| contents.fills(module, name));
            for (at, value) in own.iter().flat_map(|own| &own.words) {
                place.expect("all memories are found in such builds").write(*at, value);
            }
        }
        self.written = true;
    }
}

/// The Verilog of a file without blocks that do nothing but fill ROMs, and what they fill them with.
pub(super) fn taken(file: &str, text: &str) -> (String, Vec<Contents>) {
    let (mut rest, mut all) = (String::with_capacity(text.len()), Vec::<Contents>::new());
    let mut left = text;
    while let Some(begin) = left.find(BEGIN) {
        let (before, block) = left.split_at(begin);
        rest += before;
        let body = &block[BEGIN.len()..];
        let end = body.find(END).unwrap_or(body.len());
        match contents(file, &body[..end], all.last()).filter(|_| end < body.len()) {
            Some(contents) => {
                match all.last_mut().filter(|last| last.name == contents.name) {
                    Some(last) => last.words.extend(contents.words),
                    None => all.push(contents),
                }
                left = &body[end + END.len()..];
            }
            None => {
                rest += BEGIN;
                left = body;
            }
        }
    }
    (rest + left, all)
}

const BEGIN: &str = "\n  initial begin\n";
const END: &str = "  end\n";

/// What lines fill, if they fill one ROM, and are many or go on with the last one.
fn contents(file: &str, lines: &str, last: Option<&Contents>) -> Option<Contents> {
    let words: Vec<_> = lines.lines().map(word).collect::<Option<_>>()?;
    let name = words.first()?.0;
    if words.len() < FEW && last.is_none_or(|last| last.name != name) {
        return None;
    }
    let one = words.iter().all(|word| word.0 == name);
    let words = || words.into_iter().map(|(_, at, value)| (at, value)).collect();
    one.then(|| Contents { module: file.trim_end_matches(".v").into(), name: name.into(), words: words() })
}

/// `    NAME[5] = 42'h69;`: the name, the number of the word, its value.
fn word(line: &str) -> Option<(&str, usize, Vec<u64>)> {
    let (place, value) = line.trim_start().strip_suffix(';')?.split_once(" = ")?;
    let (name, at) = place.strip_suffix(']')?.split_once('[')?;
    let (_, value) = value.split_once('\'')?;
    let (radix, digits) = value.split_at_checked(1)?;
    let radix = match radix {
        "b" => 2,
        "d" => 10,
        "h" => 16,
        _ => return None,
    };
    Some((name, at.parse().ok()?, BigUint::parse_bytes(digits.as_bytes(), radix)?.to_u64_digits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::blocks::{Top, design};
    use crate::kernel::verilog::{Header, emit};
    use crate::presets::preset;

    fn filled(words: usize, more: &str) -> String {
        let words: String = (0..words).map(|at| format!("    rom[{at}] = 70'h{:x};\n", (at as u128) << 60)).collect();
        format!(
            "module m;\n  reg [69:0] rom [0:99];\n\n  initial begin\n{words}{more}  end\n\n  assign a = 1;\nendmodule\n"
        )
    }

    #[test]
    fn contents_of_roms_are_taken_out() {
        let (rest, all) = taken("m.v", &filled(100, ""));
        assert_eq!(rest, "module m;\n  reg [69:0] rom [0:99];\n\n  assign a = 1;\nendmodule\n");
        assert_eq!((all.len(), &all[0].module[..], &all[0].name[..]), (1, "m", "rom"));
        assert_eq!((&all[0].words[3], &all[0].words[99]), (&(3, vec![3 << 60]), &(99, vec![3 << 60, 6])));
        assert_eq!(all[0].words.len(), 100);
        // A ROM may have several blocks; the last of them may be short.
        let short = "\n  initial begin\n    rom[99] = 70'd8;\n  end\n";
        let (rest, all) = taken("m.v", &filled(100, "").replace("\n  assign", &format!("{short}\n  assign")));
        assert!(!rest.contains("initial"), "{rest}");
        assert_eq!((all.len(), all[0].words.len(), &all[0].words[100]), (1, 101, &(99, vec![8])));
    }

    #[test]
    fn they_are_those_of_the_netlist() {
        let netlist = design(&preset("tiny").expect("there is one"), Top::ComputeUnit).expect("elaborates");
        let mut large = 0;
        for (module, (name, text)) in netlist.modules.iter().zip(emit(&netlist, &Header::default())) {
            let (_, all) = taken(&name, &text);
            let mut found = all.iter();
            let roms = module.memories.iter().filter_map(|memory| Some((memory, memory.contents.as_ref()?)));
            for (memory, words) in roms.filter(|(_, words)| words.len() >= FEW) {
                let words: Vec<_> = words.iter().map(BigUint::to_u64_digits).enumerate().collect();
                large += 1;
                let wanted = Contents { module: module.name.clone(), name: memory.name.clone(), words };
                assert_eq!(found.next(), Some(&wanted));
            }
            assert_eq!(found.next(), None);
        }
        assert!(large >= 3, "{large}");
    }

    #[test]
    fn other_texts_stay() {
        let few = filled(FEW - 1, "");
        for text in ["", "\n  initial begin\n", &few, &filled(100, "    a = 1;\n"), &filled(100, "    b[1] = 1'b1;\n")]
        {
            assert_eq!(taken("m.v", text), (text.to_string(), vec![]));
        }
        let both = taken("m.v", &(few.clone() + &filled(80, "    rom[99] = 70'd7;\n")));
        assert_eq!((both.1.len(), both.1[0].words[80].clone()), (1, (99, vec![7])));
        assert!(both.0.starts_with(&few));
    }
}
