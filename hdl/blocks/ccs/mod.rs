//! The cache compute system's blocks.

pub mod axi_adapter;
pub mod axi_order;
pub mod axi_reader;
pub mod axi_writer;
pub mod line_memory;
