//! In-cache computing hardware, described once in rust-hdl.
pub mod blocks;
pub mod board;
pub mod emit;
pub mod error;
pub mod isa;
pub mod kernel;
pub mod params;
pub mod presets;
pub mod registers;
pub mod self_test;
#[path = "../sim/mod.rs"]
pub mod sim;
#[path = "../tb/mod.rs"]
pub mod tb;
