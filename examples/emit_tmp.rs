//! temp
use bitline::blocks::{Top, design};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let out = std::env::args().nth(2).unwrap();
    let params = bitline::presets::preset(&name).unwrap();
    let netlist = design(&params, Top::ComputeUnit).unwrap();
    for (name, text) in bitline::emit::verilog::emit(&netlist, &Default::default()) {
        std::fs::write(format!("{out}/{name}"), text).unwrap();
    }
}
