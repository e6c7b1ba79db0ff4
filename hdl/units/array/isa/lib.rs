//! The instruction set of the compute array: macro-operations, micro-operations and the micro-programs between them;
//! and the parameters of a design, which say what of it there is.
//!
//! A crate of its own because it computes (ROM words, cycles, rows of `AndNor` columns) where the rest of the units
//! only builds syntax trees: that rest is compiled without optimisation, which it would not pay back.
//!
//! Everything here is data. [`opcode`] lists what may enter the command port, [`uop`] the control word of one cycle,
//! [`latch`] the latches of a column, [`ucode`] the micro-programs as tables of control words, [`operation`] what each
//! operation asks of its operands, and [`assemble`] turns tables into the ROMs of the sequencer and into cycle
//! counts.
//! A new operation is new rows here, not new RTL.

mod action;
mod and_nor;
pub mod assemble;
pub mod code;
pub mod command;
pub mod constants;
pub mod custom;
pub mod element;
pub mod format;
pub mod latch;
pub mod linear;
pub mod microcode;
pub mod opcode;
pub mod operation;
pub mod params;
pub mod program;
pub mod reference;
pub mod row;
pub mod rows;
pub mod second;
pub mod set;
pub mod setup;
pub mod transfer;
pub mod ucode;
pub mod uop;
pub mod walk;
pub mod word;

pub use command::Command;
pub use opcode::{Opcode, Set};

pub use bitline_kernel::error;

/// The paths of the crate of all units, `bitline_units`, by which everybody else knows these modules.
mod array {
    pub(crate) use crate as isa;
    pub(crate) use crate::params;
}
