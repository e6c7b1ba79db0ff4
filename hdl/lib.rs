//! In-cache computing hardware, described once in rust-hdl.
//!
//! Vectors lie transposed in the rows of an SRAM, one element in each column; every column has a one-bit adder and
//! latches, and a sequencer runs micro-programs on all columns at once.
//!
//! ```text
//! params ─▶ isa ─▶ blocks ─▶ kernel: elaborator ─▶ netlist ─┬▶ sim: native engine ◀─ lock step ─▶ sim::model
//!                                                           └▶ emit: Verilog ─▶ tb: Verilator, Icarus
//! ```
//!
//! A design from a preset, and a command on it, with the cycle model beside the hardware:
//!
//! ```
//! use bitline::isa::{Command, Opcode};
//! use bitline::sim::machine::Engine;
//!
//! # fn main() -> bitline::error::Result<()> {
//! let params = bitline::presets::preset("tiny")?;
//! let mut array = Engine::DEFAULT.machine(&params, 1)?;
//! // Column k is bit k of a row: 3 in column 0, 1 in column 1; added to itself.
//! array.set_row(0, &[0b11]);
//! array.set_row(1, &[0b01]);
//! (2..4).for_each(|row| array.set_row(row, &[0]));
//! let timing = array.execute(Command { a: 0, b: 0, d: 8, ..Command::new(Opcode::Add, 4) })?;
//! assert_eq!([8, 9, 10, 11].map(|row| array.row(row)[0]), [0b00, 0b11, 0b01, 0b00]);
//! assert_eq!(timing.rtl_cycles, 4);
//! # Ok(())
//! # }
//! ```
//!
//! The manual, in `docs` of the repository, has a tutorial: a program, an operation, a block, a board.
//! `ARCHITECTURE.md` explains the hardware and the rules of the code.
pub use bitline_compile as compile;
pub use bitline_emit as emit;
pub use bitline_emit::generate;
pub use bitline_kernel as kernel;
pub use bitline_kernel::error;
pub use bitline_sim as sim;
pub use bitline_units::array::{isa, params, presets};
pub use bitline_units::{array, boards, ccs, compute_cache, config_file, duality, parts, regmap, system};

/// The manual's code is compiled and run with that of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../docs/tutorial-block.md")]
pub mod tutorial_block {}

/// The same of the tutorial on operations.
#[cfg(doctest)]
#[doc = include_str!("../docs/tutorial-operation.md")]
pub mod tutorial_operation {}
