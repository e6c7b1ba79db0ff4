//! The blocks of the compute array, its sequencer and its way to memory. One block, one file, one Verilog module.

pub mod address_adder;
pub mod address_generator;
pub mod axil_regs;
pub mod bundles;
pub mod column_peripheral;
pub mod command_index;
pub mod command_log;
pub mod command_setup;
pub mod compute_array;
pub mod compute_top;
pub mod compute_unit;
pub mod design;
pub mod exception_flags;
pub mod flag_register;
pub mod flow_control;
pub mod gathered_bits;
pub mod index_registers;
pub mod issue_stage;
pub mod key_scanner;
#[cfg(test)]
pub mod latch_added;
pub mod loop_counters;
pub mod memory;
pub mod row_choice;
pub mod row_loader;
pub mod row_storer;
pub mod second_adder;
pub mod sequencer;
pub mod setup_value;
pub mod sram_array;
pub mod sram_block_ram;
pub mod start_registers;
pub mod types;

pub use design::{Top, design, design_with};
