//! Models of the cache compute system's blocks.

pub mod arith;
pub mod axi_adapter;
pub mod axi_reader;
pub mod axi_writer;
pub mod lane;
pub mod line_memory;
pub mod line_port;
pub mod unit;
