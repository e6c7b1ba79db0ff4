//! Value change dump, the text format of Verilog (IEEE 1364).

use std::fs::File;
use std::io::{BufWriter, Result};
use std::path::Path;

use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use super::{Format, Item, Scope, WaveSignal, legal};

/// A VCD file.
pub struct Vcd {
    out: Writer<BufWriter<File>>,
    codes: Vec<IdCode>,
}

impl Vcd {
    /// Writes the header.
    pub fn create(path: &Path, signals: &[WaveSignal]) -> Result<Vcd> {
        let codes = vec![IdCode::FIRST; signals.len()];
        let mut vcd = Vcd { out: Writer::new(BufWriter::new(File::create(path)?)), codes };
        vcd.out.version(&format!("bitline {}", env!("CARGO_PKG_VERSION")))?;
        vcd.out.timescale(1, TimescaleUnit::NS)?;
        let tree = Scope::tree(signals);
        // The format wants every signal in a scope.
        let bare = tree.items.iter().any(|item| matches!(item, Item::Signal(..)));
        if bare {
            vcd.out.add_module("top")?;
        }
        vcd.scope(&tree, signals)?;
        if bare {
            vcd.out.upscope()?;
        }
        vcd.out.enddefinitions()?;
        Ok(vcd)
    }

    fn scope(&mut self, scope: &Scope, signals: &[WaveSignal]) -> Result<()> {
        for item in &scope.items {
            match item {
                Item::Signal(name, index) => {
                    let width = signals[*index].width as u32;
                    self.codes[*index] = self.out.add_var(VarType::Wire, width, &legal(name), None)?;
                }
                Item::Scope(name, inner) => {
                    self.out.add_module(&legal(name))?;
                    self.scope(inner, signals)?;
                    self.out.upscope()?;
                }
            }
        }
        Ok(())
    }
}

impl Format for Vcd {
    fn time(&mut self, time: u64) -> Result<()> {
        self.out.timestamp(time)
    }

    fn change(&mut self, index: usize, digits: &[u8]) -> Result<()> {
        let value = |&digit: &u8| if digit == b'1' { Value::V1 } else { Value::V0 };
        if let [digit] = digits {
            return self.out.change_scalar(self.codes[index], value(digit));
        }
        // Leading zeros are left out: readers extend with them.
        let from = digits.iter().position(|&digit| digit == b'1').unwrap_or(digits.len() - 1);
        self.out.change_vector(self.codes[index], digits[from..].iter().map(value))
    }

    fn finish(mut self: Box<Self>, time: u64) -> Result<()> {
        self.out.timestamp(time)?;
        self.out.flush()
    }
}
