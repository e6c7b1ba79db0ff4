//! Models of the cache compute system's blocks.

pub mod arith;
pub mod axi_adapter;
pub mod axi_reader;
pub mod axi_writer;
pub mod core;
pub mod fetch;
pub mod generator;
pub mod lane;
pub mod launcher;
pub mod line_memory;
pub mod line_port;
pub mod processor;
pub mod registers;
pub mod scoreboard;
pub mod store;
pub mod tags;
pub mod unit;
pub mod word_stage;
pub mod writer;
