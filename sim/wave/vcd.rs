//! Value change dump, the text format of Verilog (IEEE 1364).

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use super::{Format, Item, Scope, WaveSignal, legal};

/// A VCD file.
pub struct Vcd {
    out: BufWriter<File>,
    codes: Vec<String>,
}

impl Vcd {
    /// Writes the header.
    pub fn create(path: &Path, signals: &[WaveSignal]) -> Result<Vcd> {
        let mut vcd = Vcd { out: BufWriter::new(File::create(path)?), codes: (0..signals.len()).map(code).collect() };
        write!(vcd.out, "$version bitline {} $end\n$timescale 1 ns $end\n", env!("CARGO_PKG_VERSION"))?;
        vcd.scope(&Scope::tree(signals), signals)?;
        vcd.out.write_all(b"$enddefinitions $end\n")?;
        Ok(vcd)
    }

    fn scope(&mut self, scope: &Scope, signals: &[WaveSignal]) -> Result<()> {
        for item in &scope.items {
            match item {
                Item::Signal(name, index) => {
                    let (width, code, name) = (signals[*index].width, &self.codes[*index], legal(name));
                    writeln!(self.out, "$var wire {width} {code} {name} $end")?;
                }
                Item::Scope(name, inner) => {
                    writeln!(self.out, "$scope module {} $end", legal(name))?;
                    self.scope(inner, signals)?;
                    self.out.write_all(b"$upscope $end\n")?;
                }
            }
        }
        Ok(())
    }
}

impl Format for Vcd {
    fn time(&mut self, time: u64) -> Result<()> {
        writeln!(self.out, "#{time}")
    }

    fn change(&mut self, index: usize, digits: &[u8]) -> Result<()> {
        if digits.len() > 1 {
            let ones = digits.iter().position(|&d| d == b'1').unwrap_or(digits.len() - 1);
            self.out.write_all(b"b")?;
            self.out.write_all(&digits[ones..])?;
            self.out.write_all(b" ")?;
        } else {
            self.out.write_all(digits)?;
        }
        writeln!(self.out, "{}", self.codes[index])
    }

    fn finish(mut self: Box<Self>, time: u64) -> Result<()> {
        writeln!(self.out, "#{time}")?;
        self.out.flush()
    }
}

/// The identifier of a signal: its number to base 94, in printing characters.
fn code(index: usize) -> String {
    let (mut rest, mut code) = (index, String::new());
    loop {
        code.push(char::from(b'!' + (rest % 94) as u8));
        rest /= 94;
        if rest == 0 {
            return code;
        }
        rest -= 1;
    }
}
