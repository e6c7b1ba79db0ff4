//! Software models. The *cycle model*, one file for each block, steps with the hardware and is compared with it after
//! every cycle; the *arithmetic model* ([`arith`]) knows only opcodes and integers and is compared at the end of every
//! operation; the *model of legality* ([`legality`]) knows which commands may run, and which rows they touch.
//!
//! Beside each cycle model stands the table of the registers, memories and ports that it knows ([`state`]). Models of
//! what only passes things on hold what is on its way, and follow the hardware in when it moves ([`seen`]).
//!
//! Models import parameters and the instruction set, never the kernel or the blocks.

#[macro_use]
pub mod seen;
#[macro_use]
pub mod state;

pub mod address_adder;
pub mod address_generator;
pub mod arith;
pub mod axil_regs;
pub mod axil_slave;
pub mod board;
pub mod cache_arith;
pub mod ccs;
pub mod column_peripheral;
pub mod command_index;
pub mod command_log;
pub mod command_queue;
pub mod command_setup;
pub mod compute_array;
pub mod compute_cache;
pub mod compute_top;
pub mod compute_unit;
pub mod cordic;
pub mod duality;
pub mod exception_flags;
pub mod flag_register;
pub mod float;
pub mod flow_control;
pub mod head_queue;
pub mod index_registers;
pub mod key_scanner;
pub mod legality;
pub mod loop_counters;
pub mod memory;
pub mod queue;
pub mod row_loader;
pub mod row_storer;
pub mod sequencer;
pub mod setup_value;
pub mod sram_array;
pub mod start_registers;
pub mod tmu;
pub mod vectors;
pub mod walk;

#[cfg(test)]
mod tests;
