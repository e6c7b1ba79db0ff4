//! Models of the cache compute system's blocks.

pub mod arith;
pub mod axi_adapter;
pub mod axil_bridge;
pub mod core;
pub mod events;
pub mod fetch;
pub mod flight;
pub mod generator;
pub mod lane;
pub mod launcher;
pub mod line_memory;
pub mod line_port;
pub mod processor;
pub mod registers;
pub mod requests;
pub mod scoreboard;
pub mod silence;
pub mod store;
pub mod tags;
pub mod top;
pub mod unit;
pub mod waiting;
pub mod word_stage;
pub mod write_merge;
pub mod writer;
