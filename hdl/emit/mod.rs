//! Netlist ─▶ files: Verilog, test vectors, tool scripts, software.

pub mod verilog;
