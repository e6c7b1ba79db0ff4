//! External simulators behind the engine's interface: the emitted Verilog under Verilator and Icarus.

pub mod icarus;
mod names;
pub mod tool;
pub mod verilator;
